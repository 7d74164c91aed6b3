// SPDX-License-Identifier: Apache-2.0
//
// Accounts of cases, outcomes and verdicts for people, as replay prints them.
#ifndef POOLPROOF_CLI_DESCRIBE_H_
#define POOLPROOF_CLI_DESCRIBE_H_

#include <string>

#include "conformance/case/case.h"
#include "conformance/case/materialize.h"
#include "conformance/judge/judge.h"
#include "conformance/result/outcome.h"
#include "conformance/result/verdict.h"

namespace poolproof {

// Which documents' conditions each call keeps or breaches, and what must be answered.
std::string DescribeLegality(const PreparedCase& prepared);
// Operands of each call: shape, type, layout and the first values; attributes; the plan.
std::string DescribeCase(const Case& problem, const Materialized& data);
// How each call went, with the first values of its outputs.
std::string DescribeOutcome(const Case& problem, const Outcome& outcome);
// Findings with the statements of the clauses that they breach, and the evidence.
std::string DescribeVerdict(const JudgeContext& context, const Case& problem,
                            const Verdict& verdict);

}  // namespace poolproof

#endif  // POOLPROOF_CLI_DESCRIBE_H_
