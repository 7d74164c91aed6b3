// SPDX-License-Identifier: Apache-2.0
//
// Shrinking on the domain: fewer planes, smaller windows, plain layouts, plain data, as long as the
// failure keeps its signature.
#ifndef POOLPROOF_CONFORMANCE_BLAME_SHRINK_H_
#define POOLPROOF_CONFORMANCE_BLAME_SHRINK_H_

#include <cstddef>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/case/case.h"

namespace poolproof {

// Simpler cases one step away, the boldest first. Not all of them are meaningful calls: the caller
// keeps those that still fail the same way. Of related calls the first gets simpler, and the others
// follow.
class SimplerCases {
 public:
  // One of the case's calls, changed: of many calls as many copies of the case would take long.
  struct ChangedCall {
    std::size_t position;
    Call call;
  };
  using Step = std::variant<ChangedCall, Case>;

  explicit SimplerCases(Case problem);

  void PutFirst(Case step) { steps_.insert(steps_.begin(), std::move(step)); }
  [[nodiscard]] std::size_t size() const { return steps_.size(); }
  // Requires at < size().
  [[nodiscard]] Case At(std::size_t at) const;

 private:
  Case problem_;
  std::vector<Step> steps_;
};

// The case with everything plain but the extents of planes and windows: one plane, types, layouts,
// formats and data that are the plainest, and no plan. nullopt where it is that already, or made of
// related calls. For failures of which each attempt is slow.
std::optional<Case> PlainestCase(const Case& problem);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_BLAME_SHRINK_H_
