// SPDX-License-Identifier: Apache-2.0
//
// The name under which newer releases keep what acl_base.h declares. C11 and C++11.
#ifndef POOLPROOF_INCLUDE_ACL_ACL_BASE_RT_H_
#define POOLPROOF_INCLUDE_ACL_ACL_BASE_RT_H_

#include "acl/acl_base.h"

#endif  // POOLPROOF_INCLUDE_ACL_ACL_BASE_RT_H_
