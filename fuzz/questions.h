// SPDX-License-Identifier: Apache-2.0
//
// Questions: small cases of every plan, as they are given to a worker, and answers of one that
// works as it should.
#ifndef POOLPROOF_FUZZ_QUESTIONS_H_
#define POOLPROOF_FUZZ_QUESTIONS_H_

#include <vector>

#include "conformance/judge/prepared_case.h"
#include "conformance/result/invocation.h"
#include "conformance/result/outcome.h"

namespace poolproof {

struct Question {
  PreparedCase prepared;
  Invocation invocation;
};

// Always the same, at most 256.
const std::vector<Question>& Questions();

// All calls return 0. Outputs hold zeros, which are right where all gradients are.
Outcome HonestAnswer(const Question& question);

}  // namespace poolproof

#endif  // POOLPROOF_FUZZ_QUESTIONS_H_
