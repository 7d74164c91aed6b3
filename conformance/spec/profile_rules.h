// SPDX-License-Identifier: Apache-2.0
//
// ProfileRules: what the operators' pages say under one profile. Used by legality, generators,
// blame and probes.
#ifndef POOLPROOF_CONFORMANCE_SPEC_PROFILE_RULES_H_
#define POOLPROOF_CONFORMANCE_SPEC_PROFILE_RULES_H_

#include <optional>
#include <string>
#include <vector>

#include "conformance/spec/operators.h"
#include "conformance/spec/profile.h"
#include "conformance/spec/spec.h"

namespace poolproof {

// Requires the spec to outlive it.
class ProfileRules {
 public:
  ProfileRules(const Spec& spec, Profile profile) : spec_(&spec), profile_(profile) {}

  [[nodiscard]] const Spec& spec() const { return *spec_; }
  [[nodiscard]] Profile profile() const { return profile_; }

  // The clause of the operator about the condition, where it applies; nullptr otherwise.
  [[nodiscard]] const Clause* Of(Operator op, Condition condition) const {
    const Clause* clause = spec_->Of(op, condition);
    return clause != nullptr && clause->AppliesTo(profile_) ? clause : nullptr;
  }
  [[nodiscard]] bool Applies(Operator op, Condition condition) const {
    return Of(op, condition) != nullptr;
  }
  // Its id; empty where none applies.
  [[nodiscard]] std::string IdOf(Operator op, Condition condition) const {
    const Clause* clause = Of(op, condition);
    return clause == nullptr ? std::string() : clause->id;
  }

  // The operator's pages support the profile, so that its calls can be legal there.
  [[nodiscard]] bool Covers(Operator op) const;
  [[nodiscard]] std::vector<Operator> CoveredBackwards() const;

  [[nodiscard]] std::vector<DataType> ValueTypes(Operator op) const;
  [[nodiscard]] std::vector<DataType> IndexTypes(Operator op) const;
  [[nodiscard]] bool TakesValues(Operator op, DataType type) const;
  [[nodiscard]] bool TakesIndices(Operator op, DataType type) const;
  [[nodiscard]] bool Holds(Operator op, const TypeRule& rule) const {
    return Applies(op, rule.breached) && !(rule.unless && Applies(op, *rule.unless));
  }
  // The row of the page by which tensors of `rank` dimensions may have the format; nullptr: none.
  [[nodiscard]] const SupportedFormat* FormatRow(Operator op, Format format,
                                                 std::size_t rank) const;
  // NaN and infinities among the operands are documented.
  [[nodiscard]] bool DocumentsSpecialValues(Operator op) const;
  // The clause on infinite gradients, and that on NaN ones.
  [[nodiscard]] Condition InfinityCondition(Operator op) const;
  [[nodiscard]] Condition NanCondition(Operator op) const;

 private:
  [[nodiscard]] bool Supports(Operator op, const std::optional<Condition>& by) const {
    return !by.has_value() || Applies(op, *by);
  }
  [[nodiscard]] std::vector<DataType> Supported(Operator op,
                                                const std::vector<SupportedType>& rows) const;
  [[nodiscard]] bool Takes(Operator op, const std::vector<SupportedType>& rows,
                           DataType type) const;

  const Spec* spec_;
  Profile profile_;
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_SPEC_PROFILE_RULES_H_
