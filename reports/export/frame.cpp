// @HEADER@
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cfenv>
#include <chrono>
#include <climits>
#include <cmath>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"
// @INCLUDES@

// Called where the library has them.
#pragma weak aclInit
#pragma weak aclFinalize
#pragma weak aclnnInit
#pragma weak aclnnFinalize
#pragma weak aclrtSetDevice
#pragma weak aclrtResetDevice
#pragma weak aclGetRecentErrMsg
#pragma weak aclrtCtxSetSysParamOpt
#pragma weak aclrtSetSysParamOpt

namespace {

// ================================================================================================
// What a case is made of

using Bytes = std::vector<unsigned char>;
using Dims = std::vector<int64_t>;

struct Tensor {
  const char* name = "";
  bool output = false;
  bool null = false;  // a null pointer is passed
  int type = 0;
  int format = 2;
  Dims shape, strides;  // in elements
  int64_t offset = 0;   // in elements
  Dims storage_dims;
  size_t width = 4;  // bytes of one element
  Bytes bytes;       // what the storage holds before the call
};

struct List {
  bool null = false;
  Dims values;
};

// So many elements of gradInput, one after the other, whose value lies in [low, high] (bits of
// elements); with kNaN or kInfinity these are right as well. low = 1, high = 0 is an empty range.
enum Also : unsigned { kNothing = 0, kNaN = 1, kInfinity = 2 };
struct Cells {
  int64_t count;
  uint32_t low, high;
  unsigned also;
};

// Indices that a forward may give for one output position along one axis: first <= i < end.
struct Span {
  int64_t first, end;
};

enum class Answer {
  kSuccess,   // every status 0, and the right numbers
  kRefusal,   // one of `statuses`, or any error
  kAnything,  // the documents do not say; memory of others must stay as it is
};

using PhaseOne = aclnnStatus (*)(const std::vector<aclTensor*>&, const std::vector<aclIntArray*>&,
                                 bool, uint64_t*, aclOpExecutor**);
using PhaseTwo = aclnnStatus (*)(void*, uint64_t, aclOpExecutor*, aclrtStream);

struct Call {
  PhaseOne phase_one = nullptr;
  PhaseTwo phase_two = nullptr;
  std::vector<Tensor> tensors;
  std::vector<List> lists;
  bool ceil_mode = false;

  Answer answer = Answer::kSuccess;
  const char* why = "";       // which rule says so
  std::vector<int> statuses;  // kRefusal: what phase one may answer
  bool any_error = false;     // kRefusal: any status but 0 will do
  bool late = false;          // kRefusal: phase two or synchronise may refuse as well
  bool may_refuse = false;    // kSuccess: an error is no fault either
  bool must_return = true;    // to crash, hang or throw is a fault
  std::vector<Cells> grad_input;
  Dims plane;                    // of the operands of a forward: D, H, W
  std::vector<Span> windows[3];  // of a forward, by axis; empty: the whole plane
};

// ================================================================================================
// The case
// @CASE@
// ================================================================================================
// How it is carried out

constexpr int kGood = 0, kWrong = 1, kBroken = 3;
constexpr size_t kGuard = 256;  // bytes before and after every buffer that nobody may touch
constexpr uint64_t kSizePoison = 0xdeadbeefdeadbeefULL;

// Where the calls are, shared with the watching process.
struct Place {
  std::atomic<int> call;
  std::atomic<int> phase;
  std::atomic<bool> ended;  // by End, not by somebody's exit
};
Place* g_place = nullptr;
constexpr const char* kPhaseNames[] = {"set-up", "phase one", "phase two", "synchronise",
                                       "the reading of results"};
enum Phase { kSetUp, kPhaseOne, kPhaseTwo, kSynchronise, kReadBack };
void Enter(Phase phase) { g_place->phase.store(phase); }

// One line, and the end of the process.
[[noreturn]] __attribute__((format(printf, 2, 3))) void End(int status, const char* format, ...) {
  static std::atomic_flag said = ATOMIC_FLAG_INIT;
  if (said.test_and_set()) {
    for (;;) pause();  // another thread is about to end the process
  }
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  int size = std::vsnprintf(line, sizeof line - 1, format, arguments);
  va_end(arguments);
  if (size > static_cast<int>(sizeof line) - 2) size = static_cast<int>(sizeof line) - 2;
  for (int i = 0; i < size; ++i) {
    if (line[i] == '\n') line[i] = ' ';
  }
  line[size++] = '\n';
  std::fflush(stdout);
  const ssize_t written = write(STDOUT_FILENO, line, static_cast<size_t>(size));
  g_place->ended.store(true);
  _exit(written == size ? status : kBroken);
}

std::string CallName() {
  return kCalls == 1 ? "" : "call " + std::to_string(g_place->call.load()) + ": ";
}
#define WRONG(format, ...) End(kWrong, "WRONG: %s" format, CallName().c_str(), __VA_ARGS__)

void Need(bool good, const char* what) {
  if (!good) End(kBroken, "NOT CARRIED OUT: %s failed", what);
}

// Calls body(element, byte) for every element of the view in row-major order.
template <typename Body>
void ForEach(const Tensor& tensor, Body body) {
  int64_t count = 1;
  for (const int64_t extent : tensor.shape) count *= extent;
  for (int64_t i = 0; i < count; ++i) {
    int64_t at = tensor.offset;
    int64_t rest = i;
    for (size_t axis = tensor.shape.size(); axis-- > 0;) {
      at += rest % tensor.shape[axis] * tensor.strides[axis];
      rest /= tensor.shape[axis];
    }
    body(i, static_cast<size_t>(at) * tensor.width);
  }
}

std::string Coordinates(const Tensor& tensor, int64_t i) {
  std::string text;
  for (size_t axis = tensor.shape.size(); axis-- > 0; i /= tensor.shape[axis]) {
    text = std::to_string(i % tensor.shape[axis]) + (text.empty() ? "" : ",") + text;
  }
  return std::string(tensor.name) + "[" + text + "]";
}

double Decode(uint32_t bits, int type) {
  if (type == ACL_FLOAT16) {
    const uint32_t magnitude = bits & 0x7fffU;
    const int exponent = static_cast<int>(magnitude >> 10);
    const double significand = magnitude & 0x3ffU;
    double value = exponent == 0 ? std::ldexp(significand, -24)
                                 : std::ldexp(significand + 1024, exponent - 25);
    if (exponent == 31) value = significand == 0 ? HUGE_VAL : std::nan("");
    return (bits & 0x8000U) != 0 ? -value : value;
  }
  if (type == ACL_BF16) bits <<= 16;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return static_cast<double>(value);
}

uint32_t Load(const unsigned char* at, size_t width) {
  uint32_t bits = 0;
  std::memcpy(&bits, at, width);
  return bits;
}

// Bytes that no poison and no index of a plane equals, moderate numbers in every float type.
Bytes Canary(uint32_t state) {
  Bytes zone(kGuard);
  for (unsigned char& b : zone) {
    state = state * 1664525U + 1013904223U;
    b = static_cast<unsigned char>(0x2bU + (state >> 28));
  }
  return zone;
}
const Bytes kBefore = Canary(0x9e3779b9U);
const Bytes kAfter = Canary(0x85ebca6bU);

void* Allocate(size_t size) {
  void* base = nullptr;
  Need(aclrtMalloc(&base, size, ACL_MEM_MALLOC_HUGE_FIRST) == 0 && base != nullptr, "aclrtMalloc");
  return base;
}
void Upload(void* to, const Bytes& from) {
  Need(aclrtMemcpy(to, from.size(), from.data(), from.size(), ACL_MEMCPY_HOST_TO_DEVICE) == 0,
       "aclrtMemcpy to the device");
}
Bytes Download(const void* from, size_t size) {
  Bytes bytes(size);
  Need(aclrtMemcpy(bytes.data(), size, from, size, ACL_MEMCPY_DEVICE_TO_HOST) == 0,
       "aclrtMemcpy from the device");
  return bytes;
}

// A tensor argument on the device: guard, storage, guard.
struct Operand {
  void* base = nullptr;
  aclTensor* tensor = nullptr;
  Bytes image;  // what was uploaded
};

Operand SetUp(const Tensor& tensor) {
  Operand operand;
  if (tensor.null) return operand;
  operand.image = kBefore;
  operand.image.insert(operand.image.end(), tensor.bytes.begin(), tensor.bytes.end());
  operand.image.insert(operand.image.end(), kAfter.begin(), kAfter.end());
  operand.base = Allocate(operand.image.size());
  Upload(operand.base, operand.image);
  operand.tensor = aclCreateTensor(
      tensor.shape.data(), tensor.shape.size(), static_cast<aclDataType>(tensor.type),
      tensor.strides.empty() ? nullptr : tensor.strides.data(), tensor.offset,
      static_cast<aclFormat>(tensor.format), tensor.storage_dims.data(), tensor.storage_dims.size(),
      static_cast<unsigned char*>(operand.base) + kGuard);
  Need(operand.tensor != nullptr, "aclCreateTensor");
  return operand;
}

bool SameZone(const Bytes& seen, size_t at, const Bytes& zone) {
  return std::memcmp(seen.data() + at, zone.data(), zone.size()) == 0;
}

// Guard zones, inputs, and what lies between the elements of outputs. `untouched`: outputs must
// hold what they held.
void CheckMemory(const Tensor& tensor, const Operand& operand, const Bytes& seen, bool untouched) {
  const size_t size = tensor.bytes.size();
  if (!SameZone(seen, 0, kBefore)) {
    WRONG("memory just before the storage of %s was overwritten", tensor.name);
  }
  if (!SameZone(seen, kGuard + size, kAfter)) {
    WRONG("memory just after the storage of %s was overwritten", tensor.name);
  }
  std::vector<bool> may_change(size, false);
  if (tensor.output && !untouched) {
    ForEach(tensor, [&](int64_t, size_t at) {
      for (size_t k = 0; k < tensor.width; ++k) may_change[at + k] = true;
    });
  }
  for (size_t i = 0; i < size; ++i) {
    if (may_change[i] || seen[kGuard + i] == operand.image[kGuard + i]) continue;
    if (!tensor.output) WRONG("byte %zu of the input %s was changed", i, tensor.name);
    if (untouched) WRONG("the call was refused, yet byte %zu of %s changed", i, tensor.name);
    WRONG("byte %zu of the storage of %s, outside its view's elements, was overwritten", i,
          tensor.name);
  }
}

void CheckGradInput(const Call& call, const Tensor& tensor, const unsigned char* storage) {
  size_t run = 0;
  int64_t left = call.grad_input.empty() ? 0 : call.grad_input[0].count;
  ForEach(tensor, [&](int64_t i, size_t at) {
    while (left == 0) {
      if (++run >= call.grad_input.size()) return;
      left = call.grad_input[run].count;
    }
    --left;
    const Cells& wanted = call.grad_input[run];
    const uint32_t bits = Load(storage + at, tensor.width);
    const double got = Decode(bits, tensor.type);
    if (std::isnan(got) ? (wanted.also & kNaN) != 0
                        : (std::isinf(got) && (wanted.also & kInfinity) != 0)) {
      return;
    }
    const double low = Decode(wanted.low, tensor.type);
    const double high = Decode(wanted.high, tensor.type);
    if (got >= low && got <= high) return;
    const int digits = static_cast<int>(tensor.width) * 2;
    const bool kept = Load(tensor.bytes.data() + at, tensor.width) == bits;
    const char* note = kept ? ": it still holds what was there before the call" : "";
    if (low > high) {
      WRONG("%s is %0*x (%.9g), wanted NaN%s", Coordinates(tensor, i).c_str(), digits, bits, got,
            note);
    }
    if (low == high) {
      WRONG("%s is %0*x (%.9g), wanted %0*x (%.9g)%s", Coordinates(tensor, i).c_str(), digits, bits,
            got, digits, wanted.low, low, note);
    }
    WRONG("%s is %0*x (%.9g), wanted %0*x (%.9g) to %0*x (%.9g)%s", Coordinates(tensor, i).c_str(),
          digits, bits, got, digits, wanted.low, low, digits, wanted.high, high, note);
  });
}

// The indices that a forward gave.
void CheckForwardIndices(const Call& call, const Tensor& tensor, const unsigned char* storage) {
  if (call.plane.empty()) return;
  ForEach(tensor, [&](int64_t i, size_t at) {
    int64_t index = 0;
    std::memcpy(&index, storage + at, tensor.width);
    if (tensor.width == 4) index = static_cast<int32_t>(index);
    const int64_t size = call.plane[0] * call.plane[1] * call.plane[2];
    if (index < 0 || index >= size) {
      WRONG("%s is %lld, outside the plane of %lld", Coordinates(tensor, i).c_str(),
            static_cast<long long>(index), static_cast<long long>(size));
    }
    if (call.windows[0].empty()) return;
    int64_t rest_index = index;
    int64_t rest_element = i;
    for (size_t axis = 3; axis-- > 0;) {
      const int64_t position = rest_index % call.plane[axis];
      const auto windows = static_cast<int64_t>(call.windows[axis].size());
      const Span& span = call.windows[axis][static_cast<size_t>(rest_element % windows)];
      if (position < span.first || position >= span.end) {
        WRONG("%s is %lld, outside its window", Coordinates(tensor, i).c_str(),
              static_cast<long long>(index));
      }
      rest_index /= call.plane[axis];
      rest_element /= windows;
    }
  });
}

std::string RecentMessage() {
  const char* text = aclGetRecentErrMsg != nullptr ? aclGetRecentErrMsg() : nullptr;
  return text == nullptr ? "" : " (\"" + std::string(text, strnlen(text, 500)) + "\")";
}

bool SameElements(const Tensor& tensor, const Bytes& a, const Bytes& b, int64_t* first) {
  bool same = true;
  ForEach(tensor, [&](int64_t i, size_t at) {
    const uint32_t x = Load(a.data() + at, tensor.width);
    const uint32_t y = Load(b.data() + at, tensor.width);
    if (!same || x == y) return;
    if (std::isnan(Decode(x, tensor.type)) && std::isnan(Decode(y, tensor.type))) return;
    same = false;
    *first = i;
  });
  return same;
}

// The calls of one host thread.
class Runner {
 public:
  void OpenStream() { Need(aclrtCreateStream(&stream_) == 0, "aclrtCreateStream"); }
  void CloseStream() { aclrtDestroyStream(stream_); }

  // `check` false: only made, for growth of memory.
  void RunSequence(const std::vector<Call>& calls, bool check) {
    for (size_t i = 0; i < calls.size(); ++i) {
      g_place->call.store(static_cast<int>(i));
      try {
        RunCall(calls[i], i, check);
      } catch (const std::exception& thrown) {
        if (calls[i].must_return)
          WRONG("an exception came out of a C function (%s)", thrown.what());
        End(kGood, "ok: an exception came out, and no document judges that");
      } catch (...) {
        if (calls[i].must_return) WRONG("%s", "an exception came out of a C function");
        End(kGood, "ok: an exception came out, and no document judges that");
      }
    }
  }

  void ReleaseHeld() {
    for (void* base : held_) aclrtFree(base);
    held_.clear();
    held_bytes_ = 0;
  }

 private:
  void RunCall(const Call& call, size_t number, bool check) {
    Enter(kSetUp);
    std::vector<Operand> operands;
    std::vector<aclTensor*> tensors;
    std::vector<aclIntArray*> lists;
    int one = 0;
    int two = 0;
    int synchronised = 0;
    uint64_t size = kSizePoison;
    // No canonical address: whoever follows it faults.
    auto* const poison = reinterpret_cast<aclOpExecutor*>(uintptr_t{0x5eedec0de5eedec0ULL});
    aclOpExecutor* executor = poison;
    std::string message;
    Bytes workspace_image;
    unsigned char* workspace = nullptr;
    bool go_on = false;

    if (!kPhaseTwoAlone) {
      for (const Tensor& tensor : call.tensors) {
        operands.push_back(SetUp(tensor));
        tensors.push_back(operands.back().tensor);
      }
      for (const List& list : call.lists) {
        lists.push_back(list.null ? nullptr
                                  : aclCreateIntArray(list.values.data(), list.values.size()));
        Need(list.null || lists.back() != nullptr, "aclCreateIntArray");
      }
      Enter(kPhaseOne);
      one = call.phase_one(tensors, lists, call.ceil_mode, kNullSize ? nullptr : &size,
                           kNullExecutor ? nullptr : &executor);
      if (one != 0) message = RecentMessage();
      Enter(kReadBack);
      for (size_t i = 0; check && i < operands.size(); ++i) {
        if (operands[i].base == nullptr) continue;
        if (one == 0 && call.answer == Answer::kSuccess &&
            Download(operands[i].base, operands[i].image.size()) != operands[i].image) {
          WRONG("phase one changed the data of %s", call.tensors[i].name);
        }
      }
      const bool has_executor = executor != poison && executor != nullptr;
      if (check && one == 0 && call.answer == Answer::kSuccess &&
          (size == kSizePoison || !has_executor)) {
        WRONG("phase one returned 0 without setting %s",
              has_executor ? "workspaceSize" : "executor");
      }
      go_on = one == 0 && has_executor && size != kSizePoison && !kDescriptorsOnly;
    }
    if (go_on && size > 0) {
      Enter(kSetUp);
      Need(size <= (uint64_t{256} << 20), "a workspace above 256 MiB");
      workspace_image = kBefore;
      for (size_t i = 0; i < static_cast<size_t>(size); ++i) {
        workspace_image.push_back(kWorkspacePoison[i % 16]);
      }
      workspace_image.insert(workspace_image.end(), kAfter.begin(), kAfter.end());
      workspace = static_cast<unsigned char*>(Allocate(workspace_image.size()));
      Upload(workspace, workspace_image);
    }
    if (go_on || kPhaseTwoAlone) {
      Enter(kPhaseTwo);
      two = call.phase_two(workspace == nullptr ? nullptr : workspace + kGuard, go_on ? size : 0,
                           go_on ? executor : nullptr, stream_);
      if (two != 0) message = RecentMessage();
      Enter(kSynchronise);
      synchronised = aclrtSynchronizeStream(stream_);
      if (synchronised != 0 && message.empty()) message = RecentMessage();
      std::this_thread::sleep_for(std::chrono::milliseconds(kSettleMs));
    }

    Enter(kReadBack);
    if (check) CheckStatuses(call, one, two, synchronised, message);
    const bool carried_out = go_on && two == 0 && synchronised == 0;
    for (size_t i = 0; check && i < operands.size(); ++i) {
      if (operands[i].base != nullptr && synchronised == 0) {
        CheckOperand(call, number, call.tensors[i], operands[i], one != 0, carried_out);
      }
    }
    if (check && workspace != nullptr && synchronised == 0) {
      const Bytes seen = Download(workspace, workspace_image.size());
      if (!SameZone(seen, 0, kBefore) || !SameZone(seen, seen.size() - kGuard, kAfter)) {
        WRONG("memory just %s the workspace of %llu bytes was overwritten",
              SameZone(seen, 0, kBefore) ? "after" : "before",
              static_cast<unsigned long long>(size));
      }
    }
    TearDown(operands, lists, workspace, check);
    if (synchronised != 0) {  // a stream on which something failed may stay faulty
      CloseStream();
      OpenStream();
    }
  }

  static void CheckStatuses(const Call& call, int one, int two, int synchronised,
                            const std::string& message) {
    const int late = two != 0 ? two : synchronised;
    if (call.answer == Answer::kSuccess && (one != 0 || late != 0) && !call.may_refuse) {
      WRONG("%s returned %d for a valid call%s",
            one != 0   ? "phase one"
            : two != 0 ? "phase two"
                       : "synchronise",
            one != 0 ? one : late, message.c_str());
    }
    if (call.answer != Answer::kRefusal) return;
    bool allowed = one != 0 && call.any_error;
    for (const int status : call.statuses) allowed = allowed || one == status;
    if (allowed || (one == 0 && late != 0 && call.late)) return;
    if (one != 0) WRONG("phase one returned %d, wanted %s%s", one, call.why, message.c_str());
    if (late != 0) {
      WRONG("phase one accepted the call and %s refused it with %d, wanted from phase one %s",
            two != 0 ? "phase two" : "synchronise", late, call.why);
    }
    WRONG("the call was accepted (status 0), wanted %s", call.why);
  }

  void CheckOperand(const Call& call, size_t number, const Tensor& tensor, const Operand& operand,
                    bool refused, bool carried_out) {
    const Bytes seen = Download(operand.base, operand.image.size());
    CheckMemory(tensor, operand, seen, call.answer == Answer::kRefusal && refused);
    if (!tensor.output || !carried_out || call.answer != Answer::kSuccess) return;
    const unsigned char* const storage = seen.data() + kGuard;
    if (std::strcmp(tensor.name, "gradInput") == 0) {
      CheckGradInput(call, tensor, storage);
      if (!kDeterministic || kRepeat < 2) return;
      const Bytes bytes(storage, storage + tensor.bytes.size());
      if (first_runs_.size() <= number) {
        first_runs_.resize(number + 1);
        first_runs_[number] = bytes;
      }
      int64_t first = 0;
      if (!SameElements(tensor, first_runs_[number], bytes, &first)) {
        WRONG("with the deterministic option on, two equal runs differ at %s",
              Coordinates(tensor, first).c_str());
      }
    } else if (std::strcmp(tensor.name, "indices") == 0) {
      CheckForwardIndices(call, tensor, storage);
    }
  }

  // Repetitions of a single call get addresses of their own; within a sequence memory is given back
  // as a program would, since its reuse is what the sequence is about.
  void TearDown(std::vector<Operand>& operands, std::vector<aclIntArray*>& lists, void* workspace,
                bool check) {
    for (aclIntArray* list : lists) {
      if (list != nullptr) aclDestroyIntArray(list);
    }
    for (Operand& operand : operands) {
      if (operand.tensor != nullptr) aclDestroyTensor(operand.tensor);
      if (operand.base == nullptr) continue;
      const bool hold = check && kRepeat > 1 && kCalls == 1 &&
                        held_bytes_ + operand.image.size() <= (size_t{64} << 20);
      if (hold) {
        held_.push_back(operand.base);
        held_bytes_ += operand.image.size();
      } else {
        aclrtFree(operand.base);
      }
    }
    if (workspace != nullptr) aclrtFree(workspace);
  }

  aclrtStream stream_ = nullptr;
  std::vector<void*> held_;
  size_t held_bytes_ = 0;
  std::vector<Bytes> first_runs_;
};

// ================================================================================================
// What the calls must leave as it is: the process

struct Process {
  static constexpr int kFiles = 256;
  static constexpr int kSignals[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGILL,  SIGABRT, SIGBUS, SIGFPE,
                                     SIGSEGV, SIGPIPE, SIGALRM, SIGTERM, SIGCHLD, SIGUSR1};
  bool open[kFiles];
  int open_count = 0;
  std::vector<std::pair<void (*)(int), int>> handlers;
  std::string folder;

  Process() {
    pollfd files[kFiles];
    for (int i = 0; i < kFiles; ++i) files[i] = {i, 0, 0};
    poll(files, kFiles, 0);
    for (int i = 0; i < kFiles; ++i) {
      open[i] = (files[i].revents & POLLNVAL) == 0;
      open_count += open[i];
    }
    for (const int number : kSignals) {
      struct sigaction action;
      std::memset(&action, 0, sizeof action);
      sigaction(number, nullptr, &action);
      handlers.emplace_back(action.sa_handler, action.sa_flags);
    }
    char path[PATH_MAX];
    if (getcwd(path, sizeof path) != nullptr) folder = path;
  }
};

// Rounding and flushing, seen by what they do.
struct Arithmetic {
  int rounding = std::fegetround();
  bool flushes = false;
  Arithmetic() {
    volatile float tiny = 1.17549435e-38F;
    volatile float half = tiny / 2;
    flushes = half == 0;
  }
  bool operator==(const Arithmetic& other) const {
    return rounding == other.rounding && flushes == other.flushes;
  }
};

int64_t ResidentBytes() {
  malloc_trim(0);
  long long pages = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  if (std::fscanf(file, "%*d %lld", &pages) != 1) pages = 0;
  std::fclose(file);
  return pages * sysconf(_SC_PAGESIZE);
}

void SetDeterministic(int64_t value) {
  if (aclrtCtxSetSysParamOpt != nullptr) {
    aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, value);
  } else if (aclrtSetSysParamOpt != nullptr) {
    aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, value);
  }
}

void RunThread(const std::vector<Call>& calls, Runner& runner, bool check) {
  const Arithmetic before;
  for (int i = 0; i < kRepeat; ++i) runner.RunSequence(calls, check);
  runner.ReleaseHeld();
  if (!(Arithmetic() == before)) {
    WRONG("%s", "the calls changed the floating-point environment of their thread");
  }
}

void RunAll(const std::vector<Call>& calls, Runner& main_runner, bool check) {
  if (kThreads == 1) return RunThread(calls, main_runner, check);
  std::atomic<int> waiting{kThreads};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      if (aclrtSetDevice != nullptr) Need(aclrtSetDevice(0) == 0, "aclrtSetDevice in a thread");
      Runner runner;
      runner.OpenStream();
      --waiting;
      while (waiting.load() > 0) std::this_thread::yield();
      RunThread(calls, runner, check);
      runner.CloseStream();
    });
  }
  for (std::thread& thread : threads) thread.join();
}

void CheckProcess(const Process& before, const std::vector<int>& mine,
                  const std::vector<Call>& calls, Runner& runner) {
  const Process after;
  for (const int file : mine) {
    if (!after.open[file]) WRONG("file descriptor %d, not the library's, was closed", file);
  }
  if (after.open_count > before.open_count) {  // something may be opened once, on first use
    RunAll(calls, runner, false);
    if (Process().open_count > after.open_count) {
      WRONG("%s", "each run leaves a file descriptor open");
    }
  }
  if (after.handlers != before.handlers) WRONG("%s", "the calls changed signal handlers");
  if (after.folder != before.folder) WRONG("%s", "the calls changed the working directory");
}

[[noreturn]] void CarryOut(const std::vector<Call>& calls) {
  std::vector<int> mine = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
  for (int i = 0; i < 3; ++i) {
    if (fcntl(mine[static_cast<size_t>(i)], F_GETFD) < 0) open("/dev/null", O_RDWR);
  }
  for (int i = 0; i < 2; ++i) mine.push_back(open("/dev/null", O_RDONLY));
  const auto ready = [](int status) {
    return status == 0 || status == ACL_ERROR_REPEAT_INITIALIZE;
  };
  if (aclInit != nullptr) Need(ready(aclInit(nullptr)), "aclInit");
  if (aclrtSetDevice != nullptr) Need(aclrtSetDevice(0) == 0, "aclrtSetDevice");
  if (aclnnInit != nullptr) Need(ready(aclnnInit(nullptr)), "aclnnInit");
  Runner runner;
  runner.OpenStream();
  const Process before;
  if (kDeterministic) SetDeterministic(1);
  RunAll(calls, runner, true);
  if (kGrowthCalls > 0) {
    const int warm_up = kGrowthCalls < 3 ? 1 : kGrowthCalls / 3;
    int64_t resident = 0;
    for (int i = 0; i < warm_up + kGrowthCalls; ++i) {
      if (i == warm_up) resident = ResidentBytes();
      runner.RunSequence(calls, false);
    }
    const int64_t grown = ResidentBytes() - resident;
    if (grown > (int64_t{1} << 20) + kGrowthCalls * (int64_t{2} << 10)) {
      WRONG("the process grew by %lld bytes over %d further calls", static_cast<long long>(grown),
            kGrowthCalls);
    }
  }
  if (kDeterministic) SetDeterministic(0);
  CheckProcess(before, mine, calls, runner);
  runner.CloseStream();
  End(kGood, "ok: the documented behaviour was seen");
}

int64_t ResidentBytesOf(pid_t child) {
  const std::string path = "/proc/" + std::to_string(child) + "/statm";
  long long pages = 0;
  std::FILE* file = std::fopen(path.c_str(), "r");
  if (file == nullptr) return 0;
  if (std::fscanf(file, "%*d %lld", &pages) != 1) pages = 0;
  std::fclose(file);
  return pages * sysconf(_SC_PAGESIZE);
}

// Waits for the process that carries the calls out; a crash or a hang of it is an answer, too.
int Watch(pid_t child, const std::vector<Call>& calls) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(kDeadlineSeconds);
  const char* killed = nullptr;
  int status = 0;
  useconds_t pause_us = 500;
  while (waitpid(child, &status, WNOHANG) == 0) {
    usleep(pause_us);
    if (pause_us < 20000) pause_us *= 2;
    if (std::chrono::steady_clock::now() > until) killed = "the deadline passed";
    if (ResidentBytesOf(child) > kMemoryLimit) killed = "the memory limit was exceeded";
    if (killed != nullptr) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      break;
    }
  }
  if (killed == nullptr && g_place->ended.load() && WIFEXITED(status)) return WEXITSTATUS(status);
  std::string how = killed != nullptr ? killed : "the process exited";
  if (killed == nullptr && WIFSIGNALED(status)) {
    how = "the process died of signal " + std::to_string(WTERMSIG(status));
  }
  const int phase = g_place->phase.load();
  const int call = g_place->call.load();
  if (call >= 0 && call < kCalls && !calls[static_cast<size_t>(call)].must_return) {
    std::printf("ok: %s, and no document judges that\n", how.c_str());
    return kGood;
  }
  std::printf("WRONG: %s%s in %s\n", CallName().c_str(), how.c_str(),
              phase >= 0 && phase < 5 ? kPhaseNames[phase] : "the end");
  return kWrong;
}

}  // namespace

int main(int argc, char** argv) {
  void* const page =
      mmap(nullptr, sizeof(Place), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return kBroken;
  g_place = new (page) Place{};
  const std::vector<Call> calls = MakeCalls();
  if (argc > 1 && std::strcmp(argv[1], "--here") == 0) CarryOut(calls);
  std::fflush(stdout);
  const pid_t child = fork();
  if (child < 0) return kBroken;
  if (child == 0) CarryOut(calls);
  return Watch(child, calls);
}
