// SPDX-License-Identifier: Apache-2.0
//
// AdaptiveMaxPool2d, the forward that makes the indices of AdaptiveMaxPool2dBackward.
#ifndef POOLPROOF_CONFORMANCE_OPERATORS_ADAPTIVE_MAX_POOL2D_PAGE_H_
#define POOLPROOF_CONFORMANCE_OPERATORS_ADAPTIVE_MAX_POOL2D_PAGE_H_

#include "conformance/spec/operators.h"

namespace poolproof {

inline OperatorInfo AdaptiveMaxPool2dPage() {
  OperatorInfo page;
  page.op = Operator::kAdaptiveMaxPool2d;
  page.name = "AdaptiveMaxPool2d";
  page.clause_prefix = "AMP2";
  page.backward = Operator::kAdaptiveMaxPool2dBackward;
  page.forward = Operator::kAdaptiveMaxPool2d;
  page.is_forward = true;
  page.windows = WindowRule::kAdaptive;
  page.spatial_rank = 2;
  page.tensors = {Role::kSelf, Role::kOut, Role::kIndices};
  page.lists = {List::kOutputSize};
  page.value_types = {{DataType::kFloat, Condition::kGradientTypes},
                      {DataType::kFloat16, Condition::kGradientTypes},
                      {DataType::kBf16, Condition::kGradientTypes}};
  page.index_types = {{DataType::kInt64, {}}};
  // AMP2-F05 (DD-36).
  page.formats = {{Format::kNchw, {}, SupportedFormat::Rank::kBatched},
                  {Format::kNhwc, Condition::kForwardFormatNhwc, SupportedFormat::Rank::kBatched},
                  {Format::kNcl, {}, SupportedFormat::Rank::kUnbatched}};
  return page;
}

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_OPERATORS_ADAPTIVE_MAX_POOL2D_PAGE_H_
