// SPDX-License-Identifier: Apache-2.0
//
// A report that is read can be written, read again and shown in every format.
#include "conformance/spec/spec.h"
#include "fuzz/expect.h"
#include "reports/diff.h"
#include "reports/formats.h"
#include "reports/json.h"
#include "reports/markdown.h"
#include "reports/parse.h"
#include "reports/text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace poolproof;  // NOLINT(google-build-using-namespace)
  const Result<Report> report = ParseReport(AsText(data, size));
  if (!report.ok()) {
    ExpectRefusal(report.status());
    return 0;
  }
  const std::string text = ReportJsonText(*report);
  const Result<Report> again = ParseReport(text);
  Expect(again.ok(), "what was written is refused", again.ok() ? "" : again.status().message());
  Expect(*again == *report, "what was written is read otherwise", text);
  const Spec& spec = Spec::Embedded();
  for (const ReportFormat& format : kReportFormats) {
    Expect(!format.render(*report, spec, std::nullopt).empty(), "a format shows nothing", text);
  }
  (void)ReportText(*report, spec, TextStyle());
  Expect(ReportMarkdown(*report, spec).size() <= kMarkdownBudget, "Markdown exceeds its budget",
         "");
  Expect(!DiffReports(*report, *again).Broke(), "a report differs from itself", text);
  return 0;
}
