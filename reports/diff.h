// SPDX-License-Identifier: Apache-2.0
//
// What changed between two reports, by clause, by kind of failure and by root cause. Used by
// `poolproof diff`.
#ifndef POOLPROOF_REPORTS_DIFF_H_
#define POOLPROOF_REPORTS_DIFF_H_

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/result/report.h"
#include "conformance/spec/spec.h"

namespace poolproof {

enum class Change : std::uint8_t {
  kBroken,   // fails now, and had an answer or no failure before
  kFixed,    // failed before, passes now
  kNew,      // has an answer now, and had none before
  kGone,     // had an answer before, and has none now
  kChanged,  // of a root cause: the same one, with another border or other clauses
};

struct DiffEntry {
  Change change = Change::kBroken;
  bool advisory = false;  // decides nothing
  // A clause's id, a property's name, a failure's signature, a root cause's sentence.
  std::string name;
  std::string before;  // a verdict, or a number of cases; "absent"
  std::string after;
  std::string detail = {};  // of a new signature or root cause: the command that shows it
  friend bool operator==(const DiffEntry&, const DiffEntry&) = default;
};

// In the order of Change, then of the reports.
struct ReportDiff {
  RunVerdict before = RunVerdict::kIncomplete;
  RunVerdict after = RunVerdict::kIncomplete;
  std::vector<std::string> differing;  // what else differs: "profile: atlas-a2, atlas-a3"
  std::vector<DiffEntry> clauses;
  std::vector<DiffEntry> properties;
  std::vector<DiffEntry> signatures;
  std::vector<DiffEntry> causes;  // by their sentences; they decide nothing
  // Something that decides verdicts broke.
  [[nodiscard]] bool Broke() const;
  friend bool operator==(const ReportDiff&, const ReportDiff&) = default;
};

ReportDiff DiffReports(const Report& before, const Report& after);

std::string DiffText(const ReportDiff& diff, const Spec& spec);
// Schema poolproof-diff/1.
std::string DiffJsonText(const ReportDiff& diff);
std::string DiffMarkdown(const ReportDiff& diff, const Spec& spec);

}  // namespace poolproof

#endif  // POOLPROOF_REPORTS_DIFF_H_
