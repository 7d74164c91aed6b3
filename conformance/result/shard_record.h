// SPDX-License-Identifier: Apache-2.0
//
// ShardRecord: what one shard of a run found, case by case, so that a report can be made of any
// number of shards and is the same whatever their number. The session fills it, `merge` puts
// several together, the report is derived from it (conformance/tally/assemble.h).
#ifndef POOLPROOF_CONFORMANCE_RESULT_SHARD_RECORD_H_
#define POOLPROOF_CONFORMANCE_RESULT_SHARD_RECORD_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/result/acceptance.h"
#include "conformance/result/coverage.h"
#include "conformance/result/facets.h"
#include "conformance/result/features.h"
#include "conformance/result/outcome.h"
#include "conformance/result/stop_reason.h"
#include "conformance/result/verdict.h"
#include "conformance/spec/spec.h"

namespace poolproof {

enum class CaseState : std::uint8_t { kPassed, kRecorded, kInconclusive, kUnsupported, kFailed };

// What the findings of a failing case say of clauses, without their messages.
struct Blame {
  FindingKind kind = FindingKind::kWrongStatus;
  std::vector<std::string> clauses;
  // clang-tidy 14 takes the 0 that the compiler compares with for a pointer.
  // NOLINTNEXTLINE(modernize-use-nullptr)
  friend auto operator<=>(const Blame&, const Blame&) = default;
};

// What a judged case adds to a report. Most cases are alike in it.
struct CaseClass {
  CaseState state = CaseState::kPassed;
  End end = End::kReturned;
  Relation relation = Relation::kNone;
  RelationState relation_state = RelationState::kNone;
  std::uint32_t traits = 0;  // CaseTraits
  std::optional<CoverageKey> coverage;
  // Backwards that it gave to the implementation. kUnsupported: that it would have, except for
  // what is declared; none where one is not exported.
  std::vector<Operator> operators;
  std::vector<std::string> evidence;  // clauses that it speaks for, or would have, sorted
  // As Verdict's; `base` is NamedCase::base, the neighbour that the first two rest on.
  std::vector<std::string> by_refusal = {};
  std::vector<std::string> by_acceptance = {};
  std::vector<std::string> withheld = {};
  std::string base = {};
  Facets facets = 0;        // where a clause is named above
  std::string reason = {};  // kInconclusive: KeptReason of why
  // kFailed:
  Operator op{};          // of the first call
  std::string signature;  // of the judge's verdict, with the family: what may share a root cause
  std::vector<Blame> blames;
  std::uint32_t features = 0;  // CaseFeatures
  // NOLINTNEXTLINE(modernize-use-nullptr): as above
  friend auto operator<=>(const CaseClass&, const CaseClass&) = default;
};

struct JudgedCase {
  std::int64_t number = 0;       // in the plan
  std::uint32_t case_class = 0;  // position in ShardRecord::classes
  friend bool operator==(const JudgedCase&, const JudgedCase&) = default;
};

// A case made for a clause that ended without an answer.
struct UnansweredCase {
  std::int64_t number = 0;
  std::string clause;
  std::string note;
  friend bool operator==(const UnansweredCase&, const UnansweredCase&) = default;
};

// What is said of a case whose line was not seen to fail.
inline constexpr std::string_view kBehindOthers =
    " (other calls came before it in its process: its line alone may pass)";

// What an investigation made of a failing case.
struct Refinement {
  Case problem;
  Verdict verdict;
  std::optional<Case> shrunk;
  Verdict shrunk_verdict;  // of the same clauses
  // Alone it passes: it takes other calls before it, which are looked for on behalf of some.
  bool behind_others = false;
  friend bool operator==(const Refinement&, const Refinement&) = default;
};

struct FailedCase {
  std::int64_t number = 0;
  std::string family;
  std::string name;
  Case problem;
  std::string clause;                   // NamedCase::clause
  std::string end;                      // EndText
  Verdict verdict;                      // the judge's
  std::optional<Refinement> refined;    // investigated
  std::string output = {};              // KeptOutput of what the library printed last
  std::optional<CrashSite> crash = {};  // KeptCrash of where the process died
  friend bool operator==(const FailedCase&, const FailedCase&) = default;
};

// What separates the standards of summation from one another.
struct SumProbe {
  Operator op{};
  DataType type = DataType::kFloat;
  std::string accumulation;  // "acc-storage", "acc32", "wider", "other"; empty: not observed
  bool rounds_once = false;  // small terms outlive large ones in every order
  friend bool operator==(const SumProbe&, const SumProbe&) = default;
};

struct ShardRecord {
  std::vector<CaseClass> classes;
  std::vector<JudgedCase> cases;           // ascending by number
  std::vector<UnansweredCase> unanswered;  // the first of each clause, ascending by clause
  std::vector<FailedCase> failures;        // kDetailedPerClass of each class, ascending by number
  std::vector<SumFacts> sums;              // ascending by operator and type
  std::vector<SumProbe> sum_probes;
  // What probing the implementation observed before the first case.
  std::vector<std::pair<std::string, std::string>> observed;
  std::vector<AcceptedCall> acceptance;  // in the order of the table; those that were asked
  std::optional<std::int64_t> stop_after;
  std::optional<std::int64_t> most_hangs = {};  // StopBound's, where it is not kMaxTimeouts
  StopReason stopped_by = StopReason::kNone;
  std::string stopped_detail = {};  // as RunInfo::stopped_detail
  std::string error;                // as Report::error
  friend bool operator==(const ShardRecord&, const ShardRecord&) = default;
};

// Absolute paths within a message, cut to their base names: reports name no folders.
std::string WithoutPaths(const std::string& text);
// The last lines of what a library printed: some hundred bytes, printable, without paths; bytes
// that are no UTF-8 stay.
std::string KeptOutput(std::string_view printed);
// Why a case was not judged, as records keep it: no paths, and no sizes, which differ from case to
// case. Never empty.
std::string KeptReason(const std::string& note);
// A failing case's verdict as records keep it: no paths, no facts that decide nothing.
Verdict KeptVerdict(Verdict verdict);
// What is made of a case that fails behind others, and alone passes, where these were not looked
// for: how a process fares does not depend on this call's operands (2P-07).
Refinement BehindOthers(const FailedCase& failed);
// Whether the line of a case that was investigated may pass, given to the library alone.
bool PassesAlone(const FailedCase& failed, const Refinement& refined);
// A case that was made for a clause (empty: for none) and ended without an answer.
std::optional<UnansweredCase> UnansweredOf(std::int64_t number, const std::string& clause,
                                           const std::string& note);

// nullptr where the case is not among the failures that are kept whole.
const FailedCase* FindFailed(const ShardRecord& record, std::int64_t number);

// Failing cases of one class that are kept whole: enough for every listing.
inline constexpr std::size_t kDetailedPerClass = 100;

// One shard of a run, as its report tells.
struct ShardInfo {
  int index = 0;
  int of = 1;
  std::string taken_from;  // where the index came from: "--shard", "POOLPROOF_SHARD", ...
  std::string start;       // RFC 3339, UTC
  double duration_s = 0;
  std::string sha256;  // of the record as the shard made it
  // Where the run is one of several shards, or was made of them.
  std::optional<ShardRecord> record;
  friend bool operator==(const ShardInfo&, const ShardInfo&) = default;
};

// Adds up what calls tell of sums.
void AddSums(const std::vector<SumFacts>& facts,
             std::map<std::pair<Operator, DataType>, SumFacts>& totals);

// Stable words of files: "passed", "recorded", ...
std::string_view CaseStateName(CaseState state);
std::optional<CaseState> ParseCaseState(std::string_view name);
std::string_view RelationStateName(RelationState state);
std::optional<RelationState> ParseRelationState(std::string_view name);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_RESULT_SHARD_RECORD_H_
