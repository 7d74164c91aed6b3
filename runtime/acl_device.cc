// SPDX-License-Identifier: Apache-2.0
//
// acl*: start and end, device, contexts, options, messages, scalar helpers.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"
#include "core/float_bits.h"
#include "runtime/boundary.h"
#include "runtime/platform.h"
#include "runtime/state.h"

namespace poolproof {
namespace {

thread_local constinit std::array<char, 128> soc_name_text = {};

Refusal NullArgument(std::string_view name) {
  return {ACL_ERROR_INVALID_PARAM, Complaint(name, "null", "a valid pointer")};
}

Objection CheckDevice(std::int32_t device) {
  if (device == 0) return std::nullopt;
  return Refusal{ACL_ERROR_RT_INVALID_DEVICEID,
                 Complaint("deviceId", std::to_string(device), "0, the only device")};
}

Objection CheckOption(aclSysParamOpt option) {
  if (option <= ACL_OPT_ENABLE_KERNEL_EARLY_START) return std::nullopt;
  return Refusal{ACL_ERROR_INVALID_PARAM,
                 Complaint("opt", std::to_string(static_cast<unsigned>(option)), "0 to 3")};
}

// The primary context, made where there is none. Requires state.mutex held.
aclrtContext PrimaryContext(RuntimeState& state) {
  if (state.primary_context == nullptr && !state.closed) {
    auto context = std::make_unique<Context>();
    state.primary_context = context.get();
    state.contexts.emplace(state.primary_context, std::move(context));
  }
  return state.primary_context;
}

// The options of the thread's context, or of the primary one. Requires state.mutex held.
Context* OptionContext(RuntimeState& state, aclrtContext current) {
  const auto found = state.contexts.find(current != nullptr ? current : PrimaryContext(state));
  return found == state.contexts.end() ? nullptr : found->second.get();
}

Objection ResetDevice(std::int32_t device, bool force) {
  if (auto no = CheckDevice(device)) return no;
  RuntimeState& state = State();
  const std::lock_guard lock(state.mutex);
  if (state.device_count > 0) state.device_count = force ? 0 : state.device_count - 1;
  if (state.device_count == 0) {
    state.contexts.erase(state.primary_context);
    state.primary_context = nullptr;
  }
  return std::nullopt;
}

Objection Finalize(std::uint64_t* remaining) {
  RuntimeState& state = State();
  const std::lock_guard lock(state.mutex);
  if (state.init_count == 0) {
    return Refusal{ACL_ERROR_REPEAT_FINALIZE, "aclInit was not called, or is already undone"};
  }
  --state.init_count;
  if (remaining != nullptr) *remaining = state.init_count;
  return std::nullopt;
}

Objection OpenDevice() {
  const auto open = Device().open;
  const char* const why = open != nullptr ? open() : nullptr;
  if (why == nullptr) return std::nullopt;
  return Refusal{ACL_ERROR_RT_NO_DEVICE, why};
}

// Largest finite binary16 with `sign`.
std::uint16_t SaturatedHalf(std::uint16_t sign) {
  return static_cast<std::uint16_t>(sign | 0x7bffU);
}

}  // namespace

std::int64_t SysParam(aclSysParamOpt option) {
  const aclrtContext current = ThreadContext();
  RuntimeState& state = State();
  const std::lock_guard lock(state.mutex);
  const Context* context = OptionContext(state, current);
  if (context != nullptr && context->options.contains(option)) return context->options.at(option);
  const auto found = state.options.find(option);
  return found == state.options.end() ? 0 : found->second;
}

}  // namespace poolproof

using namespace poolproof;  // NOLINT(google-build-using-namespace): the C ABI is global

aclError aclInit(const char* /*configPath*/) {
  return AtBoundary("aclInit", kAclCodes, []() -> Objection {
    if (auto no = OpenDevice()) return no;
    RuntimeState& state = State();
    const std::lock_guard lock(state.mutex);
    if (++state.init_count == 1) return std::nullopt;
    return Refusal{ACL_ERROR_REPEAT_INITIALIZE,
                   "already initialised; counted, so that one more aclFinalize is due"};
  });
}

aclError aclFinalize() {
  return AtBoundary("aclFinalize", kAclCodes, [] { return Finalize(nullptr); });
}

aclError aclFinalizeReference(uint64_t* refCount) {
  return AtBoundary("aclFinalizeReference", kAclCodes, [=] { return Finalize(refCount); });
}

aclnnStatus aclnnInit(const char* /*configPath*/) { return 0; }

aclnnStatus aclnnFinalize() { return 0; }

aclError aclrtGetVersion(int32_t* majorVersion, int32_t* minorVersion, int32_t* patchVersion) {
  return AtBoundary("aclrtGetVersion", kAclCodes, [=]() -> Objection {
    if (majorVersion == nullptr) return NullArgument("majorVersion");
    if (minorVersion == nullptr) return NullArgument("minorVersion");
    if (patchVersion == nullptr) return NullArgument("patchVersion");
    *majorVersion = ACL_MAJOR_VERSION;
    *minorVersion = ACL_MINOR_VERSION;
    *patchVersion = ACL_PATCH_VERSION;
    return std::nullopt;
  });
}

const char* aclGetRecentErrMsg() { return TakeMessage(); }

const char* aclrtGetSocName() {
  return AtBoundaryOrNull("aclrtGetSocName", []() -> const char* {
    const std::string name(SocName());
    const std::size_t size = std::min(name.size(), soc_name_text.size() - 1);
    std::memcpy(soc_name_text.data(), name.data(), size);
    soc_name_text[size] = '\0';
    return soc_name_text.data();
  });
}

aclError aclrtSetDevice(int32_t deviceId) {
  return AtBoundary("aclrtSetDevice", kAclCodes, [=]() -> Objection {
    if (auto no = CheckDevice(deviceId)) return no;
    aclrtContext& current = ThreadContext();
    RuntimeState& state = State();
    const std::lock_guard lock(state.mutex);
    current = PrimaryContext(state);
    ++state.device_count;
    return std::nullopt;
  });
}

aclError aclrtResetDevice(int32_t deviceId) {
  return AtBoundary("aclrtResetDevice", kAclCodes, [=] { return ResetDevice(deviceId, false); });
}

aclError aclrtResetDeviceForce(int32_t deviceId) {
  return AtBoundary("aclrtResetDeviceForce", kAclCodes,
                    [=] { return ResetDevice(deviceId, true); });
}

aclError aclrtGetDevice(int32_t* deviceId) {
  return AtBoundary("aclrtGetDevice", kAclCodes, [=]() -> Objection {
    if (deviceId == nullptr) return NullArgument("deviceId");
    if (ThreadContext() == nullptr) {
      return Refusal{
          ACL_ERROR_RT_CONTEXT_NULL,
          "this thread has no context, expected aclrtSetDevice or aclrtSetCurrentContext"};
    }
    *deviceId = 0;
    return std::nullopt;
  });
}

aclError aclrtGetDeviceCount(uint32_t* count) {
  return AtBoundary("aclrtGetDeviceCount", kAclCodes, [=]() -> Objection {
    if (count == nullptr) return NullArgument("count");
    *count = 1;
    return std::nullopt;
  });
}

aclError aclrtGetRunMode(aclrtRunMode* runMode) {
  return AtBoundary("aclrtGetRunMode", kAclCodes, [=]() -> Objection {
    if (runMode == nullptr) return NullArgument("runMode");
    *runMode = ACL_HOST;
    return std::nullopt;
  });
}

aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId) {
  return AtBoundary("aclrtCreateContext", kAclCodes, [=]() -> Objection {
    if (context == nullptr) return NullArgument("context");
    if (auto no = CheckDevice(deviceId)) return no;
    aclrtContext& current = ThreadContext();
    auto owner = std::make_unique<Context>();
    const aclrtContext handle = owner.get();
    RuntimeState& state = State();
    const std::lock_guard lock(state.mutex);
    state.contexts.emplace(handle, std::move(owner));
    *context = current = handle;
    return std::nullopt;
  });
}

aclError aclrtDestroyContext(aclrtContext context) {
  return AtBoundary("aclrtDestroyContext", kAclCodes, [=]() -> Objection {
    if (context == nullptr) return NullArgument("context");
    RuntimeState& state = State();
    const std::lock_guard lock(state.mutex);
    if (context != state.primary_context && state.contexts.erase(context) == 1) return std::nullopt;
    return Refusal{ACL_ERROR_RT_CONTEXT_NULL,
                   "context is not alive, expected one of aclrtCreateContext"};
  });
}

aclError aclrtSetCurrentContext(aclrtContext context) {
  return AtBoundary("aclrtSetCurrentContext", kAclCodes, [=]() -> Objection {
    if (context == nullptr) return NullArgument("context");
    aclrtContext& current = ThreadContext();
    RuntimeState& state = State();
    const std::lock_guard lock(state.mutex);
    if (!state.contexts.contains(context)) {
      return Refusal{ACL_ERROR_RT_CONTEXT_NULL, "context is not alive"};
    }
    current = context;
    return std::nullopt;
  });
}

aclError aclrtGetCurrentContext(aclrtContext* context) {
  return AtBoundary("aclrtGetCurrentContext", kAclCodes, [=]() -> Objection {
    if (context == nullptr) return NullArgument("context");
    const aclrtContext current = ThreadContext();
    if (current == nullptr) {
      return Refusal{ACL_ERROR_RT_CONTEXT_NULL, "this thread has no context"};
    }
    *context = current;
    return std::nullopt;
  });
}

aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
  return AtBoundary("aclrtCtxSetSysParamOpt", kAclCodes, [=]() -> Objection {
    if (auto no = CheckOption(opt)) return no;
    const aclrtContext current = ThreadContext();
    RuntimeState& state = State();
    const std::lock_guard lock(state.mutex);
    Context* context = OptionContext(state, current);
    if (context == nullptr) {
      return Refusal{ACL_ERROR_RT_CONTEXT_NULL, "the library has been shut down"};
    }
    context->options[opt] = value;
    return std::nullopt;
  });
}

aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
  return AtBoundary("aclrtCtxGetSysParamOpt", kAclCodes, [=]() -> Objection {
    if (auto no = CheckOption(opt)) return no;
    if (value == nullptr) return NullArgument("value");
    const aclrtContext current = ThreadContext();
    RuntimeState& state = State();
    const std::lock_guard lock(state.mutex);
    const Context* context = OptionContext(state, current);
    if (context == nullptr || !context->options.contains(opt)) {
      return Refusal{ACL_ERROR_RT_SYSPARAMOPT_NOT_SET,
                     Complaint("opt", std::to_string(static_cast<unsigned>(opt)),
                               "an option that aclrtCtxSetSysParamOpt has set")};
    }
    *value = context->options.at(opt);
    return std::nullopt;
  });
}

aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
  return AtBoundary("aclrtSetSysParamOpt", kAclCodes, [=]() -> Objection {
    if (auto no = CheckOption(opt)) return no;
    RuntimeState& state = State();
    const std::lock_guard lock(state.mutex);
    state.options[opt] = value;
    return std::nullopt;
  });
}

aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
  return AtBoundary("aclrtGetSysParamOpt", kAclCodes, [=]() -> Objection {
    if (auto no = CheckOption(opt)) return no;
    if (value == nullptr) return NullArgument("value");
    RuntimeState& state = State();
    const std::lock_guard lock(state.mutex);
    const auto found = state.options.find(opt);
    *value = found == state.options.end() ? 0 : found->second;
    return std::nullopt;
  });
}

size_t aclDataTypeSize(aclDataType dataType) {
  if (dataType >= ACL_HIFLOAT8 && dataType <= ACL_FLOAT8_E8M0) return 1;
  for (const DataTypeInfo& info : AllDataTypes()) {
    if (info.type == static_cast<DataType>(dataType)) return static_cast<std::size_t>(info.bytes);
  }
  return 0;
}

float aclFloat16ToFloat(aclFloat16 value) {
  if ((value & 0x7c00U) != 0x7c00U) return HalfToFloat(value);
  // Exponent 31 like any other: twice what exponent 30 gives.
  return 2.0F * HalfToFloat(static_cast<std::uint16_t>(value - 0x0400U));
}

aclFloat16 aclFloatToFloat16(float value) {
  const auto sign =
      static_cast<std::uint16_t>((std::bit_cast<std::uint32_t>(value) >> 16) & 0x8000U);
  if (std::isnan(value)) return SaturatedHalf(0);
  const std::uint16_t half = FloatToHalf(value);
  return (half & 0x7c00U) == 0x7c00U ? SaturatedHalf(sign) : half;
}
