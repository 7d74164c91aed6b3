// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/evidence.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace poolproof {
namespace {

constexpr std::int64_t kLargestInt32 = 2147483647;

bool AnyAbove(const Dims& list, std::int64_t bound) {
  return std::any_of(list.begin(), list.end(), [=](std::int64_t value) { return value > bound; });
}

// Whether an operand beside indices is not contiguous.
bool OthersAreViews(const Call& call) {
  const std::vector<Role>& roles = InfoOf(call.op).tensors;
  return std::any_of(roles.begin(), roles.end(), [&](Role role) {
    return role != Role::kIndices && !IsPacked(call.tensor(role));
  });
}

bool AllHaveFormat(const Call& call, Format format) {
  const std::vector<Role>& roles = InfoOf(call.op).tensors;
  return std::all_of(roles.begin(), roles.end(),
                     [&](Role role) { return call.tensor(role).format == format; });
}

bool DividesEverywhere(const PlaneGeometry& geometry) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (geometry.output[axis] == 0 || geometry.input[axis] % geometry.output[axis] != 0)
      return false;
  }
  return true;
}

// What acceptance alone shows, whatever the numbers; `told`: they were asked for.
void AcceptanceEvidence(Judgement& judgement, const Call& call, bool told) {
  const OperatorInfo& info = InfoOf(call.op);
  const auto prove = [&](Condition condition) {
    if (told) {
      judgement.Evidence(call, condition);
    } else {
      judgement.ByAcceptance(judgement.IdOf(call, condition));
    }
  };
  const DataType type = call.tensor(Role::kSelf).type;
  for (const SupportedType& row : info.value_types) {
    if (row.type == type && row.by) prove(*row.by);
  }
  const DataType index_type = call.tensor(Role::kIndices).type;
  for (const SupportedType& row : info.index_types) {
    if (row.type == index_type && row.by) prove(*row.by);
  }
  for (const SupportedFormat& row : info.formats) {
    if (row.by && AllHaveFormat(call, row.format)) prove(*row.by);
  }
  const std::int64_t plane =
      PlaneElements(call.tensor(Role::kSelf).shape, info.spatial_rank).value_or(0);
  if (plane == kLargestInt32) prove(Condition::kPlaneLimit);
  if (plane > kLargestInt32 && index_type == DataType::kInt64) prove(Condition::kPlaneAboveLimit);
  if (info.windows == WindowRule::kAdaptive) return;
  const Dims& dilation = *call.list(List::kDilation);
  if (!AnyAbove(dilation, 1)) prove(Condition::kDilationOne);
  if (AnyAbove(*call.list(List::kPadding), 0)) prove(Condition::kPaddingUpToHalf);
  if (CeilChangesOutput(call)) prove(Condition::kCeilMode);
}

// What right numbers show besides, of the geometry and the layouts that the call has.
void FormEvidence(Judgement& judgement, const Call& call, const PreparedCall& prepared) {
  const OperatorInfo& info = InfoOf(call.op);
  const auto prove = [&](Condition condition) { judgement.Evidence(call, condition); };
  const bool divides =
      prepared.membership.has_value() && DividesEverywhere(prepared.membership->geometry());
  if (info.windows == WindowRule::kFixed) {
    for (const List list : {List::kKernelSize, List::kStride}) {
      if (call.list(list)->size() == 1) prove(ShortFormCondition(list));
    }
    if (call.list(List::kStride)->empty()) prove(Condition::kStrideFromKernel);
    if (AnyAbove(*call.list(List::kPadding), 0)) prove(Condition::kPaddingNeverWins);
    // Who ignores dilation gives the same numbers elsewhere.
    if (prepared.facts.dilation_tells) prove(Condition::kDilationAboveOne);
  } else if (prepared.membership.has_value() && !divides) {
    prove(Condition::kAdaptiveWindows);
  }
  const Dims& self = call.tensor(Role::kSelf).shape;
  if (self.size() == static_cast<std::size_t>(info.spatial_rank) + 1) prove(Condition::kUnbatched);
  if (divides && info.divisible_limit &&
      PlaneElements(self, info.spatial_rank).value_or(0) > *info.divisible_limit) {
    prove(Condition::kDivisibleAboveLimit);
  }
  const bool indices_are_view = !IsPacked(call.tensor(Role::kIndices));
  // Where each element gets the same sum, the order of operands does not show.
  if (!prepared.facts.any_placed) return;
  if (indices_are_view) prove(info.indices_view);
  // Beside indices that another clause allows, other views prove nothing by themselves.
  if (OthersAreViews(call) && (!indices_are_view || info.indices_view == Condition::kViews)) {
    prove(Condition::kViews);
  }
}

void ValueEvidence(Judgement& judgement, const Call& call, const MaterializedCall& data,
                   const PreparedCall& prepared) {
  const DataFacts& facts = prepared.facts;
  const CallPlan& plan = judgement.problem().plan;
  const auto prove = [&](Condition condition) { judgement.Evidence(call, condition); };
  if (facts.any_placed) prove(Condition::kScatter);
  if (facts.any_merge) prove(Condition::kAccumulate);
  // Mixed contents may be zero just where nothing is named.
  const bool held_nonzero = plan.output == Poison::kNan || plan.output == Poison::kFinite;
  if (facts.any_unnamed && held_nonzero) prove(Condition::kZero);
  if (facts.infinity) prove(judgement.rules().InfinityCondition(call.op));
  if (facts.nan) prove(judgement.rules().NanCondition(call.op));
  if (StorageHoldsSpecial(call.tensor(Role::kSelf),
                          data.storage[static_cast<std::size_t>(Role::kSelf)])) {
    prove(Condition::kSelfValues);
  }
  // Where no order of summation shows, every run agrees.
  if (plan.deterministic && plan.repeat > 1 && facts.any_inexact && prepared.membership &&
      OrderShows(call, data, *prepared.membership)) {
    prove(Condition::kDeterministic);
  }
}

std::uint32_t TraitsOf(const Call& call, const PreparedCall& prepared) {
  const DataType type = call.tensor(Role::kSelf).type;
  std::uint32_t traits = type == DataType::kFloat     ? kTraitFloat
                         : type == DataType::kFloat16 ? kTraitHalf
                                                      : kTraitBfloat;
  if (prepared.facts.any_merge) traits |= kTraitMerge;
  if (prepared.facts.any_inexact) traits |= kTraitInexact;
  if (OthersAreViews(call) || !IsPacked(call.tensor(Role::kIndices))) traits |= kTraitView;
  if (prepared.membership.has_value() && prepared.membership->geometry().planes > 1) {
    traits |= kTraitPlanes;
  }
  return traits;
}

}  // namespace

void BackwardEvidence(Judgement& judgement, std::size_t number) {
  const Call& call = judgement.problem().calls[number];
  const PreparedCall& prepared = judgement.prepared().calls[number];
  const bool told = !judgement.problem().plan.descriptors_only && prepared.facts.any_named;
  AcceptanceEvidence(judgement, call, told);
  judgement.ProtocolHeld(call.op, told);
  if (!told) return;
  ValueEvidence(judgement, call, judgement.prepared().data.calls[number], prepared);
  FormEvidence(judgement, call, prepared);
  judgement.AddTraits(TraitsOf(call, prepared));
}

void WithholdEvidence(Judgement& judgement, std::size_t number) {
  const PreparedCall& prepared = judgement.prepared().calls[number];
  const bool plain = prepared.legality.kind == LegalityKind::kValid &&
                     prepared.legality.by_advice.empty() && prepared.facts.in_window &&
                     !prepared.undocumented_values;
  judgement.Withhold();
  if (plain) BackwardEvidence(judgement, number);
}

void ProtocolEvidence(Judgement& judgement, const ProcessFacts& process) {
  const CallPlan& plan = judgement.problem().plan;
  if (!judgement.protocol_held()) {
    if (!judgement.protocol_accepted()) return;
    judgement.ByAcceptance("2P-01");
    judgement.ByAcceptance("SAF-08");
    return;
  }
  judgement.Evidence("2P-01");
  judgement.Evidence("SAF-08");
  for (const std::string_view id : {"2P-02", "2P-03", "SAF-01", "SAF-02", "SAF-05"}) {
    judgement.Evidence(id);
  }
  const bool alive_together = plan.streams > 1 && plan.order != Order::kInTurn;
  if (plan.threads > 1 || alive_together) judgement.Evidence("2P-06");
  if (plan.repeat > 1 || judgement.problem().calls.size() > 1) judgement.Evidence("2P-07");
  // Calls that were answered otherwise later on need not have kept what the first ones keep.
  if (plan.growth_calls > 0 && process.runs_otherwise == 0) judgement.Evidence("SAF-06");
}

}  // namespace poolproof
