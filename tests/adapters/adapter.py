# SPDX-License-Identifier: Apache-2.0
"""What the tests of adapters share: the program in a folder of its own."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop()).resolve()
PROGRAM = sys.argv.pop()


def has_module(name):
    return subprocess.run([sys.executable, "-c", f"import {name}"], capture_output=True, check=False).returncode == 0


needs_numpy = unittest.skipUnless(has_module("numpy"), f"{sys.executable} has no numpy")


def tutorial(language):
    """The blocks of docs/adapters.md in a language."""
    return re.findall(rf"^```{re.escape(language)}\n(.*?)^```", (ROOT / "docs/adapters.md").read_text(), re.MULTILINE | re.DOTALL)


class AdapterTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def run_words(self, words, **variables):
        environment = {**os.environ, "POOLPROOF_PYTHON": sys.executable, **variables}
        return subprocess.run(words, cwd=self.folder, capture_output=True, text=True, timeout=900, check=False,
                              env=environment, stdin=subprocess.DEVNULL)

    def program(self, *words, **variables):
        return self.run_words([PROGRAM, *words], **variables)

    def shell(self, line):
        """A line of a document."""
        environment = {**os.environ, "POOLPROOF_PYTHON": sys.executable,
                       "PATH": f"{pathlib.Path(PROGRAM).parent}:{os.environ['PATH']}"}
        result = subprocess.run(["sh", "-c", line], cwd=self.folder, capture_output=True, text=True, timeout=900,
                                check=False, env=environment)
        self.assertEqual(result.returncode, 0, f"{line}\n{result.stdout}{result.stderr}")
        return result.stdout

    def build(self, name):
        for words in (["-S", name, "-B", f"{name}/build"], ["--build", f"{name}/build"]):
            result = subprocess.run(["cmake", *words], cwd=self.folder, capture_output=True, text=True, timeout=900, check=False)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def judge(self, implementation, *words, **variables):
        """Exit status and report of a run."""
        result = self.program("run", "--implementation", implementation, "--set", "smoke", "--jobs", "1", "--json", "report.json",
                              *words, **variables)
        self.assertIn(result.returncode, (0, 1), result.stdout + result.stderr)
        return result, json.loads((self.folder / "report.json").read_text())
