#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether `emit` and `judge` agree with `run`, case by case, for the reference and twelve mutants.

usage: agree.py --build BUILD [--cases N] [--mutants NAME,...] [--keep DIR]

Needs the targets poolproof, emit_answer, emit_agreement and mutants-all. Exits with 0 where every emitted case
ended alike in both, and every mutant failed."""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

# Faults of values, sums, statuses, memory and ends. What shows in a process alone is no matter of files.
MUTANTS = (
    "last_writer_wins", "unnamed_cells_untouched", "bfloat16_truncates", "grad_input_strides_ignored",
    "second_tile_dropped", "accepts_double", "shapes_refused_in_phase_two", "rejection_scribbles",
    "executor_left_null", "writes_past_grad_input", "modifies_indices", "crashes_on_some_shape")


def call(arguments, environment=None, accepted=(0,)):
    result = subprocess.run([str(a) for a in arguments], capture_output=True, text=True, check=False,
                            env={**os.environ, **(environment or {})})
    if result.returncode not in accepted:
        sys.exit(f"agree.py: {' '.join(map(str, arguments))} exited with {result.returncode}\n"
                 f"{result.stdout[-2000:]}{result.stderr[-2000:]}")
    return result


def compare(arguments, folder, problems, name, library, environment):
    """Whether the two agree; prints one line."""
    program = arguments.build / "bin/poolproof"
    answers, run, judge = folder / "answers", folder / "run.json", folder / "judge.json"
    call(["rm", "-rf", answers])
    call([arguments.build / "tests/emit_answer", library, problems, answers], environment)
    judged = call([program, "judge", problems, "--answers", answers, "--json", judge], accepted=(0, 1))
    ran = call([program, "run", "--implementation", library, "--set", "ci", "--cases", arguments.cases,
                "--shard", "0/1", "--json", run], environment, accepted=(0, 1))
    agreed = call([arguments.build / "tests/emit_agreement", problems / "problems.json", run, judge],
                  accepted=(0, 1))
    fails = name != "reference"
    good = agreed.returncode == 0 and judged.returncode == int(fails) and ran.returncode == int(fails)
    print(f"{'agrees' if good else 'DIFFERS'}  {name}: {agreed.stdout.strip()}", flush=True)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--cases", type=int, default=5500)
    parser.add_argument("--mutants", default=",".join(MUTANTS))
    parser.add_argument("--keep", type=pathlib.Path, help="leave the files here")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as holder:
        folder = arguments.keep or pathlib.Path(holder)
        folder.mkdir(parents=True, exist_ok=True)
        problems = folder / "problems"
        if not problems.exists():
            emitted = call([arguments.build / "bin/poolproof", "emit", "--set", "ci", "--cases", arguments.cases,
                            "--out", problems])
            print(emitted.stdout.strip(), flush=True)
        library = arguments.build / "lib/libpoolproof_mutants.so"
        results = [compare(arguments, folder, problems, "reference",
                           arguments.build / "lib/libpoolproof_reference.so", {})]
        for name in filter(None, arguments.mutants.split(",")):
            results.append(compare(arguments, folder, problems, name, library, {"POOLPROOF_MUTANT": name}))
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
