// SPDX-License-Identifier: Apache-2.0
//
// How much of a loop over many like cases is run: all of it, or, under a sanitizer, where each
// costs twenty times as much, one of kSample. For loops alone whose cases run the same code; what
// is to be seen is counted in its proportion.
#ifndef POOLPROOF_TESTS_SAMPLE_H_
#define POOLPROOF_TESTS_SAMPLE_H_

#include "core/sanitized.h"

namespace poolproof {

#if defined(POOLPROOF_SANITIZED)
inline constexpr int kSample = 8;
#else
inline constexpr int kSample = 1;
#endif

}  // namespace poolproof

#endif  // POOLPROOF_TESTS_SAMPLE_H_
