#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the golden JUnit and HTML reports to their formats."""

import html.parser
import json
import pathlib
import re
import sys
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(sys.argv.pop()) if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]
GOLDEN = ROOT / "tests/reports/golden"

# What CI servers agree on: element -> (attributes that must be there, that may be, children in order).
JUNIT = {
    "testsuites": ({"name", "tests", "failures", "errors", "skipped", "time"}, set(), ["testsuite"]),
    "testsuite": ({"name", "tests", "failures", "errors", "skipped", "time", "timestamp"}, set(),
                  ["properties", "testcase"]),
    "system-out": (set(), set(), []),
    "testcase": ({"name", "classname", "time"}, set(), ["properties", "skipped", "failure", "error", "system-out"]),
    "properties": (set(), set(), ["property"]),
    "property": ({"name", "value"}, set(), []),
    "skipped": ({"message"}, set(), []),
    "failure": ({"message", "type"}, set(), []),
    "error": ({"message", "type"}, set(), []),
}


class JUnit(unittest.TestCase):
    def walk(self, element):
        must, may, children = JUNIT[element.tag]
        self.assertLessEqual(must, set(element.attrib), element.tag)
        self.assertLessEqual(set(element.attrib), must | may, element.tag)
        order = [children.index(child.tag) for child in element]
        self.assertEqual(order, sorted(order), element.tag)
        for child in element:
            self.walk(child)

    def test_structure_and_totals(self):
        for path in GOLDEN.glob("*.xml"):
            root = xml.etree.ElementTree.fromstring(path.read_bytes())
            self.assertEqual(root.tag, "testsuites")
            self.walk(root)
            for place in [root, *root.iter("testsuite")]:
                for attribute, tag in [("tests", "testcase"), ("failures", "failure"),
                                       ("errors", "error"), ("skipped", "skipped")]:
                    self.assertEqual(int(place.get(attribute)), len(list(place.iter(tag))),
                                     (path.name, place.get("name"), attribute))
            names = [(t.get("classname"), t.get("name")) for t in root.iter("testcase")]
            self.assertEqual(len(names), len(set(names)))

    def test_a_failure_names_the_case_and_the_command(self):
        root = xml.etree.ElementTree.fromstring((GOLDEN / "nonconformant.xml").read_bytes())
        test = next(t for t in root.iter("testcase") if t.find("failure") is not None)
        names = {p.get("name") for p in test.iter("property")}
        self.assertLessEqual({"case_line", "shrunk_case_line"}, names)
        self.assertIn("poolproof replay --implementation", test.find("failure").text)


class Ctrf(unittest.TestCase):
    def test_required_members_and_totals(self):
        for path in GOLDEN.glob("*.ctrf.json"):
            document = json.loads(path.read_text())
            self.assertEqual((document["reportFormat"], set(document)),
                             ("CTRF", {"reportFormat", "specVersion", "results"}))
            self.assertRegex(document["specVersion"], r"^\d+\.\d+\.\d+$")
            results = document["results"]
            self.assertLessEqual(set(results), {"tool", "summary", "tests", "environment", "extra"})
            statuses = ["passed", "failed", "skipped", "pending", "other"]
            self.assertEqual(set(results["summary"]), {"tests", "start", "stop", *statuses})
            self.assertEqual(results["summary"]["tests"], len(results["tests"]))
            for status in statuses:
                self.assertEqual(results["summary"][status],
                                 sum(test["status"] == status for test in results["tests"]), status)
            self.assertEqual(results["summary"]["start"], 1767323045000)
            self.assertEqual(results["summary"]["stop"], 1767323045000 + 12500)
            for test in results["tests"]:
                self.assertLessEqual({"name", "status", "duration"}, set(test))
                self.assertIsInstance(test["duration"], int)


class Sarif(unittest.TestCase):
    def test_rules_and_results(self):
        pages = sorted(GOLDEN.glob("*.sarif"))
        self.assertGreater(len(pages), 1)
        for path in pages:
            document = json.loads(path.read_text())
            self.assertEqual((document["version"], set(document)), ("2.1.0", {"$schema", "version", "runs"}))
            [run] = document["runs"]
            rules = run["tool"]["driver"]["rules"]
            ids = [rule["id"] for rule in rules]
            self.assertEqual(len(ids), len(set(ids)))
            self.assertGreater(len(run["results"]), 0)
            for result in run["results"]:
                self.assertEqual(rules[result["ruleIndex"]]["id"], result["ruleId"])
                self.assertIn(result["level"], ["error", "warning", "note"])
                self.assertTrue(result["message"]["text"])
                [location] = result["locations"]
                self.assertRegex(location["physicalLocation"]["artifactLocation"]["uri"], r"^[\w.~%-]+$")
                for fingerprint in result["partialFingerprints"].values():
                    self.assertRegex(fingerprint, r"^[0-9a-f]{64}$")
            prints = [result["partialFingerprints"]["poolproofKind/v1"] for result in run["results"]]
            self.assertEqual(len(prints), len(set(prints)))
            for invocation in run["invocations"]:
                self.assertIsInstance(invocation["executionSuccessful"], bool)

    def test_what_is_waived_is_suppressed(self):
        document = json.loads((GOLDEN / "waived.sarif").read_text())
        suppressed = ["suppressions" in result for result in document["runs"][0]["results"]
                      if result["level"] == "error"]
        self.assertTrue(suppressed and all(suppressed))


class InToto(unittest.TestCase):
    def test_it_is_a_statement(self):
        for path in GOLDEN.glob("*.in-toto.json"):
            statement = json.loads(path.read_text())
            self.assertEqual(statement["_type"], "https://in-toto.io/Statement/v1")
            self.assertEqual(statement["predicateType"],
                             "https://in-toto.io/attestation/test-result/v0.1")
            predicate = statement["predicate"]
            for descriptor in [*statement["subject"], *predicate["configuration"]]:
                self.assertRegex(descriptor["digest"]["sha256"], r"^[0-9a-f]{64}$")
            self.assertIn(predicate["result"], ["PASSED", "WARNED", "FAILED"])
            lists = [predicate[name] for name in ["passedTests", "warnedTests", "failedTests"]]
            ids = [test for tests in lists for test in tests]
            self.assertEqual(len(ids), len(set(ids)))


class Page(html.parser.HTMLParser):
    VOID = {"meta", "link", "br"}

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.loads, self.unnamed = [], [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag not in self.VOID:
            self.open.append(tag)
        if "id" in attributes:
            self.ids.append(attributes["id"])
        if tag == "a":
            self.links.append(attributes["href"])
        self.loads += [v for k, v in attributes.items() if k in ("src", "srcset", "xlink:href")]
        if tag == "link":
            self.loads.append(attributes["href"])
        if tag == "script":
            self.loads.append("script")
        needs_name = tag in ("svg", "nav") or attributes.get("role") in ("img", "region")
        if needs_name and not attributes.get("aria-label"):
            self.unnamed.append((tag, attributes))

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (self.getpos(), tag, self.open[-3:])
        self.open.pop()


class Html(unittest.TestCase):
    def test_pages_are_whole_closed_and_named(self):
        for path in GOLDEN.glob("*.html"):
            text = path.read_text(encoding="utf-8")
            page = Page(text)
            self.assertEqual(page.open, [], path.name)
            self.assertEqual(len(page.ids), len(set(page.ids)), path.name)
            self.assertEqual(page.unnamed, [], path.name)
            self.assertEqual(set(page.loads), {"data:,"}, path.name)
            # The JSON report lies beside the page.
            text, beside = re.subn(r'<a class="file" href="([\w.%~-]+)">\1</a>', "", text)
            # People follow the links of waivers; the page itself loads nothing.
            text, outward = re.subn(r'<a class="out" rel="noreferrer" href="(https?://[^"]*)">\1</a>', "", text)
            inward = [link for link in page.links if link.startswith("#")]
            self.assertEqual(len(page.links) - len(inward), outward + beside, path.name)
            for link in inward:
                self.assertIn(link[1:], page.ids, path.name)
            self.assertIsNone(re.search(r"https?://|@import|url\(", text), path.name)

    def test_the_verdict_comes_first(self):
        for name in ["nonconformant", "conformant"]:
            text = (GOLDEN / f"{name}.html").read_text(encoding="utf-8")
            self.assertEqual(re.search(r"<h1>(\w+)</h1>", text).group(1).lower(), name)
            self.assertLess(text.index("<h1>"), text.index("<h2"))


if __name__ == "__main__":
    unittest.main()
