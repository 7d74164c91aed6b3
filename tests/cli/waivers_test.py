#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run --waivers, as a gate sees it: exit statuses, states, and the example of docs/waivers.md."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import jsonschema

from error_lines import error_lines

ROOT = pathlib.Path(sys.argv.pop())
FAKE = sys.argv.pop()  # a library with faults
PROGRAM = sys.argv.pop()
SCHEMA = json.loads((ROOT / "reports/schema/poolproof-waivers-1.schema.json").read_text())
REPORT = json.loads((ROOT / "reports/schema/poolproof-report-1.schema.json").read_text())
EXAMPLE = re.search(r"```json\n(.*?)```", (ROOT / "docs/waivers.md").read_text(), re.S).group(1)


class WaiversTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def run_with(self, status, waivers, *arguments):
        """The report of a run with these waivers, which must end so."""
        jsonschema.validate(waivers, SCHEMA)
        (self.folder / "waivers.json").write_text(json.dumps(waivers))
        result = subprocess.run([PROGRAM, "run", "--set", "smoke", "--waivers", "waivers.json",
                                 "--json", "r.json", *arguments], capture_output=True, text=True,
                                cwd=self.folder, timeout=1200, stdin=subprocess.DEVNULL)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        report = json.loads((self.folder / "r.json").read_text())
        jsonschema.validate(report, REPORT)
        return report

    def of_fake(self, status, *changes, options=()):
        """A run of failing cases, with waivers by the clauses that they breach: one for each of changes."""
        waivers = [{"id": f"X-{i + 1}", "owner": "o", "reason": "r", "link": "https://example.org/1",
                    "scope": {"clauses": ["MP3-S45", "2P-02"]}, "signature": "*",
                    "expires": "2026-06-30", **change} for i, change in enumerate(changes)]
        return self.run_with(status, {"schema": "poolproof-waivers/1", "waivers": waivers},
                             "--implementation", FAKE, "--filter", "MaxPool3d*/status/MP3-S45/h-minus-1-f*", *options,
                             "--today", "2026-06-30")

    def test_a_waiver_changes_the_exit_status_and_no_verdict(self):
        report = self.of_fake(0, {})
        self.assertEqual(report["verdict"], "nonconformant")
        summary = report["summary"]
        failing = summary["failed"] + summary["crashed"] + summary["timed_out"]
        self.assertGreater(failing, 0)
        self.assertEqual(summary["waived"], failing)
        self.assertEqual(report["waivers"][0]["state"], "used")
        for failure in report["failures"]:
            self.assertEqual(failure["waived_by"], ["X-1"])

    def test_what_does_not_fit_waives_nothing(self):
        rows = [({"signature": "*:growth:*"}, "unmatched"),
                ({"scope": {"clauses": ["MP3-S44"]}}, "undecided"),
                ({"scope": {"cases": "rank == 3"}}, "undecided"),
                ({"scope": {"clauses": ["MP3-S45"], "profiles": ["atlas-a3"]}}, "out-of-scope"),
                ({"expires": "2026-06-29"}, "expired")]
        # Causes are not searched for in a shard.
        report = self.of_fake(1, *(changes for changes, _ in rows), options=("--shard", "0/2"))
        self.assertEqual([waiver["state"] for waiver in report["waivers"]], [state for _, state in rows])
        self.assertEqual(report["summary"]["waived"], 0)

    def test_the_example_of_the_document(self):
        example = json.loads(EXAMPLE)
        # Two failures, of which it waives the first: one of values, and one of a call that is not in order.
        listed = [subprocess.run([PROGRAM, "list", "cases", "--set", "smoke", "--filter", f"MaxPool3d*/{cases}"],
                                 capture_output=True, text=True, check=True).stdout
                  for cases in ("table/axis-h-i3k3s1p0-floor", "status/MP3-S40/length-0-f32-i32-batched-contiguous")]
        (self.folder / "cases.txt").write_text("".join(line.split("  ", 1)[1] for line in listed))
        report = self.run_with(1, example, "--implementation", FAKE, "--case-file", "cases.txt", "--today", "2026-12-31")
        self.assertEqual(report["waivers"][0]["state"], "used")
        self.assertEqual((report["summary"]["failed"], report["summary"]["waived"]), (2, 1))
        report = self.run_with(0, example, "--implementation", "reference", "--case-file", "cases.txt")
        self.assertEqual(report["waivers"][0]["state"], "out-of-scope")

    @unittest.skipUnless(os.environ.get("POOLPROOF_ALL_WAYS"), "a whole run: cli.waivers_passing")
    def test_waivers_of_what_passes_fail_a_conformant_run(self):
        example = json.loads(EXAMPLE)
        del example["waivers"][0]["scope"]["implementation"]
        report = self.run_with(1, example, "--implementation", "reference", "--today", "2026-12-31")
        self.assertEqual(report["verdict"], "conformant")
        self.assertEqual(report["waivers"][0]["state"], "passing")
        self.assertGreater(report["waivers"][0]["passed_fixed"], 0)

    def test_outlived_waivers_fail_a_conformant_run(self):
        example = json.loads(EXAMPLE)
        del example["waivers"][0]["scope"]["implementation"]
        report = self.run_with(1, example, "--implementation", "reference", "--today", "2027-01-01", "--filter",
                               "MaxPool3d*/table/*")
        self.assertEqual(report["waivers"][0]["state"], "expired")

    def test_bad_files_are_one_line_and_exit_2(self):
        for text, words in [("{", "JSON"), ('{"schema": "poolproof-waivers/1"}', "waivers"),
                            (EXAMPLE.replace("2026-12-31", "soon"), "/waivers/0/expires"),
                            (EXAMPLE.replace("MP3-B02", "MP3-B99"), "/waivers/0/scope/clauses/1")]:
            (self.folder / "w.json").write_text(text)
            result = subprocess.run([PROGRAM, "run", "--implementation", "reference", "--waivers",
                                     "w.json"], capture_output=True, text=True, cwd=self.folder)
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertEqual(len(error_lines(result)), 1)
            self.assertIn(words, result.stderr)


if __name__ == "__main__":
    unittest.main()
