// SPDX-License-Identifier: Apache-2.0

#include "kernels.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "element.h"
#include "lifecycle.h"
#include "selected_fault.h"
#include "windows.h"

namespace mutants {
namespace {

constexpr int64_t kWorkers = 8;
constexpr int64_t kLanes = 8;
constexpr int64_t kVector = 16;
constexpr int64_t kTileCells = 4096;
constexpr int64_t kGridLimit = 65535;
constexpr std::size_t kPartialSum = 5;

// One window's gradient on its way to its cell.
struct Contribution {
  float value = 0;
  int64_t index = 0;
  int64_t window = 0;
};

using Contributions = std::vector<Contribution>;
using Coordinates = std::array<int64_t, 5>;

// ---- addresses

int64_t LinearIndex(const View& view, const Coordinates& at) {
  int64_t linear = 0;
  for (std::size_t axis = 0; axis < 5; ++axis) linear = linear * view.extents[axis] + at[axis];
  return linear;
}

// Takes a position in the packed order apart; positions past the end start again at the front.
Coordinates FromLinear(const View& view, int64_t linear) {
  Coordinates at = {};
  for (std::size_t axis = 5; axis-- > 0;) {
    at[axis] = linear % view.extents[axis];
    linear /= view.extents[axis];
  }
  return at;
}

int64_t ElementOffset(const View& view, const Coordinates& at) {
  int64_t offset = view.offset;
  for (std::size_t axis = 0; axis < 5; ++axis) offset += at[axis] * view.strides[axis];
  return offset;
}

// A wrong address stays in the storage: the fault is the wrong element, not a stray access.
int64_t KeepInside(const View& view, int64_t offset) {
  if (view.storage_elements <= 0) return offset;
  const int64_t rest = offset % view.storage_elements;
  return rest < 0 ? rest + view.storage_elements : rest;
}

bool HasNoGaps(const View& view) {
  int64_t highest = 0;
  for (std::size_t axis = 0; axis < 5; ++axis) {
    highest += (view.extents[axis] - 1) * view.strides[axis];
  }
  return highest + 1 == view.Elements();
}

int64_t GradOutputOffset(const View& view, Coordinates at) {
  const std::array<int64_t, 5>& extents = view.extents;
  if (Is(Fault::kGradPlanePitchWithoutDepth)) {
    const int64_t plane = at[0] * extents[1] + at[1];
    const int64_t linear =
        plane * extents[3] * extents[4] + (at[2] * extents[3] + at[3]) * extents[4] + at[4];
    at = FromLinear(view, linear);
  }
  if (Is(Fault::kBatchPitchWithoutChannels)) {
    const int64_t plane = at[0] + at[1];
    at[0] = plane / extents[1];
    at[1] = plane % extents[1];
  }
  if (Is(Fault::kVectorTailShifted)) {
    const int64_t windows = view.PlaneElements();
    const int64_t window = (at[2] * extents[3] + at[3]) * extents[4] + at[4];
    if (windows > kVector && window >= windows / kVector * kVector) {
      const Coordinates before = FromLinear(view, window - 1);
      at = {at[0], at[1], before[2], before[3], before[4]};
    }
  }
  if (Is(Fault::kBatchCutTo8Bits)) at[0] &= 0xFF;
  if (Is(Fault::kChannelCutTo8Bits)) at[1] &= 0xFF;
  int64_t start = view.offset;
  if (Is(Fault::kGradOutputOffsetIgnored)) start = 0;
  if (Is(Fault::kOddOffsetRoundedDown) && view.element_size == 2) start -= start % 2;
  if (Is(Fault::kGradOutputStridesIgnored) ||
      (Is(Fault::kDensePermutationTakenAsPacked) && HasNoGaps(view))) {
    return KeepInside(view, start + LinearIndex(view, at));
  }
  std::array<int64_t, 5> strides = view.strides;
  if (Is(Fault::kStrideZeroReadAsOne)) {
    for (int64_t& stride : strides) stride = stride == 0 ? 1 : stride;
  }
  if (Is(Fault::kSizeOneStrideUsed) && extents[1] == 1) strides[0] = strides[1];
  int64_t offset = start;
  for (std::size_t axis = 0; axis < 5; ++axis) offset += at[axis] * strides[axis];
  return start == view.offset && strides == view.strides ? offset : KeepInside(view, offset);
}

int64_t IndicesOffset(const View& view, Coordinates at) {
  if (Is(Fault::kIndexBatchPitchWithoutDepth)) {
    const std::array<int64_t, 5>& extents = view.extents;
    const int64_t in_plane = (at[2] * extents[3] + at[3]) * extents[4] + at[4];
    at = FromLinear(view, at[0] * extents[1] * extents[3] * extents[4] +
                              at[1] * view.PlaneElements() + in_plane);
  }
  const int64_t ignored = Is(Fault::kIndicesOffsetIgnored) ? view.offset : 0;
  if (Is(Fault::kIndicesStridesIgnored)) {
    return KeepInside(view, view.offset - ignored + LinearIndex(view, at));
  }
  const int64_t offset = ElementOffset(view, at);
  if (ignored != 0) return KeepInside(view, offset - ignored);
  return Is(Fault::kIndicesUseGradOutputStrides) ? KeepInside(view, offset) : offset;
}

int64_t GradInputOffset(const View& view, const Coordinates& at) {
  const int64_t ignored = Is(Fault::kGradInputOffsetIgnored) ? view.offset : 0;
  if (Is(Fault::kGradInputStridesIgnored)) {
    return KeepInside(view, view.offset - ignored + LinearIndex(view, at));
  }
  const int64_t offset = ElementOffset(view, at) - ignored;
  const bool changed = ignored != 0 || Is(Fault::kGradInputUsesSelfStrides);
  return changed ? KeepInside(view, offset) : offset;
}

unsigned char* Address(const View& view, int64_t offset) {
  return view.data + offset * static_cast<int64_t>(view.element_size);
}

int64_t LoadIndex(const View& view, int64_t offset) {
  if (view.dtype == kInt64) {
    std::array<int32_t, 2> words = {};
    if (Is(Fault::kInt64IndicesAtInt32Pitch)) {
      std::memcpy(words.data(), view.data + offset * 4, sizeof words[0]);
      return words[0];
    }
    if (Is(Fault::kInt64IndicesHighWord)) {
      std::memcpy(words.data(), Address(view, offset), sizeof words);
      return words[1];
    }
    int64_t value = 0;
    std::memcpy(&value, Address(view, offset), sizeof value);
    return value;
  }
  int32_t value = 0;
  std::memcpy(&value, Address(view, offset), sizeof value);
  return value;
}

// ---- one plane

// The accumulator of one plane. May lie in the workspace, which need not be aligned.
class Accumulator {
 public:
  explicit Accumulator(unsigned char* base) : base_(base) {}

  [[nodiscard]] float Get(int64_t cell) const {
    float value = 0;
    std::memcpy(&value, base_ + cell * kBytes, sizeof value);
    return value;
  }
  void Set(int64_t cell, float value) const {
    std::memcpy(base_ + cell * kBytes, &value, sizeof value);
  }
  void Add(int64_t cell, float value) const { Set(cell, Get(cell) + value); }
  void Clear(int64_t cells) const {
    std::memset(base_, 0, static_cast<std::size_t>(cells) * sizeof(float));
  }

 private:
  static constexpr int64_t kBytes = sizeof(float);
  unsigned char* base_;
};

class Runner {
 public:
  Runner(const Plan& plan, void* workspace)
      : plan_(ReadPlan(plan)),
        storage_dtype_(DtypeForConversion(plan)),
        plane_elements_(plan.grad_input.PlaneElements()),
        workspace_(static_cast<unsigned char*>(workspace)) {}

  Status Run() {
    const View& out = plan_.grad_input;
    if (out.Elements() == 0) return {};
    PrepareAccumulator();
    if (Is(Fault::kSpanCleared)) ClearSpan();
    drop_last_window_ =
        Is(Fault::kLastWindowDropped) || (Is(Fault::kSecondCallDiffers) && IsSecondCall(plan_));
    for (int64_t n = 0; n < out.extents[0]; ++n) {
      for (int64_t c = 0; c < out.extents[1]; ++c) RunPlane(n, c);
    }
    WriteOutside();
    return std::move(status_);
  }

 private:
  void PrepareAccumulator() {
    const auto cells = static_cast<std::size_t>(plane_elements_);
    if (workspace_ != nullptr &&
        (Is(Fault::kLegalUsesWorkspace) || Is(Fault::kWorkspaceAssumedZero))) {
      base_ = workspace_;
      return;
    }
    if (Is(Fault::kScratchDirtyAfterBiggerCall)) {
      held_scratch_ = BorrowScratch(cells, scratch_dirty_);
    } else if (Is(Fault::kStreamsShareScratch)) {
      held_scratch_ = SharedScratch(cells);
    } else {
      held_scratch_ = std::make_shared<std::vector<float>>(cells);
    }
    base_ = reinterpret_cast<unsigned char*>(held_scratch_->data());
  }

  void RunPlane(int64_t n, int64_t c) {
    const int64_t plane = n * plan_.grad_input.extents[1] + c;
    contributions_.clear();
    if (Is(Fault::kMaxPool2dChannelsAsVolume) && is_max_pool2d_) {
      for (int64_t i = 0; c == 0 && i < plan_.grad_input.extents[1]; ++i) LoadContributions(n, i);
    } else {
      LoadContributions(n, c);
    }
    ChangeContributions(plane);
    MarkNamedCells();
    if (Is(Fault::kStreamsShareScratch)) {
      AccumulateShared(plane);
      StorePlane(n, c);
      return;
    }
    if (Is(Fault::kLegalUsesWorkspace)) {
      base_ = workspace_ + plane * plane_elements_ * static_cast<int64_t>(sizeof(float));
    }
    const Accumulator sums(base_);
    const bool keep = (plane > 0 && Is(Fault::kTileNotClearedBetweenPlanes)) ||
                      (plane == 0 && Is(Fault::kWorkspaceAssumedZero)) || scratch_dirty_;
    scratch_dirty_ = false;
    if (!keep) sums.Clear(plane_elements_);
    Accumulate(sums);
    StorePlane(n, c);
  }

  // Adds the gradients and indices of one plane; reports indices outside the plane.
  void LoadContributions(int64_t n, int64_t c) {
    const View& grads = plan_.grad_output;
    const View& indices = plan_.indices;
    if (n >= grads.extents[0] || c >= grads.extents[1]) return;
    const std::vector<int64_t>* cached = CachedIndices(plan_, n, c);
    std::vector<int64_t> seen;  // kIndicesCachedByPointer
    int64_t window = 0;
    for (int64_t d = 0; d < grads.extents[2]; ++d) {
      for (int64_t h = 0; h < grads.extents[3]; ++h) {
        for (int64_t w = 0; w < grads.extents[4]; ++w, ++window) {
          const Coordinates at = {n, c, d, h, w};
          int64_t index = 0;
          if (cached != nullptr) {
            index = (*cached)[static_cast<std::size_t>(window)];
          } else {
            index = LoadIndex(indices, IndicesOffset(indices, at));
          }
          if (Is(Fault::kArgmaxRecomputed) && HasFixedWindows(plan_.op)) {
            index = ArgmaxOfSelf(plan_, n, c, {d, h, w});
          }
          const float value = LoadElement(grads.dtype, Address(grads, GradOutputOffset(grads, at)));
          if (index < 0 || index >= plane_elements_) {
            ReportIndex(at, index, value);
            continue;
          }
          if (Is(Fault::kIndicesCachedByPointer)) seen.push_back(index);
          if (Skips(n, c, {d, h, w}, index)) continue;
          contributions_.push_back({value, index, window});
        }
      }
    }
    RememberIndices(plan_, n, c, std::move(seen));
  }

  void ReportIndex(const Coordinates& at, int64_t index, float value) {
    if (Is(Fault::kOutOfPlaneIndexWrites) ||
        (Is(Fault::kOutOfPlaneIndexWritesInLargeWindows) && HasLargeWindows())) {
      // Only a little outside: the write must be seen in a guard zone, not end the process.
      constexpr int64_t kReach = 8;
      if (index >= -kReach && index < plane_elements_ + kReach) {
        const View& out = plan_.grad_input;
        const int64_t origin = ElementOffset(out, {at[0], at[1], 0, 0, 0});
        StoreElement(out.dtype, Rounding::kNearestEven, value, Address(out, origin + index));
      }
      return;
    }
    if (Is(Fault::kLegalOutOfPlaneIgnored) || Is(Fault::kLegalWindowGather) ||
        Is(Wild::kAcceptsEverything)) {
      return;
    }
    if (!status_.ok()) return;
    std::string text = "indices[";
    for (std::size_t axis = 0; axis < 5; ++axis) {
      if (axis > 0) text += ',';
      text += std::to_string(at[axis]);
    }
    text += "] is " + std::to_string(index) + ", outside a plane of " +
            std::to_string(plane_elements_) + " elements";
    status_ = {kRtAicoreException, std::move(text)};
  }

  // Row-major in its plane.
  [[nodiscard]] int64_t WindowNumber(const Extents3& out) const {
    const auto& extents = plan_.grad_output.extents;
    return (out[0] * extents[3] + out[1]) * extents[4] + out[2];
  }
  // Says whether the selected row loses the contribution because of its window.
  // Those of the adaptive operators have so many cells on the average.
  [[nodiscard]] bool HasLargeWindows() const {
    constexpr int64_t kLarge = 256;
    const Extents3& kernel = plan_.geometry.kernel;
    if (HasFixedWindows(plan_.op)) return kernel[0] * kernel[1] * kernel[2] > kLarge;
    return plan_.self.PlaneElements() > kLarge * plan_.grad_output.PlaneElements();
  }

  [[nodiscard]] bool Skips(int64_t n, int64_t c, const Extents3& out, int64_t index) const {
    const bool fixed = HasFixedWindows(plan_.op);
    if (Is(Fault::kLegalWindowGather) && !IsInWindow(plan_, out, index)) return true;
    if ((Is(Fault::kAdaptiveUniformWindows) || Is(Fault::kAdaptiveWindowEndByFloor) ||
         Is(Fault::kAdaptiveFloatWindows)) &&
        !fixed && !IsInWindow(plan_, out, index)) {
      return true;
    }
    if ((Is(Fault::kWindowsIgnorePadding) || Is(Fault::kFirstStrideOnEveryAxis)) && fixed &&
        !IsInWindow(plan_, out, index)) {
      return true;
    }
    if (Is(Fault::kCeilWindowDropped) && fixed && IsCeilWindow(plan_, out)) return true;
    if (Is(Fault::kMaxPool2dCeilRowDropped) && is_max_pool2d_ && IsCeilWindow(plan_, 1, out[1])) {
      return true;
    }
    if (Is(Fault::kIndexZeroDropped) && index == 0) return true;
    if (Is(Fault::kDeterministicLosesIndexZero) && plan_.deterministic && index == 0) return true;
    if (Is(Fault::kWindowsAbove65535Dropped) && WindowNumber(out) > kGridLimit) return true;
    if (Is(Fault::kWideRowsCut)) {
      constexpr int64_t kRowBytes = 65536;
      if (out[2] >= kRowBytes / static_cast<int64_t>(plan_.grad_output.element_size)) return true;
    }
    if (Is(Fault::kMaxPool2dDilationIgnored) && is_max_pool2d_) {
      Plan close = plan_;
      close.geometry.dilation = {1, 1, 1};
      if (!IsInWindow(close, out, index)) return true;
    }
    if (Is(Fault::kWindowsAbove2To20Dropped) && WindowNumber(out) >= 1 << 20) return true;
    if (Is(Fault::kLongNarrowTilesLost)) {
      constexpr int64_t kLeastCells = 6144 / 2;
      const int64_t width = plan_.grad_output.extents[4];
      if (fixed && plan_.grad_input.element_size == 2 && width >= 32 &&
          plan_.geometry.kernel[2] == 2 && plan_.geometry.stride[2] == 2 &&
          plan_.grad_input.extents[4] == 2 * width &&
          plan_.grad_input.PlaneElements() > kLeastCells && out[2] == width - 1) {
        return true;
      }
    }
    if (Is(Fault::kIndexSignExtendedFrom16Bits) && index >= 0x8000) return true;
    if (Is(Fault::kSecondTileDropped) && index >= kTileCells) return true;
    const int64_t plane = n * plan_.grad_input.extents[1] + c;
    if (Is(Fault::kOnlyFirstPlane) && plane > 0) return true;
    if (Is(Fault::kLargeResultsOfLaterPlanesLost) && plane > 0 &&
        plan_.grad_input.Elements() * static_cast<int64_t>(plan_.grad_input.element_size) >=
            4 << 20) {
      return true;
    }
    if (Is(Fault::kSecondPlaneOfWorkerDropped) && plane >= kWorkers) return true;
    if (Is(Fault::kPlanesAbove65535Dropped) && plane >= kGridLimit) return true;
    if (Is(Fault::kLargeOddWidePlaneDropped) && index > kGridLimit &&
        plan_.grad_input.extents[1] % 2 == 1 && plan_.grad_input.extents[4] >= 1024) {
      return true;
    }
    return false;
  }

  void ChangeContributions(int64_t plane) {
    const aclDataType dtype = plan_.grad_output.dtype;
    if (drop_last_window_ && !contributions_.empty()) contributions_.pop_back();
    for (Contribution& one : contributions_) {
      one.index = ChangedIndex(one.index);
      one.value = ChangedValue(dtype, one.value);
      if (Is(Fault::kSelfNanLeaks) && plan_.op == Operator::kMaxPool3d) {
        const View& self = plan_.self;
        Coordinates at = FromLinear(self, one.index);
        at[0] = plane / self.extents[1];
        at[1] = plane % self.extents[1];
        const float seen = LoadElement(self.dtype, Address(self, ElementOffset(self, at)));
        // One where self is finite, NaN elsewhere.
        one.value *= seen - seen + 1.0F;
      }
    }
    if (Is(Fault::kNanGradientIgnored)) {
      std::erase_if(contributions_, [](const Contribution& one) { return std::isnan(one.value); });
    }
    const bool odd_address =
        Is(Fault::kOrderByAddress) &&
        (reinterpret_cast<std::uintptr_t>(plan_.grad_input.data) >> 6) % 2 != 0;
    if (Is(Fault::kLegalReverseOrder) || odd_address)
      std::reverse(contributions_.begin(), contributions_.end());
    if ((Is(Fault::kLegalUnordered) && !plan_.deterministic) ||
        Is(Fault::kUnorderedUnderDeterministic)) {
      std::shuffle(contributions_.begin(), contributions_.end(), RandomEngine());
    }
  }

  [[nodiscard]] int64_t ChangedIndex(int64_t index) const {
    const View& out = plan_.grad_input;
    if (Is(Fault::kIndexOffByOne)) index = (index + 1) % plane_elements_;
    if (Is(Fault::kIndexCutTo16Bits)) index &= 0xFFFF;
    if (Is(Fault::kIndexThroughFloat)) {
      const auto moved = static_cast<int64_t>(static_cast<float>(index));
      index = std::min(moved, plane_elements_ - 1);
    }
    if (Is(Fault::kHeightWidthSwapped)) {
      const int64_t height = out.extents[3];
      const int64_t width = out.extents[4];
      const int64_t rest = index % (height * width);
      const int64_t swapped = rest / height * width + rest % height;
      index = (index - rest + swapped) % plane_elements_;
    }
    if (Is(Fault::kDepthCutTo8Bits) || Is(Fault::kHeightCutTo8Bits) ||
        Is(Fault::kWidthCutTo12Bits)) {
      const int64_t depth = index / (out.extents[3] * out.extents[4]);
      const int64_t height = index / out.extents[4] % out.extents[3];
      const int64_t width = index % out.extents[4];
      const auto cut = [](Fault fault, int64_t at, int64_t mask) {
        return Is(fault) ? at & mask : at;
      };
      return (cut(Fault::kDepthCutTo8Bits, depth, 0xFF) * out.extents[3] +
              cut(Fault::kHeightCutTo8Bits, height, 0xFF)) *
                 out.extents[4] +
             cut(Fault::kWidthCutTo12Bits, width, 0xFFF);
    }
    return index;
  }

  static float ChangedValue(aclDataType dtype, float value) {
    if (Is(Fault::kInfinityClamped) && std::isinf(value)) {
      value = std::copysign(LargestFinite(dtype), value);
    }
    if (Is(Fault::kFloatThroughTf32) && dtype == kFloat) {
      uint32_t word = 0;
      std::memcpy(&word, &value, sizeof word);
      if (!std::isnan(value)) word &= ~0x1FFFU;
      std::memcpy(&value, &word, sizeof word);
    }
    if (Is(Fault::kLegalFlushToZero) && std::fabs(value) < SmallestNormal(dtype)) return 0;
    return value;
  }

  void MarkNamedCells() {
    if (!Is(Fault::kUnnamedCellsUntouched) && !Is(Fault::kZeroFillTailMissing) &&
        !Is(Fault::kMaxPool2dLastRowNotCleared)) {
      return;
    }
    named_.assign(static_cast<std::size_t>(plane_elements_), 0);
    for (const Contribution& one : contributions_) named_[static_cast<std::size_t>(one.index)] = 1;
  }

  [[nodiscard]] bool StoresInsteadOfAdds() const {
    if (Is(Fault::kLastWriterWins)) return true;
    const bool looks =
        Is(Fault::kLegalStoreWhereDisjoint) ||
        ((Is(Fault::kOverlapJudgedByDepth) || Is(Fault::kOverlapJudgedByWidth)) &&
         plan_.op == Operator::kMaxPool3d) ||
        (Is(Fault::kMaxPool2dOverlapJudgedByWidth) && is_max_pool2d_) ||
        ((Is(Fault::kAdaptiveOverlapJudgedByHeight) || Is(Fault::kUpsamplingTakenAsDivisible)) &&
         !HasFixedWindows(plan_.op));
    return looks && !WindowsMayOverlap(plan_);
  }

  void Accumulate(const Accumulator& sums) {
    if (contributions_.empty()) return;
    if (StoresInsteadOfAdds()) {
      for (const Contribution& one : contributions_) sums.Set(one.index, one.value);
    } else if (Is(Fault::kFirstWriterWins) || Is(Fault::kLegalMinusZeroKept)) {
      std::vector<uint8_t> visited(static_cast<std::size_t>(plane_elements_));
      for (const Contribution& one : contributions_) {
        if (std::exchange(visited[static_cast<std::size_t>(one.index)], uint8_t{1}) == 0) {
          sums.Set(one.index, one.value);
        } else if (Is(Fault::kLegalMinusZeroKept)) {
          sums.Add(one.index, one.value);
        }
      }
    } else if (Is(Fault::kDuplicatesLostInVector)) {
      AccumulateByVectors(sums);
    } else if (Is(Fault::kAdjacentDuplicatesLost)) {
      for (std::size_t i = 0; i < contributions_.size(); ++i) {
        const Contribution& one = contributions_[i];
        if (i == 0 || contributions_[i - 1].index != one.index) AddOne(sums, one);
      }
    } else if (Is(Fault::kContributionsAbove255Lost)) {
      std::vector<uint8_t> counts(static_cast<std::size_t>(plane_elements_));
      for (const Contribution& one : contributions_) {
        uint8_t& count = counts[static_cast<std::size_t>(one.index)];
        if (count == 0xFF) continue;
        ++count;
        AddOne(sums, one);
      }
    } else if (Is(Fault::kCrossCoreUpdateLost)) {
      AccumulateInHalves(sums);
    } else if (Is(Fault::kStorageSumTruncates)) {
      AccumulateInStorage(sums, Rounding::kTowardZero);
    } else if (Is(Fault::kLegalStorageSum)) {
      AccumulateInStorage(sums, Rounding::kNearestEven);
    } else if (Is(Fault::kLegalMixedPartialSums) || Is(Fault::kLegalTreeSum)) {
      AccumulateByCell(sums);
    } else {
      for (const Contribution& one : contributions_) AddOne(sums, one);
    }
    if (Is(Fault::kSpecialsSpread)) SpreadSpecials(sums);
  }

  static void AddOne(const Accumulator& sums, const Contribution& one) {
    if (Is(Fault::kOppositeInfinitiesCancel) && std::isinf(one.value) &&
        sums.Get(one.index) == -one.value) {
      sums.Set(one.index, 0);
      return;
    }
    sums.Add(one.index, one.value);
  }

  void AccumulateByVectors(const Accumulator& sums) {
    const auto lanes = static_cast<std::size_t>(kLanes);
    std::array<float, kLanes> gathered = {};
    for (std::size_t i = 0; i < contributions_.size(); i += lanes) {
      const std::size_t count = std::min(lanes, contributions_.size() - i);
      for (std::size_t lane = 0; lane < count; ++lane) {
        const Contribution& one = contributions_[i + lane];
        gathered[lane] = sums.Get(one.index) + one.value;
      }
      for (std::size_t lane = 0; lane < count; ++lane) {
        sums.Set(contributions_[i + lane].index, gathered[lane]);
      }
    }
  }

  void AccumulateInHalves(const Accumulator& sums) {
    const std::size_t half = contributions_.size() / 2;
    for (std::size_t i = 0; i < half; ++i) {
      const Contribution& a = contributions_[i];
      const Contribution& b = contributions_[half + i];
      const float sum_a = sums.Get(a.index) + a.value;
      const float sum_b = sums.Get(b.index) + b.value;
      sums.Set(a.index, sum_a);
      sums.Set(b.index, sum_b);
    }
    if (contributions_.size() % 2 != 0) AddOne(sums, contributions_.back());
  }

  void AccumulateInStorage(const Accumulator& sums, Rounding rounding) {
    for (const Contribution& one : contributions_) {
      const float sum = sums.Get(one.index) + one.value;
      sums.Set(one.index, RoundToType(storage_dtype_, rounding, sum));
    }
  }

  static float TreeSum(const float* values, std::size_t count) {
    if (count == 1) return values[0];
    const std::size_t half = count / 2;
    return TreeSum(values, half) + TreeSum(values + half, count - half);
  }

  // Sorts by cell, so that the contributions of one cell can be summed as one list.
  void AccumulateByCell(const Accumulator& sums) {
    std::stable_sort(
        contributions_.begin(), contributions_.end(),
        [](const Contribution& a, const Contribution& b) { return a.index < b.index; });
    std::vector<float> values;
    for (std::size_t i = 0; i < contributions_.size();) {
      const int64_t cell = contributions_[i].index;
      values.clear();
      for (; i < contributions_.size() && contributions_[i].index == cell; ++i) {
        values.push_back(contributions_[i].value);
      }
      sums.Set(cell,
               Is(Fault::kLegalTreeSum) ? TreeSum(values.data(), values.size()) : MixedSum(values));
    }
  }

  [[nodiscard]] float MixedSum(const std::vector<float>& values) const {
    float total = 0;
    for (std::size_t i = 0; i < values.size(); i += kPartialSum) {
      float tile = 0;
      for (std::size_t j = i; j < std::min(values.size(), i + kPartialSum); ++j) tile += values[j];
      tile = RoundToType(storage_dtype_, Rounding::kNearestEven, tile);
      total = RoundToType(storage_dtype_, Rounding::kNearestEven, total + tile);
    }
    return total;
  }

  // What a multiplication of all gradients with a mask of zeros and ones does.
  void SpreadSpecials(const Accumulator& sums) {
    for (const Contribution& one : contributions_) {
      if (std::isfinite(one.value)) continue;
      for (int64_t cell = 0; cell < plane_elements_; ++cell) {
        if (cell != one.index) sums.Set(cell, std::numeric_limits<float>::quiet_NaN());
      }
    }
  }

  // The accumulator that all streams share: correct alone, wrong as soon as two calls meet. The
  // accesses are atomic, so that nothing but the sums is undefined.
  void AccumulateShared(int64_t plane) {
    const auto cells =
        std::span<float>(*held_scratch_).first(static_cast<std::size_t>(plane_elements_));
    // Gives the other thread its chance, without slowing calls with many planes down.
    const auto pause = [plane] {
      if (plane < 4) std::this_thread::sleep_for(std::chrono::microseconds(300));
    };
    for (float& cell : cells) std::atomic_ref<float>(cell).store(0);
    pause();
    for (const Contribution& one : contributions_) {
      std::atomic_ref<float>(cells[static_cast<std::size_t>(one.index)]).fetch_add(one.value);
    }
    pause();
  }

  [[nodiscard]] float SumOf(int64_t cell) const {
    if (!Is(Fault::kStreamsShareScratch)) return Accumulator(base_).Get(cell);
    return std::atomic_ref<float>((*held_scratch_)[static_cast<std::size_t>(cell)]).load();
  }

  void StorePlane(int64_t n, int64_t c) {
    const View& out = plan_.grad_input;
    const unsigned char* first = Address(out, GradInputOffset(out, {n, c, 0, 0, 0}));
    const bool looks_cleared =
        Is(Fault::kClearSkippedWhenFirstCellZero) && LoadElement(out.dtype, first) == 0.0F;
    int64_t cell = 0;
    for (int64_t d = 0; d < out.extents[2]; ++d) {
      for (int64_t h = 0; h < out.extents[3]; ++h) {
        for (int64_t w = 0; w < out.extents[4]; ++w, ++cell) {
          unsigned char* address = Address(out, GradInputOffset(out, {n, c, d, h, w}));
          const bool in_tail = cell >= plane_elements_ / kLanes * kLanes;
          if (LeavesCell(cell, in_tail, h + 1 == out.extents[3])) continue;
          float value = SumOf(cell);
          if (Is(Fault::kOutputNotCleared) || looks_cleared) {
            value += LoadElement(out.dtype, address);
          } else if (Is(Fault::kClearsByMultiplying)) {
            value += LoadElement(out.dtype, address) * 0.0F;
          }
          StoreElement(ConversionFor(out.dtype), StoreRounding(out.dtype),
                       ChangedSum(out.dtype, value, in_tail), address);
        }
      }
    }
  }

  [[nodiscard]] bool LeavesCell(int64_t cell, bool in_tail, bool in_last_row) const {
    const bool may_leave =
        Is(Fault::kUnnamedCellsUntouched) || (Is(Fault::kZeroFillTailMissing) && in_tail) ||
        (Is(Fault::kMaxPool2dLastRowNotCleared) && is_max_pool2d_ && in_last_row);
    return may_leave && named_[static_cast<std::size_t>(cell)] == 0;
  }

  // The row that caches the conversion by shape confuses the two 16-bit types, nothing else.
  [[nodiscard]] aclDataType ConversionFor(aclDataType dtype) const {
    return Is(Fault::kShapeCacheWithoutDtype) ? storage_dtype_ : dtype;
  }

  static Rounding StoreRounding(aclDataType dtype) {
    if (dtype == kBfloat16 && Is(Fault::kBfloat16Truncates)) return Rounding::kTowardZero;
    if (dtype == kFloat16 && Is(Fault::kFloat16Truncates)) return Rounding::kTowardZero;
    if (Is(Fault::kRoundsHalfAway)) return Rounding::kHalfAway;
    if (Is(Fault::kRoundsTwice)) return Rounding::kTwice;
    return Rounding::kNearestEven;
  }

  static float ChangedSum(aclDataType dtype, float value, bool in_tail) {
    const bool subnormal = std::fabs(value) < SmallestNormal(dtype);
    if (subnormal &&
        (Is(Fault::kLegalFlushToZero) || (!in_tail && Is(Fault::kLegalFlushInBlocks)))) {
      return 0;
    }
    if (Is(Fault::kSmallNormalsFlushed) && std::fabs(value) < 2 * SmallestNormal(dtype)) return 0;
    if (Is(Fault::kLargeSumsLostInBlocks) && !in_tail && std::isfinite(value) &&
        std::fabs(value) > LargestFinite(dtype) / 4) {
      return 0;
    }
    if (Is(Fault::kFloat16OverflowSaturates) && dtype == kFloat16 && std::isfinite(value)) {
      return std::clamp(value, -LargestFinite(dtype), LargestFinite(dtype));
    }
    return value;
  }

  // ---- writes that do not belong to the result

  [[nodiscard]] std::pair<int64_t, int64_t> Span() const {
    const View& out = plan_.grad_input;
    int64_t lowest = out.offset;
    int64_t highest = out.offset;
    for (std::size_t axis = 0; axis < 5; ++axis) {
      const int64_t reach = (out.extents[axis] - 1) * out.strides[axis];
      (reach < 0 ? lowest : highest) += reach;
    }
    return {lowest, highest};
  }

  void ClearSpan() const {
    const View& out = plan_.grad_input;
    const auto [lowest, highest] = Span();
    std::memset(Address(out, lowest), 0,
                static_cast<std::size_t>(highest - lowest + 1) * out.element_size);
  }

  void WriteOutside() const {
    const View& out = plan_.grad_input;
    const auto [lowest, highest] = Span();
    if (Is(Fault::kWritesBeforeGradInput)) {
      std::memset(Address(out, lowest - 1), 0, out.element_size);
    }
    if (Is(Fault::kWritesPastGradInput)) {
      const int64_t missing = (kLanes - out.Elements() % kLanes) % kLanes;
      std::memset(Address(out, highest + 1), 0,
                  static_cast<std::size_t>(missing) * out.element_size);
    }
    ReadOutside(highest);
    if (Is(Fault::kWritesPastWorkspace) && workspace_ != nullptr) {
      std::memset(workspace_ + plan_.workspace_bytes, 0x5A, 16);
    }
    if (Is(Fault::kModifiesSelf) && plan_.self.Elements() > 0) Flip(plan_.self, plan_.self.offset);
    const View& grads = plan_.grad_output;
    if (grads.Elements() == 0) return;
    if (Is(Fault::kModifiesGradOutput)) {
      std::memset(Address(grads, grads.offset), 0, grads.element_size);
    }
    if (Is(Fault::kModifiesIndices)) {
      Coordinates last = grads.extents;
      for (int64_t& position : last) --position;
      Flip(plan_.indices, ElementOffset(plan_.indices, last));
    }
  }

  static unsigned char* EndOf(const View& view) {
    return view.data + view.storage_elements * static_cast<int64_t>(view.element_size);
  }
  static void Look(const volatile unsigned char* address) { static_cast<void>(*address); }

  void ReadOutside(int64_t highest) const {
    constexpr int64_t kFarBytes = 128;
    if (Is(Fault::kAddsZeroPastGradInput)) {
      volatile unsigned char* address = Address(plan_.grad_input, highest + 1) + kFarBytes;
      *address = static_cast<unsigned char>(*address + 0);
    }
    if (Is(Fault::kReadsPastIndices)) Look(EndOf(plan_.indices) + kFarBytes);
    if (Is(Fault::kReadsBeforeGradOutput)) Look(plan_.grad_output.data - 1);
    if (!Is(Fault::kLegalReadsPadding)) return;
    for (const View* view : {&plan_.grad_output, &plan_.self, &plan_.indices, &plan_.grad_input}) {
      const int64_t bytes = EndOf(*view) - view->data;
      if (bytes == 0) continue;
      for (int64_t i = 0; i < (bytes + 31) / 32 * 32 + 32; ++i) Look(view->data + i);
    }
  }

  // Changes the lowest bit of an element.
  static void Flip(const View& view, int64_t offset) { *Address(view, offset) ^= 1; }

  // The plan as a row reads it that takes one operand's view for another's.
  static Plan ReadPlan(Plan plan) {
    if (Is(Fault::kGradInputUsesSelfStrides)) plan.grad_input.strides = plan.self.strides;
    if (Is(Fault::kIndicesUseGradOutputStrides)) plan.indices.strides = plan.grad_output.strides;
    const Geometry& geometry = plan.geometry;
    if (Is(Fault::kHalfOffsetIgnoredWithCeilAndPadding) && plan.op == Operator::kMaxPool3d &&
        plan.grad_output.element_size == 2 && geometry.ceil_mode &&
        geometry.padding != Extents3{}) {
      plan.grad_output.offset = 0;
    }
    return plan;
  }

  const Plan plan_;
  const aclDataType storage_dtype_;
  const int64_t plane_elements_;
  const bool is_max_pool2d_ = plan_.op == Operator::kMaxPool2d;
  unsigned char* const workspace_;
  unsigned char* base_ = nullptr;
  std::shared_ptr<std::vector<float>> held_scratch_;
  bool scratch_dirty_ = false;
  bool drop_last_window_ = false;
  Contributions contributions_;
  std::vector<uint8_t> named_;
  Status status_;
};

}  // namespace

Status RunPlan(const Plan& plan, void* workspace) {
  if (plan.nothing_to_do) return {};
  const bool inputs_missing = plan.grad_output.Elements() > 0 &&
                              (plan.grad_output.data == nullptr || plan.indices.data == nullptr);
  const bool output_missing = plan.grad_input.Elements() > 0 && plan.grad_input.data == nullptr;
  if (inputs_missing || output_missing) {
    return Refuse(kRtAicoreException, "a tensor with elements has no data");
  }
  const SideEffects side_effects(plan);
  return Runner(plan, workspace).Run();
}

}  // namespace mutants
