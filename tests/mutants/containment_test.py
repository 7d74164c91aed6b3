#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One case of five thousand in which a library crashes, hangs, exits, throws or damages its own heap
costs that case and no other, and the report is complete; what a library prints stays out of it."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop())
CASES = 5000
BAD = 2500


def case_line(height, width, seed):
    return (f"pp1:MaxPool3dWithArgmaxBackward:self=f32[1,2,2,{height},{width}];k=2;s=1;p=0;d=1;"
            f"go=~exact.{seed};ix=~window.{seed}")


class Containment(unittest.TestCase):
    def judge(self, mutant, height, width):
        with tempfile.TemporaryDirectory() as holder:
            folder = pathlib.Path(holder)
            manifest = folder / "manifest.json"
            manifest.write_text(json.dumps({
                "schema": "poolproof-manifest/1",
                "name": mutant,
                "libraries": [str((BUILD / "lib/libpoolproof_mutants.so").resolve())],
                "environment": {"*": {"POOLPROOF_MUTANT": mutant}},
                "limits": {"case_s": 3}}))
            sizes = [(2, 2), (4, 3), (6, 8), (2, 9), (3, 3), (4, 2)]
            lines = [case_line(*sizes[i % len(sizes)], i + 1) for i in range(CASES)]
            lines[BAD] = case_line(height, width, BAD + 1)
            cases = folder / "cases.jsonl"
            cases.write_text("".join(
                json.dumps({"schema": "poolproof-case/1", "case": line}) + "\n" for line in lines))
            report = folder / "report.json"
            run = subprocess.run(
                [BUILD / "bin/poolproof", "run", "--implementation", manifest, "--profile",
                 "atlas-a2", "--case-file", cases, "--json", report],
                capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=1200, check=False)
            self.assertTrue(report.exists(), run.stderr)
            return run, json.loads(report.read_text())

    def expect_one_lost(self, mutant, height, width, count, end):
        run, report = self.judge(mutant, height, width)
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        summary = report["summary"]
        self.assertEqual((summary["cases"], summary["passed"], summary[count]),
                         (CASES, CASES - 1, 1), summary)
        self.assertEqual([failure["case_number"] for failure in report["failures"]], [BAD])
        self.assertIn(end, report["failures"][0]["end"])
        self.assertEqual(report["failures"][0]["clauses"], ["2P-02"])

    def test_crash(self):
        self.expect_one_lost("crashes_on_some_shape", 2, 7, "crashed", "signal 11")

    def test_exit(self):
        self.expect_one_lost("exits_on_some_shape", 2, 6, "crashed", "exit 0")

    def test_exception(self):
        self.expect_one_lost("throws_on_some_shape", 2, 5, "crashed", "threw")

    def test_hang(self):
        self.expect_one_lost("hangs_on_some_shape", 5, 7, "timed_out", "timed out")

    def test_damaged_heap(self):
        self.expect_one_lost("damages_heap_on_some_shape", 3, 4, "crashed", "signal 6")

    def test_write_after_free(self):
        self.expect_one_lost("writes_after_free_on_some_shape", 3, 4, "crashed", "signal")

    def test_noise(self):
        run, report = self.judge("legal_noisy_stdout", 2, 2)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(report["summary"]["passed"], CASES)
        self.assertNotIn("tile", run.stdout + run.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
