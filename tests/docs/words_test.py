#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tree has none of the words of scripts/words.txt, and scripts/words finds them where they are."""

import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop() if len(sys.argv) > 1 else ".").resolve()
LOADER = importlib.machinery.SourceFileLoader("words", str(ROOT / "scripts/words"))
words = importlib.util.module_from_spec(importlib.util.spec_from_loader("words", LOADER))
sys.dont_write_bytecode = True
LOADER.exec_module(words)


class Words(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.words = words.Words(ROOT / "scripts/words.txt")

    def found(self, name, text):
        return [(line, word) for line, word, _ in words.check(self.words, name, text)]

    def test_tree(self):
        run = subprocess.run([ROOT / "scripts/words", ROOT], capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, run.stdout), (0, ""), run.stdout)
        files = int(run.stderr.split(" in ")[1].split()[0])
        self.assertGreater(files, 900, "the sources, scripts and documents are read")

    def test_rows(self):
        rows = [row for rows in self.words.rows.values() for row in rows]
        self.assertGreater(len(rows), 50)
        self.assertTrue(all(instead for _, instead in rows))

    def test_comments_and_texts(self):
        self.assertEqual(self.found("core/a.cc", 'int whoever = 1;  // Whoever\n// asks in\n// vain\nf("it stands " "there");'),
                         [(1, "in vain"), (1, "Whoever"), (4, "stands")])
        self.assertEqual(self.found("core/a.cc", '// "wanted", told\nf("rank is 3, wanted 4", "is told");'),
                         [(2, "wanted"), (2, "is told"), (2, "told")])
        self.assertEqual(self.found("tests/a_test.cc", 'f("rank is 3, wanted 4");'), [], "no text of the program")
        self.assertEqual(self.found("core/a.cc", 'f("a file of " // likewise\n  "its own: is no" "ne", R"(dear "reader")");'),
                         [(1, "likewise"), (2, "is none"), (2, "dear")])

    def test_other_files(self):
        self.assertEqual(self.found("scripts/a.sh", "# what stands here\n"), [(1, "stands")])
        self.assertEqual(self.found("README.md", "One `stands` here,\none of which is told."), [(2, "is told"), (2, "told"), (2, "of which")])
        self.assertEqual(self.found("a/b.schema.json", '"description": "What is wanted", "fore' + 'told": 1'), [(1, "wanted")])

    def test_they_are_found(self):
        for text in ["rank is 3, wanted 4", "is 3, want 4 or 5", "died of signal 11 in phase one", "it SHALL hold", "2 contributions",
                     "was looked into", "tell them apart", "held against one another"]:
            self.assertTrue(self.found("cli/a.cc", f'f("{text}");'), text)
        for text in ["SIGSEGV (signal 11)", "what you want to see", "unwanted", "marshalled", "absent where there is none",
                     "not_looked_into", "stand-in", "contribution-lost", "a standard"]:
            self.assertFalse(self.found("cli/a.cc", f'f("{text}");'), text)


if __name__ == "__main__":
    unittest.main()
