// SPDX-License-Identifier: Apache-2.0
// @HEADER@
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#if plain
#include <functional>
#else
#include <iterator>
#endif
#include <string>
#include <vector>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"
// @INCLUDES@

namespace repro {

using Bytes = std::vector<unsigned char>;
using Dims = std::vector<int64_t>;
constexpr uint64_t kUnset = 0xdeadbeefdeadbeefULL;  // no workspace size yet
#if plain

struct Tensor {  // with its storage on the device, between guards that must not change
  Tensor(const char* name, int type, int format, const Dims& shape, const Bytes& bytes);
  ~Tensor();
  void Expect(const Bytes& wanted, size_t width) const;  // elements; none: whatever they are
  const char* name;
  Bytes image;  // what was uploaded: guard, storage, guard
  unsigned char *base, *storage;
  aclTensor* acl;
};
struct List {
  explicit List(const Dims& values) : acl(aclCreateIntArray(values.data(), values.size())) {}
  ~List() { aclDestroyIntArray(acl); }
  aclIntArray* acl;
};
void Make(const char* phase, const std::function<int()>& call);  // a call whose status must be 0
void Unchanged(const std::vector<const Tensor*>& tensors, const char* by);
void CheckOut(uint64_t size, const void* executor);  // the out-parameters of phase one
#else
using Tensors = std::vector<aclTensor*>;
using Lists = std::vector<aclIntArray*>;

struct Tensor {
  const char* name;
  bool output;
  int type, format;
  Dims shape, strides;
  int64_t offset;
  Dims storage_dims;
  size_t width;  // bytes of an element
  Bytes bytes;   // what the storage holds before the call; of outputs, its size alone
  bool null = false;
#if channels_last
  bool channels_last = false;  // passed with C as its last axis; `shape` and `strides` are N, C, H, W
#endif
};
enum Also : unsigned { kNothing = 0, kNaN = 1, kInfinity = 2, kZero = 4 };
#if gradients
struct Cells {  // so many elements of gradInput, whose values lie between those of these bits
  int64_t count;
  uint32_t low, high;
  unsigned also;  // right as well; low = 1, high = 0 is an empty range
};
#endif
#if windows
// Indices that a forward may give for one output position along one axis: first <= i < end.
struct Span {
  int64_t first, end;
};
#endif
enum class Answer {
  kSuccess,   // every status 0, and the right numbers
  kRefusal,   // one of `statuses`, or any error
  kAnything,  // the documents do not say; memory of others must stay as it is
};
struct Call {
  aclnnStatus (*phase_one)(const Tensors&, const Lists&, bool, uint64_t*, aclOpExecutor**);
  aclnnStatus (*phase_two)(void*, uint64_t, aclOpExecutor*, aclrtStream);
  std::vector<Tensor> tensors;
  std::vector<Dims> lists;
  bool ceil_mode = false;
  std::vector<bool> null_lists = std::vector<bool>(4);  // passed as null pointers
  Answer answer = Answer::kSuccess;
  const char* why = "";       // which rule says so
  std::vector<int> statuses;  // kRefusal: what phase one may answer
  bool any_error = false;     // kRefusal: any status but 0 will do
  bool late = false;          // kRefusal: phase two or synchronise may refuse as well
  bool may_refuse = false;    // kSuccess: an error is no fault either
  bool must_return = true;    // to crash, hang or throw is a fault
#if gradients
  std::vector<Cells> grad_input;
#endif
#if windows
  Dims plane;                    // of the operands of a forward: D, H, W
  std::vector<Span> windows[3];  // of a forward, by axis; empty: the whole plane
#endif
};
#endif
// @CASE@
int Carry(bool here);  // below

}  // namespace repro

int main(int argc, char** argv) {
  return repro::Carry(argc > 1 && argv[1] == std::string("--here"));
}

// How it is carried out ==========================================================================

#include <fcntl.h>
#if growth
#include <malloc.h>
#endif
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <climits>
#include <cstdarg>
#include <ctime>
#include <exception>
#if threads
#include <thread>
#endif

#pragma weak aclInit  // called where the library has them
#pragma weak aclnnInit
#pragma weak aclrtSetDevice
#pragma weak aclGetRecentErrMsg
#if deterministic
#pragma weak aclrtCtxSetSysParamOpt
#pragma weak aclrtSetSysParamOpt
#endif
#if reuse
#pragma weak aclSetAclOpExecutorRepeatable
#pragma weak aclSetInputTensorAddr
#pragma weak aclSetOutputTensorAddr
#pragma weak aclDestroyAclOpExecutor
#endif

namespace repro {

constexpr size_t kGuard = 256;  // bytes before and after every buffer that must not change

struct Place {  // where the calls are, shared with the watching process
  std::atomic<int> call;
  std::atomic<const char*> phase;
  std::atomic<bool> ended;  // by End, not by another exit
};
Place* g_place;

// A line, and the end of the process.
[[noreturn]] __attribute__((format(printf, 2, 3))) void End(int status, const char* format, ...) {
#if threads
  static std::atomic_flag said = ATOMIC_FLAG_INIT;
  while (said.test_and_set()) pause();  // another thread is about to end the process
#endif
  va_list arguments;
  va_start(arguments, format);
  vdprintf(STDOUT_FILENO, format, arguments);
  va_end(arguments);
  g_place->ended = true;
  _exit(status);
}
#if many
std::string CallName() { return "call " + std::to_string(g_place->call + 1) + ": "; }
#define WRONG(format, ...) End(1, "WRONG: %s" format "\n", CallName().c_str(), __VA_ARGS__)
#else
#define WRONG(format, ...) End(1, "WRONG: " format "\n", __VA_ARGS__)
#endif
void Need(bool good, const char* what) {
  if (!good) End(3, "NOT CARRIED OUT: %s failed\n", what);
}
std::string OneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text.substr(0, 500);
}
std::string Message() {
  const char* text = aclGetRecentErrMsg != nullptr ? aclGetRecentErrMsg() : nullptr;
  return text == nullptr ? "" : " (\"" + OneLine(text) + "\")";
}
Bytes Guarded(const Bytes& bytes) {
  Bytes image(bytes.size() + 2 * kGuard);  // moderate numbers of every type, as few indices are
  for (size_t i = 0; i < image.size(); ++i) image[i] = 0x2b + i * 2654435761U % 4093 % 16;
  std::copy(bytes.begin(), bytes.end(), image.begin() + kGuard);
  return image;
}
unsigned char* Allocate(size_t size) {
  void* base = nullptr;
  Need(aclrtMalloc(&base, size, ACL_MEM_MALLOC_HUGE_FIRST) == 0 && base != nullptr, "aclrtMalloc");
  return static_cast<unsigned char*>(base);
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
