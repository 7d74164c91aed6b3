// SPDX-License-Identifier: Apache-2.0
//
// The report as GitHub-flavoured Markdown, for pull requests and step summaries. A pure renderer.
#ifndef POOLPROOF_REPORTS_MARKDOWN_H_
#define POOLPROOF_REPORTS_MARKDOWN_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "conformance/result/report.h"
#include "conformance/spec/spec.h"

namespace poolproof {

// A step summary above 1 MiB is dropped whole; several may share one.
inline constexpr std::size_t kMarkdownBudget = std::size_t{200} * 1024;

// Never longer than `budget`: what matters less goes first, and is named.
std::string ReportMarkdown(const Report& report, const Spec& spec,
                           std::size_t budget = kMarkdownBudget);

// Text that Markdown and HTML take literally, in a table too.
std::string MarkdownText(std::string_view text);

}  // namespace poolproof

#endif  // POOLPROOF_REPORTS_MARKDOWN_H_
