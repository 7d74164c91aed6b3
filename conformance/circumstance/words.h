// SPDX-License-Identifier: Apache-2.0
//
// The words of circumstances that are words, and which of them a value is.
#ifndef POOLPROOF_CONFORMANCE_CIRCUMSTANCE_WORDS_H_
#define POOLPROOF_CONFORMANCE_CIRCUMSTANCE_WORDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/case/case.h"

namespace poolproof {

std::vector<std::string> OperatorWords();
std::vector<std::string> TypeWords();
std::int64_t TypeWord(DataType type);
std::vector<std::string> FormatWords();
std::int64_t FormatWord(Format format);
std::vector<std::string> DataWords();

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_CIRCUMSTANCE_WORDS_H_
