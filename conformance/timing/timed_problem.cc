// SPDX-License-Identifier: Apache-2.0
#include "conformance/timing/timed_problem.h"

#include <algorithm>
#include <string>
#include <utility>

#include "conformance/result/storage_size.h"
#include "conformance/session/build_invocation.h"

namespace poolproof {
namespace {

constexpr std::int64_t kMostPlanes = 48;
constexpr std::int64_t kMostElements = std::int64_t{1} << 20;

// The backward over such planes.
Operator BackwardOf(const NetworkShape& shape) {
  const auto wanted = shape.adaptive ? WindowRule::kAdaptive : WindowRule::kFixed;
  const std::span<const Operator> all = BackwardOperators();
  return *std::find_if(all.begin(), all.end(), [&](Operator op) {
    return InfoOf(op).windows == wanted && InfoOf(op).spatial_rank == shape.spatial_rank;
  });
}

Call CallOf(const NetworkShape& shape, bool forward, DataType type, DataType index_type,
            std::int64_t n, std::int64_t c) {
  BaseGeometry geometry;
  geometry.self = {n, c};
  geometry.ceil_mode = shape.ceil_mode;
  for (auto axis = static_cast<std::size_t>(3 - shape.spatial_rank); axis < 3; ++axis) {
    geometry.self.push_back(shape.in[axis]);
    geometry.output.push_back(shape.out[axis]);
    geometry.kernel.push_back(shape.axes[axis].kernel);
    geometry.stride.push_back(shape.axes[axis].stride);
    geometry.padding.push_back(shape.axes[axis].padding);
    geometry.dilation.push_back(shape.axes[axis].dilation);
  }
  const Call backward = MakeBackward(BackwardOf(shape), type, index_type, geometry);
  return forward ? MakeForward(backward) : backward;
}

// A backward knows self by its shape alone.
bool IsMoved(const OperatorInfo& info, Role role) { return info.is_forward || role != Role::kSelf; }

}  // namespace

Result<TimedProblem> MakeTimedProblem(const ProfileRules& rules, const NetworkShape& shape,
                                      bool forward, DataType type, DataType index_type) {
  const std::int64_t planes = std::clamp<std::int64_t>(kMostElements / shape.inputs(), 1,
                                                       std::min(shape.planes(), kMostPlanes));
  Case problem{{CallOf(shape, forward, type, index_type, 1, planes)}, {}};
  const Call& call = problem.calls.front();
  if (call.tensor(Role::kIndices).type != index_type) {
    return InvalidArgument(std::string(InfoOf(call.op).name) + " has no indices of type " +
                           DataTypeName(index_type));
  }
  Result<PreparedCase> prepared = Prepare(rules, std::move(problem));
  if (!prepared.ok()) return prepared.status();
  TimedProblem timed;
  timed.planes = std::move(prepared).value();
  const Case whole{{CallOf(shape, forward, type, index_type, shape.n, shape.c)}, {}};
  timed.whole = BuildInvocation(whole, timed.planes.data);
  const OperatorInfo& info = InfoOf(whole.calls.front().op);
  for (const TensorArgument& tensor : timed.whole.calls.front().tensors) {
    if (IsMoved(info, tensor.role)) timed.bytes += StorageSize(tensor);
  }
  timed.additions = forward ? 0 : shape.Additions();
  return timed;
}

LimitWork TimedProblem::Work() const {
  LimitWork work;
  work.additions = additions;
  const CallArguments& call = whole.calls.front();
  const OperatorInfo& info = InfoOf(call.op);
  for (const TensorArgument& tensor : call.tensors) {
    if (!IsMoved(info, tensor.role)) continue;
    (tensor.is_output ? work.written : work.read)
        .push_back(static_cast<std::size_t>(StorageSize(tensor)));
  }
  return work;
}

}  // namespace poolproof
