// SPDX-License-Identifier: Apache-2.0
#include "conformance/case/plan_members.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

namespace poolproof {
namespace {

using Kind = PlanMember::Kind;

constexpr std::array<std::string_view, kPoisonCount> kPoisonWords = {"nan", "finite", "zero",
                                                                     "mixed"};
constexpr std::array<std::string_view, 3> kGuardWords = {"none", "after", "before"};
constexpr std::array<std::string_view, 3> kOrderWords = {"turn", "fifo", "lifo"};
constexpr std::array<std::string_view, 3> kLookWords = {"none", "held", "after"};
constexpr std::array<std::string_view, kRelationCount> kRelationWords = {
    "none",      "linearity",  "scaling",   "plane-permutation", "conservation", "self-irrelevant",
    "view-copy", "batch-axis", "depth-one", "adaptive-fixed",    "list-length",  "index-type"};

constexpr int kShiftUnit = 32;            // what the pages ask of a data address
constexpr int kMostShift = 64 << 20;      // bytes, over all repetitions
constexpr int kMostSettle = 10 * 60'000;  // milliseconds

template <auto kMember>
constexpr PlanMember Row(Kind kind, std::string_view line_name, std::string_view json_name,
                         std::string_view meaning) {
  PlanMember row;
  row.kind = kind;
  row.line_name = line_name;
  row.json_name = json_name;
  row.meaning = meaning;
  row.get = [](const CallPlan& plan) { return static_cast<int>(plan.*kMember); };
  row.set = [](CallPlan& plan, int value) {
    using Type = std::remove_reference_t<decltype(plan.*kMember)>;
    plan.*kMember = static_cast<Type>(value);
  };
  return row;
}

template <auto kMember>
constexpr PlanMember Flag(std::string_view line_name, std::string_view json_name,
                          std::string_view meaning) {
  return Row<kMember>(Kind::kFlag, line_name, json_name, meaning);
}

template <auto kMember>
constexpr PlanMember Number(std::string_view line_name, std::string_view json_name, int least,
                            int most, std::string_view meaning) {
  PlanMember row = Row<kMember>(Kind::kNumber, line_name, json_name, meaning);
  row.least = least;
  row.most = most;
  return row;
}

template <auto kMember>
constexpr PlanMember Word(std::string_view name, std::span<const std::string_view> words,
                          std::string_view meaning) {
  PlanMember row = Row<kMember>(Kind::kWord, name, name, meaning);
  row.words = words;
  row.most = static_cast<int>(words.size()) - 1;
  return row;
}

// Of members that make a call what it is.
constexpr PlanMember Kept(PlanMember row) {
  row.removable = false;
  return row;
}

constexpr std::array kMembers = {
    Kept(Flag<&CallPlan::descriptors_only>("descriptors", "descriptorsOnly",
                                           "phase one alone, on descriptors without storage")),
    Kept(Flag<&CallPlan::null_workspace_size>("nullsize", "nullWorkspaceSize",
                                              "phase one with a null workspaceSize out-pointer")),
    Kept(Flag<&CallPlan::null_executor_out>("nullexecutor", "nullExecutorOut",
                                            "phase one with a null executor out-pointer")),
    Kept(Flag<&CallPlan::phase_two_alone>("phase2", "phaseTwoAlone",
                                          "phase two alone, with a null executor")),
    Flag<&CallPlan::deterministic>("det", "deterministic", "with the deterministic option on"),
    Flag<&CallPlan::fill_late>(
        "late", "fillLate", "inputs are zero in phase one and get their contents before phase two"),
    Flag<&CallPlan::vary_contents>("vary", "varyContents",
                                   "output and workspace get the next of the four contents before "
                                   "each repetition"),
    Flag<&CallPlan::reuse_executor>(
        "reuse", "reuseExecutor",
        "all repetitions run one executor, made repeatable and pointed to "
        "other addresses, with the workspace as it left it; one each where the library cannot"),
    Flag<&CallPlan::share_descriptors>(
        "share", "shareDescriptors",
        "a call uses descriptors and memory of earlier calls of the sequence, filled again, "
        "if a tensor of an earlier call has the same description, in any argument"),
    Number<&CallPlan::repeat>("repeat", "repeat", 1, 100'000,
                              "runs of the whole sequence, each in buffers of its own"),
    Number<&CallPlan::threads>(
        "threads", "threads", 1, 256,
        "host threads that run it at once, each with a stream of its own and the "
        "next call first"),
    Kept(Number<&CallPlan::settle_ms>(
        "settle", "settleMs", 0, kMostSettle,
        "milliseconds between synchronise and the reading of results")),
    Number<&CallPlan::growth_calls>("growth", "growthCalls", 0, 10'000'000,
                                    "further runs, while the memory of the process is watched"),
    Number<&CallPlan::shift_bytes>(
        "shift", "shiftBytes", 0, kMostShift,
        "bytes, a multiple of 32, by which the operands of each repetition "
        "lie further from the start of their blocks"),
    Number<&CallPlan::streams>("streams", "streams", 1, 64, "streams that the calls take in turn"),
    Word<&CallPlan::output>(
        "output", kPoisonWords,
        "what outputs hold before: bytes ff, bytes 3c, bytes 00, or eight bytes 00 "
        "and eight bytes 3c in turn"),
    Word<&CallPlan::workspace>("workspace", kPoisonWords,
                               "what the workspace holds before: see output"),
    Word<&CallPlan::guard>("guard", kGuardWords,
                           "pages next to each operand that the library must not touch, where the "
                           "memory is the host's"),
    Word<&CallPlan::order>(
        "order", kOrderWords,
        "one call after the other, or phase one of all before phase two of all, in "
        "the same or the opposite order, and then one synchronise for each stream"),
    Kept(Word<&CallPlan::look>("look", kLookWords,
                               "outputs are looked at while copies in front of phase two hold up "
                               "the stream, or as soon as "
                               "the stream is synchronised and again after settle")),
    Kept(Word<&CallPlan::relation>("relation", kRelationWords,
                                   "the relation that the results of the calls must have")),
};

// Whether CallPlan has as many members as there are numbers.
struct Anything {
  template <typename Member>
  operator Member() const;  // NOLINT(google-explicit-constructor)
};
template <std::size_t>
using AnythingAt = Anything;
template <typename Aggregate, typename Numbers, typename = void>
struct HoldsSoMany : std::false_type {};
template <typename Aggregate, std::size_t... kNumbers>
struct HoldsSoMany<Aggregate, std::index_sequence<kNumbers...>,
                   std::void_t<decltype(Aggregate{AnythingAt<kNumbers>()...})>> : std::true_type {};
static_assert(HoldsSoMany<CallPlan, std::make_index_sequence<kMembers.size()>>::value &&
                  !HoldsSoMany<CallPlan, std::make_index_sequence<kMembers.size() + 1>>::value,
              "a member of CallPlan has no row");

}  // namespace

std::string_view RelationName(Relation relation) {
  return kRelationWords[static_cast<std::size_t>(relation)];
}

std::optional<Relation> ParseRelation(std::string_view name) {
  const auto* found = std::find(kRelationWords.begin(), kRelationWords.end(), name);
  if (found == kRelationWords.end()) return std::nullopt;
  return static_cast<Relation>(found - kRelationWords.begin());
}

std::string PlanMember::ValueText(int value) const {
  if (kind == Kind::kFlag) return "";
  return kind == Kind::kNumber ? std::to_string(value)
                               : std::string(words[static_cast<std::size_t>(value)]);
}

std::string PlanMember::Wanted() const {
  if (kind == Kind::kFlag) return "true or false";
  if (kind == Kind::kNumber) {
    return "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
  }
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

std::span<const PlanMember> PlanMembers() { return kMembers; }

Status CheckPlan(const CallPlan& plan) {
  for (const PlanMember& member : kMembers) {
    const int value = member.get(plan);
    if (value >= member.least && value <= member.most) continue;
    return InvalidArgument(std::string(member.line_name) + ": " + std::to_string(value) +
                           " is not " + member.Wanted());
  }
  if (plan.shift_bytes % kShiftUnit != 0 ||
      std::int64_t{plan.shift_bytes} * plan.repeat > kMostShift) {
    return InvalidArgument("shift: " + std::to_string(plan.shift_bytes) + " is not a multiple of " +
                           std::to_string(kShiftUnit) + " that comes to at most " +
                           std::to_string(kMostShift) + " over all repetitions");
  }
  if (plan.guard != Guard::kNone && (plan.threads != 1 || plan.order != Order::kInTurn ||
                                     plan.shift_bytes != 0 || plan.reuse_executor)) {
    return InvalidArgument(
        "guard needs one thread and calls in turn, and excludes shift and reuse");
  }
  if (plan.share_descriptors && (plan.guard != Guard::kNone || plan.order != Order::kInTurn ||
                                 plan.reuse_executor || plan.descriptors_only)) {
    return InvalidArgument("share needs calls in turn, and excludes guard, reuse and descriptors");
  }
  const bool whole = !plan.descriptors_only && !plan.phase_two_alone;
  if (plan.look != Look::kNone &&
      (plan.threads != 1 || plan.guard != Guard::kNone || plan.share_descriptors || !whole ||
       (plan.look == Look::kHeld && plan.order != Order::kInTurn))) {
    return InvalidArgument(
        "look needs one thread (look=held: calls in turn, too), and excludes guard, share, "
        "descriptors and phase2");
  }
  if (plan.reuse_executor && plan.phase_two_alone) {
    return InvalidArgument("reuse needs a phase one, phase2 has none");
  }
  return OkStatus();
}

}  // namespace poolproof
