// SPDX-License-Identifier: Apache-2.0
#include "conformance/session/case_plan.h"

#include <fnmatch.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace poolproof {

bool MatchesGlob(const std::string& glob, const std::string& path) {
  return fnmatch(glob.c_str(), path.c_str(), 0) == 0;
}

CasePlan::CasePlan(CaseSources sources, const std::optional<std::string>& filter,
                   std::optional<std::int64_t> cap)
    : sources_(std::move(sources)) {
  for (std::uint32_t i = 0; i < sources_.fixed.size(); ++i) entries_.push_back({0, i});

  // Case i of a family of n stands at (i + 1/2) / n of the way: compared without division.
  struct Place {
    Entry entry;
    std::uint64_t numerator;    // 2i + 1
    std::uint64_t denominator;  // n
  };
  std::vector<Place> places;
  for (std::uint32_t s = 0; s < sources_.random.size(); ++s) {
    const auto count =
        static_cast<std::uint32_t>(std::max<std::int64_t>(0, sources_.random[s].count));
    for (std::uint32_t i = 0; i < count; ++i) {
      places.push_back({{s + 1, i}, 2 * std::uint64_t{i} + 1, count});
    }
  }
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    const std::uint64_t left = a.numerator * b.denominator;
    const std::uint64_t right = b.numerator * a.denominator;
    return left != right ? left < right : a.entry.source < b.entry.source;
  });
  for (const Place& place : places) entries_.push_back(place.entry);

  if (filter) {
    std::vector<Entry> kept;
    for (const Entry& entry : entries_) {
      if (cap && static_cast<std::int64_t>(kept.size()) >= *cap) break;
      if (MatchesGlob(*filter, Make(entry).Path())) kept.push_back(entry);
    }
    entries_ = std::move(kept);
  }
  if (cap && size() > *cap) entries_.resize(static_cast<std::size_t>(*cap));
}

NamedCase CasePlan::At(std::int64_t number) const {
  return Make(entries_[static_cast<std::size_t>(number)]);
}

NamedCase CasePlan::Make(const Entry& entry) const {
  if (entry.source == 0) return sources_.fixed[entry.index];
  return sources_.random[entry.source - 1].make(entry.index);
}

}  // namespace poolproof
