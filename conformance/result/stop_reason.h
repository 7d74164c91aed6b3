// SPDX-License-Identifier: Apache-2.0
//
// StopReason: what ended a run before its plan did.
#ifndef POOLPROOF_CONFORMANCE_RESULT_STOP_REASON_H_
#define POOLPROOF_CONFORMANCE_RESULT_STOP_REASON_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace poolproof {

// Where several apply, the first one is reported.
enum class StopReason : std::uint8_t {
  kNone,
  kInterrupt,      // Ctrl-C
  kStopAfter,      // --stop-after
  kTimeouts,       // too many calls that hung
  kDeadline,       // --deadline
  kTime,           // a campaign's --time: its ordinary end
  kMissingShards,  // of a merged report
  kUnanswered,     // of answers in files: some cases have none
  kNoWorker,       // workers did not start: their cases were left out
};

struct StopReasonInfo {
  std::string_view word;      // in files; empty: kNone
  std::string_view sentence;  // for a person
  std::string_view clause;    // why a clause has no answer
};

inline constexpr std::array<StopReasonInfo, 9> kStopReasons = {{
    {"", "", ""},
    {"interrupt", "stopped by Ctrl-C", "the run was interrupted before a case tested it"},
    {"stop-after", "stopped at a failing case (--stop-after)",
     "the run stopped at a failing case before one tested it"},
    {"timeouts", "stopped after too many calls that hung",
     "the run stopped after too many calls that hung"},
    {"deadline", "the deadline (--deadline) has passed",
     "the deadline came before a case tested it"},
    {"time", "the time (--time) is over", "the campaign's time was over before a case tested it"},
    {"missing-shards", "shards are missing", "the shards given have no case that tested it"},
    {"unanswered", "cases were not answered", "no case that was answered tested it"},
    {"no-worker", "a worker did not start, and its cases were left out",
     "a worker did not start, and no case that was judged tested it"},
}};
static_assert(kStopReasons.size() == static_cast<std::size_t>(StopReason::kNoWorker) + 1);

constexpr const StopReasonInfo& InfoOf(StopReason reason) {
  return kStopReasons[static_cast<std::size_t>(reason)];
}
constexpr std::optional<StopReason> ParseStopReason(std::string_view word) {
  for (std::size_t i = 0; i < kStopReasons.size(); ++i) {
    if (kStopReasons[i].word == word) return static_cast<StopReason>(i);
  }
  return std::nullopt;
}

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_RESULT_STOP_REASON_H_
