// SPDX-License-Identifier: Apache-2.0
//
// Sources of cases: what a run judges, in the order in which it is numbered. Every source is a pure
// function of its arguments, so jobs and shards never change what is judged.
#ifndef POOLPROOF_CONFORMANCE_GEN_SOURCES_H_
#define POOLPROOF_CONFORMANCE_GEN_SOURCES_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/case/case_set.h"
#include "conformance/spec/profile.h"
#include "conformance/spec/profile_rules.h"
#include "conformance/spec/spec.h"

namespace poolproof {

// Violating calls for each status, constraint and support clause in which all other clauses hold,
// beside their nearest legal neighbours; descriptor-only extremes; pairs of faults. The name of a
// case starts with the clause that it was made for: "MP3-S40/length-2". Cases made for a clause
// outside the profile are left out.
std::vector<NamedCase> StatusCases(const Spec& spec, Profile profile, CaseSet set);

// Two-phase protocol and safety: out-pointers, null executor, determinism, threads, histories,
// other poison, growth, indices outside the plane.
std::vector<NamedCase> ProtocolCases(const Spec& spec, Profile profile, CaseSet set);

// 2P-03: whether the work of a call is done on its stream: streams that are held up, and outputs
// that are looked at as soon as theirs is synchronised.
std::vector<NamedCase> StreamCases(const Spec& spec, Profile profile, CaseSet set);

// SAF-07: operands next to pages that fault, over operators, types, sizes and layouts.
std::vector<NamedCase> GuardCases(const Spec& spec, Profile profile, CaseSet set);

// 2P-01, 2P-06, 2P-07: phases that lie between one another, contents that come late, repetitions at
// other addresses, with other contents and by one executor.
std::vector<NamedCase> HistoryCases(const Spec& spec, Profile profile, CaseSet set);

// Of each class of calls that a clause may be unproven for, calls spread over types, ranks and
// attributes: formats, views of each operand, batches, members of the plan.
std::vector<NamedCase> ClassCases(const Spec& spec, Profile profile, CaseSet set);

// Exhaustive small geometry: (in, kernel, stride, padding, ceil) and (in, out).
std::vector<NamedCase> TableCases(const Spec& spec, Profile profile, CaseSet set);

// Row lengths of every residue, special values at every position of a row, equal indices at every
// distance that vector code cares for.
std::vector<NamedCase> LaneCases(const Spec& spec, Profile profile, CaseSet set);

// Forwards: planes above what narrow types count, rows of all widths, long axes, special values,
// views, guarded operands.
std::vector<NamedCase> ForwardCases(const Spec& spec, Profile profile, CaseSet set);

// The ordinary shapes of networks at their size: gradients of up to 20 MiB, tilings, layers, rows
// of many widths, windows and counts of outputs above 2^20.
std::vector<NamedCase> BulkCases(const Spec& spec, Profile profile, CaseSet set);

// Where narrow integers, floating-point quotients and tiles end: lists that are legal in fewer
// bits, long windows, long axes, long rows beside closed pages, expanded gradients in every layout.
std::vector<NamedCase> CornerCases(const Spec& spec, Profile profile, CaseSet set);

// Names of the random families, and how many cases of each a set draws.
struct RandomFamily {
  std::string_view name;
  int smoke;
  int ci;
  int nightly;
  std::uint64_t explored;  // of 100 candidates of a campaign
  bool is_base;            // legal single calls, from which properties derive related ones
};
const std::vector<RandomFamily>& RandomFamilies();

// Case `index` of a random family: a pure function of (rules, family, seed, index).
NamedCase RandomCase(const ProfileRules& rules, const RandomFamily& family, std::uint64_t seed,
                     std::uint64_t index);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_GEN_SOURCES_H_
