// SPDX-License-Identifier: Apache-2.0
//
// The case that a verb is given as its argument.
#ifndef POOLPROOF_CLI_CASE_ARGUMENT_H_
#define POOLPROOF_CLI_CASE_ARGUMENT_H_

#include <optional>
#include <string>

#include "conformance/case/case.h"
#include "core/status.h"

namespace poolproof {

struct CaseArgument {
  std::optional<Case> problem;
  std::string list;  // without `problem`: the failures of the report that was named, to choose from
};

// A case line, a JSON object, or a file ("-": standard input) with either; a failure of a report
// represents the case that it names. `report.json#3` is the third of its kinds of failure,
// `report.json` asks for their list.
Result<CaseArgument> ReadCaseOrReport(const std::string& text);

}  // namespace poolproof

#endif  // POOLPROOF_CLI_CASE_ARGUMENT_H_
