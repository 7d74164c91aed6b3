// SPDX-License-Identifier: Apache-2.0
#include "reports/junit.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/case/case_text.h"
#include "conformance/result/baseline.h"
#include "conformance/result/gate.h"
#include "reports/mismatch_text.h"
#include "reports/phrases.h"
#include "reports/words.h"
#include "reports/xml_text.h"

namespace poolproof {
namespace {

enum class TestEnd : std::uint8_t { kOk, kFailure, kError, kSkipped };

using Properties = std::vector<std::pair<std::string, std::string>>;

struct TestCase {
  std::string name;
  TestEnd end = TestEnd::kOk;
  std::string message;
  std::string type;
  std::string text;
  std::string output;  // of the library, in XML
  Properties properties;
  std::string seconds = "0";
};

struct TestSuite {
  std::string name;
  std::vector<TestCase> cases;
  [[nodiscard]] std::int64_t Count(TestEnd end) const {
    return std::count_if(cases.begin(), cases.end(),
                         [&](const TestCase& test) { return test.end == end; });
  }
};

std::string Attribute(std::string_view name, std::string_view value) {
  return " " + std::string(name) + "=\"" + XmlText(value) + "\"";
}

std::string PropertiesXml(const Properties& properties, const std::string& indent) {
  if (properties.empty()) return "";
  std::string xml = indent + "<properties>\n";
  for (const auto& [name, value] : properties) {
    xml += indent + " <property" + Attribute("name", name) + Attribute("value", value) + "/>\n";
  }
  return xml + indent + "</properties>\n";
}

std::string TestCaseXml(const TestCase& test, const std::string& class_name) {
  std::string xml = "  <testcase" + Attribute("name", test.name) +
                    Attribute("classname", class_name) + Attribute("time", test.seconds);
  if (test.end == TestEnd::kOk && test.properties.empty()) return xml + "/>\n";
  xml += ">\n" + PropertiesXml(test.properties, "   ");
  switch (test.end) {
    case TestEnd::kOk:
      break;
    case TestEnd::kSkipped:
      xml += "   <skipped" + Attribute("message", test.message) + "/>\n";
      break;
    case TestEnd::kFailure:
    case TestEnd::kError: {
      const std::string element = test.end == TestEnd::kFailure ? "failure" : "error";
      xml += "   <" + element + Attribute("message", test.message) + Attribute("type", test.type) +
             ">" + test.text + "</" + element + ">\n";
      break;
    }
  }
  if (!test.output.empty()) xml += "   <system-out>" + test.output + "</system-out>\n";
  return xml + "  </testcase>\n";
}

std::string Line(const std::string& text) { return XmlText(text) + "\n"; }

class JunitWriter {
 public:
  JunitWriter(const Report& report, const Spec& spec) : report_(report), spec_(spec) {
    for (const Failure& failure : report.failures) {
      for (const std::string& clause : failure.clauses) by_clause_[clause].push_back(&failure);
    }
  }

  std::string Write() {
    std::vector<TestSuite> suites = {RunSuite()};
    for (const ClauseResult& clause : report_.clauses) {
      const Clause* known = spec_.Find(clause.id);
      const std::string name = known == nullptr ? "other clauses" : known->operator_name;
      auto place = std::find_if(suites.begin(), suites.end(),
                                [&](const TestSuite& suite) { return suite.name == name; });
      if (place == suites.end()) place = suites.insert(suites.end(), TestSuite{name, {}});
      place->cases.push_back(ClauseTest(clause, known));
    }
    suites.push_back(PropertySuite());
    return Document(suites);
  }

 private:
  // What no clause says: whether there was a run at all, and whether it came to its end.
  TestSuite RunSuite() const {
    TestCase test;
    test.name = "run";
    test.properties = {{"statement", "the run comes to its end"}};
    // Cases of all clauses are judged together: the time is the run's.
    test.seconds = RunSeconds();
    if (report_.verdict == RunVerdict::kError) {
      test.end = TestEnd::kError;
      test.type = "harness";
      test.message = report_.error;
    } else if (report_.verdict == RunVerdict::kIncomplete && !IsJudgedShard(report_)) {
      test.end = TestEnd::kError;
      test.type = "incomplete";
      test.message = VerdictSentence(report_);
      if (report_.run.stopped_by != StopReason::kNone) test.text = Line(EndedEarly(report_.run));
    }
    TestSuite suite = {"run", {test}};
    for (const WaiverResult& waiver : report_.waivers) suite.cases.push_back(WaiverTest(waiver));
    return suite;
  }

  static TestCase WaiverTest(const WaiverResult& waiver) {
    TestCase test;
    test.name = "waiver " + waiver.id;
    test.properties = {{"owner", waiver.owner},
                       {"reason", waiver.reason},
                       {"link", waiver.link},
                       {"expires", waiver.expires}};
    if (FailsRun(waiver.state)) {
      test.end = TestEnd::kFailure;
      test.type = "waiver";
      test.message = "the waiver " + WaiverStateSentence(waiver);
      test.text = Line("owner: " + waiver.owner) + Line("link: " + waiver.link);
    }
    return test;
  }

  // The waivers that waive the failing cases of a clause.
  std::string WaiversOf(const std::vector<const Failure*>& failures) const {
    std::string text;
    for (const WaiverResult& waiver : report_.waivers) {
      const bool used = std::any_of(failures.begin(), failures.end(), [&](const Failure* failure) {
        const std::vector<std::string>& by = failure->waived_by;
        return std::find(by.begin(), by.end(), waiver.id) != by.end();
      });
      if (!used) continue;
      text += (text.empty() ? "" : "; ") + waiver.id + " of " + waiver.owner + ", until " +
              waiver.expires + ", " + waiver.reason + ", " + waiver.link;
    }
    return text;
  }

  // Why the clause is breached, as far as a root cause explains it.
  std::string CauseOf(const std::string& id) const {
    const RootCause* cause = poolproof::CauseOf(report_, id);
    if (cause == nullptr) return "";
    const char* const state = IsConfirmed(*cause) ? " (confirmed)" : " (suspected)";
    return "; " + RuleSentence(*cause) + (cause->tested > 0 ? state : "");
  }

  TestCase ClauseTest(const ClauseResult& clause, const Clause* known) const {
    TestCase test;
    // The id alone: a statement that is reworded must not begin another history.
    test.name = clause.id;
    if (known != nullptr) test.properties = {{"statement", known->statement}};
    switch (clause.verdict) {
      case ClauseVerdict::kPassed:
        break;
      case ClauseVerdict::kFailed:
        FailedClause(clause, known, test);
        break;
      case ClauseVerdict::kInconclusive:
      case ClauseVerdict::kUnsupported:
      case ClauseVerdict::kNotApplicable:
      case ClauseVerdict::kNotRun: {
        const std::string word = Spaced(ClauseVerdictName(clause.verdict));
        test.end = IsOpen(report_, clause) ? TestEnd::kError : TestEnd::kSkipped;
        test.type = word;
        test.message = word + (clause.reason.empty() ? "" : ": " + clause.reason);
      }
    }
    return test;
  }

  void FailedClause(const ClauseResult& clause, const Clause* known, TestCase& test) const {
    const auto place = by_clause_.find(clause.id);
    const std::string count =
        Count(clause.failures) + " of " + CountOf(clause.cases, "case") + " breach it";
    if (place == by_clause_.end()) {
      test.end = clause.strength == Strength::kAdvisory ? TestEnd::kSkipped : TestEnd::kFailure;
      test.message = count;
      return;
    }
    const std::vector<const Failure*>& failures = place->second;
    const Failure& first = *failures.front();
    const bool came_back = std::any_of(failures.begin(), failures.end(),
                                       [](const Failure* f) { return Returned(*f); });
    test.end = came_back ? TestEnd::kFailure : TestEnd::kError;
    test.type = first.signature;
    test.message = count + ": " + WhatHappened(first) + CauseOf(clause.id);
    if (clause.strength == Strength::kAdvisory) {
      test.end = TestEnd::kSkipped;
      test.message = "advisory, does not affect the verdict: " + test.message;
    }
    if (report_.baseline && FailedBefore(report_, clause.id)) {
      test.end = TestEnd::kSkipped;
      test.message = "failed in the baseline, too: " + test.message;
    }
    if (clause.waived >= clause.failures) {
      test.end = TestEnd::kSkipped;
      test.message = "waived (" + WaiversOf(failures) + "): " + test.message;
    }
    test.properties.emplace_back("case_number", std::to_string(first.case_number));
    test.properties.emplace_back("path", first.path);
    test.properties.emplace_back("case_line", CaseLine(first.problem));
    if (first.shrunk) test.properties.emplace_back("shrunk_case_line", CaseLine(*first.shrunk));
    test.text =
        "\n" + (known == nullptr ? "" : Line("the clause: " + DemandText(*known))) +
        Line("what happened: " + WhatHappened(first)) +
        Line("again: " + ReplayCommand(ImplementationArgument(report_), report_, ShownCase(first)));
    constexpr std::size_t kOthers = 9;
    for (std::size_t i = 1; i < std::min(failures.size(), kOthers + 1); ++i) {
      test.text += Line("another case: " + CaseLine(failures[i]->problem));
    }
    if (const std::string note = FolderNote(report_); !note.empty()) test.text += Line(note);
    for (const std::string& line : OutputLines(first)) test.output += Line(line);
  }

  TestSuite PropertySuite() const {
    TestSuite suite = {"properties", {}};
    for (const PropertyResult& property : report_.properties) {
      TestCase test;
      test.name = RelationName(property.relation);
      if (property.verdict == ClauseVerdict::kFailed) {
        // The clauses that its failing cases breach decide the run.
        test.end =
            report_.verdict == RunVerdict::kNonconformant && property.waived < property.failures
                ? TestEnd::kFailure
                : TestEnd::kSkipped;
        test.type = "relation";
        test.message =
            Count(property.failures) + " of " + CountOf(property.cases, "case") + " do not relate";
        if (property.waived >= property.failures) test.message = "waived: " + test.message;
      } else if (property.verdict != ClauseVerdict::kPassed) {
        test.end = TestEnd::kSkipped;
        test.message = Spaced(ClauseVerdictName(property.verdict)) +
                       (property.reason.empty() ? "" : ": " + property.reason);
      }
      suite.cases.push_back(std::move(test));
    }
    return suite;
  }

  Properties RunProperties() const {
    std::string argv;
    for (const std::string& word : report_.run.argv) argv += (argv.empty() ? "" : " ") + word;
    Properties properties = {{"verdict", std::string(RunVerdictName(report_.verdict))},
                             {"implementation", report_.implementation.name},
                             {"profile", ProfileName(report_)},
                             {"edition", std::string(EditionName(report_.edition))},
                             {"soc", report_.implementation.probe.soc},
                             {"set", std::string(CaseSetName(report_.run.set))},
                             {"seed", std::to_string(report_.run.seed)},
                             {"scope", std::string(RunScopeName(report_.run.scope))},
                             {"argv", argv},
                             {"plan_sha256", report_.run.plan_sha256},
                             {"spec_sha256", report_.spec_sha256},
                             {"tool_version", report_.tool_version}};
    if (const std::string left_out = LeftOutSentence(report_); !left_out.empty()) {
      properties.emplace_back("verdict_words", VerdictWords(report_));
      properties.emplace_back("left_out", left_out);
    }
    return properties;
  }

  static std::string Totals(const std::vector<const TestSuite*>& suites) {
    std::int64_t tests = 0;
    std::int64_t failures = 0;
    std::int64_t errors = 0;
    std::int64_t skipped = 0;
    for (const TestSuite* suite : suites) {
      tests += std::ssize(suite->cases);
      failures += suite->Count(TestEnd::kFailure);
      errors += suite->Count(TestEnd::kError);
      skipped += suite->Count(TestEnd::kSkipped);
    }
    return Attribute("tests", std::to_string(tests)) +
           Attribute("failures", std::to_string(failures)) +
           Attribute("errors", std::to_string(errors)) +
           Attribute("skipped", std::to_string(skipped));
  }

  std::string RunSeconds() const {
    std::array<char, 32> text = {};
    std::snprintf(text.data(), text.size(), "%.3f", report_.run.duration_s);
    return text.data();
  }

  std::string Document(const std::vector<TestSuite>& suites) const {
    std::vector<const TestSuite*> all;
    for (const TestSuite& suite : suites) {
      if (!suite.cases.empty()) all.push_back(&suite);
    }
    const std::string seconds = RunSeconds();
    std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" +
                      Attribute("name", "poolproof") + Totals(all) + Attribute("time", seconds) +
                      ">\n";
    for (const TestSuite* suite : all) {
      const bool is_run = suite->name == "run";
      xml += " <testsuite" + Attribute("name", suite->name) + Totals({suite}) +
             Attribute("time", is_run ? seconds : "0") +
             Attribute("timestamp", report_.run.start.substr(0, 19)) + ">\n";
      if (is_run) xml += PropertiesXml(RunProperties(), "  ");
      const std::string class_name = "poolproof." + ProfileName(report_) + "." + suite->name;
      for (const TestCase& test : suite->cases) xml += TestCaseXml(test, class_name);
      xml += " </testsuite>\n";
    }
    return xml + "</testsuites>\n";
  }

  const Report& report_;
  const Spec& spec_;
  std::map<std::string, std::vector<const Failure*>> by_clause_;
};

}  // namespace

std::string ReportJUnit(const Report& report, const Spec& spec) {
  return JunitWriter(report, spec).Write();
}

}  // namespace poolproof
