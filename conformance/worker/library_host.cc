// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/library_host.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "conformance/case/plan_members.h"
#include "conformance/worker/call_runner.h"
#include "conformance/worker/crash_handler.h"
#include "conformance/worker/edge_counts.h"
#include "conformance/worker/heap_watch.h"
#include "conformance/worker/library.h"
#include "conformance/worker/meeting.h"
#include "conformance/worker/process_state.h"
#include "conformance/worker/timed_calls.h"
#include "core/process_heap.h"

namespace poolproof {
namespace {

// Opens when so many threads have come.
class Gate {
 public:
  explicit Gate(std::size_t count) : missing_(count) {}
  void Arrive() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (--missing_ == 0) open_.notify_all();
  }
  void ArriveAndWait() {
    Arrive();
    std::unique_lock<std::mutex> lock(mutex_);
    open_.wait(lock, [&] { return missing_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable open_;
  std::size_t missing_;
};

OpenedLibrary OpenNumbered(const OpenRequest& request) {
  const EdgeNumbering scope;
  return OpenLibrary(request);
}

// Of those that are watched: a library that leaves more open may see calls fail for want of them,
// and nobody would see it open others.
constexpr std::size_t kMostDescriptors = ProcessState::kDescriptors * 3 / 4;

// What one thread found.
struct ThreadResult {
  std::vector<CallOutcome> calls;
  std::optional<Stop> stop;
  bool float_environment_changed = false;
  bool signal_mask_changed = false;
};

}  // namespace

class LibraryHost::Impl {
 public:
  Impl(const OpenRequest& request, ProgressPage& progress)
      : device_(request.device),
        progress_(progress),
        owned_(ProcessState::Now().open),
        library_(OpenNumbered(request)),
        main_runner_(library_.abi, progress, OnHost() ? &guards_ : nullptr,
                     OnHost() ? CallRunner::Memory::kHost : CallRunner::Memory::kPooled),
        timed_(library_.abi, progress),
        float_environment_(FloatEnvironment::OfThisThread()),
        before_(ProcessState::Now()) {}

  [[nodiscard]] const OpenReply& reply() const { return library_.reply; }

  Outcome CarryOut(const Invocation& invocation) {
    Outcome outcome;
    // The reader of the case refused such a plan.
    if (const Status status = CheckPlan(invocation.plan); !status.ok()) {
      outcome.end = End::kHarness;
      outcome.detail = "the runner sent a plan that cannot be carried out: " + status.message();
      return outcome;
    }
    if (invocation.timing.rounds > 0) {
      if (const std::optional<Stop> stop = timed_.Run(invocation, outcome))
        NoteStop(*stop, outcome);
      return outcome;
    }
    float_environment_ = FloatEnvironment::OfThisThread();
    if (invocation.plan.deterministic) outcome.detail = SetDeterministic(1);
    RunAll(invocation, Watch::kFull, outcome);
    if (outcome.end == End::kReturned && invocation.plan.growth_calls > 0 &&
        (OnHost() || !Failed(outcome.calls))) {
      MeasureGrowth(invocation, outcome);
    }
    if (invocation.plan.deterministic) SetDeterministic(0);
    if (outcome.end == End::kReturned && !invocation.calls.empty()) {
      progress_.Mark(invocation.calls.size() - 1, Phase::kReadBack);
      heap_.Check();
    }
    NoteProcess(invocation, outcome);
    outcome.reached_edges = TakeReachedEdges();
    return outcome;
  }

  void Finish() {
    timed_.Release();
    main_runner_.Close();
    if (library_.reply.error == OpenError::kNone) CloseLibrary(library_.abi, device_);
  }

 private:
  [[nodiscard]] bool OnHost() const { return library_.reply.probe.host_memory; }

  // What a reader of the outcome should know; empty where the option was set.
  std::string SetDeterministic(std::int64_t value) {
    try {
      const Abi& abi = library_.abi;
      if (abi.ctx_set_sys_param_opt != nullptr) {
        const std::int32_t status = abi.ctx_set_sys_param_opt(kAbiOptDeterministic, value);
        if (status == 0) return {};
        return "deterministic option refused: aclrtCtxSetSysParamOpt returned " +
               std::to_string(status);
      }
      if (abi.set_sys_param_opt != nullptr) {
        const std::int32_t status = abi.set_sys_param_opt(kAbiOptDeterministic, value);
        if (status == 0) return {};
        return "deterministic option refused: aclrtSetSysParamOpt returned " +
               std::to_string(status);
      }
      return "deterministic option not exported";
    } catch (...) {
      return "deterministic option refused: an exception came out of it";
    }
  }

  static ThreadResult RunRepeats(CallRunner& runner, const Invocation& invocation, Watch watch,
                                 std::size_t first = 0) {
    ThreadResult result;
    const FloatEnvironment before = FloatEnvironment::OfThisThread();
    const SignalMask mask = SignalMask::OfThisThread();
    for (int i = 0; i < invocation.plan.repeat && !result.stop; ++i) {
      result.stop = runner.RunSequence(invocation, watch, i, result.calls, first);
    }
    if (!result.stop) result.stop = runner.ReleaseHeld();
    if (!(FloatEnvironment::OfThisThread() == before)) {
      result.float_environment_changed = true;
      before.Restore();
    }
    if (!(SignalMask::OfThisThread() == mask)) {
      result.signal_mask_changed = true;
      mask.Restore();
    }
    return result;
  }

  void RunAll(const Invocation& invocation, Watch watch, Outcome& outcome) {
    std::vector<ThreadResult> results;
    if (invocation.plan.threads == 1) {
      results.push_back(RunRepeats(main_runner_, invocation, watch));
    } else {
      results = RunThreads(invocation, watch);
    }
    for (ThreadResult& result : results) {
      std::move(result.calls.begin(), result.calls.end(), std::back_inserter(outcome.calls));
      outcome.process.floating_point_environment_changed |= result.float_environment_changed;
      outcome.process.signal_handlers_changed |= result.signal_mask_changed;
      if (result.stop && outcome.end == End::kReturned) NoteStop(*result.stop, outcome);
    }
  }

  std::vector<ThreadResult> RunThreads(const Invocation& invocation, Watch watch) {
    const auto count = static_cast<std::size_t>(invocation.plan.threads);
    std::vector<ThreadResult> results(count);
    Gate start(count);
    Meeting meeting(static_cast<std::uint32_t>(count));
    const auto body = [&](std::size_t i) {
      const SignalStack stack;
      CallRunner runner(library_.abi, progress_, nullptr,
                        OnHost() ? CallRunner::Memory::kHost : CallRunner::Memory::kDevice);
      runner.MeetAt(meeting);
      std::optional<Stop> stop = UseDevice();
      start.ArriveAndWait();
      if (!stop) {
        results[i] = RunRepeats(runner, invocation, watch, i);
        if (!results[i].stop) results[i].stop = runner.Close();
      } else {
        results[i].stop = std::move(stop);
      }
    };
    std::vector<std::thread> threads;
    threads.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      try {
        threads.emplace_back(body, i);
      } catch (const std::system_error& error) {
        results[i].stop = Stop{End::kHarness, std::string("thread: ") + error.what(), {}};
        start.Arrive();
      }
    }
    for (std::thread& thread : threads) thread.join();
    return results;
  }

  std::optional<Stop> UseDevice() {
    if (library_.abi.set_device == nullptr) return std::nullopt;
    try {
      const std::int32_t status = library_.abi.set_device(device_);
      if (status == 0) return std::nullopt;
      return Stop{
          End::kHarness, "aclrtSetDevice in a thread returned " + std::to_string(status), {}};
    } catch (...) {
      return Stop{End::kThrew, "an exception came out of aclrtSetDevice", {}};
    }
  }

  static void NoteStop(const Stop& stop, Outcome& outcome) {
    outcome.end = stop.end;
    outcome.detail = stop.detail.substr(0, kMostMessageBytes);
    outcome.ended_at_call = stop.where.call;
    outcome.ended_in = stop.where.phase;
  }

  // Of one run of the calls and the first of `all`.
  static bool SameStatuses(const std::vector<CallOutcome>& run,
                           const std::vector<CallOutcome>& all) {
    return std::equal(run.begin(), run.end(), all.begin(),
                      [](const CallOutcome& a, const CallOutcome& b) {
                        return a.phase_one == b.phase_one && a.phase_two == b.phase_two &&
                               a.synchronise == b.synchronise;
                      });
  }

  // What is in use, by the host's figure and the device's.
  struct InUse {
    MemoryUse host;
    std::int64_t device = 0;
  };
  [[nodiscard]] InUse MemoryInUse() const { return {MemoryUse::Now(), DeviceMemoryUse()}; }

  // Makes the calls so many times. False where nothing may be made after them.
  bool RunOften(const Invocation& invocation, int times, Outcome& outcome,
                std::int64_t& runs_otherwise) {
    std::vector<CallOutcome> further;
    for (int i = 0; i < times; ++i) {
      further.clear();
      if (std::optional<Stop> stop =
              main_runner_.RunSequence(invocation, Watch::kNone, 0, further)) {
        NoteStop(*stop, outcome);
        return false;
      }
      if (!OnHost() && Failed(further)) {
        // A device that failed may not carry out the rest, nor what others ask of it.
        outcome.process.runs_otherwise = 1;
        outcome.process.spent = true;
        return false;
      }
      if (!SameStatuses(further, outcome.calls)) ++runs_otherwise;
    }
    return true;
  }

  // Pools of a library fill up with its first calls: makes them until a round gains next to
  // nothing, each of more runs than the one before. What goes on to grow beyond that is no pool.
  bool Settle(const Invocation& invocation, Outcome& outcome) {
    const int most_runs = invocation.fills_pools ? 20'000 : 2 * invocation.plan.growth_calls;
    constexpr std::int64_t kMostPool = std::int64_t{128} << 20;
    constexpr std::int64_t kHeapSlack = std::int64_t{4} << 10;
    constexpr std::int64_t kResidentSlack = std::int64_t{64} << 10;
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kMostSettlingMs);
    const InUse first = MemoryInUse();
    InUse before = first;
    int round = std::max(1, invocation.plan.growth_calls / 3);
    std::int64_t otherwise = 0;  // of no interest here
    for (int runs = 0; runs < most_runs; runs += round, round *= 2) {
      for (int begin = 0; begin < round && std::chrono::steady_clock::now() < end;) {
        const int some = std::min(round - begin, 64);
        if (!RunOften(invocation, some, outcome, otherwise)) return false;
        begin += some;
      }
      const InUse now = MemoryInUse();
      const bool settled = now.host.heap - before.host.heap <= kHeapSlack &&
                           now.host.resident - before.host.resident <= kResidentSlack &&
                           now.device <= before.device;
      const bool too_much = now.host.resident - first.host.resident > kMostPool ||
                            now.device - first.device > kMostPool;
      if (settled || too_much || std::chrono::steady_clock::now() >= end) break;
      before = now;
    }
    return true;
  }

  void MeasureGrowth(const Invocation& invocation, Outcome& outcome) {
    const SmallPages small_pages;
    if (!Settle(invocation, outcome)) return;
    ProcessFacts& facts = outcome.process;
    ProcessFacts gained = facts;
    InUse before = MemoryInUse();
    int made = 0;
    for (int span = 0; span < kGrowthSpans; ++span) {
      // Fewer calls than spans: some spans are empty, and gain nothing.
      const auto end =
          static_cast<int>(std::int64_t{invocation.plan.growth_calls} * (span + 1) / kGrowthSpans);
      if (!RunOften(invocation, end - made, outcome, gained.runs_otherwise)) return;
      made = end;
      const InUse now = MemoryInUse();
      const auto at = static_cast<std::size_t>(span);
      gained.heap_gain[at] = now.host.heap - before.host.heap;
      gained.resident_gain[at] = now.host.resident - before.host.resident;
      gained.device_gain[at] = now.device - before.device;
      before = now;
    }
    facts = gained;
  }

  // Bytes of the device that are in use, by any process; 0 where nobody says, or the memory is the
  // host's and counted there.
  [[nodiscard]] std::int64_t DeviceMemoryUse() const {
    if (OnHost() || library_.abi.get_mem_info == nullptr) return 0;
    std::size_t free = 0;
    std::size_t total = 0;
    for (const std::uint32_t kind : {kAbiHbmMemory, kAbiDdrMemory}) {
      if (library_.abi.get_mem_info(kind, &free, &total) == 0 && total > 0) {
        return static_cast<std::int64_t>(total - std::min(free, total));
      }
    }
    return 0;
  }

  void NoteProcess(const Invocation& invocation, Outcome& outcome) {
    ProcessState after = ProcessState::Now();
    const auto closed = before_.open & ~after.open;
    const auto opened = after.open & ~before_.open;
    bool handlers_changed = after.handlers != before_.handlers;
    ProcessFacts& facts = outcome.process;
    if ((closed & owned_).any()) {
      facts.file_descriptors_changed = facts.spent = true;
    } else if (!OnHost() && Failed(outcome.calls)) {
      // A device that failed may not carry out the calls again: what came with first use is
      // unknown.
      handlers_changed = false;
    } else if (outcome.end == End::kReturned && (opened.any() || handlers_changed)) {
      // A library may open something and set handlers on first use; what each use does is a fault.
      HandlerMarks marks(before_, after);
      RunAgain(invocation, outcome);
      const bool once = marks.Remove();
      const ProcessState first = std::exchange(after, ProcessState::Now());
      facts.file_descriptors_changed = after.open.count() > first.open.count();
      if (facts.file_descriptors_changed && after.open.count() >= kMostDescriptors) {
        facts.spent = true;
      }
      handlers_changed = !once || after.handlers != first.handlers;
    }
    facts.signal_handlers_changed |= handlers_changed;
    facts.working_directory_changed = after.directory != before_.directory;
    if (!(FloatEnvironment::OfThisThread() == float_environment_)) {
      facts.floating_point_environment_changed = true;
      float_environment_.Restore();
    }
    before_ = std::move(after);
  }

  static bool Failed(const std::vector<CallOutcome>& calls) {
    return std::any_of(calls.begin(), calls.end(),
                       [](const CallOutcome& call) { return call.synchronise.value_or(0) != 0; });
  }

  // The calls once more, as they were made, without a look at what they do.
  void RunAgain(const Invocation& invocation, Outcome& outcome) {
    Outcome again;
    if (invocation.plan.deterministic) SetDeterministic(1);
    RunAll(invocation, Watch::kNone, again);
    if (invocation.plan.deterministic) SetDeterministic(0);
    if (again.end != End::kReturned) {
      NoteStop({again.end, again.detail, {again.ended_at_call, again.ended_in}}, outcome);
    }
  }

  std::int32_t device_;
  ProgressPage& progress_;
  HeapWatch heap_;                                 // made before the library is loaded
  std::bitset<ProcessState::kDescriptors> owned_;  // open before the library was
  OpenedLibrary library_;
  GuardPages guards_;
  CallRunner main_runner_;
  TimedCalls timed_;
  FloatEnvironment float_environment_;
  ProcessState before_;
};

LibraryHost::LibraryHost(const OpenRequest& request, ProgressPage& progress)
    : impl_(std::make_unique<Impl>(request, progress)) {}
LibraryHost::~LibraryHost() = default;

const OpenReply& LibraryHost::reply() const { return impl_->reply(); }
Outcome LibraryHost::CarryOut(const Invocation& invocation) { return impl_->CarryOut(invocation); }
void LibraryHost::Finish() { impl_->Finish(); }

}  // namespace poolproof
