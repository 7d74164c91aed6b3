#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What judging costs: cases per second against workers and shards, and time per case against its size.

usage: scaling.py [--program build/bin/poolproof] [--implementation X] [--json OUT.json]

Runs campaigns of one plan with --jobs 1, 2, ..., and in 1, 2, ... shards with one worker each, all at
once; then files of cases of a few kinds and sizes. Prints both tables; --json writes the data that
`--performance` of a report draws (schema poolproof-performance/1).
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ENDED = (0, 1, 4)  # conformant, nonconformant, incomplete: the cases were judged
SMALLEST, LARGEST = 2, 26  # exponents of sizes
FEW, MANY = 16, 512  # cases of a size
# Cases by kind; {h} x {w} is the plane.
KINDS = {
    "3x3 windows, stride 2, f32":
        "pp1:MaxPool3dWithArgmaxBackward:self=f32[1,1,1,{h},{w}]~uniform.{seed};k=1,3,3;s=1,2,2;p=0,1,1;d=1",
    "3x3 windows, stride 1, bf16":
        "pp1:MaxPool3dWithArgmaxBackward:self=bf16[1,1,1,{h},{w}]~uniform.{seed};k=1,3,3;s=1;p=0,1,1;d=1",
    "adaptive, uneven, f32":
        "pp1:AdaptiveMaxPool2dBackward:self=f32[1,{h},{w}]~uniform.{seed};go=[1,{oh},{ow}]",
}


class Failed(Exception):
    """A line for people."""


def available():
    return len(os.sched_getaffinity(0))


def numbers(least, most):
    """A parser of "1,2,4"."""
    def parse(text):
        try:
            values = [int(word) for word in text.split(",")]
        except ValueError:
            values = []
        if not values or not all(least <= value <= most for value in values):
            raise argparse.ArgumentTypeError(f"'{text}' is not a list of numbers from {least} to {most}")
        return sorted(set(values))
    return parse


def doubled_to(most):
    """1, 2, 4, ..., most."""
    values = [1]
    while values[-1] * 2 < most:
        values.append(values[-1] * 2)
    return sorted({*values, most})


class Bench:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder

    def call(self, commands):
        """Seconds until all have ended, and their reports. Each gets a report file of its own."""
        reports = [self.folder / f"report{i}.json" for i in range(len(commands))]
        begin = time.monotonic()
        running = [subprocess.Popen([self.options.program, *map(str, command), "--json", str(report)],
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                   for command, report in zip(commands, reports)]
        said = [process.communicate()[1] for process in running]
        seconds = time.monotonic() - begin
        for process, error in zip(running, said):
            if process.returncode not in ENDED:
                last = (error.strip().splitlines() or ["it said nothing"])[-1]
                raise Failed(f"poolproof: exit status {process.returncode}: {last}")
        return seconds, [json.loads(report.read_text(encoding="utf-8")) for report in reports]

    def plan(self, shards):
        path = self.folder / f"plan{shards}.json"
        made = subprocess.run([self.options.program, "plan", "--campaign", "--cases",
                               str(self.options.cases), "--shards", str(shards), "-o", str(path)],
                              capture_output=True, text=True, check=False)
        if made.returncode != 0:
            raise Failed(made.stderr.strip())
        return path

    def rate(self, by, count):
        """Cases per second, the median of the rounds."""
        shards = count if by == "shards" else 1
        jobs = count if by == "jobs" else 1
        plan = self.plan(shards)
        rates = []
        for _ in range(self.options.rounds):
            with tempfile.TemporaryDirectory(dir=self.folder) as corpus:
                seconds, reports = self.call([
                    ["fuzz", "--implementation", self.options.implementation, "--plan", plan,
                     "--corpus", corpus, "--jobs", jobs, *(["--shard", i] if by == "shards" else [])]
                    for i in range(shards)])
            judged = sum(report["summary"]["cases"] for report in reports)
            if judged != self.options.cases:
                raise Failed(f"{judged} of {self.options.cases} cases were judged with {count} {by}")
            rates.append(judged / seconds)
        return {"by": by, "count": count, "cases_per_s": statistics.median(rates)}

    def case_file(self, kind, exponent, cases):
        """As many cases of the kind, each with other numbers in self."""
        height, width = 2 ** (exponent // 2), 2 ** (exponent - exponent // 2)
        path = self.folder / "cases.jsonl"
        path.write_text("".join(KINDS[kind].format(
            h=height, w=width, oh=max(1, 2 * height // 3), ow=max(1, 2 * width // 3), seed=seed) + "\n"
            for seed in range(cases)), encoding="ascii")
        return path

    def run(self, kind, exponent, cases):
        path = self.case_file(kind, exponent, cases)
        seconds, (report,) = self.call([["run", "--implementation", self.options.implementation,
                                         "--case-file", path, "--jobs", 1]])
        if report["summary"]["cases"] != cases or report["summary"]["unsupported"]:
            raise Failed(f"{kind}: not every case was judged")
        return seconds

    def cost(self, kind, exponent):
        """Milliseconds of one more case; None where noise hides it.

        Twice as many cases of the same kind: what both runs do once goes out. Workers are started
        once for every few cases up to MANY of them, from where on that goes out as well.
        """
        cases = max(FEW, min(MANY, 2 ** (self.options.elements - exponent)))
        beyond = [self.run(kind, exponent, 2 * cases) - self.run(kind, exponent, cases)
                  for _ in range(self.options.rounds)]
        middle = statistics.median(beyond)
        if middle <= 0:
            print(f"scaling.py: left out {kind}, 2^{exponent} elements: {2 * cases} cases took no "
                  f"longer than {cases}", file=sys.stderr)
            return None
        return {"kind": kind, "elements": 2 ** exponent, "case_ms": 1000 * middle / cases}


def measure(options, folder):
    bench = Bench(options, folder)
    rates = [bench.rate("jobs", count) for count in options.jobs]
    rates += [bench.rate("shards", count) for count in options.shards]
    costs = [bench.cost(kind, exponent) for kind in KINDS for exponent in options.sizes]
    costs = [cost for cost in costs if cost]
    return {"implementation": Path(options.implementation).name, "cpus": available(),
            "rates": rates, "costs": costs}


def table(header, lines):
    return ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)] + [
        "| " + " | ".join(line) + " |" for line in lines]


def tables(judging):
    text = table(["by", "workers", "cases/s"],
                 [[rate["by"], str(rate["count"]), f"{rate['cases_per_s']:.0f}"]
                  for rate in judging["rates"]])
    return text + [""] + table(["kind", "elements", "ms a case"],
                               [[cost["kind"], str(cost["elements"]), f"{cost['case_ms']:.3f}"]
                                for cost in judging["costs"]])


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", default="build/bin/poolproof")
    parser.add_argument("--implementation", default="reference", metavar="X")
    parser.add_argument("--cases", type=int, default=4000, help="of a campaign")
    parser.add_argument("--jobs", type=numbers(1, 1024), default=doubled_to(available()),
                        metavar="N,...", help="default: up to the CPUs available")
    parser.add_argument("--shards", type=numbers(1, 64), default=[1, 2, 4], metavar="N,...")
    parser.add_argument("--sizes", type=numbers(SMALLEST, LARGEST),
                        default=list(range(6, 21, 2)), metavar="K,...",
                        help="2^K elements of self; default 6,8,...,20")
    parser.add_argument("--rounds", type=int, default=3, help="the median of so many is taken")
    parser.add_argument("--elements", type=int, default=24, metavar="K",
                        help=f"about 2^K elements in the cases of a size, of which there are {FEW} to {MANY}")
    parser.add_argument("--json", metavar="F")
    options = parser.parse_args(arguments)
    for name, least in (("cases", 1), ("rounds", 1), ("elements", SMALLEST)):
        if getattr(options, name) < least:
            parser.error(f"--{name}: {getattr(options, name)} is less than {least}")
    try:
        with tempfile.TemporaryDirectory() as folder:
            judging = measure(options, Path(folder))
    except (Failed, OSError) as error:
        print(f"scaling.py: {error}", file=sys.stderr)
        return 2
    print("\n".join(tables(judging)))
    if options.json:
        Path(options.json).write_text(
            json.dumps({"schema": "poolproof-performance/1", "judging": judging}, indent=1) + "\n",
            encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
