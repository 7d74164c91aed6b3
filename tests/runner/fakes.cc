// SPDX-License-Identifier: Apache-2.0
//
// A library with the required symbols and no more, right for contiguous f32 gradients and int32
// indices. POOLPROOF_FAKE names one misbehaviour; those of calls show only where ceilMode is true,
// so that a fresh worker has something that works.
#include <fcntl.h>
#include <fenv.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#define FAKE_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

bool Fault(std::string_view name) {
  const char* const value = std::getenv("POOLPROOF_FAKE");
  return value != nullptr && value == name;
}

void ConstructorFaults() {
  if (Fault("crash-at-load")) std::raise(SIGSEGV);
  if (Fault("exit-at-load")) {
    std::fprintf(stderr, "licence not found\n");
    ::syscall(SYS_exit_group, 9);  // past the interceptors of a sanitized worker
  }
  if (Fault("talk-at-load")) std::fprintf(stderr, "device memory is scarce\n");
  if (Fault("hang-at-load")) {
    for (;;) ::pause();
  }
  if (Fault("slow-at-load")) std::this_thread::sleep_for(std::chrono::milliseconds(300));
}
[[maybe_unused]] const bool loaded = (ConstructorFaults(), true);

}  // namespace

#ifdef FAKE_OPTIONAL
// Like a library whose edges a compiler has instrumented, three in each of two ways.
#define FAKE_IMPORT extern "C" __attribute__((weak, visibility("default"))) void
FAKE_IMPORT __sanitizer_cov_8bit_counters_init(unsigned char* begin, unsigned char* end);
FAKE_IMPORT __sanitizer_cov_trace_pc_guard_init(std::uint32_t* begin, std::uint32_t* end);
FAKE_IMPORT __sanitizer_cov_trace_pc_guard(std::uint32_t* guard);

namespace {

std::array<unsigned char, 3> counters;
std::array<std::uint32_t, 3> guards;

[[maybe_unused]] const bool announced = [] {
  if (!Fault("edges")) return false;
  __sanitizer_cov_8bit_counters_init(counters.data(), counters.data() + counters.size());
  __sanitizer_cov_trace_pc_guard_init(guards.data(), guards.data() + guards.size());
  return true;
}();

void Reach(std::size_t edge) {
  if (!announced) return;
  ++counters[edge];
  __sanitizer_cov_trace_pc_guard(&guards[edge]);
}

}  // namespace
#else
[[maybe_unused]] static void Reach(std::size_t /*edge*/) {}
#endif

struct aclTensor {
  std::vector<std::int64_t> shape;
  std::int64_t offset;
  std::byte* data;
};
struct aclIntArray {
  std::vector<std::int64_t> values;
};

namespace {

// A stream with a thread of its own.
class Stream {
 public:
  Stream() : thread_([this] { Work(); }) {}
  ~Stream() {
    Run(nullptr);
    thread_.join();
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  void Run(std::function<void()> work) {
    const std::lock_guard<std::mutex> lock(mutex_);
    queue_.push_back(std::move(work));
    changed_.notify_all();
  }
  void Wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return queue_.empty(); });
  }

 private:
  void Work() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return !queue_.empty(); });
      const std::function<void()> work = queue_.front();
      lock.unlock();
      if (work == nullptr) return;
      work();
      lock.lock();
      queue_.pop_front();
      changed_.notify_all();
    }
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;  // the first is under way
  std::thread thread_;
};

// Whether streams have threads.
[[maybe_unused]] bool Queues() {
  return Fault("asynchronous") || Fault("elsewhere") || Fault("late") ||
         Fault("write-in-phase-one");
}

}  // namespace

#ifndef FAKE_NO_RUNTIME
// Memory of a device: the host cannot follow its pointers, which are turned by one bit.
static void* Turned(void* pointer) {
  if (!Fault("device-memory")) return pointer;
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(pointer) ^
                                 (std::uintptr_t{1} << 60));
}
FAKE_EXPORT int aclrtMalloc(void** pointer, std::size_t size, unsigned) {
  if (Fault("no-memory") && size > 1000) return 207001;
  void* const block = std::aligned_alloc(64, (size + 127) / 64 * 64);
  if (block == nullptr) return 207001;
  *pointer = Turned(block);
  return 0;
}
FAKE_EXPORT int aclrtFree(void* pointer) {
  std::free(Turned(pointer));
  return 0;
}
FAKE_EXPORT int aclrtMemcpy(void* to, std::size_t room, const void* from, std::size_t size,
                            unsigned kind) {
  if (size > room) return 107000;
  std::memcpy(kind == 1 ? Turned(to) : to, kind == 2 ? Turned(const_cast<void*>(from)) : from,
              size);
  return 0;
}
FAKE_EXPORT int aclrtCreateStream(void** stream) {
  static int token = 0;
  *stream = Queues() ? static_cast<void*>(new Stream) : &token;
  return Fault("stub-status") ? 100039 : 0;
}
FAKE_EXPORT int aclrtDestroyStream(void* stream) {
  if (Queues()) delete static_cast<Stream*>(stream);
  return 0;
}
static bool failed_once = false;  // and for good
FAKE_EXPORT int aclrtSynchronizeStream(void* stream) {
  if (Queues() && stream != nullptr) static_cast<Stream*>(stream)->Wait();
  return failed_once ? 507015 : 0;
}
FAKE_EXPORT aclTensor* aclCreateTensor(const std::int64_t* shape, std::uint64_t rank, int,
                                       const std::int64_t*, std::int64_t offset, int,
                                       const std::int64_t*, std::uint64_t, void* data) {
  if (Fault("null-tensor")) return nullptr;
  return new aclTensor{{shape, shape + rank}, offset, static_cast<std::byte*>(Turned(data))};
}
FAKE_EXPORT int aclDestroyTensor(const aclTensor* tensor) {
  delete tensor;
  return 0;
}
FAKE_EXPORT aclIntArray* aclCreateIntArray(const std::int64_t* values, std::uint64_t size) {
  return new aclIntArray{{values, values + size}};
}
FAKE_EXPORT int aclDestroyIntArray(const aclIntArray* list) {
  delete list;
  return 0;
}
#endif

#ifdef FAKE_OPTIONAL
FAKE_EXPORT int aclInit(const char*) { return 100002; }
FAKE_EXPORT int aclFinalize() {
  if (Fault("slow-to-stop")) {
    if (const char* const time = std::getenv("FAKE_STOP_MS")) {
      std::this_thread::sleep_for(std::chrono::milliseconds(std::atoi(time)));
    }
    if (const char* const path = std::getenv("FAKE_END_FILE")) ::close(::creat(path, 0600));
  }
  return 0;
}
FAKE_EXPORT int aclrtSetDevice(int device) { return device == 0 ? 0 : 107001; }
FAKE_EXPORT int aclrtGetDeviceCount(unsigned* count) {
  *count = Fault("no-device") ? 0 : 1;
  return 0;
}
FAKE_EXPORT const char* aclrtGetSocName() {
  if (Fault("null-soc")) return nullptr;
  const char* const soc = std::getenv("POOLPROOF_SOC_NAME");
  return soc == nullptr ? "Ascend910B1" : soc;
}
FAKE_EXPORT const char* aclGetRecentErrMsg() { return "gradOutput is null"; }
FAKE_EXPORT int aclrtSetSysParamOpt(int, std::int64_t) { return 0; }
FAKE_EXPORT int aclrtMemcpyAsync(void* to, std::size_t room, const void* from, std::size_t size,
                                 unsigned, void* stream) {
  if (size > room) return 107000;
  static int copies = 0;
  if (Fault("few-copies") && ++copies > 7) std::raise(SIGABRT);
  // Byte by byte, past the interceptors of a sanitized worker: outputs are looked at while others
  // may write to them.
  const auto copy = [=] {
    for (std::size_t i = 0; i < size; ++i) {
      static_cast<volatile char*>(to)[i] = static_cast<const volatile char*>(from)[i];
    }
  };
  if (Queues()) {
    static_cast<Stream*>(stream)->Run(copy);
  } else {
    copy();
  }
  return 0;
}
#endif

#ifndef FAKE_NO_OPERATOR
namespace {

struct Executor {
  const aclTensor* grad_output;
  const aclTensor* indices;
  aclTensor* grad_input;
  bool armed;
  bool repeatable = false;
  std::vector<std::int32_t> planned_indices = {};
};
[[maybe_unused]] Executor* last_executor = nullptr;
[[maybe_unused]] int calls_so_far = 0;

std::int64_t Numel(const aclTensor& tensor) {
  std::int64_t count = 1;
  for (const std::int64_t extent : tensor.shape) count *= extent;
  return count;
}

// Leaves its number for a test that asks whether it still lives.
[[noreturn]] void HangForEver() {
  if (const char* const path = std::getenv("FAKE_PID_FILE")) {
    const std::string text = std::to_string(::getpid()) + "\n";
    const int fd = ::open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    [[maybe_unused]] const ssize_t n = ::write(fd, text.data(), text.size());
  }
  for (;;) ::pause();
}

// Volatile, so that no compiler leaves the allocation out.
void* volatile leaked;
[[maybe_unused]] void Leak(std::size_t bytes) {
  void* const block = std::malloc(bytes);
  if (block != nullptr) std::memset(block, 1, bytes);
  leaked = block;
}

void PhaseOneFaults(aclTensor* grad_input) {
  if (Fault("crash-one")) std::raise(SIGSEGV);
  if (Fault("throw-one")) throw std::runtime_error("thrown in phase one");
  if (Fault("write-in-phase-one")) grad_input->data[0] = std::byte{1};
}

[[maybe_unused]] void WriteBehindNull() {
  const volatile std::uintptr_t member = 16;
  *reinterpret_cast<volatile char*>(member) = 1;
}

// Ways to die of an instruction.
[[maybe_unused]] __attribute__((noinline)) void InstructionFaults(std::byte* memory) {
  const volatile std::uintptr_t member = 16;
  const volatile std::uintptr_t nowhere = std::uintptr_t{1} << 46;
  const volatile auto constant = reinterpret_cast<std::uintptr_t>("constant");
  volatile int zero = 0;
  if (Fault("read-null")) static_cast<void>(*reinterpret_cast<volatile char*>(member));
  if (Fault("write-null")) *reinterpret_cast<volatile char*>(member) = 1;
  if (Fault("read-nowhere")) static_cast<void>(*reinterpret_cast<volatile char*>(nowhere));
  if (Fault("write-constant")) *reinterpret_cast<volatile char*>(constant) = 1;
  if (Fault("call-null")) reinterpret_cast<void (*)()>(member - 16)();
  if (Fault("execute-data")) reinterpret_cast<void (*)()>(memory)();
  if (Fault("divide")) zero = 1000 / zero;
  if (Fault("trap")) __builtin_trap();
}

[[maybe_unused]] __attribute__((noinline)) int Deeper(int depth) {  // NOLINT(misc-no-recursion)
  std::array<volatile char, 4096> room;
  room[0] = static_cast<char>(depth);
  return depth < 0 ? 0 : Deeper(depth + 1) + room[0];
}

[[maybe_unused]] void PhaseTwoFaults(const Executor& call) {
  const std::int64_t bytes = Numel(*call.grad_input) * 4;
  if (Fault("crash-two")) {
    std::puts("about to crash");
    std::fflush(stdout);
    std::raise(SIGSEGV);
  }
  InstructionFaults(call.grad_input->data);
  if (Fault("overflow-stack")) Deeper(0);
  if (Fault("crash-handled")) {
    std::signal(SIGSEGV, [](int) { ::_exit(7); });
    WriteBehindNull();
  }
  if (Fault("child-crashes")) {
    const pid_t child = ::fork();
    if (child == 0) WriteBehindNull();
    ::waitpid(child, nullptr, 0);
    std::abort();
  }
  if (Fault("reset-handler")) {
    const struct sigaction none {};
    ::sigaction(SIGSEGV, &none, nullptr);
  }
  if (Fault("hang-two")) HangForEver();
  if (Fault("slow-two")) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  if (Fault("hang-printing")) {
    for (;;) std::puts("still hanging");
  }
  if (Fault("exit-two")) std::exit(0);
  if (Fault("abort-two")) std::abort();
  if (Fault("throw-two")) throw 42;
  if (Fault("print-much")) {
    const std::array<char, 64> line = [] {
      std::array<char, 64> text;
      text.fill('x');
      text.back() = '\n';
      return text;
    }();
    for (int i = 0; i < (8 << 20) / 64; ++i) {
      [[maybe_unused]] const ssize_t n = ::write(2, line.data(), line.size());
    }
    std::raise(SIGBUS);
  }
  if (Fault("print-and-go-on")) {
    for (int i = 0; i < 100'000; ++i) std::puts("this library likes to talk about what it does");
  }
  if (Fault("close-low")) ::close(3);
  if (Fault("close-all")) {
    for (int fd = 3; fd < 65536; ++fd) ::close(fd);
  }
  if (Fault("close-stdio")) {
    ::close(1);
    ::close(2);
  }
  if (Fault("scribble")) {
    for (int fd = 3; fd < 8192; ++fd) [[maybe_unused]] const ssize_t n = ::write(fd, "noise", 5);
  }
  if (Fault("leak-descriptor") || Fault("sticky-leak")) [[maybe_unused]]
    const int fd = ::open("/dev/null", O_RDONLY);
  if (Fault("open-once")) [[maybe_unused]]
    static const int fd = ::open("/dev/null", O_RDONLY);
  if (Fault("write-before")) *(call.grad_input->data - 1) = std::byte{0xee};
  if (Fault("write-after")) *(call.grad_input->data + bytes) = std::byte{0xee};
  // Behind the storage, beyond any padding; the write leaves what was there.
  volatile std::byte* const behind = call.grad_input->data + bytes + 128;
  volatile std::byte* const in_front = call.grad_output->data - 1;
  if (Fault("read-behind")) static_cast<void>(*behind);
  if (Fault("read-in-front")) static_cast<void>(*in_front);
  if (Fault("read-on-behind-input")) {
    // As far as the pages in front of another operand.
    for (std::int64_t i = 0; i < 8 << 10; ++i) {
      static_cast<void>(*static_cast<volatile std::byte*>(call.grad_output->data + bytes + i));
    }
  }
  if (Fault("rewrite-behind")) *behind = *behind;
  if (Fault("rewrite-behind-blindly")) *behind = std::byte{0xee};
  if (Fault("read-padding")) {
    const std::int64_t readable = (bytes + 31) / 32 * 32 + 32;
    for (std::int64_t i = 0; i < readable; ++i) {
      static_cast<void>(*static_cast<volatile std::byte*>(call.grad_input->data + i));
    }
  }
  if (Fault("write-input")) *(call.grad_output->data + 5) = std::byte{0xee};
  if (Fault("leak")) Leak(64 << 10);
  static int kept = 0;
  if (Fault("pool-of-3000") && kept++ < 3000) Leak(1 << 10);
  if (Fault("eat-memory")) {
    // Ends by itself where no test waits for it, so that a failing test does no harm.
    for (int i = 0; i < 96; ++i) {
      Leak(8 << 20);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    HangForEver();
  }
  if (Fault("rounding")) ::fesetround(FE_UPWARD);
  if (Fault("mask")) {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
  }
  if (Fault("handler")) std::signal(SIGTERM, [](int) {});
  if (Fault("handler-once")) [[maybe_unused]]
    static const auto before = std::signal(SIGTERM, [](int) {});
  if (Fault("directory")) [[maybe_unused]]
    const int n = ::chdir("/");
  if (Fault("fork-and-crash")) {
    if (::fork() == 0) HangForEver();
    std::raise(SIGSEGV);
  }
}

}  // namespace

FAKE_EXPORT int aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize(
    const aclTensor* grad_output, const aclTensor* self, const aclTensor* indices,
    const aclIntArray*, const aclIntArray*, const aclIntArray*, const aclIntArray*, bool ceil_mode,
    aclTensor* grad_input, std::uint64_t* workspace_size, Executor** executor) {
  if (grad_output == nullptr || self == nullptr || indices == nullptr || grad_input == nullptr ||
      workspace_size == nullptr || executor == nullptr) {
    return 161001;
  }
  if (ceil_mode) PhaseOneFaults(grad_input);
  const bool small = Fault("workspace") || Fault("workspace-overrun") || Fault("workspace-kept") ||
                     Fault("workspace-overrun-far");
  *workspace_size = small ? 100 : 0;
  const bool large = Fault("large-workspace") || Fault("large-workspace-overrun");
  if (large) *workspace_size = (std::uint64_t{5} << 20) + 3;
  if (Fault("huge-workspace")) *workspace_size = std::uint64_t{1} << 40;
  if (Fault("impossible-workspace")) *workspace_size = std::uint64_t{1} << 60;
  if (Fault("no-executor")) return 0;
  *executor = new Executor{grad_output, indices, grad_input, ceil_mode};
  last_executor = *executor;
  if (Fault("plan-from-contents")) {
    const auto* const first = reinterpret_cast<const std::int32_t*>(indices->data);
    (*executor)->planned_indices.assign(first, first + Numel(*indices));
  }
  return 0;
}

#ifndef FAKE_HALF_OPERATOR
FAKE_EXPORT int aclnnMaxPool3dWithArgmaxBackward(void* workspace, std::uint64_t size,
                                                 Executor* executor, void* stream) {
  if (executor == nullptr) return 161001;
  if (Fault("one-executor") && executor != last_executor) return 561000;
  if (Fault("refuse-after-31") && ++calls_so_far > 31) return 561000;
  const Executor call = *executor;
  if (!call.repeatable) delete executor;
  Reach(call.armed ? 1 : 0);
#ifndef FAKE_NO_RUNTIME
  if ((Fault("sticky") || Fault("sticky-leak")) && call.armed) {
    failed_once = true;
    std::fputs("[ERROR] the core is lost\n", stderr);
  }
#endif
  if (call.armed) PhaseTwoFaults(call);
  if (Fault("large-workspace")) {
    const auto* const bytes = static_cast<const std::byte*>(workspace);
    if (bytes[0] != std::byte{0x3c} || bytes[size - 1] != std::byte{0x3c}) return 507015;
  }
  // Whether the workspace holds what an earlier call left there.
  bool kept = false;
  if (Fault("workspace-kept")) {
    kept = std::exchange(*static_cast<std::byte*>(workspace), std::byte{0x5a}) == std::byte{0x5a};
  }
  if (Fault("workspace-overrun") || Fault("large-workspace-overrun")) {
    static_cast<std::byte*>(workspace)[size] = std::byte{0xee};
  }
  if (Fault("workspace-overrun-far")) {
    std::fill_n(static_cast<std::byte*>(workspace) + size, 50'000, std::byte{0xee});
  }
  if (Numel(*call.grad_output) > 64) Reach(2);
  const aclTensor grad_input = *call.grad_input;
  const auto add = [call, kept, grad_input, grad_output = *call.grad_output,
                    indices = *call.indices] {
    if (Fault("late")) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    auto* const sums = reinterpret_cast<volatile float*>(grad_input.data);
    const auto* const gradients = reinterpret_cast<const float*>(grad_output.data);
    const auto* const places = Fault("plan-from-contents")
                                   ? call.planned_indices.data()
                                   : reinterpret_cast<const std::int32_t*>(indices.data);
    for (std::int64_t i = 0; i < Numel(grad_input); ++i) sums[i] = 0;
    for (std::int64_t i = 0; i < Numel(grad_output); ++i) {
      sums[places[i]] = sums[places[i]] + gradients[i];
    }
    if (kept) sums[0] = sums[0] + 1;
  };
  if (Fault("asynchronous")) {
    static_cast<Stream*>(stream)->Run(add);
  } else if (Fault("late")) {
    static Stream& own = *new Stream;
    own.Run(add);
  } else {
    add();
  }
  return Fault("refuse-late") && call.armed ? 161002 : 0;
}

#ifdef FAKE_OPTIONAL
FAKE_EXPORT int aclSetAclOpExecutorRepeatable(Executor* executor) {
  if (Fault("not-repeatable")) return 561000;
  executor->repeatable = true;
  return 0;
}
FAKE_EXPORT int aclDestroyAclOpExecutor(Executor* executor) {
  delete executor;
  return 0;
}
FAKE_EXPORT int aclSetInputTensorAddr(Executor* executor, std::size_t index, aclTensor* tensor,
                                      void* address) {
  const std::array<const aclTensor*, 3> inputs = {executor->grad_output, nullptr,
                                                  executor->indices};
  if (index >= inputs.size() || (index != 1 && tensor != inputs[index])) return 161002;
  if (Fault("input-address-kept")) return 0;
  tensor->data = static_cast<std::byte*>(address);
  return 0;
}
FAKE_EXPORT int aclSetOutputTensorAddr(Executor* executor, std::size_t index, aclTensor* tensor,
                                       void* address) {
  if (index != 0 || tensor != executor->grad_input) return 161002;
  tensor->data = static_cast<std::byte*>(address);
  return 0;
}
#endif
#endif
#endif
