#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""poolproof emit and judge: cases as files, answered by a library or by a few lines of Python, are
judged as a run of the library judges them. usage: emit_test.py poolproof answer agreement lib root"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import jsonschema

ROOT = pathlib.Path(sys.argv.pop())
LIBRARIES = pathlib.Path(sys.argv.pop())
AGREEMENT = sys.argv.pop()
ANSWER = sys.argv.pop()
PROGRAM = sys.argv.pop()
EXCHANGE = ROOT / "conformance/exchange"
CASES = 250


def call(*arguments, **options):
    return subprocess.run([*map(str, arguments)], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          timeout=600, check=False, **options)


def schema(name):
    return jsonschema.Draft202012Validator(json.loads((EXCHANGE / f"{name}.schema.json").read_text()))


class EmitTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.base = pathlib.Path(holder.name)
        cls.problems = cls.base / "problems"
        emitted = call(PROGRAM, "emit", "--set", "ci", "--cases", CASES, "--out", cls.problems)
        assert emitted.returncode == 0, emitted.stderr
        cls.said = emitted.stdout
        cls.index = json.loads((cls.problems / "problems.json").read_text())
        cls.texts = {}  # of problems
        for problem in cls.index["problems"]:
            cls.texts[problem["folder"]] = json.loads((cls.problems / problem["folder"] / "problem.json").read_text())
        cls.answers = cls.base / "answers"
        answered = call(ANSWER, LIBRARIES / "libpoolproof_reference.so", cls.problems, cls.answers)
        assert answered.returncode == 0, answered.stderr

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def judge(self, *arguments, answers=None, problems=None, status=0):
        result = call(PROGRAM, "judge", problems or self.problems, "--answers", answers or self.answers,
                      *arguments)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return result

    def copied(self):
        """The answers, to be spoilt: the same files, so that one is to be replaced, not written to."""
        shutil.copytree(self.answers, self.folder / "answers", copy_function=os.link)
        return self.folder / "answers"

    @staticmethod
    def replace(path, content):
        path.unlink()
        path.write_bytes(content if isinstance(content, (bytes, bytearray)) else content.encode())

    def of(self, purpose="case", phases="both"):
        """Folders of problems."""
        for problem in self.index["problems"]:
            if problem["for"] != purpose:
                continue
            text = self.texts[problem["folder"]]
            if text["phases"] == phases:
                yield problem["folder"], text

    def test_the_files_are_of_their_schemas(self):
        schema("poolproof-problems-1").validate(self.index)
        problem_schema = schema("poolproof-problem-1")
        answer_schema = schema("poolproof-answer-1")
        for problem in self.index["problems"]:
            folder = problem["folder"]
            problem_schema.validate(self.texts[folder])
            answer_schema.validate(json.loads((self.answers / folder / "answer.json").read_text()))
        schema("poolproof-answers-1").validate(json.loads((self.answers / "answers.json").read_text()))

    def test_an_output_is_poison_between_guard_zones(self):
        folder, problem = next(self.of())
        output = next(t for t in problem["calls"][0]["tensors"] if t["is_output"])
        image = (self.problems / folder / output["file"]).read_bytes()
        at, size = output["storage_at"], output["storage_bytes"]
        self.assertEqual(len(image), output["file_bytes"])
        self.assertEqual(len(image), size + 2 * at)
        self.assertEqual({"nan": {0xff}, "finite": {0x3c}, "zero": {0}}.get(output["poison"], {0, 0x3c}),
                         set(image[at:at + size]) - {0xa5})
        self.assertTrue(all(0x2b <= byte <= 0x3a for byte in image[:at] + image[at + size:]))

    def test_it_agrees_with_a_run(self):
        run, judged = self.folder / "run.json", self.folder / "judge.json"
        self.assertEqual(call(PROGRAM, "run", "--implementation", "reference", "--set", "ci", "--cases", CASES,
                              "--shard", "0/1", "--json", run).returncode, 0)
        said = self.judge("--json", judged, "--html", self.folder / "judge.html").stdout
        self.assertIn("PASSED", said)
        agreed = call(AGREEMENT, self.problems / "problems.json", run, judged)
        self.assertEqual(agreed.returncode, 0, agreed.stdout + agreed.stderr)
        report = json.loads(judged.read_text())
        clauses = {clause["id"]: clause for clause in report["clauses"]}
        self.assertEqual(clauses["2P-06"]["verdict"], "not_run")
        self.assertIn("where Poolproof calls the library", clauses["2P-06"]["reason"])
        self.assertEqual(clauses["MP3-B01"]["verdict"], "passed")
        self.assertEqual(report["run"]["scope"], "selected")
        self.assertEqual(report["implementation"]["name"], "libpoolproof_reference.so")
        observed = [json.loads(path.read_text())["run"]["shards"][0]["record"]["observed"] for path in (run, judged)]
        self.assertTrue(observed[0])
        self.assertEqual(observed[0], observed[1])

    def test_what_needs_a_process_is_left_out_and_said(self):
        self.assertTrue(self.index["left_out"])
        for left in self.index["left_out"]:
            self.assertIn(left["reason"], self.said)
        cases = [p for p in self.index["problems"] if p["for"] == "case"]
        self.assertEqual(len(cases) + len(self.index["left_out"]), CASES)

    def test_wrong_numbers_fail(self):
        answers = self.copied()
        folder, problem = next((f, p) for f, p in self.of()
                               if "Backward" in p["path"] and "table" in p["path"])
        output = next(t for t in problem["calls"][0]["tensors"] if t["name"] == "gradInput")
        path = answers / folder / output["answer_file"]
        image = bytearray(path.read_bytes())
        image[output["storage_at"] + 1] ^= 0x7f
        self.replace(path, image)
        said = self.judge("--json", self.folder / "r.json", answers=answers, status=1)
        self.assertIn("NONCONFORMANT", said.stdout)
        failures = json.loads((self.folder / "r.json").read_text())["failures"]
        self.assertEqual([failure["path"] for failure in failures], [problem["path"]])

    def test_a_byte_in_a_guard_zone_fails(self):
        answers = self.copied()
        folder, problem = next(self.of())
        output = next(t for t in problem["calls"][0]["tensors"] if t["is_output"])
        path = answers / folder / output["answer_file"]
        image = bytearray(path.read_bytes())
        image[-256] ^= 1
        self.replace(path, image)
        self.judge("--json", self.folder / "r.json", answers=answers, status=1)
        failures = json.loads((self.folder / "r.json").read_text())["failures"]
        self.assertEqual([failure["clauses"] for failure in failures], [["SAF-01"]])

    def test_a_missing_answer_is_no_pass(self):
        answers = self.copied()
        folder, _ = next(self.of())
        (answers / folder / "answer.json").unlink()
        said = self.judge("--json", self.folder / "r.json", answers=answers, status=4)
        self.assertIn(f"1 problem not answered: {folder}", said.stderr)
        self.assertIn("cases were not answered", said.stdout)
        report = json.loads((self.folder / "r.json").read_text())
        self.assertEqual(report["verdict"], "incomplete")
        self.assertEqual(report["summary"]["not_run"], 1)
        self.assertEqual(report["run"]["stopped_by"], "unanswered")

    def test_without_any_answer_nothing_is_judged(self):
        self.judge(answers=self.folder, status=4)

    def test_without_any_case_nothing_is_judged(self):
        (self.folder / "problems.json").write_text(json.dumps({**self.index, "problems": []}))
        self.judge(problems=self.folder, status=4)

    def test_an_operator_that_is_not_offered_is_not_judged(self):
        answers = self.copied()
        offered = json.loads((answers / "answers.json").read_text())
        offered["operators"].remove("AdaptiveMaxPool2dBackward")
        self.replace(answers / "answers.json", json.dumps(offered))
        self.judge("--json", self.folder / "r.json", answers=answers)
        report = json.loads((self.folder / "r.json").read_text())
        self.assertGreater(report["summary"]["unsupported"], 0)
        clauses = {clause["id"]: clause["verdict"] for clause in report["clauses"]}
        self.assertEqual((clauses["AMP2-B01"], clauses["MP3-B01"]), ("unsupported", "passed"))

    def test_the_library_s_words_are_told(self):
        answers = self.copied()
        folder, problem = next((f, p) for f, p in self.of() if "Backward" in p["path"] and "table" in p["path"])
        self.replace(answers / folder / "answer.json", json.dumps(
            {"schema": "poolproof-answer/1", "calls": [{"phase_one": 161002, "message": "no such tile"}]}))
        self.judge("--json", self.folder / "r.json", answers=answers, status=1)
        failure, = json.loads((self.folder / "r.json").read_text())["failures"]
        self.assertEqual((failure["path"], failure["clauses"]), (problem["path"], ["2P-01"]))
        self.assertIn("no such tile", failure["message"])

    def test_an_answer_that_is_none_is_refused(self):
        folder, problem = next((f, p) for f, p in self.of() if "Backward" in p["path"])
        answer = f"{folder}/answer.json"
        output = next(t for t in problem["calls"][0]["tensors"] if t["is_output"])
        answers = self.copied()
        good = {"schema": "poolproof-answer/1", "calls": [{"phase_one": 0, "phase_two": 0, "synchronise": 0}]}
        for name, content, wanted in [
                (answer, "", "answer.json"),
                (answer, "{", "answer.json"),
                (answer, "[" * 100000, "answer.json"),
                (answer, json.dumps({**good, "schema": "poolproof-answer/9"}), "poolproof-answer/1"),
                (answer, json.dumps({**good, "calls": []}), "0 calls, expected 1"),
                (answer, json.dumps({**good, "calls": [{"phase_one": 0}]}), "phase two"),
                (answer, json.dumps({**good, "calls": [{"phase_one": 2**40}]}), "/calls/0/phase_one"),
                (answer, json.dumps({**good, "path": "/etc/passwd"}), "unknown member"),
                (answer, json.dumps({"schema": good["schema"],
                                     "ended": {"how": "returned", "call": 0, "phase": "phase-one"}}), "ended/how"),
                (answer, json.dumps({"schema": good["schema"],
                                     "ended": {"how": "timed-out", "call": 7, "phase": "phase-one"}}), "ended/call"),
                (f"{folder}/{output['answer_file']}", "short", "it has 5 bytes, expected"),
                (f"{folder}/{output['answer_file']}", None, "it is missing"),
                ("answers.json", json.dumps({"schema": "poolproof-answers/1", "operators": ["X"]}), "an operator"),
        ]:
            with self.subTest(name=name, content=str(content)[:60]):
                before = (answers / name).read_bytes()
                (answers / name).unlink()
                if content is not None:
                    (answers / name).write_text(content)
                said = self.judge(answers=answers, status=2)
                (answers / name).write_bytes(before)
                self.assertIn(pathlib.Path(name).name, said.stderr)
                self.assertIn(wanted, said.stderr)
                self.assertEqual(len(said.stderr.splitlines()), 1, said.stderr)

    def test_a_folder_in_place_of_a_file_is_refused(self):
        answers = self.copied()
        folder, _ = next(self.of())
        (answers / folder / "answer.json").unlink()
        (answers / folder / "answer.json").mkdir()
        self.assertIn("not a file", self.judge(answers=answers, status=2).stderr)

    def test_a_spoilt_index_is_refused(self):
        position, first = next((i, p) for i, p in enumerate(self.index["problems"]) if p["for"] == "case")
        changes = {
            "folder": "../../../etc", "sha256": "0" * 64, "for": "x", "aim": "x", "number": -1,
            "case_line": "pp1:MaxPool3dWithArgmaxBackward:self=f32[99999,99999,999,9,9];k=1;s=1;p=0;d=1",
        }
        for member, value in changes.items():
            with self.subTest(member=member):
                index = json.loads(json.dumps(self.index))
                index["problems"][position] = {**first, member: value}
                problems = self.folder / "problems"
                problems.mkdir(exist_ok=True)
                (problems / "problems.json").write_text(json.dumps(index))
                said = self.judge(problems=problems, status=2)
                self.assertIn("problems.json", said.stderr)
                self.assertEqual(len(said.stderr.splitlines()), 1, said.stderr)

    def test_what_did_not_return_is_held_against_its_call(self):
        answers = self.copied()
        folder, problem = next((f, p) for f, p in self.of()
                               if "Backward" in p["path"] and "table" in p["path"])
        self.replace(answers / folder / "answer.json", json.dumps(
            {"schema": "poolproof-answer/1",
             "ended": {"how": "signalled", "number": 11, "call": 0, "phase": "phase-two"}}))
        self.judge("--json", self.folder / "r.json", answers=answers, status=1)
        failure, = json.loads((self.folder / "r.json").read_text())["failures"]
        self.assertEqual((failure["path"], failure["clauses"]), (problem["path"], ["2P-02"]))
        self.assertIn("died of SIGSEGV (signal 11) in phase two", failure["message"])

    def test_the_example_in_python_answers_an_operator(self):
        problems = self.folder / "problems"
        listed = call(PROGRAM, "list", "cases", "--set", "smoke", "--filter", "AdaptiveMaxPool2dBackward/table/*")
        lines = [line.split("  ")[1] for line in listed.stdout.splitlines() if "self=f32" in line]
        (self.folder / "cases.txt").write_text("\n".join(lines) + "\n")
        emitted = call(PROGRAM, "emit", "--case-file", self.folder / "cases.txt", "--out", problems)
        self.assertEqual(emitted.returncode, 0, emitted.stderr)
        answered = call(sys.executable, ROOT / "examples/simulator.py", problems)
        self.assertEqual(answered.returncode, 0, answered.stderr)
        said = call(PROGRAM, "judge", problems, "--json", self.folder / "r.json")
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
        report = json.loads((self.folder / "r.json").read_text())
        self.assertGreater(report["summary"]["passed"], 10)
        self.assertEqual(report["summary"]["passed"], report["summary"]["cases"])

    def test_wrong_command_lines(self):
        for arguments, wanted in [
                (["emit", "--out", self.problems], "is not empty"),
                (["emit", "--deadline", "1s", "--out", self.folder / "p"], "--deadline"),
                (["emit", "--clause", "XX-1", "--out", self.folder / "p"], "--clause"),
                (["judge", self.folder], "problems.json"),
                (["judge", self.problems, "--answers", self.folder / "none"], "--answers"),
        ]:
            with self.subTest(arguments=arguments):
                said = call(PROGRAM, *arguments)
                self.assertEqual(said.returncode, 2, said.stdout + said.stderr)
                self.assertIn(wanted, said.stderr)


if __name__ == "__main__":
    unittest.main()
