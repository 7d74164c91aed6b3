// SPDX-License-Identifier: Apache-2.0
#include "conformance/waiver/suggest.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "conformance/result/predicate.h"
#include "conformance/spec/profile.h"

namespace poolproof {
namespace {

struct Kind {
  const Failure* first = nullptr;
  std::vector<const Case*> cases;
};

bool HoldsOfAll(const std::string& text, const Kind& kind) {
  const Result<Predicate> predicate = Predicate::Parse(text);
  return predicate.ok() &&
         std::all_of(kind.cases.begin(), kind.cases.end(),
                     [&](const Case* problem) { return predicate->Holds(*problem); });
}

// A condition in the language of predicates; empty where that has no word for it.
std::string ComparisonOf(const RuleCondition& condition) {
  static const std::map<std::string, std::string> signs = {
      {"is", "=="}, {"is-not", "!="}, {"at-least", ">="}, {"at-most", "<="}};
  const auto sign = signs.find(condition.comparison);
  if (sign == signs.end()) return "";
  const std::string text = condition.name + " " + sign->second + " " + condition.value;
  return Predicate::Parse(text).ok() ? text : "";
}

std::string PredicateOf(const Report& report, const Kind& kind) {
  std::vector<std::string> parts;
  const auto add = [&](const std::string& part) {
    if (part.empty() || !HoldsOfAll(part, kind)) return;
    if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(part);
  };
  // Of the cases that the report does not list nobody knows the words.
  const bool lists_all = std::ssize(kind.cases) == kind.first->alike;
  for (const std::string& part : WordComparisons(*kind.cases.front())) {
    if (lists_all || part.starts_with("operator ")) add(part);
  }
  for (const RootCause& cause : report.root_causes) {
    const bool concerns = std::includes(cause.clauses.begin(), cause.clauses.end(),
                                        kind.first->clauses.begin(), kind.first->clauses.end());
    if (!concerns || !lists_all) continue;
    for (const RuleCondition& condition : cause.rule) add(ComparisonOf(condition));
  }
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : " and ") + part;
  return text;
}

// A glob that only the text itself matches.
std::string GlobOf(const std::string& text) {
  std::string glob;
  for (const char c : text) {
    if (c == '*' || c == '?' || c == '[' || c == '\\') glob += '\\';
    glob += c;
  }
  return glob;
}

}  // namespace

std::vector<WaiverResult> SuggestWaivers(const Report& report, const std::string& expires) {
  std::vector<Kind> kinds;
  std::map<std::string, std::size_t> places;
  for (const Failure& failure : report.failures) {
    if (failure.advisory || !failure.waived_by.empty()) continue;
    const auto [place, added] = places.emplace(failure.signature, kinds.size());
    if (added) kinds.push_back({&failure, {}});
    kinds[place->second].cases.push_back(&failure.problem);
  }
  for (const AlsoFailed& failed : report.also_failed) {
    const auto place = places.find(failed.signature);
    if (place != places.end()) kinds[place->second].cases.push_back(&failed.problem);
  }
  std::vector<WaiverResult> waivers;
  for (const Kind& kind : kinds) {
    WaiverResult waiver;
    waiver.id = "W-" + std::to_string(waivers.size() + 1);
    waiver.owner = kOwnerPlaceholder;
    waiver.reason = kReasonPlaceholder;
    waiver.link = kLinkPlaceholder;
    waiver.expires = expires;
    waiver.signature = GlobOf(kind.first->signature);
    waiver.scope.implementation = GlobOf(report.implementation.name);
    waiver.scope.profiles = {report.profile};
    waiver.scope.clauses = kind.first->clauses;
    waiver.scope.cases = PredicateOf(report, kind);
    waivers.push_back(std::move(waiver));
  }
  return waivers;
}

std::string WaiverFileText(const std::vector<WaiverResult>& waivers) {
  using Json = nlohmann::ordered_json;
  Json array = Json::array();
  for (const WaiverResult& waiver : waivers) {
    Json profiles = Json::array();
    for (const Profile profile : waiver.scope.profiles) profiles.push_back(InfoOf(profile).name);
    Json scope = Json::object();
    if (!waiver.scope.implementation.empty()) scope["implementation"] = waiver.scope.implementation;
    if (!waiver.scope.sha256.empty()) scope["sha256"] = waiver.scope.sha256;
    if (!profiles.empty()) scope["profiles"] = profiles;
    if (!waiver.scope.clauses.empty()) scope["clauses"] = waiver.scope.clauses;
    if (!waiver.scope.cases.empty()) scope["cases"] = waiver.scope.cases;
    array.push_back({{"id", waiver.id},
                     {"owner", waiver.owner},
                     {"reason", waiver.reason},
                     {"link", waiver.link},
                     {"scope", scope},
                     {"signature", waiver.signature},
                     {"expires", waiver.expires}});
  }
  Json object = Json::object();
  object["schema"] = "poolproof-waivers/1";
  object["waivers"] = array;
  return object.dump(2, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) + "\n";
}

}  // namespace poolproof
