#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exported programs: each compiles against the headers alone without a warning, is content with the
reference, and shows the fault of a library that has one."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM, COMPILER, ROOT, LIBRARIES, SANITIZERS = sys.argv[1:6]
del sys.argv[1:6]
OTHER_COMPILERS = [name for name in ("g++", "clang++") if shutil.which(name) and
                   os.path.realpath(shutil.which(name)) != os.path.realpath(shutil.which(COMPILER))]

# Compilers differ in what they warn of. Which is asked of some programs, or of all where the environment says so.
ALL_COMPILERS = bool(os.environ.get("POOLPROOF_ALL_COMPILERS"))

ROW = "pp1:MaxPool3dWithArgmaxBackward:self=f32[1,1,1,1,5];k=1,1,3;s=1;p=0;d=1"
# What each is here for, the case, and words of the program that it must hold.
CASES = [
    ("three gradients meet", ROW + ";go=~hex.3f800000,40000000,40400000;ix=~int.2,2,2", ["0x40c00000"]),
    ("half, INT64, unbatched, ceil mode, inexact sums",
     "pp1:MaxPool3dWithArgmaxBackward:self=f16[2,3,5,7];k=2;s=1;p=1;d=1;ceil;go=~wide.3;"
     "ix=~shared", []),
    ("bfloat16 through views with gaps",
     "pp1:AdaptiveMaxPool2dBackward:self=bf16[2,9,7]{200,14,2}+3<500>;go=[2,4,3]{12,1,4};"
     "ix=i64~window.5;gi={126,14,2}+1<300>", ["0xa5a5"]),
    ("NaN and infinities", ROW + ";go=~uniform!0=7fc00000!1=7f800000!2=ff800000;ix=~int.0,1,2",
     ["NaN", "inf"]),
    ("a broadcast self, patterned indices, random gradients",
     "pp1:MaxPool3dWithArgmaxBackward:self=f32[4,8,8,64,64]{0,0,0,0,0};k=2;s=2;p=0;d=1;"
     "go=~uniform.9;ix=~first", ["Random("]),
    ("a null self", "pp1:AdaptiveMaxPool3dBackward:self=null:f32[1,1,4,4,4];go=[1,1,2,2,2]",
     ["161001", "AMP3-S02"]),
    ("a type outside the ABI", "pp1:AdaptiveMaxPool3dBackward:self=f32[1,1,4,4,4];go=t99[1,1,2,2,2]",
     ["161002"]),
    ("a plane beyond the limit, descriptors alone",
     "pp1:MaxPool3dWithArgmaxBackward:self=f32[1,1,1,65536,32768];k=2;s=2;p=1;d=1|run:descriptors",
     ["descriptors: phase one alone"]),
    ("null out-pointers", ROW + "|run:nullsize;nullexecutor", ["161001"]),
    ("phase two alone", ROW + "|run:phase2", ["phase2: phase two alone"]),
    ("a sequence, repeated on threads, deterministic",
     "pp1:AdaptiveMaxPool2dBackward:self=f32[2,64,64];go=[2,7,7]|AdaptiveMaxPool2dBackward:"
     "self=f16[2,8,8];go=[2,7,7];ix=i64|run:det;repeat=3;threads=4;settle=2",
     ["kCalls = 2", "kRepeat = 3", "kThreads = 4", "SetDeterministic(1)"]),
    ("growth of memory, other poisons", ROW + "|run:growth=40;output=finite;workspace=zero",
     ["kGrowthCalls = 40", "0x3c"]),
    ("pages behind operands", ROW + "|run:guard=after", ["kGuardBehind = true"]),
    ("pages before operands", ROW + ";ix=i64|run:guard=before", ["kGuardBehind = false"]),
    ("inputs late, contents that vary, one executor, shifted addresses",
     ROW + "|run:late;vary;reuse;repeat=5;shift=64",
     ["late: inputs are zero", "KeepExecutor", "kShiftBytes = 64"]),
    ("phases apart on two streams", ROW + "|AdaptiveMaxPool2dBackward:self=f16[2,8,8];go=[2,7,7]"
     "|run:streams=2;order=lifo", ["kStreams = 2", "kLastFirst = true"]),
    ("related calls", ROW + "|MaxPool3dWithArgmaxBackward:self=f32[1,1,1,1,5];k=1,1,3;s=1,1,1;"
     "p=0,0,0;d=1,1,1|run:relation=list-length", ["kCalls = 2"]),
    ("a forward", "pp1:AdaptiveMaxPool3d:self=f32[1,2,5,6,7]@NCDHW;o=3,4,5", ["call.windows[2]"]),
    ("an index outside its plane", ROW + ";ix=~int.0,9,2", ["kAnything"]),
    ("an empty batch", "pp1:AdaptiveMaxPool2dBackward:self=f32[0,5,5];go=[0,3,3]", ["kAnything"]),
]


# Those that are compiled and run no matter where a program's blocks are; the others are only written, unless
# POOLPROOF_ALL_COMPILERS is set.
# What is compiled and run by default; a null self and descriptors alone are run as short programs.
RUN = {"three gradients meet", "bfloat16 through views with gaps", "a sequence, repeated on threads, deterministic",
       "inputs late, contents that vary, one executor, shifted addresses"}
assert RUN <= {what for what, _, _ in CASES}


def poolproof(*arguments, **options):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=1200,
                          stdin=subprocess.DEVNULL, check=False, **options)


class ExportTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    built = {}  # what was compiled before, by the text of the program and the library
    programs = tempfile.TemporaryDirectory()

    def export(self, case, *options):
        """The text of the program, which is in repro.cpp then."""
        source = self.folder / "repro.cpp"
        exported = poolproof("export", case, "-o", str(source), *options)
        self.assertEqual((exported.returncode, exported.stdout, exported.stderr), (0, "", ""), case)
        return source.read_text()

    def build(self, case, library, *options, compilers=ALL_COMPILERS):
        """Exports and compiles; the program's text. It is called ./repro then."""
        text = self.export(case, *options)
        source = self.folder / "repro.cpp"
        self.program = self.built.get((text, library))
        if self.program is None:
            self.program = pathlib.Path(self.programs.name) / f"repro{len(self.built)}"
            self.compile(source, library, self.program, "-Wall", "-Wextra", "-Werror")
            self.built[text, library] = self.program
        for other in OTHER_COMPILERS if compilers else []:
            checked = subprocess.run([other, "-std=c++17", "-Wall", "-Wextra", "-Werror",
                                      "-fsyntax-only", f"-I{ROOT}/include", str(source)],
                                     capture_output=True, text=True, check=False)
            self.assertEqual((checked.returncode, checked.stderr), (0, ""), f"{other}: {case}")
        return text

    def compile(self, source, library, program, *options):
        command = [COMPILER, "-std=c++17", *options, str(source), f"-I{ROOT}/include", f"-L{LIBRARIES}", f"-l{library}",
                   f"-Wl,-rpath,{LIBRARIES}", "-pthread", "-o", str(program)]
        if SANITIZERS:
            command.append(f"-fsanitize={SANITIZERS}")
        compiled = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual((compiled.returncode, compiled.stderr), (0, ""), source)

    def run_it(self, *arguments, **environment):
        done = subprocess.run([str(self.program), *arguments], capture_output=True, text=True,
                              timeout=1200, check=False,
                              env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0", **environment})
        self.assertEqual(len(done.stdout.splitlines()), 1, done.stdout + done.stderr)
        return done.returncode, done.stdout


class Conforming(ExportTest):
    def test_the_reference_does_what_programs_expect(self):
        for what, case, words in CASES:
            with self.subTest(what):
                some = "|run:" in case and ";" in case.partition("|run:")[2]  # blocks of several features
                runs = ALL_COMPILERS or what in RUN
                text = self.build(case, "poolproof_reference", compilers=ALL_COMPILERS or some) if runs else self.export(case)
                self.assertIn(case[:200], text)
                self.assertNotIn(LIBRARIES, text)
                for word in words:
                    self.assertIn(word, text)
                if runs:
                    self.assertEqual(self.run_it(), (0, "ok: the documented behaviour was seen\n"))

    def test_profiles_expect_their_own(self):
        case = ROW + ";ix=i64"
        self.build(case, "poolproof_reference", "--profile", "ascend-950")
        self.assertEqual(self.run_it(POOLPROOF_SOC_NAME="Ascend950PR_9589")[0], 0)
        status, line = self.run_it(POOLPROOF_SOC_NAME="Ascend910B3")
        self.assertEqual(status, 1)
        self.assertIn("phase one returned 161002 for a valid call", line)
        self.build(case, "poolproof_reference", "--profile", "atlas-a2")
        self.assertEqual(self.run_it(POOLPROOF_SOC_NAME="Ascend910B3")[0], 0)

    def test_without_a_child_process(self):
        self.build(CASES[0][1], "poolproof_reference")
        self.assertEqual(self.run_it("--here")[0], 0)

    def test_to_stdout_and_from_a_failure(self):
        failure = self.folder / "failure.json"
        failure.write_text(json.dumps({"shrunk_case_line": CASES[0][1], "case_line": ROW}))
        by_file = poolproof("export", str(failure))
        self.assertEqual((by_file.returncode, by_file.stderr), (0, ""))
        self.assertEqual(by_file.stdout, poolproof("export", CASES[0][1], "-o", "-").stdout)


    def test_a_plain_case_is_short_and_comes_first(self):
        lines = self.build(CASES[0][1], "poolproof_reference").splitlines()
        self.assertLessEqual(lines.index("// How it is carried out " + 74 * "="), 120)
        self.assertLessEqual(len(lines), 350)
        for word in ["std::thread", "mprotect", "malloc_trim", "ACL_OPT_DETERMINISTIC"]:
            self.assertNotIn(word, "\n".join(lines))

    def test_blocks_stand_where_the_plan_uses_them(self):
        blocks = {"threads=2": "std::thread", "guard=after": "mprotect", "growth=3": "malloc_trim",
                  "det": "SetDeterministic", "repeat=2;reuse": "KeepExecutor", "order=fifo": "kLastFirst"}
        for plan in blocks:
            text = poolproof("export", f"{ROW}|run:{plan}").stdout
            for other, word in blocks.items():
                self.assertEqual(word in text, other == plan, (plan, word))


    def test_short_programs_are_content_with_the_reference(self):
        cases = [ROW + ";go=~hex.3f800000,40000000,40400000;ix=~int.2,2,2",
                 "pp1:AdaptiveMaxPool2dBackward:self=bf16[1,3,3]{20,5,1}+3<50>;go=[1,2,2];ix=i64~window.5;gi={20,5,1}+1<50>",
                 "pp1:AdaptiveMaxPool3dBackward:self=null:f32[1,1,4,4,4];go=[1,1,2,2,2]",
                 "pp1:AdaptiveMaxPool2dBackward:self=f16[1,3,3];go=[1,2,2]",
                 "pp1:AdaptiveMaxPool3dBackward:self=f32[1,1,4,4,4];go=t99[1,1,2,2,2]",
                 "pp1:MaxPool3dWithArgmaxBackward:self=f32[1,1,1,65536,32768];k=2;s=2;p=1;d=1|run:descriptors"]
        for case in cases:
            with self.subTest(case):
                runs = ALL_COMPILERS or case in (cases[1], cases[2], cases[5])
                text = self.build(case, "poolproof_reference", "--short", compilers=ALL_COMPILERS or case == cases[1]) if runs \
                    else self.export(case, "--short")
                self.assertIn(case, text)
                self.assertLessEqual(len(text.splitlines()), 80)
                if runs:
                    self.assertEqual(self.run_it(), (0, "ok: the expected answer\n"))

    def test_a_short_program_shows_a_wrong_answer(self):
        self.build(ROW + ";ix=i64", "poolproof_reference", "--profile", "ascend-950", "--short")
        self.assertEqual(self.run_it(POOLPROOF_SOC_NAME="Ascend950PR_9589")[0], 0)
        self.assertEqual(self.run_it(POOLPROOF_SOC_NAME="Ascend910B3"), (1, "phase one: expected 0, got 161002\n"))
        self.export("pp1:AdaptiveMaxPool3dBackward:self=f32[1,1,4,4,4];go=t99[1,1,2,2,2]", "--short")
        source = self.folder / "repro.cpp"
        source.write_text(source.read_text().replace("161002", "161001"))
        self.program = self.folder / "repro"
        self.compile(source, "poolproof_reference", self.program)
        self.assertEqual(self.run_it(), (1, "expected 161001, got 161002\n"))


class Refused(ExportTest):
    def test_what_has_no_short_program_says_why(self):
        for case, words in [(ROW + "|run:repeat=3", "it has a plan (run:repeat=3)"),
                            (ROW + "|" + ROW.removeprefix("pp1:"), "several calls"),
                            (ROW + ";ix=~int.0,9,2", "leave its answer open"),
                            ("pp1:AdaptiveMaxPool2dBackward:self=f32[4,64,64];go=[4,32,32]~exact", "bytes, more than 512")]:
            with self.subTest(case):
                result = poolproof("export", case, "--short")
                self.assertEqual((result.returncode, result.stdout, len(result.stderr.splitlines())), (2, "", 1), result.stderr)
                self.assertIn(words, result.stderr)

    def test_what_cannot_be_written_is_one_line_and_exit_2(self):
        huge = "pp1:MaxPool3dWithArgmaxBackward:self=f32[1,1,1,1024,2048];k=1;s=1;p=0;d=1;go=~exact"
        rows = [
            (["export", huge], ["cannot be exported", "follow no rule", "shrunk_case_line"]),
            (["export", ROW, "-o", str(self.folder / "none" / "r.cpp")], ["--output", "none"]),
            (["export", ROW, "--profile", "atlas-a9"], ["--profile", "atlas-a9"]),
            (["export", "pp1:nonsense"], ["nonsense"]),
            (["export"], ["case"]),
        ]
        for arguments, words in rows:
            with self.subTest(arguments=arguments):
                result = poolproof(*arguments)
                self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
                self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
                for word in words:
                    self.assertIn(word, result.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])


class Mutants(ExportTest):
    # Name and what the program must say of it.
    FAULTS = [
        ("last_writer_wins", "gradInput["),
        ("null_self_is_invalid", "phase one: expected 161001 ("),
        ("null_indices_crashes", "the process died of SIGSEGV (signal 11) in phase one"),
        ("writes_past_grad_input", "memory just after the storage of gradInput was overwritten"),
        ("stride_zero_hangs", "the deadline passed in phase one"),
        ("exits_on_some_shape", "the process exited in phase two"),
        ("throws_on_some_shape", "an exception came out of a C function"),
        ("changes_rounding_mode", "floating-point environment"),
        ("shape_cache_without_dtype", "call 2: "),
        ("reads_past_indices", "memory behind the storage of indices was touched, byte "),
        ("executor_keeps_addresses", "gradInput["),
        ("one_plan_at_a_time", "gradInput["),
    ]

    def failures_of(self, name):
        manifest = self.folder / "manifest.json"
        manifest.write_text(json.dumps({
            "schema": "poolproof-manifest/1", "name": name,
            "libraries": [f"{LIBRARIES}/libpoolproof_mutants.so"],
            "environment": {"*": {"POOLPROOF_MUTANT": name}}, "limits": {"case_s": 3}}))
        result = poolproof("run", "--implementation", str(manifest), "--stop-after", "2", "--json", "-")
        self.assertIn(result.returncode, [1, 4], result.stderr)  # 4: an advisory clause alone
        return json.loads(result.stdout)["failures"]

    # Faults of which the short program tells as well; it does not watch workspaces, sequences or reads.
    SHORT = ["last_writer_wins", "null_self_is_invalid", "null_indices_crashes", "writes_past_grad_input",
             "zero_fill_tail_missing", "index_zero_dropped", "last_window_dropped", "kernel_zero_unchecked",
             "crashes_on_some_shape", "writes_before_grad_input"]

    def test_faults_are_shown_by_short_programs(self):
        for name in self.SHORT:
            with self.subTest(name):
                failure = next(f for f in self.failures_of(name) if not f["advisory"])
                text = self.build(failure["shrunk_case_line"] or failure["case_line"], "poolproof_mutants", "--short")
                self.assertLessEqual(len(text.splitlines()), 80)
                for mutant, shown in [(name, True), ("none", False)]:
                    done = subprocess.run([str(self.program)], capture_output=True, check=False, timeout=60,
                                          env={**os.environ, "POOLPROOF_MUTANT": mutant})
                    self.assertEqual(done.returncode != 0, shown, (mutant, done))

    def test_faults_are_shown(self):
        for name, words in self.FAULTS:
            with self.subTest(name):
                failure = self.failures_of(name)[0]
                for member in ["case_line", "shrunk_case_line"]:
                    if failure.get(member) is None:
                        continue
                    self.build(failure[member], "poolproof_mutants")
                    status, line = self.run_it(POOLPROOF_MUTANT=name)
                    self.assertEqual(status, 1, line)
                    self.assertTrue(line.startswith("WRONG: "), line)
                    self.assertIn(words, line)
                    self.assertEqual(self.run_it(POOLPROOF_MUTANT="none")[0], 0)


if __name__ == "__main__":
    unittest.main()
