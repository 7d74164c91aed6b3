// SPDX-License-Identifier: Apache-2.0
//
// GuardPages: pages of host memory without access rights for a while. The first touch is noted, or
// the first write where there is one; then they are opened, so that the case goes on and tells the
// rest. Private to the worker.
#ifndef POOLPROOF_CONFORMANCE_WORKER_GUARD_PAGES_H_
#define POOLPROOF_CONFORMANCE_WORKER_GUARD_PAGES_H_

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "conformance/result/outcome.h"

namespace poolproof {

class GuardPages {
 public:
  // While one is alive, touches are caught; faults elsewhere take the way they took before.
  // Requires that no other watch of the process is alive.
  class Watch {
   public:
    explicit Watch(GuardPages& pages);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    [[nodiscard]] bool works() const { return works_; }

   private:
    bool works_ = false;
  };

  struct Touch {
    const std::byte* address = nullptr;
    Access access = Access::kUnknown;
  };

  static std::size_t PageBytes();

  // Closes [begin, begin + size), whole pages of which the caller has the use. A number for Open;
  // nullopt where that cannot be done: not private memory of this process, or refused.
  std::optional<std::size_t> Close(std::byte* begin, std::size_t size);
  // Opens them again and gives what was noted, if anything.
  std::optional<Touch> Open(std::size_t number);

 private:
  struct Slot {
    std::atomic<std::uintptr_t> begin{0};  // 0: free
    std::atomic<std::size_t> size{0};
    std::atomic<std::uintptr_t> touched{0};
    std::atomic<Access> access{Access::kUnknown};
  };

  static void OnFault(int signal, siginfo_t* info, void* context);
  // True where the fault was a touch; the access may then be made again.
  bool TakeFault(std::uintptr_t address, Access access);

  std::array<Slot, 64> slots_;
  std::optional<bool> is_plain_memory_;  // found out once
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_WORKER_GUARD_PAGES_H_
