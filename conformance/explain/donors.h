// SPDX-License-Identifier: Apache-2.0
//
// Donors: cases of all sorts, parts of which new cases are made of.
#ifndef POOLPROOF_CONFORMANCE_EXPLAIN_DONORS_H_
#define POOLPROOF_CONFORMANCE_EXPLAIN_DONORS_H_

#include <vector>

#include "conformance/case/case.h"
#include "conformance/circumstance/circumstances.h"
#include "conformance/spec/profile_rules.h"

namespace poolproof {

// Of one call.
struct Donor {
  Case problem;
  CircumstanceValues values;
};

class Donors {
 public:
  explicit Donors(const ProfileRules& rules);
  // `refused`: calls that must be refused, beside legal ones like them.
  [[nodiscard]] const std::vector<Donor>& Of(bool refused) const {
    return refused ? refused_ : legal_;
  }

 private:
  std::vector<Donor> legal_;
  std::vector<Donor> refused_;
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_EXPLAIN_DONORS_H_
