// SPDX-License-Identifier: Apache-2.0
#include "conformance/session/build_invocation.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "conformance/case/passed_axes.h"

namespace poolproof {
namespace {

TensorArgument BuildTensor(const OperatorInfo& info, Role role, const TensorSpec& tensor,
                           const MaterializedCall& data) {
  TensorArgument argument;
  argument.role = role;
  argument.is_output = IsOutput(info, role);
  argument.null = tensor.null;
  if (tensor.null) return argument;
  argument.type = static_cast<std::int32_t>(tensor.type);
  argument.format = static_cast<std::int32_t>(tensor.format);
  argument.shape = tensor.shape;
  argument.strides = StridesOf(tensor);
  argument.offset = tensor.offset;
  argument.storage_dims = StorageDimsOf(tensor);
  argument.bytes = data.storage[static_cast<std::size_t>(role)];
  return argument;
}

}  // namespace

Invocation BuildInvocation(const Case& problem, const Materialized& data) {
  Invocation invocation;
  invocation.plan = problem.plan;
  invocation.calls.reserve(problem.calls.size());
  for (std::size_t i = 0; i < problem.calls.size(); ++i) {
    const Call call = AsPassed(problem.calls[i]);
    const OperatorInfo& info = InfoOf(call.op);
    CallArguments arguments;
    arguments.op = call.op;
    arguments.ceil_mode = call.ceil_mode;
    for (const Role role : info.tensors) {
      arguments.tensors.push_back(BuildTensor(info, role, call.tensor(role), data.calls[i]));
    }
    for (const List list : info.lists) arguments.lists.push_back(call.list(list));
    invocation.calls.push_back(std::move(arguments));
  }
  return invocation;
}

}  // namespace poolproof
