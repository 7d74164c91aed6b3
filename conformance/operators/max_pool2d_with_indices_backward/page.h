// SPDX-License-Identifier: Apache-2.0
//
// MaxPool2dWithIndicesBackward (V1), clauses MP2-*.
#ifndef POOLPROOF_CONFORMANCE_OPERATORS_MAX_POOL2D_WITH_INDICES_BACKWARD_PAGE_H_
#define POOLPROOF_CONFORMANCE_OPERATORS_MAX_POOL2D_WITH_INDICES_BACKWARD_PAGE_H_

#include "conformance/spec/operators.h"

namespace poolproof {

inline OperatorInfo MaxPool2dWithIndicesBackwardPage() {
  OperatorInfo page;
  page.op = Operator::kMaxPool2dWithIndicesBackward;
  page.name = "MaxPool2dWithIndicesBackward";
  page.clause_prefix = "MP2";
  page.backward = Operator::kMaxPool2dWithIndicesBackward;
  page.forward = Operator::kMaxPool2dWithIndices;
  page.windows = WindowRule::kFixed;
  page.spatial_rank = 2;
  page.tensors = {Role::kGradOutput, Role::kSelf, Role::kIndices, Role::kGradInput};
  page.lists = {List::kKernelSize, List::kStride, List::kPadding, List::kDilation};
  // MP2-B22, MP2-B28, MP2-B23, MP2-B24, MP2-B26, MP2-B27, MP2-B29 (DD-34).
  page.value_types = {{DataType::kFloat, Condition::kGradientTypes},
                      {DataType::kFloat16, Condition::kNarrowGradientTypes},
                      {DataType::kBf16, Condition::kNarrowGradientTypes}};
  page.index_types = {{DataType::kInt32, Condition::kInt32Indices},
                      {DataType::kInt64, Condition::kInt64Indices}};
  page.formats = {{Format::kNd, Condition::kFormatNd},
                  {Format::kNchw, Condition::kFormatNchw},
                  {Format::kNhwc, Condition::kFormatNhwc, SupportedFormat::Rank::kBatched}};
  // MP2-S40 to MP2-S45, MP2-S47, MP2-S53.
  page.list_rules = {
      {List::kKernelSize, {1, 2}, Condition::kKernelLength, 1, Condition::kKernelValue},
      {List::kStride, {0, 1, 2}, Condition::kStrideLength, 1, Condition::kStrideValue},
      {List::kPadding, {1, 2}, Condition::kPaddingLength, 0, Condition::kPaddingNegative},
      {List::kDilation, {1, 2}, Condition::kDilationLength, 1, Condition::kDilationValue}};
  // MP2-S14.
  page.type_rules = {{Role::kSelf, {Role::kGradOutput}, Condition::kEqualTypes},
                     {Role::kGradInput, {Role::kGradOutput}, Condition::kEqualTypes},
                     {Role::kGradInput, {Role::kSelf}, Condition::kEqualTypes}};
  // MP2-S21.
  page.format_rules = {{Role::kGradOutput, Role::kSelf, Condition::kEqualFormats},
                       {Role::kIndices, Role::kSelf, Condition::kEqualFormats},
                       {Role::kGradInput, Role::kSelf, Condition::kEqualFormats}};
  page.deeper = Operator::kMaxPool3dWithArgmaxBackward;
  page.bases = {FixedBase(DataType::kFloat, {1, 2, 7, 9}, {2, 4}, {2, 3}, {1, 2}, {1, 1}),
                FixedBase(DataType::kFloat16, {3, 8, 7}, {3, 2}, {1, 2}, {1, 0}, {1}, true),
                FixedBase(DataType::kBf16, {2, 3, 6, 5}, {2}, {}, {0}, {1}),
                FixedBase(DataType::kFloat, {4, 7, 6}, {3}, {1}, {1}, {1, 1}, true)};
  page.overlapping = FixedBase(DataType::kFloat, {1, 2, 6, 7}, {2, 3}, {1, 2}, {1}, {1});
  page.overlapping_large = FixedBase(DataType::kFloat, {2, 8, 27, 29}, {3}, {1}, {1}, {1});
  return page;
}

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_OPERATORS_MAX_POOL2D_WITH_INDICES_BACKWARD_PAGE_H_
