// SPDX-License-Identifier: Apache-2.0
//
// What makes shards agree: slots, batches, the choice of investigations, records as JSON,
// exploration.
#include "conformance/plan/shards.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <new>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conformance/case/case_text.h"
#include "conformance/case/materialize.h"
#include "conformance/judge/legality.h"
#include "conformance/plan/campaign.h"
#include "conformance/plan/explore.h"
#include "conformance/plan/investigations.h"
#include "conformance/plan/standard_sources.h"
#include "conformance/plan/stop_bound.h"
#include "conformance/result/shard_record_json.h"

namespace poolproof {
namespace {

TestPlan PlanOf(int count) {
  CaseSources sources;
  for (int i = 0; i < count; ++i) {
    NamedCase named{"fake", std::to_string(i), {}};
    named.problem.calls.push_back(MakeFixedBackward(
        Operator::kMaxPool3dWithArgmaxBackward, DataType::kFloat, DataType::kInt32, {1, 1, 1, 2, 2},
        {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, false));
    named.problem.plan.settle_ms = i;
    sources.fixed.push_back(std::move(named));
  }
  return {std::move(sources), std::nullopt, std::nullopt};
}

// Every operator, in every type that its page lists.
TestPlan PlanOfAllKernels(int count) {
  CaseSources sources;
  for (int i = 0; i < count; ++i) {
    const OperatorInfo& info = AllOperators()[static_cast<std::size_t>(i) % AllOperators().size()];
    NamedCase named{"fake", std::to_string(i), {}};
    Call& call = named.problem.calls.emplace_back();
    call.op = info.op;
    call.tensor(Role::kSelf).type =
        info.value_types[static_cast<std::size_t>(i / kOperatorCount) % info.value_types.size()]
            .type;
    named.problem.plan.settle_ms = i;
    sources.fixed.push_back(std::move(named));
  }
  return {std::move(sources), std::nullopt, std::nullopt};
}

using Batches = std::set<std::vector<std::int64_t>>;

Batches BatchesOf(const TestPlan& plan, Shard shard, int jobs, bool few_workers = false) {
  Sharding sharding(plan, shard, /*short_blocks=*/false, few_workers);
  Batches all;
  for (std::int64_t block = 0; block < sharding.blocks(); ++block) {
    for (std::vector<std::int64_t>& batch : sharding.BatchesOf(block, jobs)) {
      if (!batch.empty()) all.insert(std::move(batch));
    }
  }
  return all;
}

TEST(SlotTest, FewWorkersJudgeTheSameCasesInAnyShards) {
  const TestPlan plan = PlanOfAllKernels(5000);
  const Batches whole = BatchesOf(plan, {0, 1}, 2, /*few_workers=*/true);
  EXPECT_EQ(whole.size(), 2U);
  std::set<std::int64_t> numbers;
  for (const std::vector<std::int64_t>& batch : whole) numbers.insert(batch.begin(), batch.end());
  EXPECT_EQ(numbers.size(), 5000U);
  // More shards than slots: some have nothing to judge.
  Batches parts;
  for (int index = 0; index < 7; ++index) parts.merge(BatchesOf(plan, {index, 7}, 1, true));
  EXPECT_EQ(parts, whole);
}

// Each worker of a campaign loads all kernels.
TEST(SlotTest, WorkersOfCampaignsJudgeTwiceAsManyCases) {
  const TestPlan plan = PlanOfAllKernels(20000);
  const auto workers = [&](bool short_blocks) {
    Sharding sharding(plan, {0, 1}, short_blocks, /*few_workers=*/true);
    std::size_t batches = 0;
    for (std::int64_t block = 0; block < sharding.blocks(); ++block) {
      batches += sharding.BatchesOf(block, 1).size();
    }
    return batches;
  };
  EXPECT_EQ(workers(/*short_blocks=*/true), 4U);
  EXPECT_EQ(workers(/*short_blocks=*/false), 8U);
}

// A worker that judges all cases of an operator and a type loads its kernels once.
TEST(SlotTest, CasesOfAKernelShareAWorker) {
  const TestPlan plan = PlanOfAllKernels(17000);
  using Kernel = std::pair<Operator, DataType>;
  std::map<Kernel, std::set<std::int64_t>> slots;
  std::map<std::int64_t, std::int64_t> sizes;
  for (std::int64_t number = 0; number < plan.size(); ++number) {
    const Case problem = plan.At(number).problem;
    const Call& call = problem.calls.front();
    const std::int64_t slot = KernelSlotOf(problem, CaseLine(problem), FewSlots(plan.size()));
    slots[{InfoOf(call.op).backward, call.tensor(Role::kSelf).type}].insert(slot);
    ++sizes[slot];
  }
  EXPECT_EQ(sizes.size(), 8U);
  for (const auto& [slot, size] : sizes) EXPECT_LT(size, 2 * plan.size() / 8) << slot;
  for (const auto& [kernel, of] : slots) {
    EXPECT_EQ(of.size(), 1U) << InfoOf(kernel.first).name;
  }
}

// Slots are part of what a plan is: programs of one version must agree, whatever compiled them.
TEST(SlotTest, SlotsAreStable) {
  EXPECT_EQ(SlotOf("", 64), 27);
  EXPECT_EQ(SlotOf("pp1:a", 64), 10);
  EXPECT_EQ(SlotCount(0), 1);
  EXPECT_EQ(SlotCount(80), 10);
  EXPECT_EQ(SlotCount(5000), 64);
  EXPECT_EQ(SlotCount(std::int64_t{1} << 20), 1024);
  EXPECT_EQ(FewSlots(0), 1);
  EXPECT_EQ(FewSlots(4000), 1);
  EXPECT_EQ(FewSlots(15000), 4);
  EXPECT_EQ(FewSlots(50000), 8);
  EXPECT_EQ(FewSlots(std::int64_t{1} << 20), 64);
}

TEST(ShardingTest, BatchesDoNotDependOnShardsOrJobs) {
  const TestPlan plan = PlanOf(5000);
  const Batches whole = BatchesOf(plan, {0, 1}, 1);
  std::vector<std::int64_t> numbers;
  for (const std::vector<std::int64_t>& batch : whole) {
    EXPECT_TRUE(std::is_sorted(batch.begin(), batch.end()));
    numbers.insert(numbers.end(), batch.begin(), batch.end());
  }
  std::sort(numbers.begin(), numbers.end());
  ASSERT_EQ(numbers.size(), 5000U);
  EXPECT_EQ(std::adjacent_find(numbers.begin(), numbers.end()), numbers.end());
  for (const int of : {2, 7, 31}) {
    Batches parts;
    std::size_t count = 0;
    for (int index = 0; index < of; ++index) {
      const Batches own = BatchesOf(plan, {index, of}, 3);
      count += own.size();
      parts.insert(own.begin(), own.end());
    }
    EXPECT_EQ(parts, whole) << of;
    EXPECT_EQ(count, whole.size()) << of;
  }
}

TEST(ShardingTest, PlanHashDoesNotDependOnTheShard) {
  const TestPlan plan = PlanOf(1000);
  const std::string whole = Sharding(plan, {0, 1}, false).PlanSha256("header", 1);
  Sharding other(plan, {3, 5}, true);
  (void)other.BatchesOf(0, 2);
  EXPECT_EQ(other.PlanSha256("header", 3), whole);
  EXPECT_NE(other.PlanSha256("another", 1), whole);
  EXPECT_NE(Sharding(PlanOf(999), {0, 1}, false).PlanSha256("header", 1), whole);
}

TEST(StopBoundTest, FollowsFromTheFailuresNotFromTheirOrder) {
  std::vector<std::int64_t> numbers = {5, 9, 11, 40, 41, 90};
  std::mt19937 chance(1);
  for (int round = 0; round < 20; ++round) {
    std::shuffle(numbers.begin(), numbers.end(), chance);
    StopBound bound(3);
    for (const std::int64_t number : numbers) bound.Add(number, /*required=*/true, false);
    EXPECT_EQ(bound.last(), 11);
    EXPECT_EQ(bound.Reason(), StopReason::kStopAfter);
  }
  StopBound hangs(std::nullopt);
  for (std::int64_t i = kMaxTimeouts; i-- > 0;) {
    EXPECT_EQ(hangs.last(), StopBound::kNone);
    hangs.Add(2 * i, i % 2 == 0, true);
  }
  EXPECT_EQ(hangs.last(), 2 * (kMaxTimeouts - 1));
  EXPECT_EQ(hangs.Reason(), StopReason::kTimeouts);
  // Where waiting is cheap, few among many end no run, whatever their order; those that lie close
  // do.
  std::vector<std::int64_t> rare;
  for (std::int64_t i = 1; i < kMaxRareTimeouts; ++i) rare.push_back(i * 100);
  for (int round = 0; round < 20; ++round) {
    std::shuffle(rare.begin(), rare.end(), chance);
    StopBound bound(std::nullopt, kMaxRareTimeouts);
    for (const std::int64_t number : rare) bound.Add(number, /*required=*/true, true);
    EXPECT_EQ(bound.last(), StopBound::kNone);
    for (std::int64_t i = 0; i < 16; ++i) bound.Add(1001 + i, /*required=*/true, true);
    EXPECT_EQ(bound.last(), 1006) << "the 16th, of 1,007 cases";
    EXPECT_EQ(bound.Reason(), StopReason::kTimeouts);
  }
  StopBound many(std::nullopt, kMaxRareTimeouts);
  for (std::int64_t i = 1; i <= kMaxRareTimeouts; ++i) many.Add(i * 100, /*required=*/true, true);
  EXPECT_EQ(many.last(), kMaxRareTimeouts * 100);
  // What breaches advisory clauses alone ends no run.
  StopBound advisory(1);
  advisory.Add(3, /*required=*/false, false);
  EXPECT_EQ(advisory.last(), StopBound::kNone);
  advisory.Add(7, /*required=*/true, false);
  EXPECT_EQ(advisory.last(), 7);
}

// Whatever a whole run investigates, the shard of that case investigates too.
TEST(InvestigationsTest, ShardsLookIntoAllThatTheirWholeChooses) {
  std::mt19937 chance(7);
  for (int round = 0; round < 200; ++round) {
    const int of = 1 + static_cast<int>(chance() % 6);
    std::vector<FailureRef> failures;
    std::map<int, std::vector<FailureRef>> parts;
    for (int i = 0; i < 400; ++i) {
      const auto symptoms = chance() % 90 + 1;
      const auto symptom = static_cast<unsigned>(chance() % symptoms);
      FailureRef failure{i, "s" + std::to_string(symptom), "f" + std::to_string(chance() % 3),
                         static_cast<Need>(symptom % 3), chance() % 20 == 0};
      failure.cost = static_cast<double>(chance() % 50);
      failures.push_back(failure);
      parts[static_cast<int>(chance() % static_cast<unsigned>(of))].push_back(failure);
    }
    // Kinds that investigations find; some signatures hold several.
    const auto kind_of = [](std::int64_t number) -> std::optional<std::string> {
      return number % 17 == 0 ? std::nullopt : std::optional("k" + std::to_string(number % 13));
    };
    std::set<std::int64_t> looked_into;
    std::set<std::int64_t> made_small;
    const InvestigationPlan shard_plan = PlanShardInvestigations(CaseSet::kSmoke);
    for (const auto& [index, part] : parts) {
      const std::vector<Choice> chosen = ChooseInvestigations(part, shard_plan);
      for (const Choice& choice : chosen) looked_into.insert(part[choice.position].number);
      for (const Choice& choice : FirstOfKind(chosen, part, kind_of, shard_plan, true)) {
        made_small.insert(part[choice.position].number);
      }
    }
    const InvestigationPlan plan = PlanInvestigations(CaseSet::kSmoke);
    const std::vector<Choice> chosen = ChooseInvestigations(failures, plan);
    EXPECT_LE(chosen.size(), plan.failures);
    for (const Choice& choice : chosen) {
      EXPECT_TRUE(looked_into.contains(failures[choice.position].number));
    }
    for (const Choice& choice : FirstOfKind(chosen, failures, kind_of, plan, false)) {
      EXPECT_TRUE(made_small.contains(failures[choice.position].number));
    }
  }
}

// One symptom of thousands of cases takes no place from the others, nor do findings that show
// beside sixty sets of features.
TEST(InvestigationsTest, DistinctSymptomsComeBeforeRepeats) {
  std::vector<FailureRef> failures;
  const auto add = [&](const std::string& symptom, Need need) {
    failures.push_back({std::ssize(failures), symptom, "family", need, false,
                        symptom.substr(0, symptom.find(' '))});
  };
  for (int i = 0; i < 500; ++i) add("late", Need::kNothing);
  for (int i = 0; i < 500; ++i) add("refused", Need::kRefusal);
  for (int i = 0; i < 60; ++i) add("wrong " + std::to_string(i), Need::kCause);
  for (int i = 0; i < 500; ++i) add("crash", Need::kCause);
  const std::vector<Choice> chosen =
      ChooseInvestigations(failures, PlanInvestigations(CaseSet::kSmoke));
  std::vector<std::string> order;
  for (const Choice& choice : chosen) order.push_back(failures[choice.position].symptom);
  ASSERT_EQ(order.size(), 67U) << "of a crash and a refusal three, of every other symptom one";
  EXPECT_EQ(order[0], "wrong 0");
  EXPECT_EQ(order[1], "crash");
  EXPECT_EQ(order[2], "refused");
  EXPECT_EQ(order[3], "late");
  EXPECT_EQ(order[4], "wrong 1");
  EXPECT_EQ(order[62], "wrong 59");
  EXPECT_EQ(order[63], "crash");
  EXPECT_EQ(std::count(order.begin(), order.end(), "late"), 1) << "its clause is plain";
}

// Of each symptom the cheapest one is investigated first; more of the same findings only where some
// were found to breach other clauses than the rest, or nothing came of one.
TEST(InvestigationsTest, WhatIsFoundToBeAlikeIsNotLookedIntoFurther) {
  std::vector<FailureRef> failures;
  const auto add = [&](const std::string& symptom, double cost) {
    failures.push_back({std::ssize(failures), symptom, "family", Need::kCause, false,
                        symptom.substr(0, symptom.find(' ')), false, cost});
  };
  for (int i = 0; i < 40; ++i) add("wrong " + std::to_string(i % 5), 100 - i);
  for (int i = 0; i < 40; ++i) add("lost", i);
  const Turns turns =
      InTurns(ChooseInvestigations(failures, PlanInvestigations(CaseSet::kSmoke)), failures);
  std::map<std::string, std::int64_t> first;
  for (const Choice& choice : turns.first) {
    const FailureRef& failure = failures[choice.position];
    first.emplace(failure.symptom, failure.number);
  }
  EXPECT_EQ(turns.first.size(), 8U) << "five symptoms of one, and three of the same findings";
  EXPECT_EQ(first.at("wrong 0"), 35);
  EXPECT_EQ(first.at("lost"), 40);
  const auto left = [&](const std::string& other) {
    std::set<std::string> findings;
    for (const Choice& choice : LeftOfSecond(turns, failures, [&](std::int64_t number) {
           return FoundClauses(
               {failures[static_cast<std::size_t>(number)].symptom == other ? "B" : "A"});
         })) {
      findings.insert(failures[choice.position].findings);
    }
    return findings;
  };
  EXPECT_EQ(left(""), std::set<std::string>());
  EXPECT_EQ(left("lost"), std::set<std::string>()) << "all of them are alike";
  EXPECT_EQ(left("wrong 3"), std::set<std::string>{"wrong"});
  EXPECT_EQ(LeftOfSecond(turns, failures, [](std::int64_t) { return std::nullopt; }).size(),
            turns.second.size());
}

// Cases that failed before are judged again to see whether they still do: few are investigated, of
// as many symptoms as there are.
TEST(InvestigationsTest, FewOfThoseThatFailedBeforeAreLookedInto) {
  std::vector<FailureRef> failures;
  for (int i = 0; i < 50; ++i) {
    failures.push_back({i, "wrong " + std::to_string(i / 10), "family", Need::kCause, i < 5});
  }
  const auto looked_into = [&](const InvestigationPlan& plan) {
    return ChooseInvestigations(failures, plan).size();
  };
  const InvestigationPlan rerun = PlanReruns(CaseSet::kCi);
  EXPECT_LE(looked_into(rerun), 16U);
  EXPECT_GT(looked_into(PlanInvestigations(CaseSet::kCi)), looked_into(rerun));
  std::set<std::string> symptoms;
  for (const Choice& choice : ChooseInvestigations(failures, rerun)) {
    symptoms.insert(failures[choice.position].symptom);
  }
  EXPECT_EQ(symptoms.size(), 5U);
}

// The clauses that a wrong answer is read by are not those of a failure that takes earlier calls.
TEST(InvestigationsTest, OfFailuresBehindOthersTwoInWhichTheSameWasWrongAreSearched) {
  CaseClass kind;
  kind.op = Operator::kMaxPool3dWithArgmaxBackward;
  std::vector<FailureRef> failures;
  std::vector<Choice> chosen;
  const auto add = [&](FindingKind finding, const std::string& clause) {
    kind.blames = {{finding, {clause}}};
    chosen.push_back({0, failures.size()});
    failures.push_back(FailureRefOf(std::ssize(failures), kind));
  };
  add(FindingKind::kContributionLost, "MP3-B01");
  add(FindingKind::kContributionLost, "MP3-B04");
  add(FindingKind::kWrongSpecial, "MP3-B05");
  add(FindingKind::kContributionLost, "MP3-B13");
  add(FindingKind::kContributionLost, "MP3-B14");
  const OthersSearched groups =
      GroupBehindOthers(chosen, failures, [](std::int64_t number) { return number != 4; });
  ASSERT_EQ(groups.size(), 2U);
  std::set<std::vector<std::int64_t>> searched;
  std::set<std::vector<std::int64_t>> others;
  for (const auto& [kinds, group] : groups) {
    searched.insert(group.searched);
    others.insert(group.others);
  }
  EXPECT_EQ(searched, (std::set<std::vector<std::int64_t>>{{0, 1}, {2}}));
  EXPECT_EQ(others, (std::set<std::vector<std::int64_t>>{{3}, {}}));
}

// Of those that take seconds for each attempt, one of the same findings tells what the others are.
TEST(InvestigationsTest, OfDearFailuresOneOfTheSameFindingsIsLookedInto) {
  std::vector<FailureRef> failures;
  const auto add = [&](const std::string& symptom, bool is_dear) {
    failures.push_back({std::ssize(failures), symptom, "family", Need::kCause, false,
                        symptom.substr(0, symptom.find(' ')), false, is_dear ? 1e9 : 0});
  };
  for (int i = 0; i < 4; ++i) add("wrong " + std::to_string(i), true);
  add("lost 0", true);
  add("wrong 0", false);
  const auto chosen_of = [&](const InvestigationPlan& plan) {
    std::vector<std::size_t> positions;
    for (const Choice& choice : ChooseInvestigations(failures, plan)) {
      positions.push_back(choice.position);
    }
    std::sort(positions.begin(), positions.end());
    return positions;
  };
  EXPECT_EQ(chosen_of(PlanInvestigations(CaseSet::kCi)), std::vector<std::size_t>({1, 4, 5}));
  EXPECT_EQ(chosen_of(PlanShardInvestigations(CaseSet::kCi)).size(), failures.size());
}

// Where workers take long to start, failures that end them are worth one start each, all told.
TEST(InvestigationsTest, FailuresThatEndWorkersAreLookedIntoByFewStarts) {
  InvestigationPlan plan = PlanInvestigations(CaseSet::kSmoke);
  plan.few_starts = true;
  const auto starts_for = [&](int raising) {
    std::vector<FailureRef> failures;
    for (int i = 0; i < raising; ++i) {
      failures.push_back({i, "raises " + std::to_string(i), "family", Need::kRefusal, false,
                          "raises",
                          /*ends_worker=*/true});
    }
    failures.push_back({raising, "wrong", "family", Need::kCause, false, "wrong"});
    const std::vector<Choice> chosen = ChooseInvestigations(failures, plan);
    EXPECT_TRUE(std::any_of(chosen.begin(), chosen.end(), [&](const Choice& choice) {
      return failures[choice.position].symptom == "wrong";
    }));
    int starts = 0;
    for (const auto& [position, most] : StartsToSpend(failures, chosen)) {
      EXPECT_TRUE(failures[position].ends_worker);
      starts += most;
    }
    return starts;
  };
  EXPECT_EQ(starts_for(1), 1);
  EXPECT_EQ(starts_for(9), 1) << "it is asked whether it comes again";
  EXPECT_EQ(starts_for(16), 16);
  EXPECT_EQ(starts_for(40), 32) << "two are investigated";
}

TEST(InvestigationsTest, SymptomsAreFindingsAndFeatures) {
  CaseClass kind;
  kind.state = CaseState::kFailed;
  kind.signature = "MaxPool3dWithArgmaxBackward:crashed:2P-02:family";
  kind.blames = {{FindingKind::kCrashed, {"2P-02"}}};
  kind.features = kFeatureView | kFeatureHalf;
  kind.end = End::kTimedOut;
  const FailureRef failure = FailureRefOf(3, kind);
  EXPECT_EQ(failure.symptom, "MaxPool3dWithArgmaxBackward:crashed:2P-02:view+f16");
  EXPECT_EQ(failure.family, "family");
  EXPECT_EQ(failure.need, Need::kCause);
  EXPECT_TRUE(failure.timed_out);
  kind.blames.push_back({FindingKind::kInputChanged, {"SAF-02"}});
  EXPECT_EQ(FailureRefOf(3, kind).symptom, failure.symptom)
      << "what shows in every call tells none";
  kind.blames = {{FindingKind::kInputChanged, {"SAF-02"}}};
  EXPECT_EQ(FailureRefOf(3, kind).findings, "MaxPool3dWithArgmaxBackward:input-changed:SAF-02");
  kind.blames = {{FindingKind::kRefused, {"2P-01"}}, {FindingKind::kAccepted, {"MP3-S40"}}};
  EXPECT_EQ(FailureRefOf(3, kind).need, Need::kRefusal);
  kind.blames = {{FindingKind::kLateRefusal, {"MP3-S40"}}, {FindingKind::kLateRefusal, {"2P-08"}}};
  EXPECT_EQ(FailureRefOf(3, kind).need, Need::kNothing);
}

TEST(ShardRecordJsonTest, WriteAndReadAreInverse) {
  const TestPlan plan = PlanOf(3);
  ShardRecord record;
  CaseClass passed;
  passed.evidence = {"2P-01", "MP3-B01"};
  passed.coverage = CoverageOf(plan.At(0).problem);
  passed.operators = {Operator::kMaxPool3dWithArgmaxBackward, Operator::kAdaptiveMaxPool2dBackward};
  passed.traits = 5;
  passed.relation = Relation::kLinearity;
  passed.relation_state = RelationState::kHeld;
  CaseClass failed;
  failed.state = CaseState::kFailed;
  failed.end = End::kSignalled;
  failed.op = Operator::kAdaptiveMaxPool2dBackward;
  failed.signature = "a:b:c";
  failed.blames = {{FindingKind::kWrongSum, {"MP3-B02", "MP3-B01"}}, {FindingKind::kThrew, {}}};
  failed.features = kFeatureView | kFeatureBfloat;
  CaseClass inconclusive;
  inconclusive.state = CaseState::kInconclusive;
  inconclusive.reason = KeptReason("harness: no room");
  record.classes = {passed, failed, inconclusive};
  record.cases = {{0, 0}, {7, 1}, {8, 0}, {std::int64_t{1} << 40, 1}};
  record.unanswered = {{3, "MP3-S40", "why"}};
  Verdict verdict;
  verdict.kind = VerdictKind::kFailed;
  verdict.evidence = {"MP3-B03"};
  verdict.findings.push_back(
      {{"MP3-B02"}, FindingKind::kWrongSum, "a \"message\"", Mismatch{}, {}});
  verdict.findings.front().further = {{4, "0x1", "0x2", 3, 1}};
  FailedCase detail{7, "fake", "1", plan.At(1).problem, "MP3-S40", "signal 11", verdict, {}};
  detail.refined = Refinement{plan.At(1).problem, verdict, plan.At(0).problem, verdict};
  record.failures = {detail};
  record.sums = {{Operator::kMaxPool3dWithArgmaxBackward, DataType::kBf16, 1, 2, 3, 4, 5, 6}};
  record.sums.front().subnormals = {{{1, 2}, {}, {0, 3}}};
  record.sums.front().both = 1;
  record.sum_probes = {{Operator::kMaxPool3dWithArgmaxBackward, DataType::kBf16, "acc32", true}};
  record.observed = {{"z", "1"}, {"a", "2"}};
  record.acceptance = {
      {"X/accepted/a", Operator::kMaxPool3dWithArgmaxBackward, 5, Answer::kRight, ""},
      {"X/accepted/b", Operator::kMaxPool3dWithArgmaxBackward, 9, Answer::kRefused, "161002"}};
  record.stop_after = 12;
  record.stopped_by = StopReason::kDeadline;
  record.error = "none";

  const nlohmann::ordered_json json = ShardRecordToJson(record);
  Status error;
  const ShardRecord again = ReadShardRecord(JsonReader(json, error));
  EXPECT_TRUE(error.ok()) << error.message();
  EXPECT_TRUE(again == record);
  EXPECT_EQ(ShardRecordSha256(again), ShardRecordSha256(record));

  for (const char* cases : {"0:3", "0:0 0:0", "x:0", "0", "0:0  1:0", "-1:0"}) {
    nlohmann::ordered_json changed = json;
    changed["cases"] = cases;
    Status wrong;
    (void)ReadShardRecord(JsonReader(changed, wrong));
    EXPECT_FALSE(wrong.ok()) << cases;
  }
}

// One reason for cases that differ in sizes, and always one.
TEST(ShardRecordTest, ReasonsNameNoSizes) {
  EXPECT_EQ(KeptReason("aclrtMalloc of 4096 bytes for self returned 207001"),
            "aclrtMalloc of some bytes for self returned 207001");
  EXPECT_EQ(KeptReason("12 bytes and 7"), "some bytes and 7");
  EXPECT_EQ(KeptReason("no library at /a/b/lib.so"), "no library at lib.so");
  EXPECT_EQ(KeptReason(""), "nothing says why");
}

TEST(ExplorationTest, CasesArePureAndCoverMoreThanTheirFirstCandidates) {
  const auto one = Exploration({Spec::Embedded(), Profile::kAtlasA2}, 3);
  const auto other = Exploration({Spec::Embedded(), Profile::kAtlasA2}, 3);
  Combinations covered;
  bool rare = false;
  for (std::uint64_t i = 0; i < 1024; ++i) {
    const NamedCase named = one(i);
    if (i % 100 == 0) {
      EXPECT_EQ(CaseLine(named.problem), CaseLine(other(1023 - (1023 - i)).problem));
    }
    if (const auto key = CoverageOf(named.problem)) covered.Add(ClassesOf(*key));
    const Call& call = named.problem.calls.front();
    const Dims& self = call.tensor(Role::kSelf).shape;
    rare = rare || (self.back() >= 1024 && self[1] % 2 == 1 &&
                    PlaneElements(self, InfoOf(call.op).spatial_rank).value_or(0) > 65535);
  }
  EXPECT_TRUE(rare);
  EXPECT_GT(covered.total().pairs, 200);
  EXPECT_GT(covered.total().triples, 800);
  EXPECT_NE(CaseLine(Exploration({Spec::Embedded(), Profile::kAtlasA2}, 4)(0).problem),
            CaseLine(one(0).problem));
}

// A campaign begins with the set smoke, and goes on with what smoke holds kinds of.
TEST(CampaignTest, BeginsWithTheSmallSetAndDrawsFromEveryKind) {
  const Spec& spec = Spec::Embedded();
  const auto campaign = CampaignCases(spec, Profile::kAtlasA2, 3);
  const TestPlan smoke(StandardSources(spec, Profile::kAtlasA2, CaseSet::kSmoke, 3), {}, {});
  const auto size = static_cast<std::uint64_t>(smoke.size());
  for (std::uint64_t i = 0; i < 2 * size; i += 97 * 2) {
    EXPECT_EQ(campaign(i).problem, smoke.At(static_cast<std::int64_t>(i / 2)).problem);
  }
  const ProfileRules rules(spec, Profile::kAtlasA2);
  std::set<std::string> seen;
  int explored = 0;
  for (std::uint64_t i = 2 * size; i < 2 * size + 3000; ++i) {
    const NamedCase named = campaign(i);
    const CallPlan& plan = named.problem.plan;
    const Call& call = named.problem.calls.front();
    EXPECT_TRUE(Materialize(named.problem).ok()) << CaseLine(named.problem);
    for (const Clause* clause : Classify(rules, call, plan).breached) seen.insert(clause->id);
    if (plan.threads > 1) seen.insert("threads");
    if (plan.streams > 1) seen.insert("streams");
    if (plan.order != Order::kInTurn) seen.insert("order");
    if (plan.guard != Guard::kNone) seen.insert("guard");
    if (plan.deterministic) seen.insert("deterministic");
    if (plan.vary_contents) seen.insert("contents");
    if (plan.share_descriptors) seen.insert("descriptors");
    if (plan.fill_late) seen.insert("late");
    if (InfoOf(call.op).is_forward) seen.insert("forward");
    if (!call.tensor(Role::kIndices).data.patches.empty()) seen.insert("indices");
    if (named.family == "explore" && plan == CallPlan()) ++explored;
  }
  for (const char* kind : {"threads", "streams", "order", "guard", "deterministic", "contents",
                           "descriptors", "late", "forward", "indices"}) {
    EXPECT_TRUE(seen.contains(kind)) << kind;
  }
  for (const Clause& clause : spec.clauses()) {
    const std::optional<Operator> op = ParseOperator(clause.operator_name);
    // (Planes above the limit are drawn from the set ci alone, more seldom.)
    const bool asked = op && rules.Covers(*op) && clause.kind != ClauseKind::kSupport &&
                       clause.expect && clause.strength == Strength::kRequired &&
                       clause.condition != Condition::kPlaneLimit &&
                       clause.AppliesTo(Profile::kAtlasA2);
    EXPECT_TRUE(!asked || seen.contains(clause.id)) << clause.id;
  }
  EXPECT_GT(explored, 1300);
  EXPECT_EQ(CaseLine(CampaignCases(spec, Profile::kAtlasA2, 3)(2 * size + 700).problem),
            CaseLine(campaign(2 * size + 700).problem));
}

TEST(OnThreads, WhatAThreadThrowsReachesTheCaller) {
  std::atomic<int> ended{0};
  const auto third_throws = [&] {
    if (ended++ == 2) throw std::bad_alloc();
  };
  EXPECT_THROW(OnThreads(4, third_throws), std::bad_alloc);
  EXPECT_EQ(ended, 4);
}

}  // namespace
}  // namespace poolproof
