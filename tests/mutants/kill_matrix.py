#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges the zoo: every faulty library must fail with the clauses it is listed with and no required
clause that its fault does not touch; every lawful variant must be conformant over the whole set, without a root cause.

Prints one line per library (which families of cases killed it, how many cases that took, the clauses
blamed, the size of the smallest counterexample) and a closing count. A mutant's run ends after a
few failing cases; where these leave a listed clause unblamed it is run again for longer. Under another
profile than its own a library is held to those of its clauses that this profile has."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import statistics
import sys
import tempfile
import time

import zoo

STOP_AFTER = (12, 100, None)
MEDIAN_CASES = 300


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="build folder")
    parser.add_argument("--set", default="ci", choices=["smoke", "ci", "nightly"])
    parser.add_argument("--profile", choices=["atlas-a2", "atlas-a3", "ascend-950"],
                        help="judge all under this one, not each under its own")
    parser.add_argument("--json", type=pathlib.Path, help="where to write the matrix")
    parser.add_argument("--text", type=pathlib.Path, help="where to write what is printed")
    parser.add_argument("--whole", action="store_true", help="run mutants over the whole set too")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)),
                        help="libraries judged at once")
    parser.add_argument("--sample", type=int, help="judge so many mutants, drawn by the date")
    parser.add_argument("--date", default=zoo.today(), help="the date that draws them, if not today's")
    parser.add_argument("names", nargs="*", help="names or categories; none: everything")
    return parser.parse_args()


def elements(case):
    """Elements of self over the calls of a case."""
    total = 0
    for call in case["calls"]:
        count = 1
        for extent in ((call["tensors"].get("self") or {}).get("shape") or [0]):
            count *= max(extent, 0)
        total += count
    return total


def row_of(entry, is_mutant, profile, judged, seconds):
    status, report = judged.status, judged.report
    failed = [c for c in (report or {"clauses": []})["clauses"] if c["verdict"] == "failed"]
    blamed = [c["id"] for c in failed]
    listed = entry.get("clauses", [])
    # Of another profile than its own some clauses may not hold.
    foreign = [c["id"] for c in (report or {"clauses": []})["clauses"] if profile != entry["profile"]
               and c["id"] in listed and c["verdict"] == "not_applicable"]
    listed = [c for c in listed if c not in foreign]
    allowed = set(listed) | set(entry.get("may_also", []))
    missing = [c for c in listed if c not in blamed]
    extra = [c["id"] for c in failed if c["strength"] == "required" and c["id"] not in allowed]
    failures = report["failures"] if report else []
    killed_by = {}
    for failure in failures:
        killed_by.setdefault(failure["path"].split("/")[1], failure["case_number"] + 1)
    cases_needed = min((failure["case_number"] + 1 for failure in failures
                        if not listed or set(failure["clauses"]) & set(listed)), default=None)
    causes = 0 if is_mutant else len((report or {}).get("root_causes", {}).get("causes", []))
    sizes = [elements(f["shrunk_case"]) for f in failures if f.get("shrunk_case")]
    return {
        "name": entry["name"], "kind": "mutant" if is_mutant else "variant",
        "category": entry.get("category", "legal"), "exit_status": status,
        "killed_by": killed_by, "cases_needed": cases_needed, "blamed": blamed,
        "profile": profile, "foreign": foreign,
        "missing": missing, "extra": extra, "needless_causes": causes,
        "shrunk_elements": min(sizes, default=None),
        "shrunk": next((f["shrunk_case_line"] for f in failures if f.get("shrunk_case_line")), None),
        "error": judged.talk, "seconds": round(seconds, 1),
        "good": report is not None and not missing and not extra and not causes and (is_mutant or status == 0),
    }


def line_of(row):
    text = f"{'ok  ' if row['good'] else 'BAD '} {row['name']:38s}"
    if row["kind"] == "mutant":
        text += f" {row['cases_needed'] or '-':>6} cases"
        families = sorted(row["killed_by"], key=row["killed_by"].get)
        text += f"  {','.join(families[:4])}{',...' if len(families) > 4 else ''}"
        text += f"  blamed {','.join(row['blamed'])}"
        if row["shrunk_elements"] is not None:
            text += f"  shrunk to {row['shrunk_elements']} elements"
    else:
        text += " conformant" if row["exit_status"] == 0 else f" exit {row['exit_status']}"
    if row["needless_causes"]:
        text += f"  {row['needless_causes']} ROOT CAUSES"
    if row["foreign"]:
        text += f"  not of {row['profile']}: {','.join(row['foreign'])}"
    if row["missing"]:
        text += f"  MISSING {','.join(row['missing'])}"
    if row["extra"]:
        text += f"  WRONGLY BLAMED {','.join(row['extra'])}"
    again = ", second run" if row.get("again") else ""
    return f"{text}  ({row['seconds']} s{again}) {row['error']}".rstrip()


def main():
    arguments = parse_arguments()
    log = zoo.Log()
    say = log.say
    table = zoo.load(arguments.build)
    wanted = set(arguments.names)
    entries = [(entry, kind == "mutants") for kind in ("mutants", "variants") for entry in table[kind]
               # Faults for campaigns are too rare for a set to be held to them.
               if (not wanted and entry.get("category") != "campaign")
               or wanted & {entry["name"], entry.get("category", "legal")}]
    if arguments.sample is not None:
        mutants = sorted((entry for entry in entries if entry[1]), key=lambda entry: entry[0]["name"])
        entries = random.Random(arguments.date).sample(mutants, min(arguments.sample, len(mutants)))
        say(f"{len(entries)} of {len(mutants)} mutants, drawn by {arguments.date}")
    with tempfile.TemporaryDirectory() as scratch, \
            concurrent.futures.ThreadPoolExecutor(max(1, arguments.jobs)) as pool:

        def work(item):
            # A deadline may pass because the machine had other work: what is not as listed twice is
            # wrong, and a row says when it took two runs.
            row = row_by_stages(*item)
            if not row["good"]:
                row = row_by_stages(*item)
                row["again"] = True
            return row

        def row_by_stages(entry, is_mutant):
            started = time.monotonic()
            profile = arguments.profile or entry["profile"]
            for stop_after in STOP_AFTER if is_mutant and not arguments.whole else (None,):
                judged = zoo.judge(
                    arguments.build, pathlib.Path(scratch), entry["name"], [entry["name"]],
                    profile=profile, library=entry["library"], case_set=arguments.set,
                    stop_after=stop_after)
                row = row_of(entry, is_mutant, profile, judged, time.monotonic() - started)
                whole = judged.report is not None and judged.report["run"]["stopped_by"] != "stop-after"
                if row["good"] or row["extra"] or whole:
                    break
            return row

        rows = []
        for row in pool.map(work, entries):
            rows.append(row)
            say(line_of(row))
    bad = sum(not row["good"] for row in rows)
    needed = [row["cases_needed"] for row in rows if row["cases_needed"]]
    median = statistics.median(needed) if needed else None
    if arguments.json:
        zoo.write(arguments.json, json.dumps({
            "schema": "poolproof-kill-matrix/1", "set": arguments.set,
            "median_cases_needed": median, "rows": rows}, indent=1) + "\n")
    if median is not None:
        say(f"the median mutant needs {median:g} cases")
        if not wanted and arguments.sample is None and median >= MEDIAN_CASES:
            say(f"more than the {MEDIAN_CASES} that are allowed")
            bad += 1
    say(f"{sum(row['good'] for row in rows)} as listed, {bad} not")
    log.write(arguments.text)
    return 1 if bad or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
