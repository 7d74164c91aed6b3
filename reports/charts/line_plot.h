// SPDX-License-Identifier: Apache-2.0
//
// Line plots as SVG, in the colours of the HTML report: every series has a line of its own kind and
// its name at its end, every point says its numbers.
#ifndef POOLPROOF_REPORTS_CHARTS_LINE_PLOT_H_
#define POOLPROOF_REPORTS_CHARTS_LINE_PLOT_H_

#include <optional>
#include <string>
#include <vector>

namespace poolproof {

struct PlotPoint {
  double x = 0;
  double y = 0;
};

struct PlotSeries {
  std::string name;
  std::vector<PlotPoint> points;  // ascending by x
  bool measured = true;           // false: a line to compare with, without points of its own
};

// Both axes are linear, y from 0 on, or both logarithmic: x by powers of two, y by powers of ten.
enum class PlotScale { kLinear, kLogarithmic };

struct LinePlot {
  std::string label;    // what it shows, for those who do not see it
  std::string x_title;  // "workers"
  std::string y_title;  // "cases/s"
  PlotScale scale = PlotScale::kLinear;
  std::vector<PlotSeries> series;
};

// Requires a point of a measured series, and coordinates above 0. What is not measured is cut at
// the highest measured value.
std::string DrawLinePlot(const LinePlot& plot);

}  // namespace poolproof

#endif  // POOLPROOF_REPORTS_CHARTS_LINE_PLOT_H_
