// SPDX-License-Identifier: Apache-2.0
//
// Invocation: a case made literal, as the worker carries it out. The worker knows nothing of
// operators' meaning: it passes these descriptors and bytes through the C ABI.
#ifndef POOLPROOF_CONFORMANCE_RESULT_INVOCATION_H_
#define POOLPROOF_CONFORMANCE_RESULT_INVOCATION_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/spec/operators.h"
#include "core/equality.h"
#include "core/shape.h"

namespace poolproof {

// Milliseconds for which a stream is held up while outputs are looked at: a launch and a small
// kernel take a small part of them. What was too short on a busy machine gets longer.
constexpr int HoldMs(int repetition) { return 10 << (2 * std::min(repetition, 3)); }

struct TensorArgument {
  Role role = Role::kSelf;
  bool null = false;  // pass a null aclTensor pointer
  bool is_output = false;
  std::int32_t type = 0;
  std::int32_t format = 2;
  Dims shape;
  Dims strides;
  std::int64_t offset = 0;
  Dims storage_dims;
  // Storage contents before the call. Inputs: the data. Outputs: the poison. Empty for
  // descriptor-only calls, where the data pointer names a small buffer that no call may touch.
  std::vector<std::byte> bytes;
  POOLPROOF_EQUALITY(TensorArgument);
};

struct CallArguments {
  Operator op{};
  std::vector<TensorArgument> tensors;     // in the order of OperatorInfo::tensors
  std::vector<std::optional<Dims>> lists;  // in the order of OperatorInfo::lists
  bool ceil_mode = false;
  POOLPROOF_EQUALITY(CallArguments);
};

inline constexpr std::int32_t kMostTimedRounds = 1000;
inline constexpr std::int32_t kMostOperandSets = 4096;

// How a call is timed, instead of being watched.
struct Timing {
  std::int32_t rounds = 0;    // 0: calls are not timed
  std::int64_t round_ns = 0;  // a round goes on for so long, and makes at least one call
  std::int32_t sets = 1;      // of operands, which take turns
  bool cpu_clock = false;     // time of the process's CPUs instead of time that passes
  POOLPROOF_EQUALITY(Timing);
};

struct Invocation {
  // Where it is timed: one, whose tensors may hold less than their storages, which is then repeated
  // over them; or none, to go on with the one before.
  std::vector<CallArguments> calls;
  CallPlan plan;
  // Bytes of canary before and after every storage and the workspace; a multiple of 64, so that
  // data stay aligned as the allocation is.
  std::uint32_t guard_bytes = 256;
  // Whether all work of the device is waited for once a call's stream is synchronised: of a library
  // that is known to work on other streams. Not where plan.look asks for that.
  bool awaits_device = false;
  // Whether calls are made until large pools are full, too, before memory is watched: takes long
  // where it grows for good.
  bool fills_pools = true;
  Timing timing;
  POOLPROOF_EQUALITY(Invocation);
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_RESULT_INVOCATION_H_
