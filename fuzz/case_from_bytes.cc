// SPDX-License-Identifier: Apache-2.0
#include "fuzz/case_from_bytes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "conformance/case/case_text.h"
#include "conformance/case/plan_members.h"
#include "conformance/judge/legality.h"
#include "conformance/spec/spec.h"
#include "core/float_bits.h"
#include "fuzz/byte_reader.h"

namespace poolproof {
namespace {

constexpr std::array kProfiles = {Profile::kAtlasA2, Profile::kAtlasA3, Profile::kAscend950};

// --- Geometry ------------------------------------------------------------------------------------

// Extents whose product stays within a budget.
class Budget {
 public:
  explicit Budget(std::int64_t elements) : left_(elements) {}
  std::int64_t Take(std::int64_t wanted) {
    const std::int64_t extent = std::clamp<std::int64_t>(wanted, 1, left_);
    left_ /= extent;
    return extent;
  }

 private:
  std::int64_t left_;
};

// Small ones, and those beside the powers of two that kernels are written with.
std::int64_t ReadExtent(ByteReader& bytes) {
  switch (bytes.Byte() % 4) {
    case 0:
      return bytes.Between(1, 8);
    case 1:
      return bytes.Between(1, 40);
    case 2:
      return (std::int64_t{8} << bytes.Between(0, 4)) + bytes.Between(-1, 1);
    default:
      return bytes.Between(1, 2100);
  }
}

std::int64_t ReadBudget(ByteReader& bytes) {
  return bytes.Of<std::int64_t>({256, 512, 1024, 1024, 2048, 2048, 4096, 16384});
}

// A list in the shortest form that says the same, at times.
Dims ReadListForm(ByteReader& bytes, Dims values) {
  const bool equal =
      std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
  if (bytes.OneIn(2) && equal) values.resize(1);
  return values;
}

Dims ReadSelf(ByteReader& bytes, int spatial_rank, std::int64_t elements) {
  Budget budget(elements);
  Dims leading;
  if (!bytes.OneIn(3)) leading.push_back(budget.Take(bytes.Between(1, 3)));
  leading.push_back(budget.Take(bytes.OneIn(4) ? bytes.Between(1, 300) : bytes.Between(1, 4)));
  Dims spatial(static_cast<std::size_t>(spatial_rank), 1);
  // The last axis takes its share first, unless another one is named.
  const std::size_t first = bytes.Byte() % spatial.size();
  for (std::size_t i = 0; i < spatial.size(); ++i) {
    const std::size_t axis = (spatial.size() - 1 - i + spatial.size() - first) % spatial.size();
    spatial[axis] = budget.Take(ReadExtent(bytes));
  }
  leading.insert(leading.end(), spatial.begin(), spatial.end());
  return leading;
}

struct AxisWindows {
  std::int64_t kernel;
  std::int64_t stride;
  std::int64_t padding;
};

// Windows of which at least one fits into the axis.
AxisWindows ReadWindows(ByteReader& bytes, std::int64_t input, std::int64_t widest) {
  AxisWindows axis{};
  axis.kernel = bytes.Between(1, widest);
  axis.padding = bytes.Between(0, axis.kernel / 2);
  axis.kernel = std::min(axis.kernel, input + 2 * axis.padding);
  axis.padding = std::min(axis.padding, axis.kernel / 2);
  axis.kernel = std::min(axis.kernel, input + 2 * axis.padding);
  axis.stride = bytes.Between(1, axis.kernel + 3);
  return axis;
}

// Elements of all windows together, about.
constexpr std::int64_t kMostWork = 400'000;
std::int64_t Work(const Call& call) {
  const Dims& self = call.tensor(Role::kSelf).shape;
  const Dims& output = call.tensor(Role::kIndices).shape;
  const std::optional<WindowAttributes> attributes = ExpandAttributes(call);
  const auto spatial = static_cast<std::size_t>(InfoOf(call.op).spatial_rank);
  std::int64_t work = 1;
  for (std::size_t i = 0; i < self.size(); ++i) {
    if (i + spatial < self.size()) {
      work *= self[i];
    } else if (attributes) {
      work *= output[i] * std::min(attributes->kernel[i + spatial - self.size()], self[i]);
    } else {
      work *= output[i] + self[i];
    }
  }
  return work;
}

Call ReadFixed(ByteReader& bytes, Operator op, DataType type, DataType index_type) {
  const auto axes = static_cast<std::size_t>(InfoOf(op).spatial_rank);
  const bool wide = bytes.OneIn(4);
  const Dims self = ReadSelf(bytes, InfoOf(op).spatial_rank,
                             std::min<std::int64_t>(ReadBudget(bytes), wide ? 2048 : 16384));
  const std::size_t wide_axis = bytes.Byte() % axes;
  Dims kernel;
  Dims stride;
  Dims padding;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const AxisWindows windows =
        ReadWindows(bytes, self[self.size() - axes + axis], wide && axis == wide_axis ? 40 : 5);
    kernel.push_back(windows.kernel);
    stride.push_back(windows.stride);
    padding.push_back(windows.padding);
  }
  if (bytes.OneIn(3)) stride = kernel;
  Dims stride_form = ReadListForm(bytes, stride);
  if (stride == kernel && bytes.OneIn(2)) stride_form.clear();
  const Dims kernel_form = ReadListForm(bytes, kernel);
  const Dims padding_form = ReadListForm(bytes, padding);
  const Dims dilation_form = ReadListForm(bytes, Dims(axes, 1));
  const bool ceil_mode = bytes.OneIn(2);
  Call call = MakeFixedBackward(op, type, index_type, self, kernel_form, stride_form, padding_form,
                                dilation_form, ceil_mode);
  if (Work(call) <= kMostWork) return call;
  // Windows that do not overlap.
  return MakeFixedBackward(op, type, index_type, self, kernel_form, {}, padding_form, dilation_form,
                           ceil_mode);
}

Call ReadAdaptive(ByteReader& bytes, Operator op, DataType type, DataType index_type) {
  const int spatial_rank = InfoOf(op).spatial_rank;
  const std::int64_t elements = ReadBudget(bytes);
  Dims self = ReadSelf(bytes, spatial_rank, elements);
  const auto leading = self.size() - static_cast<std::size_t>(spatial_rank);
  Budget budget(elements);
  for (std::size_t axis = 0; axis < leading; ++axis) budget.Take(self[axis]);
  Dims output;
  for (std::size_t axis = leading; axis < self.size(); ++axis) {
    output.push_back(budget.Take(bytes.OneIn(4) ? ReadExtent(bytes) : bytes.Between(1, 9)));
    if (!bytes.OneIn(3)) continue;
    // Windows of one size, that tile the axis.
    const std::int64_t extent = self[axis];
    self[axis] = std::max<std::int64_t>(extent / output.back(), 1) * output.back();
    if (CheckedNumel(self).value_or(kMostWork) > 4 * elements) self[axis] = extent;
  }
  Call call = MakeAdaptiveBackward(op, type, index_type, self, output);
  while (Work(call) > kMostWork) {
    std::int64_t& most = *std::max_element(output.begin(), output.end());
    if (most == 1) break;
    most /= 2;
    call = MakeAdaptiveBackward(op, type, index_type, self, output);
  }
  return call;
}

// --- Contents ------------------------------------------------------------------------------------

std::uint32_t ReadBits(ByteReader& bytes, DataType type) {
  const FloatTraits& traits = TraitsOf(type);
  const std::uint32_t infinity = EncodeFloat(HUGE_VAL, type);
  const std::uint32_t sign = bytes.OneIn(2) ? EncodeFloat(-0.0, type) : 0;
  switch (bytes.Byte() % 6) {
    case 0:
      return sign;
    case 1:
      return sign | infinity;
    case 2:
      return sign | infinity | (1U << (traits.precision - 2)) | (bytes.Byte() & 1U);
    case 3:
      return sign | static_cast<std::uint32_t>(bytes.Between(1, 3));  // subnormal
    case 4:
      return sign | EncodeFloat(traits.max_finite, type);
    default:
      return static_cast<std::uint32_t>(bytes.Word(StorageBytes(type)));
  }
}

void ReadPatches(ByteReader& bytes, TensorSpec& tensor) {
  const std::int64_t numel = CheckedNumel(tensor.shape).value_or(0);
  const std::int64_t count = bytes.Between(1, 6);
  for (std::int64_t i = 0; i < count && numel > 0; ++i) {
    const std::int64_t position = bytes.Between(0, std::min<std::int64_t>(numel, 0x10000) - 1);
    tensor.data.patches.push_back({position, ReadBits(bytes, tensor.type)});
  }
}

// Every element from the input, where they are few.
bool ReadLiteral(ByteReader& bytes, TensorSpec& tensor) {
  const std::int64_t numel = CheckedNumel(tensor.shape).value_or(0);
  if (numel > 64) return false;
  tensor.data.kind = DataKind::kLiteral;
  for (std::int64_t i = 0; i < numel; ++i) {
    tensor.data.literal.push_back(bytes.Word(StorageBytes(tensor.type)));
  }
  return true;
}

void ReadData(ByteReader& bytes, Call& call) {
  TensorSpec& self = call.tensor(Role::kSelf);
  self.data.kind = bytes.Of({DataKind::kUniform, DataKind::kTies, DataKind::kWide, DataKind::kZero,
                             DataKind::kSubnormal});
  self.data.seed = bytes.Byte();
  if (bytes.OneIn(6)) {
    ReadPatches(bytes, self);
  } else if (bytes.OneIn(8)) {
    ReadLiteral(bytes, self);
  }

  TensorSpec& indices = call.tensor(Role::kIndices);
  indices.data.kind =
      bytes.Of({DataKind::kArgmax, DataKind::kWindow, DataKind::kFirst, DataKind::kLast,
                DataKind::kShared, DataKind::kWindow, DataKind::kShared, DataKind::kPlane});
  indices.data.seed = bytes.Byte();
  const std::int64_t outputs = CheckedNumel(indices.shape).value_or(0);
  if (indices.data.kind == DataKind::kArgmax && Work(call) > kMostWork / 4) {
    indices.data.kind = DataKind::kWindow;
  }
  if (bytes.OneIn(16)) {
    // Outside its window, perhaps outside the plane: the libraries refuse that when they run.
    const std::int64_t plane = PlaneElements(self.shape, InfoOf(call.op).spatial_rank).value_or(1);
    const std::int64_t index = bytes.Of<std::int64_t>({plane, -1, plane - 1, 0, 0x7fffffff});
    indices.data.patches.push_back({bytes.Between(0, std::min<std::int64_t>(outputs, 0x10000) - 1),
                                    static_cast<std::uint64_t>(index)});
  }

  TensorSpec& gradients = call.tensor(Role::kGradOutput);
  gradients.data.kind =
      bytes.Of({DataKind::kExact, DataKind::kCoded, DataKind::kUniform, DataKind::kWide,
                DataKind::kSubnormal, DataKind::kExact, DataKind::kTies, DataKind::kZero});
  gradients.data.seed = bytes.Byte();
  if (bytes.OneIn(4)) {
    ReadPatches(bytes, gradients);
  } else if (bytes.OneIn(8)) {
    ReadLiteral(bytes, gradients);
  }
}

// --- Layouts -------------------------------------------------------------------------------------

enum class Broadcast : std::uint8_t { kNever, kLeading, kAnywhere };

void ReadLayout(ByteReader& bytes, TensorSpec& tensor, int spatial_rank, Broadcast broadcast) {
  const std::size_t rank = tensor.shape.size();
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (bytes.OneIn(2)) {
    for (std::size_t i = rank; i > 1; --i) std::swap(order[i - 1], order[bytes.Byte() % i]);
  }
  tensor.strides.assign(rank, 0);
  std::int64_t step = bytes.Of<std::int64_t>({1, 1, 2, 3});
  for (std::size_t i = rank; i-- > 0;) {
    const std::size_t axis = order[i];
    tensor.strides[axis] = step;
    step *= tensor.shape[axis];
    if (bytes.OneIn(3)) step += bytes.Between(1, 5);
  }
  for (std::size_t axis = 0; axis < rank; ++axis) {
    // The stride of an axis of extent 1 means nothing; one that computes with it is wrong.
    if (tensor.shape[axis] == 1 && bytes.OneIn(2)) {
      tensor.strides[axis] = bytes.Of<std::int64_t>({0, 1, 7, 1000003});
    }
  }
  const std::size_t axes =
      broadcast == Broadcast::kAnywhere ? rank : rank - static_cast<std::size_t>(spatial_rank);
  if (broadcast != Broadcast::kNever && bytes.OneIn(4)) tensor.strides[bytes.Byte() % axes] = 0;
  tensor.offset = bytes.Of<std::int64_t>({0, 0, 1, 3, 8, 17});
  if (bytes.OneIn(4)) {
    tensor.storage = {StorageElements(tensor).value_or(0) + bytes.Between(1, 9)};
  }
}

void ReadLayouts(ByteReader& bytes, Call& call) {
  const OperatorInfo& info = InfoOf(call.op);
  const std::uint8_t which = bytes.Byte();
  for (std::size_t i = 0; i < info.tensors.size(); ++i) {
    if (((which >> i) & 1U) == 0) continue;
    const Role role = info.tensors[i];
    // Few indices suit all windows of an axis, but one may suit all planes.
    const Broadcast broadcast = IsOutput(info, role)     ? Broadcast::kNever
                                : role == Role::kIndices ? Broadcast::kLeading
                                                         : Broadcast::kAnywhere;
    ReadLayout(bytes, call.tensor(role), info.spatial_rank, broadcast);
  }
}

// --- Calls and plans -----------------------------------------------------------------------------

template <typename T>
T ReadOf(ByteReader& bytes, const std::vector<T>& values) {
  return values[static_cast<std::size_t>(bytes.Between(0, std::ssize(values) - 1))];
}

Call ReadCall(ByteReader& bytes, Profile profile) {
  const ProfileRules rules(Spec::Embedded(), profile);
  const Operator op = ReadOf(bytes, rules.CoveredBackwards());
  const bool forward = bytes.OneIn(5) && rules.Covers(InfoOf(op).forward);
  const DataType type = ReadOf(bytes, rules.ValueTypes(op));
  const DataType index_type = ReadOf(bytes, rules.IndexTypes(op));
  Call call = InfoOf(op).windows == WindowRule::kAdaptive
                  ? ReadAdaptive(bytes, op, type, index_type)
                  : ReadFixed(bytes, op, type, index_type);
  ReadData(bytes, call);
  if (forward) {
    for (const Role role : {Role::kIndices, Role::kGradOutput}) call.tensor(role).data = {};
    call = MakeForward(call);
  }
  if (bytes.OneIn(3)) ReadLayouts(bytes, call);
  return call;
}

void ReadPlan(ByteReader& bytes, std::size_t calls, CallPlan& plan) {
  plan.output = bytes.Of({Poison::kNan, Poison::kFinite, Poison::kMixed, Poison::kZero});
  plan.workspace = bytes.Of({Poison::kNan, Poison::kFinite});
  plan.deterministic = bytes.OneIn(8);
  if (bytes.OneIn(8)) {
    plan.repeat = 2;
    plan.vary_contents = bytes.OneIn(2);
    plan.reuse_executor = bytes.OneIn(2);
    plan.shift_bytes = bytes.Of({0, 32, 64});
  }
  if (calls > 1) {
    plan.order = bytes.Of({Order::kInTurn, Order::kFifo, Order::kLifo});
    plan.streams = bytes.Of({1, 2});
  }
  plan.fill_late = bytes.OneIn(8);
  if (bytes.OneIn(16)) plan.threads = 2;
  if (bytes.OneIn(8)) {
    plan.guard = bytes.Of({Guard::kAfter, Guard::kBefore});
    if (!CheckPlan(plan).ok()) plan.guard = Guard::kNone;  // goes with few others
  }
}

bool IsValid(const Case& problem, Profile profile) {
  return std::all_of(problem.calls.begin(), problem.calls.end(), [&](const Call& call) {
    return Classify({Spec::Embedded(), profile}, call, problem.plan).kind == LegalityKind::kValid;
  });
}

// --- Lines ---------------------------------------------------------------------------------------

constexpr std::int64_t kMostElements = 100'000;
constexpr std::int64_t kMostWorkOfLines = 4'000'000;

// Descriptors that can be made at all: the ABI knows no more than so many extents.
bool CanBeDescribed(const Call& call) {
  constexpr std::size_t kMostExtents = 25;
  const std::vector<Role>& roles = InfoOf(call.op).tensors;
  return std::all_of(roles.begin(), roles.end(), [&](Role role) {
    const TensorSpec& tensor = call.tensor(role);
    return tensor.null ||
           (tensor.shape.size() <= kMostExtents && tensor.storage.size() <= kMostExtents);
  });
}

// Tensors that are there and small, and windows that are walked through soon.
bool IsSmall(const Call& call) {
  const OperatorInfo& info = InfoOf(call.op);
  std::int64_t largest = 1;
  for (const Role role : info.tensors) {
    const TensorSpec& tensor = call.tensor(role);
    if (tensor.null) continue;
    const std::int64_t numel = CheckedNumel(tensor.shape).value_or(kMostElements + 1);
    const std::int64_t storage = StorageElements(tensor).value_or(kMostElements + 1);
    if (numel > kMostElements || storage > kMostElements) return false;
    largest = std::max(largest, numel);
  }
  for (const List list : info.lists) {
    if (!call.list(list)) continue;
    for (const std::int64_t value : *call.list(list)) {
      if (info.windows == WindowRule::kAdaptive && value > kMostElements) return false;
    }
  }
  const std::optional<WindowAttributes> attributes = ExpandAttributes(call);
  if (!attributes) return true;
  const Dims& self = call.tensor(Role::kSelf).shape;
  std::int64_t work = largest;
  for (std::size_t axis = 0; axis < 3 && axis < self.size(); ++axis) {
    const std::int64_t input = std::max<std::int64_t>(self[self.size() - 1 - axis], 1);
    work *= std::min(attributes->kernel[2 - axis], input);
    if (work > kMostWorkOfLines) return false;
  }
  const std::optional<Dims> output = DerivedOutputShape(call);
  return !output || CheckedNumel(*output).value_or(kMostElements + 1) <= kMostElements;
}

}  // namespace

FuzzCase CaseFromBytes(const std::uint8_t* data, std::size_t size) {
  ByteReader bytes(data, size);
  FuzzCase result;
  result.profile = bytes.Of(kProfiles);
  result.tier = bytes.Byte();
  result.threads = static_cast<int>(bytes.Between(1, 3));
  result.guard_bytes = bytes.OneIn(2) ? 0 : 256;
  const std::int64_t calls = bytes.OneIn(8) ? bytes.Between(2, 3) : 1;
  for (std::int64_t i = 0; i < calls; ++i) {
    result.problem.calls.push_back(ReadCall(bytes, result.profile));
  }
  ReadPlan(bytes, result.problem.calls.size(), result.problem.plan);
  return result;
}

std::optional<FuzzCase> CaseFromLine(std::string_view line) {
  Result<Case> problem = ParseCaseLine(line);
  if (!problem.ok()) return std::nullopt;
  FuzzCase result;
  result.problem = std::move(problem).value();
  CallPlan& plan = result.problem.plan;
  if (result.problem.calls.size() > 4 || plan.repeat > 4 || plan.threads > 4 || plan.streams > 4 ||
      plan.shift_bytes > 4096) {
    return std::nullopt;
  }
  plan.settle_ms = 0;
  plan.growth_calls = 0;
  for (const Call& call : result.problem.calls) {
    if (!CanBeDescribed(call)) return std::nullopt;
    if (!plan.descriptors_only && !IsSmall(call)) return std::nullopt;
  }
  for (const Profile profile : kProfiles) {
    if (!IsValid(result.problem, profile)) continue;
    result.profile = profile;
    break;
  }
  result.threads = 2;
  return result;
}

}  // namespace poolproof
