// SPDX-License-Identifier: Apache-2.0
#include "conformance/json/json_reader.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/text.h"

namespace poolproof {
namespace {

using Json = JsonReader::Json;

constexpr std::size_t kShown = 60;

// Cut before it is written: what is in a wrong place may be megabytes.
std::string Shown(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  std::string text;
  if (value.is_string()) {
    const auto& whole = value.get_ref<const std::string&>();
    text = Json(whole.substr(0, kShown)).dump(-1, ' ', true, Json::error_handler_t::replace);
    return whole.size() > kShown ? text + "..." : text;
  }
  return value.dump();
}

std::string Step(std::string_view member) {
  std::string step = "/";
  for (const char c : member.substr(0, kShown)) {
    if (c == '~') {
      step += "~0";
    } else if (c == '/') {
      step += "~1";
    } else {
      step += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
    }
  }
  return step;
}

const Json& Nothing() {
  static const Json nothing;
  return nothing;
}

}  // namespace

void JsonReader::Fail(const std::string& why) const {
  if (!ok()) return;
  *error_ = InvalidArgument((path_.empty() ? "/" : path_) + ": " + why);
}

void JsonReader::Expected(std::string_view wanted) const {
  if (!ok()) return;
  Fail(Shown(*value_) + " is not " + std::string(wanted));
}

void JsonReader::NoOtherMembers(const std::vector<std::string_view>& members) const {
  if (!ok()) return;
  if (!value_->is_object()) return Expected("an object");
  for (const auto& [name, value] : value_->items()) {
    if (std::find(members.begin(), members.end(), name) != members.end()) continue;
    return JsonReader(&value, path_ + Step(name), error_)
        .Fail("unknown member; expected " + Joined(members));
  }
}

JsonReader JsonReader::At(std::string_view member) const {
  if (ok()) {
    if (!value_->is_object()) {
      Expected("an object");
    } else if (const auto found = value_->find(member); found != value_->end()) {
      return {&*found, path_ + Step(member), error_};
    } else {
      Fail("member \"" + std::string(member) + "\" is missing");
    }
  }
  return {&Nothing(), path_, error_};
}

std::optional<JsonReader> JsonReader::Find(std::string_view member) const {
  if (!ok() || !value_->is_object() || !value_->contains(member)) return std::nullopt;
  return At(member);
}

std::optional<JsonReader> JsonReader::AtOrNull(std::string_view member) const {
  JsonReader found = At(member);
  if (!ok() || found.value_->is_null()) return std::nullopt;
  return found;
}

void JsonReader::ForEachItem(const std::function<void(const JsonReader&)>& visit) const {
  if (!ok()) return;
  if (!value_->is_array()) return Expected("an array");
  for (std::size_t i = 0; i < value_->size() && ok(); ++i) {
    visit(JsonReader(&(*value_)[i], path_ + "/" + std::to_string(i), error_));
  }
}

std::vector<JsonReader> JsonReader::Items() const {
  std::vector<JsonReader> items;
  ForEachItem([&](const JsonReader& item) { items.push_back(item); });
  return items;
}

std::vector<std::pair<std::string, JsonReader>> JsonReader::Members() const {
  std::vector<std::pair<std::string, JsonReader>> members;
  if (!ok()) return members;
  if (!value_->is_object()) {
    Expected("an object");
    return members;
  }
  for (const auto& [name, value] : value_->items()) {
    members.emplace_back(name, JsonReader(&value, path_ + Step(name), error_));
  }
  return members;
}

std::string JsonReader::String() const {
  if (!ok()) return "";
  if (value_->is_string()) return value_->get<std::string>();
  Expected("a text");
  return "";
}

std::string JsonReader::String(const std::function<bool(std::string_view)>& fits,
                               std::string_view wanted) const {
  std::string text = String();
  if (ok() && !fits(text)) Expected(wanted);
  return ok() ? text : "";
}

std::vector<std::string> JsonReader::Strings() const {
  std::vector<std::string> texts;
  for (const JsonReader& item : Items()) texts.push_back(item.String());
  return texts;
}

bool JsonReader::Bool() const {
  if (!ok()) return false;
  if (value_->is_boolean()) return value_->get<bool>();
  Expected("true or false");
  return false;
}

std::int64_t JsonReader::Int64(std::int64_t least, std::int64_t most) const {
  if (!ok()) return 0;
  constexpr auto kTop = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const bool fits = value_->is_number_integer() &&
                    (!value_->is_number_unsigned() || value_->get<std::uint64_t>() <= kTop);
  const std::int64_t value = fits ? value_->get<std::int64_t>() : 0;
  if (fits && value >= least && value <= most) return value;
  using Limits = std::numeric_limits<std::int64_t>;
  const std::string number = least == Limits::min() ? "a 64-bit integer" : "a whole number";
  if (most < Limits::max()) {
    Expected(number + " from " + std::to_string(least) + " to " + std::to_string(most));
  } else {
    Expected(least == Limits::min() ? number : number + " of at least " + std::to_string(least));
  }
  return 0;
}

int JsonReader::Int(int least) const {
  return static_cast<int>(Int64(least, std::numeric_limits<int>::max()));
}

std::uint64_t JsonReader::Unsigned() const {
  if (!ok()) return 0;
  if (value_->is_number_unsigned()) return value_->get<std::uint64_t>();
  Expected("a whole number from 0 to 2^64-1");
  return 0;
}

double JsonReader::Number() const {
  if (!ok()) return 0;
  const double value = value_->is_number() ? value_->get<double>() : -1;
  if (std::isfinite(value) && value >= 0) return value;
  Expected("a number of at least 0");
  return 0;
}

void JsonReader::Equals(std::string_view text) const {
  if (String() != text) Expected("\"" + std::string(text) + "\"");
}

}  // namespace poolproof
