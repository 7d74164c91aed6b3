#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ratios of medians from the JSON of poolproof-bench.

usage: compare.py FILE.json... [--markdown OUT.md] [--json OUT.json]

Prints the table; --markdown writes docs/performance.md, --json the data that a report draws
(schema poolproof-performance/1). Several files are shown together.
"""
import argparse
import collections
import json
import math
import statistics
import sys
from pathlib import Path

OURS = "optimized"
ROOFLINE = "roofline_"
ADDING = "adding"
ONEDNN = "onednn_"
LARGE_BYTES = 5e6
VERY_LARGE_BYTES = 50e6
CLASSES = {  # by the shape's name
    "tiny": ("m01", "m02"),
    "k2s2, wide rows": ("m03", "m10", "m11"),
    "k2s2, narrow rows": ("m04", "m12"),
    "k3s2": ("m05", "m06", "m07", "m13"),
    "k3s1": ("m08", "m09"),
    "adaptive, even": ("a14", "a15", "a17", "a18", "a19", "a20", "a22"),
    "adaptive, uneven": ("a16", "a21"),
}
LIMITS = {
    "tiny": "the call itself: views, choice of a form, one fence",
    "k2s2, wide rows": "memory; every element is compared with its window's index and stored non-temporally",
    "k2s2, narrow rows": "memory, and the work around each short row",
    "k3s2": "memory and the additions, which are made one by one, about evenly",
    "k3s1": "the additions: as many as there are inputs, one by one, at the rate at which sums can be loaded and stored",
    "adaptive, even": "memory",
    "adaptive, uneven": "memory; of small planes the work around each row of a few outputs",
}


def class_of(shape):
    for name, prefixes in CLASSES.items():
        if shape.startswith(prefixes):
            return name
    return "other"


def geomean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def load(path):
    """A run; ValueError names the file that is none."""
    try:
        run = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ValueError(f"{path}: {error}") from error
    if not isinstance(run, dict) or not isinstance(run.get("benchmarks"), list):
        raise ValueError(f"{path}: no run of poolproof-bench, which has a list of benchmarks")
    return run


def read(paths):
    """[(key, {contender: (median ms, bytes)})], key = (pass, shape, type, indices, threads, mode).

    Runs are never mixed: a ratio is between contenders that took turns.
    """
    groups = []
    for path in paths:
        times = collections.defaultdict(lambda: collections.defaultdict(list))
        for entry in load(path)["benchmarks"]:
            if entry.get("run_type") == "aggregate" or entry.get("error_occurred"):
                continue
            *key, contender = entry["name"].split("/")[:7]
            times[tuple(key)][contender].append((entry["real_time"], entry["bytes"]))
        groups += [(key, {name: (statistics.median(t for t, _ in rounds), rounds[0][1])
                          for name, rounds in contenders.items()})
                   for key, contenders in times.items()]
    return groups


def machine_of(paths):
    """A line on the machine and on how busy it was; no name of it."""
    contexts = [load(path).get("context", {}) for path in paths]
    known = {}
    for context in contexts:
        known.update(context)
    parts = []
    if "num_cpus" in known:
        parts.append(f"{known['num_cpus']} CPUs")
    for cache in known.get("caches", []):
        if cache["type"] != "Instruction":
            parts.append(f"L{cache['level']} of {cache['size'] >> 10} KiB")
    if "tier" in known:
        parts.append(f"tier {known['tier']}")
    loads = [context["load_avg"][0] for context in contexts if context.get("load_avg")]
    if loads:
        parts.append(f"load when the runs began {min(loads):.1f} to {max(loads):.1f}")
    return "Machine: " + ", ".join(parts) + "." if parts else ""


def rows_of(groups):
    rows = []
    for key, times in groups:
        if OURS not in times:
            continue
        ours, moved = times[OURS]
        roofline = [time for name, (time, _) in times.items() if name.startswith(ROOFLINE)]
        onednn = [time for name, (time, _) in times.items() if name.startswith(ONEDNN)]
        ratios = {name: time / ours for name, (time, _) in times.items()
                  if name not in (OURS, ADDING) and not name.startswith((ROOFLINE, ONEDNN))}
        if onednn:
            ratios["onednn"] = min(onednn) / ours
        # What memory allows; and where sums are made one by one, what these allow.
        limit = max(min(roofline), times.get(ADDING, (0, 0))[0]) if roofline else None
        rows.append(dict(zip(("pass", "shape", "type", "indices", "threads", "mode"), key),
                         class_name=class_of(key[1]), bytes=moved, ours_ms=ours,
                         ours_over_roofline=ours / min(roofline) if roofline else None,
                         roofline_ms=min(roofline) if roofline else None,
                         limit_ms=limit, ours_over_limit=ours / limit if limit else None,
                         over_ours=ratios))
    return rows


def means_of(rows):
    """Geometric means over the shapes above 5 MB, per kind of run."""
    kinds = collections.defaultdict(list)
    for row in rows:
        if row["bytes"] > LARGE_BYTES:
            kinds[tuple(row[k] for k in ("pass", "type", "indices", "threads", "mode"))].append(row)
    means = []
    for kind, members in kinds.items():
        mean = dict(zip(("pass", "type", "indices", "threads", "mode"), kind), shapes=len({row["shape"] for row in members}))
        mean["ours_over_roofline"] = geomean(
            row["ours_over_roofline"] for row in members if row["ours_over_roofline"])
        mean["ours_over_limit"] = geomean(
            row["ours_over_limit"] for row in members if row["ours_over_limit"])
        names = sorted({name for row in members for name in row["over_ours"]})
        mean["over_ours"] = {name: geomean(row["over_ours"][name] for row in members
                                           if name in row["over_ours"]) for name in names}
        means.append(mean)
    return means


def scaling_of(rows):
    """Our gain from the first number of threads to the last, over the roofline's."""
    runs = collections.defaultdict(dict)
    for row in rows:
        if row["roofline_ms"]:
            runs[tuple(row[k] for k in ("pass", "shape", "type", "indices", "mode"))][
                int(row["threads"])] = row
    result = []
    for key, by_threads in runs.items():
        first, last = min(by_threads), max(by_threads)
        if first == last or by_threads[first]["bytes"] < VERY_LARGE_BYTES:
            continue
        a, b = by_threads[first], by_threads[last]
        result.append(dict(shape=key[1], type=key[2], threads=last,
                           ours=a["ours_ms"] / b["ours_ms"], roofline=a["roofline_ms"] / b["roofline_ms"]))
    return result


def number(value, digits=2):
    return "-" if value is None else f"{value:.{digits}f}"


def table(header, lines):
    return ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)] + [
        "| " + " | ".join(line) + " |" for line in lines]


def ratio_lines(rows):
    names = sorted({name for row in rows for name in row["over_ours"]})
    header = ["shape", "type", "indices", "threads", "mode", "MB", "roofline ms", "limit ms", "ours ms",
              "ours/roofline", "ours/limit"]
    header += [f"{name}/ours" for name in names]
    lines = [[row["shape"], row["type"], row["indices"], row["threads"], row["mode"],
              number(row["bytes"] / 1e6, 1), number(row["roofline_ms"], 3), number(row["limit_ms"], 3),
              number(row["ours_ms"], 3), number(row["ours_over_roofline"]), number(row["ours_over_limit"])] +
             [number(row["over_ours"].get(name)) for name in names] for row in rows]
    return table(header, lines)


def mean_lines(means):
    names = sorted({name for mean in means for name in mean["over_ours"]})
    header = ["pass", "type", "indices", "threads", "mode", "shapes", "ours/roofline", "ours/limit"]
    header += [f"{name}/ours" for name in names]
    return table(header, [[mean["pass"], mean["type"], mean["indices"], mean["threads"],
                           mean["mode"], str(mean["shapes"]), number(mean["ours_over_roofline"]), number(mean["ours_over_limit"])] +
                          [number(mean["over_ours"].get(name)) for name in names]
                          for mean in means])


def class_lines(rows):
    rows = [row for row in rows if row["mode"].startswith("warm") and row["indices"] == "i32"]
    types = sorted({row["type"] for row in rows})
    lines = []
    for name, limit in LIMITS.items():
        cells = []
        for kind in types:
            values = [row["ours_over_limit"] for row in rows
                      if row["class_name"] == name and row["type"] == kind
                      and row["pass"] == "backward" and row["ours_over_limit"]]
            cells.append(number(geomean(values)))
        if any(cell != "-" for cell in cells):
            lines.append([name] + cells + [limit])
    return table(["class"] + [f"{kind} ours/limit" for kind in types] + ["what limits it"], lines)


def growth_lines(rows):
    """Nanoseconds per byte by size."""
    lines = []
    for row in sorted((r for r in rows if r["pass"] == "backward"), key=lambda r: r["bytes"]):
        lines.append([row["shape"], row["type"], row["threads"], number(row["bytes"] / 1e6, 2),
                      number(row["ours_ms"] * 1e6 / row["bytes"], 4),
                      number(row["roofline_ms"] and row["roofline_ms"] * 1e6 / row["bytes"], 4)])
    return table(["shape", "type", "threads", "MB", "ours ns/byte", "roofline ns/byte"], lines)


def markdown(rows, means, scaling, machine):
    text = ["# Performance", "",
            "Written by `bench/compare.py` from a run of `poolproof-bench`; not edited by hand. Ratios belong to the",
            "machine and the hour of the run; milliseconds vary by machine. Contenders of a problem take turns on the",
            "same operands in one process, and each has given the right answer before it is timed. `roofline` is a",
            "bound by memory: a loop that reads the inputs and writes as many bytes as the result has, without computing,",
            "in the fastest of three ways to store. It writes lines of the result itself: some machines write lines of",
            "zeros twice as fast as others, which no kernel could match. `limit` is the longer of that and of a loop that makes",
            "as many additions as the pass does one by one, none of which waits for another. Modes that end in `-cpu` count CPU time of the",
            "process, for runs on a busy machine, where memory is slower too and computing hides behind it, so that ratios",
            "to `roofline` come out smaller than on a quiet one; the others count time that passes. Ratios above 1 in the",
            "columns `.../ours` mean that we are faster.",
            "`optimized` is the best tier that the machine has, `optimized_...` are the others.", "",
            machine, "",
            "## Geometric means over shapes above 5 MB", ""] + mean_lines(means)
    text += ["", "## Classes of the backward, and what limits them", ""] + class_lines(rows)
    if scaling:
        text += ["", "## Threads", "", "Gain over one thread, shapes above 50 MB. In modes that end in `-cpu` it is CPU time with one thread over",
                 "CPU time with all of them, so that 1 is perfect.", ""]
        text += table(["shape", "type", "threads", "ours", "roofline", "ours/roofline"],
                      [[s["shape"], s["type"], str(s["threads"]), number(s["ours"]),
                        number(s["roofline"]), number(s["ours"] / s["roofline"])] for s in scaling])
        mean = geomean(s["ours"] / s["roofline"] for s in scaling)
        text += ["", f"Geometric mean of the last column: {number(mean)}."]
    text += ["", "## Every run", ""] + ratio_lines(rows)
    text += ["", "## Cost and size", ""] + growth_lines(rows)
    return "\n".join(text) + "\n"


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--markdown")
    parser.add_argument("--json")
    options = parser.parse_args(arguments)
    try:
        rows = rows_of(read(options.files))
    except ValueError as error:
        print(f"compare.py: {error}", file=sys.stderr)
        return 2
    if not rows:
        print("compare.py: no run of ours in these files", file=sys.stderr)
        return 2
    means, scaling = means_of(rows), scaling_of(rows)
    print("\n".join(ratio_lines(rows) + [""] + mean_lines(means)))
    if options.markdown:
        Path(options.markdown).write_text(markdown(rows, means, scaling, machine_of(options.files)),
                                          encoding="utf-8")
    if options.json:
        Path(options.json).write_text(
            json.dumps({"schema": "poolproof-performance/1", "rows": rows, "means": means,
                        "scaling": scaling}, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
