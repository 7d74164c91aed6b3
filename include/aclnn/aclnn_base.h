// SPDX-License-Identifier: Apache-2.0
//
// What every operator header needs. Source-compatible with CANN's header of the same name. C++11.
#ifndef POOLPROOF_INCLUDE_ACLNN_ACLNN_BASE_H_
#define POOLPROOF_INCLUDE_ACLNN_ACLNN_BASE_H_

#include "acl/acl_base.h"
#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

// Start and end of the operator layer; neither is needed on the host libraries.
ACL_FUNC_VISIBILITY aclnnStatus aclnnInit(const char* configPath);
ACL_FUNC_VISIBILITY aclnnStatus aclnnFinalize();

#ifdef __cplusplus
}
#endif

#endif  // POOLPROOF_INCLUDE_ACLNN_ACLNN_BASE_H_
