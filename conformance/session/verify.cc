// SPDX-License-Identifier: Apache-2.0
#include "conformance/session/verify.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "conformance/case/case_text.h"
#include "conformance/plan/shards.h"
#include "conformance/plan/standard_sources.h"
#include "conformance/session/fresh_judge.h"
#include "conformance/tally/tally.h"
#include "core/random.h"

namespace poolproof {
namespace {

std::string Text(std::int64_t number) { return std::to_string(number); }

class Check {
 public:
  Check(const Report& report, const Spec& spec) : report_(report), spec_(spec) {}

  std::vector<std::string> Run() {
    Totals();
    Clauses();
    Properties();
    Failures();
    Coverage();
    Waivers();
    Baseline();
    Verdict();
    return std::move(found_);
  }

 private:
  void Add(const std::string& line) { found_.push_back(line); }
  [[nodiscard]] std::int64_t Failing() const {
    const Summary& s = report_.summary;
    return s.failed + s.crashed + s.timed_out;
  }
  [[nodiscard]] bool ListsAll() const { return Failing() == std::ssize(report_.failures); }

  void Totals() {
    const Summary& s = report_.summary;
    const std::int64_t sum = s.passed + Failing() + s.inconclusive + s.unsupported;
    if (s.cases != sum) {
      Add("/summary: cases is " + Text(s.cases) + ", and what happened to them sums to " +
          Text(sum));
    }
    std::int64_t with_reason = 0;
    for (const InconclusiveReason& entry : s.inconclusive_by) with_reason += entry.cases;
    if (!s.inconclusive_by.empty() && with_reason != s.inconclusive) {
      Add("/summary: inconclusive is " + Text(s.inconclusive) + ", and its reasons sum to " +
          Text(with_reason));
    }
    if (s.recorded > s.passed) Add("/summary: more cases are recorded than passed");
    if (s.waived > Failing()) Add("/summary: more cases are waived than failed");
    if (s.advisory.value_or(0) > Failing()) Add("/summary: more cases are advisory than failed");
    if (s.not_run > 0 && report_.run.stopped_by == StopReason::kNone && report_.error.empty() &&
        report_.run.shards.size() == 1) {
      Add("/summary: " + Text(s.not_run) + " cases did not run, and nothing stopped the run");
    }
  }

  void Clauses() {
    if (report_.spec_sha256 != spec_.sha256()) {
      Add("/tool/spec_sha256: the report is of another version of the spec (" +
          report_.spec_sha256.substr(0, 12) + "); this one is " + spec_.sha256().substr(0, 12));
    } else {
      SpecClauses();
    }
    const std::int64_t judged = report_.summary.cases;
    for (const ClauseResult& clause : report_.clauses) {
      const std::string where = "/clauses: " + clause.id;
      // Where something failed, further cases were made to prove what it hides.
      if (clause.cases > judged && Failing() == 0) {
        Add(where + " counts more cases than were judged");
      }
      if (clause.failures > clause.cases) Add(where + " counts more failures than cases");
      if (clause.waived > clause.failures) Add(where + " counts more waived cases than failures");
      if ((clause.verdict == ClauseVerdict::kFailed) != (clause.failures > 0)) {
        Add(where + " has " + Text(clause.failures) + " failures, and its verdict is not failed");
      }
      if (clause.verdict == ClauseVerdict::kPassed && clause.cases == 0) {
        Add(where + " is passed without a case");
      }
    }
  }

  // Every clause of the spec, once, with its strength.
  void SpecClauses() {
    const std::vector<Clause>& wanted = spec_.clauses();
    std::set<std::string> seen;
    for (const ClauseResult& clause : report_.clauses) {
      const Clause* known = spec_.Find(clause.id);
      if (known == nullptr) {
        Add("/clauses: " + clause.id + " is not a clause of the spec");
      } else if (clause.strength != known->strength) {
        Add("/clauses: " + clause.id + " is " + std::string(StrengthName(clause.strength)) +
            " and not as the spec says");
      }
      if (!seen.insert(clause.id).second) Add("/clauses: " + clause.id + " is given twice");
    }
    for (const Clause& clause : wanted) {
      if (!seen.contains(clause.id)) Add("/clauses: " + clause.id + " is missing");
    }
  }

  void Properties() {
    std::set<std::string> seen;
    for (const PropertyResult& property : report_.properties) {
      const std::string name(RelationName(property.relation));
      const std::string where = "/properties: " + name;
      if (!seen.insert(name).second) Add(where + " is given twice");
      if (property.failures > property.cases) Add(where + " counts more failures than cases");
      if (property.waived > property.failures) Add(where + " counts more waived than failures");
      if ((property.verdict == ClauseVerdict::kFailed) != (property.failures > 0)) {
        Add(where + " has " + Text(property.failures) + " failures, and its verdict is not failed");
      }
    }
    for (std::size_t i = 1; i < kRelationCount; ++i) {
      const std::string name(RelationName(static_cast<Relation>(i)));
      if (!seen.contains(name)) Add("/properties: " + name + " is missing");
    }
  }

  void Failures() {
    std::map<std::string, std::int64_t> listed;
    std::map<std::string, std::int64_t> waived;
    std::map<std::string, const ClauseResult*> results;
    for (const ClauseResult& clause : report_.clauses) results.emplace(clause.id, &clause);
    std::int64_t before = -1;
    std::int64_t all_waived = 0;
    for (std::size_t i = 0; i < report_.failures.size(); ++i) {
      const Failure& failure = report_.failures[i];
      const std::string where = "/failures/" + std::to_string(i);
      if (failure.case_number <= before) Add(where + ": expected cases in ascending order");
      before = failure.case_number;
      if (!failure.waived_by.empty()) ++all_waived;
      bool required = false;
      for (const std::string& id : failure.clauses) {
        const auto place = results.find(id);
        if (place == results.end() || place->second->verdict != ClauseVerdict::kFailed) {
          Add(where + ": breaches " + id + ", which did not fail");
          continue;
        }
        required = required || place->second->strength == Strength::kRequired;
        ++listed[id];
        if (!failure.waived_by.empty()) ++waived[id];
      }
      if (failure.advisory != (!required && !failure.clauses.empty())) {
        Add(where + ": is " + (failure.advisory ? "" : "not ") +
            "advisory, against the strength of its clauses");
      }
      Waived(where, failure);
    }
    for (const auto& [id, clause] : results) {
      if (listed[id] > clause->failures || (ListsAll() && listed[id] != clause->failures)) {
        Add("/clauses: " + id + " counts " + Text(clause->failures) + " failures, and " +
            Text(listed[id]) + " are listed");
      }
      if (ListsAll() && waived[id] != clause->waived) {
        Add("/clauses: " + id + " counts " + Text(clause->waived) + " waived failures, and " +
            Text(waived[id]) + " are listed");
      }
    }
    if (ListsAll() && all_waived != report_.summary.waived) {
      Add("/summary: waived is " + Text(report_.summary.waived) + ", and " + Text(all_waived) +
          " waived cases are listed");
    }
  }

  void Waived(const std::string& where, const Failure& failure) {
    for (const std::string& id : failure.waived_by) {
      const bool used = std::any_of(report_.waivers.begin(), report_.waivers.end(),
                                    [&](const WaiverResult& waiver) {
                                      return waiver.id == id && waiver.state == WaiverState::kUsed;
                                    });
      if (!used) Add(where + ": is waived by " + id + ", which is not a waiver in use");
    }
  }

  void Coverage() {
    std::int64_t cases = 0;
    std::int64_t failures = 0;
    for (const CoverageCell& cell : report_.coverage) {
      cases += cell.cases;
      failures += cell.failures;
      if (cell.failures > cell.cases) Add("/coverage: a cell counts more failures than cases");
    }
    if (cases > report_.summary.passed + Failing() || failures > Failing()) {
      Add("/coverage: counts more cases than were judged");
    }
  }

  void Waivers() {
    const bool partial = IsPartial(report_.run) || report_.run.shards.size() > 1;
    for (const WaiverResult& waiver : report_.waivers) {
      const std::int64_t counted =
          waiver.waived + waiver.failed_otherwise + waiver.passed_fixed + waiver.passed_random;
      const bool idle =
          waiver.state == WaiverState::kExpired || waiver.state == WaiverState::kOutOfScope;
      if (idle ? counted > 0 : waiver.state != StateOf(waiver, partial)) {
        Add("/waivers: the state of " + waiver.id + " does not follow from its counts");
      }
    }
  }

  void Baseline() {
    if (!report_.baseline) return;
    const auto& [sha256, clauses, signatures, causes, unexplained, unanswered] = *report_.baseline;
    const auto counts = [&](const std::string& id, bool failed) {
      return std::any_of(report_.clauses.begin(), report_.clauses.end(), [&](const auto& clause) {
        return clause.id == id &&
               (failed ? clause.verdict == ClauseVerdict::kFailed : IsOpen(report_, clause));
      });
    };
    for (const std::string& id : clauses) {
      if (!counts(id, true)) Add("/gate/baseline: " + id + " is not a failed clause");
    }
    for (const std::string& id : unanswered) {
      if (!counts(id, false)) Add("/gate/baseline: " + id + " is decided");
    }
    for (const std::string& signature : signatures) {
      if (std::none_of(report_.failures.begin(), report_.failures.end(),
                       [&](const Failure& failure) { return failure.signature == signature; })) {
        Add("/gate/baseline: no failure is of kind " + signature);
      }
    }
    if (unexplained > report_.unexplained) {
      Add("/gate/baseline: more failing cases are unexplained than in the run");
    }
  }

  void Verdict() {
    const bool open =
        std::any_of(report_.clauses.begin(), report_.clauses.end(), [](const ClauseResult& clause) {
          return clause.strength == Strength::kRequired &&
                 (clause.verdict == ClauseVerdict::kInconclusive ||
                  clause.verdict == ClauseVerdict::kNotRun);
        });
    if (DecideRun(report_, open) != report_.verdict) {
      Add("/verdict: does not follow from the clauses and the counts");
    }
  }

  const Report& report_;
  const Spec& spec_;
  std::vector<std::string> found_;
};

std::optional<std::string> OptionOf(const std::vector<std::string>& argv, const std::string& name) {
  for (std::size_t i = 0; i < argv.size(); ++i) {
    if (argv[i] == name && i + 1 < argv.size()) return argv[i + 1];
    if (argv[i].starts_with(name + "=")) return argv[i].substr(name.size() + 1);
  }
  return std::nullopt;
}

// `count` of so many positions, ascending; all where there are no more.
std::vector<std::int64_t> Sample(std::int64_t population, std::int64_t count, std::uint64_t seed) {
  std::set<std::int64_t> chosen;
  if (count >= population) {
    for (std::int64_t i = 0; i < population; ++i) chosen.insert(i);
  }
  RandomStream random(seed);
  while (std::ssize(chosen) < std::min(count, population)) {
    chosen.insert(random.Between(0, population - 1));
  }
  return {chosen.begin(), chosen.end()};
}

std::set<std::string> BreachedBy(const Verdict& verdict) {
  std::set<std::string> clauses;
  for (const Finding& finding : verdict.findings) {
    clauses.insert(finding.clauses.begin(), finding.clauses.end());
  }
  return clauses;
}

void CompareLibraries(const Report& report, const Subject& subject, RerunResult& result) {
  for (const LibraryIdentity& library : subject.identity.libraries) {
    const auto& known = report.implementation.libraries;
    const bool same = std::any_of(known.begin(), known.end(), [&](const LibraryIdentity& other) {
      return other.sha256 == library.sha256;
    });
    if (!same) {
      result.contradictions.push_back("/implementation/libraries: " + library.name +
                                      " is another library than the one of the report");
    }
  }
}

}  // namespace

std::vector<std::string> ContradictionsOf(const Report& report, const Spec& spec) {
  return Check(report, spec).Run();
}

Result<TestPlan> PlanOf(const Report& report, const Spec& spec) {
  const std::vector<std::string>& argv = report.run.argv;
  if (OptionOf(argv, "--case-file")) {
    return NotFound("the cases of --case-file are not part of the report");
  }
  for (const std::string option : {"--failed", "--clause"}) {
    if (OptionOf(argv, option)) {
      return NotFound("argv does not say which cases " + option + " selected");
    }
  }
  const std::optional<std::string> filter = OptionOf(argv, "--filter");
  const std::optional<std::string> cases = OptionOf(argv, "--cases");
  if (report.run.scope == RunScope::kSelected && !filter && !cases) {
    return NotFound("argv does not say which cases were selected");
  }
  std::optional<std::int64_t> cap;
  if (cases) {
    std::int64_t number = 0;
    const auto [stop, error] =
        std::from_chars(cases->data(), cases->data() + cases->size(), number);
    if (error != std::errc() || stop != cases->data() + cases->size() || number < 1) {
      return NotFound("argv holds --cases " + *cases);
    }
    cap = number;
  }
  return TestPlan(StandardSources(spec, report.profile, report.run.set, report.run.seed), filter,
                  cap);
}

std::string PlanSha256(const TestPlan& plan, std::uint64_t seed, const Spec& spec,
                       Profile profile) {
  return Sharding(plan, {}, /*short_blocks=*/false)
      .PlanSha256(PlanHeader(seed, spec.sha256(), InfoOf(profile).name, plan.size()), /*jobs=*/1);
}

Result<RerunResult> Rerun(const Report& report, const TestPlan* plan, const Spec& spec,
                          const Subject& subject, std::int64_t sample, std::uint64_t seed) {
  const Result<std::unique_ptr<FreshJudge>> judge = FreshJudge::Open(spec, subject, report.profile);
  if (!judge.ok()) return judge.status();

  RerunResult result;
  CompareLibraries(report, subject, result);
  std::set<std::int64_t> failing;
  for (const Failure& failure : report.failures) failing.insert(failure.case_number);
  for (const AlsoFailed& failure : report.also_failed) failing.insert(failure.case_number);
  for (const std::int64_t i : Sample(std::ssize(report.failures), sample, seed)) {
    const Failure& failure = report.failures[static_cast<std::size_t>(i)];
    const VerdictKind kind = (*judge)->Attempt(failure.problem).kind;
    ++result.failing;
    if (kind == VerdictKind::kPassed || kind == VerdictKind::kRecorded) {
      result.contradictions.push_back("/failures/" + Text(i) +
                                      ": passes now: " + CaseLine(failure.problem));
    } else if (kind != VerdictKind::kFailed) {
      ++result.unclear;
    }
  }
  if (plan == nullptr || plan->size() == 0) return result;
  std::set<std::string> failed_clauses;
  for (const ClauseResult& clause : report.clauses) {
    if (clause.verdict == ClauseVerdict::kFailed) failed_clauses.insert(clause.id);
  }
  const Summary& s = report.summary;
  const bool lists_all = s.failed + s.crashed + s.timed_out == std::ssize(failing);
  for (const std::int64_t number : Sample(plan->size(), sample, seed + 1)) {
    if (failing.contains(number)) continue;
    const Case problem = plan->At(number).problem;
    if ((*judge)->Outside(problem)) continue;
    const Verdict verdict = (*judge)->Attempt(problem);
    ++result.others;
    if (verdict.kind != VerdictKind::kFailed) continue;
    const std::set<std::string> breached = BreachedBy(verdict);
    const bool told = !lists_all && std::includes(failed_clauses.begin(), failed_clauses.end(),
                                                  breached.begin(), breached.end());
    if (!told) {
      result.contradictions.push_back(
          "case " + Text(number) +
          " fails now, and the report says nothing of it: " + CaseLine(problem));
    }
  }
  return result;
}

}  // namespace poolproof
