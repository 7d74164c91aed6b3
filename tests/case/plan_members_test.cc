// SPDX-License-Identifier: Apache-2.0
#include "conformance/case/plan_members.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "core/text.h"

namespace poolproof {
namespace {

using ::testing::HasSubstr;

std::string ReadSchemaFile(const std::string& path) {
  std::ifstream stream(path);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

TEST(PlanMembers, EachRowIsAMemberOfItsOwn) {
  std::set<std::string_view> names;
  std::set<std::string> changed;
  for (const PlanMember& member : PlanMembers()) {
    EXPECT_TRUE(names.insert(member.line_name).second) << member.line_name;
    EXPECT_FALSE(member.meaning.empty()) << member.line_name;
    const int value = member.Default() == member.most ? member.least : member.most;
    CallPlan plan;
    member.set(plan, value);
    EXPECT_EQ(member.get(plan), value) << member.line_name;
    EXPECT_NE(plan, CallPlan()) << member.line_name;
    int others = 0;
    for (const PlanMember& other : PlanMembers()) others += other.IsDefault(plan) ? 0 : 1;
    EXPECT_EQ(others, 1) << member.line_name << " is the member of two rows";
    member.set(plan, member.Default());
    EXPECT_EQ(plan, CallPlan()) << member.line_name;
  }
}

TEST(PlanMembers, RelationsHaveTheirNames) {
  for (std::size_t i = 0; i < kRelationCount; ++i) {
    const auto relation = static_cast<Relation>(i);
    EXPECT_EQ(ParseRelation(RelationName(relation)), relation);
  }
  EXPECT_EQ(ParseRelation("x"), std::nullopt);
}

// The table of docs/case-line.md, as it must stand there.
std::string DocumentTable() {
  std::string text = "| field | JSON | values | default | meaning |\n|---|---|---|---|---|\n";
  for (const PlanMember& member : PlanMembers()) {
    std::string values;
    std::string fallback;
    if (member.kind == PlanMember::Kind::kNumber) {
      values = std::to_string(member.least) + " to " + std::to_string(member.most);
      fallback = std::to_string(member.Default());
    } else if (member.kind == PlanMember::Kind::kWord) {
      values = "`" + Joined(member.words, "` `") + "`";
      fallback = "`" + member.ValueText(member.Default()) + "`";
    }
    text += "| `" + std::string(member.line_name) + "` | `" + std::string(member.json_name) +
            "` | " + values + " | " + fallback + " | " + std::string(member.meaning) + " |\n";
  }
  return text;
}

TEST(PlanMembers, TheDocumentListsThem) {
  EXPECT_THAT(ReadSchemaFile(POOLPROOF_CASE_LINE_DOCUMENT), HasSubstr(DocumentTable()));
}

TEST(PlanMembers, TheSchemaListsThem) {
  const auto schema = nlohmann::ordered_json::parse(ReadSchemaFile(POOLPROOF_CASE_SCHEMA));
  nlohmann::ordered_json wanted = nlohmann::ordered_json::object();
  for (const PlanMember& member : PlanMembers()) {
    auto& row = wanted[std::string(member.json_name)];
    switch (member.kind) {
      case PlanMember::Kind::kFlag:
        row = {{"type", "boolean"}};
        break;
      case PlanMember::Kind::kNumber:
        row = {{"type", "integer"}, {"minimum", member.least}, {"maximum", member.most}};
        break;
      case PlanMember::Kind::kWord:
        row = {{"enum", member.words}};
        break;
    }
  }
  EXPECT_EQ(schema.at("$defs").at("plan").at("properties"), wanted) << wanted.dump(1);
}

TEST(CheckPlan, RefusesWhatNoWorkerCarriesOut) {
  EXPECT_TRUE(CheckPlan(CallPlan()).ok());
  for (const PlanMember& member : PlanMembers()) {
    for (const int value : {member.least - 1, member.most + 1}) {
      // What the member's type cannot hold is no plan.
      if (member.kind != PlanMember::Kind::kNumber && value != member.most + 1) continue;
      if (member.kind == PlanMember::Kind::kFlag) continue;
      CallPlan plan;
      member.set(plan, value);
      EXPECT_THAT(CheckPlan(plan).message(), HasSubstr(std::string(member.line_name) + ": " +
                                                       std::to_string(value) + " is not"));
    }
  }
  const std::pair<CallPlan, std::string> plans[] = {
      {{.shift_bytes = 33}, "shift: 33 is not a multiple of 32"},
      {{.repeat = 3, .shift_bytes = 32 << 20}, "over all repetitions"},
      {{.threads = 2, .guard = Guard::kAfter}, "guard goes with one thread"},
      {{.guard = Guard::kAfter, .order = Order::kFifo}, "guard goes with one thread"},
      {{.shift_bytes = 32, .guard = Guard::kBefore}, "guard goes with one thread"},
      {{.reuse_executor = true, .guard = Guard::kBefore}, "guard goes with one thread"},
      {{.phase_two_alone = true, .reuse_executor = true}, "reuse needs a phase one"},
      {{.reuse_executor = true, .share_descriptors = true}, "share goes with calls in turn"},
      {{.share_descriptors = true, .order = Order::kLifo}, "share goes with calls in turn"},
      {{.share_descriptors = true, .guard = Guard::kAfter}, "share goes with calls in turn"},
      {{.threads = 2, .look = Look::kAfter}, "look goes with one thread"},
      {{.guard = Guard::kAfter, .look = Look::kHeld}, "look goes with one thread"},
      {{.descriptors_only = true, .look = Look::kHeld}, "look goes with one thread"},
      {{.order = Order::kFifo, .look = Look::kHeld}, "look=held with calls in turn"},
  };
  for (const auto& [plan, message] : plans) {
    EXPECT_THAT(CheckPlan(plan).message(), HasSubstr(message));
  }
  EXPECT_TRUE(CheckPlan({.repeat = 2, .shift_bytes = 32 << 20}).ok());
  EXPECT_TRUE(CheckPlan({.repeat = 4, .streams = 3, .guard = Guard::kAfter}).ok());
  EXPECT_TRUE(CheckPlan({.order = Order::kFifo, .look = Look::kAfter}).ok());
}

}  // namespace
}  // namespace poolproof
