// SPDX-License-Identifier: Apache-2.0
//
// TestPlan: the numbered list of cases of a run. Kinds of cases (strata) are interleaved, small
// ones at a higher rate than their share, so that a run's first few hundred cases hold every kind
// and a fault is met early whatever it is. Random cases are made when they are asked for. Used by
// the session and by `list cases`.
#ifndef POOLPROOF_CONFORMANCE_PLAN_TEST_PLAN_H_
#define POOLPROOF_CONFORMANCE_PLAN_TEST_PLAN_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conformance/case/case.h"

namespace poolproof {

struct RandomSource {
  std::string name;
  std::int64_t count = 0;
  // Pure, and called from several threads at once.
  std::function<NamedCase(std::uint64_t index)> make;
};

struct CaseSources {
  // Where it is not empty, the plan's cases follow from it and the seed: their lines are not
  // hashed.
  std::string identity;
  std::vector<NamedCase> fixed;
  std::vector<RandomSource> random;
  // Where a fixed case belongs; a random source is a stratum of its own. Without it the fixed cases
  // come first, in their order.
  struct Order {
    std::string stratum;
    double delay = 0;  // how much later it comes, for cases that take long
  };
  std::function<Order(const NamedCase&)> order_of;
};

// `*` matches any run of characters (slashes included), `?` one, `[..]` a set.
bool MatchesGlob(const std::string& glob, const std::string& path);

class TestPlan {
 public:
  // `filter` is matched against NamedCase::Path(); `cap` keeps the first cases that remain.
  TestPlan(CaseSources sources, const std::optional<std::string>& filter,
           std::optional<std::int64_t> cap);

  [[nodiscard]] std::int64_t size() const {
    return single_ ? sources_.random.front().count : static_cast<std::int64_t>(entries_.size());
  }
  [[nodiscard]] const std::string& identity() const { return sources_.identity; }
  // Requires 0 <= number < size().
  [[nodiscard]] NamedCase At(std::int64_t number) const;
  // Whether it is the same for every seed.
  [[nodiscard]] bool IsFixed(std::int64_t number) const {
    return !single_ && entries_[static_cast<std::size_t>(number)].source == 0;
  }

 private:
  struct Entry {
    std::uint32_t source;  // 0: fixed, otherwise 1 + position among the random sources
    std::uint32_t index;
  };
  struct Member {
    Entry entry;
    double delay;
  };
  static std::vector<Entry> Interleave(const std::vector<std::vector<Member>>& strata);
  [[nodiscard]] NamedCase Make(const Entry& entry) const;

  CaseSources sources_;
  bool single_ = false;  // one random source, in its order: no entries
  std::vector<Entry> entries_;
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_PLAN_TEST_PLAN_H_
