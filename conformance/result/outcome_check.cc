// SPDX-License-Identifier: Apache-2.0
#include "conformance/result/outcome_check.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

namespace poolproof {
namespace {

// Guard pages and padding of any machine are less.
constexpr std::int64_t kMostDistance = std::int64_t{1} << 20;

std::string Number(std::optional<std::int64_t> value) {
  return value ? std::to_string(*value) : "nothing";
}

// One call of an attempt in which all returned.
class CallCheck {
 public:
  CallCheck(const ExpectedAnswer& expected, std::size_t position, std::size_t repetition,
            const CallOutcome& outcome)
      : plan_(expected.plan),
        operands_(expected.calls[position]),
        repetition_(repetition),
        outcome_(outcome) {}

  // What is wrong; empty where nothing is.
  std::string Run() {
    Statuses();
    OutParameters();
    PhaseOneWrites();
    Workspace();
    Looks();
    for (std::size_t role = 0; role < kRoleCount; ++role) {
      Memory(static_cast<Role>(role));
      Output(static_cast<Role>(role));
    }
    Want(!outcome_.guarded || plan_.guard != Guard::kNone, "guard pages, which were not asked for");
    Want(outcome_.message.size() <= kMostMessageBytes, "a message of too many bytes");
    Want((outcome_.message.empty() && !outcome_.message_asked) || Failed(),
         "a message, and no status but 0");
    return what_;
  }

 private:
  void Want(bool holds, std::string_view otherwise) {
    if (!holds && what_.empty()) what_ = otherwise;
  }
  void Want(bool holds, Role role, const std::string& otherwise) {
    if (!holds && what_.empty()) what_ = std::string(RoleName(role)) + ": " + otherwise;
  }

  [[nodiscard]] bool GoesOn() const {
    return outcome_.phase_one == 0 && outcome_.HasPlan() && !plan_.descriptors_only;
  }
  [[nodiscard]] bool Failed() const {
    return outcome_.phase_one.value_or(0) != 0 || outcome_.phase_two.value_or(0) != 0 ||
           outcome_.synchronise.value_or(0) != 0;
  }

  void Statuses() {
    Want(outcome_.reached == Phase::kDone, "a call that did not come to its end");
    const bool second = plan_.phase_two_alone || GoesOn();
    Want(outcome_.phase_one.has_value() != plan_.phase_two_alone,
         "phase one: " + Number(outcome_.phase_one));
    Want(outcome_.phase_two.has_value() == second,
         "phase two: " + Number(outcome_.phase_two) +
             ", after phase one: " + Number(outcome_.phase_one));
    Want(outcome_.synchronise.has_value() == second,
         "synchronise: " + Number(outcome_.synchronise) +
             ", after phase two: " + Number(outcome_.phase_two));
  }

  void OutParameters() {
    const bool no_one = plan_.phase_two_alone;
    Want(!outcome_.workspace_size_set || !(no_one || plan_.null_workspace_size),
         "workspaceSize, which was not asked for");
    Want(!outcome_.executor_set || !(no_one || plan_.null_executor_out),
         "an executor, which was not asked for");
    Want(outcome_.workspace_size_set || outcome_.workspace_size == 0,
         "a workspaceSize that was not set");
    Want(!outcome_.executor_reused || (plan_.reuse_executor && repetition_ > 0 && GoesOn()),
         "an executor run again, where none was kept");
  }

  void PhaseOneWrites() {
    const auto is_operand = [&] {
      for (std::size_t role = 0; role < kRoleCount; ++role) {
        const bool named = outcome_.phase_one_wrote_to == RoleName(static_cast<Role>(role));
        if (named && operands_[role].exists) return !plan_.phase_two_alone;
      }
      return false;
    };
    Want(outcome_.phase_one_wrote ? is_operand() : outcome_.phase_one_wrote_to.empty(),
         "phase one wrote to an operand that the call does not have");
  }

  void Looks() {
    const auto is_output = [&](Role role) {
      const ExpectedAnswer::Operand& operand = operands_[static_cast<std::size_t>(role)];
      return operand.exists && operand.is_output && GoesOn();
    };
    Want(outcome_.held_looks == 0 || (plan_.look == Look::kHeld && GoesOn()),
         "looks at outputs, which were not asked for");
    Want(!outcome_.written_early || (outcome_.held_looks > 0 && is_output(*outcome_.written_early)),
         "an output that was written early, and no look at it");
    Want(
        !outcome_.written_late || (plan_.look == Look::kAfter && is_output(*outcome_.written_late)),
        "an output that was written late, and no look at it");
  }

  void Workspace() {
    MemoryFacts none = outcome_.workspace;
    if (GoesOn() && outcome_.workspace_size > 0) {
      none.guard_before_intact = true;
      none.guard_after_intact = true;
    }
    Want(none == MemoryFacts(), "facts about a workspace that the call did not have");
  }

  void Memory(Role role) {
    const ExpectedAnswer::Operand& operand = operands_[static_cast<std::size_t>(role)];
    const MemoryFacts& facts = outcome_.memory[static_cast<std::size_t>(role)];
    if (!operand.exists || plan_.phase_two_alone) {
      Want(facts == MemoryFacts(), role, "facts about memory that the call did not have");
      return;
    }
    Want(facts.damage_contained || !facts.guard_before_intact || !facts.guard_after_intact, role,
         "damage to a guard zone that is intact");
    if (facts.first_changed_byte) {
      const bool carried_out = GoesOn() && outcome_.phase_two == 0 && outcome_.synchronise == 0;
      Want(!operand.is_output || !carried_out, role,
           "an output of a call that was carried out counts as changed");
      Want(*facts.first_changed_byte >= 0 &&
               *facts.first_changed_byte < static_cast<std::int64_t>(operand.size),
           role,
           "byte " + std::to_string(*facts.first_changed_byte) + " changed, of " +
               std::to_string(operand.size));
    }
    if (facts.guard_touch) {
      const std::int64_t distance = facts.guard_touch->distance;
      const bool possible = distance <= kMostDistance && distance >= -kMostDistance;
      Want(plan_.guard != Guard::kNone && possible, role,
           "a touch of guard pages " + std::to_string(distance) + " bytes away");
    }
  }

  void Output(Role role) {
    const ExpectedAnswer::Operand& operand = operands_[static_cast<std::size_t>(role)];
    const std::size_t size = outcome_.outputs[static_cast<std::size_t>(role)].size();
    const bool read_back = operand.exists && operand.is_output && !plan_.phase_two_alone;
    // A device that reported a fault may refuse to give memory back.
    const bool may_lack = outcome_.synchronise.value_or(0) != 0;
    const std::size_t wanted = read_back ? operand.size : 0;
    Want(size == wanted || (may_lack && size == 0), role,
         std::to_string(size) + " bytes read back, expected " + std::to_string(wanted));
  }

  const CallPlan& plan_;
  const std::array<ExpectedAnswer::Operand, kRoleCount>& operands_;
  const std::size_t repetition_;
  const CallOutcome& outcome_;
  std::string what_;
};

// What concerns no single call.
std::string WholeMisfit(const ExpectedAnswer& expected, const Outcome& outcome) {
  const bool returned = outcome.end == End::kReturned;
  if (!returned && outcome.end != End::kThrew && outcome.end != End::kHarness) {
    return "an end that only the runner can report";
  }
  const std::size_t count = outcome.calls.size();
  if (returned ? count != expected.call_count() : count > expected.call_count()) {
    return std::to_string(count) + " calls, expected " + std::to_string(expected.call_count());
  }
  if (outcome.signal != 0 || outcome.exit_code != 0 || !outcome.output_tail.empty() ||
      outcome.crash) {
    return "a signal, an exit code or last output of a process that did not end";
  }
  if (returned ? outcome.ended_at_call != 0 || outcome.ended_in != Phase::kSetup
               : outcome.ended_at_call > 0 && outcome.ended_at_call >= expected.calls.size()) {
    return "an end at call " + std::to_string(outcome.ended_at_call) + " of " +
           std::to_string(expected.calls.size());
  }
  if (outcome.detail.size() > kMostMessageBytes) return "a detail of too many bytes";
  if (returned && !expected.plan.deterministic && !outcome.detail.empty()) {
    return "a detail of calls that all returned";
  }
  const ProcessFacts& process = outcome.process;
  const ProcessFacts::Gains none{};
  if (expected.plan.growth_calls == 0 &&
      (process.heap_gain != none || process.resident_gain != none || process.device_gain != none)) {
    return "memory gained, which was not asked for";
  }
  if (process.runs_otherwise < 0 || process.runs_otherwise > expected.plan.growth_calls) {
    return "other answers in " + std::to_string(process.runs_otherwise) + " of " +
           std::to_string(expected.plan.growth_calls) + " further runs";
  }
  if (process.spent && !process.file_descriptors_changed && process.runs_otherwise == 0) {
    return "a process that ended without a reason";
  }
  if (outcome.rounds.size() > static_cast<std::size_t>(expected.timing.rounds) ||
      (returned && outcome.rounds.size() != static_cast<std::size_t>(expected.timing.rounds))) {
    return std::to_string(outcome.rounds.size()) + " rounds, expected " +
           std::to_string(expected.timing.rounds);
  }
  if (std::any_of(outcome.rounds.begin(), outcome.rounds.end(),
                  [](const TimedRound& round) { return round.calls == 0; })) {
    return "a round without calls";
  }
  const std::vector<std::uint32_t>& edges = outcome.reached_edges;
  if (edges.size() > kMostReachedEdges ||
      std::adjacent_find(edges.begin(), edges.end(), std::greater_equal<>()) != edges.end() ||
      (!edges.empty() && edges.back() >= kMostEdges)) {
    return "edges that are not ascending, too many or out of range";
  }
  return {};
}

}  // namespace

ExpectedAnswer::ExpectedAnswer(const Invocation& invocation)
    : calls(invocation.calls.size()), plan(invocation.plan), timing(invocation.timing) {
  for (std::size_t i = 0; i < calls.size(); ++i) {
    for (const TensorArgument& tensor : invocation.calls[i].tensors) {
      calls[i][static_cast<std::size_t>(tensor.role)] = {!tensor.null, tensor.is_output,
                                                         tensor.bytes.size()};
    }
  }
}

std::size_t ExpectedAnswer::call_count() const {
  return calls.size() * static_cast<std::size_t>(std::max(plan.repeat, 0)) *
         static_cast<std::size_t>(std::max(plan.threads, 0));
}

std::optional<Misfit> FindMisfit(const ExpectedAnswer& expected, const Outcome& outcome) {
  if (std::string what = WholeMisfit(expected, outcome); !what.empty()) return Misfit{0, what};
  // Of an attempt that broke off nothing but its end is reported.
  if (outcome.end != End::kReturned) return std::nullopt;
  const auto repeat = static_cast<std::size_t>(expected.plan.repeat);
  for (std::size_t k = 0; k < outcome.calls.size(); ++k) {
    const std::size_t position = k % expected.calls.size();
    const std::size_t repetition = k / expected.calls.size() % repeat;
    std::string what = CallCheck(expected, position, repetition, outcome.calls[k]).Run();
    if (what.empty()) continue;
    if (expected.call_count() > 1) what = "answer " + std::to_string(k) + ": " + what;
    return Misfit{position, std::move(what)};
  }
  return std::nullopt;
}

}  // namespace poolproof
