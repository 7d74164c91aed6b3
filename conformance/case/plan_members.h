// SPDX-License-Identifier: Apache-2.0
//
// The members of CallPlan as a table: what a case line, JSON, messages, documents and edits know of
// them. A new member is a line in case.h, a row in plan_members.cc and the code that acts on it.
#ifndef POOLPROOF_CONFORMANCE_CASE_PLAN_MEMBERS_H_
#define POOLPROOF_CONFORMANCE_CASE_PLAN_MEMBERS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "conformance/case/case.h"
#include "core/status.h"

namespace poolproof {

struct PlanMember {
  enum class Kind : std::uint8_t { kFlag, kNumber, kWord };

  Kind kind = Kind::kFlag;
  std::string_view line_name;  // in a case line
  std::string_view json_name;
  std::string_view meaning;  // one line
  // Flags are 0 or 1, words their enumerator's number.
  int least = 0;
  int most = 1;
  std::span<const std::string_view> words;  // kWord: by enumerator
  // Whether a failing case is tried without it when it is made smaller.
  bool removable = true;
  int (*get)(const CallPlan&) = nullptr;
  void (*set)(CallPlan&, int) = nullptr;  // requires least <= value <= most

  [[nodiscard]] int Default() const { return get(CallPlan()); }
  [[nodiscard]] bool IsDefault(const CallPlan& plan) const { return get(plan) == Default(); }
  // As it is in a case line after the '=': "3", "fifo"; empty for a flag.
  [[nodiscard]] std::string ValueText(int value) const;
  // What a value may be: "none, after or before", "a whole number from 1 to 64".
  [[nodiscard]] std::string Wanted() const;
};

// In the order of case lines.
std::span<const PlanMember> PlanMembers();

// Refuses a plan that no worker can carry out; the message names the members as case lines do.
Status CheckPlan(const CallPlan& plan);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_CASE_PLAN_MEMBERS_H_
