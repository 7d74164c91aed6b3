// SPDX-License-Identifier: Apache-2.0
//
// Report: everything that a run says, as a plain value. Renderers in reports/ turn it into bytes.
#ifndef POOLPROOF_CONFORMANCE_RESULT_REPORT_H_
#define POOLPROOF_CONFORMANCE_RESULT_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/case/case_set.h"
#include "conformance/result/coverage.h"
#include "conformance/result/probe.h"
#include "conformance/result/shard_record.h"
#include "conformance/result/stop_reason.h"
#include "conformance/result/verdict.h"
#include "conformance/spec/profile.h"
#include "conformance/spec/spec.h"

namespace poolproof {

enum class RunVerdict : std::uint8_t { kConformant, kNonconformant, kIncomplete, kError };

enum class ClauseVerdict : std::uint8_t {
  kPassed,
  kFailed,
  kInconclusive,
  kUnsupported,
  kNotApplicable,
  kNotRun,
};

struct ClauseResult {
  std::string id;
  Strength strength = Strength::kRequired;
  ClauseVerdict verdict = ClauseVerdict::kNotRun;
  std::int64_t cases = 0;     // cases that were evidence for or against it
  std::int64_t failures = 0;  // of them, failing ones
  std::string reason;         // why it was not passed or failed; empty otherwise
  // What the evidence of a passed clause lacked: "exact-data-only", "contiguous-only", ...
  std::vector<std::string> weak = {};
  std::int64_t waived = 0;  // of the failures
  // Calls of the acceptance table beside which refusals prove it: "f32-i32-batched-contiguous".
  std::vector<std::string> proven_by = {};
  // Failing cases that may be of this clause and whose cause was not investigated.
  std::int64_t not_looked_into = 0;
  // The edition that says it so; nullopt: all of them do.
  std::optional<Edition> edition = {};
  friend bool operator==(const ClauseResult&, const ClauseResult&) = default;
};

// A metamorphic property: calls compared with one another.
struct PropertyResult {
  Relation relation = Relation::kNone;
  ClauseVerdict verdict = ClauseVerdict::kNotRun;
  std::int64_t cases = 0;      // that were related and told something
  std::int64_t failures = 0;   // of them, those whose results do not relate
  std::int64_t discarded = 0;  // beside them
  std::string reason;          // why it was not passed or failed; empty otherwise
  std::int64_t waived = 0;     // of the failures
  friend bool operator==(const PropertyResult&, const PropertyResult&) = default;
};

struct Failure {
  std::vector<std::string> clauses;  // breached, required and advisory, sorted
  bool advisory = false;             // no required clause among them
  std::string end;                   // as FailedCase::end
  std::string message;
  std::int64_t case_number = 0;  // position in the run's order of cases
  std::string path;              // operator/family/name
  Case problem;
  std::optional<Case> shrunk;
  std::optional<Mismatch> first_mismatch;  // of `problem`
  // Wrong elements of the case that is shown: `shrunk`, or `problem` where there is none. Not all
  // of them where they are many.
  std::vector<Mismatch> mismatches = {};
  std::string shrunk_message = {};      // what happened in `shrunk`
  std::string output = {};              // as FailedCase::output
  std::optional<CrashSite> crash = {};  // as FailedCase::crash
  std::string signature;
  std::vector<std::string> waived_by = {};  // ids of waivers; empty: not waived
  // Failing cases of the signature, listed or not; 0: not known, as in older reports.
  std::int64_t alike = 0;
  friend bool operator==(const Failure&, const Failure&) = default;
};

// One condition of a rule: a circumstance of cases, as conformance/circumstance names it.
struct RuleCondition {
  std::string name;        // "overlap_d", "in_w"
  std::string comparison;  // "is", "is-not", "at-least" or "at-most"
  std::string value;       // "true", "f16", "129"
  std::string text;        // "windows overlap along D", "W > 128"
  friend bool operator==(const RuleCondition&, const RuleCondition&) = default;
};

// Cases that fail and cases that pass by two circumstances: where a rule's cases end. Those of
// which other conditions of the rule do not hold are not among them.
struct CauseBorder {
  struct Axis {
    std::string name;                 // "in_w"
    std::string text;                 // "W"
    std::vector<std::string> values;  // "129 to 4096"; of flags "no" and "yes"
    friend bool operator==(const Axis&, const Axis&) = default;
  };
  struct Cell {
    std::int64_t failing = 0;
    std::int64_t passing = 0;
    bool foretold = false;  // the rule says that cases of the cell fail
    friend bool operator==(const Cell&, const Cell&) = default;
  };
  Axis across;
  Axis down;
  std::vector<Cell> cells;  // row by row, from the top
  friend bool operator==(const CauseBorder&, const CauseBorder&) = default;
};

// Failing cases that one rule explains: it holds of them and of hardly any that pass.
struct RootCause {
  // Of advisory failures, which are investigated where no required clause fails.
  bool advisory = false;
  std::vector<RuleCondition> rule;  // all of them hold; empty: every case of its clauses
  std::int64_t failing = 0;         // failing cases of which it holds
  std::int64_t shared = 0;          // of them, those that another root cause counts, too
  std::int64_t compared = 0;        // passing cases about the same clauses
  std::int64_t passing = 0;         // of them, those that it holds of, too
  // Whether there is a case to tell the failing ones from: one of the same clauses that passes, is
  // of another root cause, or was made beside `smallest`. Else the rule says what they share, and
  // not why they fail.
  bool told_apart = true;
  std::vector<std::string> clauses;  // that the failing ones breach, sorted
  std::int64_t case_number = 0;      // the first failing one
  // The smallest failing case that new cases were made beside, each a step away from it; how many
  // were judged, and how many of them ended as the rule says.
  std::optional<Case> smallest = {};
  std::int64_t tested = 0;
  std::int64_t agreed = 0;
  std::int64_t inside = 0;  // of those tested, cases of which the rule says that they fail
  // Of `smallest`, where only some runs of it fail: how often it was run, and failed.
  std::int64_t runs = 0;
  std::int64_t failed_runs = 0;
  // "N", "kernel W": what was varied in cases that fail as the rule says, which is silent on it.
  std::vector<std::string> free = {};
  // Of them, one that passes and is nearest to the smallest, and what it has otherwise.
  std::optional<Case> nearest = {};
  std::string nearest_difference = {};  // "stride D = 4 instead of 1"
  std::optional<CauseBorder> border = {};
  friend bool operator==(const RootCause&, const RootCause&) = default;
};

// Whether all cases of the set were to be judged, or those that options chose.
enum class RunScope : std::uint8_t { kFull, kSelected };

struct RunInfo {
  std::uint64_t seed = 1;
  std::vector<std::string> argv;  // paths cut to base names
  RunScope scope = RunScope::kFull;
  CaseSet set = CaseSet::kCi;
  std::string plan_sha256;  // over the case lines in order, seed and spec version
  std::vector<ShardInfo> shards = {ShardInfo()};  // ascending by index
  std::string start;                              // RFC 3339, UTC
  double duration_s = 0;
  StopReason stopped_by = StopReason::kNone;
  std::string stopped_detail = {};  // why the first worker did not start, of kNoWorker
  bool is_shard = false;  // of `run --shard`: it was to judge one of several shards, and no more
  friend bool operator==(const RunInfo&, const RunInfo&) = default;
};

// Cases that could not be judged for one reason.
struct InconclusiveReason {
  std::string reason;
  std::int64_t cases = 0;
  friend bool operator==(const InconclusiveReason&, const InconclusiveReason&) = default;
};

struct Summary {
  // Disjoint; they sum to cases.
  std::int64_t cases = 0;
  std::int64_t passed = 0;
  std::int64_t failed = 0;
  std::int64_t crashed = 0;
  std::int64_t timed_out = 0;
  std::int64_t inconclusive = 0;
  std::int64_t unsupported = 0;
  // Beside them.
  std::int64_t not_run = 0;
  std::int64_t waived = 0;
  std::int64_t recorded = 0;  // of the passed: calls that no clause judges
  // Of the failing: those that breach advisory clauses alone. Not known in older reports.
  std::optional<std::int64_t> advisory = std::nullopt;
  std::vector<InconclusiveReason> inconclusive_by = {};  // most cases first
  friend bool operator==(const Summary&, const Summary&) = default;
};

// Cases of an operator that the library exports and that are outside what its manifest declares.
// Where there are some, the verdict is about the rest: it holds within the declared capabilities.
struct LeftOut {
  Operator op{};  // the backward of the pair
  std::int64_t cases = 0;
  friend bool operator==(const LeftOut&, const LeftOut&) = default;
};

struct Environment {
  std::string os;
  std::string cpu;
  std::string compiler;
  int cores = 0;
  friend bool operator==(const Environment&, const Environment&) = default;
};

struct Discrepancy {
  std::string id;
  std::vector<std::string> documents;
  std::string statement;
  std::string interpretation = {};  // how the suite reads it
  friend bool operator==(const Discrepancy&, const Discrepancy&) = default;
};

// What a waiver is about. Members that are empty leave it open.
struct WaiverScope {
  std::string implementation;  // glob over the name
  std::string sha256;          // of one of its libraries: this version of it
  std::vector<Profile> profiles;
  std::vector<std::string> clauses;  // ids
  std::string cases;                 // predicate on the parameters of a case, as it was written
  friend bool operator==(const WaiverScope&, const WaiverScope&) = default;
};

enum class WaiverState : std::uint8_t {
  kUsed,           // waived failing cases
  kOutOfScope,     // about another implementation or profile
  kExpired,        // its date has passed: it waives nothing
  kUnmatched,      // no case of its scope was there, or they fail otherwise than it says
  kPassing,        // every case of its scope passes, fixed ones among them
  kPassingRandom,  // every case of its scope passes; all are random
  kUndecided,      // it waived nothing, and the run was of selected cases or ended early
};

// A waiver and what happened to it.
struct WaiverResult {
  std::string id;
  std::string owner;
  std::string reason;
  std::string link;
  std::string expires;    // the last day on which it holds, "2026-12-31"
  std::string signature;  // glob over signatures of failures
  WaiverScope scope;
  WaiverState state = WaiverState::kUnmatched;
  // Cases of its scope.
  std::int64_t waived = 0;            // that it took part in waiving
  std::int64_t failed_otherwise = 0;  // that fail and are not waived
  std::int64_t passed_fixed = 0;
  std::int64_t passed_random = 0;
  friend bool operator==(const WaiverResult&, const WaiverResult&) = default;
};

// What a run has and an earlier report, its baseline, has not. Waived failures take no part.
struct BaselineComparison {
  std::string sha256;                   // of the baseline's file
  std::vector<std::string> clauses;     // required, ids: they fail now and did not
  std::vector<std::string> signatures;  // of failures of required clauses, sorted
  std::vector<std::size_t> causes;      // places in root_causes, ascending
  std::int64_t unexplained = 0;         // failing cases of no root cause, where there was none then
  std::vector<std::string> unanswered;  // required clauses without an answer, which had one
  friend bool operator==(const BaselineComparison&, const BaselineComparison&) = default;
};

// A failing case whose line, given to the library alone, may be named otherwise than it is read
// here: it was not investigated.
struct AlsoFailed {
  std::int64_t case_number = 0;
  std::string signature;
  Case problem;
  friend bool operator==(const AlsoFailed&, const AlsoFailed&) = default;
};

// In what results of two libraries differ that are right in both, or kFails: one is not. Of a case
// the first that holds. kValues: by order or precision of sums; of a forward with NaN or
// subnormals.
enum class DifferenceKind : std::uint8_t {
  kFails,
  kIndices,
  kValues,
  kSubnormals,
  kZeroSign,
  kNan,
};
struct DifferenceRow {
  DifferenceKind kind{};
  Operator op{};
  std::int64_t cases = 0;
  Case smallest;
  friend bool operator==(const DifferenceRow&, const DifferenceRow&) = default;
};
// Another library, in cases with results that the judged one answers rightly.
struct LibraryDifferences {
  std::string name;
  std::int64_t cases = 0;
  std::int64_t same = 0;            // of them, those of the same bits
  std::int64_t not_compared = 0;    // of them, those without results of the other library
  std::vector<DifferenceRow> rows;  // the rest, by kind and operator
  friend bool operator==(const LibraryDifferences&, const LibraryDifferences&) = default;
};

struct Report {
  RunVerdict verdict = RunVerdict::kIncomplete;
  std::string tool_version;
  std::string spec_sha256;
  Environment environment;
  ImplementationIdentity implementation;
  Profile profile = Profile::kAtlasA2;
  Edition edition = Edition::kNewest;
  RunInfo run;
  Summary summary;
  std::vector<LeftOut> left_out;           // ascending by operator
  std::vector<Operator> not_judged;        // exported, and no clause of the profile mentions them
  std::vector<AcceptedCall> acceptance;    // what the run asked first
  std::vector<ClauseResult> clauses;       // every clause of the spec, in its order
  std::vector<PropertyResult> properties;  // every property, in the order of Relation
  std::vector<Failure> failures;           // in the order of case_number
  // Beside failures of the same signatures that were investigated; in the order of case_number.
  std::vector<AlsoFailed> also_failed;
  // Why they fail, by what most of them have in common first. Of failures that breach required
  // clauses and are not waived; none where nobody knows the plan's cases.
  std::vector<RootCause> root_causes;
  std::int64_t unexplained = 0;        // failing cases that no root cause explains
  std::vector<CoverageCell> coverage;  // where cases were judged, ascending by key
  std::vector<WaiverResult> waivers;   // in the order of their file
  // Where the gate is asked about new failures alone.
  std::optional<BaselineComparison> baseline;
  std::vector<Discrepancy> discrepancies;
  std::vector<LibraryDifferences> differences;  // as --against names the libraries
  std::string error;                            // kError: what kept the run from happening
  friend bool operator==(const Report&, const Report&) = default;
};

// Names in files: "required", "full", ...
std::optional<Strength> ParseStrength(std::string_view name);
std::string_view RunScopeName(RunScope scope);
std::optional<RunScope> ParseRunScope(std::string_view name);

// Whether the run was of selected cases or ended early.
bool IsPartial(const RunInfo& run);

// The state that follows from the counts of a waiver that is in scope and has not expired.
// `partial`: the run was of selected cases, ended early or is one shard of several.
WaiverState StateOf(const WaiverResult& waiver, bool partial);
// Waivers that outlived what they were for fail the run.
bool FailsRun(WaiverState state);
// Whether every new case ended as the rule says, on both sides of it.
bool HoldsOfNewCases(const RootCause& cause);
// And hardly any case of the run passed although it matches.
bool IsConfirmed(const RootCause& cause);
// True where cases breach required clauses and each of them is waived.
bool EveryBreachIsWaived(const Report& report);
bool FailsRequired(const ClauseResult& clause);
// Whether a clause's verdict keeps a full run from an answer; a shard is not asked for one.
bool IsOpen(const Report& report, const ClauseResult& clause);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_RESULT_REPORT_H_
