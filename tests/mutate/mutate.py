#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges the suite by faults that nobody chose: a fixed sample of small changes of the host libraries' sources, each
built into a library of its own and judged by the unmutated suite. What the suite does not find must be there
in survivors.json with a reason, or the exit status is 1."""

import argparse
import collections
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import threading
import time

import source_mutants

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("core", "optimized", "reference", "runtime", "runtime/ops")
# What no operator runs through: digests, dates and words of the suite; and the host's own memory, streams and
# devices, of which the operators' pages say nothing (tests/runtime judges those).
NOT_MUTATED = ("core/dates.*", "core/enum_names.h", "core/random.h", "core/sha256.*", "core/text.h",
               "optimized/tier_neon.cc", "runtime/acl_device.cc", "runtime/acl_memory.cc", "runtime/acl_stream.cc")
SAMPLE, SEED = 400, 1
LIBRARIES = ("reference", "optimized")
PROFILE = "atlas-a2"
# Kernels do not know what they run on; windows with dilation are those of ascend-950.
RUNTIME_RUNS = (("smoke", "atlas-a3"), ("smoke", "ascend-950"), ("smoke", "atlas-inference"), ("ci", PROFILE),
                ("ci", "ascend-950"))
KERNEL_RUNS = (("ci", PROFILE), ("ci", "ascend-950"))
# Tiers by the file that holds them, in the order in which they are judged; with what the processor must have.
TIERS = {"tier_avx2": ("avx2", {"avx2", "f16c"}),
         "tier_avx512": ("avx512", {"avx512f", "avx512bw", "avx512dq", "avx512vl"}),
         "tier_avx512_bf16": ("avx512-bf16", {"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512_bf16"}),
         "tier_portable": ("portable", set()),
         "tier_portable_wide": ("portable-wide", set())}
# Where the library chooses itself, by the processor; what chooses is judged so.
BEST_TIER, CHOOSES = "best", "optimized/tiers.cc"
# What a reason starts with. Those of UNSEEN change nothing that a caller could see.
UNSEEN = ("equivalent", "performance", "message")
REASONS = UNSEEN + ("unspecified", "out of reach", "gap")
LAST_RESORT_SECONDS = 1800


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="the project's folder")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="built by Ninja, up to date")
    parser.add_argument("--sample", type=int, default=SAMPLE, help=f"mutants to judge ({SAMPLE})")
    parser.add_argument("--from", type=int, default=0, dest="start", help="pass over so many of the sample")
    parser.add_argument("--seed", default=str(SEED), help=f"draws the sample ({SEED})")
    parser.add_argument("--files", default="*", help="mutate only the sources that this pattern matches")
    parser.add_argument("--only", action="append", default=[], metavar="ID", help="judge this mutant (repeatable)")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="mutants at once")
    parser.add_argument("--set", default="ci", choices=["smoke", "ci"],
                        help="cases of the suite (ci); smoke to look about")
    parser.add_argument("--survivors", type=pathlib.Path,
                        default=pathlib.Path(__file__).with_name("survivors.json"), help="reviewed survivors")
    parser.add_argument("--json", type=pathlib.Path, help="where to write what happened to each")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the mutated libraries, which are else deleted")
    parser.add_argument("--list", action="store_true", help="print the sample and judge nothing")
    return parser.parse_args()


def sources(root, pattern="*"):
    """Texts of the sources that are mutated, by name."""
    found = {}
    for folder in FOLDERS:
        for path in sorted((root / folder).glob("*")):
            name = f"{folder}/{path.name}"
            if path.suffix not in (".cc", ".h") or not fnmatch.fnmatch(name, pattern):
                continue
            if not any(fnmatch.fnmatch(name, unwanted) for unwanted in NOT_MUTATED):
                found[name] = path.read_text()
    return found


def sample(root, seed, pattern="*"):
    texts = sources(root, pattern)
    enums = source_mutants.enumerators(sources(root).values())
    mutants = [m for file, text in texts.items() for m in source_mutants.mutants_of(file, text, enums)]
    return source_mutants.drawn(mutants, seed), texts


class CompileError(Exception):
    pass


class Build:
    """How the libraries are compiled and linked, read from the build folder; nothing there is changed."""

    def __init__(self, root, folder, libraries=LIBRARIES):
        self.root, self.folder = root.resolve(), folder.resolve()
        self.compile = {}   # object -> (words, source)
        for entry in json.loads((self.folder / "compile_commands.json").read_text()):
            words = shlex.split(entry["command"])
            if pathlib.Path(words[0]).name in ("ccache", "sccache"):
                words = words[1:]
            # No list of what it includes.
            words = [word for before, word in zip([""] + words, words)
                     if word not in ("-MD", "-MT", "-MF") and before not in ("-MT", "-MF")]
            source = str(pathlib.Path(entry["file"]).resolve())
            if source.startswith(f"{self.root}/"):
                self.compile[words[words.index("-o") + 1]] = (words, source[len(str(self.root)) + 1:])
        self.link, self.members = {}, {}
        for name in libraries:
            self.read_link(name)
        self.includes = {}

    def read_link(self, name):
        target = f"lib/libpoolproof_{name}.so"
        listing = subprocess.run(["ninja", "-C", str(self.folder), "-t", "commands", target], check=True,
                                 capture_output=True, text=True).stdout
        for line in listing.splitlines():
            words = shlex.split(line)
            if "-shared" in words and target in words:
                words = words[words.index("&&") + 1:] if words[0] == ":" else words
                self.link[name] = words[:words.index("&&")] if "&&" in words else words
            for at, word in enumerate(words):
                if word.endswith(".a") and at > 1 and words[at - 1].startswith("q"):
                    self.members[word] = [w for w in words[at + 1:] if w.endswith(".o")]

    def objects(self, library):
        """What the library is linked of, archives opened."""
        found = []
        for word in self.link[library]:
            found += self.members.get(word, [word] if word.endswith(".o") else [])
        return found

    def included(self, source):
        """The project's files that a source sees, itself included."""
        if source not in self.includes:
            seen, wanted = set(), [source]
            while wanted:
                file = wanted.pop()
                if file in seen or not (self.root / file).is_file():
                    continue
                seen.add(file)
                wanted += re.findall(r'^\s*#\s*include\s*"([^"]+)"', (self.root / file).read_text(), re.MULTILINE)
            self.includes[source] = seen
        return self.includes[source]

    def objects_that_see(self, file, library):
        return [o for o in self.objects(library) if o in self.compile and file in self.included(self.compile[o][1])]

    def compile_object(self, name, output, overlay, file):
        """Compiles an object to `output` with the mutated `file`, which lies in `overlay`; its bytes."""
        words, source = self.compile[name]
        words = list(words)
        words[words.index("-o") + 1] = str(output)
        words.insert(1, f"-I{overlay}")
        if source == file:
            words = [str(overlay / file) if w == str(self.root / source) else w for w in words]
        # What a fault makes of a source may well deserve a warning.
        run = subprocess.run(words + ["-w"], cwd=self.folder, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise CompileError(next((line for line in run.stderr.splitlines() if "error" in line), run.stderr[-200:]))
        return output.read_bytes()

    def is_original(self, name, code):
        """Whether `code` is the object of the build folder."""
        return (self.folder / name).read_bytes() == code

    def link_library(self, library, replaced, output):
        """Links `library` with the objects of `replaced` (name -> path) in place of its own; its bytes."""
        words = list(self.link[library])
        words[words.index("-o") + 1] = str(output)
        for at, word in enumerate(words):
            mine = [o for o in self.members.get(word, ()) if o in replaced]
            if mine:
                # An archive gives what is asked of it, so it stays one.
                copy = output.parent / pathlib.Path(word).name
                copy.unlink(missing_ok=True)
                members = [str(replaced.get(o, o)) for o in self.members[word]]
                subprocess.run(["ar", "qc", str(copy)] + members, cwd=self.folder, check=True)
                words[at] = str(copy)
            elif word in replaced:
                words[at] = str(replaced[word])
        run = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise CompileError(run.stderr.strip().splitlines()[-1] if run.stderr.strip() else "does not link")
        return output.read_bytes()


def processor_flags():
    try:
        match = re.search(r"^flags\s*:(.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        match = None
    return set(match.group(1).split()) if match else set()


def failed_clauses(report):
    return ",".join(c["id"] for c in report["clauses"] if c["verdict"] == "failed") if report else ""


def only_timed_out(report):
    return report is not None and {failure["end"] for failure in report["failures"]} == {"timed out"}


class Suite:
    """Runs of the unmutated suite."""

    def __init__(self, build):
        self.program = build.folder / "bin" / "poolproof"
        self.build, self.lock, self.sound = build, threading.Lock(), {}

    def run(self, library, folder, tier, case_set, profile, stop_after=None):
        """(exit status, report or None); status None where the last resort was needed."""
        manifest, report = folder / "manifest.json", folder / "report.json"
        report.unlink(missing_ok=True)
        manifest.write_text(json.dumps({
            "schema": "poolproof-manifest/1", "name": "mutant", "libraries": [str(library)],
            "environment": {"*": {} if tier == BEST_TIER else {"POOLPROOF_TIER": tier}}}))
        command = [str(self.program), "run", "--implementation", str(manifest), "--profile", profile,
                   "--set", case_set, "--jobs", "1", "--json", str(report)]
        if stop_after:
            command += ["--stop-after", str(stop_after)]
        try:
            status = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                    stdin=subprocess.DEVNULL, timeout=LAST_RESORT_SECONDS, check=False).returncode
        except subprocess.TimeoutExpired:
            status = None
        return status, json.loads(report.read_text()) if report.exists() else None

    def is_sound(self, name, tier, case_set, profile):
        """Whether the unmutated library is conformant: else a kill means nothing."""
        key = (name, tier, case_set, profile)
        with self.lock:
            entry = self.sound.setdefault(key, {"lock": threading.Lock()})
        with entry["lock"]:
            if "sound" not in entry:
                library = self.build.folder / "lib" / f"libpoolproof_{name}.so"
                with tempfile.TemporaryDirectory() as folder:
                    status, report = self.run(library, pathlib.Path(folder), tier, case_set, profile)
                entry["sound"] = status == 0
                if status != 0:
                    print(f"the unmutated {name} library is not conformant ({tier}, {case_set}, {profile}): "
                          f"exit status {status}, {failed_clauses(report)}", flush=True)
        return entry["sound"]

    def judge(self, name, library, folder, tier, case_set, profile):
        """(verdict, what was found) of one run."""
        status, report = self.run(library, folder, tier, case_set, profile, stop_after=1)
        if status not in (0, 1, None) and report is not None and report["run"]["stopped_by"] == "stop-after":
            # It ended at something that is no required failure.
            status, report = self.run(library, folder, tier, case_set, profile)
        if status == 1 and only_timed_out(report):
            # A deadline may pass because the machine had other work.
            status, report = self.run(library, folder, tier, case_set, profile, stop_after=1)
        found = failed_clauses(report)
        if status == 1:
            return ("killed" if self.is_sound(name, tier, case_set, profile) else "no verdict"), found
        if status in (0, 4) and found:
            return "advisory", found
        if status in (0, 4):
            return ("survived" if status == 0 else "inconclusive"), found
        if status is None:
            return "time-out", found
        return "no verdict", f"exit status {status}"


class Judge:
    def __init__(self, arguments, texts):
        self.build = Build(arguments.root, arguments.build)
        self.suite = Suite(self.build)
        self.texts, self.keep, self.flags = texts, arguments.keep, processor_flags()
        self.whole = arguments.set == "ci"

    def runs_here(self, stem):
        return TIERS[stem][1] <= self.flags

    def stages(self, mutant):
        """Of each library that sees the mutant: the objects to replace, and the tier in which to run it."""
        first = "avx2" if self.runs_here("tier_avx2") else "portable"
        if mutant.file == CHOOSES:
            first = BEST_TIER
        for library in LIBRARIES:
            objects = self.build.objects_that_see(mutant.file, library)
            stem = {o: pathlib.Path(o).name.split(".")[0] for o in objects}
            tiers = sorted((o for o in objects if stem[o] in TIERS), key=lambda o: list(TIERS).index(stem[o]))
            others = [o for o in objects if o not in tiers]
            if others:
                yield library, others, first, True
            for name in tiers:
                yield library, [name], TIERS[stem[name]][0], self.runs_here(stem[name])
            # The ABI around the kernels is the same code in both libraries.
            if objects and mutant.file.startswith("runtime/"):
                return

    def judge(self, mutant):
        """The row of one mutant."""
        started = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="poolproof-mutate-") as scratch:
            folder = pathlib.Path(self.keep / mutant.id if self.keep else scratch)
            overlay = folder / "source"
            (overlay / mutant.file).parent.mkdir(parents=True, exist_ok=True)
            (overlay / mutant.file).write_text(mutant.apply(self.texts[mutant.file]))
            verdict, by = self.worst(mutant, folder, overlay)
        return {"id": mutant.id, "mutant": str(mutant), "operator": mutant.operator, "file": mutant.file,
                "verdict": verdict, "by": by, "seconds": round(time.monotonic() - started, 1)}

    def worst(self, mutant, folder, overlay):
        """The verdict of the first stage that finds the mutant, else what is left."""
        left, absent = ("same code", ""), []
        for library, objects, tier, is_here in self.stages(mutant):
            try:
                changed = self.changed_library(mutant, library, objects, tier, folder, overlay)
            except CompileError as error:
                return "no program", str(error)
            if changed is None:
                continue
            if not is_here:
                absent.append(tier)
                continue
            runs = RUNTIME_RUNS if mutant.file.startswith("runtime/") else KERNEL_RUNS
            for case_set, profile in (("smoke", PROFILE),) + runs:
                if case_set == "ci" and not self.whole:
                    continue
                verdict, found = self.suite.judge(library, changed, folder, tier, case_set, profile)
                if verdict in ("killed", "no verdict"):
                    return verdict, f"{library} {tier} {case_set} {profile} {found}"
                if left[0] in ("same code", "survived"):
                    left = (verdict, f"{library} {tier} {case_set} {profile} {found}".strip())
        if absent and left[0] in ("same code", "survived"):
            return "not judged here", f"this processor has no {', '.join(absent)}"
        return left

    def changed_library(self, mutant, library, objects, tier, folder, overlay):
        """The mutated library, or None where it is the machine code of the original."""
        replaced = {}
        for name in objects:
            output = folder / f"{library}-{tier}-{len(replaced)}" / pathlib.Path(name).name
            output.parent.mkdir(exist_ok=True)
            if not self.build.is_original(name, self.build.compile_object(name, output, overlay, mutant.file)):
                replaced[name] = output
        if not replaced:
            return None
        output = folder / f"{library}-{tier}" / f"libpoolproof_{library}.so"
        output.parent.mkdir(exist_ok=True)
        changed = self.build.link_library(library, replaced, output)
        original = (self.build.folder / "lib" / output.name).read_bytes()
        return None if changed == original else output


def read_survivors(path):
    listed = json.loads(path.read_text())["survivors"] if path.exists() else []
    for entry in listed:
        if entry["reason"].split(":")[0] not in REASONS:
            raise SystemExit(f"{path.name}: the reason of {entry['id']} starts with none of {', '.join(REASONS)}")
    known = {entry["id"]: entry for entry in listed}
    if len(known) != len(listed):
        raise SystemExit(f"{path.name}: an id is listed twice")
    return known


FOUND = ("killed", "advisory")
NO_FAULT = ("same code", "no program", "not judged here")


def account(rows, listed, known_ids):
    """(lines to print, whether something is wrong) for the rows of a run."""
    lines, bad = [], False
    counts = collections.Counter(row["verdict"] for row in rows)
    reasons = collections.Counter()
    for row in rows:
        entry = listed.get(row["id"])
        if row["verdict"] in FOUND + NO_FAULT:
            if entry and row["verdict"] != "not judged here":
                lines.append(f"{row['id']} is listed as a survivor and is now: {row['verdict']}")
        elif row["verdict"] == "no verdict":
            bad = True
            lines.append(f"{row['id']} was not judged: {row['by']}, {row['mutant']}")
        elif entry is None:
            bad = True
            lines.append(f"{row['id']} is not listed: {row['verdict']} {row['mutant']}")
        else:
            reasons[entry["reason"].split(":")[0]] += 1
    for gone in sorted(set(listed) - known_ids):
        lines.append(f"{gone} is listed as a survivor and is gone: {listed[gone]['mutant']}")
    unseen = sum(reasons[reason] for reason in UNSEEN)
    judged = sum(count for verdict, count in counts.items() if verdict not in NO_FAULT + ("no verdict",)) - unseen
    lines.append(f"{len(rows)} mutants: " + ", ".join(f"{n} {verdict}" for verdict, n in counts.most_common()))
    if reasons:
        lines.append("reviewed survivors: " + ", ".join(f"{n} {reason}" for reason, n in reasons.most_common()))
    if judged:
        found = sum(counts[verdict] for verdict in FOUND)
        lines.append(f"found: {found} of {judged} that change what a caller sees, {100 * found / judged:.1f} %")
    return lines, bad


def main():
    arguments = parse_arguments()
    started = time.monotonic()
    order, texts = sample(arguments.root, arguments.seed, arguments.files)
    known_ids = {m.id for m in order}
    if arguments.only:
        chosen = [m for m in order if m.id in arguments.only]
        if len(chosen) != len(set(arguments.only)):
            raise SystemExit("no such mutant: " + ", ".join(sorted(set(arguments.only) - known_ids)))
    else:
        chosen = order[:arguments.sample][arguments.start:]
    if arguments.list:
        for mutant in chosen:
            print(mutant.id, mutant)
        return 0
    if not chosen:
        raise SystemExit("nothing to judge")
    listed = read_survivors(arguments.survivors)
    judge, rows = Judge(arguments, texts), []
    print(f"{len(chosen)} of {len(order)} mutants, seed {arguments.seed}", flush=True)
    with concurrent.futures.ThreadPoolExecutor(max(1, arguments.jobs)) as pool:
        for done in concurrent.futures.as_completed([pool.submit(judge.judge, m) for m in chosen]):
            row = done.result()
            rows.append(row)
            print(f"{row['verdict']:12s} {row['id']} {row['mutant']}  [{row['by']}] ({row['seconds']} s)", flush=True)
            if arguments.json:
                arguments.json.parent.mkdir(parents=True, exist_ok=True)
                arguments.json.write_text(json.dumps({"schema": "poolproof-mutation/1", "seed": arguments.seed,
                                                      "rows": rows}, indent=1) + "\n")
    if arguments.files != "*":  # what is gone is seen only in all sources
        known_ids |= set(listed)
    lines, bad = account(rows, listed, known_ids)
    print("\n".join(lines))
    print(f"{time.monotonic() - started:.0f} s")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
