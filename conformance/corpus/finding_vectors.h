// SPDX-License-Identifier: Apache-2.0
//
// Findings of campaigns as vectors of the corpus. Used by `poolproof corpus export`.
#ifndef POOLPROOF_CONFORMANCE_CORPUS_FINDING_VECTORS_H_
#define POOLPROOF_CONFORMANCE_CORPUS_FINDING_VECTORS_H_

#include <string>
#include <vector>

#include "conformance/corpus/case_file.h"
#include "conformance/corpus/corpus.h"
#include "conformance/result/verdict.h"

namespace poolproof {

// The kinds in a signature, "operator:kind+kind:clauses".
std::vector<FindingKind> KindsOf(const std::string& signature);

struct FindingVectors {
  std::vector<Vector> vectors;        // ascending by case line
  FlagNotes notes;                    // of their flags
  std::vector<std::string> left_out;  // findings that cannot be vectors: which, and why
};

// A vector per case among the findings, with flags for what went wrong and for what the case is
// like, for the first profile on which it failed.
FindingVectors VectorsOfFindings(const std::vector<CaseFileEntry>& entries);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_CORPUS_FINDING_VECTORS_H_
