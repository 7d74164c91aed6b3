#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/scaling.py on the real program, small; the file that it writes has its schema and is drawn.
usage: scaling_test.py <root> <poolproof>"""
import importlib.util
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import jsonschema

PROGRAM = sys.argv.pop()
ROOT = Path(sys.argv.pop())
SCHEMA = json.loads((ROOT / "reports/schema/poolproof-performance-1.schema.json").read_text())

spec = importlib.util.spec_from_file_location("scaling", ROOT / "bench/scaling.py")
scaling = importlib.util.module_from_spec(spec)
spec.loader.exec_module(scaling)


class Scaling(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "judging.json"

    def script(self, *arguments):
        return subprocess.run([sys.executable, ROOT / "bench/scaling.py", "--program", PROGRAM, "--json",
                               self.file, *arguments], capture_output=True, text=True, check=False)

    def test_measures_and_is_drawn(self):
        result = self.script("--cases", "16", "--jobs", "1,2", "--shards", "1,2", "--sizes", "4,8",
                             "--rounds", "1", "--elements", "14")
        self.assertEqual(result.returncode, 0, result.stderr)
        data = json.loads(self.file.read_text())
        jsonschema.Draft202012Validator(SCHEMA).validate(data)
        self.assertEqual([(rate["by"], rate["count"]) for rate in data["judging"]["rates"]],
                         [("jobs", 1), ("jobs", 2), ("shards", 1), ("shards", 2)])
        self.assertLessEqual({cost["kind"] for cost in data["judging"]["costs"]}, set(scaling.KINDS))
        self.assertIn("| jobs | 2 |", result.stdout)
        page = self.file.with_suffix(".html")
        drawn = subprocess.run(
            [PROGRAM, "run", "--implementation", "reference", "--cases", "1", "--html", page,
             "--performance", self.file, "--performance", self.file], capture_output=True, text=True,
            check=False)
        self.assertIn(drawn.returncode, (0, 4), drawn.stderr)
        self.assertGreaterEqual(page.read_text().count('<svg class="plot"'), 2)

    def test_bad_use_is_told(self):
        for arguments, words in [(["--jobs", "0"], "'0'"), (["--sizes", "x"], "'x'"),
                                 (["--rounds", "0"], "--rounds"),
                                 (["--implementation", "absent.so"], "absent.so")]:
            result = self.script(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn(words, result.stderr.splitlines()[-1])
            self.assertFalse(self.file.exists())

    def test_workers_are_doubled_up_to_the_last(self):
        self.assertEqual(scaling.doubled_to(1), [1])
        self.assertEqual(scaling.doubled_to(2), [1, 2])
        self.assertEqual(scaling.doubled_to(6), [1, 2, 4, 6])


if __name__ == "__main__":
    unittest.main()
