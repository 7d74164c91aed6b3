// SPDX-License-Identifier: Apache-2.0
//
// JSON text read strictly: one value, no trailing text, no member named twice. Used wherever a
// person's JSON becomes a case or a vector.
#ifndef POOLPROOF_CONFORMANCE_CASE_STRICT_JSON_H_
#define POOLPROOF_CONFORMANCE_CASE_STRICT_JSON_H_

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/status.h"

namespace poolproof {

// errors: kInvalidArgument with the parser's position and reason, or the member that comes twice.
inline Result<nlohmann::json> ParseStrictJson(std::string_view text) {
  using nlohmann::json;
  std::vector<std::set<std::string>> open;  // member names of the objects being read
  std::string repeated;
  const auto watch = [&](int, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start) open.emplace_back();
    if (event == json::parse_event_t::object_end) open.pop_back();
    if (event == json::parse_event_t::key &&
        !open.back().insert(parsed.get_ref<const std::string&>()).second && repeated.empty()) {
      repeated = parsed.get_ref<const std::string&>().substr(0, 60);
    }
    return true;
  };
  try {
    json value = json::parse(text.begin(), text.end(), watch);
    if (!repeated.empty()) return InvalidArgument("JSON: member \"" + repeated + "\" comes twice");
    return value;
  } catch (const json::exception& error) {
    return InvalidArgument("JSON: " + std::string(error.what()).substr(0, 200));
  }
}

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_CASE_STRICT_JSON_H_
