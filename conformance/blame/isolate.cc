// SPDX-License-Identifier: Apache-2.0
//
// The calls that are enough to show a failure: with those before it, a thread or a repetition less.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/blame/edit.h"
#include "conformance/blame/investigator.h"
#include "conformance/case/passed_axes.h"
#include "conformance/case/plan_members.h"
#include "conformance/judge/prepared_case.h"

namespace poolproof {
namespace {

// Earlier calls that a sequence may hold.
constexpr std::size_t kMaxHistory = 256;
constexpr std::int64_t kMaxHistoryElements = std::int64_t{1} << 22;

// Whether its calls may be made one after the other, before others. What the plan does beside them
// is left out: they are tried, and count only where they show the failure.
bool Embeddable(const Case& problem) {
  CallPlan plan = problem.plan;
  plan.growth_calls = 0;
  if (!IsOfWholeCalls(plan)) return false;
  for (const Call& call : problem.calls) {
    for (const Role role : InfoOf(call.op).tensors) {
      if (StorageElements(call.tensor(role)).value_or(0) > kMaxHistoryElements) return false;
    }
  }
  return true;
}

}  // namespace

void NoteRate(Verdict& verdict, int shows, int runs) {
  const std::string mark = "(flaky: it showed in ";
  for (Finding& finding : verdict.findings) {
    if (finding.message.starts_with(mark)) continue;
    // In front: long messages are cut.
    finding.message = mark + (shows == 0 ? "none" : std::to_string(shows)) + " of " +
                      std::to_string(runs) + " further runs) " + finding.message;
  }
}

bool Investigator::Confirm(const Case& problem, const Verdict& first) {
  problem_ = problem;
  std::optional<Verdict> shown;
  int shows = 0;
  int runs = 0;
  while (runs < kConfirmations) {
    ++runs;
    Verdict again = Try(problem);
    if (Shows(again)) {
      ++shows;
      if (!shown) shown = std::move(again);
      if (runs == 1) break;
    } else if (Failed(again)) {
      beside_ = std::move(again);
    }
  }
  verdict_ = shown.value_or(first);
  // The first one was chosen since it shows.
  shows_ = std::max(shows, 1);
  runs_ = shown ? runs : 1 + runs;
  if (shown && shows < runs) {
    steady_ = false;
    NoteRate(verdict_, shows, runs);
  }
  // What the first run saw and a fresh one does not may be a matter of timing; both are true.
  return shown.has_value();
}

// Whether earlier calls fail as they do together with the case's own, and are no history of it; of
// those whose answers were wrong once, whether they fail at all: what they damaged tells nothing of
// the order of calls.
bool Investigator::FailAlone(const Case& plain, const std::vector<Call>& earlier, bool were_right,
                             const Verdict& reference) {
  Case alone = plain;
  alone.plan.relation = Relation::kNone;
  alone.calls = earlier;
  const Verdict verdict = Try(alone);
  if (!were_right) return verdict.kind != VerdictKind::kPassed;
  return Failed(verdict) && SortsOf(verdict) == SortsOf(reference);
}

// Looks for the calls of `history`, latest first, that it takes.
bool Investigator::FindAmong(const Case& plain, std::vector<Call> history, bool were_right) {
  const auto sequence = [&](const std::vector<Call>& prefix) {
    Case combined = plain;
    combined.plan.relation = Relation::kNone;
    combined.calls.insert(combined.calls.begin(), prefix.begin(), prefix.end());
    return combined;
  };
  for (std::size_t length = 1; !history.empty() && !Spent(0.5); length *= 4) {
    length = std::min(length, history.size());
    std::vector<Call> prefix(history.rend() - static_cast<std::ptrdiff_t>(length), history.rend());
    Verdict verdict = Try(sequence(prefix));
    if (Shows(verdict)) {
      // Take away calls, larger runs first, while the failure stays.
      for (std::size_t run = std::max<std::size_t>(prefix.size() / 2, 1); run >= 1; run /= 2) {
        for (std::size_t at = 0; at + run <= prefix.size() && !Spent(0.6);) {
          std::vector<Call> fewer = prefix;
          fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(at),
                      fewer.begin() + static_cast<std::ptrdiff_t>(at + run));
          Verdict still = Try(sequence(fewer));
          if (Shows(still)) {
            prefix = std::move(fewer);
            verdict = std::move(still);
          } else {
            at += run;
          }
        }
        if (run == 1) break;
      }
      if (!prefix.empty() && FailAlone(plain, prefix, were_right, verdict)) {
        std::erase_if(history, [&](const Call& call) {
          return std::find(prefix.begin(), prefix.end(), call) != prefix.end();
        });
        length = std::max<std::size_t>(length / 4, 1);
        continue;
      }
      problem_ = sequence(prefix);
      verdict_ = std::move(verdict);
      return true;
    }
    if (length == history.size()) break;
  }
  return false;
}

bool Investigator::FindHistory(const Case& problem, const std::vector<EarlierCase>& before) {
  // What its plan does beside the calls did not show it: the calls alone may, after others.
  Case plain = problem;
  plain.plan.threads = 1;
  plain.plan.streams = 1;
  plain.plan.order = Order::kInTurn;
  plain.plan.reuse_executor = false;
  if (!IsOfWholeCalls(plain.plan) || !Embeddable(plain)) return FindRepetition(problem);
  const auto calls = [&](bool right_alone) {
    std::vector<Call> history;
    for (std::size_t i = before.size(); i-- > 0;) {
      const EarlierCase& earlier = before[i];
      if ((right_alone && !earlier.was_right) || !Embeddable(earlier.problem)) continue;
      const std::vector<Call>& own = earlier.problem.calls;
      for (std::size_t k = own.size(); k-- > 0 && history.size() < kMaxHistory;) {
        history.push_back(own[k]);
      }
    }
    return history;
  };
  if (FindAmong(plain, calls(true), true)) return true;
  if (FindRepetition(problem)) return true;
  const bool all_right = std::all_of(before.begin(), before.end(),
                                     [](const EarlierCase& earlier) { return earlier.was_right; });
  return !all_right && FindAmong(plain, calls(false), false);
}

// What a library runs out of after many calls shows when one is repeated often enough.
bool Investigator::FindRepetition(const Case& problem) {
  if (!IsOfWholeCalls(problem.plan)) return false;
  std::int64_t elements = 1;
  for (const Call& call : problem.calls) {
    for (const Role role : InfoOf(call.op).tensors) {
      elements += StorageElements(call.tensor(role)).value_or(0);
    }
  }
  const std::int64_t most = std::min(kMaxRepetitions, kMaxRepeatedElements / elements);
  Case often = problem;
  often.plan.relation = Relation::kNone;
  // Each at a further address would take memory for all of them, in each of them; pauses in each
  // would take minutes.
  often.plan.shift_bytes = 0;
  often.plan.settle_ms = 0;
  often.plan.look = Look::kNone;
  for (std::int64_t count = problem.plan.repeat; count < most && !Spent(0.7);) {
    count = std::min(std::max<std::int64_t>(8 * count, 64), most);
    often.plan.repeat = static_cast<int>(count);
    Verdict verdict = Try(often);
    if (!Shows(verdict)) continue;
    problem_ = std::move(often);
    verdict_ = std::move(verdict);
    return true;
  }
  return false;
}

// How often a call has to be repeated for it.
void Investigator::CountRepetitions(const Verdict& reference) {
  int passing = 1;
  while (problem_.plan.repeat - passing > 1 && !Spent(0.8)) {
    Case fewer = problem_;
    fewer.plan.repeat = passing + (problem_.plan.repeat - passing) / 2;
    if (FailsAlike(fewer, reference)) {
      problem_ = std::move(fewer);
    } else {
      passing = fewer.plan.repeat;
    }
  }
}

// Repetitions that found other contents each: the one content that is enough, in a single run.
void Investigator::TakePlainContents() {
  const CallPlan plan = problem_.plan;
  for (int repetition = 0; repetition < std::min(plan.repeat, 4); ++repetition) {
    Case once = problem_;
    once.plan.vary_contents = false;
    once.plan.repeat = 1;
    once.plan.output = PoisonOfRun(plan, plan.output, repetition);
    once.plan.workspace = PoisonOfRun(plan, plan.workspace, repetition);
    Verdict verdict = Try(once);
    if (!Shows(verdict)) continue;
    problem_ = std::move(once);
    verdict_ = std::move(verdict);
    return;
  }
}

// Takes away what the plan does to the phases, one thing after the other. True where the failure
// goes with one of them, whose clause is then to blame.
bool Investigator::IsolatePlan() {
  struct Feature {
    bool present;
    void (*remove)(CallPlan&);
    std::string_view clause;
    std::string_view why;
    bool races = false;
  };
  const CallPlan& plan = problem_.plan;
  const Feature features[] = {
      {plan.fill_late, [](CallPlan& p) { p.fill_late = false; }, "2P-01",
       " (only when inputs are filled after phase one)"},
      {plan.look != Look::kNone, [](CallPlan& p) { p.look = Look::kNone; }, "2P-07",
       " (only with copies on its stream or on another one)"},
      {plan.share_descriptors, [](CallPlan& p) { p.share_descriptors = false; }, "2P-07",
       " (only where a descriptor is used again)"},
      {plan.reuse_executor, [](CallPlan& p) { p.reuse_executor = false; }, "2P-07",
       " (only by an executor that ran before)"},
      {plan.streams > 1, [](CallPlan& p) { p.streams = 1; }, "2P-06",
       " (only with other streams at work)", /*races=*/true},
      {plan.order != Order::kInTurn, [](CallPlan& p) { p.order = Order::kInTurn; }, "2P-07",
       " (only while other executors live)"},
  };
  for (const Feature& feature : features) {
    if (!feature.present) continue;
    Case without = problem_;
    feature.remove(without.plan);
    Verdict verdict = Try(without);
    if (!Shows(verdict)) {
      if (feature.races ? !StaysGoneAlone(without) : !StaysGone(without)) continue;
      Reblame(SpoilsResult, {std::string(feature.clause)}, std::string(feature.why));
      return true;
    }
    problem_ = std::move(without);
    verdict_ = std::move(verdict);
  }
  return false;
}

// A call that shows it in one run is made once. True where it takes more: what is done before is to
// blame. Runs that differ since only the later ones are wrong say nothing of the order of a sum.
bool Investigator::BlameRepetition() {
  const auto is_wrong = [](const Finding& finding) { return IsWrongNumber(finding.kind); };
  const bool differ = AnyFinding(
      verdict_, [](const Finding& finding) { return finding.kind == FindingKind::kNotRepeatable; });
  if (differ && !AnyFinding(verdict_, is_wrong)) return false;
  const auto without_it = [&](const Verdict& verdict) {
    return differ ? !AnyFinding(verdict, is_wrong) : !Shows(verdict);
  };
  Case once = problem_;
  once.plan.repeat = 1;
  Verdict verdict = Try(once);
  if (!without_it(verdict)) {
    if (differ) return BlameLaterRuns(once, verdict);
    problem_ = std::move(once);
    verdict_ = std::move(verdict);
    return false;
  }
  if (!TakesSoManyCalls(without_it)) return false;
  Reblame(
      [](FindingKind kind) { return SpoilsResult(kind) || kind == FindingKind::kNotRepeatable; },
      {"2P-07"}, " (only when the call is repeated)");
  return true;
}

// Whether it shows each time from some number of repetitions on, and never in half as many: what
// comes and goes shows in many for no other reason than that they are many.
bool Investigator::TakesSoManyCalls(const std::function<bool(const Verdict&)>& without_it) {
  Case fewer = problem_;
  for (Case enough = problem_; !Spent(0.8); enough = fewer) {
    fewer.plan.repeat = enough.plan.repeat / 2;
    if (!without_it(Try(fewer))) {
      if (fewer.plan.repeat == 1) return false;
      continue;
    }
    for (int run = 0; run < kConfirmations; ++run) {
      if (without_it(Try(enough))) return false;
    }
    return PassesOneByOne(fewer, without_it);
  }
  return false;
}

// Runs differ, and the first one, `first` by itself, is wrong in other ways than the later ones:
// what these alone show is of the repetition, and so is that they differ; the rest is what the call
// made `once` is charged with. True where it is so.
bool Investigator::BlameLaterRuns(const Case& once, const Verdict& first) {
  std::set<FindingKind> later;
  for (const Finding& finding : verdict_.findings) {
    if (IsWrongNumber(finding.kind) && !HasFinding(first, finding.kind)) later.insert(finding.kind);
  }
  if (later.empty() || Spent(0.8)) return false;
  if (!PassesOneByOne(once, [&](const Verdict& verdict) {
        return !AnyFinding(verdict,
                           [&](const Finding& finding) { return later.contains(finding.kind); });
      })) {
    return false;
  }
  std::optional<Verdict> own = BlameOfItsOwn(once, first);
  if (!own.has_value()) return false;
  Reblame(
      [&](FindingKind kind) { return later.contains(kind) || kind == FindingKind::kNotRepeatable; },
      {"2P-07"}, " (only when the call is repeated)");
  for (const Finding& finding : verdict_.findings) {
    if (finding.clauses == std::vector<std::string>{"2P-07"}) own->findings.push_back(finding);
  }
  verdict_.findings = std::move(own->findings);
  return true;
}

// A sequence, several threads or repetitions: the shortest form that still fails, and whose clause
// it is that less passes. True where that clause is to blame.
bool Investigator::Isolate() {
  if (problem_.plan.vary_contents) TakePlainContents();
  if (IsolatePlan()) return true;
  if (problem_.plan.threads > 1) {
    Case alone = problem_;
    alone.plan.threads = 1;
    Verdict verdict = Try(alone);
    if (!Shows(verdict)) {
      // It may be the number of calls.
      Case as_many = alone;
      as_many.plan.repeat *= problem_.plan.threads;
      if (as_many.plan.repeat <= kMaxRepetitions && CheckPlan(as_many.plan).ok()) {
        Verdict of_as_many = Try(as_many);
        if (Shows(of_as_many)) {
          alone = std::move(as_many);
          verdict = std::move(of_as_many);
        }
      }
    }
    if (Shows(verdict)) {
      problem_ = std::move(alone);
      verdict_ = std::move(verdict);
    } else if (StaysGoneAlone(alone)) {
      Reblame(SpoilsResult, {"2P-06"}, " (only with other host threads at work)");
      return true;
    }
  }
  if (problem_.plan.repeat > 1 && BlameRepetition()) return true;
  const auto is_an_answer = [](FindingKind kind) {
    return InfoOf(kind).duty == Duty::kValid || IsWrongNumber(kind);
  };
  if (problem_.plan.growth_calls > 0 &&
      AnyFinding(verdict_, [&](const Finding& finding) { return is_an_answer(finding.kind); })) {
    Case once = problem_;
    once.plan.growth_calls = 0;
    if (!Shows(Try(once))) {
      Reblame(is_an_answer, {"2P-07"}, " (only after many calls)");
      return true;
    }
  }
  if (problem_.calls.size() == 1) {
    WithoutAdvice();
    return false;
  }
  // The last of an operator's calls; of several operators one that does not depend on their order,
  // so that cases with the same findings are charged alike.
  std::vector<Call> calls(problem_.calls.rbegin(), problem_.calls.rend());
  std::stable_sort(calls.begin(), calls.end(),
                   [](const Call& a, const Call& b) { return a.op < b.op; });
  for (Call& call : calls) {
    Case alone = problem_;
    alone.calls = {std::move(call)};
    alone.plan.relation = Relation::kNone;
    Verdict verdict = Try(alone);
    if (!Shows(verdict)) {
      // It may be the number of calls, of which some fail.
      const std::optional<Case> often = Repeated(alone);
      if (!often.has_value()) continue;
      verdict = Try(*often);
      if (!Shows(verdict)) continue;
      alone = *often;
    }
    problem_ = std::move(alone);
    verdict_ = std::move(verdict);
    if (problem_.plan.repeat > 1 && BlameRepetition()) return true;
    WithoutAdvice();
    return false;
  }
  // Memory of others is written to by one of the calls, whatever it took; runs that differ under
  // the deterministic option do so no matter where their buffers are, unless some are wrong.
  const bool wrong =
      AnyFinding(verdict_, [](const Finding& finding) { return IsWrongNumber(finding.kind); });
  Reblame(
      [=](FindingKind kind) {
        return SpoilsResult(kind) || kind == FindingKind::kWrongStatus ||
               kind == FindingKind::kAccepted || kind == FindingKind::kLateRefusal ||
               (wrong && kind == FindingKind::kNotRepeatable);
      },
      {"2P-07"}, " (only after the calls before it)");
  return true;
}

// A call that only advisory clauses allow may fail for a reason that has nothing to do with them:
// then the plainer call fails too, and is the better witness.
void Investigator::WithoutAdvice() {
  if (!AllowedByAdvice(context_.rules(), problem_)) return;
  Case plain = problem_;
  Call& call = plain.calls.front();
  // A copy of a broadcast view holds the same indices only if they are written down.
  if (std::optional<Call> literal = WithLiteralData(call, problem_.plan, kMaxLiteral))
    call = *literal;
  MakeContiguous(call.tensor(Role::kIndices));
  SetFormats(call, Format::kNd);
  Verdict verdict = Try(plain);
  if (!Shows(verdict)) return;
  problem_ = std::move(plain);
  verdict_ = std::move(verdict);
}

}  // namespace poolproof
