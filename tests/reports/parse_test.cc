// SPDX-License-Identifier: Apache-2.0
//
// Report files read back: what was written comes back whole, what was not is refused.
#include "reports/parse.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "reports/json.h"
#include "tests/sample.h"

namespace poolproof {
namespace {

using Json = nlohmann::ordered_json;

std::string ReadReport(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string Golden() {
  return ReadReport(std::filesystem::path(POOLPROOF_GOLDEN_FOLDER) / "waived.json");
}

// One line that starts with a place in the document.
void ExpectRefused(const std::string& text, const std::string& what) {
  const Result<Report> report = ParseReport(text);
  ASSERT_FALSE(report.ok()) << what;
  const std::string& message = report.status().message();
  EXPECT_EQ(report.status().code(), StatusCode::kInvalidArgument) << what;
  EXPECT_TRUE(message.starts_with("/") || message.starts_with("JSON: ") ||
              message.starts_with("not JSON: "))
      << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  EXPECT_LT(message.size(), 400U) << message;
}

// Each once.
std::vector<Json::json_pointer> Places(const Json& json) {
  std::vector<Json::json_pointer> places;
  std::set<std::string> seen;
  const Json flat = json.flatten();
  for (const auto& [path, value] : flat.items()) {
    for (Json::json_pointer place(path); !place.empty(); place = place.parent_pointer()) {
      if (seen.insert(place.to_string()).second) places.push_back(place);
    }
  }
  return places;
}

bool IsOpen(const std::string& place) {  // objects whose members have any name
  return place == "/implementation/declared" || place == "/implementation/probed/observed";
}

TEST(ParseReport, GivesGoldenReportsBack) {
  int seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(POOLPROOF_GOLDEN_FOLDER)) {
    const std::string name = entry.path().filename().string();
    const bool other_format = entry.path().stem().has_extension();  // "waived.ctrf.json"
    if (!name.ends_with(".json") || name.starts_with("other-") || other_format) continue;
    const std::string text = ReadReport(entry.path());
    const Result<Report> report = ParseReport(text);
    ASSERT_TRUE(report.ok()) << name << ": " << report.status().message();
    EXPECT_EQ(ReportJsonText(*report), text) << name;
    ++seen;
  }
  EXPECT_GE(seen, 2);
}

TEST(ParseReport, RefusesUnknownMembersEverywhere) {
  const Json golden = Json::parse(Golden());
  for (const Json::json_pointer& place : Places(golden)) {
    if (!golden[place].is_object() || IsOpen(place.to_string())) continue;
    Json changed = golden;
    changed[place]["unheard_of"] = 1;
    ExpectRefused(changed.dump(), place.to_string());
  }
}

TEST(ParseReport, MissesMembersEverywhere) {
  const Json golden = Json::parse(Golden());
  for (const Json::json_pointer& place : Places(golden)) {
    const Json::json_pointer parent = place.parent_pointer();
    const std::string name = place.back();
    const std::string inside = place.to_string();
    const bool of_clause = inside.starts_with("/clauses") || inside.starts_with("/properties");
    const bool may_lack =
        (of_clause && (name == "reason" || name == "weak" || name == "waived" ||
                       name == "proven_by" || name == "not_looked_into" || name == "edition")) ||
        inside == "/summary/advisory" || name == "alike" || name == "output" || name == "crash" ||
        name == "access" || inside == "/gate" || inside == "/root_causes" ||
        inside == "/accepted" || inside == "/also_failed" || inside == "/edition" ||
        inside == "/differences" || (inside.starts_with("/accepted") && name == "detail") ||
        IsOpen(parent.to_string()) || inside.find("/scope/") != std::string::npos ||
        inside.find("case/") != std::string::npos;
    if (!golden[parent].is_object() || may_lack) continue;
    Json changed = golden;
    changed[parent].erase(name);
    ExpectRefused(changed.dump(), inside);
  }
}

TEST(ParseReport, WithoutAnEditionItIsThatOfTheSourceDocuments) {
  Json changed = Json::parse(Golden());
  ASSERT_EQ(changed["edition"], "newest");
  EXPECT_EQ(ParseReport(changed.dump())->edition, Edition::kNewest);
  changed.erase("edition");
  EXPECT_EQ(ParseReport(changed.dump())->edition, Edition::kSeeds);
}

TEST(ParseReport, RefusesOtherTypesEverywhere) {
  const Json golden = Json::parse(Golden());
  int at = 0;
  for (const Json::json_pointer& place : Places(golden)) {
    for (const Json& other : {Json(true), Json(-1.5), Json::array({Json::object()}), Json("\n")}) {
      if (other.type() == golden[place].type() || at++ % kSample != 0) continue;
      Json changed = golden;
      changed[place] = other;
      ExpectRefused(changed.dump(), place.to_string());
    }
  }
}

TEST(ParseReport, SaysWhereWhatAndWhatWasWanted) {
  const auto message = [](const char* place, const Json& value) {
    Json changed = Json::parse(Golden());
    changed[Json::json_pointer(place)] = value;
    return ParseReport(changed.dump()).status().message();
  };
  EXPECT_EQ(message("/summary/cases", -1),
            "/summary/cases: -1 is not a whole number from 0 to 9007199254740992");
  EXPECT_EQ(message("/clauses/1/verdict", "good"),
            "/clauses/1/verdict: \"good\" is not a clause's verdict");
  EXPECT_EQ(message("/failures_omitted", 7),
            "/failures_omitted: 7 is not the failing cases of the summary less those listed (2)");
  EXPECT_EQ(message("/failures/1/case_line", "pp1:"),
            "/failures/1/case_line: \"pp1:\" is not the case line of the same case");
  EXPECT_EQ(message("/schema", "poolproof-report/2"),
            "/schema: \"poolproof-report/2\" is not \"poolproof-report/1\"");
  EXPECT_EQ(message("/profile", std::string(100, 'x')),
            "/profile: \"" + std::string(60, 'x') + "\"... is not a profile");
}

TEST(ParseReport, RefusesWhatContradictsItself) {
  const Json golden = Json::parse(Golden());
  Json changed = golden;
  changed["failures"][0]["shrunk_message"] = nullptr;
  ExpectRefused(changed.dump(), "shrunk without a message");
  changed = golden;
  changed["run"]["shards"][0]["index"] = 1;
  ExpectRefused(changed.dump(), "shard 1 of 1");
  changed = golden;
  auto& cells = changed["coverage"]["operators"][0]["cells"];
  cells.push_back(cells[0]);
  ExpectRefused(changed.dump(), "a cell twice");
  changed = golden;
  changed["coverage"]["axes"][0]["classes"].push_back("f64");
  ExpectRefused(changed.dump(), "another axis");
  changed = golden;
  changed["differences"][0]["same"] = 1;
  ExpectRefused(changed.dump(), "counts that do not add up");
  const std::string text = Golden();
  ExpectRefused(text + "{}", "trailing text");
  ExpectRefused("{\"schema\": 1, \"schema\": 1}", "a member twice");
}

TEST(ParseReport, DepthIsBounded) {
  for (const char* bracket : {"[", "{\"a\":"}) {
    std::string text;
    for (int i = 0; i < 100000; ++i) text += bracket;
    ExpectRefused(text, bracket);
    EXPECT_NE(ParseReport(text).status().message().find("64 levels"), std::string::npos);
  }
}

TEST(ParseReport, DamagedTextIsRefusedOrReadAlike) {
  const std::string golden = Golden();
  ASSERT_FALSE(golden.empty());
  std::mt19937 random(1);
  for (int i = 0; i < 3000; i += kSample) {
    std::string text = golden;
    for (int edits = 0; edits < 3; ++edits) {
      const std::size_t at = random() % text.size();
      if (random() % 2 == 0) {
        text[at] = static_cast<char>(random());
      } else {
        text.erase(at, random() % 40);
      }
    }
    const Result<Report> report = ParseReport(text);
    if (!report.ok()) continue;
    const Result<Report> again = ParseReport(ReportJsonText(*report));
    ASSERT_TRUE(again.ok()) << again.status().message();
    EXPECT_EQ(*again, *report);
  }
}

}  // namespace
}  // namespace poolproof
