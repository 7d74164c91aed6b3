// SPDX-License-Identifier: Apache-2.0
#include "conformance/session/manifest_proposal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "conformance/gen/acceptance_cases.h"

namespace poolproof {
namespace {

constexpr Operator kFixed = Operator::kMaxPool3dWithArgmaxBackward;
constexpr Profile kProfile = Profile::kAscend950;

std::vector<NamedCase> AllCases() {
  std::vector<NamedCase> cases = AcceptanceCases(Spec::Embedded(), kProfile);
  std::vector<NamedCase> spread = SpreadCases(Spec::Embedded(), kProfile);
  std::move(spread.begin(), spread.end(), std::back_inserter(cases));
  return cases;
}

std::vector<NamedCase> CasesOfFixed() {
  std::vector<NamedCase> cases = AllCases();
  std::erase_if(cases,
                [](const NamedCase& named) { return named.problem.calls.front().op != kFixed; });
  return cases;
}

bool Holds(const std::string& text, const NamedCase& named) {
  return Predicate::Parse(text)->Holds(named.problem);
}

// What is proposed for a library that accepts what the predicate says.
ProposedCapabilities ProposedFor(const std::string& text,
                                 const std::vector<NamedCase>& cases = CasesOfFixed(),
                                 Answer otherwise = Answer::kRefused) {
  std::vector<AcceptedCall> answers;
  for (const NamedCase& named : cases) {
    AcceptedCall call;
    call.path = named.Path();
    call.op = named.problem.calls.front().op;
    call.answer = Holds(text, named) ? Answer::kRight : otherwise;
    answers.push_back(call);
  }
  return ProposeCapabilities(cases, answers);
}

TEST(ManifestProposal, SaysShortlyWhatWasAccepted) {
  for (const std::string text :
       {"dtype == f32", "dtype != bf16", "index_dtype == i64", "rank == 5", "layout == contiguous",
        "format == ND", "dtype == f32 and index_dtype == i64",
        "dtype == f32 and index_dtype == i64 and layout == contiguous"}) {
    const DeclaredCapabilities proposed = ProposedFor(text).declared;
    ASSERT_EQ(proposed.accepts.size(), 1U) << text;
    EXPECT_EQ(proposed.accepts.front().op, kFixed);
    EXPECT_EQ(proposed.accepts.front().text, text);
    EXPECT_FALSE(proposed.operators.has_value());
  }
}

TEST(ManifestProposal, DeclaresNothingForWhatAcceptsAll) {
  EXPECT_EQ(ProposedFor("rank > 0").declared, DeclaredCapabilities());
}

// What some calls of a type, a rank, a format or a layout accept is accepted: the refusals of the
// others are faults.
TEST(ManifestProposal, AFaultIsNoLimit) {
  for (const std::string text :
       {"stride_d == kernel_d and stride_h == kernel_h and stride_w == kernel_w",
        "stride_w != kernel_w", "stride_w < kernel_w", "stride_w > kernel_w", "padding_w == 0",
        "padding_w > 0", "ceil_mode == 1", "ceil_mode == 0", "kernel_w == kernel_h", "kernel_w > 1",
        "planes == 1", "planes > 1", "in_d == 1", "in_d > 1", "in_w == 8", "in_w != 8",
        "not (dtype == f16 and rank == 4)", "not (layout == strided and index_dtype == i64)",
        "dtype == f16 and rank == 4 or dtype == f32 and rank == 5 or dtype == bf16"}) {
    const ProposedCapabilities proposed = ProposedFor(text);
    for (const AcceptRule& rule : proposed.declared.accepts) ADD_FAILURE() << text << rule.text;
    EXPECT_EQ(proposed.declared, DeclaredCapabilities()) << text;
    EXPECT_TRUE(proposed.left_out.empty()) << text;
  }
}

TEST(ManifestProposal, CallsThatEndTheProcessAreNoRefusals) {
  EXPECT_EQ(ProposedFor("dtype == f32", CasesOfFixed(), Answer::kEnded).declared,
            DeclaredCapabilities());
  EXPECT_EQ(ProposedFor("rank < 0", CasesOfFixed(), Answer::kEnded).declared,
            DeclaredCapabilities());
  EXPECT_EQ(ProposedFor("rank == 5", CasesOfFixed(), Answer::kNotAsked).declared,
            DeclaredCapabilities());
}

TEST(ManifestProposal, LeavesOutAnOperatorThatRefusesEachCall) {
  const ProposedCapabilities proposed =
      ProposedFor("operator != MaxPool3dWithArgmaxBackward and dtype == f32", AllCases());
  ASSERT_TRUE(proposed.declared.operators.has_value());
  EXPECT_THAT(*proposed.declared.operators, ::testing::Not(::testing::Contains(kFixed)));
  for (const AcceptRule& rule : proposed.declared.accepts) EXPECT_EQ(rule.text, "dtype == f32");
  EXPECT_EQ(proposed.declared.accepts.size(), proposed.declared.operators->size());
  ASSERT_EQ(proposed.left_out.size(), 1U);
  EXPECT_EQ(proposed.left_out.begin()->first, kFixed);
  // All that were asked, except for those on descriptors alone.
  std::size_t calls = 0;
  for (const NamedCase& named : CasesOfFixed())
    calls += named.problem.plan.descriptors_only ? 0 : 1;
  EXPECT_EQ(proposed.left_out.begin()->second, calls);
}

TEST(ManifestProposal, WhatWasNotAskedIsNotDeclaredAway) {
  const std::vector<NamedCase> cases = CasesOfFixed();
  std::vector<AcceptedCall> answers;
  for (const NamedCase& named : cases) {
    if (Holds("dtype == bf16", named)) continue;
    AcceptedCall call;
    call.path = named.Path();
    call.op = kFixed;
    call.answer = Answer::kRight;
    answers.push_back(call);
  }
  EXPECT_EQ(ProposeCapabilities(cases, answers).declared, DeclaredCapabilities());
}

}  // namespace
}  // namespace poolproof
