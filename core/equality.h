// SPDX-License-Identifier: Apache-2.0
//
// POOLPROOF_EQUALITY: a struct's comparison, member by member. The worker compares none of the
// structs that say so, and its sources are also built by compilers that end with C++17.
#ifndef POOLPROOF_CORE_EQUALITY_H_
#define POOLPROOF_CORE_EQUALITY_H_

#if __cplusplus >= 202002L
#define POOLPROOF_EQUALITY(Type) friend bool operator==(const Type&, const Type&) = default
#else
#define POOLPROOF_EQUALITY(Type) static_assert(true, "")
#endif

#endif  // POOLPROOF_CORE_EQUALITY_H_
