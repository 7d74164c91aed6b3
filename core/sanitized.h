// SPDX-License-Identifier: Apache-2.0
//
// POOLPROOF_SANITIZED: this source is built with the address or thread sanitizer, which has an
// allocator and a runtime of its own.
#ifndef POOLPROOF_CORE_SANITIZED_H_
#define POOLPROOF_CORE_SANITIZED_H_

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define POOLPROOF_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define POOLPROOF_SANITIZED 1
#endif
#endif

#endif  // POOLPROOF_CORE_SANITIZED_H_
