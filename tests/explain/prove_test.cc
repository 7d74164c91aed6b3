// SPDX-License-Identifier: Apache-2.0
#include "conformance/explain/prove.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/case/case_text.h"
#include "conformance/explain/limits.h"

namespace poolproof {
namespace {

std::int64_t WidthOf(const Case& problem) {
  return problem.calls.front().tensor(Role::kSelf).shape.back();
}

// A clause that nothing shows for calls without a batch axis: all of them that the run had are
// wider than 4, and fail.
class Proving : public testing::Test {
 protected:
  Proving() {
    Result<Case> parsed = ParseCaseLine(
        "pp1:MaxPool3dWithArgmaxBackward:self=f32[2,3,4,9];k=1,1,2;s=1,1,1;p=0,0,0;d=1,1,1;"
        "ix=~window.1");
    EXPECT_TRUE(parsed.ok());
    wide_ = std::move(parsed).value();
  }

  std::vector<ProvenCase> Prove(const std::vector<Rule>& causes,
                                const std::function<bool(const Case&)>& fails) {
    const auto ask = [&](const Case& problem) {
      ++asked_;
      Verdict verdict;
      verdict.evidence = {"MP3-B02"};
      if (fails(problem)) verdict.kind = VerdictKind::kFailed;
      return verdict;
    };
    return ProveTheRest(
        ProfileRules(Spec::Embedded(), Profile::kAtlasA2), [&]() -> FreshAttempt { return ask; },
        /*jobs=*/1, [] { return false; }, causes, {{"MP3-B02", Facet::kUnbatched, {}, {&wide_}}});
  }

  const Rule wider_than_four_ = {{CircumstanceOf("in_w"), LiteralTest::kAtLeast, 5}};
  Case wide_;
  int asked_ = 0;
};

TEST_F(Proving, FindsWhatShowsTheClauseBesideTheCause) {
  const std::vector<ProvenCase> proven =
      Prove({wider_than_four_}, [](const Case& problem) { return WidthOf(problem) > 4; });
  ASSERT_EQ(proven.size(), 1U);
  EXPECT_LE(WidthOf(proven.front().problem), 4);
  EXPECT_NE(FacetsOf(proven.front().problem) & BitOf(Facet::kUnbatched), 0U);
  EXPECT_EQ(proven.front().verdict.kind, VerdictKind::kPassed);
}

TEST_F(Proving, ShowsNothingWhereAllFail) {
  EXPECT_TRUE(Prove({wider_than_four_}, [](const Case&) { return true; }).empty());
  EXPECT_GT(asked_, 0);
  EXPECT_LE(asked_, static_cast<int>(kSome * kAskedAtOnce));
}

TEST_F(Proving, AsksNothingWhereTheCauseHidesAll) {
  EXPECT_TRUE(Prove({Rule()}, [](const Case&) { return false; }).empty());
  EXPECT_EQ(asked_, 0);
}

}  // namespace
}  // namespace poolproof
