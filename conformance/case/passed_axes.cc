// SPDX-License-Identifier: Apache-2.0
#include "conformance/case/passed_axes.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace poolproof {
namespace {

bool ListsNhwc(const OperatorInfo& info) {
  return std::any_of(info.formats.begin(), info.formats.end(),
                     [](const SupportedFormat& row) { return row.format == Format::kNhwc; });
}

// The number of element (n, h, w, c) of a channels-last tensor, row by row, for the number of
// (n, c, h, w); and the other way round. `shape` is (N, C, H, W), without empty axes.
std::int64_t LastOfFirst(const Dims& shape, std::int64_t number) {
  const std::int64_t plane = shape[2] * shape[3];
  const std::int64_t image = shape[1] * plane;
  const std::int64_t rest = number % image;
  return number / image * image + rest % plane * shape[1] + rest / plane;
}
std::int64_t FirstOfLast(const Dims& shape, std::int64_t number) {
  const std::int64_t plane = shape[2] * shape[3];
  const std::int64_t image = shape[1] * plane;
  const std::int64_t rest = number % image;
  return number / image * image + rest % shape[1] * plane + rest / shape[1];
}

// Elements of data under their new numbers.
template <typename Renumber>
void RenumberData(Data& data, std::int64_t numel, const Renumber& renumber) {
  if (numel < 1) return;
  if (data.kind == DataKind::kLiteral && std::ssize(data.literal) == numel) {
    std::vector<std::uint64_t> literal(data.literal.size());
    for (std::int64_t i = 0; i < numel; ++i) {
      literal[static_cast<std::size_t>(renumber(i))] = data.literal[static_cast<std::size_t>(i)];
    }
    data.literal = std::move(literal);
  }
  for (Patch& patch : data.patches) {
    if (patch.position >= 0 && patch.position < numel) patch.position = renumber(patch.position);
  }
}

bool IsCounted(const Dims& shape) { return CheckedNumel(shape).has_value(); }

TensorSpec TensorAsPassed(TensorSpec tensor) {
  if (tensor.null) return tensor;
  const Dims first = tensor.shape;
  if (!tensor.strides.empty() || IsCounted(first)) {
    tensor.strides = ChannelsLast(StridesOf(tensor));
  }
  tensor.shape = ChannelsLast(std::move(tensor.shape));
  if (!IsCounted(first)) return tensor;
  if (tensor.strides == ContiguousStrides(tensor.shape)) tensor.strides.clear();
  RenumberData(tensor.data, *CheckedNumel(first),
               [&](std::int64_t i) { return LastOfFirst(first, i); });
  return tensor;
}

TensorSpec TensorFromPassed(TensorSpec tensor) {
  if (tensor.null) return tensor;
  if (!tensor.strides.empty() || IsCounted(tensor.shape)) {
    tensor.strides = ChannelsFirst(StridesOf(tensor));
  }
  tensor.shape = ChannelsFirst(std::move(tensor.shape));
  if (!IsCounted(tensor.shape)) return tensor;
  RenumberData(tensor.data, *CheckedNumel(tensor.shape),
               [&](std::int64_t i) { return FirstOfLast(tensor.shape, i); });
  return tensor;
}

}  // namespace

bool PassesChannelsLast(const Call& call) {
  const OperatorInfo& info = InfoOf(call.op);
  return ListsNhwc(info) && !call.tensor(Role::kSelf).null &&
         std::all_of(info.tensors.begin(), info.tensors.end(), [&](Role role) {
           return call.tensor(role).null || IsNhwc(call.tensor(role));
         });
}

Call AsPassed(const Call& call) {
  Call passed = call;
  if (!PassesChannelsLast(call)) return passed;
  for (const Role role : InfoOf(call.op).tensors) {
    passed.tensor(role) = TensorAsPassed(std::move(passed.tensor(role)));
  }
  return passed;
}

Call FromPassed(Call passed) {
  if (!PassesChannelsLast(passed)) return passed;
  for (const Role role : InfoOf(passed.op).tensors) {
    passed.tensor(role) = TensorFromPassed(std::move(passed.tensor(role)));
  }
  return passed;
}

std::optional<Dims> PassedOutputShape(const Call& passed) {
  const TensorSpec& self = passed.tensor(Role::kSelf);
  if (!ListsNhwc(InfoOf(passed.op)) || !IsNhwc(self)) return DerivedOutputShape(passed);
  Call call;
  call.op = passed.op;
  call.lists = passed.lists;
  call.ceil_mode = passed.ceil_mode;
  call.tensor(Role::kSelf) = MakeTensor(self.type, ChannelsFirst(self.shape));
  std::optional<Dims> shape = DerivedOutputShape(call);
  if (shape) shape = ChannelsLast(*std::move(shape));
  return shape;
}

void SetFormats(Call& call, Format format) {
  const OperatorInfo& info = InfoOf(call.op);
  for (const Role role : info.tensors) {
    TensorSpec& tensor = call.tensor(role);
    // Empty strides represent those of the new order.
    if (IsPacked(tensor)) tensor.strides.clear();
    tensor.format = format;
  }
  if (!PassesChannelsLast(call)) return;
  for (const Role role : info.tensors) {
    TensorSpec& tensor = call.tensor(role);
    if (tensor.null || !tensor.strides.empty() || !IsCounted(tensor.shape)) continue;
    tensor.strides = ChannelsFirst(ContiguousStrides(ChannelsLast(tensor.shape)));
  }
}

}  // namespace poolproof
