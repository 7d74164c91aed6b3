#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Faulty kernels behind the stand-in for an accelerator: what is found there, in few workers, breaches the clauses that
the same library breaches on the host, and no others."""

import os
import pathlib
import sys
import unittest

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "device"))

import stand_in  # noqa: E402  (found only there)

PROGRAM = BUILD / "bin/poolproof"
KERNELS = BUILD / "lib/libpoolproof_mutants_forwards.so"
STAND_IN = BUILD / "tests/device/libpoolproof_device.so"


def failed(run):
    return {clause["id"] for clause in run.report["clauses"] if clause["verdict"] == "failed"}


class DeviceTest(unittest.TestCase):
    def expect(self, mutant, most_starts, clauses):
        os.environ.update(POOLPROOF_MUTANT=mutant, POOLPROOF_DEVICE_KERNELS=str(KERNELS))
        run = stand_in.Run(PROGRAM, STAND_IN, {"IGNORES_INDICES": 1})
        self.assertEqual(run.exit, 1, run.error)
        self.assertEqual(failed(run), set(clauses))
        self.assertLessEqual(run.counts["starts"], most_starts)

    def test_wrong_sums(self):
        self.expect("unnamed_cells_untouched", 80, ["AMP2-B03", "AMP3-B03", "MP2-B03", "MP3-B03"])

    # What a used worker shows may come of earlier calls: many starts, and no clause of values.
    def test_a_fault_of_history(self):
        self.expect("indices_cached_by_pointer", 4000, ["2P-07"])


if __name__ == "__main__":
    unittest.main()
