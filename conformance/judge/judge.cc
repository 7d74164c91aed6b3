// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/judge.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conformance/judge/bad_ends.h"
#include "conformance/judge/error_text.h"
#include "conformance/judge/evidence.h"
#include "conformance/judge/forward.h"
#include "conformance/judge/judgement.h"
#include "conformance/result/side_effect.h"
#include "conformance/result/stray_access.h"

namespace poolproof {
namespace {

// Memory that a run of repeated calls may gain in all before it counts as growth: allocators keep
// some slack, the more the more they are called; a leak of a few KiB a call exceeds it.
constexpr std::int64_t kGrowthAllowance = std::int64_t{1} << 20;
constexpr std::int64_t kGrowthAllowancePerCall = std::int64_t{2} << 10;
// What each part of the calls may gain. A leak gains as much in every part, slack fills up: 256
// bytes a call are found. Bytes in use are counted to the byte, except for what an allocator keeps
// at hand; resident memory by pages, of which some may turn up late.
constexpr std::int64_t kHeapAllowance = std::int64_t{4} << 10;
constexpr std::int64_t kHeapAllowancePerCall = 64;
constexpr std::int64_t kResidentAllowance = std::int64_t{64} << 10;
constexpr std::int64_t kResidentAllowancePerCall = 128;

// --- Memory --------------------------------------------------------------------------------------

std::string TouchText(const GuardTouch& touch, Role role) {
  using Place = StrayAccess::Place;
  const bool past = touch.distance >= 0;
  return StrayAccessText({role, past ? Place::kAfter : Place::kBefore,
                          past ? touch.distance : -touch.distance, touch.access});
}

// Guard zones, guard pages, gaps and inputs.
void JudgeMemory(Judgement& judgement, const Call& call, const CallOutcome& outcome,
                 const std::string& where, bool undocumented_indices) {
  using Place = StrayAccess::Place;
  const OperatorInfo& info = InfoOf(call.op);
  // What indices outside the plane may do is left open, except for memory of others (SAF-04).
  const auto blame = [&](std::string id) {
    return undocumented_indices ? std::vector<std::string>{"SAF-04"}
                                : std::vector<std::string>{std::move(id)};
  };
  // Before canaries: pages in front of one operand may be reached from another, which a touch
  // tells.
  for (const Role role : info.tensors) {
    const MemoryFacts& facts = outcome.memory[static_cast<std::size_t>(role)];
    if (!facts.guard_touch) continue;
    if (facts.guard_touch->access == Access::kWrite) {
      judgement.Fail(blame("SAF-01"), FindingKind::kWroteOutside,
                     where + TouchText(*facts.guard_touch, role));
    } else if (!undocumented_indices) {
      // Indices outside the plane may make it read anywhere: no clause mentions that.
      judgement.Fail({"SAF-07"}, FindingKind::kReadOutside,
                     where + TouchText(*facts.guard_touch, role));
    }
  }
  for (const Role role : info.tensors) {
    const MemoryFacts& facts = outcome.memory[static_cast<std::size_t>(role)];
    if (!facts.guard_before_intact || !facts.guard_after_intact) {
      judgement.Fail(
          blame("SAF-01"), FindingKind::kWroteOutside,
          where + StrayAccessText({role, facts.guard_before_intact ? Place::kAfter : Place::kBefore,
                                   std::nullopt, Access::kWrite}));
    }
    if (!IsOutput(info, role) && facts.first_changed_byte.has_value()) {
      judgement.Fail(
          blame("SAF-02"), FindingKind::kInputChanged,
          where + StrayAccessText({role, Place::kInput, facts.first_changed_byte, Access::kWrite}));
    }
  }
  if (!outcome.workspace.guard_before_intact || !outcome.workspace.guard_after_intact) {
    judgement.Fail(blame("SAF-05"), FindingKind::kWorkspaceOverrun,
                   where + "memory just " +
                       (outcome.workspace.guard_before_intact ? "after" : "before") +
                       " the workspace of " + std::to_string(outcome.workspace_size) +
                       " bytes was overwritten");
  }
  for (const Role role : info.tensors) {
    if (!IsOutput(info, role)) continue;
    const std::vector<std::byte>& storage = outcome.outputs[static_cast<std::size_t>(role)];
    if (storage.empty() || call.tensor(role).null) continue;
    const std::optional<std::int64_t> dirty = FirstDirtyGap(call.tensor(role), storage);
    if (dirty.has_value()) {
      judgement.Fail(blame("SAF-01"), FindingKind::kWroteOutside,
                     where + StrayAccessText({role, Place::kBetween, dirty, Access::kWrite}));
    }
  }
}

// Work that is seen where the stream has not got to it, or is past it.
void JudgeStream(Judgement& judgement, const CallOutcome& outcome, const std::string& where) {
  const auto fail = [&](const std::optional<Role>& role, const std::string& how) {
    if (!role) return;
    judgement.Fail({std::string(kStreamClause)}, FindingKind::kNotOnStream,
                   where + std::string(RoleName(*role)) + how);
  };
  fail(outcome.written_early,
       " was written while copies in front of the call held up the stream that phase two was "
       "given: the work is not done on that stream");
  fail(outcome.written_late,
       " was written after synchronise had returned for the stream that phase two was given: the "
       "work is not done on that stream, or not waited for");
}

// --- Refusals ------------------------------------------------------------------------------------

std::string MessageSuffix(const CallOutcome& outcome) {
  return outcome.message.empty() ? "" : " (\"" + outcome.message + "\")";
}

// In sequences alone: there a text may be that of another call. Of single calls, each one of a
// library without texts would fail.
void JudgeErrorText(Judgement& judgement, const Call& call, const CallOutcome& outcome,
                    const std::string& where) {
  if (judgement.problem().calls.size() < 2 || !outcome.message_asked) return;
  const std::string doubt = DoubtOfErrorText(call, outcome.message);
  if (doubt.empty()) {
    judgement.ByRefusal("2P-10");
    return;
  }
  judgement.Fail({"2P-10"}, FindingKind::kErrorText,
                 where + "phase one refused the call with " +
                     std::to_string(outcome.phase_one.value_or(0)) + ", and aclGetRecentErrMsg " +
                     doubt + MessageSuffix(outcome));
}

void JudgeInvalid(Judgement& judgement, const Call& call, const CallOutcome& outcome,
                  const Legality& legality, const std::string& where) {
  const std::vector<std::string> governing = GoverningIds(legality);
  const std::string statement = legality.breached.front()->statement;
  const OperatorInfo& info = InfoOf(call.op);
  const CallPlan& plan = judgement.problem().plan;
  const std::int32_t phase_one = outcome.phase_one.value_or(0);
  if (phase_one != 0) {
    JudgeErrorText(judgement, call, outcome, where);
    if (!legality.AllowsPhaseOne(phase_one)) {
      judgement.Fail(governing, FindingKind::kWrongStatus,
                     where + "phase one: expected " + legality.ExpectedText() + ", got " +
                         std::to_string(phase_one) + ": " + statement + MessageSuffix(outcome));
    } else {
      // Another clause's answer proves nothing of this one.
      for (const Clause* clause : legality.Governing()) {
        const ExpectedStatus expected = ExpectationOf(*clause);
        if (expected.any_error || expected.status == phase_one) judgement.ByRefusal(clause->id);
      }
      if (legality.OfStatusTable()) judgement.ByRefusal("2P-08");
      if (legality.HasRequired()) judgement.ByRefusal("SAF-03");
      if (!plan.descriptors_only) judgement.ByRefusal("2P-04");
    }
    for (const Role role : info.tensors) {
      const MemoryFacts& facts = outcome.memory[static_cast<std::size_t>(role)];
      if (IsOutput(info, role) && facts.first_changed_byte.has_value()) {
        judgement.Fail({"2P-04"}, FindingKind::kRefusedCallWrote,
                       where + "phase one refused the call, yet byte " +
                           std::to_string(*facts.first_changed_byte) + " of " +
                           std::string(RoleName(role)) + " changed");
      }
    }
    return;
  }
  const bool refused_by_phase_two = outcome.phase_two.value_or(0) != 0;
  const std::int32_t late =
      refused_by_phase_two ? *outcome.phase_two : outcome.synchronise.value_or(0);
  if (late != 0) {
    if (legality.AllowsLateRefusal()) {
      for (const Clause* clause : legality.Governing()) {
        if (ExpectationOf(*clause).any_error) judgement.ByRefusal(clause->id);
      }
      if (legality.HasRequired()) judgement.ByRefusal("SAF-03");
    } else {
      const std::string message = where + "phase one: expected " + legality.ExpectedText() +
                                  ", got 0, and the refusal, " + std::to_string(late) +
                                  ", only afterwards: " + statement;
      // The row asks phase one for its code, and 2P-08 asks it of every row. (Work that fails on
      // its stream is no check that comes late.)
      judgement.Fail(governing, FindingKind::kLateRefusal, message);
      if (legality.OfStatusTable() && refused_by_phase_two) {
        judgement.Fail({"2P-08"}, FindingKind::kLateRefusal, message);
      }
    }
    return;
  }
  judgement.Fail(
      governing, FindingKind::kAccepted,
      where + "phase one: expected " + legality.ExpectedText() +
          (judgement.problem().plan.descriptors_only ? ", got 0: "
                                                     : ", got 0, and the call was carried out: ") +
          statement);
}

// --- Values --------------------------------------------------------------------------------------

Mismatch MismatchOf(const FaultyCell& cell) {
  return {cell.position, cell.expected, cell.got, static_cast<int>(cell.contributions)};
}

std::string CellText(const Call& call, const FaultyCell& cell) {
  return "gradInput" + CoordinateText(call.tensor(Role::kGradInput).shape, cell.position) +
         ": expected " + cell.expected + ", got " + cell.got +
         (cell.story.empty() ? "" : ": " + cell.story);
}

// Which clauses a wrong element breaches by itself; blame by contrast narrows it further.
void JudgeValues(Judgement& judgement, const Call& call, const MaterializedCall& data,
                 const DataFacts& facts, const CallOutcome& outcome, const std::string& where) {
  const std::vector<std::byte>& storage =
      outcome.outputs[static_cast<std::size_t>(Role::kGradInput)];
  const ValueReport report = CheckValues(call, data, judgement.held_before(), storage);
  judgement.AddSums(report.sums);
  if (report.faulty == 0) return;
  const auto id_of = [&](Condition condition) { return judgement.IdOf(call, condition); };
  const std::string infinity = id_of(judgement.rules().InfinityCondition(call.op));
  const std::string nan = id_of(judgement.rules().NanCondition(call.op));
  const bool single = report.AnySingle() || report.conserved;
  // What is missing in full at one cell and found at another went astray.
  const bool astray = single || report.lost;
  // Then sums of them land on coordinates that no index names, and may overflow there.
  const Condition unnamed = astray ? Condition::kScatter : Condition::kZero;
  const FindingKind not_zero =
      astray ? FindingKind::kContributionMoved : FindingKind::kUnnamedNotZero;
  const std::string tail = report.faulty > 1
                               ? " (" + std::to_string(report.faulty) + " elements are wrong)"
                               : std::string();
  for (const FaultyCell& cell : report.cells) {
    std::string id;
    FindingKind kind = FindingKind::kWrongSum;
    switch (cell.fault) {
      case CellFault::kPoisonKept:
        id = id_of(Condition::kZero);
        kind = FindingKind::kUnnamedNotZero;
        break;
      case CellFault::kNotZero:
        id = id_of(unnamed);
        kind = not_zero;
        break;
      case CellFault::kSpecialLeak:
        if (facts.nan || facts.infinity) {
          id = facts.infinity ? infinity : nan;
          kind = FindingKind::kWrongSpecial;
        } else {
          id = id_of(cell.contributions == 0 ? unnamed : Condition::kScatter);
          kind = cell.contributions == 0 ? not_zero : FindingKind::kContributionLost;
        }
        break;
      case CellFault::kMoved:
        id = id_of(Condition::kScatter);
        kind = FindingKind::kContributionMoved;
        break;
      case CellFault::kLost:
        id = id_of(Condition::kScatter);
        kind = FindingKind::kContributionLost;
        break;
      case CellFault::kWrongCopy:
        id = id_of(Condition::kScatter);
        kind = FindingKind::kContributionLost;
        break;
      case CellFault::kDoubled:
        id =
            id_of(cell.contributions > 1 && !single ? Condition::kAccumulate : Condition::kScatter);
        kind = FindingKind::kContributionDoubled;
        break;
      case CellFault::kPartlyLost:
      case CellFault::kWrongSum:
        // Where gradients that meet no other are lost too, the loss is not one of merging.
        id = id_of(single ? Condition::kScatter : Condition::kAccumulate);
        kind = single ? FindingKind::kContributionLost : FindingKind::kWrongSum;
        break;
      case CellFault::kWrongInfinity:
        id = infinity;
        kind = FindingKind::kWrongSpecial;
        break;
      case CellFault::kWrongNan:
        id = nan;
        kind = FindingKind::kWrongSpecial;
        break;
    }
    judgement.Fail({id}, kind, where + CellText(call, cell) + tail, MismatchOf(cell));
  }
}

// What is accepted though its dilation is not 1 has to give the numbers of windows whose elements
// lie that far apart; whatever it gives instead is charged to the clause that forbids it.
void JudgeDilated(Judgement& judgement, std::size_t number, const CallOutcome& outcome,
                  const std::string& where) {
  const Call& call = judgement.problem().calls[number];
  const PreparedCall& prepared = judgement.prepared().calls[number];
  const std::vector<const Clause*>& breached = prepared.legality.breached;
  const std::vector<std::byte>& storage =
      outcome.outputs[static_cast<std::size_t>(Role::kGradInput)];
  const bool carried_out =
      outcome.phase_one == 0 && outcome.phase_two == 0 && outcome.synchronise == 0;
  if (!carried_out || breached.size() != 1 ||
      breached.front()->condition != Condition::kDilationNotOne || storage.empty() ||
      !prepared.membership.has_value() || !prepared.facts.in_window ||
      prepared.undocumented_values) {
    return;
  }
  const ValueReport report =
      CheckValues(call, judgement.prepared().data.calls[number], judgement.held_before(), storage);
  if (report.faulty == 0) return;
  judgement.Fail(
      {breached.front()->id}, FindingKind::kWrongSum,
      where + "dilation is accepted, and the numbers are not those of such windows: " +
          CellText(call, report.cells.front()) +
          (report.faulty > 1 ? " (" + std::to_string(report.faulty) + " elements are wrong)" : ""),
      MismatchOf(report.cells.front()));
}

// --- One call ------------------------------------------------------------------------------------

bool ReturnedAll(const CallOutcome& outcome) {
  return outcome.phase_two.value_or(0) == 0 && outcome.synchronise.value_or(0) == 0;
}

void JudgeRefusedValid(Judgement& judgement, std::size_t number, const CallOutcome& outcome,
                       const std::string& where) {
  const std::int32_t phase_one = outcome.phase_one.value_or(0);
  WithholdEvidence(judgement, number);
  if (phase_one != 0) {
    judgement.Fail({"2P-01"}, FindingKind::kRefused,
                   where + "phase one refused a valid call" +
                       TypesText(judgement.problem().calls[number]) + " with " +
                       std::to_string(phase_one) + MessageSuffix(outcome));
    return;
  }
  const bool in_phase_two = outcome.phase_two.value_or(0) != 0;
  judgement.Fail({"2P-02"}, in_phase_two ? FindingKind::kRefused : FindingKind::kStreamFailed,
                 where + (in_phase_two ? "phase two" : "synchronise") + " returned " +
                     std::to_string(in_phase_two ? *outcome.phase_two : *outcome.synchronise) +
                     " for a valid call" + TypesText(judgement.problem().calls[number]) +
                     MessageSuffix(outcome));
}

void JudgeValid(Judgement& judgement, std::size_t number, const CallOutcome& outcome,
                const std::string& where) {
  const Call& call = judgement.problem().calls[number];
  const MaterializedCall& data = judgement.prepared().data.calls[number];
  const DataFacts& facts = judgement.prepared().calls[number].facts;
  const OperatorInfo& info = InfoOf(call.op);
  const CallPlan& plan = judgement.problem().plan;
  if (judgement.prepared().calls[number].undocumented_values) {
    JudgeMemory(judgement, call, outcome, where, !facts.in_plane);
    judgement.Open(where + "NaN or infinities among the inputs: no page mentions them");
    if (outcome.phase_one == 0 && ReturnedAll(outcome)) judgement.CameBack();
    return;
  }
  if (!facts.in_window) {
    // Any answer will do, a refusal too; memory of others must still stay as it is.
    JudgeMemory(judgement, call, outcome, where, !facts.in_plane);
    judgement.Open(
        where + (facts.in_plane ? "indices outside their windows" : "indices outside the plane") +
        ": the result is undocumented");
    // A library that does nothing leaves memory alone too.
    if (!facts.in_plane) judgement.ByAcceptance("SAF-04");
    return;
  }
  const bool refused = outcome.phase_one.value_or(0) != 0 || !ReturnedAll(outcome);
  const bool unset = !outcome.HasPlan();
  if (info.is_forward && (refused || unset)) {
    JudgeMemory(judgement, call, outcome, where, false);
    JudgeForwardRefused(judgement, number, outcome, where);
    return;
  }
  if (refused) {
    JudgeRefusedValid(judgement, number, outcome, where);
    return;
  }
  if (unset) {
    WithholdEvidence(judgement, number);
    judgement.Fail({"2P-01"}, FindingKind::kOutParameter,
                   where + "phase one returned 0 " + NoPlanText(outcome));
    return;
  }
  JudgeStream(judgement, outcome, where);
  if (outcome.phase_one_wrote) {
    judgement.Fail({"2P-01"}, FindingKind::kPhaseOneSideEffect,
                   where + "phase one changed the data of " + outcome.phase_one_wrote_to);
  }
  if (plan.descriptors_only) {
    if (info.is_forward) return;
    BackwardEvidence(judgement, number);
    return;
  }
  if (info.is_forward) {
    JudgeMemory(judgement, call, outcome, where, false);
    JudgeForward(judgement, number, outcome, where);
    return;
  }
  JudgeMemory(judgement, call, outcome, where, false);
  JudgeValues(judgement, call, data, facts, outcome, where);
  BackwardEvidence(judgement, number);
}

// Calls that are under way together share a stream. What one of them is refused for when it runs is
// reported to the first that synchronises, and undocumented indices are charged to no call.
bool MayBeAnothersRefusal(const PreparedCase& prepared, const CallOutcome& outcome) {
  return prepared.problem.plan.order != Order::kInTurn && outcome.synchronise.value_or(0) != 0 &&
         std::any_of(prepared.calls.begin(), prepared.calls.end(), [](const PreparedCall& other) {
           return !other.facts.in_window || other.legality.kind != LegalityKind::kValid;
         });
}

// --- Across repetitions --------------------------------------------------------------------------

void JudgeRepeats(Judgement& judgement, const Outcome& outcome) {
  const Case& problem = judgement.problem();
  const CallPlan& plan = problem.plan;
  if (!plan.deterministic || plan.repeat < 2) return;
  const auto calls = problem.calls.size();
  const auto repeats = static_cast<std::size_t>(plan.repeat);
  for (std::size_t thread = 0; thread < static_cast<std::size_t>(plan.threads); ++thread) {
    for (std::size_t repetition = 1; repetition < repeats; ++repetition) {
      for (std::size_t i = 0; i < calls; ++i) {
        const Call& call = problem.calls[i];
        // What an index outside the plane makes of gradInput is undocumented.
        if (InfoOf(call.op).is_forward || !judgement.prepared().calls[i].facts.in_plane) continue;
        const CallOutcome& first = outcome.calls[thread * repeats * calls + i];
        const CallOutcome& again = outcome.calls[(thread * repeats + repetition) * calls + i];
        // A refused call leaves what was there, which need not be the same.
        if (first.synchronise != 0 || again.synchronise != 0) continue;
        constexpr auto kResult = static_cast<std::size_t>(Role::kGradInput);
        const std::optional<std::int64_t> difference = FirstDifference(
            call.tensor(Role::kGradInput), first.outputs[kResult], again.outputs[kResult]);
        if (!difference.has_value()) continue;
        judgement.Fail({judgement.IdOf(call, Condition::kDeterministic)},
                       FindingKind::kNotRepeatable,
                       CallText(judgement, i) + "with the deterministic option on, run " +
                           std::to_string(repetition + 1) + " differs from run 1 at gradInput" +
                           CoordinateText(call.tensor(Role::kGradInput).shape, *difference));
        return;
      }
    }
  }
}

// The least gain of a span, where it is more than slack; 0 where some span gained no more. What
// fills up gains nothing in some span.
std::int64_t SteadyGain(const ProcessFacts::Gains& gains, std::int64_t allowance,
                        std::int64_t per_run, std::int64_t runs) {
  const std::int64_t least = *std::min_element(gains.begin(), gains.end());
  return least > std::max(allowance, per_run * runs) ? least : 0;
}

// Of a device, which tells what all its processes use: others come and go, and no leak gains twice
// as much in one span as in another.
std::int64_t SteadyDeviceGain(const ProcessFacts::Gains& gains, std::int64_t runs) {
  const std::int64_t least = SteadyGain(gains, kResidentAllowance, kResidentAllowancePerCall, runs);
  return *std::max_element(gains.begin(), gains.end()) <= 2 * least ? least : 0;
}

// What large blocks gain now and then, in both halves of the calls and as often: what fills up
// gains less and less.
std::int64_t UnsteadyGain(const ProcessFacts::Gains& gains, std::int64_t runs) {
  const std::int64_t allowance = kGrowthAllowance + runs * kGrowthAllowancePerCall;
  const auto middle = gains.begin() + kGrowthSpans / 2;
  const std::int64_t first = std::accumulate(gains.begin(), middle, std::int64_t{0});
  const std::int64_t second = std::accumulate(middle, gains.end(), std::int64_t{0});
  const std::int64_t least = std::min(first, second);
  const bool alike = std::max(first, second) <= 2 * least;
  return alike && first + second > allowance && least > allowance / 4 ? first + second : 0;
}

void JudgeGrowth(Judgement& judgement, const ProcessFacts& process) {
  const std::int64_t runs = judgement.problem().plan.growth_calls;
  if (runs == 0) return;
  const std::int64_t of_span = runs / kGrowthSpans;
  const std::int64_t calls = std::ssize(judgement.problem().calls);
  std::string text;
  const auto grew = [&](const std::string& whose, std::int64_t steady) {
    if (steady == 0 || of_span == 0) return;
    text += (text.empty() ? "" : "; ") + whose + " goes on growing: by " + std::to_string(steady) +
            " bytes or more in each of " + std::to_string(kGrowthSpans) + " times " +
            std::to_string(of_span) + " further runs of the calls, " +
            std::to_string(steady / (of_span * calls)) + " bytes a call";
  };
  grew("the memory of the device, by aclrtGetMemInfo,",
       SteadyDeviceGain(process.device_gain, of_span));
  grew("the memory of the process",
       std::max(SteadyGain(process.heap_gain, kHeapAllowance, kHeapAllowancePerCall, of_span),
                SteadyGain(process.resident_gain, kResidentAllowance, kResidentAllowancePerCall,
                           of_span)));
  const std::int64_t unsteady =
      std::max(UnsteadyGain(process.heap_gain, runs), UnsteadyGain(process.resident_gain, runs));
  if (text.empty() && unsteady > 0) {
    text = "the memory of the process grew by " + std::to_string(unsteady) + " bytes over " +
           std::to_string(runs) + " further runs of the calls, " +
           std::to_string(unsteady / (runs * calls)) + " bytes a call";
  }
  if (!text.empty()) judgement.Fail({"SAF-06"}, FindingKind::kGrowth, text);
}

void JudgeProcess(Judgement& judgement, const Outcome& outcome) {
  const ProcessFacts& process = outcome.process;
  const CallPlan& plan = judgement.problem().plan;
  const std::pair<bool, std::string_view> changes[] = {
      {process.file_descriptors_changed, "open files"},
      {process.floating_point_environment_changed, "the floating-point environment"},
      {process.signal_handlers_changed, "signal handlers or signal masks"},
      {process.working_directory_changed, "the working directory"},
  };
  for (const auto& [changed, what] : changes) {
    if (changed) {
      judgement.Fail({"SAF-08"}, FindingKind::kProcessChanged,
                     "the calls changed " + std::string(what) + " of the process");
    }
  }
  // Executors that phase two was never given stay where they are.
  const bool all_ended =
      std::all_of(outcome.calls.begin(), outcome.calls.end(), [](const CallOutcome& call) {
        return call.phase_one.value_or(0) != 0 || call.phase_two.has_value();
      });
  if (all_ended) JudgeGrowth(judgement, process);
  if (process.runs_otherwise > 0) {
    judgement.Fail({"2P-07"}, FindingKind::kWrongStatus,
                   "in " + std::to_string(process.runs_otherwise) + " of " +
                       std::to_string(plan.growth_calls) +
                       " further runs the calls were answered by other statuses than at first");
  }
}

// What could not be looked at proves nothing.
Verdict WhereHeldUp(Verdict verdict, const Outcome& outcome) {
  const bool held = std::any_of(outcome.calls.begin(), outcome.calls.end(),
                                [](const CallOutcome& call) { return call.held_looks > 0; });
  if (held || verdict.kind != VerdictKind::kPassed) return verdict;
  verdict.kind = VerdictKind::kInconclusive;
  verdict.evidence.clear();
  verdict.by_acceptance.clear();
  verdict.note =
      "the stream could not be kept busy: aclrtMemcpyAsync is not exported, copies at once, or the "
      "next call waits for it";
  return verdict;
}

}  // namespace

void LeaveOpenLateWork(const JudgeContext& context, Verdict& verdict) {
  if (context.keeps_to_stream) return;
  std::set<std::string> open;
  std::erase_if(verdict.findings, [&](const Finding& finding) {
    if (!MayComeOfLateWork(finding.kind)) return false;
    open.insert(finding.clauses.begin(), finding.clauses.end());
    return true;
  });
  if (open.empty()) return;
  if (verdict.findings.empty()) {
    verdict.kind = VerdictKind::kInconclusive;
    verdict.note = "the library does its work elsewhere than on the stream that it is given (" +
                   std::string(kStreamClause) + "), and this may be the cause here";
    verdict.withheld.clear();
  }
  verdict.withheld.insert(verdict.withheld.end(), open.begin(), open.end());
  verdict.evidence.clear();
  verdict.by_refusal.clear();
  verdict.by_acceptance.clear();
  verdict.sums.clear();
  verdict.relation = RelationState::kNone;
}

Verdict Judge(const JudgeContext& context, const PreparedCase& prepared, const Outcome& outcome) {
  if (outcome.end == End::kHarness) {
    Verdict verdict;
    verdict.kind = VerdictKind::kInconclusive;
    verdict.note = outcome.detail;
    return verdict;
  }
  Judgement judgement(context, prepared);
  const Case& problem = prepared.problem;
  if (outcome.end != End::kReturned) {
    JudgeBadEnd(judgement, outcome);
    ProtocolEvidence(judgement, outcome.process);
    return std::move(judgement).Finish();
  }
  for (std::size_t k = 0; k < outcome.calls.size(); ++k) {
    const std::size_t i = k % problem.calls.size();
    const Call& call = problem.calls[i];
    const Legality& legality = prepared.calls[i].legality;
    const bool undocumented_indices = !prepared.calls[i].facts.in_plane;
    const std::string where = CallText(judgement, i);
    judgement.SetAdvice(legality.by_advice);
    judgement.SetRepetition(static_cast<int>(k / problem.calls.size()) % problem.plan.repeat);
    judgement.SetCallNumber(i);
    switch (legality.kind) {
      case LegalityKind::kValid:
        if (MayBeAnothersRefusal(prepared, outcome.calls[k])) {
          JudgeMemory(judgement, call, outcome.calls[k], where, undocumented_indices);
          judgement.Open(where + "synchronise returned " +
                         std::to_string(*outcome.calls[k].synchronise) +
                         ", which may be about the other call on the stream, whose indices lie "
                         "outside their windows");
          break;
        }
        JudgeValid(judgement, i, outcome.calls[k], where);
        break;
      case LegalityKind::kInvalid:
        JudgeMemory(judgement, call, outcome.calls[k], where, undocumented_indices);
        JudgeInvalid(judgement, call, outcome.calls[k], legality, where);
        JudgeDilated(judgement, i, outcome.calls[k], where);
        break;
      case LegalityKind::kOpen:
        for (const Clause* clause : legality.left_open_by) judgement.Evidence(clause->id);
        JudgeMemory(judgement, call, outcome.calls[k], where, undocumented_indices);
        judgement.Open(where + legality.open_reason + ": phase one answered " +
                       std::to_string(outcome.calls[k].phase_one.value_or(0)));
        break;
    }
  }
  judgement.SetAdvice({});
  JudgeRepeats(judgement, outcome);
  JudgeProcess(judgement, outcome);
  ProtocolEvidence(judgement, outcome.process);
  // The valid calls of a sequence differ from the refused ones in what those breach.
  const auto has_neighbour = [&](const Call& call) { return judgement.told().contains(call.op); };
  if (std::all_of(problem.calls.begin(), problem.calls.end(), has_neighbour)) {
    judgement.BelieveRefusals();
  }
  if (problem.plan.look == Look::kHeld) return WhereHeldUp(std::move(judgement).Finish(), outcome);
  if (problem.plan.guard == Guard::kNone) return std::move(judgement).Finish();

  const bool guarded = std::all_of(outcome.calls.begin(), outcome.calls.end(),
                                   [](const CallOutcome& call) { return call.guarded; });
  if (guarded && judgement.protocol_held()) judgement.Evidence("SAF-07");
  Verdict verdict = std::move(judgement).Finish();
  if (!guarded && verdict.findings.empty()) {
    verdict.kind = VerdictKind::kInconclusive;
    verdict.evidence.clear();
    verdict.by_acceptance.clear();
    verdict.note = "the memory of the implementation cannot be guarded page by page";
  }
  return verdict;
}

}  // namespace poolproof
