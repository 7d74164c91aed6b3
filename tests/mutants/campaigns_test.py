#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the set smoke finds, a campaign finds within two minutes: faults of status clauses, plans, threads, memory, indices
and sizes, each blamed on a clause that is listed with it."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import zoo

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
FAULTS = ["accepts_uint32_indices", "kernel_zero_unchecked", "plane_limit_wraps", "accepts_private_formats",
          "streams_share_scratch", "shape_cache_without_dtype", "leaks_memory", "writes_past_grad_input",
          "out_of_plane_index_writes", "index_through_float", "kernel_cut_to_8_bits",
          "unordered_under_deterministic", "stride_other_than_kernel_refused"]


class CampaignsTest(unittest.TestCase):
    def test_finds_what_smoke_finds(self):
        rows = {row["name"]: row for row in zoo.load(BUILD)["mutants"]}
        for fault in FAULTS:
            row = rows[fault]
            with self.subTest(fault=fault), tempfile.TemporaryDirectory() as scratch:
                manifest = pathlib.Path(scratch) / "m.json"
                manifest.write_text(json.dumps({
                    "schema": "poolproof-manifest/1", "name": fault,
                    "libraries": [str(BUILD / "lib" / f"lib{row['library']}.so")],
                    "environment": {"*": {"POOLPROOF_MUTANT": fault}}}))
                run = subprocess.run([str(BUILD / "bin/poolproof"), "fuzz", "--implementation", str(manifest),
                                      "--profile", row["profile"], "--corpus", f"{scratch}/corpus", "--time", "2m",
                                      "--cases", "10000", "--json", "-"],
                                     capture_output=True, text=True, check=False)
                report = json.loads(run.stdout)
                failed = {clause["id"] for clause in report["clauses"] if clause["verdict"] == "failed"}
                self.assertEqual(run.returncode, 1, run.stderr)
                self.assertTrue(failed & set(row["clauses"]), f"{failed} of {row['clauses']}")
                self.assertRegex(run.stderr, r"its cases judged \d+ of \d+ clauses")


if __name__ == "__main__":
    unittest.main()
