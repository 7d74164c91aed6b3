#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The plug-in for pytest: a test for each clause."""

import pathlib
import sys
import unittest

from adapter import PROGRAM, AdapterTest, has_module, needs_numpy, tutorial

FEW = "--set smoke --filter */random-small/* --cases 200"


@unittest.skipUnless(has_module("pytest"), f"{sys.executable} has no pytest: the plug-in is not tested")
class Pytest(AdapterTest):
    def pytest(self, *words):
        packages = pathlib.Path(PROGRAM).resolve().parent.parent / "lib/poolproof/python"
        result = self.run_words([sys.executable, "-m", "pytest", "-p", "poolproof.pytest", "-p", "no:cacheprovider", "-v", *words],
                                PYTHONPATH=str(packages))
        self.assertNotIn("INTERNALERROR", result.stdout)
        return result

    def test_a_test_for_each_clause(self):
        result = self.pytest("--poolproof", "reference", "--poolproof-options", FEW)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("\nreference::MP3-B02 PASSED", result.stdout)
        self.assertRegex(result.stdout, r"MP3-S01 SKIPPED \(not_run: ")

    def test_one_clause(self):
        result = self.pytest("--poolproof", "reference", "--poolproof-options", FEW, "-k", "MP3-B02 and not AMP3")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertRegex(result.stdout, r"= 1 passed, \d+ deselected in ")

    @needs_numpy
    def test_a_failed_clause_shows_a_case_beside_tests_of_the_project(self):
        text = tutorial("python")[0].replace("np.add.at(grad_input, (rows, indices.reshape(len(rows), -1)), gradients)",
                                             "grad_input[rows, indices.reshape(len(rows), -1)] = gradients")
        (self.folder / "wrong.py").write_text(text)
        (self.folder / "test_mine.py").write_text("def test_mine():\n    pass\n")
        result = self.pytest("--poolproof", "wrong.py", "--poolproof-options", FEW, "test_mine.py")
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertIn("test_mine PASSED", result.stdout)
        self.assertIn("MP3-B02 FAILED", result.stdout)
        self.assertIn("MP3-B01 PASSED", result.stdout)
        self.assertRegex(result.stdout, r"MP3-B02: \d+ of \d+ cases fail\n(.*\n)*?  pp1:MaxPool3dWithArgmaxBackward:")

    def test_what_cannot_be_judged_is_one_line(self):
        result = self.pytest("--poolproof", "absent.so")
        self.assertEqual(result.returncode, 4, result.stdout)
        self.assertIn("ERROR: poolproof: --implementation 'absent.so': no such file", result.stdout + result.stderr)

    def test_without_the_option_nothing_is_judged(self):
        (self.folder / "test_mine.py").write_text("def test_mine():\n    pass\n")
        self.assertRegex(self.pytest().stdout, "= 1 passed in ")


if __name__ == "__main__":
    unittest.main()
