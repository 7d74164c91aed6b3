// SPDX-License-Identifier: Apache-2.0
//
// Recorder: collects what happened to the cases of a shard into its ShardRecord, from several
// threads. What it holds in the end does not depend on the order in which cases came.
#ifndef POOLPROOF_CONFORMANCE_SESSION_RECORDER_H_
#define POOLPROOF_CONFORMANCE_SESSION_RECORDER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "conformance/judge/prepared_case.h"
#include "conformance/plan/stop_bound.h"
#include "conformance/result/shard_record.h"
#include "conformance/spec/spec.h"

namespace poolproof {

// What happened to one case.
struct CaseResult {
  std::int64_t number = 0;
  CaseClass kind;
  // The worker process that it shared with others; 0: one of its own, or none.
  std::int64_t worker = 0;
  bool ended_worker = false;  // that worker was not used again
  std::optional<UnansweredCase> unanswered;
  std::vector<SumFacts> sums;
  std::optional<FailedCase> failed;  // kFailed
  // Of an instrumented library, in a campaign: edges that no case before it had reached.
  std::vector<std::uint32_t> edges = {};
  friend bool operator==(const CaseResult&, const CaseResult&) = default;
};

// The result of a judged case as it is kept; `prepared` is that of `named`. `verdict` loses what is
// not read again.
CaseResult MakeCaseResult(const Spec& spec, std::int64_t number, const NamedCase& named,
                          const PreparedCase& prepared, const std::string& end_text, End end,
                          Verdict verdict);
// Of a case that was not given to a worker; kInconclusive says why in `note`.
CaseResult MakeCaseResult(std::int64_t number, const NamedCase& named, CaseState state,
                          const std::string& note);

class Recorder {
 public:
  void Add(CaseResult result);
  // A case that a worker saw.
  struct Seen {
    std::int64_t number;
    bool was_right;  // its answers; what it did to memory apart
  };
  // Those that the worker of a failing case saw before it, ascending.
  [[nodiscard]] std::vector<Seen> SeenBefore(const FailedCase& failed) const;
  void Refine(std::int64_t number, Refinement refinement);

  // The record of the cases up to number `last`.
  [[nodiscard]] ShardRecord Take(std::int64_t last);

 private:
  using Details = std::map<std::int64_t, FailedCase>;
  std::uint32_t PositionOf(const CaseClass& kind);
  FailedCase* Find(std::int64_t number);

  mutable std::mutex mutex_;
  std::map<CaseClass, std::uint32_t> positions_;
  std::vector<Details> details_;  // by class
  std::vector<JudgedCase> cases_;
  std::map<std::string, UnansweredCase> unanswered_;  // the first of each clause
  std::map<std::pair<Operator, DataType>, SumFacts> sums_;
  // By worker, as SeenBefore.
  std::unordered_map<std::int64_t, std::vector<Seen>> seen_;
  std::unordered_map<std::int64_t, std::int64_t> workers_;  // of failing cases
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_SESSION_RECORDER_H_
