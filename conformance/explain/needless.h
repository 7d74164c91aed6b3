// SPDX-License-Identifier: Apache-2.0
//
// Which of the causes that were found one after the other are needed.
#ifndef POOLPROOF_CONFORMANCE_EXPLAIN_NEEDLESS_H_
#define POOLPROOF_CONFORMANCE_EXPLAIN_NEEDLESS_H_

#include <set>
#include <vector>

#include "conformance/circumstance/circumstances.h"
#include "conformance/explain/ask.h"
#include "conformance/result/report.h"

namespace poolproof {

// A cause with the failing cases that it was found by, and those that it left to others.
struct FoundCause {
  RootCause cause;
  Way way;
  std::vector<CircumstanceValues> failing;
  std::vector<CircumstanceValues> foreign;
  std::set<std::string> without;  // clauses about features that it does not need
};

// Leaves out causes that others make needless: a first look at several faults at once finds what
// is a cause of neither. Those that take most words go first.
void DropNeedless(std::vector<FoundCause>& found);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_EXPLAIN_NEEDLESS_H_
