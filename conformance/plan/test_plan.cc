// SPDX-License-Identifier: Apache-2.0
#include "conformance/plan/test_plan.h"

#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

namespace poolproof {

bool MatchesGlob(const std::string& glob, const std::string& path) {
  return fnmatch(glob.c_str(), path.c_str(), 0) == 0;
}

namespace {

// The order 0, n/2, n/4, 3n/4, n/8...: neighbours in a table differ little, so that those far from
// one another come first.
template <typename T>
std::vector<T> Spread(const std::vector<T>& items) {
  std::size_t width = 1;
  while (width < items.size()) width *= 2;
  std::vector<T> spread;
  spread.reserve(items.size());
  for (std::size_t i = 0; i < width; ++i) {
    std::size_t reversed = 0;
    for (std::size_t bit = 1; bit < width; bit *= 2) {
      reversed = 2 * reversed + ((i & bit) != 0 ? 1 : 0);
    }
    if (reversed < items.size()) spread.push_back(items[reversed]);
  }
  return spread;
}

}  // namespace

// Case r of a stratum of n is at (r + 1/2) / sqrt(n): by the time that t of the way is gone, t
// sqrt(n) of its cases have been. A delay is in the same unit.
std::vector<TestPlan::Entry> TestPlan::Interleave(const std::vector<std::vector<Member>>& strata) {
  struct Place {
    double at;
    std::size_t stratum;
    Entry entry;
  };
  std::size_t members = 0;
  for (const std::vector<Member>& stratum : strata) members += stratum.size();
  std::vector<Place> places;
  places.reserve(members);
  for (std::size_t s = 0; s < strata.size(); ++s) {
    const double rate = std::sqrt(static_cast<double>(strata[s].size()));
    for (std::size_t r = 0; r < strata[s].size(); ++r) {
      const Member& member = strata[s][r];
      places.push_back({(static_cast<double>(r) + 0.5) / rate + member.delay, s, member.entry});
    }
  }
  std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return a.at != b.at ? a.at < b.at : a.stratum < b.stratum;
  });
  std::vector<Entry> entries;
  entries.reserve(places.size());
  for (const Place& place : places) entries.push_back(place.entry);
  return entries;
}

TestPlan::TestPlan(CaseSources sources, const std::optional<std::string>& filter,
                   std::optional<std::int64_t> cap)
    : sources_(std::move(sources)) {
  if (!sources_.identity.empty()) {
    single_ = true;
    std::int64_t& count = sources_.random.front().count;
    count = std::min(count, cap.value_or(count));
    return;
  }
  std::vector<std::vector<Member>> strata;
  std::map<std::string, std::size_t> positions;
  for (std::uint32_t i = 0; i < sources_.fixed.size(); ++i) {
    if (!sources_.order_of) {
      entries_.push_back({0, i});
      continue;
    }
    const CaseSources::Order order = sources_.order_of(sources_.fixed[i]);
    const auto [place, added] = positions.emplace(order.stratum, strata.size());
    if (added) strata.emplace_back();
    strata[place->second].push_back({{0, i}, order.delay});
  }
  for (std::vector<Member>& stratum : strata) stratum = Spread(stratum);
  for (std::uint32_t s = 0; s < sources_.random.size(); ++s) {
    std::vector<Member>& stratum = strata.emplace_back();
    const std::int64_t count = std::max<std::int64_t>(0, sources_.random[s].count);
    stratum.reserve(static_cast<std::size_t>(count));
    for (std::uint32_t i = 0; i < count; ++i) stratum.push_back({{s + 1, i}, 0});
  }
  const std::vector<Entry> mixed = Interleave(strata);
  entries_.insert(entries_.end(), mixed.begin(), mixed.end());

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

NamedCase TestPlan::At(std::int64_t number) const {
  if (single_) return sources_.random.front().make(static_cast<std::uint64_t>(number));
  return Make(entries_[static_cast<std::size_t>(number)]);
}

NamedCase TestPlan::Make(const Entry& entry) const {
  if (entry.source == 0) return sources_.fixed[entry.index];
  return sources_.random[entry.source - 1].make(entry.index);
}

}  // namespace poolproof
