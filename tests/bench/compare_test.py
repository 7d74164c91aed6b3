#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of bench/compare.py on a run made up here. usage: compare_test.py <root>"""
import contextlib
import copy
import io
import importlib.util
import json
import sys
import tempfile
import unittest
from pathlib import Path

import jsonschema

ROOT = Path(sys.argv.pop())
SCHEMA = json.loads((ROOT / "reports/schema/poolproof-performance-1.schema.json").read_text())

spec = importlib.util.spec_from_file_location("compare", ROOT / "bench/compare.py")
compare = importlib.util.module_from_spec(spec)
spec.loader.exec_module(compare)


def entries(threads, **medians):
    made = []
    for contender, time in medians.items():
        name = f"backward/m03_c3d_pool1/f32/i32/{threads}/warm/{contender}/iterations:1"
        for by in (0.5, 1, 9):  # the median is in the middle
            made.append({"name": name, "run_type": "iteration", "real_time": time * by, "bytes": 1e8})
        made.append({"name": name + "_mean", "run_type": "aggregate", "real_time": 77, "bytes": 1e8})
    made.append({"name": f"backward/m03_c3d_pool1/f32/i32/{threads}/warm/torch_out/iterations:1",
                 "run_type": "iteration", "error_occurred": True})
    return made


class Compare(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        run = entries(1, optimized=12, roofline_stream=10, roofline_copy=11, adding=8, onednn_plain=60,
                      onednn_blocked=48, reference=120) + entries(2, optimized=6, roofline_stream=5, adding=5.5)
        self.file = self.folder / "run.json"
        self.file.write_text(json.dumps({"benchmarks": run}), encoding="utf-8")

    def test_ratios_are_those_of_medians_and_of_the_best(self):
        row = compare.rows_of(compare.read([self.file]))[0]
        self.assertAlmostEqual(row["ours_over_roofline"], 1.2)
        self.assertAlmostEqual(row["over_ours"]["onednn"], 4)
        self.assertAlmostEqual(row["over_ours"]["reference"], 10)
        self.assertNotIn("torch_out", row["over_ours"])
        self.assertEqual(row["class_name"], "k2s2, wide rows")

    def test_the_limit_is_the_longer_of_memory_and_additions(self):
        one, two = compare.rows_of(compare.read([self.file]))
        self.assertAlmostEqual(one["limit_ms"], 10)
        self.assertAlmostEqual(two["limit_ms"], 5.5)
        self.assertAlmostEqual(two["ours_over_limit"], 6 / 5.5)
        self.assertNotIn("adding", one["over_ours"])

    def test_threads_are_compared_with_light(self):
        scaling = compare.scaling_of(compare.rows_of(compare.read([self.file])))
        self.assertEqual(len(scaling), 1)
        self.assertAlmostEqual(scaling[0]["ours"] / scaling[0]["roofline"], 1)

    def test_writes_both_files(self):
        page, data = self.folder / "page.md", self.folder / "data.json"
        self.assertEqual(
            compare.main([str(self.file), "--markdown", str(page), "--json", str(data)]), 0)
        self.assertIn("| 1.20 |", page.read_text(encoding="utf-8"))
        written = json.loads(data.read_text(encoding="utf-8"))
        self.assertTrue(written["rows"] and written["means"] and written["scaling"])
        jsonschema.Draft202012Validator(SCHEMA).validate(written)

    def test_the_schema_is_closed(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)
        validator = jsonschema.Draft202012Validator(SCHEMA)
        golden = ROOT / "tests/reports/golden"
        for name in ("other-performance.json", "other-judging.json"):
            whole = json.loads((golden / name).read_text(encoding="utf-8"))
            validator.validate(whole)
            places = [[]] + [[key] + [0] * isinstance(whole[key], list) for key in whole
                             if key != "schema" and whole[key]]
            if "judging" in whole:
                places += [["judging", "rates", 0], ["judging", "costs", 0]]
            for place in places:
                spoilt = copy.deepcopy(whole)
                inner = spoilt
                for step in place:
                    inner = inner[step]
                inner["unheard_of"] = 1
                self.assertFalse(validator.is_valid(spoilt), (name, place))
        self.assertFalse(validator.is_valid({"schema": "poolproof-performance/1"}))

    def test_nothing_of_ours_is_an_error(self):
        self.file.write_text('{"benchmarks": []}', encoding="utf-8")
        self.assertEqual(compare.main([str(self.file)]), 2)

    def test_a_file_that_is_no_run_is_named(self):
        whole = self.file.read_text(encoding="utf-8")
        page = self.folder / "page.md"
        for text in (whole[:-20], "[]", "{}", None):
            self.file.unlink() if text is None else self.file.write_text(text, encoding="utf-8")
            with contextlib.redirect_stderr(io.StringIO()) as said:
                self.assertEqual(compare.main([str(self.file), "--markdown", str(page)]), 2)
            self.assertIn(str(self.file), said.getvalue())
            self.assertEqual(len(said.getvalue().splitlines()), 1)
            self.assertFalse(page.exists())


if __name__ == "__main__":
    unittest.main()
