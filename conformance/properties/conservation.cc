// SPDX-License-Identifier: Apache-2.0
//
// Conservation: every gradient arrives once, so that the elements of a plane of gradInput add up to
// those of the same plane of gradOutput, except for what rounding may take.
#include <cmath>

#include "conformance/judge/membership.h"
#include "conformance/properties/cells.h"
#include "conformance/properties/derive.h"
#include "conformance/properties/property_list.h"
#include "core/float_bits.h"

namespace poolproof {
namespace {

// Sum and error-free remainder (Knuth's two-sum).
struct Total {
  double high = 0;
  double low = 0;
  double magnitude = 0;
  void Add(double x) {
    const double sum = high + x;
    const double part = sum - high;
    low += (high - (sum - part)) + (x - part);
    high = sum;
    magnitude += std::fabs(x);
  }
  [[nodiscard]] double value() const { return high + low; }
};

std::optional<Case> DeriveConservation(const Case& base) {
  if (!IsPlainBackward(base)) return std::nullopt;
  return WithFollowers(base, Relation::kConservation, {});
}

std::optional<std::string> UnrelatedConservation(std::span<const CallResult> results) {
  if (!Membership::Of(results[0].call).has_value()) return "there are no planes";
  return std::nullopt;
}

Comparison CompareConservation(std::span<const CallResult> results) {
  const CallResult& result = results[0];
  const PlaneGeometry geometry = Membership::Of(result.call)->geometry();
  const auto size = static_cast<std::size_t>(geometry.PlaneSize());
  const auto outputs = static_cast<std::size_t>(geometry.OutputSize());
  const DataType type = result.call.tensor(Role::kGradInput).type;
  const std::vector<Cell> cells = CellsOf(result);
  bool informative = false;
  for (std::size_t plane = 0; plane < static_cast<std::size_t>(geometry.planes); ++plane) {
    Total in;
    for (std::size_t o = plane * outputs; o < (plane + 1) * outputs; ++o) {
      in.Add(DecodeFloat(result.data.grad_output[o], type));
    }
    Total out;
    double error = 0;
    bool any = false;
    for (std::size_t i = plane * size; i < (plane + 1) * size; ++i) {
      error += cells[i].Error();
      out.Add(cells[i].value());
      any = any || cells[i].Informative();
    }
    // Infinite: a special value, or a sum that may overflow, meets the plane.
    if (!std::isfinite(error)) continue;
    informative = informative || any;
    const double slack = ComparisonSlack(in.magnitude + out.magnitude);
    if (std::fabs((out.high - in.high) + (out.low - in.low)) <= error + slack) continue;
    const auto position = static_cast<std::int64_t>(plane * size);
    return {RelationState::kBroken,
            "the elements of plane " + std::to_string(plane) + " of gradInput add up to " +
                std::to_string(out.value()) + ", those of gradOutput to " +
                std::to_string(in.value()),
            Mismatch{position, HexBits(EncodeFloat(in.value(), type), type),
                     HexBits(EncodeFloat(out.value(), type), type), static_cast<int>(outputs)}};
  }
  if (!informative) return NothingToCompare();
  return {};
}

std::vector<std::string> ClausesConservation(const ProfileRules& rules, const Case& problem) {
  return {rules.IdOf(problem.calls.front().op, Condition::kScatter),
          rules.IdOf(problem.calls.front().op, Condition::kZero)};
}

}  // namespace

Property Conservation() {
  return {.relation = Relation::kConservation,
          .statement = "the elements of a plane of gradInput add up to those of gradOutput",
          .calls = 1,
          .derive = &DeriveConservation,
          .unrelated = &UnrelatedConservation,
          .compare = &CompareConservation,
          .clauses = &ClausesConservation};
}

}  // namespace poolproof
