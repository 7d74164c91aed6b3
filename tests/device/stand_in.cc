// SPDX-License-Identifier: Apache-2.0
//
// A library that behaves as one for an accelerator does: the ABI of the project's reference, opened
// from its file, behind memory that the host cannot touch, a context per thread, and the traits of
// traits.h. README.md says what it counts as illegal.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnn/opdev/op_errno.h"
#include "aclnnop/aclnn_adaptive_max_pool2d.h"
#include "aclnnop/aclnn_adaptive_max_pool2d_backward.h"
#include "aclnnop/aclnn_adaptive_max_pool3d.h"
#include "aclnnop/aclnn_adaptive_max_pool3d_backward.h"
#include "aclnnop/aclnn_max_pool2d_with_indices.h"
#include "aclnnop/aclnn_max_pool2d_with_indices_backward.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax_backward.h"
#include "tests/device/arena.h"
#include "tests/device/traits.h"

namespace device {
namespace {

constexpr std::int32_t kException = ACL_ERROR_RT_AICORE_EXCEPTION;
constexpr std::int32_t kDeviceTaken = 507033;

void* FindBehind(const char* name) {
  static void* const library = [] {
    const char* const given = std::getenv("POOLPROOF_DEVICE_KERNELS");
    return ::dlopen(given == nullptr ? POOLPROOF_DEVICE_KERNELS : given, RTLD_NOW | RTLD_LOCAL);
  }();
  return library == nullptr ? nullptr : ::dlsym(library, name);
}

// The same function of the library behind.
template <typename F>
F* Real(const char* name) {
  void* const symbol = FindBehind(name);
  if (symbol == nullptr) {
    std::fprintf(stderr, "stand-in: no %s behind it\n", name);
    std::abort();
  }
  return reinterpret_cast<F*>(symbol);
}
#define REAL(function) Real<decltype(::function)>(#function)

// The same, of those that a library without a device may lack; success where it does.
template <typename F, typename... Arguments>
std::int32_t CallBehind(const char* name, Arguments... arguments) {
  void* const symbol = FindBehind(name);
  return symbol == nullptr ? 0 : reinterpret_cast<F*>(symbol)(arguments...);
}
#define BEHIND(function, ...) CallBehind<decltype(::function)>(#function __VA_OPT__(, ) __VA_ARGS__)

struct Stream {
  aclrtStream real = nullptr;
  std::atomic<std::int32_t> fault{0};  // told by the next synchronise
};

// What is known of an executor that phase one gave out.
struct Plan {
  std::tuple<std::string, aclDataType, std::int64_t> kernel;  // operator, type, deterministic
  bool raises = false;
  bool is_real = true;  // of the library behind
  bool repeatable = false;
};

// What is known of a tensor.
struct Described {
  aclDataType type = ACL_DT_UNDEFINED;
  std::int64_t width = 0;  // its last extent; 0 where it has none
};

// What phase one hands out where the library behind refused: known to this one alone.
struct LateExecutor {};

struct Process {
  std::mutex mutex;  // of what follows
  std::map<void*, std::unique_ptr<Stream>> streams;
  std::map<aclOpExecutor*, Plan> plans;
  std::map<const aclTensor*, Described> tensors;
  std::set<std::tuple<std::string, aclDataType, std::int64_t>> loaded;
  int lock = -1;                        // on the device
  std::atomic<std::uint64_t> start{0};  // its number, among those of all processes
  std::atomic<bool> admitted{false};    // to the device
  std::atomic<pid_t> owner{0};          // the process that called aclInit; 0 before and after
  std::atomic<bool> spoilt{false};
  std::atomic<bool> launched{false};
  std::atomic<std::int64_t> deterministic{0};
};
Process& Here() {
  static Process& process = *new Process;
  return process;
}
thread_local bool has_context = false;
thread_local std::string last_message;

std::int32_t Fails(std::int32_t status, std::string message) {
  last_message = std::move(message);
  return status;
}

std::int32_t Illegal(std::int32_t status, const std::string& message) {
  ++Count(Counter::kIllegal);
  std::fprintf(stderr, "stand-in: illegal: %s\n", message.c_str());
  return Fails(status, message);
}

bool IsOpen() { return Here().owner == ::getpid(); }

// 0 where a call that needs the device may go on.
std::int32_t Enter(const char* function) {
  if (!IsOpen()) return Illegal(ACL_ERROR_UNINITIALIZE, std::string(function) + " without aclInit");
  if (!has_context) {
    return Illegal(ACL_ERROR_RT_CONTEXT_NULL, std::string(function) + " without a context");
  }
  return 0;
}

// Whether an exception that came before makes such a call fail.
bool Spoils(std::initializer_list<Sticky> kinds) {
  const Sticky sticky = TraitsOf().sticky;
  return Here().spoilt && std::find(kinds.begin(), kinds.end(), sticky) != kinds.end();
}
std::int32_t AfterException() { return Fails(kException, "the device met an exception before"); }

void HandleNothing(int /*signal*/) {}
void SetHandlers() {
  struct sigaction action {};
  action.sa_handler = &HandleNothing;
  for (const int number : {SIGUSR1, SIGCHLD}) ::sigaction(number, &action, nullptr);
}

// Counted in starts, not in time: a caller that asks again finds the device free after so many
// answers.
bool IsBusy() {
  const Traits& traits = TraitsOf();
  const std::uint64_t start = Here().start;
  if (start <= traits.busy_first) return true;
  if (traits.busy_every == 0) return false;
  return start >= traits.busy_every && start % traits.busy_every < traits.busy_for;
}

bool LockDevice(std::int32_t number) {
  const Traits& traits = TraitsOf();
  Process& here = Here();
  const std::lock_guard<std::mutex> lock(here.mutex);
  if (traits.exclusive.empty() || here.lock >= 0) return true;
  const std::string path = traits.exclusive + "/device_" + std::to_string(number) + ".lock";
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0 || ::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (fd >= 0) ::close(fd);
    return false;
  }
  here.lock = fd;
  return true;
}

// The stream of a handle; null is the default one. Null where there is none such.
Stream* FindStream(aclrtStream handle) {
  static Stream* const by_default = new Stream;
  if (handle == nullptr) return by_default;
  Process& here = Here();
  const std::lock_guard<std::mutex> lock(here.mutex);
  const auto found = here.streams.find(handle);
  return found == here.streams.end() ? nullptr : found->second.get();
}

void RaiseOn(Stream& stream) {
  ++Count(Counter::kExceptions);
  Log("exception");
  std::fputs("[ERROR] RUNTIME: an exception of the device\n", stderr);
  stream.fault = kException;
  Here().spoilt = true;
}

// --- The two phases ------------------------------------------------------------------------------

Described DescriptionOf(const aclTensor* tensor) {
  Process& here = Here();
  const std::lock_guard<std::mutex> lock(here.mutex);
  const auto found = here.tensors.find(tensor);
  return found == here.tensors.end() ? Described() : found->second;
}

// `real` calls phase one of the library behind with all arguments of this one.
template <typename CallReal>
aclnnStatus PhaseOne(const char* name, const aclTensor* self, std::uint64_t* workspace_size,
                     aclOpExecutor** executor, CallReal real) {
  if (const std::int32_t no = Enter(name)) return no;
  const Traits& traits = TraitsOf();
  ++Count(Counter::kPhaseOnes);
  Wait(traits.phase_one);
  last_message.clear();
  Plan plan;
  std::get<0>(plan.kernel) = name;
  const Described described = DescriptionOf(self);
  std::get<1>(plan.kernel) = described.type;
  std::get<2>(plan.kernel) = Here().deterministic;
  plan.raises = traits.exception_width > 0 &&
                described.width == static_cast<std::int64_t>(traits.exception_width);
  aclnnStatus status = real();
  if (status != 0) {
    const char* const text = REAL(aclGetRecentErrMsg)();
    last_message = text == nullptr ? "" : text;
    // The clauses that leave it to the implementation where it refuses.
    const bool may_be_late = last_message.find("[MP3-S33]") != std::string::npos ||
                             last_message.find("[MP2-S33]") != std::string::npos;
    if (!traits.exception_late || !may_be_late) return status;
    plan.raises = true;
    plan.is_real = false;
    *workspace_size = 0;
    *executor = reinterpret_cast<aclOpExecutor*>(new LateExecutor);
    last_message.clear();
    status = 0;
  }
  *workspace_size += traits.workspace;
  Process& here = Here();
  const std::lock_guard<std::mutex> lock(here.mutex);
  here.plans[*executor] = std::move(plan);
  return status;
}

// Whether the library behind must not see the executor.
bool IsLate(aclOpExecutor* executor) {
  Process& here = Here();
  const std::lock_guard<std::mutex> lock(here.mutex);
  const auto found = here.plans.find(executor);
  return found != here.plans.end() && !found->second.is_real;
}

// Takes a plan; of a repeatable executor a copy. False where the executor is not one of ours.
bool TakePlan(aclOpExecutor* executor, Plan& plan) {
  Process& here = Here();
  const std::lock_guard<std::mutex> lock(here.mutex);
  const auto found = here.plans.find(executor);
  if (found == here.plans.end()) return false;
  plan = found->second;
  if (!plan.repeatable) here.plans.erase(found);
  return true;
}

// What is not run is still used up.
void Discard(aclOpExecutor* executor, const Plan& plan) {
  if (plan.repeatable) return;
  if (plan.is_real) {
    REAL(aclDestroyAclOpExecutor)(executor);
  } else {
    delete reinterpret_cast<LateExecutor*>(executor);
  }
}

void OpenFile() { static_cast<void>(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

void LoadKernel(const Plan& plan) {
  const Traits& traits = TraitsOf();
  {
    Process& here = Here();
    const std::lock_guard<std::mutex> lock(here.mutex);
    if (!here.loaded.insert(plan.kernel).second) return;
  }
  ++Count(Counter::kFirstUses);
  Log("first_use " + std::get<0>(plan.kernel) + " type " +
      std::to_string(std::get<1>(plan.kernel)) + " deterministic " +
      std::to_string(std::get<2>(plan.kernel)));
  Wait(traits.first_use);
  if (traits.files == 1) OpenFile();
}

// Where the work of a launch on `stream` is put.
aclrtStream StreamOfWork(const Stream& stream) {
  if (TraitsOf().work_on == 0) return stream.real;
  if (TraitsOf().work_on == 1) return nullptr;
  static const aclrtStream own = [] {
    aclrtStream made = nullptr;
    return REAL(aclrtCreateStream)(&made) == 0 ? made : nullptr;
  }();
  return own;
}

void AwaitCopies() {
  if (TraitsOf().copies_wait) REAL(aclrtSynchronizeDevice)();
}

template <typename PhaseTwoFunction>
aclnnStatus PhaseTwo(const char* name, PhaseTwoFunction* real, void* workspace,
                     std::uint64_t workspace_size, aclOpExecutor* executor, aclrtStream handle) {
  if (const std::int32_t no = Enter(name)) return no;
  const Traits& traits = TraitsOf();
  Plan plan;
  if (!TakePlan(executor, plan)) return real(workspace, workspace_size, executor, nullptr);
  last_message.clear();
  const std::uint64_t number = ++Count(Counter::kLaunches);
  Wait(traits.launch);
  if (traits.noise > 0) {
    const std::string line(traits.noise, '.');
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
  }
  if (traits.signals == 2 && !Here().launched.exchange(true)) SetHandlers();
  Stream* const stream = FindStream(handle);
  if (stream == nullptr) {
    Discard(executor, plan);
    return Illegal(ACLNN_ERR_RUNTIME_ERROR, "a launch on no living stream");
  }
  const bool stream_is_spoilt = traits.sticky == Sticky::kStream && stream->fault != 0;
  if (Spoils({Sticky::kEverything, Sticky::kCopies, Sticky::kLaunches}) || stream_is_spoilt) {
    Discard(executor, plan);
    return AfterException();
  }
  if (Spoils({Sticky::kSynchronise})) {
    Discard(executor, plan);
    return 0;
  }
  if (workspace_size > 0 && workspace == nullptr) {
    Discard(executor, plan);
    return Fails(ACLNN_ERR_PARAM_NULLPTR, "workspace is null");
  }
  if (workspace_size > 0 && !Arena::Get().HoldsAll(workspace, workspace_size)) {
    Discard(executor, plan);
    return Illegal(ACLNN_ERR_PARAM_INVALID, "a workspace that is no memory of the device");
  }
  LoadKernel(plan);
  if (traits.files == 2) OpenFile();
  if (plan.raises || (traits.exception_at > 0 && number == traits.exception_at)) {
    Discard(executor, plan);
    RaiseOn(*stream);
    return 0;
  }
  // One block each: they are given back with the process.
  if (traits.leak > 0) static_cast<void>(Arena::Get().Allocate(traits.leak));
  static std::atomic<std::uint64_t> launches{0};
  if (traits.pool > 0 && launches++ < traits.pool_for) {
    static_cast<void>(Arena::Get().Allocate(traits.pool));
  }
  if (traits.workspace > 0) std::memset(Arena::Get().Behind(workspace), 0x77, traits.workspace);
  return real(nullptr, 0, executor, StreamOfWork(*stream));
}

}  // namespace
}  // namespace device

using namespace device;  // NOLINT(google-build-using-namespace): the C ABI is global

// --- Start and end -------------------------------------------------------------------------------

aclError aclInit(const char* configPath) {
  const Traits& traits = TraitsOf();
  Process& here = Here();
  if (IsOpen()) return ACL_ERROR_REPEAT_INITIALIZE;
  here.start = ++Count(Counter::kStarts);
  Log("start");
  Wait(traits.init);
  Arena::Get();
  if (traits.signals == 1) SetHandlers();
  for (std::uint64_t i = 0; i < traits.threads; ++i) {
    std::thread([] {
      for (;;) ::pause();
    }).detach();
  }
  const aclError status = BEHIND(aclInit, configPath);
  if (status == 0) here.owner = ::getpid();
  return status;
}

aclError aclFinalize() {
  if (!IsOpen()) return Illegal(ACL_ERROR_REPEAT_FINALIZE, "aclFinalize without aclInit");
  ++Count(Counter::kEnds);
  Log("end");
  Wait(TraitsOf().finalize);
  Here().owner = 0;
  return BEHIND(aclFinalize);
}

aclnnStatus aclnnInit(const char* configPath) { return BEHIND(aclnnInit, configPath); }
aclnnStatus aclnnFinalize() { return BEHIND(aclnnFinalize); }

const char* aclGetRecentErrMsg() { return last_message.empty() ? nullptr : last_message.c_str(); }
const char* aclrtGetSocName() { return REAL(aclrtGetSocName)(); }

aclError aclrtGetDeviceCount(uint32_t* count) {
  *count = static_cast<uint32_t>(TraitsOf().devices);
  return 0;
}

aclError aclrtSetDevice(int32_t deviceId) {
  if (!IsOpen()) return Illegal(ACL_ERROR_UNINITIALIZE, "aclrtSetDevice without aclInit");
  if (deviceId < 0 || static_cast<std::uint64_t>(deviceId) >= TraitsOf().devices) {
    return Fails(ACL_ERROR_RT_INVALID_DEVICEID, "no such device");
  }
  Process& here = Here();
  if (!here.admitted && (IsBusy() || !LockDevice(deviceId))) {
    ++Count(Counter::kRefusedStarts);
    Log("refused");
    return Fails(kDeviceTaken, "the device is taken");
  }
  if (!here.admitted.exchange(true)) Log("device " + std::to_string(deviceId));
  has_context = true;
  return BEHIND(aclrtSetDevice, 0);
}

aclError aclrtResetDevice(int32_t /*deviceId*/) {
  if (const std::int32_t no = Enter("aclrtResetDevice")) return no;
  has_context = false;
  return BEHIND(aclrtResetDevice, 0);
}

aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
  if (const std::int32_t no = Enter("aclrtCtxSetSysParamOpt")) return no;
  if (opt == ACL_OPT_DETERMINISTIC) Here().deterministic = value;
  return REAL(aclrtCtxSetSysParamOpt)(opt, value);
}

// --- Memory --------------------------------------------------------------------------------------

aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy /*policy*/) {
  if (const std::int32_t no = Enter("aclrtMalloc")) return no;
  ++Count(Counter::kAllocations);
  Wait(TraitsOf().malloc);
  if (Spoils({Sticky::kEverything})) return AfterException();
  if (devPtr == nullptr || size == 0) return Illegal(ACL_ERROR_INVALID_PARAM, "aclrtMalloc of 0");
  *devPtr = Arena::Get().Allocate(size);
  return *devPtr == nullptr ? Fails(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory left") : 0;
}

aclError aclrtFree(void* devPtr) {
  if (const std::int32_t no = Enter("aclrtFree")) return no;
  ++Count(Counter::kFrees);
  Wait(TraitsOf().free);
  AwaitCopies();
  if (Arena::Get().Free(devPtr)) return 0;
  return Illegal(ACL_ERROR_RT_PARAM_INVALID, "aclrtFree of what is no block");
}

aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count,
                     aclrtMemcpyKind kind) {
  if (const std::int32_t no = Enter("aclrtMemcpy")) return no;
  Arena& arena = Arena::Get();
  const bool in = kind == ACL_MEMCPY_HOST_TO_DEVICE;
  ++Count(in ? Counter::kCopiesIn : Counter::kCopiesOut);
  Wait(TraitsOf().copy);
  if (Spoils({Sticky::kEverything, Sticky::kCopies})) return AfterException();
  const void* const there = in ? dst : src;
  const void* const here = in ? src : dst;
  if ((!in && kind != ACL_MEMCPY_DEVICE_TO_HOST) || count > destMax || arena.Holds(here) ||
      !arena.HoldsAll(there, in ? destMax : count)) {
    return Illegal(ACL_ERROR_RT_PARAM_INVALID, "aclrtMemcpy beyond a block, or of another kind");
  }
  AwaitCopies();
  std::memcpy(arena.Behind(dst), arena.Behind(src), count);
  return 0;
}

// Within the device alone.
aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count,
                          aclrtMemcpyKind kind, aclrtStream handle) {
  if (const std::int32_t no = Enter("aclrtMemcpyAsync")) return no;
  if (Spoils({Sticky::kEverything, Sticky::kCopies})) return AfterException();
  Arena& arena = Arena::Get();
  Stream* const stream = FindStream(handle);
  if (stream == nullptr || kind != ACL_MEMCPY_DEVICE_TO_DEVICE || count > destMax ||
      !arena.HoldsAll(dst, destMax) || !arena.HoldsAll(src, count)) {
    return Illegal(ACL_ERROR_RT_PARAM_INVALID,
                   "aclrtMemcpyAsync beyond a block, or of another kind");
  }
  return REAL(aclrtMemcpyAsync)(arena.Behind(dst), destMax, arena.Behind(src), count, kind,
                                stream->real);
}

aclError aclrtSynchronizeDevice() {
  if (const std::int32_t no = Enter("aclrtSynchronizeDevice")) return no;
  return REAL(aclrtSynchronizeDevice)();
}

aclError aclrtGetMemInfo(aclrtMemAttr /*attr*/, size_t* free, size_t* total) {
  if (const std::int32_t no = Enter("aclrtGetMemInfo")) return no;
  std::tie(*free, *total) = Arena::Get().Room();
  return 0;
}

// --- Streams -------------------------------------------------------------------------------------

aclError aclrtCreateStream(aclrtStream* stream) {
  if (const std::int32_t no = Enter("aclrtCreateStream")) return no;
  if (Spoils({Sticky::kEverything})) return AfterException();
  auto made = std::make_unique<Stream>();
  if (const aclError status = REAL(aclrtCreateStream)(&made->real); status != 0) return status;
  *stream = made.get();
  Process& here = Here();
  const std::lock_guard<std::mutex> lock(here.mutex);
  here.streams[made.get()] = std::move(made);
  return 0;
}

aclError aclrtDestroyStream(aclrtStream stream) {
  if (const std::int32_t no = Enter("aclrtDestroyStream")) return no;
  std::unique_ptr<Stream> ended;
  {
    Process& here = Here();
    const std::lock_guard<std::mutex> lock(here.mutex);
    const auto found = here.streams.find(stream);
    if (found != here.streams.end()) {
      ended = std::move(found->second);
      here.streams.erase(found);
    }
  }
  if (ended == nullptr) return Illegal(ACL_ERROR_RT_STREAM_CONTEXT, "no such stream");
  return REAL(aclrtDestroyStream)(ended->real);
}

aclError aclrtSynchronizeStream(aclrtStream handle) {
  if (const std::int32_t no = Enter("aclrtSynchronizeStream")) return no;
  Stream* const stream = FindStream(handle);
  if (stream == nullptr) return Illegal(ACL_ERROR_RT_STREAM_CONTEXT, "no such stream");
  const bool met_index = REAL(aclrtSynchronizeStream)(stream->real) != 0;
  if (met_index && !TraitsOf().ignores_indices) RaiseOn(*stream);
  const bool stays = TraitsOf().sticky == Sticky::kStream;
  const std::int32_t fault = stays ? stream->fault.load() : stream->fault.exchange(0);
  if (fault != 0) return Fails(fault, "an exception of the device");
  if (Spoils({Sticky::kEverything, Sticky::kCopies, Sticky::kSynchronise, Sticky::kLaunches})) {
    return AfterException();
  }
  if (TraitsOf().sticky == Sticky::kNothing) Here().spoilt = false;
  return 0;
}

// --- Descriptors and executors -------------------------------------------------------------------

aclTensor* aclCreateTensor(const int64_t* viewDims, uint64_t viewDimsNum, aclDataType dataType,
                           const int64_t* stride, int64_t offset, aclFormat format,
                           const int64_t* storageDims, uint64_t storageDimsNum, void* tensorData) {
  if (tensorData != nullptr && !Arena::Get().HoldsAll(tensorData, 0)) {
    Illegal(0, "aclCreateTensor on what is no memory of the device");
  }
  aclTensor* const tensor =
      REAL(aclCreateTensor)(viewDims, viewDimsNum, dataType, stride, offset, format, storageDims,
                            storageDimsNum, Arena::Get().Behind(tensorData));
  if (tensor == nullptr) return nullptr;
  Process& here = Here();
  const std::lock_guard<std::mutex> lock(here.mutex);
  here.tensors[tensor] = {dataType, viewDimsNum > 0 ? viewDims[viewDimsNum - 1] : 0};
  return tensor;
}
aclnnStatus aclDestroyTensor(const aclTensor* tensor) {
  {
    Process& here = Here();
    const std::lock_guard<std::mutex> lock(here.mutex);
    here.tensors.erase(tensor);
  }
  return REAL(aclDestroyTensor)(tensor);
}
aclIntArray* aclCreateIntArray(const int64_t* value, uint64_t size) {
  return REAL(aclCreateIntArray)(value, size);
}
aclnnStatus aclDestroyIntArray(const aclIntArray* array) { return REAL(aclDestroyIntArray)(array); }

aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor* executor) {
  Process& here = Here();
  const std::lock_guard<std::mutex> lock(here.mutex);
  const auto found = here.plans.find(executor);
  if (found == here.plans.end() || !found->second.is_real) return ACLNN_ERR_INNER;
  const aclnnStatus status = REAL(aclSetAclOpExecutorRepeatable)(executor);
  found->second.repeatable = status == 0;
  return status;
}

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* executor) {
  bool is_real = true;
  {
    Process& here = Here();
    const std::lock_guard<std::mutex> lock(here.mutex);
    const auto found = here.plans.find(executor);
    if (found != here.plans.end()) {
      is_real = found->second.is_real;
      here.plans.erase(found);
    }
  }
  if (is_real) return REAL(aclDestroyAclOpExecutor)(executor);
  delete reinterpret_cast<LateExecutor*>(executor);
  return 0;
}

aclnnStatus aclSetInputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor,
                                  void* addr) {
  if (IsLate(executor)) return ACLNN_ERR_INNER;
  return REAL(aclSetInputTensorAddr)(executor, index, tensor, Arena::Get().Behind(addr));
}
aclnnStatus aclSetOutputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor,
                                   void* addr) {
  if (IsLate(executor)) return ACLNN_ERR_INNER;
  return REAL(aclSetOutputTensorAddr)(executor, index, tensor, Arena::Get().Behind(addr));
}

// --- Operators -----------------------------------------------------------------------------------

#define PHASE_TWO(op)                                                                          \
  aclnnStatus aclnn##op(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,      \
                        aclrtStream stream) {                                                  \
    return PhaseTwo("aclnn" #op, REAL(aclnn##op), workspace, workspaceSize, executor, stream); \
  }

#define WINDOW_BACKWARD(op)                                                                      \
  aclnnStatus aclnn##op##GetWorkspaceSize(                                                       \
      const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,              \
      const aclIntArray* kernelSize, const aclIntArray* stride, const aclIntArray* padding,      \
      const aclIntArray* dilation, bool ceilMode, aclTensor* gradInput, uint64_t* workspaceSize, \
      aclOpExecutor** executor) {                                                                \
    return PhaseOne("aclnn" #op, self, workspaceSize, executor, [&] {                            \
      return REAL(aclnn##op##GetWorkspaceSize)(gradOutput, self, indices, kernelSize, stride,    \
                                               padding, dilation, ceilMode, gradInput,           \
                                               workspaceSize, executor);                         \
    });                                                                                          \
  }                                                                                              \
  PHASE_TWO(op)

#define WINDOW_FORWARD(op)                                                                       \
  aclnnStatus aclnn##op##GetWorkspaceSize(                                                       \
      const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* stride,           \
      const aclIntArray* padding, const aclIntArray* dilation, bool ceilMode, aclTensor* out,    \
      aclTensor* indices, uint64_t* workspaceSize, aclOpExecutor** executor) {                   \
    return PhaseOne("aclnn" #op, self, workspaceSize, executor, [&] {                            \
      return REAL(aclnn##op##GetWorkspaceSize)(self, kernelSize, stride, padding, dilation,      \
                                               ceilMode, out, indices, workspaceSize, executor); \
    });                                                                                          \
  }                                                                                              \
  PHASE_TWO(op)

#define ADAPTIVE_BACKWARD(op)                                                                  \
  aclnnStatus aclnn##op##GetWorkspaceSize(const aclTensor* gradOutput, const aclTensor* self,  \
                                          const aclTensor* indices, aclTensor* gradInput,      \
                                          uint64_t* workspaceSize, aclOpExecutor** executor) { \
    return PhaseOne("aclnn" #op, self, workspaceSize, executor, [&] {                          \
      return REAL(aclnn##op##GetWorkspaceSize)(gradOutput, self, indices, gradInput,           \
                                               workspaceSize, executor);                       \
    });                                                                                        \
  }                                                                                            \
  PHASE_TWO(op)

#define ADAPTIVE_FORWARD(op)                                                                    \
  aclnnStatus aclnn##op##GetWorkspaceSize(const aclTensor* self, const aclIntArray* outputSize, \
                                          aclTensor* outputOut, aclTensor* indicesOut,          \
                                          uint64_t* workspaceSize, aclOpExecutor** executor) {  \
    return PhaseOne("aclnn" #op, self, workspaceSize, executor, [&] {                           \
      return REAL(aclnn##op##GetWorkspaceSize)(self, outputSize, outputOut, indicesOut,         \
                                               workspaceSize, executor);                        \
    });                                                                                         \
  }                                                                                             \
  PHASE_TWO(op)

WINDOW_BACKWARD(MaxPool3dWithArgmaxBackward)
WINDOW_BACKWARD(MaxPool2dWithIndicesBackward)
WINDOW_FORWARD(MaxPool3dWithArgmax)
WINDOW_FORWARD(MaxPool2dWithIndices)
ADAPTIVE_BACKWARD(AdaptiveMaxPool2dBackward)
ADAPTIVE_BACKWARD(AdaptiveMaxPool3dBackward)
ADAPTIVE_FORWARD(AdaptiveMaxPool2d)
ADAPTIVE_FORWARD(AdaptiveMaxPool3d)
