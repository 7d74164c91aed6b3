// SPDX-License-Identifier: Apache-2.0
//
// The operators that the suite knows, in the order of the enumeration: backwards first.
#include <algorithm>
#include <array>
#include <cstddef>

#include "conformance/operators/adaptive_max_pool2d/page.h"
#include "conformance/operators/adaptive_max_pool2d_backward/page.h"
#include "conformance/operators/adaptive_max_pool3d/page.h"
#include "conformance/operators/adaptive_max_pool3d_backward/page.h"
#include "conformance/operators/max_pool2d_with_indices/page.h"
#include "conformance/operators/max_pool2d_with_indices_backward/page.h"
#include "conformance/operators/max_pool3d_with_argmax/page.h"
#include "conformance/operators/max_pool3d_with_argmax_backward/page.h"
#include "conformance/spec/operators.h"

namespace poolproof {
namespace {

using Pages = std::array<OperatorInfo, kOperatorCount>;

const Pages& AllPages() {
  static const Pages pages = {MaxPool3dWithArgmaxBackwardPage(), AdaptiveMaxPool3dBackwardPage(),
                              AdaptiveMaxPool2dBackwardPage(),   MaxPool2dWithIndicesBackwardPage(),
                              MaxPool3dWithArgmaxPage(),         AdaptiveMaxPool3dPage(),
                              AdaptiveMaxPool2dPage(),           MaxPool2dWithIndicesPage()};
  return pages;
}

}  // namespace

std::span<const OperatorInfo> AllOperators() { return AllPages(); }

const OperatorInfo& InfoOf(Operator op) { return AllPages()[static_cast<std::size_t>(op)]; }

}  // namespace poolproof
