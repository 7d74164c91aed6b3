#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cluster/slurm on a private controller and node: eight shards over a library of which one runner is
killed, one hangs and one is requeued; then the missing ones are submitted again. The merged report
is that of one process."""

import getpass
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM, ROOT, LIBRARIES = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
del sys.argv[1:4]
TOOLS = ["slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "munged"]
SHARDS = 8


def find(tool):
    return shutil.which(tool, path=os.environ["PATH"] + ":/usr/sbin:/sbin")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def comparable(path):
    report = json.loads(pathlib.Path(path).read_text())
    for member in ["argv", "start", "duration_s", "shards"]:
        del report["run"][member]
    return report


class Slurm:
    """A controller and a node of our own, beside whatever the machine runs."""

    def __init__(self, folder):
        self.folder = folder
        self.processes = []
        host = socket.gethostname().split(".")[0]
        user = getpass.getuser()
        for name in ["state", "spool", "munge"]:
            (folder / name).mkdir(mode=0o755)
        key = folder / "munge/key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        munge = folder / "munge/socket"
        (folder / "slurm.conf").write_text(f"""
ClusterName=poolproof
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
AuthType=auth/munge
AuthInfo=socket={munge}
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/ctld.pid
SlurmdPidFile={folder}/d.pid
SlurmctldLogFile={folder}/ctld.log
SlurmdLogFile={folder}/d.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_min_interval=100000,requeue_delay=1
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
KillWait=5
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 RealMemory=2000 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
""")
        self.environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf"),
                            "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"}
        self.start(find("munged"), "-F", "-f", f"--key-file={key}", f"--socket={munge}",
                   f"--pid-file={folder}/munge/pid", f"--log-file={folder}/munge/log",
                   f"--seed-file={folder}/munge/seed")
        self.wait(munge.exists, "munged")
        self.start(find("slurmctld"), "-D", "-c")
        self.start(find("slurmd"), "-D", "-N", host)
        self.wait(lambda: "idle" in self.call("sinfo", "-h", "-o", "%t").stdout, "slurmd")

    def start(self, *command):
        self.processes.append(subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL,
                                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    def call(self, *command, **environment):
        return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False,
                              env={**self.environment, **environment})

    def wait(self, ready, what, seconds=60):
        end = time.monotonic() + seconds
        while not ready():
            if time.monotonic() > end:
                logs = "".join(path.read_text(errors="replace")[-2000:]
                               for path in self.folder.glob("*.log"))
                raise AssertionError(f"{what} did not come: {logs}")
            time.sleep(0.2)

    def drain(self):
        self.wait(lambda: not self.call("squeue", "-h").stdout.strip(), "the end of the queue", 400)

    def stop(self):
        self.call("scancel", "--full", f"--user={getpass.getuser()}")
        for process in reversed(self.processes):
            process.send_signal(signal.SIGTERM)
        for process in self.processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


class SlurmTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def test_eight_shards(self):
        options = ["--set", "smoke", "--cases", "800"]
        plan = self.folder / "plan.json"
        subprocess.run([PROGRAM, "plan", *options, "--shards", str(SHARDS), "-o", plan], check=True,
                       stderr=subprocess.DEVNULL)
        whole = self.folder / "whole.json"
        subprocess.run([PROGRAM, "run", "--implementation", "reference", *options, "--json", whole],
                       check=True, stdout=subprocess.DEVNULL)
        out = self.folder / "out"
        # What befalls three of the shards, once each: the runner crashes, hangs, is put back.
        wrapper = self.folder / "poolproof"
        wrapper.write_text(f'''#!/bin/bash
once() {{ [ ! -e "{self.folder}/$1" ] && touch "{self.folder}/$1"; }}
if [ "$1" = run ]; then
  case $SLURM_ARRAY_TASK_ID in
    2) if once crash; then {PROGRAM} "$@" & sleep 0.3; kill -SEGV $! $$; fi ;;
    4) if once hang; then sleep 100000; fi ;;
    5) if once requeue; then
         {PROGRAM} "$@" & sleep 0.3; kill -9 $!
         scontrol requeue "${{SLURM_ARRAY_JOB_ID}}_5"; sleep 100
       fi ;;
  esac
fi
exec {PROGRAM} "$@"
''')
        wrapper.chmod(0o755)
        slurm = Slurm(self.folder)
        self.addCleanup(slurm.stop)

        def submit(script):
            limits = ["--time=1", "--mem=1G", "--cpus-per-task=1"]
            made = slurm.call(ROOT / "cluster/slurm" / script, "reference", plan, out, *limits,
                              POOLPROOF=str(wrapper))
            self.assertEqual(made.returncode, 0, made.stderr)
            return made.stdout.split()

        job, _ = submit("submit.sh")
        # A shard that hangs ends with its time limit, which counts in minutes: here by hand.
        slurm.wait((self.folder / "hang").exists, "the shard that hangs", 120)
        slurm.wait(lambda: len(list(out.glob("shard-?.json"))) >= 5, "five shards", 120)
        # What was put back would begin two minutes later.
        slurm.wait((self.folder / "requeue").exists, "the shard that is put back", 120)
        slurm.wait(lambda: "PD" in slurm.call("squeue", "-h", "-o", "%t", "-j", f"{job}_5").stdout, "its return to the queue")
        slurm.call("scontrol", "update", f"JobId={job}_5", "StartTime=now")
        slurm.call("scancel", f"{job}_4")
        slurm.drain()
        for name in ["crash", "hang", "requeue"]:
            self.assertTrue((self.folder / name).exists(), name)
        merged = json.loads((out / "report.json").read_text())
        self.assertEqual((merged["verdict"], merged["run"]["missing_shards"]), ("incomplete", "2, 4"))

        submit("resubmit.sh")
        slurm.drain()
        merged = json.loads((out / "report.json").read_text())
        self.assertEqual(comparable(out / "report.json"), comparable(whole))
        self.assertEqual({shard["taken_from"] for shard in merged["run"]["shards"]},
                         {"SLURM_ARRAY_TASK_ID"})
        nothing = slurm.call(ROOT / "cluster/slurm/resubmit.sh", "reference", plan, out)
        self.assertIn("no shard is missing", nothing.stderr)


if __name__ == "__main__":
    missing = [tool for tool in TOOLS if find(tool) is None]
    if missing:
        print(f"skipped: {', '.join(missing)} not installed (Debian: slurm-wlm, munge)")
        sys.exit(77)
    unittest.main()
