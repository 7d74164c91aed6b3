// SPDX-License-Identifier: Apache-2.0
#include "reports/plane_text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "reports/mismatch_text.h"
#include "reports/plane_scene.h"

namespace poolproof {
namespace {

constexpr std::size_t kColumns = 100;
constexpr std::size_t kMargin = 2;
constexpr std::size_t kColumnGap = 3;  // between columns

std::string Right(const std::string& text, std::size_t width) {
  return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

std::string CellText(const PlaneScene& scene, std::int64_t flat) {
  constexpr int kDigits = 4;
  const auto place = scene.cells.find(flat);
  if (place == scene.cells.end()) return ".";
  const PlaneCell& cell = place->second;
  if (cell.wrong == nullptr) return ShortNumber(CellNumber(cell.sum));
  const auto number = [&](const std::string& words) {
    return ShortNumber(DecimalText(words, scene.type, kDigits));
  };
  return "*" + number(cell.wrong->expected) + "!" + number(cell.wrong->got);
}

std::string SliceText(const PlaneScene& scene, std::int64_t d) {
  const DrawnRange& rows = scene.drawn[1];
  DrawnRange columns = scene.drawn[2];
  const auto at = [&](std::int64_t h, std::int64_t w) {
    return CellText(scene, scene.windows.Flat(d, h, w));
  };
  const auto width_of = [&](std::int64_t w) {
    std::size_t width = std::to_string(w).size();
    for (std::int64_t h = rows.first; h < rows.end; ++h) width = std::max(width, at(h, w).size());
    return width + kColumnGap;
  };
  const std::size_t label = std::max<std::size_t>(4, std::to_string(rows.end).size() + 2);
  // As many around the first wrong element as fit.
  std::size_t used = kMargin + label;
  for (std::int64_t w = columns.first; w < columns.end; ++w) used += width_of(w);
  const std::int64_t focus = scene.At(scene.focus)[2];
  while (used > kColumns && columns.size() > 1) {
    const bool from_left = focus - columns.first > columns.end - 1 - focus;
    used -= width_of(from_left ? columns.first++ : --columns.end);
  }
  std::string text = std::string(kMargin, ' ') + Right("w", label);
  for (std::int64_t w = columns.first; w < columns.end; ++w) {
    text += Right(std::to_string(w), width_of(w));
  }
  text += "\n";
  for (std::int64_t h = rows.first; h < rows.end; ++h) {
    text += std::string(kMargin, ' ') + Right("h " + std::to_string(h), label);
    for (std::int64_t w = columns.first; w < columns.end; ++w) text += Right(at(h, w), width_of(w));
    text += "\n";
  }
  return text;
}

}  // namespace

std::string PlaneText(const Case& problem, const std::vector<Mismatch>& mismatches) {
  const std::optional<PlaneScene> scene = SceneOf(problem, mismatches);
  if (!scene) return {};
  std::string caption = SceneCaption(problem, *scene);
  if (const std::size_t cut = caption.find(" Only"); cut != std::string::npos) caption[cut] = '\n';
  std::string text =
      caption + "\n. no index names it; an element such as *4!2 is wrong: expected 4, got 2\n";
  for (std::int64_t d = scene->drawn[0].first; d < scene->drawn[0].end; ++d) {
    if (scene->windows.input[0] > 1) text += "  d " + std::to_string(d) + "\n";
    text += SliceText(*scene, d);
  }
  return text;
}

}  // namespace poolproof
