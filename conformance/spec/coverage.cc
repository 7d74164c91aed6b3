// SPDX-License-Identifier: Apache-2.0
#include "conformance/spec/coverage.h"

#include <array>

namespace poolproof {
namespace {

struct Reason {
  std::string_view id;
  std::string_view text;
};

constexpr std::array kReasons = {
    Reason{"EX-D3",
           "needs a compiler and the page's program; shown for the project's own libraries by "
           "their tests"},
    Reason{"EX-D4",
           "needs a compiler and the page's program; shown for the project's own libraries by "
           "their tests"},
};

}  // namespace

std::optional<std::string> ReasonNotExercised(std::string_view id) {
  for (const Reason& reason : kReasons) {
    if (reason.id == id) return std::string(reason.text);
  }
  return std::nullopt;
}

}  // namespace poolproof
