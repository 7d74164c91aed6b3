// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/judgement.h"

#include <utility>

#include "conformance/result/side_effect.h"

namespace poolproof {
void Judgement::Fail(const std::vector<std::string>& ids, FindingKind kind, std::string message,
                     std::optional<Mismatch> mismatch) {
  std::vector<std::string> clauses;
  for (const std::string& id : Redirect(ids)) {
    if (Applies(id) && std::find(clauses.begin(), clauses.end(), id) == clauses.end()) {
      clauses.push_back(id);
    }
  }
  if (clauses.empty()) {
    Note(message);
    return;
  }
  if (mismatch) mismatch->call = call_number_;
  for (Finding& finding : verdict_.findings) {  // repetitions say the same again
    if (finding.kind != kind || finding.clauses != clauses) continue;
    if (mismatch) Remember(finding, *mismatch);
    return;
  }
  verdict_.findings.push_back(
      {std::move(clauses), kind, std::move(message), std::move(mismatch), {}});
}

Verdict Judgement::Finish() && {
  std::set<std::string> blamed;
  for (const Finding& finding : verdict_.findings) {
    blamed.insert(finding.clauses.begin(), finding.clauses.end());
  }
  if (!verdict_.findings.empty()) {
    verdict_.kind = VerdictKind::kFailed;
    // Beside wrong answers nothing is proven; beside a mere side effect the rest is still proven.
    std::set<std::string> withheld;
    if (HasWrongAnswer(verdict_) || withhold_) {
      withheld.merge(evidence_);
      withheld.merge(by_acceptance_);
      evidence_.clear();
      by_refusal_.clear();
      by_acceptance_.clear();
    }
    for (const std::string& id : blamed) {
      for (auto* ids : {&evidence_, &by_refusal_, &by_acceptance_, &withheld}) ids->erase(id);
    }
    verdict_.withheld.assign(withheld.begin(), withheld.end());
  } else if ((evidence_.empty() && by_refusal_.empty() && by_acceptance_.empty()) || open_) {
    verdict_.kind = VerdictKind::kRecorded;
  }
  for (const std::string& id : evidence_) {
    by_refusal_.erase(id);
    by_acceptance_.erase(id);
  }
  verdict_.evidence.assign(evidence_.begin(), evidence_.end());
  verdict_.by_refusal.assign(by_refusal_.begin(), by_refusal_.end());
  verdict_.by_acceptance.assign(by_acceptance_.begin(), by_acceptance_.end());
  verdict_.note = std::move(note_);
  return std::move(verdict_);
}

std::string CallText(const Judgement& judgement, std::size_t call) {
  if (judgement.problem().calls.size() == 1) return "";
  return "call " + std::to_string(call + 1) + ": ";
}

std::string TypesText(const Call& call) {
  return " of " + DataTypeName(call.tensor(Role::kSelf).type) + " values and " +
         DataTypeName(call.tensor(Role::kIndices).type) + " indices";
}

std::string NoPlanText(const CallOutcome& outcome) {
  if (!outcome.workspace_size_set) return "without setting workspaceSize";
  if (!outcome.executor_set) return "without setting executor";
  return "and workspaceSize " + std::to_string(outcome.workspace_size) +
         ", which is more than the addresses that a program has";
}

std::vector<std::string> GoverningIds(const Legality& legality) {
  std::vector<std::string> ids;
  for (const Clause* clause : legality.Governing()) ids.push_back(clause->id);
  return ids;
}

}  // namespace poolproof
