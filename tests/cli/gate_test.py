#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What happens to a library with known faults in CI: --gate new beside a baseline, and waivers that are
suggested, checked and used."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import jsonschema

from error_lines import error_lines

ROOT = pathlib.Path(sys.argv.pop())
FAKE = sys.argv.pop()  # a library with faults
PROGRAM = sys.argv.pop()
# One case of one clause, and one more of another: the search for causes costs seconds for each kind of failure.
REPORT = json.loads((ROOT / "reports/schema/poolproof-report-1.schema.json").read_text())
WAIVERS = json.loads((ROOT / "reports/schema/poolproof-waivers-1.schema.json").read_text())
KNOWN = ["--implementation", FAKE, "--set", "smoke", "--filter", "MaxPool3d*/status/MP3-S40/length-0-f32-*"]
MORE = ["--implementation", FAKE, "--set", "smoke", "--filter", "MaxPool3d*/status/MP3-S4[03]/*-0-f32-i32-batched-*"]


# A shard's failures are shrunk, but their causes are left to the merge: what is not about causes judges one.
SHARD = ["--shard", "0/2"]


class GateTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """known.json and more.json: reports of what several tests begin with."""
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.reports = pathlib.Path(holder.name)
        for name, cases in (("known.json", KNOWN), ("more.json", MORE)):
            result = subprocess.run([PROGRAM, "run", *cases, *SHARD, "--json", cls.reports / name], capture_output=True, text=True,
                                    timeout=1200, stdin=subprocess.DEVNULL)
            assert result.returncode == 1, result.stdout + result.stderr

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        for report in self.reports.iterdir():
            shutil.copy(report, self.folder)

    def call(self, status, *arguments):
        result = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, cwd=self.folder,
                                timeout=1200, stdin=subprocess.DEVNULL)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return result

    def report(self, name):
        report = json.loads((self.folder / name).read_text())
        jsonschema.validate(report, REPORT)
        return report

    def test_known_failures_pass_the_gate_and_new_ones_do_not(self):
        again = self.call(0, "run", *KNOWN, "--gate", "new", "--baseline", "known.json", "--json", "r.json",
                          "--junit", "r.xml", "--html", "r.html", "--in-toto", "t.json")
        self.assertIn("NONCONFORMANT, nothing new", again.stdout.splitlines()[0])
        report = self.report("r.json")
        self.assertEqual(report["verdict"], "nonconformant", "a baseline changes no verdict")
        self.assertEqual((report["gate"]["result"], report["gate"]["exit_status"]), ("passed", 0))
        self.assertEqual(report["gate"]["baseline"]["new_clauses"], [])
        self.assertNotIn("<failure", (self.folder / "r.xml").read_text())
        self.assertIn("did not fail in the baseline", (self.folder / "r.html").read_text())
        self.assertEqual(json.loads((self.folder / "t.json").read_text())["predicate"]["result"], "FAILED",
                         "what is said to others knows no baseline")
        self.call(0, "verify", "r.json")

        more = self.call(1, "run", *MORE, *SHARD, "--gate", "new", "--baseline", "known.json", "--json", "m.json",
                         "--junit", "m.xml")
        self.assertIn("New since the baseline: failed clauses MP3-S43", more.stdout)
        gate = self.report("m.json")["gate"]
        self.assertEqual((gate["result"], gate["exit_status"]), ("failed", 1))
        self.assertIn("MP3-S43", gate["baseline"]["new_clauses"])
        self.assertTrue(gate["baseline"]["new_signatures"])
        self.assertIn("MP3-S43", gate["reasons"][0])

        matrix = self.call(0, "matrix", "known.json", "m.json", "--html", "matrix.html")
        rows = {line.split()[0]: line.split()[1:3] for line in matrix.stdout.splitlines() if line.startswith("MP3-")}
        self.assertEqual(rows["MP3-S40"], ["FAILED", "FAILED"])
        self.assertEqual(rows["MP3-S43"][1], "FAILED")
        self.assertNotIn("MP3-S44", rows, "no failure, and the same in both")
        self.assertRegex(matrix.stdout, r"required failed +\d+ +\d+")
        page = (self.folder / "matrix.html").read_text()
        for word in ['href="known.json"', 'href="m.json"', "MP3-S43", "MP3-S44", "Trend"]:
            self.assertIn(word, page)
        self.assertNotIn("<script", page)

    def test_the_options_are_refused_in_one_line(self):
        (self.folder / "bad.json").write_text("{}")
        for arguments, words in [(["--gate", "old"], "--gate: 'old' is unknown"),
                                 (["--gate", "new"], "--gate new: needs --baseline"),
                                 (["--baseline", "bad.json"], "--baseline: needs --gate new"),
                                 (["--gate", "new", "--baseline", "none.json"], "none.json"),
                                 (["--gate", "new", "--baseline", "bad.json"], "--baseline: bad.json: ")]:
            with self.subTest(arguments):
                result = self.call(2, "run", *KNOWN, *arguments)
                self.assertEqual((result.stdout, len(error_lines(result))), ("", 1))
                self.assertIn(words, result.stderr)

    def test_suggested_waivers_cover_the_failures_and_no_more(self):
        self.call(0, "waivers", "suggest", "more.json", "--expires", "2026-12-31", "-o", "w.json")
        waivers = json.loads((self.folder / "w.json").read_text())
        jsonschema.validate(waivers, WAIVERS)
        for waiver in waivers["waivers"]:
            self.assertIn("operator == MaxPool3dWithArgmaxBackward", waiver["scope"]["cases"])
            self.assertEqual(waiver["expires"], "2026-12-31")
        report = self.report("more.json")
        required = {f["signature"] for f in report["failures"] if not f["advisory"]}
        self.assertEqual(len(waivers["waivers"]), len(required))

        # They are not to be used as they are, but they fit.
        checked = self.call(1, "waivers", "check", "w.json", "--report", "more.json", "--today", "2026-06-01")
        self.assertEqual(checked.stdout.count("placeholders to fill in: owner, reason, link"), len(required), "one line each")
        self.assertNotIn("no failing case", checked.stdout)
        self.assertNotIn("no waiver waives", checked.stdout)
        for waiver in waivers["waivers"]:
            waiver.update(owner="o", reason="r", link="https://example.org/1")
        (self.folder / "w.json").write_text(json.dumps(waivers))
        self.call(0, "waivers", "check", "w.json", "--report", "more.json", "--today", "2026-06-01")
        self.call(0, "run", *MORE, "--waivers", "w.json", "--today", "2026-06-01", "--json", "green.json")
        self.assertEqual(self.report("green.json")["gate"]["exit_status"], 0)
        nothing = self.call(2, "waivers", "suggest", "green.json")
        self.assertIn("no case fails a required clause without a waiver", nothing.stderr)

        # One kind without its waiver is seen.
        (self.folder / "one.json").write_text(json.dumps({**waivers, "waivers": waivers["waivers"][1:]}))
        self.call(1, "run", *MORE, *SHARD, "--waivers", "one.json", "--today", "2026-06-01")
        self.assertIn("that no waiver waives",
                      self.call(0, "waivers", "check", "one.json", "--report", "more.json", "--today", "2026-06-01").stdout)

    def test_what_waivers_check_finds(self):
        waiver = {"id": "X-1", "owner": "o", "reason": "r", "link": "https://example.org/1",
                  "scope": {"clauses": ["MP3-B02"]}, "signature": "*", "expires": "2026-06-30"}
        (self.folder / "w.json").write_text(json.dumps({"schema": "poolproof-waivers/1", "waivers": [waiver]}))
        self.assertIn("1 waiver, 0 problems, 0 warnings",
                      self.call(0, "waivers", "check", "w.json", "--today", "2026-06-16").stdout)
        self.assertIn("X-1: warning: expires on 2026-06-30, in 13 days",
                      self.call(0, "waivers", "check", "w.json", "--today", "2026-06-17").stdout)
        self.assertIn("X-1: expired on 2026-06-30",
                      self.call(1, "waivers", "check", "w.json", "--today", "2026-07-01").stdout)
        self.assertIn("X-1: matches no failing case of the report",
                      self.call(1, "waivers", "check", "w.json", "--report", "known.json", "--today", "2026-06-01").stdout)
        (self.folder / "w.json").write_text(json.dumps({"schema": "poolproof-waivers/1", "waivers": [
            {**waiver, "scope": {"cases": "dtpe == f16"}}]}))
        wrong = self.call(2, "waivers", "check", "w.json")
        self.assertEqual((wrong.stdout, len(error_lines(wrong))), ("", 1))
        self.assertIn("/waivers/0/scope/cases: character 1: 'dtpe", wrong.stderr)


if __name__ == "__main__":
    unittest.main()
