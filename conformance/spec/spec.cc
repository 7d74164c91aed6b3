// SPDX-License-Identifier: Apache-2.0
#include "conformance/spec/spec.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "conformance/json/strict_json.h"
#include "conformance/spec/embedded_clauses.h"
#include "conformance/spec/operators.h"
#include "core/sha256.h"

namespace poolproof {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kFormat = "poolproof-clauses/1";
constexpr std::array<std::string_view, 2> kStrengthNames = {"required", "advisory"};
constexpr std::array<std::string_view, 7> kKindNames = {
    "status", "constraint", "value", "support", "protocol", "safety", "example"};

// Checks that `object` is one with every member of `required` and none beyond those and `optional`.
Status CheckMembers(const Json& object, std::initializer_list<std::string_view> required,
                    std::initializer_list<std::string_view> optional = {}) {
  if (!object.is_object()) {
    return InvalidArgument(std::string("is a JSON ") + object.type_name() + ", wanted an object");
  }
  for (const std::string_view name : required) {
    if (!object.contains(std::string(name))) {
      return InvalidArgument("member \"" + std::string(name) + "\" is missing");
    }
  }
  for (const auto& [name, value] : object.items()) {
    if (std::find(required.begin(), required.end(), name) == required.end() &&
        std::find(optional.begin(), optional.end(), name) == optional.end()) {
      return InvalidArgument("member \"" + name + "\" is unknown");
    }
  }
  return OkStatus();
}

Result<std::string> TextMember(const Json& object, const char* name) {
  const Json& value = object.at(name);
  if (!value.is_string() || value.get_ref<const std::string&>().empty()) {
    return InvalidArgument(std::string(name) + ": " + value.dump() + " is not a non-empty string");
  }
  return value.get<std::string>();
}

// A list of distinct strings.
Result<std::vector<std::string>> TextListMember(const Json& object, const char* name) {
  const Json& list = object.at(name);
  std::vector<std::string> texts;
  const Status wrong = InvalidArgument(std::string(name) + ": " + list.dump() +
                                       " is not a list of distinct strings");
  if (!list.is_array()) return wrong;
  for (const Json& item : list) {
    if (!item.is_string()) return wrong;
    texts.push_back(item.get<std::string>());
    if (std::find(texts.begin(), texts.end() - 1, texts.back()) != texts.end() - 1) return wrong;
  }
  return texts;
}

// The position of a member's text among `names`.
template <std::size_t kSize>
Result<std::size_t> NameMember(const Json& object, const char* name,
                               const std::array<std::string_view, kSize>& names) {
  const Result<std::string> text = TextMember(object, name);
  if (!text.ok()) return text.status();
  for (std::size_t i = 0; i < kSize; ++i) {
    if (*text == names[i]) return i;
  }
  std::string wanted;
  for (const std::string_view candidate : names) {
    wanted += (wanted.empty() ? "" : ", ") + std::string(candidate);
  }
  return InvalidArgument(std::string(name) + ": \"" + *text + "\" is none of " + wanted);
}

Result<std::vector<Profile>> ProfilesMember(const Json& object) {
  const Result<std::vector<std::string>> names = TextListMember(object, "profiles");
  if (!names.ok()) return names.status();
  if (names->empty()) {
    return InvalidArgument("profiles: the list is empty; leave it out to mean every profile");
  }
  std::vector<Profile> profiles;
  for (const std::string& name : *names) {
    const std::optional<Profile> profile = ParseProfile(name);
    if (!profile.has_value()) return InvalidArgument("profiles: unknown profile \"" + name + "\"");
    profiles.push_back(*profile);
  }
  return profiles;
}

Result<ExpectedStatus> ExpectMember(const Json& object) {
  const Json& expect = object.at("expect");
  if (Status status = CheckMembers(expect, {"status"}); !status.ok()) {
    return status.Annotate("expect");
  }
  const Json& value = expect.at("status");
  if (value == "any-error") return ExpectedStatus{.any_error = true, .status = 0};
  if (!value.is_number_unsigned() ||
      value.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int32_t>::max()}) {
    return InvalidArgument("expect: status: " + value.dump() +
                           " is neither \"any-error\" nor a status");
  }
  return ExpectedStatus{.any_error = false, .status = value.get<std::int32_t>()};
}

Status CheckDocumentIds(const std::vector<std::string>& ids,
                        const std::vector<Document>& documents) {
  for (const std::string& id : ids) {
    if (std::none_of(documents.begin(), documents.end(),
                     [&](const Document& document) { return document.id == id; })) {
      return InvalidArgument("documents: unknown document \"" + id + "\"");
    }
  }
  return OkStatus();
}

bool IsKnownOperator(const std::string& name) {
  return name == "two-phase protocol" || name == "any" || ParseOperator(name).has_value();
}

Result<Document> ParseDocument(const std::string& id, const Json& object) {
  if (Status status = CheckMembers(object, {"file", "title", "products"}); !status.ok()) {
    return status;
  }
  Result<std::string> file = TextMember(object, "file");
  Result<std::string> title = TextMember(object, "title");
  Result<std::vector<std::string>> products = TextListMember(object, "products");
  if (!file.ok()) return file.status();
  if (!title.ok()) return title.status();
  if (!products.ok()) return products.status();
  for (const std::string& product : *products) {
    if (!ParseProfile(product).has_value()) {
      return InvalidArgument("products: unknown profile \"" + product + "\"");
    }
  }
  return Document{id, std::move(file).value(), std::move(title).value(),
                  std::move(products).value()};
}

Result<Clause> ParseClause(const Json& object, const std::vector<Document>& documents) {
  if (Status status =
          CheckMembers(object, {"id", "operator", "documents", "kind", "strength", "statement"},
                       {"expect", "profiles"});
      !status.ok()) {
    return status;
  }
  const Result<std::string> id = TextMember(object, "id");
  const Result<std::string> operator_name = TextMember(object, "operator");
  const Result<std::vector<std::string>> cited = TextListMember(object, "documents");
  const Result<std::size_t> kind = NameMember(object, "kind", kKindNames);
  const Result<std::size_t> strength = NameMember(object, "strength", kStrengthNames);
  const Result<std::string> statement = TextMember(object, "statement");
  if (!id.ok()) return id.status();
  if (!operator_name.ok()) return operator_name.status();
  if (!IsKnownOperator(*operator_name)) {
    return InvalidArgument("operator: unknown operator \"" + *operator_name + "\"");
  }
  if (!cited.ok()) return cited.status();
  if (Status status = CheckDocumentIds(*cited, documents); !status.ok()) return status;
  if (!kind.ok()) return kind.status();
  if (!strength.ok()) return strength.status();
  if (!statement.ok()) return statement.status();

  Clause clause{.id = *id,
                .operator_name = *operator_name,
                .documents = *cited,
                .kind = static_cast<ClauseKind>(*kind),
                .strength = static_cast<Strength>(*strength),
                .statement = *statement,
                .expect = std::nullopt,
                .profiles = {}};
  if (object.contains("expect")) {
    const Result<ExpectedStatus> expect = ExpectMember(object);
    if (!expect.ok()) return expect.status();
    clause.expect = *expect;
  } else if (clause.kind == ClauseKind::kStatus || clause.kind == ClauseKind::kSupport) {
    return InvalidArgument("expect: missing; a clause of kind " +
                           std::string(ClauseKindName(clause.kind)) + " names a status");
  }
  if (object.contains("profiles")) {
    Result<std::vector<Profile>> profiles = ProfilesMember(object);
    if (!profiles.ok()) return profiles.status();
    clause.profiles = std::move(profiles).value();
  }
  return clause;
}

Result<RegisteredDiscrepancy> ParseDiscrepancy(const Json& object,
                                               const std::vector<Document>& documents) {
  if (Status status = CheckMembers(object, {"id", "documents", "statement"}); !status.ok()) {
    return status;
  }
  const Result<std::string> id = TextMember(object, "id");
  const Result<std::vector<std::string>> cited = TextListMember(object, "documents");
  const Result<std::string> statement = TextMember(object, "statement");
  if (!id.ok()) return id.status();
  if (!cited.ok()) return cited.status();
  if (Status status = CheckDocumentIds(*cited, documents); !status.ok()) return status;
  if (!statement.ok()) return statement.status();
  return RegisteredDiscrepancy{*id, *cited, *statement};
}

// "clauses[3] (MP3-S05)": where an error is, by the item's id if it has one.
std::string ItemName(const char* list, std::size_t position, const Json& item) {
  std::string name = std::string(list) + "[" + std::to_string(position) + "]";
  if (item.is_object() && item.contains("id") && item.at("id").is_string()) {
    name += " (" + item.at("id").get<std::string>() + ")";
  }
  return name;
}

// Parses every item of a list whose items have distinct ids.
template <typename Item, typename ParseItem>
Result<std::vector<Item>> ParseItems(const Json& root, const char* name, ParseItem parse_item) {
  const Json& list = root.at(name);
  if (!list.is_array()) return InvalidArgument(std::string(name) + ": not a list");
  std::vector<Item> items;
  std::set<std::string> ids;
  for (std::size_t i = 0; i < list.size(); ++i) {
    Result<Item> item = parse_item(list[i]);
    if (!item.ok()) return item.status().Annotate(ItemName(name, i, list[i]));
    if (!ids.insert(item->id).second) {
      return InvalidArgument(ItemName(name, i, list[i]) + ": id occurs twice");
    }
    items.push_back(std::move(item).value());
  }
  return items;
}

}  // namespace

bool Clause::AppliesTo(Profile profile) const {
  return profiles.empty() || std::find(profiles.begin(), profiles.end(), profile) != profiles.end();
}

Result<Spec> Spec::Parse(std::string_view json) {
  const Result<Json> parsed = ParseStrictJson<Json>(json);
  if (!parsed.ok()) return parsed.status();
  const Json& root = *parsed;
  if (Status status =
          CheckMembers(root, {"format", "documents", "strengths", "clauses", "discrepancies"});
      !status.ok()) {
    return status;
  }
  if (root.at("format") != kFormat) {
    return InvalidArgument("format: " + root.at("format").dump() + ", wanted \"" +
                           std::string(kFormat) + "\"");
  }
  if (Status status = CheckMembers(root.at("strengths"), {"required", "advisory"}); !status.ok()) {
    return status.Annotate("strengths");
  }

  Spec spec;
  spec.sha256_ = Sha256Hex(json);
  if (!root.at("documents").is_object()) return InvalidArgument("documents: not an object");
  for (const auto& [id, object] : root.at("documents").items()) {
    Result<Document> document = ParseDocument(id, object);
    if (!document.ok()) return document.status().Annotate("documents: " + id);
    spec.documents_.push_back(std::move(document).value());
  }
  auto clauses = ParseItems<Clause>(
      root, "clauses", [&](const Json& item) { return ParseClause(item, spec.documents_); });
  if (!clauses.ok()) return clauses.status();
  spec.clauses_ = std::move(clauses).value();
  auto discrepancies = ParseItems<RegisteredDiscrepancy>(
      root, "discrepancies",
      [&](const Json& item) { return ParseDiscrepancy(item, spec.documents_); });
  if (!discrepancies.ok()) return discrepancies.status();
  spec.discrepancies_ = std::move(discrepancies).value();
  return spec;
}

const Spec& Spec::Embedded() {
  static const Spec spec = [] {
    std::string text;
    for (const std::string_view chunk : EmbeddedClausesChunks()) text += chunk;
    Result<Spec> parsed = Parse(text);
    if (!parsed.ok()) {
      // A broken build, not a broken input: nothing that follows would mean anything.
      std::fprintf(stderr, "embedded clauses.json: %s\n", parsed.status().message().c_str());
      std::abort();
    }
    return std::move(parsed).value();
  }();
  return spec;
}

const Clause* Spec::Find(std::string_view id) const {
  for (const Clause& clause : clauses_) {
    if (clause.id == id) return &clause;
  }
  return nullptr;
}

std::string_view StrengthName(Strength strength) {
  return kStrengthNames[static_cast<std::size_t>(strength)];
}

std::string_view ClauseKindName(ClauseKind kind) {
  return kKindNames[static_cast<std::size_t>(kind)];
}

}  // namespace poolproof
