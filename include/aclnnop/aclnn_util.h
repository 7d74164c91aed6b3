// SPDX-License-Identifier: Apache-2.0
//
// Visibility of the operator functions.
#ifndef POOLPROOF_INCLUDE_ACLNNOP_ACLNN_UTIL_H_
#define POOLPROOF_INCLUDE_ACLNNOP_ACLNN_UTIL_H_

#if defined(__GNUC__)
#define ACLNN_API __attribute__((visibility("default")))
#else
#define ACLNN_API
#endif

#endif  // POOLPROOF_INCLUDE_ACLNNOP_ACLNN_UTIL_H_
