// SPDX-License-Identifier: Apache-2.0
//
// What the stand-in for a device reads from its environment, and what it counts. README.md lists
// both.
#ifndef POOLPROOF_TESTS_DEVICE_TRAITS_H_
#define POOLPROOF_TESTS_DEVICE_TRAITS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace device {

// How calls fare after an exception, until the process ends.
enum class Sticky {
  kNothing = 0,      // the exception is reported once, and all is well again
  kEverything = 1,   // no call but those that end things succeeds
  kCopies = 2,       // copies, launches and synchronise fail
  kStream = 3,       // what is put to that stream fails
  kSynchronise = 4,  // launches do nothing, synchronise fails
  kLaunches = 5,     // launches and synchronise fail
};

struct Traits {
  // Microseconds.
  std::uint64_t init = 0;
  std::uint64_t malloc = 0;
  std::uint64_t free = 0;
  std::uint64_t copy = 0;
  std::uint64_t phase_one = 0;
  std::uint64_t launch = 0;
  std::uint64_t first_use = 0;  // of an operator for a type in a mode, in each process
  std::uint64_t finalize = 0;

  std::uint64_t devices = 1;
  std::string exclusive;         // folder of lock files: a device takes one process
  std::uint64_t busy_first = 0;  // so many starts at first find the device busy
  std::uint64_t busy_every = 0;  // each so many-th start finds the device busy,
  std::uint64_t busy_for = 1;    // and those after it, so many in all

  std::uint64_t exception_at = 0;     // the launch, of all processes, that raises an exception
  std::uint64_t exception_width = 0;  // launches whose first tensor has this last extent do
  bool exception_late = false;        // pooled shapes that do not fit do, instead of phase one
  bool ignores_indices = false;       // those that leave their plane, which raise one otherwise
  Sticky sticky = Sticky::kNothing;

  std::uint64_t workspace = 0;  // bytes that each launch needs, and overwrites
  std::uint64_t signals = 0;    // handlers are set: 1 by aclInit, 2 by the first launch
  std::uint64_t files = 0;     // a file is opened, and stays: 1 by each first use, 2 by each launch
  std::uint64_t noise = 0;     // bytes that each launch writes to stdout
  std::uint64_t threads = 0;   // idle ones, made by aclInit
  std::uint64_t leak = 0;      // bytes of device memory that each launch takes and keeps
  std::uint64_t pool = 0;      // the same, of the first launches of a process,
  std::uint64_t pool_for = 0;  // so many of them
  std::uint64_t work_on = 0;   // the stream of work: 1 the default one, 2 one of the library's own
  bool copies_wait = false;    // for the work of all streams, and frees do

  Traits();
};

// The one of the process.
const Traits& TraitsOf();

// Counters of all processes that name the same file, or of this one. `kNames` are their names.
enum class Counter : std::size_t {
  kStarts,         // aclInit
  kRefusedStarts,  // aclrtSetDevice answered that the device is taken or busy
  kEnds,           // aclFinalize
  kFirstUses,
  kAllocations,
  kFrees,
  kCopiesIn,
  kCopiesOut,
  kPhaseOnes,
  kLaunches,
  kExceptions,
  kIllegal,  // what no lawful program does: README.md
  kCount,
};
std::atomic<std::uint64_t>& Count(Counter counter);

// A line in the file that LOG names, where there is one: milliseconds, process, event.
void Log(const std::string& event);

void Wait(std::uint64_t microseconds);

}  // namespace device

#endif  // POOLPROOF_TESTS_DEVICE_TRAITS_H_
