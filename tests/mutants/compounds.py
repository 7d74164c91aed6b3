#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges compounds: libraries with two, four or eight faults of the zoo at once, drawn by a seed.

Of each fault, one of the clauses that it breaches must have failed, or one that it alone touches, or
the report must say that what would show it is refused; no required clause may be accused that none
of the faults touches. Prints a line per compound and the totals: the share of faults found, and the
share of compounds that accuse another required clause. Exit status 0 only where both are as good as
is asked for."""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import sys
import tempfile

import zoo

# Verdicts by which a report says that it does not know.
UNANSWERED = ("inconclusive", "unsupported", "not_run")
# Reasons by which it says so since the calls that could show a clause fail for another one.
WITHHELD = ("every case that tests it there fails", "were not investigated")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="build folder")
    parser.add_argument("--draw", default="60x2,30x4,15x8", help="how many of how many faults")
    parser.add_argument("--seed", default="1", help="what draws them; 'today' is the date")
    parser.add_argument("--set", default="ci", choices=["smoke", "ci", "nightly"])
    parser.add_argument("--json", type=pathlib.Path, help="where to write the table")
    parser.add_argument("--text", type=pathlib.Path, help="where to write what is printed")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the reports, if they are to stay")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)),
                        help="libraries judged at once")
    parser.add_argument("--found", type=float, default=97, help="percent of faults to be found")
    parser.add_argument("--accusing", type=float, default=3,
                        help="percent of compounds that may accuse another clause")
    parser.add_argument("--list", action="store_true", help="print what would be drawn, and stop")
    parser.add_argument("compounds", nargs="*", help="compounds to judge instead, names with commas")
    return parser.parse_args()


def compounds_of(arguments, table):
    if arguments.compounds:
        return [names.split(",") for names in arguments.compounds]
    seed = zoo.today() if arguments.seed == "today" else arguments.seed
    drawn = []
    for part in arguments.draw.split(","):
        count, size = (int(number) for number in part.split("x"))
        # A group is drawn by its own numbers: it does not depend on those before.
        drawn += zoo.draw(table, count, size, random.Random(f"{seed}/{size}"))
    return drawn


def refused_operators(report):
    """Operators of which the run's first question, about plain legal calls, met something refused."""
    return {call["operator"] for call in report.get("accepted", [])
            if call["answer"] not in ("right", "accepted")}


def names_refusal(report, clause):
    """Whether the report says that calls which could show the clause are refused."""
    refused = refused_operators(report)
    operator = clause.get("operator")
    known = {call["operator"] for call in report.get("accepted", [])}
    return operator in refused if operator in known else bool(refused)


def clauses_of_company(table, compound):
    """Clauses that faults of the compound may breach together, and none alone."""
    return [clause for row in table["together"]
            if set(compound) & set(row["left"]) and set(compound) & set(row["right"])
            for clause in row["clauses"]]


def row_of(compound, table, clauses, judged):
    """What happened to each fault, and who is accused without cause. `withheld`: the report says that
    the clauses were not shown, since the calls that could show them fail otherwise."""
    by_name = {entry["name"]: entry for entry in table["mutants"]}
    verdicts = judged.verdicts()
    report = judged.report or {}
    touched = collections.Counter(
        clause for name in compound
        for clause in set(by_name[name]["clauses"] + by_name[name]["may_also"]))
    touched.update(clauses_of_company(table, compound))
    reasons = {clause["id"]: clause.get("reason", "") for clause in judged.clauses()}
    found, beside, hidden, withheld, missed = {}, {}, {}, {}, {}
    for name in compound:
        listed = by_name[name]["clauses"]
        failed = [clause for clause in listed if verdicts.get(clause) == "failed"]
        answered = [clause for clause in listed if verdicts.get(clause) not in UNANSWERED]
        # A clause that the fault may breach, and no other of the compound.
        alone = [clause for clause in by_name[name]["may_also"]
                 if verdicts.get(clause) == "failed" and touched[clause] == 1]
        if failed:
            found[name] = failed
        elif alone:
            beside[name] = alone
        elif not answered and any(names_refusal(report, clauses[clause]) or "refuses" in reasons[clause]
                                  for clause in listed):
            hidden[name] = listed
        elif not answered and any(reason in reasons[clause] for clause in listed for reason in WITHHELD):
            withheld[name] = listed
        else:
            missed[name] = {clause: verdicts.get(clause, "-") for clause in listed}
    accused = [clause["id"] for clause in judged.clauses()
               if clause["verdict"] == "failed" and clause["strength"] == "required"
               and clause["id"] not in touched]
    return {"faults": compound, "found": found, "beside": beside, "hidden": hidden,
            "withheld": withheld, "missed": missed, "accused": accused, "exit_status": judged.status,
            "cases": judged.report["summary"]["cases"] if judged.report else 0,
            "error": judged.error(), "seconds": judged.seconds,
            "good": not judged.error() and not missed and not withheld and not accused}


def lines_of(row):
    yield (f"{'ok  ' if row['good'] else 'BAD '} {len(row['found']) + len(row['beside'])} found, "
           f"{len(row['hidden'])} hidden, {len(row['withheld'])} withheld of {len(row['faults'])}: "
           f"{','.join(row['faults'])}  ({row['seconds']} s) {row['error']}").rstrip()
    for name, clauses in row["beside"].items():
        yield f"       {name} found under {', '.join(clauses)}"
    for name in row["withheld"]:
        yield f"       WITHHELD {name}"
    for name, verdicts in row["missed"].items():
        said = ", ".join(f"{clause} {verdict}" for clause, verdict in verdicts.items())
        yield f"       MISSED {name}: {said}"
    if row["accused"]:
        yield f"       WRONGLY ACCUSED {','.join(row['accused'])}"


def totals_of(rows):
    faults = sum(len(row["faults"]) for row in rows)
    by_size = collections.defaultdict(list)
    for row in rows:
        by_size[len(row["faults"])].append(row)
    found = sum(len(row["found"]) + len(row["beside"]) for row in rows)
    hidden = sum(len(row["hidden"]) for row in rows)
    withheld = sum(len(row["withheld"]) for row in rows)
    passed = sum("passed" in verdicts.values() for row in rows for verdicts in row["missed"].values())
    accusing = sum(bool(row["accused"]) for row in rows)
    return {
        "compounds": len(rows), "faults": faults, "found": found, "hidden": hidden,
        "withheld": withheld, "found_beside": sum(len(row["beside"]) for row in rows),
        # The worst that can happen: a clause that a fault breaches is passed.
        "missed_and_passed": passed,
        "accusing": accusing,
        "found_or_hidden_percent": round(100 * (found + hidden) / faults, 1) if faults else 0,
        "accusing_percent": round(100 * accusing / len(rows), 1) if rows else 0,
        "slowest_s": max((row["seconds"] for row in rows), default=0),
        "by_size": {str(size): {
            "compounds": len(part), "faults": size * len(part),
            "found": sum(len(row["found"]) + len(row["beside"]) for row in part),
            "hidden": sum(len(row["hidden"]) for row in part),
            "withheld": sum(len(row["withheld"]) for row in part),
            "accusing": sum(bool(row["accused"]) for row in part)} for size, part in sorted(by_size.items())},
    }


def main():
    arguments = parse_arguments()
    table = zoo.load(arguments.build)
    clauses = zoo.spec_clauses()
    compounds = compounds_of(arguments, table)
    if arguments.list:
        print("\n".join(",".join(compound) for compound in compounds))
        return 0
    log = zoo.Log()
    with tempfile.TemporaryDirectory() as scratch, \
            concurrent.futures.ThreadPoolExecutor(max(1, arguments.jobs)) as pool:
        folder = arguments.keep or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)

        def work(item):
            number, compound = item
            # A deadline may pass because the machine had other work: what timed out is judged twice.
            for again in (False, True):
                judged = zoo.judge(arguments.build, folder, f"compound{number}", compound,
                                   case_set=arguments.set)
                row = {**row_of(compound, table, clauses, judged), "again": again}
                if row["good"] or not judged.report or not judged.report["summary"]["timed_out"]:
                    break
            return row

        rows = []
        for row in pool.map(work, enumerate(compounds)):
            rows.append(row)
            for line in lines_of(row):
                log.say(line)
    totals = totals_of(rows)
    if arguments.json:
        zoo.write(arguments.json, json.dumps({
            "schema": "poolproof-compounds/1", "set": arguments.set, "seed": arguments.seed,
            "totals": totals, "rows": rows}, indent=1) + "\n")
    for size, part in totals["by_size"].items():
        log.say(f"{part['compounds']} of {size}: {part['found']} of {part['faults']} faults found, "
                f"{part['hidden']} hidden, {part['withheld']} withheld, "
                f"{part['accusing']} compounds accuse another clause")
    log.say(f"{totals['found_or_hidden_percent']} % of the faults found or said to be hidden, "
            f"{totals['withheld']} withheld, {totals['missed_and_passed']} read passed; "
            f"{totals['accusing_percent']} % of the compounds "
            f"accuse another required clause; the slowest took {totals['slowest_s']} s")
    log.write(arguments.text)
    good = rows and not any(row["error"] for row in rows) and \
        totals["found_or_hidden_percent"] >= arguments.found and \
        totals["accusing_percent"] <= arguments.accusing
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
