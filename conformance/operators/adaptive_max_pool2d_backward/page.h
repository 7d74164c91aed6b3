// SPDX-License-Identifier: Apache-2.0
//
// AdaptiveMaxPool2dBackward (D4, V7), clauses AMP2-*.
#ifndef POOLPROOF_CONFORMANCE_OPERATORS_ADAPTIVE_MAX_POOL2D_BACKWARD_PAGE_H_
#define POOLPROOF_CONFORMANCE_OPERATORS_ADAPTIVE_MAX_POOL2D_BACKWARD_PAGE_H_

#include "conformance/spec/operators.h"

namespace poolproof {

inline OperatorInfo AdaptiveMaxPool2dBackwardPage() {
  OperatorInfo page;
  page.op = Operator::kAdaptiveMaxPool2dBackward;
  page.name = "AdaptiveMaxPool2dBackward";
  page.clause_prefix = "AMP2";
  page.backward = Operator::kAdaptiveMaxPool2dBackward;
  page.forward = Operator::kAdaptiveMaxPool2d;
  page.windows = WindowRule::kAdaptive;
  page.spatial_rank = 2;
  page.tensors = {Role::kGradOutput, Role::kSelf, Role::kIndices, Role::kGradInput};
  page.value_types = {{DataType::kFloat, Condition::kGradientTypes},
                      {DataType::kFloat16, Condition::kGradientTypes},
                      {DataType::kBf16, Condition::kGradientTypes}};
  page.index_types = {{DataType::kInt32, Condition::kInt32Indices},
                      {DataType::kInt64, Condition::kInt64Indices}};
  page.formats = {{Format::kNd, Condition::kFormatNd}};
  // AMP2-S14; AMP2-S15 mentions a gradInput that is like neither.
  page.type_rules = {
      {Role::kSelf, {Role::kGradOutput}, Condition::kEqualTypes},
      {Role::kGradInput, {Role::kGradOutput, Role::kSelf}, Condition::kGradInputType}};
  // AMP2-S21: every two of them.
  page.format_rules = {{Role::kGradOutput, Role::kSelf, Condition::kEqualFormats},
                       {Role::kGradInput, Role::kSelf, Condition::kEqualFormats},
                       {Role::kIndices, Role::kSelf, Condition::kEqualFormats},
                       {Role::kIndices, Role::kGradOutput, Condition::kEqualFormats},
                       {Role::kIndices, Role::kGradInput, Condition::kEqualFormats},
                       {Role::kGradOutput, Role::kGradInput, Condition::kEqualFormats}};
  page.divisible_limit = std::int64_t{1} << 24;  // AMP2-C01, AMP2-C02
  page.deeper = Operator::kAdaptiveMaxPool3dBackward;
  // Axes that divide, that do not, and that grow.
  page.bases = {AdaptiveBase(DataType::kFloat, {1, 2, 5, 6}, {3, 8}),
                AdaptiveBase(DataType::kFloat16, {3, 6, 7}, {4, 5}),
                AdaptiveBase(DataType::kBf16, {2, 3, 4, 9}, {2, 3}),
                AdaptiveBase(DataType::kFloat, {2, 3, 5}, {7, 2})};
  page.overlapping = AdaptiveBase(DataType::kFloat, {1, 2, 4, 5}, {7, 9});
  page.overlapping_large = AdaptiveBase(DataType::kFloat, {2, 8, 13, 11}, {29, 31});
  return page;
}

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_OPERATORS_ADAPTIVE_MAX_POOL2D_BACKWARD_PAGE_H_
