// SPDX-License-Identifier: Apache-2.0
//
// Round to nearest, subnormals kept, no traps: whatever the caller's settings are, which come back
// at the end. Held by every thread that computes.
#ifndef POOLPROOF_OPTIMIZED_FLOAT_ENVIRONMENT_H_
#define POOLPROOF_OPTIMIZED_FLOAT_ENVIRONMENT_H_

#if defined(__SSE2__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace poolproof {

class DefaultFloatEnvironment {
 public:
#if defined(__SSE2__)
  DefaultFloatEnvironment() : before_(_mm_getcsr()) { _mm_setcsr(0x1f80); }
  ~DefaultFloatEnvironment() { _mm_setcsr(before_); }
#else
  DefaultFloatEnvironment() {
    std::fegetenv(&before_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatEnvironment() { std::fesetenv(&before_); }
#endif
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

 private:
#if defined(__SSE2__)
  unsigned before_;
#else
  std::fenv_t before_;
#endif
};

}  // namespace poolproof

#endif  // POOLPROOF_OPTIMIZED_FLOAT_ENVIRONMENT_H_
