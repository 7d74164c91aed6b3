// SPDX-License-Identifier: Apache-2.0
//
// What the tests of the fixed sources share: names taken apart, and the classification of cases.
#ifndef POOLPROOF_TESTS_GEN_CASE_SETS_TESTONLY_H_
#define POOLPROOF_TESTS_GEN_CASE_SETS_TESTONLY_H_

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/gen/sources.h"
#include "conformance/judge/legality.h"

namespace poolproof {

// "MP3-S40" of "MP3-S40/length-2-v0".
inline std::string ClauseOf(const NamedCase& named) {
  return named.name.substr(0, named.name.find('/'));
}
inline std::string AimOf(const NamedCase& named) {
  return named.name.substr(named.name.find('/') + 1);
}
inline bool HasAim(const NamedCase& named, std::string_view aim) {
  return AimOf(named).rfind(aim, 0) == 0;
}

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
