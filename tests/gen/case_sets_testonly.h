// SPDX-License-Identifier: Apache-2.0
//
// What the tests of the fixed sources share: the classification of cases.
#ifndef POOLPROOF_TESTS_GEN_CASE_SETS_TESTONLY_H_
#define POOLPROOF_TESTS_GEN_CASE_SETS_TESTONLY_H_

#include <set>
#include <string>
#include <vector>

#include "conformance/gen/sources.h"
#include "conformance/judge/legality.h"

namespace poolproof {

inline Legality LegalityOf(const NamedCase& named, Profile profile, std::size_t call = 0) {
  return Classify({Spec::Embedded(), profile}, named.problem.calls[call], named.problem.plan);
}
inline std::set<std::string> BreachedBy(const Legality& legality) {
  std::set<std::string> ids;
  for (const Clause* clause : legality.breached) ids.insert(clause->id);
  return ids;
}

}  // namespace poolproof

#endif  // POOLPROOF_TESTS_GEN_CASE_SETS_TESTONLY_H_
