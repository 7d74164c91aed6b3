// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/timed_calls.h"

#include <time.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "conformance/result/storage_size.h"

namespace poolproof {
namespace {

// Calls of a round whose times are kept.
constexpr std::size_t kMostTimes = 100000;

std::uint64_t NowOf(bool cpu_clock) {
  return static_cast<std::uint64_t>(
      ReadClock(cpu_clock ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC).count());
}

Status TimedCallFailed(const char* what, std::int32_t status) {
  return Unavailable(std::string(what) + " returned " + std::to_string(status));
}

std::uint64_t MedianOf(std::vector<std::uint64_t>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

void TimedCalls::Enter(Phase phase) {
  where_.phase = phase;
  progress_.Mark(0, phase);
}

std::optional<Stop> TimedCalls::Run(const Invocation& invocation, Outcome& outcome) {
  where_ = {};
  return GuardedCall(where_, [&] {
    if (!invocation.calls.empty()) {
      Enter(Phase::kSetup);
      ReleaseAll();
      if (Status status = SetUp(invocation); !status.ok()) return status;
      for (const Set& set : sets_) {
        Times ignored;
        if (Status status = MakeCall(set, false, ignored); !status.ok()) return status;
      }
      if (Status status = ReadBack(outcome); !status.ok()) return status;
    } else if (sets_.empty()) {
      return Unavailable("there is no call to go on with");
    }
    for (std::int32_t i = 0; i < invocation.timing.rounds; ++i) {
      if (Status status = MakeRound(invocation.timing, outcome.rounds.emplace_back());
          !status.ok()) {
        outcome.rounds.pop_back();
        return status;
      }
    }
    return OkStatus();
  });
}

std::optional<Stop> TimedCalls::Release() {
  return GuardedCall(where_, [&] {
    ReleaseAll();
    return OkStatus();
  });
}

Status TimedCalls::SetUp(const Invocation& invocation) {
  call_ = invocation.calls.front();
  next_ = 0;
  const AbiOperator& functions = abi_.operators[static_cast<std::size_t>(call_.op)];
  if (functions.phase_one == nullptr) return Unavailable("the operator is not offered");
  if (const std::int32_t status = abi_.create_stream(&stream_); status != 0) {
    stream_ = nullptr;
    return TimedCallFailed("aclrtCreateStream", status);
  }
  for (void*& event : events_) {
    if (abi_.HasEvents() && abi_.create_event(&event) != 0) event = nullptr;
  }
  if (Status status = MakeLists(abi_, call_, lists_); !status.ok()) return status;
  for (std::int32_t i = 0; i < invocation.timing.sets; ++i) {
    Enter(Phase::kSetup);
    if (Status status = FillSet(sets_.emplace_back()); !status.ok()) return status;
  }
  return OkStatus();
}

// Each storage is what the invocation holds of it, over and over.
Status TimedCalls::FillSet(Set& set) {
  for (std::size_t i = 0; i < call_.tensors.size(); ++i) {
    const TensorArgument& argument = call_.tensors[i];
    if (argument.null) continue;
    const auto size = static_cast<std::size_t>(StorageSize(argument));
    if (argument.bytes.empty() && size > 0) return Unavailable("a timed operand without contents");
    void* block = nullptr;
    const std::int32_t status =
        abi_.rt_malloc(&block, std::max<std::size_t>(size, 1), kAbiMallocHugeFirst);
    if (status != 0 || block == nullptr) return TimedCallFailed("aclrtMalloc", status);
    set.blocks[i] = static_cast<std::byte*>(block);
    for (std::size_t at = 0; at < size; at += argument.bytes.size()) {
      const std::size_t part = std::min(argument.bytes.size(), size - at);
      const std::int32_t copied = abi_.rt_memcpy(set.blocks[i] + at, size - at,
                                                 argument.bytes.data(), part, kAbiHostToDevice);
      if (copied != 0) return TimedCallFailed("aclrtMemcpy", copied);
    }
    set.tensors[i] = MakeDescriptor(abi_, argument, block);
    if (set.tensors[i] == nullptr) {
      return Unavailable("aclCreateTensor returned a null pointer for " +
                         std::string(RoleName(argument.role)));
    }
  }
  return OkStatus();
}

Status TimedCalls::MakeRoom(std::uint64_t workspace_size) {
  if (workspace_size <= workspace_size_) return OkStatus();
  if (workspace_ != nullptr) abi_.rt_free(std::exchange(workspace_, nullptr));
  workspace_size_ = 0;
  void* block = nullptr;
  const std::int32_t status =
      abi_.rt_malloc(&block, static_cast<std::size_t>(workspace_size), kAbiMallocHugeFirst);
  if (status != 0 || block == nullptr) return TimedCallFailed("aclrtMalloc of a workspace", status);
  workspace_ = static_cast<std::byte*>(block);
  workspace_size_ = workspace_size;
  return OkStatus();
}

Status TimedCalls::MakeCall(const Set& set, bool cpu_clock, Times& times) {
  const PhaseTwo phase_two = abi_.operators[static_cast<std::size_t>(call_.op)].phase_two;
  outcome_ = CallOutcome();
  std::uint64_t size = 0;
  AbiExecutor* executor = nullptr;
  Enter(Phase::kPhaseOne);
  const std::uint64_t start = NowOf(cpu_clock);
  std::int32_t status = CallPhaseOne(abi_, call_, set.tensors, lists_, &size, &executor);
  const std::uint64_t asked = NowOf(cpu_clock);
  if (status != 0) return TimedCallFailed("phase one", status);
  if (executor == nullptr) return Unavailable("phase one gave no executor");
  if (Status room = MakeRoom(size); !room.ok()) return room;
  bool events = events_[0] != nullptr && events_[1] != nullptr;
  events = events && abi_.record_event(events_[0], stream_) == 0;
  Enter(Phase::kPhaseTwo);
  const std::uint64_t begun = NowOf(cpu_clock);
  status = phase_two(size == 0 ? nullptr : workspace_, size, executor, stream_);
  if (status != 0) return TimedCallFailed("phase two", status);
  events = events && abi_.record_event(events_[1], stream_) == 0;
  Enter(Phase::kSynchronise);
  status = abi_.synchronize_stream(stream_);
  const std::uint64_t ended = NowOf(cpu_clock);
  if (status != 0) return TimedCallFailed("aclrtSynchronizeStream", status);
  outcome_.phase_one = outcome_.phase_two = outcome_.synchronise = 0;
  outcome_.workspace_size_set = outcome_.executor_set = true;
  outcome_.workspace_size = size;
  outcome_.reached = Phase::kDone;
  times.call_ns = (asked - start) + (ended - begun);
  outcome_.nanoseconds = times.call_ns;
  float ms = 0;
  if (events && abi_.event_elapsed_time(&ms, events_[0], events_[1]) == 0 && ms > 0) {
    times.device_ns = static_cast<std::uint64_t>(static_cast<double>(ms) * 1e6);
  }
  return OkStatus();
}

Status TimedCalls::ReadBack(Outcome& outcome) {
  Enter(Phase::kReadBack);
  std::vector<std::byte> piece;
  for (std::size_t i = 0; i < call_.tensors.size(); ++i) {
    const TensorArgument& argument = call_.tensors[i];
    if (argument.null || !argument.is_output) continue;
    std::vector<std::byte>& first = outcome_.outputs[static_cast<std::size_t>(argument.role)];
    const auto size = static_cast<std::size_t>(StorageSize(argument));
    for (const Set& set : sets_) {
      for (std::size_t at = 0; at < size; at += argument.bytes.size()) {
        piece.resize(std::min(argument.bytes.size(), size - at));
        const std::int32_t copied = abi_.rt_memcpy(piece.data(), piece.size(), set.blocks[i] + at,
                                                   piece.size(), kAbiDeviceToHost);
        if (copied != 0) return TimedCallFailed("aclrtMemcpy", copied);
        if (first.empty()) first = piece;
        if (std::memcmp(piece.data(), first.data(), piece.size()) != 0) {
          outcome.outputs_repeat = false;
        }
      }
    }
  }
  outcome.calls.push_back(std::move(outcome_));
  return OkStatus();
}

Status TimedCalls::MakeRound(const Timing& timing, TimedRound& round) {
  std::vector<std::uint64_t> calls;
  std::vector<std::uint64_t> device;
  Times times;
  // Others had the machine since the round before.
  if (Status status = MakeCall(sets_[next_++ % sets_.size()], timing.cpu_clock, times);
      !status.ok()) {
    return status;
  }
  std::uint64_t total = 0;
  do {
    times = {};
    if (Status status = MakeCall(sets_[next_++ % sets_.size()], timing.cpu_clock, times);
        !status.ok()) {
      return status;
    }
    calls.push_back(times.call_ns);
    if (times.device_ns > 0) device.push_back(times.device_ns);
    total += times.call_ns;
  } while (total < static_cast<std::uint64_t>(timing.round_ns) && calls.size() < kMostTimes);
  round.calls = calls.size();
  round.call_ns = MedianOf(calls);
  if (device.size() == calls.size()) round.device_ns = MedianOf(device);
  return OkStatus();
}

void TimedCalls::ReleaseAll() {
  for (Set& set : sets_) {
    for (AbiTensor* const tensor : set.tensors) {
      if (tensor != nullptr) abi_.destroy_tensor(tensor);
    }
    for (std::byte* const block : set.blocks) {
      if (block != nullptr) abi_.rt_free(block);
    }
  }
  sets_.clear();
  for (AbiIntArray*& list : lists_) {
    if (list != nullptr) abi_.destroy_int_array(std::exchange(list, nullptr));
  }
  for (void*& event : events_) {
    if (event != nullptr) abi_.destroy_event(std::exchange(event, nullptr));
  }
  if (workspace_ != nullptr) abi_.rt_free(std::exchange(workspace_, nullptr));
  workspace_size_ = 0;
  if (stream_ != nullptr) abi_.destroy_stream(std::exchange(stream_, nullptr));
}

}  // namespace poolproof
