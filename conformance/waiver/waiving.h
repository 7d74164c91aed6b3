// SPDX-License-Identifier: Apache-2.0
//
// Waiving: holds the cases of a run against the waivers and counts. A verdict never changes by it.
// Used by the session.
#ifndef POOLPROOF_CONFORMANCE_WAIVER_WAIVING_H_
#define POOLPROOF_CONFORMANCE_WAIVER_WAIVING_H_

#include <string>
#include <string_view>
#include <vector>

#include "conformance/waiver/waiver.h"

namespace poolproof {

class Waiving {
 public:
  // `today` is a date. Waivers about other implementations or profiles, and expired ones, waive
  // nothing.
  Waiving(std::vector<Waiver> waivers, std::string_view today,
          const ImplementationIdentity& implementation, Profile profile);

  [[nodiscard]] bool empty() const { return waivers_.empty(); }
  // The waivers by which a failing case is waived; empty: it is not. `problem` is the case as it
  // was planned, of which `failure` has the clauses and the signature; `required` are those of the
  // clauses that are so. Where several waivers fit, they
  // waive the case together: each breached required clause must be in the scope of one of them
  // (each advisory one, where there is no required one).
  std::vector<std::string> Failed(const Case& problem, const Failure& failure,
                                  const std::vector<std::string>& required);
  // A passed case, and the clauses for which it is evidence.
  void Passed(const Case& problem, const std::vector<std::string>& evidence, bool fixed);
  [[nodiscard]] std::vector<WaiverResult> Results(bool partial) const;

 private:
  static bool IsAbout(const Waiver& waiver, const Case& problem,
                      const std::vector<std::string>& clauses);
  static bool HoldsFor(const Waiver& waiver, const std::string& clause);

  struct Entry {
    Waiver waiver;
    bool active = false;
  };
  std::vector<Entry> waivers_;
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_WAIVER_WAIVING_H_
