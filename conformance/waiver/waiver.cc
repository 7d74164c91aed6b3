// SPDX-License-Identifier: Apache-2.0
#include "conformance/waiver/waiver.h"

#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "conformance/json/strict_json.h"
#include "conformance/spec/profile.h"
#include "core/dates.h"
#include "core/sha256.h"

namespace poolproof {
namespace {

constexpr std::size_t kMostWaivers = 10000;

bool IsFilled(std::string_view text) {
  return text.find_first_not_of(" \t\n") != std::string_view::npos;
}

// Ids are in messages, anchors and lists.
bool IsId(std::string_view text) {
  return !text.empty() && text.size() <= 100 &&
         text.find_first_not_of(
             "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.") ==
             std::string_view::npos;
}

std::vector<JsonReader> NonEmpty(const JsonReader& at) {
  std::vector<JsonReader> items = at.Items();
  if (items.empty()) at.Fail("is empty; expected at least one entry, or no such member");
  return items;
}

WaiverScope ReadScope(const JsonReader& at) {
  WaiverScope scope;
  at.NoOtherMembers({"implementation", "sha256", "profiles", "clauses", "cases"});
  if (const auto name = at.Find("implementation")) {
    scope.implementation = name->String(IsFilled, "a glob over the implementation's name");
  }
  if (const auto hash = at.Find("sha256")) scope.sha256 = hash->String(IsSha256, "64 hex digits");
  if (const auto profiles = at.Find("profiles")) {
    for (const JsonReader& item : NonEmpty(*profiles)) {
      scope.profiles.push_back(item.Enum(ParseProfile, "a profile"));
    }
  }
  if (const auto clauses = at.Find("clauses")) {
    for (const JsonReader& item : NonEmpty(*clauses)) scope.clauses.push_back(item.String());
  }
  if (const auto cases = at.Find("cases")) scope.cases = cases->String(IsFilled, "a predicate");
  // Failures of everything are no known defect.
  if (at.ok() && scope.clauses.empty() && scope.cases.empty()) {
    at.Fail("names neither clauses nor cases; expected at least one of them");
  }
  return scope;
}

Waiver ReadWaiver(const JsonReader& at, const Spec& spec) {
  Waiver waiver;
  at.NoOtherMembers({"id", "owner", "reason", "link", "scope", "signature", "expires"});
  waiver.terms = ReadWaiverTerms(at);
  if (!at.ok()) return waiver;
  const JsonReader scope = at.At("scope");
  if (const auto clauses = scope.Find("clauses")) {
    for (const JsonReader& item : clauses->Items()) {
      if (spec.Find(item.String()) == nullptr) item.Expected("the id of a clause");
    }
  }
  if (waiver.terms.scope.cases.empty()) return waiver;
  Result<Predicate> predicate = Predicate::Parse(waiver.terms.scope.cases);
  if (predicate.ok()) {
    waiver.cases = std::move(predicate).value();
  } else {
    scope.At("cases").Fail(predicate.status().message());
  }
  return waiver;
}

}  // namespace

bool IsDate(std::string_view text) { return ParseDate(text).has_value(); }

WaiverResult ReadWaiverTerms(const JsonReader& at) {
  WaiverResult terms;
  terms.id = at.At("id").String(IsId, "an id of letters, digits, '-', '_' and '.'");
  terms.owner = at.At("owner").String(IsFilled, "who answers for it");
  terms.reason = at.At("reason").String(IsFilled, "why the failure is accepted");
  terms.link = at.At("link").String(
      [](std::string_view text) {
        return text.starts_with("https://") || text.starts_with("http://");
      },
      "a link that starts with https:// or http://");
  terms.scope = ReadScope(at.At("scope"));
  terms.signature =
      at.At("signature")
          .String(IsFilled, "a signature of failures, or a pattern with * such as *Backward:*");
  terms.expires = at.At("expires").String(IsDate, "a date such as 2026-12-31");
  return terms;
}

Result<std::vector<Waiver>> ParseWaivers(std::string_view text, const Spec& spec) {
  const auto json = ParseStrictJson<nlohmann::ordered_json>(text);
  if (!json.ok()) return json.status();
  Status error;
  const JsonReader at(*json, error);
  std::vector<Waiver> waivers;
  at.NoOtherMembers({"schema", "waivers"});
  at.At("schema").Equals("poolproof-waivers/1");
  const std::vector<JsonReader> items = at.At("waivers").Items();
  if (items.size() > kMostWaivers) at.At("waivers").Expected("an array of at most 10000 waivers");
  std::set<std::string> ids;
  for (const JsonReader& item : items) {
    if (!at.ok()) break;
    waivers.push_back(ReadWaiver(item, spec));
    if (item.ok() && !ids.insert(waivers.back().terms.id).second) {
      item.At("id").Expected("unique in the file");
    }
  }
  if (!error.ok()) return error;
  return waivers;
}

}  // namespace poolproof
