// SPDX-License-Identifier: Apache-2.0
//
// The slice of the Ascend aclnn C ABI that the zoo exports, declared on its own: the zoo shares no
// code with the rest of the project. Used by every file of tests/mutants.

#ifndef POOLPROOF_TESTS_MUTANTS_ABI_H_
#define POOLPROOF_TESTS_MUTANTS_ABI_H_

#include <cstddef>
#include <cstdint>

#define POOLPROOF_MUTANTS_EXPORT __attribute__((visibility("default")))

extern "C" {

struct aclTensor;
struct aclIntArray;
struct aclOpExecutor;

// The ABI's enumerations have an underlying type of four bytes; callers may pass any value, so the
// zoo takes them as integers and names only the values that it needs (namespace mutants below).
using aclError = int;
using aclnnStatus = int32_t;
using aclDataType = int32_t;
using aclFormat = int32_t;
using aclrtMemcpyKind = uint32_t;
using aclrtMemMallocPolicy = uint32_t;
using aclSysParamOpt = uint32_t;
using aclrtStream = void*;

POOLPROOF_MUTANTS_EXPORT aclError aclrtMalloc(void** devPtr, size_t size,
                                              aclrtMemMallocPolicy policy);
POOLPROOF_MUTANTS_EXPORT aclError aclrtFree(void* devPtr);
POOLPROOF_MUTANTS_EXPORT aclError aclrtMemcpy(void* dst, size_t destMax, const void* src,
                                              size_t count, aclrtMemcpyKind kind);
POOLPROOF_MUTANTS_EXPORT aclError aclrtCreateStream(aclrtStream* stream);
POOLPROOF_MUTANTS_EXPORT aclError aclrtDestroyStream(aclrtStream stream);
POOLPROOF_MUTANTS_EXPORT aclError aclrtSynchronizeStream(aclrtStream stream);

POOLPROOF_MUTANTS_EXPORT aclTensor* aclCreateTensor(const int64_t* viewDims, uint64_t viewDimsNum,
                                                    aclDataType dataType, const int64_t* stride,
                                                    int64_t offset, aclFormat format,
                                                    const int64_t* storageDims,
                                                    uint64_t storageDimsNum, void* tensorData);
POOLPROOF_MUTANTS_EXPORT aclnnStatus aclDestroyTensor(const aclTensor* tensor);
POOLPROOF_MUTANTS_EXPORT aclIntArray* aclCreateIntArray(const int64_t* value, uint64_t size);
POOLPROOF_MUTANTS_EXPORT aclnnStatus aclDestroyIntArray(const aclIntArray* array);

#ifndef POOLPROOF_MUTANTS_MINIMAL
POOLPROOF_MUTANTS_EXPORT aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src,
                                                   size_t count, aclrtMemcpyKind kind,
                                                   aclrtStream stream);
POOLPROOF_MUTANTS_EXPORT aclError aclrtSynchronizeDevice(void);
POOLPROOF_MUTANTS_EXPORT const char* aclGetRecentErrMsg(void);
POOLPROOF_MUTANTS_EXPORT const char* aclrtGetSocName(void);
POOLPROOF_MUTANTS_EXPORT aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value);
POOLPROOF_MUTANTS_EXPORT aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor* executor);
POOLPROOF_MUTANTS_EXPORT aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* executor);
POOLPROOF_MUTANTS_EXPORT aclnnStatus aclSetInputTensorAddr(aclOpExecutor* executor, size_t index,
                                                           aclTensor* tensor, void* addr);
POOLPROOF_MUTANTS_EXPORT aclnnStatus aclSetOutputTensorAddr(aclOpExecutor* executor, size_t index,
                                                            aclTensor* tensor, void* addr);
#endif

POOLPROOF_MUTANTS_EXPORT aclnnStatus aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
    const aclIntArray* kernelSize, const aclIntArray* stride, const aclIntArray* padding,
    const aclIntArray* dilation, bool ceilMode, aclTensor* gradInput, uint64_t* workspaceSize,
    aclOpExecutor** executor);
POOLPROOF_MUTANTS_EXPORT aclnnStatus aclnnMaxPool3dWithArgmaxBackward(void* workspace,
                                                                      uint64_t workspaceSize,
                                                                      aclOpExecutor* executor,
                                                                      aclrtStream stream);

POOLPROOF_MUTANTS_EXPORT aclnnStatus aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
    const aclIntArray* kernelSize, const aclIntArray* stride, const aclIntArray* padding,
    const aclIntArray* dilation, bool ceilMode, aclTensor* gradInput, uint64_t* workspaceSize,
    aclOpExecutor** executor);
POOLPROOF_MUTANTS_EXPORT aclnnStatus aclnnMaxPool2dWithIndicesBackward(void* workspace,
                                                                       uint64_t workspaceSize,
                                                                       aclOpExecutor* executor,
                                                                       aclrtStream stream);

POOLPROOF_MUTANTS_EXPORT aclnnStatus aclnnAdaptiveMaxPool3dBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
    aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor);
POOLPROOF_MUTANTS_EXPORT aclnnStatus aclnnAdaptiveMaxPool3dBackward(void* workspace,
                                                                    uint64_t workspaceSize,
                                                                    aclOpExecutor* executor,
                                                                    aclrtStream stream);

POOLPROOF_MUTANTS_EXPORT aclnnStatus aclnnAdaptiveMaxPool2dBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
    aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor);
POOLPROOF_MUTANTS_EXPORT aclnnStatus aclnnAdaptiveMaxPool2dBackward(void* workspace,
                                                                    uint64_t workspaceSize,
                                                                    aclOpExecutor* executor,
                                                                    aclrtStream stream);

}  // extern "C"

namespace mutants {

inline constexpr aclDataType kFloat = 0;
inline constexpr aclDataType kFloat16 = 1;
inline constexpr aclDataType kInt32 = 3;
inline constexpr aclDataType kUint32 = 8;
inline constexpr aclDataType kInt64 = 9;
inline constexpr aclDataType kDouble = 11;
inline constexpr aclDataType kBfloat16 = 27;

inline constexpr aclFormat kNchw = 0;
inline constexpr aclFormat kNhwc = 1;
inline constexpr aclFormat kNd = 2;
inline constexpr aclFormat kHwcn = 16;
inline constexpr aclFormat kNdhwc = 27;
inline constexpr aclFormat kNcdhw = 30;
inline constexpr aclFormat kFractalNz = 29;
inline constexpr aclFormat kFractalZ3d = 33;
inline constexpr aclFormat kNc = 35;
inline constexpr aclFormat kNcl = 47;

inline constexpr aclnnStatus kOk = 0;
inline constexpr aclnnStatus kParamNullptr = 161001;
inline constexpr aclnnStatus kParamInvalid = 161002;
inline constexpr aclnnStatus kInnerError = 561000;
inline constexpr aclnnStatus kInferShapeError = 561001;
inline constexpr aclnnStatus kTilingError = 561002;
inline constexpr aclnnStatus kInnerNullptr = 561103;

inline constexpr aclError kAclInvalidParam = 100000;
inline constexpr aclError kAclBadAlloc = 200000;
inline constexpr aclError kRtParamInvalid = 107000;
inline constexpr aclError kRtInvalidHandle = 107017;
inline constexpr aclError kRtAicoreException = 507015;

inline constexpr aclSysParamOpt kOptDeterministic = 0;

}  // namespace mutants

#endif  // POOLPROOF_TESTS_MUTANTS_ABI_H_
