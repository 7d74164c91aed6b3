// SPDX-License-Identifier: Apache-2.0
#include "conformance/blame/step.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "conformance/blame/edit.h"
#include "core/float_bits.h"
#include "core/shape.h"
#include "core/wide_int.h"

namespace poolproof {
namespace {

// Of an operand: steps are to be cheap.
constexpr std::int64_t kMostElements = std::int64_t{1} << 20;

class Steps {
 public:
  explicit Steps(const Case& problem) : problem_(problem) {}

  void Keep(std::optional<Call> call, std::string difference) {
    if (!call) return;
    for (const TensorSpec& tensor : call->tensors) {
      if (!tensor.null && StorageElements(tensor).value_or(kMostElements + 1) > kMostElements) {
        return;
      }
    }
    Case changed = problem_;
    changed.calls.front() = std::move(*call);
    if (changed != problem_) steps_.push_back({std::move(changed), std::move(difference)});
  }
  std::vector<Step> Take() { return std::move(steps_); }

 private:
  const Case& problem_;
  std::vector<Step> steps_;
};

std::string Instead(const std::string& what, std::int64_t now, std::int64_t before) {
  return what + " = " + std::to_string(now) + " instead of " + std::to_string(before);
}

// Other values of a number, near ones first.
std::vector<std::int64_t> OthersThan(std::int64_t value, std::int64_t least,
                                     const std::vector<std::int64_t>& borders) {
  std::vector<std::int64_t> others;
  const auto add = [&](WideInt other) {
    if (other < least || other > std::numeric_limits<std::int64_t>::max() || other == value ||
        std::find(others.begin(), others.end(), other) != others.end()) {
      return;
    }
    others.push_back(static_cast<std::int64_t>(other));
  };
  const WideInt own = value;
  for (const WideInt other : {own - 1, own + 1, own * 2, own / 2, WideInt{least}}) add(other);
  for (const WideInt border : borders) {
    for (const WideInt other : {border, border - 1, border + 1}) add(other);
  }
  return others;
}

const char* AxisName(std::size_t axis, std::size_t axes) {
  constexpr const char* kNames[] = {"D", "H", "W"};
  return kNames[3 - axes + axis];
}

// The shortest axis on which a window has room; attributes may be as large as int64 allows.
std::int64_t ShortestFor(const PoolAxis& pool) {
  const WideInt span = WideInt{pool.dilation} * (pool.kernel - 1) + 1;
  const WideInt least = std::max(span - 2 * WideInt{pool.padding}, WideInt{1});
  return static_cast<std::int64_t>(
      std::min(least, WideInt{std::numeric_limits<std::int64_t>::max()}));
}

// One extent alone, with the others as short as windows allow: what is counted in products comes
// to any number, to a prime one, too.
void StepThin(const Call& call, const std::vector<std::int64_t>& counts, Steps& steps) {
  const auto axes = static_cast<std::size_t>(InfoOf(call.op).spatial_rank);
  Dims thin = call.tensor(Role::kSelf).shape;
  if (thin.size() < axes) return;
  const std::size_t leading = thin.size() - axes;
  std::fill(thin.begin(), thin.end(), 1);
  if (const std::optional<WindowAttributes> attributes = ExpandAttributes(call)) {
    for (std::size_t axis = 0; axis < axes; ++axis) {
      thin[leading + axis] = ShortestFor(attributes->Axis(3 - axes + axis));
    }
  }
  const Dims output(axes, 1);
  for (std::size_t axis = 0; axis < thin.size(); ++axis) {
    for (const std::int64_t extent : OthersThan(thin[axis], 1, counts)) {
      Dims shape = thin;
      shape[axis] = extent;
      steps.Keep(Reshape(call, shape, output), "");
      if (axis < leading || InfoOf(call.op).windows != WindowRule::kAdaptive) continue;
      Dims many = output;
      many[axis - leading] = extent;
      steps.Keep(Reshape(call, shape, many), "");
    }
  }
}

void StepExtents(const Call& call, const std::vector<std::int64_t>& borders, Steps& steps) {
  const OperatorInfo& info = InfoOf(call.op);
  const auto axes = static_cast<std::size_t>(info.spatial_rank);
  const Dims& self = call.tensor(Role::kSelf).shape;
  if (self.size() < axes) return;
  const std::size_t leading = self.size() - axes;
  for (std::size_t axis = 0; axis < self.size(); ++axis) {
    const std::string name = axis >= leading       ? AxisName(axis - leading, axes)
                             : axis + 1 == leading ? "C"
                                                   : "N";
    for (const std::int64_t extent : OthersThan(self[axis], 1, borders)) {
      Dims shape = self;
      shape[axis] = extent;
      steps.Keep(Reshape(call, shape, SpatialOutput(call)), Instead(name, extent, self[axis]));
    }
  }
  // Outputs follow from fixed windows: the extent with so many.
  if (const std::optional<WindowAttributes> attributes = ExpandAttributes(call)) {
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const PoolAxis pool = attributes->Axis(3 - axes + axis);
      for (const std::int64_t outputs : borders) {
        const WideInt extent = (WideInt{outputs} - 1) * pool.stride + ShortestFor(pool);
        if (outputs < 1 || extent > kMostElements) continue;
        Dims shape = self;
        shape[leading + axis] = static_cast<std::int64_t>(extent);
        steps.Keep(Reshape(call, shape, SpatialOutput(call)),
                   Instead(AxisName(axis, axes), shape[leading + axis], self[leading + axis]));
      }
    }
  }
  if (info.windows != WindowRule::kAdaptive) return;
  const Dims output = SpatialOutput(call);
  for (std::size_t axis = 0; axis < output.size(); ++axis) {
    std::vector<std::int64_t> also = borders;
    also.push_back(self[leading + axis]);
    for (const std::int64_t extent : OthersThan(output[axis], 1, also)) {
      Dims changed = output;
      changed[axis] = extent;
      steps.Keep(Reshape(call, self, changed),
                 Instead(std::string("output ") + AxisName(axis, axes), extent, output[axis]));
    }
  }
}

// Windows that are legal: with at most half of the kernel's length as padding, and on so long an
// axis of `self` that one fits. `kept` stays as it is along the axis. Returns what else became
// different.
std::string FitWindow(Call& call, Dims& self, List kept, std::size_t axis) {
  const std::optional<WindowAttributes> attributes = ExpandAttributes(call);
  const auto axes = static_cast<std::size_t>(InfoOf(call.op).spatial_rank);
  if (!attributes || self.size() < axes) return {};
  const std::size_t place = 3 - axes + axis;
  std::int64_t kernel = attributes->kernel[place];
  std::int64_t padding = attributes->padding[place];
  std::string also;
  const auto set = [&](List list, const std::array<std::int64_t, 3>& all, std::int64_t value,
                       const char* name) {
    Dims values(all.end() - static_cast<std::ptrdiff_t>(axes), all.end());
    also += " and " + Instead(name + std::string(AxisName(axis, axes)), value, values[axis]);
    values[axis] = value;
    call.list(list) = std::move(values);
  };
  const bool too_wide = kernel < 2 * WideInt{padding};
  if (too_wide && kept == List::kPadding) {
    if (padding > std::numeric_limits<std::int64_t>::max() / 2) return {};
    kernel = 2 * padding;
    set(List::kKernelSize, attributes->kernel, kernel, "kernel ");
  } else if (too_wide && kept == List::kKernelSize) {
    padding = kernel / 2;
    set(List::kPadding, attributes->padding, padding, "padding ");
  }
  const std::int64_t least =
      ShortestFor({kernel, attributes->stride[place], padding, attributes->dilation[place]});
  std::int64_t& extent = self[self.size() - axes + axis];
  if (extent < least) {
    also += " and " + Instead(std::string(AxisName(axis, axes)), least, extent);
    extent = least;
  }
  return also;
}

void StepWindows(const Call& call, const std::vector<std::int64_t>& borders, Steps& steps) {
  const OperatorInfo& info = InfoOf(call.op);
  const std::optional<WindowAttributes> attributes = ExpandAttributes(call);
  if (info.windows != WindowRule::kFixed || !attributes) return;
  const auto axes = static_cast<std::size_t>(info.spatial_rank);
  const Dims& self = call.tensor(Role::kSelf).shape;
  struct Row {
    List list;
    const char* name;
    std::int64_t least;
    std::array<std::int64_t, 3> WindowAttributes::*member;
  };
  const Row rows[] = {{List::kKernelSize, "kernel ", 1, &WindowAttributes::kernel},
                      {List::kStride, "stride ", 1, &WindowAttributes::stride},
                      {List::kPadding, "padding ", 0, &WindowAttributes::padding},
                      {List::kDilation, "dilation ", 1, &WindowAttributes::dilation}};
  for (const Row& row : rows) {
    const auto& all = (*attributes).*row.member;
    const Dims values(all.end() - static_cast<std::ptrdiff_t>(axes), all.end());
    for (std::size_t axis = 0; axis < axes; ++axis) {
      std::vector<std::int64_t> also = borders;
      const std::size_t place = 3 - axes + axis;
      if (row.list == List::kStride) also.push_back(attributes->kernel[place]);
      if (row.list == List::kKernelSize) also.push_back(attributes->stride[place]);
      for (const std::int64_t value : OthersThan(values[axis], row.least, also)) {
        Call changed = call;
        Dims list = values;
        list[axis] = value;
        changed.list(row.list) = std::move(list);
        Dims fitting = self;
        const std::string beside = FitWindow(changed, fitting, row.list, axis);
        steps.Keep(
            Reshape(changed, fitting, {}),
            Instead(row.name + std::string(AxisName(axis, axes)), value, values[axis]) + beside);
      }
    }
  }
  Call changed = call;
  changed.ceil_mode = !call.ceil_mode;
  steps.Keep(Reshape(changed, self, {}), changed.ceil_mode ? "ceilMode on" : "ceilMode off");
}

// The same windows said in longer and in shorter lists, whether they are windows or not.
void StepLists(const Call& call, Steps& steps) {
  const OperatorInfo& info = InfoOf(call.op);
  const auto axes = static_cast<std::size_t>(info.spatial_rank);
  for (const List list : info.lists) {
    const std::optional<Dims>& own = call.list(list);
    if (!own || own->empty()) continue;
    const bool alike = std::count(own->begin(), own->end(), own->front()) == std::ssize(*own);
    for (const std::size_t length : {std::size_t{1}, axes}) {
      if (!alike || own->size() == length) continue;
      Call changed = call;
      changed.list(list) = Dims(length, own->front());
      steps.Keep(std::move(changed), Instead("the length of " + std::string(ListName(list)),
                                             static_cast<std::int64_t>(length), std::ssize(*own)));
    }
  }
}

// Other tensors null, one more, one less, or one instead of another.
void StepNulls(const Call& call, Steps& steps) {
  for (const Role role : InfoOf(call.op).tensors) {
    const bool was_null = call.tensor(role).null;
    Call changed = call;
    changed.tensor(role).null = !was_null;
    const std::string name(RoleName(role));
    steps.Keep(changed, name + (was_null ? " not null" : " null"));
    for (const Role other : InfoOf(call.op).tensors) {
      if (was_null || !call.tensor(other).null) continue;
      Call instead = changed;
      instead.tensor(other).null = false;
      steps.Keep(std::move(instead), name + " null instead of " + std::string(RoleName(other)));
    }
  }
}

void StepTypes(const Call& call, Steps& steps) {
  for (const DataType type : {DataType::kFloat, DataType::kFloat16, DataType::kBf16}) {
    Call changed = call;
    for (TensorSpec& tensor : changed.tensors) {
      if (!IsGradientType(tensor.type)) continue;
      SetValueType(tensor, type);
    }
    steps.Keep(std::move(changed), "type " + DataTypeName(type));
  }
  for (const DataType type : {DataType::kInt32, DataType::kInt64}) {
    Call changed = call;
    changed.tensor(Role::kIndices).type = type;
    steps.Keep(std::move(changed), DataTypeName(type) + " indices");
  }
}

// Where an operand begins, and how far its elements lie apart.
void StepPlaces(const Call& call, Role role, const std::vector<std::int64_t>& borders,
                Steps& steps) {
  const TensorSpec& own = call.tensor(role);
  const std::string name(RoleName(role));
  Call changed = call;
  TensorSpec& tensor = changed.tensor(role);
  for (const std::int64_t offset : OthersThan(own.offset, 0, borders)) {
    tensor.offset = offset;
    steps.Keep(changed, Instead("the offset of " + name, offset, own.offset));
  }
  tensor.offset = own.offset;
  const Dims strides = StridesOf(own);
  if (strides.empty()) return;
  for (const std::int64_t apart : OthersThan(strides.back(), 1, borders)) {
    if (apart > kMostElements) continue;
    tensor.strides = ContiguousStrides(tensor.shape);
    for (std::int64_t& stride : tensor.strides) stride *= apart;
    steps.Keep(changed, Instead("the innermost stride of " + name, apart, strides.back()));
  }
}

void StepLayouts(const Call& call, const std::vector<std::int64_t>& borders, Steps& steps) {
  for (const Role role : InfoOf(call.op).tensors) {
    const TensorSpec& own = call.tensor(role);
    if (own.null || !CheckedNumel(own.shape)) continue;
    const std::string name(RoleName(role));
    Call changed = call;
    TensorSpec& tensor = changed.tensor(role);
    MakeContiguous(tensor);
    steps.Keep(changed, name + " contiguous");
    tensor.strides = ContiguousStrides(tensor.shape);
    for (std::int64_t& stride : tensor.strides) stride *= 2;
    steps.Keep(changed, name + " with every second element");
    MakeContiguous(tensor);
    for (const std::int64_t offset : {3, 32}) {  // no multiple of any vector, and of all
      tensor.offset = offset;
      steps.Keep(changed, name + " from offset " + std::to_string(offset));
    }
    if (!borders.empty()) StepPlaces(call, role, borders, steps);
    if (own.shape.size() < 2) continue;
    // The last two axes the other way round in memory.
    MakeContiguous(tensor);
    tensor.strides = ContiguousStrides(tensor.shape);
    const std::size_t last = tensor.shape.size() - 1;
    tensor.strides[last] = tensor.shape[last - 1];
    tensor.strides[last - 1] = 1;
    steps.Keep(changed, name + " transposed");
  }
  steps.Keep(WithBatchAxis(call), "a batch axis");
  steps.Keep(WithoutBatchAxis(call), "no batch axis");
}

// Special values hide what happens to their own cells, and of no others: one of them, and one in
// every second place after it, the last one left out.
void StepSpecials(Call changed, Steps& steps) {
  constexpr std::int64_t kMost = 64;
  TensorSpec& gradients = changed.tensor(Role::kGradOutput);
  const std::int64_t numel = CheckedNumel(gradients.shape).value_or(0);
  const int subnormal = TraitsOf(gradients.type).min_exponent - 1;
  const std::pair<double, const char*> specials[] = {
      {std::numeric_limits<double>::quiet_NaN(), "NaN"},
      {std::numeric_limits<double>::infinity(), "infinite"},
      {-0.0, "-0"},
      {std::ldexp(1.0, subnormal), "subnormal"}};
  for (const auto& [value, name] : specials) {
    const std::uint64_t bits = EncodeFloat(value, gradients.type);
    if (numel > 0) gradients.data.patches = {{0, bits}};
    steps.Keep(changed, "the first gradient is " + std::string(name));
    for (std::int64_t at = 2; at < std::min(numel - 1, kMost); at += 2) {
      gradients.data.patches.push_back({at, bits});
    }
    steps.Keep(changed, "every second gradient is " + std::string(name));
  }
}

void StepData(const Call& call, Steps& steps) {
  if (InfoOf(call.op).is_forward) return;
  const std::pair<DataKind, const char*> kinds[] = {
      {DataKind::kFirst, "each index names the first element of its window"},
      {DataKind::kLast, "each index names the last element of its window"},
      {DataKind::kShared, "as many windows as can name one element"},
      {DataKind::kArgmax, "each index names the maximum of its window"}};
  for (const auto& [kind, name] : kinds) {
    Call changed = call;
    changed.tensor(Role::kIndices).data = {kind, 0, {}, {}};
    steps.Keep(std::move(changed), name);
  }
  Call changed = call;
  Data& gradients = changed.tensor(Role::kGradOutput).data;
  gradients = {DataKind::kExact, 1, {}, {}};
  steps.Keep(changed, "exact gradients");
  StepSpecials(std::move(changed), steps);
}

}  // namespace

std::vector<Step> StepsFrom(const Case& problem, const std::vector<std::int64_t>& borders,
                            const std::vector<std::int64_t>& of_others) {
  const Call& call = problem.calls.front();
  Steps steps(problem);
  const bool any_null = std::any_of(call.tensors.begin(), call.tensors.end(),
                                    [](const TensorSpec& tensor) { return tensor.null; });
  if (any_null) StepNulls(call, steps);
  StepLists(call, steps);
  if (call.tensor(Role::kSelf).null) return steps.Take();
  StepWindows(call, borders, steps);
  StepExtents(call, borders, steps);
  if (!of_others.empty()) StepThin(call, of_others, steps);
  StepTypes(call, steps);
  StepLayouts(call, of_others, steps);
  StepData(call, steps);
  return steps.Take();
}

}  // namespace poolproof
