#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Campaigns: shards judge what one process judges, a killed one is taken up again, what is found is
kept small, and a rare fault is found soon."""

import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from error_lines import error_lines

PROGRAM, LIBRARIES = sys.argv[1:3]
del sys.argv[1:3]


def call(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, check=False)


def comparable(text):
    report = json.loads(text)
    for member in ["argv", "start", "duration_s", "shards"]:
        del report["run"][member]
    return report


class FuzzTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.implementation = "reference"

    def use_mutant(self, name):
        manifest = self.folder / "mutant.json"
        manifest.write_text(json.dumps({
            "schema": "poolproof-manifest/1", "name": name,
            "libraries": [f"{LIBRARIES}/libpoolproof_mutants.so"],
            "environment": {"*": {"POOLPROOF_MUTANT": name}}}))
        self.implementation = manifest

    def fuzz(self, corpus, *options):
        return call("fuzz", "--implementation", self.implementation, "--corpus", self.folder / corpus,
                    "--json", "-", *options)

    def expect_same_on_4_shards(self, cases):
        whole = self.fuzz("whole", "--cases", cases, "--seed", "7")
        plan = self.folder / "plan.json"
        made = call("plan", "--campaign", "--cases", cases, "--seed", "7", "--shards", 4, "-o", plan)
        self.assertEqual(made.returncode, 0, made.stderr)
        shards = []
        for index in range(4):
            shards.append(self.folder / f"shard{index}.json")
            shards[-1].write_text(self.fuzz("parts", "--plan", plan, "--shard", index).stdout)
        merged = call("merge", *shards, "-o", "-")
        self.assertEqual(merged.returncode, whole.returncode, merged.stderr)
        self.assertEqual(comparable(merged.stdout), comparable(whole.stdout))
        return comparable(whole.stdout)


class Conformant(FuzzTest):
    def test_shards_judge_what_one_process_judges(self):
        report = self.expect_same_on_4_shards(160)
        self.assertEqual(report["summary"]["cases"], 160)
        self.assertEqual(report["verdict"], "conformant")

    def test_time_is_the_campaigns(self):
        # A busy machine takes seconds until it judges a case.
        for seconds in [2, 8, 32]:
            timed = lambda time: self.fuzz(f"corpus{seconds}", "--time", f"{time}s", "--jobs", 1)
            first = timed(seconds)
            report = json.loads(first.stdout)
            cases = report["summary"]["cases"]
            if cases > 0:
                break
        self.assertEqual((first.returncode, report["run"]["stopped_by"]), (0, "time"), first.stderr)
        again = json.loads(timed(seconds).stdout)
        self.assertLess(again["summary"]["cases"], 2 * cases + 64)
        longer = json.loads(timed(2 * seconds).stdout)
        # A busy machine may judge no more in twice the time.
        self.assertEqual(longer["run"]["stopped_by"], "time")
        self.assertGreaterEqual(longer["summary"]["cases"], again["summary"]["cases"] // 2)

    def test_the_corpus_is_a_case_file(self):
        report = json.loads(self.fuzz("corpus", "--cases", "120").stdout)
        corpus = self.folder / "corpus/corpus.jsonl"
        again = json.loads(call("run", "--implementation", "optimized", "--case-file", corpus, "--json",
                                "-").stdout)
        self.assertLess(again["summary"]["cases"], report["summary"]["cases"])

        def places(of):
            return {(entry["operator"], axis, value) for entry in of["coverage"]["operators"]
                    for cell in entry["cells"] for axis, value in enumerate(cell["at"].split("/"))}

        self.assertEqual(places(again), places(report))
        self.assertEqual((self.folder / "corpus/findings.jsonl").read_text(), "")

    def test_kill_and_resume(self):
        options = ["--cases", "300", "--seed", "3"]
        whole = self.fuzz("whole", *options)
        draw = random.Random(5)
        for _ in range(5):
            running = subprocess.Popen(
                [PROGRAM, "fuzz", "--implementation", self.implementation, "--corpus",
                 str(self.folder / "cut"), *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(draw.uniform(0.1, 0.5))
            running.send_signal(signal.SIGKILL)
            running.wait()
        last = self.fuzz("cut", *options)
        self.assertEqual(comparable(last.stdout), comparable(whole.stdout))

    def test_bad_use(self):
        (self.folder / "file").write_text("")
        for words, arguments in [(["--corpus", "file"], ["--corpus", self.folder / "file"]),
                                 (["--time", "'x'"], ["--corpus", self.folder / "c", "--time", "x"]),
                                 (["--corpus"], [])]:
            result = call("fuzz", "--implementation", "reference", *arguments)
            self.assertEqual((result.returncode, len(error_lines(result))), (2, 1), result.stderr)
            for word in words:
                self.assertIn(word, result.stderr)


class Mutants(FuzzTest):
    def test_shards_judge_what_one_process_judges(self):
        self.use_mutant("index_off_by_one")
        report = self.expect_same_on_4_shards(300)
        self.assertNotEqual(report["failures"], [])

    def test_a_fault_of_all_operators_is_one_finding(self):
        self.use_mutant("last_writer_wins")
        result = self.fuzz("corpus", "--cases", 300)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        report = json.loads(result.stdout)
        self.assertEqual([cause["sentence"] for cause in report["root_causes"]["causes"]],
                         ["fails when the largest number of gradients for one element > 1"])
        self.assertGreater(len({failure["signature"] for failure in report["failures"]}), 3)
        findings = (self.folder / "corpus/findings.jsonl").read_text().splitlines()
        self.assertEqual([json.loads(line)["finding"]["root_cause"] for line in findings],
                         ["fails when the largest number of gradients for one element > 1"])

    def test_a_rare_fault_is_found_and_shrunk(self):
        self.use_mutant("large_odd_wide_plane_dropped")
        began = time.monotonic()
        result = self.fuzz("corpus", "--time", "60s")
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertLess(time.monotonic() - began, 300)
        report = json.loads(result.stdout)
        small = [failure for failure in report["failures"] if failure["shrunk_case_line"]]
        self.assertTrue(small)
        findings = (self.folder / "corpus/findings.jsonl").read_text().splitlines()
        lines = {json.loads(line)["case"] for line in findings}
        self.assertIn(small[0]["shrunk_case_line"], lines)
        replayed = call("replay", "--implementation", self.implementation, small[0]["shrunk_case_line"])
        self.assertEqual(replayed.returncode, 1, replayed.stdout)


if __name__ == "__main__":
    unittest.main()
