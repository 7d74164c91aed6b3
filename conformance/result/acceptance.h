// SPDX-License-Identifier: Apache-2.0
//
// AcceptedCall: what an implementation did with a plain legal call of the acceptance table
// (gen/acceptance_cases.h), which a run asks first. A refusal of another call proves something only
// where the legal call next to it was accepted.
#ifndef POOLPROOF_CONFORMANCE_RESULT_ACCEPTANCE_H_
#define POOLPROOF_CONFORMANCE_RESULT_ACCEPTANCE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/result/facets.h"

namespace poolproof {

enum class Answer : std::uint8_t {
  kRight,     // accepted, with right numbers
  kAccepted,  // by every phase; the numbers are wrong or were not asked for
  kRefused,
  kEnded,     // the process did not survive it, or it did not return
  kNotAsked,  // calls before it ended the process too often
};

struct AcceptedCall {
  std::string path;  // of the table's case: "X/accepted/f32-i32-batched-contiguous"
  Operator op{};
  Facets facets = 0;
  Answer answer = Answer::kNotAsked;
  std::string detail;  // kRefused: the status, "161002"; kEnded: "signal 11"
  friend bool operator==(const AcceptedCall&, const AcceptedCall&) = default;
};

constexpr bool IsAccepted(Answer answer) {
  return answer == Answer::kRight || answer == Answer::kAccepted;
}

// Stable words of files: "right", "accepted", "refused", "ended", "not-asked".
std::string_view AnswerName(Answer answer);
std::optional<Answer> ParseAnswer(std::string_view name);

// What of each operator's calls was not accepted, in sentences: "AdaptiveMaxPool2dBackward: 0 of 12
// accepted; every call is refused with 161002". Empty where everything is.
std::vector<std::string> DescribeAcceptance(std::span<const AcceptedCall> calls);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_RESULT_ACCEPTANCE_H_
