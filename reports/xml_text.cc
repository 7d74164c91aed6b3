// SPDX-License-Identifier: Apache-2.0
#include "reports/xml_text.h"

#include "reports/phrases.h"

namespace poolproof {

std::string XmlText(std::string_view text) {
  std::string escaped;
  for (const char c : CleanText(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

}  // namespace poolproof
