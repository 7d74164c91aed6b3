#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a run costs on a device that is slow to start and to load, beside what cannot be avoided: one start, each
kernel loaded once, and of each launch its two phases, one copy in and one out."""

import argparse
import collections
import sys

import stand_in

# In microseconds: what was measured of a real runtime, rounded.
LATENCIES = {"INIT_US": 2000000, "MALLOC_US": 200, "FREE_US": 100, "COPY_US": 15, "PHASE_ONE_US": 50,
             "LAUNCH_US": 40, "FIRST_USE_US": 200000}
COUNTED = {"INIT_US": ["starts"], "MALLOC_US": ["allocations"], "FREE_US": ["frees"],
           "COPY_US": ["copies_in", "copies_out"], "PHASE_ONE_US": ["phase_ones"], "LAUNCH_US": ["launches"],
           "FIRST_USE_US": ["first_uses"]}


def spent(name, counts):
    return LATENCIES[name] * sum(counts[counter] for counter in COUNTED[name]) / 1e6


def ideal(run):
    kernels = len({kernel for _, _, kernel in run.events("first_use")})
    launches = run.counts["launches"]
    return (LATENCIES["INIT_US"] + LATENCIES["FIRST_USE_US"] * kernels +
            LATENCIES["PHASE_ONE_US"] * run.counts["phase_ones"] +
            (LATENCIES["LAUNCH_US"] + 2 * LATENCIES["COPY_US"]) * launches) / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("library", help="the stand-in")
    parser.add_argument("--set", default="smoke")
    parser.add_argument("--campaign", type=int, metavar="N", help="explore N cases, in place of a set")
    parser.add_argument("--devices", type=int, default=1)
    parser.add_argument("--most", type=float, help="seconds; 1 is returned where the run takes longer")
    parser.add_argument("--starts", action="store_true", help="list the workers")
    parser.add_argument("more", nargs="*", help="further arguments of the run, behind --")
    options = parser.parse_args()
    command = ["run", "--set", options.set]
    if options.campaign:
        command = ["fuzz", "--corpus", "{folder}/corpus", "--cases", str(options.campaign)]
    run = stand_in.Run(options.program, options.library, {**LATENCIES, "IGNORES_INDICES": 1, "EXCLUSIVE": "{folder}"},
                       *options.more,
                       devices=options.devices, command=command)
    if run.report is None:
        sys.exit(run.error)
    summary = run.report["summary"]
    title = "campaign" if options.campaign else f"set {options.set}"
    print(f"{title}, {options.devices} device(s): {run.report['verdict']}, {summary['cases']} cases, "
          f"{len(run.failures)} failures")
    print(f"{'':22}{'times':>10}{'seconds':>10}")
    for name, counters in COUNTED.items():
        times = sum(run.counts[counter] for counter in counters)
        print(f"{' + '.join(counters):22}{times:>10}{spent(name, run.counts):>10.1f}")
    least = ideal(run)
    device = sum(spent(name, run.counts) for name in COUNTED)
    print(f"{'all of the device':32}{device:>10.1f}")
    print(f"{'processors':32}{run.processor_seconds:>10.1f}")
    print(f"{'wall':32}{run.seconds:>10.1f}  {summary['cases'] / run.seconds:.0f} cases/s")
    print(f"{'ideal, one device':32}{least:>10.1f}  factor {run.seconds * options.devices / least:.1f}")
    for failure in run.failures[:10]:
        print(f"{failure['path']}: {failure['message']}")
    if options.starts:
        print_workers(run)
    if run.counts["refused_starts"] > 0:
        print("two processes wanted one device")
    if run.exit != 0 or run.counts["refused_starts"] > 0 or (options.most is not None and run.seconds > options.most):
        sys.exit(1)


def print_workers(run):
    loaded = collections.Counter(process for _, process, _ in run.events("first_use"))
    raised = {process for _, process, _ in run.events("exception")}
    ends = {process: at for at, process, _ in run.events("end")}
    starts = run.events("start")
    print("worker: started at, seconds, kernels it loaded")
    for at, process, _ in starts:
        took = f"{(ends[process] - at) / 1e3:.1f}" if process in ends else "?"
        note = ", met an exception" if process in raised else ""
        print(f"{(at - starts[0][0]) / 1e3:>10.1f} {took:>8} {loaded[process]:>4}{note}")


if __name__ == "__main__":
    main()
