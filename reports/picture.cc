// SPDX-License-Identifier: Apache-2.0
#include "reports/picture.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <string_view>

#include "reports/mismatch_text.h"
#include "reports/phrases.h"
#include "reports/plane_scene.h"
#include "reports/xml_text.h"

namespace poolproof {
namespace {

constexpr std::size_t kMaxWindows = 12;
constexpr int kSmallCell = 46;
constexpr int kLargeCell = 84;
constexpr int kLabel = 22;

// The windows worth an outline: all where they are few, else those that the wrong cells come from.
std::set<std::int64_t> OutlinedWindows(const PlaneScene& scene) {
  std::set<std::int64_t> chosen;
  const std::int64_t outputs = scene.windows.OutputSize();
  if (outputs <= static_cast<std::int64_t>(kMaxWindows)) {
    for (std::int64_t o = 0; o < outputs; ++o) chosen.insert(o);
    return chosen;
  }
  const auto add = [&](const PlaneCell& cell) {
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
  return "<text class=\"" + std::string(style) + "\" x=\"" + CellNumber(x) + "\" y=\"" +
         CellNumber(y) + "\">" + XmlText(words) + "</text>";
}

std::string Rect(std::string_view style, double x, double y, double width, double height,
                 const std::string& more = "") {
  return "<rect class=\"" + std::string(style) + "\" x=\"" + CellNumber(x) + "\" y=\"" +
         CellNumber(y) + "\" width=\"" + CellNumber(width) + "\" height=\"" + CellNumber(height) +
         "\"" + more + "/>";
}

class SlicePainter {
 public:
  SlicePainter(const PlaneScene& scene, const std::set<std::int64_t>& outlined, std::int64_t d)
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
  [[nodiscard]] const PlaneCell* At(std::int64_t h, std::int64_t w) const {
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

  void PaintCell(const PlaneCell* cell, double x, double y) {
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
      words_ +=
          Text(x + cell_ / 2.0, y + cell_ / 2.0 + 8, "value", ShortNumber(CellNumber(cell->sum)));
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

  const PlaneScene& scene_;
  const std::set<std::int64_t>& outlined_;
  const std::int64_t d_;
  const int cell_;
  std::string svg_;
  std::string words_;  // in the cells
};

std::string CaptionOf(const Case& problem, const PlaneScene& scene, std::size_t outlined) {
  std::string text = SceneCaption(problem, scene);
  const std::int64_t windows = scene.windows.OutputSize();
  if (static_cast<std::int64_t>(outlined) < windows) {
    text += " " + Count(static_cast<std::int64_t>(outlined)) + " of " + CountOf(windows, "window") +
            " outlined.";
  }
  return text;
}

}  // namespace

PlanePictures DrawPlane(const Case& problem, const std::vector<Mismatch>& mismatches) {
  const std::optional<PlaneScene> scene = SceneOf(problem, mismatches);
  if (!scene) return {};
  const std::set<std::int64_t> outlined = OutlinedWindows(*scene);
  PlanePictures pictures;
  for (std::int64_t d = scene->drawn[0].first; d < scene->drawn[0].end; ++d) {
    pictures.slices.push_back(SlicePainter(*scene, outlined, d).Paint());
  }
  pictures.caption = CaptionOf(problem, *scene, outlined.size());
  return pictures;
}

}  // namespace poolproof
