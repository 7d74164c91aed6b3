// SPDX-License-Identifier: Apache-2.0
#include "conformance/plan/investigations.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace poolproof {
namespace {

// Failing cases that are looked into in full, whatever their signature.
constexpr std::size_t kAlways = 16;
// Of each signature, this many beyond them.
constexpr int kPerSignature = 3;

}  // namespace

InvestigationPlan PlanInvestigations(CaseSet set) {
  switch (set) {
    case CaseSet::kSmoke:
      return {64, 6, 6, std::chrono::minutes(5)};
    case CaseSet::kCi:
      return {120, 6, 12, std::chrono::minutes(10)};
    case CaseSet::kNightly:
      break;
  }
  return {2000, 6, 100, std::chrono::minutes(60)};
}

InvestigationPlan PlanShardInvestigations(CaseSet set) {
  constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  return {kAll, kAll, kAll, PlanInvestigations(set).safety};
}

std::vector<Choice> ChooseInvestigations(const std::vector<FailureRef>& failures,
                                         const InvestigationPlan& plan) {
  std::map<std::string, int> seen;
  std::vector<Choice> chosen;
  for (std::size_t i = 0; i < failures.size(); ++i) {
    const int rank = seen[failures[i].signature]++;
    if (i < kAlways || rank < kPerSignature) chosen.push_back({rank, i});
  }
  std::sort(chosen.begin(), chosen.end(), [](const Choice& a, const Choice& b) {
    return std::pair(a.rank, a.position) < std::pair(b.rank, b.position);
  });
  std::size_t timeouts = 0;
  std::erase_if(chosen, [&](const Choice& choice) {
    return failures[choice.position].timed_out && ++timeouts > plan.timeouts;
  });
  if (chosen.size() > plan.failures) chosen.resize(plan.failures);
  return chosen;
}

std::optional<std::string> KindOfFailure(const FailedCase* failed) {
  if (failed == nullptr || !failed->blamed ||
      failed->blamed->verdict.kind != VerdictKind::kFailed) {
    return std::nullopt;
  }
  return SignatureOf(InfoOf(failed->problem.calls.front().op).name, failed->blamed->verdict);
}

std::vector<Choice> FirstOfKind(
    const std::vector<Choice>& choices, const std::vector<FailureRef>& failures,
    const std::function<std::optional<std::string>(std::int64_t number)>& kind_of,
    const InvestigationPlan& plan, bool per_signature) {
  std::set<std::pair<std::string, std::string>> seen;
  std::vector<Choice> first;
  for (const Choice& choice : choices) {
    const FailureRef& failure = failures[choice.position];
    if (failure.timed_out) continue;
    const std::optional<std::string> kind = kind_of(failure.number);
    if (!kind) continue;
    if (first.size() >= plan.shrunk) break;
    if (seen.emplace(*kind, per_signature ? failure.signature : std::string()).second) {
      first.push_back(choice);
    }
  }
  return first;
}

}  // namespace poolproof
