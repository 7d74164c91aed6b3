// SPDX-License-Identifier: Apache-2.0
#include "conformance/plan/plan_file.h"

#include <gtest/gtest.h>

#include <string>

#include "conformance/spec/spec.h"

namespace poolproof {
namespace {

PlanFile Full() {
  PlanFile plan;
  plan.tool_version = "1.2.3";
  plan.profile = Profile::kAtlasA3;
  plan.options.profile = plan.profile;
  plan.options.set = CaseSet::kNightly;
  plan.options.seed = 7;
  plan.options.cases = 100;
  plan.options.deadline = std::chrono::minutes(5);
  plan.options.stop_after = 3;
  plan.options.filter = "*/status/*";
  plan.options.time = std::chrono::milliseconds(500);
  plan.options.campaign = true;
  plan.options.edition = Edition::kSeeds;
  Case problem;
  problem.calls.push_back(MakeFixedBackward(Operator::kMaxPool3dWithArgmaxBackward,
                                            DataType::kFloat, DataType::kInt32, {1, 1, 1, 1, 4},
                                            {1, 1, 2}, {1, 1, 2}, {0, 0, 0}, {1, 1, 1}, false));
  plan.options.case_file_cases = {{"family", "name", problem}};
  plan.planned = 100;
  plan.shards = 4;
  plan.sha256 = std::string(64, 'a');
  return plan;
}

TEST(PlanFile, WriteAndReadAreInverse) {
  const std::string text = PlanFileText(Full());
  const Result<PlanFile> read = ParsePlanFile(text);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(PlanFileText(*read), text);
  EXPECT_EQ(read->tool_version, "1.2.3");
  EXPECT_EQ(read->profile, Profile::kAtlasA3);
  EXPECT_EQ(read->options.profile, Profile::kAtlasA3);
  EXPECT_EQ(read->options.set, CaseSet::kNightly);
  EXPECT_EQ(read->options.edition, Edition::kSeeds);
  EXPECT_EQ(read->options.deadline, std::chrono::minutes(5));
  EXPECT_EQ(read->options.case_file_cases->front().problem,
            Full().options.case_file_cases->front().problem);
  EXPECT_EQ(read->shards, 4);
}

TEST(PlanFile, RefusalsSayWhereWhatAndWhatWasWanted) {
  const auto message = [](const std::string& before, const std::string& after) {
    std::string text = PlanFileText(Full());
    const std::size_t at = text.find(before);
    EXPECT_NE(at, std::string::npos) << before;
    return ParsePlanFile(text.replace(at, before.size(), after)).status().message();
  };
  EXPECT_EQ(message("\"nightly\"", "\"weekly\""), "/set: \"weekly\" is not smoke, ci or nightly");
  EXPECT_EQ(message("\"shards\": 4", "\"shards\": 0"),
            "/shards: 0 is not a whole number from 1 to 100000");
  EXPECT_EQ(message("\"deadline_ms\": 300000", "\"deadline_ms\": \"5m\""),
            "/deadline_ms: \"5m\" is not a whole number from 1 to 31622400000");
  EXPECT_EQ(message("\"seeds\"", "\"today\""), "/edition: \"today\" is not an edition");
  EXPECT_NE(message(Spec::Embedded(Edition::kSeeds).sha256(), std::string(64, '0'))
                .find("made for the clauses"),
            std::string::npos);
}

}  // namespace
}  // namespace poolproof
