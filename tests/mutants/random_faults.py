#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges libraries with faults that nobody chose, and holds what the suite says against them.

A fault is drawn from a seed (tests/mutants/random_fault): a trigger of one to three conditions on what a library
sees, and an effect. Faults that hardly any case of the set meets, or nearly all, are left out and counted.
--pairs gives each library two of them. --simulated judges in one process without starting workers: crashes and hangs cost nothing there. --rules asks for
rules alone: nothing is then said of clauses, and the fault shows each time.

Prints a line for each fault and, in the end, the measures:

found         the library is nonconformant
clauses       some clause is accused that the fault may breach, and no other required one
rule          the leading root cause's rule is right: it says so of 99 % of the new cases that fail, and of 1 % of those
              that pass at most (up to 1,000 each; cases that meet the trigger and show nothing are left out)
confirmed     of the rules that the report calls confirmed, those that are right; suspected: of the others
              Faults that only some runs show have a line of their own; those that show after other calls
              alone are left out.
decisive      of the required clauses that the fault does not breach and that a right library passes, those passed
contradicted  sentences that a new case contradicts: confirmed rules that hold of cases that pass, cases that are said
              to pass and fail, or to fail and pass
cost          CPU, and cases carried out in simulated runs, over those of the right library"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import zoo

LIBRARY = "poolproof_random_fault"
REFUSALS = ("refused", "accepted", "other_status")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="build folder, with random_faults")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20, help="so many faults")
    parser.add_argument("--pairs", action="store_true", help="two faults in each library")
    parser.add_argument("--simulated", action="store_true", help="judge in one process, without workers")
    parser.add_argument("--rules", action="store_true",
                        help="judge nothing: what is learnt of cases that fail where the fault shows")
    parser.add_argument("--set", default="smoke", choices=["smoke", "ci"])
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="libraries judged at once")
    parser.add_argument("--limit", type=float, default=300, help="seconds after which a run is given up")
    parser.add_argument("--json", type=pathlib.Path, help="where to write the table, with a row for each fault")
    parser.add_argument("--text", type=pathlib.Path, help="where to write what is printed")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the reports, if they are to stay")
    parser.add_argument("faults", nargs="*", help="texts of faults, instead of drawn ones")
    return parser.parse_args()


def bench(arguments, *words, **how):
    return subprocess.Popen([str(arguments.build / "bin" / "random_faults"),
                             str(arguments.build / "lib" / f"lib{LIBRARY}.so"), *words],
                            stdout=subprocess.PIPE, text=True, **how)


def lines_of(process):
    for line in process.stdout:
        yield json.loads(line)
    if process.wait() != 0:
        raise SystemExit(f"random_faults ended with {process.returncode}")


def draw(arguments, log):
    """Texts of faults, and how many were left out by why."""
    if arguments.faults:
        return arguments.faults, {}
    faults, dull = [], collections.Counter()
    count = arguments.count * (2 if arguments.pairs else 1)
    for row in lines_of(bench(arguments, "draw", arguments.set, str(arguments.seed), str(count))):
        if "dull" in row:
            dull[row["dull"]] += 1
        else:
            faults.append(row["fault"])
    if arguments.pairs:
        faults = [f"{one} ; {other}" for one, other in zip(faults[::2], faults[1::2])]
    log.say(f"seed {arguments.seed}: {len(faults)} {'pairs of ' if arguments.pairs else ''}faults; {dull.total()} left out: " +
            (", ".join(f"{count} {why}" for why, count in dull.most_common()) or "none"))
    return faults, dict(dull)


def simulate(arguments, faults, log):
    """Rows in the order of `faults`."""
    share = [faults[i::arguments.jobs] for i in range(min(arguments.jobs, len(faults)))]

    def work(part):
        process = bench(arguments, "rules" if arguments.rules else "simulate", arguments.set, stdin=subprocess.PIPE)
        process.stdin.write("".join(text + "\n" for text in part))
        process.stdin.close()
        rows = {}
        for row in lines_of(process):
            rows[row["fault"]] = row
            log.say(line_of(row))
        return rows

    rows = {}
    with concurrent.futures.ThreadPoolExecutor(max(1, len(share))) as pool:
        for some in pool.map(work, share):
            rows.update(some)
    return [rows[text] for text in faults if text in rows]


class Judged:
    """A run of the program: its report, if there is one, and what it took."""

    def __init__(self, report, cpu, seconds):
        self.report, self.cpu, self.seconds = report, cpu, seconds


def judge(arguments, folder, name, fault):
    manifest, report = folder / f"{name}.manifest.json", folder / f"{name}.json"
    report.unlink(missing_ok=True)
    manifest.write_text(json.dumps({
        "schema": "poolproof-manifest/1", "name": LIBRARY,
        "libraries": [str((arguments.build / "lib" / f"lib{LIBRARY}.so").resolve())],
        "environment": {"*": {"POOLPROOF_RANDOM_FAULT": fault}}}))
    started = time.monotonic()
    process = subprocess.Popen([str(arguments.build / "bin" / "poolproof"), "run", "--implementation", str(manifest),
                                "--profile", zoo.DEFAULT_PROFILE, "--set", arguments.set, "--jobs", "1",
                                "--json", str(report)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True)
    usage = None
    while usage is None:
        pid, _, used = os.wait4(process.pid, os.WNOHANG)
        if pid:
            usage = used
        elif time.monotonic() - started > arguments.limit:
            os.killpg(process.pid, signal.SIGKILL)
            usage = os.wait4(process.pid, 0)[2]
        else:
            time.sleep(0.05)
    process.returncode = 0  # it was waited for
    seconds = round(time.monotonic() - started, 1)
    return Judged(report if report.exists() else None, usage.ru_utime + usage.ru_stime, seconds)


def judge_all(arguments, folder, faults, log):
    right = judge(arguments, folder, "right", "")
    if right.report is None:
        raise SystemExit("the library without a fault was not judged")
    with concurrent.futures.ThreadPoolExecutor(max(1, arguments.jobs)) as pool:
        judged = list(pool.map(lambda i: judge(arguments, folder, str(i), faults[i]), range(len(faults))))
    words = []
    for text, one in zip(faults, judged):
        if one.report is not None:
            words += [text, str(one.report)]
    rows = {row["fault"]: row
            for row in lines_of(bench(arguments, "measure", arguments.set, str(right.report), *words))}
    for text, one in zip(faults, judged):
        if text not in rows:
            log.say(f"no report within {arguments.limit:.0f} s: {text}")
            continue
        rows[text].update(cpu_s=one.cpu, cpu_over_right=one.cpu / right.cpu, seconds=one.seconds)
        log.say(line_of(rows[text]))
    return [rows[text] for text in faults if text in rows]


def pair_line_of(row):
    text = f"{'f' if row['found'] else '-'}{'t' if row['told'] else '-'}  {row['fault']}   ("
    text += f"{row['still_passed']} of {row['kept']} other clauses passed"
    if row["accused"]:
        text += "; falsely accused: " + " ".join(row["accused"])
    if "cpu_over_right" in row:
        text += f"; CPU x {row['cpu_over_right']:.2f}"
    text += ")"
    for cause in row["causes"]:
        right = "".join("AB"[i] for i in cause["right_of"]) or "none"
        text += f"\n       {'confirmed' if cause['confirmed'] else 'suspected'}, right of {right}: {cause['rule']}"
    for sentence in row["contradicted"]:
        text += f"\n       contradicted: {sentence}"
    return text


def line_of(row):
    if "told" in row:
        return pair_line_of(row)
    marks = "".join(letter if row[key] else "-"
                    for letter, key in (("f", "found"), ("c", "clauses_right"), ("r", "rule_right")))
    text = f"{marks}  {row['fault']}   ({row['share']:.1f} %"
    if row["accused"]:
        text += "; falsely accused: " + " ".join(row["accused"])
    text += f"; {row['still_passed']} of {row['kept']} other clauses passed"
    if "cpu_over_right" in row:
        text += f"; CPU x {row['cpu_over_right']:.2f}"
    text += ")"
    for cause in row["causes"]:
        text += (f"\n       {'confirmed' if cause['confirmed'] else 'suspected'}"
                 f"{'' if cause['right'] else ', wrong'}: {cause['rule']}  "
                 f"[{cause['inside']} of {row['inside']} that fail, {cause['outside']} of {row['outside']} that pass]")
    for sentence in row["contradicted"]:
        text += f"\n       contradicted: {sentence}"
    return text


def share(rows, key):
    """Of rows, those that have it, as a pair."""
    return [sum(bool(row[key]) for row in rows), len(rows)]


def cost_of(rows):
    kept = [row["still_passed"] / row["kept"] for row in rows if row["kept"]]
    numbers = {"decisiveness, mean": statistics.mean(kept) if kept else None,
               "decisiveness, least": min(kept, default=None)}
    for key, name in (("cpu_over_right", "CPU over the right library's"),
                      ("cases_over_right", "cases over the right library's")):
        costs = [row[key] for row in rows if key in row]
        if costs:
            numbers[name + ", median"] = statistics.median(costs)
            numbers[name + ", mean"] = statistics.mean(costs)
            numbers[name + ", most"] = max(costs)
    return numbers


def measures_of_pairs(rows):
    steady = [row for row in rows if row["steady"]]
    return {"both found": share(rows, "found"), "both found, steady": share(steady, "found"),
            "a right rule for each, steady": share(steady, "told"),
            "two causes, steady": [sum(len(row["causes"]) == 2 for row in steady), len(steady)],
            "accuses a clause falsely": share(rows, "accused"),
            "reports with a contradicted rule, steady": share(steady, "contradicted")}, cost_of(rows)


def measures_of(rows):
    """Pairs are counts and what they are of."""
    if any("told" in row for row in rows):
        return measures_of_pairs(rows)
    steady = [row for row in rows if row["steady"] and not row["history"]]
    others = [row for row in rows if not row["steady"]]
    found = [row for row in steady if row["found"]]
    plain = [row for row in found if row["effect"] not in REFUSALS]
    causes = [cause for row in steady for cause in row["causes"]]
    measures = {
        "found": share(rows, "found"),
        "found, steady": share(steady, "found"),
        "found, after other calls alone": share([row for row in rows if row["history"]], "found"),
        "clauses right, of those found": share([row for row in rows if row["found"]], "clauses_right"),
        "accuses a clause falsely": [sum(bool(row["accused"]) for row in rows), len(rows)],
        "rule right, steady and found": share(found, "rule_right"),
    }
    for count in (1, 2, 3):
        measures[f"rule right, {count} condition{'s' if count > 1 else ''}"] = share(
            [row for row in plain if row["conditions"] == count], "rule_right")
    measures["rule right, refusals and acceptances"] = share(
        [row for row in found if row["effect"] in REFUSALS], "rule_right")
    measures["confirmed rules that are right"] = share([c for c in causes if c["confirmed"]], "right")
    measures["suspected rules that are right"] = share([c for c in causes if not c["confirmed"]], "right")
    measures["rule right for the operators of its clauses"] = share(found, "rule_right_within")
    measures["rule right on 2,000 cases as they come"] = [sum((row["same"] or 0) >= 0.99 for row in found), len(found)]
    measures["one root cause"] = [sum(len(row["causes"]) == 1 for row in found), len(found)]
    measures["intermittent ones told as such"] = [sum(row.get("told_flaky", 0) > 0 for row in others), len(others)]
    measures["rule right, intermittent"] = [sum(row["rule_right"] for row in others), len(others)]
    told = [row for row in others if row.get("told_flaky")]
    measures["their rate within the interval"] = [sum(row["rate_inside"] for row in told),
                                                  sum(row["told_flaky"] for row in told)]
    measures["sentences contradicted, steady"] = [sum(len(row["contradicted"]) for row in steady),
                                                  sum(row["claims"] for row in steady)]
    measures["reports with a contradicted sentence"] = [sum(bool(row["contradicted"]) for row in steady), len(steady)]
    return measures, cost_of(rows)


def say_measures(measures, numbers, log):
    for name, (count, of) in measures.items():
        log.say(f"{name:46s} {count:5d} of {of:5d}" + (f"  {100 * count / of:5.1f} %" if of else ""))
    for name, number in numbers.items():
        if number is not None:
            log.say(f"{name:46s} {number:8.3f}")


def main():
    arguments = parse_arguments()
    log = zoo.Log()
    faults, dull = draw(arguments, log)
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.keep or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        rows = (simulate(arguments, faults, log) if arguments.simulated or arguments.rules
                else judge_all(arguments, folder, faults, log))
    seconds = time.monotonic() - started
    measures, numbers = measures_of(rows)
    if arguments.rules:
        measures = {name: pair for name, pair in measures.items() if "rule" in name or "cause" in name}
        numbers = {}
    say_measures(measures, numbers, log)
    log.say(f"{len(rows)} faults in {seconds:.0f} s, {seconds / max(1, len(rows)):.1f} s each")
    if arguments.json:
        zoo.write(arguments.json, json.dumps({
            "schema": "poolproof-random-faults/1", "set": arguments.set, "seed": arguments.seed,
            "simulated": arguments.simulated, "rules_alone": arguments.rules, "seconds": seconds, "dull": dull,
            "measures": measures, "numbers": numbers, "rows": rows}, indent=1) + "\n")
    log.write(arguments.text)
    return 0 if len(rows) == len(faults) else 1


if __name__ == "__main__":
    sys.exit(main())
