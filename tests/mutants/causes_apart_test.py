#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two faults in one library, one of which shows in every call: the other is still found and explained."""

import pathlib
import sys
import tempfile
import unittest

import zoo

BUILD = pathlib.Path(sys.argv.pop(1))


def sentences(*faults):
    with tempfile.TemporaryDirectory() as folder:
        judged = zoo.judge(BUILD, pathlib.Path(folder), "both", faults, case_set="smoke")
    causes = judged.report["root_causes"]
    return {cause["sentence"]: cause for cause in causes["causes"]}, causes["unexplained"]


class CausesApart(unittest.TestCase):
    def test_a_tensor_that_is_changed_in_every_call(self):
        causes, unexplained = sentences("modifies_self", "refuses_bfloat16_2d")
        self.assertEqual(set(causes), {
            "fails always", "fails when the operator is 2-d and the data type is bf16"})
        self.assertEqual(unexplained, 0)
        for sentence, cause in causes.items():
            self.assertEqual(cause["clauses"], ["SAF-02"] if sentence == "fails always" else ["AMP2-B22"])
            self.assertGreater(cause["tested"], 0, sentence)
            self.assertEqual(cause["agreed"], cause["tested"], sentence)


if __name__ == "__main__":
    unittest.main()
