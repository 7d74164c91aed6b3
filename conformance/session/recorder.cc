// SPDX-License-Identifier: Apache-2.0
#include "conformance/session/recorder.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>

#include "conformance/result/facets.h"
#include "conformance/result/side_effect.h"

namespace poolproof {
namespace {

// Known clauses, in order, each once.
std::vector<std::string> Known(const Spec& spec, const std::vector<std::string>& ids) {
  std::vector<std::string> evidence;
  for (const std::string& id : ids) {
    if (spec.Find(id) != nullptr) evidence.push_back(id);
  }
  std::sort(evidence.begin(), evidence.end());
  evidence.erase(std::unique(evidence.begin(), evidence.end()), evidence.end());
  return evidence;
}

// Of its legal calls: what others of a sequence are of, nothing legal shows. Of a case without them
// those of all. And of its plan.
Facets FacetsShown(const PreparedCase& prepared) {
  Facets facets = 0;
  for (std::size_t i = 0; i < prepared.calls.size(); ++i) {
    if (prepared.calls[i].legality.kind == LegalityKind::kValid) {
      facets |= FacetsOf(prepared.problem.calls[i]);
    }
  }
  return (facets != 0 ? facets : FacetsOf(prepared.problem)) | PlanFacetsOf(prepared.problem);
}

// What the case shows of clauses, for or against a condition.
void AddEvidence(const Spec& spec, const NamedCase& named, const PreparedCase& prepared,
                 const Verdict& verdict, CaseClass& kind) {
  kind.evidence = Known(spec, verdict.evidence);
  kind.withheld = Known(spec, verdict.withheld);
  // A call that breaches two clauses is refused for either of them.
  if (named.aim == Aim::kAlone) {
    kind.evidence = Known(spec, [&] {
      std::vector<std::string> ids = verdict.evidence;
      ids.insert(ids.end(), verdict.by_refusal.begin(), verdict.by_refusal.end());
      return ids;
    }());
  } else if (!named.base.empty()) {
    kind.by_refusal = Known(spec, verdict.by_refusal);
    kind.by_acceptance = Known(spec, verdict.by_acceptance);
    const bool other_status = std::any_of(
        verdict.findings.begin(), verdict.findings.end(),
        [](const Finding& finding) { return finding.kind == FindingKind::kWrongStatus; });
    if (!kind.by_refusal.empty() || !kind.by_acceptance.empty() || other_status) {
      kind.base = named.base;
    }
  }
  if (!kind.evidence.empty() || !kind.withheld.empty()) kind.facets = FacetsShown(prepared);
}

// The backwards of its calls.
std::vector<Operator> OperatorsOf(const Case& problem) {
  std::vector<Operator> operators;
  for (const Call& call : problem.calls) operators.push_back(InfoOf(call.op).backward);
  std::sort(operators.begin(), operators.end());
  operators.erase(std::unique(operators.begin(), operators.end()), operators.end());
  return operators;
}

CaseState StateOf(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::kPassed:
      return CaseState::kPassed;
    case VerdictKind::kRecorded:
      return CaseState::kRecorded;
    case VerdictKind::kInconclusive:
      return CaseState::kInconclusive;
    case VerdictKind::kUnsupported:
      return CaseState::kUnsupported;
    case VerdictKind::kFailed:
      break;
  }
  return CaseState::kFailed;
}

}  // namespace

CaseResult MakeCaseResult(const Spec& spec, std::int64_t number, const NamedCase& named,
                          const PreparedCase& prepared, const std::string& end_text, End end,
                          Verdict verdict) {
  CaseResult result;
  result.number = number;
  result.sums = std::move(verdict.sums);
  CaseClass& kind = result.kind;
  kind.state = StateOf(verdict.kind);
  kind.end = end;
  kind.relation = named.problem.plan.relation;
  kind.relation_state = verdict.relation;
  kind.operators = OperatorsOf(named.problem);
  switch (kind.state) {
    case CaseState::kFailed:
    case CaseState::kPassed:
      // What proved nothing covers nothing.
      kind.coverage = CoverageOf(named.problem);
      [[fallthrough]];
    case CaseState::kRecorded:
      AddEvidence(spec, named, prepared, verdict, kind);
      kind.traits = verdict.traits;
      break;
    case CaseState::kInconclusive:
      result.unanswered = UnansweredOf(number, named.clause, verdict.note);
      kind.reason = KeptReason(verdict.note);
      kind.withheld = Known(spec, verdict.withheld);
      break;
    case CaseState::kUnsupported:
      break;
  }
  if (kind.state == CaseState::kFailed) {
    kind.op = named.problem.calls.front().op;
    kind.signature = SignatureOf(InfoOf(kind.op).name, verdict) + ":" + named.family;
    kind.features = FeaturesOf(named.problem);
    for (const Finding& finding : verdict.findings) {
      kind.blames.push_back({finding.kind, finding.clauses});
    }
    result.failed = FailedCase{number,
                               named.family,
                               named.name,
                               named.problem,
                               named.clause,
                               end_text,
                               KeptVerdict(std::move(verdict)),
                               std::nullopt};
  }
  return result;
}

CaseResult MakeCaseResult(std::int64_t number, const NamedCase& named, CaseState state,
                          const std::string& note) {
  CaseResult result;
  result.number = number;
  result.kind.state = state;
  result.kind.relation = named.problem.plan.relation;
  if (state == CaseState::kInconclusive) {
    result.unanswered = UnansweredOf(number, named.clause, note);
    result.kind.reason = KeptReason(note);
  }
  if (state == CaseState::kUnsupported) result.kind.operators = OperatorsOf(named.problem);
  return result;
}

std::uint32_t Recorder::PositionOf(const CaseClass& kind) {
  const auto [place, added] =
      positions_.emplace(kind, static_cast<std::uint32_t>(positions_.size()));
  if (added) details_.emplace_back();
  return place->second;
}

void Recorder::Add(CaseResult result) {
  const std::lock_guard lock(mutex_);
  const std::uint32_t position = PositionOf(result.kind);
  cases_.push_back({result.number, position});
  poolproof::AddSums(result.sums, sums_);
  if (result.unanswered) {
    const auto [place, added] = unanswered_.emplace(result.unanswered->clause, *result.unanswered);
    if (!added && result.number < place->second.number) place->second = *result.unanswered;
  }
  const bool wrong = std::any_of(result.kind.blames.begin(), result.kind.blames.end(),
                                 [](const Blame& blame) { return !IsSideEffect(blame.kind); });
  if (result.worker != 0) seen_[result.worker].push_back({result.number, !wrong});
  if (result.failed) {
    Details& details = details_[position];
    if (result.worker != 0) workers_.emplace(result.number, result.worker);
    details.emplace(result.number, *std::move(result.failed));
    if (details.size() > kDetailedPerClass) {
      workers_.erase(std::prev(details.end())->first);
      details.erase(std::prev(details.end()));
    }
  }
}

std::vector<Recorder::Seen> Recorder::SeenBefore(const FailedCase& failed) const {
  const std::lock_guard lock(mutex_);
  std::vector<Seen> before;
  const auto worker = workers_.find(failed.number);
  if (worker == workers_.end()) return before;
  const auto seen = seen_.find(worker->second);
  if (seen == seen_.end()) return before;
  for (const Seen& earlier : seen->second) {
    if (earlier.number < failed.number) before.push_back(earlier);
  }
  return before;
}

FailedCase* Recorder::Find(std::int64_t number) {
  for (Details& details : details_) {
    const auto place = details.find(number);
    if (place != details.end()) return &place->second;
  }
  return nullptr;
}

void Recorder::Refine(std::int64_t number, Refinement refinement) {
  const std::lock_guard lock(mutex_);
  if (FailedCase* failed = Find(number)) failed->refined = std::move(refinement);
}

ShardRecord Recorder::Take(std::int64_t last) {
  const std::lock_guard lock(mutex_);
  ShardRecord record;
  std::sort(cases_.begin(), cases_.end(),
            [](const JudgedCase& a, const JudgedCase& b) { return a.number < b.number; });
  std::vector<const CaseClass*> classes(positions_.size());
  for (const auto& [kind, position] : positions_) classes[position] = &kind;
  constexpr std::uint32_t kUnused = ~std::uint32_t{0};
  std::vector<std::uint32_t> renamed(classes.size(), kUnused);
  for (const JudgedCase& judged : cases_) {
    if (judged.number > last) break;
    std::uint32_t& name = renamed[judged.case_class];
    if (name == kUnused) {
      name = static_cast<std::uint32_t>(record.classes.size());
      record.classes.push_back(*classes[judged.case_class]);
    }
    record.cases.push_back({judged.number, name});
  }
  for (const auto& [clause, entry] : unanswered_) {
    if (entry.number <= last) record.unanswered.push_back(entry);
  }
  std::vector<const FailedCase*> failures;
  for (const Details& details : details_) {
    for (const auto& [number, failed] : details) {
      if (number <= last) failures.push_back(&failed);
    }
  }
  std::sort(failures.begin(), failures.end(),
            [](const FailedCase* a, const FailedCase* b) { return a->number < b->number; });
  record.failures.reserve(failures.size());
  for (const FailedCase* failed : failures) record.failures.push_back(*failed);
  for (const auto& [key, facts] : sums_) record.sums.push_back(facts);
  return record;
}

}  // namespace poolproof
