// SPDX-License-Identifier: Apache-2.0
#include "conformance/json/strict_json.h"

#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace poolproof {

template <typename Json>
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
    if (!repeated.empty())
      return InvalidArgument("JSON: member \"" + repeated + "\" is given twice");
    return value;
  } catch (const typename Json::parse_error& error) {
    // Behind the library's own mark: "[json.exception.parse_error.101] parse error at line 1, ...".
    const std::string what = error.what();
    const std::size_t mark = what.find("] ");
    return InvalidArgument("not JSON: " +
                           what.substr(mark == std::string::npos ? 0 : mark + 2, 200));
  } catch (const std::exception& error) {
    return InvalidArgument("JSON: " + std::string(error.what()).substr(0, 200));
  }
}

template Result<nlohmann::json> ParseStrictJson(std::string_view text);
template Result<nlohmann::ordered_json> ParseStrictJson(std::string_view text);

}  // namespace poolproof
