// SPDX-License-Identifier: Apache-2.0
#include "conformance/exchange/problem_set.h"

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "conformance/case/case_json.h"
#include "conformance/case/case_text.h"
#include "conformance/exchange/problem_files.h"
#include "conformance/json/json_reader.h"
#include "conformance/json/strict_json.h"
#include "conformance/spec/spec.h"
#include "core/enum_names.h"
#include "core/sha256.h"

namespace poolproof {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 3> kPurposes = {"probe", "acceptance", "case"};
constexpr std::array<std::string_view, 6> kAims = {"none",  "breach", "pair",
                                                   "legal", "open",   "alone"};
// Of a name, a path or a reason.
constexpr std::size_t kMostProblemName = 1024;

std::string Name(const JsonReader& at) {
  return at.String([](std::string_view text) { return text.size() <= kMostProblemName; }, "a name");
}

Problem ReadProblem(const JsonReader& at, std::size_t position) {
  at.NoOtherMembers({"folder", "for", "number", "family", "name", "clause", "aim", "base", "sha256",
                     "case_line"});
  Problem problem;
  at.At("folder").Equals(FolderOf(position));
  problem.purpose =
      at.At("for").Enum([](std::string_view word) { return ParseEnum<Purpose>(kPurposes, word); },
                        "probe, acceptance or case");
  problem.number = at.At("number").Int64();
  problem.named.family = Name(at.At("family"));
  problem.named.name = Name(at.At("name"));
  problem.named.clause = at.At("clause").String();
  problem.named.aim =
      at.At("aim").Enum([](std::string_view word) { return ParseEnum<Aim>(kAims, word); },
                        "what a case was made for");
  problem.named.base = at.At("base").String();
  problem.sha256 = at.At("sha256").String(IsSha256, "a SHA-256");
  problem.named.problem = ReadCaseLine(at.At("case_line"));
  if (!at.ok()) return problem;
  if (const auto reason = WhyNotAsFiles(problem.named.problem)) {
    at.At("case_line").Fail("it cannot be put as files: " + *reason);
  }
  return problem;
}

}  // namespace

std::string_view PurposeName(Purpose purpose) {
  return kPurposes[static_cast<std::size_t>(purpose)];
}

std::string FolderOf(std::size_t position) {
  std::string number = std::to_string(position);
  if (number.size() < 6) number.insert(0, 6 - number.size(), '0');
  return "cases/" + number;
}

std::string ProblemSetText(const ProblemSet& set) {
  Json object = Json::object();
  object["schema"] = kProblemSetSchema;
  object["tool"] = {{"name", "poolproof"}, {"version", set.tool_version}};
  object["spec_sha256"] = Spec::Embedded(set.edition).sha256();
  object["profile"] = InfoOf(set.profile).name;
  object["edition"] = EditionName(set.edition);
  object["set"] = CaseSetName(set.set);
  object["seed"] = set.seed;
  object["problems"] = Json::array();
  for (std::size_t i = 0; i < set.problems.size(); ++i) {
    const Problem& problem = set.problems[i];
    object["problems"].push_back({{"folder", FolderOf(i)},
                                  {"for", PurposeName(problem.purpose)},
                                  {"number", problem.number},
                                  {"family", problem.named.family},
                                  {"name", problem.named.name},
                                  {"clause", problem.named.clause},
                                  {"aim", kAims[static_cast<std::size_t>(problem.named.aim)]},
                                  {"base", problem.named.base},
                                  {"sha256", problem.sha256},
                                  {"case_line", CaseLine(problem.named.problem)}});
  }
  object["left_out"] = Json::array();
  for (const LeftOutCase& left : set.left_out) {
    object["left_out"].push_back(
        {{"number", left.number}, {"path", left.path}, {"reason", left.reason}});
  }
  return object.dump(1, ' ', true, Json::error_handler_t::replace) + "\n";
}

Result<ProblemSet> ParseProblemSet(std::string_view text) {
  const auto json = ParseStrictJson<Json>(text);
  if (!json.ok()) return json.status();
  Status error;
  const JsonReader at(*json, error);
  at.NoOtherMembers({"schema", "tool", "spec_sha256", "profile", "edition", "set", "seed",
                     "problems", "left_out"});
  at.At("schema").Equals(kProblemSetSchema);
  const JsonReader tool = at.At("tool");
  tool.NoOtherMembers({"name", "version"});
  tool.At("name").Equals("poolproof");
  ProblemSet set;
  set.tool_version = tool.At("version").String();
  set.edition = at.At("edition").Enum(ParseEdition, "an edition");
  const std::string spec = at.At("spec_sha256").String();
  const std::string& own = Spec::Embedded(set.edition).sha256();
  if (error.ok() && spec != own) {
    return InvalidArgument("it was made for the clauses " + spec.substr(0, 64) +
                           ", and this program has " + own);
  }
  set.profile = at.At("profile").Enum(ParseProfile, "a profile");
  set.set = at.At("set").Enum(ParseCaseSet, "smoke, ci or nightly");
  set.seed = at.At("seed").Unsigned();
  at.At("problems").ForEachItem([&](const JsonReader& item) {
    set.problems.push_back(ReadProblem(item, set.problems.size()));
  });
  at.At("left_out").ForEachItem([&](const JsonReader& item) {
    item.NoOtherMembers({"number", "path", "reason"});
    set.left_out.push_back(
        {item.At("number").Int64(), Name(item.At("path")), Name(item.At("reason"))});
  });
  if (!error.ok()) return error;
  return set;
}

}  // namespace poolproof
