#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs on a stand-in for an accelerator (README.md): a healthy library stays conformant whatever the
device is like, one fault stays one failure, and trouble costs few workers."""

import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

PROGRAM, LIBRARY = sys.argv[1:3]
del sys.argv[1:3]

PAGE = 4096


def processes_with(text):
    """Processes whose environment holds the text."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if text.encode() in (folder / "environ").read_bytes():
                found.append(folder.name)
        except OSError:
            continue
    return found


class Run:
    """What a run on the stand-in reported, and what the stand-in counted."""

    def __init__(self, traits, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            counters = os.path.join(folder, "counters")
            environment = dict(os.environ, POOLPROOF_DEVICE_COUNTERS=counters)
            for name, value in traits.items():
                environment["POOLPROOF_DEVICE_" + name] = str(value).replace("{folder}", folder)
            result = subprocess.run(
                [PROGRAM, "run", "--implementation", LIBRARY, "--set", "smoke", "--json", "-", *arguments],
                env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
            self.exit = result.returncode
            self.error = result.stderr
            self.report = json.loads(result.stdout) if result.stdout else None
            pages = pathlib.Path(counters).read_bytes()
            self.left = processes_with(counters)
        names = pages[:PAGE].rstrip(b"\0").decode().split()
        self.counts = dict(zip(names, struct.unpack_from(f"<{len(names)}Q", pages, PAGE)))

    @property
    def failures(self):
        return self.report["failures"]

    def paths(self):
        return sorted(failure["path"] for failure in self.failures)


class DeviceTest(unittest.TestCase):
    def expect_orderly(self, run):
        self.assertEqual(run.counts["illegal"], 0, run.error)
        self.assertEqual(run.left, [])

    def expect_conformant(self, run):
        self.assertEqual(run.exit, 0, run.error or run.failures[:3])
        self.assertEqual([f["message"] for f in run.failures], [])
        self.expect_orderly(run)


# Cases of every sort: tables, histories, several threads and streams, executors that are kept.
SOME = ["--filter", "AdaptiveMaxPool2d*"]


class Healthy(DeviceTest):
    def test_memory_that_the_host_cannot_touch(self):
        run = Run({})
        self.expect_conformant(run)
        self.assertGreater(run.counts["launches"], 1000)
        self.assertGreater(run.report["summary"]["passed"], 1000)

    def test_workspace_noise_and_threads(self):
        run = Run({"WORKSPACE": 1 << 21, "NOISE": 300, "THREADS": 8, "SIGNALS": 1}, *SOME)
        self.expect_conformant(run)

    def test_slow(self):
        run = Run({"INIT_US": 20000, "MALLOC_US": 20, "FREE_US": 10, "COPY_US": 5, "PHASE_ONE_US": 5,
                   "LAUNCH_US": 10, "FIRST_USE_US": 2000, "FINALIZE_US": 20000}, *SOME)
        self.expect_conformant(run)


if __name__ == "__main__":
    unittest.main()
