// SPDX-License-Identifier: Apache-2.0
//
// Judgement: collects findings and evidence while one case is judged. Used by the judge's own
// files.
#ifndef POOLPROOF_CONFORMANCE_JUDGE_JUDGEMENT_H_
#define POOLPROOF_CONFORMANCE_JUDGE_JUDGEMENT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/judge/judge.h"
#include "conformance/judge/prepared_case.h"
#include "conformance/result/outcome.h"

namespace poolproof {

// Collects findings and evidence of one case.
class Judgement {
 public:
  Judgement(const JudgeContext& context, const PreparedCase& prepared)
      : context_(context), rules_(context.rules()), prepared_(prepared) {}

  [[nodiscard]] const ProfileRules& rules() const { return rules_; }
  // Of the call's operator; empty where the clause does not apply.
  [[nodiscard]] std::string IdOf(const Call& call, Condition condition) const {
    return rules_.IdOf(call.op, condition);
  }

  void Evidence(std::string_view id) {
    if (Applies(id)) evidence_.insert(std::string(id));
  }
  void Evidence(const Call& call, Condition condition) { Evidence(IdOf(call, condition)); }
  // What the refusal of a call shows where its legal neighbour is accepted.
  void ByRefusal(std::string_view id) {
    if (Applies(id)) by_refusal_.insert(std::string(id));
  }
  // What an acceptance shows where the numbers of the legal neighbour are right.
  void ByAcceptance(std::string_view id) {
    if (Applies(id)) by_acceptance_.insert(std::string(id));
  }

  // Blames those of `ids` that apply; a finding that no clause covers is not a finding.
  void Fail(const std::vector<std::string>& ids, FindingKind kind, std::string message,
            std::optional<Mismatch> mismatch = std::nullopt);

  // The call that is looked at, for the mismatches that it brings.
  void SetCallNumber(std::size_t number) { call_number_ = static_cast<int>(number); }

  // The call is in order only by these advisory clauses: whatever goes wrong with its answer or its
  // numbers is compared with them alone. Empty: by the pages.
  void SetAdvice(const std::vector<const Clause*>& clauses) {
    advice_.clear();
    for (const Clause* clause : clauses) advice_.push_back(clause->id);
  }

  // Which repetition the calls judged next belong to.
  void SetRepetition(int repetition) { repetition_ = repetition; }
  // What outputs held before them.
  [[nodiscard]] Poison held_before() const {
    return PoisonOfRun(problem().plan, problem().plan.output, repetition_);
  }
  void AddSums(const SumFacts& sums) { verdict_.sums.push_back(sums); }
  void AddTraits(std::uint32_t traits) { verdict_.traits |= traits; }

  void Note(std::string_view text) {
    if (note_.find(text) != std::string::npos) return;
    if (!note_.empty()) note_ += "; ";
    note_ += text;
  }
  // A valid backward call went through both phases as far as its plan asks; `told`: it was asked
  // for numbers, which a library that does nothing has not.
  void ProtocolHeld(Operator op, bool told) { (told ? told_ : accepted_).insert(op); }
  [[nodiscard]] bool protocol_held() const { return !told_.empty(); }
  [[nodiscard]] bool protocol_accepted() const { return !accepted_.empty(); }
  // A valid call failed: what the case would have shown is withheld.
  void Withhold() { withhold_ = true; }
  // The operators of whose calls some have right numbers.
  [[nodiscard]] const std::set<Operator>& told() const { return told_; }
  // The refused calls' neighbours are in the case itself.
  void BelieveRefusals() { evidence_.merge(by_refusal_); }
  // A call that is valid apart from its values, which no page mentions, was carried out.
  void CameBack() { verdict_.came_back = true; }
  void Open(std::string_view reason) {
    open_ = true;
    Note(reason);
  }

  [[nodiscard]] const JudgeContext& context() const { return context_; }
  [[nodiscard]] const Case& problem() const { return prepared_.problem; }
  [[nodiscard]] const PreparedCase& prepared() const { return prepared_; }

  Verdict Finish() &&;

 private:
  [[nodiscard]] std::vector<std::string> Redirect(const std::vector<std::string>& ids) const {
    const bool of_memory = std::any_of(
        ids.begin(), ids.end(), [](const std::string& id) { return id.starts_with("SAF-"); });
    return advice_.empty() || of_memory ? ids : advice_;
  }

  [[nodiscard]] bool Applies(std::string_view id) const {
    const Clause* clause = rules_.spec().Find(id);
    return clause != nullptr && clause->AppliesTo(rules_.profile());
  }

  const JudgeContext& context_;
  const ProfileRules rules_;
  const PreparedCase& prepared_;
  // A picture of a failure shows so many wrong elements of a kind.
  static void Remember(Finding& finding, const Mismatch& mismatch) {
    constexpr std::size_t kRemembered = 32;
    const auto same = [&](const Mismatch& known) {
      return known.call == mismatch.call && known.position == mismatch.position;
    };
    if (finding.mismatch && same(*finding.mismatch)) return;
    if (finding.further.size() >= kRemembered) return;
    if (std::none_of(finding.further.begin(), finding.further.end(), same)) {
      finding.further.push_back(mismatch);
    }
  }

  std::vector<std::string> advice_;
  int call_number_ = 0;
  Verdict verdict_;
  std::set<std::string> evidence_;
  std::set<std::string> by_refusal_;
  std::set<std::string> by_acceptance_;
  std::string note_;
  bool open_ = false;
  std::set<Operator> told_;
  std::set<Operator> accepted_;
  bool withhold_ = false;
  int repetition_ = 0;
};

// "call 2: " of calls[1], in a case of several calls.
std::string CallText(const Judgement& judgement, std::size_t call);

// " of f32 values and i32 indices": types are a case line's defaults where it names none.
std::string TypesText(const Call& call);

// "without setting executor": what phase two lacks. Requires that the call has no plan.
std::string NoPlanText(const CallOutcome& outcome);

// Of a call that breaches clauses: those whose expectation counts, and whether a status table is
// among them.
std::vector<std::string> GoverningIds(const Legality& legality);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_JUDGE_JUDGEMENT_H_
