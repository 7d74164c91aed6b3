# SPDX-License-Identifier: Apache-2.0
"""A plug-in for pytest: a test for each clause. One run judges all of them.

    PYTHONPATH=<prefix>/lib/poolproof/python pytest -p poolproof.pytest --poolproof mine.json

A failed clause fails its test with its failing cases; a clause that no case decided skips it."""
import functools
import json
import os
import pathlib
import shlex
import subprocess
import tempfile

import pytest

# lib/poolproof/python/poolproof, beside bin.
PROGRAM = pathlib.Path(__file__).resolve().parents[4] / "bin/poolproof"


def pytest_addoption(parser):
    group = parser.getgroup("poolproof")
    group.addoption("--poolproof", metavar="IMPLEMENTATION", help="judge this library, manifest or Python file")
    group.addoption("--poolproof-options", metavar="OPTIONS", default="--set smoke",
                    help="further options of `poolproof run`, in one word; default: --set smoke")


@functools.cache
def judge(implementation, options):
    """The report of a run, and what it said."""
    program = os.environ.get("POOLPROOF", PROGRAM if PROGRAM.exists() else "poolproof")
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder, "report.json")
        run = subprocess.run([program, "run", "--implementation", implementation, *shlex.split(options), "--json", report],
                             capture_output=True, text=True, check=False)
        if run.returncode not in (0, 1, 4) or not report.exists():
            raise pytest.UsageError(run.stderr.strip())
        return json.loads(report.read_text())


class Clause(pytest.Item):
    def __init__(self, *, clause, failures, **rest):
        super().__init__(**rest)
        self.clause, self.failures = clause, failures
        self.add_marker(clause["strength"])

    def runtest(self):
        verdict = self.clause["verdict"]
        if verdict == "failed":
            said = [one["message"] + "\n  " + (one.get("shrunk_case_line") or one["case_line"]) for one in self.failures]
            text = f"{self.name}: {self.clause['failures']} of {self.clause['cases']} cases fail\n" + "\n".join(said)
            # An advisory clause never makes a library nonconformant.
            (pytest.fail if self.clause["strength"] == "required" else pytest.xfail)(text)
        if verdict != "passed":
            pytest.skip(f"{verdict}: {self.clause.get('reason', '')}")

    def repr_failure(self, excinfo):
        return str(excinfo.value)

    def reportinfo(self):
        return self.path, None, self.name


class Clauses(pytest.Collector):
    def collect(self):
        report = judge(self.name, self.config.getoption("--poolproof-options"))
        for clause in report["clauses"]:
            if clause["verdict"] == "not_applicable":
                continue
            failures = [one for one in report["failures"] if clause["id"] in one["clauses"]]
            yield Clause.from_parent(self, name=clause["id"], clause=clause, failures=failures)


def pytest_configure(config):
    for strength in ("required", "advisory"):
        config.addinivalue_line("markers", f"{strength}: the strength of a clause of Poolproof")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session, config, items):
    implementation = config.getoption("--poolproof")
    if implementation:
        items[:0] = Clauses.from_parent(session, name=implementation, nodeid=implementation).collect()
