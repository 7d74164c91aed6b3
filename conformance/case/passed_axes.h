// SPDX-License-Identifier: Apache-2.0
//
// The order in which axes are passed. In a Case they always are N, C, (D,) H, W, so that
// windows, data and shrinking need not know formats; tensors of which a page gives channels-last
// shapes are passed as N, H, W, C. Used where cases become text, files or calls.
#ifndef POOLPROOF_CONFORMANCE_CASE_PASSED_AXES_H_
#define POOLPROOF_CONFORMANCE_CASE_PASSED_AXES_H_

#include <optional>

#include "conformance/case/case.h"

namespace poolproof {

// Whether the operator's page lists NHWC, and all tensors of the call have it and four axes (DD-34,
// DD-36). Elsewhere a format is a label, and axes are passed as they are.
bool PassesChannelsLast(const Call& call);

// The call as its descriptors say it, elements of data numbered in the same order; and the call
// whose descriptors these are. Where nothing is passed channels last, both are the call itself.
Call AsPassed(const Call& call);
Call FromPassed(Call passed);

// The output shape that follows from self and the attributes of a call as it is passed.
std::optional<Dims> PassedOutputShape(const Call& passed);

// Gives all tensors of the call the format. Contiguous ones stay so in the order in which their
// axes are passed.
void SetFormats(Call& call, enum Format format);  // also the name of a function elsewhere

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_CASE_PASSED_AXES_H_
