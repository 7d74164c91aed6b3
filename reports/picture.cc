// SPDX-License-Identifier: Apache-2.0
#include "reports/picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "conformance/case/materialize.h"
#include "conformance/case/windows.h"
#include "core/float_bits.h"
#include "reports/mismatch_text.h"
#include "reports/phrases.h"
#include "reports/xml_text.h"

namespace poolproof {
namespace {

constexpr std::int64_t kMaxElements = std::int64_t{1} << 20;  // of all storages of the case
constexpr std::array<std::int64_t, 3> kMostDrawn = {3, 10, 12};
constexpr std::size_t kMaxWindows = 12;
constexpr int kSmallCell = 46;
constexpr int kLargeCell = 84;
constexpr int kLabel = 22;

std::string Number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::array<char, 32> text = {};
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

// "-1.95e14": as short as a cell wants it.
std::string ShortNumber(std::string text) {
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return text;
  std::size_t digits = e + 1;
  const bool negative = text[digits] == '-';
  while (digits < text.size() && (text[digits] < '1' || text[digits] > '9')) ++digits;
  return text.substr(0, e) + (negative ? "e-" : "e") + text.substr(digits);
}

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

// The part of an axis that is drawn.
struct Range {
  std::int64_t first = 0;
  std::int64_t end = 0;
  [[nodiscard]] std::int64_t size() const { return end - first; }
  [[nodiscard]] bool Contains(std::int64_t at) const { return at >= first && at < end; }
};

Range RangeAround(std::int64_t at, std::int64_t extent, std::int64_t most) {
  const std::int64_t size = std::min(extent, most);
  const std::int64_t first = std::clamp<std::int64_t>(at - size / 2, 0, extent - size);
  return {first, first + size};
}

// What one coordinate of the plane holds and should hold.
struct Cell {
  std::vector<std::int64_t> windows;  // whose index names it
  double sum = 0;                     // of their gradients
  const Mismatch* wrong = nullptr;
};

struct Scene {
  DataType type = DataType::kFloat;
  Windows windows;
  std::int64_t plane = 0;
  std::map<std::int64_t, Cell> cells;  // by flat offset; those that are named or wrong
  std::int64_t focus = 0;
  std::array<Range, 3> drawn;
  [[nodiscard]] std::array<std::int64_t, 3> At(std::int64_t flat) const {
    const std::int64_t w = windows.input[2];
    const std::int64_t h = windows.input[1];
    return {flat / (h * w), flat / w % h, flat % w};
  }
};

std::optional<Scene> MakeScene(const Case& problem, const std::vector<Mismatch>& mismatches,
                               std::size_t number) {
  const Call& call = problem.calls[number];
  std::optional<Windows> windows = WindowsOf(call);
  if (problem.plan.descriptors_only || InfoOf(call.op).is_forward || !windows ||
      !SmallEnough(problem)) {
    return std::nullopt;
  }
  const Result<MaterializedCall> data = MaterializeCall(call, problem.plan);
  if (!data.ok()) return std::nullopt;
  const MaterializedCall& operands = *data;
  const std::int64_t outputs = windows->OutputSize();
  const std::int64_t size = windows->PlaneSize();
  const auto elements = static_cast<std::size_t>(windows->planes * outputs);
  if (operands.indices.size() != elements || operands.grad_output.size() != elements) {
    return std::nullopt;
  }
  Scene scene;
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
    Cell& cell = scene.cells[index];
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

// The windows worth an outline: all where they are few, else those that the wrong cells come from.
std::set<std::int64_t> OutlinedWindows(const Scene& scene) {
  std::set<std::int64_t> chosen;
  const std::int64_t outputs = scene.windows.OutputSize();
  if (outputs <= static_cast<std::int64_t>(kMaxWindows)) {
    for (std::int64_t o = 0; o < outputs; ++o) chosen.insert(o);
    return chosen;
  }
  const auto add = [&](const Cell& cell) {
    for (const std::int64_t o : cell.windows) {
      if (chosen.size() < kMaxWindows) chosen.insert(o);
    }
  };
  const auto focus = scene.cells.find(scene.focus);
  if (focus != scene.cells.end()) add(focus->second);
  for (const auto& [flat, cell] : scene.cells) {
    if (cell.wrong != nullptr) add(cell);
  }
  return chosen;
}

std::string Text(double x, double y, std::string_view style, const std::string& words) {
  return "<text class=\"" + std::string(style) + "\" x=\"" + Number(x) + "\" y=\"" + Number(y) +
         "\">" + XmlText(words) + "</text>";
}

std::string Rect(std::string_view style, double x, double y, double width, double height,
                 const std::string& more = "") {
  return "<rect class=\"" + std::string(style) + "\" x=\"" + Number(x) + "\" y=\"" + Number(y) +
         "\" width=\"" + Number(width) + "\" height=\"" + Number(height) + "\"" + more + "/>";
}

class SlicePainter {
 public:
  SlicePainter(const Scene& scene, const std::set<std::int64_t>& outlined, std::int64_t d)
      : scene_(scene),
        outlined_(outlined),
        d_(d),
        cell_(scene.drawn[2].size() <= 6 ? kLargeCell : kSmallCell) {}

  std::string Paint() {
    const auto width = static_cast<int>(kLabel + scene_.drawn[2].size() * cell_ + 4);
    const auto height = static_cast<int>(kLabel + scene_.drawn[1].size() * cell_ + 4);
    Labels();
    Cells();
    WindowOutlines();
    svg_ += words_;  // above the outlines that run past them
    const std::string size = std::to_string(width) + " " + std::to_string(height);
    const std::string title = Title();
    return "<svg class=\"plane\" role=\"img\" viewBox=\"0 0 " + size + "\" width=\"" +
           std::to_string(width) + "\" aria-label=\"" + XmlText(title) + "\"><title>" +
           XmlText(title) + "</title>" + svg_ + "</svg>";
  }

 private:
  [[nodiscard]] double X(std::int64_t w) const {
    return kLabel + static_cast<double>(w - scene_.drawn[2].first) * cell_;
  }
  [[nodiscard]] double Y(std::int64_t h) const {
    return kLabel + static_cast<double>(h - scene_.drawn[1].first) * cell_;
  }
  [[nodiscard]] const Cell* At(std::int64_t h, std::int64_t w) const {
    const auto place = scene_.cells.find(scene_.windows.Flat(d_, h, w));
    return place == scene_.cells.end() ? nullptr : &place->second;
  }

  [[nodiscard]] std::string Title() const {
    std::int64_t wrong = 0;
    std::int64_t named = 0;
    for (const auto& [flat, cell] : scene_.cells) {
      if (scene_.At(flat)[0] != d_) continue;
      if (cell.wrong != nullptr) ++wrong;
      if (!cell.windows.empty()) ++named;
    }
    return "Slice d = " + std::to_string(d_) + " of the plane: " + CountOf(named, "element") +
           " named by indices, " + CountOf(wrong, "element") + " wrong";
  }

  void Labels() {
    for (std::int64_t w = scene_.drawn[2].first; w < scene_.drawn[2].end; ++w) {
      svg_ += Text(X(w) + cell_ / 2.0, kLabel - 7, "axis", std::to_string(w));
    }
    for (std::int64_t h = scene_.drawn[1].first; h < scene_.drawn[1].end; ++h) {
      svg_ += Text(kLabel - 11, Y(h) + cell_ / 2.0 + 4, "axis", std::to_string(h));
    }
  }

  void Cells() {
    for (std::int64_t h = scene_.drawn[1].first; h < scene_.drawn[1].end; ++h) {
      for (std::int64_t w = scene_.drawn[2].first; w < scene_.drawn[2].end; ++w) {
        PaintCell(At(h, w), X(w), Y(h));
      }
    }
  }

  void PaintCell(const Cell* cell, double x, double y) {
    const bool wrong = cell != nullptr && cell->wrong != nullptr;
    const bool named = cell != nullptr && !cell->windows.empty();
    svg_ += Rect(wrong ? "cell wrong" : named ? "cell named" : "cell", x, y, cell_, cell_);
    if (cell == nullptr) return;
    if (named) {
      std::string who;
      for (const std::int64_t o : cell->windows)
        who += (who.empty() ? "" : ",") + std::to_string(o);
      if (who.size() > (cell_ == kLargeCell ? 14U : 7U))
        who = std::to_string(cell->windows.size()) + " win.";
      words_ += Text(x + 7, y + 14, "who", who);
    }
    if (!wrong) {
      words_ += Text(x + cell_ / 2.0, y + cell_ / 2.0 + 8, "value", ShortNumber(Number(cell->sum)));
      return;
    }
    const std::string wanted = ShortNumber(DecimalText(cell->wrong->expected, scene_.type, 4));
    const std::size_t room = cell_ == kLargeCell ? 12 : 8;
    words_ += Text(x + cell_ / 2.0, y + cell_ / 2.0 + 3, "value",
                   wanted.size() > room ? "range" : wanted);
    words_ += Text(x + cell_ / 2.0, y + cell_ / 2.0 + 18, "got",
                   ShortNumber(DecimalText(cell->wrong->got, scene_.type, 4)));
  }

  // Neighbouring windows get different insets, so that overlapping outlines stay apart.
  void WindowOutlines() {
    for (const std::int64_t o : outlined_) {
      const std::array<WindowSpan, 3> spans = scene_.windows.Of(o);
      if (!spans[0].Contains(d_)) continue;
      const double left = X(std::max(spans[2].first, scene_.drawn[2].first));
      const double right = X(std::min(spans[2].end, scene_.drawn[2].end));
      const double top = Y(std::max(spans[1].first, scene_.drawn[1].first));
      const double bottom = Y(std::min(spans[1].end, scene_.drawn[1].end));
      if (right <= left || bottom <= top) continue;
      const double inset = 2.0 + 2.5 * static_cast<double>(o % 3);
      const bool dilated = spans[1].step > 1 || spans[2].step > 1;
      svg_ += Rect(dilated ? "window dilated" : "window", left + inset, top + inset,
                   right - left - 2 * inset, bottom - top - 2 * inset, " rx=\"5\"");
    }
  }

  const Scene& scene_;
  const std::set<std::int64_t>& outlined_;
  const std::int64_t d_;
  const int cell_;
  std::string svg_;
  std::string words_;  // in the cells
};

std::string CaptionOf(const Case& problem, std::size_t number, const Scene& scene,
                      std::size_t outlined) {
  std::string text;
  if (problem.calls.size() > 1) {
    text =
        "Call " + std::to_string(number + 1) + " of " + std::to_string(problem.calls.size()) + ". ";
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
  const std::int64_t windows = scene.windows.OutputSize();
  if (static_cast<std::int64_t>(outlined) < windows) {
    text += " " + Count(static_cast<std::int64_t>(outlined)) + " of " + CountOf(windows, "window") +
            " outlined.";
  }
  return text;
}

}  // namespace

PlanePictures DrawPlane(const Case& problem, const std::vector<Mismatch>& mismatches) {
  if (mismatches.empty()) return {};
  const auto number = static_cast<std::size_t>(std::max(0, mismatches.front().call));
  if (number >= problem.calls.size()) return {};
  const std::optional<Scene> scene = MakeScene(problem, mismatches, number);
  if (!scene) return {};
  const std::set<std::int64_t> outlined = OutlinedWindows(*scene);
  PlanePictures pictures;
  for (std::int64_t d = scene->drawn[0].first; d < scene->drawn[0].end; ++d) {
    pictures.slices.push_back(SlicePainter(*scene, outlined, d).Paint());
  }
  pictures.caption = CaptionOf(problem, number, *scene, outlined.size());
  return pictures;
}

}  // namespace poolproof
