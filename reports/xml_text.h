// SPDX-License-Identifier: Apache-2.0
//
// Text as it may stand in XML and HTML, as content or within quotes.
#ifndef POOLPROOF_REPORTS_XML_TEXT_H_
#define POOLPROOF_REPORTS_XML_TEXT_H_

#include <string>
#include <string_view>

namespace poolproof {

// CleanText with & < > " ' escaped.
std::string XmlText(std::string_view text);

}  // namespace poolproof

#endif  // POOLPROOF_REPORTS_XML_TEXT_H_
