#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges the wild libraries of the zoo: what each clause may be said of them is written below, by
groups of clauses, from what each library does and not from what the suite says today."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import sys
import tempfile

import zoo

# What a report may say of a clause. A clause that nobody asks about is none of our business here.
ABSENT = {"not_applicable", "not_run"}
FAILED = {"failed"}
PASSED = {"passed"}
UNKNOWN = {"inconclusive"}
NOT_PASSED = FAILED | UNKNOWN
NOT_FAILED = PASSED | UNKNOWN
ANY = PASSED | FAILED | UNKNOWN

# Groups of clauses; of several that hold a clause, the first in a table counts.
GROUPS = {
    "null": lambda c: c.get("expect", {}).get("status") == 161001 and c["judged_as"] == "status",
    "status": lambda c: c["judged_as"] == "status",
    # Some error is asked for, or none in particular.
    "constraint": lambda c: c["judged_as"] == "constraint" and "expect" in c,
    "open": lambda c: c["judged_as"] in ("constraint", "example"),
    "value": lambda c: c["judged_as"] == "value",
    "support": lambda c: c["judged_as"] == "support",
    # A format that no document asks for.
    "advisory-support": lambda c: c["judged_as"] == "support" and c["strength"] == "advisory",
    "protocol": lambda c: c["judged_as"] == "protocol",
    "safety": lambda c: c["judged_as"] == "safety",
}

# Calls that are refused whatever they are have no answer that a clause could be read from. Only
# nulls are owed another code than the one that all get.
REFUSED = {
    "null": FAILED, "status": UNKNOWN, "constraint": UNKNOWN, "open": ANY,
    "value": UNKNOWN, "support": NOT_PASSED,
    "2P-01": FAILED, "2P-04": NOT_FAILED, "2P-05": FAILED, "2P-08": UNKNOWN, "2P-09": NOT_FAILED, "2P-10": ANY,
    "protocol": UNKNOWN,
    # Nothing crashed or was left changed; of what a call that runs would do nothing is known.
    "SAF-03": NOT_FAILED, "SAF-08": NOT_FAILED, "safety": UNKNOWN,
}

# Whatever is wrong is accepted, nothing is done.
IDLE = {
    "null": FAILED, "status": FAILED, "constraint": FAILED, "open": ANY,
    "value": NOT_PASSED, "support": NOT_PASSED,
    "2P-04": UNKNOWN, "2P-05": FAILED, "2P-08": NOT_PASSED, "2P-09": FAILED, "2P-10": ANY,
    "protocol": NOT_PASSED,
    "SAF-03": NOT_FAILED, "SAF-08": NOT_FAILED, "safety": UNKNOWN,
}

# Valid calls are answered as they should be.
RIGHT = {
    "null": FAILED, "status": FAILED, "constraint": FAILED, "open": ANY,
    "value": PASSED, "advisory-support": NOT_FAILED, "support": PASSED,
    # Nothing is ever rejected.
    "2P-04": UNKNOWN, "2P-05": FAILED, "2P-08": NOT_PASSED, "2P-09": FAILED, "2P-10": ANY,
    "protocol": PASSED,
    "SAF-03": NOT_FAILED, "SAF-04": NOT_FAILED, "safety": PASSED,
}

# The run ends before its first case, with the exit status of a library that cannot be judged.
NO_RUN = 3

EXPECTED = {
    "wild_refuses_every_call": REFUSED,
    # There is no stream to call anything on.
    "wild_every_function_refuses": NO_RUN,
    "wild_does_nothing": {"2P-01": FAILED, **IDLE},
    # Phase one does all that it is asked for on valid calls.
    "wild_plans_and_does_nothing": {"2P-01": NOT_FAILED, "2P-02": ANY, **IDLE},
    # A right answer is chance, and so is each wrong one: some clause is always met by chance, but none
    # whenever it is asked about.
    "wild_random_codes": {"2P-01": FAILED, "2P-02": NOT_PASSED, "2P-04": NOT_FAILED,
                          "2P-05": NOT_PASSED, "2P-09": ANY, "2P-10": ANY,
                          "null": NOT_PASSED, "status": NOT_PASSED, "constraint": NOT_PASSED,
                          "open": ANY, "value": NOT_PASSED, "support": NOT_PASSED,
                          "protocol": NOT_PASSED, "SAF-03": NOT_FAILED, "SAF-08": NOT_FAILED,
                          "safety": UNKNOWN},
    "wild_accepts_everything": RIGHT,
    # The late refusal is no excuse for phase one, and hides all that phase two would do.
    "wild_refuses_in_phase_two": {**REFUSED, "null": FAILED, "status": FAILED,
                                  "constraint": NOT_PASSED, "open": ANY, "2P-01": NOT_FAILED, "2P-02": FAILED, "2P-08": FAILED},
    # The codes are right and late. Where some error is asked for, any phase may give it; but a plane
    # that has no memory behind it (MP3-S50) is put to phase one alone.
    "wild_checks_in_phase_two": {**RIGHT, "constraint": ANY, "2P-08": FAILED,
                                 "2P-09": NOT_FAILED},
}


def expected(table, clause):
    """What may be said of the clause: by its id, else by the first group that holds it."""
    if clause["id"] in table:
        return table[clause["id"]]
    for group, allowed in table.items():
        if group in GROUPS and GROUPS[group](clause):
            return allowed
    raise KeyError(clause["id"])


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="build folder")
    parser.add_argument("--set", default="ci", choices=["smoke", "ci", "nightly"])
    parser.add_argument("--json", type=pathlib.Path, help="where to write the table")
    parser.add_argument("--text", type=pathlib.Path, help="where to write what is printed")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the reports, if they are to stay")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)),
                        help="libraries judged at once")
    parser.add_argument("names", nargs="*", help="wild libraries to judge; none: all")
    return parser.parse_args()


def row_of(name, clauses, judged):
    row = {"name": name, "wrong": {}, "exit_status": judged.status, "error": judged.error(),
           "seconds": judged.seconds}
    if EXPECTED[name] == NO_RUN:
        return {**row, "good": judged.report is None and judged.status == NO_RUN}
    wrong = row["wrong"]
    for clause in judged.clauses():
        allowed = expected(EXPECTED[name], clauses[clause["id"]]) | ABSENT
        if clause["verdict"] not in allowed:
            wrong[clause["id"]] = clause["verdict"]
    # None of them is conformant.
    return {**row, "good": not row["error"] and not wrong and judged.status != 0}


def main():
    arguments = parse_arguments()
    clauses = zoo.spec_clauses()
    names = [row["name"] for row in zoo.load(arguments.build)["wild"]]
    assert set(names) == set(EXPECTED), "each wild library has its table"
    log = zoo.Log()
    with tempfile.TemporaryDirectory() as scratch, \
            concurrent.futures.ThreadPoolExecutor(max(1, arguments.jobs)) as pool:
        folder = arguments.keep or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)

        def work(name):
            return row_of(name, clauses, zoo.judge(arguments.build, folder, name, [name],
                                                   case_set=arguments.set))

        rows = []
        for row in pool.map(work, [name for name in names if not arguments.names or name in arguments.names]):
            rows.append(row)
            log.say(f"{'ok  ' if row['good'] else 'BAD '} {row['name']:28s} exit {row['exit_status']}, "
                    f"{len(row['wrong'])} verdicts that it does not deserve  ({row['seconds']} s) "
                    f"{row['error']}".rstrip())
            for verdict in sorted(set(row["wrong"].values())):
                ids = [clause for clause, said in row["wrong"].items() if said == verdict]
                log.say(f"       {verdict}: {' '.join(ids)}")
    if arguments.json:
        zoo.write(arguments.json, json.dumps(
            {"schema": "poolproof-wild/1", "set": arguments.set, "rows": rows}, indent=1) + "\n")
    log.write(arguments.text)
    return 0 if rows and all(row["good"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
