// SPDX-License-Identifier: Apache-2.0
#include "conformance/session/manifest_proposal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "conformance/gen/acceptance_cases.h"

namespace poolproof {
namespace {

constexpr Operator kFixed = Operator::kMaxPool3dWithArgmaxBackward;

std::vector<NamedCase> Table() {
  std::vector<NamedCase> table = AcceptanceCases(Spec::Embedded(), Profile::kAscend950);
  std::erase_if(table,
                [](const NamedCase& named) { return named.problem.calls.front().op != kFixed; });
  return table;
}

bool Holds(const std::string& text, const NamedCase& named) {
  return Predicate::Parse(text)->Holds(named.problem);
}

// What is proposed for a library that accepts what the predicate says.
DeclaredCapabilities ProposedFor(const std::string& text,
                                 const std::vector<NamedCase>& table = Table()) {
  std::vector<AcceptedCall> answers;
  for (const NamedCase& named : table) {
    AcceptedCall call;
    call.path = named.Path();
    call.op = named.problem.calls.front().op;
    call.answer = Holds(text, named) ? Answer::kRight : Answer::kRefused;
    answers.push_back(call);
  }
  return ProposeCapabilities(table, answers);
}

TEST(ManifestProposal, SaysShortlyWhatWasAccepted) {
  for (const std::string text :
       {"dtype == f32", "dtype != bf16", "index_dtype == i64", "rank == 5", "layout == contiguous",
        "format == ND", "dtype == f32 and index_dtype == i64",
        "dtype == f32 and index_dtype == i64 and layout == contiguous",
        "not (dtype == f16 and rank == 4)"}) {
    const DeclaredCapabilities proposed = ProposedFor(text);
    ASSERT_EQ(proposed.accepts.size(), 1U) << text;
    EXPECT_EQ(proposed.accepts.front().op, kFixed);
    EXPECT_EQ(proposed.accepts.front().text, text);
    EXPECT_FALSE(proposed.operators.has_value());
  }
}

TEST(ManifestProposal, HoldsForWhatWasAcceptedAndNothingElse) {
  for (const std::string text :
       {"dtype == f32 and rank == 4 or dtype == bf16 and layout == strided",
        "dtype == f32 or index_dtype == i64 and rank == 5 or layout == permuted and dtype == f16",
        "(dtype == f32 or rank == 5) and (index_dtype == i32 or layout != permuted)",
        "dtype == f16 and not (index_dtype == i32 or layout == strided and rank == 4)"}) {
    const DeclaredCapabilities proposed = ProposedFor(text);
    ASSERT_EQ(proposed.accepts.size(), 1U) << text;
    for (const NamedCase& named : Table()) {
      if (named.problem.plan.descriptors_only) continue;
      EXPECT_EQ(proposed.accepts.front().predicate.Holds(named.problem), Holds(text, named))
          << named.name << ": " << proposed.accepts.front().text << " for " << text;
    }
  }
}

TEST(ManifestProposal, DeclaresNothingForWhatAcceptsAll) {
  EXPECT_EQ(ProposedFor("rank > 0"), DeclaredCapabilities());
}

TEST(ManifestProposal, LeavesOutAnOperatorThatAcceptsNothing) {
  const DeclaredCapabilities proposed =
      ProposedFor("operator != MaxPool3dWithArgmaxBackward and dtype == f32",
                  AcceptanceCases(Spec::Embedded(), Profile::kAscend950));
  ASSERT_TRUE(proposed.operators.has_value());
  EXPECT_THAT(*proposed.operators, ::testing::Not(::testing::Contains(kFixed)));
  for (const AcceptRule& rule : proposed.accepts) EXPECT_EQ(rule.text, "dtype == f32");
  EXPECT_EQ(proposed.accepts.size(), proposed.operators->size());
}

// Of several calls with the same types, rank, format and layout.
TEST(ManifestProposal, OneRefusalIsEnough) {
  std::vector<NamedCase> table = Table();
  const std::string text = ProposedFor("in_w != 5", table).accepts.front().text;
  const DeclaredCapabilities all = ProposedFor("rank > 0", table);
  EXPECT_TRUE(all.accepts.empty());
  for (const NamedCase& named : table) {
    if (named.problem.plan.descriptors_only || Holds("in_w != 5", named)) continue;
    EXPECT_FALSE(Holds(text, named)) << named.name << ": " << text;
  }
}

}  // namespace
}  // namespace poolproof
