// SPDX-License-Identifier: Apache-2.0
#include "conformance/blame/contrast.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "conformance/blame/edit.h"
#include "conformance/case/materialize.h"
#include "conformance/case/passed_axes.h"
#include "conformance/case/windows.h"
#include "conformance/judge/prepared_case.h"
#include "conformance/judge/sum_rule.h"
#include "core/float_bits.h"
#include "core/shape.h"

namespace poolproof {
namespace {

constexpr std::int64_t kInt32Max = 2147483647;
constexpr int kSettleMilliseconds = 60;
// Of all repetitions together.
constexpr int kMostSettleMilliseconds = 1000;
// Gradients that are set apart one by one; such cases are run, never shown.
constexpr std::size_t kMaxApart = std::size_t{1} << 20;

// Collects the contrasts of one case whose clauses apply.
class Builder {
 public:
  Builder(const JudgeContext& context, const Case& problem)
      : rules_(context.rules()), problem_(problem) {}

  [[nodiscard]] const Call& call() const { return problem_.calls.front(); }
  [[nodiscard]] const Case& problem() const { return problem_; }

  [[nodiscard]] const ProfileRules& rules() const { return rules_; }
  [[nodiscard]] bool Applies(Condition condition) const {
    return rules_.Applies(call().op, condition);
  }
  // Empty where the clause does not apply.
  [[nodiscard]] std::string Id(Condition condition) const {
    return rules_.IdOf(call().op, condition);
  }

  void Add(const std::string& clause, Call without, Keeps keeps = Keeps::kNumbers) {
    Case changed = problem_;
    changed.calls = {std::move(without)};
    AddCase(clause, std::move(changed), keeps);
  }
  void AddCase(const std::string& clause, Case without, Keeps keeps = Keeps::kNumbers) {
    if (clause.empty() || without == problem_) return;
    contrasts_.push_back({clause, std::move(without), {}, keeps});
  }
  // The feature is taken away in several ways, with each of which the failure must go.
  void AddEachWay(const std::string& clause, std::vector<Call> ways, Keeps keeps) {
    if (clause.empty() || ways.empty()) return;
    std::vector<Case> cases(ways.size(), problem_);
    for (std::size_t i = 0; i < ways.size(); ++i) cases[i].calls = {std::move(ways[i])};
    contrasts_.push_back({clause, cases.front(), {std::next(cases.begin()), cases.end()}, keeps});
  }

  std::vector<Contrast> Take() {
    std::stable_sort(contrasts_.begin(), contrasts_.end(),
                     [](const Contrast& a, const Contrast& b) { return a.keeps < b.keeps; });
    return std::move(contrasts_);
  }

 private:
  const ProfileRules rules_;
  const Case& problem_;
  std::vector<Contrast> contrasts_;
};

void AddPlanContrasts(Builder& builder) {
  builder.AddCase("2P-03", Settled(builder.problem()));
  if (builder.problem().plan.output != Poison::kZero) {
    Case clean = builder.problem();
    clean.plan.output = Poison::kZero;
    builder.AddCase(builder.Id(Condition::kZero), std::move(clean));
  }
  if (builder.problem().plan.workspace != Poison::kZero) {
    Case clean = builder.problem();
    clean.plan.workspace = Poison::kZero;
    builder.AddCase("2P-07", std::move(clean));
  }
}

void AddViewContrasts(Builder& builder) {
  const OperatorInfo& info = InfoOf(builder.call().op);
  // The clause about indices may differ from that about the other operands.
  const bool apart = info.indices_view != Condition::kViews;
  // Elements of a broadcast view share their storage: a copy holds the same numbers, and the
  // forward chooses the same elements of it, only if they are written down.
  const std::optional<Call> base =
      WithStableData(builder.call(), builder.problem().plan, kMaxLiteral);
  if (!base.has_value()) return;
  Call others = *base;
  Call indices = *base;
  Call all = *base;
  for (const Role role : info.tensors) {
    MakeContiguous(all.tensor(role));
    MakeContiguous((role == Role::kIndices && apart ? indices : others).tensor(role));
  }
  if (!apart) {
    builder.Add(builder.Id(Condition::kViews), std::move(all));
    return;
  }
  builder.Add(builder.Id(Condition::kViews), std::move(others));
  builder.Add(builder.Id(info.indices_view), std::move(indices));
}

void AddListContrasts(Builder& builder) {
  const Call& call = builder.call();
  const auto axes = static_cast<std::size_t>(InfoOf(call.op).spatial_rank);
  for (const List list : {List::kKernelSize, List::kStride, List::kPadding, List::kDilation}) {
    if (!call.list(list).has_value() || call.list(list)->size() != 1) continue;
    Call longer = call;
    longer.list(list) = Dims(axes, call.list(list)->front());
    builder.Add(builder.Id(ShortFormCondition(list)), std::move(longer));
  }
  if (call.list(List::kStride).has_value() && call.list(List::kStride)->empty() &&
      call.list(List::kKernelSize).has_value()) {
    Call explicit_stride = call;
    explicit_stride.list(List::kStride) = call.list(List::kKernelSize);
    builder.Add(builder.Id(Condition::kStrideFromKernel), std::move(explicit_stride));
  }
}

void AddIndexTypeContrast(Builder& builder) {
  const TensorSpec& indices = builder.call().tensor(Role::kIndices);
  const bool wide = indices.type == DataType::kInt64;
  // Where only one index type is legal there is no contrast.
  if (!builder.Applies(Condition::kInt64Indices) || !IsIndexType(indices.type)) return;
  if (builder.problem().plan.descriptors_only &&
      PlaneElements(builder.call().tensor(Role::kSelf).shape,
                    InfoOf(builder.call().op).spatial_rank)
              .value_or(0) > kInt32Max) {
    return;
  }
  Call other = builder.call();
  other.tensor(Role::kIndices).type = wide ? DataType::kInt32 : DataType::kInt64;
  builder.Add(builder.Id(wide ? Condition::kInt64Indices : Condition::kInt32Indices),
              std::move(other), Keeps::kValues);
}

void AddTypeContrast(Builder& builder) {
  // What is accepted is at issue here, so data may change with the type.
  const DataType type = builder.call().tensor(Role::kSelf).type;
  const OperatorInfo& info = InfoOf(builder.call().op);
  const auto row = std::find_if(info.value_types.begin(), info.value_types.end(),
                                [&](const SupportedType& known) { return known.type == type; });
  if (row == info.value_types.end() || !row->by) return;
  for (const DataType other : builder.rules().ValueTypes(info.op)) {
    if (other == type) continue;
    Call changed = builder.call();
    for (const Role role : GradientRoles()) {
      changed.tensor(role).type = other;
      changed.tensor(role).data = {};
    }
    changed.tensor(Role::kGradOutput).data.kind = DataKind::kExact;
    changed.tensor(Role::kSelf).data.kind = DataKind::kUniform;
    if (const std::optional<Call> literal =
            WithLiteralData(builder.call(), builder.problem().plan, kMaxLiteral)) {
      changed.tensor(Role::kIndices).data = literal->tensor(Role::kIndices).data;
    }
    builder.Add(builder.Id(*row->by), std::move(changed), Keeps::kLittle);
  }
}

// The finite gradient of largest magnitude: what takes the place of a special value must not vanish
// beside its neighbours.
std::uint64_t LargestFinite(const TensorSpec& gradients) {
  const double most = TraitsOf(gradients.type).max_finite / 64;
  double largest = 0;
  for (const std::uint64_t word : gradients.data.literal) {
    const double value = std::fabs(DecodeFloat(static_cast<std::uint32_t>(word), gradients.type));
    if (std::isfinite(value)) largest = std::max(largest, std::min(value, most));
  }
  return EncodeFloat(largest != 0 ? largest : 1.0, gradients.type);
}

// Replaces NaN (and, or, infinities) among literal gradients by finite numbers, which differ, so
// that what lands in the wrong place still shows.
std::optional<Call> WithoutSpecials(const Call& literal, bool nan, bool infinity) {
  Call result = literal;
  TensorSpec& tensor = result.tensor(Role::kGradOutput);
  const double largest =
      DecodeFloat(static_cast<std::uint32_t>(LargestFinite(tensor)), tensor.type);
  int replaced = 0;
  for (std::uint64_t& word : tensor.data.literal) {
    const auto bits = static_cast<std::uint32_t>(word);
    if ((nan && IsNanBits(bits, tensor.type)) || (infinity && IsInfinityBits(bits, tensor.type))) {
      word = EncodeFloat(largest * (1.0 - (replaced++ % 8) / 16.0), tensor.type);
    }
  }
  if (replaced == 0) return std::nullopt;
  return result;
}

// Infinities of both signs on one cell make a NaN: here all are positive. nullopt without both
// signs.
std::optional<Call> WithInfinitiesOfOneSign(const Call& literal) {
  Call result = literal;
  TensorSpec& tensor = result.tensor(Role::kGradOutput);
  const std::uint32_t positive = EncodeFloat(HUGE_VAL, tensor.type);
  bool any_positive = false;
  bool any_negative = false;
  for (std::uint64_t& word : tensor.data.literal) {
    const auto bits = static_cast<std::uint32_t>(word);
    if (!IsInfinityBits(bits, tensor.type)) continue;
    (bits == positive ? any_positive : any_negative) = true;
    word = positive;
  }
  if (!any_positive || !any_negative) return std::nullopt;
  return result;
}

void AddSpecialContrasts(Builder& builder) {
  const std::optional<Call> literal =
      WithLiteralData(builder.call(), builder.problem().plan, kMaxLiteral);
  if (!literal.has_value()) return;
  const Operator op = builder.call().op;
  const std::string infinity = builder.Id(builder.rules().InfinityCondition(op));
  const std::string nan = builder.Id(builder.rules().NanCondition(op));
  const std::optional<Call> one_sign = WithInfinitiesOfOneSign(*literal);
  if (one_sign.has_value()) builder.Add(nan, *one_sign, Keeps::kLittle);
  if (auto call = WithoutSpecials(*literal, false, true)) {
    // Without infinities there is no NaN made of two either.
    builder.Add(infinity, std::move(*call), one_sign.has_value() ? Keeps::kLeast : Keeps::kLittle);
  }
  if (auto call = WithoutSpecials(*literal, true, false)) {
    builder.Add(nan, std::move(*call), Keeps::kLittle);
  }
  if (auto call = WithoutSpecials(*literal, true, true)) {
    // Only where both kinds are there does their joint removal say more than each alone.
    const bool both = WithoutSpecials(*literal, true, false).has_value() &&
                      WithoutSpecials(*literal, false, true).has_value();
    if (both) builder.Add(nan, std::move(*call), Keeps::kLeast);
  }
  if (builder.Applies(Condition::kSelfValues)) {
    Call plain_self = *literal;
    Data& self = plain_self.tensor(Role::kSelf).data;
    if (self.MayBeSpecial()) {
      // Of a library that looks for maxima itself, plain values may by chance give the same ones.
      constexpr std::uint64_t kPlainSelves = 6;
      self = {};
      self.kind = DataKind::kUniform;
      std::vector<Call> ways;
      for (self.seed = 0; self.seed < kPlainSelves; ++self.seed) ways.push_back(plain_self);
      builder.AddEachWay(builder.Id(Condition::kSelfValues), std::move(ways), Keeps::kLittle);
    }
  }
}

void AddFormatContrast(Builder& builder) {
  Call plain = builder.call();
  const OperatorInfo& info = InfoOf(plain.op);
  const Format format = plain.tensor(Role::kSelf).format;
  if (format == Format::kNd) return;
  SetFormats(plain, Format::kNd);
  for (const SupportedFormat& row : info.formats) {
    if (row.format == format && row.by) builder.Add(builder.Id(*row.by), plain);
  }
}

// Data that no longer fit their tensor: patches of elements that it lacks are left out, and values
// that were written out are made again. Whether a call is accepted does not depend on them.
void FitData(Call& call) {
  for (const Role role : InfoOf(call.op).tensors) {
    TensorSpec& tensor = call.tensor(role);
    const std::int64_t elements = CheckedNumel(tensor.shape).value_or(0);
    std::erase_if(tensor.data.patches,
                  [&](const Patch& patch) { return patch.position >= elements; });
    if (tensor.data.kind == DataKind::kLiteral && std::ssize(tensor.data.literal) != elements) {
      tensor.data = {};
      tensor.data.kind = role == Role::kIndices ? DataKind::kFirst : DataKind::kUniform;
    }
  }
}

// The call on operands whose extents are as near to its own as they may be while `telling` holds of
// it: a feature that would make no difference there explains nothing. nullopt: none is near.
std::optional<Call> NearestTelling(const Call& call,
                                   const std::function<bool(const Call&)>& telling) {
  constexpr std::int64_t kReach = 8;
  const Dims output = SpatialOutput(call);
  for (std::int64_t more = 0; more < kReach; ++more) {
    Dims self = call.tensor(Role::kSelf).shape;
    for (std::size_t i = self.size() - output.size(); i < self.size(); ++i) self[i] += more;
    std::optional<Call> changed = Reshape(call, self, output);
    if (!changed.has_value() || !telling(*changed)) continue;
    FitData(*changed);
    return changed;
  }
  return std::nullopt;
}

// What rounding up does on the axes of a call, whatever its ceilMode: it adds a window, or asks for
// one that starts outside and is dropped again.
struct Rounding {
  bool adds = false;
  bool drops = false;
};

Rounding RoundingOf(const Call& call) {
  Rounding rounding;
  const std::optional<WindowAttributes> attributes = ExpandAttributes(call);
  if (!attributes.has_value()) return rounding;
  const auto axes = static_cast<std::size_t>(InfoOf(call.op).spatial_rank);
  const Dims& self = call.tensor(Role::kSelf).shape;
  for (std::size_t axis = 0; axis < axes && axes <= self.size(); ++axis) {
    const PoolAxis pool = attributes->Axis(3 - axes + axis);
    const std::int64_t extent = self[self.size() - axes + axis];
    const std::int64_t room = extent + 2 * pool.padding - pool.dilation * (pool.kernel - 1) - 1;
    if (pool.stride <= 0 || room % pool.stride == 0) continue;
    const std::int64_t last = (room + pool.stride - 1) / pool.stride * pool.stride;
    (last >= extent + pool.padding ? rounding.drops : rounding.adds) = true;
  }
  return rounding;
}

Call WithoutPadding(const Call& call) {
  Call unpadded = call;
  std::optional<Dims>& padding = unpadded.list(List::kPadding);
  if (padding.has_value()) padding = Dims(padding->size(), 0);
  return unpadded;
}

bool PaddingMatters(const Call& call) {
  const std::optional<Call> other =
      Reshape(WithoutPadding(call), call.tensor(Role::kSelf).shape, SpatialOutput(call));
  return !other.has_value() || SpatialOutput(*other) != SpatialOutput(call);
}

// `changed`, a call with other windows, on planes that give it the outputs of `call`: what is gone
// there, too, is no matter of the outputs. The planes leave the same rest beside the last window,
// or none. nullopt where neither is telling.
std::optional<Call> OnOutputsOf(const Call& call, const Call& changed,
                                const std::function<bool(const Call&)>& telling) {
  const std::optional<WindowAttributes> before = ExpandAttributes(call);
  const std::optional<WindowAttributes> after = ExpandAttributes(changed);
  const Dims outputs = SpatialOutput(call);
  const Dims& self = call.tensor(Role::kSelf).shape;
  if (!before.has_value() || !after.has_value() || self.size() < outputs.size()) {
    return std::nullopt;
  }
  for (const bool same_rest : {true, false}) {
    Dims planes = self;
    for (std::size_t axis = 0; axis < outputs.size(); ++axis) {
      const PoolAxis pool = after->Axis(3 - outputs.size() + axis);
      std::int64_t& extent = planes[self.size() - outputs.size() + axis];
      extent = same_rest
                   ? extent + 2 * (before->Axis(3 - outputs.size() + axis).padding - pool.padding)
                   : (outputs[axis] - 1) * pool.stride + pool.dilation * (pool.kernel - 1) + 1 -
                         2 * pool.padding;
    }
    if (std::any_of(planes.begin(), planes.end(), [](std::int64_t extent) { return extent < 1; })) {
      continue;
    }
    std::optional<Call> on_outputs = Reshape(changed, planes, outputs);
    if (!on_outputs.has_value() || SpatialOutput(*on_outputs) != outputs) continue;
    if (!telling(*on_outputs)) continue;
    FitData(*on_outputs);
    return on_outputs;
  }
  return std::nullopt;
}

// Geometry can be changed only where acceptance is at issue: numbers would change with it. A list
// written another way explains more than windows that are others.
void AddGeometryContrasts(Builder& builder) {
  const Call& call = builder.call();
  const bool padded = WithoutPadding(call) != call;
  const Rounding rounding = RoundingOf(call);
  // On the planes of the call, or such that the outputs stay.
  const auto add = [&](Condition condition, const Call& without, const auto& telling) {
    std::optional<Call> nearest = NearestTelling(without, telling);
    if (!nearest.has_value()) return;
    std::vector<Call> ways = {*std::move(nearest)};
    std::optional<Call> on_outputs = OnOutputsOf(call, without, telling);
    if (on_outputs.has_value()) ways.push_back(*std::move(on_outputs));
    builder.AddEachWay(builder.Id(condition), std::move(ways), Keeps::kLeast);
  };
  // Also where rounding changes no window: one that does not take ceilMode refuses it there, too.
  if (call.ceil_mode) {
    Call floor = call;
    floor.ceil_mode = false;
    const auto telling = [&](const Call& changed) { return !padded || PaddingMatters(changed); };
    add(Condition::kCeilMode, floor, telling);
  }
  if (padded) {
    // A window that is added or dropped is a matter of rounding, and often goes with the padding.
    const auto telling = [&](const Call& changed) {
      const Rounding left = RoundingOf(changed);
      return !call.ceil_mode || ((left.adds || !rounding.adds) && (left.drops || !rounding.drops));
    };
    add(Condition::kPaddingUpToHalf, WithoutPadding(call), telling);
  }
}

// Windows whose elements lie apart, beside windows that have what lies between, too: each gradient
// goes where it went. And beside windows of as many elements next to one another, on planes that
// are so much smaller: a failure of few elements is no matter of what lies between them.
void AddDilationContrast(Builder& builder) {
  const Call& call = builder.call();
  const std::optional<WindowAttributes> attributes = ExpandAttributes(call);
  if (!builder.Applies(Condition::kDilationAboveOne) || !attributes.has_value()) return;
  const auto axes = static_cast<std::size_t>(InfoOf(call.op).spatial_rank);
  Dims self = call.tensor(Role::kSelf).shape;
  if (self.size() < axes) return;
  Dims kernel;
  Dims stride;
  bool apart = false;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const PoolAxis pool = attributes->Axis(3 - axes + axis);
    const std::int64_t between = (pool.kernel - 1) * (pool.dilation - 1);
    apart = apart || between > 0;
    kernel.push_back(pool.kernel + between);
    stride.push_back(pool.stride);
    std::int64_t& extent = self[self.size() - axes + axis];
    extent = std::max<std::int64_t>(extent - between, 1);
  }
  if (!apart) return;
  const std::optional<Call> literal = WithLiteralData(call, builder.problem().plan, kMaxLiteral);
  if (!literal.has_value()) return;
  Call close = *literal;
  close.list(List::kDilation) = Dims(axes, 1);
  Call filled = close;
  filled.list(List::kKernelSize) = kernel;
  filled.list(List::kStride) = stride;
  std::optional<Call> smaller = Reshape(close, self, SpatialOutput(call));
  if (!smaller.has_value()) return;
  smaller->tensor(Role::kIndices).data = {};
  smaller->tensor(Role::kIndices).data.kind = DataKind::kWindow;
  FitData(*smaller);
  builder.AddEachWay(builder.Id(Condition::kDilationAboveOne),
                     {std::move(filled), *std::move(smaller)}, Keeps::kValues);
}

// A plane just below `limit` elements, by an axis that is shortened so that its windows still
// divide it: by whole windows or, where this leaves more, by shorter ones. nullopt: no such one.
std::optional<Call> JustBelow(std::int64_t limit, const Call& call, std::size_t axis) {
  Dims self = call.tensor(Role::kSelf).shape;
  Dims output = SpatialOutput(call);
  std::int64_t& extent = self[self.size() - output.size() + axis];
  std::int64_t& windows = output[axis];
  const std::int64_t plane = PlaneElements(self, static_cast<int>(output.size())).value_or(0);
  if (extent < 1 || windows < 1) return std::nullopt;
  const std::int64_t fitting = limit / std::max<std::int64_t>(plane / extent, 1);
  const std::int64_t window = std::max<std::int64_t>(extent / windows, 1);
  const std::int64_t by_windows = fitting / window * window;
  const std::int64_t by_shorter = fitting / windows * windows;
  if (std::max(by_windows, by_shorter) < 1) return std::nullopt;
  extent = std::max(by_windows, by_shorter);
  if (by_windows > by_shorter) windows = by_windows / window;
  return Reshape(call, self, output);
}

// Half of a plane at the limit of int32, by its longest axis: a library that takes half of it for
// too large as well does not miss this limit.
std::optional<Call> HalfOfPlane(const Call& call) {
  Dims self = call.tensor(Role::kSelf).shape;
  Dims output = SpatialOutput(call);
  const auto spatial = self.end() - static_cast<std::ptrdiff_t>(output.size());
  const auto longest = std::max_element(spatial, self.end());
  *longest /= 2;
  const auto axis = static_cast<std::size_t>(longest - spatial);
  output[axis] = std::min(output[axis], *longest);
  Call fitting = call;
  if (const std::optional<WindowAttributes> attributes = ExpandAttributes(call)) {
    // A window of as many elements as still fit.
    Dims kernel(attributes->kernel.end() - std::ssize(output), attributes->kernel.end());
    const PoolAxis pool = attributes->Axis(3 - kernel.size() + axis);
    kernel[axis] = (*longest - 1) / std::max<std::int64_t>(pool.dilation, 1) + 1;
    if (kernel[axis] < pool.kernel) fitting.list(List::kKernelSize) = std::move(kernel);
  }
  return Reshape(fitting, self, output);
}

// A fault that begins at a smaller plane, or at a shorter axis, is another clause's.
void AddSizeContrast(Builder& builder) {
  const Call& call = builder.call();
  const OperatorInfo& info = InfoOf(call.op);
  const auto axes = static_cast<std::size_t>(info.spatial_rank);
  const std::int64_t plane =
      PlaneElements(call.tensor(Role::kSelf).shape, info.spatial_rank).value_or(0);
  if (SpatialOutput(call).size() != axes) return;
  if (info.divisible_limit.has_value() && plane > *info.divisible_limit) {
    std::vector<Call> ways;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      std::optional<Call> way = JustBelow(*info.divisible_limit, call, axis);
      if (way.has_value()) ways.push_back(*std::move(way));
    }
    // Half of the largest plane leaves more.
    const Keeps keeps = plane < kInt32Max ? Keeps::kValues : Keeps::kLittle;
    builder.AddEachWay(builder.Id(Condition::kDivisibleAboveLimit), std::move(ways), keeps);
  }
  if (plane < kInt32Max) return;
  const Condition condition =
      plane == kInt32Max ? Condition::kPlaneLimit : Condition::kPlaneAboveLimit;
  std::optional<Call> half = HalfOfPlane(call);
  if (half.has_value()) builder.Add(builder.Id(condition), *std::move(half), Keeps::kValues);
}

}  // namespace

Case Settled(Case problem) {
  const int share = kMostSettleMilliseconds / std::max(problem.plan.repeat, 1);
  problem.plan.settle_ms += std::clamp(share, 1, kSettleMilliseconds);
  return problem;
}

std::vector<Contrast> ContrastsFor(const JudgeContext& context, const Case& problem,
                                   FailureSort sort) {
  Builder builder(context, problem);
  const Call& call = problem.calls.front();
  if (problem.calls.size() != 1 || InfoOf(call.op).is_forward) return {};
  // What must be refused is a matter of its own clause, whatever numbers it gives.
  if (sort == FailureSort::kValue &&
      KindOf(context.rules(), call, problem.plan) == LegalityKind::kInvalid) {
    return {};
  }
  if (sort == FailureSort::kValue) AddPlanContrasts(builder);
  AddViewContrasts(builder);
  if (auto ranked = WithBatchAxis(call))
    builder.Add(builder.Id(Condition::kUnbatched), std::move(*ranked));
  if (InfoOf(call.op).windows == WindowRule::kFixed) AddListContrasts(builder);
  AddFormatContrast(builder);
  AddIndexTypeContrast(builder);
  AddSpecialContrasts(builder);
  AddDilationContrast(builder);
  AddSizeContrast(builder);
  if (sort == FailureSort::kRefusal) {
    AddTypeContrast(builder);
    AddGeometryContrasts(builder);
  }
  return builder.Take();
}

std::optional<Case> WithoutFeatures(const Case& problem) {
  if (problem.calls.size() != 1) return std::nullopt;
  std::optional<Call> call = WithLiteralData(problem.calls.front(), problem.plan, kMaxLiteral);
  if (!call.has_value()) return std::nullopt;
  bool changed = false;
  if (std::optional<Call> finite = WithoutSpecials(*call, true, true)) {
    call = std::move(finite);
    changed = true;
  }
  for (const Role role : InfoOf(call->op).tensors) {
    TensorSpec& tensor = call->tensor(role);
    changed = changed || !IsPlain(tensor) || tensor.format != Format::kNd;
    tensor.format = Format::kNd;
    MakeContiguous(tensor);
  }
  Data& self = call->tensor(Role::kSelf).data;
  if (!self.patches.empty() || self.kind == DataKind::kLiteral) {
    self = {};
    self.kind = DataKind::kUniform;
    changed = true;
  }
  if (!changed) return std::nullopt;
  Case plain = problem;
  plain.calls = {std::move(*call)};
  return plain;
}

std::optional<Case> SpreadApart(const Case& problem) {
  if (problem.calls.size() != 1) return std::nullopt;
  const Call& call = problem.calls.front();
  std::optional<Call> literal = WithLiteralData(call, problem.plan, kMaxApart);
  if (!literal.has_value()) return std::nullopt;
  const std::optional<Windows> windows = WindowsOf(call);
  if (!windows.has_value()) return std::nullopt;
  TensorSpec& tensor = literal->tensor(Role::kIndices);
  // Elements that share storage cannot be moved one by one.
  if (!IsInjective(tensor.shape, StridesOf(tensor))) MakeContiguous(tensor);
  Data& indices = tensor.data;
  for (std::int64_t plane = 0; plane < windows->planes; ++plane) {
    std::unordered_set<std::int64_t> taken;
    for (std::int64_t o = 0; o < windows->OutputSize(); ++o) {
      const auto element = static_cast<std::size_t>(plane * windows->OutputSize() + o);
      auto index = static_cast<std::int64_t>(indices.literal[element]);
      if (taken.insert(index).second) continue;
      // Another free position of the window; without one the indices look the same.
      const std::array<WindowSpan, 3> span = windows->Of(o);
      bool placed = false;
      for (std::int64_t d = span[0].first; d < span[0].end && !placed; d += span[0].step) {
        for (std::int64_t h = span[1].first; h < span[1].end && !placed; h += span[1].step) {
          for (std::int64_t w = span[2].first; w < span[2].end && !placed; w += span[2].step) {
            const std::int64_t flat = windows->Flat(d, h, w);
            if (!taken.insert(flat).second) continue;
            index = flat;
            placed = true;
          }
        }
      }
      if (!placed) return std::nullopt;
      indices.literal[element] = static_cast<std::uint64_t>(index);
    }
  }
  Case apart = problem;
  apart.calls = {std::move(*literal)};
  return apart;
}

std::optional<Case> OnWindowsOfOneCell(const Case& problem) {
  if (problem.calls.size() != 1) return std::nullopt;
  Call call = problem.calls.front();
  if (InfoOf(call.op).is_forward) return std::nullopt;  // its indices are its own
  const Dims output = SpatialOutput(call);
  if (static_cast<int>(output.size()) != InfoOf(call.op).spatial_rank) return std::nullopt;
  for (const List list : {List::kKernelSize, List::kStride, List::kPadding, List::kDilation}) {
    if (call.list(list).has_value())
      call.list(list) = Dims(call.list(list)->size(), list == List::kPadding ? 0 : 1);
  }
  Dims self = call.tensor(Role::kSelf).shape;
  if (self.size() < output.size()) return std::nullopt;
  std::copy(output.begin(), output.end(), self.end() - std::ssize(output));
  std::optional<Call> changed = Reshape(call, self, output);
  if (!changed.has_value()) return std::nullopt;
  FitData(*changed);
  Data& indices = changed->tensor(Role::kIndices).data;
  indices = {};
  indices.kind = DataKind::kFirst;
  Case result = problem;
  result.calls = {*std::move(changed)};
  result.plan.output = Poison::kZero;
  result.plan.workspace = Poison::kZero;
  if (result == problem) return std::nullopt;
  return result;
}

std::optional<Case> WindowsOfOneCell(const Case& problem) {
  if (problem.calls.size() != 1) return std::nullopt;
  const Call& call = problem.calls.front();
  const std::optional<Call> literal = WithLiteralData(call, problem.plan, kMaxLiteral);
  if (!literal.has_value()) return std::nullopt;
  const std::optional<Windows> windows = WindowsOf(call);
  if (!windows.has_value()) return std::nullopt;
  const TensorSpec& gradients = literal->tensor(Role::kGradOutput);
  const Dims output = SpatialOutput(call);
  const DataType index_type = call.tensor(Role::kIndices).type;
  Call apart = MakeBackward(call.op, gradients.type, index_type,
                            {.self = gradients.shape,
                             .kernel = {1},
                             .stride = {1},
                             .padding = {0},
                             .dilation = {1},
                             .output = output});
  if (apart.tensor(Role::kGradOutput).shape != gradients.shape) return std::nullopt;
  apart.tensor(Role::kGradOutput).data = gradients.data;
  apart.tensor(Role::kIndices).data.kind = DataKind::kFirst;
  Case result = problem;
  result.calls = {std::move(apart)};
  return result;
}

}  // namespace poolproof
