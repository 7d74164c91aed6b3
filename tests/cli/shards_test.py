#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A plan in shards: merged reports do not depend on how many there were, and what is missing, twice
or of another plan is named."""

import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import jsonschema

from error_lines import error_lines

PROGRAM, ROOT, LIBRARIES = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
del sys.argv[1:4]
REPORT = json.loads((ROOT / "reports/schema/poolproof-report-1.schema.json").read_text())
PLAN = json.loads((ROOT / "reports/schema/poolproof-plan-1.schema.json").read_text())
ENGINES = ["POOLPROOF_SHARD", "SLURM_ARRAY_TASK_ID", "PARALLEL_SEQ", "JOB_COMPLETION_INDEX",
           "GTEST_SHARD_INDEX", "TEST_SHARD_INDEX", "CI_NODE_INDEX", "CI_NODE_TOTAL"]


def call(*arguments, environment=None, **options):
    clean = {name: value for name, value in os.environ.items() if name not in ENGINES}
    clean.update(environment or {})
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, env=clean,
                          stdin=subprocess.DEVNULL, check=False, **options)


def comparable(path):
    report = json.loads(pathlib.Path(path).read_text())
    for member in ["argv", "start", "duration_s", "shards"]:
        del report["run"][member]
    # New cases are judged where there is a library: a merge has none.
    for cause in report.get("root_causes", {"causes": []})["causes"]:
        for member in ["state", "tested", "agreed", "smallest_case_line", "nearest_case_line",
                       "nearest_difference"]:
            del cause[member]
    return json.dumps(report, indent=1)


class ShardsTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.implementation = "reference"

    def use_mutant(self, name):
        manifest = self.folder / "mutant.json"
        manifest.write_text(json.dumps({
            "schema": "poolproof-manifest/1", "name": name,
            "libraries": [f"{LIBRARIES}/libpoolproof_mutants.so"],
            "environment": {"*": {"POOLPROOF_MUTANT": name}}}))
        self.implementation = manifest

    def plan(self, shards, *options):
        path = self.folder / f"plan{shards}.json"
        result = call("plan", *options, "--shards", shards, "-o", path)
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)
        jsonschema.Draft202012Validator(PLAN).validate(json.loads(path.read_text()))
        return path

    def judge(self, plan, shard, total):
        path = self.folder / f"shard-{shard}-of-{total}.json"
        result = call("run", "--implementation", self.implementation, "--plan", plan, "--shard", shard,
                      "--json", path)
        self.assertIn(result.returncode, [0, 1], result.stderr)
        if total > 1 and result.returncode == 0:
            self.assertTrue(result.stdout.startswith(f"SHARD {shard} of {total} judged"), result.stdout)
        gate = json.loads(path.read_text())["gate"]
        self.assertEqual((gate["result"], gate["exit_status"]),
                         (["passed", "failed"][result.returncode], result.returncode))
        return path

    def merge(self, *files, status=None, plan=None):
        path = self.folder / f"merged{len(list(self.folder.iterdir()))}.json"
        result = call("merge", *files, *(["--plan", plan] if plan else []), "-o", path)
        if status is not None:
            self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return path

    def whole(self, *options):
        path = self.folder / "whole.json"
        result = call("run", "--implementation", self.implementation, *options, "--json", path)
        self.assertIn(result.returncode, [0, 1], result.stderr)
        return path, result.returncode

    def expect_same_for(self, totals, *options):
        whole, status = self.whole(*options)
        for total in totals:
            plan = self.plan(total, *options)
            shards = [self.judge(plan, shard, total) for shard in range(total)]
            merged = self.merge(*shards, status=status, plan=plan)
            jsonschema.Draft202012Validator(REPORT).validate(json.loads(merged.read_text()))
            self.assertEqual(comparable(merged), comparable(whole), f"{total} shards")
        return shards, whole


class Conformant(ShardsTest):
    def test_any_number_of_shards(self):
        self.expect_same_for([1, 4], "--set", "smoke", "--cases", "150")

    def test_merging_is_associative_commutative_and_idempotent(self):
        shards, whole = self.expect_same_for([3], "--set", "smoke", "--cases", "150")
        for order in itertools.permutations(shards):
            self.assertEqual(comparable(self.merge(*order, status=0)), comparable(whole))
        first = self.merge(shards[2], shards[0], status=4)
        self.assertEqual(comparable(self.merge(first, shards[1], status=0)), comparable(whole))
        second = self.merge(shards[1], shards[2], status=4)
        both = self.merge(second, shards[0], first, shards[1], status=0)
        self.assertEqual(comparable(both), comparable(whole))
        self.assertEqual(comparable(self.merge(both, both, status=0)), comparable(whole))

    def test_merged_reports_are_verified(self):
        options = ["--set", "smoke", "--filter", "*/status/*", "--cases", "60"]
        plan = self.plan(2, *options)
        shards = [self.judge(plan, shard, 2) for shard in range(2)]
        whole, part = self.merge(*shards, status=0), self.merge(shards[0], status=4)
        for report in [whole, part, shards[1]]:
            result = call("verify", report, "--plan", plan)
            self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)
            self.assertIn(", the plan", result.stdout)
            self.assertNotIn("note", result.stdout)
        other = self.plan(3, "--set", "smoke", "--cases", "61")
        self.expect_refused(["--plan", other.name, whole.name], "verify", whole.name, "--plan", other.name)

    def test_missing_shards_are_named(self):
        plan = self.plan(4, "--set", "smoke", "--cases", "200")
        shards = [self.judge(plan, shard, 4) for shard in [0, 2]]
        merged = json.loads(self.merge(*shards, status=4).read_text())
        jsonschema.Draft202012Validator(REPORT).validate(merged)
        self.assertEqual(merged["verdict"], "incomplete")
        self.assertEqual(merged["run"]["missing_shards"], "1, 3")
        self.assertEqual(merged["run"]["stopped_by"], "missing-shards")
        self.assertIn("shards are missing: 1, 3 of 4", call("merge", *shards).stdout)
        self.assertGreater(merged["summary"]["not_run"], 0)

    def expect_refused(self, words, *arguments, environment=None):
        result = call(*arguments, environment=environment, cwd=self.folder)
        self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
        self.assertEqual((result.stdout, len(error_lines(result))), ("", 1), result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)

    def test_what_does_not_belong_together_is_named(self):
        options = ["--set", "smoke", "--cases", "100"]
        plan = self.plan(2, *options)
        shards = [self.judge(plan, shard, 2) for shard in range(2)]
        other = self.folder / "other.json"
        call("run", "--implementation", "reference", *options, "--seed", "2", "--shard", "1/2", "--json",
             other)
        self.expect_refused(["other.json", "plan_sha256"], "merge", shards[0], other)
        call("run", "--implementation", "optimized", *options, "--shard", "1/2", "--json", other)
        self.expect_refused(["other.json", "implementation"], "merge", shards[0], other)
        # Another result of the same shard: a run of it that was cut short.
        call("run", "--implementation", "reference", *options, "--shard", "1/2", "--deadline", "1ms",
             "--json", other)
        self.expect_refused(["other.json", "shard 1", shards[1].name], "merge", *shards, other)
        # The same shard judged again, with the same result, counts once.
        again = self.folder / "again.json"
        call("run", "--implementation", "reference", "--plan", plan, "--shard", "1", "--json", again)
        self.merge(*shards, again, status=0)
        call("run", "--implementation", "reference", *options, "--json", other)
        self.expect_refused(["other.json", "record"], "merge", other)
        other.write_text("{}")
        self.expect_refused(["other.json"], "merge", other)
        self.expect_refused(["none.json"], "merge", "none.json")
        text = json.loads(shards[1].read_text())
        text["run"]["shards"][0]["index"] = 0
        text["run"]["missing_shards"] = "1"
        other.write_text(json.dumps(text))
        self.expect_refused(["other.json", "shard 0"], "merge", shards[0], other)
        text["run"]["shards"][0]["record"]["cases"] = "0:99999"
        other.write_text(json.dumps(text))
        self.expect_refused(["other.json", "0:99999"], "merge", other)

    def test_a_case_judged_by_two_shards_is_named(self):
        plan = self.plan(2, "--set", "smoke", "--cases", "100")
        shards = [self.judge(plan, shard, 2) for shard in range(2)]
        text = json.loads(shards[1].read_text())
        text["run"]["shards"][0]["record"] = json.loads(
            shards[0].read_text())["run"]["shards"][0]["record"]
        shards[1].write_text(json.dumps(text))
        self.expect_refused(["judged by shards 0 and 1"], "merge", *shards)

    def test_a_case_judged_by_no_shard_is_named(self):
        shard = self.judge(self.plan(1, "--set", "smoke", "--cases", "50"), 0, 1)
        text = json.loads(shard.read_text())
        record = text["run"]["shards"][0]["record"]
        record["cases"] = record["cases"].rsplit(" ", 1)[0]
        shard.write_text(json.dumps(text))
        self.expect_refused(["case 49", "no shard"], "merge", shard)

    def test_where_the_shard_comes_from(self):
        plan = self.plan(4, "--set", "smoke", "--cases", "40")
        rows = [
            ("POOLPROOF_SHARD", {"POOLPROOF_SHARD": "2", "SLURM_ARRAY_TASK_ID": "1"}, 2),
            ("POOLPROOF_SHARD", {"POOLPROOF_SHARD": "2/4"}, 2),
            # What Slurm says of an array of which two are submitted again.
            ("SLURM_ARRAY_TASK_ID", {"SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_COUNT": "2",
                                     "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_MAX": "3"}, 3),
            ("PARALLEL_SEQ", {"PARALLEL_SEQ": "1"}, 0),
            ("JOB_COMPLETION_INDEX", {"JOB_COMPLETION_INDEX": "1"}, 1),
            ("GTEST_SHARD_INDEX", {"GTEST_SHARD_INDEX": "1", "GTEST_TOTAL_SHARDS": "4"}, 1),
            ("TEST_SHARD_INDEX", {"TEST_SHARD_INDEX": "1", "TEST_TOTAL_SHARDS": "4"}, 1),
            ("CI_NODE_INDEX", {"CI_NODE_INDEX": "4", "CI_NODE_TOTAL": "4"}, 3),
        ]
        for source, environment, index in rows:
            with self.subTest(source):
                result = call("run", "--implementation", "reference", "--plan", plan, "--shard", "auto",
                              "--json", "-", environment=environment)
                shard = json.loads(result.stdout)["run"]["shards"][0]
                self.assertEqual((shard["index"], shard["of"], shard["taken_from"]), (index, 4, source))
        run = ["run", "--implementation", "reference", "--plan", plan, "--shard"]
        self.expect_refused(["--shard", "SLURM_ARRAY_TASK_ID"], *run, "auto")
        self.expect_refused(["--shard", "'4'"], *run, "4")
        self.expect_refused(["--shard", "'0/8'"], *run, "0/8")
        self.expect_refused(["SLURM_ARRAY_TASK_ID", "'7'"], *run, "auto",
                            environment={"SLURM_ARRAY_TASK_ID": "7"})
        self.expect_refused(["TEST_TOTAL_SHARDS", "'2'"], *run, "auto",
                            environment={"TEST_SHARD_INDEX": "1", "TEST_TOTAL_SHARDS": "2"})
        self.expect_refused(["SLURM_ARRAY_TASK_ID", "--plan"], "run", "--implementation", "reference",
                            "--shard", "auto", environment={"SLURM_ARRAY_TASK_ID": "1"})

    def test_plans_hold_what_is_judged(self):
        plan = self.plan(2, "--set", "smoke", "--filter", "*/status/*", "--seed", "5", "--profile",
                         "ascend-950", "--edition", "seeds")
        pinned = json.loads(plan.read_text())
        self.assertEqual(pinned["edition"], "seeds")
        self.assertEqual((pinned["seed"], pinned["profile"], pinned["shards"]), (5, "ascend-950", 2))
        result = call("run", "--implementation", "reference", "--plan", plan, "--json", "-")
        report = json.loads(result.stdout)
        self.assertEqual(report["run"]["plan_sha256"], pinned["plan_sha256"])
        self.assertEqual(report["summary"]["cases"], pinned["planned_cases"])
        self.assertEqual(report["profile"], "ascend-950")
        self.assertEqual(report["edition"], "seeds")
        run = ["run", "--implementation", "reference", "--plan", plan]
        self.expect_refused(["--seed", "plan"], *run, "--seed", "5")
        self.expect_refused(["--edition", "plan"], *run, "--edition", "seeds")
        for change, word in [({"plan_sha256": "0" * 64}, "another version"), ({"seed": "1"}, "seed"),
                             ({"spec_sha256": "0" * 64}, "clauses"), ({"extra": 1}, "extra")]:
            (self.folder / "changed.json").write_text(json.dumps({**pinned, **change}))
            self.expect_refused([word], "run", "--implementation", "reference", "--plan", "changed.json")
        lines = call("list", "cases", "--set", "smoke", "--filter", "*/2P-07/*").stdout.splitlines()[:3]
        cases = self.folder / "cases.txt"
        cases.write_text("\n".join(line.split("  ", 1)[1] for line in lines))
        plan = self.plan(1, "--case-file", cases)
        cases.unlink()
        result = call("run", "--implementation", "reference", "--plan", plan, "--json", "-")
        self.assertEqual(json.loads(result.stdout)["summary"]["cases"], 3)


class Many(ShardsTest):
    def test_7_shards(self):
        self.expect_same_for([7], "--set", "smoke", "--filter", "MaxPool3d*/status/*")


class Mutants(ShardsTest):
    def test_any_number_of_shards(self):
        for name in ["index_off_by_one", "second_call_differs", "crashes_on_some_shape"]:
            with self.subTest(name):
                self.use_mutant(name)
                _, whole = self.expect_same_for([1, 2, 7], "--set", "smoke", "--cases", "500")
                self.assertIn("root_causes", json.loads(whole.read_text()))

    def test_64_shards(self):
        self.use_mutant("index_off_by_one")
        self.expect_same_for([64], "--set", "smoke", "--cases", "512")

    def test_waivers_are_held_against_merged_reports(self):
        self.use_mutant("index_off_by_one")
        options = ["--set", "smoke", "--cases", "200"]
        waivers = self.folder / "waivers.json"

        def waive(**changes):
            waiver = {"id": "X-1", "owner": "o", "reason": "r", "link": "https://example.org/1",
                      "scope": {"cases": "calls >= 1"}, "signature": "*", "expires": "2026-06-30", **changes}
            waivers.write_text(json.dumps({"schema": "poolproof-waivers/1", "waivers": [waiver]}))
            return ["--waivers", waivers, "--today", "2026-06-30"]

        plan = self.plan(3, *options)
        shards = [self.judge(plan, shard, 3) for shard in range(3)]
        for changes, status in [({}, 0), ({"scope": {"cases": "rank == 5"}}, 1),
                                ({"expires": "2026-06-29"}, 1)]:
            with self.subTest(changes):
                given = waive(**changes)
                whole, whole_status = self.whole(*options, *given)
                self.assertEqual(whole_status, status)
                merged = self.folder / "merged.json"
                result = call("merge", *shards, "--plan", plan, *given, "-o", merged)
                self.assertEqual(result.returncode, status, result.stdout + result.stderr)
                self.assertEqual(comparable(merged), comparable(whole))
        result = call("merge", *shards, *waive())
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("--plan", result.stderr)
        other = self.plan(4, "--set", "smoke", "--cases", "301")
        result = call("merge", *shards, "--plan", other, *waive())
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn(other.name, result.stderr)

    def test_a_stop_is_where_one_process_stops(self):
        self.use_mutant("index_off_by_one")
        self.expect_same_for([2, 5], "--set", "smoke", "--stop-after", "20")


if __name__ == "__main__":
    unittest.main()
