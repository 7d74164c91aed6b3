// SPDX-License-Identifier: Apache-2.0
//
// Every clause is exercised by some case, or a reason is written down why none can; never both.
#include <gtest/gtest.h>

#include "tests/gen/case_sets_testonly.h"

namespace poolproof {
namespace {

// Clauses that the judge decides on any valid call, or on any refused one, whatever its name.
bool IsJudgedOnEveryCall(const Clause& clause) {
  static const std::set<std::string> ids = {"2P-01",  "2P-02",  "2P-03",  "2P-08",
                                            "SAF-01", "SAF-02", "SAF-05", "SAF-08"};
  return ids.contains(clause.id);
}

TEST(ClauseCoverage, EveryClauseIsExercisedOrExplained) {
  std::set<std::string> named;
  for (const ProfileInfo& info : AllProfiles()) {
    for (const CaseSet set : {CaseSet::kSmoke, CaseSet::kCi}) {
      for (const NamedCase& item : StatusCases(Spec::Embedded(), info.profile, set)) {
        named.insert(item.clause);
      }
      for (const NamedCase& item : ProtocolCases(Spec::Embedded(), info.profile, set)) {
        named.insert(item.clause);
      }
      for (const NamedCase& item : GuardCases(Spec::Embedded(), info.profile, set)) {
        named.insert(item.clause);
      }
      for (const NamedCase& item : ForwardCases(Spec::Embedded(), info.profile, set)) {
        named.insert(item.clause);
      }
    }
  }
  for (const Clause& clause : Spec::Embedded().clauses()) {
    const bool exercised = named.contains(clause.id) || clause.kind == ClauseKind::kValue ||
                           IsJudgedOnEveryCall(clause);
    EXPECT_NE(exercised, ReasonNotExercised(clause.id).has_value()) << clause.id;
  }
}

TEST(ClauseCoverage, EveryApplicableClauseOfAProfileIsNamedThere) {
  for (const ProfileInfo& info : AllProfiles()) {
    std::set<std::string> named;
    for (const NamedCase& item : StatusCases(Spec::Embedded(), info.profile, CaseSet::kSmoke)) {
      named.insert(item.clause);
    }
    for (const NamedCase& item : ForwardCases(Spec::Embedded(), info.profile, CaseSet::kSmoke)) {
      named.insert(item.clause);
    }
    for (const Clause& clause : Spec::Embedded().clauses()) {
      if (clause.kind != ClauseKind::kStatus && clause.kind != ClauseKind::kConstraint &&
          clause.kind != ClauseKind::kSupport) {
        continue;
      }
      if (!clause.not_exercised.empty()) continue;
      EXPECT_EQ(named.contains(clause.id), clause.AppliesTo(info.profile))
          << clause.id << " " << info.name;
    }
  }
}

}  // namespace
}  // namespace poolproof
