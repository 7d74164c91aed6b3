// SPDX-License-Identifier: Apache-2.0
#include "optimized/max_pool_backward.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <vector>

#include "optimized/backward_tiles.h"
#include "optimized/element_types.h"
#include "optimized/float_environment.h"
#include "optimized/tier_operands.h"

namespace poolproof {
namespace {

// --- Any indices: a plane is zeroed and summed where it lies, or in floats of its own ------------

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

// The planes of `planes`, ascending; the first bad index among them.
template <typename Float, typename Index>
std::optional<BadIndex> SumPlanes(const Problem& problem, const std::vector<std::int64_t>& planes,
                                  const Parallelism& parallelism) {
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
  const auto sum_planes = [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> sum(in_place ? 0 : static_cast<std::size_t>(inputs));
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t plane = planes[static_cast<std::size_t>(i)];
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
  };
  ParallelFor(std::ssize(planes), outputs + inputs, parallelism, sum_planes);
  return first;
}

template <typename Float>
std::optional<BadIndex> SumPlanesIndexed(const Problem& problem,
                                         const std::vector<std::int64_t>& planes,
                                         const Parallelism& parallelism) {
  if (problem.args.indices.type == DataType::kInt64) {
    return SumPlanes<Float, std::int64_t>(problem, planes, parallelism);
  }
  return SumPlanes<Float, std::int32_t>(problem, planes, parallelism);
}

std::optional<BadIndex> SumPlanesOf(const BackwardArgs& args,
                                    const std::vector<std::int64_t>& planes,
                                    const Parallelism& parallelism) {
  const Problem problem(args);
  switch (args.grad_input.type) {
    case DataType::kFloat16:
      return SumPlanesIndexed<Fp16>(problem, planes, parallelism);
    case DataType::kBf16:
      return SumPlanesIndexed<Bf16>(problem, planes, parallelism);
    default:
      return SumPlanesIndexed<Fp32>(problem, planes, parallelism);
  }
}

// --- Indices that keep to their windows ----------------------------------------------------------

PlaneExtents ExtentsOf(const Dims& shape) { return {shape[2], shape[3], shape[4]}; }

// Scratch of one thread.
class Scratch {
 public:
  Scratch(const BackwardJob& job, bool with_ring)
      : block_((std::min(job.block_outputs, job.outputs) + 32 + 15) / 16 * 16),
        memory_(2 * block_ + (with_ring ? job.ring_elements : 0)),
        scratch_{memory_.data() + 2 * block_, reinterpret_cast<std::uint32_t*>(memory_.data()),
                 memory_.data() + block_} {}
  [[nodiscard]] const BackwardScratch& get() const { return scratch_; }

 private:
  std::int64_t block_;
  AlignedFloats memory_;
  BackwardScratch scratch_;
};

constexpr std::int64_t kLineBytes = 64;

enum class Form { kInPlace, kScatterAdd, kScatterStore, kUnpool, kNone };

class Backward {
 public:
  Backward(const BackwardArgs& args, const Tuning& tuning)
      : args_(args), tuning_(tuning), tier_(tuning.tier != nullptr ? *tuning.tier : DefaultTier()) {
    job_.grad_output = TierTensor(args.grad_output);
    job_.indices = TierTensor(args.indices);
    job_.grad_input = TierTensor(args.grad_input);
    job_.storage = StorageOf(args.grad_input.type);
    job_.wide_indices = args.indices.type == DataType::kInt64;
    const PlaneExtents inputs = ExtentsOf(args.grad_input.shape);
    const PlaneExtents outputs = ExtentsOf(args.grad_output.shape);
    job_.inputs = inputs[0] * inputs[1] * inputs[2];
    job_.outputs = outputs[0] * outputs[1] * outputs[2];
    planes_ = args.grad_input.shape[0] * args.grad_input.shape[1];
    job_.block_outputs = std::max<std::int64_t>(tuning.block_outputs, 1);
    job_.prefetch_bytes = tuning.prefetch_bytes;
    job_.sparse = job_.inputs / std::max<std::int64_t>(job_.outputs, 1) >= tuning_.sparse_inputs;
    job_.tile_count = 1;
    form_ = ChooseForm(inputs, outputs);
  }

  std::optional<BadIndex> Run() {
    const DefaultFloatEnvironment environment;
    std::vector<unsigned char> needs_fallback(static_cast<std::size_t>(planes_),
                                              form_ == Form::kNone);
    if (form_ != Form::kNone) {
      job_.needs_fallback = needs_fallback.data();
      RunForm();
    }
    const auto left = std::find(needs_fallback.begin(), needs_fallback.end(), 1);
    if (left == needs_fallback.end()) return std::nullopt;
    std::vector<std::int64_t> planes;
    for (auto plane = left; plane != needs_fallback.end(); ++plane) {
      if (*plane != 0) planes.push_back(plane - needs_fallback.begin());
    }
    return SumPlanesOf(args_, planes, tuning_.parallelism);
  }

 private:
  Form ChooseForm(const PlaneExtents& inputs, const PlaneExtents& outputs) {
    if (job_.inputs <= 0 || job_.inputs > INT32_MAX) return Form::kNone;
    const std::int64_t bytes = planes_ * job_.inputs * StorageBytes(args_.grad_input.type);
    job_.streams = bytes >= tuning_.stream_bytes;
    const bool can_stay =
        job_.storage == Storage::kFp32 && job_.grad_input.dense &&
        reinterpret_cast<std::uintptr_t>(job_.grad_input.data) % alignof(float) == 0;
    if (can_stay && !job_.streams && planes_ >= tuning_.parallelism.threads) return Form::kInPlace;
    tiles_ =
        BackwardTiles(inputs, outputs, args_.axes, tuning_.whole_plane_bytes, tuning_.tile_bytes);
    job_.tiles = tiles_.data();
    job_.tile_count = std::ssize(tiles_);
    const std::int64_t most = tuning_.most_ring_bytes / std::int64_t{sizeof(float)};
    job_.ring_elements = RingElements(tiles_, job_.inputs, true);
    if (job_.ring_elements > most) job_.ring_elements = RingElements(tiles_, job_.inputs, false);
    if (job_.ring_elements > most) {
      job_.tile_count = 1;
      return can_stay ? Form::kInPlace : Form::kNone;
    }
    const auto rows = UnpoolRows(inputs, outputs, args_.axes);
    const std::int64_t row_bytes = inputs[2] * StorageBytes(args_.grad_input.type);
    const UnpoolWidth& width =
        job_.storage == Storage::kFp32 ? tier_.fp32_width : tier_.narrow_width;
    const std::int64_t break_even = row_bytes % kLineBytes == 0 ? width.least : width.break_even;
    const std::int64_t least =
        std::max<std::int64_t>(tuning_.unpool_outputs.value_or(break_even), width.least);
    const bool dense = job_.grad_input.dense && job_.grad_output.dense && job_.indices.dense;
    if (!rows.has_value() || outputs[2] < least || inputs[2] > kMostUnpoolElements || !dense) {
      if (!dense || !TakesScatterStore(inputs, outputs)) return Form::kScatterAdd;
      owner_of_input_ = OwnerOfInput(inputs, outputs, args_.axes);
      job_.owner_of_input = owner_of_input_.data();
      return Form::kScatterStore;
    }
    job_.rows[0] = (*rows)[0];
    job_.rows[1] = (*rows)[1];
    return Form::kUnpool;
  }

  [[nodiscard]] bool TakesScatterStore(const PlaneExtents& inputs,
                                       const PlaneExtents& outputs) const {
    return job_.storage != Storage::kFp32 && job_.outputs > 0 &&
           job_.inputs / job_.outputs >= tuning_.scatter_store_inputs &&
           planes_ >= tuning_.scatter_store_planes &&
           job_.inputs * std::int64_t{sizeof(std::uint32_t)} <= tuning_.scatter_store_table_bytes &&
           reinterpret_cast<std::uintptr_t>(job_.grad_input.data) % sizeof(std::uint16_t) == 0 &&
           DisjointWindows(inputs, outputs, args_.axes);
  }

  void RunForm() {
    const std::int64_t group = GroupPlanes();
    if (group <= 1) return RunJob(job_, planes_);
    const std::int64_t groups = planes_ / group;
    // What a group of planes has is what a plane had.
    BackwardJob grouped = job_;
    for (PlaneTensor* tensor : {&grouped.grad_output, &grouped.indices, &grouped.grad_input}) {
      tensor->step_c *= group;
    }
    grouped.outputs = group * job_.outputs;
    grouped.inputs = group * job_.inputs;
    grouped.plane_inputs = job_.inputs;
    std::vector<std::uint32_t> offsets(static_cast<std::size_t>(grouped.outputs));
    for (std::int64_t i = 0; i < grouped.outputs; ++i) {
      offsets[static_cast<std::size_t>(i)] =
          static_cast<std::uint32_t>(i / job_.outputs * job_.inputs);
    }
    grouped.group_offsets = offsets.data();
    const std::vector<BackwardTile> tile = {{0, grouped.outputs, 0, grouped.inputs}};
    grouped.tiles = tile.data();
    grouped.ring_elements = RingElements(tile, grouped.inputs, true);
    std::vector<unsigned char> needs_fallback(static_cast<std::size_t>(groups));
    grouped.needs_fallback = needs_fallback.data();
    RunJob(grouped, groups);
    for (std::int64_t i = 0; i < groups; ++i) {
      if (needs_fallback[static_cast<std::size_t>(i)] == 0) continue;
      std::fill_n(job_.needs_fallback + i * group, group, static_cast<unsigned char>(1));
    }
    // Planes that make no whole group.
    const std::int64_t done = groups * group;
    if (done == planes_) return;
    const std::int64_t element = StorageBytes(args_.grad_input.type);
    job_.grad_output.data += done * job_.outputs * element;
    job_.indices.data += done * job_.outputs * StorageBytes(args_.indices.type);
    job_.grad_input.data += done * job_.inputs * element;
    job_.needs_fallback += done;
    RunJob(job_, planes_ - done);
  }

  // How many planes are summed as one: the work around each of a few outputs is more than that for
  // them.
  [[nodiscard]] std::int64_t GroupPlanes() const {
    const bool can = form_ != Form::kUnpool && form_ != Form::kScatterStore &&
                     job_.tile_count == 1 && job_.grad_output.planes_contiguous &&
                     job_.indices.planes_contiguous && job_.grad_input.planes_contiguous &&
                     job_.outputs > 0;
    if (!can || job_.outputs >= tuning_.group_outputs) return 1;
    const std::int64_t ranges = tuning_.parallelism.threads * tuning_.ranges_per_thread;
    return std::min({tuning_.group_outputs / job_.outputs,
                     tuning_.tile_bytes / (job_.inputs * std::int64_t{sizeof(float)}),
                     std::max<std::int64_t>(planes_ / std::max<std::int64_t>(ranges, 1), 1)});
  }

  void RunJob(const BackwardJob& job, std::int64_t planes) const {
    const std::int64_t each = job.inputs + job.outputs;
    const std::int64_t per_tile = std::max<std::int64_t>(each / job.tile_count, 1);
    // Borders inside a plane cost the outputs near them a second look.
    const bool whole_planes =
        planes >= tuning_.parallelism.threads * tuning_.ranges_per_thread || job.tile_count == 1;
    const std::int64_t step = whole_planes ? job.tile_count : 1;
    const BackwardKernel kernel = form_ == Form::kScatterAdd     ? tier_.scatter_add
                                  : form_ == Form::kScatterStore ? tier_.scatter_store
                                  : form_ == Form::kUnpool       ? tier_.unpool
                                                                 : tier_.in_place;
    ParallelFor(planes * job.tile_count / step, per_tile * step, tuning_.parallelism,
                [&](std::int64_t begin, std::int64_t end) {
                  const Scratch scratch(job,
                                        form_ == Form::kScatterAdd || form_ == Form::kScatterStore);
                  kernel(job, begin * step, end * step, scratch.get());
                });
  }

  const BackwardArgs& args_;
  const Tuning& tuning_;
  const Tier& tier_;
  BackwardJob job_ = {};
  std::vector<BackwardTile> tiles_;
  std::vector<std::uint32_t> owner_of_input_;
  std::int64_t planes_ = 0;
  Form form_ = Form::kNone;
};

}  // namespace

std::optional<BadIndex> OptimizedMaxPoolBackward(const BackwardArgs& args, const Tuning& tuning) {
  return Backward(args, tuning).Run();
}

}  // namespace poolproof
