// SPDX-License-Identifier: Apache-2.0
//
// Clauses that no run exercises, each with the reason. Read by reports and by the test that holds
// every clause to being exercised or explained, and never both.
#ifndef POOLPROOF_CONFORMANCE_SPEC_COVERAGE_H_
#define POOLPROOF_CONFORMANCE_SPEC_COVERAGE_H_

#include <optional>
#include <string>
#include <string_view>

namespace poolproof {

// Why no case of a run can show whether the clause holds; nullopt where cases do.
std::optional<std::string> ReasonNotExercised(std::string_view id);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_SPEC_COVERAGE_H_
