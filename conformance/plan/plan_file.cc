// SPDX-License-Identifier: Apache-2.0
#include "conformance/plan/plan_file.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "conformance/case/case_json.h"
#include "conformance/case/case_text.h"
#include "conformance/json/json_reader.h"
#include "conformance/json/strict_json.h"
#include "conformance/plan/shards.h"
#include "conformance/spec/spec.h"

namespace poolproof {
namespace {

using Json = nlohmann::ordered_json;

std::chrono::milliseconds Duration(const JsonReader& at) {
  constexpr std::int64_t kYear = std::int64_t{366} * 24 * 3600 * 1000;
  return std::chrono::milliseconds(at.Int64(1, kYear));
}

NamedCase ReadNamedCase(const JsonReader& at) {
  at.NoOtherMembers({"family", "name", "case_line"});
  return {at.At("family").String(), at.At("name").String(), ReadCaseLine(at.At("case_line"))};
}

}  // namespace

std::string PlanFileText(const PlanFile& plan) {
  const PlanOptions& options = plan.options;
  Json object = Json::object();
  object["schema"] = "poolproof-plan/1";
  object["tool"] = {{"name", "poolproof"}, {"version", plan.tool_version}};
  object["spec_sha256"] = Spec::Embedded(options.edition).sha256();
  object["profile"] = InfoOf(plan.profile).name;
  object["edition"] = EditionName(options.edition);
  object["profile_asked"] = options.profile.has_value();
  object["set"] = CaseSetName(options.set);
  object["seed"] = options.seed;
  if (options.cases) object["cases"] = *options.cases;
  if (options.deadline) object["deadline_ms"] = options.deadline->count();
  if (options.stop_after) object["stop_after"] = *options.stop_after;
  if (options.filter) object["filter"] = *options.filter;
  if (options.campaign) object["campaign"] = true;
  if (options.time) object["time_ms"] = options.time->count();
  if (options.case_file_cases) {
    object["case_file"] = Json::array();
    for (const NamedCase& named : *options.case_file_cases) {
      object["case_file"].push_back(
          {{"family", named.family}, {"name", named.name}, {"case_line", CaseLine(named.problem)}});
    }
  }
  object["planned_cases"] = plan.planned;
  object["shards"] = plan.shards;
  object["plan_sha256"] = plan.sha256;
  return object.dump(1, ' ', true, Json::error_handler_t::replace) + "\n";
}

Result<PlanFile> ParsePlanFile(std::string_view text) {
  const auto json = ParseStrictJson<Json>(text);
  if (!json.ok()) return json.status();
  Status error;
  const JsonReader at(*json, error);
  at.NoOtherMembers({"schema", "tool", "spec_sha256", "profile", "edition", "profile_asked", "set",
                     "seed", "cases", "deadline_ms", "stop_after", "filter", "campaign", "time_ms",
                     "case_file", "planned_cases", "shards", "plan_sha256"});
  at.At("schema").Equals("poolproof-plan/1");
  const JsonReader tool = at.At("tool");
  tool.NoOtherMembers({"name", "version"});
  tool.At("name").Equals("poolproof");
  PlanFile plan;
  plan.tool_version = tool.At("version").String();
  const Edition edition = at.At("edition").Enum(ParseEdition, "an edition");
  const std::string spec = at.At("spec_sha256").String();
  const std::string& own = Spec::Embedded(edition).sha256();
  if (error.ok() && spec != own) {
    return InvalidArgument("it was made for the clauses " + spec.substr(0, 64) +
                           ", and this program has " + own);
  }
  plan.profile = at.At("profile").Enum(ParseProfile, "a profile");
  plan.options.edition = edition;
  PlanOptions& options = plan.options;
  if (at.At("profile_asked").Bool()) options.profile = plan.profile;
  options.set = at.At("set").Enum(ParseCaseSet, "smoke, ci or nightly");
  options.seed = at.At("seed").Unsigned();
  if (const auto cases = at.Find("cases")) options.cases = cases->Int64(1);
  if (const auto deadline = at.Find("deadline_ms")) {
    options.deadline = Duration(*deadline);
  }
  if (const auto stop_after = at.Find("stop_after")) options.stop_after = stop_after->Int64(1);
  if (const auto filter = at.Find("filter")) options.filter = filter->String();
  if (const auto campaign = at.Find("campaign")) options.campaign = campaign->Bool();
  if (const auto time = at.Find("time_ms")) {
    options.time = Duration(*time);
  }
  if (const auto cases = at.Find("case_file")) {
    options.case_file_cases.emplace();
    for (const JsonReader& item : cases->Items()) {
      options.case_file_cases->push_back(ReadNamedCase(item));
    }
  }
  plan.planned = at.At("planned_cases").Int64();
  plan.shards = static_cast<int>(at.At("shards").Int64(1, kMaxShards));
  plan.sha256 = at.At("plan_sha256").String();
  if (!error.ok()) return error;
  return plan;
}

}  // namespace poolproof
