// SPDX-License-Identifier: Apache-2.0
//
// Grafts: parts of a call that are put in the place of another call's, one row for each part. New
// cases that share some of what a failing case has, and some of what another one has, are made of
// them.
#ifndef POOLPROOF_CONFORMANCE_EXPLAIN_GRAFT_H_
#define POOLPROOF_CONFORMANCE_EXPLAIN_GRAFT_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conformance/case/case.h"
#include "core/random.h"

namespace poolproof {

struct Graft {
  std::string name;  // "kernelSize along W", "the layout of gradOutput"
  // Gives `to` what `from` has there, and what follows from it. False where one of the two has no
  // such part; `to` is then as it was. Requires cases of one call each.
  std::function<bool(Case& to, const Case& from)> put;
  std::optional<Role> data = {};    // whose contents it puts
  std::optional<Role> layout = {};  // whose place in memory
};

// The same for all cases, in a fixed order: what others follow from is in front of them.
const std::vector<Graft>& Grafts();

// Puts about so many of a hundred parts of `from` into `to`. False where none was put.
bool Mix(Case& to, const Case& from, int percent, RandomStream& random);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_EXPLAIN_GRAFT_H_
