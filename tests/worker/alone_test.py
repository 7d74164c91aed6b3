#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The worker builds by itself from its folder, in C++17 and nothing beyond, and judges through
--worker-command. usage: alone_test.py poolproof cmake compiler launcher libraries root"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop())
LIBRARIES = pathlib.Path(sys.argv.pop())
LAUNCHER = sys.argv.pop()
COMPILER = sys.argv.pop()
CMAKE = sys.argv.pop()
PROGRAM = sys.argv.pop()
# What C++20 has is an error, and so is whatever a compiler of 2018 would grumble at.
FLAGS = "-pedantic-errors -Wall -Wextra -Werror"
# Headers that g++ 7 lacks.
TOO_NEW = {"<charconv>", "<filesystem>", "<bit>", "<concepts>", "<latch>", "<ranges>", "<format>", "<compare>"}


def call(*arguments, **options):
    return subprocess.run([*map(str, arguments)], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          timeout=900, check=False, **options)


class Alone(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.build = pathlib.Path(holder.name)
        configure = [CMAKE, "-S", ROOT / "conformance/worker", "-B", cls.build, "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
                     f"-DCMAKE_CXX_COMPILER={COMPILER}", f"-DCMAKE_CXX_COMPILER_LAUNCHER={LAUNCHER}",
                     f"-DCMAKE_CXX_FLAGS={FLAGS}", "-DCMAKE_CXX_FLAGS_RELEASE=-O0"]
        configured = call(*configure)
        assert configured.returncode == 0, configured.stderr
        cls.commands = json.loads((cls.build / "compile_commands.json").read_text())
        # In batches, for a third of the time.
        configured = call(*configure, "-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=12")
        assert configured.returncode == 0, configured.stderr
        built = call(CMAKE, "--build", cls.build)
        assert built.returncode == 0, built.stdout[-4000:] + built.stderr[-4000:]
        cls.worker = cls.build / "poolproof-worker"

    def test_it_is_built_as_cxx17_of_this_tree_alone(self):
        self.assertGreater(len(self.commands), 15)
        for entry in self.commands:
            self.assertIn("-std=c++17", entry["command"])
            source = pathlib.Path(entry["file"]).resolve()
            self.assertTrue(source.is_relative_to(ROOT.resolve()), source)
            included = {line.split()[1] for line in source.read_text().splitlines() if line.startswith("#include")}
            self.assertEqual(included & TOO_NEW, set(), source)

    def test_it_judges(self):
        run = call(PROGRAM, "run", "--implementation", LIBRARIES / "libpoolproof_reference.so", "--cases", 120,
                   "--worker-command", f"'{self.worker}' --elsewhere", "--json", "-")
        self.assertEqual(run.returncode, 0, run.stderr)
        summary = json.loads(run.stdout)["summary"]
        self.assertEqual((summary["cases"], summary["passed"]), (120, 120))

    def test_threads_streams_and_guard_pages_work(self):
        for plan in ("threads=3;repeat=2", "repeat=2;settle=1", "guard=after", "output=mixed;vary;repeat=3",
                     "growth=64"):
            case = f"pp1:AdaptiveMaxPool2dBackward:self=f32[1,5,5];go=[1,3,3]|run:{plan}"
            said = call(PROGRAM, "replay", "--implementation", LIBRARIES / "libpoolproof_reference.so",
                        "--worker-command", f"'{self.worker}' --elsewhere", case)
            self.assertEqual(said.returncode, 0, plan + said.stdout + said.stderr)


if __name__ == "__main__":
    unittest.main()
