// SPDX-License-Identifier: Apache-2.0
#include "conformance/circumstance/circumstances.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "conformance/case/case_words.h"
#include "conformance/case/plan_members.h"
#include "conformance/circumstance/data_facts.h"
#include "conformance/circumstance/teller.h"
#include "conformance/circumstance/words.h"

namespace poolproof {
namespace {

void TellCall(const Call& call, Teller& teller) {
  const OperatorInfo& info = InfoOf(call.op);
  const TensorSpec* self = OperandOf(call, Role::kSelf);
  const TensorSpec* values = OperandOf(call, info.is_forward ? Role::kSelf : Role::kGradOutput);
  const TensorSpec* indices = OperandOf(call, Role::kIndices);
  teller.TellWord(static_cast<std::int64_t>(call.op), kPlain, "operator", "the operator",
                  &OperatorWords);
  teller.TellFlag(info.windows == WindowRule::kAdaptive, kPlain, "adaptive",
                  "the operator is adaptive", "the operator is not adaptive");
  teller.TellFlag(info.spatial_rank == 3, kPlain, "three_axes", "the operator is 3-d",
                  "the operator is 2-d");
  teller.TellFlag(info.is_forward, kPlain, "forward", "the call is a forward",
                  "the call is a backward");
  teller.TellWord(values != nullptr ? Number(TypeWord(values->type)) : Number(), kPlain, "dtype",
                  "the data type", &TypeWords);
  teller.TellFlag(values != nullptr
                      ? Flag(values->type == DataType::kFloat16 || values->type == DataType::kBf16)
                      : Flag(),
                  kPlain, "values_16_bit", "values have 16 bits", "values do not have 16 bits");
  teller.TellFlag(indices != nullptr ? Flag(indices->type == DataType::kInt64) : Flag(), kPlain,
                  "indices_64_bit", "indices are i64", "indices are not i64");
  teller.TellFlag(self != nullptr ? Flag(self->format != Format::kNd) : Flag(), kPlain,
                  "format_named", "the format of self is not ND", "the format of self is ND");
  teller.TellFlag(self != nullptr
                      ? Flag(static_cast<int>(self->shape.size()) == info.spatial_rank + 1)
                      : Flag(),
                  kPlain, "unbatched", "there is no batch axis", "there is a batch axis");
}

// Whether a list has a length or a value that no window has; nullopt where one is null.
Flag ListsWrong(const Call& call) {
  const OperatorInfo& info = InfoOf(call.op);
  if (info.windows != WindowRule::kFixed) return std::nullopt;
  for (const List list : info.lists) {
    if (!call.list(list)) return std::nullopt;
  }
  const std::optional<WindowAttributes> attributes = ExpandAttributes(call);
  if (!attributes) return true;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (attributes->padding[axis] > attributes->kernel[axis] / 2) return true;
  }
  return false;
}

void TellLists(const Call& call, Teller& teller) {
  struct Row {
    List list;
    const char* name;
    const char* text;
  };
  const Row rows[] = {{List::kKernelSize, "kernel_size", "kernelSize"},
                      {List::kStride, "stride", "stride"},
                      {List::kPadding, "padding", "padding"},
                      {List::kDilation, "dilation", "dilation"}};
  Number longest;
  Number shortest;
  Flag none;
  for (const Row& row : rows) {
    const auto& lists = InfoOf(call.op).lists;
    const bool has = std::find(lists.begin(), lists.end(), row.list) != lists.end();
    const std::optional<Dims>& values = call.list(row.list);
    if (has) none = none.value_or(false) || !values;
    const char* const name = row.name;
    const char* const text = row.text;
    teller.Tell(has ? Number(values ? 0 : 1) : Number(), [&] {
      return Circumstance{Circumstance::Kind::kFlag,
                          Join(name, "_null").Text(),
                          Join(text, " is null").Text(),
                          Join(text, " is not null").Text(),
                          {},
                          kCounted};
    });
    teller.TellNumber(has && values ? Number(static_cast<std::int64_t>(values->size())) : Number(),
                      kCounted, {name, "_length"}, {"the length of ", text});
    teller.Tell(
        has && values
            ? Number(values->size() == 1 || std::ssize(*values) == InfoOf(call.op).spatial_rank ||
                             (values->empty() && row.list == List::kStride)
                         ? 0
                         : 1)
            : Number(),
        [&] {
          return Circumstance{Circumstance::Kind::kFlag,
                              Join(name, "_misfit").Text(),
                              Join(text, " has the wrong length").Text(),
                              Join(text, " has the right length").Text(),
                              {},
                              kPlain};
        });
    if (has && values) {
      const std::int64_t length = std::ssize(*values);
      longest = std::max(longest.value_or(length), length);
      shortest = std::min(shortest.value_or(length), length);
    }
    teller.TellNumber(has && values && !values->empty()
                          ? Number(*std::max_element(values->begin(), values->end()))
                          : Number(),
                      kDerived, {name, "_most"}, {"the largest value of ", text});
    teller.TellNumber(has && values && !values->empty()
                          ? Number(*std::min_element(values->begin(), values->end()))
                          : Number(),
                      kDerived, {name, "_least"}, {"the smallest value of ", text});
  }
  teller.TellFlag(ListsWrong(call), kPlain, "list_wrong", "a list has a wrong length or value",
                  "no list has a wrong length or value");
  teller.TellFlag(none, kPlain, "list_null", "a list is null", "no list is null");
  teller.TellNumber(longest, kDerived, "longest_list", "the length of the longest list");
  teller.TellNumber(shortest, kDerived, "shortest_list", "the length of the shortest list");
}

// ---- data

void TellData(const CellFacts& facts, Teller& teller) {
  teller.TellNumber(facts.coinciding, kDerived, "gradients_on_a_cell",
                    "the largest number of gradients for one element");
  teller.TellNumber(facts.apart, kOdd, "equal_indices_apart",
                    "the smallest distance of outputs with equal indices");
  teller.TellNumber(facts.unnamed, kDerived, "cells_unnamed",
                    "the number of elements that no index names");
  teller.TellNumber(facts.highest_index, kDerived, "highest_index", "the highest index");
  teller.TellNumber(facts.meeting, kDerived, "gradients_meeting",
                    "the number of gradients that are added to an element that already has one");
  teller.TellNumber(facts.alike_neighbours, kDerived, "indices_repeated",
                    "the number of indices equal to the one before");
  teller.TellNumber(facts.nans, kDerived, "nans", "the number of gradients that are NaN");
  teller.TellNumber(facts.infinities, kDerived, "infinities", "the number of infinite gradients");
  teller.TellNumber(facts.minus_zeros, kDerived, "minus_zeros",
                    "the number of gradients that are -0");
  teller.TellNumber(facts.subnormals, kDerived, "subnormals", "the number of subnormal gradients");
  teller.TellNumber(facts.top_exponent, kDerived, "top_exponent",
                    "the exponent of the largest gradient");
  teller.TellNumber(facts.self_nans, kDerived, "self_nans",
                    "the number of elements of self that are NaN");
  teller.TellFlag(facts.in_row, kDerived, "coincide_in_row",
                  "two indices in one row of outputs are equal",
                  "no two indices in one row of outputs are equal");
  teller.TellFlag(facts.across_rows, kDerived, "coincide_across_rows",
                  "two indices in different rows of outputs are equal",
                  "no two indices in different rows of outputs are equal");
  teller.TellFlag(facts.first_cell, kDerived, "first_cell_named",
                  "an index names the first element", "no index names the first element");
  teller.TellFlag(facts.last_cell, kDerived, "last_cell_named", "an index names the last element",
                  "no index names the last element");
  teller.TellFlag(facts.outside_plane, kDerived, "index_outside_plane",
                  "an index lies outside the plane", "all indices lie in the plane");
  teller.TellFlag(facts.nan, kCounted, "nan", "a gradient is NaN", "no gradient is NaN");
  teller.TellFlag(facts.infinity, kCounted, "infinity", "a gradient is infinite",
                  "no gradient is infinite");
  teller.TellFlag(facts.opposite_infinities, kDerived, "opposite_infinities",
                  "an element gets opposite infinities", "no element gets opposite infinities");
  teller.TellFlag(facts.special_meets_other, kDerived, "special_meets",
                  "an element gets NaN or an infinity and another gradient",
                  "no element gets NaN or an infinity and another gradient");
  teller.TellFlag(facts.minus_zero, kDerived, "minus_zero", "a gradient is -0",
                  "no gradient is -0");
  teller.TellFlag(facts.subnormal, kDerived, "subnormal", "a gradient is subnormal",
                  "no gradient is subnormal");
  teller.TellNumber(facts.group, kOdd, "equal_indices_group",
                    "the size of the smallest aligned block of outputs with equal indices");
  teller.TellNumber(facts.significant_bits, kOdd, "significant_bits",
                    "the largest number of significant bits of a gradient");
  teller.TellFlag(facts.special, kCounted, "special", "a gradient is NaN or infinite",
                  "all gradients are finite");
  teller.TellFlag(facts.self_special, kDerived, "self_special", "self has NaN or an infinity",
                  "self is finite");
  teller.TellFlag(facts.sum_rounded, kDerived, "sum_rounded", "a sum has to be rounded",
                  "no sum has to be rounded");
  teller.TellFlag(facts.sum_tie, kDerived, "sum_tie", "a sum lies halfway between two values",
                  "no sum lies halfway between two values");
  teller.TellFlag(facts.sum_near_tie, kOdd, "sum_near_tie",
                  "a sum lies close to halfway between two values",
                  "no sum lies close to halfway between two values");
  teller.TellFlag(facts.alike, kDerived, "gradients_alike", "all gradients are equal",
                  "gradients differ");
  teller.TellFlag(facts.half_apart, kOdd, "coincide_half_apart",
                  "outputs half a plane apart name the same element",
                  "no outputs half a plane apart name the same element");
  teller.TellFlag(facts.sum_overflows, kDerived, "sum_overflows",
                  "finite gradients add up to an infinity",
                  "no finite gradients add up to an infinity");
  teller.TellFlag(facts.sum_subnormal, kDerived, "sum_subnormal", "a sum is subnormal",
                  "no sum is subnormal");
  teller.TellFlag(facts.tied, kDerived, "maximum_tied", "a window has its maximum more than once",
                  "no window has its maximum more than once");
  teller.TellFlag(facts.hides, kOdd, "loss_hidden",
                  "a sum may be off by as much as one of its gradients",
                  "no sum may be off by as much as one of its gradients");
  teller.TellFlag(facts.hides_moves, kOdd, "move_hidden",
                  "each element of a plane gets the same sum",
                  "elements of a plane get different sums");
  teller.TellNumber(facts.spread, kOdd, "exponents_apart",
                    "the largest difference between exponents of gradients in one sum");
}

bool SameShapes(const Call& a, const Call& b) {
  return a.op == b.op && std::equal(a.tensors.begin(), a.tensors.end(), b.tensors.begin(),
                                    [](const TensorSpec& x, const TensorSpec& y) {
                                      return x.null == y.null && x.shape == y.shape;
                                    });
}

// What there is between the calls of a case.
void TellSequence(const Case& problem, Teller& teller) {
  const CallPlan& plan = problem.plan;
  const std::int64_t runs = std::int64_t{plan.repeat} * plan.threads + plan.growth_calls;
  teller.TellNumber(Times(runs, std::ssize(problem.calls)), kDerived, "calls_made",
                    "the number of calls, repetitions included");
  bool other_type = false;
  bool shrinks = false;
  bool repeats = false;
  Number largest;  // plane before
  Number type;
  for (auto call = problem.calls.begin(); call != problem.calls.end(); ++call) {
    repeats = repeats || std::any_of(problem.calls.begin(), call,
                                     [&](const Call& before) { return SameShapes(before, *call); });
    const TensorSpec* self = OperandOf(*call, Role::kSelf);
    if (self == nullptr) continue;
    other_type = other_type || (type && *type != TypeWord(self->type));
    type = TypeWord(self->type);
    const Number plane = PlaneElements(self->shape, InfoOf(call->op).spatial_rank);
    shrinks = shrinks || Greater(largest, plane).value_or(false);
    if (plane) largest = std::max(largest.value_or(*plane), *plane);
  }
  teller.TellFlag(other_type, kDerived, "types_change", "calls of a sequence have different types",
                  "calls of a sequence have one type");
  teller.TellFlag(repeats, kDerived, "shapes_repeat", "a call has the shapes of an earlier call",
                  "no call has the shapes of an earlier call");
  teller.TellFlag(shrinks, kDerived, "planes_shrink", "a plane is smaller than in an earlier call",
                  "no plane is smaller than in an earlier call");
}

// What several members of a plan amount to.
void TellPlanTogether(const CallPlan& plan, Teller& teller) {
  teller.TellFlag(plan.null_workspace_size || plan.null_executor_out, kDerived, "out_pointer_null",
                  "phase one gets a null pointer for workspaceSize or executor",
                  "phase one gets no null pointer for workspaceSize or executor");
  bool mixed = false;
  for (int run = 0; run < plan.repeat; ++run) {
    mixed = mixed || PoisonOfRun(plan, plan.output, run) == Poison::kMixed;
  }
  teller.TellFlag(mixed, kDerived, "output_partly_zero", "gradInput is partly zero before a call",
                  "gradInput is not partly zero before any call");
}

void TellPlan(const Case& problem, Teller& teller) {
  teller.TellNumber(static_cast<std::int64_t>(problem.calls.size()), kCounted, "calls",
                    "the number of calls");
  TellSequence(problem, teller);
  for (const PlanMember& member : PlanMembers()) {
    teller.Tell(member.get(problem.plan), [&] {
      const std::string name(member.json_name);
      Circumstance row = {
          Circumstance::Kind::kNumber, name, "the plan's " + name, {}, {}, kDerived};
      if (member.kind == PlanMember::Kind::kFlag) {
        row.kind = Circumstance::Kind::kFlag;
        row.text = "the plan has " + name;
        row.negation = "the plan has no " + name;
      } else if (member.kind == PlanMember::Kind::kWord) {
        row.kind = Circumstance::Kind::kWord;
        for (const std::string_view word : member.words) row.words.emplace_back(word);
      }
      return row;
    });
  }
  TellPlanTogether(problem.plan, teller);
}

void TellAll(const Case& problem, std::size_t which, bool data, Teller& teller) {
  const Call& call = problem.calls[which];
  TellCall(call, teller);
  TellOperands(call, problem.plan, teller);
  TellWindows(call, teller);
  TellLists(call, teller);
  CellFacts facts;
  facts.unknown = !data;
  if (data) facts = CellFactsOf(call, problem.plan);
  teller.of_data = true;
  teller.missing = facts.unknown ? kNotLookedAt : kNoValue;
  TellData(facts, teller);
  teller.of_data = false;
  teller.missing = kNoValue;
  TellPlan(problem, teller);
}

std::vector<Circumstance> MakeTable() {
  std::vector<Circumstance> table;
  Teller teller(&table);
  TellAll(Case{{Call()}, {}}, 0, false, teller);
  return table;
}

}  // namespace

std::span<const Circumstance> AllCircumstances() {
  static const std::vector<Circumstance> table = MakeTable();
  return table;
}

std::size_t CircumstanceOf(std::string_view name) {
  const std::span<const Circumstance> all = AllCircumstances();
  const auto place = std::find_if(all.begin(), all.end(),
                                  [&](const Circumstance& row) { return row.name == name; });
  return static_cast<std::size_t>(place - all.begin());
}

namespace {

const std::array<std::size_t, 2>& HidingCircumstances() {
  static const std::array<std::size_t, 2> places = {CircumstanceOf("loss_hidden"),
                                                    CircumstanceOf("move_hidden")};
  return places;
}

}  // namespace

bool MayHideAFault(const CircumstanceValues& values) {
  // The first word is that nothing is looked at.
  static const std::size_t look = CircumstanceOf("look");
  if (values[look] > 0) return true;
  const auto& places = HidingCircumstances();
  return std::any_of(places.begin(), places.end(),
                     [&](std::size_t place) { return values[place] == 1; });
}

bool IsOfHiding(std::size_t circumstance) {
  const auto& places = HidingCircumstances();
  return std::find(places.begin(), places.end(), circumstance) != places.end();
}

CircumstanceValues CircumstancesOf(const Case& problem, std::size_t call, bool data) {
  Teller teller(nullptr);
  TellAll(problem, call, data, teller);
  return teller.Take();
}

}  // namespace poolproof
