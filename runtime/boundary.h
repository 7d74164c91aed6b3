// SPDX-License-Identifier: Apache-2.0
//
// The edge between C++ and the C ABI: every exported function is one call of a function below, so
// that no exception leaves the library and every refusal leaves a message.
//
// The exported definitions cannot say noexcept themselves: the headers do not, since programs that
// define the same functions (stubs, mocks) must compile against them as they do against CANN's.
#ifndef POOLPROOF_RUNTIME_BOUNDARY_H_
#define POOLPROOF_RUNTIME_BOUNDARY_H_

#include <cstdint>
#include <exception>
#include <new>
#include <system_error>

#include "acl/acl.h"
#include "aclnn/opdev/op_errno.h"
#include "runtime/device.h"
#include "runtime/refusal.h"

namespace poolproof {

// What an exception becomes.
struct BoundaryCodes {
  std::int32_t out_of_memory;
  std::int32_t out_of_resources;  // the system gives no thread or the like
  std::int32_t internal;
};
inline constexpr BoundaryCodes kAclCodes{ACL_ERROR_BAD_ALLOC, ACL_ERROR_RT_RESOURCE_ALLOC_FAIL,
                                         ACL_ERROR_INTERNAL_ERROR};
inline constexpr BoundaryCodes kAclnnCodes{ACLNN_ERR_INNER, ACLNN_ERR_RUNTIME_ERROR,
                                           ACLNN_ERR_INNER};
// Of work on a stream.
inline constexpr BoundaryCodes kStreamCodes{
    ACL_ERROR_RT_MEMORY_ALLOCATION, ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, ACL_ERROR_RT_INTERNAL_ERROR};

// Runs `body`, which returns an Objection; an exception becomes one.
template <typename Body>
Objection Guarded(const BoundaryCodes& codes, Body&& body) {
  try {
    return body();
  } catch (const KernelRefusal& refusal) {
    return Refusal{refusal.status(), refusal.what()};
  } catch (const std::bad_alloc&) {
    return Refusal{codes.out_of_memory, "out of memory"};
  } catch (const std::system_error& error) {
    return Refusal{codes.out_of_resources, error.what()};
  } catch (const std::exception& error) {
    return Refusal{codes.internal, error.what()};
  }
}

// 0, or the status of the refusal, whose message is left on this thread.
template <typename Body>
std::int32_t AtBoundary(const char* function, const BoundaryCodes& codes, Body&& body) noexcept {
  try {
    if (const Objection no = Guarded(codes, body)) {
      LeaveMessage(function, no->message);
      return no->status;
    }
    return 0;
  } catch (...) {  // not even the message could be built
    LeaveMessage(function, "out of memory");
    return codes.out_of_memory;
  }
}

// For functions that return a pointer: what `body` returns, or null.
template <typename Body>
auto AtBoundaryOrNull(const char* function, Body&& body) noexcept -> decltype(body()) {
  try {
    return body();
  } catch (const std::exception& error) {
    LeaveMessage(function, error.what());
  } catch (...) {
    LeaveMessage(function, "unknown failure");
  }
  return nullptr;
}

}  // namespace poolproof

#endif  // POOLPROOF_RUNTIME_BOUNDARY_H_
