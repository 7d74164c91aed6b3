// SPDX-License-Identifier: Apache-2.0
//
// Whether an outcome can be the answer to an invocation. The library under test shares its process
// with the worker and may have damaged it: nothing that the worker says is believed unchecked.
#ifndef POOLPROOF_CONFORMANCE_RESULT_OUTCOME_CHECK_H_
#define POOLPROOF_CONFORMANCE_RESULT_OUTCOME_CHECK_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/result/invocation.h"
#include "conformance/result/outcome.h"
#include "conformance/spec/operators.h"

namespace poolproof {

// What is kept of an invocation, to hold its answer against: all but the bytes.
struct ExpectedAnswer {
  struct Operand {
    bool exists = false;  // the call has the tensor, and it is not null
    bool is_output = false;
    std::size_t size = 0;  // of its storage
  };
  explicit ExpectedAnswer(const Invocation& invocation);

  [[nodiscard]] std::size_t call_count() const;  // over all threads and repetitions

  std::vector<std::array<Operand, kRoleCount>> calls;  // by Role
  CallPlan plan;
  Timing timing;
};

struct Misfit {
  std::size_t call = 0;  // position in Invocation::calls
  std::string what;      // what the answer holds, and what was expected
};

// nullopt where a worker that works as it should may have given the answer.
std::optional<Misfit> FindMisfit(const ExpectedAnswer& expected, const Outcome& outcome);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_RESULT_OUTCOME_CHECK_H_
