// SPDX-License-Identifier: Apache-2.0
//
// A failing case as a picture in plain characters, for terminals.
#ifndef POOLPROOF_REPORTS_PLANE_TEXT_H_
#define POOLPROOF_REPORTS_PLANE_TEXT_H_

#include <string>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/result/verdict.h"

namespace poolproof {

// gradInput of the plane of the first mismatch, a row of it in a line, none above 100 columns: what
// is there, "." where no index names the element, "*4!2" where 4 was expected and 2 is there.
// Lines end in "\n"; empty where SceneOf has nothing to draw.
std::string PlaneText(const Case& problem, const std::vector<Mismatch>& mismatches);

}  // namespace poolproof

#endif  // POOLPROOF_REPORTS_PLANE_TEXT_H_
