// SPDX-License-Identifier: Apache-2.0
//
// AddRootCauses: the root causes of a run, of required and of advisory failures.
#ifndef POOLPROOF_CONFORMANCE_TALLY_REPORT_CAUSES_H_
#define POOLPROOF_CONFORMANCE_TALLY_REPORT_CAUSES_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "conformance/result/report.h"
#include "conformance/result/shard_record.h"
#include "conformance/tally/assemble.h"
#include "conformance/tally/root_causes.h"

namespace poolproof {

// A failing case that no waiver covers.
struct UnwaivedFailure {
  std::int64_t number = 0;
  std::vector<std::string> clauses;  // that it breaches: the required ones, if there are such
  std::vector<Blame> blames;         // what breaches which, others among them
  std::vector<std::string> kept;     // clauses that it keeps as far as it is carried out
};

// What was made of a failing case; null where it was not kept, or not investigated.
struct LookedInto {
  const FailedCase* failed = nullptr;
  const Refinement* refined = nullptr;
};

// Clauses that nothing of a confirmed cause breaches: calls fail without what they are about.
struct NotBreached {
  Rule rule;  // of the cause
  AspectSet aspects = 0;
  std::set<std::string> clauses;
};

// Adds to `report` what explains the failures. All are in ascending order of number; `frame` has a
// plan. What is required is investigated by experiment, where the frame says how: what was found is
// left in `asked`, and nothing is asked where it is there.
std::vector<NotBreached> AddRootCauses(const RunFrame& frame, std::vector<UnwaivedFailure> required,
                                       std::vector<UnwaivedFailure> advisory,
                                       const std::vector<CauseCase>& passing,
                                       const std::function<LookedInto(std::int64_t)>& looked_into,
                                       std::optional<RootCauses>& asked, Report& report);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_TALLY_REPORT_CAUSES_H_
