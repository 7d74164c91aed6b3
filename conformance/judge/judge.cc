// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/judge.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "conformance/judge/legality.h"
#include "conformance/judge/membership.h"
#include "conformance/judge/sum_rule.h"
#include "conformance/judge/values.h"
#include "core/float_bits.h"

namespace poolproof {
namespace {

// Resident memory that a run of repeated calls may gain before it counts as growth: allocators keep
// some slack, the more the more they are called; a leak of a few KiB a call exceeds it.
constexpr std::int64_t kGrowthAllowance = std::int64_t{1} << 20;
constexpr std::int64_t kGrowthAllowancePerCall = std::int64_t{2} << 10;

std::string_view PhaseName(Phase phase) {
  switch (phase) {
    case Phase::kSetup:
      return "set-up";
    case Phase::kPhaseOne:
      return "phase one";
    case Phase::kPhaseTwo:
      return "phase two";
    case Phase::kSynchronise:
      return "synchronise";
    case Phase::kReadBack:
      return "the reading of results";
    case Phase::kDone:
      return "the end";
  }
  return "";
}

// Misbehaviour beside answers that may all the same be right.
bool IsSideEffect(FindingKind kind) {
  switch (kind) {
    case FindingKind::kWroteOutside:
    case FindingKind::kInputChanged:
    case FindingKind::kWorkspaceOverrun:
    case FindingKind::kPhaseOneSideEffect:
    case FindingKind::kRefusedCallWrote:
    case FindingKind::kGrowth:
    case FindingKind::kProcessChanged:
    case FindingKind::kNotRepeatable:
    case FindingKind::kReadOutside:
      return true;
    default:
      return false;
  }
}

// Collects findings and evidence of one case.
class Judgement {
 public:
  Judgement(const JudgeContext& context, const Case& problem)
      : context_(context), problem_(problem) {}

  // The id if the spec has it and it applies to the profile.
  [[nodiscard]] std::optional<std::string> Applicable(std::string_view id) const {
    const Clause* clause = context_.spec->Find(id);
    if (clause == nullptr || !clause->AppliesTo(context_.profile)) return std::nullopt;
    return std::string(id);
  }
  [[nodiscard]] static std::string OperatorId(const Call& call, std::string_view suffix) {
    return std::string(InfoOf(call.op).clause_prefix) + "-" + std::string(suffix);
  }

  void Evidence(std::string_view id) {
    if (const auto clause = Applicable(id)) evidence_.insert(*clause);
  }
  void EvidenceFor(const Call& call, std::string_view suffix) {
    Evidence(OperatorId(call, suffix));
  }

  // Blames those of `ids` that apply; a finding that no clause covers is not a finding.
  void Fail(const std::vector<std::string>& ids, FindingKind kind, std::string message,
            std::optional<Mismatch> mismatch = std::nullopt) {
    std::vector<std::string> clauses;
    for (const std::string& id : Redirect(ids)) {
      if (Applicable(id) && std::find(clauses.begin(), clauses.end(), id) == clauses.end()) {
        clauses.push_back(id);
      }
    }
    if (clauses.empty()) {
      Note(message);
      return;
    }
    if (mismatch) mismatch->call = call_number_;
    for (Finding& finding : verdict_.findings) {  // repetitions say the same again
      if (finding.kind != kind || finding.clauses != clauses) continue;
      if (mismatch) Remember(finding, *mismatch);
      return;
    }
    verdict_.findings.push_back(
        {std::move(clauses), kind, std::move(message), std::move(mismatch), {}});
  }

  // The call that is looked at, for the mismatches that it brings.
  void SetCallNumber(std::size_t number) { call_number_ = static_cast<int>(number); }

  // The call is in order only by these advisory clauses: whatever goes wrong with its answer or its
  // numbers is held against them alone. Empty: by the pages.
  void SetAdvice(const std::vector<const Clause*>& clauses) {
    advice_.clear();
    for (const Clause* clause : clauses) advice_.push_back(clause->id);
  }

  // Which repetition the calls judged next belong to.
  void SetRepetition(int repetition) { repetition_ = repetition; }
  // What outputs held before them.
  [[nodiscard]] Poison held_before() const {
    return PoisonOfRun(problem_.plan, problem_.plan.output, repetition_);
  }
  void AddSums(const SumFacts& sums) { verdict_.sums.push_back(sums); }
  void AddTraits(std::uint32_t traits) { verdict_.traits |= traits; }

  void Note(std::string_view text) {
    if (note_.find(text) != std::string::npos) return;
    if (!note_.empty()) note_ += "; ";
    note_ += text;
  }
  // A valid backward call went through both phases as far as its plan asks.
  void ProtocolHeld() { protocol_held_ = true; }
  [[nodiscard]] bool protocol_held() const { return protocol_held_; }
  void Open(std::string_view reason) {
    open_ = true;
    Note(reason);
  }

  [[nodiscard]] const JudgeContext& context() const { return context_; }
  [[nodiscard]] const Case& problem() const { return problem_; }

  Verdict Finish() && {
    std::set<std::string> blamed;
    for (const Finding& finding : verdict_.findings) {
      blamed.insert(finding.clauses.begin(), finding.clauses.end());
    }
    if (!verdict_.findings.empty()) {
      verdict_.kind = VerdictKind::kFailed;
      // Beside wrong answers nothing is proven; beside a mere side effect the rest stands.
      const bool answers_stand =
          std::all_of(verdict_.findings.begin(), verdict_.findings.end(),
                      [](const Finding& finding) { return IsSideEffect(finding.kind); });
      if (!answers_stand) evidence_.clear();
      for (const std::string& id : blamed) evidence_.erase(id);
    } else if (evidence_.empty() || open_) {
      verdict_.kind = VerdictKind::kRecorded;
    }
    verdict_.evidence.assign(evidence_.begin(), evidence_.end());
    verdict_.note = std::move(note_);
    return std::move(verdict_);
  }

 private:
  [[nodiscard]] std::vector<std::string> Redirect(const std::vector<std::string>& ids) const {
    const bool of_memory = std::any_of(
        ids.begin(), ids.end(), [](const std::string& id) { return id.starts_with("SAF-"); });
    return advice_.empty() || of_memory ? ids : advice_;
  }

  const JudgeContext& context_;
  const Case& problem_;
  // A picture of a failure shows so many wrong elements of a kind.
  static void Remember(Finding& finding, const Mismatch& mismatch) {
    constexpr std::size_t kRemembered = 32;
    const auto same = [&](const Mismatch& known) {
      return known.call == mismatch.call && known.position == mismatch.position;
    };
    if (finding.mismatch && same(*finding.mismatch)) return;
    if (finding.further.size() >= kRemembered) return;
    if (std::none_of(finding.further.begin(), finding.further.end(), same)) {
      finding.further.push_back(mismatch);
    }
  }

  std::vector<std::string> advice_;
  int call_number_ = 0;
  Verdict verdict_;
  std::set<std::string> evidence_;
  std::string note_;
  bool open_ = false;
  bool protocol_held_ = false;
  int repetition_ = 0;
};

std::string CallText(const Judgement& judgement, std::size_t call) {
  if (judgement.problem().calls.size() == 1) return "";
  return "call " + std::to_string(call) + ": ";
}

// --- Memory --------------------------------------------------------------------------------------

// "17 bytes past the end", "1 byte before the start".
std::string DistanceText(const GuardTouch& touch) {
  const bool past = touch.distance >= 0;
  const std::int64_t bytes = past ? touch.distance : -touch.distance;
  return std::to_string(bytes) + (bytes == 1 ? " byte " : " bytes ") +
         (past ? "past the end" : "before the start") + " of the storage of ";
}

// Guard zones, guard pages, gaps and inputs.
void JudgeMemory(Judgement& judgement, const Call& call, const CallOutcome& outcome,
                 const std::string& where, bool undocumented_indices) {
  const OperatorInfo& info = InfoOf(call.op);
  // What indices outside the plane may do is left open, but for memory of others (SAF-04).
  const auto blame = [&](std::string id) {
    return undocumented_indices ? std::vector<std::string>{"SAF-04"}
                                : std::vector<std::string>{std::move(id)};
  };
  for (const Role role : info.tensors) {
    const MemoryFacts& facts = outcome.memory[static_cast<std::size_t>(role)];
    const std::string name(RoleName(role));
    const bool wrote = facts.guard_touch && facts.guard_touch->access == Access::kWrite;
    if (wrote) {
      judgement.Fail(blame("SAF-01"), FindingKind::kWroteOutside,
                     where + "memory " + DistanceText(*facts.guard_touch) + name + " was written");
    } else if (!facts.guard_before_intact || !facts.guard_after_intact) {
      judgement.Fail(blame("SAF-01"), FindingKind::kWroteOutside,
                     where + "memory just " + (facts.guard_before_intact ? "after" : "before") +
                         " the storage of " + name + " was overwritten");
    }
    // Indices outside the plane may make it read anywhere: no clause speaks of that.
    if (facts.guard_touch && !wrote && !undocumented_indices) {
      judgement.Fail(
          {"SAF-07"}, FindingKind::kReadOutside,
          where + "memory " + DistanceText(*facts.guard_touch) + name +
              (facts.guard_touch->access == Access::kRead ? " was read" : " was touched"));
    }
    if (!IsOutput(info, role) && facts.first_changed_byte.has_value()) {
      judgement.Fail(blame("SAF-02"), FindingKind::kInputChanged,
                     where + "byte " + std::to_string(*facts.first_changed_byte) +
                         " of the storage of " + name + " was changed");
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
    const std::optional<std::int64_t> dirty =
        FirstDirtyGap(call.tensor(role), judgement.held_before(), storage);
    if (dirty.has_value()) {
      judgement.Fail(blame("SAF-01"), FindingKind::kWroteOutside,
                     where + "byte " + std::to_string(*dirty) + " of the storage of " +
                         std::string(RoleName(role)) +
                         ", between or outside its view's elements, was overwritten");
    }
  }
}

// --- Refusals ------------------------------------------------------------------------------------

std::string MessageSuffix(const CallOutcome& outcome) {
  return outcome.message.empty() ? "" : " (\"" + outcome.message + "\")";
}

std::vector<std::string> GoverningIds(const Legality& legality) {
  std::vector<std::string> ids;
  for (const Clause* clause : legality.Governing()) ids.push_back(clause->id);
  return ids;
}

bool OfStatusTable(const Legality& legality) {
  return std::any_of(legality.breached.begin(), legality.breached.end(), [](const Clause* clause) {
    return clause->strength == Strength::kRequired && clause->kind == ClauseKind::kStatus;
  });
}

void JudgeInvalid(Judgement& judgement, const Call& call, const CallOutcome& outcome,
                  const Legality& legality, const std::string& where) {
  const std::vector<std::string> governing = GoverningIds(legality);
  const std::string statement = legality.breached.front()->statement;
  const OperatorInfo& info = InfoOf(call.op);
  const Plan& plan = judgement.problem().plan;
  const std::int32_t phase_one = outcome.phase_one.value_or(0);
  if (phase_one != 0) {
    if (!legality.AllowsPhaseOne(phase_one)) {
      judgement.Fail(governing, FindingKind::kWrongStatus,
                     where + "phase one returned " + std::to_string(phase_one) + ", wanted " +
                         legality.ExpectedText() + ": " + statement + MessageSuffix(outcome));
    } else {
      for (const std::string& id : governing) judgement.Evidence(id);
      if (OfStatusTable(legality)) judgement.Evidence("2P-08");
      if (legality.HasRequired()) judgement.Evidence("SAF-03");
      if (!plan.descriptors_only) judgement.Evidence("2P-04");
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
      for (const std::string& id : governing) judgement.Evidence(id);
      if (legality.HasRequired()) judgement.Evidence("SAF-03");
    } else if (OfStatusTable(legality) && refused_by_phase_two) {
      // (Work that fails on its stream is no check that comes late.)
      judgement.Fail({"2P-08"}, FindingKind::kLateRefusal,
                     where + "phase one returned 0 and the refusal, " + std::to_string(late) +
                         ", came only afterwards; wanted " + legality.ExpectedText() +
                         " from phase one: " + statement);
    } else {
      judgement.Fail(governing, FindingKind::kLateRefusal,
                     where + "phase one returned 0 and the refusal, " + std::to_string(late) +
                         ", came only afterwards; wanted " + legality.ExpectedText() +
                         " from phase one: " + statement);
    }
    return;
  }
  judgement.Fail(governing, FindingKind::kAccepted,
                 where + "the call was accepted (status 0), wanted " + legality.ExpectedText() +
                     ": " + statement);
}

// --- Values --------------------------------------------------------------------------------------

Mismatch MismatchOf(const FaultyCell& cell) {
  return {cell.position, cell.expected, cell.got, static_cast<int>(cell.contributions)};
}

std::string CellText(const Call& call, const FaultyCell& cell) {
  return "gradInput" + CoordinateText(call.tensor(Role::kGradInput).shape, cell.position) + " is " +
         cell.got + ", wanted " + cell.expected + (cell.story.empty() ? "" : ": " + cell.story);
}

// Which clauses a wrong element breaches by itself; blame by contrast narrows it further.
void JudgeValues(Judgement& judgement, const Call& call, const MaterializedCall& data,
                 const DataFacts& facts, const CallOutcome& outcome, const std::string& where) {
  const std::vector<std::byte>& storage =
      outcome.outputs[static_cast<std::size_t>(Role::kGradInput)];
  const ValueReport report = CheckValues(
      call, data, judgement.held_before(),
      judgement.context().Flushes(call.op, call.tensor(Role::kGradInput).type), storage);
  judgement.AddSums(report.sums);
  if (report.faulty == 0) return;
  const bool has_own_special_clauses =
      judgement.Applicable(Judgement::OperatorId(call, "B06")).has_value();
  const std::string infinity = Judgement::OperatorId(call, has_own_special_clauses ? "B04" : "B05");
  const std::string nan = Judgement::OperatorId(call, "B05");
  const bool single = report.AnySingle() || report.conserved;
  // What is missing in full at one cell and found at another went astray.
  const bool astray = single || report.lost;
  const std::string tail = report.faulty > 1
                               ? " (" + std::to_string(report.faulty) + " elements are wrong)"
                               : std::string();
  for (const FaultyCell& cell : report.cells) {
    std::string id;
    FindingKind kind = FindingKind::kWrongSum;
    switch (cell.fault) {
      case CellFault::kPoisonKept:
        id = Judgement::OperatorId(call, "B03");
        kind = FindingKind::kUnnamedNotZero;
        break;
      case CellFault::kNotZero:
        // Where gradients go astray, sums of them land on coordinates that no index names.
        id = Judgement::OperatorId(call, astray ? "B01" : "B03");
        kind = astray ? FindingKind::kContributionMoved : FindingKind::kUnnamedNotZero;
        break;
      case CellFault::kSpecialLeak:
        if (facts.nan || facts.infinity) {
          id = facts.infinity ? infinity : nan;
          kind = FindingKind::kWrongSpecial;
        } else {
          id = Judgement::OperatorId(call, cell.contributions == 0 ? "B03" : "B01");
          kind = cell.contributions == 0 ? FindingKind::kUnnamedNotZero
                                         : FindingKind::kContributionLost;
        }
        break;
      case CellFault::kMoved:
        id = Judgement::OperatorId(call, "B01");
        kind = FindingKind::kContributionMoved;
        break;
      case CellFault::kLost:
        id = Judgement::OperatorId(call, "B01");
        kind = FindingKind::kContributionLost;
        break;
      case CellFault::kWrongCopy:
        id = Judgement::OperatorId(call, "B01");
        kind = FindingKind::kContributionLost;
        break;
      case CellFault::kDoubled:
        id = Judgement::OperatorId(call, cell.contributions > 1 && !single ? "B02" : "B01");
        kind = FindingKind::kContributionDoubled;
        break;
      case CellFault::kPartlyLost:
      case CellFault::kWrongSum:
        // Where gradients that meet nobody are lost too, the loss is not one of merging.
        id = Judgement::OperatorId(call, single ? "B01" : "B02");
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

bool StorageHoldsSpecial(const TensorSpec& tensor, std::span<const std::byte> storage) {
  if (tensor.null || !IsGradientType(tensor.type)) return false;
  const Data& data = tensor.data;
  const bool may =
      !data.patches.empty() || data.kind == DataKind::kConstant || data.kind == DataKind::kLiteral;
  if (!may) return false;
  const auto width = static_cast<std::size_t>(StorageBytes(tensor.type));
  bool found = false;
  ForEachOffset(tensor.shape, StridesOf(tensor), tensor.offset, [&](std::int64_t, std::int64_t at) {
    if (found) return;
    std::uint32_t bits = 0;
    std::memcpy(&bits, storage.data() + static_cast<std::size_t>(at) * width, width);
    found = IsNanBits(bits, tensor.type) || IsInfinityBits(bits, tensor.type);
  });
  return found;
}

bool AllHaveFormat(const Call& call, Format format) {
  const std::span<const Role> roles = InfoOf(call.op).tensors;
  return std::all_of(roles.begin(), roles.end(),
                     [&](Role role) { return call.tensor(role).format == format; });
}

// Whether ceilMode changes the output extent of some axis.
bool CeilMatters(const Call& call) {
  if (!call.ceil_mode) return false;
  Call floor = call;
  floor.ceil_mode = false;
  return DerivedOutputShape(call) != DerivedOutputShape(floor);
}

bool DividesEverywhere(const PlaneGeometry& geometry) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (geometry.output[axis] == 0 || geometry.input[axis] % geometry.output[axis] != 0)
      return false;
  }
  return true;
}

// What a valid backward call that was carried out right proves.
void BackwardEvidence(Judgement& judgement, const Call& call, const MaterializedCall& data,
                      const DataFacts& facts) {
  const OperatorInfo& info = InfoOf(call.op);
  const Plan& plan = judgement.problem().plan;
  const auto prove = [&](std::string_view suffix) { judgement.EvidenceFor(call, suffix); };
  const bool executed = !plan.descriptors_only;
  const bool informative = facts.any_named;
  const TensorSpec& self = call.tensor(Role::kSelf);
  const std::optional<Membership> membership = Membership::Of(call);
  const std::int64_t plane = PlaneElements(self.shape, info.spatial_rank).value_or(0);

  // Acceptance clauses need no informative numbers.
  prove("B22");
  const DataType index_type = call.tensor(Role::kIndices).type;
  if (info.op == Operator::kAdaptiveMaxPool3dBackward) {
    if (index_type == DataType::kInt32) prove("B23");
  } else {
    prove(index_type == DataType::kInt32 ? "B23" : "B24");
  }
  if (AllHaveFormat(call, Format::kNd)) prove("B26");
  if (AllHaveFormat(call, Format::kNcdhw)) prove("B27");
  constexpr std::int64_t kInt32Max = 2147483647;
  if (info.op == Operator::kMaxPool3dWithArgmaxBackward) {
    if (plane == kInt32Max) prove("S50");
    if (plane > kInt32Max && index_type == DataType::kInt64) prove("B25");
    prove("B14");
    const Dims& padding = *call.list(List::kPadding);
    if (std::any_of(padding.begin(), padding.end(), [](std::int64_t p) { return p > 0; })) {
      prove("B13");
    }
    if (CeilMatters(call)) prove("B15");
  } else if (plane == kInt32Max) {
    prove("S33");
  }
  if (!executed || !informative) return;

  prove("B01");
  if (facts.any_merge) prove("B02");
  // Mixed contents may be zero just where nothing is named.
  const bool held_nonzero = plan.output == Poison::kNan || plan.output == Poison::kFinite;
  if (facts.any_unnamed && held_nonzero) prove("B03");
  const bool has_own_special_clauses =
      judgement.Applicable(Judgement::OperatorId(call, "B06")).has_value();
  if (has_own_special_clauses) {
    if (facts.infinity) prove("B04");
    if (facts.nan) prove("B05");
    if (StorageHoldsSpecial(self, data.storage[static_cast<std::size_t>(Role::kSelf)])) {
      prove("B06");
    }
  } else if (facts.infinity || facts.nan) {
    prove("B05");
  }
  if (info.op == Operator::kMaxPool3dWithArgmaxBackward) {
    if (call.list(List::kKernelSize)->size() == 1) prove("B10");
    if (call.list(List::kStride)->empty()) prove("B11");
    if (call.list(List::kStride)->size() == 1) prove("B12");
    const Dims& padding = *call.list(List::kPadding);
    if (std::any_of(padding.begin(), padding.end(), [](std::int64_t p) { return p > 0; })) {
      prove("B16");
    }
  } else if (membership.has_value() && !DividesEverywhere(membership->geometry())) {
    prove("B04");
  }
  if (self.shape.size() == static_cast<std::size_t>(info.spatial_rank) + 1) prove("B20");
  bool indices_are_view = false;
  bool others_are_view = false;
  for (const Role role : info.tensors) {
    if (IsContiguousView(call.tensor(role))) continue;
    (role == Role::kIndices ? indices_are_view : others_are_view) = true;
  }
  if (info.op == Operator::kAdaptiveMaxPool3dBackward) {
    if (others_are_view && !indices_are_view) prove("B21");
    if (indices_are_view) prove("B25");
  } else if (others_are_view || indices_are_view) {
    prove("B21");
  }
  if (info.op == Operator::kAdaptiveMaxPool2dBackward && plane > (std::int64_t{1} << 24) &&
      membership.has_value() && DividesEverywhere(membership->geometry())) {
    prove("C02");
  }
  // Where no order of summation shows, every run agrees.
  if (plan.deterministic && plan.repeat > 1 && facts.any_inexact) prove("B30");

  std::uint32_t traits = self.type == DataType::kFloat     ? kTraitFloat
                         : self.type == DataType::kFloat16 ? kTraitHalf
                                                           : kTraitBfloat;
  if (facts.any_merge) traits |= kTraitMerge;
  if (facts.any_inexact) traits |= kTraitInexact;
  if (others_are_view || indices_are_view) traits |= kTraitView;
  if (membership.has_value() && membership->geometry().planes > 1) traits |= kTraitPlanes;
  judgement.AddTraits(traits);
}

void ProtocolEvidence(Judgement& judgement) {
  const Plan& plan = judgement.problem().plan;
  judgement.Evidence("2P-01");
  judgement.Evidence("SAF-08");
  if (plan.descriptors_only) return;
  for (const std::string_view id : {"2P-02", "2P-03", "SAF-01", "SAF-02", "SAF-05"}) {
    judgement.Evidence(id);
  }
  const bool alive_together = plan.streams > 1 && plan.order != Order::kInTurn;
  if (plan.threads > 1 || alive_together) judgement.Evidence("2P-06");
  if (plan.repeat > 1 || judgement.problem().calls.size() > 1) judgement.Evidence("2P-07");
  if (plan.growth_calls > 0) judgement.Evidence("SAF-06");
}

// --- Forwards ------------------------------------------------------------------------------------

// A forward's indices, element by element in row-major order.
std::vector<std::int64_t> LoadIndices(const TensorSpec& tensor,
                                      std::span<const std::byte> storage) {
  std::vector<std::int64_t> indices;
  const auto width = static_cast<std::size_t>(StorageBytes(tensor.type));
  ForEachOffset(tensor.shape, StridesOf(tensor), tensor.offset, [&](std::int64_t, std::int64_t at) {
    std::int64_t value = 0;
    std::memcpy(&value, storage.data() + static_cast<std::size_t>(at) * width, width);
    indices.push_back(width == 4 ? static_cast<std::int32_t>(value) : value);
  });
  return indices;
}

void JudgeForward(Judgement& judgement, const Call& call, const CallOutcome& outcome,
                  const std::string& where) {
  const std::optional<Membership> membership = Membership::Of(call);
  const std::vector<std::byte>& storage = outcome.outputs[static_cast<std::size_t>(Role::kIndices)];
  if (!membership.has_value() || storage.empty()) return;
  const OperatorInfo& info = InfoOf(call.op);
  const std::vector<std::int64_t> indices = LoadIndices(call.tensor(Role::kIndices), storage);
  const PlaneGeometry& geometry = membership->geometry();
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::int64_t index = indices[i];
    const bool in_plane = index >= 0 && index < geometry.PlaneSize();
    const bool in_window =
        in_plane && membership->Covers(static_cast<std::int64_t>(i) % geometry.OutputSize(), index);
    if (in_window || (in_plane && !info.is_adaptive)) continue;
    judgement.Fail(
        {Judgement::OperatorId(call, info.is_adaptive ? "B04" : "B16")}, FindingKind::kWrongIndex,
        where + "the forward's index " + std::to_string(index) + " of element " +
            std::to_string(i) + " lies outside " +
            (in_plane ? "its window" : "the plane of " + std::to_string(geometry.PlaneSize())),
        Mismatch{static_cast<std::int64_t>(i), "an index of its window", std::to_string(index), 0});
    return;
  }
  if (info.is_adaptive) {
    judgement.EvidenceFor(call, "B04");
    return;
  }
  judgement.EvidenceFor(call, "B16");
  if (CeilMatters(call)) judgement.EvidenceFor(call, "B15");
}

// --- One call ------------------------------------------------------------------------------------

bool ReturnedAll(const CallOutcome& outcome) {
  return outcome.phase_two.value_or(0) == 0 && outcome.synchronise.value_or(0) == 0;
}

void JudgeRefusedValid(Judgement& judgement, const Call& call, const CallOutcome& outcome,
                       const std::string& where) {
  const std::int32_t phase_one = outcome.phase_one.value_or(0);
  if (InfoOf(call.op).is_forward) {
    judgement.Open(where + "the forward refused the call; no clause judges that");
    return;
  }
  if (phase_one != 0) {
    judgement.Fail({"2P-01"}, FindingKind::kRefused,
                   where + "phase one refused a valid call with " + std::to_string(phase_one) +
                       MessageSuffix(outcome));
    return;
  }
  const bool in_phase_two = outcome.phase_two.value_or(0) != 0;
  judgement.Fail({"2P-02"}, FindingKind::kRefused,
                 where + (in_phase_two ? "phase two" : "synchronise") + " returned " +
                     std::to_string(in_phase_two ? *outcome.phase_two : *outcome.synchronise) +
                     " for a valid call" + MessageSuffix(outcome));
}

void JudgeValid(Judgement& judgement, const Call& call, const MaterializedCall& data,
                const DataFacts& facts, const CallOutcome& outcome, const std::string& where) {
  const OperatorInfo& info = InfoOf(call.op);
  const Plan& plan = judgement.problem().plan;
  if (!facts.in_window) {
    // Any answer will do, a refusal too; memory of others must stay as it is all the same.
    JudgeMemory(judgement, call, outcome, where, !facts.in_plane);
    judgement.Open(
        where + (facts.in_plane ? "indices outside their windows" : "indices outside the plane") +
        ": the result is undocumented");
    if (!facts.in_plane) judgement.Evidence("SAF-04");
    return;
  }
  if (outcome.phase_one.value_or(0) != 0 || !ReturnedAll(outcome)) {
    JudgeRefusedValid(judgement, call, outcome, where);
    return;
  }
  if (!outcome.workspace_size_set || !outcome.executor_set) {
    judgement.Fail({"2P-01"}, FindingKind::kOutParameter,
                   where + "phase one returned 0 without setting " +
                       (outcome.workspace_size_set ? "executor" : "workspaceSize"));
    return;
  }
  if (outcome.phase_one_wrote) {
    judgement.Fail({"2P-01"}, FindingKind::kPhaseOneSideEffect,
                   where + "phase one changed the data of " + outcome.phase_one_wrote_to);
  }
  if (plan.descriptors_only) {
    if (info.is_forward) return;
    BackwardEvidence(judgement, call, data, facts);
    judgement.ProtocolHeld();
    return;
  }
  if (info.is_forward) {
    JudgeMemory(judgement, call, outcome, where, false);
    JudgeForward(judgement, call, outcome, where);
    return;
  }
  JudgeMemory(judgement, call, outcome, where, false);
  JudgeValues(judgement, call, data, facts, outcome, where);
  BackwardEvidence(judgement, call, data, facts);
  judgement.ProtocolHeld();
}

// --- Bad ends ------------------------------------------------------------------------------------

std::string EndText(const Outcome& outcome) {
  switch (outcome.end) {
    case End::kSignalled:
      return "the process died of signal " + std::to_string(outcome.signal);
    case End::kExited:
      return "the process exited with " + std::to_string(outcome.exit_code);
    case End::kTimedOut:
      return "the deadline passed";
    case End::kOutOfMemory:
      return "the memory limit was exceeded";
    case End::kThrew:
      return "an exception came out of a C function" +
             (outcome.detail.empty() ? "" : " (" + outcome.detail + ")");
    default:
      return "the call did not return";
  }
}

FindingKind EndKind(End end) {
  switch (end) {
    case End::kTimedOut:
      return FindingKind::kTimedOut;
    case End::kOutOfMemory:
      return FindingKind::kOutOfMemory;
    case End::kThrew:
      return FindingKind::kThrew;
    default:
      return FindingKind::kCrashed;
  }
}

void JudgeBadEnd(Judgement& judgement, const std::vector<DataFacts>& facts,
                 const Outcome& outcome) {
  const Case& problem = judgement.problem();
  const std::size_t at = outcome.ended_at_call % problem.calls.size();
  const Call& call = problem.calls[at];
  const Legality legality =
      Classify(*judgement.context().spec, judgement.context().profile, call, problem.plan);
  const std::string text = CallText(judgement, at) + EndText(outcome) + " in " +
                           std::string(PhaseName(outcome.ended_in));
  const FindingKind kind = EndKind(outcome.end);
  judgement.SetAdvice(legality.by_advice);
  switch (legality.kind) {
    case LegalityKind::kInvalid: {
      std::vector<std::string> ids = GoverningIds(legality);
      if (legality.HasRequired()) {
        // A call with one fault was not answered as its clause demands either; of several faults
        // nothing says which of them is at work.
        if (ids.size() > 1) ids.clear();
        ids.emplace_back("SAF-03");
      }
      const std::string why = ": " + legality.breached.front()->statement;
      judgement.Fail(ids, kind, text + why);
      // Phase two is entered only after phase one accepted what it must refuse.
      const bool accepted = outcome.ended_in == Phase::kPhaseTwo ||
                            outcome.ended_in == Phase::kSynchronise ||
                            outcome.ended_in == Phase::kReadBack;
      if (legality.HasRequired() && accepted && !legality.AllowsLateRefusal() &&
          !problem.plan.phase_two_alone) {
        judgement.Fail(GoverningIds(legality), FindingKind::kAccepted,
                       CallText(judgement, at) + "phase one accepted the call, wanted " +
                           legality.ExpectedText() + why);
      }
      return;
    }
    case LegalityKind::kOpen:
      for (const Clause* clause : legality.left_open_by) {
        judgement.Fail({clause->id}, kind, text + ": " + legality.open_reason);
      }
      judgement.Open(text + "; " + legality.open_reason);
      return;
    case LegalityKind::kValid:
      break;
  }
  if (InfoOf(call.op).is_forward) {
    judgement.Open(text + "; no clause judges the forward");
    return;
  }
  if (!facts[at].in_plane) {
    judgement.Fail({"SAF-04"}, kind, text + " with indices outside the plane");
    return;
  }
  const bool first = outcome.ended_in == Phase::kSetup || outcome.ended_in == Phase::kPhaseOne;
  judgement.Fail({first ? "2P-01" : "2P-02"}, kind, text + " of a valid call");
}

// Calls that are under way together share a stream. What one of them is refused for when it runs is
// told to whoever synchronises first, and of undocumented indices nobody is to blame.
bool MayBeAnothersRefusal(const Plan& plan, const std::vector<DataFacts>& facts,
                          const CallOutcome& outcome) {
  return plan.order != Order::kInTurn && outcome.synchronise.value_or(0) != 0 &&
         std::any_of(facts.begin(), facts.end(),
                     [](const DataFacts& other) { return !other.in_window; });
}

// --- Across repetitions --------------------------------------------------------------------------

void JudgeRepeats(Judgement& judgement, const std::vector<DataFacts>& facts,
                  const Outcome& outcome) {
  const Case& problem = judgement.problem();
  const Plan& plan = problem.plan;
  if (!plan.deterministic || plan.repeat < 2) return;
  const auto calls = problem.calls.size();
  const auto repeats = static_cast<std::size_t>(plan.repeat);
  for (std::size_t thread = 0; thread < static_cast<std::size_t>(plan.threads); ++thread) {
    for (std::size_t repetition = 1; repetition < repeats; ++repetition) {
      for (std::size_t i = 0; i < calls; ++i) {
        const Call& call = problem.calls[i];
        // What an index outside the plane makes of gradInput is undocumented.
        if (InfoOf(call.op).is_forward || !facts[i].in_plane) continue;
        const CallOutcome& first = outcome.calls[thread * repeats * calls + i];
        const CallOutcome& again = outcome.calls[(thread * repeats + repetition) * calls + i];
        // A refused call leaves what was there, which need not be the same.
        if (first.synchronise != 0 || again.synchronise != 0) continue;
        constexpr auto kResult = static_cast<std::size_t>(Role::kGradInput);
        const std::optional<std::int64_t> difference = FirstDifference(
            call.tensor(Role::kGradInput), first.outputs[kResult], again.outputs[kResult]);
        if (!difference.has_value()) continue;
        judgement.Fail({Judgement::OperatorId(call, "B30")}, FindingKind::kNotRepeatable,
                       CallText(judgement, i) + "with the deterministic option on, run " +
                           std::to_string(repetition + 1) + " differs from run 1 at gradInput" +
                           CoordinateText(call.tensor(Role::kGradInput).shape, *difference));
        return;
      }
    }
  }
}

void JudgeProcess(Judgement& judgement, const Outcome& outcome) {
  const ProcessFacts& process = outcome.process;
  const Plan& plan = judgement.problem().plan;
  const std::pair<bool, std::string_view> changes[] = {
      {process.file_descriptors_changed, "open files"},
      {process.floating_point_environment_changed, "the floating-point environment"},
      {process.signal_handlers_changed, "signal handlers"},
      {process.working_directory_changed, "the working directory"},
  };
  for (const auto& [changed, what] : changes) {
    if (changed) {
      judgement.Fail({"SAF-08"}, FindingKind::kProcessChanged,
                     "the calls changed " + std::string(what) + " of the process");
    }
  }
  if (plan.growth_calls > 0 &&
      process.grown_bytes > kGrowthAllowance + plan.growth_calls * kGrowthAllowancePerCall) {
    judgement.Fail({"SAF-06"}, FindingKind::kGrowth,
                   "the process grew by " + std::to_string(process.grown_bytes) + " bytes over " +
                       std::to_string(plan.growth_calls) + " further calls");
  }
}

}  // namespace

bool JudgeContext::Flushes(Operator op, DataType type) const {
  return std::find(flushing.begin(), flushing.end(), std::pair(op, type)) != flushing.end();
}

Verdict Judge(const JudgeContext& context, const Case& problem, const Materialized& data,
              const Outcome& outcome) {
  if (outcome.end == End::kHarness) {
    Verdict verdict;
    verdict.kind = VerdictKind::kInconclusive;
    verdict.note = outcome.detail;
    return verdict;
  }
  Judgement judgement(context, problem);
  std::vector<DataFacts> facts;
  for (std::size_t i = 0; i < problem.calls.size(); ++i) {
    facts.push_back(FactsOf(problem.calls[i], data.calls[i]));
  }
  if (outcome.end != End::kReturned) {
    JudgeBadEnd(judgement, facts, outcome);
    return std::move(judgement).Finish();
  }
  std::vector<Legality> legality;
  for (const Call& call : problem.calls) {
    legality.push_back(Classify(*context.spec, context.profile, call, problem.plan));
  }
  for (std::size_t k = 0; k < outcome.calls.size(); ++k) {
    const std::size_t i = k % problem.calls.size();
    const Call& call = problem.calls[i];
    const std::string where = CallText(judgement, i);
    judgement.SetAdvice(legality[i].by_advice);
    judgement.SetRepetition(static_cast<int>(k / problem.calls.size()) % problem.plan.repeat);
    judgement.SetCallNumber(i);
    switch (legality[i].kind) {
      case LegalityKind::kValid:
        if (MayBeAnothersRefusal(problem.plan, facts, outcome.calls[k])) {
          JudgeMemory(judgement, call, outcome.calls[k], where, !facts[i].in_plane);
          judgement.Open(where + "synchronise returned " +
                         std::to_string(*outcome.calls[k].synchronise) +
                         ", which may speak of the other call on the stream, whose indices lie "
                         "outside their windows");
          break;
        }
        JudgeValid(judgement, call, data.calls[i], facts[i], outcome.calls[k], where);
        break;
      case LegalityKind::kInvalid:
        JudgeMemory(judgement, call, outcome.calls[k], where, !facts[i].in_plane);
        JudgeInvalid(judgement, call, outcome.calls[k], legality[i], where);
        break;
      case LegalityKind::kOpen:
        for (const Clause* clause : legality[i].left_open_by) judgement.Evidence(clause->id);
        JudgeMemory(judgement, call, outcome.calls[k], where, !facts[i].in_plane);
        judgement.Open(where + legality[i].open_reason + ": phase one answered " +
                       std::to_string(outcome.calls[k].phase_one.value_or(0)));
        break;
    }
  }
  judgement.SetAdvice({});
  JudgeRepeats(judgement, facts, outcome);
  JudgeProcess(judgement, outcome);
  if (judgement.protocol_held()) ProtocolEvidence(judgement);
  if (problem.plan.guard == Guard::kNone) return std::move(judgement).Finish();

  const bool guarded = std::all_of(outcome.calls.begin(), outcome.calls.end(),
                                   [](const CallOutcome& call) { return call.guarded; });
  if (guarded && judgement.protocol_held()) judgement.Evidence("SAF-07");
  Verdict verdict = std::move(judgement).Finish();
  if (!guarded && verdict.findings.empty()) {
    verdict.kind = VerdictKind::kInconclusive;
    verdict.evidence.clear();
    verdict.note = "the memory of the implementation cannot be guarded page by page";
  }
  return verdict;
}

}  // namespace poolproof
