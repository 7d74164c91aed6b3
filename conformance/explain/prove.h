// SPDX-License-Identifier: Apache-2.0
//
// What causes hide: where every call that would have shown a required clause failed for another
// reason, calls like them are made of which no known cause holds.
#ifndef POOLPROOF_CONFORMANCE_EXPLAIN_PROVE_H_
#define POOLPROOF_CONFORMANCE_EXPLAIN_PROVE_H_

#include <functional>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/explain/explain.h"
#include "conformance/result/verdict.h"
#include "conformance/spec/profile_rules.h"
#include "conformance/tally/assemble.h"

namespace poolproof {

struct ProvenCase {
  Case problem;
  Verdict verdict;
};

// New cases that pass and speak for a clause where `hidden` says that nothing does: of each place
// one, where one is found. `causes`: the rules of what makes the library fail. Of what is asked
// nothing is concluded but what passes.
std::vector<ProvenCase> ProveTheRest(const ProfileRules& rules, const MakeAsk& make_ask, int jobs,
                                     const std::function<bool()>& quit,
                                     const std::vector<Rule>& causes,
                                     const std::vector<HiddenClause>& hidden);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_EXPLAIN_PROVE_H_
