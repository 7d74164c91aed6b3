// SPDX-License-Identifier: Apache-2.0
//
// The one header that programs include for ACL. C11 and C++11.
#ifndef POOLPROOF_INCLUDE_ACL_ACL_H_
#define POOLPROOF_INCLUDE_ACL_ACL_H_

#include "acl/acl_base.h"
#include "acl/acl_mdl.h"
#include "acl/acl_op.h"
#include "acl/acl_rt.h"

// Version of the interface that these headers follow.
#define ACL_MAJOR_VERSION 1
#define ACL_MINOR_VERSION 13
#define ACL_PATCH_VERSION 0

#endif  // POOLPROOF_INCLUDE_ACL_ACL_H_
