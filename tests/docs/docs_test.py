#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Documents against the tree: docs/extending.md names files that exist, README's tables of options are
those of cmake/, and the glossary stays short."""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop() if len(sys.argv) > 1 else ".").resolve()
OPTION = re.compile(r'^\s*(?:option\((\w+)\s+"[^"]*"\s+|set\((?=\w+ \S+ CACHE)(\w+) )"?([^\s")]*)', re.MULTILINE)
LIKE_A_FILE = re.compile(r"[\w<>/.-]+(/|\.(cc|h|py|json|txt|map|md))")


def files_of(text):
    """Paths in backquotes; without a folder only those at the top."""
    for quoted in re.findall(r"`([^`\n]+)`", text):
        path = quoted.split(" ")[0]
        if LIKE_A_FILE.fullmatch(path):
            yield path


class Extending(unittest.TestCase):
    def test_files_exist(self):
        paths = list(files_of((ROOT / "docs/extending.md").read_text()))
        self.assertGreater(len(paths), 50)
        for path in paths:
            with self.subTest(path=path):
                pattern = re.sub(r"<\w+>", "*", path.rstrip("/"))
                self.assertTrue(any(ROOT.glob(pattern)), f"'{path}' is not there")

    def test_paths_are_recognised(self):
        self.assertEqual(list(files_of("`core/a.h`, `x <Y>`, `scripts/a <b>`, `fuzz/seeds/<name>/` `kFamilies`")),
                         ["core/a.h", "fuzz/seeds/<name>/"])


class RootCauses(unittest.TestCase):
    def test_the_table_has_every_fault(self):
        table = (ROOT / "tests/mutants/fault_table.cc").read_text()
        faults = [name for name, category in re.findall(r'\.name = "(\w+)",\s*\.category = "(\w+)"', table)
                  if category not in ("campaign", "legal")]
        self.assertGreater(len(faults), 200)
        rows = re.findall(r"^\| (\w+) \|", (ROOT / "docs/root-causes-table.md").read_text(), re.MULTILINE)[1:]
        self.assertEqual(sorted(rows), sorted(faults))


class Options(unittest.TestCase):
    @staticmethod
    def declared(file):
        """Defaults by name."""
        return {option or cached: default for option, cached, default in OPTION.findall(file.read_text())
                if (option or cached).startswith("POOLPROOF_")}

    def test_readme_lists_them(self):
        readme = dict(re.findall(r"^\| `(POOLPROOF_\w+)` \| ([^|]+) \|", (ROOT / "README.md").read_text(), re.MULTILINE))
        words = {"ON": "on", "OFF": "off", "": "empty", "${PROJECT_IS_TOP_LEVEL}": "on at top level"}
        declared = self.declared(ROOT / "cmake/PoolproofOptions.cmake")
        self.assertEqual(readme, {name: words.get(default, f"`{default}`") for name, default in declared.items()})

    def test_they_are_in_one_file(self):
        lists = [path for pattern in ("*/**/CMakeLists.txt", "cmake/*.cmake", "CMakeLists.txt") for path in ROOT.glob(pattern)
                 if not path.relative_to(ROOT).parts[0].startswith("build")]
        self.assertGreater(len(lists), 40)
        for path in lists:
            if path.name != "PoolproofOptions.cmake":
                self.assertEqual(self.declared(path), {}, path)


class Glossary(unittest.TestCase):
    def test_at_most_thirty_words(self):
        text = (ROOT / "ARCHITECTURE.md").read_text().split("## Glossary\n")[1].split("\n## ")[0]
        words = re.findall(r"^\| ([^|]+) \|", text, re.MULTILINE)[2:]
        self.assertLessEqual(len(words), 30)
        self.assertEqual(words, sorted(words, key=str.lower))
        self.assertGreater(len(words), 20)


if __name__ == "__main__":
    unittest.main()
