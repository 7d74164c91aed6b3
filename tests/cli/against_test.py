#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run --against: how results differ that are right in several libraries, and that it changes nothing else."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import jsonschema

from error_lines import error_lines

PROGRAM, FAKE, ROOT, LIBRARIES = sys.argv[1:5]  # FAKE: a library with faults
del sys.argv[1:5]
SCHEMA = json.loads((pathlib.Path(ROOT) / "reports/schema/poolproof-report-1.schema.json").read_text())
CORPUS = ["--set", "smoke", "--filter", "MaxPool3dWithArgmaxBackward/corpus/*"]


class AgainstTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def call(self, status, *arguments):
        result = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, cwd=self.folder,
                                timeout=1200, stdin=subprocess.DEVNULL)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return result

    def report(self, status, implementation, *arguments):
        result = self.call(status, "run", "--implementation", implementation, *arguments, "--json", "r.json")
        report = json.loads((self.folder / "r.json").read_text())
        jsonschema.validate(report, SCHEMA)
        for library in report.get("differences", []):
            counted = library["same"] + library["not_compared"] + sum(kind["cases"] for kind in library["kinds"])
            self.assertEqual(counted, library["cases"])
        return result, report

    def kinds(self, library):
        return {kind["kind"]: kind for kind in library["kinds"]}


class Usual(AgainstTest):
    def test_the_verdict_and_the_rest_of_the_report_are_those_of_a_run_without_it(self):
        _, alone = self.report(0, "reference", *CORPUS)
        result, report = self.report(0, "reference", *CORPUS, "--against", f"optimized,{FAKE}", "--jobs", 1,
                                     "--html", "r.html", "--markdown", "r.md")
        _, again = self.report(0, "reference", *CORPUS, "--against", f"optimized,{FAKE}", "--jobs", 3)
        self.assertEqual(report["differences"], again["differences"])
        differences = report.pop("differences")
        self.assertNotIn("differences", alone)
        for one in (alone, report):
            for varying in ("argv", "start", "duration_s"):
                del one["run"][varying]
        self.assertEqual(report, alone)

        optimized, fake = differences
        self.assertEqual((optimized["name"], fake["name"]), ("optimized", "libfake_full.so"))
        self.assertLessEqual(set(self.kinds(optimized)), {"nan"}, "both add in the same order")
        self.assertGreater(optimized["same"], 300)
        self.assertEqual(list(self.kinds(fake)), ["fails"])
        fails = self.kinds(fake)["fails"]
        self.assertGreater(fails["cases"], 100)
        self.call(1, "replay", "--implementation", FAKE, fails["case_line"])
        self.call(0, "replay", "--implementation", "reference", fails["case_line"])

        self.assertIn(f"libfake_full.so: the same bits in {fake['same']} of {fake['cases']} cases that reference answers rightly",
                      result.stdout)
        self.assertIn(f"{fails['cases']}: fails, MaxPool3dWithArgmaxBackward; the smallest:\n"
                      f"      '{fails['case_line']}'", result.stdout)
        for page in ("r.html", "r.md"):
            self.assertIn(fails["case_line"], (self.folder / page).read_text())
        self.call(0, "verify", "r.json")

    def test_a_library_that_fails_keeps_its_exit_status(self):
        _, report = self.report(1, FAKE, "--set", "smoke", "--filter", "MaxPool3d*/status/MP3-S40/length-0-f32-*",
                                "--against", "reference")
        self.assertEqual(report["verdict"], "nonconformant")
        self.assertEqual(report["differences"], [{"name": "reference", "cases": 0, "same": 0, "not_compared": 0, "kinds": []}])

    def test_what_does_not_work_is_refused_before_anything_is_judged(self):
        (self.folder / "text.so").write_text("no library")
        run = ["run", "--implementation", "reference", *CORPUS, "--json", "r.json"]
        for status, arguments, words in [
                (2, ["nope"], "--against 'nope': neither reference, optimized nor cann"),
                (2, ["nope.so"], "--against 'nope.so': no such file"),
                (2, ["nope.json"], "--against: manifest 'nope.json': no such file"),
                (2, ["optimized,"], "--against '': a library's path is empty"),
                (3, ["optimized,./text.so"], "--against: implementation 'text.so' cannot be opened"),
                (2, ["optimized", "--shard", "0/2"], "--against: cannot be combined with --shard"),
                (2, ["optimized", "--journal", "j"], "--against: cannot be combined with --journal")]:
            with self.subTest(arguments):
                result = self.call(status, *run, "--against", *arguments)
                self.assertEqual((result.stdout, len(error_lines(result))), ("", 1), result.stderr)
                self.assertIn(words, result.stderr)
                self.assertFalse((self.folder / "r.json").exists())


class Mutants(AgainstTest):
    def mutant(self, name, library="libpoolproof_mutants.so"):
        (self.folder / f"{name}.json").write_text(json.dumps({
            "schema": "poolproof-manifest/1", "name": name, "libraries": [str(pathlib.Path(LIBRARIES) / library)],
            "environment": {"*": {"POOLPROOF_MUTANT": name}}}))
        return f"{name}.json"

    def test_each_legal_library_differs_in_its_own_way(self):
        # What tells it from the reference; all of them make other NaNs, and trees other zeros.
        kinds = {"legal_reverse_order": "values", "legal_tree_sum": "values", "legal_flush_to_zero": "subnormals",
                 "legal_minus_zero_kept": "sign-of-zero", "last_writer_wins": "fails"}
        _, report = self.report(0, "reference", "--set", "smoke", "--filter", "MaxPool3dWithArgmaxBackward/*",
                                "--against", ",".join(map(self.mutant, kinds)))
        for library in report["differences"]:
            with self.subTest(library["name"]):
                found = self.kinds(library)
                self.assertIn(kinds[library["name"]], found)
                if library["name"].startswith("legal_") and library["name"] != "legal_tree_sum":
                    self.assertLessEqual(set(found), {kinds[library["name"]], "nan"})
                self.assertGreater(library["same"], 500)
                line = found[kinds[library["name"]]]["case_line"]
                status = 1 if kinds[library["name"]] == "fails" else 0
                self.call(status, "replay", "--implementation", f"{library['name']}.json", line)

    def test_ties_of_forwards(self):
        other = self.mutant("legal_forward_last_tie", "libpoolproof_mutants_forwards.so")
        _, report = self.report(0, "reference", "--set", "smoke", "--filter", "MaxPool3dWithArgmax/*", "--against", other)
        self.assertIn("indices", self.kinds(report["differences"][0]))


if __name__ == "__main__":
    unittest.main()
