#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One line, one verdict: judges faulty libraries and puts the case lines of their reports, failing
and shrunk ones, to `poolproof replay`, which must name the clauses that the report names."""

import argparse
import concurrent.futures
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import zoo

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
    parser.add_argument("--compounds", default="", metavar="NxSIZE",
                        help="so many compounds of so many faults each, drawn by the date, instead")
    parser.add_argument("--date", default=zoo.today(), help="the date that draws them, if not today's")
    parser.add_argument("names", nargs="*", help="mutants, or names with commas; none: a sample")
    return parser.parse_args()


def libraries_of(arguments, table):
    """Of each library: what it does wrong, and the profile and the file that show it."""
    mutants = {entry["name"]: entry for entry in table["mutants"]}
    if arguments.names:
        selections = [names.split(",") for names in arguments.names]
    elif arguments.compounds:
        count, size = (int(number) for number in arguments.compounds.split("x"))
        selections = zoo.draw(table, count, size, random.Random(f"{arguments.date}/{size}"))
    else:
        known = sorted(name for name, entry in mutants.items() if entry["category"] != "campaign")
        drawn = random.Random(arguments.date).sample(known, min(arguments.sample, len(known)))
        selections = [[name] for name in drawn]
    return [(selection, mutants[selection[0]]["profile"], mutants[selection[0]]["library"])
            for selection in selections]


def named_by_replay(arguments, profile, manifest, line):
    replay = subprocess.run([str(arguments.build / "bin" / "poolproof"), "replay", "--implementation",
                             str(manifest), "--profile", profile, "-"],
                            input=line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            check=False)
    return sorted(set(BREACHES.findall(replay.stdout)))


# What a report says of cases that earlier calls make fail, and that were not investigated themselves.
NEEDS_OTHERS = "its line alone may pass"


def lines_of(report, most, chance):
    """Pairs of a line and the clauses that the report names for it: all shrunk ones, and a sample."""
    shrunk = [(f["shrunk_case_line"], f["clauses"]) for f in report["failures"] if f.get("shrunk_case_line")]
    failing = [(f["case_line"], f["clauses"]) for f in report["failures"] if NEEDS_OTHERS not in f["message"]]
    return shrunk + chance.sample(failing, min(most, len(failing)))


def main():
    arguments = parse_arguments()
    libraries = libraries_of(arguments, zoo.load(arguments.build))
    lines = wrong = 0
    with tempfile.TemporaryDirectory() as scratch, \
            concurrent.futures.ThreadPoolExecutor(max(1, arguments.jobs)) as pool:
        folder = pathlib.Path(scratch)
        for number, (selection, profile, library) in enumerate(libraries):
            judged = zoo.judge(arguments.build, folder, str(number), selection, profile=profile,
                               library=library, case_set=arguments.set)
            if judged.report is None:
                sys.exit(f"{','.join(selection)}: {judged.error()}")
            asked = lines_of(judged.report, arguments.most, random.Random(",".join(selection)))
            manifest = folder / f"{number}.manifest.json"
            answers = list(pool.map(
                lambda pair: named_by_replay(arguments, profile, manifest, pair[0]), asked))
            bad = [(line, sorted(clauses), got)
                   for (line, clauses), got in zip(asked, answers) if sorted(clauses) != got]
            lines += len(asked)
            wrong += len(bad)
            print(f"{'BAD ' if bad else 'ok  '} {','.join(selection)}: {len(asked)} lines, "
                  f"{len(bad)} named otherwise", flush=True)
            for line, clauses, got in bad:
                print(f"  {line}\n    report {' '.join(clauses)}\n    replay {' '.join(got)}", flush=True)
    print(f"{lines} lines of {len(libraries)} libraries, {wrong} named otherwise")
    return 1 if wrong or not lines else 0


if __name__ == "__main__":
    sys.exit(main())
