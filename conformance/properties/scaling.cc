// SPDX-License-Identifier: Apache-2.0
//
// Scaling: gradients times a power of two give gradInput times that power. Nothing rounds in the
// scaling, so that where the law allows one result only, it must hold to the bit.
#include <cmath>

#include "conformance/properties/cells.h"
#include "conformance/properties/derive.h"
#include "conformance/properties/property_list.h"
#include "core/float_bits.h"

namespace poolproof {
namespace {

bool IsSpecial(std::uint32_t bits, DataType type) {
  return IsNanBits(bits, type) || IsInfinityBits(bits, type) || IsZeroBits(bits, type);
}

// The elements times 2^exponent; nullopt where one of them would round or overflow.
std::optional<std::vector<std::uint32_t>> Scaled(std::span<const std::uint32_t> values,
                                                 DataType type, int exponent) {
  std::vector<std::uint32_t> scaled;
  for (const std::uint32_t bits : values) {
    const double wanted = std::ldexp(DecodeFloat(bits, type), exponent);
    scaled.push_back(IsSpecial(bits, type) ? bits : EncodeFloat(wanted, type));
    if (!IsSpecial(bits, type) && DecodeFloat(scaled.back(), type) != wanted) return std::nullopt;
  }
  return scaled;
}

std::optional<Case> DeriveScaling(const Case& base) {
  if (!IsPlainBackward(base)) return std::nullopt;
  const std::optional<Call> written = WithLiteralData(base.calls.front(), base.plan, kMaxWritten);
  if (!written.has_value()) return std::nullopt;
  const TensorSpec& gradients = written->tensor(Role::kGradOutput);
  const std::vector<std::uint32_t> values(gradients.data.literal.begin(),
                                          gradients.data.literal.end());
  // Downwards first: it cannot overflow.
  for (const int exponent : {-5, 5, -1, 1}) {
    const auto scaled = Scaled(values, gradients.type, exponent);
    if (!scaled.has_value() || *scaled == values) continue;
    Call follower = base.calls.front();
    TensorSpec& tensor = follower.tensor(Role::kGradOutput);
    if (!IsInjective(tensor.shape, StridesOf(tensor))) MakeContiguous(tensor);
    WriteValues(tensor, *scaled);
    return WithFollowers(base, Relation::kScaling, {std::move(follower)});
  }
  return std::nullopt;
}

// The power between the gradients of the calls, by their first ordinary elements.
std::optional<int> ExponentOf(std::span<const CallResult> results) {
  const DataType type = results[0].call.tensor(Role::kGradOutput).type;
  for (std::size_t i = 0; i < results[0].data.grad_output.size(); ++i) {
    const std::uint32_t from = results[0].data.grad_output[i];
    const std::uint32_t to = results[1].data.grad_output[i];
    if (IsSpecial(from, type) || IsSpecial(to, type)) continue;
    int exponent = 0;
    const double ratio = DecodeFloat(to, type) / DecodeFloat(from, type);
    if (std::frexp(ratio, &exponent) != 0.5) return std::nullopt;
    return exponent - 1;
  }
  return std::nullopt;
}

std::optional<std::string> UnrelatedScaling(std::span<const CallResult> results) {
  const Call& a = results[0].call;
  const Call& b = results[1].call;
  const DataType type = a.tensor(Role::kGradOutput).type;
  if (a.op != b.op || results[0].data.indices != results[1].data.indices ||
      a.tensor(Role::kSelf).shape != b.tensor(Role::kSelf).shape ||
      a.tensor(Role::kGradOutput).shape != b.tensor(Role::kGradOutput).shape ||
      b.tensor(Role::kGradOutput).type != type) {
    return "the calls differ in more than their gradients";
  }
  const std::optional<int> exponent = ExponentOf(results);
  if (!exponent.has_value() ||
      Scaled(results[0].data.grad_output, type, *exponent) != results[1].data.grad_output) {
    return "the gradients of call 2 are not those of call 1 times a power of two";
  }
  return std::nullopt;
}

Comparison CompareScaling(std::span<const CallResult> results) {
  const int exponent = ExponentOf(results).value_or(0);
  const std::vector<Cell> plain = CellsOf(results[0]);
  const std::vector<Cell> scaled = CellsOf(results[1]);
  bool informative = false;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const double error = std::ldexp(plain[i].Error(), exponent) + scaled[i].Error();
    if (!std::isfinite(error)) continue;
    informative = informative || plain[i].Informative();
    const double wanted = std::ldexp(plain[i].value(), exponent);
    const bool exact = plain[i].Determined() && scaled[i].Determined();
    const double allowed =
        exact ? 0 : error + ComparisonSlack(std::fabs(wanted) + std::fabs(scaled[i].value()));
    if (std::fabs(scaled[i].value() - wanted) <= allowed) continue;
    const auto position = static_cast<std::int64_t>(i);
    const DataType type = plain[i].rule.type;
    return Broken(CellText(results[1], scaled[i], position) + " in call 2, and " +
                      HexBits(plain[i].bits, type) + " in call 1, whose gradients times 2^" +
                      std::to_string(exponent) + " are those of call 2",
                  scaled[i], position, HexBits(EncodeFloat(wanted, type), type));
  }
  if (!informative) return NothingToCompare();
  return {};
}

std::vector<std::string> ClausesScaling(const ProfileRules& rules, const Case& problem) {
  return {rules.IdOf(problem.calls.front().op, Condition::kScatter),
          rules.IdOf(problem.calls.front().op, Condition::kAccumulate)};
}

}  // namespace

Property Scaling() {
  return {.relation = Relation::kScaling,
          .statement = "gradients times a power of two give gradInput times that power",
          .calls = 2,
          .derive = &DeriveScaling,
          .unrelated = &UnrelatedScaling,
          .compare = &CompareScaling,
          .clauses = &ClausesScaling};
}

}  // namespace poolproof
