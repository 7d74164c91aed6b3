// SPDX-License-Identifier: Apache-2.0
#include "conformance/session/probes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "conformance/session/build_invocation.h"
#include "core/float_bits.h"

namespace poolproof {
namespace {

constexpr std::array kTypes = {DataType::kFloat, DataType::kFloat16, DataType::kBf16};

struct Probed {
  const Capabilities& capabilities;
  const AskProbe& ask;
};

// `width` on the last axis of the plane, `other` on the rest.
Dims Row(Operator op, std::int64_t width, std::int64_t other = 1) {
  Dims row(static_cast<std::size_t>(InfoOf(op).spatial_rank), other);
  row.back() = width;
  return row;
}

// Planes of one row of `width` cells, pooled by windows of `kernel` at every cell, or to `outputs`.
Call RowCall(Operator op, DataType type, std::int64_t planes, std::int64_t width,
             std::int64_t kernel, std::int64_t outputs) {
  Dims self = Row(op, width);
  self.insert(self.begin(), {1, planes});
  return MakeBackward(op, type, DataType::kInt32,
                      {.self = self,
                       .kernel = Row(op, kernel),
                       .stride = Row(op, 1),
                       .padding = Row(op, 0, 0),
                       .dilation = Row(op, 1),
                       .output = Row(op, outputs)});
}

void SetLiterals(Call& call, std::vector<std::uint64_t> gradients,
                 std::vector<std::uint64_t> indices) {
  Data& values = call.tensor(Role::kGradOutput).data;
  values = Data();
  values.kind = DataKind::kLiteral;
  values.literal = std::move(gradients);
  Data& places = call.tensor(Role::kIndices).data;
  places = Data();
  places.kind = DataKind::kLiteral;
  places.literal = std::move(indices);
}

// One row per plane, whose windows all share one element: the middle of the row, or the only one
// (adaptive). `rows` holds the gradients of each plane, equally many.
Call SharedCall(Operator op, DataType type, const std::vector<std::vector<std::uint32_t>>& rows) {
  const auto planes = static_cast<std::int64_t>(rows.size());
  const auto windows = static_cast<std::int64_t>(rows.front().size());
  const bool adaptive = InfoOf(op).windows == WindowRule::kAdaptive;
  Call call = RowCall(op, type, planes, adaptive ? 1 : 2 * windows - 1, windows, windows);
  std::vector<std::uint64_t> gradients;
  for (const std::vector<std::uint32_t>& row : rows) {
    gradients.insert(gradients.end(), row.begin(), row.end());
  }
  const std::uint64_t place = adaptive ? 0 : static_cast<std::uint64_t>(windows - 1);
  std::vector<std::uint64_t> indices(gradients.size(), place);
  SetLiterals(call, std::move(gradients), std::move(indices));
  return call;
}

// Bits of gradInput; nullopt where the call did not come to its end with zero everywhere.
std::optional<std::vector<std::uint32_t>> RunCall(const Call& call, const AskProbe& ask) {
  Case problem;
  problem.calls.push_back(call);
  const Outcome outcome = ask(problem);
  if (outcome.end != End::kReturned || outcome.calls.empty()) return std::nullopt;
  const CallOutcome& done = outcome.calls.front();
  if (done.phase_one != 0 || done.phase_two != 0 || done.synchronise != 0) return std::nullopt;
  const std::vector<std::byte>& bytes = done.outputs[static_cast<std::size_t>(Role::kGradInput)];
  const auto width = static_cast<std::size_t>(StorageBytes(call.tensor(Role::kGradInput).type));
  std::vector<std::uint32_t> bits(bytes.size() / width);
  for (std::size_t i = 0; i < bits.size(); ++i) {
    std::memcpy(&bits[i], bytes.data() + i * width, width);
  }
  return bits;
}

// By whichever index type the implementation takes.
std::optional<std::vector<std::uint32_t>> RunProbe(Call call, const Probed& probed) {
  for (const SupportedType& row : InfoOf(call.op).index_types) {
    call.tensor(Role::kIndices).type = row.type;
    Case problem;
    problem.calls.push_back(call);
    if (OutsideCapabilities(probed.capabilities, problem)) continue;
    auto bits = RunCall(call, probed.ask);
    if (bits) return bits;
  }
  return std::nullopt;
}

// The sums of the rows, each in a plane of its own; nullopt where the call observes nothing.
std::optional<std::vector<double>> SumsOf(Operator op, DataType type,
                                          const std::vector<std::vector<double>>& rows,
                                          const Probed& probed) {
  std::vector<std::vector<std::uint32_t>> bits;
  for (const std::vector<double>& row : rows) {
    bits.emplace_back();
    for (const double value : row) bits.back().push_back(EncodeFloat(value, type));
  }
  const auto result = RunProbe(SharedCall(op, type, bits), probed);
  const std::size_t windows = rows.front().size();
  const std::size_t width = InfoOf(op).windows == WindowRule::kAdaptive ? 1 : 2 * windows - 1;
  if (!result || result->size() != rows.size() * width) return std::nullopt;
  std::vector<double> sums;
  for (std::size_t plane = 0; plane < rows.size(); ++plane) {
    sums.push_back(DecodeFloat((*result)[plane * width + (width - 1) / 2], type));
  }
  return sums;
}

// 2^p + 1 + 1 with p bits of significand: an accumulator of the storage type loses a one at each
// step that meets 2^p, a wider one keeps both. The large term takes each place in turn, so that no
// order of summation hides the difference.
std::string AccumulationAnswer(Operator op, DataType type, const Probed& probed) {
  const double large = std::ldexp(1.0, TraitsOf(type).precision);
  const auto sums = SumsOf(op, type, {{large, 1, 1}, {1, large, 1}, {1, 1, large}}, probed);
  if (!sums) return "";
  bool lost = false;
  for (const double sum : *sums) {
    if (sum != large && sum != large + 2) return "other";
    if (sum == large) lost = true;
  }
  if (lost) return "acc-storage";
  return type == DataType::kFloat ? "wider" : "acc32";
}

// A large and a small number so far apart that no accumulator of a fixed width holds both, where
// the type reaches that far; FLOAT16 does not, and FLOAT32 is what it is tried against.
struct FarApart {
  double large;
  double small;
};
FarApart FarApartIn(DataType type) {
  return type == DataType::kFloat16 ? FarApart{0x1p15, 0x1p-14} : FarApart{0x1p100, 1.0};
}

// Large, small and -large in all orders leave the small one only where sums are rounded once.
bool RoundsOnce(Operator op, DataType type, const Probed& probed) {
  const auto [m, x] = FarApartIn(type);
  const auto sums = SumsOf(
      op, type, {{m, x, -m}, {m, -m, x}, {x, m, -m}, {x, -m, m}, {-m, x, m}, {-m, m, x}}, probed);
  return sums && std::all_of(sums->begin(), sums->end(), [x = x](double sum) { return sum == x; });
}

// Sums of two at and beside the middle between neighbours, with both signs and in both places.
std::string RoundingAnswer(Operator op, DataType type, const Probed& probed) {
  const double ulp = std::ldexp(1.0, 1 - TraitsOf(type).precision);
  std::vector<std::vector<double>> rows;
  // Below: 1, whose significand is even, and 1 + ulp, whose is odd.
  for (const double sign : {1.0, -1.0}) {
    for (const double base : {1.0, 1.0 + ulp}) {
      for (const double part : {0.5, 0.75}) {
        rows.push_back({sign * base, sign * part * ulp});
        rows.push_back({sign * part * ulp, sign * base});
      }
    }
  }
  const auto sums = SumsOf(op, type, rows, probed);
  const auto again = SumsOf(op, type, rows, probed);
  if (!sums || !again) return "";
  if (*sums != *again) return "varies";
  const auto all = [&](auto rounded) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if ((*sums)[i] != rounded(rows[i][0] + rows[i][1])) return false;
    }
    return true;
  };
  if (all([&](double x) { return DecodeFloat(EncodeFloat(x, type), type); })) return "nearest-even";
  if (all([&](double x) { return std::copysign(std::floor(std::fabs(x) / ulp + 0.5) * ulp, x); })) {
    return "nearest-away";
  }
  if (all([&](double x) { return std::trunc(x / ulp) * ulp; })) return "toward-zero";
  if (all([&](double x) { return std::floor(x / ulp) * ulp; })) return "downward";
  if (all([&](double x) { return std::ceil(x / ulp) * ulp; })) return "upward";
  return "other";
}

// How many terms share the least subtree that holds both i and j, for an order of summation that a
// word names.
std::int64_t Ascending(std::size_t, std::size_t j, std::size_t) {
  return static_cast<std::int64_t>(j) + 1;
}
std::int64_t Descending(std::size_t i, std::size_t, std::size_t n) {
  return static_cast<std::int64_t>(n - i);
}
// Neighbours first, then pairs of neighbours.
std::int64_t Pairwise(std::size_t i, std::size_t j, std::size_t) {
  return std::int64_t{1} << std::bit_width(i ^ j);
}
// Halves first: i and i + n/2, then those a quarter apart.
std::int64_t Halving(std::size_t i, std::size_t j, std::size_t n) {
  return static_cast<std::int64_t>(n >> std::countr_zero(i ^ j));
}

// M and -M among small terms: what was added to M before -M came is lost, so that the sum counts
// the terms outside the least subtree with both. All pairs of places tell the tree.
std::string OrderAnswer(Operator op, DataType type, const Probed& probed) {
  constexpr std::size_t kTerms = 16;
  const FarApart terms = FarApartIn(type);
  std::vector<std::vector<double>> rows;
  for (std::size_t i = 0; i < kTerms; ++i) {
    for (std::size_t j = i + 1; j < kTerms; ++j) {
      rows.emplace_back(kTerms, terms.small);
      rows.back()[i] = terms.large;
      rows.back()[j] = -terms.large;
    }
  }
  const auto sums = SumsOf(op, type, rows, probed);
  const auto again = SumsOf(op, type, rows, probed);
  if (!sums || !again) return "";
  if (*sums != *again) return "varies";
  const auto matches = [&](auto subtree) {
    std::size_t row = 0;
    for (std::size_t i = 0; i < kTerms; ++i) {
      for (std::size_t j = i + 1; j < kTerms; ++j) {
        const std::int64_t outside = static_cast<std::int64_t>(kTerms) - subtree(i, j, kTerms);
        if ((*sums)[row++] != static_cast<double>(outside) * terms.small) return false;
      }
    }
    return true;
  };
  // Nothing is lost: the accumulator is too wide for its order to show.
  if (matches([](std::size_t, std::size_t, std::size_t) { return std::int64_t{2}; })) {
    return "hidden";
  }
  if (matches(&Ascending)) return "ascending";
  if (matches(&Descending)) return "descending";
  if (matches(&Pairwise)) return "pairwise";
  if (matches(&Halving)) return "halving";
  return "other";
}

}  // namespace

ProbeResults ProbeArithmetic(const Capabilities& capabilities, Worker& worker) {
  return ProbeArithmetic(capabilities, [&](const Case& problem) {
    Outcome none;
    none.end = End::kHarness;
    if (!worker.alive()) return none;
    const Result<Materialized> data = Materialize(problem);
    return data.ok() ? worker.Run(BuildInvocation(problem, *data)) : none;
  });
}

ProbeResults ProbeArithmetic(const Capabilities& capabilities, const AskProbe& ask) {
  const Probed probed{capabilities, ask};
  ProbeResults results;
  for (const DataType type : kTypes) {
    for (const Operator op : BackwardOperators()) {
      if (!capabilities.Has(op)) continue;
      const std::vector<DataType> missing = capabilities.MissingTypes(op);
      if (std::find(missing.begin(), missing.end(), type) != missing.end()) continue;
      const std::string key = std::string(InfoOf(op).name) + "." + DataTypeName(type);
      const std::string accumulation = AccumulationAnswer(op, type, probed);
      if (!accumulation.empty()) results.observed.emplace_back("accumulation." + key, accumulation);
      const std::string order = OrderAnswer(op, type, probed);
      if (!order.empty()) results.observed.emplace_back("order." + key, order);
      const std::string rounding = RoundingAnswer(op, type, probed);
      if (!rounding.empty()) results.observed.emplace_back("rounding." + key, rounding);
      SumProbe probe{op, type, accumulation, RoundsOnce(op, type, probed)};
      results.sums.push_back(std::move(probe));
    }
  }
  return results;
}

}  // namespace poolproof
