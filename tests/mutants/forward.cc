// SPDX-License-Identifier: Apache-2.0
//
// The forwards, and what goes wrong in them. Only poolproof_mutants_forwards has this file: its
// backwards are without fault where a fault of this file is selected.

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <memory>
#include <vector>

#include "abi.h"
#include "element.h"
#include "lifecycle.h"
#include "plan.h"
#include "runtime.h"
#include "selected_fault.h"

extern "C" {

#define POOLPROOF_MUTANTS_FIXED_FORWARD(name)                                                 \
  POOLPROOF_MUTANTS_EXPORT aclnnStatus name##GetWorkspaceSize(                                \
      const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* stride,        \
      const aclIntArray* padding, const aclIntArray* dilation, bool ceilMode, aclTensor* out, \
      aclTensor* indices, uint64_t* workspaceSize, aclOpExecutor** executor);                 \
  POOLPROOF_MUTANTS_EXPORT aclnnStatus name(void* workspace, uint64_t workspaceSize,          \
                                            aclOpExecutor* executor, aclrtStream stream)
#define POOLPROOF_MUTANTS_ADAPTIVE_FORWARD(name)                                                \
  POOLPROOF_MUTANTS_EXPORT aclnnStatus name##GetWorkspaceSize(                                  \
      const aclTensor* self, const aclIntArray* outputSize, aclTensor* out, aclTensor* indices, \
      uint64_t* workspaceSize, aclOpExecutor** executor);                                       \
  POOLPROOF_MUTANTS_EXPORT aclnnStatus name(void* workspace, uint64_t workspaceSize,            \
                                            aclOpExecutor* executor, aclrtStream stream)

POOLPROOF_MUTANTS_FIXED_FORWARD(aclnnMaxPool3dWithArgmax);
POOLPROOF_MUTANTS_FIXED_FORWARD(aclnnMaxPool2dWithIndices);
POOLPROOF_MUTANTS_ADAPTIVE_FORWARD(aclnnAdaptiveMaxPool3d);
POOLPROOF_MUTANTS_ADAPTIVE_FORWARD(aclnnAdaptiveMaxPool2d);

}  // extern "C"

namespace mutants {
namespace {

struct ForwardPlan {
  bool fixed = false;
  std::size_t axes = 3;
  bool short_kernel = false;
  View self;
  View out;
  View indices;
  Geometry geometry;
};

bool IsChannelsLast(const aclTensor& tensor, std::size_t axes) {
  return tensor.format == kNhwc && axes == 2 && tensor.dims.size() == 4;
}

View ViewOf(const aclTensor& tensor, std::size_t axes) {
  View view;
  const bool batched = tensor.dims.size() == axes + 2;
  std::vector<std::size_t> places =
      batched ? std::vector<std::size_t>{0, 1} : std::vector<std::size_t>{1};
  for (std::size_t axis = 5 - axes; axis < 5; ++axis) places.push_back(axis);
  if (IsChannelsLast(tensor, axes)) places = {0, 3, 4, 1};
  for (std::size_t i = 0; i < places.size(); ++i) {
    view.extents[places[i]] = tensor.dims[i];
    view.strides[places[i]] = tensor.strides[i];
  }
  view.offset = tensor.offset;
  view.storage_elements = 1;
  for (const int64_t extent : tensor.storage_dims) view.storage_elements *= extent;
  view.dtype = tensor.dtype;
  view.element_size = ElementSize(tensor.dtype);
  view.data = static_cast<unsigned char*>(tensor.data);
  return view;
}

bool IsPacked(const View& view) {
  int64_t step = 1;
  for (std::size_t axis = 5; axis-- > 0; step *= view.extents[axis]) {
    if (view.extents[axis] > 1 && view.strides[axis] != step) return false;
  }
  return true;
}

// A result in which C is the last axis, as a search in N, C, H, W leaves it that does not transpose
// back. Only where it has no gaps, whose elements then stay the same.
void KeepOrderOfSearch(const aclTensor& tensor, std::size_t axes, View& view) {
  if (!IsChannelsLast(tensor, axes)) return;
  int64_t step = 1;
  for (std::size_t axis = 4; axis-- > 0; step *= tensor.dims[axis]) {
    if (tensor.dims[axis] > 1 && tensor.strides[axis] != step) return;
  }
  step = 1;
  for (std::size_t axis = 5; axis-- > 0; step *= view.extents[axis]) view.strides[axis] = step;
}

unsigned char* At(const View& view, int64_t offset) {
  return view.data + offset * static_cast<int64_t>(view.element_size);
}

int64_t OffsetOf(const View& view, int64_t n, int64_t c, const Extents3& at) {
  return view.offset + n * view.strides[0] + c * view.strides[1] + at[0] * view.strides[2] +
         at[1] * view.strides[3] + at[2] * view.strides[4];
}

struct Range {
  int64_t first;
  int64_t end;
  int64_t step;
};

Range AdaptiveRange(int64_t o, int64_t length, int64_t outputs) {
  int64_t first = o * length / outputs;
  const int64_t end = ((o + 1) * length + outputs - 1) / outputs;
  if (Is(Fault::kForwardWindowByFloats)) {
    const float share = static_cast<float>(length) / static_cast<float>(outputs);
    first = static_cast<int64_t>(static_cast<float>(o) * share);
  }
  if (Is(Fault::kForwardWindowByInt32)) {
    const auto product =
        static_cast<int32_t>(static_cast<uint32_t>(o) * static_cast<uint32_t>(length));
    // Where it has wrapped, not so far in front that the search takes minutes.
    first = product < 0 ? end - 8 : product / outputs;
  }
  first = std::clamp<int64_t>(first, 0, length - 1);
  return {first, std::clamp<int64_t>(end, first + 1, length), 1};
}

Range FixedRange(const Geometry& geometry, std::size_t axis, int64_t o, int64_t length) {
  const int64_t step = geometry.dilation[axis];
  int64_t first = o * geometry.stride[axis] - geometry.padding[axis];
  const int64_t end = std::min(first + (geometry.kernel[axis] - 1) * step + 1, length);
  while (first < 0) first += step;
  return {first, end, step};
}

class Forward {
 public:
  explicit Forward(const ForwardPlan& plan) : plan_(plan) {
    if (Is(Fault::kForwardViewsTransposed) && !IsPacked(plan_.self)) {
      std::swap(plan_.self.strides[3], plan_.self.strides[4]);
    }
  }

  void Run() const {
    const View& out = plan_.out;
    for (int64_t n = 0; n < out.extents[0]; ++n) {
      for (int64_t c = 0; c < out.extents[1]; ++c) {
        Extents3 o = {};
        for (o[0] = 0; o[0] < out.extents[2]; ++o[0]) {
          for (o[1] = 0; o[1] < out.extents[3]; ++o[1]) {
            for (o[2] = 0; o[2] < out.extents[4]; ++o[2]) RunWindow(n, c, o);
          }
        }
      }
    }
    if (Is(Fault::kForwardWritesPastIndices)) {
      *At(plan_.indices, plan_.indices.storage_elements) ^= 1;
    }
  }

 private:
  // Whether the element takes the place of the best so far.
  static bool IsBetter(float next, float best) {
    if (Is(Fault::kForwardLastWins)) return true;
    if (Is(Fault::kForwardMinimum)) return next < best;
    if (Is(Fault::kLegalForwardLastTie)) return next >= best || std::isnan(next);
    if (Is(Fault::kLegalForwardSkipsNan))
      return next > best || (std::isnan(best) && !std::isnan(next));
    return next > best || std::isnan(next);
  }

  [[nodiscard]] float SelfAt(int64_t n, int64_t c, const Extents3& at) const {
    const int64_t offset =
        std::clamp<int64_t>(OffsetOf(plan_.self, n, c, at), 0, plan_.self.storage_elements - 1);
    return LoadElement(plan_.self.dtype, At(plan_.self, offset));
  }

  [[nodiscard]] int64_t Stored(int64_t index) const {
    if (Is(Fault::kForwardIndexAsBfloat16) && plan_.self.dtype == kBfloat16) {
      return static_cast<int64_t>(
          RoundToType(kBfloat16, Rounding::kNearestEven, static_cast<float>(index)));
    }
    if (Is(Fault::kForwardIndexAsFloat)) return static_cast<int64_t>(static_cast<float>(index));
    return index;
  }

  [[nodiscard]] bool ReachesPadding(const Extents3& o) const {
    const Geometry& geometry = plan_.geometry;
    for (std::size_t axis = 0; plan_.fixed && axis < 3; ++axis) {
      const int64_t first = o[axis] * geometry.stride[axis] - geometry.padding[axis];
      const int64_t last = first + (geometry.kernel[axis] - 1) * geometry.dilation[axis];
      if (first < 0 || last >= plan_.self.extents[axis + 2]) return true;
    }
    return false;
  }

  void RunWindow(int64_t n, int64_t c, const Extents3& o) const {
    const View& self = plan_.self;
    std::array<Range, 3> range{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      range[axis] =
          plan_.fixed ? FixedRange(plan_.geometry, axis, o[axis], self.extents[axis + 2])
                      : AdaptiveRange(o[axis], self.extents[axis + 2], plan_.out.extents[axis + 2]);
    }
    float best = 0;
    int64_t chosen = -1;
    Extents3 at = {};
    for (at[0] = range[0].first; at[0] < range[0].end; at[0] += range[0].step) {
      for (at[1] = range[1].first; at[1] < range[1].end; at[1] += range[1].step) {
        for (at[2] = range[2].first; at[2] < range[2].end; at[2] += range[2].step) {
          const float next = SelfAt(n, c, at);
          if (chosen >= 0 && !IsBetter(next, best)) continue;
          best = next;
          chosen = (at[0] * self.extents[3] + at[1]) * self.extents[4] + at[2];
        }
      }
    }
    if (Is(Fault::kForwardShortKernelFails) && plan_.short_kernel) best = -1e30F;
    if (Is(Fault::kForwardPaddedMaximum) && ReachesPadding(o)) best = 30000.0F;
    StoreElement(plan_.out.dtype, Rounding::kNearestEven, best,
                 At(plan_.out, OffsetOf(plan_.out, n, c, o)));
    if (Is(Fault::kForwardWideRowsWithoutIndices) && self.extents[4] >= 16) return;
    StoreIndex(OffsetOf(plan_.indices, n, c, o), Stored(chosen));
  }

  void StoreIndex(int64_t offset, int64_t index) const {
    unsigned char* const place = At(plan_.indices, offset);
    if (plan_.indices.dtype == kInt64) {
      *reinterpret_cast<int64_t*>(place) = index;
    } else {
      *reinterpret_cast<int32_t*>(place) = static_cast<int32_t>(index);
    }
  }

  ForwardPlan plan_;
};

Extents3 PerAxis(const aclIntArray& list, std::size_t axes, int64_t other) {
  Extents3 values = {other, other, other};
  for (std::size_t i = 0; i < axes; ++i) {
    values[3 - axes + i] = list.values.size() == 1 ? list.values[0] : list.values[i];
  }
  return values;
}

// Takes what a suite gives it: legal calls and null pointers.
aclnnStatus PhaseOne(ForwardPlan made, const aclTensor* self, aclTensor* out, aclTensor* indices,
                     uint64_t* workspace_size, aclOpExecutor** executor) {
  if (workspace_size == nullptr || executor == nullptr) return kParamNullptr;
  if (self == nullptr || out == nullptr || indices == nullptr) return kParamNullptr;
  if (self->dims.size() != made.axes + 1 && self->dims.size() != made.axes + 2)
    return kParamInvalid;
  if (out->dims.size() != self->dims.size() || indices->dims != out->dims) return kParamInvalid;
  if (Is(Fault::kForwardRefusesUnbatched) && self->dims.size() == made.axes + 1)
    return kParamInvalid;
  NoteRank(self->dims.size());
  made.self = ViewOf(*self, made.axes);
  made.out = ViewOf(*out, made.axes);
  made.indices = ViewOf(*indices, made.axes);
  if (Is(Fault::kForwardKeepsChannelsFirst)) {
    KeepOrderOfSearch(*out, made.axes, made.out);
    KeepOrderOfSearch(*indices, made.axes, made.indices);
  }
  auto plan = std::make_unique<ForwardPlan>(made);
  if (!IsNotedRank(self->dims.size())) return kParamInvalid;
  *workspace_size = 0;
  *executor = reinterpret_cast<aclOpExecutor*>(plan.release());
  return kOk;
}

aclnnStatus FixedPhaseOne(std::size_t axes, const aclTensor* self, const aclIntArray* kernel,
                          const aclIntArray* stride, const aclIntArray* padding,
                          const aclIntArray* dilation, bool ceil_mode, aclTensor* out,
                          aclTensor* indices, uint64_t* workspace_size, aclOpExecutor** executor) {
  if (kernel == nullptr || stride == nullptr || padding == nullptr || dilation == nullptr) {
    return kParamNullptr;
  }
  ForwardPlan made;
  made.fixed = true;
  made.axes = axes;
  made.short_kernel = kernel->values.size() == 1;
  made.geometry = {PerAxis(*kernel, axes, 1),
                   PerAxis(stride->values.empty() ? *kernel : *stride, axes, 1),
                   PerAxis(*padding, axes, 0), PerAxis(*dilation, axes, 1), ceil_mode};
  return PhaseOne(made, self, out, indices, workspace_size, executor);
}

aclnnStatus AdaptivePhaseOne(std::size_t axes, const aclTensor* self, const aclIntArray* size,
                             aclTensor* out, aclTensor* indices, uint64_t* workspace_size,
                             aclOpExecutor** executor) {
  if (size == nullptr) return kParamNullptr;
  if (Is(Fault::kForwardWithoutOutputSize)) {
    // (self, out, indices, workspaceSize, executor): each is taken for the one before it.
    *reinterpret_cast<uint64_t*>(indices) = 0;
    *reinterpret_cast<ForwardPlan**>(workspace_size) = nullptr;
    return kOk;
  }
  ForwardPlan made;
  made.axes = axes;
  return PhaseOne(made, self, out, indices, workspace_size, executor);
}

aclnnStatus PhaseTwo(aclOpExecutor* executor, aclrtStream stream) {
  if (executor == nullptr) return kParamNullptr;
  const std::shared_ptr<ForwardPlan> plan(reinterpret_cast<ForwardPlan*>(executor));
  if (Is(Fault::kForwardCrashes)) std::raise(SIGSEGV);
  const bool queued = Enqueue(stream, [plan] {
    Forward(*plan).Run();
    return Status();
  });
  return queued ? kOk : kInnerError;
}

}  // namespace
}  // namespace mutants

using namespace mutants;  // the ABI's functions are global

#define POOLPROOF_MUTANTS_DEFINE_FIXED(name, axes)                                            \
  aclnnStatus name##GetWorkspaceSize(                                                         \
      const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* stride,        \
      const aclIntArray* padding, const aclIntArray* dilation, bool ceilMode, aclTensor* out, \
      aclTensor* indices, uint64_t* workspaceSize, aclOpExecutor** executor) {                \
    return FixedPhaseOne(axes, self, kernelSize, stride, padding, dilation, ceilMode, out,    \
                         indices, workspaceSize, executor);                                   \
  }                                                                                           \
  aclnnStatus name(void*, uint64_t, aclOpExecutor* executor, aclrtStream stream) {            \
    return PhaseTwo(executor, stream);                                                        \
  }
#define POOLPROOF_MUTANTS_DEFINE_ADAPTIVE(name, axes)                                             \
  aclnnStatus name##GetWorkspaceSize(const aclTensor* self, const aclIntArray* outputSize,        \
                                     aclTensor* out, aclTensor* indices, uint64_t* workspaceSize, \
                                     aclOpExecutor** executor) {                                  \
    return AdaptivePhaseOne(axes, self, outputSize, out, indices, workspaceSize, executor);       \
  }                                                                                               \
  aclnnStatus name(void*, uint64_t, aclOpExecutor* executor, aclrtStream stream) {                \
    return PhaseTwo(executor, stream);                                                            \
  }

POOLPROOF_MUTANTS_DEFINE_FIXED(aclnnMaxPool3dWithArgmax, 3)
POOLPROOF_MUTANTS_DEFINE_FIXED(aclnnMaxPool2dWithIndices, 2)
POOLPROOF_MUTANTS_DEFINE_ADAPTIVE(aclnnAdaptiveMaxPool3d, 3)
POOLPROOF_MUTANTS_DEFINE_ADAPTIVE(aclnnAdaptiveMaxPool2d, 2)
