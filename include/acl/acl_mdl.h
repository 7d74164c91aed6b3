// SPDX-License-Identifier: Apache-2.0
//
// Empty, as in CANN's runtime package: the functions for models come with another package.
// For programs that include it. C11 and C++11.
#ifndef POOLPROOF_INCLUDE_ACL_ACL_MDL_H_
#define POOLPROOF_INCLUDE_ACL_ACL_MDL_H_

#endif  // POOLPROOF_INCLUDE_ACL_ACL_MDL_H_
