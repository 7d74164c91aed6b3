#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compounds are drawn by their seed, without conflicts; the tables name each library and clause once."""

import pathlib
import random
import sys
import unittest

import compounds
import wild
import zoo

TABLE = zoo.load(pathlib.Path(sys.argv.pop()))


class Draw(unittest.TestCase):
    def test_names_are_unique(self):
        names = [row["name"] for kind in ("mutants", "variants", "partials", "wild") for row in TABLE[kind]]
        self.assertEqual(len(names), len(set(names)))

    def test_same_seed_same_compounds(self):
        for size in (2, 4, 8):
            drawn = [zoo.draw(TABLE, 15, size, random.Random(f"1/{size}")) for _ in range(2)]
            self.assertEqual(drawn[0], drawn[1])
            # Those of a shorter draw come first in a longer one.
            self.assertEqual(zoo.draw(TABLE, 5, size, random.Random(f"1/{size}")), drawn[0][:5])
            self.assertNotEqual(zoo.draw(TABLE, 15, size, random.Random(f"2/{size}")), drawn[0])

    def test_no_conflicts(self):
        pairs = zoo.conflicts(TABLE)
        self.assertGreater(len(pairs), 50)
        for compound in zoo.draw(TABLE, 200, 8, random.Random("any")):
            self.assertEqual(len(set(compound)), 8)
            for one in compound:
                for other in compound:
                    self.assertNotIn(frozenset((one, other)), pairs)

    def test_every_fault_is_dealt(self):
        dealt = {name for compound in zoo.draw(TABLE, 60, 8, random.Random("1")) for name in compound}
        eligible = {row["name"] for row in TABLE["mutants"]
                    if row["profile"] == zoo.DEFAULT_PROFILE and row["category"] != "campaign"
                    and row["library"] == zoo.DEFAULT_LIBRARY}
        self.assertEqual(dealt, eligible)

    def test_at_least_twenty_partial_libraries(self):
        self.assertGreaterEqual(len(TABLE["partials"]), 20)


class Accounts(unittest.TestCase):
    """What a row says of a report."""

    TABLE = {"mutants": [{"name": "a", "clauses": ["A"], "may_also": ["X"]},
                         {"name": "b", "clauses": ["B"], "may_also": []}],
             "together": [{"left": ["a"], "right": ["b"], "clauses": ["T"]}]}
    CLAUSES = {"A": {"operator": "Op"}, "B": {"operator": "Op"}}

    def row(self, verdicts, table=None, reason="", **members):
        report = {"summary": {"cases": 1}, "clauses": [
            {"id": name, "strength": "required", "verdict": verdict, "reason": reason}
            for name, verdict in verdicts.items()],
            **members}
        return compounds.row_of(["a", "b"], table or self.TABLE, self.CLAUSES,
                                zoo.Judged(1, report, "", 1))

    def test_found(self):
        row = self.row({"A": "failed", "B": "failed", "X": "failed", "C": "passed"})
        self.assertTrue(row["good"])
        self.assertEqual(set(row["found"]), {"a", "b"})

    def test_passed_is_missed(self):
        row = self.row({"A": "failed", "B": "passed"})
        self.assertEqual(row["missed"], {"b": {"B": "passed"}})
        self.assertEqual(compounds.totals_of([row])["missed_and_passed"], 1)

    def test_silence_is_no_excuse(self):
        self.assertIn("b", self.row({"A": "failed", "B": "inconclusive", "C": "passed"})["missed"])

    def test_hidden_behind_a_named_refusal(self):
        accepted = [{"operator": "Op", "answer": "right"}, {"operator": "Op", "answer": "refused"}]
        row = self.row({"A": "failed", "B": "inconclusive", "C": "passed"}, accepted=accepted)
        self.assertEqual(set(row["hidden"]), {"b"})
        row = self.row({"A": "failed", "B": "passed"}, accepted=accepted)
        self.assertIn("b", row["missed"])

    def test_found_under_a_clause_that_it_alone_touches(self):
        row = self.row({"A": "inconclusive", "B": "failed", "X": "failed"})
        self.assertEqual((row["found"], row["beside"]), ({"b": ["B"]}, {"a": ["X"]}))
        # Nobody knows whose failure it is.
        shared = {"mutants": [{"name": "a", "clauses": ["A"], "may_also": ["B"]}, self.TABLE["mutants"][1]],
                  "together": []}
        row = self.row({"A": "inconclusive", "B": "failed", "C": "passed"}, shared)
        self.assertIn("a", row["missed"])

    def test_withheld_is_not_found(self):
        row = self.row({"A": "failed", "B": "inconclusive"}, reason="not shown for calls with bf16 values: every case that tests it there fails")
        self.assertEqual((set(row["withheld"]), row["missed"], row["good"]), ({"b"}, {}, False))
        self.assertEqual(compounds.totals_of([row])["found_or_hidden_percent"], 50)

    def test_harm_that_two_do_together(self):
        self.assertEqual(self.row({"A": "failed", "B": "failed", "T": "failed"})["accused"], [])

    def test_accused(self):
        self.assertEqual(self.row({"A": "failed", "B": "failed", "C": "failed"})["accused"], ["C"])


class WildTables(unittest.TestCase):
    def test_every_clause_has_an_expectation(self):
        self.assertEqual(set(wild.EXPECTED), {row["name"] for row in TABLE["wild"]})
        clauses = zoo.spec_clauses()
        for table in wild.EXPECTED.values():
            if table == wild.NO_RUN:
                continue
            self.assertLessEqual(set(table), set(wild.GROUPS) | set(clauses))
            for clause in clauses.values():
                self.assertTrue(wild.expected(table, clause))


if __name__ == "__main__":
    unittest.main(verbosity=2)
