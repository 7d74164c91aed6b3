// SPDX-License-Identifier: Apache-2.0
#include "reports/plane_scene.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "conformance/case/materialize.h"
#include "core/float_bits.h"

namespace poolproof {
namespace {

constexpr std::int64_t kMaxElements = std::int64_t{1} << 20;  // of all storages of the case
constexpr std::array<std::int64_t, 3> kMostDrawn = {3, 10, 12};

bool SmallEnough(const Case& problem) {
  std::int64_t elements = 0;
  for (const Call& call : problem.calls) {
    for (const Role role : InfoOf(call.op).tensors) {
      const TensorSpec& tensor = call.tensor(role);
      if (tensor.null) continue;
      const std::optional<std::int64_t> own = StorageElements(tensor);
      if (!own || *own > kMaxElements) return false;
      elements += *own;
    }
  }
  return elements <= kMaxElements;
}

DrawnRange RangeAround(std::int64_t at, std::int64_t extent, std::int64_t most) {
  const std::int64_t size = std::min(extent, most);
  const std::int64_t first = std::clamp<std::int64_t>(at - size / 2, 0, extent - size);
  return {first, first + size};
}

}  // namespace

std::optional<PlaneScene> SceneOf(const Case& problem, const std::vector<Mismatch>& mismatches) {
  if (mismatches.empty()) return std::nullopt;
  const auto number = static_cast<std::size_t>(std::max(0, mismatches.front().call));
  if (number >= problem.calls.size()) return std::nullopt;
  const Call& call = problem.calls[number];
  if (problem.plan.descriptors_only || InfoOf(call.op).is_forward || !SmallEnough(problem)) {
    return std::nullopt;
  }
  std::optional<Windows> windows = WindowsOf(call);
  if (!windows) return std::nullopt;
  const Result<MaterializedCall> data = MaterializeCall(call, problem.plan);
  if (!data.ok()) return std::nullopt;
  const MaterializedCall& operands = *data;
  const std::int64_t outputs = windows->OutputSize();
  const std::int64_t size = windows->PlaneSize();
  const auto elements = static_cast<std::size_t>(windows->planes * outputs);
  if (operands.indices.size() != elements || operands.grad_output.size() != elements) {
    return std::nullopt;
  }
  PlaneScene scene;
  scene.call = number;
  scene.type = call.tensor(Role::kGradOutput).type;
  scene.windows = *std::move(windows);
  const Mismatch* first = nullptr;
  for (const Mismatch& mismatch : mismatches) {
    if (static_cast<std::size_t>(mismatch.call) != number || mismatch.position < 0) continue;
    if (mismatch.position >= scene.windows.planes * size) continue;
    if (first == nullptr) {
      first = &mismatch;
      scene.plane = mismatch.position / size;
    }
    if (mismatch.position / size == scene.plane) {
      scene.cells[mismatch.position % size].wrong = &mismatch;
    }
  }
  for (std::int64_t o = 0; o < outputs; ++o) {
    const auto element = static_cast<std::size_t>(scene.plane * outputs + o);
    const std::int64_t index = operands.indices[element];
    if (index < 0 || index >= size) continue;
    PlaneCell& cell = scene.cells[index];
    cell.windows.push_back(o);
    cell.sum += DecodeFloat(operands.grad_output[element], scene.type);
  }
  scene.focus = first != nullptr      ? first->position % size
                : scene.cells.empty() ? 0
                                      : scene.cells.begin()->first;
  const std::array<std::int64_t, 3> at = scene.At(scene.focus);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    scene.drawn[axis] = RangeAround(at[axis], scene.windows.input[axis], kMostDrawn[axis]);
  }
  return scene;
}

std::string SceneCaption(const Case& problem, const PlaneScene& scene) {
  std::string text;
  if (problem.calls.size() > 1) {
    text = "Call " + std::to_string(scene.call + 1) + " of " +
           std::to_string(problem.calls.size()) + ". ";
  }
  text += "Plane " + std::to_string(scene.plane) + " of " + std::to_string(scene.windows.planes) +
          " (counted over N and C), " + std::to_string(scene.windows.input[0]) + " x " +
          std::to_string(scene.windows.input[1]) + " x " + std::to_string(scene.windows.input[2]) +
          ".";
  bool cut = false;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    cut = cut || scene.drawn[axis].size() < scene.windows.input[axis];
  }
  if (cut) text += " Only the part around the first wrong element is drawn.";
  return text;
}

std::string CellNumber(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::array<char, 32> text = {};
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

std::string ShortNumber(std::string text) {
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return text;
  std::size_t digits = e + 1;
  const bool negative = text[digits] == '-';
  while (digits < text.size() && (text[digits] < '1' || text[digits] > '9')) ++digits;
  return text.substr(0, e) + (negative ? "e-" : "e") + text.substr(digits);
}

}  // namespace poolproof
