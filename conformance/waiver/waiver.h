// SPDX-License-Identifier: Apache-2.0
//
// Waiver: an agreement that certain failures of certain implementations do not stop a release until
// a date. Schema poolproof-waivers/1; docs/waivers.md explains it. Read by the program, applied by
// the session.
#ifndef POOLPROOF_CONFORMANCE_WAIVER_WAIVER_H_
#define POOLPROOF_CONFORMANCE_WAIVER_WAIVER_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/json/json_reader.h"
#include "conformance/result/predicate.h"
#include "conformance/result/report.h"
#include "conformance/spec/spec.h"
#include "core/status.h"

namespace poolproof {

struct Waiver {
  WaiverResult terms;  // as the file says; nothing is counted yet
  std::optional<Predicate> cases;
};

// errors: kInvalidArgument, one line: where (a JSON pointer), what was found, what was wanted.
Result<std::vector<Waiver>> ParseWaivers(std::string_view text, const Spec& spec);

// A day of the calendar, "2026-02-28".
bool IsDate(std::string_view text);

// The members that a waiver file and a report share: all but the counts and the state.
WaiverResult ReadWaiverTerms(const JsonReader& at);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_WAIVER_WAIVER_H_
