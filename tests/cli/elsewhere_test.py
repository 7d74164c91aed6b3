#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Workers elsewhere: --worker-command puts them into another folder with an environment of their own.

elsewhere_test.py POOLPROOF LIBRARIES FAKE"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

# The fake misbehaves where ceilMode is on.
CEIL = "pp1:MaxPool3dWithArgmaxBackward:self=f32[1,2,4,4];k=2;s=2;p=0;d=1;ceil;go=[1,1,2,2]"
LEGAL = "pp1:AdaptiveMaxPool2dBackward:self=f32[1,5,5];go=[1,3,3]"


def poolproof(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)


class Elsewhere(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="poolproof elsewhere ")
        self.addCleanup(folder.cleanup)
        # Nothing of the build folder is used there but by its name here.
        self.board = pathlib.Path(folder.name) / "board"
        (self.board / "bin").mkdir(parents=True)
        (self.board / "lib").mkdir()
        shutil.copy(pathlib.Path(PROGRAM).parent / "poolproof-worker", self.board / "bin" / "the-worker")
        shutil.copy(LIBRARIES / "libpoolproof_reference.so", self.board / "lib" / "libkernels.so")
        # Sanitizers' options belong to both ends.
        kept = " ".join(f"{name}='{value}'" for name, value in os.environ.items() if name.endswith("SAN_OPTIONS"))
        self.command = f"cd '{self.board}' && exec env -i {kept} ./bin/the-worker --elsewhere"

    def test_a_library_that_is_only_there_is_judged(self):
        run = poolproof("run", "--implementation", "./lib/libkernels.so", "--worker-command", self.command,
                        "--profile", "ascend-950", "--set", "smoke", "--filter", "MaxPool2d*", "--json", "-")
        self.assertEqual(run.returncode, 0, run.stderr)
        report = json.loads(run.stdout)
        self.assertEqual(report["verdict"], "conformant")
        self.assertEqual(report["profile"], "ascend-950", "the profile's environment goes there")
        self.assertEqual(report["implementation"]["libraries"][0]["name"], "libkernels.so")

    def test_endings_are_told_as_they_were(self):
        manifest = self.board / "fake.json"
        for fault, ending in (("crash-two", "SIGSEGV (signal 11) in phase two of call 1"),
                              ("read-null", "SIGSEGV (signal 11) in phase two of call 1, reading address 0x10 at libfake_full.so+0x"),
                              ("hang-two", "timed out in phase two of call 1"),
                              ("exit-two", "exit 0 in phase two of call 1"),
                              ("eat-memory", "out of memory")):
            manifest.write_text(json.dumps({
                "schema": "poolproof-manifest/1", "name": "fake", "libraries": [str(FAKE)],
                "limits": {"case_s": 5, "memory_mib": 400}, "environment": {"*": {"POOLPROOF_FAKE": fault}}}))
            run = poolproof("replay", "--implementation", str(manifest), "--worker-command", self.command, CEIL)
            self.assertEqual(run.returncode, 1, run.stderr)
            self.assertIn(f"ended: {ending}", run.stdout)

    def test_no_process_is_left_there(self):
        poolproof("replay", "--implementation", "./lib/libkernels.so", "--worker-command", self.command, LEGAL)
        left = [entry for entry in pathlib.Path("/proc").glob("[0-9]*/cwd")
                if self.target(entry) == str(self.board)]
        self.assertEqual(left, [])

    @staticmethod
    def target(link):
        try:
            return os.readlink(link)
        except OSError:
            return ""

    def test_what_starts_no_worker_is_quoted(self):
        for command, said in (("echo Welcome to the board; sleep 1", "'Welcome ...' is not a packet"),
                              ("true", "the connection ended"),
                              ("exec /nowhere/worker", "the connection ended")):
            run = poolproof("replay", "--implementation", "./lib/libkernels.so", "--worker-command", command, LEGAL)
            self.assertEqual(run.returncode, 3, run.stderr)
            self.assertIn("--worker-command started no worker", run.stderr)
            self.assertIn(said, run.stderr)

    def test_a_lost_connection_is_no_verdict(self):
        # The third connection lives, those before break off within some answer.
        counter = self.board / "starts"
        breaks = (f"n=$(cat '{counter}' 2>/dev/null || echo 0); echo $((n + 1)) >'{counter}'; "
                  f"if [ $n -lt 2 ]; then {{ {self.command}; }} | dd bs=1 count=100000 2>/dev/null; "
                  f"else {self.command}; fi")
        run = poolproof("run", "--implementation", "./lib/libkernels.so", "--worker-command", breaks,
                        "--set", "smoke", "--filter", "MaxPool3dWithArgmaxBackward/random-*", "--jobs", "1", "--json", "-")
        self.assertEqual(run.returncode, 0, run.stderr)
        report = json.loads(run.stdout)
        self.assertEqual((report["verdict"], report["failures"]), ("conformant", []), run.stderr)
        self.assertGreater(int(counter.read_text()), 2)

    def test_a_connection_that_does_not_come_back_costs_its_batch(self):
        # One of the later ones fails as often as it is tried.
        counter = self.board / "starts"
        breaks = (f"n=$(cat '{counter}' 2>/dev/null || echo 0); echo $((n + 1)) >'{counter}'; "
                  f"if [ $n -ge 4 ] && [ $n -lt 9 ]; then exit 1; fi; {self.command}")
        run = poolproof("run", "--implementation", "./lib/libkernels.so", "--worker-command", breaks,
                        "--set", "smoke", "--filter", "MaxPool3dWithArgmaxBackward/random-*", "--jobs", "1",
                        "--json", "-")
        report = json.loads(run.stdout)
        self.assertEqual((run.returncode, report["verdict"], report["failures"]), (4, "incomplete", []), run.stderr)
        self.assertEqual(report["run"]["stopped_by"], "no-worker")
        self.assertIn("--worker-command started no worker", report["run"]["stopped_detail"])
        self.assertGreater(report["summary"]["not_run"], 0)
        self.assertGreater(report["summary"]["passed"], report["summary"]["not_run"])

    def test_misuse_is_refused(self):
        run = poolproof("replay", "--implementation", "reference", "--worker-command", " ", LEGAL)
        self.assertEqual(run.returncode, 2)
        self.assertIn("--worker-command is empty", run.stderr)
        run = poolproof("replay", "--in-process", "--implementation", "reference", "--worker-command", "x", LEGAL)
        self.assertEqual(run.returncode, 2)
        self.assertIn("--in-process has no worker", run.stderr)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv[1])
    LIBRARIES, FAKE = (pathlib.Path(argument).resolve() for argument in sys.argv[2:4])
    unittest.main(argv=sys.argv[:1] + sys.argv[4:], verbosity=2)
