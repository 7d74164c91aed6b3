// SPDX-License-Identifier: Apache-2.0
//
// What isolation costs: small cases judged through a worker process and in this one, stage by
// stage, and whole sessions. Each iteration is one case; the ratio of TimeCase/worker to
// TimeCase/in_process is the price of a process.
#include <benchmark/benchmark.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/in_process_worker.h"
#include "cli/subject.h"
#include "conformance/case/materialize.h"
#include "conformance/judge/judge.h"
#include "conformance/plan/standard_sources.h"
#include "conformance/result/capabilities.h"
#include "conformance/session/attempt.h"
#include "conformance/session/build_invocation.h"
#include "conformance/session/session.h"

namespace poolproof {
namespace {

constexpr std::size_t kCases = 2048;
// Storage bytes of a case that counts as small.
constexpr std::size_t kSmallBytes = 4096;

[[noreturn]] void Die(const std::string& message) {
  std::fprintf(stderr, "bench_isolation: %s\n", message.c_str());
  std::exit(3);
}

bool IsSmall(const NamedCase& named, const Materialized& data) {
  const CallPlan usual;
  if (named.problem.calls.size() != 1 || named.problem.plan != usual) return false;
  std::size_t bytes = 0;
  for (const auto& storage : data.calls.front().storage) bytes += storage.size();
  return bytes <= kSmallBytes && !IndicesLeavePlane(named.problem, data);
}

// Small cases of the kinds that a run mostly consists of, in a run's proportions.
const std::vector<NamedCase>& SmallCases() {
  static const std::vector<NamedCase> cases = [] {
    const TestPlan plan(StandardSources(Spec::Embedded(), Profile::kAtlasA2, CaseSet::kCi, 1), {},
                        {});
    std::vector<NamedCase> small;
    for (std::int64_t i = 0; i < plan.size() && small.size() < kCases; i += 7) {
      NamedCase named = plan.At(i);
      const Result<Materialized> data = Materialize(named.problem);
      if (data.ok() && IsSmall(named, *data)) small.push_back(std::move(named));
    }
    return small;
  }();
  return cases;
}

JudgeContext Context() {
  JudgeContext context;
  context.spec = &Spec::Embedded();
  return context;
}

std::unique_ptr<Worker> StartProcess() {
  const Result<Subject> subject = FindSubject("reference");
  if (!subject.ok()) Die(subject.status().message());
  Result<std::unique_ptr<Worker>> worker = subject->start(Profile::kAtlasA2, true);
  if (!worker.ok()) Die(worker.status().message());
  return std::move(worker).value();
}

std::unique_ptr<Worker> StartHere() {
  const Result<Implementation> implementation = ResolveImplementation("reference");
  if (!implementation.ok()) Die(implementation.status().message());
  Result<std::unique_ptr<Worker>> worker = OpenInProcess(*implementation, Profile::kAtlasA2);
  if (!worker.ok()) Die(worker.status().message());
  return std::move(worker).value();
}

// The whole way of a case, as a session goes it.
void TimeCase(benchmark::State& state, const std::unique_ptr<Worker>& worker) {
  const std::vector<NamedCase>& cases = SmallCases();
  const JudgeContext context = Context();
  std::size_t i = 0;
  for (auto _ : state) {
    const Case& problem = cases[i++ % cases.size()].problem;
    const Result<PreparedCase> prepared = Prepare(context.rules(), problem);
    const Attempt attempt = AttemptCase(context, &Judge, *prepared, *worker);
    if (attempt.verdict.kind == VerdictKind::kFailed) state.SkipWithError("a case failed");
  }
  state.SetItemsProcessed(state.iterations());
}

void TimeMaterialize(benchmark::State& state) {
  const std::vector<NamedCase>& cases = SmallCases();
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(Materialize(cases[i++ % cases.size()].problem));
  state.SetItemsProcessed(state.iterations());
}

void TimeRun(benchmark::State& state, const std::unique_ptr<Worker>& worker) {
  std::vector<Invocation> invocations;
  for (const NamedCase& named : SmallCases()) {
    invocations.push_back(BuildInvocation(named.problem, *Materialize(named.problem)));
  }
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(worker->Run(invocations[i++ % invocations.size()]));
  }
  state.SetItemsProcessed(state.iterations());
}

void TimeJudge(benchmark::State& state, const std::unique_ptr<Worker>& worker) {
  const JudgeContext context = Context();
  struct Judged {
    PreparedCase prepared;
    Outcome outcome;
  };
  std::vector<Judged> judged;
  for (const NamedCase& named : SmallCases()) {
    PreparedCase prepared = std::move(Prepare(context.rules(), named.problem)).value();
    Outcome outcome = worker->Run(BuildInvocation(prepared.problem, prepared.data));
    judged.push_back({std::move(prepared), std::move(outcome)});
  }
  std::size_t i = 0;
  for (auto _ : state) {
    const Judged& entry = judged[i++ % judged.size()];
    benchmark::DoNotOptimize(Judge(context, entry.prepared, entry.outcome));
  }
  state.SetItemsProcessed(state.iterations());
}

// A session over the small cases, workers' start and report included.
void TimeSession(benchmark::State& state) {
  const Result<Subject> subject = FindSubject("reference");
  if (!subject.ok()) Die(subject.status().message());
  SessionOptions options;
  options.profile = Profile::kAtlasA2;
  options.jobs = static_cast<int>(state.range(0));
  options.case_file_cases.emplace();
  for (int copy = 0; copy < 8; ++copy) {
    options.case_file_cases->insert(options.case_file_cases->end(), SmallCases().begin(),
                                    SmallCases().end());
  }
  const std::atomic<bool> stop{false};
  for (auto _ : state) {
    SessionProgress progress;
    const Result<Report> report =
        RunSession(Spec::Embedded(), *subject, options,
                   StandardParts(Spec::Embedded(), CaseSet::kCi, 1), progress, stop);
    if (!report.ok() || report->summary.failed > 0) state.SkipWithError("the session failed");
  }
  state.SetItemsProcessed(state.iterations() *
                          static_cast<std::int64_t>(options.case_file_cases->size()));
}
BENCHMARK(TimeSession)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

int Main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  // The process comes first: opening in this one changes the environment.
  const std::unique_ptr<Worker> process = StartProcess();
  const std::unique_ptr<Worker> here = StartHere();
  const std::pair<const char*, const std::unique_ptr<Worker>&> workers[] = {{"worker", process},
                                                                            {"in_process", here}};
  for (const auto& [name, worker] : workers) {
    const std::unique_ptr<Worker>& chosen = worker;
    benchmark::RegisterBenchmark((std::string("BM_Case/") + name).c_str(),
                                 [&chosen](benchmark::State& state) { TimeCase(state, chosen); })
        ->Unit(benchmark::kMicrosecond)
        ->UseRealTime();
    benchmark::RegisterBenchmark((std::string("BM_Run/") + name).c_str(),
                                 [&chosen](benchmark::State& state) { TimeRun(state, chosen); })
        ->Unit(benchmark::kMicrosecond)
        ->UseRealTime();
  }
  benchmark::RegisterBenchmark("BM_Materialize", &TimeMaterialize)->Unit(benchmark::kMicrosecond);
  benchmark::RegisterBenchmark("BM_Judge", [&here](benchmark::State& state) {
    TimeJudge(state, here);
  })->Unit(benchmark::kMicrosecond);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace
}  // namespace poolproof

int main(int argc, char** argv) { return poolproof::Main(argc, argv); }
