// SPDX-License-Identifier: Apache-2.0
//
// Expectation: what the documents want of a case, written out so that a program without the judge
// can check it. Made by the judge's room (judge/expectation.h), rendered by reports.
#ifndef POOLPROOF_CONFORMANCE_RESULT_EXPECTATION_H_
#define POOLPROOF_CONFORMANCE_RESULT_EXPECTATION_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/pool_geometry.h"

namespace poolproof {

// `count` consecutive elements of gradInput whose value lies between those of `low` and `high`
// (storage bits). Where not even that is right, `low` is above `high`.
struct ExpectedCells {
  std::int64_t count = 0;
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  bool or_nan = false;
  bool or_infinity = false;
  bool or_zero = false;
  [[nodiscard]] bool IsOneValue() const {
    return low == high && !or_nan && !or_infinity && !or_zero;
  }
  friend bool operator==(const ExpectedCells&, const ExpectedCells&) = default;
};

struct CallExpectation {
  enum class Answer : std::uint8_t {
    kSuccess,   // status 0 throughout, and the numbers below
    kRefusal,   // one of `statuses` from phase one, or any error
    kAnything,  // no page says; memory of others must still stay as it is
  };
  Answer answer = Answer::kAnything;
  std::string why;                      // the clauses that say so, in words
  std::vector<std::int32_t> statuses;   // kRefusal
  bool any_error = false;               // kRefusal: any status but 0
  bool may_come_late = false;           // kRefusal: from phase two or synchronise as well
  bool may_refuse = false;              // kSuccess: an error is no fault (forwards)
  bool must_return = false;             // to crash, hang or throw breaches a clause
  std::vector<ExpectedCells> elements;  // kSuccess, backwards: gradInput in row-major order
  // kSuccess, forwards: the plane's extents, and for each axis and output position the window that
  // an index lies in; no windows: anywhere in the plane. Two-dimensional operators have D = 1.
  std::array<std::int64_t, 3> plane{};
  std::array<std::vector<WindowSpan>, 3> windows;
};

// One for each call of the case.
using CaseExpectation = std::vector<CallExpectation>;

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_RESULT_EXPECTATION_H_
