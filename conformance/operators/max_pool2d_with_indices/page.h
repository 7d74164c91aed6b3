// SPDX-License-Identifier: Apache-2.0
//
// MaxPool2dWithIndices (V2), the forward that makes the indices of MaxPool2dWithIndicesBackward.
#ifndef POOLPROOF_CONFORMANCE_OPERATORS_MAX_POOL2D_WITH_INDICES_PAGE_H_
#define POOLPROOF_CONFORMANCE_OPERATORS_MAX_POOL2D_WITH_INDICES_PAGE_H_

#include "conformance/spec/operators.h"

namespace poolproof {

inline OperatorInfo MaxPool2dWithIndicesPage() {
  OperatorInfo page;
  page.op = Operator::kMaxPool2dWithIndices;
  page.name = "MaxPool2dWithIndices";
  page.clause_prefix = "MP2";
  page.backward = Operator::kMaxPool2dWithIndicesBackward;
  page.forward = Operator::kMaxPool2dWithIndices;
  page.is_forward = true;
  page.windows = WindowRule::kFixed;
  page.spatial_rank = 2;
  page.tensors = {Role::kSelf, Role::kOut, Role::kIndices};
  page.lists = {List::kKernelSize, List::kStride, List::kPadding, List::kDilation};
  page.document = "V2";
  page.value_types = {{DataType::kFloat, {}}, {DataType::kFloat16, {}}, {DataType::kBf16, {}}};
  page.index_types = {{DataType::kInt32, {}}, {DataType::kInt64, {}}};
  // MP2-F05 (DD-34).
  page.formats = {{Format::kNd, {}},
                  {Format::kNchw, {}},
                  {Format::kNhwc, Condition::kForwardFormatNhwc, SupportedFormat::Rank::kBatched}};
  return page;
}

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_OPERATORS_MAX_POOL2D_WITH_INDICES_PAGE_H_
