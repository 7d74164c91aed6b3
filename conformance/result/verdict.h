// SPDX-License-Identifier: Apache-2.0
//
// Verdict: what an outcome means for the clauses. Made by the judge, refined by blame.
#ifndef POOLPROOF_CONFORMANCE_RESULT_VERDICT_H_
#define POOLPROOF_CONFORMANCE_RESULT_VERDICT_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "conformance/result/finding_kind.h"
#include "conformance/spec/operators.h"
#include "core/data_type.h"

namespace poolproof {

enum class VerdictKind : std::uint8_t {
  kPassed,
  kFailed,        // at least one finding
  kInconclusive,  // ran, but could not be judged
  kUnsupported,   // the implementation does not offer the operator or the declared capability
  kRecorded,      // unspecified: no clause covers the call, so it counts neither for nor against
};

// What happened to the relation that a case's plan names.
enum class RelationState : std::uint8_t {
  kNone,  // the plan names none, or the calls did not return
  kHeld,
  kBroken,
  kDiscarded,  // the calls are not related so, or nothing could be compared
};

struct Mismatch {
  std::int64_t position = 0;  // row-major element number in the output
  std::string expected;       // hex word, or a range of hex words where a bound applies
  std::string got;            // hex word
  int contributions = 0;      // number of gradients whose index names the position
  int call = 0;               // of the case's calls, the one whose output it is
  friend bool operator==(const Mismatch&, const Mismatch&) = default;
};

struct Finding {
  std::vector<std::string> clauses;  // ids blamed, required and advisory
  FindingKind kind = FindingKind::kWrongStatus;
  std::string message;  // one sentence for a person
  std::optional<Mismatch> mismatch;
  std::vector<Mismatch> further = {};  // some more wrong elements, for pictures
  friend bool operator==(const Finding&, const Finding&) = default;
};

// Where subnormals arrive: libraries store or add, each of which may keep them or not.
enum class SubnormalPlace : std::uint8_t {
  kApart,  // where windows have no cell in common
  kAlone,  // where they have, at a cell that one gradient names
  kMet,    // at a cell that several name
};
inline constexpr std::size_t kSubnormalPlaceCount = 3;

// Elements in which subnormals were kept, or counted as zero. Those that tell neither are not
// counted.
struct FlushCount {
  std::int64_t kept = 0;
  std::int64_t flushed = 0;
  friend bool operator==(const FlushCount&, const FlushCount&) = default;
};

// How the sums of a call compare with standards stricter than the law. Numbers, no opinion: a
// standard is claimed for a whole run.
struct SumFacts {
  Operator op{};
  DataType type = DataType::kFloat;
  std::int64_t sums = 0;          // of three gradients or more, whose order may show
  std::int64_t misrounded = 0;    // of them, those that are not the exact sum rounded once
  std::int64_t beyond_acc32 = 0;  // of them, those outside the bound of FLOAT32 accumulation
  std::int64_t out_of_bound = 0;  // elements, of any number of gradients, outside the error bound
  std::int64_t results = 0;       // tensors looked at
  std::int64_t ecosystem = 0;     // of them, those within the vendor's ecosystem tolerance
  std::array<FlushCount, kSubnormalPlaceCount> subnormals{};  // by SubnormalPlace
  std::int64_t both = 0;  // of the tensors, those with subnormals kept and others that were not
  friend bool operator==(const SumFacts&, const SumFacts&) = default;
};

// What made a case informative: evidence without some of these is weak.
enum CaseTrait : std::uint32_t {
  kTraitMerge = 1U << 0U,    // gradients coincide
  kTraitInexact = 1U << 1U,  // the order of summation may show
  kTraitView = 1U << 2U,     // an operand is not contiguous
  kTraitPlanes = 1U << 3U,   // more than one plane
  kTraitFloat = 1U << 4U,    // gradients of that type
  kTraitHalf = 1U << 5U,
  kTraitBfloat = 1U << 6U,
};

struct Verdict {
  VerdictKind kind = VerdictKind::kPassed;
  std::vector<Finding> findings;
  // Clauses for which this case is evidence of conformance. Empty for a failed case, except for
  // clauses that the failure does not touch.
  std::vector<std::string> evidence;
  // The same under a condition: by a refusal, that its legal neighbour is accepted; by an
  // acceptance whose numbers were not asked for, that the numbers of its neighbour are right.
  std::vector<std::string> by_refusal = {};
  std::vector<std::string> by_acceptance = {};
  // Clauses for which the case would be evidence if its valid calls had not failed.
  std::vector<std::string> withheld = {};
  std::uint32_t traits = 0;    // CaseTraits of the calls that `evidence` comes from
  std::vector<SumFacts> sums;  // of each backward call that was carried out
  RelationState relation = RelationState::kNone;
  std::string relation_note;  // kDiscarded: why
  bool came_back = false;     // kRecorded: no page mentions the values; the call was carried out
  std::string note;           // kInconclusive, kUnsupported: the reason; kRecorded: what happened
  friend bool operator==(const Verdict&, const Verdict&) = default;
};

// Replaces the findings of those kinds by one, the first, that names `clauses`.
template <typename OfKind>
void Reblame(Verdict& verdict, OfKind of_kind, const std::vector<std::string>& clauses,
             const std::string& why) {
  std::vector<Finding> findings;
  bool replaced = false;
  for (Finding& finding : verdict.findings) {
    const bool is_one = of_kind(finding.kind);
    if (is_one && replaced) continue;
    if (is_one) {
      replaced = true;
      finding.clauses = clauses;
      finding.message += why;
    }
    findings.push_back(std::move(finding));
  }
  verdict.findings = std::move(findings);
}

template <typename Predicate>
bool AnyFinding(const Verdict& verdict, Predicate predicate) {
  return std::any_of(verdict.findings.begin(), verdict.findings.end(), predicate);
}

inline bool HasFinding(const Verdict& verdict, FindingKind kind) {
  return AnyFinding(verdict, [kind](const Finding& finding) { return finding.kind == kind; });
}

// Those that its findings name.
std::set<std::string> ClausesOf(const Verdict& verdict);

// Whether a call did not return.
bool Hangs(const Verdict& verdict);

// Whether both phases took a valid call and it was not carried out: phase two, by 2P-02, or the
// stream refused it.
bool FailedWhenCarriedOut(FindingKind kind, const std::vector<std::string>& clauses);

// Failures with one signature have one root cause, as far as can be told: operator, kinds and
// clauses. "<operator>:wrong-sum:MP3-B02".
std::string SignatureOf(std::string_view operator_name, const Verdict& verdict);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_RESULT_VERDICT_H_
