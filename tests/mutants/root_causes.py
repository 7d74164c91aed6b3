#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges faulty libraries whole and holds their root causes against what is known of the faults: the leading
rule against the fault's trigger (triggers.cc), on 10,000 cases that no run judged, and the number of root
causes. Faults without a trigger count as misses; what but answers by another status than is advised is lawful: it
has no root cause and is not counted. With --pairs, libraries with two faults each: two root causes.

Prints a line for each library and what is wrong of it, and closing counts."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import zoo

AGREES = 0.99        # of the cases, where a rule is right
LEAST_AGREE = 85     # percent of the faults
LEAST_ONE = 90
LEAST_TWO = 75       # percent of the pairs


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="build folder, with rule_agreement")
    parser.add_argument("--set", default="ci", choices=["smoke", "ci", "nightly"])
    parser.add_argument("--json", type=pathlib.Path, help="where to write the table")
    parser.add_argument("--text", type=pathlib.Path, help="where to write what is printed")
    parser.add_argument("--page", type=pathlib.Path, help="where to write the table as a page, of faults")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the reports, if they are to stay; those "
                        "that lie there are not made again")
    parser.add_argument("--kept-only", action="store_true", help="judge nothing again: of the reports in --keep")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="libraries judged at once")
    parser.add_argument("--pairs", type=int, default=0, help="judge so many pairs of faults instead")
    parser.add_argument("--seed", default="1", help="draws the pairs")
    parser.add_argument("--simulate", action="store_true",
                        help="judge nothing: what is learnt of cases that fail where the trigger holds")
    parser.add_argument("names", nargs="*", help="names or categories; none: all faults")
    return parser.parse_args()


def report_of(arguments, folder, name, selection, entry):
    """Seconds that it took; None where there is no report."""
    target = folder / (name + ".json")
    if target.exists() or arguments.kept_only:
        return 0 if target.exists() else None
    judged = zoo.judge(arguments.build, folder, name, selection, profile=entry["profile"],
                       library=entry["library"], case_set=arguments.set)
    if judged.report is None:
        return None
    zoo.write(target, json.dumps(judged.report))
    return judged.seconds


def agreements(arguments, mode, where, names):
    """Rows of rule_agreement by name."""
    run = subprocess.run([str(arguments.build / "bin" / "rule_agreement"),
                          str(arguments.build / "lib" / "mutants.json"), mode, str(where), *names],
                         stdout=subprocess.PIPE, text=True, check=True)
    return {row["name"]: row for row in map(json.loads, run.stdout.splitlines())}


def is_lawful(folder, name, clauses):
    """Whether the library is conformant and all that fails is a status that is advised."""
    path = folder / (name + ".json")
    report = json.loads(path.read_text()) if path.exists() else {"verdict": ""}
    failed = [clause["id"] for clause in report.get("clauses", []) if clause["verdict"] == "failed"]
    return report["verdict"] == "conformant" and all(
        clauses[i]["strength"] == "advisory" and clauses[i]["judged_as"] in ("status", "constraint") for i in failed)


def row_of(entry, seconds, agreement, lawful):
    row = {"name": entry["name"], "category": entry["category"], "trigger": entry.get("trigger", ""),
           "seconds": seconds, "root_causes": agreement["root_causes"] if agreement else None,
           "unexplained": agreement["unexplained"] if agreement else None,
           "rules": agreement["rules"] if agreement else [], "same": None, "holds_of": None, "share": None,
           "lawful": lawful}
    if agreement and row["trigger"]:
        row["same"] = agreement["same"] / agreement["fresh"]
        row["holds_of"] = agreement["by_trigger"]
        either = agreement["by_trigger"] + agreement["by_rule"] - agreement["by_both"]
        row["share"] = agreement["by_both"] / either if either else None
    row["agrees"] = row["same"] is not None and row["root_causes"] > 0 and row["same"] >= AGREES
    row["one"] = row["root_causes"] == 1
    row["ok"] = row["root_causes"] == 0 if lawful else row["agrees"] and row["one"]
    return row


def line_of(row):
    mark = "ok  " if row["ok"] else "BAD "
    text = f"{mark} {row['name']:42s}"
    if row["root_causes"] is None:
        return text + " no report"
    text += f" {row['root_causes']} root cause{'' if row['root_causes'] == 1 else 's'}"
    if row["lawful"]:
        text += ", lawful: no status that is required"
    elif row["same"] is None:
        text += ", no trigger to compare with"
    else:
        text += f", agrees on {100 * row['same']:.2f} %"
        if row["share"] is not None:
            text += f", {100 * row['share']:.0f} % of those that either names"
    return f"{text}  ({row['seconds']} s)"


def judge_faults(arguments, folder, entries, log):
    names = [entry["name"] for entry in entries]
    if arguments.simulate:
        seconds = dict.fromkeys(names, 0)
        found = agreements(arguments, "simulate", arguments.set, names)
    else:
        with concurrent.futures.ThreadPoolExecutor(max(1, arguments.jobs)) as pool:
            seconds = dict(zip(names, pool.map(
                lambda entry: report_of(arguments, folder, entry["name"], [entry["name"]], entry), entries)))
        found = agreements(arguments, "reports", folder, names)
    clauses = zoo.spec_clauses()
    rows = [row_of(entry, seconds[entry["name"]], found.get(entry["name"]),
                   not arguments.simulate and is_lawful(folder, entry["name"], clauses)) for entry in entries]
    for row in rows:
        log.say(line_of(row))
        if not row["ok"]:
            log.say(f"       trigger: {row['trigger'] or '-'}")
            for rule in row["rules"]:
                log.say(f"       rule: {rule}")
    counted = [row for row in rows if not row["lawful"]]
    agree = 100 * sum(row["agrees"] for row in counted) / max(len(counted), 1)
    one = 100 * sum(row["one"] for row in counted) / max(len(counted), 1)
    log.say(f"{len(counted)} faults: the leading rule is right for {agree:.1f} %, there is one root cause for {one:.1f} %")
    lawful = [row for row in rows if row["lawful"]]
    if lawful:
        log.say(f"{len(lawful)} are lawful, {sum(row['ok'] for row in lawful)} of them without a root cause")
    return rows, agree >= LEAST_AGREE and one >= LEAST_ONE and all(row["ok"] for row in lawful)


def judge_pairs(arguments, folder, table, log):
    pairs = zoo.draw(table, arguments.pairs, 2, random.Random(arguments.seed))
    entry = {"profile": zoo.DEFAULT_PROFILE, "library": zoo.DEFAULT_LIBRARY}
    with concurrent.futures.ThreadPoolExecutor(max(1, arguments.jobs)) as pool:
        seconds = list(pool.map(lambda pair: report_of(arguments, folder, "+".join(pair), pair, entry), pairs))
    rows = []
    for pair, took in zip(pairs, seconds):
        path = folder / ("+".join(pair) + ".json")
        report = json.loads(path.read_text()) if path.exists() else {}
        causes = report.get("root_causes", {}).get("causes", [])
        rules = [" and ".join(condition["text"] for condition in cause["rule"]) or "always" for cause in causes]
        rows.append({"faults": pair, "root_causes": len(causes), "rules": rules, "seconds": took})
        log.say(f"{'ok  ' if len(causes) == 2 else 'BAD '} {' + '.join(pair)}: {len(causes)} root causes  ({took} s)")
        for rule in rules:
            log.say(f"       rule: {rule}")
    two = 100 * sum(row["root_causes"] == 2 for row in rows) / len(rows)
    log.say(f"{len(rows)} pairs: there are two root causes for {two:.1f} %")
    return rows, two >= LEAST_TWO


def page_of(rows, case_set):
    """The table as a page of the documents: no times, so that it changes only where rules do."""
    judged = [row for row in rows if row["root_causes"] is not None and not row["lawful"]]
    lawful = sum(row["lawful"] for row in rows)
    agree = sum(row["agrees"] for row in judged)
    one = sum(row["one"] for row in judged)
    lines = ["# What runs say of faulty libraries", "",
             "`tests/mutants/root_causes.py --page` writes this page; [root-causes.md](root-causes.md) says what it means.", "",
             f"Set `{case_set}`, {len(judged)} of {len(rows) - lawful} faults. Leading rule right on {100 * AGREES:.0f} % of 10,000 "
             f"new cases: {agree}, i.e. {100 * agree / len(judged):.1f} %. One root cause: {one}, i.e. "
             f"{100 * one / len(judged):.1f} %." + ("" if len(judged) == len(rows) - lawful else
                                                     " The others were not run; `--` says so."), "",
             f"{lawful} more answer by another status than is advised, and do nothing else: that is lawful, and has no root "
             "cause.", "",
             "| fault | fails when, by its code | fails when, by its run | right on | root causes |",
             "|---|---|---|---|---|"]
    for row in rows:
        rule = row["rules"][0].rsplit(" [", 1)[0] if row["rules"] else ""
        same = f"{100 * row['same']:.2f} %" if row["root_causes"] and row["same"] is not None else "-"
        trigger, rule = (f"`{text}`" if text else "-" for text in (row["trigger"], rule))
        count = "--" if row["root_causes"] is None else row["root_causes"]
        lines.append(f"| {row['name']} | {trigger} | {rule} | {same} | {count} |")
    return "\n".join(lines) + "\n"


def main():
    arguments = parse_arguments()
    table = zoo.load(arguments.build)
    wanted = set(arguments.names)
    entries = [entry for entry in table["mutants"]
               if (not wanted and entry["category"] != "campaign") or wanted & {entry["name"], entry["category"]}]
    if arguments.simulate:
        entries = [entry for entry in entries if "trigger" in entry]
    log = zoo.Log()
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.keep or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        if arguments.pairs:
            rows, good = judge_pairs(arguments, folder, table, log)
        else:
            rows, good = judge_faults(arguments, folder, entries, log)
    if arguments.page and not arguments.pairs:
        zoo.write(arguments.page, page_of(rows, arguments.set))
    if arguments.json:
        zoo.write(arguments.json, json.dumps({"schema": "poolproof-root-causes/1", "set": arguments.set,
                                              "simulated": arguments.simulate, "rows": rows}, indent=1) + "\n")
    log.write(arguments.text)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
