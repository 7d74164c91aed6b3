// SPDX-License-Identifier: Apache-2.0
#include "reference/max_pool.h"

#include <array>
#include <cmath>
#include <limits>

#include "reference/element_access.h"

namespace poolproof {
namespace {

struct Maximum {
  double value = -std::numeric_limits<double>::infinity();
  std::int64_t index = 0;
};

// The maximum of one window of the plane whose elements start at `plane_start`. In D,H,W order the
// first of equal maxima wins; a NaN always wins, so the last one does.
Maximum MaximumOf(const Reader& self, std::int64_t plane_start, std::int64_t height,
                  std::int64_t width, const std::array<WindowSpan, 3>& window) {
  Maximum best;
  bool first = true;
  for (std::int64_t i = 0; i < window[0].size(); ++i) {
    for (std::int64_t j = 0; j < window[1].size(); ++j) {
      for (std::int64_t k = 0; k < window[2].size(); ++k) {
        const std::int64_t d = window[0].first + i * window[0].step;
        const std::int64_t h = window[1].first + j * window[1].step;
        const std::int64_t w = window[2].first + k * window[2].step;
        const std::int64_t index = (d * height + h) * width + w;
        const double value = self.Float(plane_start + index);
        if (first || value > best.value || std::isnan(value)) best = {value, index};
        first = false;
      }
    }
  }
  return best;
}

// `window_of(axis, output)` is the window of one output position along one axis.
template <typename WindowOf>
void Pool(const TensorView& self_view, const MutableTensorView& out_view,
          const MutableTensorView& indices_view, const WindowOf& window_of) {
  const Reader self(self_view);
  const Writer out(out_view);
  const Writer indices(indices_view);
  const Dims& input = self_view.shape;
  const Dims& output = out_view.shape;

  std::int64_t position = 0;
  for (std::int64_t plane = 0; plane < output[0] * output[1]; ++plane) {
    const std::int64_t plane_start = plane * input[2] * input[3] * input[4];
    for (std::int64_t d = 0; d < output[2]; ++d) {
      for (std::int64_t h = 0; h < output[3]; ++h) {
        for (std::int64_t w = 0; w < output[4]; ++w) {
          const Maximum best = MaximumOf(self, plane_start, input[3], input[4],
                                         {window_of(0, d), window_of(1, h), window_of(2, w)});
          out.Double(position, best.value);
          indices.Integer(position, best.index);
          ++position;
        }
      }
    }
  }
}

}  // namespace

void ReferenceMaxPool(const MaxPoolArgs& args) {
  Pool(args.self, args.out, args.indices, [&args](std::size_t axis, std::int64_t output) {
    return PoolWindow(output, args.self.shape[axis + 2], args.axes[axis]);
  });
}

void ReferenceAdaptiveMaxPool(const AdaptiveMaxPoolArgs& args) {
  Pool(args.self, args.out, args.indices, [&args](std::size_t axis, std::int64_t output) {
    return AdaptiveWindow(output, args.self.shape[axis + 2], args.out.shape[axis + 2]);
  });
}

}  // namespace poolproof
