// SPDX-License-Identifier: Apache-2.0
//
// JSON text read strictly: one value, no trailing text, no member named twice, bounded nesting.
// Used where JSON from outside becomes a case, a vector, a waiver or a report.
#ifndef POOLPROOF_CONFORMANCE_JSON_STRICT_JSON_H_
#define POOLPROOF_CONFORMANCE_JSON_STRICT_JSON_H_

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "core/status.h"

namespace poolproof {

inline constexpr int kMaxJsonDepth = 64;
// Objects that keep their order are searched member by member.
inline constexpr std::size_t kMaxJsonMembers = 10000;

// For nlohmann::json and nlohmann::ordered_json. errors: kInvalidArgument with the parser's
// position and reason, the member that comes twice, or the bound that is exceeded.
template <typename Json = nlohmann::json>
Result<Json> ParseStrictJson(std::string_view text);

extern template Result<nlohmann::json> ParseStrictJson(std::string_view text);
extern template Result<nlohmann::ordered_json> ParseStrictJson(std::string_view text);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_JSON_STRICT_JSON_H_
