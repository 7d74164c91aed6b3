// SPDX-License-Identifier: Apache-2.0
#include "fuzz/allocation_watch.h"

#include <algorithm>
#include <cstdlib>
#include <new>

#if defined(__SANITIZE_THREAD__)
#define POOLPROOF_THREAD_SANITIZER
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define POOLPROOF_THREAD_SANITIZER
#endif
#endif

namespace {

[[maybe_unused]] thread_local bool watched = false;
thread_local std::size_t largest = 0;

}  // namespace

namespace poolproof {

AllocationWatch::AllocationWatch() {
  largest = 0;
  watched = true;
}
AllocationWatch::~AllocationWatch() { watched = false; }
std::size_t AllocationWatch::Largest() { return largest; }

}  // namespace poolproof

#if !defined(POOLPROOF_THREAD_SANITIZER)
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  if (watched) largest = std::max(largest, size);
  return std::malloc(std::max<std::size_t>(size, 1));
}
void* operator new(std::size_t size) {
  if (void* const memory = operator new(size, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new[](std::size_t size, const std::nothrow_t& tag) noexcept {
  return operator new(size, tag);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t& /*tag*/) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t& /*tag*/) noexcept { std::free(memory); }
#endif
