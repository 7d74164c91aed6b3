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

std::string UriOf(std::string_view name) {
  static constexpr std::string_view kPlain = "-._~";
  static constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string uri;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       kPlain.find(c) != std::string_view::npos;
    if (plain) {
      uri += c;
    } else {
      uri += {'%', kHex[byte >> 4U], kHex[byte & 15U]};
    }
  }
  return uri;
}

}  // namespace poolproof
