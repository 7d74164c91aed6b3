#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""poolproof corpus: what two campaigns kept becomes one small file, without findings that were fixed,
and vectors that the corpus takes as they are. usage: corpus_test.py poolproof corpus_tool library root"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import jsonschema

from error_lines import error_lines

ROOT = pathlib.Path(sys.argv.pop())
FAULTY = sys.argv.pop()  # a library with faults
TOOL = sys.argv.pop()
PROGRAM = sys.argv.pop()
VECTORS = json.loads((ROOT / "conformance/corpus/poolproof-vectors-1.schema.json").read_text())
CASES = json.loads((ROOT / "conformance/case/poolproof-case-1.schema.json").read_text())


def call(*arguments, **options):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=1200, check=False, **options)


def entries(path):
    return [json.loads(line) for line in pathlib.Path(path).read_text().splitlines()]


def findings(path):
    return [entry for entry in entries(path) if "finding" in entry]


class CorpusTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        for index in range(2):  # two shards of one plan
            shard = call("fuzz", "--implementation", FAULTY, "--corpus", cls.folder / "campaign",
                         "--cases", 24, "--seed", 11, "--shard", f"{index}/2")
            assert shard.returncode == 1, shard.stdout + shard.stderr
        cls.shards = sorted((cls.folder / "campaign").glob("*.jsonl"))

    def corpus(self, verb, *arguments, status=0):
        result = call("corpus", verb, *arguments, cwd=self.folder)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return result

    def merged(self, name="merged.jsonl"):
        self.corpus("merge", "campaign", "-o", name)
        return self.folder / name

    def test_a_campaign_says_what_it_found(self):
        self.assertEqual(len(self.shards), 4)
        validator = jsonschema.Draft202012Validator(CASES)
        found = [entry for path in self.shards for entry in findings(path)]
        self.assertTrue(found)
        for path in self.shards:
            for entry in entries(path):
                validator.validate(entry)
        for entry in found:
            self.assertTrue(entry["finding"]["clauses"])
            self.assertEqual(call("replay", "--implementation", FAULTY, json.dumps(entry)).returncode, 1)

    def test_merge_is_commutative_and_idempotent(self):
        merged = self.merged()
        text = merged.read_text()
        self.corpus("merge", *reversed(self.shards), "-o", "other.jsonl")
        self.assertEqual((self.folder / "other.jsonl").read_text(), text)
        self.assertEqual(self.corpus("merge", merged, merged, "-o", "-").stdout, text)
        signatures = [entry["finding"]["signature"] for entry in findings(merged)]
        self.assertEqual(signatures, sorted(set(signatures)))
        self.assertEqual(set(signatures), {entry["finding"]["signature"] for path in self.shards
                                           for entry in findings(path)})
        lines = [entry["case"] for entry in entries(merged) if "finding" not in entry]
        self.assertEqual(len(lines), len(set(lines)))

    def test_minimize_keeps_coverage(self):
        merged = self.merged()
        said = self.corpus("minimize", merged, "-o", "small.jsonl").stderr
        small = self.folder / "small.jsonl"
        self.assertLess(len(entries(small)), len(entries(merged)))
        self.assertIn(f"minimized {len(entries(merged)) - len(findings(merged))} cases", said)
        self.assertIn(f"to {len(entries(small)) - len(findings(small))} cases", said)
        again = self.corpus("minimize", small, "-o", "-")
        self.assertEqual(again.stdout, small.read_text())
        counts = said.split("same ")[1].split(" of classes")[0]
        self.assertIn(counts, again.stderr)

        def places(path):
            report = json.loads(call("run", "--implementation", "reference", "--case-file", path,
                                     "--json", "-").stdout)
            return {(entry["operator"], axis, value) for entry in report["coverage"]["operators"]
                    for cell in entry["cells"] for axis, value in enumerate(cell["at"].split("/"))}

        self.assertEqual(places(small), places(merged))

    def test_prune_drops_what_was_fixed(self):
        merged = self.merged()
        self.corpus("prune", merged, "--implementation", FAULTY, "-o", "kept.jsonl")
        self.assertEqual((self.folder / "kept.jsonl").read_text(), merged.read_text())
        said = self.corpus("prune", merged, "--implementation", "reference", "-o", "fixed.jsonl").stderr
        self.assertIn(f"pruned {len(findings(merged))} finding", said)
        self.assertEqual(entries(self.folder / "fixed.jsonl"),
                         [entry for entry in entries(merged) if "finding" not in entry])
        elsewhere = self.corpus("prune", merged, "--implementation", "reference", "--profile",
                                "ascend-950", "-o", "-")
        self.assertEqual(elsewhere.stdout, merged.read_text())
        self.assertIn(f"{len(findings(merged))} of another profile", elsewhere.stderr)

    def test_exported_vectors_are_the_corpus_own(self):
        merged = self.merged()
        self.corpus("export", merged, "--as-vectors", "-o", "found_vectors.json")
        path = self.folder / "found_vectors.json"
        document = json.loads(path.read_text())
        jsonschema.Draft202012Validator(VECTORS).validate(document)
        formatted = subprocess.run([TOOL, "fmt", "--check", path], capture_output=True, text=True,
                                   check=False)
        self.assertEqual(formatted.returncode, 0, formatted.stderr)
        self.assertEqual({vector["case"] for vector in document["vectors"]},
                         {entry["case"] for entry in findings(merged)})
        self.assertEqual({flag for vector in document["vectors"] for flag in vector["flags"]},
                         set(document["notes"]))
        for vector in document["vectors"]:
            self.assertTrue(vector["comment"].startswith("found on "), vector)
            self.assertEqual(vector["profiles"], ["atlas-a2"])

    def test_edges_of_an_instrumented_library_are_kept(self):
        manifest = self.folder / "edges.json"
        reports = {}
        for fault, folder in (("edges", "instrumented"), ("", "plain")):
            manifest.write_text(json.dumps({
                "schema": "poolproof-manifest/1", "name": "lib", "libraries": [FAULTY],
                "environment": {"*": {"POOLPROOF_FAKE": fault}}}))
            # One shard of two: a campaign in one piece ends with a search for causes.
            campaign = ["fuzz", "--implementation", manifest, "--corpus", self.folder / folder, "--cases",
                        30, "--seed", 1, "--shard", "0/2", "--json", "-"]
            result = call(*campaign)
            reports[folder] = json.loads(result.stdout)
            said = "reached 6 edges of the library" in result.stderr
            self.assertEqual(said, fault == "edges", result.stderr)
            kept = (self.folder / folder / "corpus-0-of-2.jsonl").read_text()
            if fault:
                self.assertIn("reached 6 edges", call(*campaign).stderr)  # of the journal
                self.assertEqual((self.folder / folder / "corpus-0-of-2.jsonl").read_text(), kept)
        lines = entries(self.folder / "instrumented/corpus-0-of-2.jsonl")
        for line in lines:
            jsonschema.Draft202012Validator(CASES).validate(line)
        self.assertEqual(sum(line.get("edges", 0) for line in lines), 6)
        plain = {line["case"] for line in entries(self.folder / "plain/corpus-0-of-2.jsonl")}
        self.assertLessEqual(plain, {line["case"] for line in lines})
        for of in (lambda report: report["run"]["plan_sha256"], lambda report: report["summary"]["cases"],
                   lambda report: report["coverage"]):
            self.assertEqual(of(reports["instrumented"]), of(reports["plain"]))
        said = self.corpus("minimize", "instrumented", "-o", "edges.jsonl").stderr
        edges = [line for line in lines if "edges" in line]
        self.assertIn(f"kept {len(edges)} case", said)
        for line in edges:
            self.assertIn(line, entries(self.folder / "edges.jsonl"))

    def test_bad_use_is_one_line_and_exit_2(self):
        (self.folder / "cases.jsonl").write_text(entries(self.shards[0])[0]["case"] + "\n")
        (self.folder / "stale.jsonl").write_text(
            entries(self.shards[0])[0]["case"] + "\npp1:Gone:self=f32[1]\n\n{\"x\": 1}\n")
        (self.folder / "none").mkdir(exist_ok=True)
        rows = [(["corpus"], ["merge, minimize, prune or export"]),
                (["corpus", "shrink"], ["'shrink'", "minimize"]),
                (["corpus", "merge", "-o", "o"], ["input"]),
                (["corpus", "merge", "absent", "-o", "o"], ["absent"]),
                (["corpus", "merge", "none", "-o", "o"], ["'none'", "corpus*.jsonl"]),
                (["corpus", "merge", "stale.jsonl", "-o", "o"], ["stale.jsonl: line 2", "Gone", "line 4"]),
                (["corpus", "minimize", "stale.jsonl", "-o", "o"], ["line 2", "line 4"]),
                (["corpus", "minimize", "cases.jsonl"], ["--output"]),
                (["corpus", "minimize", "cases.jsonl", "-o", "absent/o"], ["-o", "absent"]),
                (["corpus", "prune", "stale.jsonl", "--implementation", "reference", "-o", "o"],
                 ["line 2", "line 4"]),
                (["corpus", "prune", "cases.jsonl", "-o", "o"], ["--implementation"]),
                (["corpus", "prune", "cases.jsonl", "--implementation", "reference", "--profile", "x",
                  "-o", "o"], ["--profile", "'x'"]),
                (["corpus", "export", "cases.jsonl", "-o", "o"], ["--as-vectors"]),
                (["corpus", "export", "cases.jsonl", "--as-vectors", "-o", "o"],
                 ["cases.jsonl", "no finding"])]
        for arguments, words in rows:
            with self.subTest(arguments=arguments):
                result = call(*arguments, cwd=self.folder)
                self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
                self.assertEqual(len(error_lines(result)), 1, result.stderr)
                for word in words:
                    self.assertIn(word, result.stderr)
                self.assertFalse((self.folder / "o").exists())

    def test_help(self):
        self.assertIn("minimize", call("corpus", "--help").stdout)
        self.assertIn("--as-vectors", call("corpus", "export", "--help").stdout)


if __name__ == "__main__":
    unittest.main()
