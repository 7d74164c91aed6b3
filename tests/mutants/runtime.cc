// SPDX-License-Identifier: Apache-2.0

#include "runtime.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <thread>
#include <utility>

#include "selected_fault.h"

namespace mutants {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kPaddingBytes = 32;
// Slack in front of and behind every block, so that rows which write past a buffer do not also
// damage the heap.
constexpr std::size_t kSlackBytes = 64;
constexpr int kDirtyByte = 0xA5;
// Of a stream's works one in so many is late.
constexpr int kLateOnes = 8;
constexpr auto kLateBy = std::chrono::milliseconds(8);

const std::string& SocName() {
  static const std::string name = [] {
    const char* value = std::getenv("POOLPROOF_SOC_NAME");
    return std::string(value == nullptr || *value == '\0' ? "Ascend910B3" : value);
  }();
  return name;
}

std::atomic<int64_t> g_deterministic{0};

thread_local std::string t_message;
thread_local bool t_has_message = false;
[[maybe_unused]] thread_local std::string t_message_read;

// Work of which no synchronise of the given stream knows.
bool WorksElsewhere() {
  return Is(Fault::kWorksOnDefaultStream) || Is(Fault::kWorksOnOwnStream) ||
         Is(Fault::kCopiesDoNotWait);
}
bool RunsOnThread() {
  return Is(Fault::kLegalAsynchronous) || Is(Fault::kLegalOwnStream) ||
         Is(Fault::kSynchronizeDoesNotWait) || WorksElsewhere();
}

class Stream {
 public:
  Stream() {
    if (RunsOnThread()) thread_ = std::thread([this] { Loop(); });
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  void Run(std::function<Status()> work) {
    constexpr int kMostQueued = 8;
    if (Is(Fault::kQueueOfEight) && ++queued_ > kMostQueued) return;
    if (!thread_.joinable()) {
      Keep(work());
      return;
    }
    {
      const std::lock_guard lock(mutex_);
      queue_.push_back(std::move(work));
    }
    changed_.notify_all();
  }

  void Wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return queue_.empty() && !busy_; });
    queued_ = 0;
  }

  // Returns the first failure since the last call.
  Status TakeStatus() {
    const std::lock_guard lock(mutex_);
    return std::exchange(status_, {});
  }

 private:
  void Keep(Status status) {
    const std::lock_guard lock(mutex_);
    if (status_.ok()) status_ = std::move(status);
  }

  void Loop() {
    std::unique_lock lock(mutex_);
    int works = 0;
    while (true) {
      changed_.wait(lock, [this] { return !queue_.empty() || ending_; });
      if (queue_.empty()) return;
      const std::function<Status()> work = std::move(queue_.front());
      queue_.pop_front();
      busy_ = true;
      lock.unlock();
      if (Is(Fault::kSynchronizeDoesNotWait) && works++ % kLateOnes == 0) {
        std::this_thread::sleep_for(kLateBy);
      }
      Status status = work();
      lock.lock();
      if (status_.ok()) status_ = std::move(status);
      busy_ = false;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<Status()>> queue_;
  Status status_;
  std::atomic<int> queued_ = 0;  // kQueueOfEight
  bool busy_ = false;
  bool ending_ = false;
  std::thread thread_;
};

struct Streams {
  std::mutex mutex;
  std::set<std::shared_ptr<Stream>> all;
  std::shared_ptr<Stream> default_stream;
  std::shared_ptr<Stream> own_stream;  // kWorksOnOwnStream, kCopiesDoNotWait, kLegalOwnStream
};

Streams& AllStreams() {
  static Streams streams;
  return streams;
}

std::shared_ptr<Stream> FindStream(aclrtStream handle) {
  Streams& streams = AllStreams();
  const std::lock_guard lock(streams.mutex);
  if (handle == nullptr) {
    if (streams.default_stream == nullptr) streams.default_stream = std::make_shared<Stream>();
    return streams.default_stream;
  }
  for (const std::shared_ptr<Stream>& stream : streams.all) {
    if (stream.get() == handle) return stream;
  }
  return nullptr;
}

std::shared_ptr<Stream> OwnStream() {
  Streams& streams = AllStreams();
  const std::lock_guard lock(streams.mutex);
  if (streams.own_stream == nullptr) streams.own_stream = std::make_shared<Stream>();
  return streams.own_stream;
}

// Work on the own stream that waits for the given one, which waits for it: what two events would
// do.
std::function<Status()> OnOwnStream(std::function<Status()> work) {
  return [own = OwnStream(), work = std::move(work)] {
    std::promise<Status> done;
    own->Run([&] {
      done.set_value(work());
      return Status();
    });
    return done.get_future().get();
  };
}

aclError Fail(aclError code, std::string_view message) {
  LeaveMessage(message);
  return code;
}

}  // namespace

Product CurrentProduct() {
  static const Product product = [] {
    const std::string_view name = SocName();
    const auto starts = [name](std::string_view prefix) { return name.starts_with(prefix); };
    constexpr std::string_view kA2Prefix = "Ascend910B";
    // A bare Ascend910B, without a digit, is a part of the first generation.
    if (starts(kA2Prefix) && name.size() > kA2Prefix.size() && name[kA2Prefix.size()] >= '0' &&
        name[kA2Prefix.size()] <= '9') {
      return Product::kA2;
    }
    if (starts("Ascend910_93")) return Product::kA3;
    if (starts("Ascend950") || starts("Ascend910_95")) return Product::k950;
    return Product::kUnsupported;
  }();
  return product;
}

bool DeterministicOption() { return g_deterministic.load() != 0; }

void LeaveMessage(std::string_view text) {
  if (Is(Fault::kLegalNoMessages)) return;
  t_message = text;
  t_has_message = true;
}

bool Enqueue(aclrtStream stream, std::function<Status()> work) {
  std::shared_ptr<Stream> target = FindStream(stream);
  if (target == nullptr) return false;
  if (Is(Fault::kWorksOnDefaultStream)) target = FindStream(nullptr);
  if (Is(Fault::kWorksOnOwnStream) || Is(Fault::kCopiesDoNotWait)) target = OwnStream();
  if (Is(Fault::kLegalOwnStream)) work = OnOwnStream(std::move(work));
  target->Run(std::move(work));
  return true;
}

void DrainAll() {
  std::set<std::shared_ptr<Stream>> streams;
  {
    const std::lock_guard lock(AllStreams().mutex);
    streams = AllStreams().all;
    if (AllStreams().default_stream != nullptr) streams.insert(AllStreams().default_stream);
    if (AllStreams().own_stream != nullptr) streams.insert(AllStreams().own_stream);
  }
  for (const std::shared_ptr<Stream>& stream : streams) stream->Wait();
}

}  // namespace mutants

using namespace mutants;  // the ABI's functions are global

aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy /*policy*/) {
  if (Is(Wild::kEveryFunctionRefuses)) return kParamInvalid;
  if (devPtr == nullptr || size == 0) {
    return Fail(kAclInvalidParam, "aclrtMalloc: devPtr is null or size is 0");
  }
  if (size > SIZE_MAX / 2) return Fail(kAclBadAlloc, "aclrtMalloc: size is too large");
  const std::size_t usable = (size + 31) / 32 * 32 + kPaddingBytes;
  const std::size_t block = (usable + 2 * kSlackBytes + kAlignment - 1) / kAlignment * kAlignment;
  void* memory = std::aligned_alloc(kAlignment, block);
  if (memory == nullptr) return Fail(kAclBadAlloc, "aclrtMalloc: out of memory");
  std::memset(memory, Is(Fault::kLegalDirtyMemory) ? kDirtyByte : 0, block);
  *devPtr = static_cast<unsigned char*>(memory) + kSlackBytes;
  return kOk;
}

aclError aclrtFree(void* devPtr) {
  if (Is(Wild::kEveryFunctionRefuses)) return kParamInvalid;
  if (devPtr == nullptr) return Fail(kAclInvalidParam, "aclrtFree: devPtr is null");
  if (Is(Fault::kSynchronizeDoesNotWait) || WorksElsewhere()) DrainAll();
  std::free(static_cast<unsigned char*>(devPtr) - kSlackBytes);
  return kOk;
}

aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count,
                     aclrtMemcpyKind kind) {
  if (Is(Wild::kEveryFunctionRefuses)) return kParamInvalid;
  constexpr aclrtMemcpyKind kDeviceToHost = 2;
  constexpr aclrtMemcpyKind kLastKind = 5;
  if (count == 0) return kOk;
  if (dst == nullptr || src == nullptr) {
    return Fail(kAclInvalidParam, "aclrtMemcpy: a pointer is null");
  }
  if (kind > kLastKind) return Fail(kAclInvalidParam, "aclrtMemcpy: kind is unknown");
  if (count > destMax) return Fail(kRtParamInvalid, "aclrtMemcpy: count is above destMax");
  // Only the read that follows the synchronise call sees late work: everything else is in order.
  if (Is(Fault::kSynchronizeDoesNotWait) && kind != kDeviceToHost) DrainAll();
  if (Is(Fault::kWorksOnDefaultStream)) FindStream(nullptr)->Wait();
  if (Is(Fault::kWorksOnOwnStream)) OwnStream()->Wait();
  std::memmove(dst, src, count);
  return kOk;
}

aclError aclrtCreateStream(aclrtStream* stream) {
  if (Is(Wild::kEveryFunctionRefuses)) return kParamInvalid;
  if (stream == nullptr) return Fail(kAclInvalidParam, "aclrtCreateStream: stream is null");
  auto created = std::make_shared<Stream>();
  *stream = created.get();
  const std::lock_guard lock(AllStreams().mutex);
  AllStreams().all.insert(std::move(created));
  return kOk;
}

aclError aclrtDestroyStream(aclrtStream stream) {
  if (Is(Wild::kEveryFunctionRefuses)) return kParamInvalid;
  const std::shared_ptr<Stream> target = stream == nullptr ? nullptr : FindStream(stream);
  if (target == nullptr) return Fail(kRtInvalidHandle, "aclrtDestroyStream: unknown stream");
  if (RunsOnThread()) target->Wait();
  const std::lock_guard lock(AllStreams().mutex);
  AllStreams().all.erase(target);
  return kOk;
}

aclError aclrtSynchronizeStream(aclrtStream stream) {
  if (Is(Wild::kEveryFunctionRefuses)) return kParamInvalid;
  const std::shared_ptr<Stream> target = FindStream(stream);
  if (target == nullptr) return Fail(kRtInvalidHandle, "aclrtSynchronizeStream: unknown stream");
  if (Is(Fault::kSynchronizeDoesNotWait)) return kOk;
  if (RunsOnThread()) target->Wait();
  const Status status = target->TakeStatus();
  if (!status.ok()) LeaveMessage(status.message);
  return status.code;
}

#ifndef POOLPROOF_MUTANTS_MINIMAL
aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count,
                          aclrtMemcpyKind kind, aclrtStream stream) {
  if (Is(Wild::kEveryFunctionRefuses)) return kParamInvalid;
  constexpr aclrtMemcpyKind kLastKind = 5;
  const std::shared_ptr<Stream> target = FindStream(stream);
  if (target == nullptr) return Fail(kRtInvalidHandle, "aclrtMemcpyAsync: unknown stream");
  if (dst == nullptr || src == nullptr || kind > kLastKind || count > destMax) {
    return Fail(kAclInvalidParam, "aclrtMemcpyAsync: a pointer is null, or a number is wrong");
  }
  target->Run([=] {
    std::memmove(dst, src, count);
    return Status();
  });
  return kOk;
}

aclError aclrtSynchronizeDevice(void) {
  if (Is(Wild::kEveryFunctionRefuses)) return kParamInvalid;
  if (RunsOnThread() && !Is(Fault::kSynchronizeDoesNotWait)) DrainAll();
  return kOk;
}

const char* aclGetRecentErrMsg(void) {
  if (!t_has_message) return nullptr;
  t_message_read.swap(t_message);
  t_message.clear();
  t_has_message = false;
  return t_message_read.c_str();
}

const char* aclrtGetSocName(void) { return SocName().c_str(); }

aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
  if (Is(Wild::kEveryFunctionRefuses)) return kParamInvalid;
  constexpr aclSysParamOpt kLastOption = 3;
  if (opt > kLastOption || value < 0) {
    return Fail(kAclInvalidParam, "aclrtCtxSetSysParamOpt: unknown option or value");
  }
  if (opt == kOptDeterministic) g_deterministic.store(value);
  return kOk;
}
#endif
