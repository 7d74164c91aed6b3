// SPDX-License-Identifier: Apache-2.0
//
// The report for a person at a terminal: the verdict first, then what failed and how to see it
// again. A pure renderer.
#ifndef POOLPROOF_REPORTS_TEXT_H_
#define POOLPROOF_REPORTS_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "conformance/result/report.h"
#include "conformance/spec/spec.h"

namespace poolproof {

enum class Detail : std::uint8_t {
  kVerdict,  // the first line alone
  kUsual,    // at most kUsualLines: the rest is counted
  kAll,
};

// With the lines behind it, up to the command that repeats the first failure, a report of failures
// fits on a screen of 25 lines.
inline constexpr std::ptrdiff_t kUsualLines = 22;

struct TextStyle {
  bool colour = false;
  std::size_t width = 100;  // columns at which sentences are wrapped and statements cut; 0: never
  Detail detail = Detail::kUsual;
  // How the program was called, and what to give to --implementation, in commands.
  std::string program = "poolproof";
  std::string implementation;
  bool is_folder_cut = false;  // `implementation` is what a report says of it
  // What is printed behind it names a command for the first failure: it is not printed twice.
  bool has_next = false;
};

std::string ReportText(const Report& report, const Spec& spec, const TextStyle& style);

}  // namespace poolproof

#endif  // POOLPROOF_REPORTS_TEXT_H_
