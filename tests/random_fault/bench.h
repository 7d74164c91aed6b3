// SPDX-License-Identifier: Apache-2.0
//
// Bench: what is known of a random fault without asking the suite's explaining half: which cases of
// a run and which new cases fail, by the library itself.
#ifndef POOLPROOF_TESTS_RANDOM_FAULT_BENCH_H_
#define POOLPROOF_TESTS_RANDOM_FAULT_BENCH_H_

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/case/case_set.h"
#include "conformance/circumstance/circumstances.h"
#include "conformance/judge/judge.h"
#include "conformance/result/report.h"
#include "conformance/spec/spec.h"
#include "tests/random_fault/sandbox.h"

namespace poolproof {

// A case with what the library sees of it.
struct KnownCase {
  Case problem;
  std::vector<Sight> sights;
  std::vector<CircumstanceValues> calls;  // of new cases, and where rules alone are learnt
};

// How a case ends where the fault shows each time. What is hidden meets the trigger, and its
// verdict breaches nothing that is required.
enum class Fate : std::uint8_t { kPasses, kFails, kHidden };

// New cases that the fault could strike, by their fate. Left out is what is hidden.
struct Sample {
  // As they come.
  std::vector<const KnownCase*> drawn;
  std::set<const KnownCase*> fail;  // of them
  // As many of both sides, as far as there are: a rule has to be right where few cases fail, too.
  std::vector<const KnownCase*> inside;   // that fail
  std::vector<const KnownCase*> outside;  // that pass; half of them lack one condition alone
  std::vector<std::int64_t> lacking;      // by condition, those that lack it alone
  std::int64_t hidden = 0;
};

class Bench {
 public:
  // `set`: of the run. Looks at its cases, and at new ones.
  Bench(Sandbox& sandbox, CaseSet set);

  // Of a case by itself, on a library with the fault.
  [[nodiscard]] Fate FateOf(const random_fault::RandomFault& fault, const KnownCase& known) const;
  [[nodiscard]] Fate FateOf(const random_fault::RandomFault& fault, const Case& problem) const;

  // Of the run's cases that the fault could strike, the share that it does; and how many fail, of
  // the first few hundred that it strikes.
  struct Reach {
    double share = 0;
    std::int64_t struck = 0;
    std::int64_t fails = 0;
    std::set<std::string> clauses;  // required ones, as the judge reads the failures
  };
  [[nodiscard]] Reach ReachOf(const random_fault::RandomFault& fault) const;
  [[nodiscard]] Sample SampleOf(const random_fault::RandomFault& fault) const;
  // Why the fault is not worth a run; empty: it is.
  [[nodiscard]] std::string WhyDull(const random_fault::RandomFault& fault, const Reach& reach,
                                    const Sample& sample) const;

  // What the explaining half makes of the run's cases and of new ones that it asks for, without a
  // session: rules alone. Requires LookIntoRun().
  void LookIntoRun();
  [[nodiscard]] Report LearnRules(const random_fault::RandomFault& fault) const;

  [[nodiscard]] const JudgeContext& context() const { return context_; }

 private:
  [[nodiscard]] Verdict VerdictOf(const Case& problem) const;
  [[nodiscard]] std::set<std::string> RequiredOf(const Verdict& verdict) const;

  Sandbox& sandbox_;
  JudgeContext context_;
  std::vector<KnownCase> run_;
  std::vector<Verdict> right_;  // of them, on the library without a fault; see LookIntoRun
  std::vector<KnownCase> fresh_;
};

}  // namespace poolproof

#endif  // POOLPROOF_TESTS_RANDOM_FAULT_BENCH_H_
