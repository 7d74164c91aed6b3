// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/crash_handler.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>

#include "conformance/wire/unique_fd.h"

// Everything that the handler calls is safe in a handler: system calls and arithmetic on its own
// stack. In particular it does not ask the dynamic linker, which may hold its lock.
namespace poolproof {
namespace {

constexpr std::array<int, 6> kSignals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
constexpr std::size_t kStackBytes = std::size_t{64} << 10;
// What a null pointer with an offset of a member or a small index comes to.
constexpr std::uintptr_t kNearZero = std::uintptr_t{64} << 10;
constexpr std::uintptr_t kNearStack = std::uintptr_t{64} << 10;

// A signal handler has no argument of ours: what it works on must be found from here.
CrashNote* crash_note = nullptr;
pid_t watched_process = 0;

// Of the instruction that raised the signal.
struct Registers {
  std::uintptr_t pc = 0;
  std::uintptr_t stack = 0;
  std::uintptr_t link = 0;  // where the last call returns to, of machines with such a register
  Access access = Access::kUnknown;
  bool is_fetch = false;     // the instruction itself could not be read
  bool is_no_fault = false;  // the kernel knows no address
};

#if defined(__x86_64__)

Registers RegistersOf(const siginfo_t& info, const ucontext_t& context) {
  constexpr greg_t kPageFault = 14;
  constexpr greg_t kWriteBit = 2;
  constexpr greg_t kFetchBit = 16;
  const auto& values = context.uc_mcontext.gregs;
  Registers registers;
  registers.pc = static_cast<std::uintptr_t>(values[REG_RIP]);
  registers.stack = static_cast<std::uintptr_t>(values[REG_RSP]);
  if (values[REG_TRAPNO] == kPageFault) {
    registers.is_fetch = (values[REG_ERR] & kFetchBit) != 0;
    registers.access = (values[REG_ERR] & kWriteBit) != 0 ? Access::kWrite : Access::kRead;
  }
  registers.is_no_fault = info.si_signo == SIGSEGV && info.si_code == SI_KERNEL;
  return registers;
}

#elif defined(__aarch64__)

Registers RegistersOf(const siginfo_t& info, const ucontext_t& context) {
  Registers registers;
  registers.pc = context.uc_mcontext.pc;
  registers.stack = context.uc_mcontext.sp;
  registers.link = context.uc_mcontext.regs[30];
  registers.is_fetch =
      info.si_signo == SIGSEGV && reinterpret_cast<std::uintptr_t>(info.si_addr) == registers.pc;
  // Records of which one holds the syndrome of the fault.
  const auto* at = reinterpret_cast<const char*>(context.uc_mcontext.__reserved);
  const char* const end = at + sizeof context.uc_mcontext.__reserved;
  while (end - at >= static_cast<std::ptrdiff_t>(sizeof(esr_context))) {
    esr_context record;
    std::memcpy(&record, at, sizeof record);
    if (record.head.magic == ESR_MAGIC) {
      constexpr std::uint64_t kDataAbort = 0x24;
      constexpr std::uint64_t kWriteBit = 1U << 6;
      if (((record.esr >> 26) & 0x3e) == kDataAbort) {
        registers.access = (record.esr & kWriteBit) != 0 ? Access::kWrite : Access::kRead;
      }
      break;
    }
    if (record.head.magic == 0 || record.head.size == 0) break;
    at += record.head.size;
  }
  return registers;
}

#else

Registers RegistersOf(const siginfo_t&, const ucontext_t&) { return {}; }

#endif

CrashCause CauseOf(const siginfo_t& info, const Registers& registers) {
  const auto address = reinterpret_cast<std::uintptr_t>(info.si_addr);
  switch (info.si_signo) {
    case SIGSEGV:
      if (registers.is_no_fault) return CrashCause::kBadAddress;
      if (address < kNearZero) return CrashCause::kNullPointer;
      if (registers.stack != 0 && !registers.is_fetch &&
          address - (registers.stack - kNearStack) < 2 * kNearStack) {
        return CrashCause::kStackOverflow;
      }
      return info.si_code == SEGV_ACCERR ? CrashCause::kForbidden : CrashCause::kNoMemory;
    case SIGBUS:
      return info.si_code == BUS_ADRALN ? CrashCause::kBadAddress : CrashCause::kNoFile;
    case SIGFPE:
      return info.si_code == FPE_INTDIV || info.si_code == FPE_INTOVF ? CrashCause::kDivision
                                                                      : CrashCause::kFloatingPoint;
    case SIGILL:
    case SIGTRAP:
      return CrashCause::kInstruction;
    default:
      return CrashCause::kUnknown;
  }
}

// The lines of /proc/self/maps, one after the other.
class MapLines {
 public:
  MapLines() : fd_(::open("/proc/self/maps", O_RDONLY | O_CLOEXEC)) {}

  // False at the end. Of a line that is too long the end is cut.
  bool Next() {
    std::size_t size = 0;
    for (;;) {
      if (at_ == end_) {
        ssize_t n = 0;
        do {
          n = ::read(fd_.get(), buffer_.data(), buffer_.size());
        } while (n < 0 && errno == EINTR);
        if (n <= 0) return false;
        at_ = 0;
        end_ = static_cast<std::size_t>(n);
      }
      const char c = buffer_[at_++];
      if (c == '\n') break;
      if (size + 1 < line_.size()) line_[size++] = c;
    }
    line_[size] = '\0';
    return true;
  }
  [[nodiscard]] const char* line() const { return line_.data(); }

 private:
  UniqueFd fd_;
  std::array<char, 4096> buffer_;
  std::array<char, 1280> line_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
};

// "7f01-7f02 r-xp 00001000 08:01 1234   /usr/lib/libm.so"
struct Mapping {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  bool is_code = false;
  std::uint64_t offset = 0;  // in its file
  std::uint64_t file = 0;    // its number; 0: none
  const char* name = "";
};

std::uint64_t TakeHex(const char*& at) {
  std::uint64_t value = 0;
  for (;; ++at) {
    const char c = *at;
    if (c >= '0' && c <= '9') {
      value = value * 16 + static_cast<std::uint64_t>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      value = value * 16 + static_cast<std::uint64_t>(c - 'a' + 10);
    } else {
      return value;
    }
  }
}

void SkipWord(const char*& at) {
  while (*at != '\0' && *at != ' ') ++at;
  while (*at == ' ') ++at;
}

Mapping MappingOf(const char* line) {
  Mapping mapping;
  mapping.begin = TakeHex(line);
  if (*line == '-') ++line;
  mapping.end = TakeHex(line);
  if (*line == ' ') ++line;
  mapping.is_code = std::strlen(line) > 4 && line[2] == 'x';
  SkipWord(line);
  mapping.offset = TakeHex(line);
  SkipWord(line);
  SkipWord(line);  // the device
  // A decimal number, of which nothing is wanted but whether it is another's.
  mapping.file = TakeHex(line);
  SkipWord(line);
  mapping.name = line;
  return mapping;
}

enum class Place { kNoted, kNoCode, kUnknown };

// Notes the module that holds the code at `pc`, and where in it.
Place NotePlace(std::uintptr_t pc, CrashNote::Facts& facts) {
  MapLines lines;
  bool any = false;
  std::uintptr_t first = 0;  // where the file of the line before begins
  std::uint64_t file = 0;
  while (lines.Next()) {
    any = true;
    const Mapping mapping = MappingOf(lines.line());
    if (mapping.file != file || mapping.offset == 0) {
      file = mapping.file;
      first = mapping.begin - mapping.offset;
    }
    if (pc < mapping.begin || pc >= mapping.end) continue;
    if (!mapping.is_code) return Place::kNoCode;
    facts.offset = file == 0 ? 0 : pc - first;
    std::size_t size = 0;
    for (; mapping.name[size] != '\0' && size + 1 < facts.module.size(); ++size) {
      facts.module[size] = mapping.name[size];
    }
    facts.module[size] = '\0';
    return Place::kNoted;
  }
  return any ? Place::kNoCode : Place::kUnknown;
}

// Where the call that led to no code returns to; 0: not known.
std::uintptr_t CallerOf(const Registers& registers) {
#if defined(__x86_64__)
  // Read like a file: the stack may not be there.
  const UniqueFd memory(::open("/proc/self/mem", O_RDONLY | O_CLOEXEC));
  std::uintptr_t caller = 0;
  const bool read = ::pread(memory.get(), &caller, sizeof caller,
                            static_cast<off_t>(registers.stack)) == sizeof caller;
  return read ? caller : 0;
#else
  return registers.link;
#endif
}

void Note(const siginfo_t& info, const ucontext_t& context, CrashNote::Facts& facts) {
  const Registers registers = RegistersOf(info, context);
  facts.cause = CauseOf(info, registers);
  facts.access = registers.access;
  if (info.si_signo == SIGSEGV || info.si_signo == SIGBUS) {
    facts.address = reinterpret_cast<std::uintptr_t>(info.si_addr);
  }
  if (registers.pc == 0 && registers.stack == 0) return;
  if (NotePlace(registers.pc, facts) != Place::kNoCode) return;
  facts.executing = true;
  // The call itself is in front of where it returns to.
  if (const std::uintptr_t caller = CallerOf(registers); caller != 0) NotePlace(caller - 1, facts);
}

void OnCrash(int signal, siginfo_t* info, void* context) {
  // A signal that was sent tells of no instruction; a child of the library writes no note.
  if (info->si_code > 0 && ::getpid() == watched_process) {
    if (crash_note->Begin()) {
      Note(*info, *static_cast<const ucontext_t*>(context), crash_note->facts());
      crash_note->Finish(signal);
    } else {
      // Another thread is at it, or this one was when it failed again.
      const timespec pause{0, 1'000'000};
      for (int i = 0; i < 200 && !crash_note->finished(); ++i) ::nanosleep(&pause, nullptr);
    }
  }
  struct sigaction none {};
  none.sa_handler = SIG_DFL;
  ::sigaction(signal, &none, nullptr);
  ::raise(signal);  // delivered when this returns
}

}  // namespace

void NoteCrashes(CrashNote& note) {
  crash_note = &note;
  watched_process = ::getpid();
  for (const int signal : kSignals) {
    struct sigaction action {};
    // A sanitizer's handler says more.
    if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) continue;
    action.sa_sigaction = &OnCrash;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    ::sigaction(signal, &action, nullptr);
  }
}

bool IsCrashHandler(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == &OnCrash;
}

SignalStack::SignalStack() {
  stack_t now{};
  if (::sigaltstack(nullptr, &now) != 0 || (now.ss_flags & SS_DISABLE) == 0) return;
  void* const memory = ::mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return;
  stack_t ours{};
  ours.ss_sp = memory;
  ours.ss_size = kStackBytes;
  if (::sigaltstack(&ours, nullptr) == 0) {
    memory_ = memory;
  } else {
    ::munmap(memory, kStackBytes);
  }
}

SignalStack::~SignalStack() {
  if (memory_ == nullptr) return;
  stack_t now{};
  // One that the library put in its place stays, and this one with it.
  if (::sigaltstack(nullptr, &now) != 0 || now.ss_sp != memory_) return;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  if (::sigaltstack(&none, nullptr) == 0) ::munmap(memory_, kStackBytes);
}

}  // namespace poolproof
