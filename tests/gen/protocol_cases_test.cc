// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

#include "conformance/case/materialize.h"
#include "tests/gen/case_sets_testonly.h"

namespace poolproof {
namespace {

constexpr std::array kProfiles = {Profile::kAtlasA2,        Profile::kAtlasA3,
                                  Profile::kAscend950,      Profile::kAtlas200i500A2,
                                  Profile::kAtlasInference, Profile::kAtlasTraining};
constexpr std::array kSets = {CaseSet::kSmoke, CaseSet::kCi, CaseSet::kNightly};

TEST(ProtocolCases, CallsAreWhatTheirNamesSay) {
  for (const Profile profile : kProfiles) {
    for (const CaseSet set : kSets) {
      for (const NamedCase& named : ProtocolCases(Spec::Embedded(), profile, set)) {
        const std::string clause = named.clause;
        int valid = 0;
        int invalid = 0;
        for (std::size_t i = 0; i < named.problem.calls.size(); ++i) {
          const Legality legality = LegalityOf(named, profile, i);
          valid += legality.kind == LegalityKind::kValid ? 1 : 0;
          invalid += legality.kind == LegalityKind::kInvalid ? 1 : 0;
          if (clause == "2P-05" || clause == "2P-09") {
            EXPECT_EQ(BreachedBy(legality), std::set<std::string>{clause}) << named.name;
          }
        }
        const int calls = static_cast<int>(named.problem.calls.size());
        EXPECT_EQ(valid + invalid, calls) << named.name;
        if (clause == "2P-04" || clause == "2P-10" || clause == "SAF-03") {
          EXPECT_GE(valid, 1) << named.name;
          EXPECT_GE(invalid, 1) << named.name;
        } else if (named.name.starts_with("SAF-06/refused")) {
          EXPECT_EQ(invalid, calls) << named.name;
        } else if (clause != "2P-05" && clause != "2P-09") {
          EXPECT_EQ(valid, calls) << named.name;
        }
      }
    }
  }
}

TEST(ProtocolCases, NamesAreUniqueAndBeginWithAClauseThatApplies) {
  for (const Profile profile : kProfiles) {
    for (const CaseSet set : kSets) {
      std::set<std::string> paths;
      for (const NamedCase& named : ProtocolCases(Spec::Embedded(), profile, set)) {
        EXPECT_EQ(named.family, "protocol");
        EXPECT_TRUE(paths.insert(named.Path()).second) << named.Path();
        if (named.clause.empty()) continue;
        const Clause* clause = Spec::Embedded().Find(named.clause);
        ASSERT_NE(clause, nullptr) << named.name;
        EXPECT_TRUE(clause->AppliesTo(profile)) << named.name;
      }
    }
  }
}

TEST(ProtocolCases, EachKindOfPlanOccurs) {
  for (const CaseSet set : kSets) {
    std::set<std::string> clauses;
    bool deterministic = false;
    bool zero_poison = false;
    bool sequence_of_operators = false;
    for (const NamedCase& named : ProtocolCases(Spec::Embedded(), Profile::kAtlasA2, set)) {
      clauses.insert(named.clause);
      const CallPlan& plan = named.problem.plan;
      deterministic = deterministic || (plan.deterministic && plan.repeat >= 3);
      zero_poison = zero_poison || plan.output == Poison::kZero;
      for (const Call& call : named.problem.calls) {
        sequence_of_operators = sequence_of_operators || call.op != named.problem.calls.front().op;
      }
    }
    EXPECT_TRUE(deterministic && zero_poison && sequence_of_operators);
    for (const char* id :
         {"2P-03", "2P-04", "2P-05", "2P-06", "2P-07", "2P-09", "2P-10", "SAF-03", "SAF-04",
          "SAF-06", "MP3-B30", "AMP3-B30", "AMP2-B30", "AMP3-C02", "AMP2-C02", ""}) {
      EXPECT_TRUE(clauses.contains(id)) << id;
    }
  }
}

// An index above 2^24 that a float rounds is odd.
TEST(ProtocolCases, EverySetNamesOddElementsOfLargePlanes) {
  for (const CaseSet set : {CaseSet::kSmoke, CaseSet::kCi}) {
    bool odd = false;
    for (const NamedCase& named : ProtocolCases(Spec::Embedded(), Profile::kAtlasA2, set)) {
      if (named.name.find("-C02/") == std::string::npos) continue;
      const Result<Materialized> data = Materialize(named.problem);
      ASSERT_TRUE(data.ok()) << named.name;
      for (const std::int64_t index : data->calls.front().indices) {
        odd = odd || (index > (1 << 24) && index % 2 != 0);
      }
    }
    EXPECT_TRUE(odd);
  }
}

// Calls of both ranks, of forwards and of all operators, at once and often: what they share in a
// file shows while two are at the same place.
TEST(ProtocolCases, ThreadsMakeCallsOfAllRanksAndOperators) {
  const Profile profile = Profile::kAtlasA2;
  const ProfileRules rules(Spec::Embedded(), profile);
  for (const CaseSet set : kSets) {
    std::set<Operator> ranks;
    bool all = false;
    bool both_kinds = false;
    for (const NamedCase& named : ProtocolCases(Spec::Embedded(), profile, set)) {
      const Case& problem = named.problem;
      if (named.clause != "2P-06" || problem.plan.threads < 2 || problem.plan.repeat < 16) continue;
      std::set<Operator> operators;
      std::set<std::pair<Operator, std::size_t>> seen;
      for (const Call& call : problem.calls) {
        operators.insert(call.op);
        seen.emplace(call.op, call.tensor(Role::kSelf).shape.size());
      }
      EXPECT_EQ(seen.size(), 2 * operators.size()) << named.name;
      ranks.merge(std::set<Operator>(operators));
      all = all || operators.size() == rules.CoveredBackwards().size();
      both_kinds = both_kinds || std::any_of(operators.begin(), operators.end(),
                                             [](Operator op) { return InfoOf(op).is_forward; });
    }
    EXPECT_TRUE(all && both_kinds);
    for (const Operator op : rules.CoveredBackwards()) {
      EXPECT_TRUE(ranks.contains(op)) << InfoOf(op).name;
      const Operator forward = InfoOf(op).forward;
      EXPECT_EQ(ranks.contains(forward), rules.Covers(forward)) << InfoOf(forward).name;
    }
  }
}

TEST(ProtocolCases, EverySetWatchesMemoryOverRefusedCalls) {
  int found = 0;
  for (const NamedCase& named :
       ProtocolCases(Spec::Embedded(), Profile::kAtlasA2, CaseSet::kSmoke)) {
    if (named.name.find("SAF-06/refused-calls") != std::string::npos) ++found;
  }
  EXPECT_EQ(found, 4);
}

// Windows of a few cells may be gathered; of large ones gradients are scattered through memory.
TEST(ProtocolCases, IndicesLeaveThePlaneInFrontOfLargeWindowsToo) {
  for (const CaseSet set : {CaseSet::kSmoke, CaseSet::kCi}) {
    std::map<Operator, std::int64_t> largest;
    for (const NamedCase& named : ProtocolCases(Spec::Embedded(), Profile::kAtlasA2, set)) {
      if (named.name.find("-minus-1-") == std::string::npos) continue;
      const Call& call = named.problem.calls.front();
      const int axes = InfoOf(call.op).spatial_rank;
      const std::int64_t cells = PlaneElements(call.tensor(Role::kSelf).shape, axes).value() /
                                 PlaneElements(call.tensor(Role::kGradOutput).shape, axes).value();
      largest[call.op] = std::max(largest[call.op], cells);
    }
    EXPECT_EQ(largest.size(), 4U);
    for (const auto& [op, cells] : largest) {
      EXPECT_GE(cells, set == CaseSet::kSmoke ? 90 : 500) << InfoOf(op).name;
    }
  }
}

TEST(ProtocolCases, IndicesOutsideThePlaneAreOutside) {
  for (const NamedCase& named : ProtocolCases(Spec::Embedded(), Profile::kAtlasA2, CaseSet::kCi)) {
    if (named.clause != "SAF-04") continue;
    const Call& call = named.problem.calls.front();
    const std::int64_t plane =
        PlaneElements(call.tensor(Role::kSelf).shape, InfoOf(call.op).spatial_rank).value();
    const Result<Materialized> data = Materialize(named.problem);
    ASSERT_TRUE(data.ok()) << named.name;
    bool outside = false;
    for (const std::int64_t index : data->calls.front().indices) {
      outside = outside || index < 0 || index >= plane;
    }
    EXPECT_TRUE(outside) << named.name;
  }
}

TEST(ProtocolCases, Materialize) {
  for (const NamedCase& named :
       ProtocolCases(Spec::Embedded(), Profile::kAtlasA2, CaseSet::kSmoke)) {
    const Result<Materialized> data = Materialize(named.problem);
    EXPECT_TRUE(data.ok()) << named.name << ": " << (data.ok() ? "" : data.status().message());
  }
}

}  // namespace
}  // namespace poolproof
