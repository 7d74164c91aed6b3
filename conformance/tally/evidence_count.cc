// SPDX-License-Identifier: Apache-2.0
#include "conformance/tally/evidence_count.h"

#include <algorithm>

#include "conformance/spec/operators.h"

namespace poolproof {

Neighbours::Neighbours(const Spec& spec, const std::vector<AcceptedCall>& calls)
    : spec_(spec), calls_(calls) {
  for (std::size_t i = 0; i < calls.size(); ++i) positions_.emplace(calls[i].path, i);
}

const AcceptedCall* Neighbours::Of(const CaseClass& kind) const {
  const auto base = positions_.find(kind.base);
  return base == positions_.end() ? nullptr : &calls_[base->second];
}

const AcceptedCall* Neighbours::RefusedBeside(const CaseClass& kind) const {
  if (!kind.base.empty()) return Of(kind);
  const auto plainest = std::find_if(calls_.begin(), calls_.end(),
                                     [&](const AcceptedCall& call) { return call.op == kind.op; });
  return plainest == calls_.end() ? nullptr : &*plainest;
}

bool Neighbours::IsAnsweredAsNeighbour(const CaseClass& kind) const {
  const AcceptedCall* neighbour = RefusedBeside(kind);
  if (kind.blames.empty() || neighbour == nullptr || neighbour->answer != Answer::kRefused) {
    return false;
  }
  const auto explained = [&](const std::string& id) {
    const Clause* clause = spec_.Find(id);
    // A null is answered before anything else is looked at.
    return clause != nullptr && clause->expect && !clause->expect->any_error &&
           clause->expect->status != kParamNullptr &&
           std::to_string(clause->expect->status) != neighbour->detail;
  };
  return std::all_of(kind.blames.begin(), kind.blames.end(), [&](const Blame& blame) {
    return blame.kind == FindingKind::kWrongStatus && !blame.clauses.empty() &&
           std::all_of(blame.clauses.begin(), blame.clauses.end(), explained);
  });
}

EvidenceCount::EvidenceCount(const Spec& spec, const Neighbours& neighbours)
    : spec_(&spec), neighbours_(&neighbours) {
  const std::size_t clauses = spec.clauses().size();
  for (std::size_t i = 0; i < clauses; ++i) positions_.emplace(spec.clauses()[i].id, i);
  counted_.cases.assign(clauses, 0);
  counted_.failures.assign(clauses, 0);
  counted_.traits.assign(clauses, 0);
  counted_.proof.assign(clauses, Proof());
  counted_.not_looked_into.assign(clauses, 0);
}

std::optional<std::size_t> EvidenceCount::PositionOf(const std::string& id) const {
  const auto place = positions_.find(id);
  return place == positions_.end() ? std::nullopt : std::optional(place->second);
}

void EvidenceCount::AddUnsupported(const CaseClass& kind) {
  counted_.unsupported.insert(kind.evidence.begin(), kind.evidence.end());
}

void EvidenceCount::AddJudged(const CaseClass& kind) {
  counted_.judged.insert(kind.operators.begin(), kind.operators.end());
}

void EvidenceCount::AddEvidence(const CaseClass& kind, const std::vector<std::string>& evidence,
                                const std::set<std::string>& breached) {
  const auto add = [&](const std::vector<std::string>& ids, auto count) {
    for (const std::string& id : ids) {
      const std::optional<std::size_t> position = PositionOf(id);
      if (position && !breached.contains(id)) count(*position);
    }
  };
  const auto show = [&](std::size_t position, Facets facets, const std::vector<Operator>& ops) {
    ++counted_.cases[position];
    counted_.traits[position] |= kind.traits;
    Proof& proof = counted_.proof[position];
    CountFacets(position, facets, ops, proof.shown, proof.shown_by);
  };
  add(evidence, [&](std::size_t position) { show(position, kind.facets, kind.operators); });
  const AcceptedCall* known = neighbours_->Of(kind);
  if (known == nullptr) return;
  const AcceptedCall& neighbour = *known;
  const std::vector<Operator> ops = {neighbour.op};
  add(kind.by_refusal, [&](std::size_t position) {
    if (!IsAccepted(neighbour.answer)) return WithholdBeside(neighbour, position);
    show(position, neighbour.facets, ops);
    counted_.proof[position].bases.insert(neighbour.path.substr(neighbour.path.rfind('/') + 1));
  });
  add(kind.by_acceptance, [&](std::size_t position) {
    if (!IsAccepted(neighbour.answer)) return WithholdBeside(neighbour, position);
    if (neighbour.answer == Answer::kRight) show(position, neighbour.facets, ops);
  });
}

void EvidenceCount::AddAnsweredAsNeighbour(const CaseClass& kind) {
  for (const Blame& blame : kind.blames) {
    for (const std::string& id : blame.clauses) {
      const std::optional<std::size_t> position = PositionOf(id);
      if (position) WithholdBeside(*neighbours_->RefusedBeside(kind), *position);
    }
  }
}

std::vector<std::string> EvidenceCount::AddFailure(const std::set<std::string>& clauses) {
  std::vector<std::string> required;
  for (const std::string& id : clauses) {
    const std::optional<std::size_t> position = PositionOf(id);
    if (!position) continue;
    ++counted_.cases[*position];
    ++counted_.failures[*position];
    if (spec_->clauses()[*position].strength == Strength::kRequired) required.push_back(id);
  }
  return required;
}

void EvidenceCount::Withhold(const CaseClass& kind, const std::set<std::string>& breached) {
  std::set<std::string> withheld(kind.withheld.begin(), kind.withheld.end());
  // The clauses that the judge charged, and what investigating it took back.
  for (const Blame& blame : kind.blames) {
    withheld.insert(blame.clauses.begin(), blame.clauses.end());
  }
  for (const std::string& id : withheld) {
    const std::optional<std::size_t> position = PositionOf(id);
    if (!position || breached.contains(id)) continue;
    Proof& proof = counted_.proof[*position];
    CountFacets(*position, kind.facets, kind.operators, proof.withheld, proof.withheld_by);
  }
}

void EvidenceCount::AddNotLookedInto(const std::string& id) {
  const std::optional<std::size_t> position = PositionOf(id);
  if (position) ++counted_.not_looked_into[*position];
}

void EvidenceCount::AddInconclusive(const std::string& id, const std::string& note) {
  counted_.inconclusive.emplace(id, note);
}

// What an answer says of the clause says as much of the neighbour, which was not accepted.
void EvidenceCount::WithholdBeside(const AcceptedCall& neighbour, std::size_t position) {
  Proof& proof = counted_.proof[position];
  ++proof.beside_refusals;
  proof.refused |= neighbour.facets;
  CountFacets(position, neighbour.facets, {neighbour.op}, proof.withheld, proof.withheld_by);
}

// Of a case with several operators it is not known which of its calls have the facets: they count
// for clauses of any operator alone.
void EvidenceCount::CountFacets(std::size_t position, Facets facets,
                                const std::vector<Operator>& operators,
                                std::array<std::int64_t, kFacetCount>& counts,
                                std::map<Operator, std::int64_t>& by_operator) const {
  if (operators.size() <= 1 || !ParseOperator(spec_->clauses()[position].operator_name)) {
    for (std::size_t i = 0; i < kFacetCount; ++i) {
      if ((facets & BitOf(static_cast<Facet>(i))) != 0) ++counts[i];
    }
  }
  for (const Operator op : operators) ++by_operator[op];
}

}  // namespace poolproof
