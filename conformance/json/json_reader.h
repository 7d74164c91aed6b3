// SPDX-License-Identifier: Apache-2.0
//
// JsonReader: a place in a JSON document whose shape is known, read with one error for the whole
// document: where (a JSON pointer), what was found, what was wanted. Used where JSON from
// outside is read.
#ifndef POOLPROOF_CONFORMANCE_JSON_JSON_READER_H_
#define POOLPROOF_CONFORMANCE_JSON_JSON_READER_H_

#include <cstdint>
#include <functional>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"

namespace poolproof {

// After the first error every reader of the document answers with empty values, so that a parser
// reads straight on and asks `error` once.
class JsonReader {
 public:
  using Json = nlohmann::ordered_json;

  // Requires `value` and `error` to live as long as the reader and those made from it.
  JsonReader(const Json& value, Status& error) : JsonReader(&value, "", &error) {}

  [[nodiscard]] const Json& json() const { return *value_; }
  // Of the whole document.
  [[nodiscard]] bool ok() const { return error_->ok(); }

  // An object that holds no other members than these.
  void NoOtherMembers(const std::vector<std::string_view>& members) const;
  [[nodiscard]] JsonReader At(std::string_view member) const;
  // nullopt where the member is absent.
  [[nodiscard]] std::optional<JsonReader> Find(std::string_view member) const;
  // The member must be there, and may be null: then nullopt.
  [[nodiscard]] std::optional<JsonReader> AtOrNull(std::string_view member) const;
  [[nodiscard]] std::vector<JsonReader> Items() const;
  // Calls visit(item) for each item of an array until there is an error: for long ones.
  void ForEachItem(const std::function<void(const JsonReader&)>& visit) const;
  // The members of an object, whatever their names.
  [[nodiscard]] std::vector<std::pair<std::string, JsonReader>> Members() const;

  [[nodiscard]] std::string String() const;
  // A text that is not empty and for which `fits` holds.
  [[nodiscard]] std::string String(const std::function<bool(std::string_view)>& fits,
                                   std::string_view wanted) const;
  [[nodiscard]] std::vector<std::string> Strings() const;
  [[nodiscard]] bool Bool() const;
  [[nodiscard]] std::int64_t Int64(
      std::int64_t least = 0, std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
  [[nodiscard]] int Int(int least = 0) const;
  [[nodiscard]] std::uint64_t Unsigned() const;
  [[nodiscard]] double Number() const;  // finite, at least 0
  [[nodiscard]] double Seconds() const { return Number(); }

  // The value that `parse` makes of a text; an empty one otherwise.
  template <typename Parse>
  auto Enum(const Parse& parse, std::string_view wanted) const {
    const auto value = parse(String());
    if (!value) Expected(wanted);
    return value.value_or(typename std::decay_t<decltype(value)>::value_type{});
  }
  void Equals(std::string_view text) const;

  // Notes that something else was wanted here.
  void Expected(std::string_view wanted) const;
  // Notes `why` as it is, with the place in front.
  void Fail(const std::string& why) const;

 private:
  JsonReader(const Json* value, std::string path, Status* error)
      : value_(value), path_(std::move(path)), error_(error) {}

  const Json* value_;
  std::string path_;
  Status* error_;
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_JSON_JSON_READER_H_
