# SPDX-License-Identifier: Apache-2.0
"""Runs of the program on the stand-in for an accelerator, with what the stand-in counted."""

import json
import os
import pathlib
import resource
import struct
import subprocess
import tempfile
import time

PAGE = 4096


class Run:
    """What a run on the stand-in reported, and what the stand-in counted. `traits`: README.md; `{folder}` in one,
    or in an argument, is a folder of the run's own. `devices`: how many there are."""

    def __init__(self, program, library, traits, *arguments, capabilities=None, devices=1,
                 command=("run", "--set", "smoke")):
        with tempfile.TemporaryDirectory() as folder:
            counters = os.path.join(folder, "counters")
            log = os.path.join(folder, "log")
            environment = dict(os.environ, POOLPROOF_DEVICE_COUNTERS=counters, POOLPROOF_DEVICE_LOG=log,
                               POOLPROOF_DEVICE_DEVICES=str(devices))
            for name, value in traits.items():
                environment["POOLPROOF_DEVICE_" + name] = str(value).replace("{folder}", folder)
            manifest = {"schema": "poolproof-manifest/1", "name": "stand-in",
                        "libraries": [os.path.abspath(library)], "capabilities": capabilities or {},
                        "devices": list(range(devices))}
            path = pathlib.Path(folder) / "manifest.json"
            path.write_text(json.dumps(manifest))
            begin = time.monotonic()
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            reports = command[0] in ("run", "fuzz")
            result = subprocess.run(
                [program, *(part.replace("{folder}", folder) for part in command), "--implementation", path,
                 *(["--jobs", str(devices), "--json", "-"] if reports else []), *arguments],
                env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
            self.seconds = time.monotonic() - begin
            now = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.processor_seconds = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
            self.exit = result.returncode
            self.error = result.stderr
            self.output = result.stdout
            self.report = json.loads(result.stdout) if reports and result.stdout else None
            pages = pathlib.Path(counters).read_bytes()
            self.log = pathlib.Path(log).read_text().splitlines() if os.path.exists(log) else []
        names = pages[:PAGE].rstrip(b"\0").decode().split()
        self.counts = dict(zip(names, struct.unpack_from(f"<{len(names)}Q", pages, PAGE)))

    @property
    def failures(self):
        return self.report["failures"]

    def paths(self):
        return sorted(failure["path"] for failure in self.failures)

    def events(self, event):
        """Lines of the log of that event: milliseconds, process, what else is said of it."""
        lines = (line.split(" ", 3) for line in self.log)
        return [(int(line[0]), int(line[1]), " ".join(line[3:])) for line in lines if line[2] == event]
