// SPDX-License-Identifier: Apache-2.0
//
// Invocation: a case made literal, as the worker carries it out. The worker knows nothing of
// operators' meaning: it passes these descriptors and bytes through the C ABI.
#ifndef POOLPROOF_CONFORMANCE_RESULT_INVOCATION_H_
#define POOLPROOF_CONFORMANCE_RESULT_INVOCATION_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/spec/operators.h"
#include "core/equality.h"
#include "core/shape.h"

namespace poolproof {

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

struct Invocation {
  std::vector<CallArguments> calls;
  CallPlan plan;
  // Bytes of canary before and after every storage and the workspace; a multiple of 64, so that
  // data stay aligned as the allocation is.
  std::uint32_t guard_bytes = 256;
  // Whether all work of the device is waited for once a call's stream is synchronised: of a library
  // that is known to work on other streams. Not where plan.look asks for that.
  bool awaits_device = false;
  POOLPROOF_EQUALITY(Invocation);
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_RESULT_INVOCATION_H_
