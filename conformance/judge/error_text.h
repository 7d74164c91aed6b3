// SPDX-License-Identifier: Apache-2.0
//
// The text that a library gives of a refusal, by aclGetRecentErrMsg. Used by the judge.
#ifndef POOLPROOF_CONFORMANCE_JUDGE_ERROR_TEXT_H_
#define POOLPROOF_CONFORMANCE_JUDGE_ERROR_TEXT_H_

#include <string>
#include <string_view>

#include "conformance/case/case.h"

namespace poolproof {

// Why the text is none of a refusal of the call: it is empty, names another operator, or names
// neither the operator nor an argument. Empty: it is one. However names are written: "kernel_size".
std::string DoubtOfErrorText(const Call& call, std::string_view text);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_JUDGE_ERROR_TEXT_H_
