// SPDX-License-Identifier: Apache-2.0
//
// MaxPool3dWithArgmax, the forward that makes the indices of MaxPool3dWithArgmaxBackward.
#ifndef POOLPROOF_CONFORMANCE_OPERATORS_MAX_POOL3D_WITH_ARGMAX_PAGE_H_
#define POOLPROOF_CONFORMANCE_OPERATORS_MAX_POOL3D_WITH_ARGMAX_PAGE_H_

#include "conformance/spec/operators.h"

namespace poolproof {

inline OperatorInfo MaxPool3dWithArgmaxPage() {
  OperatorInfo page;
  page.op = Operator::kMaxPool3dWithArgmax;
  page.name = "MaxPool3dWithArgmax";
  page.clause_prefix = "MP3";
  page.backward = Operator::kMaxPool3dWithArgmaxBackward;
  page.forward = Operator::kMaxPool3dWithArgmax;
  page.is_forward = true;
  page.windows = WindowRule::kFixed;
  page.spatial_rank = 3;
  page.tensors = {Role::kSelf, Role::kOut, Role::kIndices};
  page.lists = {List::kKernelSize, List::kStride, List::kPadding, List::kDilation};
  page.value_types = {{DataType::kFloat, Condition::kGradientTypes},
                      {DataType::kFloat16, Condition::kGradientTypes},
                      {DataType::kBf16, Condition::kGradientTypes}};
  page.index_types = {{DataType::kInt32, Condition::kInt32Indices},
                      {DataType::kInt64, Condition::kInt64Indices}};
  page.formats = {{Format::kNd, {}}};
  return page;
}

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_OPERATORS_MAX_POOL3D_WITH_ARGMAX_PAGE_H_
