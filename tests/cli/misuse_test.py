#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How wrong command lines are answered: every message is in wrong_command_lines.txt (POOLPROOF_UPDATE_GOLDEN=1
writes it again), and misspelt words are answered with the intended one."""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

from error_lines import error_lines

ROOT = pathlib.Path(sys.argv.pop())
PROGRAM = sys.argv.pop()
GOLDEN = pathlib.Path(__file__).with_name("wrong_command_lines.txt")
REPORTS = str(ROOT / "tests/reports/golden")

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
    ([*RUN, "--gate", "nwe"], "new"), ([*RUN, "--color", "alwyas"], "always"),
    (["corpus", "minimise", "x"], "minimize"), ([*RUN, "--set", "nigthly"], "nightly"), ([*RUN, "--set", "CI"], "ci"),
    ([*RUN, "--profile", "a2"], "atlas-a2"), ([*RUN, "--profile", "atlas_a3"], "atlas-a3"),
    ([*RUN, "--profile", "ascend950"], "ascend-950"), ([*RUN, "--profile", "950"], "ascend-950"),
    (["replay", *RUN[1:], "pp1:AdaptivMaxPool2dBackward:self=f32[1,5,5];go=[1,3,3]"], "AdaptiveMaxPool2dBackward"),
    (["replay", *RUN[1:], "pp1:MaxPool3dWithArgMaxBackwards:self=f32[1,5,5];go=[1,3,3]"], "MaxPool3dWithArgmaxBackward"),
    (["replay", *RUN[1:], "pp1:AdaptiveMaxPool2dBackward:slf=f32[1,5,5];go=[1,3,3]"], "self"),
    (["replay", *RUN[1:], "pp1:AdaptiveMaxPool2dBackward:self=f32[1,5,5];go=[1,3,3]|run:repaet=2"], "repeat"),
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
    "run --implementation reference --quiet --verbose", "run --implementation reference --color pink",
    "replay --implementation reference pp1:x --color pink", "replay --gdb --implementation reference pp1:x --json r.json",
    "replay --in-process --implementation reference pp1:x --html r.html", "replay --implementation reference GOLDEN/nonconformant.json --json -",
    "replay --gdb --worker-command x --implementation reference pp1:x", "run --config none.toml", "run --config",
    "merge s.json --gate new", "waivers", "waivers chek", "waivers check", "waivers check none.json", "waivers suggest",
    "matrix", "matrix none.json", "completion", "completion ksh", "man extra", "export --short=3 'pp1:x'",
    "verify GOLDEN/diff.txt", "waivers check GOLDEN/diff.txt", "merge GOLDEN/waived.md", "--version run", "--version --quiet", "replay --implementation reference nonsense",
    "run --implementation reference --plan p.json --failed r.json", "replay --implementation reference none.json", "replay --implementation reference GOLDEN/error.json#1",
    "replay --implementation reference GOLDEN/nonconformant.json#99", "replay --implementation reference GOLDEN/diff.txt#1",
    "replay --implementation reference --in-process --worker-command x 'pp1:x'", "export GOLDEN/nonconformant.json",
    "run --implementation reference --filter 'AMP2*'", "run --implementation reference --clause 'QUUX*'",
    "run --implementation reference --clause MP3-B02 --failed r.json", "run --implementation reference --failed r.json --case-file GOLDEN/nonconformant.json",
    "run --implementation reference --failed GOLDEN/error.json", "run --implementation reference --plan p.json --set ci",
    "run --implementation reference --plan none.json", "run --implementation reference --worker-command ''",
    "run --implementation reference --waivers w.json --today tomorrow", "run --implementation reference --performance p.json",
    "run --implementation reference --json GOLDEN", "run --implementation reference --json none/r.json",
    "run --implementation reference --json ''", "run --implementation reference --json r --html r",
    "run --implementation reference --json - --html -", "run --implementation reference --shard half",
    "run --implementation nosuch", "run --implementation ./nosuch.so",
    "run --implementation reference --case-file GOLDEN", "run --implementation reference --journal none/j",
    "fuzz --implementation reference --corpus GOLDEN/diff.txt --cases 1",
    "fuzz --implementation reference --corpus c --time 5s --plan p.json", "plan --shards 99999999 -o p.json",
    "plan --shards 2 --time 5s -o p.json", "plan --shards 2 --campaign --set ci -o p.json", "merge GOLDEN/nonconformant.json --waivers w.json",
    "merge GOLDEN/nonconformant.json --gate new --baseline GOLDEN/error.json",
    "corpus merge none -o x", "corpus merge GOLDEN -o x", "emit --out GOLDEN", "emit --out p --deadline 5s",
    "emit --out p --clause MP3-B02 --case-file c", "judge GOLDEN --answers none", "judge none",
    "list clauses --set ci", "list clauses --edition oldest", "list operators --profile atlas-a2", "verify GOLDEN/nonconformant.json --sample 5",
    "waivers check w.json --today tomorrow", "waivers suggest GOLDEN/nonconformant.json --expires tomorrow",
    "waivers suggest GOLDEN/waived.json", "matrix" + " r.json" * 27,
    "adapter", "adapter nwe", "adapter new", "adapter new Mine", "adapter new mine --language pyton",
    "run --implementation reference --against nosuch", "run --implementation reference --against optimized --shard 0/2",
    "run --implementation reference --against optimized --journal j",
    "adapter new mine --language", "adapter new GOLDEN", "run --implementation python:", "run --implementation none.py",
    "import", "import none.csv", "import none.csv -o x", "import none.csv -o x --format xml", "import none.csv -o x --planes few",
    "bench", "bench --implementation optimized --shapes zz", "bench --implementation optimized --shapes m01,",
    "bench --implementation optimized --types f64", "bench --implementation optimized --threads 2000",
    "diff GOLDEN/other-performance.json GOLDEN/other-performance.json",
    "diff GOLDEN/other-performance.json GOLDEN/other-performance.json --json d.json",
]
# What the machine, a file or the library is to blame for, and no command line; others test it.
OF_THE_MACHINE = {
    "adapter new: cannot make '", "--out: cannot make '", "--out: cannot read '", "--out: cannot write '", "corpus: cannot read '", "the results could not be written to stdout",
    "' cannot be written: ", "' cannot be written: folder '", "' could not be written: ", " cannot be opened: ", " lacks required symbols: ",
    " has no device: ", "' lacks required symbols: ", "' offers no operator", "' has no device", "implementation '",
    "' accepts none of the plain legal calls: no manifest is written", "' has no finding that can become a vector", "corpus: '",
    # Of a configuration file: ConfigFile.
    " belongs in a table such as [run]", "unknown key '",
    # Of plans and the shards in the environment: cli.shards, cli.fuzz.
    "--answers: '", "' is not a folder", "I, I/N or auto", "I/N, such as 0/8, or with --plan I or auto", "--shard auto: ", " does not give the number of shards; expected --plan",
    "--plan: ", ": its hash is ", ", that of ", "', and the plan has ", "--shard auto: ", "--shard auto: none of ",
    # Behind checks that refuse it first.
    "--version: expected no other argument",
    # Of a library's name with a comma in it: cli.loop.
    "--implementation '", "': commas separate libraries; name a file with a comma in a manifest",
}


def refusals_of(source):
    """String literals of eight characters or more in calls that make an error of bad input."""
    for call in re.finditer(r"\b(?:InvalidArgument|Wrong|Refuse)\(", source):
        depth, end = 0, call.end() - 1
        while True:
            if source[end] == '"':
                end = re.compile(r'"(?:[^"\\]|\\.)*"').match(source, end).end() - 1
            depth += {"(": 1, ")": -1}.get(source[end], 0)
            end += 1
            if depth == 0:
                break
        literals = re.findall(r'"(?:[^"\\]|\\.)*"(?:\s*"(?:[^"\\]|\\.)*")*', source[call.end() - 1:end])
        for literal in literals:
            text = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literal)).replace('\\"', '"')
            if len(text) >= 8:
                yield text


class MisuseTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def message(self, *arguments):
        arguments = [re.sub(r"^GOLDEN", REPORTS, word) for word in arguments]
        result = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=600, cwd=self.folder,
                                stdin=subprocess.DEVNULL)
        self.assertEqual((result.returncode, result.stdout), (2, ""), (arguments, result.stderr))
        lines = error_lines(result)
        self.assertEqual(len(lines), 1, result.stderr)
        self.assertEqual(list(self.folder.iterdir()), [], "nothing is written")
        self.assertNotIn("exception", result.stderr, "words of a library")
        return lines[0].replace(REPORTS, "GOLDEN")

    def test_every_message(self):
        text = "".join(f"$ poolproof {line}\n{self.message(*shlex.split(line))}\n\n" for line in WRONG)
        if os.environ.get("POOLPROOF_UPDATE_GOLDEN"):
            GOLDEN.write_text(text)
        self.maxDiff = None
        self.assertEqual(text, GOLDEN.read_text())

    def test_the_list_is_complete(self):
        """Every text of the sources of which a refusal is made is in some message of the list."""
        golden, seen = GOLDEN.read_text(), 0
        for path in sorted((ROOT / "cli").glob("*.cc")):
            for text in refusals_of(path.read_text()):
                seen += 1
                if text not in OF_THE_MACHINE:
                    self.assertIn(text, golden, path.name)
        self.assertGreater(seen, 60)

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
        self.assertIn("'AMP2*'; paths are operator/family/name", self.message(*RUN, "--filter", "AMP2*"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
