// SPDX-License-Identifier: Apache-2.0
#include "conformance/wire/codec.h"

#include <array>
#include <concepts>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

namespace poolproof {
namespace {

// First byte of a message; changes with the encoding, so that a runner meets only its own worker.
enum class Tag : std::uint8_t { kOpenRequest = 0x11, kOpenReply, kInvocation, kOutcome };

class Writer {
 public:
  Writer(Tag tag, std::size_t reserve) {
    bytes_.reserve(reserve);
    Put(tag);
  }

  template <typename T>
  requires std::integral<T> || std::is_enum_v<T>
  void Put(T value) { Append(&value, sizeof value); }
  void Put(std::string_view text) {
    Put(std::uint64_t{text.size()});
    Append(text.data(), text.size());
  }
  void Put(const std::string& text) { Put(std::string_view(text)); }
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

  // The structured bindings below fail to compile when a member is added and not encoded.
  void Put(const TensorArgument& value) {
    const auto& [role, null, is_output, type, format, shape, strides, offset, storage, bytes] =
        value;
    PutAll(role, null, is_output, type, format, shape, strides, offset, storage, bytes);
  }
  void Put(const CallArguments& value) {
    const auto& [op, tensors, lists, ceil_mode] = value;
    PutAll(op, tensors, lists, ceil_mode);
  }
  void Put(const Plan& value) {
    const auto& [descriptors_only, null_size, null_executor, two_alone, deterministic, repeat,
                 threads, settle_ms, growth_calls, late, vary, reuse, shift, streams, guard, order,
                 output, workspace, relation] = value;
    PutAll(descriptors_only, null_size, null_executor, two_alone, deterministic, repeat, threads,
           settle_ms, growth_calls, late, vary, reuse, shift, streams, guard, order, output,
           workspace, relation);
  }
  void Put(const Invocation& value) {
    const auto& [calls, plan, guard_bytes] = value;
    PutAll(calls, plan, guard_bytes);
  }
  void Put(const GuardTouch& value) {
    const auto& [distance, access] = value;
    PutAll(distance, access);
  }
  void Put(const MemoryFacts& value) {
    const auto& [before, after, first_changed, touch] = value;
    PutAll(before, after, first_changed, touch);
  }
  void Put(const CallOutcome& value) {
    const auto& [reached, one, two, synchronise, size_set, executor_set, size, one_wrote,
                 one_wrote_to, guarded, reused, workspace, memory, outputs, message, nanoseconds] =
        value;
    PutAll(reached, one, two, synchronise, size_set, executor_set, size, one_wrote, one_wrote_to,
           guarded, reused, workspace, memory, outputs, message, nanoseconds);
  }
  void Put(const ProcessFacts& value) {
    const auto& [descriptors, environment, handlers, directory, grown] = value;
    PutAll(descriptors, environment, handlers, directory, grown);
  }
  void Put(const Outcome& value) {
    const auto& [end, signal, exit_code, at_call, in, calls, process, tail, detail, edges] = value;
    PutAll(end, signal, exit_code, std::uint64_t{at_call}, in, calls, process, tail, detail, edges);
  }
  void Put(const Probe& value) {
    const auto& [soc, devices, operators, missing, optional_symbols, host_memory] = value;
    PutAll(soc, devices, operators, missing, optional_symbols, host_memory);
  }
  void Put(const OpenRequest& value) {
    const auto& [libraries, mode, device] = value;
    PutAll(libraries, mode, device);
  }
  void Put(const OpenReply& value) {
    const auto& [error, detail, probe] = value;
    PutAll(error, detail, probe);
  }

  std::vector<std::byte> Take() { return std::move(bytes_); }

 private:
  template <typename... T>
  void PutAll(const T&... values) {
    (Put(values), ...);
  }
  void Append(const void* data, std::size_t size) {
    if (size == 0) return;
    const std::size_t at = bytes_.size();
    bytes_.resize(at + size);
    std::memcpy(bytes_.data() + at, data, size);
  }

  std::vector<std::byte> bytes_;
};

// Bytes that the shortest encoding of a T takes, or fewer: bounds how many a message can hold.
template <typename T>
constexpr std::size_t kLeastBytes = 1;
template <std::integral T>
constexpr std::size_t kLeastBytes<T> = sizeof(T);
template <>
constexpr std::size_t kLeastBytes<std::string> = 8;
template <>
constexpr std::size_t kLeastBytes<TensorArgument> = 51;
template <>
constexpr std::size_t kLeastBytes<CallArguments> = 18;
template <>
constexpr std::size_t kLeastBytes<CallOutcome> = 105;

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <std::integral T>
  void Get(T& value) {
    if constexpr (std::same_as<T, bool>) {
      std::uint8_t word = 0;
      Get(word);
      if (word > 1) failed_ = true;
      value = word == 1;
    } else {
      Extract(&value, sizeof value);
    }
  }
  // Enumerators are dense from zero to a last one, which the overloads name.
  void Get(Role& value) { GetEnum(value, Role::kOut); }
  void Get(Operator& value) { GetEnum(value, Operator::kAdaptiveMaxPool2d); }
  void Get(Poison& value) { GetEnum(value, Poison::kMixed); }
  void Get(Guard& value) { GetEnum(value, Guard::kBefore); }
  void Get(Order& value) { GetEnum(value, Order::kLifo); }
  void Get(Access& value) { GetEnum(value, Access::kWrite); }
  void Get(Relation& value) { GetEnum(value, Relation::kIndexType); }
  void Get(Phase& value) { GetEnum(value, Phase::kDone); }
  void Get(End& value) { GetEnum(value, End::kHarness); }
  void Get(OpenMode& value) { GetEnum(value, OpenMode::kLazyGlobal); }
  void Get(OpenError& value) { GetEnum(value, OpenError::kNoDevice); }
  void Get(std::string& text) {
    text.resize(Count(1));
    Extract(text.data(), text.size());
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
    values.resize(Count(kLeastBytes<T>));
    for (T& value : values) {
      if (failed_) return;
      Get(value);
    }
  }
  template <typename T, std::size_t N>
  void Get(std::array<T, N>& values) {
    for (T& value : values) Get(value);
  }

  void Get(TensorArgument& value) {
    auto& [role, null, is_output, type, format, shape, strides, offset, storage, bytes] = value;
    GetAll(role, null, is_output, type, format, shape, strides, offset, storage, bytes);
  }
  void Get(CallArguments& value) {
    auto& [op, tensors, lists, ceil_mode] = value;
    GetAll(op, tensors, lists, ceil_mode);
    if (failed_) return;
    const OperatorInfo& info = InfoOf(op);
    if (tensors.size() != info.tensors.size() || lists.size() != info.lists.size()) failed_ = true;
  }
  void Get(Plan& value) {
    auto& [descriptors_only, null_size, null_executor, two_alone, deterministic, repeat, threads,
           settle_ms, growth_calls, late, vary, reuse, shift, streams, guard, order, output,
           workspace, relation] = value;
    GetAll(descriptors_only, null_size, null_executor, two_alone, deterministic, repeat, threads,
           settle_ms, growth_calls, late, vary, reuse, shift, streams, guard, order, output,
           workspace, relation);
  }
  void Get(Invocation& value) {
    auto& [calls, plan, guard_bytes] = value;
    GetAll(calls, plan, guard_bytes);
  }
  void Get(GuardTouch& value) {
    auto& [distance, access] = value;
    GetAll(distance, access);
  }
  void Get(MemoryFacts& value) {
    auto& [before, after, first_changed, touch] = value;
    GetAll(before, after, first_changed, touch);
  }
  void Get(CallOutcome& value) {
    auto& [reached, one, two, synchronise, size_set, executor_set, size, one_wrote, one_wrote_to,
           guarded, reused, workspace, memory, outputs, message, nanoseconds] = value;
    GetAll(reached, one, two, synchronise, size_set, executor_set, size, one_wrote, one_wrote_to,
           guarded, reused, workspace, memory, outputs, message, nanoseconds);
  }
  void Get(ProcessFacts& value) {
    auto& [descriptors, environment, handlers, directory, grown] = value;
    GetAll(descriptors, environment, handlers, directory, grown);
  }
  void Get(Outcome& value) {
    auto& [end, signal, exit_code, at_call, in, calls, process, tail, detail, edges] = value;
    std::uint64_t at = 0;
    GetAll(end, signal, exit_code, at, in, calls, process, tail, detail, edges);
    if (edges.size() > kMostReachedEdges) failed_ = true;
    at_call = static_cast<std::size_t>(at);
  }
  void Get(Probe& value) {
    auto& [soc, devices, operators, missing, optional_symbols, host_memory] = value;
    GetAll(soc, devices, operators, missing, optional_symbols, host_memory);
  }
  void Get(OpenRequest& value) {
    auto& [libraries, mode, device] = value;
    GetAll(libraries, mode, device);
  }
  void Get(OpenReply& value) {
    auto& [error, detail, probe] = value;
    GetAll(error, detail, probe);
  }

  void Expect(Tag tag) {
    std::uint8_t first = 0;
    Get(first);
    if (first != static_cast<std::uint8_t>(tag)) failed_ = true;
  }
  [[nodiscard]] bool CleanEnd() const { return !failed_ && bytes_.empty(); }

 private:
  template <typename... T>
  void GetAll(T&... values) {
    (Get(values), ...);
  }
  template <typename T>
  void GetEnum(T& value, T last) {
    std::uint8_t word = 0;
    Get(word);
    if (word > static_cast<std::uint8_t>(last)) failed_ = true;
    if (!failed_) value = static_cast<T>(word);
  }
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
                           " bytes that are no such message");
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

}  // namespace poolproof
