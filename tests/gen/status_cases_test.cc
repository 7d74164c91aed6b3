// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "conformance/case/materialize.h"
#include "conformance/gen/acceptance_cases.h"
#include "conformance/spec/profile_rules.h"
#include "tests/gen/case_sets_testonly.h"

namespace poolproof {
namespace {

class StatusCasesTest : public ::testing::TestWithParam<Profile> {
 protected:
  static std::vector<NamedCase> Cases(CaseSet set) {
    return StatusCases(Spec::Embedded(), GetParam(), set);
  }
};

std::string ProfileTestName(const ::testing::TestParamInfo<Profile>& info) {
  std::string name(InfoOf(info.param).name);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Profiles, StatusCasesTest,
                         ::testing::Values(Profile::kAtlasA2, Profile::kAtlasA3,
                                           Profile::kAscend950, Profile::kAtlas200i500A2,
                                           Profile::kAtlasInference, Profile::kAtlasTraining),
                         ProfileTestName);

// Clauses whose breach implies, or may imply, that of others: the type INT64 or DOUBLE is also
// outside the list of types, one tensor of another rank also differs from its partner in shape, and
// D2's own formats differ from self in gradInput and in indices.
const std::map<std::string, std::set<std::string>>& Containing() {
  static const std::map<std::string, std::set<std::string>> table = {
      {"MP3-S12", {"MP3-S11"}},
      {"MP3-S13", {"MP3-S10", "MP3-S11"}},
      {"MP3-S21", {"MP3-S22"}},
      {"MP3-S32", {"MP3-S30", "MP3-S31"}},
      {"MP2-S12", {"MP2-S11"}},
      {"MP2-S32", {"MP2-S30", "MP2-S31"}},
      {"MP2-S52", {"MP2-S46"}},
      {"AMP3-S12", {"AMP3-S11"}},
      {"AMP3-S30", {"AMP3-S31", "AMP3-S32"}},
      {"AMP2-S30", {"AMP2-S31", "AMP2-S32"}}};
  return table;
}

// `found` holds every clause of `wanted` and beyond them only containing ones.
bool BreachesExactly(const std::set<std::string>& found, const std::set<std::string>& wanted) {
  std::set<std::string> allowed = wanted;
  for (const std::string& id : wanted) {
    if (!found.contains(id)) return false;
    if (const auto more = Containing().find(id); more != Containing().end()) {
      allowed.insert(more->second.begin(), more->second.end());
    }
  }
  return std::includes(allowed.begin(), allowed.end(), found.begin(), found.end());
}

// The second clause of "pair-...-with-S40-...".
std::string PartnerOf(const NamedCase& named) {
  const std::size_t at = named.name.find("-with-S") + 6;
  const std::string prefix = named.clause.substr(0, named.clause.find('-') + 1);
  return prefix + named.name.substr(at, named.name.find('-', at) - at);
}

TEST_P(StatusCasesTest, EachCaseIsWhatItsNameSays) {
  for (const CaseSet set : {CaseSet::kCi, CaseSet::kNightly}) {
    for (const NamedCase& named : Cases(set)) {
      const Legality legality = LegalityOf(named, GetParam());
      const std::set<std::string> breached = BreachedBy(legality);
      const Clause* clause = Spec::Embedded().Find(named.clause);
      ASSERT_NE(clause, nullptr) << named.name;
      EXPECT_TRUE(clause->AppliesTo(GetParam())) << named.name;
      if (named.aim == Aim::kOpen) {
        EXPECT_EQ(legality.kind, LegalityKind::kOpen) << named.name;
      } else if (named.aim == Aim::kLegal || clause->kind == ClauseKind::kSupport) {
        EXPECT_EQ(legality.kind, LegalityKind::kValid)
            << named.name << " breaches " << ::testing::PrintToString(breached) << " "
            << legality.open_reason;
      } else if (named.aim == Aim::kPair) {
        EXPECT_EQ(legality.kind, LegalityKind::kInvalid) << named.name;
        EXPECT_TRUE(BreachesExactly(breached, {clause->id, PartnerOf(named)}))
            << named.name << " breaches " << ::testing::PrintToString(breached);
      } else {
        EXPECT_EQ(legality.kind, LegalityKind::kInvalid) << named.name << legality.open_reason;
        EXPECT_TRUE(BreachesExactly(breached, {clause->id}))
            << named.name << " breaches " << ::testing::PrintToString(breached);
      }
    }
  }
}

TEST_P(StatusCasesTest, LegalNeighboursStandOnNoAdviceButTheirOwn) {
  for (const NamedCase& named : Cases(CaseSet::kCi)) {
    for (const Clause* clause : LegalityOf(named, GetParam()).by_advice) {
      EXPECT_EQ(clause->id, named.clause) << named.name;
    }
  }
}

TEST_P(StatusCasesTest, EveryClauseHasCases) {
  for (const CaseSet set : {CaseSet::kSmoke, CaseSet::kCi, CaseSet::kNightly}) {
    std::set<std::string> aimed;
    std::set<std::string> legal;
    for (const NamedCase& named : Cases(set)) {
      (named.aim == Aim::kLegal ? legal : aimed).insert(named.clause);
    }
    for (const Clause& clause : Spec::Embedded().clauses()) {
      const bool refuses =
          clause.kind == ClauseKind::kStatus || clause.kind == ClauseKind::kConstraint;
      if (!refuses && clause.kind != ClauseKind::kSupport) continue;
      // Clauses of forwards have cases of their own.
      if (clause.id.find("-F0") != std::string::npos) continue;
      if (!clause.AppliesTo(GetParam())) {
        EXPECT_FALSE(aimed.contains(clause.id) || legal.contains(clause.id)) << clause.id;
        continue;
      }
      EXPECT_TRUE(aimed.contains(clause.id)) << clause.id;
      // Nothing is legal on an unsupported platform.
      const bool platform = clause.id.ends_with("-S49");
      EXPECT_EQ(legal.contains(clause.id), refuses && !platform) << clause.id;
    }
  }
}

// A refusal proves something only beside a legal call of the same types that is accepted.
TEST_P(StatusCasesTest, CallsThatBreachAClauseNameTheirLegalNeighbour) {
  std::map<std::string, const NamedCase*> table;
  const std::vector<NamedCase> accepted = AcceptanceCases(Spec::Embedded(), GetParam());
  for (const NamedCase& named : accepted) table.emplace(named.Path(), &named);
  for (const CaseSet set : {CaseSet::kSmoke, CaseSet::kCi, CaseSet::kNightly}) {
    for (const NamedCase& named : Cases(set)) {
      // That descriptors alone are accepted rests on numbers of their types.
      if (named.aim != Aim::kBreach) {
        EXPECT_EQ(named.base.empty(),
                  !named.problem.plan.descriptors_only || named.aim == Aim::kAlone)
            << named.name;
        continue;
      }
      const auto base = table.find(named.base);
      ASSERT_NE(base, table.end()) << named.name << " " << named.base;
      EXPECT_EQ(base->second->problem.calls.front().op, named.problem.calls.front().op);
      EXPECT_EQ(base->second->problem.plan, named.problem.plan) << named.name;
    }
  }
}

// What an implementation accepts in one combination of types alone is tested there.
TEST_P(StatusCasesTest, EveryClauseIsPutToTheProofInAllTypes) {
  using Types = std::set<std::pair<DataType, DataType>>;
  std::map<std::string, Call> table;
  for (const NamedCase& named : AcceptanceCases(Spec::Embedded(), GetParam())) {
    table.emplace(named.Path(), named.problem.calls.front());
  }
  const ProfileRules rules(Spec::Embedded(), GetParam());
  for (const CaseSet set : {CaseSet::kSmoke, CaseSet::kCi}) {
    std::map<std::string, Types> of_clause;
    for (const NamedCase& named : Cases(set)) {
      if (named.aim != Aim::kBreach) continue;
      const Call& base = table.at(named.base);
      of_clause[named.clause].emplace(base.tensor(Role::kSelf).type,
                                      base.tensor(Role::kIndices).type);
    }
    for (const auto& [id, types] : of_clause) {
      const Clause& clause = *Spec::Embedded().Find(id);
      const Operator op = *ParseOperator(clause.operator_name);
      const std::size_t all = rules.ValueTypes(op).size() * rules.IndexTypes(op).size();
      // The plane limit's cases take types in turn.
      if (clause.condition == Condition::kPlaneLimit) continue;
      EXPECT_EQ(types.size(), all) << id;
    }
  }
}

// A check of one axis, or of 0 alone, is distinguished from one of all.
TEST_P(StatusCasesTest, EveryListIsWrongOnEveryAxisAndSide) {
  const ProfileRules rules(Spec::Embedded(), GetParam());
  for (const CaseSet set : {CaseSet::kSmoke, CaseSet::kCi}) {
    using Wrong = std::tuple<std::string, std::size_t, bool>;  // clause, axis, negative
    std::set<Wrong> wrong;
    for (const NamedCase& named : Cases(set)) {
      if (named.aim != Aim::kBreach) continue;
      const Call& call = named.problem.calls.front();
      for (const List list : {List::kKernelSize, List::kStride, List::kPadding}) {
        const Dims values = call.list(list).value_or(Dims{});
        if (values.size() != static_cast<std::size_t>(InfoOf(call.op).spatial_rank)) continue;
        for (std::size_t axis = 0; axis < values.size(); ++axis) {
          const std::int64_t lowest = list == List::kPadding ? 0 : 1;
          if (values[axis] < lowest) wrong.emplace(named.clause, axis, values[axis] < 0);
        }
      }
    }
    for (const Operator op : BackwardOperators()) {
      if (InfoOf(op).windows != WindowRule::kFixed || !rules.Covers(op)) continue;
      for (const Condition condition :
           {Condition::kKernelValue, Condition::kStrideValue, Condition::kPaddingNegative}) {
        const std::string id = rules.IdOf(op, condition);
        for (int axis = 0; axis < InfoOf(op).spatial_rank; ++axis) {
          for (const bool negative : {false, true}) {
            if (!negative && condition == Condition::kPaddingNegative) continue;
            EXPECT_TRUE(wrong.contains(Wrong(id, axis, negative))) << id << " axis " << axis;
          }
        }
      }
    }
  }
}

TEST_P(StatusCasesTest, NamesAreUnique) {
  for (const CaseSet set : {CaseSet::kSmoke, CaseSet::kCi, CaseSet::kNightly}) {
    std::set<std::string> paths;
    for (const NamedCase& named : Cases(set)) {
      EXPECT_EQ(named.family, "status");
      EXPECT_TRUE(paths.insert(named.Path()).second) << named.Path();
      EXPECT_EQ(named.name.find_first_of(" \t'\"*?[]"), std::string::npos) << named.name;
    }
  }
}

TEST_P(StatusCasesTest, SetsDifferInCountsOnly) {
  const auto paths = [](CaseSet set) {
    std::set<std::string> names;
    for (const NamedCase& named : Cases(set)) names.insert(named.Path());
    return names;
  };
  const std::set<std::string> smoke = paths(CaseSet::kSmoke);
  const std::set<std::string> ci = paths(CaseSet::kCi);
  EXPECT_TRUE(std::includes(ci.begin(), ci.end(), smoke.begin(), smoke.end()));
  EXPECT_LE(smoke.size(), ci.size());
  EXPECT_EQ(Cases(CaseSet::kCi), Cases(CaseSet::kCi));
}

TEST_P(StatusCasesTest, CasesWithStorageMaterialize) {
  for (const NamedCase& named : Cases(CaseSet::kCi)) {
    if (named.problem.plan.descriptors_only) continue;
    const Result<Materialized> data = Materialize(named.problem);
    EXPECT_TRUE(data.ok()) << named.name << ": " << (data.ok() ? "" : data.status().message());
  }
}

// Whichever of the values of a list that is too long or too short a library takes, the shapes agree
// with them: they must not be what it refuses.
TEST(StatusCases, ShapesFitListsOfAWrongLength) {
  int seen = 0;
  for (const NamedCase& named : StatusCases(Spec::Embedded(), Profile::kAtlasA2, CaseSet::kSmoke)) {
    const Call& call = named.problem.calls.front();
    const OperatorInfo& info = InfoOf(call.op);
    for (const ListRule& rule : info.list_rules) {
      const auto& list = call.list(rule.list);
      if (named.name.find("/length-") == std::string::npos || !list || list->empty()) continue;
      if (std::count(rule.lengths.begin(), rule.lengths.end(), list->size()) > 0) continue;
      Call uniform = call;
      uniform.list(rule.list) = Dims(static_cast<std::size_t>(info.spatial_rank), list->front());
      ASSERT_TRUE(DeriveOutputs(uniform)) << named.name;
      EXPECT_EQ(uniform.tensor(Role::kGradOutput).shape, call.tensor(Role::kGradOutput).shape)
          << named.name;
      ++seen;
    }
  }
  EXPECT_GE(seen, 2 * 4 * 4);  // operators, lists, lengths
}

// Of one tensor of a wrong rank alone, shapes disagree as well.
TEST(StatusCases, EverySetHasEachWrongRankOfAllTensors) {
  std::map<Operator, std::set<std::size_t>> ranks;
  for (const NamedCase& named : StatusCases(Spec::Embedded(), Profile::kAtlasA2, CaseSet::kSmoke)) {
    const Call& call = named.problem.calls.front();
    const std::vector<Role>& roles = InfoOf(call.op).tensors;
    const std::size_t rank = call.tensor(roles.front()).shape.size();
    const bool alike = std::all_of(roles.begin(), roles.end(), [&](Role role) {
      return call.tensor(role).shape.size() == rank;
    });
    const auto axes = static_cast<std::size_t>(InfoOf(call.op).spatial_rank);
    if (alike && rank != axes + 1 && rank != axes + 2) ranks[call.op].insert(rank);
  }
  EXPECT_EQ(ranks.size(), 4U);
  for (const auto& [op, found] : ranks) EXPECT_GE(found.size(), 6U) << InfoOf(op).name;
}

TEST(StatusCases, EverySetHasEachTypeOfFloatingPointThatIsNotTaken) {
  std::set<DataType> types;
  for (const NamedCase& named : StatusCases(Spec::Embedded(), Profile::kAtlasA2, CaseSet::kSmoke)) {
    const Call& call = named.problem.calls.front();
    if (call.op != Operator::kMaxPool2dWithIndicesBackward) continue;
    const DataType type = call.tensor(Role::kSelf).type;
    if (call.tensor(Role::kGradOutput).type == type && call.tensor(Role::kGradInput).type == type) {
      types.insert(type);
    }
  }
  EXPECT_THAT(types,
              testing::IsSupersetOf({DataType::kFloat16, DataType::kBf16, DataType::kDouble}));
}

// Of a required clause that forbids a list of types, formats or lengths, a library may check each
// by itself.
TEST(StatusCases, EverySetTriesEachTypeFormatAndLengthThatIsForbidden) {
  for (const Profile profile : {Profile::kAtlasA2, Profile::kAscend950}) {
    const ProfileRules rules(Spec::Embedded(), profile);
    std::map<Operator, std::set<DataType>> values;
    std::map<Operator, std::set<DataType>> indices;
    std::map<Operator, std::set<Format>> formats;
    std::map<std::pair<Operator, List>, std::set<std::size_t>> lengths;
    for (const NamedCase& named : StatusCases(Spec::Embedded(), profile, CaseSet::kSmoke)) {
      if (named.aim != Aim::kBreach) continue;
      const Call& call = named.problem.calls.front();
      for (const Role role : BackwardRoles()) {
        const TensorSpec& tensor = call.tensor(role);
        (role == Role::kIndices ? indices : values)[call.op].insert(tensor.type);
        formats[call.op].insert(tensor.format);
      }
      for (const List list : InfoOf(call.op).lists) {
        if (call.list(list)) lengths[{call.op, list}].insert(call.list(list)->size());
      }
    }
    for (const Operator op : rules.CoveredBackwards()) {
      const std::string where =
          std::string(InfoOf(profile).name) + " " + std::string(InfoOf(op).name);
      for (const DataTypeInfo& type : AllDataTypes()) {
        if (!rules.TakesValues(op, type.type)) {
          EXPECT_TRUE(values[op].contains(type.type)) << where << " " << type.name;
        }
        if (!rules.TakesIndices(op, type.type)) {
          EXPECT_TRUE(indices[op].contains(type.type)) << where << " " << type.name;
        }
      }
      for (const FormatInfo& format : AllFormats()) {
        const bool tried = formats[op].contains(format.format);
        EXPECT_TRUE(tried || !format.is_private) << where << " " << FormatName(format.format);
      }
      for (const ListRule& rule : InfoOf(op).list_rules) {
        for (const std::size_t length : {0U, 2U, 3U, 4U, 5U}) {
          const bool legal =
              std::find(rule.lengths.begin(), rule.lengths.end(), length) != rule.lengths.end();
          const bool tried = lengths[std::pair(op, rule.list)].contains(length);
          EXPECT_TRUE(legal || tried) << where << " " << ListName(rule.list) << " " << length;
        }
      }
    }
  }
}

TEST(StatusCases, ThereAreManyOnAtlasA2) {
  const auto count = [](CaseSet set) {
    return StatusCases(Spec::Embedded(), Profile::kAtlasA2, set).size();
  };
  EXPECT_GE(count(CaseSet::kCi), 1500U);
  EXPECT_LE(count(CaseSet::kSmoke), 2000U);
  EXPECT_GT(count(CaseSet::kNightly), count(CaseSet::kCi));
}

}  // namespace
}  // namespace poolproof
