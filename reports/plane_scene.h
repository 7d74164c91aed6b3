// SPDX-License-Identifier: Apache-2.0
//
// The plane of a failing case around what is wrong in it: what pictures of it draw.
#ifndef POOLPROOF_REPORTS_PLANE_SCENE_H_
#define POOLPROOF_REPORTS_PLANE_SCENE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/case/windows.h"
#include "conformance/result/verdict.h"

namespace poolproof {

// The part of an axis that is drawn.
struct DrawnRange {
  std::int64_t first = 0;
  std::int64_t end = 0;
  [[nodiscard]] std::int64_t size() const { return end - first; }
  [[nodiscard]] bool Contains(std::int64_t at) const { return at >= first && at < end; }
};

// What one coordinate of the plane holds and should hold.
struct PlaneCell {
  std::vector<std::int64_t> windows;  // whose index names it
  double sum = 0;                     // of their gradients
  const Mismatch* wrong = nullptr;
};

struct PlaneScene {
  std::size_t call = 0;
  DataType type = DataType::kFloat;
  Windows windows;
  std::int64_t plane = 0;
  std::map<std::int64_t, PlaneCell> cells;  // by flat offset; those that are named or wrong
  std::int64_t focus = 0;
  std::array<DrawnRange, 3> drawn;
  [[nodiscard]] std::array<std::int64_t, 3> At(std::int64_t flat) const {
    const std::int64_t w = windows.input[2];
    const std::int64_t h = windows.input[1];
    return {flat / (h * w), flat / w % h, flat % w};
  }
};

// Of the plane of the first mismatch; it refers to `mismatches`. nullopt where there is nothing to
// draw: no mismatches, descriptors without data, operands that do not fit together or are very
// large.
std::optional<PlaneScene> SceneOf(const Case& problem, const std::vector<Mismatch>& mismatches);

// "Call 2 of 2. Plane 0 of 6 (counted over N and C), 1 x 3 x 4.", and whether a part of it is left
// out.
std::string SceneCaption(const Case& problem, const PlaneScene& scene);

// "-1.95e+14" of what a cell holds, and "-1.95e14": as short as a cell wants it.
std::string CellNumber(double value);
std::string ShortNumber(std::string text);

}  // namespace poolproof

#endif  // POOLPROOF_REPORTS_PLANE_SCENE_H_
