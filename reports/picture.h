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

// Draws the plane of the first mismatch, or the first plane. No slices where there is nothing to
// draw: descriptors without data, operands that do not fit together or are very large.
PlanePictures DrawPlane(const Case& problem, const std::vector<Mismatch>& mismatches);

// "0.5", "-inf", "1.25 .. 1.5" of the hex words of a mismatch; the words themselves where they are
// none.
std::string DecimalText(const std::string& words, DataType type);

// "[0,1,0,2,3]" of an element number.
std::string ElementText(const Dims& shape, std::int64_t position);

}  // namespace poolproof

#endif  // POOLPROOF_REPORTS_PICTURE_H_
