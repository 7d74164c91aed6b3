// SPDX-License-Identifier: Apache-2.0
//
// State of the process and of a thread that a library has no business changing: taken before and
// after calls and compared. Private to the worker.
#ifndef POOLPROOF_CONFORMANCE_WORKER_PROCESS_STATE_H_
#define POOLPROOF_CONFORMANCE_WORKER_PROCESS_STATE_H_

#include <array>
#include <bitset>
#include <cfenv>
#include <csignal>
#include <cstdint>
#include <string>

namespace poolproof {

// Rounding, exception masks and flush-to-zero of the calling thread; the sticky exception flags are
// left out, since every computation may raise them.
class FloatEnvironment {
 public:
  static FloatEnvironment OfThisThread();
  void Restore() const;
  friend bool operator==(const FloatEnvironment& a, const FloatEnvironment& b) {
    return a.rounding_ == b.rounding_ && a.traps_ == b.traps_ && a.control_ == b.control_;
  }

 private:
  std::fenv_t saved_{};
  int rounding_ = 0;
  int traps_ = 0;
  std::uint64_t control_ = 0;
};

// The signals that the calling thread holds back.
class SignalMask {
 public:
  static SignalMask OfThisThread();
  void Restore() const;
  friend bool operator==(const SignalMask& a, const SignalMask& b);

 private:
  sigset_t held_back_{};
};

struct ProcessState {
  static constexpr std::size_t kDescriptors = 128;
  struct Handler {
    std::uintptr_t function = 0;
    int flags = 0;
    friend bool operator==(const Handler& a, const Handler& b) {
      return a.function == b.function && a.flags == b.flags;
    }
  };
  static constexpr std::size_t kSignals = 13;

  std::bitset<kDescriptors> open;  // the lowest descriptors
  std::array<Handler, kSignals> handlers;
  std::string directory;

  static ProcessState Now();
};

// Tells handlers that every call sets from those that were set once and stay: what was set is
// marked, and who sets it again takes the mark away.
class HandlerMarks {
 public:
  // Marks the handlers in which the two differ. Requires `after` to be the present state.
  HandlerMarks(const ProcessState& before, const ProcessState& after);
  // Takes the marks away. False where one is gone already.
  bool Remove();

 private:
  std::bitset<ProcessState::kSignals> marked_;
  std::bitset<ProcessState::kSignals> value_;  // of each mark
};

// What the process has in memory: resident bytes, after free memory of the C library's heap was
// given back, and bytes of that heap in use, which count even where they were never touched. In a
// process with a sanitizer only the latter, by its own count.
struct MemoryUse {
  std::int64_t resident = 0;
  std::int64_t heap = 0;

  static MemoryUse Now();
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_WORKER_PROCESS_STATE_H_
