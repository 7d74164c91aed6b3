#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The mutator finds faults where code is and nowhere else, draws a sample that stays, and judges a small project."""

import collections
import json
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

import mutate
import source_mutants

COMPILER = sys.argv.pop(1) if len(sys.argv) > 1 else "c++"


def found(text, enums=None, operator=None):
    """(operator, before, after) of the mutants of a text."""
    return [(m.operator, m.before, m.after) for m in source_mutants.mutants_of("core/a.cc", text, enums or {})
            if operator in (None, m.operator)]


def body(statements):
    return "int f(int a, int b) {\n" + statements + "\n}\n"


class NothingToMutate(unittest.TestCase):
    def expect_none(self, text):
        self.assertEqual(found(text), [])

    def test_comments_and_directives(self):
        self.expect_none("// a < b && 1\n/* a + b\n 2 */\n#include <vector>\n#define ONE 1 \\\n  + 2\n"
                         "#if A > 1\n#endif\n")

    def test_strings(self):
        self.expect_none('const char* a = "1 < 2 \\" && 3";\nchar b = \'+\';\nauto c = R"x(a < b " )" 1)x";\n')

    def test_what_only_the_compiler_reads(self):
        self.expect_none("static_assert(sizeof(int) == 4 && 1 < 2);\nusing A = Array<int, 3>;\n"
                         "template <int kWidth = 3, bool kWide = true>\nstruct S;\n"
                         "[[deprecated]] void f() noexcept(true);\n")

    def test_types_are_no_comparisons(self):
        self.expect_none("std::vector<std::array<int, 3>> f(const int& a, int&& b, int* c);\n")
        self.expect_none(body("std::array<float, 8> a; auto* p = static_cast<int*>(b); const int& r = b;"))

    def test_what_is_joined_to_a_text(self):
        self.expect_none(body('return a + "text";'))


class Operators(unittest.TestCase):
    def test_between_operands(self):
        self.assertEqual(found(body("return a < b;")), [("relational", "<", "<="), ("relational", "<", ">=")])
        self.assertEqual(found(body("return a == b;")), [("relational", "==", "!=")])
        self.assertEqual(found(body("return a * b;")), [("arithmetic", "*", "/")])
        self.assertEqual(found(body("return a && b;")), [("logical", "&&", "||")])
        self.assertEqual(found(body("return a << b;")), [("bits", "<<", ">>")])
        self.assertEqual(found(body("return !a;")), [("negation", "!", "")])

    def test_operators_at_the_end_of_a_line(self):
        self.assertEqual(found(body("return a ||\n       b;")), [("logical", "||", "&&")])

    def test_literals(self):
        self.assertEqual(found(body("return 0;")), [("literal", "0", "1")])
        self.assertEqual(found(body("return 1'000U;")), [("literal", "1'000U", "1001U"), ("literal", "1'000U", "999U")])
        self.assertEqual(found(body("return 0x1fU;"))[0], ("literal", "0x1fU", "0x20U"))
        self.assertEqual(found(body("return 0.5F;")), [("literal", "0.5F", "1.5F")])
        self.assertEqual(found(body("return true;")), [("boolean", "true", "false")])

    def test_arguments_of_templates(self):
        self.assertEqual(found(body("return g<true, 3>(a);")), [("boolean", "true", "false")])

    def test_statements(self):
        self.assertEqual(found(body("a = b;"), operator="statement"), [("statement", "a = b;", ";")])
        self.assertEqual(found(body("x.y->z[b].go(a);"), operator="statement"),
                         [("statement", "x.y->z[b].go(a);", ";")])
        self.assertEqual(found(body("for (;;) ++a;"), operator="statement"), [("statement", "++a;", ";")])
        self.assertEqual(found(body("v.each([&](int i) { a += i; });"), operator="statement"),
                         [("statement", "v.each([&](int i) { a += i; });", ";"), ("statement", "a += i;", ";")])

    def test_declarations_stay(self):
        for statement in ("int c = a;", "const auto c = b;", "std::vector<int> v(a);", "T& x = y;", "return a;",
                          "Type name{a};"):
            self.assertEqual(found(body(statement), operator="statement"), [], statement)

    def test_checks(self):
        text = "if (auto no = Check(a)) return no;"
        self.assertEqual(found(body(text)), [("check", text, ";")])
        text = "if (Check(a)) {\n  return b;\n}"
        self.assertEqual(found(body(text)), [("condition", "Check(a)", "!(Check(a))"), ("check", text, ";")])
        # Without its first branch, the other would be that of nothing.
        self.assertEqual(found(body("if (a) return b; else return c;")), [("condition", "a", "!(a)")])
        self.assertEqual(found(body("if constexpr (a) return b;")), [])

    def test_swaps(self):
        self.assertEqual(found(body("return g(s[1], s[0]);"), operator="swap"), [("swap", "s[1], s[0]", "s[0], s[1]")])
        self.assertEqual(found(body("return {shape.h, shape.w};"), operator="swap"),
                         [("swap", "shape.h, shape.w", "shape.w, shape.h")])
        self.assertEqual(found("int f(int a, int b);\n"), [])

    def test_codes(self):
        self.assertEqual(found(body("return ACLNN_ERR_PARAM_NULLPTR;")),
                         [("status", "ACLNN_ERR_PARAM_NULLPTR", "ACLNN_ERR_PARAM_INVALID")])
        enums = source_mutants.enumerators(["enum class Axis : int { kDepth, kHeight = 1, kWidth };\n"])
        self.assertEqual(enums, {"Axis": ["kDepth", "kHeight", "kWidth"]})
        self.assertEqual(found(body("return Axis::kWidth;"), enums), [("enumerator", "kWidth", "kDepth")])

    def test_one_edit_is_made(self):
        text = body("if (a < b) return 1;\nreturn a - b;")
        changed = {m.apply(text) for m in source_mutants.mutants_of("core/a.cc", text, {})}
        self.assertIn(text.replace("a < b", "a <= b"), changed)
        self.assertIn(text.replace("a - b", "a + b"), changed)
        self.assertIn(text.replace("if (a < b) return 1;", ";"), changed)
        self.assertNotIn(text, changed)


class Sample(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.order, cls.texts = mutate.sample(mutate.ROOT, "1")

    def test_ids_name_one_mutant(self):
        self.assertGreater(len(self.order), 2000)
        self.assertEqual(len({m.id for m in self.order}), len(self.order))

    def test_is_a_function_of_sources_and_seed(self):
        again, _ = mutate.sample(mutate.ROOT, "1")
        self.assertEqual(again, self.order)
        self.assertNotEqual(mutate.sample(mutate.ROOT, "2")[0], self.order)

    def test_every_beginning_is_fair(self):
        whole = collections.Counter((m.file, m.operator) for m in self.order)
        for count in (100, 400, 1000):
            part = collections.Counter((m.file, m.operator) for m in self.order[:count])
            for stratum, members in whole.items():
                self.assertAlmostEqual(part[stratum], members * count / len(self.order), delta=2, msg=str(stratum))

    def test_ids_stay_when_lines_move(self):
        text = self.texts["reference/max_pool_backward.cc"]

        def ids(changed):
            return [m.id for m in source_mutants.mutants_of("reference/max_pool_backward.cc", changed, {})]
        self.assertEqual(ids(text), ids("// one line more\n" + text.replace("\n\n", "\n\n\n")))
        self.assertNotEqual(ids(text), ids(text.replace("for (", "for ( /* */", 1)))

    def test_brackets_stay_matched(self):
        for m in self.order:
            for pair in ("()", "[]", "{}"):
                self.assertEqual(m.before.count(pair[0]) - m.before.count(pair[1]),
                                 m.after.count(pair[0]) - m.after.count(pair[1]), str(m))


class Accounts(unittest.TestCase):
    """What is said of a run, and when it fails."""

    def row(self, name, verdict):
        return {"id": name, "verdict": verdict, "mutant": f"core/a.cc:1:1 {name}", "by": ""}

    def listed(self, **reasons):
        return {name: {"id": name, "mutant": name, "reason": reason} for name, reason in reasons.items()}

    def account(self, rows, listed):
        lines, bad = mutate.account(rows, listed, {row["id"] for row in rows})
        return "\n".join(lines), bad

    def test_all_found(self):
        text, bad = self.account([self.row("a", "killed"), self.row("b", "same code")], {})
        self.assertFalse(bad)
        self.assertIn("found: 1 of 1", text)

    def test_survivor_without_a_reason(self):
        for verdict in ("survived", "inconclusive", "time-out", "no verdict"):
            text, bad = self.account([self.row("a", "killed"), self.row("b", verdict)], {})
            self.assertTrue(bad, verdict)
            self.assertIn("b ", text)

    def test_found_by_advisory_clauses(self):
        text, bad = self.account([self.row("a", "killed"), self.row("b", "advisory")], {})
        self.assertFalse(bad)
        self.assertIn("found: 2 of 2", text)

    def test_survivor_with_a_reason(self):
        rows = [self.row("a", "killed"), self.row("b", "survived"), self.row("c", "survived")]
        text, bad = self.account(rows, self.listed(b="equivalent: the same", c="out of reach: 2^31 elements"))
        self.assertFalse(bad)
        self.assertIn("found: 1 of 2", text)

    def test_listed_and_found_or_gone(self):
        text, bad = self.account([self.row("a", "killed")], self.listed(a="gap: none", b="gap: none"))
        self.assertFalse(bad)
        self.assertIn("a is listed as a survivor and is now: killed", text)
        self.assertIn("b is listed as a survivor and is gone", text)

    def test_reasons_are_of_a_known_kind(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "survivors.json"
            path.write_text(json.dumps({"survivors": list(self.listed(a="whatever").values())}))
            with self.assertRaises(SystemExit):
                mutate.read_survivors(path)

    def test_the_list_of_the_project(self):
        path = pathlib.Path(mutate.__file__).with_name("survivors.json")
        for entry in mutate.read_survivors(path).values():
            self.assertGreater(len(entry["reason"].split(":", 1)[1].strip()), 10, entry)


class OneRun(unittest.TestCase):
    """What a run's exit status and report make of a mutant."""

    def judged(self, *runs, sound=True):
        suite, answers = object.__new__(mutate.Suite), iter(runs)
        suite.run = lambda *_, **__: next(answers)
        suite.is_sound = lambda *_: sound
        verdict, _ = suite.judge("reference", None, None, "avx2", "ci", "atlas-a2")
        self.assertIsNone(next(answers, None), "a run that was not asked for")
        return verdict

    def report(self, verdict="passed", ends=(), stopped_by="none"):
        return {"run": {"stopped_by": stopped_by}, "failures": [{"end": end} for end in ends],
                "clauses": [{"id": "C-01", "verdict": verdict}]}

    def test_statuses(self):
        self.assertEqual(self.judged((0, self.report())), "survived")
        self.assertEqual(self.judged((0, self.report("failed"))), "advisory")
        self.assertEqual(self.judged((1, self.report("failed", ["returned"]))), "killed")
        self.assertEqual(self.judged((4, self.report())), "inconclusive")
        self.assertEqual(self.judged((4, self.report("failed"))), "advisory")
        self.assertEqual(self.judged((None, None)), "time-out")
        self.assertEqual(self.judged((3, None)), "no verdict")

    def test_a_kill_needs_an_original_that_passes(self):
        self.assertEqual(self.judged((1, self.report("failed", ["returned"])), sound=False), "no verdict")

    def test_a_deadline_is_given_a_second_chance(self):
        late = (1, self.report("failed", ["timed out"]))
        self.assertEqual(self.judged(late, (0, self.report())), "survived")
        self.assertEqual(self.judged(late, late), "killed")

    def test_a_run_that_stopped_at_no_required_failure_goes_on(self):
        stopped = (4, self.report(ends=["returned"], stopped_by="stop-after"))
        self.assertEqual(self.judged(stopped, (1, self.report("failed", ["returned"]))), "killed")


NINJA = """rule cc
  command = {compiler} -I{root} -O2 -fPIC -c $in -o $out
rule ar
  command = : && ar qc $out $in && :
rule so
  command = : && {compiler} -shared -o $out $in && :
build core/clamp.cc.o: cc {root}/core/clamp.cc
build core/unused.cc.o: cc {root}/core/unused.cc
build lib/core.a: ar core/clamp.cc.o core/unused.cc.o
build runtime/abi.cc.o: cc {root}/runtime/abi.cc
build lib/libpoolproof_reference.so: so runtime/abi.cc.o lib/core.a
build lib/libpoolproof_optimized.so: so runtime/abi.cc.o lib/core.a
"""
# Represents the suite: asks the library for a few values, and never for one above the limit.
SUITE = """#!{python}
import ctypes, json, sys
argument = dict(zip(sys.argv[2::2], sys.argv[3::2]))
library = ctypes.CDLL(json.load(open(argument["--implementation"]))["libraries"][0])
good = [library.Clamp(x) for x in (-1, 0, 1, 10)] == [0, 0, 1, 10]
json.dump({{"run": {{"stopped_by": "none"}}, "failures": [],
           "clauses": [{{"id": "C-01", "verdict": "passed" if good else "failed"}}]}}, open(argument["--json"], "w"))
sys.exit(0 if good else 1)
"""


@unittest.skipUnless(shutil.which("ninja"), "ninja was not found")
class SmallProject(unittest.TestCase):
    """From sources to verdicts, with a program that represents the suite."""

    FILES = {
        "core/clamp.h": "inline int Low(int a) { return a < 0 ? 0 : a; }\n",
        "core/clamp.cc": '#include "core/clamp.h"\n'
                         'int Bounded(int a) {\n  if (a > 99) return 99;\n  return Low(a);\n}\n',
        "core/unused.cc": "int Unused() { return 7; }\n",
        "runtime/abi.cc": 'int Bounded(int a);\nextern "C" int Clamp(int a) { return Bounded(a); }\n',
    }

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name).resolve()
        self.build = self.root / "build"
        for name, text in self.FILES.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)
        program = self.build / "bin" / "poolproof"
        program.parent.mkdir(parents=True)
        program.write_text(SUITE.format(python=sys.executable))
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        (self.build / "build.ninja").write_text(NINJA.format(compiler=COMPILER, root=self.root))
        commands = [{"directory": str(self.build), "file": f"{self.root}/{name}",
                     "command": f"{COMPILER} -I{self.root} -O2 -fPIC -c {self.root}/{name} -o {name}.o"}
                    for name in ("core/clamp.cc", "core/unused.cc", "runtime/abi.cc")]
        (self.build / "compile_commands.json").write_text(json.dumps(commands))
        subprocess.run(["ninja", "-C", str(self.build)], check=True, stdout=subprocess.DEVNULL)

    def mutate(self, *options):
        survivors, result = self.root / "survivors.json", self.root / "result.json"
        run = subprocess.run([sys.executable, "-B", mutate.__file__, "--root", str(self.root), "--build",
                              str(self.build), "--survivors", str(survivors), "--json", str(result), *options],
                             capture_output=True, text=True, check=False)
        rows = json.loads(result.read_text())["rows"] if result.exists() else []
        return run, {row["mutant"]: row for row in rows}

    def test_verdicts(self):
        run, rows = self.mutate()
        verdicts = {name: row["verdict"] for name, row in rows.items()}
        not_found = "core/clamp.cc:3:22 literal `99` -> `98`"
        expected = {"core/clamp.h:1:34 relational `<` -> `>=`": "killed",
                    "core/clamp.h:1:40 literal `0` -> `1`": "killed",
                    "core/clamp.h:1:34 relational `<` -> `<=`": "same code",  # of 0, either way it is 0
                    "core/unused.cc:1:23 literal `7` -> `8`": "same code",    # not in the library
                    not_found: "survived"}
        self.assertEqual({name: verdicts.get(name) for name in expected}, expected, run.stdout + run.stderr)
        self.assertIn("C-01", rows["core/clamp.h:1:40 literal `0` -> `1`"]["by"])
        self.assertEqual(run.returncode, 1)
        self.assertIn(f"{rows[not_found]['id']} is not listed", run.stdout)

        # With a reason for each, all is well; the checkout and the build are as they were.
        (self.root / "survivors.json").write_text(json.dumps({"survivors": [
            {"id": row["id"], "mutant": row["mutant"], "reason": "gap: nothing above 10 is asked"}
            for row in rows.values() if row["verdict"] == "survived"]}))
        run, _ = self.mutate()
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("99", (self.root / "core/clamp.cc").read_text())
        self.assertIn("no work to do", subprocess.run(["ninja", "-C", str(self.build)], capture_output=True,
                                                      text=True, check=True).stdout)

    def test_original_that_fails(self):
        (self.build / "bin" / "poolproof").write_text(
            SUITE.format(python=sys.executable).replace("[0, 0, 1, 10]", "[0, 0, 1, 11]"))
        run, rows = self.mutate("--files", "core/clamp.h", "--sample", "1")
        self.assertEqual([row["verdict"] for row in rows.values()], ["no verdict"], run.stdout)
        self.assertEqual(run.returncode, 1)
        self.assertIn("the unmutated reference library is not conformant", run.stdout)

    def test_options(self):
        run, _ = self.mutate("--list", "--sample", "3", "--files", "core/*")
        self.assertEqual(run.returncode, 0)
        listed = [line.split()[0] for line in run.stdout.splitlines()]
        self.assertEqual(len(listed), 3)
        run, rows = self.mutate("--only", listed[1])
        self.assertEqual([row["id"] for row in rows.values()], [listed[1]])
        run, _ = self.mutate("--only", "0123456789ab")
        self.assertIn("no such mutant", run.stderr)


if __name__ == "__main__":
    unittest.main()
