#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges the zoo: every faulty library must fail with the clauses it is listed with and no required
clause that its fault does not touch, every lawful variant must be conformant. Prints one line per
library and a closing count, and writes the matrix as JSON where asked to."""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="build folder")
    parser.add_argument("--set", default="ci", choices=["smoke", "ci", "nightly"])
    parser.add_argument("--json", type=pathlib.Path, help="where to write the matrix")
    parser.add_argument("--stop-after", type=int, default=400, help="failing cases per mutant")
    parser.add_argument("names", nargs="*", help="names or categories; none: everything")
    return parser.parse_args()


def judge(arguments, entry, folder, stop_after):
    """Exit status and report (None if there is none) of one library of the zoo."""
    library = "lib" + entry.get("library", "poolproof_mutants") + ".so"
    manifest = folder / "manifest.json"
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    manifest.write_text(json.dumps({
        "schema": "poolproof-manifest/1",
        "name": entry["name"],
        "libraries": [str((arguments.build / "lib" / library).resolve())],
        "environment": {"*": {"POOLPROOF_MUTANT": entry["name"]}},
    }))
    command = [str(arguments.build / "bin" / "poolproof"), "run", "--implementation", str(manifest),
               "--profile", entry.get("profile", "atlas-a2"), "--set", arguments.set,
               "--json", str(report)]
    if stop_after:
        command += ["--stop-after", str(stop_after)]
    run = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                         stdin=subprocess.DEVNULL, check=False)
    if not report.exists():
        return run.returncode, None, run.stderr.strip().splitlines()[-1:]
    return run.returncode, json.loads(report.read_text()), []


def main():
    arguments = parse_arguments()
    zoo = json.loads((arguments.build / "lib" / "mutants.json").read_text())
    wanted = set(arguments.names)
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        for kind in ("mutants", "variants"):
            for entry in zoo[kind]:
                if wanted and not wanted & {entry["name"], entry.get("category", "legal")}:
                    continue
                started = time.monotonic()
                is_mutant = kind == "mutants"
                status, report, talk = judge(arguments, entry, pathlib.Path(scratch),
                                             arguments.stop_after if is_mutant else 0)
                failed = [c for c in (report or {"clauses": []})["clauses"]
                          if c["verdict"] == "failed"]
                blamed = [c["id"] for c in failed]
                missing = [c for c in entry.get("clauses", []) if c not in blamed]
                allowed = set(entry.get("clauses", [])) | set(entry.get("may_also", []))
                extra = [c["id"] for c in failed
                         if c["strength"] == "required" and c["id"] not in allowed]
                good = report is not None and not missing and not extra
                if not is_mutant:
                    good = good and status == 0
                rows.append({
                    "name": entry["name"], "kind": kind, "category": entry.get("category", "legal"),
                    "exit_status": status, "blamed": blamed, "missing": missing, "extra": extra,
                    "first_failing_case": report["failures"][0]["case_number"]
                    if report and report["failures"] else None,
                    "shrunk": next((f.get("shrunk_case_line") for f in report["failures"]
                                    if f.get("shrunk_case_line")), None) if report else None,
                    "good": good,
                })
                detail = f" missing {','.join(missing)}" if missing else ""
                detail += f" wrongly blamed {','.join(extra)}" if extra else ""
                detail += " " + " ".join(talk) if talk else ""
                print(f"{'ok  ' if good else 'BAD '} {entry['name']:38s} exit {status} "
                      f"{time.monotonic() - started:5.1f} s{detail}", flush=True)
    if arguments.json:
        temporary = arguments.json.with_suffix(".tmp")
        temporary.write_text(json.dumps({"schema": "poolproof-kill-matrix/1", "set": arguments.set,
                                         "rows": rows}, indent=1) + "\n")
        os.replace(temporary, arguments.json)
    bad = sum(not row["good"] for row in rows)
    print(f"{len(rows) - bad} as listed, {bad} not")
    return 1 if bad or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
