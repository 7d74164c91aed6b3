// SPDX-License-Identifier: Apache-2.0
#include "cli/report_file.h"

#include "cli/options.h"
#include "reports/parse.h"

namespace poolproof {

Result<Report> ReadReportFile(const std::string& verb, const std::string& path) {
  const Result<std::string> text = ReadFile(verb, path);
  if (!text.ok()) return text.status();
  Result<Report> report = ParseReport(*text);
  if (!report.ok()) return report.status().Annotate(verb + ": " + path);
  return report;
}

}  // namespace poolproof
