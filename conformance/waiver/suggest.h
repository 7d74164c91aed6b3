// SPDX-License-Identifier: Apache-2.0
//
// Waivers that fit the failures of a report, for a person to fill in. Used by the program.
#ifndef POOLPROOF_CONFORMANCE_WAIVER_SUGGEST_H_
#define POOLPROOF_CONFORMANCE_WAIVER_SUGGEST_H_

#include <string>
#include <string_view>
#include <vector>

#include "conformance/result/report.h"
#include "conformance/waiver/waiver.h"

namespace poolproof {

// What a person has to say; `waivers check` finds what was left.
inline constexpr std::string_view kOwnerPlaceholder = "owner@example.org";
inline constexpr std::string_view kReasonPlaceholder = "TO BE FILLED IN: why is this accepted?";
inline constexpr std::string_view kLinkPlaceholder = "https://example.org/issue";

// A waiver for each kind of failure of required clauses that is not waived: its signature, its
// clauses, the implementation, the profile and a predicate. The predicate holds of every listed
// case of the kind; where the report does not list all of them it is wider, so that it holds of
// the others too. `expires` is a date.
std::vector<WaiverResult> SuggestWaivers(const Report& report, const std::string& expires);

// As a waiver file, poolproof-waivers/1.
std::string WaiverFileText(const std::vector<WaiverResult>& waivers);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_WAIVER_SUGGEST_H_
