// SPDX-License-Identifier: Apache-2.0
//
// AdaptiveMaxPool3dBackward (D1, V6), clauses AMP3-*.
#ifndef POOLPROOF_CONFORMANCE_OPERATORS_ADAPTIVE_MAX_POOL3D_BACKWARD_PAGE_H_
#define POOLPROOF_CONFORMANCE_OPERATORS_ADAPTIVE_MAX_POOL3D_BACKWARD_PAGE_H_

#include "conformance/spec/operators.h"

namespace poolproof {

inline OperatorInfo AdaptiveMaxPool3dBackwardPage() {
  OperatorInfo page;
  page.op = Operator::kAdaptiveMaxPool3dBackward;
  page.name = "AdaptiveMaxPool3dBackward";
  page.clause_prefix = "AMP3";
  page.backward = Operator::kAdaptiveMaxPool3dBackward;
  page.forward = Operator::kAdaptiveMaxPool3d;
  page.windows = WindowRule::kAdaptive;
  page.spatial_rank = 3;
  page.tensors = {Role::kGradOutput, Role::kSelf, Role::kIndices, Role::kGradInput};
  page.value_types = {{DataType::kFloat, Condition::kGradientTypes},
                      {DataType::kFloat16, Condition::kGradientTypes},
                      {DataType::kBf16, Condition::kGradientTypes}};
  page.index_types = {{DataType::kInt32, Condition::kInt32Indices},
                      {DataType::kInt64, Condition::kInt64Indices}};
  page.formats = {{Format::kNd, Condition::kFormatNd}};
  // AMP3-S14, of which AMP3-S15 is a part where today's page is followed.
  page.type_rules = {
      {Role::kSelf, {Role::kGradOutput}, Condition::kEqualTypes},
      {Role::kGradInput, {Role::kGradOutput, Role::kSelf}, Condition::kGradInputType},
      {Role::kGradInput,
       {Role::kGradOutput},
       Condition::kEqualTypes,
       /*unless=*/Condition::kGradInputType},
      {Role::kGradInput,
       {Role::kSelf},
       Condition::kEqualTypes,
       /*unless=*/Condition::kGradInputType}};
  // AMP3-S21: every two of them.
  page.format_rules = {{Role::kGradOutput, Role::kSelf, Condition::kEqualFormats},
                       {Role::kGradInput, Role::kSelf, Condition::kEqualFormats},
                       {Role::kIndices, Role::kSelf, Condition::kEqualFormats},
                       {Role::kIndices, Role::kGradOutput, Condition::kEqualFormats},
                       {Role::kIndices, Role::kGradInput, Condition::kEqualFormats},
                       {Role::kGradOutput, Role::kGradInput, Condition::kEqualFormats}};
  page.indices_view = Condition::kIndicesView;   // AMP3-B25; AMP3-B21 leaves indices out
  page.divisible_limit = std::int64_t{1} << 24;  // AMP3-C01, AMP3-C02
  page.fixed = Operator::kMaxPool3dWithArgmaxBackward;
  // Axes that divide, that do not, and that grow.
  page.bases = {AdaptiveBase(DataType::kFloat, {1, 2, 5, 6, 4}, {2, 3, 7}),
                AdaptiveBase(DataType::kFloat16, {2, 4, 6, 5}, {4, 4, 3}),
                AdaptiveBase(DataType::kBf16, {2, 3, 4, 6, 9}, {2, 3, 3}),
                AdaptiveBase(DataType::kFloat, {3, 2, 3, 5}, {5, 1, 5})};
  page.overlapping = AdaptiveBase(DataType::kFloat, {1, 2, 3, 4, 5}, {5, 7, 9});
  page.overlapping_large = AdaptiveBase(DataType::kFloat, {2, 4, 7, 9, 11}, {9, 14, 17});
  return page;
}

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_OPERATORS_ADAPTIVE_MAX_POOL3D_BACKWARD_PAGE_H_
