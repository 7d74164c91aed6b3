// SPDX-License-Identifier: Apache-2.0
#include "conformance/spec/spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "conformance/spec/operators.h"
#include "core/sha256.h"

namespace poolproof {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string FileText() {
  std::ifstream file(POOLPROOF_CLAUSES_JSON, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// A spec of one document and one clause.
std::string SmallSpec(const std::string& clause) {
  return R"({"format": "poolproof-clauses/1",
    "documents": {"D0": {"file": "f", "title": "t", "products": ["atlas-a2"]}},
    "strengths": {"required": "r", "advisory": "a"},
    "clauses": [)" +
         clause + R"(], "discrepancies": []})";
}

constexpr const char* kClause =
    R"({"id": "MP3-S01", "operator": "MaxPool3dWithArgmaxBackward", "documents": ["D0"],
        "kind": "status", "strength": "required", "condition": "null-self",
        "statement": "self is a null pointer",
        "expect": {"status": 161001}, "profiles": ["atlas-a2", "ascend-950"]})";

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string ErrorOf(const std::string& text) {
  const Result<Spec> spec = Spec::Parse(text);
  EXPECT_FALSE(spec.ok()) << text;
  if (spec.ok()) return "";
  EXPECT_EQ(spec.status().code(), StatusCode::kInvalidArgument);
  return spec.status().message();
}

TEST(Spec, ParsesAClause) {
  const Result<Spec> spec = Spec::Parse(SmallSpec(kClause));
  ASSERT_TRUE(spec.ok()) << spec.status().message();
  ASSERT_EQ(spec->clauses().size(), 1U);
  const Clause& clause = spec->clauses().front();
  EXPECT_EQ(clause.id, "MP3-S01");
  EXPECT_EQ(clause.kind, ClauseKind::kStatus);
  EXPECT_EQ(clause.strength, Strength::kRequired);
  EXPECT_EQ(clause.expect, (ExpectedStatus{.any_error = false, .status = 161001}));
  EXPECT_TRUE(clause.AppliesTo(Profile::kAscend950));
  EXPECT_FALSE(clause.AppliesTo(Profile::kAtlasA3));
  EXPECT_EQ(spec->Find("MP3-S01"), &clause);
  EXPECT_EQ(spec->Find("MP3-S02"), nullptr);
}

TEST(Spec, ReadsAnyErrorAndMissingProfilesAsEveryProfile) {
  std::string text = Replaced(kClause, "161001", R"("any-error")");
  text = Replaced(text, R"(, "profiles": ["atlas-a2", "ascend-950"])", "");
  const Result<Spec> spec = Spec::Parse(SmallSpec(text));
  ASSERT_TRUE(spec.ok()) << spec.status().message();
  EXPECT_TRUE(spec->clauses().front().expect->any_error);
  for (const ProfileInfo& info : AllProfiles()) {
    EXPECT_TRUE(spec->clauses().front().AppliesTo(info.profile));
  }
}

TEST(Spec, NamesTheClauseAndTheMemberThatIsWrong) {
  EXPECT_THAT(
      ErrorOf(SmallSpec(Replaced(kClause, R"("status", "strength")", R"("opinion", "strength")"))),
      ::testing::AllOf(HasSubstr("/clauses/0/kind"), HasSubstr("\"opinion\"")));
  EXPECT_THAT(ErrorOf(SmallSpec(Replaced(kClause, "required", "strong"))), HasSubstr("strength"));
  EXPECT_THAT(ErrorOf(SmallSpec(Replaced(kClause, "ascend-950", "atlas-a9"))),
              HasSubstr("\"atlas-a9\" is not a profile"));
  EXPECT_THAT(ErrorOf(SmallSpec(Replaced(kClause, R"(["atlas-a2", "ascend-950"])", "[]"))),
              HasSubstr("profiles"));
  EXPECT_THAT(ErrorOf(SmallSpec(Replaced(kClause, R"(["D0"])", R"(["D9"])"))),
              HasSubstr("\"D9\" is not a document"));
  EXPECT_THAT(ErrorOf(SmallSpec(Replaced(kClause, "MaxPool3dWithArgmaxBackward", "AvgPool"))),
              HasSubstr("\"AvgPool\" is not an operator"));
  EXPECT_THAT(ErrorOf(SmallSpec(Replaced(kClause, "161001", "-1"))), HasSubstr("expect"));
  EXPECT_THAT(ErrorOf(SmallSpec(Replaced(kClause, "161001", "\"some\""))), HasSubstr("expect"));
  EXPECT_THAT(ErrorOf(SmallSpec(Replaced(kClause, "161001", "4294967296"))), HasSubstr("expect"));
  EXPECT_THAT(ErrorOf(SmallSpec(Replaced(kClause, R"("expect": {"status": 161001}, )", ""))),
              HasSubstr("\"expect\" is missing"));
  EXPECT_THAT(
      ErrorOf(SmallSpec(Replaced(kClause, R"("statement": "self is a null pointer",)", ""))),
      HasSubstr("\"statement\" is missing"));
  EXPECT_THAT(ErrorOf(SmallSpec(Replaced(kClause, R"("self is a null pointer")", "7"))),
              HasSubstr("/statement: 7 is not a text"));
  EXPECT_THAT(ErrorOf(SmallSpec(
                  Replaced(kClause, R"("id": "MP3-S01",)", R"("id": "MP3-S01", "note": "x",)"))),
              HasSubstr("/note: unknown member"));
}

TEST(Spec, StatusClausesAreDemands) {
  const Spec& spec = Spec::Embedded();
  EXPECT_EQ(DemandText(*spec.Find("MP3-S02")),
            spec.Find("MP3-S02")->statement + " -> 161001 from phase one");
  EXPECT_EQ(DemandText(*spec.Find("MP3-B23")), spec.Find("MP3-B23")->statement);
}

// Beside kClause: what the newest page says of it, and a clause that it alone has.
std::string TwoEditions() {
  return Replaced(kClause, R"("expect": {"status": 161001},)",
                  R"("expect": {"status": 161001}, "newest": {"strength": "advisory",
                     "expect": {"status": "any-error"}, "profiles": ["atlas-a3"]},)") +
         "," +
         Replaced(Replaced(kClause, R"("id": "MP3-S01",)", R"("id": "MP3-S02", "only": "newest",)"),
                  "null-self", "null-indices");
}

TEST(Spec, AnEditionHasItsOwnClauses) {
  const std::string text = SmallSpec(TwoEditions());
  const Result<Spec> seeds = Spec::Parse(text, Edition::kSeeds);
  ASSERT_TRUE(seeds.ok()) << seeds.status().message();
  EXPECT_EQ(seeds->edition(), Edition::kSeeds);
  ASSERT_EQ(seeds->clauses().size(), 1U);
  const Clause& printed = seeds->clauses().front();
  EXPECT_EQ(printed.strength, Strength::kRequired);
  EXPECT_EQ(printed.expect->status, 161001);
  EXPECT_TRUE(printed.AppliesTo(Profile::kAtlasA2));
  EXPECT_EQ(printed.edition, Edition::kSeeds);
  EXPECT_EQ(DemandText(printed), "self is a null pointer -> 161001 from phase one [seeds edition]");

  const Result<Spec> newest = Spec::Parse(text, Edition::kNewest);
  ASSERT_TRUE(newest.ok()) << newest.status().message();
  ASSERT_EQ(newest->clauses().size(), 2U);
  const Clause& today = newest->clauses().front();
  EXPECT_EQ(today.id, "MP3-S01");
  EXPECT_EQ(today.statement, printed.statement);
  EXPECT_EQ(today.strength, Strength::kAdvisory);
  EXPECT_TRUE(today.expect->any_error);
  EXPECT_FALSE(today.AppliesTo(Profile::kAtlasA2));
  EXPECT_TRUE(today.AppliesTo(Profile::kAtlasA3));
  EXPECT_EQ(today.edition, Edition::kNewest);
  EXPECT_EQ(newest->clauses().back().edition, Edition::kNewest);
  // A report names the text that it was judged by.
  EXPECT_NE(seeds->sha256(), newest->sha256());
}

TEST(Spec, RefusesWhatIsNoEdition) {
  EXPECT_THAT(
      ErrorOf(SmallSpec(Replaced(TwoEditions(), R"("only": "newest")", R"("only": "old")"))),
      HasSubstr("/only"));
  EXPECT_EQ(ParseEdition("newest"), Edition::kNewest);
  EXPECT_EQ(ParseEdition("seeds"), Edition::kSeeds);
  EXPECT_EQ(ParseEdition("today"), std::nullopt);
}

TEST(Spec, TheNewestEditionLeavesOutNoClause) {
  const Spec& seeds = Spec::Embedded(Edition::kSeeds);
  const Spec& newest = Spec::Embedded();
  for (const Clause& clause : seeds.clauses()) {
    const Clause* today = newest.Find(clause.id);
    ASSERT_NE(today, nullptr) << clause.id;
    EXPECT_EQ(today->condition, clause.condition) << clause.id;
    EXPECT_EQ(today->operator_name, clause.operator_name) << clause.id;
    // What is not marked is the same in both.
    if (!today->edition) {
      EXPECT_EQ(*today, clause);
    }
  }
  for (const Clause& clause : newest.clauses()) {
    if (seeds.Find(clause.id) == nullptr) {
      EXPECT_EQ(clause.edition, Edition::kNewest) << clause.id;
      EXPECT_TRUE(clause.derived) << clause.id << " is not of the five documents";
    }
  }
}

TEST(Spec, TheNewestPagesOfTheAdaptiveOperatorsNameAscend950) {
  const Spec& seeds = Spec::Embedded(Edition::kSeeds);
  const Spec& newest = Spec::Embedded();
  for (const char* id : {"AMP3-B01", "AMP3-S10", "AMP2-B01", "AMP2-S10", "AMP2-F01"}) {
    EXPECT_FALSE(seeds.Find(id)->AppliesTo(Profile::kAscend950)) << id;
    EXPECT_TRUE(newest.Find(id)->AppliesTo(Profile::kAscend950)) << id;
  }
  EXPECT_TRUE(seeds.Find("AMP2-S49")->AppliesTo(Profile::kAscend950));
  EXPECT_FALSE(newest.Find("AMP2-S49")->AppliesTo(Profile::kAscend950));
  // Of A2 and A3 alone, on both pages.
  EXPECT_FALSE(newest.Find("AMP3-S12")->AppliesTo(Profile::kAscend950));
  for (const char* id : {"AMP3-B30", "AMP3-C01", "AMP3-C02", "MP2-F06", "AMP2-F06"}) {
    EXPECT_EQ(seeds.Find(id), nullptr) << id;
    EXPECT_NE(newest.Find(id), nullptr) << id;
  }
  EXPECT_TRUE(newest.Find("AMP3-B30")->AppliesTo(Profile::kAtlasA2));
  EXPECT_FALSE(newest.Find("AMP3-C01")->AppliesTo(Profile::kAscend950));
  EXPECT_EQ(newest.Find("MP2-F06")->expect->status, 561103);
}

TEST(Spec, RefusesRepetition) {
  EXPECT_THAT(ErrorOf(SmallSpec(std::string(kClause) + "," + kClause)),
              HasSubstr("/clauses/1: id MP3-S01 occurs twice"));
  EXPECT_THAT(ErrorOf(SmallSpec(Replaced(kClause, R"("id": "MP3-S01",)",
                                         R"("id": "MP3-S01", "id": "MP3-S02",)"))),
              HasSubstr("\"id\" is given twice"));
}

TEST(Spec, RefusesWhatIsNoSpec) {
  EXPECT_THAT(ErrorOf(""), HasSubstr("not JSON"));
  EXPECT_THAT(ErrorOf("{\"format\": "), HasSubstr("not JSON"));
  EXPECT_THAT(ErrorOf("[]"), HasSubstr("is not an object"));
  EXPECT_THAT(ErrorOf("{}"), HasSubstr("\"format\" is missing"));
  EXPECT_THAT(ErrorOf(Replaced(SmallSpec(kClause), "clauses/1", "clauses/2")),
              HasSubstr("poolproof-clauses/2"));
  EXPECT_THAT(ErrorOf(Replaced(SmallSpec(kClause), "\"clauses\": [", "\"clauses\": [7,")),
              HasSubstr("/clauses/0"));
}

TEST(Spec, EmbeddedTextIsTheFile) {
  const std::string text = FileText();
  ASSERT_THAT(text, Not(IsEmpty()));
  EXPECT_EQ(Spec::Embedded().sha256(), Sha256Hex(text));
  const Result<Spec> parsed = Spec::Parse(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  EXPECT_EQ(parsed->clauses(), Spec::Embedded().clauses());
  EXPECT_EQ(parsed->documents(), Spec::Embedded().documents());
  EXPECT_EQ(parsed->discrepancies(), Spec::Embedded().discrepancies());
}

TEST(Spec, EmbeddedHoldsWhatCodeRefersTo) {
  const Spec& spec = Spec::Embedded();
  for (const char* id :
       {"MP3-S01",  "MP3-S49",  "MP3-S50",  "MP3-S51",  "MP3-B24",  "MP3-B25",  "MP3-B27",
        "AMP3-S12", "AMP3-S33", "AMP3-B25", "AMP2-S15", "AMP2-S49", "AMP2-C01", "AMP2-C02",
        "2P-05",    "2P-09",    "SAF-04",   "SAF-07",   "EX-D3",    "EX-D4"}) {
    EXPECT_NE(spec.Find(id), nullptr) << id;
  }
  EXPECT_EQ(spec.documents().size(), 12U);
  EXPECT_EQ(spec.discrepancies().size(), 38U);
}

TEST(Spec, ClausesBelongToAnOperatorOrToAll) {
  for (const Clause& clause : Spec::Embedded().clauses()) {
    const std::optional<Operator> op = ParseOperator(clause.operator_name);
    if (!op.has_value() || clause.kind == ClauseKind::kExample) continue;
    EXPECT_EQ(clause.id.rfind(std::string(InfoOf(*op).clause_prefix) + "-", 0), 0U) << clause.id;
  }
}

TEST(Spec, NamesOfStrengthsAndKinds) {
  EXPECT_EQ(StrengthName(Strength::kAdvisory), "advisory");
  EXPECT_EQ(ClauseKindName(ClauseKind::kExample), "example");
}

TEST(Spec, FindsTheClauseOfACondition) {
  const Spec& spec = Spec::Embedded();
  for (const Clause& clause : spec.clauses()) {
    const std::optional<Operator> op = ParseOperator(clause.operator_name);
    if (!op.has_value() || clause.kind == ClauseKind::kExample) continue;
    EXPECT_EQ(spec.Of(*op, clause.condition), &clause) << clause.id;
    EXPECT_EQ(spec.Of(InfoOf(*op).forward, clause.condition), &clause) << clause.id;
  }
  EXPECT_EQ(spec.Of(Operator::kAdaptiveMaxPool2dBackward, Condition::kKernelLength), nullptr);
  EXPECT_THAT(
      ErrorOf(SmallSpec(std::string(kClause) + "," + Replaced(kClause, "MP3-S01", "MP3-S02"))),
      HasSubstr("is that of MP3-S01 already"));
}

TEST(Spec, DerivedClausesSayAsWhatTheyAreJudged) {
  const std::string derived =
      Replaced(kClause, R"("kind": "status")", R"("kind": "derived", "judged_as": "status")");
  const Result<Spec> spec = Spec::Parse(SmallSpec(derived));
  ASSERT_TRUE(spec.ok()) << spec.status().message();
  EXPECT_EQ(KindText(spec->clauses().front()), "derived status");
  EXPECT_THAT(
      ErrorOf(SmallSpec(Replaced(kClause, R"("status", "strength")", R"("derived", "strength")"))),
      HasSubstr("\"judged_as\" is missing"));
}

TEST(Coverage, ReasonsBelongToClauses) {
  EXPECT_TRUE(ReasonNotExercised("EX-D3").has_value());
  EXPECT_FALSE(ReasonNotExercised("SAF-07").has_value());
  EXPECT_FALSE(ReasonNotExercised("MP3-S01").has_value());
  EXPECT_FALSE(ReasonNotExercised("no clause").has_value());
}

}  // namespace
}  // namespace poolproof
