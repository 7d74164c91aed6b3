// SPDX-License-Identifier: Apache-2.0
//
// Several reports side by side: implementations or releases by clause, and how the counts went.
// Used by `poolproof matrix`. Pure renderers.
#ifndef POOLPROOF_REPORTS_MATRIX_H_
#define POOLPROOF_REPORTS_MATRIX_H_

#include <string>
#include <vector>

#include "conformance/result/report.h"
#include "conformance/spec/spec.h"

namespace poolproof {

struct MatrixColumn {
  std::string file;  // base name of the report's file
  Report report;
};

// The reports with letters, then the clauses that fail in one or have not the same verdict in all,
// then the counts. At most 26 columns.
std::string MatrixText(const std::vector<MatrixColumn>& columns, const Spec& spec);
// A page of its own with every clause; the heads link to the files of the reports.
std::string MatrixHtml(const std::vector<MatrixColumn>& columns, const Spec& spec);

}  // namespace poolproof

#endif  // POOLPROOF_REPORTS_MATRIX_H_
