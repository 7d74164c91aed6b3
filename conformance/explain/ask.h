// SPDX-License-Identifier: Apache-2.0
//
// Questions: cases that are given to the library to find out why it fails, and what the answers
// say.
#ifndef POOLPROOF_CONFORMANCE_EXPLAIN_ASK_H_
#define POOLPROOF_CONFORMANCE_EXPLAIN_ASK_H_

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "conformance/blame/blame.h"
#include "conformance/circumstance/circumstances.h"
#include "conformance/explain/limits.h"
#include "conformance/result/verdict.h"
#include "conformance/spec/profile_rules.h"
#include "conformance/tally/root_causes.h"

namespace poolproof {

struct Question {
  Case problem;
  CircumstanceValues values;
  std::string difference;  // from the case where the search started; empty: in several things
  Verdict verdict;
};

// What of a verdict a cause is looked for. Others of its findings are another cause's.
struct Way {
  AspectSet aspects = kAllAspects;
  bool refusal = false;          // of calls that must be refused
  bool status = false;           // refused, with another status
  std::set<Condition> speak_of;  // conditions of the clauses that the judge reads it as
  // What passes and is about other clauses alone passes, too.
  bool all_speak = false;
};

// What a verdict breaches of required clauses.
AspectSet RequiredOf(const Spec& spec, const Verdict& verdict);
// The way in which a case fails, beside what fails in every call. Requires one that fails.
Way WayOf(const Spec& spec, const Verdict& verdict, AspectSet ever);

// Whether the case fails in this way; nullopt: it says nothing of it, as one that ended before,
// that a fault may have hit without showing, or that is of other calls.
std::optional<bool> FailsIn(const Spec& spec, const Way& way, const Question& question);

// Puts questions, several at a time.
class Asker {
 public:
  // All must outlive it.
  Asker(const std::function<FreshAttempt()>& make_ask, int jobs, const std::function<bool()>& quit)
      : make_ask_(make_ask),
        jobs_(jobs),
        quit_(quit),
        asks_(static_cast<std::size_t>(std::max(1, jobs))) {}

  // Fills in the verdicts. False where there is no time for more, or too many hang: those are not
  // all filled in, then.
  bool Ask(const std::vector<Question*>& questions);

 private:
  [[nodiscard]] bool IsOver() const { return quit_() || hangs_ >= kMostHangs; }

  const std::function<FreshAttempt()>& make_ask_;
  const int jobs_;
  const std::function<bool()>& quit_;
  std::vector<FreshAttempt> asks_;  // by thread
  int hangs_ = 0;
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_EXPLAIN_ASK_H_
