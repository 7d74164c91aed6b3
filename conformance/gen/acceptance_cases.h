// SPDX-License-Identifier: Apache-2.0
//
// The acceptance table: a small plain legal call for each thing that an implementation may not be
// able to do at all. What it does with these says which part of the documents it covers, and which
// refusals of other calls prove something. Used by `probe --write-manifest`, by runs and, as the
// bases of calls that breach a clause, by status_cases.cc.
#ifndef POOLPROOF_CONFORMANCE_GEN_ACCEPTANCE_CASES_H_
#define POOLPROOF_CONFORMANCE_GEN_ACCEPTANCE_CASES_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/gen/case_bases.h"
#include "conformance/spec/profile.h"
#include "conformance/spec/profile_rules.h"
#include "conformance/spec/spec.h"

namespace poolproof {

// What a call of the table is made of.
struct AcceptanceRow {
  Operator op{};
  DataType type = DataType::kFloat;
  DataType index_type = DataType::kInt32;
  int geometry = 0;                             // of the backward's page; even: batched
  std::optional<Format> format = std::nullopt;  // of all operands; nullopt: the page's first
  std::optional<Layout> layout = std::nullopt;  // of all operands; nullopt: contiguous
  bool at_plane_limit = false;                  // a plane of 2^31 - 1 elements, descriptors alone
  std::optional<std::size_t> windows = std::nullopt;  // in place of the page's: row of SpreadCases
};

// The table's rows for an operator, each combination of value type, index type, rank, format and
// layout that its page takes under the profile; none where it is not covered.
std::vector<AcceptanceRow> AcceptanceRows(const ProfileRules& rules, Operator op);

// The row's call; its data have no seed yet.
Call CallOf(const ProfileRules& rules, const AcceptanceRow& row);
// "<operator>/accepted/f32-i32-batched-contiguous", the path of the row's case.
std::string PathOf(const AcceptanceRow& row);

// The case of each row, of all operators, forwards too. All are legal. Family "accepted", named
// "f32-i32-batched-contiguous"; formats after the page's first one follow the rank:
// "f32-i32-batched-ncdhw-contiguous".
std::vector<NamedCase> AcceptanceCases(const Spec& spec, Profile profile);

// Calls of the table's types, ranks, formats and layouts with other windows: strides that equal
// kernels, exceed them or are left out, windows of one cell, without and with padding and ceilMode,
// one plane and several, extents that divide and others. A type, a rank, a format or a layout of
// which none is accepted, beside none of the table, is one that the implementation does not take.
// In turns of one case for each row of the table, "f32-i32-batched-contiguous-tiles".
std::vector<NamedCase> SpreadCases(const Spec& spec, Profile profile);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_GEN_ACCEPTANCE_CASES_H_
