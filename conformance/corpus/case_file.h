// SPDX-License-Identifier: Apache-2.0
//
// Case files: the cases of users, of campaigns and of what they found. Sources of cases for the
// runner, and what `poolproof corpus` takes care of.
#ifndef POOLPROOF_CONFORMANCE_CORPUS_CASE_FILE_H_
#define POOLPROOF_CONFORMANCE_CORPUS_CASE_FILE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/spec/profile.h"
#include "core/status.h"

namespace poolproof {

// What a campaign says of a failing case.
struct FindingNote {
  Profile profile = Profile::kAtlasA2;
  std::string implementation;        // its name
  std::string signature;             // as Failure::signature
  std::vector<std::string> clauses;  // breached
  std::string message;               // what happened
  std::string root_cause = {};       // the sentence of one; empty: none explains the case
  // clang-tidy 14 takes the 0 that the compiler compares with for a pointer.
  // NOLINTNEXTLINE(modernize-use-nullptr)
  friend auto operator<=>(const FindingNote&, const FindingNote&) = default;
};

struct CaseFileEntry {
  Case problem;
  std::optional<FindingNote> finding;
  // Edges of an instrumented library that the case was the first of its campaign to reach.
  std::int64_t edges = 0;
  friend bool operator==(const CaseFileEntry&, const CaseFileEntry&) = default;
};

// One element of a case file: an object of schema poolproof-case/1 or a case line.
Result<CaseFileEntry> ParseCaseFileEntry(std::string_view text);

// A JSON array, JSON lines or bare case lines. A file without any is one too. errors:
// kInvalidArgument naming the file and every element or line that is no case.
Result<std::vector<CaseFileEntry>> ParseCaseFileEntries(std::string_view text,
                                                        std::string_view file_name);

// One line per entry.
std::string CaseFileText(const std::vector<CaseFileEntry>& entries);

// The cases of such a file, of which there must be one at least. Family "file", names "0", "1", ...
Result<std::vector<NamedCase>> ParseCaseFile(std::string_view text, std::string_view file_name);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_CORPUS_CASE_FILE_H_
