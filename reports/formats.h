// SPDX-License-Identifier: Apache-2.0
//
// The forms of a report that `run`, `merge` and `fuzz` write: a row here is an option there.
#ifndef POOLPROOF_REPORTS_FORMATS_H_
#define POOLPROOF_REPORTS_FORMATS_H_

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "conformance/result/report.h"
#include "conformance/spec/spec.h"
#include "reports/charts/performance.h"

namespace poolproof {

struct ReportFormat {
  std::string_view option;
  std::string_view help;    // "<help> here; - is stdout"
  std::string_view suffix;  // of its files, without a dot in front
  // `performance` is drawn where the format has pictures.
  std::string (*render)(const Report& report, const Spec& spec,
                        const std::optional<Performance>& performance);
};

inline constexpr std::size_t kReportFormatCount = 9;
extern const std::array<ReportFormat, kReportFormatCount> kReportFormats;

// Requires a known option.
std::size_t PositionOfFormat(std::string_view option);

}  // namespace poolproof

#endif  // POOLPROOF_REPORTS_FORMATS_H_
