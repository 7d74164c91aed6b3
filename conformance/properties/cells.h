// SPDX-License-Identifier: Apache-2.0
//
// Cells: the elements of gradInput beside what the law of summation leaves open about them. What
// the properties compare.
#ifndef POOLPROOF_CONFORMANCE_PROPERTIES_CELLS_H_
#define POOLPROOF_CONFORMANCE_PROPERTIES_CELLS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "conformance/judge/sum_rule.h"
#include "conformance/properties/property.h"

namespace poolproof {

struct Cell {
  SumRule rule;            // of the contributions
  std::uint32_t bits = 0;  // what was found
  std::int64_t contributions = 0;

  [[nodiscard]] double value() const;
  [[nodiscard]] bool finite() const;
  // Greatest distance within the bound of the result from the exact sum: 0 where nothing rounds,
  // infinity where the law leaves the result open or special.
  [[nodiscard]] double Error() const;
  // The law allows one result only, up to the sign of zero and the payload of a NaN.
  [[nodiscard]] bool Determined() const;
  // A finite number is expected that must not be zero.
  [[nodiscard]] bool Informative() const;
};

// In row-major order of gradInput. Requires indices inside the plane.
std::vector<Cell> CellsOf(const CallResult& result);

bool SameBits(std::uint32_t a, std::uint32_t b, DataType type);

// "gradInput[0,0,1,2] is 3f800000".
std::string CellText(const CallResult& result, const Cell& cell, std::int64_t position);

// Rounding of the comparison itself, which is done in double precision.
double ComparisonSlack(double magnitude);

// Holds calls with equal contributions against each other: element i of the first with element
// place(i) of the second.
Comparison CompareEqual(const CallResult& first, const CallResult& second,
                        const std::function<std::int64_t(std::int64_t)>& place);
Comparison CompareEqual(const CallResult& first, const CallResult& second);

// Discarded where nothing informative was compared.
Comparison NothingToCompare();
Comparison Broken(std::string text, const Cell& cell, std::int64_t position, std::string expected);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_PROPERTIES_CELLS_H_
