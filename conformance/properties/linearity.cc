// SPDX-License-Identifier: Apache-2.0
//
// Linearity: gradInput of a sum of gradients is the sum of the gradInputs. Every gradient is split
// in two that add up to it without rounding: the upper and the lower half of its significand, or
// its double and its negative.
#include <cmath>

#include "conformance/properties/cells.h"
#include "conformance/properties/derive.h"
#include "conformance/properties/property_list.h"
#include "core/float_bits.h"

namespace poolproof {
namespace {

std::uint32_t UpperHalf(std::uint32_t bits, DataType type) {
  return bits & ~((1U << (TraitsOf(type).precision / 2)) - 1U);
}

// Both calls see every magnitude and sign.
void Split(std::span<const std::uint32_t> whole, DataType type, std::vector<std::uint32_t>& first,
           std::vector<std::uint32_t>& second) {
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const double value = DecodeFloat(whole[i], type);
    std::uint32_t a = whole[i];
    std::uint32_t b = 0;
    if (i % 3 == 0 && std::fabs(value) < TraitsOf(type).max_finite / 2) {
      a = EncodeFloat(2 * value, type);
      b = EncodeFloat(-value, type);
    } else if (std::isfinite(value)) {
      a = UpperHalf(whole[i], type);
      b = EncodeFloat(value - DecodeFloat(a, type), type);
    }
    first.push_back(i % 2 == 0 ? a : b);
    second.push_back(i % 2 == 0 ? b : a);
  }
}

std::optional<Case> DeriveLinearity(const Case& base) {
  if (!IsPlainBackward(base)) return std::nullopt;
  const std::optional<Call> written = WithLiteralData(base.calls.front(), base.plan, kMaxWritten);
  if (!written.has_value()) return std::nullopt;
  const TensorSpec& whole = written->tensor(Role::kGradOutput);
  const std::vector<std::uint32_t> values(whole.data.literal.begin(), whole.data.literal.end());
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> second;
  Split(values, whole.type, first, second);
  std::vector<Call> parts(2, base.calls.front());
  for (Call& part : parts) {
    // Recipes of the indices stay: they do not depend on gradients.
    TensorSpec& gradients = part.tensor(Role::kGradOutput);
    if (!IsInjective(gradients.shape, StridesOf(gradients))) MakeContiguous(gradients);
    WriteValues(gradients, &part == &parts.front() ? first : second);
  }
  return WithFollowers(base, Relation::kLinearity, std::move(parts));
}

bool AddsUp(std::uint32_t whole, std::uint32_t a, std::uint32_t b, DataType type) {
  if (IsNanBits(whole, type) || IsInfinityBits(whole, type)) {
    return SameBits(whole, a, type) || SameBits(whole, b, type);
  }
  const double x = DecodeFloat(a, type);
  const double y = DecodeFloat(b, type);
  const double sum = x + y;
  return sum == DecodeFloat(whole, type) && sum - x == y;
}

std::optional<std::string> UnrelatedLinearity(std::span<const CallResult> results) {
  const CallResult& whole = results[0];
  const DataType type = whole.call.tensor(Role::kGradOutput).type;
  for (const CallResult& part : results.subspan(1)) {
    if (part.call.op != whole.call.op || part.data.indices != whole.data.indices ||
        part.call.tensor(Role::kSelf).shape != whole.call.tensor(Role::kSelf).shape ||
        part.call.tensor(Role::kGradOutput).shape != whole.call.tensor(Role::kGradOutput).shape ||
        part.call.tensor(Role::kGradOutput).type != type) {
      return "the calls differ in more than their gradients";
    }
  }
  for (std::size_t i = 0; i < whole.data.grad_output.size(); ++i) {
    if (!AddsUp(whole.data.grad_output[i], results[1].data.grad_output[i],
                results[2].data.grad_output[i], type)) {
      return "the gradients of calls 2 and 3 do not add up to those of call 1";
    }
  }
  return std::nullopt;
}

Comparison CompareLinearity(std::span<const CallResult> results) {
  const std::vector<Cell> whole = CellsOf(results[0]);
  const std::vector<Cell> first = CellsOf(results[1]);
  const std::vector<Cell> second = CellsOf(results[2]);
  bool informative = false;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const double error = whole[i].Error() + first[i].Error() + second[i].Error();
    if (!std::isfinite(error)) continue;
    informative = informative || whole[i].Informative();
    const double sum = first[i].value() + second[i].value();
    const double slack = ComparisonSlack(std::fabs(whole[i].value()) + std::fabs(first[i].value()) +
                                         std::fabs(second[i].value()));
    if (std::fabs(whole[i].value() - sum) <= error + slack) continue;
    const auto position = static_cast<std::int64_t>(i);
    const DataType type = whole[i].rule.type;
    return Broken(CellText(results[0], whole[i], position) + " in call 1, and " +
                      HexBits(first[i].bits, type) + " and " + HexBits(second[i].bits, type) +
                      " for the two parts of its gradients",
                  whole[i], position, HexBits(EncodeFloat(sum, type), type));
  }
  if (!informative) return NothingToCompare();
  return {};
}

std::vector<std::string> ClausesLinearity(const ProfileRules& rules, const Case& problem) {
  return {rules.IdOf(problem.calls.front().op, Condition::kScatter),
          rules.IdOf(problem.calls.front().op, Condition::kAccumulate)};
}

}  // namespace

Property Linearity() {
  return {.relation = Relation::kLinearity,
          .statement = "gradInput of a sum of gradients is the sum of the gradInputs",
          .calls = 3,
          .derive = &DeriveLinearity,
          .unrelated = &UnrelatedLinearity,
          .compare = &CompareLinearity,
          .clauses = &ClausesLinearity};
}

}  // namespace poolproof
