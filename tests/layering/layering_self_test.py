#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of layering.py: each forbidden include is found, each allowed one is not."""
import tempfile
import unittest
from pathlib import Path

from layering import Table, TableError, check

TABLE = Table((Path(__file__).parent / "layers.txt").read_text(encoding="utf-8"))
FILES = [
    "core/status.h", "reference/pool.h", "optimized/pool.h", "runtime/stream.h",
    "conformance/spec/operators.h", "conformance/spec/spec.h", "conformance/case/case.h",
    "conformance/result/outcome.h", "conformance/judge/judge.h", "conformance/judge/legality.h",
    "conformance/gen/sources.h", "conformance/wire/frame.h", "conformance/runner/runner.h",
    "conformance/blame/blame.h", "conformance/session/session.h", "reports/json.h", "cli/args.h",
    "include/acl/acl.h",
]


def breaches(path, *includes):
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name in FILES:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text("", encoding="utf-8")
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("".join(f"#include {name}\n" for name in includes),
                                 encoding="utf-8")
        return check(root, TABLE)[1]


class Layering(unittest.TestCase):
    def assert_forbidden(self, path, include):
        self.assertEqual(len(breaches(path, include)), 1, f"{path} -> {include}")

    def assert_allowed(self, path, *includes):
        self.assertEqual(breaches(path, *includes), [])

    def test_kernels_do_not_see_each_other(self):
        self.assert_forbidden("reference/a.cc", '"optimized/pool.h"')
        self.assert_forbidden("optimized/a.cc", '"reference/pool.h"')
        self.assert_forbidden("optimized/a.cc", '"../reference/pool.h"')
        self.assert_allowed("optimized/a.cc", '"optimized/pool.h"', '"core/status.h"')

    def test_core_stands_alone(self):
        for name in FILES[1:]:
            self.assert_forbidden("core/a.cc", f'"{name}"')

    def test_runtime_does_not_see_the_suite(self):
        self.assert_forbidden("runtime/a.cc", '"conformance/spec/operators.h"')
        self.assert_allowed("runtime/a.cc", '"reference/pool.h"', '"optimized/pool.h"', "<acl/acl.h>")

    def test_judge_sees_data_only(self):
        for name in ("reference/pool.h", "optimized/pool.h", "runtime/stream.h",
                     "conformance/gen/sources.h", "conformance/wire/frame.h",
                     "conformance/runner/runner.h", "include/acl/acl.h"):
            self.assert_forbidden("conformance/judge/a.cc", f'"{name}"')
        for header in ("<chrono>", "<random>", "<dlfcn.h>", "<fstream>", "<gtest/gtest.h>"):
            self.assert_forbidden("conformance/judge/a.cc", header)
        self.assert_allowed("conformance/judge/a.cc", '"conformance/result/outcome.h"', "<cmath>")

    def test_generators_see_nothing_of_the_judge(self):
        self.assert_forbidden("conformance/gen/a.cc", '"conformance/judge/judge.h"')
        self.assert_forbidden("conformance/gen/a.cc", '"conformance/judge/legality.h"')

    def test_one_header_of_a_folder_can_be_allowed(self):
        self.assert_allowed("conformance/worker/a.cc", '"conformance/spec/operators.h"')

    def test_worker_knows_no_kernel_and_no_opinion(self):
        for name in ("reference/pool.h", "optimized/pool.h", "runtime/stream.h",
                     "conformance/judge/judge.h", "conformance/judge/legality.h",
                     "conformance/spec/spec.h"):
            self.assert_forbidden("conformance/worker/a.cc", f'"{name}"')
        self.assert_allowed("conformance/worker/a.cc", '"conformance/spec/operators.h"',
                            '"conformance/wire/frame.h"', '"acl/acl.h"', "<dlfcn.h>")

    def test_cli_opens_libraries_like_anyones(self):
        for name in ("reference/pool.h", "optimized/pool.h", "runtime/stream.h"):
            self.assert_forbidden("cli/a.cc", f'"{name}"')
            self.assert_forbidden("conformance/session/a.cc", f'"{name}"')
        self.assert_allowed("cli/a.cc", '"conformance/session/session.h"', '"reports/json.h"',
                            "<CLI/CLI.hpp>")

    def test_reports_render_data(self):
        self.assert_forbidden("reports/a.cc", '"conformance/judge/judge.h"')
        self.assert_forbidden("reports/a.cc", '"conformance/session/session.h"')

    def test_third_parties_stay_where_they_are(self):
        self.assert_forbidden("conformance/gen/a.cc", "<rapidcheck.h>")
        self.assert_forbidden("tests/gen/a.cc", "<rapidcheck/gtest.h>")
        self.assert_allowed("conformance/gen/rapidcheck_adapter.cc", "<rapidcheck.h>")
        self.assert_forbidden("core/a.cc", "<gtest/gtest.h>")
        self.assert_forbidden("core/a.cc", "<CLI/CLI.hpp>")

    def test_files_outside_the_table_are_found(self):
        self.assert_forbidden("extra/a.cc", "<vector>")
        self.assert_forbidden("core/a.cc", '"extra/made_up.h"')

    def test_files_made_by_the_build_follow_the_table(self):
        self.assert_allowed("conformance/spec/a.cc", '"conformance/spec/made.h"')
        self.assert_forbidden("core/a.cc", '"conformance/spec/made.h"')

    def test_spelling_does_not_hide_an_include(self):
        self.assert_forbidden("core/a.cc", ' "reference/pool.h"  // comment')
        self.assert_forbidden("core/a.cc", "<reference/pool.h>")

    def test_a_wrong_table_is_refused(self):
        for text in ("a: b", "a: b\nb: a", "a", "a:\na:"):
            with self.assertRaises(TableError):
                Table(text)


if __name__ == "__main__":
    unittest.main()
