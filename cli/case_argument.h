// SPDX-License-Identifier: Apache-2.0
//
// The case that a verb is given as its argument.
#ifndef POOLPROOF_CLI_CASE_ARGUMENT_H_
#define POOLPROOF_CLI_CASE_ARGUMENT_H_

#include <string>

#include "conformance/case/case.h"
#include "core/status.h"

namespace poolproof {

// A case line, a JSON object, or a file ("-": standard input) with either; a failure of a report
// stands for the case that it names.
Result<Case> ReadCaseArgument(const std::string& text);

}  // namespace poolproof

#endif  // POOLPROOF_CLI_CASE_ARGUMENT_H_
