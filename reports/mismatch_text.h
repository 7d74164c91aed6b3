// SPDX-License-Identifier: Apache-2.0
//
// Wrong elements in words: decimals beside the bits, coordinates instead of element numbers.
#ifndef POOLPROOF_REPORTS_MISMATCH_TEXT_H_
#define POOLPROOF_REPORTS_MISMATCH_TEXT_H_

#include <cstdint>
#include <string>

#include "conformance/case/case.h"
#include "conformance/result/report.h"

namespace poolproof {

// "0.5", "-inf", "1.25 .. 1.5" of the hex words of a mismatch; the words themselves where they are
// none. `digits`: significant ones; 9 tell any two FLOATs apart.
std::string DecimalText(const std::string& words, DataType type, int digits = 9);

// "[0,1,0,2,3]" of an element number.
std::string ElementText(const Dims& shape, std::int64_t position);

// "element [0,0,1,2]: expected 3 (40400000), got 1 (3f800000), sum of 2 gradients"; `problem` is
// the case that it was found in.
std::string MismatchText(const Case& problem, const Mismatch& mismatch);

// The message of the shown case; where it tells of an element in bits, those are numbers:
// "gradInput[0,4]: expected 3 (40400000), got 1 (3f800000), sum of 2 gradients: gradOutput element
// 3 was not added".
std::string WhatHappened(const Failure& failure);

}  // namespace poolproof

#endif  // POOLPROOF_REPORTS_MISMATCH_TEXT_H_
