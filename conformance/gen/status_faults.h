// SPDX-License-Identifier: Apache-2.0
//
// Faults: the ways to breach the clauses of an operator, each as an edit of a legal call that
// breaches nothing else. Used by status_cases.cc.
#ifndef POOLPROOF_CONFORMANCE_GEN_STATUS_FAULTS_H_
#define POOLPROOF_CONFORMANCE_GEN_STATUS_FAULTS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/spec/profile_rules.h"

namespace poolproof {

// One way to breach a clause, applied to a legal call.
struct Fault {
  Condition condition;
  std::string what;  // "length-2"
  // Bits of the parts of a call that it changes or relies on. Two faults can be in one call
  // where these are disjoint.
  unsigned parts;
  std::function<void(Call&)> apply;
  // Of what the clause forbids, the type, format or rank that it is: "f64". Empty where the clause
  // forbids no list of such.
  std::string member = {};
  // Whether it is one of the attribute lists', which tell what the others mean: a library may look
  // at each beside some values of the others alone.
  [[nodiscard]] bool IsOfLists() const;
};

// The rules must outlive the faults.
std::vector<Fault> AllFaults(const ProfileRules& rules, Operator op);

// Parts of case names: "minus-1", "int64-max"; "2x3x4".
std::string ValueWord(std::int64_t value);
std::string DimsWord(const Dims& dims);

// A list for `axes` axes with `value` on one of them; axis number `axes` represents a list of
// length 1. And the word for the axis in names: "d", "h", "w", "all".
Dims ListWithValue(std::size_t axes, std::int64_t other, std::size_t axis, std::int64_t value);
std::string AxisWord(std::size_t axes, std::size_t axis);

std::vector<Format> PublicFormats();
void SetAllFormats(Call& call, Format format);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_GEN_STATUS_FAULTS_H_
