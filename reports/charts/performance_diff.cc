// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>

#include "reports/charts/performance.h"
#include "reports/phrases.h"

namespace poolproof {
namespace {

// How a measure moved, in shares of what it was, and how much of that may be noise: the whole
// widths of both intervals, which are independent, together.
struct Moved {
  double by;
  double noise;
};
Moved MoveOf(double before, const Interval& before_in, double after, const Interval& after_in) {
  return {after / before - 1, std::hypot(before_in.width() / before, after_in.width() / after)};
}

// Times of others are multiples of ours: inverted, ours are multiples of theirs.
Interval Inverted(const Interval& interval) { return {1 / interval.high, 1 / interval.low}; }

// The ratio to what was measured beside it that is known best in both runs: a machine that is
// slower as a whole moves both. The time itself where there is no such.
Moved BestKnown(const PerformanceRow& before, const PerformanceRow& after) {
  std::optional<Moved> best;
  const auto consider = [&](const Moved& moved) {
    if (!best || moved.noise < best->noise) best = moved;
  };
  if (before.over_limit && after.over_limit && before.over_limit_interval &&
      after.over_limit_interval) {
    consider(MoveOf(*before.over_limit, *before.over_limit_interval, *after.over_limit,
                    *after.over_limit_interval));
  }
  const auto find = [](const auto& list, const std::string& name) {
    return std::find_if(list.begin(), list.end(),
                        [&](const auto& entry) { return entry.first == name; });
  };
  for (const auto& [name, times] : before.over_ours) {
    const auto now = find(after.over_ours, name);
    const auto was_in = find(before.over_ours_intervals, name);
    const auto now_in = find(after.over_ours_intervals, name);
    if (now == after.over_ours.end() || was_in == before.over_ours_intervals.end() ||
        now_in == after.over_ours_intervals.end()) {
      continue;
    }
    consider(
        MoveOf(1 / times, Inverted(was_in->second), 1 / now->second, Inverted(now_in->second)));
  }
  if (best) return *best;
  return MoveOf(before.ours_ms, *before.ours_interval, after.ours_ms, *after.ours_interval);
}

// -1, 0, 1: faster, no difference beyond the noise, slower. The time has to have moved that way as
// well: it may be the others that changed.
int Direction(const PerformanceRow& before, const PerformanceRow& after) {
  const Moved moved = BestKnown(before, after);
  if (moved.by > moved.noise && after.ours_ms > before.ours_ms) return 1;
  return -moved.by > moved.noise && after.ours_ms < before.ours_ms ? -1 : 0;
}

void SortBySpeed(std::vector<PerformanceChange>& changes) {
  std::stable_sort(changes.begin(), changes.end(),
                   [](const PerformanceChange& a, const PerformanceChange& b) {
                     return a.after_ms / a.before_ms > b.after_ms / b.before_ms;
                   });
}

std::string ChangeWords(const PerformanceChange& change) {
  std::string words = CleanText(change.setting.shape + ", " + change.setting.Words());
  if (!change.reason.empty()) return words + ": " + CleanText(change.reason);
  std::array<char, 128> text = {};
  std::snprintf(text.data(), text.size(), ": %.4g ms, was %.4g (%+.0f %%)", change.after_ms,
                change.before_ms, 100 * (change.after_ms / change.before_ms - 1));
  return words + text.data();
}

std::string HeadOf(const PerformanceDiff& diff) {
  std::string head = CountOf(std::ssize(diff.slower), "setting") + " slower, " +
                     Count(std::ssize(diff.faster)) + " faster, of " + Count(diff.compared) +
                     " compared";
  if (!diff.broken.empty()) {
    head = Count(std::ssize(diff.broken)) + " cannot be timed any more, " + head;
  }
  if (diff.wide > 0) head += ", " + Count(diff.wide) + " of them with much noise";
  if (diff.unpaired > 0) {
    head += "; " + Count(diff.unpaired) + " in one file only or timed too seldom";
  }
  return head;
}

std::string SubjectsOf(const PerformanceDiff& diff) {
  if (diff.before == diff.after) return CleanText(diff.before);
  return CleanText(diff.before) + " and then " + CleanText(diff.after);
}

}  // namespace

PerformanceDiff DiffPerformance(const Performance& before, const Performance& after) {
  PerformanceDiff diff;
  diff.before = before.implementation;
  diff.after = after.implementation;
  std::int64_t paired = 0;
  for (const PerformanceRow& old : before.rows) {
    const auto now =
        std::find_if(after.rows.begin(), after.rows.end(),
                     [&](const PerformanceRow& row) { return row.setting == old.setting; });
    if (now == after.rows.end()) {
      const auto lost =
          std::find_if(after.not_timed.begin(), after.not_timed.end(), [&](const NotTimed& entry) {
            return entry.setting == old.setting && entry.who == after.implementation;
          });
      if (lost == after.not_timed.end()) {
        ++diff.unpaired;
      } else {
        diff.broken.push_back({old.setting, old.ours_ms, 0, lost->reason});
      }
      continue;
    }
    ++paired;
    if (!old.ours_interval || !now->ours_interval) {
      ++diff.unpaired;
      continue;
    }
    ++diff.compared;
    if (!old.narrow || !now->narrow) ++diff.wide;
    const int move = Direction(old, *now);
    if (move == 0) continue;
    (move > 0 ? diff.slower : diff.faster).push_back({old.setting, old.ours_ms, now->ours_ms, {}});
  }
  diff.unpaired += std::ssize(after.rows) - paired;
  SortBySpeed(diff.slower);
  SortBySpeed(diff.faster);
  return diff;
}

std::string PerformanceDiffText(const PerformanceDiff& diff) {
  std::string text = SubjectsOf(diff) + ": " + HeadOf(diff) + "\n";
  for (const PerformanceChange& change : diff.broken) {
    text += "  broken  " + ChangeWords(change) + "\n";
  }
  for (const PerformanceChange& change : diff.slower) {
    text += "  slower  " + ChangeWords(change) + "\n";
  }
  for (const PerformanceChange& change : diff.faster) {
    text += "  faster  " + ChangeWords(change) + "\n";
  }
  return text;
}

std::string PerformanceDiffMarkdown(const PerformanceDiff& diff) {
  const bool good = diff.broken.empty() && diff.slower.empty();
  std::string text = "## " + std::string(good ? ":white_check_mark: " : ":x: ") + "Times of " +
                     SubjectsOf(diff) + "\n\n" + HeadOf(diff) + ".\n";
  const auto list = [&](const char* title, const std::vector<PerformanceChange>& changes) {
    if (changes.empty()) return;
    text += "\n### " + std::string(title) + "\n\n";
    for (const PerformanceChange& change : changes) text += "- " + ChangeWords(change) + "\n";
  };
  list("Cannot be timed any more", diff.broken);
  list("Slower", diff.slower);
  list("Faster", diff.faster);
  return text;
}

}  // namespace poolproof
