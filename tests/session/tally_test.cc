// SPDX-License-Identifier: Apache-2.0
#include "conformance/tally/tally.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "conformance/judge/prepared_case.h"
#include "conformance/result/facets.h"
#include "conformance/result/gate.h"
#include "conformance/session/recorder.h"
#include "conformance/spec/profile_rules.h"
#include "conformance/tally/assemble.h"
#include "conformance/tally/readings.h"

namespace poolproof {
namespace {

class TallyTest : public testing::Test {
 protected:
  TallyTest() {
    for (const OperatorInfo& info : AllOperators()) capabilities_.operators.push_back(info.op);
    context_.spec = &Spec::Embedded();
    context_.capabilities = &capabilities_;
    context_.reason_not_exercised = [](std::string_view id) -> std::optional<std::string> {
      if (id == "EX-D3") return "needs a compiler";
      return std::nullopt;
    };
    evidence_.cases.assign(context_.spec->clauses().size(), 1);
    evidence_.failures.assign(context_.spec->clauses().size(), 0);
  }
  std::int64_t& Cases(const std::string& id) { return evidence_.cases[Position(id)]; }
  std::int64_t& Failures(const std::string& id) { return evidence_.failures[Position(id)]; }
  ClauseResult ResultOf(const std::string& id) {
    return TallyClauses(context_, evidence_).clauses[Position(id)];
  }
  std::size_t Position(const std::string& id) const {
    return static_cast<std::size_t>(context_.spec->Find(id) - context_.spec->clauses().data());
  }

  Capabilities capabilities_;
  TallyContext context_;
  ClauseEvidence evidence_;
};

TEST_F(TallyTest, EvidencePasses) {
  const Tally tally = TallyClauses(context_, evidence_);
  EXPECT_FALSE(tally.open_required);
  EXPECT_EQ(ResultOf("2P-07").verdict, ClauseVerdict::kPassed);
}

TEST_F(TallyTest, OneFailureIsStrongerThanAnyEvidence) {
  Cases("MP3-B02") = 1000;
  Failures("MP3-B02") = 1;
  EXPECT_EQ(ResultOf("MP3-B02").verdict, ClauseVerdict::kFailed);
}

TEST_F(TallyTest, RequiredClauseWithoutEvidenceLeavesTheRunOpen) {
  Cases("MP3-B02") = 0;
  EXPECT_EQ(ResultOf("MP3-B02").verdict, ClauseVerdict::kNotRun);
  EXPECT_TRUE(TallyClauses(context_, evidence_).open_required);
  evidence_.judged = {Operator::kMaxPool3dWithArgmaxBackward};
  EXPECT_EQ(ResultOf("MP3-B02").verdict, ClauseVerdict::kInconclusive);
  context_.stopped_by = StopReason::kDeadline;
  EXPECT_EQ(ResultOf("MP3-B02").verdict, ClauseVerdict::kNotRun);
}

TEST_F(TallyTest, AdvisoryClauseWithoutEvidenceDoesNot) {
  Cases("EX-D3") = 0;
  EXPECT_EQ(ResultOf("EX-D3").verdict, ClauseVerdict::kNotRun);
  EXPECT_EQ(ResultOf("EX-D3").reason, "needs a compiler");
  EXPECT_FALSE(TallyClauses(context_, evidence_).open_required);
}

TEST_F(TallyTest, ForwardClausesNeedAForwardOrEvidence) {
  std::erase(capabilities_.operators, Operator::kMaxPool3dWithArgmax);
  EXPECT_EQ(ResultOf("MP3-B15").verdict, ClauseVerdict::kPassed);
  Cases("MP3-B15") = 0;
  EXPECT_EQ(ResultOf("MP3-B15").verdict, ClauseVerdict::kNotApplicable);
  EXPECT_FALSE(TallyClauses(context_, evidence_).open_required);
}

TEST_F(TallyTest, ClauseWhoseCasesAreAllOutsideIsUnsupported) {
  Cases("AMP2-S14") = 0;
  evidence_.judged = {Operator::kAdaptiveMaxPool2dBackward};
  evidence_.unsupported = {"AMP2-S14", "AMP2-B01"};
  EXPECT_EQ(ResultOf("AMP2-S14").verdict, ClauseVerdict::kUnsupported);
  EXPECT_EQ(ResultOf("AMP2-B01").verdict, ClauseVerdict::kPassed) << "others prove it";
  EXPECT_FALSE(TallyClauses(context_, evidence_).open_required);
  evidence_.inconclusive["AMP2-S14"] = "the data were too large";
  EXPECT_EQ(ResultOf("AMP2-S14").verdict, ClauseVerdict::kInconclusive) << "one was inside";
}

// A legal call at the limit is accepted; what is beyond it was never asked.
TEST_F(TallyTest, WhereNothingIsRefusedNoClauseOfRefusalsPasses) {
  EXPECT_EQ(ResultOf("AMP2-S33").verdict, ClauseVerdict::kPassed);
  capabilities_.declared.refuses_nothing = true;
  EXPECT_EQ(ResultOf("AMP2-S33").verdict, ClauseVerdict::kUnsupported);
  EXPECT_EQ(ResultOf("AMP2-B01").verdict, ClauseVerdict::kPassed);
  EXPECT_EQ(ResultOf("2P-04").verdict, ClauseVerdict::kPassed) << "empty tensors may be refused";
  Cases("2P-04") = 0;
  EXPECT_EQ(ResultOf("2P-04").verdict, ClauseVerdict::kUnsupported);
  EXPECT_FALSE(TallyClauses(context_, evidence_).open_required);
}

TEST_F(TallyTest, AForwardWithoutItsBackwardAnswersItsClauses) {
  capabilities_.operators = {Operator::kMaxPool2dWithIndices};
  EXPECT_EQ(ResultOf("MP2-F02").verdict, ClauseVerdict::kPassed);
  EXPECT_EQ(ResultOf("MP2-B15").verdict, ClauseVerdict::kPassed);
  EXPECT_EQ(ResultOf("MP2-B01").verdict, ClauseVerdict::kUnsupported);
  EXPECT_EQ(ResultOf("MP3-F02").verdict, ClauseVerdict::kUnsupported);
}

TEST_F(TallyTest, AForwardThatDoesNotAnswerLeavesItsClausesOpen) {
  EXPECT_EQ(ResultOf("AMP2-B04").verdict, ClauseVerdict::kPassed);
  Failures("AMP2-F01") = 1;
  EXPECT_EQ(ResultOf("AMP2-F01").verdict, ClauseVerdict::kFailed);
  EXPECT_EQ(ResultOf("AMP2-B04").verdict, ClauseVerdict::kInconclusive);
  EXPECT_EQ(ResultOf("AMP2-B04").reason,
            "aclnnAdaptiveMaxPool2d does not answer every valid call (AMP2-F01)");
  EXPECT_EQ(ResultOf("AMP3-B04").verdict, ClauseVerdict::kPassed);
  EXPECT_TRUE(TallyClauses(context_, evidence_).open_required);
  Failures("AMP2-B04") = 1;
  EXPECT_EQ(ResultOf("AMP2-B04").verdict, ClauseVerdict::kFailed);
}

TEST_F(TallyTest, AForwardThatMissesMaximaLeavesOpenWhatItsWindowsCover) {
  Failures("AMP2-F02") = 1;
  EXPECT_EQ(ResultOf("AMP2-B04").verdict, ClauseVerdict::kInconclusive);
  EXPECT_EQ(ResultOf("AMP2-B04").reason,
            "aclnnAdaptiveMaxPool2d does not find the maximum of every window (AMP2-F02)");
  EXPECT_EQ(ResultOf("AMP3-B04").verdict, ClauseVerdict::kPassed);
}

// The clause on answers is advisory: one call that is not answered leaves no required one open.
TEST_F(TallyTest, AForwardThatAnswersTheOthersLeavesOpenWhatItNeverAnswers) {
  evidence_.proof.assign(context_.spec->clauses().size(), Proof());
  Cases("AMP2-F01") = 9;
  Failures("AMP2-F01") = 1;
  EXPECT_EQ(ResultOf("AMP2-F01").verdict, ClauseVerdict::kFailed);
  EXPECT_EQ(ResultOf("AMP2-B04").verdict, ClauseVerdict::kPassed);
  EXPECT_FALSE(TallyClauses(context_, evidence_).open_required);
  Proof& answered = evidence_.proof[Position("AMP2-F02")];
  const auto unbatched = static_cast<std::size_t>(Facet::kUnbatched);
  answered.withheld[unbatched] = 3;
  EXPECT_EQ(ResultOf("AMP2-B04").verdict, ClauseVerdict::kInconclusive);
  EXPECT_THAT(ResultOf("AMP2-B04").reason, testing::HasSubstr("not shown for calls with "));
  answered.shown[unbatched] = 1;
  EXPECT_EQ(ResultOf("AMP2-B04").verdict, ClauseVerdict::kPassed);
}

TEST_F(TallyTest, NoteOfTheCaseThatWasMadeForIt) {
  Cases("MP3-S40") = 0;
  evidence_.inconclusive["MP3-S40"] = "the data were too large";
  EXPECT_EQ(ResultOf("MP3-S40").verdict, ClauseVerdict::kInconclusive);
  EXPECT_EQ(ResultOf("MP3-S40").reason, "the data were too large");
}

// A case that fails for an unknown reason may fail for the clause's.
TEST_F(TallyTest, ClausesInDoubtAreNotPassed) {
  evidence_.not_looked_into.assign(context_.spec->clauses().size(), 0);
  evidence_.not_looked_into[Position("MP3-B21")] = 3;
  evidence_.not_looked_into[Position("MP3-B01")] = 2;
  Failures("MP3-B01") = 1;
  EXPECT_EQ(ResultOf("MP3-B21").verdict, ClauseVerdict::kInconclusive);
  EXPECT_EQ(ResultOf("MP3-B21").not_looked_into, 3);
  EXPECT_EQ(ResultOf("MP3-B01").verdict, ClauseVerdict::kFailed);
  EXPECT_EQ(ResultOf("MP3-B01").not_looked_into, 2);
  EXPECT_EQ(ResultOf("MP3-B20").verdict, ClauseVerdict::kPassed);
}

class ReadingsTest : public testing::Test {
 protected:
  static CaseClass Class(const std::string& clause, FindingKind kind, std::uint32_t features,
                         const std::string& family = "family") {
    CaseClass result;
    result.state = CaseState::kFailed;
    result.blames = {{kind, {clause}}};
    result.features = features;
    result.signature = "MaxPool3dWithArgmaxBackward:" + std::string(FindingKindName(kind)) + ":" +
                       clause + ":" + family;
    return result;
  }
  void Learn(const CaseClass& kind, const std::string& clause) {
    Verdict& verdict = verdicts_.emplace_back();
    verdict.kind = VerdictKind::kFailed;
    verdict.findings = {{{clause}, kind.blames.front().kind, "", std::nullopt}};
    readings_.Learn(kind, verdict);
  }
  std::set<std::string> Read(const CaseClass& kind) { return ClausesOf(readings_.Read(kind)); }

  std::list<Verdict> verdicts_;
  Readings readings_{ProfileRules(Spec::Embedded(), Profile::kAtlasA2)};
};

TEST_F(ReadingsTest, SymptomsAreReadLikeTheirFirst) {
  const CaseClass view = Class("MP3-B01", FindingKind::kContributionMoved, kFeatureView);
  Learn(view, "MP3-B21");
  EXPECT_EQ(Read(view), std::set<std::string>{"MP3-B21"});
  EXPECT_TRUE(readings_.NotLookedInto(view).empty());
  const CaseClass elsewhere =
      Class("MP3-B01", FindingKind::kContributionMoved, kFeatureView, "other");
  EXPECT_EQ(Read(elsewhere), std::set<std::string>{"MP3-B21"});
  const CaseClass plain = Class("MP3-B01", FindingKind::kContributionMoved, 0);
  EXPECT_EQ(ClausesOf(readings_.Guess(plain)), std::set<std::string>{"MP3-B01"})
      << "no feature explains it";
}

// A run that ended early, or that had too few starts to investigate all: what is left is a failing
// case, and an open question of its clauses.
TEST_F(ReadingsTest, NoClauseIsChargedByAGuess) {
  const CaseClass lost = Class("MP3-B01", FindingKind::kContributionMoved, kFeatureView);
  EXPECT_EQ(Read(lost), std::set<std::string>{});
  EXPECT_EQ(readings_.NotLookedInto(lost), (std::set<std::string>{"MP3-B01", "MP3-B21"}));
  const CaseClass refused = Class("2P-02", FindingKind::kRefused, kFeatureHalf);
  EXPECT_EQ(Read(refused), std::set<std::string>{"2P-02"}) << "a valid call that does not succeed";
  for (const FindingKind kind : {FindingKind::kWroteOutside, FindingKind::kTimedOut}) {
    EXPECT_EQ(Read(Class("SAF-01", kind, 0)), std::set<std::string>{"SAF-01"})
        << "no contrast is needed";
  }
  EXPECT_EQ(Read(Class("MP3-S40", FindingKind::kAccepted, 0)), std::set<std::string>{"MP3-S40"});
  Learn(Class("MP3-B02", FindingKind::kWrongSum, 0), "MP3-B02");
  EXPECT_EQ(Read(lost), std::set<std::string>{});
  Learn(Class("MP3-B01", FindingKind::kContributionMoved, 0), "MP3-B01");
  EXPECT_EQ(Read(Class("MP3-B01", FindingKind::kContributionMoved, kFeatureHalf)),
            std::set<std::string>{"MP3-B01"})
      << "confirmed by the same findings";
}

// A forward breaches no clause of its backward.
TEST_F(ReadingsTest, ForwardsLeaveNoClauseOfBackwardsInDoubt) {
  CaseClass refused = Class("MP3-F04", FindingKind::kRefused, kFeatureView);
  refused.op = Operator::kMaxPool3dWithArgmax;
  EXPECT_EQ(readings_.NotLookedInto(refused), std::set<std::string>{"MP3-F04"});
}

// What shows in every call is charged where it shows, and makes no other symptom of the answers.
TEST_F(ReadingsTest, SideEffectsAreReadWhereTheyShow) {
  CaseClass beside = Class("MP3-B01", FindingKind::kContributionMoved, kFeatureView);
  Learn(beside, "MP3-B21");
  beside.blames.push_back({FindingKind::kInputChanged, {"SAF-02"}});
  EXPECT_EQ(Read(beside), (std::set<std::string>{"MP3-B21", "SAF-02"}));
  EXPECT_TRUE(readings_.NotLookedInto(beside).empty());
}

// Runs that differ since one of them is wrong are no matter of determinism, unless a case that was
// investigated says so.
TEST_F(ReadingsTest, RunsThatAreWrongAndDifferAreChargedByNoGuess) {
  CaseClass differ = Class("MP3-B01", FindingKind::kContributionMoved, 0);
  Learn(differ, "2P-07");
  differ.blames.push_back({FindingKind::kNotRepeatable, {"MP3-B30"}});
  EXPECT_EQ(Read(differ), std::set<std::string>{"2P-07"});
  EXPECT_EQ(Read(Class("MP3-B30", FindingKind::kNotRepeatable, 0)),
            std::set<std::string>{"MP3-B30"});
  Learn(Class("MP3-B30", FindingKind::kNotRepeatable, kFeatureHalf), "MP3-B30");
  EXPECT_EQ(Read(differ), (std::set<std::string>{"2P-07", "MP3-B30"}));
}

// The earlier calls that a case was found to need may be the ones with the fault.
TEST_F(ReadingsTest, ClausesOfOperatorsThatACaseDoesNotCallAreNoReading) {
  CaseClass refused = Class("2P-02", FindingKind::kRefused, kFeatureHalf);
  Learn(refused, "AMP2-B22");
  EXPECT_EQ(Read(refused), std::set<std::string>{"2P-02"});
  Learn(Class("2P-02", FindingKind::kRefused, kFeatureHalf | kFeatureView), "MP3-B22");
  EXPECT_EQ(Read(refused), std::set<std::string>{"MP3-B22"});
}

TEST_F(ReadingsTest, OtherSymptomsLeaveTheirClausesInDoubt) {
  Learn(Class("MP3-B01", FindingKind::kContributionMoved, kFeatureIndicesView), "MP3-B21");
  const CaseClass crash = Class("2P-02", FindingKind::kCrashed, kFeatureView | kFeatureHalf);
  EXPECT_EQ(Read(crash), std::set<std::string>{"MP3-B21"})
      << "a breach that is known is a better guess than one of every call";
  EXPECT_EQ(readings_.NotLookedInto(crash), (std::set<std::string>{"2P-02", "MP3-B21", "MP3-B22"}));
  EXPECT_TRUE(
      readings_.NotLookedInto(Class("MP3-S40", FindingKind::kAccepted, kFeatureView)).empty())
      << "its clause is plain";
}

TEST_F(ReadingsTest, TheSameFindingsElsewhereAreABetterGuess) {
  Learn(Class("AMP3-B25", FindingKind::kOutParameter, kFeatureIndicesView), "2P-01");
  Learn(Class("2P-02", FindingKind::kCrashed, kFeatureUnbatched), "MP3-B20");
  Learn(Class("2P-02", FindingKind::kCrashed, kFeatureView), "MP3-B21");
  EXPECT_EQ(Read(Class("AMP3-B25", FindingKind::kOutParameter, kFeatureView)),
            std::set<std::string>{"2P-01"});
  EXPECT_EQ(Read(Class("2P-02", FindingKind::kCrashed, kFeatureView | kFeatureHalf)),
            std::set<std::string>{"MP3-B21"})
      << "it has a batch axis";
}

// A clause that is accused by readings alone is investigated before it fails.
TEST_F(ReadingsTest, GuessesAreNamedUntilACaseConfirmsThem) {
  const ProfileRules rules(Spec::Embedded(), Profile::kAtlasA2);
  const CaseClass view = Class("MP3-B21", FindingKind::kContributionMoved, kFeatureView);
  const CaseClass sum = Class("MP3-B02", FindingKind::kWrongSum, 0);
  const CaseClass half = Class("MP3-B02", FindingKind::kWrongSum, kFeatureHalf);
  const CaseClass plain = Class("MP3-S40", FindingKind::kAccepted, 0);
  CaseClass hung = Class("2P-02", FindingKind::kTimedOut, 0);
  hung.end = End::kTimedOut;
  Refinement found;
  found.verdict.kind = VerdictKind::kFailed;
  found.verdict.findings = {{{"MP3-B21"}, FindingKind::kContributionMoved, "", std::nullopt}};
  std::vector<FailedReading> cases = {{1, &view, &found}, {2, &view}, {3, &sum, nullptr, false},
                                      {4, &sum},          {5, &sum},  {6, &half},
                                      {7, &plain},        {8, &hung}};
  EXPECT_EQ(UnconfirmedReadings(rules, cases, {}), (std::vector<std::int64_t>{4, 6}))
      << "one of each symptom that can be investigated";
  EXPECT_EQ(UnconfirmedReadings(rules, cases, {4, 6}), std::vector<std::int64_t>{5});
  Refinement merged = found;
  merged.verdict.findings.front() = {{"MP3-B02"}, FindingKind::kWrongSum, "", std::nullopt};
  cases[3].refined = &merged;
  EXPECT_TRUE(UnconfirmedReadings(rules, cases, {}).empty());
}

TEST(Properties, VerdictFollowsFromTheCounts) {
  const auto verdict = [](const PropertyEvidence& evidence, bool partial) {
    const PropertyResult result = TallyProperty(Relation::kScaling, evidence, partial);
    EXPECT_EQ(result.relation, Relation::kScaling);
    EXPECT_EQ(result.reason.empty(),
              result.verdict == ClauseVerdict::kPassed || result.verdict == ClauseVerdict::kFailed);
    return result.verdict;
  };
  EXPECT_EQ(verdict({.cases = 3, .discarded = 2}, false), ClauseVerdict::kPassed);
  EXPECT_EQ(verdict({.cases = 3, .failures = 1}, false), ClauseVerdict::kFailed);
  EXPECT_EQ(verdict({.discarded = 2}, false), ClauseVerdict::kInconclusive);
  EXPECT_EQ(verdict({.unsupported = 2}, false), ClauseVerdict::kUnsupported);
  EXPECT_EQ(verdict({}, true), ClauseVerdict::kNotRun);
  EXPECT_EQ(verdict({}, false), ClauseVerdict::kNotApplicable);
}

TEST_F(TallyTest, PassedClausesSayWhatTheirEvidenceLacked) {
  evidence_.traits.assign(context_.spec->clauses().size(), 0);
  std::uint32_t& traits = evidence_.traits[Position("MP3-B02")];
  traits = kTraitMerge | kTraitPlanes | kTraitFloat;
  EXPECT_EQ(ResultOf("MP3-B02").weak,
            (std::vector<std::string>{"exact-data-only", "contiguous-only", "one-type-only"}));
  traits |= kTraitInexact | kTraitView | kTraitBfloat;
  EXPECT_TRUE(ResultOf("MP3-B02").weak.empty());
  EXPECT_EQ(ResultOf("MP3-B01").weak,
            (std::vector<std::string>{"one-window-per-cell", "contiguous-only", "one-plane-only",
                                      "one-type-only"}));
  EXPECT_TRUE(ResultOf("MP3-S40").weak.empty()) << "status clauses need no numbers";
  Failures("MP3-B01") = 1;
  EXPECT_TRUE(ResultOf("MP3-B01").weak.empty());
}

TEST_F(TallyTest, RefusalsProveNothingBesideARefusedNeighbour) {
  evidence_.proof.assign(context_.spec->clauses().size(), Proof());
  Cases("MP3-S40") = 0;
  Proof& proof = evidence_.proof[Position("MP3-S40")];
  proof.beside_refusals = 4;
  EXPECT_EQ(ResultOf("MP3-S40").verdict, ClauseVerdict::kInconclusive);
  EXPECT_EQ(ResultOf("MP3-S40").reason, "it refuses the legal neighbour too");
  Cases("MP3-S40") = 2;
  proof.bases = {"f32-i32-batched-contiguous"};
  EXPECT_EQ(ResultOf("MP3-S40").verdict, ClauseVerdict::kPassed);
  EXPECT_EQ(ResultOf("MP3-S40").proven_by, std::vector<std::string>{"f32-i32-batched-contiguous"});
}

// A library that refuses a legal call with one status answers a call that differs from it in a
// fault with the same: that is no wrong answer to the fault.
TEST_F(TallyTest, AStatusThatTheLegalNeighbourGetsTooIsNotBlamedOnTheFault) {
  constexpr Operator kOp = Operator::kMaxPool3dWithArgmaxBackward;
  const auto verdict_of = [&](Answer answer, const std::string& status, const std::string& base,
                              const std::string& clause = "MP3-S30") {
    CaseClass wrong;
    wrong.state = CaseState::kFailed;
    wrong.op = kOp;
    wrong.operators = {kOp};
    wrong.signature = "wrong status";
    wrong.blames = {{FindingKind::kWrongStatus, {clause}}};
    wrong.base = base;
    ShardRecord record;
    record.acceptance = {{"X/accepted/plain", kOp, 0, answer, status}};
    record.classes = {wrong};
    record.cases = {{0, 0}};
    const RunFrame frame = {.spec = Spec::Embedded(),
                            .capabilities = capabilities_,
                            .planned = 1,
                            .reason_not_exercised = context_.reason_not_exercised};
    const Result<Report> report = AssembleReport(frame, {{0, &record}}, 1, Report());
    EXPECT_TRUE(report.ok());
    if (report.ok() && report->summary.inconclusive > 0) {
      EXPECT_EQ(report->summary.inconclusive_by.size(), 1U);
      EXPECT_EQ(report->summary.inconclusive_by.front().cases, 1);
    }
    return report.ok() ? report->clauses[Position(clause)] : ClauseResult();
  };
  for (const char* base : {"X/accepted/plain", ""}) {
    const ClauseResult open = verdict_of(Answer::kRefused, "561002", base);
    EXPECT_EQ(open.verdict, ClauseVerdict::kInconclusive) << base;
    EXPECT_EQ(open.reason, "it refuses the legal neighbour too");
    EXPECT_EQ(verdict_of(Answer::kRefused, "161002", base).verdict, ClauseVerdict::kFailed);
    EXPECT_EQ(verdict_of(Answer::kRight, "", base).verdict, ClauseVerdict::kFailed);
    EXPECT_EQ(verdict_of(Answer::kEnded, "signal 11", base).verdict, ClauseVerdict::kFailed);
    EXPECT_EQ(verdict_of(Answer::kRefused, "561002", base, "MP3-S01").verdict,
              ClauseVerdict::kFailed)
        << "a null is owed its code whatever else is refused";
  }
}

// What every call of a type fails, no call of that type shows.
TEST_F(TallyTest, AClauseIsOpenWhereAllCallsOfAFacetFail) {
  evidence_.proof.assign(context_.spec->clauses().size(), Proof());
  Proof& proof = evidence_.proof[Position("MP3-B02")];
  const auto bfloat = static_cast<std::size_t>(Facet::kBfloat);
  proof.withheld[bfloat] = 7;
  EXPECT_EQ(ResultOf("MP3-B02").verdict, ClauseVerdict::kInconclusive);
  EXPECT_EQ(ResultOf("MP3-B02").reason,
            "not shown for calls with bf16 values: every case that tests it there fails");
  proof.beside_refusals = 1;
  proof.refused = BitOf(Facet::kHalf);
  EXPECT_EQ(ResultOf("MP3-B02").reason,
            "not shown for calls with bf16 values: every case that tests it there fails")
      << "what it refuses are other calls";
  proof.refused |= BitOf(Facet::kBfloat);
  EXPECT_EQ(ResultOf("MP3-B02").reason,
            "not shown for calls with bf16 values: it refuses the legal neighbour too");
  proof.shown[bfloat] = 1;
  EXPECT_EQ(ResultOf("MP3-B02").verdict, ClauseVerdict::kPassed);
  proof.withheld_by[Operator::kAdaptiveMaxPool2dBackward] = 1;
  EXPECT_EQ(ResultOf("MP3-B02").verdict, ClauseVerdict::kPassed) << "a clause of one operator";
  Proof& general = evidence_.proof[Position("SAF-01")];
  general.withheld_by[Operator::kAdaptiveMaxPool2dBackward] = 1;
  EXPECT_EQ(ResultOf("SAF-01").verdict, ClauseVerdict::kInconclusive);
  general.shown_by[Operator::kAdaptiveMaxPool2dBackward] = 1;
  EXPECT_EQ(ResultOf("SAF-01").verdict, ClauseVerdict::kPassed);
}

// A confirmed root cause says why no call of the type shows it; calls of the others do.
TEST_F(TallyTest, APartThatIsExplainedLeavesTheOthersToDecide) {
  evidence_.proof.assign(context_.spec->clauses().size(), Proof());
  Proof& proof = evidence_.proof[Position("MP3-B02")];
  proof.withheld[static_cast<std::size_t>(Facet::kBfloat)] = 7;
  ASSERT_EQ(OpenHoles(context_, evidence_).size(), 1U);
  proof.explained = BitOf(Facet::kBfloat);
  EXPECT_TRUE(OpenHoles(context_, evidence_).empty());
  EXPECT_EQ(ResultOf("MP3-B02").verdict, ClauseVerdict::kPassed);
  EXPECT_THAT(ResultOf("MP3-B02").weak, testing::Contains("part-not-shown"));
  proof.withheld[static_cast<std::size_t>(Facet::kInt64)] = 1;
  EXPECT_EQ(ResultOf("MP3-B02").verdict, ClauseVerdict::kInconclusive) << "another part";
  Cases("MP3-B02") = 0;
  EXPECT_NE(ResultOf("MP3-B02").verdict, ClauseVerdict::kPassed) << "nothing shows it";
}

// An executor that is run again and fails each time leaves open what is said of results that depend
// on the operands alone, and nothing else.
TEST_F(TallyTest, WhatAPlanAsksForIsShownByCallsOfThatPlan) {
  evidence_.proof.assign(context_.spec->clauses().size(), Proof());
  for (const char* id : {"2P-07", "2P-02", "MP3-B01"}) {
    Cases(id) = 9;
    evidence_.proof[Position(id)].withheld[static_cast<std::size_t>(Facet::kRunAgain)] = 2;
  }
  EXPECT_EQ(ResultOf("2P-07").verdict, ClauseVerdict::kInconclusive);
  EXPECT_EQ(
      ResultOf("2P-07").reason,
      "not shown for calls with an executor that runs again: every case that tests it there fails");
  EXPECT_EQ(ResultOf("2P-02").verdict, ClauseVerdict::kPassed);
  EXPECT_EQ(ResultOf("MP3-B01").verdict, ClauseVerdict::kPassed);
}

// A sequence with a call that is accepted though forbidden: what that call is of, no legal one is.
TEST(Facets, AreThoseOfTheLegalCalls) {
  const Spec& spec = Spec::Embedded();
  NamedCase named;
  Call call = MakeAdaptiveBackward(Operator::kAdaptiveMaxPool3dBackward, DataType::kFloat,
                                   DataType::kInt32, {1, 2, 3, 4}, {1, 1, 2});
  Call other = call;
  for (const Role role : InfoOf(other.op).tensors) other.tensor(role).format = Format::kFractalZ;
  named.problem.calls = {call, other};
  const PreparedCase prepared =
      Prepare(ProfileRules(spec, Profile::kAtlasA2), named.problem).value();
  Verdict verdict;
  verdict.kind = VerdictKind::kFailed;
  verdict.findings = {{{"AMP3-S20"}, FindingKind::kAccepted, "", std::nullopt}};
  verdict.withheld = {"AMP3-B01"};
  const auto facets_of = [&](const PreparedCase& of) {
    return MakeCaseResult(spec, 0, named, of, "", End::kReturned, verdict).kind.facets;
  };
  EXPECT_EQ(facets_of(prepared), FacetsOf(call) | BitOf(Facet::kBehindOthers));
  named.problem.calls = {other};
  const PreparedCase alone = Prepare(ProfileRules(spec, Profile::kAtlasA2), named.problem).value();
  EXPECT_EQ(facets_of(alone), FacetsOf(other)) << "of a case without legal calls those of all";
}

TEST(Acceptance, IsToldByWhatTheRefusedCallsShare) {
  const auto row = [](Facets facets, Answer answer, std::string detail) {
    return AcceptedCall{"X/accepted/" + std::to_string(facets),
                        Operator::kAdaptiveMaxPool2dBackward, facets, answer, std::move(detail)};
  };
  const Facets f32 = BitOf(Facet::kFloat);
  const Facets i32 = BitOf(Facet::kInt32);
  const Facets i64 = BitOf(Facet::kInt64);
  EXPECT_TRUE(DescribeAcceptance(std::vector{row(f32 | i32, Answer::kRight, "")}).empty());
  EXPECT_EQ(DescribeAcceptance(std::vector{row(f32 | i32, Answer::kRefused, "161002"),
                                           row(f32 | i64, Answer::kAccepted, "")}),
            std::vector<std::string>{"AdaptiveMaxPool2dBackward: 1 of 2 accepted; every call with "
                                     "i32 indices is refused with 161002"});
  EXPECT_EQ(DescribeAcceptance(std::vector{row(f32 | i32, Answer::kRefused, "161002"),
                                           row(f32 | i64, Answer::kEnded, "signal 11")}),
            std::vector<std::string>{"AdaptiveMaxPool2dBackward: 0 of 2 accepted; every call is "
                                     "refused with 161002 or ends with SIGSEGV (signal 11)"});
  EXPECT_EQ(DescribeAcceptance(std::vector{row(f32 | i32, Answer::kNotAsked, ""),
                                           row(f32 | i64, Answer::kEnded, "signal 11")}),
            std::vector<std::string>{"AdaptiveMaxPool2dBackward: 0 of 2 accepted; every call ends "
                                     "with SIGSEGV (signal 11) or was not asked"});
  EXPECT_EQ(
      DescribeAcceptance(std::vector{row(f32 | i32, Answer::kRight, ""),
                                     row(f32 | i32, Answer::kRefused, "161002"),
                                     row(f32 | i32, Answer::kRefused, "161002")}),
      std::vector<std::string>{"AdaptiveMaxPool2dBackward: 1 of 3 accepted; each of 2 calls is "
                               "refused with 161002, such as " +
                               std::to_string(f32 | i32)});
}

TEST(Standards, SubnormalsAreToldByWhereTheyArrive) {
  SumFacts facts;
  EXPECT_EQ(SubnormalsText(facts), "");
  facts.subnormals = {{{7, 0}, {3, 0}, {}}};
  EXPECT_EQ(SubnormalsText(facts), "kept");
  facts.subnormals = {{{0, 1}, {}, {0, 3}}};
  EXPECT_EQ(SubnormalsText(facts), "flushed");
  facts.subnormals = {{{7, 0}, {}, {2, 3}}};
  facts.both = 1;
  EXPECT_EQ(
      SubnormalsText(facts),
      "where windows do not overlap: 7 kept; where several gradients are added: 2 kept, 3 flushed; "
      "both in 1 results");
}

TEST(Standards, AreClaimedWhereAProbeTellsThemApart) {
  SumFacts facts{.type = DataType::kFloat16, .sums = 100};
  const SumProbe storage{.type = DataType::kFloat16, .accumulation = "acc-storage"};
  const SumProbe wide{.type = DataType::kFloat16, .accumulation = "acc32"};
  const SumProbe once{.type = DataType::kFloat16, .accumulation = "acc32", .rounds_once = true};
  EXPECT_EQ(StandardOf(storage, facts), "acc-storage")
      << "sums that happen to be right prove little";
  EXPECT_EQ(StandardOf(wide, facts), "acc32");
  EXPECT_EQ(StandardOf(once, facts), "correctly-rounded");
  facts.misrounded = 1;
  EXPECT_EQ(StandardOf(once, facts), "acc32");
  facts.beyond_acc32 = 1;
  EXPECT_EQ(StandardOf(wide, facts), "acc-storage");
  facts.out_of_bound = 1;
  EXPECT_EQ(StandardOf(wide, facts), "none");
  EXPECT_EQ(StandardOf(wide, {}), std::nullopt);
  const SumFacts single{.type = DataType::kFloat, .sums = 100, .misrounded = 7};
  EXPECT_EQ(StandardOf({.type = DataType::kFloat, .accumulation = "acc-storage"}, single), "acc32");
}

struct ExitRow {
  const char* what;
  bool error;
  bool required_failure;
  bool judged;
  bool full;
  bool open;
  bool stopped;
  int expected;
};

class ExitStatusTest : public testing::TestWithParam<ExitRow> {};

TEST_P(ExitStatusTest, FollowsTheTable) {
  const ExitRow& row = GetParam();
  Report report;
  if (row.error) report.error = "no worker";
  if (row.required_failure) {
    report.clauses.push_back({"X", Strength::kRequired, ClauseVerdict::kFailed, 1, 1, ""});
  }
  report.clauses.push_back({"Y", Strength::kAdvisory, ClauseVerdict::kFailed, 1, 1, ""});
  report.summary.cases = 3;
  report.summary.passed = row.judged ? 3 : 0;
  report.summary.unsupported = row.judged ? 0 : 3;
  report.run.scope = row.full ? RunScope::kFull : RunScope::kSelected;
  report.run.stopped_by = row.stopped ? StopReason::kDeadline : StopReason::kNone;
  report.verdict = DecideRun(report, row.open);
  EXPECT_EQ(ExitStatusOf(report), row.expected) << row.what;
}

INSTANTIATE_TEST_SUITE_P(
    Table, ExitStatusTest,
    testing::Values(
        ExitRow{"full, all answered", false, false, true, true, false, false, 0},
        ExitRow{"full, a required clause open", false, false, true, true, true, false, 4},
        ExitRow{"selected, a required clause open", false, false, true, false, true, false, 0},
        ExitRow{"selected, cut short", false, false, true, false, false, true, 4},
        ExitRow{"nothing judged", false, false, false, true, false, false, 4},
        ExitRow{"1 beats 4", false, true, true, true, true, true, 1},
        ExitRow{"3 beats 1", true, true, true, true, true, true, 3},
        ExitRow{"3 beats 4", true, false, false, true, true, false, 3}));

TEST(Gate, AShardIsAnsweredByItsOwnFailures) {
  Report report;
  report.clauses.push_back({"X", Strength::kRequired, ClauseVerdict::kNotRun, 0, 0, ""});
  report.summary.cases = report.summary.passed = 3;
  report.run.shards.front().index = 1;
  report.run.shards.front().of = 4;
  report.run.is_shard = true;
  report.run.stopped_by = StopReason::kMissingShards;
  report.verdict = DecideRun(report, /*open_required=*/true);
  EXPECT_EQ(report.verdict, RunVerdict::kIncomplete);
  EXPECT_EQ(GateOf(report).exit_status, 0);
  EXPECT_THAT(GateOf(report).reasons,
              testing::ElementsAre(testing::HasSubstr("shard 1 of 4 judged all its cases")));
  report.run.stopped_by = StopReason::kDeadline;
  EXPECT_EQ(GateOf(report).exit_status, 4) << "it was cut off";
  report.run.stopped_by = StopReason::kMissingShards;
  report.run.is_shard = false;
  EXPECT_EQ(GateOf(report).exit_status, 4) << "merged of some shards";
  report.run.is_shard = true;
  report.clauses.front() = {"X", Strength::kRequired, ClauseVerdict::kFailed, 1, 1, ""};
  report.verdict = DecideRun(report, /*open_required=*/true);
  EXPECT_EQ(GateOf(report).exit_status, 1);
  EXPECT_THAT(GateOf(report).reasons, testing::ElementsAre("required clauses failed: X"));
}

// Root causes explain a verdict, which a run must not lose with them.
TEST_F(TallyTest, ARunHasItsReportWhereMemoryDoesNotSufficeForRootCauses) {
  CaseSources sources;
  Case problem;
  problem.calls = {MakeAdaptiveBackward(Operator::kAdaptiveMaxPool2dBackward, DataType::kFloat,
                                        DataType::kInt32, {1, 1, 2, 2}, {1, 1})};
  sources.fixed = {{"status", "a", std::move(problem)}};
  const TestPlan plan(std::move(sources), std::nullopt, std::nullopt);
  CaseClass wrong;
  wrong.state = CaseState::kFailed;
  wrong.op = Operator::kAdaptiveMaxPool2dBackward;
  wrong.operators = {wrong.op};
  wrong.signature = "wrong status";
  wrong.blames = {{FindingKind::kWrongStatus, {"AMP2-S01"}}};
  ShardRecord record;
  record.classes = {wrong};
  record.cases = {{0, 0}};
  const RunFrame frame = {
      .spec = Spec::Embedded(),
      .capabilities = capabilities_,
      .planned = 1,
      .reason_not_exercised = context_.reason_not_exercised,
      .plan = &plan,
      .explain = [](const CauseEvidence&, const Report&) -> RootCauses { throw std::bad_alloc(); }};
  const Result<Report> report = AssembleReport(frame, {{0, &record}}, 1, Report());
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(report->verdict, RunVerdict::kNonconformant);
  EXPECT_EQ(report->clauses[Position("AMP2-S01")].verdict, ClauseVerdict::kFailed);
  EXPECT_TRUE(report->root_causes.empty());
  EXPECT_EQ(report->unexplained, 1);
}

// Calls of another operator may fail as a cause says and breach a clause that only theirs has.
TEST_F(TallyTest, ACauseExplainsCallsOfTheOperatorsThatWereInvestigated) {
  constexpr Operator kPlanes = Operator::kAdaptiveMaxPool2dBackward;
  constexpr Operator kVolumes = Operator::kAdaptiveMaxPool3dBackward;
  CaseSources sources;
  ShardRecord record;
  for (const auto& [op, id] : {std::pair(kPlanes, "AMP2-B01"), std::pair(kVolumes, "AMP3-B01")}) {
    CaseClass right;
    right.op = op;
    right.operators = {op};
    right.evidence = {id};
    CaseClass wrong = right;
    wrong.evidence = {};
    wrong.state = CaseState::kFailed;
    wrong.signature = "wrong";
    wrong.blames = {{FindingKind::kWrongSum, {id}}};
    record.classes.push_back(right);
    record.classes.push_back(wrong);
  }
  record.classes.push_back(record.classes.back());
  record.classes.back().blames = {{FindingKind::kWroteOutside, {"SAF-01"}}};
  for (std::int64_t number = 0; number < 40; ++number) {
    const bool volume = number % 2 != 0;
    const std::int64_t width = 2 + number / 2;
    Case problem;
    problem.calls = {MakeAdaptiveBackward(volume ? kVolumes : kPlanes, DataType::kFloat,
                                          DataType::kInt32,
                                          volume ? Dims{1, 1, 1, 2, width} : Dims{1, 1, 2, width},
                                          volume ? Dims{1, 1, 1} : Dims{1, 1})};
    const bool fails = width >= 12;
    // One call of a volume was seen to write outside, which is no clause of volumes.
    const bool writes = volume && width == 12;
    record.cases.push_back({number, writes ? 4U : (volume ? 2U : 0U) + (fails ? 1U : 0U)});
    if (fails && !volume) {
      FailedCase failed;
      failed.number = number;
      failed.problem = problem;
      failed.verdict.kind = VerdictKind::kFailed;
      failed.verdict.findings = {{{"AMP2-B01"}, FindingKind::kWrongSum, "", std::nullopt}};
      failed.refined = Refinement{problem, failed.verdict, {}, {}};
      record.failures.push_back(std::move(failed));
    }
    sources.fixed.push_back({"table", std::to_string(number), std::move(problem)});
  }
  const Case passing = sources.fixed.front().problem;
  const TestPlan plan(std::move(sources), std::nullopt, std::nullopt);
  RunFrame frame = {.spec = Spec::Embedded(),
                    .capabilities = capabilities_,
                    .planned = 40,
                    .reason_not_exercised = context_.reason_not_exercised,
                    .plan = &plan};
  frame.explain = [&](const CauseEvidence&, const Report&) {
    RootCauses found;
    found.causes = {CauseOf({{CircumstanceOf("in_w"), LiteralTest::kAtLeast, 12}})};
    found.causes.front().tested = found.causes.front().agreed = 32;
    found.causes.front().nearest = passing;
    found.aspects = {kAllAspects};
    found.without.emplace_back();
    return found;
  };
  const Result<Report> report = AssembleReport(frame, {{0, &record}}, 1, Report());
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(report->clauses[Position("AMP2-B01")].verdict, ClauseVerdict::kFailed);
  EXPECT_EQ(report->clauses[Position("AMP3-B01")].not_looked_into, 9);
  EXPECT_EQ(report->clauses[Position("AMP3-B01")].verdict, ClauseVerdict::kInconclusive);
}

// What fails only when it is repeated has no root cause among the circumstances of one call.
TEST_F(TallyTest, RootCausesOfWhatFailsAfterManyCallsAreSaidOfTheRepetition) {
  constexpr Operator kOp = Operator::kAdaptiveMaxPool2dBackward;
  constexpr std::int64_t kCases = 200;
  CaseSources sources;
  ShardRecord record;
  CaseClass right;
  right.op = kOp;
  right.operators = {kOp};
  right.evidence = {"2P-07"};
  CaseClass wrong = right;
  wrong.evidence = {};
  wrong.state = CaseState::kFailed;
  wrong.signature = "refused";
  wrong.blames = {{FindingKind::kRefused, {"2P-01"}}};
  record.classes = {right, wrong};
  for (std::int64_t number = 0; number < kCases; ++number) {
    const bool fails = number * 7919 % 101 < 25;
    Case problem;
    problem.calls = {MakeAdaptiveBackward(kOp, DataType::kFloat, DataType::kInt32,
                                          {1, 1, 2, 2 + number}, {1, 1})};
    problem.plan.descriptors_only = true;  // nothing here is about the data
    sources.fixed.push_back({"status", std::to_string(number), problem});
    record.cases.push_back({number, fails ? 1U : 0U});
    if (!fails) continue;
    FailedCase failed;
    failed.number = number;
    failed.problem = problem;
    failed.verdict.kind = VerdictKind::kFailed;
    failed.verdict.findings = {{{"2P-01"}, FindingKind::kRefused, "refused", std::nullopt}};
    failed.refined = Refinement{problem, failed.verdict, {}, {}};
    failed.refined->problem.plan.repeat = 4096;
    failed.refined->verdict.findings.front().clauses = {"2P-07"};
    record.failures.push_back(std::move(failed));
  }
  const TestPlan plan(std::move(sources), std::nullopt, std::nullopt);
  const RunFrame frame = {.spec = Spec::Embedded(),
                          .capabilities = capabilities_,
                          .planned = kCases,
                          .reason_not_exercised = context_.reason_not_exercised,
                          .plan = &plan};
  const Result<Report> report = AssembleReport(frame, {{0, &record}}, 1, Report());
  ASSERT_TRUE(report.ok()) << report.status().message();
  ASSERT_EQ(report->root_causes.size(), 1U);
  ASSERT_EQ(report->root_causes.front().rule.size(), 1U);
  EXPECT_THAT(report->root_causes.front().rule.front().name,
              testing::AnyOf("calls_made", "repeat"));
  EXPECT_EQ(report->unexplained, 0);
}

}  // namespace
}  // namespace poolproof
