// SPDX-License-Identifier: Apache-2.0
//
// The C half of values_test.cc: the same constants as C11 sees them.
#include <assert.h>
#include <stdint.h>

#include "acl/acl.h"
#include "aclnn/opdev/op_errno.h"

static_assert(sizeof(aclDataType) == 4 && sizeof(aclFormat) == 4, "4-byte enums");
static_assert((aclDataType)-1 < 0 && (aclFormat)-1 < 0, "signed: both have a -1");
static_assert(sizeof(aclrtMemcpyKind) == 4 && sizeof(aclrtMemMallocPolicy) == 4, "4-byte enums");
static_assert(ACL_BF16 == 27 && ACL_FORMAT_NCDHW == 30 && ACL_MEMCPY_DEVICE_TO_HOST == 2, "values");
static_assert(ACLNN_ERR_PARAM_NULLPTR == 161001 && ACL_ERROR_RT_AICORE_EXCEPTION == 507015,
              "codes");

int32_t AclSuccessInC(void);
int32_t AclSuccessInC(void) { return ACL_SUCCESS; }
