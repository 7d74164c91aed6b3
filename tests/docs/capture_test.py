#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What README shows of a failing run is what the program prints, but for numbers (POOLPROOF_UPDATE_GOLDEN=1 writes
it again), and its picture is a small file."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT, LIBRARIES, PROGRAM = (pathlib.Path(sys.argv.pop()).resolve() for _ in range(3))
README = ROOT / "README.md"
COMMAND = "poolproof run --implementation ./libyours.so --set smoke --json report.json --html report.html"
BLOCK = re.compile(r"(?m)^    \$ " + re.escape(COMMAND) + r"\n((?:    .*\n|\n)*)(?=\S)")
TIME = re.compile(r"took [0-9a-z. ]+$", re.MULTILINE)


def form_of(text):
    """Words without numbers and line ends: which cases there are may change, what is said of them is looked at."""
    return re.sub(r"\s+", " ", re.sub(r"[0-9][0-9a-f,.+]*", "N", text)).strip()


class Capture(unittest.TestCase):
    def test_the_terminal(self):
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder)
            shutil.copy(LIBRARIES / "libpoolproof_mutants.so", work / "libyours.so")
            environment = {**os.environ, "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}", "POOLPROOF_MUTANT": "last_writer_wins"}
            result = subprocess.run(COMMAND.split(), cwd=work, env=environment, capture_output=True, text=True, timeout=1200,
                                    stdin=subprocess.DEVNULL)
        self.assertEqual(result.returncode, 1, result.stderr)
        printed = TIME.sub("took 20 s", result.stdout)
        text = README.read_text()
        if os.environ.get("POOLPROOF_UPDATE_GOLDEN"):
            block = "".join("    " + line if line.strip() else line for line in printed.splitlines(keepends=True))
            text = BLOCK.sub(lambda _: f"    $ {COMMAND}\n{block}\n", text)
            README.write_text(text)
        shown = BLOCK.search(text)
        self.assertIsNotNone(shown)
        self.maxDiff = None
        self.assertEqual(form_of(shown.group(1)), form_of(printed))

    def test_the_picture(self):
        [path] = re.findall(r"!\[[^\]]+\]\((docs/[^)]+\.png)\)", README.read_text())
        data = (ROOT / path).read_bytes()
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        self.assertLess(len(data), 150 * 1024)


if __name__ == "__main__":
    unittest.main()
