// SPDX-License-Identifier: Apache-2.0
#include "conformance/spec/condition.h"

#include <algorithm>
#include <array>

namespace poolproof {
namespace {

constexpr std::array<std::string_view, kConditionCount> kNames = {
    "null-self",
    "null-indices",
    "null-grad-output",
    "null-grad-input",
    "null-list",
    "gradient-type",
    "index-type",
    "index-type-int64",
    "double-type",
    "equal-types",
    "private-format",
    "equal-formats",
    "equal-indices-format",
    "output-shapes",
    "input-shapes",
    "rank",
    "derived-shape",
    "kernel-length",
    "kernel-value",
    "stride-length",
    "stride-value",
    "padding-length",
    "padding-negative",
    "padding-above-half",
    "dilation-length",
    "dilation-not-one",
    "platform",
    "plane-limit",
    "empty",
    "scatter",
    "accumulate",
    "zero",
    "infinity",
    "nan",
    "self-values",
    "kernel-for-all-axes",
    "stride-from-kernel",
    "stride-for-all-axes",
    "padding-up-to-half",
    "dilation-one",
    "ceil-mode",
    "padding-never-wins",
    "unbatched",
    "views",
    "gradient-types",
    "int32-indices",
    "int64-indices",
    "plane-above-limit",
    "format-nd",
    "format-ncdhw",
    "deterministic",
    "adaptive-windows",
    "special-values",
    "grad-input-type",
    "indices-view",
    "not-divisible",
    "divisible-above-limit",
    "phase-one",
    "phase-two",
    "visible-after-synchronise",
    "refusal-writes-nothing",
    "null-out-pointer",
    "independent-calls",
    "operands-alone",
    "checked-in-phase-one",
    "phase-two-alone",
    "error-text",
    "write-outside",
    "inputs-kept",
    "invalid-returns",
    "index-outside-plane",
    "workspace-overrun",
    "growth",
    "read-outside",
    "process-state",
    "example",
    "padding-above-kernel",
    "dilation-value",
    "dilation-above-one",
    "format-nchw",
    "narrow-gradient-types",
    "forward-answers",
    "forward-maximum",
    "forward-argmax",
    "forward-views",
    "forward-format-nhwc",
    "format-nhwc",
    "forward-inner-error",
};

}  // namespace

std::string_view ConditionName(Condition condition) {
  return kNames[static_cast<std::size_t>(condition)];
}

std::optional<Condition> ParseCondition(std::string_view name) {
  const auto place = std::find(kNames.begin(), kNames.end(), name);
  if (place == kNames.end()) return std::nullopt;
  return static_cast<Condition>(place - kNames.begin());
}

}  // namespace poolproof
