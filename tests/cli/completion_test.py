#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Completion as a shell does it, the manual page as man(1) reads it, and poolproof.toml as the program finds it."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop()


def call(*arguments, **options):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=600,
                          stdin=subprocess.DEVNULL, **options)


class CompletionTest(unittest.TestCase):
    def complete(self, *words):
        """What bash offers for the last of the words."""
        script = call("completion", "bash").stdout
        quoted = " ".join(f"'{word}'" for word in ["poolproof", *words])
        result = subprocess.run(["bash", "-c", f'{script}\nCOMP_WORDS=({quoted}); COMP_CWORD={len(words)}; _poolproof; '
                                 'printf "%s\\n" "${COMPREPLY[@]}"'], capture_output=True, text=True, timeout=60)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout.split()

    def test_bash(self):
        self.assertEqual(self.complete("re"), ["replay"])
        self.assertIn("--implementation", self.complete("run", "--"))
        self.assertEqual(self.complete("run", "--gat"), ["--gate"])
        self.assertEqual(self.complete("run", "--set", ""), ["smoke", "ci", "nightly"])
        self.assertEqual(self.complete("run", "--set", "n"), ["nightly"])
        self.assertEqual(self.complete("corpus", "m"), ["merge", "minimize"])
        self.assertIn("--as-vectors", self.complete("corpus", "export", "--"))
        self.assertNotIn("--as-vectors", self.complete("export", "--"))
        self.assertIn("MP3-B02", self.complete("explain", "MP3-B"))
        self.assertEqual(self.complete("waivers", "check", "--rep"), ["--report"])
        self.assertEqual(self.complete("completion", ""), ["bash", "zsh", "fish"])

    def test_files_are_offered_where_a_value_is_one(self):
        folder = pathlib.Path(__file__).parent
        self.assertEqual(self.complete("run", "--json", f"{folder}/completion_test.p"), [f"{folder}/completion_test.py"])
        self.assertIn("reference", self.complete("run", "--implementation", ""))

    def test_what_is_offered_is_accepted(self):
        for what in self.complete("list", ""):
            self.assertEqual(call("list", what, *(["--set", "smoke"] if what == "cases" else [])).returncode, 0, what)
        for profile in self.complete("list", "--profile", ""):
            self.assertEqual(call("list", "clauses", "--profile", profile).returncode, 0, profile)
        for shell in self.complete("completion", ""):
            self.assertEqual(call("completion", shell).returncode, 0, shell)

    def test_other_shells_read_their_scripts(self):
        for shell in ["bash", "zsh", "fish"]:
            program = shutil.which(shell)
            if program is None:
                continue
            result = subprocess.run([program, "--no-execute" if shell == "fish" else "-n", "/dev/stdin"],
                                    input=call("completion", shell).stdout, capture_output=True, text=True, timeout=60)
            self.assertEqual((result.returncode, result.stderr), (0, ""), shell)

    def test_another_shell_is_refused(self):
        result = call("completion", "bsh")
        self.assertEqual(result.returncode, 2)
        self.assertIn("did you mean bash?", result.stderr)

    def test_the_manual_page_is_read_without_a_warning(self):
        page = call("man").stdout
        groff = shutil.which("groff")
        if groff is None:
            self.assertIn(".SH SYNOPSIS", page)
            return
        result = subprocess.run([groff, "-man", "-Tutf8", "-ww"], input=page, capture_output=True, text=True, timeout=60)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("poolproof run", result.stdout)


class ConfigTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        (self.folder / "poolproof.toml").write_text(
            'implementation = "reference"\nset = "smoke"\n[run]\nfilter = "*/status/AMP2-S0*"\njson = "r.json"\n')

    def report(self, name="r.json"):
        return json.loads((self.folder / name).read_text())

    def test_the_file_of_the_working_directory_is_read(self):
        result = call("run", cwd=self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("options of poolproof.toml: --implementation=reference --set=smoke", result.stderr)
        argv = self.report()["run"]["argv"]
        self.assertIn("--filter=*/status/AMP2-S0*", argv, "the report tells how it was made")
        self.assertEqual(call("verify", "r.json", cwd=self.folder).returncode, 0)

        result = call("run", "--json", "o.json", "--implementation", "optimized", cwd=self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.report("o.json")["implementation"]["name"], "optimized")
        line = "pp1:AdaptiveMaxPool2dBackward:self=f32[1,5,5];go=[1,3,3]"
        self.assertEqual(call("replay", line, cwd=self.folder).returncode, 0)

    def test_another_file_or_none(self):
        (self.folder / "other.toml").write_text('implementation = "optimized"\nset = "smoke"\n'
                                                '[run]\nfilter = "*/status/AMP2-S0*"\njson = "x.json"\n')
        self.assertEqual(call("run", "--config", "other.toml", cwd=self.folder).returncode, 0)
        self.assertEqual(self.report("x.json")["implementation"]["name"], "optimized")
        none = call("run", "--config=/dev/null", cwd=self.folder)
        self.assertEqual((none.returncode, none.stderr), (2, "poolproof: run: --implementation X is required\n"))
        missing = call("run", "--config", "none.toml", cwd=self.folder)
        self.assertEqual((missing.returncode, len(missing.stderr.splitlines())), (2, 1))
        self.assertIn("none.toml", missing.stderr)

    def test_a_mistake_is_one_line_and_help_needs_no_file(self):
        (self.folder / "poolproof.toml").write_text('implementation = "reference"\nseeed = 1\n')
        result = call("run", cwd=self.folder)
        self.assertEqual((result.returncode, result.stdout, result.stderr),
                         (2, "", "poolproof: poolproof.toml:2: unknown key 'seeed'; did you mean seed?\n"))
        for arguments in [["run", "--help"], ["list", "profiles"], ["explain", "MP3-B02"]]:
            self.assertEqual(call(*arguments, cwd=self.folder).returncode, 0, arguments)


if __name__ == "__main__":
    unittest.main()
