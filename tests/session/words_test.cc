// SPDX-License-Identifier: Apache-2.0
//
// Words of files: what is written is read, and nothing else is.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "conformance/result/ending.h"
#include "conformance/result/report.h"
#include "conformance/result/stop_reason.h"

namespace poolproof {
namespace {

TEST(Endings, TextsAndNamesAreReadBack) {
  for (int i = 0; i <= static_cast<int>(End::kHarness); ++i) {
    Outcome outcome;
    outcome.end = static_cast<End>(i);
    outcome.signal = 11;
    outcome.exit_code = -3;
    EXPECT_EQ(EndOfText(EndText(outcome)), outcome.end) << EndText(outcome);
    EXPECT_EQ(ParseEnd(EndName(outcome.end)), outcome.end);
  }
  EXPECT_EQ(EndOfText("exit 255"), End::kExited);
  for (const char* bad : {"", "signal", "signal ", "signal -1", "signal 11 ", "exit x", "exit",
                          "timed-out", "Returned", "exit 99999999999"}) {
    EXPECT_EQ(EndOfText(bad), std::nullopt) << bad;
  }
}

TEST(Endings, SignalsHaveNames) {
  EXPECT_EQ(SignalText(11), "SIGSEGV (signal 11)");
  EXPECT_EQ(SignalText(6), "SIGABRT (signal 6)");
  EXPECT_EQ(SignalText(77), "signal 77");
  EXPECT_EQ(ShownEnd("signal 7"), "SIGBUS (signal 7)");
  EXPECT_EQ(ShownEnd("exit 3"), "exit 3");
  Outcome outcome;
  outcome.end = End::kSignalled;
  outcome.signal = 8;
  EXPECT_EQ(EndSentence(outcome), "the process died of SIGFPE (signal 8)");
}

TEST(Endings, CrashesSayWhatWasDoneAndWhere) {
  Outcome outcome;
  outcome.crash =
      CrashSite{CrashCause::kNullPointer, Access::kRead, false, 16, "libfoo.so", 0x1a3f, "Foo", 47};
  EXPECT_EQ(CrashText(outcome.crash), ", reading address 0x10 at libfoo.so+0x1a3f (Foo+0x2f)");
  outcome.crash->symbol.clear();
  outcome.crash->access = Access::kUnknown;
  EXPECT_EQ(CrashText(outcome.crash), ", using address 0x10 at libfoo.so+0x1a3f");
  outcome.crash->executing = true;
  EXPECT_EQ(CrashText(outcome.crash), ", executing address 0x10, called at libfoo.so+0x1a3f");
  outcome.crash = CrashSite();
  EXPECT_EQ(CrashText(outcome.crash), "");
  outcome.crash->module = "libfoo.so";
  EXPECT_EQ(CrashText(outcome.crash), ", at libfoo.so+0x0");
  EXPECT_EQ(CrashText(std::nullopt), "");

  std::set<std::string> texts;
  for (int i = 0; i <= static_cast<int>(CrashCause::kInstruction); ++i) {
    CrashSite site;
    site.cause = static_cast<CrashCause>(i);
    site.address = 0x7f0012345678;
    EXPECT_TRUE(texts.insert(CrashText(site)).second) << i;
    EXPECT_EQ(ParseCrashCause(CrashCauseName(site.cause)), site.cause);
    // Another one in every process.
    EXPECT_EQ(KeptCrash(site).address, site.cause == CrashCause::kNullPointer ? site.address : 0U);
    if (site.cause == CrashCause::kNullPointer) continue;
    EXPECT_EQ(CrashText(site).find("7f0012345678"), std::string::npos) << CrashText(site);
  }
}

TEST(StopReasons, HaveAWordAndSaySomething) {
  std::set<std::string_view> words;
  for (std::size_t i = 0; i < kStopReasons.size(); ++i) {
    const auto reason = static_cast<StopReason>(i);
    const StopReasonInfo& info = InfoOf(reason);
    EXPECT_EQ(ParseStopReason(info.word), reason);
    EXPECT_TRUE(words.insert(info.word).second);
    EXPECT_EQ(info.sentence.empty(), reason == StopReason::kNone);
    EXPECT_EQ(info.clause.empty(), reason == StopReason::kNone);
  }
  EXPECT_EQ(InfoOf(StopReason::kMissingShards).word, "missing-shards");
  EXPECT_EQ(ParseStopReason("tired"), std::nullopt);
}

TEST(Names, OfStrengthsScopesAndSets) {
  EXPECT_EQ(ParseStrength("advisory"), Strength::kAdvisory);
  EXPECT_EQ(ParseStrength("strong"), std::nullopt);
  EXPECT_EQ(ParseRunScope("selected"), RunScope::kSelected);
  EXPECT_EQ(RunScopeName(RunScope::kFull), "full");
  EXPECT_EQ(ParseRunScope(""), std::nullopt);
  EXPECT_EQ(ParseCaseSet(CaseSetName(CaseSet::kNightly)), CaseSet::kNightly);
  EXPECT_EQ(ParseCaseSet("weekly"), std::nullopt);
}

}  // namespace
}  // namespace poolproof
