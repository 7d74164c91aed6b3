// SPDX-License-Identifier: Apache-2.0
//
// Values and layout of what crosses the ABI; and that core's own numbers are the same.
#include <gtest/gtest.h>

#include <type_traits>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"
#include "aclnn/opdev/op_errno.h"
#include "core/data_type.h"

extern "C" std::int32_t AclSuccessInC();

namespace poolproof {
namespace {

static_assert(std::is_same_v<std::underlying_type_t<aclDataType>, int>);
static_assert(std::is_same_v<std::underlying_type_t<aclFormat>, int>);
static_assert(std::is_same_v<std::underlying_type_t<aclrtMemcpyKind>, unsigned>);
static_assert(std::is_same_v<std::underlying_type_t<aclrtMemMallocPolicy>, unsigned>);
static_assert(std::is_same_v<std::underlying_type_t<aclSysParamOpt>, unsigned>);
static_assert(std::is_same_v<aclError, int>);
static_assert(std::is_same_v<aclnnStatus, std::int32_t>);
static_assert(std::is_same_v<aclrtStream, void*>);
static_assert(std::is_same_v<aclFloat16, std::uint16_t>);
static_assert(std::is_convertible_v<aclDataType, int>);

TEST(AbiValues, DataTypes) {
  EXPECT_EQ(ACL_DT_UNDEFINED, -1);
  EXPECT_EQ(ACL_FLOAT, 0);
  EXPECT_EQ(ACL_FLOAT16, 1);
  EXPECT_EQ(ACL_INT32, 3);
  EXPECT_EQ(ACL_INT64, 9);
  EXPECT_EQ(ACL_DOUBLE, 11);
  EXPECT_EQ(ACL_STRING, 13);
  EXPECT_EQ(ACL_COMPLEX64, 16);
  EXPECT_EQ(ACL_BF16, 27);
  EXPECT_EQ(ACL_INT4, 29);
  EXPECT_EQ(ACL_COMPLEX32, 33);
  EXPECT_EQ(ACL_FLOAT4_E1M2, 41);
}

TEST(AbiValues, CoreUsesTheSameNumbers) {
  const std::pair<DataType, aclDataType> types[] = {{DataType::kUndefined, ACL_DT_UNDEFINED},
                                                    {DataType::kFloat, ACL_FLOAT},
                                                    {DataType::kFloat16, ACL_FLOAT16},
                                                    {DataType::kInt8, ACL_INT8},
                                                    {DataType::kInt32, ACL_INT32},
                                                    {DataType::kUint8, ACL_UINT8},
                                                    {DataType::kInt16, ACL_INT16},
                                                    {DataType::kUint16, ACL_UINT16},
                                                    {DataType::kUint32, ACL_UINT32},
                                                    {DataType::kInt64, ACL_INT64},
                                                    {DataType::kUint64, ACL_UINT64},
                                                    {DataType::kDouble, ACL_DOUBLE},
                                                    {DataType::kBool, ACL_BOOL},
                                                    {DataType::kString, ACL_STRING},
                                                    {DataType::kComplex64, ACL_COMPLEX64},
                                                    {DataType::kComplex128, ACL_COMPLEX128},
                                                    {DataType::kBf16, ACL_BF16},
                                                    {DataType::kInt4, ACL_INT4},
                                                    {DataType::kUint1, ACL_UINT1},
                                                    {DataType::kComplex32, ACL_COMPLEX32}};
  EXPECT_EQ(std::size(types), AllDataTypes().size());
  for (const auto& [ours, abi] : types) {
    EXPECT_EQ(static_cast<int>(ours), static_cast<int>(abi)) << DataTypeName(ours);
  }
  const std::pair<Format, aclFormat> formats[] = {{Format::kUndefined, ACL_FORMAT_UNDEFINED},
                                                  {Format::kNchw, ACL_FORMAT_NCHW},
                                                  {Format::kNhwc, ACL_FORMAT_NHWC},
                                                  {Format::kNd, ACL_FORMAT_ND},
                                                  {Format::kNc1hwc0, ACL_FORMAT_NC1HWC0},
                                                  {Format::kFractalZ, ACL_FORMAT_FRACTAL_Z},
                                                  {Format::kNc1hwc0C04, ACL_FORMAT_NC1HWC0_C04},
                                                  {Format::kHwcn, ACL_FORMAT_HWCN},
                                                  {Format::kNdhwc, ACL_FORMAT_NDHWC},
                                                  {Format::kFractalNz, ACL_FORMAT_FRACTAL_NZ},
                                                  {Format::kNcdhw, ACL_FORMAT_NCDHW},
                                                  {Format::kNdc1hwc0, ACL_FORMAT_NDC1HWC0},
                                                  {Format::kFractalZ3d, ACL_FRACTAL_Z_3D},
                                                  {Format::kNc, ACL_FORMAT_NC},
                                                  {Format::kNcl, ACL_FORMAT_NCL}};
  EXPECT_EQ(std::size(formats), AllFormats().size());
  for (const auto& [ours, abi] : formats) {
    EXPECT_EQ(static_cast<int>(ours), static_cast<int>(abi)) << FormatName(ours);
  }
}

TEST(AbiValues, OtherEnums) {
  EXPECT_EQ(ACL_MEMCPY_HOST_TO_HOST, 0U);
  EXPECT_EQ(ACL_MEMCPY_HOST_TO_DEVICE, 1U);
  EXPECT_EQ(ACL_MEMCPY_DEVICE_TO_HOST, 2U);
  EXPECT_EQ(ACL_MEMCPY_DEVICE_TO_DEVICE, 3U);
  EXPECT_EQ(ACL_MEMCPY_DEFAULT, 4U);
  EXPECT_EQ(ACL_MEMCPY_INTER_DEVICE_TO_DEVICE, 7U);
  EXPECT_EQ(ACL_MEM_MALLOC_HUGE_FIRST, 0U);
  EXPECT_EQ(ACL_MEM_MALLOC_HUGE1G_ONLY_P2P, 7U);
  EXPECT_EQ(ACL_MEM_TYPE_LOW_BAND_WIDTH, 0x100U);
  EXPECT_EQ(ACL_MEM_ACCESS_USER_SPACE_READONLY, 0x100000U);
  EXPECT_EQ(ACL_OPT_DETERMINISTIC, 0U);
  EXPECT_EQ(ACL_OPT_ENABLE_KERNEL_EARLY_START, 3U);
  EXPECT_EQ(ACL_DEVICE, 0U);
  EXPECT_EQ(ACL_HOST, 1U);
}

TEST(AbiValues, StatusCodes) {
  EXPECT_EQ(AclSuccessInC(), 0);
  EXPECT_EQ(ACL_SUCCESS, 0);
  EXPECT_EQ(OK, 0);
  EXPECT_EQ(ACLNN_SUCCESS, 0);
  EXPECT_EQ(ACL_ERROR_INVALID_PARAM, 100000);
  EXPECT_EQ(ACL_ERROR_REPEAT_INITIALIZE, 100002);
  EXPECT_EQ(ACL_ERROR_REPEAT_FINALIZE, 100037);
  EXPECT_EQ(ACL_ERROR_COMPILING_STUB_MODE, 100039);
  EXPECT_EQ(ACL_ERROR_BAD_ALLOC, 200000);
  EXPECT_EQ(ACL_ERROR_INTERNAL_ERROR, 500000);
  EXPECT_EQ(ACL_ERROR_RT_PARAM_INVALID, 107000);
  EXPECT_EQ(ACL_ERROR_RT_CONTEXT_NULL, 107002);
  EXPECT_EQ(ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, 107021);
  EXPECT_EQ(ACL_ERROR_RT_MEMORY_ALLOCATION, 207001);
  EXPECT_EQ(ACL_ERROR_RT_AICORE_EXCEPTION, 507015);
  EXPECT_EQ(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, 507046);
  EXPECT_EQ(ACLNN_ERR_PARAM_NULLPTR, 161001);
  EXPECT_EQ(ACLNN_ERR_PARAM_INVALID, 161002);
  EXPECT_EQ(ACLNN_ERR_RUNTIME_ERROR, 361001);
  EXPECT_EQ(ACLNN_ERR_INNER, 561000);
  EXPECT_EQ(ACLNN_ERR_INNER_NULLPTR, 561103);
  EXPECT_EQ(ACLNN_ERR_INNER_STATIC_BLOCK_DIM_INVALID, 561119);
}

}  // namespace
}  // namespace poolproof
