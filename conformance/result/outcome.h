// SPDX-License-Identifier: Apache-2.0
//
// Outcome: what happened when an invocation was carried out. Facts only, no opinion.
#ifndef POOLPROOF_CONFORMANCE_RESULT_OUTCOME_H_
#define POOLPROOF_CONFORMANCE_RESULT_OUTCOME_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/spec/operators.h"
#include "core/equality.h"

namespace poolproof {

// How far a call came.
enum class Phase : std::uint8_t {
  kSetup,        // before the first operator call: allocation, copies, descriptors
  kPhaseOne,     // in ...GetWorkspaceSize
  kPhaseTwo,     // in the second call
  kSynchronise,  // in aclrtSynchronizeStream
  kReadBack,     // afterwards: copies and clean-up
  kDone,
};

// How the worker's attempt ended.
enum class End : std::uint8_t {
  kReturned,     // all calls returned
  kSignalled,    // the process died of a signal
  kExited,       // the process ended by itself (exit, terminate within the library)
  kTimedOut,     // the deadline passed and the process was killed
  kOutOfMemory,  // the memory watch killed the process
  kThrew,        // an exception came out of a C function (caught by the worker)
  kCorrupted,    // the worker's answer does not fit its request: the process was damaged
  kHarness,      // our own fault: protocol error, worker could not start or allocate
};

enum class Access : std::uint8_t { kUnknown, kRead, kWrite };

// The first touch of a guard page, or the first write where there was one.
struct GuardTouch {
  // Bytes from the end of the nearest storage to the byte that was touched, 0 being the first one
  // past it; in front of that storage negative: -1 is the byte before it.
  std::int64_t distance = 0;
  Access access = Access::kUnknown;  // as the processor tells
  POOLPROOF_EQUALITY(GuardTouch);
};

// What happened to one tensor argument's memory.
struct MemoryFacts {
  bool guard_before_intact = true;
  bool guard_after_intact = true;
  // What was overwritten of them lies in the half beside the storage: nothing beyond was hit.
  bool damage_contained = true;
  // First byte of an input's storage that changed, of an output's storage that changed where only
  // phase one had run or the call was refused; nullopt: none.
  std::optional<std::int64_t> first_changed_byte;
  std::optional<GuardTouch> guard_touch;
  POOLPROOF_EQUALITY(MemoryFacts);
};

// One call of one repetition on one thread.
// More than the addresses that a program has: no call gets such a workspace.
inline constexpr std::uint64_t kImpossibleWorkspace = std::uint64_t{1} << 47;

struct CallOutcome {
  Phase reached = Phase::kSetup;
  std::optional<std::int32_t> phase_one;    // its status, if it returned
  std::optional<std::int32_t> phase_two;    // nullopt: not made or not returned
  std::optional<std::int32_t> synchronise;  // the same
  bool workspace_size_set = false;  // phase one wrote the out-pointer (it was poisoned before)
  bool executor_set = false;        // the same, and it is not null
  std::uint64_t workspace_size = 0;
  bool phase_one_wrote = false;    // operand bytes differed right after phase one
  std::string phase_one_wrote_to;  // the operand's name
  bool guarded = false;            // guard pages lay next to every operand's storage
  bool executor_reused = false;    // phase two ran the executor of an earlier repetition
  // Of plan.look: looks at outputs while the stream was known to be held up in front of the call,
  // the output that had changed by then, and the one that changed after its synchronise.
  std::uint32_t held_looks = 0;
  std::optional<Role> written_early;
  std::optional<Role> written_late;
  MemoryFacts workspace;
  std::array<MemoryFacts, kRoleCount> memory;  // by Role
  // Storage of the outputs afterwards, whole (gaps included), by Role; empty: not read back.
  std::array<std::vector<std::byte>, kRoleCount> outputs;
  bool message_asked = false;     // aclGetRecentErrMsg is there, and a status was not zero
  std::string message;            // what it gave after the first such status
  std::uint64_t nanoseconds = 0;  // phase one to the end of synchronise
  // Whether phase one set both out-pointers to what phase two can be called with.
  [[nodiscard]] bool HasPlan() const {
    return workspace_size_set && executor_set && workspace_size < kImpossibleWorkspace;
  }
  POOLPROOF_EQUALITY(CallOutcome);
};

inline constexpr int kGrowthSpans = 4;
// Before memory is watched calls are made until pools are full, for so long at most.
inline constexpr int kMostSettlingMs = 2000;

// State of the process that the calls changed and should not have.
struct ProcessFacts {
  bool file_descriptors_changed = false;
  bool floating_point_environment_changed = false;
  bool signal_handlers_changed = false;
  bool working_directory_changed = false;
  // Whether the process must not go on: descriptors that are not the library's were closed, so many
  // are open that calls may come to lack them, or a device failed in one of the further calls.
  bool spent = false;
  // Memory that each of kGrowthSpans equal parts of plan.growth_calls further calls gained: bytes
  // in use of the C library's heap, resident bytes, and bytes of the device in use by any process,
  // none where nobody says or its memory is the host's.
  using Gains = std::array<std::int64_t, kGrowthSpans>;
  Gains heap_gain{};
  Gains resident_gain{};
  Gains device_gain{};
  // Of the further calls, the runs in which some call was answered by other statuses than in the
  // first.
  std::int64_t runs_otherwise = 0;
  POOLPROOF_EQUALITY(ProcessFacts);
};

// Bytes of a library's text that one outcome quotes, edges that it names, and edges of a library
// that have numbers, at most.
inline constexpr std::size_t kMostMessageBytes = 4096;
inline constexpr std::size_t kMostReachedEdges = 65536;
inline constexpr std::size_t kMostEdges = std::size_t{1} << 22;

// What an instruction did that raised the signal of which the process died.
enum class CrashCause : std::uint8_t {
  kUnknown,
  kNullPointer,    // used an address close to zero
  kNoMemory,       // used an address where there is no memory
  kForbidden,      // used memory in a way that it does not allow
  kStackOverflow,  // used memory beyond the end of its stack
  kBadAddress,     // used an address that none can be, or that is not aligned
  kNoFile,         // used mapped memory of which the file has nothing
  kDivision,       // an integer division by zero, or one that overflows
  kFloatingPoint,  // a floating-point exception that is not masked
  kInstruction,    // the machine does not know it, or it is there to trap
};

// Where that was.
struct CrashSite {
  CrashCause cause = CrashCause::kUnknown;
  Access access = Access::kUnknown;
  bool executing = false;  // what is there is no code; the place is the caller's, if any is named
  std::uint64_t address = 0;  // of causes about memory, except for kBadAddress
  std::string module;         // file name of the library or program; empty: code of no file
  std::uint64_t offset = 0;   // of the instruction, from where the module begins in memory
  std::string symbol;         // of the module's function that holds it; empty: not known
  std::uint64_t symbol_offset = 0;
  POOLPROOF_EQUALITY(CrashSite);
};

// Calls that were made one after the other for their time.
struct TimedRound {
  std::uint64_t calls = 0;
  std::uint64_t call_ns = 0;    // the median call, phase one to the end of synchronise
  std::uint64_t device_ns = 0;  // the same by events of the library; 0: it has none
  POOLPROOF_EQUALITY(TimedRound);
};

struct Outcome {
  End end = End::kReturned;
  int signal = 0;     // kSignalled
  int exit_code = 0;  // kExited
  // Where the attempt ended if not kReturned.
  std::size_t ended_at_call = 0;
  Phase ended_in = Phase::kSetup;
  // thread-major, then repetition, then call: ((thread * repeat) + repetition) * calls + call.
  std::vector<CallOutcome> calls;
  ProcessFacts process;
  std::string output_tail;  // last bytes of the worker's stdout and stderr, when it ended badly
  std::string detail;       // kThrew: the exception's text; kCorrupted, kHarness: what went wrong
  std::optional<CrashSite> crash;  // kSignalled, where the signal came of an instruction
  // Of an instrumented library: edges that no earlier invocation of the worker had reached,
  // ascending. An edge has the same number in every worker.
  std::vector<std::uint32_t> reached_edges;
  std::vector<TimedRound> rounds;  // Invocation::timing
  // Whether each output of a timed call repeats the bytes that `calls` holds of it.
  bool outputs_repeat = true;
  POOLPROOF_EQUALITY(Outcome);
};

// True where the process that carried out the calls must not be given others: they ended badly,
// spoilt its files, or failed on their stream: a device may refuse whatever follows. The worker
// puts the floating-point environment right by itself. Files that the library left open, handlers
// and a directory that it set stay, as in any program that uses it; the latter two are seen once
// in a worker.
inline bool EndsWorker(const Outcome& outcome) {
  const ProcessFacts& process = outcome.process;
  return outcome.end != End::kReturned || process.spent ||
         std::any_of(outcome.calls.begin(), outcome.calls.end(),
                     [](const CallOutcome& call) { return call.synchronise.value_or(0) != 0; });
}

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_RESULT_OUTCOME_H_
