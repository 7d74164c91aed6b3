// SPDX-License-Identifier: Apache-2.0
#include "conformance/tally/assemble.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <map>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "conformance/plan/investigations.h"
#include "conformance/plan/stop_bound.h"
#include "conformance/properties/properties.h"
#include "conformance/result/side_effect.h"
#include "conformance/result/single_fault.h"
#include "conformance/tally/evidence_count.h"
#include "conformance/tally/readings.h"
#include "conformance/tally/report_causes.h"
#include "conformance/waiver/waiving.h"

namespace poolproof {
namespace {

// Failing cases with one signature that a report lists; all are counted.
constexpr std::size_t kListedPerSignature = kDetailedPerClass;

std::string MessageOf(const Verdict& verdict) {
  std::string text;
  std::set<std::string> said;
  for (const Finding& finding : verdict.findings) {
    if (!said.insert(finding.message).second) continue;
    if (said.size() > 3) {
      text += "; and more";
      break;
    }
    text += (text.empty() ? "" : "; ") + finding.message;
  }
  return text;
}

// The wrong elements that a verdict names, call by call.
std::vector<Mismatch> MismatchesOf(const Verdict& verdict) {
  std::vector<Mismatch> all;
  for (const Finding& finding : verdict.findings) {
    if (finding.mismatch) all.push_back(*finding.mismatch);
    all.insert(all.end(), finding.further.begin(), finding.further.end());
  }
  const auto place = [](const Mismatch& m) { return std::pair(m.call, m.position); };
  std::sort(all.begin(), all.end(),
            [&](const Mismatch& a, const Mismatch& b) { return place(a) < place(b); });
  const auto end = std::unique(all.begin(), all.end(), [&](const Mismatch& a, const Mismatch& b) {
    return place(a) == place(b);
  });
  all.erase(end, all.end());
  return all;
}

std::string SignatureOf(Operator op, const Blames& blames) {
  Verdict verdict;
  for (const Blame& blame : blames) {
    verdict.findings.push_back({blame.clauses, blame.kind, "", std::nullopt});
  }
  return poolproof::SignatureOf(InfoOf(op).name, verdict);
}

// Clauses that calls with a single fault have shown to be breached.
void CollectSingleFaults(const Blames& blames, std::set<std::string>& singles) {
  for (const Blame& blame : blames) {
    if (IsRefusalKind(blame.kind) && StandForOneFault(blame.clauses)) {
      singles.insert(blame.clauses.begin(), blame.clauses.end());
    }
  }
}

// A call with two faults that gets a wrong answer breaches what its single faults breach: the other
// clause is not to blame.
Blames NarrowPairs(Blames blames, const std::set<std::string>& singles) {
  for (Blame& blame : blames) {
    if (!IsRefusalKind(blame.kind) || StandForOneFault(blame.clauses)) continue;
    std::vector<std::string> kept;
    for (const std::string& id : blame.clauses) {
      if (singles.contains(id)) kept.push_back(id);
    }
    if (!kept.empty()) blame.clauses = std::move(kept);
  }
  return blames;
}

struct Entry {
  std::int64_t number = 0;
  const CaseClass* kind = nullptr;
  CaseState state = CaseState::kPassed;
  int shard = 0;
  std::string reason = {};  // kInconclusive
};

// Shards ask each for itself: what one of them was refused is not relied on.
Report WithAcceptance(const std::vector<ShardPart>& parts, Report report) {
  std::unordered_map<std::string, std::size_t> positions;  // by path
  for (const ShardPart& part : parts) {
    for (const AcceptedCall& call : part.record->acceptance) {
      const auto [place, added] = positions.emplace(call.path, report.acceptance.size());
      if (added) {
        report.acceptance.push_back(call);
      } else if (AcceptedCall& known = report.acceptance[place->second];
                 call.answer > known.answer) {
        known = call;
      }
    }
  }
  return report;
}

class Assembly {
 public:
  Assembly(const RunFrame& frame, const std::vector<ShardPart>& parts, int of, Report report)
      : frame_(frame),
        parts_(parts),
        of_(of),
        report_(WithAcceptance(parts, std::move(report))),
        neighbours_(frame.spec, report_.acceptance),
        evidence_(frame.spec, neighbours_),
        readings_(ProfileRules(frame.spec, report_.profile)),
        waiving_(frame.waivers, frame.today, report_.implementation, report_.profile) {}

  Result<Report> Run();

 private:
  Status Gather();
  void Cut();
  void Read();
  void ReadBehindOthers(const std::vector<Choice>& chosen, const std::vector<FailureRef>& failures);
  void DropUnconfirmed();
  void DropWhatNeighboursGet();
  void ReadBlame();
  void CountSummary();
  void CountEvidence();
  void CountFailures();
  Failure ListedFailure(const FailedCase& failed, const Blames& blame) const;
  [[nodiscard]] std::vector<PropertyResult> CountProperties() const;
  [[nodiscard]] std::vector<CoverageCell> CountCoverage() const;
  [[nodiscard]] bool IsSure(const Entry& entry) const;
  void FindRootCauses();
  void Count();
  [[nodiscard]] Blames OfNeeded(std::int64_t number, Blames blames) const;
  [[nodiscard]] const CaseClass& KindOf(std::int64_t number) const;
  struct ConfirmedCause {
    Rule rule;
    AspectSet aspects = 0;              // in which what it counts for goes wrong
    std::set<Operator> operators = {};  // whose calls were seen to breach clauses for it
  };
  void GatherConfirmed();
  ConfirmedCause* ConfirmedOf(const Entry& entry);
  bool IsExplained(const Entry& entry);
  void CountNotLookedInto();
  void ProveTheRest();
  void ExplainHoles();
  [[nodiscard]] TallyContext Context() const;
  void ObserveStandards();
  [[nodiscard]] std::vector<Operator> NotJudged() const;
  std::vector<std::string> Waive(const Entry& entry, const std::vector<std::string>& clauses,
                                 const std::vector<std::string>& required,
                                 const std::string& signature);
  void CountWaived();
  [[nodiscard]] const FailedCase* DetailOf(std::int64_t number) const {
    const auto place = details_.find(number);
    return place == details_.end() ? nullptr : place->second;
  }
  // What was made of a failing case; nullptr where it was not investigated.
  [[nodiscard]] const Refinement* RefinedOf(std::int64_t number) const {
    const auto place = refined_.find(number);
    return place == refined_.end() ? nullptr : place->second;
  }

  const RunFrame& frame_;
  const std::vector<ShardPart>& parts_;
  const int of_;
  std::int64_t planned_ = frame_.planned;
  Report report_;

  std::vector<Entry> entries_;  // ascending by number
  std::unordered_map<std::int64_t, const FailedCase*> details_;
  std::unordered_map<std::int64_t, const Refinement*> refined_;
  std::deque<Refinement> unsearched_;  // of `refined_`, made here
  std::set<std::int64_t> shown_small_;
  std::map<std::string, UnansweredCase> unanswered_;
  Neighbours neighbours_;
  EvidenceCount evidence_;
  Readings readings_;
  std::optional<RootCauses> asked_;
  std::vector<NotBreached> not_breached_;
  std::vector<ConfirmedCause> confirmed_;
  std::unordered_map<std::int64_t, ConfirmedCause*> explained_;  // failing cases, by number
  std::set<std::string> single_faults_;
  Waiving waiving_;
  // Failing cases that breach required clauses and are not waived; those of advisory ones alone.
  std::vector<UnwaivedFailure> required_failures_;
  std::vector<UnwaivedFailure> advisory_failures_;
  std::vector<std::int64_t> waived_;  // failing cases, by clause
  std::map<Relation, std::int64_t> waived_relations_;
};

Status Assembly::Gather() {
  std::vector<std::string> errors;
  for (const ShardPart& part : parts_) {
    for (const JudgedCase& judged : part.record->cases) {
      const CaseClass& kind = part.record->classes[judged.case_class];
      entries_.push_back({judged.number, &kind, kind.state, part.index, kind.reason});
    }
    for (const FailedCase& failed : part.record->failures) {
      details_.emplace(failed.number, &failed);
    }
    for (const UnansweredCase& entry : part.record->unanswered) {
      const auto [place, added] = unanswered_.emplace(entry.clause, entry);
      if (!added && entry.number < place->second.number) place->second = entry;
    }
    if (!part.record->error.empty()) {
      errors.push_back((of_ > 1 ? "shard " + std::to_string(part.index) + ": " : std::string()) +
                       part.record->error);
    }
  }
  if (!errors.empty()) report_.error = errors.front();
  std::sort(entries_.begin(), entries_.end(),
            [](const Entry& a, const Entry& b) { return a.number < b.number; });
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const std::string name = "case " + std::to_string(entries_[i].number) + " of the plan";
    if (entries_[i].number >= frame_.planned) {
      return InvalidArgument(name + " was judged, but the plan has only " +
                             std::to_string(frame_.planned));
    }
    if (i > 0 && entries_[i].number == entries_[i - 1].number) {
      return InvalidArgument(name + " was judged by shards " +
                             std::to_string(entries_[i - 1].shard) + " and " +
                             std::to_string(entries_[i].shard));
    }
  }
  return OkStatus();
}

// Forgets what was judged behind the case that ends the run, and says what ended it.
void Assembly::Cut() {
  const ShardRecord* const first = parts_.empty() ? nullptr : parts_.front().record;
  StopBound bound(first != nullptr ? first->stop_after : std::nullopt,
                  first != nullptr ? first->most_hangs.value_or(kMaxTimeouts) : kMaxTimeouts);
  for (const Entry& entry : entries_) {
    if (entry.state == CaseState::kFailed) {
      bound.Add(entry.number, BreachesRequired(frame_.spec, *entry.kind),
                entry.kind->end == End::kTimedOut);
    }
  }
  const std::int64_t last = bound.last();
  std::erase_if(entries_, [&](const Entry& entry) { return entry.number > last; });
  std::erase_if(unanswered_, [&](const auto& entry) { return entry.second.number > last; });

  if (static_cast<std::int64_t>(entries_.size()) == planned_) return;
  const auto stopped = [&](StopReason why) {
    return std::any_of(parts_.begin(), parts_.end(),
                       [&](const ShardPart& part) { return part.record->stopped_by == why; });
  };
  StopReason& stopped_by = report_.run.stopped_by;
  if (stopped(StopReason::kInterrupt)) {
    stopped_by = StopReason::kInterrupt;
  } else if (bound.Reason() != StopReason::kNone) {
    stopped_by = bound.Reason();
  } else if (stopped(StopReason::kDeadline)) {
    stopped_by = StopReason::kDeadline;
  } else if (static_cast<int>(parts_.size()) == of_ && stopped(StopReason::kTime)) {
    stopped_by = StopReason::kTime;
  } else if (static_cast<int>(parts_.size()) < of_) {
    stopped_by = StopReason::kMissingShards;
  } else if (stopped(StopReason::kUnanswered)) {
    stopped_by = StopReason::kUnanswered;
  } else if (stopped(StopReason::kNoWorker)) {
    stopped_by = StopReason::kNoWorker;
    for (const ShardPart& part : parts_) {
      std::string& detail = report_.run.stopped_detail;
      if (detail.empty()) detail = part.record->stopped_detail;
    }
  }
  if (frame_.planned >= kOpenPlan) planned_ = static_cast<std::int64_t>(entries_.size());
}

// Which of the looked-into failures count, and the others' reading by them.
void Assembly::Read() {
  std::vector<FailureRef> failures;
  for (const Entry& entry : entries_) {
    if (entry.state != CaseState::kFailed) continue;
    failures.push_back(FailureRefOf(entry.number, *entry.kind, DetailOf(entry.number)));
  }
  const InvestigationPlan plan = PlanInvestigations(frame_.set);
  std::vector<Choice> chosen = ChooseInvestigations(failures, plan);
  const auto take = [&](std::int64_t number) {
    const FailedCase* detail = DetailOf(number);
    if (detail != nullptr && detail->refined) refined_.emplace(number, &*detail->refined);
  };
  const Turns turns = InTurns(chosen, failures);
  for (const Choice& choice : turns.first) take(failures[choice.position].number);
  const auto found = [&](std::int64_t number) { return FoundBy(RefinedOf(number)); };
  for (const Choice& choice : LeftOfSecond(turns, failures, found)) {
    take(failures[choice.position].number);
  }
  ReadBehindOthers(chosen, failures);
  const auto cases = [&] {
    std::vector<FailedReading> readings;
    for (const Entry& entry : entries_) {
      if (entry.state != CaseState::kFailed) continue;
      readings.push_back(
          {entry.number, entry.kind, RefinedOf(entry.number), DetailOf(entry.number) != nullptr});
    }
    return readings;
  };
  const std::set<std::int64_t> confirmed =
      ConfirmReadings(ProfileRules(frame_.spec, frame_.profile), cases,
                      [&](const std::vector<std::int64_t>& numbers) {
                        std::for_each(numbers.begin(), numbers.end(), take);
                      });
  for (std::size_t position = 0; position < failures.size(); ++position) {
    if (confirmed.contains(failures[position].number)) chosen.push_back({0, position});
  }
  const auto kind_of = [&](std::int64_t number) { return KindOfFailure(DetailOf(number)); };
  for (const Choice& choice : FirstOfKind(chosen, failures, kind_of, plan, false)) {
    shown_small_.insert(failures[choice.position].number);
  }
  DropUnconfirmed();
  DropWhatNeighboursGet();
  ReadBlame();
}

// Earlier calls were looked for on behalf of all by a shard, which does not see them all.
void Assembly::ReadBehindOthers(const std::vector<Choice>& chosen,
                                const std::vector<FailureRef>& failures) {
  const auto refined = [&](std::int64_t number) { return RefinedOf(number); };
  const auto is_behind = [&](std::int64_t number) {
    const Refinement* known = RefinedOf(number);
    return known != nullptr && known->behind_others;
  };
  for (const auto& [kinds, group] : GroupBehindOthers(chosen, failures, is_behind)) {
    if (!TellEnough(group, refined)) continue;
    for (const std::int64_t number : group.others) {
      unsearched_.push_back(BehindOthers(*DetailOf(number)));
      refined_[number] = &unsearched_.back();
    }
  }
}

// What a fresh worker could not confirm and the investigation no longer calls a failure.
void Assembly::DropUnconfirmed() {
  for (Entry& entry : entries_) {
    const Refinement* refined = RefinedOf(entry.number);
    if (refined == nullptr || refined->verdict.kind == VerdictKind::kFailed) continue;
    entry.state = CaseState::kInconclusive;
    entry.reason = KeptReason(refined->verdict.note);
    const std::optional<UnansweredCase> unanswered =
        UnansweredOf(entry.number, DetailOf(entry.number)->clause, refined->verdict.note);
    if (!unanswered) continue;
    const auto [place, added] = unanswered_.emplace(unanswered->clause, *unanswered);
    if (!added && unanswered->number < place->second.number) place->second = *unanswered;
  }
}

void Assembly::DropWhatNeighboursGet() {
  for (Entry& entry : entries_) {
    if (entry.state == CaseState::kFailed && neighbours_.IsAnsweredAsNeighbour(*entry.kind)) {
      entry.state = CaseState::kInconclusive;
      entry.reason = "a wrong status, which the legal neighbour gets as well";
    }
  }
}

// Most cases first, of as many by their words.
std::vector<InconclusiveReason> ByCount(const std::map<std::string, std::int64_t>& counts) {
  std::vector<InconclusiveReason> reasons;
  reasons.reserve(counts.size());
  for (const auto& [reason, cases] : counts) {
    // Records of older versions do not say.
    reasons.push_back({reason.empty() ? "nothing says why" : reason, cases});
  }
  std::stable_sort(reasons.begin(), reasons.end(),
                   [](const auto& a, const auto& b) { return a.cases > b.cases; });
  return reasons;
}

void Assembly::ReadBlame() {
  for (const Entry& entry : entries_) {
    if (entry.state != CaseState::kFailed) continue;
    const Refinement* refined = RefinedOf(entry.number);
    if (refined == nullptr) continue;
    readings_.Learn(*entry.kind, refined->verdict);
  }
}

void Assembly::CountSummary() {
  Summary& summary = report_.summary;
  std::map<Operator, std::int64_t> left_out;
  std::map<std::string, std::int64_t> reasons;
  summary.not_run = planned_ - static_cast<std::int64_t>(entries_.size());
  summary.cases = static_cast<std::int64_t>(entries_.size());
  for (const Entry& entry : entries_) {
    switch (entry.state) {
      case CaseState::kRecorded:
        ++summary.recorded;
        ++summary.passed;
        break;
      case CaseState::kPassed:
        ++summary.passed;
        break;
      case CaseState::kInconclusive:
        ++summary.inconclusive;
        ++reasons[entry.reason];
        break;
      case CaseState::kUnsupported:
        ++summary.unsupported;
        if (!entry.kind->operators.empty()) ++left_out[entry.kind->operators.front()];
        break;
      case CaseState::kFailed:
        if (entry.kind->end == End::kTimedOut) {
          ++summary.timed_out;
        } else if (entry.kind->end == End::kReturned) {
          ++summary.failed;
        } else {
          ++summary.crashed;
        }
        break;
    }
  }
  summary.inconclusive_by = ByCount(reasons);
  for (const auto& [op, cases] : left_out) report_.left_out.push_back({op, cases});
}

void Assembly::CountEvidence() {
  for (const Entry& entry : entries_) {
    if (entry.state == CaseState::kUnsupported) {
      evidence_.AddUnsupported(*entry.kind);
      continue;
    }
    evidence_.AddJudged(*entry.kind);
    const bool stands = entry.state == CaseState::kPassed || entry.state == CaseState::kRecorded;
    if (stands) evidence_.AddEvidence(*entry.kind, entry.kind->evidence, {});
    if (entry.state == CaseState::kInconclusive && entry.kind->state == CaseState::kFailed &&
        neighbours_.IsAnsweredAsNeighbour(*entry.kind)) {
      evidence_.AddAnsweredAsNeighbour(*entry.kind);
    }
  }
  // Whether a case breaches these is not known.
  for (const Entry& entry : entries_) {
    if (entry.kind->state != CaseState::kInconclusive) continue;
    for (const std::string& id : entry.kind->withheld) evidence_.AddNotLookedInto(id);
  }
  for (const auto& [clause, entry] : unanswered_) evidence_.AddInconclusive(clause, entry.note);
}

// The waivers by which a failing case is waived.
std::vector<std::string> Assembly::Waive(const Entry& entry,
                                         const std::vector<std::string>& clauses,
                                         const std::vector<std::string>& required,
                                         const std::string& signature) {
  if (waiving_.empty() || frame_.plan == nullptr) return {};
  Failure failure;
  failure.clauses = clauses;
  failure.signature = signature;
  std::vector<std::string> by =
      waiving_.Failed(frame_.plan->At(entry.number).problem, failure, required);
  if (by.empty()) return by;
  ++report_.summary.waived;
  for (const std::string& id : clauses) {
    if (const auto position = evidence_.PositionOf(id)) ++waived_[*position];
  }
  if (entry.kind->relation_state == RelationState::kBroken) {
    ++waived_relations_[entry.kind->relation];
  }
  return by;
}

// What waivers came to, passed cases among it.
void Assembly::CountWaived() {
  for (std::size_t i = 0; i < waived_.size(); ++i) report_.clauses[i].waived = waived_[i];
  for (PropertyResult& property : report_.properties) {
    property.waived = waived_relations_[property.relation];
  }
  if (!waiving_.empty() && frame_.plan != nullptr) {
    for (const Entry& entry : entries_) {
      if (entry.state != CaseState::kPassed) continue;
      waiving_.Passed(frame_.plan->At(entry.number).problem, entry.kind->evidence,
                      frame_.plan->IsFixed(entry.number));
    }
  }
  report_.waivers = waiving_.Results(IsPartial(report_.run));
}

// Whether the case is taken for one that earlier calls make fail, since one like it was found to
// be.
bool IsReadAsHistory(const Verdict& own, const std::set<std::string>& read) {
  const std::string history(kOthersClause);
  return read.contains(history) && !ClausesOf(own).contains(history);
}

Failure Assembly::ListedFailure(const FailedCase& failed, const Blames& blame) const {
  const Refinement* refined = RefinedOf(failed.number);
  const Verdict& shown = refined != nullptr ? refined->verdict : failed.verdict;
  const std::set<std::string> clauses = ClausesOf(blame);
  Failure failure;
  failure.clauses.assign(clauses.begin(), clauses.end());
  failure.end = failed.end;
  failure.message = MessageOf(shown);
  if (refined == nullptr && IsReadAsHistory(shown, clauses)) {
    failure.message += kBehindOthers;
  }
  failure.case_number = failed.number;
  failure.path = NamedCase{failed.family, failed.name, failed.problem}.Path();
  failure.problem = refined != nullptr ? refined->problem : failed.problem;
  // A shard makes more cases small than the whole run shows.
  if (refined != nullptr && shown_small_.contains(failed.number)) failure.shrunk = refined->shrunk;
  for (const Finding& finding : shown.findings) {
    if (!failure.first_mismatch) failure.first_mismatch = finding.mismatch;
  }
  if (failure.shrunk) failure.shrunk_message = MessageOf(refined->shrunk_verdict);
  failure.mismatches = MismatchesOf(failure.shrunk ? refined->shrunk_verdict : shown);
  failure.signature = SignatureOf(failed.problem.calls.front().op, blame);
  failure.output = failed.output;
  failure.crash = failed.crash;
  return failure;
}

void Assembly::CountFailures() {
  const auto blame_of = [&](const Entry& entry) -> Blames {
    if (const Refinement* refined = RefinedOf(entry.number)) return BlamesOf(refined->verdict);
    return frame_.answers_alone ? readings_.Guess(*entry.kind) : readings_.Read(*entry.kind);
  };
  std::vector<std::pair<const Entry*, Blames>> failures;
  for (const Entry& entry : entries_) {
    if (entry.state != CaseState::kFailed) continue;
    failures.emplace_back(&entry, blame_of(entry));
    CollectSingleFaults(failures.back().second, single_faults_);
  }
  std::map<std::string, std::int64_t> alike;
  // By signature: what is listed. What is but read as one like it, where that is another fault of
  // the library, breaches other clauses when it is replayed.
  std::map<std::string, std::set<std::int64_t>> sure;
  std::map<std::string, std::set<std::int64_t>> guessed;
  report_.summary.advisory = 0;
  waived_.assign(frame_.spec.clauses().size(), 0);
  for (auto& [entry, read] : failures) {
    const Blames blame = OfNeeded(entry->number, NarrowPairs(std::move(read), single_faults_));
    const std::set<std::string> clauses = ClausesOf(blame);
    const std::vector<std::string> required = evidence_.AddFailure(clauses);
    const Refinement* refined = RefinedOf(entry->number);
    const std::vector<std::string>& evidence =
        refined != nullptr ? refined->verdict.evidence : entry->kind->evidence;
    evidence_.AddEvidence(*entry->kind, evidence, clauses);
    const std::string signature = SignatureOf(entry->kind->op, blame);
    std::vector<std::string> waived_by =
        Waive(*entry, {clauses.begin(), clauses.end()}, required, signature);
    // What is waived is known not to work: the rest is judged without it. Beside an advisory clause
    // nothing is withheld, except for what a forward that does not answer leaves open.
    const Clause* answers = frame_.spec.Of(entry->kind->op, Condition::kForwardAnswers);
    const bool unanswered = answers != nullptr && clauses.contains(answers->id);
    const bool unknown = clauses.empty();
    if ((!required.empty() || unanswered || unknown) && waived_by.empty()) {
      evidence_.Withhold(*entry->kind, clauses);
    }
    const bool advisory = unknown ? !BreachesRequired(frame_.spec, *entry->kind) : required.empty();
    if (advisory) ++*report_.summary.advisory;
    if (!unknown && waived_by.empty()) {
      std::vector<std::string> kept = evidence;
      kept.insert(kept.end(), entry->kind->withheld.begin(), entry->kind->withheld.end());
      const std::vector<std::string> all(clauses.begin(), clauses.end());
      (advisory ? advisory_failures_ : required_failures_)
          .push_back({entry->number, advisory ? all : required, blame, std::move(kept)});
    }
    ++alike[signature];
    const FailedCase* detail = DetailOf(entry->number);
    if (detail == nullptr) continue;
    std::set<std::int64_t>& listed = (IsSure(*entry) ? sure : guessed)[signature];
    if (listed.size() >= kListedPerSignature) continue;
    listed.insert(entry->number);
    Failure failure = ListedFailure(*detail, blame);
    failure.advisory = advisory;
    failure.waived_by = std::move(waived_by);
    report_.failures.push_back(std::move(failure));
  }
  for (Failure& failure : report_.failures) failure.alike = alike[failure.signature];
  std::erase_if(report_.failures, [&](const Failure& failure) {
    const auto known = sure.find(failure.signature);
    if (known == sure.end() || known->second.contains(failure.case_number)) return false;
    report_.also_failed.push_back({failure.case_number, failure.signature, failure.problem});
    return true;
  });
}

// Of a case that was judged.
const CaseClass& Assembly::KindOf(std::int64_t number) const {
  return *std::lower_bound(
              entries_.begin(), entries_.end(), number,
              [](const Entry& entry, std::int64_t wanted) { return entry.number < wanted; })
              ->kind;
}

// Without clauses about features that the confirmed cause of the failure does not need. What was
// charged to them alone is charged as the judge read it.
Blames Assembly::OfNeeded(std::int64_t number, Blames blames) const {
  std::vector<CircumstanceValues> calls;
  for (const NotBreached& known : not_breached_) {
    const auto is_its = [&](const std::string& id) { return known.clauses.contains(id); };
    const auto charges = [&](const Blame& blame) {
      return (AspectsOf({blame}) & known.aspects) != 0 &&
             std::any_of(blame.clauses.begin(), blame.clauses.end(), is_its);
    };
    if (std::none_of(blames.begin(), blames.end(), charges)) continue;
    if (calls.empty()) calls = CircumstancesIn(*frame_.plan)(number, /*data=*/true);
    const bool holds = std::any_of(calls.begin(), calls.end(),
                                   [&](const auto& values) { return Holds(known.rule, values); });
    if (!holds) continue;
    for (Blame& blame : blames) {
      if (!charges(blame)) continue;
      std::vector<std::string> needed = blame.clauses;
      std::erase_if(needed, is_its);
      for (const Blame& read : KindOf(number).blames) {
        if (needed.empty() && read.kind == blame.kind) needed = read.clauses;
      }
      if (!needed.empty()) blame.clauses = std::move(needed);
    }
  }
  return blames;
}

// Whether the case's line, given to the library alone, was seen to breach what the case is read as:
// it was investigated, or its clauses are plain.
bool Assembly::IsSure(const Entry& entry) const {
  const Refinement* refined = RefinedOf(entry.number);
  if (refined != nullptr) return !PassesAlone(*DetailOf(entry.number), *refined);
  const FailureRef failure = FailureRefOf(entry.number, *entry.kind);
  return failure.need == Need::kNothing || failure.timed_out;
}

// Nothing is asked of the plan where nothing failed.
void Assembly::FindRootCauses() {
  if (frame_.plan == nullptr) return;
  if (required_failures_.empty() && advisory_failures_.empty()) return;
  std::vector<CauseCase> passing;
  std::map<const CaseClass*, std::vector<std::string>>
      kept;  // what was refused as it should be, too
  for (const Entry& entry : entries_) {
    if (entry.state != CaseState::kPassed) continue;
    const auto [place, is_new] = kept.try_emplace(entry.kind, entry.kind->evidence);
    std::vector<std::string>& clauses = place->second;
    const std::vector<std::string>& refused = entry.kind->by_refusal;
    if (is_new) clauses.insert(clauses.end(), refused.begin(), refused.end());
    passing.push_back({entry.number, &clauses});
  }
  const auto looked_into = [this](std::int64_t number) -> LookedInto {
    return {DetailOf(number), RefinedOf(number)};
  };
  try {
    not_breached_ = AddRootCauses(frame_, required_failures_, advisory_failures_, passing,
                                  looked_into, asked_, report_);
  } catch (const std::bad_alloc&) {
    // The verdict needs no explanation.
    report_.root_causes.clear();
    report_.unexplained = static_cast<std::int64_t>(required_failures_.size());
  }
}

// Counts what the cases are evidence for and what they breach, and finds why they fail. Once more
// where that says that some clauses are not breached.
void Assembly::Count() {
  const EvidenceCount evidence = evidence_;
  const Waiving waiving = waiving_;
  const Report report = report_;
  const auto count = [this] {
    CountEvidence();
    CountFailures();
    FindRootCauses();
  };
  count();
  if (std::none_of(required_failures_.begin(), required_failures_.end(),
                   [&](const UnwaivedFailure& failure) {
                     return OfNeeded(failure.number, failure.blames) != failure.blames;
                   })) {
    return;
  }
  evidence_ = evidence;
  waiving_ = waiving;
  report_ = report;
  single_faults_.clear();
  required_failures_.clear();
  advisory_failures_.clear();
  waived_relations_.clear();
  count();
}

TallyContext Assembly::Context() const {
  TallyContext context;
  context.spec = &frame_.spec;
  context.profile = frame_.profile;
  context.capabilities = &frame_.capabilities;
  context.selected = report_.run.scope == RunScope::kSelected;
  context.stopped_by = report_.run.stopped_by;
  context.reason_not_exercised = frame_.reason_not_exercised;
  return context;
}

void Assembly::GatherConfirmed() {
  for (const RootCause& cause : report_.root_causes) {
    if (cause.advisory || !HoldsOfNewCases(cause)) continue;
    ConfirmedCause& own = confirmed_.emplace_back();
    own.rule = RuleOf(cause);
    const std::set<std::string> clauses(cause.clauses.begin(), cause.clauses.end());
    for (const UnwaivedFailure& failure : required_failures_) {
      const bool is_its = std::any_of(failure.clauses.begin(), failure.clauses.end(),
                                      [&](const auto& id) { return clauses.contains(id); });
      if (is_its) own.aspects |= AspectsOf(failure.blames);
    }
  }
  // A clause of every operator, such as one on memory, says nothing of the numbers.
  const auto is_of_operator = [&](const std::string& id) {
    const Clause* clause = frame_.spec.Find(id);
    return clause != nullptr && ParseOperator(clause->operator_name).has_value();
  };
  std::set<std::int64_t> charged;
  for (const UnwaivedFailure& failure : required_failures_) {
    if (std::any_of(failure.clauses.begin(), failure.clauses.end(), is_of_operator)) {
      charged.insert(failure.number);
    }
  }
  for (const Entry& entry : entries_) {
    if (!charged.contains(entry.number)) continue;
    if (ConfirmedCause* cause = ConfirmedOf(entry)) {
      cause->operators.insert(entry.kind->operators.begin(), entry.kind->operators.end());
    }
  }
}

// The confirmed cause as which a failing case goes wrong.
Assembly::ConfirmedCause* Assembly::ConfirmedOf(const Entry& entry) {
  if (confirmed_.empty()) return nullptr;
  const auto [known, added] = explained_.emplace(entry.number, nullptr);
  if (!added) return known->second;
  const bool data = std::any_of(confirmed_.begin(), confirmed_.end(),
                                [](const ConfirmedCause& cause) { return IsOfData(cause.rule); });
  const AspectSet fails = AspectsOf(entry.kind->blames);
  const std::vector<CircumstanceValues> calls = CircumstancesIn(*frame_.plan)(entry.number, data);
  const auto place =
      std::find_if(confirmed_.begin(), confirmed_.end(), [&](const ConfirmedCause& cause) {
        return (fails & static_cast<AspectSet>(~cause.aspects)) == 0 &&
               std::any_of(calls.begin(), calls.end(),
                           [&](const auto& values) { return Holds(cause.rule, values); });
      });
  return known->second = place == confirmed_.end() ? nullptr : &*place;
}

// Of another operator it may breach another clause, which a page gives to one of them alone.
bool Assembly::IsExplained(const Entry& entry) {
  const ConfirmedCause* cause = ConfirmedOf(entry);
  return cause != nullptr &&
         std::all_of(entry.kind->operators.begin(), entry.kind->operators.end(),
                     [&](Operator op) { return cause->operators.contains(op); });
}

// Failing cases that may be of clauses which nobody found them to breach.
void Assembly::CountNotLookedInto() {
  for (const Entry& entry : entries_) {
    if (entry.state != CaseState::kFailed || RefinedOf(entry.number) != nullptr) continue;
    const std::set<std::string> ids = readings_.NotLookedInto(*entry.kind);
    if (ids.empty() || IsExplained(entry)) continue;
    for (const std::string& id : ids) evidence_.AddNotLookedInto(id);
  }
}

// Where all calls of a part fail for confirmed causes, the other parts decide. What says something
// of one clause alone is what that clause is about.
void Assembly::ExplainHoles() {
  if (confirmed_.empty()) return;
  std::map<std::pair<Facet, std::optional<Operator>>, bool> known;
  const auto all_explained = [&](Facet facet, std::optional<Operator> op) {
    bool any = false;
    for (const Entry& entry : entries_) {
      const std::vector<Operator>& own = entry.kind->operators;
      if (entry.state != CaseState::kFailed || (entry.kind->facets & BitOf(facet)) == 0) continue;
      if (op && std::find(own.begin(), own.end(), *op) == own.end()) continue;
      if (ConfirmedOf(entry) == nullptr) return false;
      any = true;
    }
    return any;
  };
  for (const Hole& hole : OpenHoles(Context(), evidence_.counted())) {
    if (!hole.facet || ConditionOf(*hole.facet)) continue;
    const std::optional<Operator> op =
        ParseOperator(frame_.spec.clauses()[hole.clause].operator_name);
    const auto [place, added] = known.emplace(std::pair(*hole.facet, op), false);
    if (added) place->second = all_explained(*hole.facet, op);
    if (place->second) evidence_.AddExplained(hole);
  }
}

// A fault says nothing of the clauses that its calls would have shown beside it.
void Assembly::ProveTheRest() {
  if (!frame_.prove) return;
  constexpr std::size_t kMost = 16;  // cases to begin with, of each place
  std::vector<HiddenClause> hidden;
  for (const Hole& hole : OpenHoles(Context(), evidence_.counted())) {
    // Where the legal neighbour is refused, no other case would tell more.
    if (hole.refused) continue;
    HiddenClause one = {frame_.spec.clauses()[hole.clause].id, hole.facet, hole.op, {}};
    for (const Entry& entry : entries_) {
      if (one.cases.size() == kMost) break;
      const CaseClass& kind = *entry.kind;
      if (entry.state != CaseState::kFailed) continue;
      if (!std::binary_search(kind.withheld.begin(), kind.withheld.end(), one.clause)) continue;
      if (hole.facet && (kind.facets & BitOf(*hole.facet)) == 0) continue;
      if (hole.op && kind.operators != std::vector<Operator>{*hole.op}) continue;
      const FailedCase* detail = DetailOf(entry.number);
      if (detail == nullptr || detail->problem.calls.size() != 1) continue;
      one.cases.push_back(&detail->problem);
    }
    if (!one.cases.empty()) hidden.push_back(std::move(one));
  }
  if (hidden.empty()) return;
  for (const CaseClass& shown : frame_.prove(hidden, report_)) {
    evidence_.AddEvidence(shown, shown.evidence, {});
  }
}

// Standards of summation side by side, of runs that came to their end.
void Assembly::ObserveStandards() {
  if (parts_.empty()) return;
  const ShardRecord& first = *parts_.front().record;
  auto& observed = report_.implementation.observed;
  observed = first.observed;
  if (report_.run.stopped_by != StopReason::kNone || !report_.error.empty()) return;
  std::map<std::pair<Operator, DataType>, SumFacts> sums;
  for (const ShardPart& part : parts_) AddSums(part.record->sums, sums);
  for (const SumProbe& probe : first.sum_probes) {
    const auto place = sums.find({probe.op, probe.type});
    if (place == sums.end()) continue;
    const SumFacts& facts = place->second;
    const std::string key = std::string(InfoOf(probe.op).name) + "." + DataTypeName(probe.type);
    if (std::string subnormals = SubnormalsText(facts); !subnormals.empty()) {
      observed.emplace_back("subnormals." + key, std::move(subnormals));
    }
    if (const std::optional<std::string> standard = StandardOf(probe, facts)) {
      observed.emplace_back("standard." + key, *standard);
    }
    const auto share = [](std::int64_t part, std::int64_t all) {
      return std::to_string(part) + " of " + std::to_string(all);
    };
    observed.emplace_back("correctly-rounded." + key,
                          share(facts.sums - facts.misrounded, facts.sums) + " sums");
    observed.emplace_back("within-acc32." + key,
                          share(facts.sums - facts.beyond_acc32, facts.sums) + " sums");
    observed.emplace_back("cann-eco." + key, share(facts.ecosystem, facts.results) + " results");
  }
}

std::vector<PropertyResult> Assembly::CountProperties() const {
  std::array<PropertyEvidence, kRelationCount> evidence;
  for (const Entry& entry : entries_) {
    PropertyEvidence& own = evidence[static_cast<std::size_t>(entry.kind->relation)];
    if (entry.state == CaseState::kUnsupported) ++own.unsupported;
    switch (entry.kind->relation_state) {
      case RelationState::kNone:
        break;
      case RelationState::kBroken:
        ++own.failures;
        [[fallthrough]];
      case RelationState::kHeld:
        ++own.cases;
        break;
      case RelationState::kDiscarded:
        ++own.discarded;
        break;
    }
  }
  std::vector<PropertyResult> results;
  for (const Property& property : AllProperties()) {
    results.push_back(TallyProperty(property.relation,
                                    evidence[static_cast<std::size_t>(property.relation)],
                                    IsPartial(report_.run)));
  }
  return results;
}

// What was passed or failed; what proved nothing covers nothing.
std::vector<CoverageCell> Assembly::CountCoverage() const {
  std::map<CoverageKey, CoverageCell> cells;
  for (const Entry& entry : entries_) {
    const bool failed = entry.state == CaseState::kFailed;
    if (!entry.kind->coverage || !(failed || entry.state == CaseState::kPassed)) continue;
    CoverageCell& cell = cells[*entry.kind->coverage];
    ++cell.cases;
    if (failed) ++cell.failures;
  }
  std::vector<CoverageCell> counted;
  for (auto& [key, cell] : cells) {
    cell.key = key;
    counted.push_back(cell);
  }
  return counted;
}

// What the library exports and would be asked, but that no page of the profile mentions it.
std::vector<Operator> Assembly::NotJudged() const {
  const ProfileRules rules(frame_.spec, frame_.profile);
  std::vector<Operator> operators;
  for (const OperatorInfo& info : AllOperators()) {
    // Where the profile does not have an operator, its refusal is what is judged.
    const bool is_refused = !info.is_forward && rules.Applies(info.op, Condition::kPlatform);
    if (frame_.capabilities.Has(info.op) && !rules.Covers(info.op) && !is_refused) {
      operators.push_back(info.op);
    }
  }
  return operators;
}

Result<Report> Assembly::Run() {
  if (Status status = Gather(); !status.ok()) return status;
  Cut();
  Read();
  CountSummary();
  if (report_.summary.not_run > 0 && report_.run.stopped_by == StopReason::kNone &&
      report_.error.empty()) {
    std::int64_t first = 0;
    for (const Entry& entry : entries_) {
      if (entry.number != first) break;
      ++first;
    }
    return InvalidArgument("case " + std::to_string(first) +
                           " of the plan is in no shard, although each shard is complete");
  }
  Count();
  GatherConfirmed();
  CountNotLookedInto();
  ProveTheRest();
  ExplainHoles();
  ObserveStandards();

  Tally tally = TallyClauses(Context(), evidence_.counted());
  report_.clauses = std::move(tally.clauses);
  report_.properties = CountProperties();
  report_.not_judged = NotJudged();
  CountWaived();
  report_.coverage = CountCoverage();
  for (const RegisteredDiscrepancy& entry : frame_.spec.discrepancies()) {
    report_.discrepancies.push_back({entry.id, entry.documents, entry.statement, entry.reading});
  }
  report_.verdict = DecideRun(report_, tally.open_required);
  return std::move(report_);
}

}  // namespace

Result<Report> AssembleReport(const RunFrame& frame, const std::vector<ShardPart>& parts, int of,
                              Report report) {
  return Assembly(frame, parts, of, std::move(report)).Run();
}

}  // namespace poolproof
