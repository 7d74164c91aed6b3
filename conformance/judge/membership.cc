// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/membership.h"

#include <algorithm>
#include <cstddef>
#include <span>

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
  return result;
}

bool Membership::AxisCovers(std::size_t axis, std::int64_t o, std::int64_t position) const {
  __extension__ using Wide = __int128;
  if (adaptive_) {
    // floor(o*L/Lo) <= position  <=>  o*L < (position+1)*Lo, and
    // position < ceil((o+1)*L/Lo)  <=>  position*Lo < (o+1)*L: no division, no rounding.
    const Wide length = geometry_.input[axis];
    const Wide outputs = geometry_.output[axis];
    return Wide{o} * length < (Wide{position} + 1) * outputs &&
           Wide{position} * outputs < (Wide{o} + 1) * length;
  }
  // position = o*stride - padding + tap*dilation for some tap in [0, kernel)
  const Wide distance =
      Wide{position} - (Wide{o} * attributes_->stride[axis] - attributes_->padding[axis]);
  if (distance < 0 || distance % attributes_->dilation[axis] != 0) return false;
  return distance / attributes_->dilation[axis] < attributes_->kernel[axis];
}

WindowSpan Membership::AxisSpan(std::size_t axis, std::int64_t o) const {
  __extension__ using Wide = __int128;
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

bool Membership::Covers(std::int64_t o, std::int64_t index) const {
  const std::array<std::int64_t, 3>& in = geometry_.input;
  const std::array<std::int64_t, 3>& out = geometry_.output;
  const std::array<std::int64_t, 3> position = {index / (in[1] * in[2]), index / in[2] % in[1],
                                                index % in[2]};
  const std::array<std::int64_t, 3> window = {o / (out[1] * out[2]), o / out[2] % out[1],
                                              o % out[2]};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!AxisCovers(axis, window[axis], position[axis])) return false;
  }
  return true;
}

}  // namespace poolproof
