// SPDX-License-Identifier: Apache-2.0
#include "conformance/wire/codec.h"

#include <array>
#include <cstring>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "conformance/case/plan_members.h"

namespace poolproof {
namespace {

// First byte of a message; changes with the encoding, so that a runner meets only its own worker.
enum class Tag : std::uint8_t {
  kOpenRequest = 0x31,
  kOpenReply,
  kInvocation,
  kOutcome,
  kWorkerStart,
  kWorkerEnd
};

// --- What messages are made of -------------------------------------------------------------------

template <bool kHolds>
using If = std::enable_if_t<kHolds, int>;
// Of any constness.
template <typename T, typename Of>
constexpr bool kIs = std::is_same_v<std::remove_const_t<T>, Of>;
template <typename T>
constexpr bool kIsWord = std::is_integral_v<T> || std::is_enum_v<T>;

// The members of a message, in the order of their bytes. The structured bindings fail to compile
// where a struct has a member that is not encoded.
template <typename T, If<kIs<T, TensorArgument>> = 0>
auto Fields(T& value) {
  auto& [role, null, is_output, type, format, shape, strides, offset, storage, bytes] = value;
  return std::tie(role, null, is_output, type, format, shape, strides, offset, storage, bytes);
}
template <typename T, If<kIs<T, CallArguments>> = 0>
auto Fields(T& value) {
  auto& [op, tensors, lists, ceil_mode] = value;
  return std::tie(op, tensors, lists, ceil_mode);
}
template <typename T, If<kIs<T, Timing>> = 0>
auto Fields(T& value) {
  auto& [rounds, round_ns, sets, cpu_clock] = value;
  return std::tie(rounds, round_ns, sets, cpu_clock);
}
template <typename T, If<kIs<T, Invocation>> = 0>
auto Fields(T& value) {
  auto& [calls, plan, guard_bytes, awaits_device, fills_pools, timing] = value;
  return std::tie(calls, plan, guard_bytes, awaits_device, fills_pools, timing);
}
template <typename T, If<kIs<T, TimedRound>> = 0>
auto Fields(T& value) {
  auto& [calls, call_ns, device_ns] = value;
  return std::tie(calls, call_ns, device_ns);
}
template <typename T, If<kIs<T, GuardTouch>> = 0>
auto Fields(T& value) {
  auto& [distance, access] = value;
  return std::tie(distance, access);
}
template <typename T, If<kIs<T, MemoryFacts>> = 0>
auto Fields(T& value) {
  auto& [before, after, contained, first_changed, touch] = value;
  return std::tie(before, after, contained, first_changed, touch);
}
template <typename T, If<kIs<T, CallOutcome>> = 0>
auto Fields(T& value) {
  auto& [reached, one, two, synchronise, size_set, executor_set, size, one_wrote, one_wrote_to,
         guarded, reused, looks, early, late, workspace, memory, outputs, message_asked, message,
         nanoseconds] = value;
  return std::tie(reached, one, two, synchronise, size_set, executor_set, size, one_wrote,
                  one_wrote_to, guarded, reused, looks, early, late, workspace, memory, outputs,
                  message_asked, message, nanoseconds);
}
template <typename T, If<kIs<T, ProcessFacts>> = 0>
auto Fields(T& value) {
  auto& [descriptors, environment, handlers, directory, spent, heap, resident, device, otherwise] =
      value;
  return std::tie(descriptors, environment, handlers, directory, spent, heap, resident, device,
                  otherwise);
}
template <typename T, If<kIs<T, CrashSite>> = 0>
auto Fields(T& value) {
  auto& [cause, access, executing, address, module, offset, symbol, symbol_offset] = value;
  return std::tie(cause, access, executing, address, module, offset, symbol, symbol_offset);
}
template <typename T, If<kIs<T, Outcome>> = 0>
auto Fields(T& value) {
  auto& [end, signal, exit_code, at_call, in, calls, process, tail, detail, crash, edges, rounds,
         repeat] = value;
  static_assert(sizeof at_call == sizeof(std::uint64_t));
  return std::tie(end, signal, exit_code, at_call, in, calls, process, tail, detail, crash, edges,
                  rounds, repeat);
}
template <typename T, If<kIs<T, Probe>> = 0>
auto Fields(T& value) {
  auto& [soc, devices, operators, missing, optional_symbols, host_memory] = value;
  return std::tie(soc, devices, operators, missing, optional_symbols, host_memory);
}
template <typename T, If<kIs<T, OpenRequest>> = 0>
auto Fields(T& value) {
  auto& [libraries, mode, device] = value;
  return std::tie(libraries, mode, device);
}
template <typename T, If<kIs<T, OpenReply>> = 0>
auto Fields(T& value) {
  auto& [error, detail, probe] = value;
  return std::tie(error, detail, probe);
}
template <typename T, If<kIs<T, WorkerStart>> = 0>
auto Fields(T& value) {
  auto& [memory, environment] = value;
  return std::tie(memory, environment);
}
template <typename T, If<kIs<T, WorkerEnd>> = 0>
auto Fields(T& value) {
  auto& [out_of_memory, wait_status, output, crash] = value;
  return std::tie(out_of_memory, wait_status, output, crash);
}
template <typename T, typename = void>
struct HasFields : std::false_type {};
template <typename T>
struct HasFields<T, std::void_t<decltype(Fields(std::declval<T&>()))>> : std::true_type {};
template <typename T>
constexpr bool kIsMessage = HasFields<T>::value;

template <typename T>
struct IsArray : std::false_type {};
template <typename T, std::size_t N>
struct IsArray<std::array<T, N>> : std::true_type {};
template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {};

// Beyond the members' own encodings.
template <typename T>
bool IsSound(const T&) {
  return true;
}
bool IsSound(const CallArguments& call) {
  const OperatorInfo& info = InfoOf(call.op);
  return call.tensors.size() == info.tensors.size() && call.lists.size() == info.lists.size();
}
bool IsSound(const Timing& timing) {
  return timing.rounds >= 0 && timing.rounds <= kMostTimedRounds && timing.round_ns >= 0 &&
         timing.sets >= 1 && timing.sets <= kMostOperandSets;
}
bool IsSound(const Outcome& outcome) { return outcome.reached_edges.size() <= kMostReachedEdges; }

// Enumerators are dense from zero to this one.
constexpr Role LastOf(Role) { return Role::kOut; }
constexpr Operator LastOf(Operator) { return static_cast<Operator>(kOperatorCount - 1); }
constexpr Access LastOf(Access) { return Access::kWrite; }
constexpr CrashCause LastOf(CrashCause) { return CrashCause::kInstruction; }
constexpr Phase LastOf(Phase) { return Phase::kDone; }
constexpr End LastOf(End) { return End::kHarness; }
constexpr OpenMode LastOf(OpenMode) { return OpenMode::kLazyGlobal; }
constexpr OpenError LastOf(OpenError) { return OpenError::kDeviceRefused; }

// Bytes of the shortest encoding of a T: bounds how many a message can hold.
template <typename T>
constexpr std::size_t LeastBytes();
template <typename... Members>
constexpr std::size_t LeastBytesOfAll(std::tuple<Members&...>*) {
  return (LeastBytes<std::remove_const_t<Members>>() + ...);
}
template <typename T>
constexpr std::size_t LeastBytes() {
  if constexpr (kIsMessage<T>) {
    return LeastBytesOfAll(static_cast<decltype(Fields(std::declval<T&>()))*>(nullptr));
  } else if constexpr (kIsWord<T>) {
    return sizeof(T);
  } else if constexpr (IsArray<T>::value) {
    return std::tuple_size_v<T> * LeastBytes<typename T::value_type>();
  } else if constexpr (IsOptional<T>::value) {
    return 1;
  } else {
    return sizeof(std::uint64_t);  // the count of a text or vector
  }
}

// --- Writing -------------------------------------------------------------------------------------

class Writer {
 public:
  Writer(Tag tag, std::size_t reserve) {
    bytes_.reserve(reserve);
    Put(tag);
  }

  template <typename T, If<kIsWord<T>> = 0>
  void Put(T value) {
    Append(&value, sizeof value);
  }
  void Put(std::string_view text) {
    Put(std::uint64_t{text.size()});
    Append(text.data(), text.size());
  }
  void Put(const std::string& text) { Put(std::string_view(text)); }
  void Put(const Dims& dims) {
    Put(std::uint64_t{dims.size()});
    Append(dims.data(), dims.size() * sizeof(std::int64_t));
  }
  void Put(const std::vector<std::byte>& block) {
    Put(std::uint64_t{block.size()});
    Append(block.data(), block.size());
  }
  template <typename T>
  void Put(const std::optional<T>& value) {
    Put(value.has_value());
    if (value) Put(*value);
  }
  template <typename T>
  void Put(const std::vector<T>& values) {
    Put(std::uint64_t{values.size()});
    for (const T& value : values) Put(value);
  }
  template <typename T, std::size_t N>
  void Put(const std::array<T, N>& values) {
    for (const T& value : values) Put(value);
  }

  void Put(const CallPlan& plan) {
    for (const PlanMember& member : PlanMembers()) Put(std::int32_t{member.get(plan)});
  }
  template <typename T, If<kIsMessage<T>> = 0>
  void Put(const T& message) {
    std::apply([this](const auto&... members) { (this->Put(members), ...); }, Fields(message));
  }

  std::vector<std::byte> Take() { return std::move(bytes_); }

 private:
  void Append(const void* data, std::size_t size) {
    const auto* const from = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), from, from + size);
  }

  std::vector<std::byte> bytes_;
};

// --- Reading -------------------------------------------------------------------------------------

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <typename T, If<std::is_integral_v<T>> = 0>
  void Get(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      std::uint8_t word = 0;
      Get(word);
      if (word > 1) failed_ = true;
      value = word == 1;
    } else {
      Extract(&value, sizeof value);
    }
  }
  template <typename T, If<std::is_enum_v<T>> = 0>
  void Get(T& value) {
    static_assert(sizeof(T) == 1);
    std::uint8_t word = 0;
    Get(word);
    if (word > static_cast<std::uint8_t>(LastOf(T()))) failed_ = true;
    if (!failed_) value = static_cast<T>(word);
  }
  void Get(std::string& text) {
    text.resize(Count(1));
    Extract(text.data(), text.size());
  }
  void Get(Dims& dims) {
    dims.resize(Count(sizeof(std::int64_t)));
    Extract(dims.data(), dims.size() * sizeof(std::int64_t));
  }
  void Get(std::vector<std::byte>& block) {
    const std::size_t size = Count(1);
    if (failed_) return;
    block.assign(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(size));
    bytes_ = bytes_.subspan(size);
  }
  template <typename T>
  void Get(std::optional<T>& value) {
    bool present = false;
    Get(present);
    if (!present || failed_) {
      value.reset();
      return;
    }
    Get(value.emplace());
  }
  template <typename T>
  void Get(std::vector<T>& values) {
    values.resize(Count(LeastBytes<T>()));
    for (T& value : values) {
      if (failed_) return;
      Get(value);
    }
  }
  template <typename T, std::size_t N>
  void Get(std::array<T, N>& values) {
    for (T& value : values) Get(value);
  }

  void Get(CallPlan& plan) {
    for (const PlanMember& member : PlanMembers()) {
      std::int32_t value = 0;
      Get(value);
      // Numbers out of their range are CheckPlan's affair, which can say so.
      const bool is_number = member.kind == PlanMember::Kind::kNumber;
      if (!is_number && (value < member.least || value > member.most)) failed_ = true;
      if (!failed_) member.set(plan, value);
    }
  }
  template <typename T, If<kIsMessage<T>> = 0>
  void Get(T& message) {
    std::apply([this](auto&... members) { (this->Get(members), ...); }, Fields(message));
    if (!failed_ && !IsSound(message)) failed_ = true;
  }

  void Expect(Tag tag) {
    std::uint8_t first = 0;
    Get(first);
    if (first != static_cast<std::uint8_t>(tag)) failed_ = true;
  }
  [[nodiscard]] bool CleanEnd() const { return !failed_ && bytes_.empty(); }

 private:
  // Number of elements that follow, each of at least `least` bytes; 0 after a failure.
  std::size_t Count(std::size_t least) {
    std::uint64_t count = 0;
    Get(count);
    if (count > bytes_.size() / least) failed_ = true;
    return failed_ ? 0 : static_cast<std::size_t>(count);
  }
  void Extract(void* into, std::size_t size) {
    if (failed_ || size > bytes_.size()) {
      failed_ = true;
      return;
    }
    if (size == 0) return;
    std::memcpy(into, bytes_.data(), size);
    bytes_ = bytes_.subspan(size);
  }

  std::span<const std::byte> bytes_;
  bool failed_ = false;
};

template <typename T>
std::vector<std::byte> EncodeAs(Tag tag, const T& message, std::size_t reserve) {
  Writer writer(tag, reserve);
  writer.Put(message);
  return writer.Take();
}

template <typename T>
Result<T> DecodeAs(Tag tag, std::span<const std::byte> bytes, const char* name) {
  Reader reader(bytes);
  reader.Expect(tag);
  T message;
  reader.Get(message);
  if (!reader.CleanEnd()) {
    return InvalidArgument(std::string(name) + ": " + std::to_string(bytes.size()) +
                           " bytes that are not such a message");
  }
  return message;
}

std::size_t RoughSize(const Invocation& message) {
  std::size_t size = 256;
  for (const CallArguments& call : message.calls) {
    for (const TensorArgument& tensor : call.tensors) size += 256 + tensor.bytes.size();
  }
  return size;
}

std::size_t RoughSize(const Outcome& message) {
  std::size_t size = 512 + message.detail.size() + message.output_tail.size();
  for (const CallOutcome& call : message.calls) {
    size += 256 + call.message.size();
    for (const std::vector<std::byte>& output : call.outputs) size += output.size();
  }
  return size;
}

}  // namespace

std::vector<std::byte> Encode(const OpenRequest& message) {
  return EncodeAs(Tag::kOpenRequest, message, 512);
}
std::vector<std::byte> Encode(const OpenReply& message) {
  return EncodeAs(Tag::kOpenReply, message, 1024);
}
std::vector<std::byte> Encode(const Invocation& message) {
  return EncodeAs(Tag::kInvocation, message, RoughSize(message));
}
std::vector<std::byte> Encode(const Outcome& message) {
  return EncodeAs(Tag::kOutcome, message, RoughSize(message));
}
std::vector<std::byte> Encode(const WorkerStart& message) {
  return EncodeAs(Tag::kWorkerStart, message, 512);
}
std::vector<std::byte> Encode(const WorkerEnd& message) {
  return EncodeAs(Tag::kWorkerEnd, message, 512 + message.output.size());
}

Result<OpenRequest> DecodeOpenRequest(std::span<const std::byte> bytes) {
  return DecodeAs<OpenRequest>(Tag::kOpenRequest, bytes, "open request");
}
Result<OpenReply> DecodeOpenReply(std::span<const std::byte> bytes) {
  return DecodeAs<OpenReply>(Tag::kOpenReply, bytes, "open reply");
}
Result<Invocation> DecodeInvocation(std::span<const std::byte> bytes) {
  return DecodeAs<Invocation>(Tag::kInvocation, bytes, "invocation");
}
Result<Outcome> DecodeOutcome(std::span<const std::byte> bytes) {
  return DecodeAs<Outcome>(Tag::kOutcome, bytes, "outcome");
}
Result<WorkerStart> DecodeWorkerStart(std::span<const std::byte> bytes) {
  return DecodeAs<WorkerStart>(Tag::kWorkerStart, bytes, "worker start");
}
Result<WorkerEnd> DecodeWorkerEnd(std::span<const std::byte> bytes) {
  return DecodeAs<WorkerEnd>(Tag::kWorkerEnd, bytes, "worker end");
}

}  // namespace poolproof
