// SPDX-License-Identifier: Apache-2.0
#include "conformance/session/judge_answers.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "conformance/case/case_text.h"
#include "conformance/exchange/answer_files.h"
#include "conformance/exchange/problem_files.h"
#include "conformance/judge/prepared_case.h"
#include "conformance/judge/promise.h"
#include "conformance/properties/properties.h"
#include "conformance/result/capabilities.h"
#include "conformance/result/ending.h"
#include "conformance/result/shard_record_json.h"
#include "conformance/session/acceptance_probe.h"
#include "conformance/session/attempt.h"
#include "conformance/session/build_invocation.h"
#include "conformance/session/environment.h"
#include "conformance/session/probes.h"
#include "conformance/session/recorder.h"
#include "conformance/session/verify.h"
#include "conformance/tally/assemble.h"

namespace poolproof {
namespace {

using Clock = std::chrono::steady_clock;

class AnswerJudging {
 public:
  AnswerJudging(const Spec& spec, const ProblemSet& set, const JudgeAnswersOptions& options,
                const std::atomic<bool>& stop)
      : spec_(spec), set_(set), options_(options), stop_(stop) {}

  Result<JudgedAnswers> Run();

 private:
  Status Open();
  Status AskBefore();
  Status JudgeCases();
  Status JudgeCase(std::int64_t number, const NamedCase& named, std::size_t position);
  Result<JudgedAnswers> MakeReport();
  // nullopt where there is none.
  Result<std::optional<FileAnswer>> AnswerTo(std::size_t position, const PreparedCase& prepared);
  // What the files show of clauses, and no more.
  [[nodiscard]] Verdict Shown(Verdict verdict, const FileAnswer& answer) const;

  const Spec& spec_;
  const ProblemSet& set_;
  const JudgeAnswersOptions& options_;
  const std::atomic<bool>& stop_;
  const Clock::time_point begin_ = Clock::now();
  const std::string start_ = TimestampNow();

  Answerer answerer_;
  Capabilities capabilities_;
  JudgeContext context_;
  ProbeResults arithmetic_;
  std::vector<AcceptedCall> acceptance_;
  CaseSources cases_;
  std::vector<std::size_t> positions_;  // of each case among the problems
  Recorder recorder_;
  std::vector<std::string> unanswered_;
  bool case_unanswered_ = false;
};

Status AnswerJudging::Open() {
  context_.spec = &spec_;
  context_.profile = set_.profile;
  Result<Answerer> answerer = ReadAnswerer(options_.answers);
  if (!answerer.ok()) return answerer.status();
  answerer_ = std::move(answerer).value();
  std::set<std::string> asked;
  for (std::size_t i = 0; i < set_.problems.size(); ++i) {
    const Problem& problem = set_.problems[i];
    for (const Call& call : problem.named.problem.calls) {
      asked.insert(std::string(InfoOf(call.op).name));
    }
    if (problem.purpose != Purpose::kCase) continue;
    cases_.fixed.push_back(problem.named);
    positions_.push_back(i);
  }
  if (!answerer_.operators) answerer_.operators.emplace(asked.begin(), asked.end());
  capabilities_ = CapabilitiesOf(*answerer_.operators, {});
  return OkStatus();
}

Result<std::optional<FileAnswer>> AnswerJudging::AnswerTo(std::size_t position,
                                                          const PreparedCase& prepared) {
  const std::string folder = FolderOf(position);
  const Invocation invocation = BuildInvocation(prepared.problem, prepared.data);
  Result<std::optional<FileAnswer>> answer = ReadAnswer(options_.answers / folder, invocation);
  if (answer.ok() && !*answer) unanswered_.push_back(folder);
  if (!answer.ok() || !*answer) return answer;
  if (ProblemSha256(invocation) != set_.problems[position].sha256) {
    return InvalidArgument(std::string(kProblemSetFile) + ": " + folder +
                           ": its sha256 is not that of the case; the problems were made by "
                           "another version of this program, or changed");
  }
  return answer;
}

// Probes and plain legal calls, in the order of their folders.
Status AnswerJudging::AskBefore() {
  std::map<std::string, Outcome> outcomes;  // by case line
  Attempt attempt;
  for (std::size_t i = 0; i < set_.problems.size(); ++i) {
    const Problem& problem = set_.problems[i];
    if (problem.purpose == Purpose::kCase) continue;
    const bool is_probe = problem.purpose == Purpose::kProbe;
    const bool offered = !OutsideCapabilities(capabilities_, problem.named.problem);
    if (!offered || stop_) continue;
    if (!is_probe) acceptance_.push_back(NotAsked(problem.named));
    const Result<PreparedCase> prepared = Prepare(context_.rules(), problem.named.problem);
    if (!prepared.ok()) continue;
    Result<std::optional<FileAnswer>> answer = AnswerTo(i, *prepared);
    if (!answer.ok()) return answer.status();
    if (!*answer) continue;
    attempt.outcome = std::move((*std::move(answer).value()).outcome);
    if (is_probe) {
      outcomes.emplace(CaseLine(problem.named.problem), std::move(attempt.outcome));
      continue;
    }
    attempt.verdict = JudgeOutcome(context_, &JudgeWithProperties, *prepared, attempt.outcome);
    NoteAnswer(attempt, acceptance_.back());
  }
  const AskProbe ask = [&](const Case& problem) {
    const auto found = outcomes.find(CaseLine(problem));
    if (found != outcomes.end()) return found->second;
    Outcome none;
    none.end = End::kHarness;
    return none;
  };
  arithmetic_ = ProbeArithmetic(capabilities_, ask);
  return OkStatus();
}

Verdict AnswerJudging::Shown(Verdict verdict, const FileAnswer& answer) const {
  const auto is_out_of_sight = [&](const std::string& id) {
    const Clause* clause = spec_.Find(id);
    if (clause == nullptr) return false;
    const bool of_inputs = clause->condition == Condition::kInputsKept ||
                           clause->condition == Condition::kIndexOutsidePlane;
    const bool of_refusals = clause->condition == Condition::kRefusalWritesNothing;
    return WhyNotByFiles(*clause).has_value() || (of_inputs && !answer.gave_inputs) ||
           (of_refusals && !answer.gave_refused);
  };
  for (std::vector<std::string>* ids :
       {&verdict.evidence, &verdict.by_refusal, &verdict.by_acceptance, &verdict.withheld}) {
    std::erase_if(*ids, is_out_of_sight);
  }
  return verdict;
}

// As a run judges a case.
Status AnswerJudging::JudgeCase(std::int64_t number, const NamedCase& named, std::size_t position) {
  const Result<PreparedCase> prepared = Prepare(context_.rules(), named.problem);
  if (!prepared.ok()) {
    recorder_.Add(
        MakeCaseResult(number, named, CaseState::kInconclusive, prepared.status().message()));
    return OkStatus();
  }
  if (OutsideCapabilities(capabilities_, named.problem)) {
    CaseResult result = MakeCaseResult(number, named, CaseState::kUnsupported, "");
    result.kind.evidence = CouldProve(context_, *prepared);
    result.kind.operators.clear();
    recorder_.Add(std::move(result));
    return OkStatus();
  }
  Result<std::optional<FileAnswer>> answer = AnswerTo(position, *prepared);
  if (!answer.ok()) return answer.status();
  if (!*answer) {
    case_unanswered_ = true;
    return OkStatus();
  }
  const FileAnswer& given = **answer;
  Verdict verdict = JudgeOutcome(context_, &JudgeWithProperties, *prepared, given.outcome);
  recorder_.Add(MakeCaseResult(spec_, number, named, *prepared, EndText(given.outcome),
                               given.outcome.end, Shown(std::move(verdict), given)));
  return OkStatus();
}

Status AnswerJudging::JudgeCases() {
  for (std::size_t i = 0; i < positions_.size() && !stop_; ++i) {
    if (Status status = JudgeCase(static_cast<std::int64_t>(i), cases_.fixed[i], positions_[i]);
        !status.ok()) {
      return status;
    }
  }
  return OkStatus();
}

Result<JudgedAnswers> AnswerJudging::MakeReport() {
  const auto planned = static_cast<std::int64_t>(positions_.size());
  ShardRecord record = recorder_.Take(planned);
  record.sum_probes = arithmetic_.sums;
  record.observed = arithmetic_.observed;
  record.acceptance = acceptance_;
  if (stop_) {
    record.stopped_by = StopReason::kInterrupt;
  } else if (case_unanswered_) {
    record.stopped_by = StopReason::kUnanswered;
  }

  const TestPlan plan(std::move(cases_), std::nullopt, std::nullopt);
  Report report;
  report.tool_version = options_.tool_version;
  report.spec_sha256 = spec_.sha256();
  report.environment = DescribeEnvironment();
  report.implementation.name = answerer_.implementation;
  report.implementation.probe.operators = *answerer_.operators;
  report.profile = set_.profile;
  report.edition = spec_.edition();
  report.run.seed = set_.seed;
  report.run.argv = options_.argv;
  report.run.scope = RunScope::kSelected;
  report.run.set = set_.set;
  report.run.plan_sha256 = PlanSha256(plan, set_.seed, spec_, set_.profile);
  report.run.start = start_;

  RunFrame frame = {
      spec_, set_.profile, capabilities_, set_.set, planned, [this](std::string_view id) {
        const Clause* clause = spec_.Find(id);
        const auto why = clause != nullptr ? WhyNotByFiles(*clause) : std::nullopt;
        return why ? why : ReasonNotExercised(id);
      }};
  frame.waivers = options_.waivers;
  frame.today = options_.today.empty() ? start_.substr(0, 10) : options_.today;
  frame.plan = &plan;
  frame.answers_alone = true;
  Result<Report> result = AssembleReport(frame, {{0, &record}}, 1, std::move(report));
  if (!result.ok()) return Internal(result.status().message());
  RunInfo& run = result.value().run;
  run.duration_s = std::chrono::duration<double>(Clock::now() - begin_).count();
  ShardInfo& whole = run.shards.front();
  whole.start = start_;
  whole.duration_s = run.duration_s;
  whole.sha256 = ShardRecordSha256(record);
  whole.record = std::move(record);
  return JudgedAnswers{std::move(result).value(), std::move(unanswered_)};
}

Result<JudgedAnswers> AnswerJudging::Run() {
  if (Status status = Open(); !status.ok()) return status;
  if (Status status = AskBefore(); !status.ok()) return status;
  if (Status status = JudgeCases(); !status.ok()) return status;
  return MakeReport();
}

}  // namespace

Result<JudgedAnswers> JudgeAnswers(const Spec& spec, const ProblemSet& set,
                                   const JudgeAnswersOptions& options,
                                   const std::atomic<bool>& stop) {
  return AnswerJudging(spec, set, options, stop).Run();
}

}  // namespace poolproof
