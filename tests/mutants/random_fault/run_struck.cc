// SPDX-License-Identifier: Apache-2.0

#include "run_struck.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "../element.h"
#include "../kernels.h"
#include "see.h"

namespace mutants::random_fault {
namespace {

struct Gradient {
  float value;
  int64_t index;
};

int64_t OffsetOf(const View& view, int64_t n, int64_t c, int64_t in_plane) {
  const int64_t w = in_plane % view.extents[4];
  const int64_t h = in_plane / view.extents[4] % view.extents[3];
  const int64_t d = in_plane / view.extents[4] / view.extents[3];
  return view.offset + n * view.strides[0] + c * view.strides[1] + d * view.strides[2] +
         h * view.strides[3] + w * view.strides[4];
}

unsigned char* AddressOf(const View& view, int64_t n, int64_t c, int64_t in_plane) {
  return view.data + OffsetOf(view, n, c, in_plane) * static_cast<int64_t>(view.element_size);
}

// In the order of windows. False where an index lies outside the plane.
bool LoadPlane(const Plan& plan, int64_t n, int64_t c, std::vector<Gradient>& gradients) {
  const int64_t cells = plan.grad_input.PlaneElements();
  gradients.clear();
  for (int64_t window = 0; window < plan.grad_output.PlaneElements(); ++window) {
    const int64_t index = LoadIndexAt(plan.indices, OffsetOf(plan.indices, n, c, window));
    if (index < 0 || index >= cells) return false;
    gradients.push_back(
        {LoadElement(plan.grad_output.dtype, AddressOf(plan.grad_output, n, c, window)), index});
  }
  return true;
}

// The next number further from zero, of the numbers that have one.
void MoveByOneUnit(const View& view, unsigned char* address) {
  const float value = LoadElement(view.dtype, address);
  if (!std::isfinite(value)) return;
  if (view.element_size == sizeof(uint32_t)) {
    uint32_t bits = 0;
    std::memcpy(&bits, address, sizeof bits);
    ++bits;
    std::memcpy(address, &bits, sizeof bits);
  } else {
    uint16_t bits = 0;
    std::memcpy(&bits, address, sizeof bits);
    ++bits;
    std::memcpy(address, &bits, sizeof bits);
  }
}

void RunPlane(const Plan& plan, int64_t n, int64_t c, Effect effect,
              std::vector<Gradient>& gradients) {
  const View& out = plan.grad_input;
  const int64_t cells = out.PlaneElements();
  if (!gradients.empty()) {
    if (effect == Effect::kLost) gradients.pop_back();
    if (effect == Effect::kMoved) gradients.back().index = (gradients.back().index + 1) % cells;
  }
  std::vector<float> sums(static_cast<std::size_t>(cells));
  std::vector<bool> named(static_cast<std::size_t>(cells));
  for (const Gradient& gradient : gradients) {
    const auto cell = static_cast<std::size_t>(gradient.index);
    named[cell] = true;
    sums[cell] = effect == Effect::kStored ? gradient.value : sums[cell] + gradient.value;
  }
  for (int64_t cell = 0; cell < cells; ++cell) {
    const auto at = static_cast<std::size_t>(cell);
    if (effect == Effect::kNotCleared && !named[at]) continue;
    StoreElement(out.dtype, Rounding::kNearestEven, sums[at], AddressOf(out, n, c, cell));
  }
  if (effect == Effect::kUlp && !gradients.empty()) {
    MoveByOneUnit(out, AddressOf(out, n, c, gradients.back().index));
  }
}

}  // namespace

Status RunStruck(const Plan& plan, void* workspace, Effect effect) {
  const View& out = plan.grad_input;
  const bool has_memory =
      plan.grad_output.data != nullptr && plan.indices.data != nullptr && out.data != nullptr;
  if (plan.nothing_to_do || !has_memory || out.Elements() == 0) return RunPlan(plan, workspace);
  std::vector<Gradient> gradients;
  for (int64_t n = 0; n < out.extents[0]; ++n) {
    for (int64_t c = 0; c < out.extents[1]; ++c) {
      gradients.clear();
      if (plan.grad_output.Elements() > 0 && !LoadPlane(plan, n, c, gradients)) {
        return RunPlan(plan, workspace);
      }
      RunPlane(plan, n, c, effect, gradients);
    }
  }
  return {};
}

}  // namespace mutants::random_fault
