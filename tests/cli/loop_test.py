#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""From a red run to the next command: what is printed runs as pasted, failing cases are named by number, run
again, and taken out of reports."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from error_lines import error_lines

ROOT = pathlib.Path(sys.argv.pop())
FAKE = sys.argv.pop()  # a library with faults
PROGRAM = sys.argv.pop()
WRONG = "pp1:MaxPool3dWithArgmaxBackward:self=f16[1,1,1,4,4];k=1,2,2;s=1,1,1;p=0,0,0;d=1,1,1"  # with FAKE
LINE = "pp1:AdaptiveMaxPool2dBackward:self=f32[1,5,5];go=[1,3,3]"


def call(*arguments, **options):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=1200,
                          stdin=subprocess.DEVNULL, **options)


def failing(report):
    """Lines of the failing cases that a report has: which of them were investigated varies where a library damages its
    process."""
    return {failure["case_line"] for failure in report["failures"] + report.get("also_failed", [])}


class LoopTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.bad = pathlib.Path(cls.holder.name) / "bad.json"
        cls.red = call("run", "--implementation", FAKE, "--set", "smoke", "--filter", "MaxPool3d*/status/MP3-S4[03]/*-0-f32-i32-batched-*",
                       "--json", cls.bad)
        cls.report = json.loads(cls.bad.read_text())
        # Its failing cases again, by the command that it prints.
        cls.again = pathlib.Path(cls.holder.name) / "again.json"
        command = cls.red.stdout.splitlines()[-1].strip()
        cls.red_again = subprocess.run(["sh", "-c", f"{command} --json {cls.again}"], capture_output=True, text=True, timeout=600, cwd=cls.holder.name)

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def refused(self, words, *arguments):
        result = call(*arguments, cwd=self.folder)
        self.assertEqual((result.returncode, result.stdout, len(error_lines(result))), (2, "", 1), result)
        for word in words:
            self.assertIn(word, result.stderr)

    def test_a_printed_command_runs_when_pasted(self):
        self.assertEqual(self.red.returncode, 1, self.red.stdout + self.red.stderr)
        commands = [line for line in self.red.stdout.splitlines() if " replay --implementation " in line]
        self.assertTrue(commands)
        pasted = subprocess.run(["sh", "-c", commands[0].removeprefix("Next: ")], capture_output=True, text=True, timeout=600, cwd=self.folder)
        self.assertEqual(pasted.returncode, 1, pasted.stderr)

    def test_the_last_lines_say_what_was_written_and_what_comes_next(self):
        written, replay, again = self.red.stdout.splitlines()[-3:]
        self.assertEqual(written, f"Written: {self.bad}")
        self.assertEqual(again.split()[1:], ["run", "--implementation", FAKE, "--profile", "atlas-a2", "--failed", str(self.bad)])
        pasted = subprocess.run(["sh", "-c", replay.removeprefix("Next: ")], capture_output=True, text=True, timeout=600, cwd=self.folder)
        for result in (pasted, self.red_again):
            self.assertEqual(result.returncode, 1, (result.args, result.stderr))
        self.assertNotIn("Next:", call("run", "--implementation", "reference", "--set", "smoke", "--cases", "5").stdout)

    def test_failures_of_a_report_have_numbers(self):
        listed = call("replay", "--implementation", FAKE, self.bad)
        self.assertEqual(listed.returncode, 0, listed.stderr)
        rows = listed.stdout.splitlines()
        self.assertEqual([row.split()[0] for row in rows], [f"#{i + 1}" for i in range(len(rows))])
        self.assertEqual(len(rows), len({failure["signature"] for failure in self.report["failures"]}))
        first = re.search(r"#1 (\S+?)[ ,\n]", self.red.stdout).group(1)
        self.assertIn(first, rows[0])
        replayed = call("replay", "--implementation", FAKE, f"{self.bad}#1")
        self.assertEqual(replayed.returncode, 1, replayed.stderr)
        lines = [f["shrunk_case_line"] or f["case_line"] for f in self.report["failures"]]
        self.assertIn(replayed.stdout.splitlines()[0].removeprefix("case: "), lines)
        self.assertEqual(call("export", f"{self.bad}#1").returncode, 0)
        self.refused([f"#{len(rows) + 1}", f"#1 to #{len(rows)}"], "replay", "--implementation", FAKE,
                     f"{self.bad}#{len(rows) + 1}")
        self.refused(["is a report", "#1"], "export", self.bad)
        (self.folder / "case.json").write_text(json.dumps({"schema": "poolproof-case/1", "case": LINE}))
        self.refused(["is not a report"], "replay", "--implementation", FAKE, "case.json#1")

    def test_failed_cases_are_run_again(self):
        failed = failing(self.report)
        good = self.folder / "good.json"
        right = call("run", "--implementation", "reference", "--failed", self.bad, "--json", good)
        for result, path, status, still in [(self.red_again, self.again, 1, failed), (right, good, 0, set())]:
            self.assertEqual(result.returncode, status, result.stderr)
            report = json.loads(path.read_text())
            self.assertEqual(report["summary"]["cases"], len(failed))
            self.assertEqual(report["run"]["scope"], "selected")
            self.assertEqual(failing(report), still)
        self.refused(["no case of the report failed"], "run", "--implementation", "reference", "--failed", good)

    def test_case_files_take_reports_failures_and_comments(self):
        failure = self.report["failures"][0]
        files = {"report.json": self.bad.read_text(), "failure.json": json.dumps(failure),
                 "lines.txt": f"# why it is here\n{LINE}\n  # and this\n\n{LINE}\n"}
        counts = {"report.json": len(failing(self.report)), "failure.json": 1,
                  "lines.txt": 2}
        for name, text in files.items():
            (self.folder / name).write_text(text)
            result = call("run", "--implementation", "reference", "--case-file", self.folder / name, "--json", "-")
            self.assertIn(result.returncode, [0, 4], (name, result.stderr))
            self.assertEqual(json.loads(result.stdout)["summary"]["cases"], counts[name], name)
        (self.folder / "wrong.txt").write_text("# first\npp1:x\n")
        self.refused(["line 2"], "run", "--implementation", "reference", "--case-file", "wrong.txt")

    def test_cases_of_a_clause(self):
        def judged(*options):
            result = call("run", "--implementation", "reference", "--set", "smoke", *options, "--json", "-")
            self.assertEqual(result.returncode, 0, result.stderr)
            return json.loads(result.stdout)

        one = judged("--clause", "mp3-s40")
        clauses = {clause["id"]: clause for clause in one["clauses"]}
        self.assertEqual(clauses["MP3-S40"]["verdict"], "passed")
        self.assertEqual(one["run"]["scope"], "selected")
        self.assertLess(one["summary"]["cases"], 100)
        two = judged("--clause", "MP3-S40,MP3-S41")
        self.assertGreater(two["summary"]["cases"], one["summary"]["cases"])
        # All calls that can show it: those of the whole set.
        family = ["--filter", "*/corpus/*"]
        every, whole = judged("--clause", "MP2-B02", *family), judged(*family)
        self.assertLess(every["summary"]["cases"], whole["summary"]["cases"])
        of = lambda report: next(c for c in report["clauses"] if c["id"] == "MP2-B02")["cases"]
        self.assertEqual(of(every), of(whole))
        # A type, and no other: all calls that are in order by it alone, and none besides.
        new = judged("--profile", "ascend-950", "--clause", "MP2-B29")
        self.assertEqual({c["id"]: c["verdict"] for c in new["clauses"]}["MP2-B29"], "passed")
        self.assertLess(new["summary"]["cases"], 200)
        run = ["run", "--implementation", "reference"]
        self.refused(["'MP3-B0x'", "did you mean MP3-B0"], *run, "--clause", "MP3-B0x")
        self.refused(["'QUUX*'", "list clauses"], *run, "--clause", "QUUX*")
        self.refused(["--clause", "--failed"], *run, "--clause", "MP3-B02", "--failed", self.bad)

    def test_files_are_written_before_stdout(self):
        page = self.folder / "a.html"
        read, write = os.pipe()
        os.close(read)  # a reader that is gone, like `| head -1`
        result = subprocess.run([PROGRAM, "run", "--implementation", "reference", "--set", "smoke", "--cases", "20", "--json", "-",
                                 "--html", str(page)], stdout=write, stderr=subprocess.PIPE, timeout=600,
                                restore_signals=True)
        os.close(write)
        self.assertNotEqual(result.returncode, 0)
        self.assertTrue(page.exists())

    def test_a_journal_that_is_resumed_or_refused_says_so(self):
        run = ["run", "--implementation", "reference", "--set", "smoke", "--cases", "50", "--journal", self.folder / "j"]
        self.assertNotIn("resumes", call(*run).stderr)
        self.assertIn("resumes: the journal holds 50 cases that were judged before", call(*run).stderr)
        other = call(*run, "--seed", "2", "--filter", "*/2P-*")
        self.assertEqual(other.returncode, 2)
        self.assertIn("it is of another run", other.stderr)
        self.assertIn("delete it, or name another file", other.stderr)

    def test_a_campaign_whose_time_is_spent_says_so(self):
        fuzz = ["fuzz", "--implementation", "reference", "--corpus", self.folder / "corpus", "--jobs", 1, "--time"]
        for seconds in [2, 8, 32]:  # a busy machine takes some until it judges a case
            said = call(*fuzz, f"{seconds}s").stderr
            if "nothing was judged" not in said:
                break
        self.assertNotIn("nothing was judged", said)
        self.assertRegex(call(*fuzz, "1s").stderr, r"nothing was judged: earlier runs .* of --time 1\.0 s; raise --time")

    def test_the_first_interrupt_is_answered_and_the_second_ends_at_once(self):
        (self.folder / "case").write_text(
            "pp1:MaxPool3dWithArgmaxBackward:self=f32[1,1,1,4,4];k=1,2,2;s=1,2,2;p=0,0,0;d=1,1,1;ceil\n")
        # It hangs, so that nothing ends the run before the second one.
        running = subprocess.Popen([PROGRAM, "run", "--implementation", FAKE, "--case-file",
                                    str(self.folder / "case"), "--journal", str(self.folder / "j")],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=os.environ | {"POOLPROOF_FAKE": "hang-two"})
        while "begin" not in (self.folder / "j").read_text() if (self.folder / "j").exists() else True:
            self.assertIsNone(running.poll())
            time.sleep(0.01)
        running.send_signal(signal.SIGINT)
        line = running.stderr.readline()
        while line and "stopping" not in line:
            line = running.stderr.readline()
        self.assertIn("Ctrl-C again stops at once", line)
        running.send_signal(signal.SIGINT)
        talk = running.communicate()[1]
        self.assertEqual(running.returncode, -signal.SIGINT)
        self.assertTrue(talk.endswith("\n"), repr(talk))

    def test_replay_shows_the_values_of_small_tensors_whole(self):
        result = call("replay", "--implementation", "reference", LINE.replace("[1,3,3]", "[1,5,5]"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("... of", result.stdout)
        values = [line for line in result.stdout.splitlines() if line.startswith("   ") and "(" in line]
        self.assertGreaterEqual(sum(line.count("(") for line in values), 25, result.stdout)
        for line in values:
            self.assertLessEqual(len(line), 100, line)

    def test_replay_draws_what_is_wrong(self):
        result = call("replay", "--implementation", FAKE, WRONG)
        self.assertEqual(result.returncode, 1, result.stderr)
        picture = result.stdout[result.stdout.index("\nPlane 0 of 1 "):].splitlines()
        self.assertTrue(any("*" in line and "!" in line for line in picture[3:]), picture)
        self.assertNotIn("Plane 0", call("replay", "--implementation", "reference", WRONG).stdout)

    def test_replay_writes_a_report_of_the_case(self):
        page = self.folder / "case.html"
        # One fault in its values, whose cause is found in a moment.
        faulty, line = pathlib.Path(PROGRAM).parents[1] / "lib/libpoolproof_random_fault.so", WRONG.replace("4,4]", "4,17]")
        variables = {**os.environ, "POOLPROOF_RANDOM_FAULT": "mp3 : w >= 17 : lost"}
        result = call("replay", "--implementation", faulty, line, "--json", "-", "--html", page, env=variables)
        self.assertEqual(result.returncode, 1, result.stderr)
        report = json.loads(result.stdout)
        self.assertEqual(([failure["case_line"] for failure in report["failures"]], report["summary"]["cases"]), ([line], 1))
        self.assertIn("FAILED", result.stderr)
        self.assertIn("<svg", page.read_text())
        again = self.folder / "again.json"
        again.write_text(result.stdout)
        self.assertEqual(call("replay", "--implementation", faulty, f"{again}#1", env=variables).returncode, 1)

    def test_replay_in_gdb(self):
        gdb = self.folder / "gdb"
        gdb.write_text("#!/bin/sh\nfor word in \"$@\"; do echo \"$word\"; done\n")
        gdb.chmod(0o755)
        path = {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"}
        words = call("replay", "--gdb", "--implementation", FAKE, "--profile", "atlas-a3", f"{self.bad}#1", env=path).stdout.splitlines()
        line = self.report["failures"][0]["shrunk_case_line"] or self.report["failures"][0]["case_line"]
        function = "aclnn" + line.split(":")[1]
        self.assertEqual(words[:3], ["-q", "-iex", "set breakpoint pending on"])
        self.assertIn(f"tbreak {function}GetWorkspaceSize", words)
        self.assertEqual(words[words.index("--args") + 2:],
                         ["replay", "--in-process", "--implementation", str(FAKE), "--profile", "atlas-a3", line])
        # What it runs is a command of this program.
        program = ["reference" if word == str(FAKE) else word for word in words[words.index("--args") + 1:]]
        self.assertEqual(subprocess.run(program, capture_output=True, timeout=600).returncode, 0)
        none = call("replay", "--gdb", "--implementation", FAKE, LINE, env={**os.environ, "PATH": str(self.folder / "none")})
        self.assertEqual((none.returncode, none.stdout), (3, ""))
        self.assertIn("--gdb: gdb cannot be started: No such file or directory", none.stderr)

    def test_colors_are_as_asked_for(self):
        for verb, rest in (("replay", [LINE]), ("run", ["--set", "smoke", "--cases", "3", "--quiet"])):
            for when, expected in (("always", True), ("never", False), ("auto", False)):
                result = call(verb, "--implementation", "reference", "--color", when, *rest)
                self.assertEqual("\033[" in result.stdout, expected, (verb, when))

    def test_probe_says_that_it_met_strange_sums(self):
        self.assertRegex(call("probe", "--implementation", FAKE).stdout,
                         r"(?s)observed .* other\n.*note +'other' \d+ times: these sums fit no way .*may be wrong")
        self.assertNotIn("note", call("probe", "--implementation", "reference").stdout)

    def test_names_that_cannot_be_libraries(self):
        (self.folder / "a,b.so").write_text("")
        self.refused(["commas separate libraries", "manifest"], "probe", "--implementation", "a,b.so")
        self.refused(["--implementation 'libnone.so': no such file; a library that the loader finds", "manifest"],
                     "probe", "--implementation", "libnone.so")
        result = call("probe", "--implementation", "./none.so")
        self.assertEqual(result.stderr, "poolproof: --implementation './none.so': no such file\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
