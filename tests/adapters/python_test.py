#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Python functions as implementations: what they do wrong is the outcome of one case, and the run goes on."""

import json
import unittest

from adapter import AdapterTest, needs_numpy, tutorial

RANDOM = ("--filter", "*/random-small/*", "--cases", "80")

# Does `fault` where planes are seven wide.
FAULTY = """
import os, sys
import right

kept = []


def backward(grad_output, self, indices, **window):
    kept.append(grad_output)
    if self.shape[-1] == 7:
        {fault}
    return right.backward(grad_output, self, indices)


max_pool2d_with_indices_backward = max_pool3d_with_argmax_backward = backward
adaptive_max_pool2d_backward = adaptive_max_pool3d_backward = backward
"""


def width(failure):
    shape = failure["case_line"].split("self=")[1].split("[")[1].split("]")[0]
    return int(shape.split(",")[-1])


@needs_numpy
class Python(AdapterTest):
    def setUp(self):
        super().setUp()
        (self.folder / "right.py").write_text(tutorial("python")[0])

    def judge_faulty(self, fault, *words, **variables):
        (self.folder / "faulty.py").write_text(FAULTY.format(fault=fault))
        return self.judge("faulty.py", *RANDOM, *words, **variables)

    def check_outcome(self, fault, text, ends="failed", **variables):
        run, report = self.judge_faulty(fault, **variables)
        self.assertEqual(run.returncode, 1, run.stdout)
        summary = report["summary"]
        self.assertEqual(summary["cases"], 80)
        self.assertGreater(summary[ends], 0)
        self.assertEqual(summary["passed"] + summary[ends], 80)
        self.assertEqual({width(failure) for failure in report["failures"]}, {7})
        self.assertIn(text, report["failures"][0]["message"])

    def test_right(self):
        run, report = self.judge("right.py", *RANDOM)
        self.assertEqual((run.returncode, report["summary"]["passed"]), (0, 80), run.stdout)

    def test_an_exception_is_a_refusal_with_its_text(self):
        self.check_outcome('raise ValueError("seven is refused")',
                           'synchronise returned 107000 for a valid call')

    def test_the_table_of_exceptions(self):
        for fault, status, text in (("raise NotImplementedError('x')", 207000, "NotImplementedError: x (faulty.py:11)"),
                                    ("raise ValueError('a\\nb')", 107000, "ValueError: a b (faulty.py:11)"),
                                    ("bytearray(10 << 30)", 207001, "MemoryError: (faulty.py:11)"),
                                    ("1 / 0", 507015, "ZeroDivisionError: division by zero (faulty.py:11)"),
                                    ("sys.exit('bye')", 507015, "SystemExit: bye (faulty.py:11)")):
            with self.subTest(fault=fault):
                (self.folder / "faulty.py").write_text(FAULTY.format(fault=fault))
                result = self.program("replay", "--implementation", "faulty.py",
                                      "pp1:AdaptiveMaxPool2dBackward:self=f32[1,1,8,7];go=[1,1,4,5]")
                self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
                said = " ".join(result.stdout.split())
                self.assertIn(f"synchronise returned {status}", said)
                self.assertIn(text, said)

    def test_the_end_of_the_process(self):
        self.check_outcome("os._exit(3)", "ended with exit status 3")

    def test_a_crash(self):
        self.check_outcome("os.kill(os.getpid(), 11)", "was ended by signal 11")

    def test_a_hang(self):
        (self.folder / "short.json").write_text(json.dumps({
            "schema": "poolproof-manifest/1", "libraries": ["faulty.py"], "limits": {"case_s": 1}}))
        (self.folder / "faulty.py").write_text(FAULTY.format(fault="while True: pass"))
        run, report = self.judge("short.json", *RANDOM)
        self.assertEqual(run.returncode, 1, run.stdout)
        self.assertEqual(report["summary"]["passed"] + report["summary"]["timed_out"], 80)
        self.assertEqual({width(failure) for failure in report["failures"]}, {7})

    def test_wrong_results(self):
        for fault, text in (("return right.backward(grad_output, self, indices)[..., :-1]", "expected"),
                            ("return None", "expected"),
                            ("return right.backward(grad_output, self, indices).astype('int32')", "is int32, expected")):
            with self.subTest(fault=fault):
                self.check_outcome(fault, text)

    def test_what_is_printed_harms_nothing(self):
        run, report = self.judge_faulty("print('hello'); sys.stderr.write('there')")
        self.assertEqual((run.returncode, report["summary"]["passed"]), (0, 80), run.stdout)
        self.assertNotIn("hello", run.stdout)

    def test_an_array_that_is_kept_harms_nothing(self):
        run, report = self.judge_faulty("pass")
        self.assertEqual((run.returncode, report["summary"]["passed"]), (0, 80), run.stdout)

    def test_an_array_that_is_kept_cannot_be_written_to(self):
        self.check_outcome("kept[0][...] = 1",
                           "assignment destination is read-only")

    def test_assignment_in_the_place_of_addition_breaches_the_clause_on_sums(self):
        wrong = tutorial("python")[0].replace("np.add.at(grad_input, (rows, indices.reshape(len(rows), -1)), gradients)",
                                              "grad_input[rows, indices.reshape(len(rows), -1)] = gradients")
        self.assertNotIn("add.at", wrong)
        (self.folder / "wrong.py").write_text(wrong)
        run, report = self.judge("wrong.py", "--filter", "*/random-small/*", "--cases", "300")
        self.assertEqual(run.returncode, 1)
        failed = {clause["id"] for clause in report["clauses"] if clause["verdict"] == "failed"}
        self.assertEqual(failed, {"MP2-B02", "MP3-B02", "AMP2-B02", "AMP3-B02"})
        self.assertIn("sum of 2 gradients", run.stdout)

    def test_forwards(self):
        (self.folder / "forward.py").write_text(FORWARD + tutorial("python")[0])
        run, report = self.judge("forward.py", "--filter", "*/random-forward/*")
        self.assertEqual(run.returncode, 0, run.stdout)
        self.assertGreater(report["summary"]["passed"], 10)

    def test_forwards_without_backwards_are_judged(self):
        (self.folder / "alone.py").write_text(FORWARD)
        run, report = self.judge("alone.py", "--filter", "*/random-forward/*")
        self.assertEqual(run.returncode, 0, run.stdout)
        verdicts = {clause["id"]: clause["verdict"] for clause in report["clauses"]}
        self.assertEqual((verdicts["AMP3-F02"], verdicts["AMP3-B01"]), ("passed", "unsupported"), run.stdout)

    def test_operators_without_a_function_are_absent(self):
        (self.folder / "few.py").write_text("from right import backward as adaptive_max_pool2d_backward\n")
        result = self.program("probe", "--implementation", "few.py")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, "offered +aclnnAdaptiveMaxPool2dBackward")
        self.assertEqual(result.stdout.count("offered "), 1)

    def test_a_module(self):
        (self.folder / "package").mkdir()
        (self.folder / "package/part.py").write_text((self.folder / "right.py").read_text())
        run, report = self.judge("python:package.part", "--filter", "*/random-small/*", "--cases", "20")
        self.assertEqual((run.returncode, report["summary"]["passed"]), (0, 20), run.stdout)

    def test_what_is_missing_is_one_line(self):
        (self.folder / "none.py").write_text("x = 1\n")
        (self.folder / "broken.py").write_text("import nothing_of_that_name\n")
        (self.folder / "bare").write_text("#!/bin/sh\nexec %s -S \"$@\"\n" % "/usr/bin/python3")
        (self.folder / "bare").chmod(0o755)
        for words, text, variables in (
                ("none.py", "finds no operator in none.py", {}),
                ("broken.py", "cannot load broken.py: ModuleNotFoundError: No module named 'nothing_of_that_name' (broken.py:1)", {}),
                ("python:not_there", "cannot load not_there: ModuleNotFoundError", {}),
                ("right.py", "has no numpy: install python3-numpy", {"POOLPROOF_PYTHON": "./bare", "PYTHONPATH": ""}),
                ("right.py", "./nobody cannot be started", {"POOLPROOF_PYTHON": "./nobody"})):
            with self.subTest(words=words, text=text):
                result = self.program("run", "--implementation", words, "--set", "smoke", **variables)
                self.assertEqual(result.returncode, 3, result.stderr)
                self.assertEqual(len(result.stderr.splitlines()), 1)
                self.assertIn(text, result.stderr)
        result = self.program("run", "--implementation", "absent.py")
        self.assertEqual(result.returncode, 2)
        self.assertIn("absent.py", result.stderr)


FORWARD = """
import numpy as np
import poolproof


def windows(x, starts_and_ends):
    out = np.empty((*x.shape[:2], *(len(axis) for axis in starts_and_ends)), np.float32)
    indices = np.empty(out.shape, np.int64)
    numbers = np.arange(x[0, 0].size).reshape(x.shape[2:])
    for at in np.ndindex(*out.shape[2:]):
        part = tuple(slice(*axis[i]) for axis, i in zip(starts_and_ends, at))
        flat = x[(..., *part)].reshape(*x.shape[:2], -1)
        nans = np.isnan(flat)
        last = flat.shape[2] - 1 - nans[..., ::-1].argmax(2)
        best = np.where(nans.any(2), last, np.where(nans, -np.inf, flat).argmax(2))
        out[(..., *at)] = np.take_along_axis(flat, best[..., None], 2)[..., 0]
        indices[(..., *at)] = numbers[part].reshape(-1)[best]
    return out, indices


def adaptive_max_pool2d(self, output_size):
    axes = [[(o * n // k, -((o + 1) * n // -k)) for o in range(k)] for n, k in zip(self.shape[2:], output_size)]
    return windows(poolproof.f32(self) if self.dtype != np.float64 else self, axes)


adaptive_max_pool3d = adaptive_max_pool2d
"""


if __name__ == "__main__":
    unittest.main()
