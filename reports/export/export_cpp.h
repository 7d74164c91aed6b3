// SPDX-License-Identifier: Apache-2.0
//
// ExportCpp: a case as a C++17 program of its own, which needs nothing but the ABI's headers and an
// implementation to link. A pure renderer, as those of reports are.
#ifndef POOLPROOF_REPORTS_EXPORT_EXPORT_CPP_H_
#define POOLPROOF_REPORTS_EXPORT_EXPORT_CPP_H_

#include <string>

#include "conformance/case/case.h"
#include "conformance/case/materialize.h"
#include "conformance/result/expectation.h"
#include "conformance/spec/profile.h"
#include "core/status.h"

namespace poolproof {

struct ExportOptions {
  std::string tool_version;
  std::string file_name = "repro.cpp";  // for the compile line in the program's head
  Profile profile = Profile::kAtlasA2;  // under which the expectation holds
};

// Elements that a program may list one by one; beyond them data must follow a rule.
inline constexpr std::int64_t kMaxListedElements = std::int64_t{1} << 20;

// The program exits with 0 where it sees what `expectation` says, with 1 and one line where not,
// and with 3 where the calls could not be carried out.
// Requires: `data` is Materialize(problem), `expectation` was made of both.
// errors: kInvalidArgument for a case that cannot be written as a program, and why.
Result<std::string> ExportCpp(const Case& problem, const Materialized& data,
                              const CaseExpectation& expectation, const ExportOptions& options);

}  // namespace poolproof

#endif  // POOLPROOF_REPORTS_EXPORT_EXPORT_CPP_H_
