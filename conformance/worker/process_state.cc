// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/process_state.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <csignal>
#include <cstdlib>

#if defined(__GLIBC__)
#include <malloc.h>
#endif
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "conformance/wire/unique_fd.h"
#include "conformance/worker/crash_handler.h"

namespace poolproof {
namespace {

constexpr std::array<int, ProcessState::kSignals> kWatchedSignals = {
    SIGHUP,  SIGINT,  SIGQUIT, SIGILL,  SIGABRT, SIGBUS, SIGFPE,
    SIGSEGV, SIGPIPE, SIGALRM, SIGTERM, SIGCHLD, SIGUSR1};

// The C library's own mark on what was set through it; a disposition that was never set lacks it.
constexpr int kSetByLibrary = 0x04000000;

std::uint64_t ControlWord() {
#if defined(__x86_64__)
  return _mm_getcsr() & ~0x3fU;  // the low six bits are the sticky flags
#elif defined(__aarch64__)
  std::uint64_t control = 0;
  __asm__ volatile("mrs %0, fpcr" : "=r"(control));
  return control;
#else
  return 0;
#endif
}

}  // namespace

FloatEnvironment FloatEnvironment::OfThisThread() {
  FloatEnvironment state;
  std::fegetenv(&state.saved_);
  state.rounding_ = std::fegetround();
#if defined(__GLIBC__)
  state.traps_ = ::fegetexcept();
#endif
  state.control_ = ControlWord();
  return state;
}

void FloatEnvironment::Restore() const { std::fesetenv(&saved_); }

SignalMask SignalMask::OfThisThread() {
  SignalMask mask;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &mask.held_back_);
  return mask;
}

void SignalMask::Restore() const { ::pthread_sigmask(SIG_SETMASK, &held_back_, nullptr); }

bool operator==(const SignalMask& a, const SignalMask& b) {
  for (int signal = 1; signal < NSIG; ++signal) {
    if (sigismember(&a.held_back_, signal) != sigismember(&b.held_back_, signal)) return false;
  }
  return true;
}

ProcessState ProcessState::Now() {
  ProcessState state;
  // One call for all descriptors: closed ones are reported as POLLNVAL.
  std::array<pollfd, kDescriptors> entries;
  for (std::size_t i = 0; i < entries.size(); ++i) entries[i] = {static_cast<int>(i), 0, 0};
  if (::poll(entries.data(), entries.size(), 0) >= 0) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      state.open[i] = (entries[i].revents & POLLNVAL) == 0;
    }
  }
  for (std::size_t i = 0; i < kWatchedSignals.size(); ++i) {
    struct sigaction action {};
    ::sigaction(kWatchedSignals[i], nullptr, &action);
    if (IsCrashHandler(action)) continue;  // as where nobody has set one
    state.handlers[i] = {reinterpret_cast<std::uintptr_t>(action.sa_handler),
                         action.sa_flags & ~kSetByLibrary};
  }
  std::array<char, PATH_MAX> path;
  if (::getcwd(path.data(), path.size()) != nullptr) state.directory = path.data();
  return state;
}

namespace {

// Held back while a handler runs, or not: nobody sends this signal.
int MarkSignal() { return SIGRTMAX; }

bool IsMarked(const struct sigaction& action) {
  return sigismember(&action.sa_mask, MarkSignal()) == 1;
}

void SetMark(int signal, bool value) {
  struct sigaction action {};
  ::sigaction(signal, nullptr, &action);
  value ? sigaddset(&action.sa_mask, MarkSignal()) : sigdelset(&action.sa_mask, MarkSignal());
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

HandlerMarks::HandlerMarks(const ProcessState& before, const ProcessState& after) {
  for (std::size_t i = 0; i < kWatchedSignals.size(); ++i) {
    if (before.handlers[i] == after.handlers[i]) continue;
    struct sigaction action {};
    ::sigaction(kWatchedSignals[i], nullptr, &action);
    marked_[i] = true;
    value_[i] = !IsMarked(action);
    SetMark(kWatchedSignals[i], value_[i]);
  }
}

bool HandlerMarks::Remove() {
  bool all_there = true;
  for (std::size_t i = 0; i < kWatchedSignals.size(); ++i) {
    if (!marked_[i]) continue;
    struct sigaction action {};
    ::sigaction(kWatchedSignals[i], nullptr, &action);
    if (IsMarked(action) != value_[i]) {
      all_there = false;
    } else {
      SetMark(kWatchedSignals[i], !value_[i]);
    }
  }
  return all_there;
}

MemoryUse MemoryUse::Now() {
  MemoryUse use;
  // Sanitizers put freed memory aside for a while, so that resident bytes grow on and on; they
  // count what is in use themselves.
  using AllocatedBytes = std::size_t (*)();
  static const auto allocated_bytes = reinterpret_cast<AllocatedBytes>(
      ::dlsym(RTLD_DEFAULT, "__sanitizer_get_current_allocated_bytes"));
  if (allocated_bytes != nullptr) {
    use.heap = static_cast<std::int64_t>(allocated_bytes());
    return use;
  }
#if defined(__GLIBC__)
  ::malloc_trim(0);
#if __GLIBC_PREREQ(2, 33)
  const struct mallinfo2 heap = ::mallinfo2();
  use.heap = static_cast<std::int64_t>(heap.uordblks + heap.hblkhd);
#endif
#endif
  const UniqueFd fd(::open("/proc/self/statm", O_RDONLY | O_CLOEXEC));
  std::array<char, 128> text{};
  if (!fd.valid() || ::read(fd.get(), text.data(), text.size() - 1) <= 0) return use;
  char* rest = nullptr;
  std::strtoll(text.data(), &rest, 10);
  use.resident = std::strtoll(rest, nullptr, 10) * ::sysconf(_SC_PAGESIZE);
  return use;
}

}  // namespace poolproof
