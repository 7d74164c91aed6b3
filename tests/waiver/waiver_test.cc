// SPDX-License-Identifier: Apache-2.0
#include "conformance/waiver/waiver.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "conformance/waiver/waiving.h"

namespace poolproof {
namespace {

using Json = nlohmann::ordered_json;

Json One() {
  return Json::parse(R"({"id": "A-1", "owner": "o", "reason": "r", "link": "https://l/1",
      "scope": {"clauses": ["MP3-B02"]}, "signature": "*:contribution-lost:*",
      "expires": "2026-06-30"})");
}

std::string FileOf(const Json& waivers) {
  return Json({{"schema", "poolproof-waivers/1"}, {"waivers", waivers}}).dump();
}

std::vector<Waiver> Parsed(const Json& waivers) {
  const Result<std::vector<Waiver>> parsed = ParseWaivers(FileOf(waivers), Spec::Embedded());
  EXPECT_TRUE(parsed.ok()) << parsed.status().message();
  return parsed.ok() ? *parsed : std::vector<Waiver>();
}

std::string Refusal(const char* place, const Json& value) {
  Json file = Json::parse(FileOf(Json::array({One()})));
  file[Json::json_pointer(place)] = value;
  return ParseWaivers(file.dump(), Spec::Embedded()).status().message();
}

TEST(Waivers, RefusalsSayWhereWhatAndWhatWasWanted) {
  EXPECT_EQ(Refusal("/schema", "poolproof-waivers/2"),
            "/schema: \"poolproof-waivers/2\" is not \"poolproof-waivers/1\"");
  EXPECT_EQ(Refusal("/waivers/0/expires", "2026-02-29"),
            "/waivers/0/expires: \"2026-02-29\" is not a date such as 2026-12-31");
  EXPECT_EQ(Refusal("/waivers/0/expires", nullptr), "/waivers/0/expires: null is not a text");
  EXPECT_EQ(Refusal("/waivers/0/owner", " "), "/waivers/0/owner: \" \" is not who answers for it");
  EXPECT_EQ(Refusal("/waivers/0/link", "ticket 7"),
            "/waivers/0/link: \"ticket 7\" is not a link that starts with https:// or http://");
  EXPECT_EQ(Refusal("/waivers/0/scope", Json::object()),
            "/waivers/0/scope: names neither clauses nor cases; expected at least one of them");
  EXPECT_EQ(Refusal("/waivers/0/scope/clauses/0", "MP3-B99"),
            "/waivers/0/scope/clauses/0: \"MP3-B99\" is not the id of a clause");
  EXPECT_EQ(Refusal("/waivers/0/scope/profiles", Json::array({"a2"})),
            "/waivers/0/scope/profiles/0: \"a2\" is not a profile");
  EXPECT_EQ(Refusal("/waivers/0/scope/cases", "rank = 4"),
            "/waivers/0/scope/cases: character 6: '= 4'; expected ==, !=, <, <=, > or >=");
  EXPECT_EQ(Refusal("/waivers/1", One()), "/waivers/1/id: \"A-1\" is not unique in the file");
  EXPECT_NE(Refusal("/waivers/0/until", "x").find("/waivers/0/until: unknown member"),
            std::string::npos);
  const Json whole = One();
  for (const auto& [name, value] : whole.items()) {
    Json lacking = One();
    lacking.erase(name);
    EXPECT_FALSE(ParseWaivers(FileOf(Json::array({lacking})), Spec::Embedded()).ok()) << name;
  }
}

TEST(Waivers, DatesAreDaysOfTheCalendar) {
  for (const char* date : {"2026-12-31", "2024-02-29", "2000-02-29"}) EXPECT_TRUE(IsDate(date));
  for (const char* date : {"2026-2-1", "1900-02-29", "2026-00-01", "2026-13-01", "2026-04-31",
                           "2026-04-00", "20260430", "2026-04-30Z", ""}) {
    EXPECT_FALSE(IsDate(date)) << date;
  }
}

class WaivingTest : public testing::Test {
 protected:
  WaivingTest() {
    identity_.name = "libnpu.so";
    identity_.libraries = {{"libnpu.so", std::string(64, 'b')}};
    problem_.calls.push_back(MakeFixedBackward(Operator::kMaxPool3dWithArgmaxBackward,
                                               DataType::kBf16, DataType::kInt32, {1, 1, 1, 1, 4},
                                               {1, 1, 2}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, false));
    failure_.clauses = {"MP3-B02"};
    failure_.signature = "MaxPool3dWithArgmaxBackward:contribution-lost:MP3-B02";
  }
  Waiving Book(const std::vector<Json>& waivers, const std::string& today = "2026-06-30") const {
    return {Parsed(Json(waivers)), today, identity_, Profile::kAtlasA2};
  }
  std::vector<std::string> Fail(Waiving& waiving) const {
    return waiving.Failed(problem_, failure_, failure_.clauses);
  }
  static WaiverState OnlyState(const Waiving& waiving, bool partial = false) {
    return waiving.Results(partial).front().state;
  }

  ImplementationIdentity identity_;
  Case problem_;
  Failure failure_;
};

using Ids = std::vector<std::string>;

TEST_F(WaivingTest, WaivesUpToItsLastDay) {
  Waiving last = Book({One()});
  EXPECT_EQ(Fail(last), Ids{"A-1"});
  EXPECT_EQ(OnlyState(last), WaiverState::kUsed);
  Waiving later = Book({One()}, "2026-07-01");
  EXPECT_EQ(Fail(later), Ids{});
  EXPECT_EQ(OnlyState(later), WaiverState::kExpired);
  EXPECT_TRUE(FailsRun(WaiverState::kExpired));
}

TEST_F(WaivingTest, KeepsToItsScope) {
  const auto with = [&](const char* place, const Json& value) {
    Json waiver = One();
    waiver[Json::json_pointer(place)] = value;
    Waiving waiving = Book({waiver});
    Fail(waiving);
    return OnlyState(waiving);
  };
  EXPECT_EQ(with("/scope/implementation", "libnpu*"), WaiverState::kUsed);
  EXPECT_EQ(with("/scope/implementation", "libgpu*"), WaiverState::kOutOfScope);
  EXPECT_EQ(with("/scope/sha256", std::string(64, 'b')), WaiverState::kUsed);
  EXPECT_EQ(with("/scope/sha256", std::string(64, 'c')), WaiverState::kOutOfScope);
  EXPECT_EQ(with("/scope/profiles", {"atlas-a3", "atlas-a2"}), WaiverState::kUsed);
  EXPECT_EQ(with("/scope/profiles", Json::array({"atlas-a3"})), WaiverState::kOutOfScope);
  EXPECT_EQ(with("/scope/clauses", Json::array({"MP3-B01"})), WaiverState::kUnmatched);
  EXPECT_EQ(with("/scope/cases", "dtype == bf16"), WaiverState::kUsed);
  EXPECT_EQ(with("/scope/cases", "dtype == f16"), WaiverState::kUnmatched);
  EXPECT_EQ(with("/signature", "*:wrong-sum:*"), WaiverState::kUnmatched);
  EXPECT_FALSE(FailsRun(WaiverState::kOutOfScope));
  EXPECT_TRUE(FailsRun(WaiverState::kUnmatched));
}

TEST_F(WaivingTest, EveryRequiredClauseMustBeCovered) {
  failure_.clauses = {"MP3-B01", "MP3-B02"};
  Waiving one = Book({One()});
  EXPECT_EQ(Fail(one), Ids{});
  EXPECT_EQ(one.Results(false).front().failed_otherwise, 1);
  Json other = One();
  other["id"] = "A-2";
  other["scope"]["clauses"] = Json::array({"MP3-B01"});
  Waiving both = Book({One(), other});
  EXPECT_EQ(Fail(both), (Ids{"A-1", "A-2"}));
  Waiving advisory = Book({One()});
  EXPECT_EQ(advisory.Failed(problem_, failure_, {"MP3-B02"}), Ids{"A-1"})
      << "the other clause decides nothing";
}

TEST_F(WaivingTest, PassingFailsTheRunForFixedCasesAlone) {
  Waiving random = Book({One()});
  random.Passed(problem_, {"MP3-B02"}, /*fixed=*/false);
  random.Passed(problem_, {"MP3-B01"}, /*fixed=*/true);  // of another clause
  EXPECT_EQ(OnlyState(random), WaiverState::kPassingRandom);
  EXPECT_FALSE(FailsRun(OnlyState(random)));
  random.Passed(problem_, {"MP3-B02"}, /*fixed=*/true);
  EXPECT_EQ(OnlyState(random), WaiverState::kPassing);
  EXPECT_TRUE(FailsRun(OnlyState(random)));
  EXPECT_EQ(OnlyState(random, /*partial=*/true), WaiverState::kUndecided);
  EXPECT_FALSE(FailsRun(WaiverState::kUndecided));
  Fail(random);
  EXPECT_EQ(OnlyState(random), WaiverState::kUsed);
}

TEST(EveryBreachIsWaived, CountsCasesThatAreNotListed) {
  Report report;
  report.verdict = RunVerdict::kNonconformant;
  report.clauses.push_back({"MP3-B02", Strength::kRequired, ClauseVerdict::kFailed, 9, 3, ""});
  report.clauses.back().waived = 2;
  EXPECT_FALSE(EveryBreachIsWaived(report));
  report.clauses.back().waived = 3;
  EXPECT_TRUE(EveryBreachIsWaived(report));
  report.failures.emplace_back();
  EXPECT_FALSE(EveryBreachIsWaived(report)) << "a listed one that is not";
  report.verdict = RunVerdict::kConformant;
  report.failures.clear();
  EXPECT_FALSE(EveryBreachIsWaived(report));
}

}  // namespace
}  // namespace poolproof
