// SPDX-License-Identifier: Apache-2.0
#include "cli/gate_options.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "cli/options.h"
#include "conformance/result/baseline.h"
#include "core/sha256.h"
#include "reports/parse.h"
#include "reports/words.h"

namespace poolproof {
namespace {

constexpr std::array<std::string_view, 2> kGates = {"all", "new"};

}  // namespace

void DeclareGateOptions(const Command& command, GateArguments& arguments) {
  command
      .AddOption("--gate", arguments.gate,
                 "Failures that make the exit status 1: all (default) or new")
      .TypeName("G");
  command
      .AddOption("--baseline", arguments.baseline,
                 "With --gate new: the JSON report whose failures are known")
      .TypeName("F");
}

Result<std::optional<Baseline>> ReadBaseline(const GateArguments& arguments) {
  const std::string gate = arguments.gate.value_or("all");
  if (std::find(kGates.begin(), kGates.end(), gate) == kGates.end()) {
    return InvalidArgument("--gate: '" + gate + "' is unknown; expected " + JoinNames(kGates) +
                           DidYouMean(gate, kGates));
  }
  if (gate == "all") {
    if (!arguments.baseline) return std::optional<Baseline>();
    return InvalidArgument("--baseline: needs --gate new");
  }
  if (!arguments.baseline) return InvalidArgument("--gate new: needs --baseline F, a JSON report");
  const Result<std::string> text = ReadFile("--baseline", *arguments.baseline);
  if (!text.ok()) return text.status();
  Result<Report> report = ParseReport(*text);
  if (!report.ok()) return report.status().Annotate("--baseline: " + *arguments.baseline);
  if (report->verdict == RunVerdict::kError) {
    return InvalidArgument("--baseline: " + *arguments.baseline + ": that run failed");
  }
  return std::optional(Baseline{*arguments.baseline, Sha256Hex(*text), std::move(report).value()});
}

void ApplyBaseline(const std::optional<Baseline>& baseline, const Io& io, Report& report) {
  if (!baseline || report.verdict == RunVerdict::kError) return;
  if (baseline->report.profile != report.profile) {
    io.err << "poolproof: --baseline: " << baseline->path << " is of profile "
           << ProfileName(baseline->report) << ", this run of " << ProfileName(report)
           << ": every failure is new\n";
  }
  report.baseline = CompareWithBaseline(report, baseline->report, baseline->sha256);
}

}  // namespace poolproof
