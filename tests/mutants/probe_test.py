#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `probe --write-manifest` proposes for libraries that refuse something legal: a type, a rank, a layout or an
operator of which nothing is accepted is declared away; a fault never is."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
PROGRAM = BUILD / "bin/poolproof"
LIBRARY = BUILD / "lib/libpoolproof_mutants.so"


class ProbeTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def call(self, mutant, *arguments):
        return subprocess.run([str(PROGRAM), *arguments], env={**os.environ, "POOLPROOF_MUTANT": mutant},
                              capture_output=True, text=True, check=False)

    def proposal(self, mutant):
        """The proposed capabilities, and what was printed."""
        manifest = self.folder / "m.json"
        run = self.call(mutant, "probe", "--implementation", str(LIBRARY), "--profile", "atlas-a2",
                        "--write-manifest", str(manifest))
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads(manifest.read_text()).get("capabilities", {}), run.stdout

    def test_faults_are_no_limits(self):
        for mutant in ("stride_other_than_kernel_refused", "refuses_upsampling", "padding_bound_too_narrow",
                       "stride_empty_refused", "kernel_length_one_refused", "crashes_in_phase_one",
                       "partial_no_overlap", "partial_no_gaps", "partial_no_padding", "partial_whole_rows",
                       "partial_no_depth", "partial_single_channel", "partial_batch_of_one",
                       "partial_square_kernels", "partial_planes_to_256", "partial_adaptive_divides",
                       "partial_no_ceil_mode", "partial_no_lists_of_one"):
            capabilities, text = self.proposal(mutant)
            self.assertEqual(capabilities, {}, mutant)
            self.assertIn("nothing to declare", text)

    def test_the_run_of_the_manifest_finds_the_fault(self):
        self.proposal("stride_other_than_kernel_refused")
        run = self.call("stride_other_than_kernel_refused", "run", "--implementation",
                        str(self.folder / "m.json"), "--profile", "atlas-a2", "--set", "smoke", "--jobs", "1")
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("NONCONFORMANT", run.stdout)
        # Nothing is said of calls that were not asked to differ in this.
        self.assertNotIn("every call", run.stdout)

    def test_limits_are_proposed(self):
        for mutant, word in (("partial_no_bfloat16", "dtype"), ("partial_no_unbatched", "rank"),
                             ("partial_no_views", "layout == contiguous")):
            capabilities, text = self.proposal(mutant)
            self.assertIn(word, json.dumps(capabilities.get("accepts", "")), mutant)
            self.assertNotIn("operators", capabilities, mutant)
            self.assertNotIn("left out", text)

    def test_an_operator_that_refuses_all_is_left_out(self):
        capabilities, text = self.proposal("partial_no_max_pool2d")
        self.assertNotIn("MaxPool2dWithIndicesBackward", capabilities["operators"])
        self.assertIn("MaxPool3dWithArgmaxBackward", capabilities["operators"])
        self.assertNotIn("accepts", capabilities)
        self.assertRegex(text, r"left out          MaxPool2dWithIndicesBackward: each of \d{2,} plain legal calls")


if __name__ == "__main__":
    unittest.main()
