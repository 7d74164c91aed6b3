// SPDX-License-Identifier: Apache-2.0
//
// TableClasses: what an implementation may not take at all, as far as the calls of the acceptance
// table distinguish it: a type, an index type, a rank, a format, a layout. Used by ProbeAcceptance
// and ProposeCapabilities.
#ifndef POOLPROOF_CONFORMANCE_SESSION_TABLE_CLASSES_H_
#define POOLPROOF_CONFORMANCE_SESSION_TABLE_CLASSES_H_

#include <array>
#include <string>
#include <string_view>

#include "conformance/case/case.h"

namespace poolproof {

// As predicates name them.
inline constexpr std::array<std::string_view, 5> kTableParameters = {"dtype", "index_dtype", "rank",
                                                                     "format", "layout"};
using TableClasses = std::array<std::string, kTableParameters.size()>;

// Requires a call of the table.
TableClasses TableClassesOf(const Call& call);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_SESSION_TABLE_CLASSES_H_
