// SPDX-License-Identifier: Apache-2.0
//
// RunSession: judges an implementation on the cases of a run and reports. What is judged, and what
// each worker process has seen before a case, depend on the options and never on the number of
// jobs.
#ifndef POOLPROOF_CONFORMANCE_SESSION_SESSION_H_
#define POOLPROOF_CONFORMANCE_SESSION_SESSION_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/case/case_set.h"
#include "conformance/explain/explain.h"
#include "conformance/explain/prove.h"
#include "conformance/plan/plan_file.h"
#include "conformance/plan/shards.h"
#include "conformance/plan/stop_bound.h"
#include "conformance/plan/test_plan.h"
#include "conformance/result/capabilities.h"
#include "conformance/result/report.h"
#include "conformance/session/attempt.h"
#include "conformance/session/worker.h"
#include "conformance/spec/profile.h"
#include "conformance/spec/spec.h"
#include "conformance/tally/tally.h"
#include "conformance/waiver/waiver.h"
#include "core/status.h"

namespace poolproof {

// The implementation under test.
struct Subject {
  ImplementationIdentity identity;  // the session adds what it probes
  DeclaredCapabilities declared;
  StartWorker start;
  std::optional<int> max_workers;  // the manifest's limit
  int device_count = 1;            // devices that the manifest names
  // A call that hangs, once some have, costs less than its deadline (Patience).
  bool waits_less = false;
};

// What a plan file says that a run by it must find.
struct PlanPin {
  Profile profile = Profile::kAtlasA2;
  std::string sha256;
};

struct SessionOptions : PlanOptions {
  std::optional<Shard> shard;    // judge these cases alone, and keep what `merge` needs
  std::string shard_taken_from;  // as ShardInfo::taken_from
  std::vector<Waiver> waivers;
  std::string today;  // a date, by which waivers expire; empty: the clock's, UTC
  std::optional<PlanPin> pinned;
  bool rerun = false;  // its cases failed in a report, which tells their blame
  // Where the run is written down as it goes, and taken up again.
  std::optional<std::string> journal;
  int jobs = 1;
  std::vector<std::string> argv;  // for the report; paths already cut
  std::string tool_version;
};

// What a campaign reached of an instrumented library. Which case came first depends on the machine:
// it decides what is kept, and nothing else.
struct EdgeCoverage {
  std::int64_t edges = 0;
  std::map<std::int64_t, std::int64_t> cases;  // number; edges that no case before it had reached
};

// Where the parts come from; tests replace them.
struct SessionParts {
  std::function<CaseSources(Profile)> sources;
  // What is asked first; may be empty, and then no refusal of a call proves anything.
  std::function<std::vector<NamedCase>(Profile)> acceptance_table;
  // Which show whether work is done on its stream, asked before anything is believed; may be empty.
  std::function<std::vector<NamedCase>(Profile)> stream_cases;
  // What is asked next, of that of which the table finds nothing accepted; may be empty.
  std::function<std::vector<NamedCase>(Profile)> acceptance_spread;
  ReasonNotExercisedFunction reason_not_exercised;
  JudgeFunction judge;
  decltype(&Investigate) investigate = nullptr;  // nullptr: failures are not investigated
  decltype(&MakeSmaller) make_smaller = nullptr;
  // nullptr: nothing new is asked.
  decltype(&ExplainFailures) explain = &ExplainFailures;
  decltype(&ProveTheRest) prove = &ProveTheRest;
  LookAtAttempt look;  // may be empty
  // Told in the end what was found; may be empty.
  std::function<void(const ShardRecord&, const TestPlan&, const EdgeCoverage&)> observe;
};

// The parts as they are meant: StandardSources, JudgeWithProperties, Investigate,
// MakeSmaller, ReasonNotExercised.
SessionParts StandardParts(const Spec& spec, CaseSet set, std::uint64_t seed);
// The same, of a campaign where the options say so.
SessionParts PartsFor(const Spec& spec, const PlanOptions& options);

// Read by one that shows progress while the session runs.
struct SessionProgress {
  enum class Stage : std::uint8_t { kStarting, kJudging, kInvestigating, kExplaining, kDone };
  std::atomic<Stage> stage{Stage::kStarting};
  std::atomic<std::int64_t> planned{0};
  std::atomic<std::int64_t> judged{0};
  std::atomic<std::int64_t> failed{0};
  std::atomic<std::int64_t> failed_required{0};  // of them, that breach a required clause
  std::atomic<std::int64_t> findings{0};         // signatures among the failing cases
  std::atomic<std::int64_t> pairs{0};            // of classes of the parameter space, met together
  std::atomic<std::int64_t> triples{0};
  std::atomic<std::int64_t> edges{0};     // of an instrumented library, in a campaign
  std::atomic<std::int64_t> spent_ms{0};  // by earlier runs of the same journal
  std::atomic<std::int64_t> resumed{0};   // cases that the journal held already
  std::atomic<std::int64_t> investigations{0};
  std::atomic<std::int64_t> investigated{0};
  std::atomic<std::int64_t> asked{0};  // new cases, to find root causes and to prove what they hide
};

// `stop` becomes true when the run must end with what was judged so far.
// errors: what StartWorker returns; kUnavailable where the implementation offers no operator, has
// no device, or its SoC belongs to another profile than the one asked for. A fault later in the run
// ends it with a report whose verdict is kError.
Result<Report> RunSession(const Spec& spec, const Subject& subject, const SessionOptions& options,
                          const SessionParts& parts, SessionProgress& progress,
                          const std::atomic<bool>& stop);

// The cases of a run with these options.
TestPlan MakeTestPlan(Profile profile, const PlanOptions& options, const SessionParts& parts);

// What a plan with these options holds, no matter who judges it.
struct PlanFacts {
  std::int64_t planned = 0;
  std::string sha256;
};
PlanFacts DescribePlan(const Spec& spec, Profile profile, const PlanOptions& options,
                       const SessionParts& parts, int jobs);

// Opens the implementation to see which profile a run of it has. errors: as RunSession's.
Result<Profile> ProfileOf(const Subject& subject, const std::optional<Profile>& asked);

// The profile of a run on an implementation with this SoC name.
Result<Profile> ChooseProfile(const std::optional<Profile>& asked, std::string_view soc);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_SESSION_SESSION_H_
