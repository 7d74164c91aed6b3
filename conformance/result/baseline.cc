// SPDX-License-Identifier: Apache-2.0
#include "conformance/result/baseline.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>

#include "conformance/result/same_cause.h"

namespace poolproof {
namespace {

// New cases did not confirm it: it may come out otherwise in the next run of the same library.
bool IsSuspected(const RootCause& cause) { return cause.tested > 0 && !IsConfirmed(cause); }

bool IsKnown(const RootCause& cause, const std::vector<RootCause>& causes) {
  return std::any_of(causes.begin(), causes.end(), [&](const RootCause& known) {
    return SameRule(cause, known) && std::includes(known.clauses.begin(), known.clauses.end(),
                                                   cause.clauses.begin(), cause.clauses.end());
  });
}

}  // namespace

BaselineComparison CompareWithBaseline(const Report& report, const Report& baseline,
                                       const std::string& sha256) {
  static const Report nothing;
  const bool comparable = report.profile == baseline.profile;
  const Report& before = comparable ? baseline : nothing;
  BaselineComparison comparison;
  comparison.sha256 = sha256;

  std::map<std::string, const ClauseResult*> known;
  for (const ClauseResult& clause : before.clauses) known.emplace(clause.id, &clause);
  for (const ClauseResult& clause : report.clauses) {
    const auto place = known.find(clause.id);
    const ClauseResult* was = place == known.end() ? nullptr : place->second;
    if (FailsRequired(clause) && clause.waived < clause.failures &&
        (was == nullptr || !FailsRequired(*was))) {
      comparison.clauses.push_back(clause.id);
    }
    const bool had_answer = was != nullptr && (was->verdict == ClauseVerdict::kPassed ||
                                               was->verdict == ClauseVerdict::kFailed);
    if (IsOpen(report, clause) && (had_answer || !comparable)) {
      comparison.unanswered.push_back(clause.id);
    }
  }

  std::set<std::string> signatures;
  for (const Failure& failure : before.failures) signatures.insert(failure.signature);
  std::set<std::string> added;
  for (const Failure& failure : report.failures) {
    if (failure.advisory || !failure.waived_by.empty()) continue;
    if (!signatures.contains(failure.signature)) added.insert(failure.signature);
  }
  comparison.signatures.assign(added.begin(), added.end());

  if (!KnowsCauses(report) || !KnowsCauses(before)) return comparison;
  for (std::size_t i = 0; i < report.root_causes.size(); ++i) {
    const RootCause& cause = report.root_causes[i];
    if (cause.advisory || IsSuspected(cause)) continue;
    if (!IsKnown(cause, before.root_causes)) comparison.causes.push_back(i);
  }
  // What was not explained then may be what is not explained now.
  const bool explained =
      before.unexplained == 0 &&
      std::none_of(before.root_causes.begin(), before.root_causes.end(), &IsSuspected) &&
      std::none_of(report.root_causes.begin(), report.root_causes.end(), &IsSuspected);
  if (explained) comparison.unexplained = report.unexplained;
  return comparison;
}

bool HasNewFailures(const BaselineComparison& baseline) {
  return !baseline.clauses.empty() || !baseline.signatures.empty() || !baseline.causes.empty() ||
         baseline.unexplained > 0;
}

bool FailedBefore(const Report& report, const std::string& clause) {
  const BaselineComparison& baseline = *report.baseline;
  const auto holds = [&](const std::vector<std::string>& ids) {
    return std::find(ids.begin(), ids.end(), clause) != ids.end();
  };
  if (holds(baseline.clauses) || baseline.unexplained > 0) return false;
  if (std::any_of(baseline.causes.begin(), baseline.causes.end(),
                  [&](std::size_t place) { return holds(report.root_causes[place].clauses); })) {
    return false;
  }
  return std::none_of(report.failures.begin(), report.failures.end(), [&](const Failure& failure) {
    const auto& added = baseline.signatures;
    return holds(failure.clauses) &&
           std::find(added.begin(), added.end(), failure.signature) != added.end();
  });
}

}  // namespace poolproof
