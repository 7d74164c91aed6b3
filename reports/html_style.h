// SPDX-License-Identifier: Apache-2.0
//
// The style sheet of the HTML report: light and dark, wide and narrow, on paper.
#ifndef POOLPROOF_REPORTS_HTML_STYLE_H_
#define POOLPROOF_REPORTS_HTML_STYLE_H_

#include <string_view>

namespace poolproof {

std::string_view HtmlStyle();

}  // namespace poolproof

#endif  // POOLPROOF_REPORTS_HTML_STYLE_H_
