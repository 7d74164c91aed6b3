#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`poolproof adapter new`: what it writes builds and runs, and what it refuses."""

import json
import subprocess
import unittest

from adapter import AdapterTest, needs_numpy, tutorial


def code_lines(text):
    return [line for line in text.splitlines() if line.strip() and not line.strip().startswith(("//", "#"))]


class New(AdapterTest):
    def test_cpp_folder_builds_and_says_that_nothing_is_written_yet(self):
        result = self.program("adapter", "new", "mine")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("mine/mine.cpp", result.stdout)
        self.assertEqual(sorted(path.name for path in (self.folder / "mine").iterdir()),
                         ["CMakeLists.txt", "README.md", "mine.cpp", "mine.json"])
        self.build("mine")
        # Causes are not searched for in a shard.
        run, report = self.judge("mine/mine.json", "--cases", "4", "--shard", "0/2")
        self.assertEqual(run.returncode, 1)
        self.assertIn("not written yet", report["failures"][0]["message"])

    def test_the_library_exports_what_is_offered(self):
        self.program("adapter", "new", "mine")
        source = self.folder / "mine/mine.cpp"
        text = source.read_text()
        source.write_text("\n".join(line for line in text.splitlines() if "Offer" not in line and "(MaxPool2d" not in line))
        self.build("mine")
        names = subprocess.run(["nm", "-D", "--defined-only", self.folder / "mine/build/libmine.so"], capture_output=True,
                               text=True, check=True).stdout.split()
        operators = {name for name in names if name.startswith("aclnn") and name.endswith("GetWorkspaceSize")}
        self.assertEqual(operators, {f"aclnn{name}BackwardGetWorkspaceSize" for name in
                                     ("MaxPool3dWithArgmax", "AdaptiveMaxPool2d", "AdaptiveMaxPool3d")})
        self.assertIn("aclrtMalloc", names)
        self.assertFalse([name for name in names[2::3] if not name.startswith("acl")])

    def test_checks_of_the_documents_on_request(self):
        self.program("adapter", "new", "mine")
        (self.folder / "mine/mine.cpp").write_text(tutorial("cpp")[0] + "POOLPROOF_CHECK_DOCUMENTS\n")
        self.build("mine")
        # Without a manifest everything is asked.
        run, report = self.judge("mine/build/libmine.so", "--filter", "*/status/*")
        self.assertEqual(run.returncode, 0, run.stdout)
        self.assertGreater(report["summary"]["passed"], 300)
        self.assertEqual(report["summary"]["unsupported"], 0)

    def test_without_checks_forbidden_calls_are_accepted_and_a_manifest_says_so(self):
        self.program("adapter", "new", "mine")
        (self.folder / "mine/mine.cpp").write_text(tutorial("cpp")[0])
        self.build("mine")
        words = ("--filter", "MaxPool3dWithArgmaxBackward/status/*")
        run, report = self.judge("mine/build/libmine.so", *words, "--cases", "16", "--shard", "0/2")
        self.assertEqual(run.returncode, 1)
        self.assertTrue([clause for clause in report["clauses"]
                         if clause["verdict"] == "failed" and clause["id"].startswith("MP3-S")])
        run, report = self.judge("mine/mine.json", *words)
        self.assertEqual(run.returncode, 0, run.stdout)
        self.assertIn("refusals none", run.stdout)
        self.assertGreater(report["summary"]["unsupported"], 200)
        verdicts = {clause["id"]: clause["verdict"] for clause in report["clauses"]}
        self.assertEqual((verdicts["MP3-S46"], verdicts["SAF-03"], verdicts["2P-08"]), ("unsupported",) * 3)
        # What is proposed keeps it.
        self.program("probe", "--implementation", "mine/mine.json", "--profile", "atlas-a2", "--write-manifest", "p.json")
        self.assertEqual(json.loads((self.folder / "p.json").read_text())["capabilities"], {"refusals": "none"})

    def test_first_kernels_are_short(self):
        self.assertLessEqual(len(tutorial("cpp")[0].splitlines()), 40)
        self.assertLessEqual(len(code_lines(tutorial("python")[0])), 12)

    @needs_numpy
    def test_python_needs_no_build(self):
        result = self.program("adapter", "new", "scatter", "--language", "python")
        self.assertEqual(result.returncode, 0, result.stderr)
        run, report = self.judge("scatter/scatter.py", "--cases", "30")
        self.assertEqual(run.returncode, 1)
        self.assertIn("NotImplementedError: not written yet (scatter.py:6)", report["failures"][0]["message"])

    def test_what_is_refused(self):
        for words, text in ((("Mine",), "the name is 'Mine'"), (("x.y",), "the name is 'x.y'"),
                            (("mine", "--language", "pyton"), "did you mean python?")):
            with self.subTest(words=words):
                result = self.program("adapter", "new", *words)
                self.assertEqual(result.returncode, 2)
                self.assertIn(text, result.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])
        (self.folder / "mine").mkdir()
        (self.folder / "mine/notes.txt").write_text("")
        result = self.program("adapter", "new", "mine")
        self.assertEqual(result.returncode, 2)
        self.assertIn("adapter new: 'mine' is not empty", result.stderr)

    def test_a_manifest_declares_all_or_none(self):
        manifest = {"schema": "poolproof-manifest/1", "libraries": ["a.so"], "capabilities": {"refusals": "some"}}
        (self.folder / "a.so").write_text("")
        (self.folder / "a.json").write_text(json.dumps(manifest))
        result = self.program("probe", "--implementation", "a.json")
        self.assertEqual(result.returncode, 2)
        self.assertIn('"some" is not "all" or "none"', result.stderr)


if __name__ == "__main__":
    unittest.main()
