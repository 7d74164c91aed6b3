// @HEADER@
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
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
#pragma weak aclSetAclOpExecutorRepeatable
#pragma weak aclSetInputTensorAddr
#pragma weak aclSetOutputTensorAddr
#pragma weak aclDestroyAclOpExecutor

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
  Bytes bytes;       // what the storage holds before the call; of outputs, its size alone
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

enum class Order { kInTurn, kFifo, kLifo };
enum class Pages { kNone, kBehind, kBefore };

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

size_t RoundUp(size_t value, size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// A tensor argument on the device: guard, storage, guard; in some cases pages next to the storage
// that nobody can touch.
struct Operand {
  unsigned char* base = nullptr;
  size_t room = 0;   // bytes from `base` on
  size_t start = 0;  // of the storage
  aclTensor* tensor = nullptr;
  Bytes image;  // what was uploaded: guard, storage, guard
  unsigned char* pages = nullptr;

  unsigned char* storage() const { return base + start; }
};

const size_t kPage = static_cast<size_t>(sysconf(_SC_PAGESIZE));
const size_t kPagesBytes = 4 * kPage;

// Whether all of it is the host's own memory, whose pages may be taken away for a while.
bool IsHostMemory(const void* begin, size_t size) {
  const auto from = reinterpret_cast<uintptr_t>(begin);
  std::FILE* file = std::fopen("/proc/self/maps", "r");
  if (file == nullptr) return false;
  unsigned long long first;
  unsigned long long last;
  char rights[8];
  char device[16];
  bool seen = false;
  bool plain = true;
  while (std::fscanf(file, "%llx-%llx %7s %*s %15s %*[^\n]", &first, &last, rights, device) == 4) {
    if (last <= from || first >= from + size) continue;
    seen = true;
    plain = plain && std::strcmp(rights, "rw-p") == 0 && std::strcmp(device, "00:00") == 0;
  }
  std::fclose(file);
  return seen && plain;
}

// The pages that are closed now, for the handler of faults.
struct Closed {
  const char* name;
  unsigned char* begin;
  unsigned char* edge;  // of the storage, next to the pages
};
Closed g_closed[64];
std::atomic<int> g_closed_count{0};
struct sigaction g_before;  // the handler that ours stands in for

void OnFault(int number, siginfo_t* info, void*) {
  auto* const at = static_cast<unsigned char*>(info->si_addr);
  for (int i = 0; i < g_closed_count.load(); ++i) {
    const Closed& closed = g_closed[i];
    if (at < closed.begin || at >= closed.begin + kPagesBytes) continue;
    const bool behind = closed.begin >= closed.edge;
    WRONG("memory %s the storage of %s was touched, byte %td from its %s",
          behind ? "behind" : "before", closed.name, at - closed.edge, behind ? "end" : "start");
  }
  sigaction(number, &g_before, nullptr);  // not ours: the access is made again
}

void ClosePages(const std::vector<Tensor>& tensors, std::vector<Operand>& operands) {
  if (kPages == Pages::kNone) return;
  const bool none_closed = g_closed_count == 0;
  for (size_t i = 0; i < operands.size(); ++i) {
    const Operand& operand = operands[i];
    if (g_closed_count.load() == static_cast<int>(std::size(g_closed))) return;
    if (operand.pages == nullptr || !IsHostMemory(operand.pages, kPagesBytes)) continue;
    unsigned char* const edge =
        operand.storage() + (kPages == Pages::kBehind ? tensors[i].bytes.size() : 0);
    g_closed[g_closed_count++] = {tensors[i].name, operand.pages, edge};
    Need(mprotect(operand.pages, kPagesBytes, PROT_NONE) == 0, "mprotect");
  }
  if (!none_closed || g_closed_count == 0) return;
  struct sigaction action;
  std::memset(&action, 0, sizeof action);
  action.sa_sigaction = &OnFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, &g_before);
}

void OpenPages() {
  if (g_closed_count == 0) return;
  for (int i = 0; i < g_closed_count.load(); ++i) {
    Need(mprotect(g_closed[i].begin, kPagesBytes, PROT_READ | PROT_WRITE) == 0, "mprotect");
  }
  g_closed_count = 0;
  sigaction(SIGSEGV, &g_before, nullptr);
}

// What an allocation guarantees: a start that is a multiple of 64, and 32 bytes that may be read
// behind the size in whole steps of 32.
size_t Readable(size_t size) { return RoundUp(RoundUp(size, 32) + 32, 64); }

// `run`: the number of the repetition.
Operand SetUpMemory(const Tensor& tensor, int run) {
  Operand operand;
  if (tensor.null) return operand;
  const size_t size = tensor.bytes.size();
  operand.start = kGuard + static_cast<size_t>(kShiftBytes) * static_cast<size_t>(run);
  operand.room = operand.start + size + kGuard;
  if (kPages != Pages::kNone) operand.room += kPagesBytes + Readable(0) + kPage;
  operand.base = static_cast<unsigned char*>(Allocate(operand.room));
  if (kPages != Pages::kNone) {
    const auto address = reinterpret_cast<uintptr_t>(operand.base);
    const size_t before = kPages == Pages::kBehind ? kGuard + Readable(size) : kGuard;
    const size_t pages = RoundUp(address + before, kPage) - address;
    operand.pages = operand.base + pages;
    operand.start = kPages == Pages::kBehind ? pages - Readable(size) : pages + kPagesBytes;
  }
  operand.image = kBefore;
  if (tensor.output) {
    const unsigned char* const poison = kOutputPoison[static_cast<size_t>(run) % kPoisons];
    for (size_t i = 0; i < size; ++i) operand.image.push_back(poison[i % 16]);
  } else if (kFillLate) {
    operand.image.resize(kGuard + size, 0);
  } else {
    operand.image.insert(operand.image.end(), tensor.bytes.begin(), tensor.bytes.end());
  }
  operand.image.insert(operand.image.end(), kAfter.begin(), kAfter.end());
  if (kPages == Pages::kNone) {
    Upload(operand.storage() - kGuard, operand.image);
  } else {  // guards are the pages' business where these are
    Upload(operand.storage(), Bytes(operand.image.begin() + kGuard, operand.image.end() - kGuard));
  }
  return operand;
}

Bytes DownloadImage(const Operand& operand) {
  if (kPages == Pages::kNone) return Download(operand.storage() - kGuard, operand.image.size());
  Bytes seen = kBefore;
  const Bytes storage = Download(operand.storage(), operand.image.size() - 2 * kGuard);
  seen.insert(seen.end(), storage.begin(), storage.end());
  seen.insert(seen.end(), kAfter.begin(), kAfter.end());
  return seen;
}

void SetUpDescriptor(const Tensor& tensor, Operand& operand) {
  if (tensor.null) return;
  operand.tensor = aclCreateTensor(
      tensor.shape.data(), tensor.shape.size(), static_cast<aclDataType>(tensor.type),
      tensor.strides.empty() ? nullptr : tensor.strides.data(), tensor.offset,
      static_cast<aclFormat>(tensor.format), tensor.storage_dims.data(), tensor.storage_dims.size(),
      operand.storage());
  Need(operand.tensor != nullptr, "aclCreateTensor");
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

void CheckGradInput(const Call& call, const Tensor& tensor, const unsigned char* storage,
                    const unsigned char* before) {
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
    const bool kept = Load(before + at, tensor.width) == bits;
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
  void OpenStreams() {
    for (aclrtStream& stream : streams_) Open(stream);
  }
  void CloseStreams() {
    for (const aclrtStream stream : streams_) aclrtDestroyStream(stream);
  }

  // `check` false: only made, for growth of memory.
  void RunSequence(const std::vector<Call>& calls, bool check, int run) {
    check_ = check;
    run_ = run;
    try {
      if (kOrder == Order::kInTurn) {
        for (size_t i = 0; i < calls.size(); ++i) {
          Frame frame(calls[i], i);
          First(frame);
          Second(frame);
          Synchronise(frame);
          Finish(frame);
        }
      } else {
        RunTogether(calls);
      }
    } catch (const std::exception& thrown) {
      Thrown(calls, thrown.what());
    } catch (...) {
      Thrown(calls, "no std::exception");
    }
  }

  void ReleaseHeld() {
    for (void* base : held_) aclrtFree(base);
    held_.clear();
    held_bytes_ = 0;
    for (Kept& kept : kept_) Destroy(kept);
    kept_.clear();
  }

 private:
  // One call on its way.
  struct Frame {
    Frame(const Call& its_call, size_t its_number) : call(its_call), number(its_number) {}
    const Call& call;
    size_t number;
    std::vector<Operand> operands;
    std::vector<aclIntArray*> lists;
    int one = 0;
    int two = 0;
    int synchronised = 0;
    uint64_t size = kSizePoison;
    aclOpExecutor* executor = nullptr;
    std::string message;
    Bytes workspace_image;
    unsigned char* workspace = nullptr;
    bool goes_on = false;  // to phase two
  };

  // An executor that is run again, with what it refers to.
  struct Kept {
    aclOpExecutor* executor = nullptr;
    uint64_t size = 0;
    std::vector<aclTensor*> tensors;
    std::vector<aclIntArray*> lists;
  };

  [[noreturn]] static void Thrown(const std::vector<Call>& calls, const char* what) {
    if (calls[static_cast<size_t>(g_place->call.load())].must_return) {
      WRONG("an exception came out of a C function (%s)", what);
    }
    End(kGood, "ok: an exception came out, and no document judges that");
  }

  static void Open(aclrtStream& stream) {
    Need(aclrtCreateStream(&stream) == 0, "aclrtCreateStream");
  }
  aclrtStream& StreamOf(const Frame& frame) { return streams_[frame.number % streams_.size()]; }

  static void At(const Frame& frame, Phase phase) {
    g_place->call.store(static_cast<int>(frame.number));
    Enter(phase);
  }

  // Phase one of all, phase two of all, and only then the rest.
  void RunTogether(const std::vector<Call>& calls) {
    std::vector<Frame> frames;
    for (size_t i = 0; i < calls.size(); ++i) {
      frames.emplace_back(calls[i], i);
      First(frames.back());
    }
    for (size_t k = 0; k < frames.size(); ++k) {
      Second(frames[kOrder == Order::kFifo ? k : frames.size() - 1 - k]);
    }
    for (Frame& frame : frames) Synchronise(frame);
    for (Frame& frame : frames) Finish(frame);
  }

  void First(Frame& frame) {
    At(frame, kSetUp);
    if (kPhaseTwoAlone) return;
    for (const Tensor& tensor : frame.call.tensors) {
      frame.operands.push_back(SetUpMemory(tensor, run_));
    }
    const bool again = PointKeptExecutor(frame);
    if (!again) PhaseOneOf(frame);
    frame.goes_on = frame.goes_on && !kDescriptorsOnly;
    if (!frame.goes_on) return;
    if (!again) KeepExecutor(frame);
    for (size_t i = 0; kFillLate && i < frame.operands.size(); ++i) {
      const Tensor& tensor = frame.call.tensors[i];
      if (frame.operands[i].base == nullptr || tensor.output || tensor.bytes.empty()) continue;
      Upload(frame.operands[i].storage(), tensor.bytes);
      std::copy(tensor.bytes.begin(), tensor.bytes.end(), frame.operands[i].image.begin() + kGuard);
    }
    SetUpWorkspace(frame);
  }

  void PhaseOneOf(Frame& frame) {
    const Call& call = frame.call;
    std::vector<aclTensor*> tensors;
    for (size_t i = 0; i < frame.operands.size(); ++i) {
      SetUpDescriptor(call.tensors[i], frame.operands[i]);
      tensors.push_back(frame.operands[i].tensor);
    }
    for (const List& list : call.lists) {
      frame.lists.push_back(list.null ? nullptr
                                      : aclCreateIntArray(list.values.data(), list.values.size()));
      Need(list.null || frame.lists.back() != nullptr, "aclCreateIntArray");
    }
    // No canonical address: whoever follows it faults.
    auto* const poison = reinterpret_cast<aclOpExecutor*>(uintptr_t{0x5eedec0de5eedec0ULL});
    aclOpExecutor* executor = poison;
    ClosePages(call.tensors, frame.operands);
    At(frame, kPhaseOne);
    frame.one =
        call.phase_one(tensors, frame.lists, call.ceil_mode, kNullSize ? nullptr : &frame.size,
                       kNullExecutor ? nullptr : &executor);
    if (frame.one != 0) frame.message = RecentMessage();
    At(frame, kReadBack);
    OpenPages();
    const bool succeeded = check_ && frame.one == 0 && call.answer == Answer::kSuccess;
    for (size_t i = 0; succeeded && i < frame.operands.size(); ++i) {
      const Operand& operand = frame.operands[i];
      if (operand.base != nullptr && DownloadImage(operand) != operand.image) {
        WRONG("phase one changed the data of %s", call.tensors[i].name);
      }
    }
    const bool has_executor = executor != poison && executor != nullptr;
    if (succeeded && (frame.size == kSizePoison || !has_executor)) {
      WRONG("phase one returned 0 without setting %s", has_executor ? "workspaceSize" : "executor");
    }
    frame.goes_on = frame.one == 0 && has_executor && frame.size != kSizePoison;
    frame.executor = frame.goes_on ? executor : nullptr;
  }

  void SetUpWorkspace(Frame& frame) const {
    if (frame.size == 0) return;
    At(frame, kSetUp);
    Need(frame.size <= (uint64_t{256} << 20), "a workspace above 256 MiB");
    const unsigned char* const poison = kWorkspacePoison[static_cast<size_t>(run_) % kPoisons];
    frame.workspace_image = kBefore;
    for (size_t i = 0; i < static_cast<size_t>(frame.size); ++i) {
      frame.workspace_image.push_back(poison[i % 16]);
    }
    frame.workspace_image.insert(frame.workspace_image.end(), kAfter.begin(), kAfter.end());
    frame.workspace = static_cast<unsigned char*>(Allocate(frame.workspace_image.size()));
    Upload(frame.workspace, frame.workspace_image);
  }

  void Second(Frame& frame) {
    if (!frame.goes_on && !kPhaseTwoAlone) return;
    ClosePages(frame.call.tensors, frame.operands);
    At(frame, kPhaseTwo);
    frame.two =
        frame.call.phase_two(frame.workspace == nullptr ? nullptr : frame.workspace + kGuard,
                             frame.goes_on ? frame.size : 0, frame.executor, StreamOf(frame));
    if (frame.two != 0) frame.message = RecentMessage();
  }

  void Synchronise(Frame& frame) {
    if (!frame.goes_on && !kPhaseTwoAlone) return;
    At(frame, kSynchronise);
    frame.synchronised = aclrtSynchronizeStream(StreamOf(frame));
    if (frame.synchronised != 0 && frame.message.empty()) frame.message = RecentMessage();
  }

  void Finish(Frame& frame) {
    const Call& call = frame.call;
    if (frame.goes_on || kPhaseTwoAlone) {
      std::this_thread::sleep_for(std::chrono::milliseconds(kSettleMs));
    }
    At(frame, kReadBack);
    OpenPages();
    if (check_) CheckStatuses(call, frame.one, frame.two, frame.synchronised, frame.message);
    const bool carried_out = frame.goes_on && frame.two == 0 && frame.synchronised == 0;
    const bool readable = check_ && frame.synchronised == 0;
    for (size_t i = 0; readable && i < frame.operands.size(); ++i) {
      if (frame.operands[i].base == nullptr) continue;
      CheckOperand(call, frame.number, call.tensors[i], frame.operands[i], frame.one != 0,
                   carried_out);
    }
    if (readable && frame.workspace != nullptr) {
      const Bytes seen = Download(frame.workspace, frame.workspace_image.size());
      if (!SameZone(seen, 0, kBefore) || !SameZone(seen, seen.size() - kGuard, kAfter)) {
        WRONG("memory just %s the workspace of %llu bytes was overwritten",
              SameZone(seen, 0, kBefore) ? "after" : "before",
              static_cast<unsigned long long>(frame.size));
      }
    }
    TearDown(frame);
    if (frame.synchronised != 0) {  // a stream on which something failed may stay faulty
      aclrtDestroyStream(StreamOf(frame));
      Open(StreamOf(frame));
    }
  }

  // Makes the executor repeatable and keeps it for the repetitions that follow. Where the library
  // refuses, as it may, this call's executor is used up as any other.
  void KeepExecutor(Frame& frame) {
    if (!kReuseExecutor || !check_) return;
    if (aclSetAclOpExecutorRepeatable == nullptr || aclSetInputTensorAddr == nullptr ||
        aclSetOutputTensorAddr == nullptr || aclDestroyAclOpExecutor == nullptr ||
        aclSetAclOpExecutorRepeatable(frame.executor) != 0) {
      return;
    }
    if (kept_.size() <= frame.number) kept_.resize(frame.number + 1);
    Kept& kept = kept_[frame.number];
    kept.executor = frame.executor;
    kept.size = frame.size;
    for (Operand& operand : frame.operands) {
      kept.tensors.push_back(operand.tensor);
      operand.tensor = nullptr;
    }
    kept.lists.swap(frame.lists);
  }

  // Points the executor of an earlier repetition to this one's operands, where there is one.
  bool PointKeptExecutor(Frame& frame) {
    if (frame.number >= kept_.size() || kept_[frame.number].executor == nullptr) return false;
    Kept& kept = kept_[frame.number];
    size_t inputs = 0;
    size_t outputs = 0;
    for (size_t i = 0; i < frame.operands.size(); ++i) {
      unsigned char* const at = frame.operands[i].storage();
      const bool output = frame.call.tensors[i].output;
      const int status = output
                             ? aclSetOutputTensorAddr(kept.executor, outputs++, kept.tensors[i], at)
                             : aclSetInputTensorAddr(kept.executor, inputs++, kept.tensors[i], at);
      if (status == 0) continue;
      Destroy(kept);
      return false;
    }
    frame.executor = kept.executor;
    frame.size = kept.size;
    frame.goes_on = true;
    return true;
  }

  static void Destroy(Kept& kept) {
    if (kept.executor == nullptr) return;
    aclDestroyAclOpExecutor(kept.executor);
    for (aclTensor* tensor : kept.tensors) {
      if (tensor != nullptr) aclDestroyTensor(tensor);
    }
    for (aclIntArray* list : kept.lists) {
      if (list != nullptr) aclDestroyIntArray(list);
    }
    kept = Kept();
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
    const Bytes seen = DownloadImage(operand);
    CheckMemory(tensor, operand, seen, call.answer == Answer::kRefusal && refused);
    if (!tensor.output || !carried_out || call.answer != Answer::kSuccess) return;
    const unsigned char* const storage = seen.data() + kGuard;
    if (std::strcmp(tensor.name, "gradInput") == 0) {
      CheckGradInput(call, tensor, storage, operand.image.data() + kGuard);
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
  void TearDown(Frame& frame) {
    for (aclIntArray* list : frame.lists) {
      if (list != nullptr) aclDestroyIntArray(list);
    }
    for (size_t i = 0; i < frame.operands.size(); ++i) {
      Operand& operand = frame.operands[i];
      if (operand.tensor != nullptr) aclDestroyTensor(operand.tensor);
      if (operand.base == nullptr) continue;
      // An executor that still reads what it was pointed to before must not find the same there.
      const size_t size = frame.call.tensors[i].bytes.size();
      if (kReuseExecutor && !frame.call.tensors[i].output && size > 0) {
        Upload(operand.storage(), Bytes(size, 0));
      }
      const bool hold =
          check_ && kRepeat > 1 && kCalls == 1 && held_bytes_ + operand.room <= (size_t{64} << 20);
      if (hold) {
        held_.push_back(operand.base);
        held_bytes_ += operand.room;
      } else {
        aclrtFree(operand.base);
      }
    }
    if (frame.workspace != nullptr) aclrtFree(frame.workspace);
  }

  bool check_ = true;
  int run_ = 0;
  std::vector<aclrtStream> streams_ = std::vector<aclrtStream>(kStreams, nullptr);
  std::vector<void*> held_;
  size_t held_bytes_ = 0;
  std::vector<Kept> kept_;
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
      constexpr int kRestorer = 0x04000000;  // the C library's own, once a handler was set
      handlers.emplace_back(action.sa_handler, action.sa_flags & ~kRestorer);
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
  for (int i = 0; i < kRepeat; ++i) runner.RunSequence(calls, check, i);
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
      runner.OpenStreams();
      --waiting;
      while (waiting.load() > 0) std::this_thread::yield();
      RunThread(calls, runner, check);
      runner.CloseStreams();
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
  runner.OpenStreams();
  const Process before;
  if (kDeterministic) SetDeterministic(1);
  RunAll(calls, runner, true);
  if (kGrowthCalls > 0) {
    const int warm_up = kGrowthCalls < 3 ? 1 : kGrowthCalls / 3;
    int64_t resident = 0;
    for (int i = 0; i < warm_up + kGrowthCalls; ++i) {
      if (i == warm_up) resident = ResidentBytes();
      runner.RunSequence(calls, false, 0);
    }
    const int64_t grown = ResidentBytes() - resident;
    if (grown > (int64_t{1} << 20) + kGrowthCalls * (int64_t{2} << 10)) {
      WRONG("the process grew by %lld bytes over %d further calls", static_cast<long long>(grown),
            kGrowthCalls);
    }
  }
  if (kDeterministic) SetDeterministic(0);
  CheckProcess(before, mine, calls, runner);
  runner.CloseStreams();
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
