// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/guard_pages.h"

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <cctype>
#include <fstream>
#include <string>
#include <string_view>

namespace poolproof {
namespace {

// A signal handler has no argument of ours: what it works on must be found from here.
std::atomic<GuardPages*> active{nullptr};
struct sigaction before_watch;

Access AccessOf([[maybe_unused]] const void* context) {
#if defined(__x86_64__)
  constexpr greg_t kWriteBit = 2;
  const auto* const machine = static_cast<const ucontext_t*>(context);
  return (machine->uc_mcontext.gregs[REG_ERR] & kWriteBit) != 0 ? Access::kWrite : Access::kRead;
#else
  return Access::kUnknown;
#endif
}

struct GuardedMapping {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  bool plain = false;  // private, readable, writable, and of no file or device
};

// "7f01-7f02 rw-p 00000000 00:00 0   [heap]"
std::optional<GuardedMapping> ParseMapping(const std::string& text) {
  GuardedMapping mapping;
  const auto digits = [](const char* at) { return std::isxdigit(static_cast<unsigned char>(*at)); };
  char* after = nullptr;
  if (!digits(text.c_str())) return std::nullopt;
  mapping.begin = std::strtoull(text.c_str(), &after, 16);
  if (*after == '\0' || !digits(after + 1)) return std::nullopt;
  mapping.end = std::strtoull(after + 1, &after, 16);
  const std::string line(after);
  const bool own = line.rfind(" rw-p ", 0) == 0;
  const std::size_t space = line.find(' ', own ? 6 : 0);  // behind the offset
  constexpr std::string_view kOfNoFile = " 00:00 0";
  mapping.plain =
      own && space != std::string::npos && line.compare(space, kOfNoFile.size(), kOfNoFile) == 0;
  return mapping;
}

// Memory of a device may well be readable on the host; to take its pages away would harm the
// device's own use of them.
bool IsPlainMemory(std::uintptr_t begin, std::uintptr_t end) {
  std::ifstream maps("/proc/self/maps");
  std::string line;
  bool seen = false;
  while (std::getline(maps, line)) {
    const std::optional<GuardedMapping> mapping = ParseMapping(line);
    if (!mapping || mapping->end <= begin || mapping->begin >= end) continue;
    if (!mapping->plain) return false;
    seen = true;
  }
  return seen;
}

}  // namespace

std::size_t GuardPages::PageBytes() {
  static const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

// The handler runs on the stack of one that touched: a stack overflow dies as it would without it.
GuardPages::Watch::Watch(GuardPages& pages) {
  struct sigaction action {};
  action.sa_sigaction = &GuardPages::OnFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  active.store(&pages);
  works_ = ::sigaction(SIGSEGV, &action, &before_watch) == 0;
}

GuardPages::Watch::~Watch() {
  struct sigaction now {};
  // A handler that the library put there meanwhile stays, to be seen by one that looks.
  if (works_ && ::sigaction(SIGSEGV, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 &&
      now.sa_sigaction == &GuardPages::OnFault) {
    ::sigaction(SIGSEGV, &before_watch, nullptr);
  }
  active.store(nullptr);
}

void GuardPages::OnFault(int signal, siginfo_t* info, void* context) {
  GuardPages* const pages = active.load();
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  if (pages != nullptr && pages->TakeFault(address, AccessOf(context))) return;
  // Not ours: the access is made again under the handler that was there before. A signal that was
  // sent has no access behind it, and is sent again.
  ::sigaction(signal, &before_watch, nullptr);
  if (info->si_code <= 0) ::raise(signal);
}

bool GuardPages::TakeFault(std::uintptr_t address, Access access) {
  for (Slot& slot : slots_) {
    const std::uintptr_t begin = slot.begin.load();
    const std::size_t size = slot.size.load();
    if (begin == 0 || address < begin || address - begin >= size) continue;
    // A write counts for more than the read before it: pages that were read may not be written yet.
    std::uintptr_t none = 0;
    const bool first = slot.touched.compare_exchange_strong(none, address);
    if (!first && access == Access::kWrite && slot.access.load() == Access::kRead) {
      slot.touched.store(address);
    }
    if (first || access == Access::kWrite) slot.access.store(access);
    const int opened = access == Access::kRead ? PROT_READ : PROT_READ | PROT_WRITE;
    return ::mprotect(reinterpret_cast<void*>(begin), size, opened) == 0;
  }
  return false;
}

std::optional<std::size_t> GuardPages::Close(std::byte* begin, std::size_t size) {
  const auto from = reinterpret_cast<std::uintptr_t>(begin);
  if (!is_plain_memory_) is_plain_memory_ = IsPlainMemory(from, from + size);
  if (!*is_plain_memory_) return std::nullopt;
  for (std::size_t number = 0; number < slots_.size(); ++number) {
    Slot& slot = slots_[number];
    if (slot.begin.load() != 0) continue;
    slot.touched.store(0);
    slot.access.store(Access::kUnknown);
    slot.size.store(size);
    slot.begin.store(from);
    if (::mprotect(begin, size, PROT_NONE) == 0) return number;
    slot.begin.store(0);
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<GuardPages::Touch> GuardPages::Open(std::size_t number) {
  Slot& slot = slots_[number];
  const std::uintptr_t begin = slot.begin.load();
  ::mprotect(reinterpret_cast<void*>(begin), slot.size.load(), PROT_READ | PROT_WRITE);
  const std::uintptr_t touched = slot.touched.load();
  const Access access = slot.access.load();
  slot.begin.store(0);
  if (touched == 0) return std::nullopt;
  return Touch{reinterpret_cast<const std::byte*>(touched), access};
}

}  // namespace poolproof
