#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Journals: a run that ends at any moment, by whatever means, is taken up again. In the end each
case was judged once, and the report is that of an undisturbed run.

POOLPROOF_KILLS says how often the run and its workers are killed."""

import contextlib
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import zlib

from error_lines import error_lines

PROGRAM, LIBRARIES = sys.argv[1:3]
del sys.argv[1:3]
KILLS = int(os.environ.get("POOLPROOF_KILLS", "3"))


def lines_of(journal):
    lines = []
    for text in journal.read_text().splitlines():
        checksum, line = text.split(" ", 1)
        if int(checksum, 16) == zlib.crc32(line.encode()):
            lines.append(json.loads(line))
    return lines


def comparable(text):
    report = json.loads(text)
    for member in ["argv", "start", "duration_s"]:
        del report["run"][member]
    return report


class Base(unittest.TestCase):
    CUTS = [1, 40, 3000]  # an end of line, a line, and lines

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.journal = self.folder / "run.journal"
        self.implementation = "optimized"
        self.set = "smoke"

    def command(self, *options):
        return [PROGRAM, "run", "--implementation", str(self.implementation), "--set", self.set, "--json",
                "-", *map(str, options)]

    def call(self, *options, **settings):
        return subprocess.run(self.command(*options), capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, check=False, **settings)

    def judged(self):
        return [line["judged"] for line in lines_of(self.journal) if "judged" in line]

    def expect_each_once(self, report):
        planned = report["summary"]["cases"] + report["summary"]["not_run"]
        self.assertEqual(report["summary"]["not_run"], 0)
        self.assertEqual(sorted(self.judged()), list(range(planned)))

    def workers_of(self, pid):
        workers = []
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                # Behind the name, which may hold anything: state, parent.
                fields = pathlib.Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == pid:
                workers.append(int(entry))
        return sorted(workers)

    def kill_again_and_again(self, draw, *options):
        kills = 0
        while kills < KILLS:
            running = subprocess.Popen(self.command(*options, "--journal", self.journal),
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            before = self.journal.stat().st_size if self.journal.exists() else 0
            # Not before it has written something: otherwise nothing would ever be judged.
            while running.poll() is None and (
                    not self.journal.exists() or self.journal.stat().st_size <= before):
                time.sleep(0.002)
            time.sleep(draw.uniform(0, 0.05))
            while running.poll() is None and draw.random() < 0.5:
                for worker in self.workers_of(running.pid)[:1]:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(worker, signal.SIGKILL)
                        kills += 1
                time.sleep(draw.uniform(0, 0.03))
            running.kill()
            kills += 1
            _, talk = running.communicate()
            self.assertIn(running.returncode, [-signal.SIGKILL, 0, 1], talk)
            if running.returncode != -signal.SIGKILL:
                break
        return kills

    def check_kills(self):
        seed = random.randrange(1 << 32)
        with self.subTest(seed=seed):
            # So many that they last for all the kills; few kills need no plan of the night.
            self.set = "ci" if KILLS < 10 else "nightly"
            options = ["--filter", "*/random-s*", "--cases", 200 * KILLS, "--jobs", "2"]
            whole = self.call(*options)
            kills = self.kill_again_and_again(random.Random(seed), *options)
            last = self.call(*options, "--journal", self.journal)
            self.assertEqual(last.returncode, whole.returncode, last.stderr)
            self.expect_each_once(json.loads(last.stdout))
            self.assertEqual(comparable(last.stdout), comparable(whole.stdout))
            self.assertGreaterEqual(kills, KILLS)

    def check_cut_lines(self):
        options = ["--filter", "*/random-s*", "--cases", "60", "--journal", self.journal]
        whole = self.call(*options)
        bytes_before = self.journal.read_bytes()
        for cut in self.CUTS:
            self.journal.write_bytes(bytes_before[:-cut])
            again = self.call(*options)
            self.assertEqual(again.returncode, whole.returncode, again.stderr)
            self.expect_each_once(json.loads(again.stdout))
            self.assertEqual(comparable(again.stdout), comparable(whole.stdout))


class JournalTest(Base):
    def test_kills(self):
        self.check_kills()

    def test_a_cut_last_line_is_judged_again(self):
        self.check_cut_lines()

    def test_what_is_judged_is_not_judged_again(self):
        options = ["--filter", "*/random-s*", "--cases", "60", "--journal", self.journal]
        self.call(*options)
        before = self.journal.read_bytes()
        self.assertEqual(self.call(*options).returncode, 0)
        self.assertEqual(self.journal.read_bytes(), before)

    def expect_refused(self, words, *options):
        result = self.call(*options)
        self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
        self.assertEqual(len(error_lines(result)), 1, result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)

    def test_journals_of_other_runs_are_refused(self):
        options = ["--cases", "40", "--journal", self.journal]
        self.call(*options)
        self.expect_refused(["plan_sha256"], *options, "--seed", "2")
        self.expect_refused(["shard"], *options, "--shard", "0/2")
        self.implementation = "reference"
        self.expect_refused(["implementation"], *options)
        self.implementation = "optimized"
        lines = self.journal.read_bytes().splitlines(keepends=True)
        self.journal.write_bytes(b"".join([*lines[:5], lines[5].replace(b'"', b"'", 1), *lines[6:]]))
        self.expect_refused(["line 6", "damaged"], *options)
        self.journal.write_text("no journal\nat all\n")
        self.expect_refused(["line 1"], *options)
        self.expect_refused(["journal"], "--journal", self.folder)

    def test_one_run_at_a_time(self):
        first = subprocess.Popen(self.command("--journal", self.journal), stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        while not self.journal.exists() or not self.journal.stat().st_size:
            time.sleep(0.01)
        self.expect_refused(["another run"], "--journal", self.journal)
        first.kill()
        first.wait()

    def test_full_disk(self):
        # A file that may not grow answers as a full disk does, except for the word.
        options = ["--filter", "*/random-s*", "--cases", "80", "--journal", self.journal]
        whole = self.call("--filter", "*/random-s*", "--cases", "80")
        limited = subprocess.run(
            ["bash", "-c", 'trap "" XFSZ; ulimit -f 12; exec "$@"', "bash", *self.command(*options)],
            capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        self.assertEqual(limited.returncode, 3, limited.stderr)
        report = json.loads(limited.stdout)
        self.assertEqual(report["verdict"], "error")
        self.assertIn("run.journal", report["error"])
        self.assertIn("File too large", report["error"])
        self.assertNotIn(str(self.folder), limited.stdout)
        self.assertTrue(self.journal.read_bytes().endswith(b"\n"))
        resumed = self.call(*options)
        self.assertEqual(resumed.returncode, 0, resumed.stderr)
        self.expect_each_once(json.loads(resumed.stdout))
        self.assertEqual(comparable(resumed.stdout), comparable(whole.stdout))

    def test_interrupt_and_resume(self):
        cases = ["--cases", 500]
        options = [*cases, "--journal", self.journal]
        running = subprocess.Popen(self.command(*options), stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, text=True)
        while not self.journal.exists() or not any("judged" in line for line in lines_of(self.journal)):
            time.sleep(0.01)
        running.send_signal(signal.SIGTERM)
        report = json.loads(running.communicate()[0])
        self.assertEqual(report["run"]["stopped_by"], "interrupt")
        resumed = self.call(*options)
        self.expect_each_once(json.loads(resumed.stdout))
        self.assertEqual(comparable(resumed.stdout), comparable(self.call(*cases).stdout))


class Mutants(Base):
    """Faults that need a history show after a resumption as well."""

    CUTS = [1, 2, 9, 40, 200, 3000]

    def setUp(self):
        super().setUp()
        self.implementation = self.folder / "mutant.json"
        self.implementation.write_text(json.dumps({
            "schema": "poolproof-manifest/1", "name": "second_call_differs",
            "libraries": [f"{LIBRARIES}/libpoolproof_mutants.so"],
            "environment": {"*": {"POOLPROOF_MUTANT": "second_call_differs"}}}))

    def test_kills(self):
        self.check_kills()

    def test_a_cut_last_line_is_judged_again(self):
        self.check_cut_lines()


if __name__ == "__main__":
    unittest.main()
