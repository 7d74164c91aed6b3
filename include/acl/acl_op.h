// SPDX-License-Identifier: Apache-2.0
//
// Empty, as in CANN's runtime package: the functions for single operators by name come with another
// package. For programs that include it. C11 and C++11.
#ifndef POOLPROOF_INCLUDE_ACL_ACL_OP_H_
#define POOLPROOF_INCLUDE_ACL_ACL_OP_H_

#endif  // POOLPROOF_INCLUDE_ACL_ACL_OP_H_
