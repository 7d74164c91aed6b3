#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What people read speaks in the usual words of test tools: expected and got, resume, not decided. The words below
were tried on readers and not understood; none comes back in a message, the help, a report or a document."""

import json
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop() if len(sys.argv) > 1 else ".").resolve()
# What is not said, and what is said in its place.
WORDS = {
    r"wanted": "expected X, got Y",
    r"(?<=, )want": "expected",
    r"near it": "did you mean X?",
    r"likewise": "also, the same",
    r"anew": "again",
    r"whosoever|thereof|hitherto|henceforth": "plain words",
    r"shall": "must",
    r"so many": "N",
    r"(taken|take|takes|took) up( again)?(?! to)": "resume",
    r"to see it again|again, shrunk": "reproduce",
    r"ended early": "what stopped it: stopped by Ctrl-C",
    r"without an answer": "not decided, not answered",
    r"no case that ran was evidence": "no case could show whether it holds",
    r"no shard that is there": "the shards given",
    r"weak evidence": "thin evidence",
    r"is missing; it arrived|(is|are) missing here": "was not added",
    r"contributions?": "gradients",
    r"counted twice": "added twice",
    r"no documented-invalid call": "a call that the documents forbid",
    r"exactly the workspace": "the workspace size that phase one returned",
    r"must be answered with": "expected",
    r"unite": "merge",
    r"thin out": "minimize",
    r"at hand": "available",
    r"another run is at work": "in use by another run",
    r"dark rooms?": "dark mode",
    r"speed of light": "memory-bound limit",
    r"local colour": "vary by machine",
    r"decides? no verdict": "does not affect the verdict",
    r"signal \d+(?!\))": "SIGSEGV (signal 11)",
}
BAD = re.compile(r"\b(?:" + "|".join(f"(?:{word})" for word in WORDS) + r")(?!\w)", re.IGNORECASE)
# Not in documents that are written by hand (CONTRIBUTING.md, "How we write"); messages follow.
DIALECT = re.compile(r"\b(in vain|lends?|lent|stands?|stood|whoever|whomever|whatever becomes|but for|(is|are) told|of which|"
                     r"fore(told|tells?)|dear|speaks?|wherever)\b", re.IGNORECASE)
OTHERS = {"discrepancies.md", "commands.md", "formats.md", "classes.md", "performance.md"}
# Words of files, which programs read.
OF_FILES = {"contributions", "contribution-lost", "contribution-moved", "contribution-doubled"}
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\((.*?)\)\1"|"((?:[^"\\\n]|\\.)*)"|\'(?:[^\'\\\n]|\\.)+\'', re.DOTALL)
FOLDERS = ["core", "conformance", "reports", "cli", "runtime", "reference", "optimized", "bench", "fuzz"]


def literals_of(text):
    """String literals of C++ with their lines; neighbours are one."""
    found, last = [], None
    for token in TOKEN.finditer(text):
        if token.group(2) is None and token.group(3) is None:
            continue
        value = token.group(2) if token.group(2) is not None else token.group(3)
        if last is not None and not text[last:token.start()].strip():
            found[-1] = (found[-1][0], found[-1][1] + value)
        else:
            found.append((text.count("\n", 0, token.start()) + 1, value))
        last = token.end()
    return found


def strings_of(value):
    if isinstance(value, dict):
        for one in value.values():
            yield from strings_of(one)
    elif isinstance(value, list):
        for one in value:
            yield from strings_of(one)
    elif isinstance(value, str):
        yield value


class Words(unittest.TestCase):
    def check(self, where, text):
        if text in OF_FILES:
            return
        bad = BAD.search(text)
        self.assertIsNone(bad, f"{where}: \"{bad and bad.group(0)}\" in: {text[:200]}")

    def test_messages(self):
        seen = 0
        for folder in FOLDERS:
            for path in sorted([*(ROOT / folder).rglob("*.cc"), *(ROOT / folder).rglob("*.h"), *(ROOT / folder).rglob("*.cpp")]):
                for line, text in literals_of(path.read_text()):
                    seen += 1
                    self.check(f"{path.relative_to(ROOT)}:{line}", text)
        self.assertGreater(seen, 5000)

    def test_clauses_and_schemas(self):
        files = [ROOT / "conformance/spec/clauses.json", *(ROOT / "reports/schema").glob("*.json")]
        self.assertGreater(len(files), 5)
        for path in files:
            document = json.loads(path.read_text())
            for value in document.get("clauses", [{}]) if path.name == "clauses.json" else [document]:
                for text in strings_of({"statement": value.get("statement", "")} if path.name == "clauses.json" else value):
                    if text not in OF_FILES and " " in text:
                        self.check(path.name, text)

    def test_documents(self):
        pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
        self.assertGreater(len(pages), 10)
        for page in pages:
            # A quotation of another's words, or of what files hold, is none of ours.
            for number, line in enumerate(re.sub(r"`[^`\n]*`", "``", page.read_text()).splitlines(), 1):
                if page.name != "discrepancies.md":
                    self.check(f"{page.name}:{number}", line)

    def test_documents_are_in_plain_words(self):
        for page in [ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").glob("*.md")]:
            if page.name in OTHERS:
                continue
            text = re.sub(r"<!-- Generated by .*?<!-- End of", "", page.read_text(), flags=re.DOTALL)
            for number, line in enumerate(re.sub(r"`[^`\n]*`", "``", text).splitlines(), 1):
                bad = DIALECT.search(line)
                self.assertIsNone(bad, f"{page.name}:{number}: \"{bad and bad.group(0)}\" in: {line[:200]}")

    def test_they_are_found(self):
        for text in ["rank is 3, wanted 4", "is 3, want 4 or 5", "died of signal 11 in phase one", "it SHALL hold", "2 contributions"]:
            self.assertRegex(text, BAD)
        for text in ["SIGSEGV (signal 11)", "what you want to see", "unwanted", "marshalled"]:
            self.assertNotRegex(text, BAD)
        self.assertEqual(literals_of('f("a" // "no"\n  "b", \'"\', R"(c "d")");'), [(1, 'a'), (2, 'b'), (2, 'c "d"')])


if __name__ == "__main__":
    unittest.main()
