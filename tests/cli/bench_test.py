#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench, and diff of its files. Nothing here depends on how long anything takes.
usage: bench_test.py <poolproof> <faulty library> <root>"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import jsonschema

ROOT = pathlib.Path(sys.argv.pop())
FAKE = sys.argv.pop()
PROGRAM = sys.argv.pop()
SCHEMA = json.loads((ROOT / "reports/schema/poolproof-performance-1.schema.json").read_text())
SHORT = ["--threads", "1", "--modes", "warm", "--round-time", "1ms"]


class BenchTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def poolproof(self, status, *arguments, fault=""):
        result = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, cwd=self.folder,
                                timeout=600, stdin=subprocess.DEVNULL,
                                env={**os.environ, "POOLPROOF_FAKE": fault})
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return result

    def times(self, name):
        document = json.loads((self.folder / name).read_text())
        jsonschema.Draft202012Validator(SCHEMA).validate(document)
        return document

    def test_times_a_library_beside_others_and_the_limit(self):
        said = self.poolproof(0, "bench", "--implementation", "reference", "--shapes", "m01,a21",
                              "--visits", "6", "--narrow", "100000000", *SHORT, "--json", "t.json",
                              "--markdown", "t.md", "--html", "t.html").stdout
        document = self.times("t.json")
        self.assertEqual([row["shape"] for row in document["rows"]], ["m01_tiny_k2s2", "a21_2d_spp_nd"])
        for row in document["rows"]:
            self.assertGreaterEqual(row["limit_ms"], row["roofline_ms"])
            self.assertGreater(row["device_ms"], 0)
            self.assertEqual(list(row["over_ours"]), ["optimized"])
            self.assertLessEqual(row["ours_interval"]["low"], row["ours_ms"])
            self.assertTrue(row["narrow"])
        for text in (said, (self.folder / "t.md").read_text(), (self.folder / "t.html").read_text()):
            self.assertIn("a21_2d_spp_nd", text)
        same = self.poolproof(0, "diff", "t.json", "t.json")
        self.assertIn("reference: 0 settings slower, 0 faster, of 2 compared", same.stdout)

    def test_forwards_types_threads_and_cold_operands(self):
        self.poolproof(0, "bench", "--implementation", "optimized", "--shapes", "m01", "--visits", "1",
                       "--passes", "forward,backward", "--types", "f32,bf16", "--threads", "1,2",
                       "--clock", "cpu", "--round-time", "1ms", "--json", "t.json")
        rows = self.times("t.json")["rows"]
        self.assertEqual({row["pass"] for row in rows}, {"forward", "backward"})
        self.assertEqual({row["mode"] for row in rows}, {"warm-cpu", "cold-cpu"})
        self.assertEqual({row["threads"] for row in rows}, {"1", "2"})
        self.assertFalse(any(row["narrow"] or "ours_interval" in row for row in rows))

    def test_a_setting_that_became_slower_is_named(self):
        self.poolproof(0, "bench", "--implementation", "optimized", "--shapes", "m01", "--visits", "6",
                       *SHORT, "--json", "t.json")
        document = self.times("t.json")
        for name, by in (("old.json", 1), ("new.json", 1.2)):
            for row in document["rows"]:
                row["ours_ms"], row["ours_over_limit"] = 10 * by, 2 * by
                for member in ("ours", "over_limit"):
                    middle = row["ours_ms"] if member == "ours" else row["ours_over_limit"]
                    row[member + "_interval"] = {"low": middle * 0.98, "high": middle * 1.02}
            (self.folder / name).write_text(json.dumps(document))
        said = self.poolproof(1, "diff", "old.json", "new.json", "--markdown", "d.md").stdout
        self.assertIn("slower  m01_tiny_k2s2, backward, f32, indices i32, 1 thread, warm: 12 ms, was 10", said)
        self.assertIn("### Slower", (self.folder / "d.md").read_text())
        self.poolproof(0, "diff", "new.json", "old.json")

    def test_a_library_that_ends_badly_is_one_line(self):
        for fault, words in (("crash-two", "the process died of SIGSEGV (signal 11) in phase two"),
                             ("exit-two", "the process exited with 0 in phase two")):
            said = self.poolproof(1, "bench", "--implementation", FAKE, "--shapes", "m13", "--visits", "1",
                                  "--json", "t.json", fault=fault).stdout
            self.assertEqual(len(said.splitlines()), 1, said)
            self.assertIn(words, said)
            self.assertTrue(all(entry["fault"] for entry in self.times("t.json")["not_timed"]))

    def test_a_library_that_hangs_is_one_line(self):
        manifest = {"schema": "poolproof-manifest/1", "name": "hangs", "libraries": [FAKE],
                    "limits": {"case_s": 0.5}}
        (self.folder / "hangs.json").write_text(json.dumps(manifest))
        said = self.poolproof(1, "bench", "--implementation", "hangs.json", "--shapes", "m13",
                              "--visits", "1", fault="hang-two").stdout
        self.assertIn("not timed: hangs: the deadline passed in phase two", said)

    def test_a_wrong_answer_is_not_timed(self):
        said = self.poolproof(1, "bench", "--implementation", FAKE, "--shapes", "m01", "--visits", "1").stdout
        self.assertIn("expected zero", said)

    def test_what_is_not_offered_is_no_fault(self):
        said = self.poolproof(3, "bench", "--implementation", FAKE, "--shapes", "a21", "--visits", "1")
        self.assertIn("AdaptiveMaxPool2dBackward is not offered", said.stdout)
        self.assertIn("nothing of implementation", said.stderr)

    def test_misuse(self):
        for words, message in ((["--shapes", "zz"], "no shape begins with 'zz'"),
                               (["--types", "f64"], "--types: unknown 'f64'"),
                               (["--modes", "warm,"], "empty entry"),
                               (["--threads", "0"], "--threads"),
                               (["--against", "none.so"], "none.so"),
                               (["--clock", "sun"], "--clock")):
            said = self.poolproof(2, "bench", "--implementation", "optimized", *words).stderr
            self.assertIn(message, said)
            self.assertEqual(len(said.splitlines()), 1, said)


if __name__ == "__main__":
    unittest.main()
