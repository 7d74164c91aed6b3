#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The program poolproof as its users call it: exit statuses, one-line errors, no partial files."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

import jsonschema

from error_lines import error_lines

ROOT = pathlib.Path(sys.argv.pop())
PROGRAM = sys.argv.pop()
SCHEMA = json.loads((ROOT / "reports/schema/poolproof-report-1.schema.json").read_text())


def call(*arguments, **options):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=1200,
                          stdin=subprocess.DEVNULL, **options)


# No worker carries this out.
GUARDED = ("pp1:AdaptiveMaxPool2dBackward:self=f32[1,5,5];go=[1,3,3]"
           "|run:guard=after;reuse;repeat=2")
GUARDED_JSON = json.dumps({
    "schema": "poolproof-case/1",
    "calls": [{"operator": "AdaptiveMaxPool2dBackward",
               "tensors": {"self": {"shape": [1, 5, 5]}, "gradOutput": {"shape": [1, 3, 3]}}}],
    "plan": {"guard": "after", "reuseExecutor": True, "repeat": 2}})


class ProgramTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def case_lines(self, count):
        listing = call("list", "cases", "--set", "smoke", "--filter", "*/2P-07/*").stdout
        return [row.split("  ", 1)[1] for row in listing.splitlines()[:count]]

    def expect_refused(self, status, words, *arguments):
        result = call(*arguments, cwd=self.folder)
        self.assertEqual(result.returncode, status, (arguments, result.stderr))
        self.assertEqual(result.stdout, "", arguments)
        lines = error_lines(result)
        self.assertEqual(len(lines), 1, (arguments, result.stderr))
        self.assertTrue(lines[0].startswith("poolproof: "), lines)
        for word in words:
            self.assertIn(word, lines[0])

    def test_bad_use_is_one_line_and_exit_2(self):
        (self.folder / "bad.json").write_text('[{"schema": "poolproof-case/1"}]')
        run = ["run", "--implementation", "reference", "--json", "r.json"]
        rows = [
            ([], ["verb"]),
            (["frobnicate"], ["frobnicate", "run", "replay"]),
            (["run"], ["--implementation"]),
            (["run", "--implementation", "nosuch"], ["--implementation", "nosuch"]),
            (["run", "--implementation", "missing.so"], ["--implementation", "missing.so"]),
            ([*run, "--profile", "atlas-a9"], ["--profile", "atlas-a9", "atlas-a2"]),
            ([*run, "--set", "huge"], ["--set", "huge", "smoke"]),
            ([*run, "--seed", "x"], ["--seed", "'x'"]),
            ([*run, "--cases", "-1"], ["--cases", "'-1'", "at least 1"]),
            ([*run, "--cases", "0"], ["--cases", "'0'"]),
            ([*run, "--stop-after", "0"], ["--stop-after", "'0'"]),
            ([*run, "--jobs", "none"], ["--jobs", "'none'"]),
            ([*run, "--device", "0,x"], ["--device", "'0,x'", "device numbers"]),
            (["doctor", "--device", "1,1"], ["--device", "twice"]),
            (["doctor", "--implementation", "nosuch"], ["--implementation", "nosuch"]),
            (["doctor", "--profile", "a2"], ["--profile", "atlas-a2"]),
            (["doctor", "--json", "none/d.json"], ["--json", "none"]),
            ([*run, "--deadline", "60"], ["--deadline", "'60'", "60s"]),
            ([*run, "--deadline", "0s"], ["--deadline", "'0s'"]),
            ([*run, "--case-file", "none.json"], ["--case-file", "none.json"]),
            ([*run, "--case-file", "bad.json"], ["--case-file", "bad.json"]),
            ([*run, "--case-file", "."], ["--case-file", "'.'"]),
            (["run", "--implementation", "reference", "--json", "none/r.json"], ["--json", "none"]),
            (["run", "--implementation", "reference", "--json", "."], ["--json", "folder"]),
            ([*run, "--unheard-of"], ["--unheard-of"]),
            ([*run, "--shard", "2/2"], ["--shard", "'2/2'"]),
            ([*run, "--shard", "1"], ["--shard", "'1'", "I/N"]),
            ([*run, "--plan", "none.json"], ["--plan", "none.json"]),
            ([*run, "--plan", "bad.json"], ["--plan", "bad.json"]),
            ([*run, "--journal", "none/j"], ["journal", "none/j"]),
            (["plan", "-o", "p.json"], ["--shards"]),
            (["plan", "--shards", "0", "-o", "p.json"], ["--shards", "'0'"]),
            (["plan", "--shards", "2", "--time", "5s", "-o", "p.json"], ["--time", "--campaign"]),
            (["merge", "none.json"], ["none.json"]),
            (["merge", "bad.json"], ["bad.json"]),
            (["merge"], ["shard"]),
            (["fuzz", "--implementation", "reference"], ["--corpus"]),
            ([*run, "--waivers", "w.json"], ["--waivers", "w.json"]),
            ([*run, "--junit", "none/j.xml"], ["--junit", "none"]),
            ([*run, "--html", "."], ["--html", "folder"]),
            ([*run, "--markdown", "bad.json/m.md"], ["--markdown", "bad.json"]),
            ([*run, "--markdown", "-", "--html", "-"], ["--markdown", "'-'", "--html"]),
            ([*run, "--junit", "r.json"], ["--junit", "r.json", "--json"]),
            (["replay", "--implementation", "reference", "pp1:nonsense"], ["nonsense"]),
            (["replay", "--implementation", "reference", "none.json"], ["none.json"]),
            (["replay", "--implementation", "reference", GUARDED], ["guard needs one thread"]),
            (["replay", "--implementation", "reference", GUARDED_JSON], ["guard needs one thread"]),
            (["replay", "--implementation", "reference"], ["case"]),
            (["probe"], ["--implementation"]),
            (["list", "things"], ["things", "operators"]),
            (["list", "profiles", "--seed", "1"], ["--seed"]),
            (["list", "operators", "--edition", "seeds"], ["--edition", "list clauses"]),
            (["explain", "AMP3-B30", "--edition", "seeds"], ["AMP3-B30"]),
            ([*run, "--edition", "seed"], ["--edition", "'seed'", "did you mean seeds"]),
            (["explain", "MP3-B99"], ["MP3-B99", "did you mean"]),
            (["explain", "quux"], ["quux", "list clauses"]),
        ]
        for arguments, words in rows:
            with self.subTest(arguments=arguments):
                self.expect_refused(2, words, *arguments)
                self.assertEqual([path.name for path in self.folder.iterdir()], ["bad.json"])

    def test_a_plan_that_cannot_be_carried_out_in_a_case_file(self):
        for text in [GUARDED + "\n", GUARDED_JSON]:
            (self.folder / "cases").write_text(text)
            self.expect_refused(2, ["--case-file", "cases", "guard needs one thread"],
                                "run", "--implementation", "reference", "--case-file", "cases")

    def test_unusable_library_is_exit_3(self):
        (self.folder / "text.so").write_text("no library")
        libc = next(line.split()[2] for line in subprocess.run(
            ["ldd", PROGRAM], capture_output=True, text=True).stdout.splitlines() if "libm.so" in line)
        for library in [str(self.folder / "text.so"), libc]:
            for verb in [["run", "--json", "r.json"], ["probe"]]:
                with self.subTest(library=library, verb=verb):
                    self.expect_refused(3, [], verb[0], "--implementation", library, *verb[1:])
        self.assertEqual([path.name for path in self.folder.iterdir()], ["text.so"])

    def test_soc_of_another_profile_is_exit_3(self):
        manifest = {"schema": "poolproof-manifest/1", "name": "fixed soc",
                    "libraries": [str(pathlib.Path(PROGRAM).parents[1] / "lib/libpoolproof_reference.so")],
                    "environment": {"*": {"POOLPROOF_SOC_NAME": "Ascend910B3"}}}
        (self.folder / "m.json").write_text(json.dumps(manifest))
        self.expect_refused(3, ["--profile", "atlas-a3", "atlas-a2"], "run", "--implementation",
                            "m.json", "--profile", "atlas-a3", "--json", "r.json")
        self.assertEqual([path.name for path in self.folder.iterdir()], ["m.json"])

    def test_help_and_version(self):
        for verb in [[], ["run"], ["fuzz"], ["plan"], ["merge"], ["corpus"], ["corpus", "merge"], ["replay"], ["export"], ["probe"], ["doctor"], ["list"], ["explain"], ["diff"], ["verify"]]:
            result = call(*verb, "--help")
            self.assertEqual((result.returncode, result.stderr), (0, ""), verb)
            self.assertIn(" ".join(["Usage: poolproof", *verb]) + " ", result.stdout)
            self.assertLessEqual(max(map(len, result.stdout.splitlines())), 80, verb)
            if len(verb) == 1:
                self.assertGreaterEqual(result.stdout.count("\n  poolproof " + verb[0] + " "), 2, "two examples")
            judges = verb in [["run"], ["fuzz"], ["merge"]]
            self.assertEqual("0 conformant" in result.stdout, judges or not verb, verb)
        for group in ["Judge:", "Look closer:", "Reports:", "Many machines:"]:
            self.assertIn("\n" + group + "\n", call("--help").stdout)
        first, others = call("run", "--help").stdout.split("\nOptions:\n")
        self.assertEqual(re.findall(r"^  (--[a-z-]+)", first.split("\nFor a first run:\n")[1], re.MULTILINE),
                         ["--implementation", "--set", "--failed", "--json", "--html"])
        self.assertIn("  --profile P", others)
        result = call("--version")
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stdout, r"^poolproof \d+\.\d+\.\d+\nspec .* sha256 [0-9a-f]{64}\n$")

    def test_lists(self):
        clauses = json.loads((ROOT / "conformance/spec/clauses.json").read_text())["clauses"]
        listed = call("list", "clauses").stdout.splitlines()
        self.assertEqual([row.split()[0] for row in listed], [c["id"] for c in clauses])
        self.assertEqual(len(call("list", "operators").stdout.splitlines()), 8)
        self.assertEqual(len(call("list", "profiles").stdout.splitlines()), 6)
        self.assertIn("reference", call("list", "implementations").stdout)
        cases = call("list", "cases", "--set", "smoke", "--filter", "*/status/*").stdout.splitlines()
        self.assertGreater(len(cases), 100)
        for row in cases:
            path, line = row.split("  ", 1)
            self.assertIn("/status/", path)
            self.assertTrue(line.startswith("pp1:"), row)
        again = call("list", "cases", "--set", "smoke", "--filter", "*/status/*").stdout.splitlines()
        self.assertEqual(cases, again)

    def test_explain_every_kind_of_clause(self):
        for clause in ["MP3-S40", "MP3-B02", "AMP2-B04", "2P-07", "SAF-07", "EX-D3", "DD-05"]:
            result = call("explain", clause)
            self.assertEqual((result.returncode, result.stderr), (0, ""), clause)
            self.assertTrue(result.stdout.startswith(clause + "  "), result.stdout)
            self.assertIn("statement", result.stdout)
            if clause.startswith("DD-"):
                self.assertRegex(result.stdout, r"(?m)^reading +\S")

    def test_explain_names_the_edition(self):
        for arguments, words in [
                (["MP3-S40"], r"edition +all"),
                (["AMP3-S14"], r"(?s)required.*edition +newest; --edition seeds has\s+another\s+text"),
                (["AMP3-S14", "--edition", "seeds"], r"(?s)advisory.*edition +seeds; --edition newest has\s+another\s+text"),
                (["AMP3-B30"], r"edition +newest; --edition seeds has no\s+such clause")]:
            result = call("explain", *arguments)
            self.assertEqual((result.returncode, result.stderr), (0, ""), arguments)
            self.assertRegex(result.stdout, words)

    def test_editions_are_judged_apart(self):
        def clauses(*options):
            result = call("run", "--implementation", "optimized", "--profile", "ascend-950", "--set", "smoke",
                          "--filter", "AdaptiveMaxPool2dBackward/status/*", "--json", "-", *options)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            report = json.loads(result.stdout)
            jsonschema.Draft202012Validator(SCHEMA).validate(report)
            return report, {clause["id"]: clause for clause in report["clauses"]}

        newest, today = clauses()
        seeds, printed = clauses("--edition", "seeds")
        self.assertEqual((newest["edition"], seeds["edition"]), ("newest", "seeds"))
        self.assertEqual(today["AMP2-S49"]["verdict"], "not_applicable")
        self.assertEqual(today["AMP2-S10"]["verdict"], "passed")
        self.assertEqual(printed["AMP2-S49"]["verdict"], "passed")
        self.assertEqual(printed["AMP2-S10"]["verdict"], "not_applicable")
        self.assertEqual(today["AMP2-S10"]["edition"], "newest")
        self.assertNotIn("edition", today["MP3-S40"])
        self.assertNotIn("AMP3-B30", printed)

        line = "pp1:AdaptiveMaxPool2dBackward:self=f32[1,4,4];go=[1,2,2]"
        for options, expected in [([], "success"), (["--edition", "seeds"], "error")]:
            result = call("replay", "--implementation", "optimized", "--profile", "ascend-950", line, *options)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            self.assertIn(expected, result.stdout)

    def test_channels_last_shapes_are_shown_as_they_are_passed(self):
        line = "pp1:AdaptiveMaxPool2d:self=f32[1,4,5,3]@NHWC;o=2,2;ix=i64"
        result = call("replay", "--implementation", "optimized", line)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("self        f32 NHWC [1,4,5,3]\n", result.stdout)
        self.assertIn("out         f32 NHWC [1,2,2,3]\n", result.stdout)

    def test_run_writes_a_valid_report(self):
        target = self.folder / "r.json"
        result = call("run", "--implementation", "reference", "--set", "smoke", "--cases", "300",
                      "--seed", "7", "--json", str(target))
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertTrue(result.stdout.startswith("PASSED (300 selected cases)"), result.stdout)
        report = json.loads(target.read_text())
        jsonschema.Draft202012Validator(SCHEMA).validate(report)
        self.assertEqual(report["summary"]["cases"], 300)
        self.assertEqual(report["run"]["seed"], 7)
        self.assertEqual(report["run"]["scope"], "selected")
        self.assertNotIn(str(self.folder), target.read_text())
        self.assertEqual(os.listdir(self.folder), ["r.json"])

    def test_every_format_is_written_from_one_run(self):
        paths = {name: str(self.folder / f"r.{name}") for name in ["json", "junit", "html", "markdown"]}
        result = call("run", "--implementation", "reference", "--set", "smoke", "--cases", "100",
                      *[word for name, path in paths.items() for word in (f"--{name}", path)])
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        texts = {name: pathlib.Path(path).read_text() for name, path in paths.items()}
        root = xml.etree.ElementTree.fromstring(texts["junit"])
        clauses = json.loads(texts["json"])["clauses"]
        self.assertGreater(int(root.get("tests")), len(clauses))
        self.assertEqual((root.get("failures"), root.get("errors")), ("0", "0"))
        self.assertTrue(texts["html"].startswith("<!DOCTYPE html>"))
        self.assertIn("<h1>Passed (100 selected cases)</h1>", texts["html"])
        self.assertTrue(texts["markdown"].startswith("## :white_check_mark: Passed (100 selected cases)"))
        for text in texts.values():
            self.assertNotIn(str(self.folder), text)
        piped = call("run", "--implementation", "reference", "--set", "smoke", "--cases", "20", "--junit", "-")
        self.assertEqual(xml.etree.ElementTree.fromstring(piped.stdout).tag, "testsuites")
        self.assertIn("PASSED (20 selected cases)", piped.stderr)

    def test_json_on_stdout_is_nothing_but_json(self):
        result = call("run", "--implementation", "reference", "--set", "smoke", "--cases", "20", "--json", "-")
        jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(result.stdout))
        self.assertIn("PASSED (20 selected cases)", result.stderr)

    def test_jobs_do_not_change_the_report(self):
        reports = []
        for jobs in ["1", "3"]:
            result = call("run", "--implementation", "optimized", "--set", "smoke", "--filter",
                          "*/protocol/2P-0[1-5]*", "--jobs", jobs, "--json", "-")
            report = json.loads(result.stdout)
            for member in ["argv", "start", "duration_s"]:
                del report["run"][member]
            reports.append(report)
        self.assertEqual(reports[0], reports[1])

    def test_case_files(self):
        lines = self.case_lines(3)
        objects = [{"schema": "poolproof-case/1", "case": line} for line in lines]
        (self.folder / "array.json").write_text(json.dumps(objects))
        (self.folder / "lines.jsonl").write_text("".join(json.dumps(o) + "\n" for o in objects))
        result = call("run", "--implementation", "reference", "--case-file",
                      str(self.folder / "array.json"), "--case-file",
                      str(self.folder / "lines.jsonl"), "--json", "-")
        report = json.loads(result.stdout)
        self.assertEqual(report["summary"]["cases"], 6)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_every_profile_is_judged(self):
        for profile in ["atlas-a2", "atlas-a3", "ascend-950", "atlas-200i-500-a2",
                        "atlas-inference", "atlas-training"]:
            result = call("run", "--implementation", "optimized", "--profile", profile, "--set",
                          "smoke", "--filter", "MaxPool3d*/status/MP3-S4*", "--json", "-")
            self.assertEqual(result.returncode, 0, (profile, result.stderr))
            passed = [clause["id"] for clause in json.loads(result.stdout)["clauses"]
                      if clause["verdict"] == "passed"]
            self.assertTrue({"MP3-S49", "MP3-S45"} & set(passed), (profile, passed))
        # Where nothing is supported, there is nothing to explore.
        self.expect_refused(3, ["atlas-training"], "fuzz", "--implementation", "reference",
                            "--profile", "atlas-training", "--corpus", "found", "--cases", "1")

    def test_nothing_judged_is_exit_4(self):
        # The filter may match in other shards.
        self.assertEqual(call("run", "--implementation", "reference", "--set", "smoke", "--filter", "none", "--shard", "0/2").returncode, 4)

    def test_streams_of_our_libraries_are_held_up(self):
        # Both have the same streams.
        result = call("run", "--implementation", "optimized", "--set", "smoke", "--filter", "*/stream/*", "--json", "-")
        summary = json.loads(result.stdout)["summary"]
        self.assertEqual(result.returncode, 0, result.stderr)
        # A loaded machine may look too late now and then.
        self.assertGreater(summary["passed"], summary["cases"] * 2 // 3)

    def test_replay_accounts_for_a_case(self):
        line = self.case_lines(1)[0]
        result = call("replay", "--implementation", "reference", line)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        for word in ["Expected, by the documents", "Operands", "gradOutput", "phase one 0", "PASSED", "evidence"]:
            self.assertIn(word, result.stdout)
        (self.folder / "case.json").write_text(json.dumps({"schema": "poolproof-case/1", "case": line}))
        (self.folder / "failure.json").write_text(json.dumps({"case_line": line, "message": "any"}))
        for name in ["case.json", "failure.json"]:
            again = call("replay", "--implementation", "reference", str(self.folder / name))
            self.assertEqual(again.returncode, 0, again.stderr)
            self.assertEqual(again.stdout.splitlines()[0], result.stdout.splitlines()[0])

    def test_replay_says_all_that_is_not_the_default(self):
        line = ("pp1:AdaptiveMaxPool2dBackward:self=f32[1,4,4];go=[1,2,2]{8,4,2}+1<40>;ix=i64"
                "|run:late;vary;reuse;repeat=2;shift=64;streams=2;order=fifo;output=zero")
        result = call("replay", "--implementation", "reference", line)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        for words in ["self        f32 ND [1,4,4]\n",
                      "strides [8,4,2] offset 1 storage [40]\n", "i64 ND [1,2,2]\n",
                      "  late ", "  vary ", "  reuse ", "  repeat=2 ", "  shift=64 ", "  streams=2 ",
                      "  order=fifo ", "  output=zero "]:
            self.assertIn(words, result.stdout)
        plain = call("replay", "--implementation", "reference", line.split("|")[0])
        self.assertNotIn("plan:", plain.stdout)

    def test_what_the_suite_waits_is_no_time_of_the_library(self):
        manifest = self.manifest("hasty.json", {})
        told = json.loads(manifest.read_text())
        manifest.write_text(json.dumps({**told, "limits": {"case_s": 0.5}}))
        line = "pp1:AdaptiveMaxPool2dBackward:self=f32[3,6,7]~uniform.1;go=[3,4,5]~exact.1;ix=~window.1|run:"
        for plan in ("settle=900", "repeat=2;settle=400"):
            result = call("replay", "--implementation", str(manifest), line + plan)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_replay_in_process_gives_the_same_account(self):
        for line in self.case_lines(2):
            arguments = ["--implementation", "reference", "--profile", "ascend-950", line]
            accounts = [call("replay", *option, *arguments) for option in ([], ["--in-process"])]
            self.assertEqual([account.returncode for account in accounts], [0, 0], accounts)
            texts = [re.sub(r"\d+ us|[0-9.]+ ms", "TIME", account.stdout) for account in accounts]
            self.assertEqual(texts[0], texts[1])
        self.expect_refused(2, ["--implementation", "none.so"], "replay", "--in-process",
                            "--implementation", "none.so", line)

    def test_probe_gives_no_verdict(self):
        result = call("probe", "--implementation", "reference", "--profile", "ascend-950")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("ascend-950", result.stdout)
        self.assertIn("offered  aclnnMaxPool3dWithArgmaxBackward", result.stdout)

    def manifest(self, name, capabilities):
        library = pathlib.Path(PROGRAM).parent.parent / "lib/libpoolproof_optimized.so"
        path = self.folder / name
        path.write_text(json.dumps({"schema": "poolproof-manifest/1", "libraries": [str(library)],
                                    "capabilities": capabilities}))
        return path

    def test_library_of_one_type_is_conformant_within_what_it_declares(self):
        accepts = {"accepts": "dtype == f32 and index_dtype == i32 and layout == contiguous"}
        ways = [("atlas-a2", accepts)]
        if os.environ.get("POOLPROOF_ALL_WAYS"):
            ways += [("atlas-a2", {"dtypes": ["f32"]}), ("ascend-950", accepts)]
        for profile, capabilities in ways:
            target = self.folder / "r.json"
            manifest = self.manifest("one.json", capabilities)
            result = call("run", "--implementation", str(manifest), "--profile", profile,
                          "--set", "smoke", "--json", str(target))
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            self.assertTrue(result.stdout.startswith("CONFORMANT within its declared capabilities"),
                            result.stdout)
            report = json.loads(target.read_text())
            jsonschema.Draft202012Validator(SCHEMA).validate(report)
            self.assertEqual(report["verdict"], "conformant")
            self.assertEqual(sum(report["within"]["left_out"].values()),
                             report["summary"]["unsupported"])
            verdicts = {clause["id"]: clause["verdict"] for clause in report["clauses"]}
            open_ones = [id for id, verdict in verdicts.items() if verdict == "inconclusive"]
            self.assertEqual(open_ones, [])
            if profile == "atlas-a2":
                self.assertEqual(verdicts["AMP2-S14"], "unsupported")
                self.assertEqual(verdicts["AMP2-C02"], "unsupported")
                self.assertEqual(verdicts["AMP2-S10"], "passed")

    def test_cases_outside_the_declared_capabilities_are_not_asked(self):
        manifest = self.manifest("half.json", {"accepts": {
            "AdaptiveMaxPool2dBackward": "dtype == f16"}})
        line = "pp1:AdaptiveMaxPool2dBackward:self=f32[1,5,5];go=[1,3,3]"
        result = call("replay", "--implementation", str(manifest), line)
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertIn("UNSUPPORTED: outside the declared capabilities: AdaptiveMaxPool2dBackward "
                      "accepts dtype == f16", result.stdout)
        result = call("replay", "--implementation", str(manifest),
                      line.replace("f32", "f16").replace("[1,3,3]", "[1,3]"))
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        bad = self.manifest("bad.json", {"accepts": "dtype == f8"})
        self.expect_refused(2, ["/capabilities/accepts: 'dtype == f8': character 10: 'f8'; expected "
                                "a data type"], "probe", "--implementation", str(bad))

    def test_probe_proposes_a_manifest(self):
        target = self.folder / "proposed.json"
        result = call("probe", "--implementation", "optimized", "--profile", "atlas-a2",
                      "--write-manifest", str(target))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("nothing to declare", result.stdout)
        proposed = json.loads(target.read_text())
        self.assertEqual(proposed["name"], "optimized")
        self.assertNotIn("capabilities", proposed)
        again = call("probe", "--implementation", str(target), "--profile", "atlas-a2")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["proposed.json"])
        self.expect_refused(2, ["--write-manifest"], "probe", "--implementation", "optimized",
                            "--write-manifest", str(self.folder / "none" / "m.json"))

    def test_interrupt_ends_with_a_report(self):
        target = self.folder / "r.json"
        journal = self.folder / "journal"
        running = subprocess.Popen([PROGRAM, "run", "--implementation", "reference", "--set",
                                    "ci", "--json", str(target),
                                    "--journal", str(journal)],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while not journal.exists() or not journal.stat().st_size:
            self.assertIsNone(running.poll())
            time.sleep(0.01)
        running.send_signal(signal.SIGINT)
        talk = running.communicate()[1]
        self.assertIn("poolproof: stopping: finishes the running cases and writes the report", talk)
        report = json.loads(target.read_text())
        jsonschema.Draft202012Validator(SCHEMA).validate(report)
        self.assertEqual(report["run"]["stopped_by"], "interrupt")
        self.assertGreater(report["summary"]["not_run"], 0)
        self.assertIn(running.returncode, [1, 4])


if __name__ == "__main__":
    unittest.main()
