#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What wrong command lines are told: every message is in wrong_command_lines.txt (POOLPROOF_UPDATE_GOLDEN=1
writes it anew), and misspelt words are answered with the intended one."""
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop())
PROGRAM = sys.argv.pop()
GOLDEN = pathlib.Path(__file__).with_name("wrong_command_lines.txt")

# Misspelt, and meant.
OPTIONS = {
    "run": {"--implmentation": "--implementation", "--impl": "--implementation", "-implementation": "--implementation",
            "--implementations": "--implementation", "--imlpementation": "--implementation",
            "--jsn": "--json", "-json": "--json", "--jason": "--json", "--JSON": "--json", "--junitt": "--junit",
            "--htm": "--html", "--markdwon": "--markdown", "--mark": "--markdown", "--profil": "--profile",
            "--prfile": "--profile", "--sede": "--seed", "--case": "--cases", "--casefile": "--case-file",
            "--case_file": "--case-file", "--filtre": "--filter", "--job": "--jobs", "--shrad": "--shard",
            "--stop_after": "--stop-after", "--stop": "--stop-after", "--dead-line": "--deadline",
            "--gates": "--gate", "--base-line": "--baseline", "--quite": "--quiet", "--verbos": "--verbose",
            "--waiver": "--waivers", "--jurnal": "--journal", "--plna": "--plan"},
    "fuzz": {"--corpsu": "--corpus", "--tiem": "--time"},
    "plan": {"--shard": "--shards", "--campain": "--campaign"},
    "probe": {"--write-manifst": "--write-manifest", "--devcie": "--device"},
    "doctor": {"--devices": "--device", "--implmentation": "--implementation"},
    "replay": {"--in-proces": "--in-process", "--confg": "--config"},
    "export": {"--shrot": "--short"}, "matrix": {"--hmtl": "--html"},
}
RUN = ["run", "--implementation", "reference"]
WORDS = [
    (["rum"], "run"), (["replya"], "replay"), (["explian", "MP3-B02"], "explain"), (["verfiy", "r.json"], "verify"), (["docter"], "doctor"),
    (["waivers", "sugest", "r.json"], "suggest"), (["matrx"], "matrix"), (["completion", "bsh"], "bash"),
    ([*RUN, "--gate", "nwe"], "new"),
    (["corpus", "minimise", "x"], "minimize"), ([*RUN, "--set", "nigthly"], "nightly"), ([*RUN, "--set", "CI"], "ci"),
    ([*RUN, "--profile", "a2"], "atlas-a2"), ([*RUN, "--profile", "atlas_a3"], "atlas-a3"),
    ([*RUN, "--profile", "ascend950"], "ascend-950"), ([*RUN, "--profile", "950"], "ascend-950"),
    (["explain", "MP3-B0"], "MP3-B0"), (["explain", "B02"], "MP3-B02"), (["explain", "AMP3B02"], "AMP3-B02"),
]
WRONG = [
    "", "--json r.json run", "-x", "frobnicate", "run", "run ./libyours.so", "run --implementation", "run --unheard-of",
    "run --implementation reference --json", "run --implementation reference --json --html", "run --implementation reference extra",
    "run --implementation reference --seed 1 --seed 2", "run --implementation reference --seed=1 --seed=2",
    "run --implementation reference --seed -1", "run --implementation reference --cases 0",
    "run --implementation reference --deadline 60", "run --implementation reference --shard 2/2",
    "run --implementation reference --profile vega", "run --implementation reference --set huge",
    "list", "list things", "list clauses more", "merge", "diff", "diff a.json", "diff a.json b.json c.json", "explain", "explain quux",
    "fuzz --implementation reference", "plan -o p.json", "corpus", "corpus frob", "corpus merge", "corpus export x", "verify",
    "replay --implementation reference", "replay 'pp1:x'", "export", "probe", "probe --write-manifest",
    "doctor extra", "doctor --device 0,x", "doctor --json", "run --implementation reference --device 0,0",
    "replay --implementation reference 'pp1:AdaptiveMaxPool2dBackward:slf=f32[1,5,5];go=[1,3,3]'",
    "replay --implementation reference 'pp1:AdaptivMaxPool2dBackward:self=f32[1,5,5];go=[1,3,3]'",
    "replay --implementation reference --in-process=yes 'pp1:x'",
    "run --implementation reference --gate newer", "run --implementation reference --gate new", "run --implementation reference --baseline r.json",
    "run --implementation reference --quiet --verbose", "run --config none.toml", "run --config",
    "merge s.json --gate new", "waivers", "waivers chek", "waivers check", "waivers check none.json", "waivers suggest",
    "matrix", "matrix none.json", "completion", "completion ksh", "man extra", "export --short=3 'pp1:x'",
]


class MisuseTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def message(self, *arguments):
        result = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=600, cwd=self.folder,
                                stdin=subprocess.DEVNULL)
        self.assertEqual((result.returncode, result.stdout), (2, ""), (arguments, result.stderr))
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertEqual(list(self.folder.iterdir()), [], "nothing is written")
        return result.stderr.strip()

    def test_every_message(self):
        text = "".join(f"$ poolproof {line}\n{self.message(*shlex.split(line))}\n\n" for line in WRONG)
        if os.environ.get("POOLPROOF_UPDATE_GOLDEN"):
            GOLDEN.write_text(text)
        self.maxDiff = None
        self.assertEqual(text, GOLDEN.read_text())

    def test_misspelt_options(self):
        for verb, rows in OPTIONS.items():
            for wrong, meant in rows.items():
                with self.subTest(verb=verb, wrong=wrong):
                    said = self.message(verb, wrong, "x")
                    self.assertIn(f"unknown option '{wrong}'", said)
                    self.assertIn(f"did you mean {meant}?", said)

    def test_misspelt_words(self):
        for arguments, meant in WORDS:
            with self.subTest(arguments=arguments):
                said = self.message(*arguments)
                self.assertRegex(said, f"did you mean {meant}")

    def test_what_other_programs_take(self):
        for arguments in [["help"], ["help", "run"], ["version"], ["-V"], ["explain", "mp3-b02"]]:
            result = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=600)
            self.assertEqual((result.returncode, result.stderr), (0, ""), arguments)

    def test_a_filter_that_matches_nothing(self):
        result = subprocess.run([PROGRAM, *RUN, "--filter", "AMP2*"], capture_output=True, text=True, timeout=600)
        self.assertEqual(result.returncode, 4)
        self.assertIn("'AMP2*'; paths are operator/family/name", result.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
