#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the golden reports to the schema, and the schema to being closed and up to date."""

import copy
import json
import pathlib
import sys
import unittest

import jsonschema

ROOT = pathlib.Path(sys.argv.pop()) if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "reports/schema/poolproof-report-1.schema.json").read_text())
WAIVERS = json.loads((ROOT / "reports/schema/poolproof-waivers-1.schema.json").read_text())
GOLDEN = [path for path in sorted((ROOT / "tests/reports/golden").glob("*.json"))
          if path.name.count(".") == 1 and not path.name.startswith("other-")]


class ReportSchema(unittest.TestCase):
    def setUp(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)
        self.validator = jsonschema.Draft202012Validator(SCHEMA)

    def test_golden_reports_are_valid(self):
        self.assertTrue(GOLDEN)
        for path in GOLDEN:
            errors = [e.message for e in self.validator.iter_errors(json.loads(path.read_text()))]
            self.assertEqual(errors, [], path.name)

    def test_unknown_members_are_refused_everywhere(self):
        report = json.loads((ROOT / "tests/reports/golden/waived.json").read_text())
        places = [[], ["tool"], ["environment"], ["implementation"], ["implementation", "probed"],
                  ["run"], ["summary"], ["clauses", 0], ["properties", 0], ["failures", 0], ["failures", 0, "case"],
                  ["failures", 0, "first_mismatch"], ["failures", 0, "mismatches", 0],
                  ["coverage"], ["coverage", "axes", 0], ["coverage", "operators", 0],
                  ["coverage", "operators", 0, "cells", 0], ["discrepancies", 0],
                  ["waivers", 0], ["waivers", 0, "scope"]]
        for place in places:
            changed = copy.deepcopy(report)
            inner = changed
            for step in place:
                inner = inner[step]
            inner["unheard_of"] = 1
            self.assertFalse(self.validator.is_valid(changed), place)

    def test_every_object_is_closed(self):
        def walk(node, path):
            if isinstance(node, dict):
                if node.get("type") == "object" and "$defs" not in path:
                    self.assertIn("additionalProperties", node, path)
                for key, value in node.items():
                    walk(value, path + [key])
            elif isinstance(node, list):
                for index, value in enumerate(node):
                    walk(value, path + [index])

        walk(SCHEMA, [])

    def test_a_waiver_in_a_report_is_the_one_of_the_file(self):
        file = WAIVERS["properties"]["waivers"]["items"]["properties"]
        report = SCHEMA["properties"]["waivers"]["items"]["properties"]
        self.assertEqual({name: report[name] for name in file}, file)

    def test_bundled_case_schema_is_the_checked_in_one(self):
        case = json.loads((ROOT / "conformance/case/poolproof-case-1.schema.json").read_text())
        self.assertEqual(SCHEMA["$defs"]["poolproof-case-1"], case)

    def test_profiles_are_those_of_the_spec(self):
        clauses = json.loads((ROOT / "conformance/spec/clauses.json").read_text())["clauses"]
        profiles = {p for clause in clauses for p in clause.get("profiles") or []}
        self.assertLessEqual(profiles, set(SCHEMA["properties"]["profile"]["enum"]))


if __name__ == "__main__":
    unittest.main()
