// SPDX-License-Identifier: Apache-2.0
//
// What every call of an operator is made of: descriptors, phase one, and what may come out of
// either. Private to the worker.
#ifndef POOLPROOF_CONFORMANCE_WORKER_OPERATOR_CALLS_H_
#define POOLPROOF_CONFORMANCE_WORKER_OPERATOR_CALLS_H_

#include <time.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <exception>
#include <new>
#include <optional>
#include <string>

#if defined(__GLIBCXX__)
#include <cxxabi.h>
#endif

#include "conformance/result/invocation.h"
#include "conformance/result/outcome.h"
#include "conformance/wire/progress.h"
#include "conformance/worker/abi.h"
#include "core/status.h"

namespace poolproof {

// Why calls broke off.
struct Stop {
  End end = End::kHarness;
  std::string detail;
  ProgressMark where;
};

// By position in the call.
using Descriptors = std::array<AbiTensor*, kRoleCount>;
using AttributeLists = std::array<AbiIntArray*, kListCount>;

// Null where the library gives none.
AbiTensor* MakeDescriptor(const Abi& abi, const TensorArgument& argument, void* data);
// errors: kUnavailable where the library gives none.
Status MakeLists(const Abi& abi, const CallArguments& call, AttributeLists& lists);
std::int32_t CallPhaseOne(const Abi& abi, const CallArguments& call, const Descriptors& tensors,
                          const AttributeLists& lists, std::uint64_t* workspace_size,
                          AbiExecutor** executor);

std::chrono::nanoseconds ReadClock(clockid_t clock);

class Stopwatch {
 public:
  [[nodiscard]] std::uint64_t Nanoseconds() const {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                          std::chrono::steady_clock::now() - start_)
                                          .count());
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Does what may throw, by the library's fault or ours; `where` says how far it came.
template <typename Body>
std::optional<Stop> GuardedCall(const ProgressMark& where, Body&& body) {
  try {
    const Status status = body();
    if (status.ok()) return std::nullopt;
    return Stop{End::kHarness, status.message(), where};
#if defined(__GLIBCXX__)
  } catch (abi::__forced_unwind&) {
    throw;  // pthread_exit by the library: it must not be swallowed
#endif
  } catch (const std::bad_alloc&) {
    // Around the operator's calls the worker itself allocates, and may be the one that failed.
    const bool by_library = where.phase != Phase::kSetup && where.phase != Phase::kReadBack;
    return Stop{by_library ? End::kThrew : End::kHarness, "std::bad_alloc", where};
  } catch (const std::exception& thrown) {
    return Stop{End::kThrew, thrown.what(), where};
  } catch (...) {
    return Stop{End::kThrew, "an exception that is not a std::exception", where};
  }
}

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_WORKER_OPERATOR_CALLS_H_
