#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every command of the documents: its verb and its options are ones that the program has."""

import functools
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop()).resolve()
PROGRAM = sys.argv.pop()
COMMAND = re.compile(r"(?:^|[\s(])(?:build/bin/|bin/)?poolproof (?=[a-z-])")


def commands_of(text):
    """Of code blocks (fenced or indented) and of code spans."""
    text = re.sub(r"\\\n\s*", " ", text)
    fenced = re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    rest = re.sub(r"^```\w*\n.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    lines = [line for block in fenced for line in block.splitlines()]
    lines += [line for line in rest.splitlines() if line.startswith("    ")]
    lines += re.findall(r"`([^`\n]+)`", "\n".join(line for line in rest.splitlines() if not line.startswith("    ")))
    for line in lines:
        line = line.strip()
        place = COMMAND.search(line)
        if place and not line.startswith(("#", '"', "poolproof:")):
            yield re.split(r"\s(?:#|\||>|&&|;)|\)|;$", line[place.end():])[0].strip()


def words_of(command):
    try:
        return shlex.split(command)
    except ValueError:
        return command.split()


@functools.cache
def help_of(*verb):
    return subprocess.run([PROGRAM, *verb, "--help"], capture_output=True, text=True, check=True, timeout=60).stdout


class Commands(unittest.TestCase):
    def test_documents_call_verbs_and_options_that_there_are(self):
        verbs = set(re.findall(r"^  ([a-z]+) ", help_of().split("\nOptions:")[0], re.MULTILINE))
        self.assertLess({"run", "replay", "waivers"}, verbs)
        seen = set()
        pages = [ROOT / "README.md", ROOT / "README.zh.md", *ROOT.glob("docs/*.md"), *ROOT.glob("docs/zh/*.md")]
        for page in pages:
            for command in commands_of(page.read_text()):
                with self.subTest(page=page.name, command=command):
                    words = words_of(command)
                    verb, rest = words[0], words[1:]
                    if verb == "<verb>" or verb.startswith("-"):
                        continue
                    self.assertIn(verb, verbs)
                    seen.add(verb)
                    path = [verb]
                    if verb in ("adapter", "corpus", "waivers") and rest and re.fullmatch(r"[a-z]+", rest[0]):
                        path.append(rest.pop(0))
                    text = help_of(*path)
                    for word in rest:
                        if re.match(r"-[a-z-]", word):
                            name = word.split("=")[0].rstrip(".,:")
                            self.assertRegex(text, rf"(?m)^ .*(?<![\w-]){re.escape(name)}(?![\w-])")
        self.assertLessEqual({"run", "fuzz", "plan", "merge", "replay", "export", "diff", "verify", "waivers"}, seen)

    def test_commands_are_found(self):
        text = "x `poolproof run --a` y\n\n    build/bin/poolproof replay \\\n        'a b' --c  # d\n\n```sh\npoolproof diff a | x\n```\n"
        self.assertEqual(sorted(commands_of(text)), ["diff a", "replay  'a b' --c", "run --a"])


REPORTS = {"report.json", "A.json", "B.json", "R.json"}
LIBRARIES = {"reference", "optimized", "./libyours.so", "./libmine.so"}


def runnable(words):
    """The command, if it needs nothing but a library and a report of a run without failures; a run is made short."""
    verb, rest = words[0], words[1:]
    rest = [word for word in rest if word != "..."]
    if any(re.search(r"[<>$#{|]|\.toml", word) for word in rest):
        return None
    own = LIBRARIES & set(rest)
    if verb in ("list", "explain", "completion", "man"):
        return [verb, *rest]
    if verb in ("verify", "diff", "matrix") and REPORTS & set(rest):
        return [verb, *rest]
    if verb in ("probe", "doctor", "replay") and own and not REPORTS & set(rest):
        return [verb, *rest]
    if verb == "export" and any(word.startswith("pp1:") for word in rest):
        return [verb, *rest]
    others = {"--case-file", "--failed", "--plan", "--waivers", "--performance", "--worker-command", "--baseline"}
    if verb == "run" and own and not others & set(rest):
        return [verb, *rest, *([] if "--cases" in rest else ["--cases", "20"])]
    return None


class Runs(unittest.TestCase):
    def run_it(self, words):
        result = subprocess.run([PROGRAM, *words], cwd=self.folder, capture_output=True, text=True, timeout=600,
                                stdin=subprocess.DEVNULL)
        self.assertEqual((result.returncode, words), (0, words), result.stdout + result.stderr)

    def test_commands_that_need_no_more_than_a_library_and_a_report_succeed(self):
        with tempfile.TemporaryDirectory() as self.folder:
            library = pathlib.Path(PROGRAM).parent.parent / "lib/libpoolproof_reference.so"
            for name in LIBRARIES - {"reference", "optimized"}:
                shutil.copy(library, pathlib.Path(self.folder) / name)
            for name in REPORTS:
                self.run_it(["run", "--implementation", "./libyours.so", "--set", "smoke", "--cases", "20", "--json", name])
            pages = [ROOT / "README.md", ROOT / "README.zh.md", *ROOT.glob("docs/*.md"), *ROOT.glob("docs/zh/*.md")]
            commands = {tuple(runnable(words_of(command)) or ()) for page in pages for command in commands_of(page.read_text())}
            commands.discard(())
            self.assertGreater(len(commands), 15)
            self.assertLess({"run", "replay", "verify", "diff", "matrix", "explain"}, {words[0] for words in commands})
            for words in sorted(commands):
                with self.subTest(command=" ".join(words)):
                    self.run_it(list(words))


class Tour(unittest.TestCase):
    def test_the_fault_of_the_tour_is_one_line_of_the_sources(self):
        for page in ["docs/tour.md", "docs/zh/tour.md"]:
            text = (ROOT / page).read_text()
            expression, path = re.search(r"sed -i '([^']+)' (\S+)", text).groups()
            before = (ROOT / path).read_text()
            after = subprocess.run(["sed", expression, str(ROOT / path)], capture_output=True, text=True, check=True).stdout
            changed = [(a, b) for a, b in zip(before.splitlines(), after.splitlines()) if a != b]
            self.assertEqual(len(changed), 1, page)
            self.assertIn("+=", changed[0][0])
            self.assertNotIn("+=", changed[0][1])

    def test_both_languages_show_the_same_commands(self):
        def blocks(page):
            lines = (ROOT / page).read_text().splitlines()
            return [line for line in lines if line.startswith("    ")]
        self.assertEqual(blocks("docs/tour.md"), blocks("docs/zh/tour.md"))


if __name__ == "__main__":
    unittest.main()
