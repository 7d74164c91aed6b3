// SPDX-License-Identifier: Apache-2.0
//
// AdaptiveMaxPool3d, the forward that makes the indices of AdaptiveMaxPool3dBackward.
#ifndef POOLPROOF_CONFORMANCE_OPERATORS_ADAPTIVE_MAX_POOL3D_PAGE_H_
#define POOLPROOF_CONFORMANCE_OPERATORS_ADAPTIVE_MAX_POOL3D_PAGE_H_

#include "conformance/spec/operators.h"

namespace poolproof {

inline OperatorInfo AdaptiveMaxPool3dPage() {
  OperatorInfo page;
  page.op = Operator::kAdaptiveMaxPool3d;
  page.name = "AdaptiveMaxPool3d";
  page.clause_prefix = "AMP3";
  page.backward = Operator::kAdaptiveMaxPool3dBackward;
  page.forward = Operator::kAdaptiveMaxPool3d;
  page.is_forward = true;
  page.windows = WindowRule::kAdaptive;
  page.spatial_rank = 3;
  page.tensors = {Role::kSelf, Role::kOut, Role::kIndices};
  page.lists = {List::kOutputSize};
  page.value_types = {{DataType::kFloat, Condition::kGradientTypes},
                      {DataType::kFloat16, Condition::kGradientTypes},
                      {DataType::kBf16, Condition::kGradientTypes}};
  page.index_types = {{DataType::kInt32, Condition::kInt32Indices},
                      {DataType::kInt64, Condition::kInt64Indices}};
  page.formats = {{Format::kNcdhw, {}, SupportedFormat::Rank::kBatched},
                  {Format::kNchw, {}, SupportedFormat::Rank::kUnbatched}};
  return page;
}

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_OPERATORS_ADAPTIVE_MAX_POOL3D_PAGE_H_
