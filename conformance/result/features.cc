// SPDX-License-Identifier: Apache-2.0
#include "conformance/result/features.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "core/float_bits.h"

namespace poolproof {
namespace {

constexpr std::string_view kPlain = "plain";
constexpr std::array<std::string_view, 13> kFeatureNames = {
    "indices-view", "view",    "unbatched",  "i64",           "f16",  "bf16",       "other-type",
    "format",       "special", "short-list", "several-calls", "plan", "descriptors"};

bool IsView(const TensorSpec& tensor) {
  return !tensor.null && (tensor.offset != 0 || !IsPacked(tensor));
}

bool HoldsSpecial(const TensorSpec& tensor) {
  if (!IsGradientType(tensor.type)) return false;
  const auto special = [&](std::uint64_t word) {
    return !std::isfinite(DecodeFloat(static_cast<std::uint32_t>(word), tensor.type));
  };
  const Data& data = tensor.data;
  return std::any_of(data.literal.begin(), data.literal.end(), special) ||
         std::any_of(data.patches.begin(), data.patches.end(),
                     [&](const Patch& patch) { return special(patch.bits); });
}

std::uint32_t TypeFeature(DataType type) {
  switch (type) {
    case DataType::kFloat:
      return 0;
    case DataType::kFloat16:
      return kFeatureHalf;
    case DataType::kBf16:
      return kFeatureBfloat;
    default:
      return kFeatureOtherType;
  }
}

bool HasShortList(const Call& call) {
  const OperatorInfo& info = InfoOf(call.op);
  return std::any_of(info.lists.begin(), info.lists.end(), [&](List list) {
    const std::optional<Dims>& values = call.list(list);
    return values.has_value() && static_cast<int>(values->size()) < info.spatial_rank;
  });
}

}  // namespace

std::uint32_t FeaturesOf(const Case& problem) {
  const Call& call = problem.calls.front();
  const OperatorInfo& info = InfoOf(call.op);
  std::uint32_t features = 0;
  for (const Role role : info.tensors) {
    const TensorSpec& tensor = call.tensor(role);
    if (IsView(tensor)) features |= role == Role::kIndices ? kFeatureIndicesView : kFeatureView;
    if (tensor.null) continue;
    if (role == Role::kIndices) {
      if (tensor.type == DataType::kInt64) features |= kFeatureInt64;
    } else {
      features |= TypeFeature(tensor.type);
    }
    if (tensor.format != Format::kNd) features |= kFeatureFormat;
  }
  if (static_cast<int>(call.tensor(Role::kSelf).shape.size()) == info.spatial_rank + 1) {
    features |= kFeatureUnbatched;
  }
  if (!info.is_forward && HoldsSpecial(call.tensor(Role::kGradOutput))) features |= kFeatureSpecial;
  if (HasShortList(call)) features |= kFeatureShortList;
  CallPlan plan = problem.plan;
  if (problem.calls.size() > 1 || plan.repeat > 1) features |= kFeatureSeveral;
  if (plan.descriptors_only) features |= kFeatureDescriptors;
  plan.repeat = 1;
  plan.descriptors_only = false;
  plan.output = Poison::kNan;
  plan.workspace = Poison::kNan;
  if (plan != CallPlan()) features |= kFeaturePlan;
  return features;
}

std::string FeaturesText(std::uint32_t features) {
  std::string text;
  for (std::size_t i = 0; i < kFeatureNames.size(); ++i) {
    if ((features >> i & 1U) != 0)
      text += (text.empty() ? "" : "+") + std::string(kFeatureNames[i]);
  }
  return text.empty() ? std::string(kPlain) : text;
}

std::optional<std::uint32_t> ParseFeatures(std::string_view text) {
  if (text == kPlain) return 0;
  std::uint32_t features = 0;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('+', begin), text.size());
    const auto place =
        std::find(kFeatureNames.begin(), kFeatureNames.end(), text.substr(begin, end - begin));
    if (place == kFeatureNames.end()) return std::nullopt;
    features |= 1U << static_cast<std::uint32_t>(place - kFeatureNames.begin());
    begin = end + 1;
  }
  return features;
}

std::vector<Condition> ConditionsOf(Operator op, std::uint32_t features) {
  const OperatorInfo& info = InfoOf(op);
  std::vector<Condition> conditions;
  const auto add = [&](Condition condition) {
    if (std::find(conditions.begin(), conditions.end(), condition) == conditions.end()) {
      conditions.push_back(condition);
    }
  };
  if ((features & kFeatureIndicesView) != 0) add(info.indices_view);
  if ((features & kFeatureView) != 0) add(Condition::kViews);
  if ((features & kFeatureUnbatched) != 0) add(Condition::kUnbatched);
  if ((features & kFeatureInt64) != 0) add(Condition::kInt64Indices);
  for (const SupportedType& row : info.value_types) {
    if (row.by && (TypeFeature(row.type) & features) != 0) add(*row.by);
  }
  for (const SupportedFormat& row : info.formats) {
    if (row.by && row.format != Format::kNd && (features & kFeatureFormat) != 0) add(*row.by);
  }
  return conditions;
}

}  // namespace poolproof
