// SPDX-License-Identifier: Apache-2.0
#include "reference/max_pool_backward.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "reference/element_access.h"

namespace poolproof {
namespace {

// D * H * W of an N,C,D,H,W shape.
std::int64_t PlaneSize(const Dims& shape) { return shape[2] * shape[3] * shape[4]; }

}  // namespace

std::optional<BadIndex> ReferenceMaxPoolBackward(const BackwardArgs& args) {
  const Reader grad_output(args.grad_output);
  const Reader indices(args.indices);
  const Writer grad_input(args.grad_input);

  const std::int64_t planes = args.grad_input.shape[0] * args.grad_input.shape[1];
  const std::int64_t outputs = PlaneSize(args.grad_output.shape);
  const std::int64_t inputs = PlaneSize(args.grad_input.shape);
  std::vector<float> sum(static_cast<std::size_t>(inputs));

  for (std::int64_t plane = 0; plane < planes; ++plane) {
    std::fill(sum.begin(), sum.end(), 0.0F);
    for (std::int64_t output = 0; output < outputs; ++output) {
      const std::int64_t position = plane * outputs + output;
      const std::int64_t index = indices.Integer(position);
      if (index < 0 || index >= inputs) return BadIndex{position, index, inputs};
      sum[static_cast<std::size_t>(index)] += static_cast<float>(grad_output.Float(position));
    }
    for (std::int64_t input = 0; input < inputs; ++input) {
      grad_input.Float(plane * inputs + input, sum[static_cast<std::size_t>(input)]);
    }
  }
  return std::nullopt;
}

}  // namespace poolproof
