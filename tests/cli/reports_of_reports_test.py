#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""diff and verify on the reports of real runs, honest ones and falsified ones."""

import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import jsonschema

from error_lines import error_lines

ROOT = pathlib.Path(sys.argv.pop())
FAKE = sys.argv.pop()  # a library with faults
PROGRAM = sys.argv.pop()
DIFF = json.loads((ROOT / "reports/schema/poolproof-diff-1.schema.json").read_text())


def call(*arguments, cwd=None):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=1200, cwd=cwd,
                          stdin=subprocess.DEVNULL)


class ReportsOfReports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.holder.name)
        cls.good = cls.folder / "good.json"
        cls.bad = cls.folder / "bad.json"
        select = ["--set", "smoke", "--filter", "MaxPool3d*/status/MP3-S4[05]/*[01]-f32-i32-batched*"]
        call("run", "--implementation", "reference", *select, "--json", str(cls.good))
        call("run", "--implementation", FAKE, *select, "--json", str(cls.bad))

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def test_diff_says_what_broke_and_what_was_fixed(self):
        result = call("diff", str(self.good), str(self.bad), "--json", str(self.folder / "d.json"),
                      "--markdown", str(self.folder / "d.md"))
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertTrue(result.stdout.startswith("broken: conformant before, nonconformant after"))
        self.assertRegex(result.stdout, r"broken MP3-S45: passed, then failed")
        diff = json.loads((self.folder / "d.json").read_text())
        jsonschema.validate(diff, DIFF)
        self.assertTrue(diff["broke"])
        broken = {entry["id"] for entry in diff["clauses"] if entry["change"] == "broken"}
        report = json.loads(self.bad.read_text())
        self.assertEqual(broken, {c["id"] for c in report["clauses"] if c["verdict"] == "failed"})
        self.assertEqual({entry["signature"] for entry in diff["signatures"]},
                         {failure["signature"] for failure in report["failures"]})
        self.assertIn("| broken | MP3-S45 |", (self.folder / "d.md").read_text())
        back = call("diff", str(self.bad), str(self.good))
        self.assertEqual(back.returncode, 0)
        self.assertIn("fixed  MP3-S45: failed, then passed", back.stdout)

    def test_diff_of_one_report_is_empty(self):
        result = call("diff", str(self.bad), str(self.bad))
        self.assertEqual((result.returncode, len(result.stdout.splitlines())), (0, 1))

    def test_honest_reports_are_verified(self):
        for path, subject in [(self.good, "reference"), (self.bad, FAKE)]:
            result = call("verify", str(path), "--implementation", subject, "--sample", "3")
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            self.assertTrue(result.stdout.startswith("verified: "), result.stdout)
            self.assertIn(", the plan; run again: ", result.stdout)

    def test_falsified_reports_are_contradicted(self):
        report = json.loads(self.bad.read_text())
        failed = next(i for i, c in enumerate(report["clauses"]) if c["verdict"] == "failed")

        def pretend_conformant(r):
            r["verdict"] = "conformant"

        def pass_clause(r):
            r["clauses"][failed]["verdict"] = "passed"

        def drop_clause(r):
            del r["clauses"][0]

        def weaken_clause(r):
            r["clauses"][failed]["strength"] = "advisory"

        def lose_a_case(r):
            r["summary"]["passed"] += 1


        def other_plan(r):
            r["run"]["plan_sha256"] = "0" * 64

        def other_seed(r):
            r["run"]["seed"] = 2

        def other_spec(r):
            r["tool"]["spec_sha256"] = "0" * 64

        def wave_through(r):
            r["failures"][0]["waived_by"] = ["X"]

        for change, words in [(pretend_conformant, "/verdict"), (pass_clause, "/clauses"),
                              (drop_clause, "is missing"), (weaken_clause, "not as the spec says"),
                              (lose_a_case, "/summary"), (other_plan, "/run/plan_sha256"),
                              (other_seed, "/run/plan_sha256"), (other_spec, "/tool/spec_sha256"),
                              (wave_through, "/failures/0")]:
            with self.subTest(change.__name__):
                changed = copy.deepcopy(report)
                change(changed)
                path = self.folder / "changed.json"
                path.write_text(json.dumps(changed))
                result = call("verify", str(path))
                self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
                self.assertIn(words, result.stdout)

    def test_a_report_of_another_library_is_contradicted(self):
        result = call("verify", str(self.bad), "--implementation", "reference", "--sample", "2")
        self.assertEqual(result.returncode, 1)
        self.assertIn("is another library", result.stdout)
        self.assertIn("passes now: pp1:", result.stdout)

    def test_bad_input_is_one_line_and_exit_2(self):
        broken = self.folder / "broken.json"
        broken.write_text(self.bad.read_text().replace('"seed": 1', '"seed": -1', 1))
        good = str(self.good)
        for arguments, words in [(["diff", good], "after"), (["diff", good, "none.json"], "none.json"),
                                 (["verify", "none.json"], "none.json"),
                                 (["verify", str(broken)], "/run/seed: -1 is not"),
                                 (["diff", good, str(broken)], "/run/seed: -1 is not"),
                                 (["verify", good, "--sample", "3"], "--implementation"),
                                 (["verify", good, "--seed", "x"], "--seed"),
                                 (["verify", good, "--implementation", "nosuch"], "nosuch")]:
            with self.subTest(arguments):
                result = call(*arguments, cwd=self.folder)
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                self.assertEqual(len(error_lines(result)), 1, result.stderr)
                self.assertIn(words, result.stderr)


if __name__ == "__main__":
    unittest.main()
