// SPDX-License-Identifier: Apache-2.0
#include "conformance/blame/shrink.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

#include "conformance/blame/edit.h"
#include "conformance/case/passed_axes.h"
#include "conformance/case/plan_members.h"
#include "conformance/properties/properties.h"

namespace poolproof {
namespace {

using CallEdit = std::function<std::optional<Call>(const Call&)>;

using SimplerStep = SimplerCases::Step;

Case Carried(const Case& problem, const SimplerStep& step) {
  if (const Case* whole = std::get_if<Case>(&step)) return *whole;
  const auto& [position, call] = std::get<SimplerCases::ChangedCall>(step);
  Case changed = problem;
  changed.calls[position] = call;
  return changed;
}

// Collects changes of a case.
class Candidates {
 public:
  explicit Candidates(const Case& problem) : problem_(problem) {}

  void PlanWith(const PlanMember& member, int value) {
    Case changed = problem_;
    member.set(changed.plan, value);
    Keep(std::move(changed));
  }
  void EachCall(const CallEdit& edit) {
    for (std::size_t i = 0; i < problem_.calls.size(); ++i) {
      std::optional<Call> call = edit(problem_.calls[i]);
      if (!call.has_value() || *call == problem_.calls[i]) continue;
      result_.emplace_back(SimplerCases::ChangedCall{i, *std::move(call)});
    }
  }
  void Keep(Case changed) {
    if (changed != problem_) result_.emplace_back(std::move(changed));
  }
  std::vector<SimplerStep> Take() { return std::move(result_); }

 private:
  const Case& problem_;
  std::vector<SimplerStep> result_;
};

void DropCalls(const Case& problem, Candidates& candidates) {
  for (std::size_t i = 0; i < problem.calls.size() && problem.calls.size() > 1; ++i) {
    Case fewer = problem;
    fewer.calls.erase(fewer.calls.begin() + static_cast<std::ptrdiff_t>(i));
    candidates.Keep(std::move(fewer));
  }
}

// Repetitions prove what two show, growth what so many calls show.
constexpr int kFewRepetitions = 2;
constexpr int kFewGrowthCalls = 100;

void SimplifyPlan(const Case& problem, Candidates& candidates) {
  for (const PlanMember& member : PlanMembers()) {
    if (member.removable) candidates.PlanWith(member, member.Default());
  }
  Case fewer = problem;
  fewer.plan.repeat = std::min(fewer.plan.repeat, kFewRepetitions);
  candidates.Keep(fewer);
  fewer = problem;
  fewer.plan.growth_calls = std::min(fewer.plan.growth_calls, kFewGrowthCalls);
  candidates.Keep(std::move(fewer));
}

// Replaces one extent of self, everything else following.
std::optional<Call> WithExtent(const Call& call, std::size_t axis, std::int64_t extent) {
  const TensorSpec& self = call.tensor(Role::kSelf);
  if (self.null || axis >= self.shape.size() || extent < 1 || extent >= self.shape[axis]) {
    return std::nullopt;
  }
  Dims shape = self.shape;
  shape[axis] = extent;
  return Reshape(call, shape, SpatialOutput(call));
}

void ShrinkExtents(Candidates& candidates) {
  for (std::size_t axis = 0; axis < 5; ++axis) {
    for (const auto& step :
         {+[](std::int64_t) { return std::int64_t{1}; },
          +[](std::int64_t x) { return std::int64_t{2 + 0 * x}; },
          +[](std::int64_t x) { return x / 2; }, +[](std::int64_t x) { return x - x / 8 - 1; },
          +[](std::int64_t x) { return x - 1; }}) {
      candidates.EachCall([&](const Call& call) -> std::optional<Call> {
        if (axis >= call.tensor(Role::kSelf).shape.size()) return std::nullopt;
        return WithExtent(call, axis, step(call.tensor(Role::kSelf).shape[axis]));
      });
    }
  }
}

void ShrinkAdaptiveOutput(Candidates& candidates) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const int divisor : {0, 2, 1}) {  // to 1, to a half, by 1
      candidates.EachCall([&](const Call& call) -> std::optional<Call> {
        if (InfoOf(call.op).windows == WindowRule::kFixed) return std::nullopt;
        Dims output = SpatialOutput(call);
        if (axis >= output.size() || output[axis] <= 1) return std::nullopt;
        output[axis] = divisor == 0 ? 1 : divisor == 2 ? output[axis] / 2 : output[axis] - 1;
        return Reshape(call, call.tensor(Role::kSelf).shape, output);
      });
    }
  }
}

void ShrinkWindows(Candidates& candidates) {
  const std::pair<List, std::int64_t> lists[] = {
      {List::kPadding, 0}, {List::kStride, 1}, {List::kKernelSize, 1}, {List::kDilation, 1}};
  candidates.EachCall([](const Call& call) -> std::optional<Call> {
    if (!call.ceil_mode) return std::nullopt;
    Call floor = call;
    floor.ceil_mode = false;
    return Reshape(floor, call.tensor(Role::kSelf).shape, {});
  });
  for (const auto& [list, lowest] : lists) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (const bool to_lowest : {true, false}) {
        const List which = list;
        const std::int64_t low = lowest;
        candidates.EachCall([&, which, low](const Call& call) -> std::optional<Call> {
          if (InfoOf(call.op).windows == WindowRule::kAdaptive) return std::nullopt;
          const std::optional<Dims>& values = call.list(which);
          if (!values.has_value() || axis >= values->size() || (*values)[axis] <= low) {
            return std::nullopt;
          }
          Call smaller = call;
          std::int64_t& value = (*smaller.list(which))[axis];
          value = to_lowest ? low : value - 1;
          return Reshape(smaller, call.tensor(Role::kSelf).shape, {});
        });
      }
    }
  }
}

void PlainLayouts(Candidates& candidates) {
  candidates.EachCall([](const Call& call) -> std::optional<Call> {
    Call plain = call;
    for (TensorSpec& tensor : plain.tensors) MakeContiguous(tensor);
    return plain;
  });
  for (std::size_t role = 0; role < kRoleCount; ++role) {
    candidates.EachCall([&](const Call& call) -> std::optional<Call> {
      Call plain = call;
      MakeContiguous(plain.tensors[role]);
      return plain;
    });
    candidates.EachCall([&](const Call& call) -> std::optional<Call> {
      Call plain = call;
      plain.tensors[role].offset = 0;
      plain.tensors[role].storage.clear();
      return plain;
    });
  }
  // The plainest view that is none: every second element.
  for (std::size_t role = 0; role < kRoleCount; ++role) {
    candidates.EachCall([&](const Call& call) -> std::optional<Call> {
      if (call.tensors[role].strides.empty()) return std::nullopt;
      Call spread = call;
      TensorSpec& tensor = spread.tensors[role];
      MakeContiguous(tensor);
      tensor.strides = ContiguousStrides(tensor.shape);
      for (std::int64_t& stride : tensor.strides) stride *= 2;
      return spread;
    });
  }
  candidates.EachCall([](const Call& call) { return WithoutBatchAxis(call); });
}

void PlainTypes(Candidates& candidates) {
  candidates.EachCall([](const Call& call) -> std::optional<Call> {
    if (!IsGradientType(call.tensor(Role::kSelf).type)) return std::nullopt;
    Call plain = call;
    for (TensorSpec& tensor : plain.tensors) {
      if (IsGradientType(tensor.type)) tensor.type = DataType::kFloat;
      if (tensor.data.kind == DataKind::kLiteral && tensor.type == DataType::kFloat)
        return std::nullopt;
    }
    return plain;
  });
  candidates.EachCall([](const Call& call) -> std::optional<Call> {
    Call plain = call;
    TensorSpec& indices = plain.tensor(Role::kIndices);
    if (indices.type != DataType::kInt64) return std::nullopt;
    indices.type = DataType::kInt32;
    return plain;
  });
  candidates.EachCall([](const Call& call) -> std::optional<Call> {
    Call plain = call;
    SetFormats(plain, Format::kNd);
    return plain;
  });
}

void PlainData(Candidates& candidates) {
  const auto with = [&](bool forward, Role role, DataKind kind) {
    candidates.EachCall([=](const Call& call) -> std::optional<Call> {
      if (call.tensor(role).null || InfoOf(call.op).is_forward != forward) return std::nullopt;
      Call plain = call;
      Data& data = plain.tensor(role).data;
      if (data.kind == DataKind::kPowers) return std::nullopt;  // nothing is plainer
      data = {};
      data.kind = kind;
      return plain;
    });
  };
  with(false, Role::kSelf, DataKind::kUniform);
  with(false, Role::kIndices, DataKind::kFirst);
  with(false, Role::kIndices, DataKind::kArgmax);
  with(false, Role::kGradOutput, DataKind::kPowers);
  with(false, Role::kGradOutput, DataKind::kExact);
  with(true, Role::kSelf, DataKind::kPowers);
  for (std::size_t role = 0; role < kRoleCount; ++role) {
    candidates.EachCall([&](const Call& call) -> std::optional<Call> {
      Call plain = call;
      plain.tensors[role].data.seed = 0;
      return plain;
    });
    candidates.EachCall([&](const Call& call) -> std::optional<Call> {
      Call plain = call;
      if (plain.tensors[role].data.patches.empty()) return std::nullopt;
      plain.tensors[role].data.patches.pop_back();
      return plain;
    });
  }
}

std::vector<SimplerStep> StepsOf(const Case& problem) {
  Candidates candidates(problem);
  DropCalls(problem, candidates);
  SimplifyPlan(problem, candidates);
  PlainLayouts(candidates);
  ShrinkExtents(candidates);
  ShrinkAdaptiveOutput(candidates);
  ShrinkWindows(candidates);
  PlainTypes(candidates);
  PlainData(candidates);
  return candidates.Take();
}

Call PlainestCall(const Call& call) {
  Call plain = call;
  const bool forward = InfoOf(call.op).is_forward;
  const bool literal =
      std::any_of(plain.tensors.begin(), plain.tensors.end(),
                  [](const TensorSpec& tensor) { return tensor.data.kind == DataKind::kLiteral; });
  for (TensorSpec& tensor : plain.tensors) {
    tensor.format = Format::kNd;
    MakeContiguous(tensor);
    if (literal) continue;
    if (IsGradientType(tensor.type)) tensor.type = DataType::kFloat;
    if (!forward && !tensor.null) tensor.data = {};
  }
  if (!literal && !forward) {
    plain.tensor(Role::kSelf).data.kind = DataKind::kUniform;
    plain.tensor(Role::kIndices).data.kind = DataKind::kFirst;
    plain.tensor(Role::kGradOutput).data.kind = DataKind::kPowers;
  }
  const auto planes = static_cast<std::ptrdiff_t>(plain.tensor(Role::kSelf).shape.size()) -
                      InfoOf(call.op).spatial_rank;
  for (std::ptrdiff_t axis = 0; axis < planes; ++axis) {
    std::optional<Call> one = WithExtent(plain, static_cast<std::size_t>(axis), 1);
    if (one.has_value()) plain = *std::move(one);
  }
  return plain;
}

}  // namespace

std::optional<Case> PlainestCase(const Case& problem) {
  if (problem.plan.relation != Relation::kNone) return std::nullopt;
  Case plain = problem;
  for (Call& call : plain.calls) call = PlainestCall(call);
  for (const PlanMember& member : PlanMembers()) {
    if (member.removable) member.set(plain.plan, member.Default());
  }
  if (plain == problem) return std::nullopt;
  return plain;
}

SimplerCases::SimplerCases(Case problem) : problem_(std::move(problem)) {
  const Relation relation = problem_.plan.relation;
  if (relation == Relation::kNone) {
    steps_ = StepsOf(problem_);
    return;
  }
  const Case base = BaseOf(problem_);
  for (const SimplerStep& step : StepsOf(base)) {
    std::optional<Case> related = DeriveRelated(relation, Carried(base, step));
    if (related.has_value() && *related != problem_) steps_.emplace_back(*std::move(related));
  }
}

Case SimplerCases::At(std::size_t at) const { return Carried(problem_, steps_[at]); }

}  // namespace poolproof
