// SPDX-License-Identifier: Apache-2.0
//
// Parts of the HTML page: verdicts' signs, and what shows a case: its planes, its wrong elements
// and its operands. Functions return HTML, nothing where there is nothing to show.
#ifndef POOLPROOF_REPORTS_HTML_PARTS_H_
#define POOLPROOF_REPORTS_HTML_PARTS_H_

#include <array>
#include <string>
#include <string_view>

#include "conformance/case/case.h"
#include "conformance/result/report.h"
#include "conformance/spec/spec.h"

namespace poolproof {

struct VerdictSign {
  ClauseVerdict verdict;
  std::string_view sign;  // beside the colour, for those who do not see it
  std::string_view meaning;
};
inline constexpr std::array<VerdictSign, 6> kSigns = {
    {{ClauseVerdict::kPassed, "&#10003;", "judged, and no case breaches it"},
     {ClauseVerdict::kFailed, "&#10007;", "at least one case breaches it"},
     {ClauseVerdict::kInconclusive, "?", "its cases ran and gave no evidence"},
     {ClauseVerdict::kUnsupported, "&#8709;", "the library does not offer what it is about"},
     {ClauseVerdict::kNotApplicable, "&ndash;", "it does not hold under this profile"},
     {ClauseVerdict::kNotRun, "&hellip;", "its cases were not reached"}}};

std::string_view SignOf(ClauseVerdict verdict);
std::string Pill(ClauseVerdict verdict);

std::string Code(std::string_view text);
// Lines to copy: one click selects them.
std::string Command(const std::string& command);

// The smallest case of a root cause and the nearest that passes; empty where they are not known.
std::string NearestHtml(const RootCause& cause);

// What fails first and when, why that is wrong, the command that repeats it, and a link to the JSON
// report, which lies beside the page. Empty where there is neither.
std::string NextHtml(const Report& report, const Spec& spec);

// Pictures of what is wrong: planes with wrong elements, storages with a stray access. Empty where
// neither is to be seen.
std::string PicturesHtml(const Failure& failure);
std::string MismatchTableHtml(const Failure& failure);
// Failing and passing cases of a root cause by two circumstances.
std::string BorderHtml(const CauseBorder& border);
std::string OperandsHtml(const Case& problem);
// Empty where the library printed nothing.
std::string OutputHtml(const Failure& failure);

}  // namespace poolproof

#endif  // POOLPROOF_REPORTS_HTML_PARTS_H_
