// SPDX-License-Identifier: Apache-2.0
//
// EvidenceCount: what the cases of a run say of each clause, case by case: for it, against it, or
// nothing, where the library refuses the legal neighbour too.
#ifndef POOLPROOF_CONFORMANCE_TALLY_EVIDENCE_COUNT_H_
#define POOLPROOF_CONFORMANCE_TALLY_EVIDENCE_COUNT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "conformance/result/facets.h"
#include "conformance/result/report.h"
#include "conformance/result/shard_record.h"
#include "conformance/spec/spec.h"
#include "conformance/tally/tally.h"

namespace poolproof {

// The table of accepted valid calls, by the cases that are beside them.
class Neighbours {
 public:
  // Requires `calls` to outlive it and to stay as it is.
  Neighbours(const Spec& spec, const std::vector<AcceptedCall>& calls);

  // The legal neighbour that the case names; nullptr: none.
  [[nodiscard]] const AcceptedCall* Of(const CaseClass& kind) const;

  // The neighbour, or, of pairs of faults and of what else is made of no row of the table, the
  // first call of the table, which is the operator's plainest.
  [[nodiscard]] const AcceptedCall* RefusedBeside(const CaseClass& kind) const;

  // Whether all that the library is charged with is a status other than that of the clause, where
  // it refuses the legal neighbour with another one, too: then that is what shows.
  [[nodiscard]] bool IsAnsweredAsNeighbour(const CaseClass& kind) const;

 private:
  const Spec& spec_;
  const std::vector<AcceptedCall>& calls_;
  std::unordered_map<std::string, std::size_t> positions_;  // by path
};

// Ids that the spec lacks count nowhere.
class EvidenceCount {
 public:
  // Requires both to outlive it.
  EvidenceCount(const Spec& spec, const Neighbours& neighbours);

  [[nodiscard]] std::optional<std::size_t> PositionOf(const std::string& id) const;

  // A case outside the capabilities.
  void AddUnsupported(const CaseClass& kind);
  // A case that was judged, whatever came of it.
  void AddJudged(const CaseClass& kind);
  // What a case speaks for, except for the clauses that it breaches.
  void AddEvidence(const CaseClass& kind, const std::vector<std::string>& evidence,
                   const std::set<std::string>& breached);
  // A case that failed as its refused neighbour does, and so is of no clause.
  void AddAnsweredAsNeighbour(const CaseClass& kind);
  // A failing case, by the clauses that it breaches. Returns the required ones among them.
  std::vector<std::string> AddFailure(const std::set<std::string>& clauses);
  // What a failing case would have spoken for.
  void Withhold(const CaseClass& kind, const std::set<std::string>& breached);
  // A failing case that may be of the clause and was not investigated.
  void AddNotLookedInto(const std::string& id);
  // All calls of the part fail for a confirmed root cause.
  void AddExplained(const Hole& hole) {
    counted_.proof[hole.clause].explained |= BitOf(*hole.facet);
  }
  // A case that was made for the clause ended without an answer.
  void AddInconclusive(const std::string& id, const std::string& note);

  [[nodiscard]] const ClauseEvidence& counted() const { return counted_; }

 private:
  void WithholdBeside(const AcceptedCall& neighbour, std::size_t position);
  void CountFacets(std::size_t position, Facets facets, const std::vector<Operator>& operators,
                   std::array<std::int64_t, kFacetCount>& counts,
                   std::map<Operator, std::int64_t>& by_operator) const;

  const Spec* spec_;
  const Neighbours* neighbours_;
  std::unordered_map<std::string, std::size_t> positions_;
  ClauseEvidence counted_;
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_TALLY_EVIDENCE_COUNT_H_
