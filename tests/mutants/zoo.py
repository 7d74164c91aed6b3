# SPDX-License-Identifier: Apache-2.0
"""What the judges of the zoo share: its table, and a run of the suite over one of its libraries."""

import datetime
import json
import os
import pathlib
import subprocess
import time

DEFAULT_PROFILE = "atlas-a2"
DEFAULT_LIBRARY = "poolproof_mutants"
SPEC = pathlib.Path(__file__).resolve().parents[2] / "conformance" / "spec" / "clauses.json"


def today():
    return datetime.datetime.now(datetime.timezone.utc).date().isoformat()


def load(build):
    return json.loads((build / "lib" / "mutants.json").read_text())


def spec_clauses():
    """Clauses by id; `judged_as` is there for all."""
    clauses = json.loads(SPEC.read_text())["clauses"]
    return {c["id"]: {**c, "judged_as": c.get("judged_as", c["kind"])} for c in clauses}


class Judged:
    """A run: its exit status, report (None if there is none), last words and seconds."""

    def __init__(self, status, report, talk, seconds):
        self.status, self.report, self.talk, self.seconds = status, report, talk, seconds

    def error(self):
        """Why there is no whole report; empty where there is."""
        if self.report is None:
            return self.talk or f"exit status {self.status} without a report"
        return self.report.get("error", "")

    def clauses(self):
        return self.report["clauses"] if self.report else []

    def verdicts(self):
        return {clause["id"]: clause["verdict"] for clause in self.clauses()}


def judge(build, folder, name, selection, *, profile=DEFAULT_PROFILE, library=DEFAULT_LIBRARY,
          case_set="ci", stop_after=None, environment=None):
    """Judges the library that does wrong what `selection` names, a list of rows of the tables."""
    manifest = folder / (name + ".manifest.json")
    report = folder / (name + ".report.json")
    report.unlink(missing_ok=True)
    manifest.write_text(json.dumps({
        "schema": "poolproof-manifest/1",
        "name": name,
        "libraries": [str((build / "lib" / f"lib{library}.so").resolve())],
        "environment": {"*": {"POOLPROOF_MUTANT": ",".join(selection), **(environment or {})}},
    }))
    command = [str(build / "bin" / "poolproof"), "run", "--implementation", str(manifest),
               "--profile", profile, "--set", case_set, "--jobs", "1", "--json", str(report)]
    if stop_after:
        command += ["--stop-after", str(stop_after)]
    started = time.monotonic()
    run = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                         stdin=subprocess.DEVNULL, check=False)
    seconds = round(time.monotonic() - started, 1)
    if not report.exists():
        return Judged(run.returncode, None, " ".join(run.stderr.strip().splitlines()[-1:]), seconds)
    return Judged(run.returncode, json.loads(report.read_text()), "", seconds)


def conflicts(zoo):
    """Pairs of faults that are not drawn together."""
    pairs = set()
    for row in zoo["conflicts"]:
        for one in row["left"]:
            for other in row["right"] or row["left"]:
                if one != other:
                    pairs.add(frozenset((one, other)))
    return pairs


def draw(zoo, count, size, chance):
    """`count` compounds of `size` faults each. Every fault is dealt before one is dealt again."""
    pairs = conflicts(zoo)
    # Under another profile a fault shows nothing, and a library without some symbols has no others.
    names = sorted(entry["name"] for entry in zoo["mutants"]
                   if entry["category"] != "campaign" and entry["profile"] == DEFAULT_PROFILE
                   and entry["library"] == DEFAULT_LIBRARY)
    deck, drawn = [], []
    for _ in range(count):
        compound = []
        while len(compound) < size:
            fits = [name for name in deck if name not in compound
                    and not any(frozenset((name, other)) in pairs for other in compound)]
            if fits:
                compound.append(fits[0])
                deck.remove(fits[0])
            else:
                deck += chance.sample(names, len(names))
        drawn.append(compound)
    return drawn


class Log:
    """Prints lines as they come and keeps them for a file."""

    def __init__(self):
        self.lines = []

    def say(self, line):
        self.lines.append(line)
        print(line, flush=True)

    def write(self, path):
        if path:
            write(path, "\n".join(self.lines) + "\n")


def write(path, text):
    """All of a file or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".tmp")
    temporary.write_text(text)
    os.replace(temporary, path)
