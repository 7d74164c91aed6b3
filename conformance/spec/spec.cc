// SPDX-License-Identifier: Apache-2.0
#include "conformance/spec/spec.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <utility>

#include "conformance/json/json_reader.h"
#include "conformance/json/strict_json.h"
#include "conformance/spec/embedded_clauses.h"
#include "core/sha256.h"

namespace poolproof {
namespace {

using Json = JsonReader::Json;

constexpr std::string_view kFormat = "poolproof-clauses/1";
constexpr std::string_view kDerived = "derived";
constexpr std::array<std::string_view, 2> kStrengthNames = {"required", "advisory"};
constexpr std::array<std::string_view, kEditionCount> kEditionNames = {"seeds", "newest"};
// A member of an item: what the newest edition says instead; or the one edition that has the item.
constexpr std::string_view kNewest = "newest";
constexpr std::string_view kOnly = "only";
constexpr std::array<std::string_view, 7> kKindNames = {
    "status", "constraint", "value", "support", "protocol", "safety", "example"};

// The position of a text among `names`.
template <std::size_t kSize>
std::size_t NameAt(const JsonReader& place, const std::array<std::string_view, kSize>& names) {
  const auto* found = std::find(names.begin(), names.end(), place.String());
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  std::string wanted = "one of";
  for (const std::string_view name : names) {
    wanted += (name == names.front() ? " " : ", ") + std::string(name);
  }
  place.Expected(wanted);
  return 0;
}

std::string TextAt(const JsonReader& place) {
  return place.String([](std::string_view text) { return !text.empty(); }, "a text");
}

std::vector<Profile> ProfilesAt(const JsonReader& place) {
  std::vector<Profile> profiles;
  for (const JsonReader& item : place.Items()) {
    profiles.push_back(item.Enum(&ParseProfile, "a profile"));
    if (std::find(profiles.begin(), profiles.end() - 1, profiles.back()) != profiles.end() - 1) {
      item.Expected("named once");
    }
  }
  if (profiles.empty()) place.Fail("the list is empty; leave it out to mean every profile");
  return profiles;
}

ExpectedStatus ExpectedAt(const JsonReader& place) {
  place.NoOtherMembers({"status"});
  const JsonReader status = place.At("status");
  if (status.ok() && status.json() == "any-error") return {.any_error = true, .status = 0};
  return {.any_error = false,
          .status =
              static_cast<std::int32_t>(status.Int64(0, std::numeric_limits<std::int32_t>::max()))};
}

std::vector<std::string> DocumentsAt(const JsonReader& place,
                                     const std::vector<Document>& documents) {
  std::vector<std::string> ids;
  for (const JsonReader& item : place.Items()) {
    ids.push_back(item.String());
    if (std::none_of(documents.begin(), documents.end(),
                     [&](const Document& document) { return document.id == ids.back(); })) {
      item.Expected("a document");
    }
    if (std::find(ids.begin(), ids.end() - 1, ids.back()) != ids.end() - 1) {
      item.Expected("named once");
    }
  }
  return ids;
}

// Puts what the edition says of the items of `list` in the place of what the seeds say.
void Overlay(Json& list, Edition edition) {
  if (edition != Edition::kNewest || !list.is_structured()) return;
  for (Json& item : list) {
    if (!item.is_object() || !item.contains(kNewest) || !item[kNewest].is_object()) continue;
    const Json newest = item[kNewest];
    item.update(newest);
  }
}

// The edition that alone says what is at `place`; nullopt: all say it.
std::optional<Edition> EditionAt(const JsonReader& place, Edition edition) {
  if (const auto only = place.Find(kOnly)) return only->Enum(&ParseEdition, "an edition");
  if (place.Find(kNewest)) return edition;
  return std::nullopt;
}
bool IsIn(const JsonReader& place, Edition edition) {
  return EditionAt(place, edition).value_or(edition) == edition;
}

Document DocumentAt(const std::string& id, const JsonReader& place) {
  place.NoOtherMembers({"file", "title", "products", kNewest, kOnly});
  Document document{id, TextAt(place.At("file")), TextAt(place.At("title")), {}};
  for (const Profile profile : ProfilesAt(place.At("products"))) {
    document.products.emplace_back(InfoOf(profile).name);
  }
  return document;
}

Clause ClauseAt(const JsonReader& place, const std::vector<Document>& documents, Edition edition) {
  place.NoOtherMembers({"id", "operator", "documents", "kind", "judged_as", "strength", "condition",
                        "statement", "expect", "profiles", "not_exercised", kNewest, kOnly});
  Clause clause;
  clause.edition = EditionAt(place, edition);
  clause.id = TextAt(place.At("id"));
  clause.operator_name = TextAt(place.At("operator"));
  const std::string& name = clause.operator_name;
  if (name != "two-phase protocol" && name != "any" && !ParseOperator(name)) {
    place.At("operator").Expected("an operator, \"two-phase protocol\" or \"any\"");
  }
  clause.documents = DocumentsAt(place.At("documents"), documents);
  clause.derived = place.ok() && place.At("kind").String() == kDerived;
  clause.kind =
      static_cast<ClauseKind>(NameAt(place.At(clause.derived ? "judged_as" : "kind"), kKindNames));
  clause.strength = static_cast<Strength>(NameAt(place.At("strength"), kStrengthNames));
  clause.condition = place.At("condition").Enum(&ParseCondition, "a condition");
  clause.statement = TextAt(place.At("statement"));
  if (const auto expect = place.Find("expect")) {
    clause.expect = ExpectedAt(*expect);
  } else if (clause.kind == ClauseKind::kStatus || clause.kind == ClauseKind::kSupport) {
    place.Fail("member \"expect\" is missing, which a clause of kind " +
               std::string(ClauseKindName(clause.kind)) + " has");
  }
  if (const auto profiles = place.Find("profiles")) clause.profiles = ProfilesAt(*profiles);
  if (const auto why = place.Find("not_exercised")) clause.not_exercised = TextAt(*why);
  return clause;
}

RegisteredDiscrepancy DiscrepancyAt(const JsonReader& place,
                                    const std::vector<Document>& documents) {
  place.NoOtherMembers({"id", "documents", "statement", "reading", kNewest, kOnly});
  return {TextAt(place.At("id")), DocumentsAt(place.At("documents"), documents),
          TextAt(place.At("statement")), TextAt(place.At("reading"))};
}

// The edition's items, whose ids are distinct.
template <typename Item, typename Read>
std::vector<Item> ItemsAt(const JsonReader& place, Edition edition, Read read) {
  std::vector<Item> items;
  std::set<std::string> ids;
  for (const JsonReader& item : place.Items()) {
    if (!IsIn(item, edition)) continue;
    items.push_back(read(item));
    if (!ids.insert(items.back().id).second) item.Fail("id " + items.back().id + " occurs twice");
  }
  return items;
}

}  // namespace

bool Clause::AppliesTo(Profile profile) const {
  return profiles.empty() || std::find(profiles.begin(), profiles.end(), profile) != profiles.end();
}

Result<Spec> Spec::Parse(std::string_view json, Edition edition) {
  Result<Json> parsed = ParseStrictJson<Json>(json);
  if (!parsed.ok()) return parsed.status();
  for (const char* list : {"documents", "clauses", "discrepancies"}) {
    if (parsed->is_object() && parsed->contains(list)) Overlay(parsed.value()[list], edition);
  }
  Status error;
  const JsonReader root(*parsed, error);
  root.NoOtherMembers({"format", "documents", "strengths", "clauses", "discrepancies"});
  root.At("format").Equals(kFormat);
  root.At("strengths").NoOtherMembers({"required", "advisory"});
  for (const std::string_view name : kStrengthNames) TextAt(root.At("strengths").At(name));
  Spec spec;
  spec.edition_ = edition;
  spec.sha256_ = Sha256Hex(edition == Edition::kNewest
                               ? std::string(json)
                               : std::string(json) + std::string(EditionName(edition)));
  for (const auto& [id, place] : root.At("documents").Members()) {
    if (IsIn(place, edition)) spec.documents_.push_back(DocumentAt(id, place));
  }
  spec.clauses_ = ItemsAt<Clause>(root.At("clauses"), edition, [&](const JsonReader& place) {
    return ClauseAt(place, spec.documents_, edition);
  });
  spec.discrepancies_ = ItemsAt<RegisteredDiscrepancy>(
      root.At("discrepancies"), edition,
      [&](const JsonReader& place) { return DiscrepancyAt(place, spec.documents_); });
  for (std::size_t i = 0; error.ok() && i < spec.clauses_.size(); ++i) {
    const Clause& clause = spec.clauses_[i];
    const std::optional<Operator> op = ParseOperator(clause.operator_name);
    if (!op || clause.kind == ClauseKind::kExample) continue;
    std::uint16_t& position =
        spec.positions_[static_cast<std::size_t>(*op)][static_cast<std::size_t>(clause.condition)];
    if (position != 0) {
      return InvalidArgument("/clauses/" + std::to_string(i) + ": condition " +
                             std::string(ConditionName(clause.condition)) + " of " +
                             clause.operator_name + " is that of " +
                             spec.clauses_[position - 1U].id + " already");
    }
    position = static_cast<std::uint16_t>(i + 1);
  }
  if (!error.ok()) return error;
  spec.by_id_.resize(spec.clauses_.size());
  std::iota(spec.by_id_.begin(), spec.by_id_.end(), std::uint16_t{0});
  std::stable_sort(spec.by_id_.begin(), spec.by_id_.end(), [&](std::uint16_t a, std::uint16_t b) {
    return spec.clauses_[a].id < spec.clauses_[b].id;
  });
  return spec;
}

const Spec& Spec::Embedded(Edition edition) {
  const auto read = [](Edition wanted) {
    std::string text;
    for (const std::string_view chunk : EmbeddedClausesChunks()) text += chunk;
    Result<Spec> parsed = Parse(text, wanted);
    if (!parsed.ok()) {
      // A broken build, not a broken input: nothing that follows would mean anything.
      std::fprintf(stderr, "embedded clauses.json: %s\n", parsed.status().message().c_str());
      std::abort();
    }
    return std::move(parsed).value();
  };
  static const Spec newest = read(Edition::kNewest);
  if (edition == Edition::kNewest) return newest;
  static const Spec seeds = read(Edition::kSeeds);
  return seeds;
}

const Clause* Spec::Find(std::string_view id) const {
  const auto found = std::lower_bound(by_id_.begin(), by_id_.end(), id,
                                      [&](std::uint16_t position, std::string_view wanted) {
                                        return clauses_[position].id < wanted;
                                      });
  return found != by_id_.end() && clauses_[*found].id == id ? &clauses_[*found] : nullptr;
}

const Clause* Spec::Of(Operator op, Condition condition) const {
  const std::uint16_t position = positions_[static_cast<std::size_t>(InfoOf(op).backward)]
                                           [static_cast<std::size_t>(condition)];
  return position == 0 ? nullptr : &clauses_[position - 1U];
}

Spec Spec::Without(const Clause& clause) const {
  Spec spec = *this;
  for (auto& positions : spec.positions_) {
    for (std::uint16_t& position : positions) {
      if (position != 0 && clauses_[position - 1U].id == clause.id) position = 0;
    }
  }
  return spec;
}

std::string KindText(const Clause& clause) {
  return (clause.derived ? std::string(kDerived) + " " : std::string()) +
         std::string(ClauseKindName(clause.kind));
}

std::optional<std::string> ReasonNotExercised(std::string_view id) {
  const Clause* clause = Spec::Embedded().Find(id);
  if (clause == nullptr || clause->not_exercised.empty()) return std::nullopt;
  return clause->not_exercised;
}

std::string_view EditionName(Edition edition) {
  return kEditionNames[static_cast<std::size_t>(edition)];
}

std::optional<Edition> ParseEdition(std::string_view name) {
  const auto* found = std::find(kEditionNames.begin(), kEditionNames.end(), name);
  if (found == kEditionNames.end()) return std::nullopt;
  return static_cast<Edition>(found - kEditionNames.begin());
}

std::string_view StrengthName(Strength strength) {
  return kStrengthNames[static_cast<std::size_t>(strength)];
}

std::string_view ClauseKindName(ClauseKind kind) {
  return kKindNames[static_cast<std::size_t>(kind)];
}

std::string DemandText(const Clause& clause) {
  std::string text = clause.statement;
  if (clause.expect && (clause.expect->any_error || clause.expect->status != 0)) {
    text += " -> " + (clause.expect->any_error
                          ? "any error"
                          : std::to_string(clause.expect->status) + " from phase one");
  }
  if (clause.edition) text += " [" + std::string(EditionName(*clause.edition)) + " edition]";
  return text;
}

}  // namespace poolproof
