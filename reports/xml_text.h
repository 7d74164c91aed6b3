// SPDX-License-Identifier: Apache-2.0
//
// Text as it may be in XML and HTML, as content or within quotes.
#ifndef POOLPROOF_REPORTS_XML_TEXT_H_
#define POOLPROOF_REPORTS_XML_TEXT_H_

#include <string>
#include <string_view>

namespace poolproof {

// CleanText with & < > " ' escaped.
std::string XmlText(std::string_view text);

// A file name as a relative URI: what may not be in one is percent-encoded.
std::string UriOf(std::string_view name);

}  // namespace poolproof

#endif  // POOLPROOF_REPORTS_XML_TEXT_H_
