// SPDX-License-Identifier: Apache-2.0
#include "conformance/explain/ask.h"

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "conformance/explain/limits.h"
#include "conformance/plan/shards.h"
#include "conformance/result/ending.h"
#include "conformance/result/side_effect.h"

namespace poolproof {
namespace {

// What of the call breaches a clause of this strength.
AspectSet BreachedOf(const Spec& spec, const Verdict& verdict, Strength strength) {
  std::vector<Blame> blames;
  if (verdict.kind != VerdictKind::kFailed) return 0;
  for (const Finding& finding : verdict.findings) {
    for (const std::string& id : finding.clauses) {
      const Clause* clause = spec.Find(id);
      if (clause != nullptr && clause->strength == strength) blames.push_back({finding.kind, {id}});
    }
  }
  return AspectsOf(blames);
}

bool SaysRefusalOf(const Spec& spec, const std::string& id) {
  const Clause* clause = spec.Find(id);
  return clause != nullptr && SaysRefusal(*clause);
}

}  // namespace

AspectSet RequiredOf(const Spec& spec, const Verdict& verdict) {
  return BreachedOf(spec, verdict, Strength::kRequired);
}

Way WayOf(const Spec& spec, const Verdict& verdict, AspectSet ever) {
  Way way;
  way.aspects = RequiredOf(spec, verdict) & static_cast<AspectSet>(~ever);
  for (const Finding& finding : verdict.findings) {
    for (const std::string& id : finding.clauses) {
      const Clause* clause = spec.Find(id);
      if (clause == nullptr || clause->strength != Strength::kRequired) continue;
      way.speak_of.insert(clause->condition);
      way.refusal = way.refusal || SaysRefusal(*clause);
    }
  }
  return way;
}

std::optional<bool> FailsIn(const Spec& spec, const Way& way, const Question& question,
                            bool foretold) {
  const Verdict& verdict = question.verdict;
  const AspectSet fails = RequiredOf(spec, verdict);
  const auto refusals = [&](const std::vector<std::string>& ids) {
    return std::count_if(ids.begin(), ids.end(),
                         [&](const std::string& id) { return SaysRefusalOf(spec, id); });
  };
  if ((fails & way.aspects) != 0) {
    const bool refusal =
        std::any_of(verdict.findings.begin(), verdict.findings.end(),
                    [&](const Finding& finding) { return refusals(finding.clauses) > 0; });
    if (refusal != way.refusal) return std::nullopt;
    return true;
  }
  if (verdict.kind != VerdictKind::kPassed && verdict.kind != VerdictKind::kFailed) {
    return std::nullopt;
  }
  const AspectSet advisory = BreachedOf(spec, verdict, Strength::kAdvisory);
  if (!IsPast(fails, way.aspects) || !GotResult(advisory)) return std::nullopt;
  std::vector<std::string> kept = verdict.evidence;
  if (verdict.kind == VerdictKind::kFailed) {
    kept.insert(kept.end(), verdict.withheld.begin(), verdict.withheld.end());
  }
  const std::int64_t of_refusals = refusals(kept);
  // Whether the library would accept the call without its fault is another question.
  if (way.refusal)
    return verdict.kind == VerdictKind::kPassed ? std::optional(false) : std::nullopt;
  if (of_refusals == std::ssize(kept)) return std::nullopt;
  const bool speaks = std::any_of(kept.begin(), kept.end(), [&](const std::string& id) {
    const Clause* clause = spec.Find(id);
    return clause != nullptr && way.speak_of.contains(clause->condition);
  });
  if (!speaks || (foretold && MayHideAFault(question.values))) return std::nullopt;
  return false;
}

bool Asker::Ask(const std::vector<Question*>& questions) {
  std::atomic<std::size_t> next{0};
  std::atomic<int> hangs{hangs_};
  OnThreads(std::max(1, std::min(jobs_, static_cast<int>(questions.size()))), [&] {
    const FreshAttempt ask = make_ask_();
    for (std::size_t i = next++; i < questions.size() && !quit_(); i = next++) {
      questions[i]->verdict = ask(questions[i]->problem);
      if (Hangs(questions[i]->verdict)) ++hangs;
    }
  });
  hangs_ = hangs;
  return !quit_() && hangs_ < kMostHangs;
}

}  // namespace poolproof
