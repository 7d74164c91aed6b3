// SPDX-License-Identifier: Apache-2.0
//
// The corpus: checked-in cases that hunt named classes of bugs (*_vectors.json, embedded at build
// time). A source of cases for the runner and `list cases`.
#ifndef POOLPROOF_CONFORMANCE_CORPUS_CORPUS_H_
#define POOLPROOF_CONFORMANCE_CORPUS_CORPUS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/spec/profile.h"
#include "core/status.h"

namespace poolproof {

struct Vector {
  NamedCase problem;  // family "corpus"
  std::string comment;
  std::vector<std::string> flags;    // each explained in the file's notes
  std::vector<std::string> clauses;  // ids of the clauses that it is made for
  std::vector<Profile> profiles;     // empty: every supported profile
  // Storage bits of gradInput in row-major order of the view: the exact sums rounded once. The sign
  // of a zero and the payload of a NaN are free.
  std::optional<std::vector<std::uint32_t>> expected_grad_input;
  [[nodiscard]] bool AppliesTo(Profile profile) const;
  friend bool operator==(const Vector&, const Vector&) = default;
};

// What a flag represents.
struct FlagNote {
  std::string bug_type;
  std::string description;
  std::vector<std::string> links;  // where such a bug was seen
  friend bool operator==(const FlagNote&, const FlagNote&) = default;
};
using FlagNotes = std::map<std::string, FlagNote>;

// All vectors, in the order of the files. The embedded files are valid by test.
const std::vector<Vector>& Corpus();

// The flags of all vectors.
const FlagNotes& CorpusFlags();

// The cases of the vectors that apply to the profile.
std::vector<NamedCase> CorpusCases(Profile profile);

// One vector file. errors: kInvalidArgument naming the file, the vector and the member.
Result<std::vector<Vector>> ParseVectorFile(std::string_view text, std::string_view file_name);

// A vector file in canonical form: members in the schema's order, notes, flags and clauses sorted,
// case lines and words as the printers write them.
std::string VectorFileText(const FlagNotes& notes, const std::vector<Vector>& vectors);

// The same file in canonical form. errors: as ParseVectorFile.
Result<std::string> FormatVectorFile(std::string_view text, std::string_view file_name);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_CORPUS_CORPUS_H_
