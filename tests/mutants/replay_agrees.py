#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One line, one verdict: judges faulty libraries and puts the case lines of their reports, failing
and shrunk ones, to `poolproof replay`, which must name the clauses that the report names."""

import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

BREACHES = re.compile(r"^  breaches (\S+)", re.MULTILINE)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="build folder")
    parser.add_argument("--set", default="smoke", choices=["smoke", "ci", "nightly"])
    parser.add_argument("--most", type=int, default=20,
                        help="lines of a report that are put to replay, beside the shrunk ones")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)),
                        help="replays at once")
    parser.add_argument("--sample", type=int, default=10, help="so many mutants, drawn by the date")
    parser.add_argument("--date", default=datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
                        help="the date that draws them, if not today's")
    parser.add_argument("names", nargs="*", help="names of mutants; none: a sample")
    return parser.parse_args()


def run(arguments, entry, manifest, report):
    subprocess.run([str(arguments.build / "bin" / "poolproof"), "run", "--implementation", str(manifest),
                    "--profile", entry.get("profile", "atlas-a2"), "--set", arguments.set,
                    "--jobs", str(arguments.jobs), "--json", str(report)],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                   check=False)
    return json.loads(report.read_text())


def named_by_replay(arguments, entry, manifest, line):
    replay = subprocess.run([str(arguments.build / "bin" / "poolproof"), "replay", "--implementation",
                             str(manifest), "--profile", entry.get("profile", "atlas-a2"), "-"],
                            input=line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            check=False)
    return sorted(set(BREACHES.findall(replay.stdout)))


def lines_of(report, most, chance):
    """Pairs of a line and the clauses that the report names for it: all shrunk ones, and a sample."""
    shrunk = [(f["shrunk_case_line"], f["clauses"]) for f in report["failures"] if f.get("shrunk_case_line")]
    failing = [(f["case_line"], f["clauses"]) for f in report["failures"]]
    return shrunk + chance.sample(failing, min(most, len(failing)))


def main():
    arguments = parse_arguments()
    zoo = json.loads((arguments.build / "lib" / "mutants.json").read_text())
    mutants = sorted((m for m in zoo["mutants"] if m.get("category") != "campaign"),
                     key=lambda entry: entry["name"])
    if arguments.names:
        mutants = [m for m in mutants if m["name"] in arguments.names]
    else:
        mutants = random.Random(arguments.date).sample(mutants, min(arguments.sample, len(mutants)))
    lines = wrong = 0
    with tempfile.TemporaryDirectory() as scratch, \
            concurrent.futures.ThreadPoolExecutor(max(1, arguments.jobs)) as pool:
        for entry in mutants:
            library = "lib" + entry.get("library", "poolproof_mutants") + ".so"
            manifest = pathlib.Path(scratch) / (entry["name"] + ".json")
            manifest.write_text(json.dumps({
                "schema": "poolproof-manifest/1", "name": entry["name"],
                "libraries": [str((arguments.build / "lib" / library).resolve())],
                "environment": {"*": {"POOLPROOF_MUTANT": entry["name"]}}}))
            report = run(arguments, entry, manifest, pathlib.Path(scratch) / "report.json")
            asked = lines_of(report, arguments.most, random.Random(entry["name"]))
            answers = list(pool.map(
                lambda pair: named_by_replay(arguments, entry, manifest, pair[0]), asked))
            bad = [(line, sorted(clauses), got)
                   for (line, clauses), got in zip(asked, answers) if sorted(clauses) != got]
            lines += len(asked)
            wrong += len(bad)
            print(f"{'BAD ' if bad else 'ok  '} {entry['name']}: {len(asked)} lines, {len(bad)} named otherwise",
                  flush=True)
            for line, clauses, got in bad:
                print(f"  {line}\n    report {' '.join(clauses)}\n    replay {' '.join(got)}", flush=True)
    print(f"{lines} lines of {len(mutants)} mutants, {wrong} named otherwise")
    return 1 if wrong or not lines else 0


if __name__ == "__main__":
    sys.exit(main())
