// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/library.h"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/wire/unique_fd.h"

namespace poolproof {
namespace {

constexpr std::size_t kMaxTextBytes = 4096;

class Symbols {
 public:
  explicit Symbols(std::vector<void*> handles) : handles_(std::move(handles)) {}

  // First export wins.
  [[nodiscard]] void* Find(const std::string& name) const {
    for (void* const handle : handles_) {
      if (void* const symbol = ::dlsym(handle, name.c_str())) return symbol;
    }
    return nullptr;
  }

  template <typename F>
  bool Bind(F& function, const char* name) const {
    function = reinterpret_cast<F>(Find(name));
    return function != nullptr;
  }

 private:
  std::vector<void*> handles_;
};

template <typename F>
void BindRequired(const Symbols& symbols, F& function, const char* name, Probe& probe) {
  if (!symbols.Bind(function, name)) probe.missing.emplace_back(name);
}

template <typename F>
void BindOptional(const Symbols& symbols, F& function, const char* name, Probe& probe) {
  if (symbols.Bind(function, name)) probe.optional_symbols.emplace_back(name);
}

void BindOperators(const Symbols& symbols, Abi& abi, Probe& probe) {
  // A library that learns what it offers while it runs, as one around an interpreter does, exports
  // all operators and says which ones count.
  int (*offers)(const char*) = nullptr;
  symbols.Bind(offers, "poolproofOffers");
  for (const OperatorInfo& info : AllOperators()) {
    const std::string name = "aclnn" + std::string(info.name);
    AbiOperator& entry = abi.operators[static_cast<std::size_t>(info.op)];
    entry.phase_one = symbols.Find(name + "GetWorkspaceSize");
    symbols.Bind(entry.phase_two, name.c_str());
    const bool exported = entry.phase_one != nullptr && entry.phase_two != nullptr;
    if (!exported || (offers != nullptr && offers(std::string(info.name).c_str()) == 0)) {
      entry = {};
      continue;
    }
    probe.operators.emplace_back(info.name);
  }
  if (probe.operators.empty()) {
    probe.missing.emplace_back(
        "aclnnMaxPool3dWithArgmaxBackward (or another operator, with its "
        "GetWorkspaceSize)");
  }
}

void BindAll(const Symbols& symbols, Abi& abi, Probe& probe) {
  BindRequired(symbols, abi.rt_malloc, "aclrtMalloc", probe);
  BindRequired(symbols, abi.rt_free, "aclrtFree", probe);
  BindRequired(symbols, abi.rt_memcpy, "aclrtMemcpy", probe);
  BindRequired(symbols, abi.create_stream, "aclrtCreateStream", probe);
  BindRequired(symbols, abi.destroy_stream, "aclrtDestroyStream", probe);
  BindRequired(symbols, abi.synchronize_stream, "aclrtSynchronizeStream", probe);
  BindRequired(symbols, abi.create_tensor, "aclCreateTensor", probe);
  BindRequired(symbols, abi.destroy_tensor, "aclDestroyTensor", probe);
  BindRequired(symbols, abi.create_int_array, "aclCreateIntArray", probe);
  BindRequired(symbols, abi.destroy_int_array, "aclDestroyIntArray", probe);
  BindOptional(symbols, abi.init, "aclInit", probe);
  BindOptional(symbols, abi.finalize, "aclFinalize", probe);
  BindOptional(symbols, abi.nn_init, "aclnnInit", probe);
  BindOptional(symbols, abi.nn_finalize, "aclnnFinalize", probe);
  BindOptional(symbols, abi.set_device, "aclrtSetDevice", probe);
  BindOptional(symbols, abi.reset_device, "aclrtResetDevice", probe);
  BindOptional(symbols, abi.get_device_count, "aclrtGetDeviceCount", probe);
  BindOptional(symbols, abi.get_soc_name, "aclrtGetSocName", probe);
  BindOptional(symbols, abi.get_mem_info, "aclrtGetMemInfo", probe);
  BindOptional(symbols, abi.rt_memcpy_async, "aclrtMemcpyAsync", probe);
  BindOptional(symbols, abi.synchronize_device, "aclrtSynchronizeDevice", probe);
  BindOptional(symbols, abi.get_recent_err_msg, "aclGetRecentErrMsg", probe);
  BindOptional(symbols, abi.ctx_set_sys_param_opt, "aclrtCtxSetSysParamOpt", probe);
  BindOptional(symbols, abi.set_sys_param_opt, "aclrtSetSysParamOpt", probe);
  BindOptional(symbols, abi.set_executor_repeatable, "aclSetAclOpExecutorRepeatable", probe);
  BindOptional(symbols, abi.destroy_executor, "aclDestroyAclOpExecutor", probe);
  BindOptional(symbols, abi.set_input_tensor_addr, "aclSetInputTensorAddr", probe);
  BindOptional(symbols, abi.set_output_tensor_addr, "aclSetOutputTensorAddr", probe);
  symbols.Bind(abi.create_event, "aclrtCreateEvent");
  symbols.Bind(abi.destroy_event, "aclrtDestroyEvent");
  symbols.Bind(abi.record_event, "aclrtRecordEvent");
  symbols.Bind(abi.event_elapsed_time, "aclrtEventElapsedTime");
  BindOperators(symbols, abi, probe);
}

std::string Returned(const char* function, std::int32_t status) {
  return std::string(function) + " returned " + std::to_string(status);
}

// The text at an address that the library gave, which may be no address: stubs answer with any
// number. write(2) answers EFAULT where a load would end the process. Without line ends; nullopt
// where nothing can be read.
std::optional<std::string> TextAt(const char* text, std::size_t limit) {
  constexpr std::size_t kStep = 64;  // within a page
  std::array<int, 2> ends;
  if (text == nullptr || ::pipe(ends.data()) != 0) return std::nullopt;
  const UniqueFd reader(ends[0]);
  const UniqueFd writer(ends[1]);
  std::string copy;
  while (copy.size() < limit) {
    const std::size_t step = kStep - reinterpret_cast<std::uintptr_t>(text) % kStep;
    std::array<char, kStep> piece;
    // Not by the C library's function, which a sanitizer would check.
    if (::syscall(SYS_write, writer.get(), text, step) != static_cast<long>(step) ||
        ::read(reader.get(), piece.data(), step) != static_cast<ssize_t>(step)) {
      return copy.empty() ? std::nullopt : std::optional(copy);
    }
    const std::size_t length = ::strnlen(piece.data(), step);
    copy.append(piece.data(), length);
    if (length < step) break;
    text += step;
  }
  copy.resize(std::min(copy.size(), limit));
  std::replace(copy.begin(), copy.end(), '\n', ' ');
  return copy;
}

// What the library has to say of what it just refused, in brackets.
std::string RecentMessage(const Abi& abi) {
  constexpr std::size_t kLimit = 300;
  if (abi.get_recent_err_msg == nullptr) return {};
  const std::optional<std::string> message = TextAt(abi.get_recent_err_msg(), kLimit);
  if (!message || message->empty()) return {};
  return " (aclGetRecentErrMsg: " + *message + ")";
}

// What makes the implementation unusable, or an empty text.
std::string Initialise(const Abi& abi, std::int32_t device, OpenReply& reply) {
  Probe& probe = reply.probe;
  if (abi.init != nullptr) {
    const std::int32_t status = abi.init(nullptr);
    if (status != 0 && status != kAbiRepeatInitialize) return Returned("aclInit", status);
  }
  if (abi.get_device_count != nullptr) {
    std::uint32_t count = 0;
    const std::int32_t status = abi.get_device_count(&count);
    if (status != 0) return Returned("aclrtGetDeviceCount", status);
    probe.devices = count;
    if (count == 0) return "aclrtGetDeviceCount gave 0 devices";
    if (device < 0 || static_cast<std::uint32_t>(device) >= count) {
      return "device " + std::to_string(device) + " was asked for, and aclrtGetDeviceCount gave " +
             std::to_string(count);
    }
  }
  if (abi.set_device != nullptr) {
    if (const std::int32_t status = abi.set_device(device); status != 0) {
      if (probe.devices) reply.error = OpenError::kDeviceRefused;
      return Returned(("aclrtSetDevice(" + std::to_string(device) + ")").c_str(), status);
    }
  }
  if (abi.nn_init != nullptr) {
    const std::int32_t status = abi.nn_init(nullptr);
    if (status != 0 && status != kAbiRepeatInitialize) return Returned("aclnnInit", status);
  }
  if (abi.get_soc_name != nullptr) {
    const char* const soc = abi.get_soc_name();
    if (soc == nullptr) return "aclrtGetSocName returned a null pointer";
    const std::optional<std::string> text = TextAt(soc, kMaxTextBytes);
    if (!text) return "aclrtGetSocName returned a pointer to nothing";
    probe.soc = *text;
  }
  return {};
}

// True where the bytes behind `device_pointer` can be read on the host and equal `pattern`.
// write(2) answers EFAULT where a load would end the process.
bool ReadsAs(const void* device_pointer, const std::array<unsigned char, 64>& pattern) {
  std::array<int, 2> ends;
  if (::pipe(ends.data()) != 0) return false;
  const UniqueFd reader(ends[0]);
  const UniqueFd writer(ends[1]);
  std::array<unsigned char, 64> seen{};
  const auto size = static_cast<ssize_t>(pattern.size());
  return ::write(writer.get(), device_pointer, pattern.size()) == size &&
         ::read(reader.get(), seen.data(), seen.size()) == size && seen == pattern;
}

// A stream, a block of memory and a tensor, as every call needs them. What makes the implementation
// unusable, or an empty text.
std::string TryDevice(const Abi& abi, Probe& probe) {
  AbiStream stream = nullptr;
  if (const std::int32_t status = abi.create_stream(&stream); status != 0) {
    return Returned("aclrtCreateStream", status);
  }
  void* block = nullptr;
  std::array<unsigned char, 64> pattern;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    pattern[i] = static_cast<unsigned char>(0x35 + 37 * i);
  }
  if (const std::int32_t status = abi.rt_malloc(&block, pattern.size(), kAbiMallocHugeFirst);
      status != 0) {
    return Returned("aclrtMalloc(64)", status);
  }
  if (block == nullptr) return "aclrtMalloc(64) succeeded and gave a null pointer";
  if (const std::int32_t status =
          abi.rt_memcpy(block, pattern.size(), pattern.data(), pattern.size(), kAbiHostToDevice);
      status != 0) {
    return Returned("aclrtMemcpy to the device", status);
  }
  std::array<unsigned char, 64> back{};
  if (const std::int32_t status =
          abi.rt_memcpy(back.data(), back.size(), block, back.size(), kAbiDeviceToHost);
      status != 0) {
    return Returned("aclrtMemcpy from the device", status);
  }
  if (back != pattern) return "aclrtMemcpy to the device and back gave other bytes";
  probe.host_memory = ReadsAs(block, pattern);

  const std::array<std::int64_t, 2> shape = {4, 4};
  const std::array<std::int64_t, 2> strides = {4, 1};
  const AbiTensor* const tensor = abi.create_tensor(
      shape.data(), shape.size(), static_cast<std::int32_t>(DataType::kFloat), strides.data(), 0,
      static_cast<std::int32_t>(Format::kNd), shape.data(), shape.size(), block);
  if (tensor == nullptr) return "aclCreateTensor returned a null pointer for a valid tensor";
  abi.destroy_tensor(tensor);
  abi.rt_free(block);
  abi.destroy_stream(stream);
  return {};
}

void Open(const OpenRequest& request, OpenedLibrary& opened) {
  OpenReply& reply = opened.reply;
  const int flags =
      request.mode == OpenMode::kNowLocal ? RTLD_NOW | RTLD_LOCAL : RTLD_LAZY | RTLD_GLOBAL;
  std::vector<void*> handles;
  for (const std::string& library : request.libraries) {
    void* const handle = ::dlopen(library.c_str(), flags);
    if (handle == nullptr) {
      const char* const why = ::dlerror();
      reply.error = OpenError::kCannotOpen;
      reply.detail = why == nullptr ? library : why;
      return;
    }
    handles.push_back(handle);
  }
  BindAll(Symbols(std::move(handles)), opened.abi, reply.probe);
  if (!reply.probe.missing.empty()) {
    reply.error = OpenError::kMissingSymbols;
    return;
  }
  reply.detail = Initialise(opened.abi, request.device, reply);
  if (reply.detail.empty()) reply.detail = TryDevice(opened.abi, reply.probe);
  if (reply.detail.empty()) return;
  if (reply.error == OpenError::kNone) reply.error = OpenError::kNoDevice;
  reply.detail += RecentMessage(opened.abi);
}

}  // namespace

OpenedLibrary OpenLibrary(const OpenRequest& request) {
  OpenedLibrary opened;
  try {
    Open(request, opened);
  } catch (const std::exception& thrown) {
    opened.reply.error = OpenError::kNoDevice;
    opened.reply.detail = std::string("an exception came out of it: ") + thrown.what();
  } catch (...) {
    opened.reply.error = OpenError::kNoDevice;
    opened.reply.detail = "an exception came out of it";
  }
  return opened;
}

void CloseLibrary(const Abi& abi, std::int32_t device) {
  try {
    if (abi.nn_finalize != nullptr) abi.nn_finalize();
    if (abi.reset_device != nullptr) abi.reset_device(device);
    if (abi.finalize != nullptr) abi.finalize();
  } catch (...) {
    // The process ends anyway, and no case is under judgement.
  }
}

}  // namespace poolproof
