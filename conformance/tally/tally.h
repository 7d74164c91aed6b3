// SPDX-License-Identifier: Apache-2.0
//
// From counts of evidence to clause verdicts, the run's verdict and the exit status.
#ifndef POOLPROOF_CONFORMANCE_TALLY_TALLY_H_
#define POOLPROOF_CONFORMANCE_TALLY_TALLY_H_

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/result/capabilities.h"
#include "conformance/result/facets.h"
#include "conformance/result/report.h"
#include "conformance/spec/profile.h"
#include "conformance/spec/spec.h"

namespace poolproof {

// Why no case can exercise a clause; nullopt where cases can.
using ReasonNotExercisedFunction = std::function<std::optional<std::string>(std::string_view)>;

// What of the space of calls shows a clause, and what would have shown it. A clause is proven only
// where no part of that space failed as a whole.
struct Proof {
  std::array<std::int64_t, kFacetCount> shown{};     // cases for it, by facet of their calls
  std::array<std::int64_t, kFacetCount> withheld{};  // cases that failed, or proved nothing
  std::map<Operator, std::int64_t> shown_by;         // the same by operator
  std::map<Operator, std::int64_t> withheld_by;
  std::int64_t beside_refusals = 0;  // of the withheld, those whose legal neighbour is refused too
  Facets refused = 0;                // of these neighbours
  // Parts whose calls all fail for a confirmed root cause: those that are left prove the clause.
  Facets explained = 0;
  std::set<std::string> bases;  // legal neighbours beside which refusals prove it
};

// What a run found, clause by clause. Vectors are by position in Spec::clauses().
struct ClauseEvidence {
  std::vector<std::int64_t> cases;
  std::vector<std::int64_t> failures;
  std::vector<std::uint32_t> traits;  // CaseTraits of the evidence
  std::vector<Proof> proof;
  // Failing cases that may be of the clause and were not investigated; may be empty.
  std::vector<std::int64_t> not_looked_into = {};
  // Notes of cases that were made for a clause and ended without an answer.
  std::map<std::string, std::string, std::less<>> inconclusive;
  // Clauses for which a case outside the capabilities would have been evidence.
  std::set<std::string, std::less<>> unsupported;
  std::set<Operator> judged;  // operators of which a case was judged
};

struct TallyContext {
  const Spec* spec = nullptr;
  Profile profile = Profile::kAtlasA2;
  const Capabilities* capabilities = nullptr;
  bool selected = false;  // --filter, --case-file or --cases
  StopReason stopped_by = StopReason::kNone;
  ReasonNotExercisedFunction reason_not_exercised;
};

struct Tally {
  std::vector<ClauseResult> clauses;
  // A required clause that applies ended without an answer.
  bool open_required = false;
};

// What happened to a property's cases.
struct PropertyEvidence {
  std::int64_t cases = 0;
  std::int64_t failures = 0;
  std::int64_t discarded = 0;
  std::int64_t unsupported = 0;
};

// `partial`: the run was of selected cases, or ended early.
PropertyResult TallyProperty(Relation relation, const PropertyEvidence& evidence, bool partial);

Tally TallyClauses(const TallyContext& context, const ClauseEvidence& evidence);

// A part of the space of calls for which nothing showed a clause, and cases that failed for another
// reason would have.
struct Hole {
  std::size_t clause = 0;      // position in Spec::clauses()
  std::optional<Facet> facet;  // of its calls, or
  std::optional<Operator> op;  // whose they are
  std::int64_t withheld = 0;   // such cases
  bool refused = false;        // the library refuses their legal neighbours too
};
// Of the required clauses that no case breaches.
std::vector<Hole> OpenHoles(const TallyContext& context, const ClauseEvidence& evidence);

// The standard that an operator's sums in one type were shown to keep, the strictest first:
// "correctly-rounded", "acc32", "acc-storage"; "none" where they broke the law. nullopt: no sum of
// three or more told anything. A standard is claimed only where a probe tells it from the next one.
std::optional<std::string> StandardOf(const SumProbe& probe, const SumFacts& facts);
// "kept", "flushed", or how often where: libraries keep subnormals on one path and not on another.
// Empty: nothing shows it.
std::string SubnormalsText(const SumFacts& facts);

// Requires summary, clauses, failures, run and error of `report` to be filled.
RunVerdict DecideRun(const Report& report, bool open_required);

// The forward that alone can breach the clause (MP3-B15, MP3-B16, AMP3-B04, AMP2-B04, *-F*).
std::optional<Operator> ForwardThatClauseNeeds(const Clause& clause);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_TALLY_TALLY_H_
