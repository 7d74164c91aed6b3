// SPDX-License-Identifier: Apache-2.0
#include "conformance/timing/time_libraries.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "conformance/judge/prepared_case.h"
#include "conformance/result/ending.h"
#include "conformance/session/attempt.h"
#include "conformance/session/capability_check.h"
#include "conformance/timing/repeated_times.h"
#include "conformance/timing/timed_problem.h"

namespace poolproof {
namespace {

// Of operand sets that take turns, together: more than caches hold.
constexpr std::int64_t kColdBytes = std::int64_t{256} << 20;
// A visit ends earlier where calls are long.
constexpr std::chrono::seconds kLongVisit{1};

// A setting, and what was measured in it.
struct Group {
  TimingSetting setting;
  const NetworkShape* shape = nullptr;
  bool forward = false;
  DataType type{};
  DataType index_type{};
  int threads = 0;
  bool cold = false;

  std::string class_name;
  std::int64_t bytes = 0;
  std::set<std::size_t> answered;  // libraries whose answer was right
  std::set<std::size_t> left_out;  // that cannot be timed
  RepeatedTimes ms;                // of the first
  std::map<std::size_t, RepeatedTimes> over_ours;
  RepeatedTimes device_ms;
  RepeatedTimes light_ms;
  RepeatedTimes limit_ms;
  RepeatedTimes over_limit;
};

auto ProblemKey(const Group& group) {
  return std::make_tuple(group.shape, group.forward, group.type, group.index_type);
}

std::string ReasonOf(const Outcome& outcome) {
  if (outcome.end == End::kHarness) return outcome.detail;
  return EndSentence(outcome) + " in " + std::string(PhaseName(outcome.ended_in)) +
         CrashText(outcome.crash);
}

class LibraryTimer {
 public:
  LibraryTimer(const JudgeContext& context, const TimingOptions& options,
               const std::vector<TimedLibrary>& libraries,
               const std::function<void(const std::string&)>& say, const std::atomic<bool>& stop)
      : context_(context),
        options_(options),
        libraries_(libraries),
        say_(say),
        stop_(stop),
        workers_(libraries.size()) {}

  Result<Performance> Run() {
    // Where its memory is a device's, nobody chooses threads and no loop here tells its limit.
    threads_now_ = options_.threads.front();
    for (std::size_t i = 0; i < libraries_.size(); ++i) {
      if (Status status = Start(i); !status.ok()) return status;
    }
    on_host_ = workers_.front()->probe().host_memory;
    MakeGroups();
    for (int visit = 0; visit < options_.most_visits && !stop_; ++visit) {
      // The first visit has those that were looked at.
      for (std::unique_ptr<Worker>& worker : workers_) {
        if (visit > 0) worker.reset();
      }
      std::int64_t left = 0;
      for (Group& group : groups_) {
        if (stop_) break;
        if (group.left_out.contains(0) || IsNarrow(group)) continue;
        ++left;
        if (Status status = Visit(group); !status.ok()) return status;
      }
      if (left == 0) break;
      say_("timed " + std::to_string(left) + " of " + std::to_string(groups_.size()) +
           " settings, time " + std::to_string(visit + 1) + " of at most " +
           std::to_string(options_.most_visits));
    }
    return Finish();
  }

 private:
  void MakeGroups() {
    const std::vector<int> threads = on_host_ ? options_.threads : std::vector<int>{0};
    for (const int count : threads) {
      for (const bool forward : options_.forwards) {
        for (const NetworkShape* shape : options_.shapes) {
          for (const DataType type : options_.types) {
            for (const DataType index_type : options_.index_types) {
              for (const bool cold : options_.colds) {
                Group& group = groups_.emplace_back();
                group.setting = {
                    forward ? "forward" : "backward",
                    std::string(shape->name),
                    DataTypeName(type),
                    DataTypeName(index_type),
                    count == 0 ? "-" : std::to_string(count),
                    std::string(cold ? "cold" : "warm") + (options_.cpu_clock ? "-cpu" : "")};
                group.shape = shape;
                group.forward = forward;
                group.type = type;
                group.index_type = index_type;
                group.threads = count;
                group.cold = cold;
                group.class_name = shape->about;
              }
            }
          }
        }
      }
    }
  }

  [[nodiscard]] bool IsNarrow(const Group& group) const {
    return group.ms.IsNarrow(options_.narrow) &&
           (group.over_limit.visits() == 0 || group.over_limit.IsNarrow(options_.narrow));
  }

  Status Start(std::size_t i) {
    workers_[i].reset();
    Result<std::unique_ptr<Worker>> worker = libraries_[i].start(threads_now_);
    if (!worker.ok()) return worker.status();
    workers_[i] = std::move(worker).value();
    return OkStatus();
  }

  // A fault shows with every setting of a problem: it is not waited for again.
  void LeaveOut(Group& group, std::size_t i, const std::string& reason, bool fault) {
    for (Group& other : groups_) {
      const bool same = &other == &group || (fault && ProblemKey(other) == ProblemKey(group));
      if (!same || !other.left_out.insert(i).second) continue;
      not_timed_.push_back({other.setting, libraries_[i].name, reason, fault});
    }
  }

  // Judges the call on some planes, sets the whole up, and compares its answer.
  Status SetUp(Group& group, std::size_t i, const TimedProblem& problem, Invocation& whole) {
    const auto leave_out = [&](const std::string& reason, bool fault) {
      LeaveOut(group, i, reason, fault);
      return OkStatus();
    };
    const bool first = !group.answered.contains(i);
    Attempt attempt;
    if (first) {
      const Capabilities capabilities =
          CapabilitiesOf(workers_[i]->probe().operators, libraries_[i].declared);
      const CapabilityCheck check(context_.rules(), capabilities);
      if (const auto outside = check.Outside(problem.planes.problem)) {
        return leave_out(*outside, false);
      }
      attempt = AttemptCase(context_, &Judge, problem.planes, *workers_[i]);
      if (attempt.outcome.end != End::kReturned) {
        return leave_out(ReasonOf(attempt.outcome), attempt.outcome.end != End::kHarness);
      }
      const Verdict& verdict = attempt.verdict;
      if (verdict.kind != VerdictKind::kPassed && verdict.kind != VerdictKind::kRecorded) {
        const std::string what =
            verdict.findings.empty() ? "not judged" : verdict.findings.front().message;
        return leave_out("its answer on some planes: " + what,
                         verdict.kind == VerdictKind::kFailed);
      }
      if (!workers_[i]->alive()) {
        if (Status status = Start(i); !status.ok()) return status;
      }
    }
    whole.timing.round_ns = 0;
    const Outcome outcome = workers_[i]->Run(whole);
    if (outcome.end != End::kReturned) {
      return leave_out(ReasonOf(outcome), outcome.end != End::kHarness);
    }
    if (first && !IsRight(problem, attempt.outcome, outcome)) {
      return leave_out("its answer on all planes is not that on some", true);
    }
    group.answered.insert(i);
    return OkStatus();
  }

  bool IsRight(const TimedProblem& problem, const Outcome& planes, const Outcome& whole) const {
    if (!whole.outputs_repeat) return false;
    if (planes.calls.front().outputs == whole.calls.front().outputs) return true;
    Outcome mixed = planes;
    mixed.calls.front().outputs = whole.calls.front().outputs;
    return Judge(context_, problem.planes, mixed).findings.empty();
  }

  const TimedProblem* ProblemOf(Group& group) {
    const auto key = ProblemKey(group);
    if (!problem_ || problem_key_ != key) {
      problem_.reset();
      Result<TimedProblem> made = MakeTimedProblem(context_.rules(), *group.shape, group.forward,
                                                   group.type, group.index_type);
      if (!made.ok()) {
        LeaveOut(group, 0, made.status().message(), false);
        return nullptr;
      }
      problem_ = std::move(made).value();
      problem_key_ = key;
    }
    return &*problem_;
  }

  Status Visit(Group& group) {
    const TimedProblem* const problem = ProblemOf(group);
    if (problem == nullptr) return OkStatus();
    group.bytes = problem->bytes;
    Invocation whole = problem->whole;
    whole.timing.rounds = 1;
    whole.timing.cpu_clock = options_.cpu_clock;
    whole.timing.sets =
        group.cold
            ? static_cast<std::int32_t>(std::clamp<std::int64_t>(
                  kColdBytes / std::max<std::int64_t>(problem->bytes, 1), 1, kMostOperandSets))
            : 1;
    const bool other_threads = threads_now_ != group.threads;
    threads_now_ = group.threads;
    for (std::size_t i = 0; i < libraries_.size(); ++i) {
      if (group.left_out.contains(i)) continue;
      if (other_threads || workers_[i] == nullptr || !workers_[i]->alive()) {
        if (Status status = Start(i); !status.ok()) return status;
      }
      if (Status status = SetUp(group, i, *problem, whole); !status.ok()) return status;
      if (group.left_out.contains(0)) return OkStatus();
    }
    // Those that are not asked here are started when they are.
    for (std::size_t i = 0; other_threads && i < libraries_.size(); ++i) {
      if (group.left_out.contains(i)) workers_[i].reset();
    }
    std::optional<Limit> limit;
    if (on_host_) {
      const Invocation& planes = problem->whole;
      LimitWork work = problem->Work();
      for (const TensorArgument& tensor : planes.calls.front().tensors) {
        if (tensor.is_output) work.samples.emplace_back(tensor.bytes);
      }
      work.sets = whole.timing.sets;
      work.threads = group.threads;
      work.cpu_clock = options_.cpu_clock;
      work.round_ns = options_.round_ns;
      limit.emplace(work);
    }
    whole.calls.clear();
    whole.timing.round_ns = options_.round_ns;
    MakeRounds(group, whole, limit);
    return OkStatus();
  }

  // All take turns.
  void MakeRounds(Group& group, const Invocation& go_on, std::optional<Limit>& limit) {
    // The fastest of each.
    std::map<std::size_t, double> ms;
    std::optional<double> device;
    std::optional<double> light;
    std::optional<double> limits;
    const auto lower = [](std::optional<double>& least, double value) {
      least = std::min(least.value_or(value), value);
    };
    const auto begin = std::chrono::steady_clock::now();
    for (int round = 0; round < options_.rounds; ++round) {
      if (round > 0 && std::chrono::steady_clock::now() - begin > kLongVisit) break;
      for (std::size_t i = 0; i < libraries_.size(); ++i) {
        if (group.left_out.contains(i)) continue;
        const Outcome outcome = workers_[i]->Run(go_on);
        if (outcome.end != End::kReturned) {
          LeaveOut(group, i, ReasonOf(outcome), outcome.end != End::kHarness);
          if (i == 0) return;
          continue;
        }
        const TimedRound& timed = outcome.rounds.front();
        const double took = std::max(static_cast<double>(timed.call_ns), 1.0) / 1e6;
        const auto [known, is_first] = ms.emplace(i, took);
        if (!is_first) known->second = std::min(known->second, took);
        if (i == 0 && timed.device_ns > 0) {
          lower(device, static_cast<double>(timed.device_ns) / 1e6);
        }
      }
      const std::optional<Limit::Times> allowed = limit ? limit->MeasureRound() : std::nullopt;
      if (!allowed) continue;
      lower(light, std::max(allowed->light_ms, 1e-6));
      lower(limits, std::max(allowed->limit_ms, 1e-6));
    }
    const double ours = ms.at(0);
    group.ms.AddVisit(ours);
    for (const auto& [i, took] : ms) {
      if (i != 0 && !group.left_out.contains(i)) group.over_ours[i].AddVisit(took / ours);
    }
    if (device) group.device_ms.AddVisit(*device);
    if (!limits) return;
    group.light_ms.AddVisit(*light);
    group.limit_ms.AddVisit(*limits);
    group.over_limit.AddVisit(ours / *limits);
  }

  Performance Finish() {
    Performance performance;
    performance.implementation = libraries_.front().name;
    performance.not_timed = std::move(not_timed_);
    const auto known = [](const RepeatedTimes& times) {
      return times.visits() > 0 ? std::optional(times.Median()) : std::nullopt;
    };
    for (const Group& group : groups_) {
      if (group.ms.visits() == 0) continue;
      PerformanceRow& row = performance.rows.emplace_back();
      row.setting = group.setting;
      row.class_name = group.class_name;
      row.bytes = static_cast<double>(group.bytes);
      const RepeatedTimes& ours = group.ms;
      row.ours_ms = ours.Median();
      row.ours_interval = ours.Where();
      row.device_ms = known(group.device_ms);
      row.light_ms = known(group.light_ms);
      row.limit_ms = known(group.limit_ms);
      row.over_limit = known(group.over_limit);
      if (row.over_limit) row.over_limit_interval = group.over_limit.Where();
      row.narrow = IsNarrow(group);
      for (const auto& [i, ratio] : group.over_ours) {
        row.over_ours.emplace_back(libraries_[i].name, ratio.Median());
        if (const std::optional<Interval> where = ratio.Where()) {
          row.over_ours_intervals.emplace_back(libraries_[i].name, *where);
        }
      }
    }
    return performance;
  }

  const JudgeContext& context_;
  const TimingOptions& options_;
  const std::vector<TimedLibrary>& libraries_;
  const std::function<void(const std::string&)>& say_;
  const std::atomic<bool>& stop_;
  std::vector<std::unique_ptr<Worker>> workers_;  // of the libraries; null: to be started
  int threads_now_ = 0;
  bool on_host_ = true;
  std::vector<Group> groups_;
  std::vector<NotTimed> not_timed_;
  std::optional<TimedProblem> problem_;
  std::tuple<const NetworkShape*, bool, DataType, DataType> problem_key_;
};

}  // namespace

Result<Performance> TimeLibraries(const JudgeContext& context, const TimingOptions& options,
                                  const std::vector<TimedLibrary>& libraries,
                                  const std::function<void(const std::string&)>& say,
                                  const std::atomic<bool>& stop) {
  return LibraryTimer(context, options, libraries, say, stop).Run();
}

}  // namespace poolproof
