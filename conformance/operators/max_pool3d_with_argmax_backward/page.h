// SPDX-License-Identifier: Apache-2.0
//
// MaxPool3dWithArgmaxBackward (D0, D2, D3), clauses MP3-*.
#ifndef POOLPROOF_CONFORMANCE_OPERATORS_MAX_POOL3D_WITH_ARGMAX_BACKWARD_PAGE_H_
#define POOLPROOF_CONFORMANCE_OPERATORS_MAX_POOL3D_WITH_ARGMAX_BACKWARD_PAGE_H_

#include "conformance/spec/operators.h"

namespace poolproof {

inline OperatorInfo MaxPool3dWithArgmaxBackwardPage() {
  OperatorInfo page;
  page.op = Operator::kMaxPool3dWithArgmaxBackward;
  page.name = "MaxPool3dWithArgmaxBackward";
  page.clause_prefix = "MP3";
  page.backward = Operator::kMaxPool3dWithArgmaxBackward;
  page.forward = Operator::kMaxPool3dWithArgmax;
  page.windows = WindowRule::kFixed;
  page.spatial_rank = 3;
  page.tensors = {Role::kGradOutput, Role::kSelf, Role::kIndices, Role::kGradInput};
  page.lists = {List::kKernelSize, List::kStride, List::kPadding, List::kDilation};
  // MP3-B22, MP3-B23, MP3-B24, MP3-B26, MP3-B27.
  page.value_types = {{DataType::kFloat, Condition::kGradientTypes},
                      {DataType::kFloat16, Condition::kGradientTypes},
                      {DataType::kBf16, Condition::kGradientTypes}};
  page.index_types = {{DataType::kInt32, Condition::kInt32Indices},
                      {DataType::kInt64, Condition::kInt64Indices}};
  page.formats = {{Format::kNd, Condition::kFormatNd}, {Format::kNcdhw, Condition::kFormatNcdhw}};
  // MP3-S40 to MP3-S45, MP3-S47; the values of dilation are MP3-S48's affair.
  page.list_rules = {
      {List::kKernelSize, {1, 3}, Condition::kKernelLength, 1, Condition::kKernelValue},
      {List::kStride, {0, 1, 3}, Condition::kStrideLength, 1, Condition::kStrideValue},
      {List::kPadding, {1, 3}, Condition::kPaddingLength, 0, Condition::kPaddingNegative},
      {List::kDilation, {1, 3}, Condition::kDilationLength, 1, Condition::kDilationValue}};
  // MP3-S14.
  page.type_rules = {{Role::kSelf, {Role::kGradOutput}, Condition::kEqualTypes},
                     {Role::kGradInput, {Role::kGradOutput}, Condition::kEqualTypes},
                     {Role::kGradInput, {Role::kSelf}, Condition::kEqualTypes}};
  // MP3-S21, MP3-S22.
  page.format_rules = {{Role::kGradOutput, Role::kSelf, Condition::kEqualFormats},
                       {Role::kGradInput, Role::kSelf, Condition::kEqualFormats},
                       {Role::kIndices, Role::kSelf, Condition::kEqualIndicesFormat}};
  page.bases = {
      FixedBase(DataType::kFloat, {1, 2, 5, 6, 7}, {3, 2, 4}, {2, 2, 3}, {1, 1, 2}, {1, 1, 1}),
      FixedBase(DataType::kFloat16, {2, 5, 6, 7}, {2, 3, 3}, {2, 1, 2}, {0, 1, 1}, {1}, true),
      FixedBase(DataType::kBf16, {2, 3, 4, 6, 5}, {2}, {}, {0}, {1}),
      FixedBase(DataType::kFloat, {3, 6, 6, 6}, {3}, {1}, {1}, {1, 1, 1}, true)};
  page.overlapping = FixedBase(DataType::kFloat, {1, 2, 5, 6, 7}, {3, 2, 3}, {1, 1, 2}, {1}, {1});
  page.overlapping_large = FixedBase(DataType::kFloat, {2, 4, 9, 14, 15}, {3}, {1}, {1}, {1});
  return page;
}

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_OPERATORS_MAX_POOL3D_WITH_ARGMAX_BACKWARD_PAGE_H_
