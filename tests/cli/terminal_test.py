#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a person sees in the terminal: one fault in at most 30 lines of 100 columns, with clause, numbers and the next command;
--quiet and --verbose."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

LIBRARIES = pathlib.Path(sys.argv[3])
FAKE = sys.argv[2]  # a library with faults
PROGRAM = sys.argv[1]
del sys.argv[1:4]


class TerminalTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def run_it(self, *arguments, **environment):
        return subprocess.run([PROGRAM, "run", "--set", "smoke", *map(str, arguments)], capture_output=True, text=True,
                              cwd=self.folder, timeout=1200, stdin=subprocess.DEVNULL, env={**os.environ, **environment})


class Detail(TerminalTest):
    def test_quiet_and_verbose(self):
        options = ["--implementation", FAKE, "--filter", "MaxPool3d*/status/MP3-S4[034]/*-0-f32-i32-batched-*", "--shard", "0/2"]
        usual, quiet, verbose = (self.run_it(*options, *extra) for extra in ([], ["--quiet"], ["--verbose"]))
        for result in (usual, quiet, verbose):
            self.assertEqual(result.returncode, 1, result.stderr)
        self.assertEqual(quiet.stdout.splitlines(), usual.stdout.splitlines()[:1])
        self.assertEqual(quiet.stderr, "")
        self.assertGreater(len(verbose.stdout.splitlines()), len(usual.stdout.splitlines()))
        both = self.run_it(*options, "--quiet", "--verbose")
        self.assertEqual((both.returncode, both.stdout), (2, ""))
        self.assertIn("--quiet: cannot be combined with --verbose", both.stderr)

    def test_quiet_still_writes_reports(self):
        result = self.run_it("--implementation", "reference", "--filter", "*/status/AMP2-S0*", "--quiet", "--json", "r.json")
        self.assertEqual((result.returncode, len(result.stdout.splitlines())), (0, 1), result.stderr)
        self.assertEqual(json.loads((self.folder / "r.json").read_text())["gate"]["exit_status"], 0)


class Mutants(TerminalTest):
    # A fault, a clause that has to be named, and words that tell what happened.
    FAULTS = {"last_writer_wins": ("MP3-B02", r"gradInput\[[0-9,]+\]: expected \S+ \([0-9a-f]+\), got \S+ \([0-9a-f]+\)"),
              "zero_fill_tail_missing": ("B03", r"expected 0"), "crashes_on_some_shape": ("2P-02", r"died of SIGSEGV \(signal 11\) in phase\s+two,\s+reading\s+address\s+0x10\s+at\s+libpoolproof_mutants\.so\+0x[0-9a-f]+"),
              "hangs_on_some_shape": ("2P-02", "deadline|still running"),
              "writes_past_grad_input": ("SAF-01", "memory just after the storage of gradInput")}

    def test_one_fault_is_told_in_twenty_five_lines(self):
        for name, (clause, words) in self.FAULTS.items():
            with self.subTest(name):
                result = self.run_it("--implementation", LIBRARIES / "libpoolproof_mutants.so", "--json", "r.json",
                                     "--html", "r.html", POOLPROOF_MUTANT=name)
                self.assertEqual(result.returncode, 1, result.stderr)
                lines = result.stdout.splitlines()
                # With the command that repeats the failure; the one for all failing cases comes after it.
                self.assertLessEqual(len(lines), 26, result.stdout)
                self.assertTrue(any(line.startswith("Next: ") for line in lines[:25]), result.stdout)
                # Commands are pasted: no line may end within one.
                told = [line for line in lines if " replay " not in line and " run " not in line]
                self.assertLessEqual(max(map(len, told)), 100, result.stdout)
                self.assertEqual(len(lines) - len(told), 2, result.stdout)
                self.assertTrue(lines[0].startswith("NONCONFORMANT"), lines[0])
                first_screen = "\n".join(lines[:24])
                self.assertRegex(first_screen, r"fails (when .+|always)")
                self.assertIn(clause, first_screen)
                self.assertRegex(result.stdout, words)
                self.assertEqual(sum(line.startswith("Next: ") for line in lines), 1)
                self.assertTrue(any(re.search(r"replay .*r\.json#1", line) for line in lines))


if __name__ == "__main__":
    unittest.main()
