// SPDX-License-Identifier: Apache-2.0
//
// What a misspelt name may have been meant for. Used by messages about unknown names.
#ifndef POOLPROOF_CORE_NEAREST_H_
#define POOLPROOF_CORE_NEAREST_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace poolproof {

// Those of `names` that `text` may have been meant for, nearest first, at most three. Letters count
// alike in either case; a part of a name will do.
std::vector<std::string> NearMatches(const std::string& text,
                                     const std::vector<std::string>& names);

// "; did you mean NAME?" with the nearest of them; empty where none is near.
std::string DidYouMean(const std::string& text, std::span<const std::string_view> names);

}  // namespace poolproof

#endif  // POOLPROOF_CORE_NEAREST_H_
