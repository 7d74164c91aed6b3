// SPDX-License-Identifier: Apache-2.0
//
// TimedCalls: one call made over and over for its time, on operands that stay where they are.
// Private to the worker.
#ifndef POOLPROOF_CONFORMANCE_WORKER_TIMED_CALLS_H_
#define POOLPROOF_CONFORMANCE_WORKER_TIMED_CALLS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "conformance/result/invocation.h"
#include "conformance/result/outcome.h"
#include "conformance/wire/progress.h"
#include "conformance/worker/abi.h"
#include "conformance/worker/operator_calls.h"

namespace poolproof {

class TimedCalls {
 public:
  TimedCalls(const Abi& abi, ProgressPage& progress) : abi_(abi), progress_(progress) {}

  // Requires invocation.timing.rounds > 0. Where it has a call, that is set up, made once on each
  // set of operands, and its outcome reported; then the rounds follow. Nothing may be run after a
  // stop.
  std::optional<Stop> Run(const Invocation& invocation, Outcome& outcome);

  // Gives back what the call holds.
  std::optional<Stop> Release();

 private:
  struct Set {
    std::array<std::byte*, kRoleCount> blocks{};  // by position in the call
    Descriptors tensors{};
  };
  struct Times {
    std::uint64_t call_ns = 0;
    std::uint64_t device_ns = 0;
  };

  void Enter(Phase phase);
  Status SetUp(const Invocation& invocation);
  Status FillSet(Set& set);
  Status ReadBack(Outcome& outcome);
  Status MakeRoom(std::uint64_t workspace_size);
  Status MakeCall(const Set& set, bool cpu_clock, Times& times);
  Status MakeRound(const Timing& timing, TimedRound& round);
  void ReleaseAll();

  const Abi& abi_;
  ProgressPage& progress_;
  ProgressMark where_;
  CallArguments call_;
  CallOutcome outcome_;  // of the last call
  AttributeLists lists_{};
  std::vector<Set> sets_;
  std::size_t next_ = 0;  // set
  std::byte* workspace_ = nullptr;
  std::uint64_t workspace_size_ = 0;
  AbiStream stream_ = nullptr;
  std::array<void*, 2> events_{};  // around phase two, where the library has them
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_WORKER_TIMED_CALLS_H_
