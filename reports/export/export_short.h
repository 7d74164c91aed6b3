// SPDX-License-Identifier: Apache-2.0
//
// ExportShort: a case as a program of at most 80 lines, in the style of the documents' own samples:
// what one pastes into a ticket. ExportCpp writes every case, and watches more closely, the
// workspace among others.
#ifndef POOLPROOF_REPORTS_EXPORT_EXPORT_SHORT_H_
#define POOLPROOF_REPORTS_EXPORT_EXPORT_SHORT_H_

#include <cstddef>
#include <string>

#include "core/status.h"
#include "reports/export/export_cpp.h"

namespace poolproof {

inline constexpr std::size_t kShortLines = 80;

// The program exits with 0 where the answer is the expected one and no byte around the operands
// changed, with 1 and a line where not, and dies where the call crashes or hangs (after 30 s).
// Requires: as ExportCpp.
// errors: kInvalidArgument for a case that has no short program, and why: several calls, a plan,
// answers that are not known, or too much data.
Result<std::string> ExportShort(const Case& problem, const Materialized& data,
                                const CaseExpectation& expectation, const ExportOptions& options);

}  // namespace poolproof

#endif  // POOLPROOF_REPORTS_EXPORT_EXPORT_SHORT_H_
