#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every command of the documents: its verb and its options are ones that the program has, and those of code blocks run."""

import functools
import os
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
PAGES = [ROOT / "README.md", ROOT / "README.zh.md", *sorted(set(ROOT.glob("docs/*.md")) - {ROOT / "docs/commands.md"}), *sorted(ROOT.glob("docs/zh/*.md"))]
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
        for page in PAGES:
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


# What a line of a code block needs that a test does not have. Any other line that begins with one of RUN is run.
NOT_RUN = {
    r"--implementation cann|^poolproof doctor$": "a CANN toolkit",
    r"ssh board|docker exec": "another machine",
    r"--gdb": "gdb and a terminal",
    r"mine\.py|mine/mine\.json|scatter\.py": "numpy, or a library that was built: tests/adapters runs them",
}
RUN = ("poolproof ", "python3 examples/", "g++ ")
REPORTS = ("report.json", "A.json", "B.json", "baseline.json")
LIBRARIES = ("libyours.so", "libother.so", "libmine.so", "libops.so", "libruntime.so")
FAULT = "mp3 : w >= 17 : lost"


def blocks_of(text):
    """Lines of code blocks, indented or of a shell, in their order."""
    lines, fence = [], None
    for line in re.sub(r"\\\n\s*", " ", text).splitlines():
        if line.startswith("```"):
            fence = None if fence is not None else line[3:]
        elif fence == "sh" or (fence is None and line.startswith("    ")):
            lines.append(line.strip())
    return lines


def shortened(line):
    """The same with few cases: tests of other folders judge whole sets."""
    line = re.sub(r"--set (ci|nightly)", "--set smoke", line)
    line = re.sub(r"--time \w+", "--cases 40", line)
    line = re.sub(r"--cases \d+", "--cases 20", line)
    verb = line.split()[1] if line.startswith("poolproof ") else ""
    if verb in ("run", "plan") and not re.search(r"--(set|failed|plan|campaign)\b", line):
        line = re.sub(r"^(poolproof \w+)", r"\1 --set smoke", line)
    chosen = re.search(r"--(cases|failed|case-file|plan|clause|filter)\b", line)
    if verb in ("run", "plan") and not chosen:
        line = re.sub(r"^(poolproof \w+)", r"\1 --cases 20", line)
    elif verb == "run" and re.search(r"--(clause|filter)\b", line):
        line = re.sub(r"^(poolproof \w+)", r"\1 --cases 10", line)
    return line


class Runs(unittest.TestCase):
    """The commands of each page, one after the other in one folder. A command may find failures, but no wrong use."""

    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.made = pathlib.Path(holder.name)
        cls.build = pathlib.Path(PROGRAM).resolve().parent.parent
        cls.prepare(cls.made)
        case = "pp1:MaxPool3dWithArgmaxBackward:self=f32[1,1,1,17];k=1,1,1;s=1,1,1;p=0,0,0;d=1;go=~powers"
        (cls.made / "failing.txt").write_text(case + "\n")
        for name, faulty in (("report.json", {"POOLPROOF_RANDOM_FAULT": FAULT}), ("B.json", {})):
            result = cls.shell(cls.made, f"poolproof run --implementation ./libyours.so --set smoke --case-file failing.txt --json {name}", **faulty)
            assert result.returncode == (1 if faulty else 0), result.stdout + result.stderr
        for name in set(REPORTS) - {"report.json", "B.json"}:
            shutil.copy(cls.made / "report.json", cls.made / name)

    @classmethod
    def prepare(cls, folder):
        for name in LIBRARIES:
            shutil.copy(cls.build / "lib/libpoolproof_random_fault.so", folder / name)
        for name, target in [("build", cls.build), *((name, ROOT / name) for name in ("examples", "include", "scripts", "ci"))]:
            (folder / name).symlink_to(target)

    @classmethod
    def shell(cls, folder, line, **environment):
        environment = {**os.environ, "PATH": f"{cls.build / 'bin'}:{os.environ['PATH']}", **environment}
        return subprocess.run(["bash", "-c", "set -o pipefail; " + line], cwd=folder, env=environment, capture_output=True, text=True,
                              timeout=600, stdin=subprocess.DEVNULL)

    def test_every_command_of_a_block_runs(self):
        ran, reasons = 0, set()
        for page in PAGES:
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                self.prepare(folder)
                for line in blocks_of(page.read_text()):
                    if not line.startswith(RUN):
                        continue
                    reason = next((pattern for pattern in NOT_RUN if re.search(pattern, line)), None)
                    if reason:
                        reasons.add(reason)
                        continue
                    for report in REPORTS:
                        shutil.copy(self.made / report, folder / report)
                    with self.subTest(page=page.name, line=line):
                        result = self.shell(folder, shortened(line))
                        ran += 1
                        self.assertIn(result.returncode, (0, 1, 4), result.stdout[-2000:] + result.stderr[-2000:])
        self.assertGreater(ran, 60)
        self.assertEqual(reasons, set(NOT_RUN), "a reason that no line needs")

    def test_scripts_that_are_named_exist(self):
        verbs = set(re.findall(r"^  ([a-z-]+)", (ROOT / "check").read_text().split("usage: ./check")[1].split("END")[0], re.MULTILINE))
        self.assertIn("lint", verbs)
        seen = 0
        for page in [*PAGES, ROOT / "CONTRIBUTING.md"]:
            text = page.read_text()
            for path in re.findall(r"(?<![\w/])((?:scripts|ci|cluster|bench|examples)/[\w./-]*\w)", text):
                seen += 1
                self.assertTrue((ROOT / path).exists(), f"{page.name}: {path}")
            for verb in re.findall(r"\./check ([a-z-]+)", text):
                self.assertIn(verb, verbs, page.name)
        self.assertGreater(seen, 20)


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
