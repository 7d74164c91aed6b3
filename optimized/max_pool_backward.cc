// SPDX-License-Identifier: Apache-2.0
#include "optimized/max_pool_backward.h"

#include <cstring>
#include <mutex>
#include <vector>

#include "optimized/element_types.h"

namespace poolproof {
namespace {

struct Problem {
  explicit Problem(const BackwardArgs& a)
      : args(a), grad_output(a.grad_output), indices(a.indices), grad_input(a.grad_input) {}
  const BackwardArgs& args;
  PlaneLayout grad_output;
  PlaneLayout indices;
  PlaneLayout grad_input;
};

// Adds the gradients of one plane to `add(index, gradient)`; the position of the first index that
// lies outside, or -1. Each index is read once: memory that changes meanwhile can not get past the
// test.
template <typename Float, typename Index, typename Add>
std::int64_t Scatter(const Problem& problem, std::int64_t plane, const Add& add, Index& bad) {
  const void* gradients = problem.args.grad_output.data;
  const void* indices = problem.args.indices.data;
  const std::int64_t count = problem.grad_output.size();
  const auto inputs = static_cast<std::uint64_t>(problem.grad_input.size());
  const std::int64_t gradient_start = problem.grad_output.Start(plane);
  const std::int64_t index_start = problem.indices.Start(plane);
  if (problem.grad_output.contiguous() && problem.indices.contiguous()) {
    for (std::int64_t i = 0; i < count; ++i) {
      const auto index = LoadElement<Index>(indices, index_start + i);
      if (static_cast<std::uint64_t>(index) >= inputs) {
        bad = index;
        return i;
      }
      add(index, Float::Decode(LoadElement<typename Float::Bits>(gradients, gradient_start + i)));
    }
    return -1;
  }
  PlaneWalk gradient(problem.grad_output, gradient_start);
  PlaneWalk index_walk(problem.indices, index_start);
  for (std::int64_t i = 0; i < count; ++i, gradient.Advance(), index_walk.Advance()) {
    const auto index = LoadElement<Index>(indices, index_walk.element());
    if (static_cast<std::uint64_t>(index) >= inputs) {
      bad = index;
      return i;
    }
    add(index, Float::Decode(LoadElement<typename Float::Bits>(gradients, gradient.element())));
  }
  return -1;
}

template <typename Float>
void Store(const Problem& problem, std::int64_t plane, const std::vector<float>& sum) {
  void* data = problem.args.grad_input.data;
  const std::int64_t start = problem.grad_input.Start(plane);
  if (problem.grad_input.contiguous()) {
    for (std::size_t i = 0; i < sum.size(); ++i) {
      StoreElement(data, start + static_cast<std::int64_t>(i), Float::Encode(sum[i]));
    }
    return;
  }
  PlaneWalk walk(problem.grad_input, start);
  for (const float value : sum) {
    StoreElement(data, walk.element(), Float::Encode(value));
    walk.Advance();
  }
}

template <typename Float, typename Index>
std::optional<BadIndex> Run(const Problem& problem, const Parallelism& parallelism) {
  const std::int64_t planes = problem.args.grad_input.shape[0] * problem.args.grad_input.shape[1];
  const std::int64_t outputs = problem.grad_output.size();
  const std::int64_t inputs = problem.grad_input.size();
  // A plane of floats without gaps is its own accumulator.
  const bool in_place =
      problem.args.grad_input.type == DataType::kFloat && problem.grad_input.contiguous();
  std::mutex mutex;
  std::optional<BadIndex> first;
  const auto report = [&](std::int64_t position, Index index) {
    const std::lock_guard lock(mutex);
    if (!first.has_value() || position < first->position) {
      first = BadIndex{position, static_cast<std::int64_t>(index), inputs};
    }
  };
  ParallelFor(planes, outputs + inputs, parallelism, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> sum(in_place ? 0 : static_cast<std::size_t>(inputs));
    for (std::int64_t plane = begin; plane < end; ++plane) {
      Index bad = 0;
      std::int64_t position = -1;
      if (in_place) {
        auto* data = static_cast<std::byte*>(problem.args.grad_input.data) +
                     problem.grad_input.Start(plane) * std::int64_t{sizeof(float)};
        std::memset(data, 0, static_cast<std::size_t>(inputs) * sizeof(float));
        position = Scatter<Float, Index>(
            problem, plane,
            [data](std::int64_t index, float gradient) {
              StoreElement(data, index, LoadElement<float>(data, index) + gradient);
            },
            bad);
      } else {
        std::fill(sum.begin(), sum.end(), 0.0F);
        position = Scatter<Float, Index>(
            problem, plane,
            [&sum](std::int64_t index, float gradient) {
              sum[static_cast<std::size_t>(index)] += gradient;
            },
            bad);
        if (position < 0) Store<Float>(problem, plane, sum);
      }
      if (position >= 0) report(plane * outputs + position, bad);
    }
  });
  return first;
}

template <typename Float>
std::optional<BadIndex> RunIndexed(const Problem& problem, const Parallelism& parallelism) {
  if (problem.args.indices.type == DataType::kInt64) {
    return Run<Float, std::int64_t>(problem, parallelism);
  }
  return Run<Float, std::int32_t>(problem, parallelism);
}

}  // namespace

std::optional<BadIndex> OptimizedMaxPoolBackward(const BackwardArgs& args,
                                                 const Parallelism& parallelism) {
  const Problem problem(args);
  switch (args.grad_input.type) {
    case DataType::kFloat16:
      return RunIndexed<Fp16>(problem, parallelism);
    case DataType::kBf16:
      return RunIndexed<Bf16>(problem, parallelism);
    default:
      return RunIndexed<Fp32>(problem, parallelism);
  }
}

}  // namespace poolproof
