// SPDX-License-Identifier: Apache-2.0
#include "conformance/session/investigating.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <semaphore>
#include <set>
#include <utility>
#include <vector>

#include "conformance/blame/blame.h"
#include "conformance/case/cost.h"
#include "conformance/plan/shards.h"
#include "conformance/session/starts_left.h"
#include "conformance/tally/readings.h"

namespace poolproof {
namespace {

using Clock = std::chrono::steady_clock;

struct ToInvestigate {
  const FailedCase* failed;
  bool timed_out;
};

// What cases are tried with.
struct Attempts {
  FreshAttempt patient;
  FreshAttempt afresh;  // a worker of its own for each
  // Empty where starts are slow:
  FreshAttempt hurried;  // workers' deadlines are short
  FreshAttempt thrifty;  // a worker in which nothing happens is used again
};

class Investigations {
 public:
  Investigations(const Investigating& run, ShardRecord& record) : run_(run), record_(record) {}

  bool Run();

 private:
  // Of the time that is left, investigates failures until that share of it has passed: where each
  // attempt is slow, what confirms a guess must not wait for the last of what was chosen.
  void AllowShare(double share) {
    const Clock::time_point now = Clock::now();
    until_ = run_.latest;
    if (run_.latest > now) {
      until_ = now + std::chrono::duration_cast<Clock::duration>((run_.latest - now) * share);
    }
  }

  // `known`: a journal holds the answer.
  template <typename Known>
  std::vector<ToInvestigate> Details(const std::vector<Choice>& choices, const Known& known) const;
  template <typename Look>
  void LookInto(const std::vector<ToInvestigate>& chosen, const Look& look);
  void FindAllBlame(const std::vector<Choice>& chosen);
  std::set<std::int64_t> ConfirmReadings();
  std::optional<Refinement> FindBlame(const ToInvestigate& chosen, const Attempts& attempts,
                                      InvestigationLimits limits) const;
  [[nodiscard]] std::optional<SmallerCase> OwnBlame(const SmallerCase& found,
                                                    const FreshAttempt& attempt,
                                                    const InvestigationLimits& limits) const;
  std::optional<Refinement> FindSmaller(const ToInvestigate& chosen, const Attempts& attempts,
                                        InvestigationLimits limits) const;
  // False where it could not be written down.
  bool Note(std::int64_t number, const Refinement& found);
  void TakeNoted();

  const Investigating& run_;
  ShardRecord& record_;
  std::vector<FailureRef> failures_;
  StartsLeft starts_;
  Clock::time_point until_ = run_.latest;
  std::mutex mutex_;
  std::map<std::int64_t, Refinement> noted_;  // and not yet in `record_`
};

bool Investigations::Note(std::int64_t number, const Refinement& found) {
  if (!run_.note(number, found)) return false;
  run_.recorder.Refine(number, found);
  const std::lock_guard lock(mutex_);
  noted_.insert_or_assign(number, found);
  return true;
}

// Not while threads read the record.
void Investigations::TakeNoted() {
  for (FailedCase& failed : record_.failures) {
    const auto found = noted_.find(failed.number);
    if (found != noted_.end()) failed.refined = std::move(found->second);
  }
  noted_.clear();
}

// Investigates the chosen failures, as far as time allows, and notes what is found.
template <typename Look>
void Investigations::LookInto(const std::vector<ToInvestigate>& chosen, const Look& look) {
  std::atomic<std::size_t> next{0};
  // Large cases take memory: no more of them at a time than while cases are judged.
  constexpr double kLarge = 1 << 20;
  std::counting_semaphore<> large(run_.large);
  const auto is_over = [&] { return run_.quit() || Clock::now() >= until_; };
  OnThreads(std::min(run_.jobs, static_cast<int>(chosen.size())), [&] {
    std::int64_t number = 0;
    // Nothing is concluded from an attempt that could not be made since there was no more time, or
    // no start.
    bool gave_up = false;
    const auto quit = [&] { return gave_up = gave_up || is_over(); };
    const auto start = [&]() -> Result<std::unique_ptr<Worker>> {
      if (!run_.quit() && starts_.Take(number)) return run_.fresh();
      gave_up = true;
      return Unavailable("the failure is worth no more workers");
    };
    const MakeAttempt patient = run_.attempts(start, quit);
    const MakeAttempt hurried = run_.attempts(Hurried(start), quit);
    const FreshAttempt afresh =
        MakeFreshAttempt(run_.context, run_.parts.judge, start, &run_.check, quit);
    for (;;) {
      const std::size_t turn = next++;
      if (turn >= chosen.size() || is_over()) return;
      number = chosen[turn].failed->number;
      gave_up = false;
      if (!starts_.Any(number)) continue;
      InvestigationLimits limits;
      const std::chrono::duration<double> left = until_ - Clock::now();
      limits.max_seconds = std::min(limits.max_seconds, left.count());
      Attempts attempts = {patient(), afresh, {}, {}};
      if (!run_.limits.few_starts) {
        attempts.hurried = hurried();
        // Its own: what a worker has seen must not depend on the order of threads.
        attempts.thrifty =
            MakeKeptAttempts(run_.context, run_.parts.judge, start, &run_.check, quit)();
      }
      const bool is_large = CostOf(chosen[turn].failed->problem) > kLarge;
      if (is_large) large.acquire();
      std::optional<Refinement> found;
      try {
        found = look(chosen[turn], attempts, limits);
      } catch (const std::bad_alloc&) {
        // A case that was made to find out is too large: the run has its verdict without it.
      }
      if (is_large) large.release();
      if (!found || gave_up) continue;
      if (!Note(number, *found)) return;
    }
  });
  TakeNoted();
}

std::optional<Refinement> Investigations::FindBlame(const ToInvestigate& chosen,
                                                    const Attempts& attempts,
                                                    InvestigationLimits limits) const {
  const FailedCase& failed = *chosen.failed;
  std::vector<Recorder::Seen> seen = run_.recorder.SeenBefore(failed);
  // That there were some is all that is asked.
  if (!limits.search_earlier && seen.size() > 1) seen.erase(seen.begin(), seen.end() - 1);
  std::vector<EarlierCase> before;
  before.reserve(seen.size());
  for (const auto& [number, was_right] : seen) {
    before.push_back({run_.plan.At(number).problem, was_right});
  }
  const auto investigate = [&](const FreshAttempt& by) -> std::optional<Refinement> {
    Investigation found =
        run_.parts.investigate(run_.context, failed.problem, failed.verdict, before, by, limits);
    // Half an answer is worse than that of a sibling.
    if (!found.complete) return std::nullopt;
    return Refinement{std::move(found.problem),
                      KeptVerdict(std::move(found.verdict)),
                      {},
                      {},
                      found.behind_others};
  };
  // Of calls that hang, each costs its deadline: a short one in the search, and what is found is
  // asked in full.
  if (!chosen.timed_out) return investigate(attempts.patient);
  if (attempts.hurried && Hangs(attempts.patient(failed.problem))) {
    std::optional<Refinement> found = investigate(attempts.hurried);
    if (!found) return Refinement{failed.problem, failed.verdict, {}, {}};
    if (found->problem == failed.problem || Hangs(attempts.patient(found->problem))) return found;
  }
  limits.max_attempts = kTimeoutAttempts;
  return investigate(attempts.patient);
}

// `found` as fresh workers show it; nullopt where it breaches other clauses there.
std::optional<SmallerCase> Investigations::OwnBlame(const SmallerCase& found,
                                                    const FreshAttempt& attempt,
                                                    const InvestigationLimits& limits) const {
  Investigation own =
      run_.parts.investigate(run_.context, found.problem, found.verdict, {}, attempt, limits);
  if (!own.complete || own.verdict.kind != VerdictKind::kFailed ||
      ClausesOf(own.verdict) != ClausesOf(found.verdict)) {
    return std::nullopt;
  }
  return SmallerCase{std::move(own.problem), std::move(own.verdict)};
}

std::optional<Refinement> Investigations::FindSmaller(const ToInvestigate& chosen,
                                                      const Attempts& attempts,
                                                      InvestigationLimits limits) const {
  Refinement refinement = *chosen.failed->refined;
  const auto make_smaller = [&](const FreshAttempt& by) {
    InvestigationLimits of_search = limits;
    of_search.max_attempts = kShrinkAttempts;
    of_search.max_hangs = kShrinkHangs;
    return run_.parts.make_smaller(run_.context, refinement.problem, refinement.verdict, by,
                                   of_search);
  };
  // What is found in other ways than by patience in fresh workers is asked so. A worker that is
  // used again has made calls that what is behind others may be behind.
  std::optional<SmallerCase> smaller;
  if (chosen.timed_out && attempts.hurried) {
    smaller = make_smaller(attempts.hurried);
    if (smaller && !Hangs(attempts.patient(smaller->problem))) return std::nullopt;
  } else if (attempts.thrifty && !refinement.behind_others) {
    smaller = make_smaller(attempts.thrifty);
    if (smaller) {
      smaller = OwnBlame(*smaller, attempts.patient, limits);
      if (!smaller) smaller = make_smaller(attempts.patient);
    }
  } else {
    smaller = make_smaller(attempts.patient);
    if (smaller && attempts.afresh(smaller->problem).kind != VerdictKind::kFailed) {
      return std::nullopt;
    }
  }
  if (!smaller) return std::nullopt;
  refinement.shrunk = std::move(smaller->problem);
  refinement.shrunk_verdict = KeptVerdict(std::move(smaller->verdict));
  return refinement;
}

template <typename Known>
std::vector<ToInvestigate> Investigations::Details(const std::vector<Choice>& choices,
                                                   const Known& known) const {
  std::vector<ToInvestigate> details;
  for (const Choice& choice : choices) {
    const FailureRef& failure = failures_[choice.position];
    const FailedCase* detail = FindFailed(record_, failure.number);
    if (detail != nullptr && !known(*detail)) details.push_back({detail, failure.timed_out});
  }
  return details;
}

// Of the chosen failures. Earlier calls of those that pass alone are looked for last, and on behalf
// of some of the same findings where these tell enough; a shard looks for all.
void Investigations::FindAllBlame(const std::vector<Choice>& chosen) {
  std::mutex mutex;
  std::set<std::int64_t> behind_others;
  const auto investigated = [](const FailedCase& failed) { return failed.refined.has_value(); };
  const auto look = [&](const ToInvestigate& failure, const Attempts& attempts,
                        InvestigationLimits limits) -> std::optional<Refinement> {
    limits.search_earlier = run_.limits.is_part;
    std::optional<Refinement> found = FindBlame(failure, attempts, limits);
    ++run_.progress.investigated;
    if (limits.search_earlier || !found || !found->behind_others) return found;
    const std::lock_guard lock(mutex);
    behind_others.insert(failure.failed->number);
    return std::nullopt;
  };
  const auto refined = [&](std::int64_t number) -> const Refinement* {
    const FailedCase* failed = FindFailed(record_, number);
    return failed != nullptr && failed->refined ? &*failed->refined : nullptr;
  };
  const Turns turns = InTurns(chosen, failures_);
  LookInto(Details(turns.first, investigated), look);
  // What other shards find is not known.
  const std::vector<Choice> second =
      run_.limits.is_part ? turns.second : LeftOfSecond(turns, failures_, [&](std::int64_t number) {
        return behind_others.contains(number) ? FoundOfOthers() : FoundBy(refined(number));
      });
  run_.progress.investigations -= std::ssize(turns.second) - std::ssize(second);
  LookInto(Details(second, investigated), look);
  if (behind_others.empty()) return;
  const auto search = [&](const std::vector<std::int64_t>& numbers) {
    std::vector<ToInvestigate> searched;
    searched.reserve(numbers.size());
    for (const std::int64_t number : numbers) {
      searched.push_back({FindFailed(record_, number), /*timed_out=*/false});
    }
    LookInto(searched, [&](const ToInvestigate& failure, const Attempts& attempts,
                           const InvestigationLimits& limits) {
      return FindBlame(failure, attempts, limits);
    });
  };
  const auto is_behind = [&](std::int64_t number) {
    const Refinement* known = refined(number);
    return known != nullptr ? known->behind_others : behind_others.contains(number);
  };
  const OthersSearched groups = GroupBehindOthers(chosen, failures_, is_behind);
  std::vector<std::int64_t> first;
  for (const auto& [kinds, group] : groups) {
    first.insert(first.end(), group.searched.begin(), group.searched.end());
  }
  std::erase_if(first, [&](std::int64_t number) { return refined(number) != nullptr; });
  search(first);
  std::vector<std::int64_t> more;
  for (const auto& [kinds, group] : groups) {
    const bool enough = TellEnough(group, refined);
    for (const std::int64_t number : group.others) {
      if (refined(number) != nullptr) continue;
      if (!enough) {
        more.push_back(number);
        continue;
      }
      if (!Note(number, BehindOthers(*FindFailed(record_, number)))) return;
    }
  }
  TakeNoted();
  search(more);
}

// Investigates cases whose clause is so far a guess; returns them.
std::set<std::int64_t> Investigations::ConfirmReadings() {
  const auto cases = [&] {
    std::vector<FailedReading> readings;
    for (const JudgedCase& judged : record_.cases) {
      const CaseClass& kind = record_.classes[judged.case_class];
      if (kind.state != CaseState::kFailed) continue;
      const FailedCase* failed = FindFailed(record_, judged.number);
      const bool refined = failed != nullptr && failed->refined;
      readings.push_back(
          {judged.number, &kind, refined ? &*failed->refined : nullptr, failed != nullptr});
    }
    return readings;
  };
  return poolproof::ConfirmReadings(
      run_.context.rules(), cases, [&](const std::vector<std::int64_t>& numbers) {
        std::vector<ToInvestigate> doubtful;
        doubtful.reserve(numbers.size());
        for (const std::int64_t number : numbers) {
          doubtful.push_back({FindFailed(record_, number), /*timed_out=*/false});
        }
        LookInto(doubtful, [&](const ToInvestigate& failure, const Attempts& attempts,
                               const InvestigationLimits& limits) {
          return FindBlame(failure, attempts, limits);
        });
      });
}

bool Investigations::Run() {
  // Not made smaller where starts are slow, of which that takes many.
  std::set<std::int64_t> kept_as_they_are;
  const bool few_starts = run_.limits.few_starts;
  for (const JudgedCase& judged : record_.cases) {
    const CaseClass& kind = record_.classes[judged.case_class];
    if (kind.state != CaseState::kFailed) continue;
    failures_.push_back(FailureRefOf(judged.number, kind, FindFailed(record_, judged.number)));
    if (few_starts && !BreachesRequired(*run_.context.spec, kind)) {
      kept_as_they_are.insert(judged.number);
    }
  }
  if (failures_.empty()) return false;
  std::vector<Choice> chosen = ChooseInvestigations(failures_, run_.limits);
  run_.progress.investigations = static_cast<std::int64_t>(chosen.size());
  bool few_failures = false;
  if (few_starts) {
    for (const auto& [position, most] : StartsToSpend(failures_, chosen)) {
      few_failures = true;
      starts_.Allow(failures_[position].number, most);
    }
  }
  constexpr double kShareOfBlame = 0.6;  // and as much of the rest to confirm guesses
  AllowShare(kShareOfBlame);
  FindAllBlame(chosen);
  AllowShare(kShareOfBlame);
  const std::set<std::int64_t> confirmed = ConfirmReadings();
  AllowShare(1);
  for (std::size_t position = 0; position < failures_.size(); ++position) {
    if (confirmed.contains(failures_[position].number)) chosen.push_back({0, position});
  }
  const auto kind_of = [&](std::int64_t number) {
    return KindOfFailure(FindFailed(record_, number));
  };
  const std::vector<Choice> first =
      FirstOfKind(chosen, failures_, kind_of, run_.limits, /*per_symptom=*/run_.limits.is_part);
  LookInto(
      Details(first,
              [&](const FailedCase& failed) {
                return !failed.refined || failed.refined->shrunk.has_value() ||
                       kept_as_they_are.contains(failed.number);
              }),
      [&](const ToInvestigate& failure, const Attempts& attempts,
          const InvestigationLimits& limits) { return FindSmaller(failure, attempts, limits); });
  record_ = run_.take_record();
  return few_failures;
}

}  // namespace

bool InvestigateFailures(const Investigating& run, ShardRecord& record) {
  return Investigations(run, record).Run();
}

}  // namespace poolproof
