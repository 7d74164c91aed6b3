// SPDX-License-Identifier: Apache-2.0
//
// CrashNote: what a worker's signal handler leaves on the shared page about the instruction that
// ends the process. Written without allocation or lock; one that reads it trusts nothing.
#ifndef POOLPROOF_CONFORMANCE_WIRE_CRASH_NOTE_H_
#define POOLPROOF_CONFORMANCE_WIRE_CRASH_NOTE_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "conformance/result/outcome.h"

namespace poolproof {

class CrashNote {
 public:
  // The members of a CrashSite, in memory of the note's own.
  struct Facts {
    CrashCause cause = CrashCause::kUnknown;
    Access access = Access::kUnknown;
    bool executing = false;
    std::uint64_t address = 0;
    std::uint64_t offset = 0;
    std::uint64_t symbol_offset = 0;
    std::array<char, 1024> module{};  // may be a path
    std::array<char, 512> symbol{};
  };

  // True for the first who asks: to fill facts(), and then to call Finish.
  bool Begin() {
    std::uint32_t none = kNone;
    return state_.compare_exchange_strong(none, kBegun);
  }
  Facts& facts() { return facts_; }
  void Finish(int signal) {
    signal_ = signal;
    state_.store(kFinished);
  }
  [[nodiscard]] bool finished() const { return state_.load() == kFinished; }

  // What a process that died of `signal` has left; nullopt: nothing, or no such note.
  [[nodiscard]] std::optional<CrashSite> Read(int signal) const;
  // As another process elsewhere left it.
  void Write(int signal, const CrashSite& site);

 private:
  enum : std::uint32_t { kNone, kBegun, kFinished };
  std::atomic<std::uint32_t> state_{kNone};
  std::int32_t signal_ = 0;
  Facts facts_;
};

// With the function that holds the place where `module` is the path of a file on this machine that
// tells; and of the path the file name alone.
CrashSite WithSymbol(CrashSite site);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_WIRE_CRASH_NOTE_H_
