// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/membership.h"

#include <algorithm>
#include <cstddef>
#include <span>

#include "core/wide_int.h"

namespace poolproof {

std::optional<Membership> Membership::Of(const Call& call) {
  const OperatorInfo& info = InfoOf(call.op);
  const Dims& self = call.tensor(Role::kSelf).shape;
  const Dims& output = call.tensor(info.is_forward ? Role::kOut : Role::kGradOutput).shape;
  const auto spatial = static_cast<std::size_t>(info.spatial_rank);
  if (self.size() != output.size() || self.size() < spatial + 1 || self.size() > spatial + 2) {
    return std::nullopt;
  }
  Membership result;
  result.adaptive_ = info.windows == WindowRule::kAdaptive;
  result.attributes_ = ExpandAttributes(call);
  if (!result.adaptive_ && !result.attributes_.has_value()) return std::nullopt;
  const std::size_t leading = self.size() - spatial;
  const std::optional<std::int64_t> planes = CheckedNumel(std::span(self).first(leading));
  if (!planes.has_value() ||
      !std::equal(self.begin(), self.begin() + static_cast<std::ptrdiff_t>(leading),
                  output.begin())) {
    return std::nullopt;
  }
  PlaneGeometry& geometry = result.geometry_;
  geometry.planes = *planes;
  geometry.input = {1, 1, 1};
  geometry.output = {1, 1, 1};
  for (std::size_t axis = 0; axis < spatial; ++axis) {
    geometry.input[3 - spatial + axis] = self[leading + axis];
    geometry.output[3 - spatial + axis] = output[leading + axis];
  }
  const auto is_small = [](std::int64_t value) {
    return value < (std::int64_t{1} << 30) && value > -(std::int64_t{1} << 30);
  };
  const auto all_small = [&](const std::array<std::int64_t, 3>& values) {
    return std::all_of(values.begin(), values.end(), is_small);
  };
  const std::optional<WindowAttributes>& own = result.attributes_;
  result.small_ = all_small(geometry.input) && all_small(geometry.output) &&
                  (!own || (all_small(own->kernel) && all_small(own->stride) &&
                            all_small(own->padding) && all_small(own->dilation)));
  return result;
}

WindowSpan Membership::AxisSpan(std::size_t axis, std::int64_t o) const {
  using Wide = WideInt;
  const Wide length = geometry_.input[axis];
  Wide first = 0;
  Wide end = 0;
  Wide step = 1;
  if (adaptive_) {
    const Wide outputs = geometry_.output[axis];
    first = Wide{o} * length / outputs;
    end = ((Wide{o} + 1) * length + outputs - 1) / outputs;
  } else {
    step = attributes_->dilation[axis];
    first = Wide{o} * attributes_->stride[axis] - attributes_->padding[axis];
    end = first + (Wide{attributes_->kernel[axis]} - 1) * step + 1;
    if (first < 0) first += (-first + step - 1) / step * step;
  }
  end = std::min(end, length);
  if (first >= end) return {};
  return {static_cast<std::int64_t>(first), static_cast<std::int64_t>(end),
          static_cast<std::int64_t>(step)};
}

template <typename Wide>
bool Membership::CoversIn(std::int64_t o, std::int64_t index) const {
  const std::array<std::int64_t, 3>& in = geometry_.input;
  const std::array<std::int64_t, 3>& out = geometry_.output;
  for (std::size_t axis = 3; axis-- > 0; o /= out[axis], index /= in[axis]) {
    const Wide length = in[axis];
    const Wide outputs = out[axis];
    const Wide position = index % in[axis];
    const Wide window = o % out[axis];
    if (adaptive_) {
      // floor(o*L/Lo) <= position  <=>  o*L < (position+1)*Lo, and
      // position < ceil((o+1)*L/Lo)  <=>  position*Lo < (o+1)*L: no division, no rounding.
      if (window * length >= (position + 1) * outputs) return false;
      if (position * outputs >= (window + 1) * length) return false;
      continue;
    }
    // position = o*stride - padding + tap*dilation for some tap in [0, kernel)
    const Wide dilation = attributes_->dilation[axis];
    const Wide distance =
        position - (window * attributes_->stride[axis] - attributes_->padding[axis]);
    if (distance < 0 || distance / dilation >= attributes_->kernel[axis]) return false;
    if (dilation != 1 && distance % dilation != 0) return false;
  }
  return true;
}

bool Membership::Covers(std::int64_t o, std::int64_t index) const {
  return small_ ? CoversIn<std::int64_t>(o, index) : CoversIn<WideInt>(o, index);
}

}  // namespace poolproof
