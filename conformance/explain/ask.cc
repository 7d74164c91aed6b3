// SPDX-License-Identifier: Apache-2.0
#include "conformance/explain/ask.h"

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "conformance/plan/shards.h"
#include "conformance/result/ending.h"

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

// Whether a clause says with which status the call is refused: where any will do, none is wrong.
bool OwesOneStatus(const Spec& spec, const Verdict& verdict) {
  const auto owes = [&](const std::string& id) {
    const Clause* clause = spec.Find(id);
    return clause != nullptr && clause->expect && !clause->expect->any_error;
  };
  return std::any_of(verdict.evidence.begin(), verdict.evidence.end(), owes) ||
         std::any_of(verdict.by_refusal.begin(), verdict.by_refusal.end(), owes);
}

}  // namespace

AspectSet RequiredOf(const Spec& spec, const Verdict& verdict) {
  return BreachedOf(spec, verdict, Strength::kRequired);
}

Way WayOf(const Spec& spec, const Verdict& verdict, AspectSet ever) {
  Way way;
  way.aspects = RequiredOf(spec, verdict) & static_cast<AspectSet>(~ever);
  way.status =
      std::all_of(verdict.findings.begin(), verdict.findings.end(),
                  [](const Finding& finding) { return finding.kind == FindingKind::kWrongStatus; });
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

std::optional<bool> FailsIn(const Spec& spec, const Way& way, const Question& question) {
  const Verdict& verdict = question.verdict;
  const AspectSet fails = RequiredOf(spec, verdict);
  const auto says_refusal = [&](const std::string& id) { return SaysRefusal(spec, id); };
  if ((fails & way.aspects) != 0) {
    const bool refusal =
        std::any_of(verdict.findings.begin(), verdict.findings.end(), [&](const Finding& finding) {
          return std::any_of(finding.clauses.begin(), finding.clauses.end(), says_refusal);
        });
    if (refusal != way.refusal) return std::nullopt;
    return true;
  }
  // Whatever its values are, a call that came back did not end badly.
  if (verdict.came_back && way.aspects == AspectOf(Aspect::kEnd)) return false;
  if (verdict.kind != VerdictKind::kPassed && verdict.kind != VerdictKind::kFailed) {
    return std::nullopt;
  }
  // What goes wrong alike in a call that the judge reads by an advisory clause may be the cause's.
  const AspectSet advisory = BreachedOf(spec, verdict, Strength::kAdvisory);
  if ((advisory & way.aspects) != 0) return std::nullopt;
  if (!IsPast(fails, way.aspects) || !GotResult(advisory)) return std::nullopt;
  // Whether the library would accept the call without its fault is another question.
  if (way.refusal) {
    if (verdict.kind != VerdictKind::kPassed) return std::nullopt;
    return way.status && !OwesOneStatus(spec, verdict) ? std::nullopt : std::optional(false);
  }
  std::vector<std::string> kept = verdict.evidence;
  if (verdict.kind == VerdictKind::kFailed) {
    kept.insert(kept.end(), verdict.withheld.begin(), verdict.withheld.end());
  }
  // An acceptance is an answer, though its numbers were not asked for.
  if (std::all_of(kept.begin(), kept.end(), says_refusal) && verdict.by_acceptance.empty()) {
    return std::nullopt;
  }
  // A call that came back did not end badly, and one that was carried out was not refused.
  const auto of_result =
      static_cast<AspectSet>(AspectOf(Aspect::kResult) | AspectOf(Aspect::kSideEffect));
  if ((way.aspects & of_result) == 0) return false;
  const bool speaks =
      way.all_speak || std::any_of(kept.begin(), kept.end(), [&](const std::string& id) {
        const Clause* clause = spec.Find(id);
        return clause != nullptr && way.speak_of.contains(clause->condition);
      });
  if (!speaks || MayHideAFault(question.values)) return std::nullopt;
  return false;
}

bool Asker::Ask(const std::vector<Question*>& questions) {
  for (Question* question : questions) question->verdict.kind = VerdictKind::kInconclusive;
  // So few at once that no more hang than may, whatever the jobs.
  for (std::size_t begin = 0; begin < questions.size() && !IsOver();) {
    const auto left = static_cast<std::size_t>(kMostHangs - hangs_);
    const std::size_t end = std::min(questions.size(), begin + left);
    std::atomic<std::size_t> next{begin};
    std::atomic<int> hangs{0};
    std::atomic<std::size_t> thread{0};
    OnThreads(std::max(1, std::min(jobs_, static_cast<int>(end - begin))), [&] {
      // A thread goes on with the worker that it has.
      FreshAttempt& ask = asks_[thread++];
      if (!ask) ask = make_ask_();
      for (std::size_t i = next++; i < end && !quit_(); i = next++) {
        questions[i]->verdict = ask(questions[i]->problem);
        if (Hangs(questions[i]->verdict)) ++hangs;
      }
    });
    hangs_ += hangs;
    begin = end;
  }
  return !IsOver();
}

}  // namespace poolproof
