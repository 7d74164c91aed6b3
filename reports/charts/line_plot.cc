// SPDX-License-Identifier: Apache-2.0
#include "reports/charts/line_plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <set>

#include "reports/phrases.h"
#include "reports/xml_text.h"

namespace poolproof {
namespace {

constexpr int kWidth = 760;
constexpr int kHeight = 300;
constexpr double kLeft = 58;
constexpr double kRight = 500;  // end of the plane; names of series are behind it
constexpr double kTop = 26;
constexpr double kBottom = 252;
constexpr double kNameHeight = 15;
constexpr int kStyles = 4;  // .s0 to .s3 of the style sheet
constexpr std::size_t kMostName = 34;

std::string Place(double value) {
  std::array<char, 32> text = {};
  std::snprintf(text.data(), text.size(), "%.1f", value);
  return text.data();
}

// Three digits, without an exponent.
std::string Number(double value) {
  if (value >= 100) return Count(std::llround(value));
  std::array<char, 32> text = {};
  const int digits = value > 0 ? 2 - static_cast<int>(std::floor(std::log10(value))) : 0;
  std::snprintf(text.data(), text.size(), "%.*f", std::clamp(digits, 0, 9), value);
  std::string number = text.data();
  if (number.find('.') == std::string::npos) return number;
  number.erase(number.find_last_not_of('0') + 1);
  if (number.back() == '.') number.pop_back();
  return number;
}

// "64", "16 Ki", "1 Mi".
std::string BinaryNumber(double value) {
  constexpr double kKi = 1024;
  if (value >= kKi * kKi) return Number(value / (kKi * kKi)) + " Mi";
  return value >= kKi ? Number(value / kKi) + " Ki" : Number(value);
}

// Where a value lies along an axis.
class Axis {
 public:
  Axis(double least, double most, PlotScale scale, double begin, double end)
      : scale_(scale), least_(Scaled(least)), most_(Scaled(most)), begin_(begin), end_(end) {
    if (most_ - least_ < 1e-9) {  // a single value is in the middle
      least_ -= 0.5;
      most_ += 0.5;
    }
  }
  [[nodiscard]] double At(double value) const {
    return begin_ + (Scaled(value) - least_) / (most_ - least_) * (end_ - begin_);
  }

 private:
  [[nodiscard]] double Scaled(double value) const {
    return scale_ == PlotScale::kLinear ? value : std::log2(value);
  }
  PlotScale scale_;
  double least_;
  double most_;
  double begin_;
  double end_;
};

// 1, 2 or 5 times a power of ten, so that at most five steps reach `most`.
double StepTo(double most) {
  const double power = std::pow(10.0, std::floor(std::log10(most / 5)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (most <= 5 * factor * power) return factor * power;
  }
  return 10 * power;
}

class Painter {
 public:
  explicit Painter(const LinePlot& plot) : plot_(plot) {
    for (const PlotSeries& series : plot.series) {
      if (!series.measured) continue;
      for (const PlotPoint& point : series.points) {
        xs_.insert(point.x);
        least_ = std::min(least_, point.y);
        most_ = std::max(most_, point.y);
      }
    }
    if (plot.scale == PlotScale::kLinear) {
      const double step = StepTo(most_);
      for (double tick = 0; tick < most_ + step; tick += step) y_ticks_.push_back(tick);
    } else {
      const double first = std::floor(std::log10(least_));
      const double last = std::max(first + 1, std::ceil(std::log10(most_)));
      for (double power = first; power <= last; ++power) y_ticks_.push_back(std::pow(10.0, power));
    }
  }

  std::string Paint() {
    const Axis x(*xs_.begin(), *xs_.rbegin(), plot_.scale, kLeft + 14, kRight - 10);
    const Axis y(y_ticks_.front(), y_ticks_.back(), plot_.scale, kBottom, kTop);
    Grid(x, y);
    int style = 0;
    for (const PlotSeries& series : plot_.series) {
      if (series.points.empty()) continue;
      Line(series, series.measured ? "s" + std::to_string(style++ % kStyles) : "ideal", x, y);
    }
    Names();
    return "<svg class=\"plot\" role=\"img\" viewBox=\"0 0 " + Count(kWidth) + " " +
           Count(kHeight) + "\" width=\"" + Count(kWidth) + "\" aria-label=\"" +
           XmlText(CleanText(plot_.label)) + "\">" + svg_ + "</svg>";
  }

 private:
  void Text(const std::string& style, double x, double y, const std::string& words) {
    svg_ += "<text class=\"" + style + "\" x=\"" + Place(x) + "\" y=\"" + Place(y) + "\">" +
            XmlText(words) + "</text>";
  }

  [[nodiscard]] std::string XText(double value) const {
    return plot_.scale == PlotScale::kLinear ? Number(value) : BinaryNumber(value);
  }

  // Lines of equal y, and the numbers of both axes.
  void Grid(const Axis& x, const Axis& y) {
    for (const double tick : y_ticks_) {
      const std::string at = Place(y.At(tick));
      svg_ += "<line class=\"grid\" x1=\"" + Place(kLeft) + "\" x2=\"" + Place(kRight) +
              "\" y1=\"" + at + "\" y2=\"" + at + "\"/>";
      Text("left", kLeft - 6, y.At(tick) + 4, Number(tick));
    }
    double free = 0;  // numbers must not meet
    for (const double tick : xs_) {
      if (x.At(tick) < free) continue;
      Text("below", x.At(tick), kBottom + 17, XText(tick));
      free = x.At(tick) + 42;
    }
    Text("title", 0, kTop - 13, plot_.y_title);
    Text("below title", (kLeft + kRight) / 2, kBottom + 38, plot_.x_title);
  }

  void Line(const PlotSeries& series, const std::string& style, const Axis& x, const Axis& y) {
    std::string places;
    PlotPoint last = series.points.front();
    for (std::size_t i = 0; i < series.points.size(); ++i) {
      PlotPoint point = series.points[i];
      const bool beyond = point.y > y_ticks_.back();
      if (beyond && i == 0) return;
      if (beyond) {  // as far as the plane goes
        point.x = last.x + (point.x - last.x) * (y_ticks_.back() - last.y) / (point.y - last.y);
        point.y = y_ticks_.back();
      }
      places += (places.empty() ? "" : " ") + Place(x.At(point.x)) + "," + Place(y.At(point.y));
      last = point;
      if (beyond) break;
    }
    svg_ += "<polyline class=\"" + style + "\" points=\"" + places + "\"/>";
    const std::string name = CutText(CleanText(series.name), kMostName);
    names_.push_back({y.At(last.y), name, style});
    if (!series.measured) return;
    for (const PlotPoint& point : series.points) {
      svg_ += "<circle class=\"" + style + "\" cx=\"" + Place(x.At(point.x)) + "\" cy=\"" +
              Place(y.At(point.y)) + "\" r=\"4\"><title>" +
              XmlText(CleanText(series.name) + ": " + XText(point.x) + " " + plot_.x_title + ", " +
                      Number(point.y) + " " + plot_.y_title) +
              "</title></circle>";
    }
  }

  // The names beside the ends of the lines, each behind a piece of its line.
  void Names() {
    std::sort(names_.begin(), names_.end(), [](const Name& a, const Name& b) { return a.y < b.y; });
    const double height = kNameHeight * static_cast<double>(names_.size() - 1);
    double free = kTop;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const double below = height - kNameHeight * static_cast<double>(i);
      const double y = std::max(free, std::min(names_[i].y, kBottom - below));
      svg_ += "<polyline class=\"" + names_[i].style + "\" points=\"" + Place(kRight + 8) + "," +
              Place(y) + " " + Place(kRight + 32) + "," + Place(y) + "\"/>";
      Text("name", kRight + 38, y + 4, names_[i].words);
      free = y + kNameHeight;
    }
  }

  struct Name {
    double y;
    std::string words;
    std::string style;
  };

  const LinePlot& plot_;
  std::set<double> xs_;
  double least_ = std::numeric_limits<double>::max();
  double most_ = 0;
  std::vector<double> y_ticks_;
  std::vector<Name> names_;
  std::string svg_;
};

}  // namespace

std::string DrawLinePlot(const LinePlot& plot) { return Painter(plot).Paint(); }

}  // namespace poolproof
