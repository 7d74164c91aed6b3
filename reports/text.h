// SPDX-License-Identifier: Apache-2.0
//
// The report for a person at a terminal: the verdict first, then what failed and how to see it
// again. A pure renderer.
#ifndef POOLPROOF_REPORTS_TEXT_H_
#define POOLPROOF_REPORTS_TEXT_H_

#include <cstdint>
#include <string>

#include "conformance/result/report.h"
#include "conformance/spec/spec.h"

namespace poolproof {

enum class Detail : std::uint8_t {
  kVerdict,  // the first line alone
  kUsual,    // at most 40 lines or so for one fault: the rest is counted
  kAll,
};

struct TextStyle {
  bool colour = false;
  std::size_t width = 100;  // columns to which statements are cut; 0: never
  Detail detail = Detail::kUsual;
  // How the program was called, and what to give to --implementation, in commands.
  std::string program = "poolproof";
  std::string implementation;
  bool is_folder_cut = false;  // `implementation` is what a report says of it
};

std::string ReportText(const Report& report, const Spec& spec, const TextStyle& style);

}  // namespace poolproof

#endif  // POOLPROOF_REPORTS_TEXT_H_
