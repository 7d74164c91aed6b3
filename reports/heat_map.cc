// SPDX-License-Identifier: Apache-2.0
#include "reports/heat_map.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "reports/phrases.h"
#include "reports/xml_text.h"

namespace poolproof {
namespace {

constexpr int kCellSide = 15;
constexpr int kMapLeft = 112;
constexpr int kMapTop = 50;
constexpr int kGap = 6;  // between data types, and between classes of ceil

constexpr std::array<std::string_view, 4> kOverlapTitles = {
    "Windows leave elements out", "Windows touch and do not overlap",
    "Windows overlap along one axis", "Windows overlap along several axes"};

// The classes that windows of the operator can have: adaptive ones leave nothing out, have no
// padding, and overlap exactly where the extents do not divide.
struct Columns {
  std::vector<std::uint8_t> roundings;
  std::vector<std::uint8_t> paddings;
};
Columns ColumnsOf(Operator op, std::uint8_t overlap) {
  if (InfoOf(op).windows == WindowRule::kFixed) return {{0, 1, 2}, {0, 1}};
  return {{static_cast<std::uint8_t>(overlap == 1 ? 3 : 4)}, {0}};
}

std::string Label(int x, int y, std::string_view style, std::string_view words) {
  return "<text class=\"" + std::string(style) + "\" x=\"" + std::to_string(x) + "\" y=\"" +
         std::to_string(y) + "\">" + XmlText(words) + "</text>";
}

// 1, 2..3, 4..15, 16..63, 64 and more.
int Level(std::int64_t cases) {
  if (cases == 0) return 0;
  const auto bits = std::bit_width(static_cast<std::uint64_t>(cases));
  return bits <= 1 ? 1 : bits <= 2 ? 2 : bits <= 4 ? 3 : bits <= 6 ? 4 : 5;
}

// Up to a tenth of the cases, up to a half, most, all.
int FailingLevel(std::int64_t failures, std::int64_t cases) {
  if (failures >= cases) return 4;
  return failures * 10 <= cases ? 1 : failures * 2 <= cases ? 2 : 3;
}

std::string Square(int x, int y, const CoverageCell* cell, const std::string& where) {
  const std::int64_t cases = cell == nullptr ? 0 : cell->cases;
  const std::int64_t failures = cell == nullptr ? 0 : cell->failures;
  const std::string style = failures > 0 ? "b" + std::to_string(FailingLevel(failures, cases))
                                         : "l" + std::to_string(Level(cases));
  std::string words = where + ": " + CountOf(cases, "case");
  if (failures > 0) words += ", " + Count(failures) + " of them failing";
  const std::string size = std::to_string(kCellSide - 2);
  return "<rect class=\"" + style + "\" x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) +
         "\" width=\"" + size + "\" height=\"" + size + "\"><title>" + XmlText(words) +
         "</title></rect>";
}

class MapPainter {
 public:
  MapPainter(Operator op, std::uint8_t overlap, const std::vector<CoverageCell>& cells,
             const std::map<CoverageKey, std::string>& targets)
      : op_(op), overlap_(overlap), columns_(ColumnsOf(op, overlap)), targets_(targets) {
    for (const CoverageCell& cell : cells) cells_[cell.key] = &cell;
  }

  HeatMap Paint() {
    Header();
    int y = kMapTop;
    for (std::uint8_t type = 0; type < CoverageClasses(CoverageAxis::kType).size(); ++type) {
      for (std::uint8_t layout = 0; layout < CoverageClasses(CoverageAxis::kLayout).size();
           ++layout) {
        Row(type, layout, y);
        y += kCellSide;
      }
      y += kGap;
    }
    const std::string height = std::to_string(y);
    const std::string width = std::to_string(kMapLeft + Width() + 4);
    const std::string title(kOverlapTitles[overlap_]);
    const std::string words = title + ": " + Count(filled_) + " of " + Count(total_) +
                              " combinations hold a case, " + Count(failing_) + " a failing one";
    return {title, "<svg class=\"heat\" role=\"img\" viewBox=\"0 0 " + width + " " + height +
                       "\" width=\"" + width + "\" aria-label=\"" + XmlText(words) + "\">" + svg_ +
                       "</svg>"};
  }

 private:
  // Left edge of a column, counted from the first one.
  [[nodiscard]] int ColumnX(std::size_t rounding, std::size_t padding, std::size_t tail) const {
    const std::size_t tails = CoverageClasses(CoverageAxis::kTail).size();
    const std::size_t position = (rounding * columns_.paddings.size() + padding) * tails + tail;
    return static_cast<int>(position) * kCellSide + static_cast<int>(rounding) * kGap +
           static_cast<int>(rounding * columns_.paddings.size() + padding) * 3;
  }
  [[nodiscard]] int Width() const {
    return ColumnX(columns_.roundings.size() - 1, columns_.paddings.size() - 1,
                   CoverageClasses(CoverageAxis::kTail).size() - 1) +
           kCellSide;
  }

  void Header() {
    const auto tails = CoverageClasses(CoverageAxis::kTail);
    for (std::size_t r = 0; r < columns_.roundings.size(); ++r) {
      svg_ += Label(kMapLeft + ColumnX(r, 0, 0), 12, "head",
                    CoverageClasses(CoverageAxis::kRounding)[columns_.roundings[r]]);
      for (std::size_t p = 0; p < columns_.paddings.size(); ++p) {
        const bool padded = columns_.paddings[p] != 0;
        svg_ += Label(kMapLeft + ColumnX(r, p, 0), 27, "sub", padded ? "padded" : "no pad");
        for (std::size_t t = 0; t < tails.size(); ++t) {
          svg_ += Label(kMapLeft + ColumnX(r, p, t) + 4, 43, "sub", tails[t].substr(0, 1));
        }
      }
    }
  }

  void Row(std::uint8_t type, std::uint8_t layout, int y) {
    const std::string_view type_name = CoverageClasses(CoverageAxis::kType)[type];
    const std::string_view layout_name = CoverageClasses(CoverageAxis::kLayout)[layout];
    if (layout == 0) svg_ += Label(2, y + 11, "head", type_name);
    svg_ += Label(34, y + 11, "sub", layout_name);
    for (std::size_t r = 0; r < columns_.roundings.size(); ++r) {
      for (std::size_t p = 0; p < columns_.paddings.size(); ++p) {
        for (std::uint8_t t = 0; t < CoverageClasses(CoverageAxis::kTail).size(); ++t) {
          CoverageKey key;
          key.op = op_;
          key.at = {type, layout, overlap_, columns_.roundings[r], columns_.paddings[p], t};
          const auto place = cells_.find(key);
          const CoverageCell* cell = place == cells_.end() ? nullptr : place->second;
          const std::string square =
              Square(kMapLeft + ColumnX(r, p, t), y, cell, CoverageKeyText(key));
          const auto target = targets_.find(key);
          const bool leads = cell != nullptr && cell->failures > 0 && target != targets_.end();
          svg_ +=
              leads ? "<a href=\"#" + XmlText(target->second) + "\">" + square + "</a>" : square;
          ++total_;
          if (cell != nullptr) ++filled_;
          if (cell != nullptr && cell->failures > 0) ++failing_;
        }
      }
    }
  }

  const Operator op_;
  const std::uint8_t overlap_;
  const Columns columns_;
  const std::map<CoverageKey, std::string>& targets_;
  std::map<CoverageKey, const CoverageCell*> cells_;
  std::string svg_;
  std::int64_t total_ = 0;
  std::int64_t filled_ = 0;
  std::int64_t failing_ = 0;
};

}  // namespace

std::vector<HeatMap> DrawCoverage(Operator op, const std::vector<CoverageCell>& cells,
                                  const std::map<CoverageKey, std::string>& targets) {
  std::vector<HeatMap> maps;
  const std::uint8_t first = InfoOf(op).windows == WindowRule::kAdaptive ? 1 : 0;
  for (std::uint8_t overlap = first; overlap < kOverlapTitles.size(); ++overlap) {
    maps.push_back(MapPainter(op, overlap, cells, targets).Paint());
  }
  return maps;
}

}  // namespace poolproof
