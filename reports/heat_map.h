// SPDX-License-Identifier: Apache-2.0
//
// Coverage as pictures: for each operator, how many cases each cell of the parameter space holds.
// Inline SVG whose colours come from the page's style.
#ifndef POOLPROOF_REPORTS_HEAT_MAP_H_
#define POOLPROOF_REPORTS_HEAT_MAP_H_

#include <map>
#include <string>
#include <vector>

#include "conformance/result/coverage.h"

namespace poolproof {

struct HeatMap {
  std::string title;  // the class of the overlap axis, in words
  std::string svg;
};

// One map for each class of overlap that the operator's windows can have; rows are dtype and
// layout, columns ceil, padding and tail.
// `targets`: ids of the page that cells with failing cases lead to.
std::vector<HeatMap> DrawCoverage(Operator op, const std::vector<CoverageCell>& cells,
                                  const std::map<CoverageKey, std::string>& targets = {});

}  // namespace poolproof

#endif  // POOLPROOF_REPORTS_HEAT_MAP_H_
