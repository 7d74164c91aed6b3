// SPDX-License-Identifier: Apache-2.0
//
// EmitProblems: the cases of a plan, and what a run asks before them, as a folder of plain files
// for implementations that no process of ours can open.
#ifndef POOLPROOF_CONFORMANCE_SESSION_EMIT_PROBLEMS_H_
#define POOLPROOF_CONFORMANCE_SESSION_EMIT_PROBLEMS_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "conformance/exchange/problem_set.h"
#include "conformance/plan/plan_file.h"
#include "conformance/session/session.h"
#include "conformance/spec/profile.h"
#include "conformance/spec/spec.h"
#include "core/status.h"

namespace poolproof {

// Writes one file; `name` is relative to the folder, "cases/000012/problem.json".
using WriteProblemFile =
    std::function<Status(const std::string& name, std::span<const std::byte> bytes)>;

struct EmittedProblems {
  ProblemSet set;
  std::int64_t bytes = 0;  // of all files
};

// Writes all files but the index, which is ProblemSetText of the result. errors: those of `write`;
// kUnavailable where `stop` was set.
Result<EmittedProblems> EmitProblems(const Spec& spec, Profile profile, const PlanOptions& options,
                                     const SessionParts& parts, const std::string& tool_version,
                                     const WriteProblemFile& write, const std::atomic<bool>& stop);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_SESSION_EMIT_PROBLEMS_H_
