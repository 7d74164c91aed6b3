#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cluster/parallel.sh: the shards of a plan by GNU parallel, one of which is killed; the merged report
is that of one process."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM, ROOT, LIBRARIES = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
del sys.argv[1:4]


def comparable(path):
    report = json.loads(pathlib.Path(path).read_text())
    for member in ["argv", "start", "duration_s", "shards"]:
        del report["run"][member]
    return report


class ParallelTest(unittest.TestCase):
    def test_a_shard_that_is_killed_is_taken_up(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        folder = pathlib.Path(holder.name)
        plan = folder / "plan.json"
        options = ["--set", "smoke", "--cases", "300"]
        subprocess.run([PROGRAM, "plan", *options, "--shards", "4", "-o", plan], check=True,
                       stderr=subprocess.DEVNULL)
        # A program that kills itself the first time that it is asked for shard 2.
        wrapper = folder / "poolproof"
        wrapper.write_text(f'''#!/bin/bash
case "$*" in *"--shard 2"*)
  if [ ! -e {folder}/killed ]; then
    touch {folder}/killed
    {PROGRAM} "$@" & sleep 0.2
    kill -9 $! $$
  fi
esac
exec {PROGRAM} "$@"
''')
        wrapper.chmod(0o755)
        run = subprocess.run([ROOT / "cluster/parallel.sh", "reference", plan, folder / "out", "2"],
                             capture_output=True, text=True, env={**os.environ, "POOLPROOF": str(wrapper)},
                             check=False)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertTrue((folder / "killed").exists())
        whole = folder / "whole.json"
        subprocess.run([PROGRAM, "run", "--implementation", "reference", *options, "--json", whole],
                       check=True, stdout=subprocess.DEVNULL)
        self.assertEqual(comparable(folder / "out/report.json"), comparable(whole))


if __name__ == "__main__":
    if shutil.which("parallel") is None:
        print("skipped: GNU parallel (Debian: parallel) is not installed")
        sys.exit(77)
    unittest.main()
