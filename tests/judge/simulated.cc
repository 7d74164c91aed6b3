// SPDX-License-Identifier: Apache-2.0
#include "tests/judge/simulated.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "conformance/judge/legality.h"
#include "core/float_bits.h"
#include "core/shape.h"

namespace poolproof {
namespace {

using Fault = SimulatedFault;

double TowardsZero(double value, DataType type) {
  std::uint32_t bits = EncodeFloat(value, type);
  if (std::fabs(DecodeFloat(bits, type)) > std::fabs(value)) --bits;
  return DecodeFloat(bits, type);
}

double TiesAway(double value, DataType type) {
  const std::uint32_t bits = EncodeFloat(TowardsZero(value, type), type);
  const double below = DecodeFloat(bits, type);
  const double above = DecodeFloat(bits + 1, type);
  if (std::fabs(above - value) > std::fabs(value - below)) return below;
  return value == below ? below : above;
}

// At an element of its plane.
double Flushed(double value, DataType type, Fault fault, std::int64_t place) {
  if (fault != Fault::kFlushes && fault != Fault::kFlushesByPath &&
      fault != Fault::kFlushesNormals) {
    return value;
  }
  if (fault == Fault::kFlushesByPath && place / 8 % 2 == 1) return value;
  const double least = TraitsOf(type).min_normal * (fault == Fault::kFlushesNormals ? 2 : 1);
  return std::fabs(value) < least ? std::copysign(0.0, value) : value;
}

// The fault that drops gradients where the call has its feature, kNone where it has not.
Fault DropLastIf(const Call& call, Fault fault) {
  bool applies = false;
  switch (fault) {
    case Fault::kLowRankDropsLast:
      applies = static_cast<int>(call.tensor(Role::kSelf).shape.size()) ==
                InfoOf(call.op).spatial_rank + 1;
      break;
    case Fault::kTwoDimensionsDropLast:
      applies = InfoOf(call.op).spatial_rank == 2;
      break;
    case Fault::kAdaptiveDropsLast:
      applies = InfoOf(call.op).windows == WindowRule::kAdaptive;
      break;
    case Fault::kShortListsDropLast:
      applies =
          call.list(List::kKernelSize).has_value() && call.list(List::kKernelSize)->size() == 1;
      break;
    case Fault::kWideIndicesDropLast:
      applies = call.tensor(Role::kIndices).type == DataType::kInt64;
      break;
    default:
      return fault;
  }
  return applies ? Fault::kDropLast : Fault::kNone;
}

template <typename T>
std::vector<T> LoadPacked(const TensorSpec& tensor, const std::vector<std::byte>& storage) {
  const auto width = static_cast<std::size_t>(StorageBytes(tensor.type));
  const auto numel = static_cast<std::size_t>(*CheckedNumel(tensor.shape));
  std::vector<T> values(numel, 0);
  for (std::size_t i = 0; i < numel && (i + 1) * width <= storage.size(); ++i) {
    std::memcpy(&values[i], storage.data() + i * width, std::min(width, sizeof(T)));
  }
  return values;
}

struct Scatter {
  const Call& call;
  Fault fault;
  std::int64_t plane_size;
  std::int64_t outputs;
  DataType type;
};

double AddTerm(const Scatter& scatter, double sum, double term) {
  switch (scatter.fault) {
    case Fault::kAssign:
      return term;
    case Fault::kStorageSums:
    case Fault::kOtherOrders:
      return DecodeFloat(EncodeFloat(sum + term, scatter.type), scatter.type);
    default:
      return sum + term;
  }
}

void RunScatter(const Scatter& scatter, std::vector<std::uint32_t> gradients,
                std::vector<std::int64_t> indices, const CallPlan& plan, int run,
                std::vector<std::byte>& storage) {
  const TensorSpec& output = scatter.call.tensor(Role::kGradInput);
  const auto numel = static_cast<std::size_t>(*CheckedNumel(output.shape));
  std::vector<double> sums(numel, 0.0);
  const Poison poison = PoisonOfRun(plan, plan.output, run);
  const auto held = [&](std::size_t element) {
    const auto bytes = static_cast<std::size_t>(StorageBytes(scatter.type));
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < bytes; ++k) {
      bits |= std::to_integer<std::uint32_t>(PoisonByte(poison, element * bytes + k)) << (8 * k);
    }
    return DecodeFloat(bits, scatter.type);
  };
  const auto first_cell_is_zero = [&](std::size_t element) {
    const auto plane_size = static_cast<std::size_t>(scatter.plane_size);
    return held(element / plane_size * plane_size) == 0;
  };
  for (std::size_t i = 0; i < numel; ++i) {
    if (scatter.fault == Fault::kUncleared ||
        (scatter.fault == Fault::kClearSkipped && first_cell_is_zero(i))) {
      sums[i] = held(i);
    }
  }
  if (scatter.fault == Fault::kTailUncleared) sums.back() = held(numel - 1);
  if (scatter.fault == Fault::kNegativeZero) std::fill(sums.begin(), sums.end(), -0.0);
  std::vector<std::size_t> order(gradients.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const bool reverse =
      scatter.fault == Fault::kReverseOrder ||
      ((scatter.fault == Fault::kNotRepeatable || scatter.fault == Fault::kOtherOrders) &&
       run % 2 == 1);
  if (reverse) std::reverse(order.begin(), order.end());
  std::vector<bool> nan_plane(numel, false);
  for (const std::size_t i : order) {
    const auto element = static_cast<std::int64_t>(i);
    const std::int64_t plane = element / scatter.outputs;
    if (scatter.fault == Fault::kDropLast && element % scatter.outputs == scatter.outputs - 1)
      continue;
    if (scatter.fault == Fault::kFirstPlaneOnly && plane > 0) continue;
    std::int64_t index = indices[i];
    if (scatter.fault == Fault::kShifted) index = (index + 1) % scatter.plane_size;
    if (index < 0 || index >= scatter.plane_size) continue;
    double term = DecodeFloat(gradients[i], scatter.type);
    if (scatter.fault == Fault::kInfinityClamped && std::isinf(term)) {
      term = std::copysign(TraitsOf(scatter.type).max_finite, term);
    }
    if (scatter.fault == Fault::kDropsNegative && term < 0) continue;
    if (scatter.fault == Fault::kDropsSmall && std::fabs(term) < 0x1p-6) continue;
    term = Flushed(term, scatter.type, scatter.fault, index);
    double& sum = sums[static_cast<std::size_t>(plane * scatter.plane_size + index)];
    sum = scatter.fault == Fault::kNotRepeatable
              ? DecodeFloat(EncodeFloat(sum + term, scatter.type), scatter.type)
              : AddTerm(scatter, sum, term);
    if (scatter.fault == Fault::kOppositesCancel && std::isinf(term) && std::isnan(sum)) sum = 0;
    if (scatter.fault == Fault::kNanEverywhere && std::isnan(term)) {
      for (std::int64_t p = 0; p < scatter.plane_size; ++p) {
        nan_plane[static_cast<std::size_t>(plane * scatter.plane_size + p)] = true;
      }
    }
  }
  const auto width = static_cast<std::size_t>(StorageBytes(scatter.type));
  ForEachOffset(output.shape, StridesOf(output), output.offset,
                [&](std::int64_t i, std::int64_t at) {
                  double value = sums[static_cast<std::size_t>(i)];
                  if (nan_plane[static_cast<std::size_t>(i)]) value = NAN;
                  value = Flushed(value, scatter.type, scatter.fault, i % scatter.plane_size);
                  if (scatter.fault == Fault::kTiesAway) value = TiesAway(value, scatter.type);
                  if (scatter.fault == Fault::kTruncates) value = TowardsZero(value, scatter.type);
                  const std::uint32_t bits = EncodeFloat(value, scatter.type);
                  std::memcpy(storage.data() + static_cast<std::size_t>(at) * width, &bits, width);
                });
  if (scatter.fault == Fault::kWritesGap && !IsContiguousView(output)) {
    storage[static_cast<std::size_t>(output.offset) * width + width] = std::byte{0x11};
  }
  if (scatter.fault == Fault::kAddsToGap && !IsContiguousView(output)) {
    const std::size_t at = (static_cast<std::size_t>(output.offset) + 1) * width;
    std::uint32_t bits = 0;
    std::memcpy(&bits, storage.data() + at, width);
    bits = EncodeFloat(DecodeFloat(bits, scatter.type) + 1.0, scatter.type);
    std::memcpy(storage.data() + at, &bits, width);
  }
}

bool HalfPadding(const Call& call) {
  const auto attributes = ExpandAttributes(call);
  if (!attributes.has_value()) return false;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (attributes->padding[axis] > 0 &&
        attributes->padding[axis] * 2 >= attributes->kernel[axis]) {
      return true;
    }
  }
  return false;
}

bool RefusesValid(const Call& call, Fault fault) {
  switch (fault) {
    case Fault::kRefusesLowRank:
      return static_cast<int>(call.tensor(Role::kSelf).shape.size()) ==
             InfoOf(call.op).spatial_rank + 1;
    case Fault::kRefusesHalf:
      return call.tensor(Role::kSelf).type == DataType::kFloat16;
    case Fault::kRefusesEmptyStride:
      return call.list(List::kStride).has_value() && call.list(List::kStride)->empty();
    case Fault::kRefusesHalfPadding:
      return HalfPadding(call);
    default:
      return false;
  }
}

CallOutcome SimulateCall(const PreparedCase& prepared, std::size_t number, Fault fault, int run) {
  const Case& problem = prepared.problem;
  const MaterializedCall& data = prepared.data.calls[number];
  const Call& call = problem.calls[number];
  const Legality& legality = prepared.calls[number].legality;
  CallOutcome outcome;
  outcome.reached = Phase::kDone;
  outcome.workspace_size_set = true;
  outcome.executor_set = fault != Fault::kLeavesExecutor;
  outcome.phase_one_wrote = fault == Fault::kPhaseOneWrites;
  outcome.phase_one_wrote_to = "gradInput";
  const auto output_slot = static_cast<std::size_t>(Role::kGradInput);
  outcome.outputs[output_slot] = data.storage[output_slot];
  if (problem.plan.vary_contents) {
    const TensorSpec& output = call.tensor(Role::kGradInput);
    FillOutput(output.shape, output.strides, output.offset,
               static_cast<std::size_t>(StorageBytes(output.type)),
               PoisonOfRun(problem.plan, problem.plan.output, run), outcome.outputs[output_slot]);
  }
  if (legality.kind == LegalityKind::kInvalid && fault != Fault::kAcceptsEverything) {
    std::int32_t status = legality.AllowsPhaseOne(161001) ? 161001 : 161002;
    if (fault == Fault::kWrongNullCode && status == 161001) status = 161002;
    if (fault == Fault::kRefusesLate) {
      outcome.phase_one = 0;
      outcome.phase_two = status;
      outcome.synchronise = 0;
      return outcome;
    }
    outcome.phase_one = status;
    if (fault == Fault::kRefusedCallWrites) outcome.memory[output_slot].first_changed_byte = 0;
    return outcome;
  }
  if (RefusesValid(call, fault)) {
    outcome.phase_one = 161002;
    return outcome;
  }
  outcome.phase_one = 0;
  if (problem.plan.descriptors_only) return outcome;
  outcome.phase_two = 0;
  outcome.synchronise = 0;
  if (legality.kind != LegalityKind::kValid || InfoOf(call.op).is_forward) return outcome;
  if (fault == Fault::kWritesGuard) outcome.memory[output_slot].guard_after_intact = false;
  if (fault == Fault::kChangesInput) {
    outcome.memory[static_cast<std::size_t>(Role::kIndices)].first_changed_byte = 3;
  }
  const int spatial = InfoOf(call.op).spatial_rank;
  Fault effective = DropLastIf(call, fault);
  if (fault == Fault::kSecondCallWrong) effective = number > 0 ? Fault::kDropLast : Fault::kNone;
  const CallPlan& plan = problem.plan;
  if ((fault == Fault::kWrongWhenFilledLate && plan.fill_late) ||
      (fault == Fault::kWrongWhenRunAgain && plan.reuse_executor && run > 0) ||
      (fault == Fault::kWrongOnOtherStreams && plan.streams > 1 && number > 0) ||
      (fault == Fault::kWrongAmongOthers && plan.order != Order::kInTurn &&
       problem.calls.size() > 1)) {
    effective = Fault::kDropLast;
  }
  const Scatter scatter{call, effective, *PlaneElements(call.tensor(Role::kSelf).shape, spatial),
                        *PlaneElements(call.tensor(Role::kGradOutput).shape, spatial),
                        call.tensor(Role::kGradInput).type};
  std::vector<std::uint32_t> gradients = data.grad_output;
  std::vector<std::int64_t> indices = data.indices;
  if (fault == Fault::kGradOutputPacked) {
    gradients = LoadPacked<std::uint32_t>(
        call.tensor(Role::kGradOutput), data.storage[static_cast<std::size_t>(Role::kGradOutput)]);
  }
  if (fault == Fault::kIndicesPacked) {
    indices = LoadPacked<std::int64_t>(call.tensor(Role::kIndices),
                                       data.storage[static_cast<std::size_t>(Role::kIndices)]);
  }
  const int turn = fault == Fault::kOtherOrders ? static_cast<int>(number) : run;
  RunScatter(scatter, gradients, indices, problem.plan, turn, outcome.outputs[output_slot]);
  if (fault == Fault::kSelfLeaks) {
    const auto values = LoadPacked<std::uint32_t>(
        call.tensor(Role::kSelf), data.storage[static_cast<std::size_t>(Role::kSelf)]);
    const auto width = static_cast<std::size_t>(StorageBytes(scatter.type));
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!std::isnan(DecodeFloat(values[i], scatter.type))) continue;
      std::memcpy(outcome.outputs[output_slot].data() + i * width, &values[i], width);
    }
  }
  return outcome;
}

}  // namespace

Outcome Simulate(const PreparedCase& prepared, SimulatedFault fault) {
  const Case& problem = prepared.problem;
  Outcome outcome;
  if (fault == Fault::kCrashesOnHalf &&
      problem.calls.back().tensor(Role::kSelf).type == DataType::kFloat16) {
    outcome.end = End::kSignalled;
    outcome.signal = 11;
    outcome.ended_in = Phase::kPhaseTwo;
    return outcome;
  }
  for (int thread = 0; thread < problem.plan.threads; ++thread) {
    for (int run = 0; run < problem.plan.repeat; ++run) {
      for (std::size_t i = 0; i < problem.calls.size(); ++i) {
        outcome.calls.push_back(SimulateCall(prepared, i, fault, run));
      }
    }
  }
  if (fault == Fault::kGrows) outcome.process.heap_gain.fill(16384LL * problem.plan.growth_calls);
  return outcome;
}

Verdict JudgeSimulated(const JudgeContext& context, const Case& problem, SimulatedFault fault) {
  const Result<PreparedCase> prepared = Prepare(context.rules(), problem);
  if (!prepared.ok()) {
    Verdict verdict;
    verdict.kind = VerdictKind::kInconclusive;
    verdict.note = prepared.status().message();
    return verdict;
  }
  return Judge(context, *prepared, Simulate(*prepared, fault));
}

}  // namespace poolproof
