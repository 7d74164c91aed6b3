// SPDX-License-Identifier: Apache-2.0
#include "conformance/corpus/finding_vectors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "conformance/case/case_text.h"

namespace poolproof {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

CaseFileEntry Found(const std::string& line, const std::string& signature,
                    const std::string& clause = "AMP2-B02", Profile profile = Profile::kAtlasA2) {
  return {*ParseCaseLine(line), FindingNote{profile, "lib", signature, {clause}, "it is wrong"}};
}

TEST(FindingVectors, SayWhatWentWrongAndWhatTheCaseIsLike) {
  const FindingVectors made = VectorsOfFindings(
      {Found("pp1:AdaptiveMaxPool2dBackward:self=f32[1,5,5];go=[1,3,3]",
             "AdaptiveMaxPool2dBackward:wrong-sum:AMP2-B02"),
       Found("pp1:AdaptiveMaxPool2dBackward:self=f16[2,2,4,4]+3;go=[2,2,2,2]",
             "AdaptiveMaxPool2dBackward:crashed+wrote-outside:2P-02"),
       {*ParseCaseLine("pp1:AdaptiveMaxPool2dBackward:self=f32[1,7,7];go=[1,3,3]"), {}}});
  EXPECT_TRUE(made.left_out.empty()) << made.left_out.front();
  ASSERT_EQ(made.vectors.size(), 2U) << "what is no finding is no vector";
  const Vector& crash = made.vectors[0];
  EXPECT_THAT(crash.problem.name, HasSubstr("found_wrote_outside_crashed_"));
  EXPECT_THAT(crash.flags, ElementsAre("FoundWrongAccess", "FoundWrongEnd", "Offset"));
  const Vector& sum = made.vectors[1];
  EXPECT_THAT(sum.flags,
              ElementsAre("AdaptiveUneven", "FoundWrongNumbers", "Overlap", "Unbatched"));
  EXPECT_THAT(sum.clauses, ElementsAre("AMP2-B02"));
  EXPECT_THAT(sum.profiles, ElementsAre(Profile::kAtlasA2));
  EXPECT_EQ(sum.comment, "found on lib: it is wrong");
}

TEST(FindingVectors, AreWhatTheCorpusReads) {
  const FindingVectors made =
      VectorsOfFindings({Found("pp1:AdaptiveMaxPool2dBackward:self=f32[1,5,5];go=[1,3,3]",
                               "AdaptiveMaxPool2dBackward:wrong-sum:AMP2-B02")});
  const std::string text = VectorFileText(made.notes, made.vectors);
  const Result<std::vector<Vector>> read = ParseVectorFile(text, "found.json");
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(*read, made.vectors);
  EXPECT_EQ(*FormatVectorFile(text, "found.json"), text);
  EXPECT_EQ(made.notes.at("Overlap"), CorpusFlags().at("Overlap")) << "one note for one flag";
}

TEST(FindingVectors, NameWhatCannotBeOne) {
  const std::string known = CaseLine(Corpus().front().problem.problem);
  const std::string line = "pp1:AdaptiveMaxPool2dBackward:self=f32[1,5,5];go=[1,3,3]";
  const FindingVectors made =
      VectorsOfFindings({Found(known, "op:wrong-sum:AMP2-B02"),
                         Found(line, "op:refused:AMP2-B02", "AMP2-B02", Profile::kAtlasTraining),
                         Found(line, "op:refused:X-1", "X-1")});
  EXPECT_TRUE(made.vectors.empty());
  ASSERT_EQ(made.left_out.size(), 3U);
  EXPECT_THAT(made.left_out[0], HasSubstr("holds it as " + Corpus().front().problem.name));
  EXPECT_THAT(made.left_out[1], HasSubstr("atlas-training"));
  EXPECT_THAT(made.left_out[2], HasSubstr("'X-1'"));
}

TEST(FindingVectors, OfOneCaseAreOneVector) {
  const std::string line = "pp1:AdaptiveMaxPool2dBackward:self=f32[1,5,5];go=[1,3,3]";
  const FindingVectors made = VectorsOfFindings(
      {Found(line, "op:wrong-sum:AMP2-B02"), Found(line, "op:crashed:2P-02", "2P-02"),
       Found(line, "op:refused:AMP2-B01", "AMP2-B01", Profile::kAtlasA3)});
  ASSERT_EQ(made.vectors.size(), 1U);
  EXPECT_THAT(made.vectors[0].clauses, ElementsAre("2P-02", "AMP2-B02"));
  EXPECT_THAT(made.vectors[0].flags, Contains("FoundWrongEnd"));
  EXPECT_THAT(made.vectors[0].flags, Not(Contains("FoundWrongAnswer")));
}

}  // namespace
}  // namespace poolproof
