// SPDX-License-Identifier: Apache-2.0
//
// ClassTable: how many valid backward calls a set holds of each class that a clause can be unproven
// for, and how they spread. docs/classes.md is made of it.
#ifndef POOLPROOF_TESTS_SESSION_CLASS_TABLE_H_
#define POOLPROOF_TESTS_SESSION_CLASS_TABLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/spec/profile.h"

namespace poolproof {

struct ClassCell {
  std::string column;
  std::int64_t cases = 0;
  bool possible = true;  // whether a call can be of the class and of the column
};

struct ClassCount {
  std::string name;
  std::int64_t cases = 0;
  std::vector<ClassCell> cells;  // of the cases, by the columns of the operator
};

struct OperatorClasses {
  Operator op{};
  std::vector<ClassCount> classes;  // those that the operator's page has under the profile
};

// Of the fixed cases, which are those of every seed.
std::vector<OperatorClasses> CountClasses(Profile profile, const std::vector<NamedCase>& cases);

std::string ClassesMarkdown(const std::vector<OperatorClasses>& counted);

}  // namespace poolproof

#endif  // POOLPROOF_TESTS_SESSION_CLASS_TABLE_H_
