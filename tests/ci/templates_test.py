#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The CI templates: the shell snippet is run, as itself and as the YAML files call it."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

try:
    import yaml
except ImportError:
    yaml = None

CI = pathlib.Path(sys.argv.pop())
PROGRAM = sys.argv.pop()
NAMES = ["poolproof.code-quality.json", "poolproof.github.txt", "poolproof.html", "poolproof.json", "poolproof.junit.xml", "poolproof.md",
         "poolproof.sarif"]


class TemplatesTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        # Few cases: what is judged is the same for all jobs. One test takes them all on request.
        (self.folder / "poolproof.toml").write_text('[run]\nfilter = "MaxPool3d*/corpus/*"\n')

    def run_shell(self, command, **variables):
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("POOLPROOF", "GITHUB"))}
        environment |= {"POOLPROOF": PROGRAM, **variables}
        return subprocess.run(["bash", "-c", command], cwd=self.folder, env=environment, text=True,
                              capture_output=True, timeout=1200, stdin=subprocess.DEVNULL)

    def expect_reports(self):
        folder = self.folder / "poolproof-reports"
        self.assertEqual(sorted(path.name for path in folder.iterdir()), NAMES)
        xml.etree.ElementTree.parse(folder / "poolproof.junit.xml")

    def test_the_gate_opens_for_a_conformant_library(self):
        whole = bool(os.environ.get("POOLPROOF_ALL_WAYS"))
        if whole:
            (self.folder / "poolproof.toml").unlink()
        result = self.run_shell(str(CI / "poolproof.sh"), POOLPROOF_IMPLEMENTATION="reference",
                                POOLPROOF_SET="smoke", GITHUB_STEP_SUMMARY=str(self.folder / "s.md"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.expect_reports()
        self.assertIn("Conformant" if whole else "Passed", (self.folder / "s.md").read_text())

    def test_the_status_of_the_run_is_the_gate(self):
        waivers = self.folder / "w.json"
        waivers.write_text('{"schema": "poolproof-waivers/1", "waivers": [{"id": "a", "owner": "o", "reason": "r",'
                           '"link": "https://l", "scope": {"clauses": ["MP3-B01"]}, "signature": "*", "expires": "2020-01-01"}]}')
        result = self.run_shell(str(CI / "poolproof.sh"), POOLPROOF_IMPLEMENTATION="reference",
                                POOLPROOF_SET="smoke", POOLPROOF_WAIVERS="w.json")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.expect_reports()

    def test_bad_use_closes_the_gate_and_leaves_nothing_old(self):
        old = self.folder / "poolproof-reports"
        old.mkdir()
        for name in NAMES:
            (old / name).write_text("old")
        result = self.run_shell(str(CI / "poolproof.sh"), POOLPROOF_IMPLEMENTATION="nosuch")
        self.assertEqual(result.returncode, 2)
        self.assertEqual(list(old.iterdir()), [])
        result = self.run_shell(str(CI / "poolproof.sh"))
        self.assertEqual(result.returncode, 2, "1 would be nonconformant")
        self.assertIn("set POOLPROOF_IMPLEMENTATION to what is judged", result.stderr)

    @unittest.skipIf(yaml is None, "python3-yaml is not installed")
    def test_the_action_gates_and_publishes(self):
        action = yaml.safe_load((CI / "action.yml").read_text())
        self.assertEqual(action["runs"]["using"], "composite")
        judge, publish = action["runs"]["steps"]
        self.assertEqual(publish["if"], "always()")
        self.assertNotIn("${{", judge["run"], "inputs must not become script text")
        values = {name: spec.get("default", "reference") for name, spec in action["inputs"].items()}
        values |= {"set": "smoke", "program": PROGRAM}
        variables = {name: values[text[len("${{ inputs."):-len(" }}")]] for name, text in judge["env"].items()}
        result = self.run_shell(judge["run"], GITHUB_ACTION_PATH=str(CI), **variables)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.expect_reports()
        self.assertNotIn("continue-on-error", judge)

    @unittest.skipIf(yaml is None, "python3-yaml is not installed")
    def test_the_gitlab_job_gates_and_publishes(self):
        job = yaml.safe_load((CI / "gitlab.yml").read_text())[".poolproof"]
        self.assertEqual(job["artifacts"]["when"], "always")
        self.assertNotIn("allow_failure", job)
        variables = {**job["variables"], "POOLPROOF_SET": "smoke", "POOLPROOF_IMPLEMENTATION": "reference",
                     "POOLPROOF_SCRIPT": str(CI / "poolproof.sh")}
        result = self.run_shell("\n".join(job["script"]), **variables)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.expect_reports()
        self.assertTrue((self.folder / job["artifacts"]["reports"]["junit"]).is_file())


if __name__ == "__main__":
    unittest.main()
