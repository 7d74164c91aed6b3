// SPDX-License-Identifier: Apache-2.0
//
// JSON text read strictly: one value, no trailing text, no member named twice, bounded nesting.
// Used wherever JSON from outside becomes a case, a vector, a waiver or a report.
#ifndef POOLPROOF_CONFORMANCE_CASE_STRICT_JSON_H_
#define POOLPROOF_CONFORMANCE_CASE_STRICT_JSON_H_

#include <cstddef>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/status.h"

namespace poolproof {

inline constexpr int kMaxJsonDepth = 64;
// Objects that keep their order are searched member by member.
inline constexpr std::size_t kMaxJsonMembers = 10000;

// errors: kInvalidArgument with the parser's position and reason, the member that comes twice, or
// the bound that is exceeded.
template <typename Json = nlohmann::json>
Result<Json> ParseStrictJson(std::string_view text) {
  using Event = typename Json::parse_event_t;
  std::vector<std::set<std::string>> open;  // member names of the objects being read
  std::string repeated;
  const auto watch = [&](int depth, Event event, Json& parsed) {
    if (depth > kMaxJsonDepth) {
      throw std::length_error("nested deeper than " + std::to_string(kMaxJsonDepth) + " levels");
    }
    if (event == Event::object_start) open.emplace_back();
    if (event == Event::object_end) open.pop_back();
    if (event != Event::key) return true;
    const auto& name = parsed.template get_ref<const std::string&>();
    if (!open.back().insert(name).second && repeated.empty()) repeated = name.substr(0, 60);
    if (open.back().size() > kMaxJsonMembers) {
      throw std::length_error("an object of more than " + std::to_string(kMaxJsonMembers) +
                              " members");
    }
    return true;
  };
  try {
    Json value = Json::parse(text.begin(), text.end(), watch);
    if (!repeated.empty()) return InvalidArgument("JSON: member \"" + repeated + "\" comes twice");
    return value;
  } catch (const std::exception& error) {
    return InvalidArgument("JSON: " + std::string(error.what()).substr(0, 200));
  }
}

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_CASE_STRICT_JSON_H_
