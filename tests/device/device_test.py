#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs on a stand-in for an accelerator (README.md): a healthy library stays conformant whatever the
device is like, one fault stays one failure, and trouble costs few workers."""

import ctypes
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM, LIBRARY = sys.argv[1:3]
del sys.argv[1:3]

PAGE = 4096


def adopt_orphans():
    """Whatever a run leaves behind becomes a child of this process, not of init."""
    subreaper = 36  # PR_SET_CHILD_SUBREAPER
    if ctypes.CDLL(None, use_errno=True).prctl(subreaper, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def children_left(patience=60.0):
    """Children of this process that do not end. One that is about to is waited for."""
    ends = time.monotonic() + patience
    while time.monotonic() < ends:
        try:
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                time.sleep(0.01)
        except ChildProcessError:
            return False
    return True


class Run:
    """What a run on the stand-in reported, and what the stand-in counted."""

    def __init__(self, traits, *arguments, capabilities=None):
        with tempfile.TemporaryDirectory() as folder:
            counters = os.path.join(folder, "counters")
            environment = dict(os.environ, POOLPROOF_DEVICE_COUNTERS=counters)
            for name, value in traits.items():
                environment["POOLPROOF_DEVICE_" + name] = str(value).replace("{folder}", folder)
            manifest = pathlib.Path(folder) / "manifest.json"
            manifest.write_text(json.dumps({
                "schema": "poolproof-manifest/1", "name": "stand-in",
                "libraries": [os.path.abspath(LIBRARY)], "capabilities": capabilities or {}}))
            result = subprocess.run(
                [PROGRAM, "run", "--implementation", manifest, "--set", "smoke", "--json", "-", *arguments],
                env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
            self.exit = result.returncode
            self.error = result.stderr
            self.report = json.loads(result.stdout) if result.stdout else None
            pages = pathlib.Path(counters).read_bytes()
            self.left = children_left()
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
        self.assertFalse(run.left, "a process is left over")

    def expect_conformant(self, run):
        self.assertEqual(run.exit, 0, run.error or run.failures[:3])
        self.assertEqual([f["message"] for f in run.failures], [])
        self.expect_orderly(run)


# Cases of every sort: tables, histories, several threads and streams, executors that are kept.
SOME = ["--filter", "AdaptiveMaxPool2d*"]


# A case of several calls, of two types.
SEVERAL = "MaxPool3dWithArgmaxBackward/protocol/2P-07/type-f16-v0"
STICKY = range(6)


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

    def test_what_comes_with_first_use(self):
        # Handlers and files that come once in a process, whatever loads them: no fault of a case.
        for traits in [{"SIGNALS": 2}, {"FILES": 1}]:
            with self.subTest(traits):
                self.expect_conformant(Run(traits, "--filter", "MaxPool3dWithArgmaxBackward/corpus/*"))

    def test_busy_now_and_then(self):
        run = Run({"BUSY_EVERY": 3, "BUSY_FOR": 2, "EXCLUSIVE": "{folder}"}, *SOME)
        self.expect_conformant(run)
        self.assertGreater(run.counts["refused_starts"], 0)

    def test_few_workers(self):
        run = Run({"IGNORES_INDICES": 1})
        self.expect_conformant(run)
        # One to ask what there is, one for plain calls, and one for each 512 cases.
        self.assertLessEqual(run.counts["starts"], 2 + run.report["summary"]["cases"] // 512)


class SlowFirstUse(DeviceTest):
    def test_first_use_takes_seconds(self):
        # Two in one invocation, of two types, take longer than it may take otherwise.
        run = Run({"FIRST_USE_US": 2600000}, "--filter", SEVERAL,
                  capabilities={"operators": [SEVERAL.split("/", maxsplit=1)[0]]})
        self.expect_conformant(run)
        self.assertEqual(run.report["summary"]["passed"], 1)


class Trouble(DeviceTest):
    def expect_one(self, run, path, base, starts):
        self.assertEqual(run.exit, 1, run.error)
        self.assertEqual(run.paths(), [path] if path else run.paths()[:1])
        self.assertIn("synchronise returned 507015", run.failures[0]["message"])
        self.assertEqual(run.report["summary"]["inconclusive"], base.report["summary"]["inconclusive"])
        self.assertLessEqual(run.counts["starts"], base.counts["starts"] + starts)
        self.expect_orderly(run)

    def test_one_exception_fails_one_case(self):
        healthy = {"IGNORES_INDICES": 1}
        arguments = ["--filter", "MaxPool3dWithArgmaxBackward/random-s*", "--jobs", "1"]
        base = Run(healthy, *arguments)
        self.expect_conformant(base)
        # In the last quarter only cases are asked, and no more what there is.
        at = base.counts["launches"] * 3 // 4
        for sticky in STICKY:
            with self.subTest(sticky=sticky):
                run = Run({**healthy, "EXCEPTION_AT": at, "STICKY": sticky}, *arguments)
                self.expect_one(run, None, base, 3)

    def calls_of_several(self):
        listed = subprocess.run([PROGRAM, "list", "cases", "--set", "smoke", "--filter", SEVERAL],
                                capture_output=True, text=True, check=True).stdout
        calls = len([part for part in listed.split("|") if "self=" in part])
        self.assertGreater(calls, 1)
        return calls

    def test_exception_in_the_first_of_several_calls(self):
        arguments = ["--filter", SEVERAL]
        calls = self.calls_of_several()
        base = Run({}, *arguments)
        self.expect_conformant(base)
        for sticky in STICKY:
            with self.subTest(sticky=sticky):
                run = Run({"EXCEPTION_AT": base.counts["launches"] - calls + 1, "STICKY": sticky}, *arguments)
                self.expect_one(run, SEVERAL, base, 3)

    def test_handlers_set_by_the_launch_that_fails(self):
        # Nobody can ask that device whether it sets them again: they are held against no case.
        arguments = ["--filter", SEVERAL]
        calls = self.calls_of_several()
        base = Run({"SIGNALS": 2}, *arguments)
        self.expect_conformant(base)
        # There the calls were made twice.
        at = base.counts["launches"] - 2 * calls + 1
        for sticky in STICKY:
            with self.subTest(sticky=sticky):
                run = Run({"SIGNALS": 2, "EXCEPTION_AT": at, "STICKY": sticky}, *arguments)
                self.expect_one(run, SEVERAL, base, 3)
                self.assertEqual(run.failures[0]["clauses"], ["2P-02"])

    def test_a_width_that_raises_exceptions(self):
        for sticky in STICKY:
            with self.subTest(sticky=sticky):
                run = Run({"EXCEPTION_WIDTH": 17, "STICKY": sticky}, "--filter", "*width_17")
                self.assertEqual(run.paths(), ["AdaptiveMaxPool2dBackward/corpus/adaptive_width_17",
                                               "MaxPool3dWithArgmaxBackward/corpus/width_17"])
                self.assertEqual([f["clauses"] for f in run.failures], [["2P-02"], ["2P-02"]])
                self.expect_orderly(run)

    def test_lawful_refusals_by_exception(self):
        for sticky in STICKY:
            with self.subTest(sticky=sticky):
                run = Run({"EXCEPTION_LATE": 1, "STICKY": sticky}, "--filter", "MaxPool*/status/*33*")
                self.expect_conformant(run)
                self.assertGreater(run.counts["exceptions"], 0)


if __name__ == "__main__":
    adopt_orphans()
    unittest.main()
