// SPDX-License-Identifier: Apache-2.0
//
// A host library opened with dlopen, with the ABI's functions as members, and its operators as
// values. Used by the tests of the runtime and the fuzzer of hostile calls, which never link it.
#ifndef POOLPROOF_TESTS_RUNTIME_SUPPORT_ABI_LIBRARY_H_
#define POOLPROOF_TESTS_RUNTIME_SUPPORT_ABI_LIBRARY_H_

#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "acl/acl.h"
#include "aclnnop/aclnn_adaptive_max_pool2d.h"
#include "aclnnop/aclnn_adaptive_max_pool2d_backward.h"
#include "aclnnop/aclnn_adaptive_max_pool3d.h"
#include "aclnnop/aclnn_adaptive_max_pool3d_backward.h"
#include "aclnnop/aclnn_max_pool2d_with_indices.h"
#include "aclnnop/aclnn_max_pool2d_with_indices_backward.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax_backward.h"

namespace poolproof {

class LoadedLibrary {
 public:
  explicit LoadedLibrary(const std::string& path)
      : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) throw std::runtime_error(dlerror());
  }
  ~LoadedLibrary() { dlclose(handle_); }
  LoadedLibrary(const LoadedLibrary&) = delete;
  LoadedLibrary& operator=(const LoadedLibrary&) = delete;

  template <typename Function>
  Function Find(const char* name) const {
    void* symbol = dlsym(handle_, name);
    if (symbol == nullptr) throw std::runtime_error(dlerror());
    return reinterpret_cast<Function>(symbol);
  }

 private:
  void* handle_;
};

// One member per function, named and typed as in the headers.
#define POOLPROOF_ABI(name) decltype(&::name) name = Find<decltype(&::name)>(#name)
struct AbiLibrary : LoadedLibrary {
  using LoadedLibrary::LoadedLibrary;
  POOLPROOF_ABI(aclInit);
  POOLPROOF_ABI(aclFinalize);
  POOLPROOF_ABI(aclFinalizeReference);
  POOLPROOF_ABI(aclGetRecentErrMsg);
  POOLPROOF_ABI(aclDataTypeSize);
  POOLPROOF_ABI(aclFloat16ToFloat);
  POOLPROOF_ABI(aclFloatToFloat16);
  POOLPROOF_ABI(aclrtGetVersion);
  POOLPROOF_ABI(aclrtGetSocName);
  POOLPROOF_ABI(aclrtSetDevice);
  POOLPROOF_ABI(aclrtResetDevice);
  POOLPROOF_ABI(aclrtResetDeviceForce);
  POOLPROOF_ABI(aclrtGetDevice);
  POOLPROOF_ABI(aclrtGetDeviceCount);
  POOLPROOF_ABI(aclrtGetRunMode);
  POOLPROOF_ABI(aclrtCreateContext);
  POOLPROOF_ABI(aclrtDestroyContext);
  POOLPROOF_ABI(aclrtSetCurrentContext);
  POOLPROOF_ABI(aclrtGetCurrentContext);
  POOLPROOF_ABI(aclrtCtxSetSysParamOpt);
  POOLPROOF_ABI(aclrtCtxGetSysParamOpt);
  POOLPROOF_ABI(aclrtSetSysParamOpt);
  POOLPROOF_ABI(aclrtGetSysParamOpt);
  POOLPROOF_ABI(aclrtCreateStream);
  POOLPROOF_ABI(aclrtCreateStreamWithConfig);
  POOLPROOF_ABI(aclrtDestroyStream);
  POOLPROOF_ABI(aclrtDestroyStreamForce);
  POOLPROOF_ABI(aclrtSynchronizeStream);
  POOLPROOF_ABI(aclrtSynchronizeStreamWithTimeout);
  POOLPROOF_ABI(aclrtSynchronizeDevice);
  POOLPROOF_ABI(aclrtSynchronizeDeviceWithTimeout);
  POOLPROOF_ABI(aclrtCreateEvent);
  POOLPROOF_ABI(aclrtDestroyEvent);
  POOLPROOF_ABI(aclrtRecordEvent);
  POOLPROOF_ABI(aclrtSynchronizeEvent);
  POOLPROOF_ABI(aclrtEventElapsedTime);
  POOLPROOF_ABI(aclrtMalloc);
  POOLPROOF_ABI(aclrtMallocAlign32);
  POOLPROOF_ABI(aclrtMallocCached);
  POOLPROOF_ABI(aclrtFree);
  POOLPROOF_ABI(aclrtMallocHost);
  POOLPROOF_ABI(aclrtFreeHost);
  POOLPROOF_ABI(aclrtMemcpy);
  POOLPROOF_ABI(aclrtMemcpyAsync);
  POOLPROOF_ABI(aclrtMemset);
  POOLPROOF_ABI(aclrtMemsetAsync);
  POOLPROOF_ABI(aclrtGetMemInfo);
  POOLPROOF_ABI(aclnnInit);
  POOLPROOF_ABI(aclnnFinalize);
  POOLPROOF_ABI(aclCreateTensor);
  POOLPROOF_ABI(aclInitTensor);
  POOLPROOF_ABI(aclCreateScalar);
  POOLPROOF_ABI(aclCreateIntArray);
  POOLPROOF_ABI(aclCreateFloatArray);
  POOLPROOF_ABI(aclCreateBoolArray);
  POOLPROOF_ABI(aclCreateTensorList);
  POOLPROOF_ABI(aclCreateScalarList);
  POOLPROOF_ABI(aclDestroyTensor);
  POOLPROOF_ABI(aclDestroyScalar);
  POOLPROOF_ABI(aclDestroyIntArray);
  POOLPROOF_ABI(aclDestroyFloatArray);
  POOLPROOF_ABI(aclDestroyBoolArray);
  POOLPROOF_ABI(aclDestroyTensorList);
  POOLPROOF_ABI(aclDestroyScalarList);
  POOLPROOF_ABI(aclGetViewShape);
  POOLPROOF_ABI(aclGetStorageShape);
  POOLPROOF_ABI(aclGetViewStrides);
  POOLPROOF_ABI(aclGetViewOffset);
  POOLPROOF_ABI(aclGetFormat);
  POOLPROOF_ABI(aclGetDataType);
  POOLPROOF_ABI(aclGetRawTensorAddr);
  POOLPROOF_ABI(aclSetRawTensorAddr);
  POOLPROOF_ABI(aclGetIntArraySize);
  POOLPROOF_ABI(aclGetFloatArraySize);
  POOLPROOF_ABI(aclGetBoolArraySize);
  POOLPROOF_ABI(aclGetTensorListSize);
  POOLPROOF_ABI(aclGetScalarListSize);
  POOLPROOF_ABI(aclSetAclOpExecutorRepeatable);
  POOLPROOF_ABI(aclDestroyAclOpExecutor);
  POOLPROOF_ABI(aclSetInputTensorAddr);
  POOLPROOF_ABI(aclSetOutputTensorAddr);
  POOLPROOF_ABI(aclSetTensorAddr);
  POOLPROOF_ABI(aclSetDynamicInputTensorAddr);
  POOLPROOF_ABI(aclSetDynamicOutputTensorAddr);
  POOLPROOF_ABI(aclSetDynamicTensorAddr);
  POOLPROOF_ABI(aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize);
  POOLPROOF_ABI(aclnnMaxPool2dWithIndicesBackward);
  POOLPROOF_ABI(aclnnMaxPool2dWithIndicesGetWorkspaceSize);
  POOLPROOF_ABI(aclnnMaxPool2dWithIndices);
  POOLPROOF_ABI(aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize);
  POOLPROOF_ABI(aclnnMaxPool3dWithArgmaxBackward);
  POOLPROOF_ABI(aclnnAdaptiveMaxPool3dBackwardGetWorkspaceSize);
  POOLPROOF_ABI(aclnnAdaptiveMaxPool3dBackward);
  POOLPROOF_ABI(aclnnAdaptiveMaxPool2dBackwardGetWorkspaceSize);
  POOLPROOF_ABI(aclnnAdaptiveMaxPool2dBackward);
  POOLPROOF_ABI(aclnnMaxPool3dWithArgmaxGetWorkspaceSize);
  POOLPROOF_ABI(aclnnMaxPool3dWithArgmax);
  POOLPROOF_ABI(aclnnAdaptiveMaxPool3dGetWorkspaceSize);
  POOLPROOF_ABI(aclnnAdaptiveMaxPool3d);
  POOLPROOF_ABI(aclnnAdaptiveMaxPool2dGetWorkspaceSize);
  POOLPROOF_ABI(aclnnAdaptiveMaxPool2d);

  // The newest message of this thread; empty where there is none.
  [[nodiscard]] std::string Message() const {
    const char* text = aclGetRecentErrMsg();
    return text == nullptr ? std::string() : std::string(text);
  }
};
#undef POOLPROOF_ABI

enum class AbiOperator : std::uint8_t { kMaxPool3d, kMaxPool2d, kAdaptive3d, kAdaptive2d };

struct AbiFunction {
  AbiOperator op = AbiOperator::kMaxPool3d;
  bool forward = false;
};

// The functions of one operator in one direction, by phase; of the first phases one is there.
struct AbiPhases {
  decltype(AbiLibrary::aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize) AbiLibrary::*backward =
      nullptr;
  decltype(AbiLibrary::aclnnAdaptiveMaxPool3dBackwardGetWorkspaceSize) AbiLibrary::*
      adaptive_backward = nullptr;
  decltype(AbiLibrary::aclnnMaxPool3dWithArgmaxGetWorkspaceSize) AbiLibrary::*forward = nullptr;
  decltype(AbiLibrary::aclnnAdaptiveMaxPool3dGetWorkspaceSize) AbiLibrary::*adaptive_forward =
      nullptr;
  decltype(AbiLibrary::aclnnMaxPool3dWithArgmax) AbiLibrary::*two = nullptr;
};

inline const AbiPhases& PhasesOf(AbiFunction function) {
  using L = AbiLibrary;
  static constexpr std::array<std::array<AbiPhases, 2>, 4> kAll = {{
      {{{.backward = &L::aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize,
         .two = &L::aclnnMaxPool3dWithArgmaxBackward},
        {.forward = &L::aclnnMaxPool3dWithArgmaxGetWorkspaceSize,
         .two = &L::aclnnMaxPool3dWithArgmax}}},
      {{{.backward = &L::aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize,
         .two = &L::aclnnMaxPool2dWithIndicesBackward},
        {.forward = &L::aclnnMaxPool2dWithIndicesGetWorkspaceSize,
         .two = &L::aclnnMaxPool2dWithIndices}}},
      {{{.adaptive_backward = &L::aclnnAdaptiveMaxPool3dBackwardGetWorkspaceSize,
         .two = &L::aclnnAdaptiveMaxPool3dBackward},
        {.adaptive_forward = &L::aclnnAdaptiveMaxPool3dGetWorkspaceSize,
         .two = &L::aclnnAdaptiveMaxPool3d}}},
      {{{.adaptive_backward = &L::aclnnAdaptiveMaxPool2dBackwardGetWorkspaceSize,
         .two = &L::aclnnAdaptiveMaxPool2dBackward},
        {.adaptive_forward = &L::aclnnAdaptiveMaxPool2dGetWorkspaceSize,
         .two = &L::aclnnAdaptiveMaxPool2d}}},
  }};
  return kAll[static_cast<std::size_t>(function.op)][function.forward ? 1 : 0];
}

inline bool HasFixedWindows(AbiOperator op) {
  return op == AbiOperator::kMaxPool3d || op == AbiOperator::kMaxPool2d;
}
inline int SpatialRank(AbiOperator op) {
  return op == AbiOperator::kMaxPool3d || op == AbiOperator::kAdaptive3d ? 3 : 2;
}

// What phase one takes, in the order of the prototype: lists are kernelSize, stride, padding and
// dilation, or outputSize.
struct AbiArguments {
  std::array<aclTensor*, 4> tensors{};
  std::array<aclIntArray*, 4> lists{};
  bool ceil_mode = false;
};

inline aclnnStatus CallPhaseOne(const AbiLibrary& abi, AbiFunction function,
                                const AbiArguments& arguments, std::uint64_t* size,
                                aclOpExecutor** executor) {
  const AbiPhases& phases = PhasesOf(function);
  const auto& [t, l, ceil_mode] = arguments;
  if (phases.backward != nullptr) {
    return (abi.*phases.backward)(t[0], t[1], t[2], l[0], l[1], l[2], l[3], ceil_mode, t[3], size,
                                  executor);
  }
  if (phases.adaptive_backward != nullptr) {
    return (abi.*phases.adaptive_backward)(t[0], t[1], t[2], t[3], size, executor);
  }
  if (phases.forward != nullptr) {
    return (abi.*phases.forward)(t[0], l[0], l[1], l[2], l[3], ceil_mode, t[1], t[2], size,
                                 executor);
  }
  return (abi.*phases.adaptive_forward)(t[0], l[0], t[1], t[2], size, executor);
}

inline aclnnStatus CallPhaseTwo(const AbiLibrary& abi, AbiFunction function, void* workspace,
                                std::uint64_t size, aclOpExecutor* executor, aclrtStream stream) {
  return (abi.*PhasesOf(function).two)(workspace, size, executor, stream);
}

}  // namespace poolproof

#endif  // POOLPROOF_TESTS_RUNTIME_SUPPORT_ABI_LIBRARY_H_
