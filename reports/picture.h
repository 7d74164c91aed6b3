// SPDX-License-Identifier: Apache-2.0
//
// A failing case as pictures: the plane with its windows, what the indices name and where gradInput
// differs. Inline SVG whose colours come from the page's style.
#ifndef POOLPROOF_REPORTS_PICTURE_H_
#define POOLPROOF_REPORTS_PICTURE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/result/verdict.h"

namespace poolproof {

struct PlanePictures {
  std::vector<std::string> slices;  // SVG, one for each drawn slice of D
  std::string caption;              // which plane of which call, and what is left out
};

// Draws the plane of the first mismatch. No slices where there is nothing to draw: no mismatches,
// descriptors without data, operands that do not fit together or are very large.
PlanePictures DrawPlane(const Case& problem, const std::vector<Mismatch>& mismatches);

}  // namespace poolproof

#endif  // POOLPROOF_REPORTS_PICTURE_H_
