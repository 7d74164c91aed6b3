#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges partial libraries, each of which refuses something legal, together with faults of the zoo.

Each is judged twice: with what it refuses, and with that lifted. A clause that fails once the refusal
is lifted must not be passed before: what is hidden is not proven. Nor is one that promises what is
refused. Prints a line per library. Exit status 0 only where no such clause is passed, and no clause
of the status tables is accused that holds without the refusal."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import sys
import tempfile

import zoo


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="build folder")
    parser.add_argument("--seed", default="1", help="what draws the faults; 'today' is the date")
    parser.add_argument("--faults", type=int, default=6, help="faults in each library")
    parser.add_argument("--compounds", type=int, default=4, help="how many compounds are taken in turn")
    parser.add_argument("--sample", type=int, help="judge so many partial libraries, drawn by the seed")
    parser.add_argument("--set", default="ci", choices=["smoke", "ci", "nightly"])
    parser.add_argument("--json", type=pathlib.Path, help="where to write the table")
    parser.add_argument("--text", type=pathlib.Path, help="where to write what is printed")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the reports, if they are to stay")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)),
                        help="libraries judged at once")
    parser.add_argument("names", nargs="*", help="partial libraries to judge; none: all")
    return parser.parse_args()


def row_of(partial, compound, clauses, lifted, refusing):
    after, before = lifted.verdicts(), refusing.verdicts()
    # The worst that can happen: what the library breaches is passed, since nothing shows it.
    unproven = [clause for clause, verdict in after.items()
                if verdict == "failed" and before.get(clause) == "passed"]
    unproven += [clause for clause in partial["clauses"]
                 if before.get(clause) == "passed" and clause not in unproven]
    # A call that is refused for another reason than the table's says nothing against the table.
    accused = [clause for clause, verdict in before.items()
               if verdict == "failed" and after.get(clause) == "passed"
               and clauses[clause]["judged_as"] in ("status", "constraint")
               and clauses[clause]["strength"] == "required"]
    error = lifted.error() or refusing.error()
    return {"name": partial["name"], "faults": compound, "unproven": unproven, "accused": accused,
            "withheld": [clause for clause, verdict in after.items()
                         if verdict == "failed" and before.get(clause) not in ("failed", "passed")],
            "newly_failed": [clause for clause, verdict in before.items()
                             if verdict == "failed" and after.get(clause) != "failed"],
            "error": error, "seconds": refusing.seconds,
            "good": not error and not unproven and not accused}


def line_of(row):
    text = (f"{'ok  ' if row['good'] else 'BAD '} {row['name']:32s} {len(row['withheld'])} clauses "
            f"withheld, {len(row['newly_failed'])} failed by the refusal ({','.join(row['newly_failed'])})")
    if row["unproven"]:
        text += f"  PASSED WITHOUT PROOF {','.join(row['unproven'])}"
    if row["accused"]:
        text += f"  WRONGLY ACCUSED {','.join(row['accused'])}"
    return f"{text}  with {','.join(row['faults'])}  ({row['seconds']} s) {row['error']}".rstrip()


def main():
    arguments = parse_arguments()
    table = zoo.load(arguments.build)
    clauses = zoo.spec_clauses()
    seed = zoo.today() if arguments.seed == "today" else arguments.seed
    partials = [row for row in table["partials"] if not arguments.names or row["name"] in arguments.names]
    if arguments.sample is not None:
        partials = random.Random(seed).sample(partials, min(arguments.sample, len(partials)))
    compounds = zoo.draw(table, arguments.compounds, arguments.faults, random.Random(f"{seed}/partial"))
    log = zoo.Log()
    with tempfile.TemporaryDirectory() as scratch, \
            concurrent.futures.ThreadPoolExecutor(max(1, arguments.jobs)) as pool:
        folder = arguments.keep or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        items = [(row, number % len(compounds)) for number, row in enumerate(partials)]

        def work(key):
            partial, number = key
            name = partial["name"] if "name" in partial else f"lifted{number}.{partial['profile']}"
            selection = compounds[number] + ([partial["name"]] if "name" in partial else [])
            return zoo.judge(arguments.build, folder, name, selection, profile=partial["profile"],
                             case_set=arguments.set)

        needed = sorted({(row["profile"], number) for row, number in items})
        lifted = dict(zip(needed, pool.map(work, [({"profile": profile}, number)
                                                  for profile, number in needed])))
        rows = []
        for (partial, number), refusing in zip(items, pool.map(work, items)):
            rows.append(row_of(partial, compounds[number], clauses,
                               lifted[(partial["profile"], number)], refusing))
            log.say(line_of(rows[-1]))
    unproven = sum(len(row["unproven"]) for row in rows)
    accused = sum(len(row["accused"]) for row in rows)
    if arguments.json:
        zoo.write(arguments.json, json.dumps({
            "schema": "poolproof-partials/1", "set": arguments.set, "seed": seed,
            "unproven": unproven, "accused": accused, "rows": rows}, indent=1) + "\n")
    log.say(f"{len(rows)} partial libraries: {unproven} clauses passed without proof, {accused} accused")
    log.write(arguments.text)
    return 0 if rows and all(row["good"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
