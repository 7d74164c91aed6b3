// SPDX-License-Identifier: Apache-2.0
//
// Words of a command line of a shell.
#ifndef POOLPROOF_CORE_SHELL_TEXT_H_
#define POOLPROOF_CORE_SHELL_TEXT_H_

#include <string>
#include <string_view>

namespace poolproof {

// `text` in single quotes for a POSIX shell, where it needs them.
inline std::string ShellQuoted(const std::string& text) {
  static constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=./,:@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

}  // namespace poolproof

#endif  // POOLPROOF_CORE_SHELL_TEXT_H_
