// SPDX-License-Identifier: Apache-2.0
//
// 128-bit integers, for products of int64 values. (Both compilers have them; -Wpedantic wants it
// said that they are an extension.)
#ifndef POOLPROOF_CORE_WIDE_INT_H_
#define POOLPROOF_CORE_WIDE_INT_H_

namespace poolproof {

__extension__ typedef __int128 WideInt;
__extension__ typedef unsigned __int128 WideUint;

}  // namespace poolproof

#endif  // POOLPROOF_CORE_WIDE_INT_H_
