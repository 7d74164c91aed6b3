#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What random_faults.py makes of rows."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "mutants"))
import random_faults  # noqa: E402


def cause(right, confirmed=True):
    return {"rule": "W > 16", "right": right, "confirmed": confirmed, "inside": 9, "outside": 0}


def row(**changes):
    return {"fault": "mp3 : w >= 17 : lost", "effect": "lost", "conditions": 1, "steady": True, "history": False,
            "share": 5.0, "found": True, "clauses_right": True, "accused": [], "rule_right": True, "rule_right_within": True,
            "same": 1.0,
            "causes": [cause(True)], "kept": 100, "still_passed": 98, "claims": 4, "contradicted": [], "inside": 9,
            "outside": 1000, "cpu_over_right": 1.5, **changes}


class Measures(unittest.TestCase):
    def measures(self, *rows):
        return random_faults.measures_of(list(rows))

    def test_rules_are_counted_of_steady_faults_that_were_found(self):
        measures, _ = self.measures(
            row(), row(rule_right=False, conditions=2, causes=[cause(False)]), row(found=False, rule_right=False),
            row(steady=False, rule_right=False, told_flaky=2, rate_inside=1),
            row(history=True, rule_right=False))
        self.assertEqual(measures["found"], [4, 5])
        self.assertEqual(measures["found, steady"], [2, 3])
        self.assertEqual(measures["found, after other calls alone"], [1, 1])
        self.assertEqual(measures["rule right, steady and found"], [1, 2])
        self.assertEqual(measures["rule right, 1 condition"], [1, 1])
        self.assertEqual(measures["rule right, 2 conditions"], [0, 1])
        self.assertEqual(measures["intermittent ones told as such"], [1, 1])
        self.assertEqual(measures["their rate within the interval"], [1, 2])

    def test_refusals_have_a_line_of_their_own(self):
        measures, _ = self.measures(row(effect="refused"), row(effect="accepted", rule_right=False))
        self.assertEqual(measures["rule right, refusals and acceptances"], [1, 2])
        self.assertEqual(measures["rule right, 1 condition"], [0, 0])

    def test_confirmed_and_suspected_rules_are_counted_apart(self):
        measures, _ = self.measures(row(causes=[cause(True), cause(False), cause(False, confirmed=False)]))
        self.assertEqual(measures["confirmed rules that are right"], [1, 2])
        self.assertEqual(measures["suspected rules that are right"], [0, 1])
        self.assertEqual(measures["one root cause"], [0, 1])

    def test_false_accusations_contradictions_and_decisiveness(self):
        measures, numbers = self.measures(
            row(accused=["MP3-B13"], clauses_right=False, still_passed=90), row(contradicted=["smaller case passes"]))
        self.assertEqual(measures["accuses a clause falsely"], [1, 2])
        self.assertEqual(measures["clauses right, of those found"], [1, 2])
        self.assertEqual(measures["sentences contradicted, steady"], [1, 8])
        self.assertEqual(measures["reports with a contradicted sentence"], [1, 2])
        self.assertAlmostEqual(numbers["decisiveness, mean"], 0.94)
        self.assertAlmostEqual(numbers["decisiveness, least"], 0.9)
        self.assertAlmostEqual(numbers["CPU over the right library's, median"], 1.5)

    def test_without_rows_nothing_is_said(self):
        measures, numbers = self.measures()
        self.assertEqual(measures["found"], [0, 0])
        self.assertIsNone(numbers["decisiveness, mean"])

    def test_a_line_names_what_is_wrong(self):
        line = random_faults.line_of(row(accused=["MP3-B13"], causes=[cause(False)], contradicted=["it passes"]))
        self.assertIn("falsely accused: MP3-B13", line)
        self.assertIn("confirmed, wrong: W > 16  [9 of 9 that fail, 0 of 1000 that pass]", line)
        self.assertIn("contradicted: it passes", line)


if __name__ == "__main__":
    unittest.main()
