// SPDX-License-Identifier: Apache-2.0
#include "conformance/session/corpus_care.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "conformance/case/case_text.h"
#include "conformance/result/coverage.h"

namespace poolproof {
namespace {

CaseFileEntry Plain(const std::string& line) { return {*ParseCaseLine(line), std::nullopt}; }
CaseFileEntry Found(const std::string& line, const std::string& signature,
                    const std::string& message = "") {
  return {*ParseCaseLine(line), FindingNote{Profile::kAtlasA2, "lib", signature, {}, message}};
}

const std::string kSmall = "pp1:AdaptiveMaxPool2dBackward:self=f32[1,4,4];go=[1,2,2]";
const std::string kLarge = "pp1:AdaptiveMaxPool2dBackward:self=f32[1,8,8];go=[1,2,2]";

std::vector<CaseFileEntry> Explored(std::uint64_t seed, std::uint64_t count) {
  const auto explore = Exploration({Spec::Embedded(), Profile::kAtlasA2}, seed);
  std::vector<CaseFileEntry> entries;
  for (std::uint64_t i = 0; i < count; ++i) entries.push_back({explore(i).problem, std::nullopt});
  return entries;
}

std::vector<CaseFileEntry> Both(std::vector<CaseFileEntry> a, const std::vector<CaseFileEntry>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Combinations::Count Covered(const std::vector<CaseFileEntry>& entries) {
  Combinations covered;
  for (const CaseFileEntry& entry : entries) {
    const std::optional<CoverageKey> place = CoverageOf(entry.problem);
    if (!entry.finding && place) covered.Add(ClassesOf(*place));
  }
  return covered.total();
}

TEST(MergeEntries, KeepsEachCaseOnceAndTheSmallestFindingOfASignature) {
  const std::vector<CaseFileEntry> merged =
      MergeEntries({Plain(kLarge), Found(kLarge, "b"), Plain(kSmall), Plain(kLarge),
                    Found(kSmall, "b"), Found(kLarge, "a")});
  EXPECT_EQ(merged,
            (std::vector{Found(kLarge, "a"), Found(kSmall, "b"), Plain(kSmall), Plain(kLarge)}));
}

TEST(MergeEntries, KeepsTheSmallestFindingOfARootCause) {
  const auto found = [](const std::string& line, const std::string& signature,
                        const std::string& cause) {
    CaseFileEntry entry = Found(line, signature);
    entry.finding->root_cause = cause;
    return entry;
  };
  const CaseFileEntry lost = found(kLarge, "A:contribution-lost:AMP2-B02", "fails when W > 2");
  const CaseFileEntry sum = found(kSmall, "B:wrong-sum:MP2-B05", "fails when W > 2");
  // The rule holds of a call that is refused as well, which is no wrong result.
  const CaseFileEntry refused = found(kLarge, "A:refused:2P-01", "fails when W > 2");
  const CaseFileEntry other = found(kLarge, "A:wrong-sum:AMP2-B02", "fails always");
  CaseFileEntry elsewhere = sum;
  elsewhere.finding->implementation = "other";
  const std::vector<CaseFileEntry> merged =
      MergeEntries({lost, refused, sum, other, elsewhere, Found(kSmall, "B:wrong-sum:MP2-B05")});
  EXPECT_EQ(merged.size(), 5U);
  EXPECT_EQ(std::count(merged.begin(), merged.end(), lost), 0);
  EXPECT_EQ(MergeEntries(Both(merged, {lost})), merged);
}

TEST(MergeEntries, KeepsTheMostEdgesOfACase) {
  CaseFileEntry some = Plain(kSmall);
  CaseFileEntry more = Plain(kSmall);
  some.edges = 2;
  more.edges = 5;
  EXPECT_EQ(MergeEntries({some, more, Plain(kSmall)}), std::vector{more});
}

TEST(MergeEntries, IsCommutativeAssociativeAndIdempotent) {
  std::vector<CaseFileEntry> a = Explored(1, 40);
  std::vector<CaseFileEntry> b = Explored(2, 40);
  a.push_back(Found(kLarge, "s"));
  a.push_back(Plain(kLarge));
  b.push_back(Found(kLarge, "s", "otherwise"));
  const std::vector<CaseFileEntry> c = {Found(kSmall, "s"), Plain(kSmall), b.front()};
  const std::vector<CaseFileEntry> all = MergeEntries(Both(Both(a, b), c));
  EXPECT_EQ(all.size(), 83U);
  EXPECT_EQ(MergeEntries(Both(c, Both(b, a))), all);
  EXPECT_EQ(MergeEntries(Both(MergeEntries(Both(a, b)), c)), all);
  EXPECT_EQ(MergeEntries(Both(a, MergeEntries(Both(b, c)))), all);
  EXPECT_EQ(MergeEntries(Both(all, all)), all);
}

TEST(MinimizeEntries, CoversTheSameWithFewerCases) {
  std::vector<CaseFileEntry> entries = Explored(3, 400);
  const MinimizedCorpus small = MinimizeEntries(entries);
  EXPECT_LT(small.entries.size(), 200U);
  const Combinations::Count covered = Covered(entries);
  EXPECT_GT(covered.triples, 200);
  EXPECT_EQ(small.covered.pairs, covered.pairs);
  EXPECT_EQ(small.covered.triples, covered.triples);
  EXPECT_EQ(Covered(small.entries).pairs, covered.pairs);
  EXPECT_EQ(Covered(small.entries).triples, covered.triples);
  // None of them is needless.
  for (std::size_t i = 0; i < small.entries.size(); ++i) {
    if (!CoverageOf(small.entries[i].problem)) continue;
    std::vector<CaseFileEntry> fewer = small.entries;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_LT(Covered(fewer).triples, covered.triples) << i;
  }
  std::reverse(entries.begin(), entries.end());
  EXPECT_EQ(MinimizeEntries(entries).entries, small.entries);
  EXPECT_EQ(MinimizeEntries(small.entries).entries, small.entries);
}

TEST(MinimizeEntries, KeepsCasesThatReachedEdges) {
  CaseFileEntry large = Plain(kLarge);
  large.edges = 3;
  const MinimizedCorpus small = MinimizeEntries({Plain(kSmall), Plain(kLarge), large});
  EXPECT_EQ(small.edges, 1);
  EXPECT_EQ(small.entries, std::vector{large}) << "it covers what the other one covers";
}

TEST(MinimizeEntries, KeepsFindingsAndCasesWithoutAPlace) {
  CaseFileEntry descriptors = Plain(kLarge);
  descriptors.problem.plan.descriptors_only = true;
  const MinimizedCorpus small =
      MinimizeEntries({Found(kSmall, "s"), Found(kLarge, "t"), descriptors, Plain(kSmall)});
  EXPECT_EQ(small.placeless, 1);
  EXPECT_EQ(small.entries.size(), 4U);
}

}  // namespace
}  // namespace poolproof
