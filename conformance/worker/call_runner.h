// SPDX-License-Identifier: Apache-2.0
//
// CallRunner: carries out sequences of two-phase calls on one host thread and notes the facts. One
// per thread; keeps its stream and its host buffers from one invocation to the next. Private to the
// worker.
#ifndef POOLPROOF_CONFORMANCE_WORKER_CALL_RUNNER_H_
#define POOLPROOF_CONFORMANCE_WORKER_CALL_RUNNER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/result/invocation.h"
#include "conformance/result/outcome.h"
#include "conformance/wire/progress.h"
#include "conformance/worker/abi.h"
#include "core/status.h"

namespace poolproof {

// Whether memory is compared and read back after a call, or the call is only made.
enum class Watch : std::uint8_t { kFull, kNone };

// Why a sequence broke off.
struct Stop {
  End end = End::kHarness;
  std::string detail;
  ProgressMark where;
};

class CallRunner {
 public:
  CallRunner(const Abi& abi, ProgressPage& progress) : abi_(abi), progress_(progress) {}

  // Runs the calls of `invocation` once, in order, and appends an outcome for each; the last one is
  // incomplete where the sequence broke off. Nothing may be run after that.
  std::optional<Stop> RunSequence(const Invocation& invocation, Watch watch,
                                  std::vector<CallOutcome>& outcomes);

  // Frees the device buffers that repetitions keep so that each run has addresses of its own.
  std::optional<Stop> ReleaseHeld();

  // Ends the stream; the next sequence makes a new one.
  std::optional<Stop> CloseStream();

 private:
  // One tensor argument on the device: guard, storage, guard in one block.
  struct Operand {
    const TensorArgument* argument = nullptr;
    void* base = nullptr;
    std::size_t size = 0;  // of the block
    AbiTensor* tensor = nullptr;
    std::vector<std::byte> image;  // what was copied to the block
    [[nodiscard]] bool exists() const { return base != nullptr; }
  };
  struct Workspace {
    void* base = nullptr;
    std::size_t size = 0;  // without guards
  };

  template <typename Body>
  std::optional<Stop> Guarded(Body&& body);
  void Enter(Phase phase);

  Status RunCall(const Invocation& invocation, const CallArguments& call, Watch watch,
                 CallOutcome& outcome);
  Status RunPhaseTwoAlone(Operator op, CallOutcome& outcome);
  Status SetUp(const CallArguments& call);
  Status SetUpOperand(const TensorArgument& argument, Operand& operand);
  Status SetUpLists(const CallArguments& call);
  void PhaseOne(const Invocation& invocation, const CallArguments& call, CallOutcome& outcome,
                AbiExecutor*& executor);
  Status NotePhaseOneWrites(CallOutcome& outcome);
  Status SetUpWorkspace(std::uint64_t size, Poison poison, Workspace& workspace);
  void PhaseTwoAndSynchronise(PhaseTwo function, void* workspace, std::uint64_t size,
                              AbiExecutor* executor, CallOutcome& outcome);
  Status ReadBack(const CallArguments& call, bool carried_out, CallOutcome& outcome);
  Status CheckWorkspace(const Workspace& workspace, CallOutcome& outcome);
  void TearDown(const Invocation& invocation, Watch watch, const Workspace& workspace);

  Status Allocate(std::size_t size, const char* what, void*& base);
  Status CopyToDevice(void* to, std::size_t room, const std::byte* from, std::size_t size);
  Status CopyFromDevice(std::byte* to, const void* from, std::size_t size);
  void NoteMessage(std::int32_t status, CallOutcome& outcome);
  void PrepareGuards(std::size_t bytes);

  const Abi& abi_;
  ProgressPage& progress_;
  ProgressMark where_;
  AbiStream stream_ = nullptr;
  bool has_stream_ = false;
  std::size_t guard_ = 0;
  std::vector<std::byte> guard_before_;
  std::vector<std::byte> guard_after_;
  std::array<Operand, kRoleCount> operands_;  // by position in the call
  std::size_t operand_count_ = 0;
  std::array<AbiIntArray*, kListCount> lists_{};
  std::vector<std::byte> scratch_;
  struct Held {
    void* base;
    std::size_t size;
  };
  std::vector<Held> held_;
  std::size_t held_bytes_ = 0;
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_WORKER_CALL_RUNNER_H_
