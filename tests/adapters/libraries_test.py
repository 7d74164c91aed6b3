#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adapters of libraries that are installed: lib/adapters of the build. What was not built is skipped."""

import json
import pathlib
import re
import unittest

from adapter import PROGRAM, ROOT, AdapterTest, needs_numpy

BUILT = pathlib.Path(PROGRAM).resolve().parent.parent / "lib/adapters"
WITHIN = "CONFORMANT within its declared capabilities"
# Many gradients on each of a few cells, again and again.
RACE = "pp1:AdaptiveMaxPool2dBackward:self=f32[1,8,8];go=[1,64,64];ix=~shared|run:repeat=300"


def needs_adapter(name, package):
    return unittest.skipUnless((BUILT / f"lib{name}.so").exists(), f"{package} was not found: its adapter was not built")


class Libraries(AdapterTest):
    def run_adapter(self, name, *words):
        result = self.program("run", "--implementation", BUILT / f"{name}.json", "--set", "smoke", "--jobs", "2", *words)
        if re.search(r"no OpenCL (platform|device): ", result.stderr):
            self.skipTest("there is no OpenCL device: the OpenCL adapters were built and not judged")
        return result

    @needs_adapter("opencl_atomic", "OpenCL")
    def test_opencl_atomics(self):
        self.assertTrue(self.run_adapter("opencl_atomic").stdout.startswith(WITHIN))

    @needs_adapter("opencl_gather", "OpenCL")
    def test_opencl_gather(self):
        self.assertTrue(self.run_adapter("opencl_gather").stdout.startswith(WITHIN))

    @needs_adapter("opencl_lost_update", "OpenCL")
    def test_opencl_lost_updates_are_seen(self):
        # How many of 300 calls lose one depends on the machine: nothing here does.
        result = self.program("replay", "--implementation", BUILT / "opencl_lost_update.json", RACE)
        if re.search(r"no OpenCL (platform|device): ", result.stderr):
            self.skipTest("there is no OpenCL device")
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertRegex(" ".join(result.stdout.split()), "sum of [0-9]+ gradients")

    @needs_numpy
    @unittest.skipUnless((BUILT / "numpy.json").exists(), "adapters of libraries are not built here")
    def test_numpy(self):
        result = self.run_adapter("numpy", "--filter", "*/random-*/*", "--cases", "400")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    @needs_adapter("onednn", "oneDNN")
    def test_onednn(self):
        result = self.run_adapter("onednn", "--filter", "*/random-small/*", "--cases", "400", "--json", "report.json")
        report = json.loads((self.folder / "report.json").read_text())
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertGreater(report["summary"]["passed"], 20)

    @needs_adapter("onednn", "oneDNN")
    def test_failures_are_looked_into_within_what_is_declared(self):
        # Where a window holds minus infinity alone, its workspace names the window's first place, which may be padding.
        result = self.run_adapter("onednn", "--filter", "*/corpus/self_all_neginf_padded", "--json", "report.json")
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        for failure in json.loads((self.folder / "report.json").read_text())["failures"]:
            line = failure.get("shrunk_case_line") or failure["case_line"]
            replayed = self.program("replay", "--implementation", BUILT / "onednn.json", line)
            self.assertEqual(replayed.returncode, 1, replayed.stdout)

    @needs_adapter("darknet_pool", "darknet")
    def test_darknet(self):
        # Its forward names no place where no value of a padded window is above the least that there is.
        failed = self.failed("darknet_pool", "MaxPool2dWithIndices*/random-*/*", 1000)
        self.assertLessEqual(failed, {"MP2-B16", "SAF-04"})
        result = self.program("replay", "--implementation", BUILT / "darknet_pool.json",
                              "pp1:MaxPool2dWithIndices:self=f32[1,1,1]~const.ff7fffff;k=3,3;s=1;p=1;d=1")
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertIn("index -1", result.stdout)

    @needs_adapter("tinydnn", "tiny-dnn")
    def test_tiny_dnn_assigns(self):
        self.assertIn("MP2-B02", self.failed("tinydnn", "MaxPool2dWithIndicesBackward/random-*/*", 1000))

    @needs_numpy
    @unittest.skipUnless((BUILT / "onnxruntime.json").exists(), "POOLPROOF_ONNXRUNTIME names no folder of onnxruntime-node")
    def test_onnx_runtime(self):
        # It has no backward at all.
        self.assertEqual(self.failed("onnxruntime", "MaxPool*/forward/*", 100), set())

    def failed(self, name, cases, most):
        """The clauses that fail, where many pass."""
        self.run_adapter(name, "--filter", cases, "--cases", str(most), "--json", "report.json")
        report = json.loads((self.folder / "report.json").read_text())
        self.assertGreater(report["summary"]["passed"], 20)
        return {clause["id"] for clause in report["clauses"] if clause["verdict"] == "failed"}

    @needs_adapter("libtorch", "libtorch")
    def test_libtorch(self):
        # What fails in version 1.13 is in docs/findings/libtorch.md: writes between elements of strided results.
        self.run_adapter("libtorch", "--filter", "*Backward/random-small/*", "--cases", "200", "--json", "report.json")
        report = json.loads((self.folder / "report.json").read_text())
        self.assertGreater(report["summary"]["passed"], 50)
        self.assertLessEqual({clause["id"] for clause in report["clauses"] if clause["verdict"] == "failed"}, {"SAF-01"})

    @needs_adapter("libtorch", "libtorch")
    def test_libtorch_and_the_reference_agree(self):
        result = self.run_words([ROOT / "scripts/against-libtorch", "--set", "smoke", "--each", "1000", "--cases", "100"],
                                POOLPROOF_BUILD=str(BUILT.parent.parent))
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertRegex(result.stdout, r"reference passes (\d+) of \1 cases\n[1-9]\d\d+ cases of [12] seeds, 0 failing")


if __name__ == "__main__":
    unittest.main()
