#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/adapters.md, from top to bottom: its files are written, its commands run."""

import unittest

from adapter import AdapterTest, needs_numpy, tutorial

VERDICT = "CONFORMANT within its declared capabilities"


class Tutorial(AdapterTest):
    def test_cpp(self):
        new, rest = tutorial("sh")[:2]
        self.shell(new)
        (self.folder / "mine/mine.cpp").write_text(tutorial("cpp")[0])
        self.assertIn(VERDICT, self.shell("set -e\n" + rest))

    @needs_numpy
    def test_python(self):
        new, run = tutorial("sh")[2:]
        self.shell(new)
        (self.folder / "scatter/scatter.py").write_text(tutorial("python")[0])
        self.assertIn(VERDICT, self.shell(run))


if __name__ == "__main__":
    unittest.main()
