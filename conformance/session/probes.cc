// SPDX-License-Identifier: Apache-2.0
#include "conformance/session/probes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "conformance/session/build_invocation.h"
#include "core/float_bits.h"

namespace poolproof {
namespace {

constexpr std::array kTypes = {DataType::kFloat, DataType::kFloat16, DataType::kBf16};
constexpr std::array kBackwards = {Operator::kMaxPool3dWithArgmaxBackward,
                                   Operator::kAdaptiveMaxPool3dBackward,
                                   Operator::kAdaptiveMaxPool2dBackward};

Dims PlaneRow(Operator op, std::int64_t width) {
  return InfoOf(op).spatial_rank == 3 ? Dims{1, 1, 1, 1, width} : Dims{1, 1, 1, width};
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

// One window per element of a row: each gradient arrives alone.
Call IdentityCall(Operator op, DataType type, const std::vector<std::uint64_t>& gradients) {
  const auto width = static_cast<std::int64_t>(gradients.size());
  Call call =
      InfoOf(op).is_adaptive
          ? MakeAdaptiveBackward(op, type, DataType::kInt32, PlaneRow(op, width),
                                 InfoOf(op).spatial_rank == 3 ? Dims{1, 1, width} : Dims{1, width})
          : MakeFixedBackward(type, DataType::kInt32, PlaneRow(op, width), {1, 1, 1}, {1, 1, 1},
                              {0, 0, 0}, {1, 1, 1}, false);
  std::vector<std::uint64_t> indices(gradients.size());
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = i;
  SetLiterals(call, gradients, indices);
  return call;
}

// Three windows that share one element: position 2 of five, or the only one (adaptive).
Call MergingCall(Operator op, DataType type, const std::vector<std::uint64_t>& gradients) {
  const bool adaptive = InfoOf(op).is_adaptive;
  Call call = adaptive
                  ? MakeAdaptiveBackward(op, type, DataType::kInt32, PlaneRow(op, 1),
                                         InfoOf(op).spatial_rank == 3 ? Dims{1, 1, 3} : Dims{1, 3})
                  : MakeFixedBackward(type, DataType::kInt32, PlaneRow(op, 5), {1, 1, 3}, {1, 1, 1},
                                      {0, 0, 0}, {1, 1, 1}, false);
  const std::uint64_t place = adaptive ? 0 : 2;
  SetLiterals(call, gradients, {place, place, place});
  return call;
}

// Bits of gradInput; nullopt where the call did not come to its end with zero everywhere.
std::optional<std::vector<std::uint32_t>> RunProbe(const Call& call, Worker& worker) {
  if (!worker.alive()) return std::nullopt;
  Case problem;
  problem.calls.push_back(call);
  const Result<Materialized> data = Materialize(problem);
  if (!data.ok()) return std::nullopt;
  const Outcome outcome = worker.Run(BuildInvocation(problem, *data));
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

std::string SubnormalAnswer(Operator op, DataType type, Worker& worker) {
  const FloatTraits& traits = TraitsOf(type);
  std::vector<std::uint64_t> gradients;
  for (const double value : {traits.min_subnormal, -traits.min_subnormal, traits.min_normal / 2,
                             -(traits.min_normal - traits.min_subnormal)}) {
    gradients.push_back(EncodeFloat(value, type));
  }
  const auto bits = RunProbe(IdentityCall(op, type, gradients), worker);
  if (!bits || bits->size() != gradients.size()) return "";
  std::size_t kept = 0;
  std::size_t flushed = 0;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if ((*bits)[i] == gradients[i]) ++kept;
    if (DecodeFloat((*bits)[i], type) == 0) ++flushed;
  }
  if (kept == gradients.size()) return "kept";
  return flushed == gradients.size() ? "flushed" : "mixed";
}

// 2^p + 1 + 1 with p bits of significand: an accumulator of the storage type loses a one at each
// step that meets 2^p, a wider one keeps both. The large term takes each place in turn, so that no
// order of summation hides the difference.
std::string AccumulationAnswer(Operator op, DataType type, Worker& worker) {
  const double large = std::ldexp(1.0, TraitsOf(type).precision);
  const std::uint64_t one = EncodeFloat(1.0, type);
  const std::size_t cell = InfoOf(op).is_adaptive ? 0 : 2;
  bool lost = false;
  for (std::size_t place = 0; place < 3; ++place) {
    std::vector<std::uint64_t> gradients(3, one);
    gradients[place] = EncodeFloat(large, type);
    const auto bits = RunProbe(MergingCall(op, type, gradients), worker);
    if (!bits || bits->size() <= cell) return "";
    const double sum = DecodeFloat((*bits)[cell], type);
    if (sum != large && sum != large + 2) return "other";
    if (sum == large) lost = true;
  }
  if (lost) return "acc-storage";
  return type == DataType::kFloat ? "wider" : "acc32";
}

}  // namespace

ProbeResults ProbeArithmetic(const Offer& offer, Worker& worker) {
  ProbeResults results;
  const std::vector<DataType> missing = offer.MissingGradientTypes();
  for (const DataType type : kTypes) {
    if (std::find(missing.begin(), missing.end(), type) != missing.end()) continue;
    for (const Operator op : kBackwards) {
      if (!offer.Has(op)) continue;
      const std::string key = std::string(InfoOf(op).name) + "." + DataTypeName(type);
      const std::string subnormals = SubnormalAnswer(op, type, worker);
      if (!subnormals.empty()) results.observed.emplace_back("subnormals." + key, subnormals);
      if (subnormals == "flushed") results.flushes_subnormals = true;
      const std::string accumulation = AccumulationAnswer(op, type, worker);
      if (!accumulation.empty()) results.observed.emplace_back("accumulation." + key, accumulation);
    }
  }
  return results;
}

}  // namespace poolproof
