// SPDX-License-Identifier: Apache-2.0
//
// The zoo's host runtime: the process-wide options, the thread's message, and streams that either
// run work at once or on a thread of their own. Memory is plain host memory.

#ifndef POOLPROOF_TESTS_MUTANTS_RUNTIME_H_
#define POOLPROOF_TESTS_MUTANTS_RUNTIME_H_

#include <functional>
#include <string>
#include <string_view>

#include "abi.h"
#include "plan.h"

namespace mutants {

enum class Product { kA2, kA3, k950, kUnsupported };

// The product that POOLPROOF_SOC_NAME names; Ascend910B3 where it is not set.
Product CurrentProduct();

bool DeterministicOption();

// Leaves the text for aclGetRecentErrMsg on this thread.
void LeaveMessage(std::string_view text);

// Runs the work on the stream (null: the default one): at once, or later, as the selected row says.
// A failure is kept until the stream is synchronised.
// Returns false where the stream is unknown.
bool Enqueue(aclrtStream stream, std::function<Status()> work);

// Waits for all work of all streams. Used by the row whose synchronise call does not wait.
void DrainAll();

}  // namespace mutants

#endif  // POOLPROOF_TESTS_MUTANTS_RUNTIME_H_
