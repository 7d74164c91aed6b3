// SPDX-License-Identifier: Apache-2.0
#include "conformance/result/facets.h"

#include <algorithm>
#include <array>

namespace poolproof {
namespace {

constexpr std::array<std::string_view, kFacetCount> kFacetNames = {
    "f32 values",
    "f16 values",
    "bf16 values",
    "i32 indices",
    "i64 indices",
    "a batch axis",
    "no batch axis",
    "contiguous operands",
    "non-contiguous operands",
    "a non-contiguous gradOutput",
    "a non-contiguous self",
    "non-contiguous indices",
    "a non-contiguous gradInput",
    "ceilMode off",
    "ceilMode on",
    "no padding",
    "padding",
    "dilation above 1",
    "windows of equal size",
    "windows of unequal size",
    "format ND",
    "another format than ND",
    "several batches",
    "an executor that runs again",
    "descriptors that are used again",
    "calls whose two phases alternate",
    "other calls before them",
    "contents that vary",
    "addresses that vary",
    "several host threads",
    "several streams",
    "inputs filled after phase one"};

bool AnyAbove(const std::optional<Dims>& list, std::int64_t bound) {
  return list &&
         std::any_of(list->begin(), list->end(), [=](std::int64_t value) { return value > bound; });
}

// Of adaptive windows; the trailing axes of both tensors.
bool DividesEverywhere(const Dims& self, const Dims& output, std::size_t axes) {
  if (self.size() < axes || output.size() < axes) return true;
  for (std::size_t back = 1; back <= axes; ++back) {
    const std::int64_t out = output[output.size() - back];
    if (out <= 0 || self[self.size() - back] % out != 0) return false;
  }
  return true;
}

bool Has(const OperatorInfo& info, Role role) {
  return std::find(info.tensors.begin(), info.tensors.end(), role) != info.tensors.end();
}

}  // namespace

std::string_view FacetName(Facet facet) { return kFacetNames[static_cast<std::size_t>(facet)]; }

std::optional<Condition> ConditionOf(Facet facet) {
  switch (facet) {
    case Facet::kRunAgain:
    case Facet::kDescriptorsAgain:
    case Facet::kInterleaved:
    case Facet::kBehindOthers:
    case Facet::kOtherContents:
    case Facet::kOtherAddresses:
      return Condition::kOperandsAlone;
    case Facet::kThreads:
    case Facet::kStreams:
      return Condition::kIndependentCalls;
    case Facet::kFilledLate:
      return Condition::kPhaseOne;
    default:
      return std::nullopt;
  }
}

Facets FacetsOf(const Call& call) {
  const OperatorInfo& info = InfoOf(call.op);
  const auto axes = static_cast<std::size_t>(info.spatial_rank);
  const TensorSpec& self = call.tensor(Role::kSelf);
  Facets facets = 0;
  const auto add = [&](bool holds, Facet facet) {
    if (holds) facets |= BitOf(facet);
  };
  const auto either = [&](bool holds, Facet yes, Facet no) { add(true, holds ? yes : no); };
  add(self.type == DataType::kFloat, Facet::kFloat);
  add(self.type == DataType::kFloat16, Facet::kHalf);
  add(self.type == DataType::kBf16, Facet::kBfloat);
  add(call.tensor(Role::kIndices).type == DataType::kInt32, Facet::kInt32);
  add(call.tensor(Role::kIndices).type == DataType::kInt64, Facet::kInt64);
  either(self.shape.size() == axes + 2, Facet::kBatched, Facet::kUnbatched);
  add(self.shape.size() == axes + 2 && self.shape.front() > 1, Facet::kManyBatches);
  const auto all = [&](auto holds) {
    return std::all_of(info.tensors.begin(), info.tensors.end(),
                       [&](Role role) { return holds(call.tensor(role)); });
  };
  either(all([](const TensorSpec& tensor) { return tensor.null || IsPacked(tensor); }),
         Facet::kContiguous, Facet::kView);
  const auto is_view = [&](Role role) {
    return Has(info, role) && !call.tensor(role).null && !IsPacked(call.tensor(role));
  };
  add(is_view(Role::kGradOutput), Facet::kViewGradOutput);
  add(is_view(Role::kSelf), Facet::kViewSelf);
  add(is_view(Role::kIndices), Facet::kViewIndices);
  add(is_view(Role::kGradInput), Facet::kViewGradInput);
  either(all([](const TensorSpec& tensor) { return tensor.format == Format::kNd; }),
         Facet::kFormatNd, Facet::kFormatNamed);
  if (info.windows == WindowRule::kFixed) {
    either(call.ceil_mode, Facet::kCeil, Facet::kFloor);
    either(AnyAbove(call.list(List::kPadding), 0), Facet::kPadded, Facet::kUnpadded);
    add(AnyAbove(call.list(List::kDilation), 1), Facet::kDilated);
  } else if (!info.is_forward) {
    either(DividesEverywhere(self.shape, call.tensor(Role::kGradOutput).shape, axes),
           Facet::kDivides, Facet::kUneven);
  }
  return facets;
}

Facets PlanFacetsOf(const Case& problem) {
  const CallPlan& plan = problem.plan;
  Facets facets = 0;
  const auto add = [&](bool holds, Facet facet) {
    if (holds) facets |= BitOf(facet);
  };
  add(plan.reuse_executor, Facet::kRunAgain);
  add(plan.share_descriptors, Facet::kDescriptorsAgain);
  add(plan.order != Order::kInTurn, Facet::kInterleaved);
  add(problem.calls.size() > 1, Facet::kBehindOthers);
  add(plan.vary_contents, Facet::kOtherContents);
  add(plan.shift_bytes > 0, Facet::kOtherAddresses);
  add(plan.threads > 1, Facet::kThreads);
  add(plan.streams > 1, Facet::kStreams);
  add(plan.fill_late, Facet::kFilledLate);
  return facets;
}

Facets FacetsOf(const Case& problem) {
  Facets facets = 0;
  for (const Call& call : problem.calls) facets |= FacetsOf(call);
  return facets;
}

}  // namespace poolproof
