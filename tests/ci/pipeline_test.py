#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A pipeline of four shards and a merge, as the templates of ci/ describe it: green for a conformant
library; for a faulty one the merge fails, and no other job."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import yaml
except ImportError:
    yaml = None

CI = pathlib.Path(sys.argv.pop())
FAKE = sys.argv.pop()  # a library with faults
PROGRAM = sys.argv.pop()


@unittest.skipIf(yaml is None, "python3-yaml is not installed")
class PipelineTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        # Few cases, since a faulty library takes long; a configuration file says so to all jobs.
        self.select("MP3-S40/length-*-f32-*")

    def select(self, cases):
        (self.folder / "poolproof.toml").write_text(f'[run]\nfilter = "MaxPool3d*/status/{cases}"\n')

    def job(self, script, variables):
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("POOLPROOF", "GITHUB", "CI_"))}
        environment |= {"POOLPROOF": PROGRAM, **variables}
        result = subprocess.run(["bash", "-c", script], cwd=self.folder, env=environment, text=True,
                                capture_output=True, timeout=1200, stdin=subprocess.DEVNULL)
        return result.returncode, result.stdout + result.stderr

    def gitlab(self, implementation, shards=4):
        """Exit statuses of the shards' jobs and of the merge's."""
        jobs = yaml.safe_load((CI / "gitlab.yml").read_text())
        shard, merge = jobs[".poolproof-shard"], jobs[".poolproof-merge"]
        own = {"POOLPROOF_SCRIPT": str(CI / "poolproof.sh"), "POOLPROOF_SET": "smoke"}
        statuses = []
        for index in range(1, shards + 1):
            status, _ = self.job("\n".join(shard["script"]), {
                **shard["variables"], **own, "POOLPROOF_IMPLEMENTATION": implementation,
                "CI_NODE_INDEX": str(index), "CI_NODE_TOTAL": str(shard["parallel"])})
            statuses.append(status)
        status, text = self.job("\n".join(merge["script"]), {**merge["variables"], **own})
        for path in merge["artifacts"]["reports"].values():
            self.assertTrue((self.folder / path).is_file(), path)
        return statuses, status, text

    def test_a_conformant_library_is_green(self):
        self.assertEqual(self.gitlab("reference")[:2], ([0, 0, 0, 0], 0))

    def test_of_a_faulty_library_the_merge_alone_fails(self):
        shards, merge, _ = self.gitlab(FAKE)
        self.assertEqual((shards, merge), ([0, 0, 0, 0], 1))
        entries = json.loads((self.folder / "poolproof-reports/poolproof.code-quality.json").read_text())
        self.assertTrue(entries)
        for entry in entries:
            self.assertEqual(set(entry), {"description", "check_name", "fingerprint", "severity", "location"})
            self.assertIn(entry["severity"], ["info", "minor", "major", "critical", "blocker"])
        self.assertEqual(len({entry["fingerprint"] for entry in entries}), len(entries))
        sarif = json.loads((self.folder / "poolproof-reports/poolproof.sarif").read_text())
        self.assertEqual([result["partialFingerprints"]["poolproofKind/v1"] for result in sarif["runs"][0]["results"]
                          if "suppressions" not in result], [entry["fingerprint"] for entry in entries])
        _, text = self.job(str(CI / "poolproof-merge.sh"), {"GITHUB_ACTIONS": "true"})
        self.assertRegex(text, r"(?m)^::error title=[^:]*failed in [0-9,]+ cases?::")

        # What is known does not fail where there is a baseline.
        baseline = self.folder / "baseline.json"
        (self.folder / "poolproof-reports/poolproof.json").rename(baseline)
        status, text = self.job(str(CI / "poolproof-merge.sh"), {"POOLPROOF_BASELINE": str(baseline)})
        self.assertEqual(status, 0, text)

    def test_a_shard_that_is_missing_is_no_pass(self):
        self.select("MP3-S4*")  # some for each shard
        _, merge, text = self.gitlab("reference", shards=3)
        self.assertEqual(merge, 4, text)
        self.assertIn("3 of 4", text)

    def test_a_shard_that_cannot_be_judged_fails_itself(self):
        status, text = self.job(str(CI / "poolproof-shard.sh"), {"POOLPROOF_IMPLEMENTATION": "nosuch", "POOLPROOF_SHARD": "0/4"})
        self.assertEqual(status, 2, text)
        self.assertEqual(self.job(str(CI / "poolproof-shard.sh"), {})[0], 2)
        self.assertEqual(self.job(str(CI / "poolproof-merge.sh"), {})[0], 2)

    def test_the_workflow_has_a_job_for_each_shard_of_the_merge(self):
        workflow = yaml.safe_load((CI / "github.yml").read_text())
        shard, merge = workflow["jobs"]["shard"], workflow["jobs"]["merge"]
        numbers = shard["strategy"]["matrix"]["shard"]
        judge = next(step for step in shard["steps"] if step.get("name") == "Judge")
        self.assertNotIn("${{", judge["run"], "inputs must not become script text")
        self.assertEqual(merge["if"], "always()")
        for number in numbers:
            name = judge["env"]["POOLPROOF_SHARD"].replace("${{ matrix.shard }}", str(number))
            status, text = self.job(judge["run"].replace("ci/", f"{CI}/"), {
                "POOLPROOF_IMPLEMENTATION": "reference", "POOLPROOF_SET": "smoke", "POOLPROOF_SHARD": name})
            self.assertEqual(status, 0, text)
        run = next(step for step in merge["steps"] if step.get("name") == "Merge")["run"]
        status, text = self.job(run.replace("ci/", f"{CI}/"), {})
        self.assertEqual(status, 0, text)


if __name__ == "__main__":
    unittest.main()
