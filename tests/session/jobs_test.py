#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The number of jobs changes nothing: verdicts and failures of faulty libraries are the same for one
worker and for several, crashes, hangs and faults that need a history included."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM, FAKES, LIBRARIES = sys.argv[1:4]
del sys.argv[1:4]


class JobsTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.manifest = pathlib.Path(holder.name) / "manifest.json"

    def report(self, jobs, *arguments):
        result = subprocess.run(
            [PROGRAM, "run", "--implementation", str(self.manifest), "--jobs", jobs, "--json", "-",
             *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        # Advisory clauses alone: 0. Stopped, with all that failed waived: 4.
        self.assertIn(result.returncode, [4] if "--waivers" in arguments else [0, 1], result.stderr)
        report = json.loads(result.stdout)
        for member in ["argv", "start", "duration_s"]:
            del report["run"][member]
        return report

    def expect_equal(self, library, environment, *arguments):
        self.manifest.write_text(json.dumps({
            "schema": "poolproof-manifest/1", "name": "faulty", "libraries": [library],
            "environment": {"*": environment}}))
        alone = self.report("1", *arguments)
        self.assertNotEqual(alone["failures"], [])
        self.assertEqual(alone, self.report("2", *arguments))
        return alone


class Fakes(JobsTest):
    # Failures that are waived are shrunk, but their causes are not searched for: a search starts a process for each of
    # hundreds of new cases that crash. Mutants has them with the search.
    WAIVERS = {"schema": "poolproof-waivers/1", "waivers": [{
        "id": "X-1", "owner": "o", "reason": "r", "link": "https://example.org/1", "scope": {"cases": "calls >= 1"},
        "signature": "*", "expires": "2026-06-30"}]}

    def test_bad_ends(self):
        # The fake writes out of bounds where it is let, and how a damaged heap ends is a matter of
        # chance: only faults that come before it writes.
        waivers = self.manifest.with_name("waivers.json")
        waivers.write_text(json.dumps(self.WAIVERS))
        for fault, count in [("crash-two", "crashed"), ("exit-two", "crashed"), ("throw-one", "crashed")]:
            with self.subTest(fault):
                report = self.expect_equal(
                    f"{FAKES}/libfake_minimal.so", {"POOLPROOF_FAKE": fault}, "--set", "smoke",
                    "--filter", "MaxPool3dWithArgmaxBackward/random-s*", "--stop-after", "3",
                    "--waivers", str(waivers), "--today", "2026-06-01")
                self.assertGreater(report["summary"][count], 0)

    def test_a_root_cause(self):
        report = self.expect_equal(f"{FAKES}/libfake_minimal.so", {}, "--set", "smoke",
                                   "--filter", "MaxPool3d*/status/MP3-S4[03]/*-0-f32-i32-batched-*")
        self.assertTrue(report["root_causes"])


class Mutants(JobsTest):
    def test_faults_of_all_kinds(self):
        # Not here: indices_cached_by_pointer, whose fault hangs on the addresses that the allocator
        # gives, and which differs between two equal runs with one job as well.
        # Where two host threads crash at once, which of them was where is not the suite's to decide.
        listed = subprocess.run([PROGRAM, "list", "cases", "--set", "smoke"], capture_output=True,
                                text=True, check=True).stdout.splitlines()
        lines = [row.split("  ", 1)[1] for row in listed if "threads=" not in row]
        cases = self.manifest.with_name("cases.json")
        cases.write_text(json.dumps([{"schema": "poolproof-case/1", "case": line} for line in lines]))
        for name in ["last_writer_wins", "null_indices_crashes", "crashes_on_some_shape",
                     "hangs_on_some_shape", "exits_on_some_shape", "throws_on_some_shape",
                     "changes_directory", "closes_stdin", "shape_cache_without_dtype",
                     "second_call_differs", "scratch_dirty_after_bigger_call"]:
            with self.subTest(name):
                self.expect_equal(f"{LIBRARIES}/libpoolproof_mutants.so", {"POOLPROOF_MUTANT": name},
                                  "--set", "smoke", "--case-file", str(cases))


if __name__ == "__main__":
    unittest.main()
