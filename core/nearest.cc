// SPDX-License-Identifier: Apache-2.0
#include "core/nearest.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>

namespace poolproof {
namespace {

std::string Upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

// Insertions, deletions, substitutions and exchanges of neighbours that make `b` of `a`.
std::size_t EditDistance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      std::size_t& best = cost[i][j];
      best = std::max(i, j);
      if (i > 0) best = std::min(best, cost[i - 1][j] + 1);
      if (j > 0) best = std::min(best, cost[i][j - 1] + 1);
      if (i == 0 || j == 0) continue;
      best = std::min(best, cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        best = std::min(best, cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

std::vector<std::string> NearMatches(const std::string& text,
                                     const std::vector<std::string>& names) {
  // What is longer than any name means none of them.
  constexpr std::size_t kLongest = 64;
  if (text.size() > kLongest) return {};
  std::vector<std::pair<std::size_t, std::string>> ranked;
  const std::string meant = Upper(text);
  for (const std::string& name : names) {
    const std::string other = Upper(name);
    const std::size_t distance = EditDistance(meant, other);
    // A name cut short, or a part of one: "impl", "B02", "950".
    const bool part = (meant.size() >= 3 && other.starts_with(meant)) ||
                      (meant.size() >= 2 && other.ends_with("-" + meant));
    const std::size_t allowed = std::max<std::size_t>(meant.size() < 4 ? 1 : 2, meant.size() / 4);
    // Of one letter that is another nothing is left.
    const bool near = distance <= allowed && distance < meant.size();
    if (part || near) ranked.emplace_back(part ? 0 : distance, name);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> nearest;
  for (const auto& [distance, name] : ranked) {
    if (nearest.size() < 3) nearest.push_back(name);
  }
  return nearest;
}

std::string DidYouMean(const std::string& text, std::span<const std::string_view> names) {
  const std::vector<std::string> near = NearMatches(text, {names.begin(), names.end()});
  return near.empty() ? "" : "; did you mean " + near.front() + "?";
}

}  // namespace poolproof
