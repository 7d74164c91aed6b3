// SPDX-License-Identifier: Apache-2.0
#include "reports/words.h"

#include <array>
#include <cstddef>

namespace poolproof {
namespace {

constexpr std::array<std::string_view, 4> kRunVerdicts = {"conformant", "nonconformant",
                                                          "incomplete", "error"};
constexpr std::array<std::string_view, 6> kClauseVerdicts = {
    "passed", "failed", "inconclusive", "unsupported", "not_applicable", "not_run"};

}  // namespace

std::string_view RunVerdictName(RunVerdict verdict) {
  return kRunVerdicts[static_cast<std::size_t>(verdict)];
}

std::string_view ClauseVerdictName(ClauseVerdict verdict) {
  return kClauseVerdicts[static_cast<std::size_t>(verdict)];
}

}  // namespace poolproof
