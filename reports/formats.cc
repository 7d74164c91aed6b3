// SPDX-License-Identifier: Apache-2.0
#include "reports/formats.h"

#include <algorithm>

#include "reports/code_quality.h"
#include "reports/ctrf.h"
#include "reports/github_annotations.h"
#include "reports/html.h"
#include "reports/in_toto.h"
#include "reports/json.h"
#include "reports/junit.h"
#include "reports/markdown.h"
#include "reports/sarif.h"

namespace poolproof {
namespace {

using Charts = std::optional<Performance>;

std::string JsonForm(const Report& report, const Spec& /*spec*/, const Charts& /*charts*/) {
  return ReportJsonText(report);
}
std::string JUnit(const Report& report, const Spec& spec, const Charts& /*charts*/) {
  return ReportJUnit(report, spec);
}
std::string Markdown(const Report& report, const Spec& spec, const Charts& /*charts*/) {
  return ReportMarkdown(report, spec);
}
std::string Ctrf(const Report& report, const Spec& spec, const Charts& /*charts*/) {
  return ReportCtrf(report, spec);
}
std::string InToto(const Report& report, const Spec& /*spec*/, const Charts& /*charts*/) {
  return ReportInToto(report);
}

std::string CodeQuality(const Report& report, const Spec& /*spec*/, const Charts& /*charts*/) {
  return ReportCodeQuality(report);
}

std::string Sarif(const Report& report, const Spec& spec, const Charts& /*charts*/) {
  return ReportSarif(report, spec);
}

std::string GithubAnnotations(const Report& report, const Spec& /*spec*/,
                              const Charts& /*charts*/) {
  return ReportGithubAnnotations(report);
}

}  // namespace

const std::array<ReportFormat, kReportFormatCount> kReportFormats = {
    {{"--json", "Write the report", "json", &JsonForm},
     {"--junit", "Write JUnit XML", "xml", &JUnit},
     {"--html", "Write a self-contained page", "html", &ReportHtml},
     {"--markdown", "Write a summary for pull requests", "md", &Markdown},
     {"--ctrf", "Write CTRF JSON", "ctrf.json", &Ctrf},
     {"--in-toto", "Write an in-toto test-result statement", "in-toto.json", &InToto},
     {"--code-quality", "Write GitLab Code Quality JSON", "code-quality.json", &CodeQuality},
     {"--sarif", "Write SARIF", "sarif", &Sarif},
     {"--github-annotations", "Write ::error lines for a job of GitHub Actions", "github.txt",
      &GithubAnnotations}}};

std::size_t PositionOfFormat(std::string_view option) {
  const auto place =
      std::find_if(kReportFormats.begin(), kReportFormats.end(),
                   [&](const ReportFormat& format) { return format.option == option; });
  return static_cast<std::size_t>(place - kReportFormats.begin());
}

}  // namespace poolproof
