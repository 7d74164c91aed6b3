// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/call_runner.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <thread>
#include <utility>

#include "conformance/case/materialize.h"
#include "conformance/worker/operator_calls.h"

namespace poolproof {
namespace {

constexpr std::uint64_t kWorkspaceSizePoison = 0xdeadbeefdeadbeefULL;
// Not canonical on any 64-bit machine in use: one that follows it faults.
constexpr std::uintptr_t kExecutorPoison = 0x5eedec0de5eedec0ULL;
constexpr std::uint64_t kMaxWorkspaceBytes = std::uint64_t{256} << 20;
constexpr std::size_t kMaxHeldBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxKeptStaging = std::size_t{16} << 20;
// A workspace up to the first size is poisoned throughout, a larger one at both edges and in
// samples between them: some implementations ask for many megabytes in every call.
constexpr std::size_t kPoisonedWhole = std::size_t{1} << 20;
constexpr std::size_t kPoisonedEdge = std::size_t{64} << 10;
constexpr std::size_t kPoisonedSample = std::size_t{4} << 10;
constexpr std::size_t kWorkspaceSamples = 32;
// Looks while a stream is held up, and bytes of outputs that all looks may take.
constexpr std::size_t kHeldLooks = 8;
constexpr std::size_t kMostLookedAt = std::size_t{256} << 20;
// Canaries where no page can be closed behind them.
constexpr std::size_t kDeviceGuard = std::size_t{4} << 10;
// Behind a workspace more may be overrun than an operand's rows: what lies there must not be the
// heap, whose damage shows in other calls.
constexpr std::size_t kWorkspaceGuard = std::size_t{64} << 10;
// The canary of a guard zone. Bytes 0x2b..0x3a make floats of moderate size and no NaN in each of
// the three types, so that even an addition of a small number changes them; none of them is a byte
// of a poison, and as an index they are out of any plane.
std::vector<std::byte> Canary(std::size_t bytes, std::uint32_t seed) {
  std::vector<std::byte> zone(bytes);
  std::uint32_t state = seed;
  for (std::byte& b : zone) {
    state = state * 1664525U + 1013904223U;
    b = static_cast<std::byte>(0x2bU + (state >> 28));
  }
  return zone;
}

// Shrinks a buffer that one large case has blown up.
void Trim(std::vector<std::byte>& buffer) {
  if (buffer.capacity() > kMaxKeptStaging) std::vector<std::byte>().swap(buffer);
}

}  // namespace

template <typename Body>
std::optional<Stop> CallRunner::Guarded(Body&& body) {
  return GuardedCall(where_, std::forward<Body>(body));
}

void CallRunner::Enter(Phase phase) {
  where_.phase = phase;
  progress_.Mark(where_.call, phase);
}

void CallRunner::Enter(const Frame& frame, Phase phase) {
  where_.call = frame.number;
  Enter(phase);
}

std::optional<Stop> CallRunner::RunSequence(const Invocation& invocation, Watch watch,
                                            int repetition, std::vector<CallOutcome>& outcomes,
                                            std::size_t first) {
  where_ = {};
  if (repetition == 0) looked_ = false;
  const std::size_t before = outcomes.size();
  const Run run{invocation, watch, repetition, first};
  std::optional<Stop> stop = Guarded([&]() -> Status {
    Enter(Phase::kSetup);
    PrepareGuards(invocation.guard_bytes);
    if (Status status = OpenStreams(run.plan().streams); !status.ok()) return status;
    if (run.plan().order != Order::kInTurn) return RunTogether(run, outcomes);
    Status status = RunInTurn(run, outcomes);
    DestroyShared();
    return status;
  });
  const std::size_t last = before + (stop ? stop->where.call : 0);
  if (stop && last < outcomes.size()) {
    outcomes[last].reached = stop->where.phase;
    // Nothing is reported of calls that were not begun.
    if (run.plan().order == Order::kInTurn && first == 0) outcomes.resize(last + 1);
  }
  return stop;
}

std::optional<Stop> CallRunner::ReleaseHeld() {
  return Guarded([&] {
    for (const Held& block : held_) Free(block.base);
    held_.clear();
    held_bytes_ = 0;
    for (Kept& kept : kept_) Destroy(kept);
    kept_.clear();
    return OkStatus();
  });
}

std::optional<Stop> CallRunner::Close() {
  return Guarded([&] {
    if (arena_) arena_->Release();
    for (; !streams_.empty(); streams_.pop_back()) {
      if (streams_.back() != nullptr) abi_.destroy_stream(streams_.back());
    }
    return OkStatus();
  });
}

Status CallRunner::OpenStreams(int count) {
  const auto wanted = static_cast<std::size_t>(count);
  if (streams_.size() < wanted) streams_.resize(wanted, nullptr);
  for (std::size_t i = 0; i < wanted; ++i) {
    if (streams_[i] != nullptr) continue;
    if (const std::int32_t status = abi_.create_stream(&streams_[i]); status != 0) {
      streams_[i] = nullptr;
      return Unavailable("aclrtCreateStream returned " + std::to_string(status));
    }
  }
  return OkStatus();
}

std::size_t CallRunner::StreamOf(const Run& run, const Frame& frame) const {
  return frame.number % static_cast<std::size_t>(run.plan().streams);
}

// A stream on which something failed may stay faulty; the next call gets a new one.
void CallRunner::RenewStream(std::size_t stream) {
  if (streams_[stream] != nullptr) abi_.destroy_stream(streams_[stream]);
  if (abi_.create_stream(&streams_[stream]) != 0) streams_[stream] = nullptr;
}

CallRunner::Frame& CallRunner::Prepare(const Run& run, std::size_t number, std::size_t slot,
                                       CallOutcome& outcome) {
  Frame& frame = frames_[slot];
  frame.call = &run.invocation.calls[number];
  frame.number = number;
  frame.outcome = &outcome;
  frame.operand_count = 0;
  frame.workspace = {};
  frame.executor = nullptr;
  frame.goes_on = false;
  frame.watch.reset();
  frame.first_seen.clear();
  Enter(frame, Phase::kSetup);
  return frame;
}

Status CallRunner::RunInTurn(const Run& run, std::vector<CallOutcome>& outcomes) {
  if (frames_.empty()) frames_.resize(1);
  const std::size_t count = run.invocation.calls.size();
  const std::size_t before = outcomes.size();
  outcomes.resize(before + count);
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t i = (run.first + k) % count;
    Frame& frame = Prepare(run, i, 0, outcomes[before + i]);
    if (run.plan().phase_two_alone) {
      if (Status status = RunPhaseTwoAlone(run, frame); !status.ok()) return status;
    } else {
      std::optional<GuardPages::Watch> watching;
      if (run.plan().guard != Guard::kNone && guards_ != nullptr) watching.emplace(*guards_);
      if (Status status = First(run, frame); !status.ok()) return status;
      if (frame.goes_on) {
        OpenWatch(run, frame);
        Second(run, frame);
        LookWhileHeld(run, frame);
        Synchronise(run, frame);
        LookAfter(run, {&frame});
      }
      if (Status status = Finish(run, frame); !status.ok()) return status;
    }
    Enter(Phase::kDone);
    frame.outcome->reached = Phase::kDone;
  }
  return OkStatus();
}

Status CallRunner::RunTogether(const Run& run, std::vector<CallOutcome>& outcomes) {
  const std::size_t count = run.invocation.calls.size();
  const std::size_t first = outcomes.size();
  if (frames_.size() < count) frames_.resize(count);
  outcomes.resize(first + count);
  for (std::size_t i = 0; i < count; ++i) {
    if (Status status = First(run, Prepare(run, i, i, outcomes[first + i])); !status.ok()) {
      return status;
    }
  }
  std::vector<Frame*> carried_out;
  for (std::size_t k = 0; k < count; ++k) {
    Frame& frame = frames_[run.plan().order == Order::kFifo ? k : count - 1 - k];
    if (!frame.goes_on) continue;
    OpenWatch(run, frame);
    carried_out.push_back(&frame);
  }
  for (Frame* const frame : carried_out) Second(run, *frame);
  SynchroniseOnce(run, count);
  LookAfter(run, carried_out);
  for (std::size_t i = 0; i < count; ++i) {
    if (Status status = Finish(run, frames_[i]); !status.ok()) return status;
    frames_[i].outcome->reached = Phase::kDone;
  }
  Enter(Phase::kDone);
  return OkStatus();
}

// One call for each stream, whatever lies on it; its status is that of all calls there.
void CallRunner::SynchroniseOnce(const Run& run, std::size_t count) {
  std::vector<const Frame*> done(streams_.size(), nullptr);
  for (std::size_t i = 0; i < count; ++i) {
    Frame& frame = frames_[i];
    if (!frame.goes_on) continue;
    const Frame*& first = done[StreamOf(run, frame)];
    if (first == nullptr) {
      Synchronise(run, frame);
      first = &frame;
    } else {
      frame.outcome->synchronise = first->outcome->synchronise;
    }
  }
}

Status CallRunner::RunPhaseTwoAlone(const Run& run, Frame& frame) {
  if (abi_.operators[static_cast<std::size_t>(frame.call->op)].phase_two == nullptr) {
    return Unavailable("the operator is not offered");
  }
  Second(run, frame);
  Synchronise(run, frame);
  return OkStatus();
}

// Everything up to phase two.
Status CallRunner::First(const Run& run, Frame& frame) {
  const AbiOperator& functions = abi_.operators[static_cast<std::size_t>(frame.call->op)];
  if (functions.phase_one == nullptr) return Unavailable("the operator is not offered");
  if (Status status = SetUp(run, frame); !status.ok()) return status;

  CallOutcome& outcome = *frame.outcome;
  const bool again = PointKeptExecutor(frame);
  if (!again) {
    if (Status status = SetUpDescriptors(frame); !status.ok()) return status;
    ClosePages(run, frame);
    PhaseOne(run, frame);
    OpenPages(frame);
    if (run.watch == Watch::kFull) {
      if (Status status = NotePhaseOneWrites(run, frame); !status.ok()) return status;
    }
  }
  frame.goes_on = outcome.phase_one == 0 && outcome.HasPlan() && !run.plan().descriptors_only;
  if (!frame.goes_on) return OkStatus();
  if (!again) KeepExecutor(run, frame);
  if (run.plan().fill_late) {
    if (Status status = FillInputs(frame); !status.ok()) return status;
  }
  return SetUpWorkspace(run, frame);
}

void CallRunner::Second(const Run& run, Frame& frame) {
  const AbiOperator& functions = abi_.operators[static_cast<std::size_t>(frame.call->op)];
  CallOutcome& outcome = *frame.outcome;
  void* const workspace =
      frame.workspace.base == nullptr ? nullptr : frame.workspace.base + workspace_guard_;
  ClosePages(run, frame);
  if (meeting_ != nullptr) meeting_->Come();
  Enter(frame, Phase::kPhaseTwo);
  const Stopwatch watch;
  const std::int32_t status = functions.phase_two(workspace, outcome.workspace_size, frame.executor,
                                                  streams_[StreamOf(run, frame)]);
  outcome.nanoseconds += watch.Nanoseconds();
  outcome.phase_two = status;
  NoteMessage(status, outcome);
}

void CallRunner::Synchronise(const Run& run, Frame& frame) {
  CallOutcome& outcome = *frame.outcome;
  Enter(frame, Phase::kSynchronise);
  const Stopwatch watch;
  const std::int32_t status = abi_.synchronize_stream(streams_[StreamOf(run, frame)]);
  outcome.nanoseconds += watch.Nanoseconds();
  outcome.synchronise = status;
  NoteMessage(status, outcome);
  if (run.invocation.awaits_device && run.plan().look == Look::kNone) AwaitDevice();
}

void CallRunner::AwaitDevice() {
  if (abi_.synchronize_device != nullptr) {
    abi_.synchronize_device();
  } else {
    abi_.synchronize_stream(nullptr);
  }
}

Status CallRunner::Finish(const Run& run, Frame& frame) {
  CallOutcome& outcome = *frame.outcome;
  // Before what is read back only: calls over which memory is watched are made by the thousand.
  if (frame.goes_on && run.watch == Watch::kFull && run.plan().settle_ms > 0 &&
      run.plan().look != Look::kAfter) {
    std::this_thread::sleep_for(std::chrono::milliseconds(run.plan().settle_ms));
  }
  Enter(frame, Phase::kReadBack);
  OpenPages(frame);
  if (run.watch == Watch::kFull) {
    if (Status status = ReadBack(frame); !status.ok()) return status;
    if (Status status = CheckWorkspace(frame); !status.ok()) return status;
    TellLooks(run, frame);
  }
  TearDown(run, frame);
  if (outcome.synchronise.value_or(0) != 0) RenewStream(StreamOf(run, frame));
  return OkStatus();
}

void CallRunner::PrepareGuards(std::size_t bytes) {
  if (memory_ != Memory::kHost) bytes = std::max(bytes, kDeviceGuard);
  guard_ = bytes;
  workspace_guard_ =
      memory_ == Memory::kHost && bytes > 0 ? std::max(bytes, kWorkspaceGuard) : bytes;
  if (guard_before_.size() == workspace_guard_) return;
  guard_before_ = Canary(workspace_guard_, 0x9e3779b9U);
  guard_after_ = Canary(workspace_guard_, 0x85ebca6bU);
}

Status CallRunner::CreateTensor(Operand& operand) {
  const TensorArgument& argument = *operand.argument;
  operand.tensor = MakeDescriptor(abi_, argument, operand.data());
  if (operand.tensor != nullptr) return OkStatus();
  return Unavailable("aclCreateTensor returned a null pointer for " +
                     std::string(RoleName(argument.role)));
}

Status CallRunner::SetUpDescriptors(Frame& frame) {
  for (std::size_t i = 0; i < frame.operand_count; ++i) {
    if (!frame.operands[i].exists() || frame.operands[i].tensor != nullptr) continue;
    if (Status status = CreateTensor(frame.operands[i]); !status.ok()) return status;
  }
  return MakeLists(abi_, *frame.call, frame.lists);
}

void CallRunner::PhaseOne(const Run& run, Frame& frame) {
  auto* const poison = reinterpret_cast<AbiExecutor*>(kExecutorPoison);
  std::uint64_t size = kWorkspaceSizePoison;
  AbiExecutor* executor = poison;
  std::uint64_t* const size_out = run.plan().null_workspace_size ? nullptr : &size;
  AbiExecutor** const executor_out = run.plan().null_executor_out ? nullptr : &executor;

  std::array<AbiTensor*, kRoleCount> tensors{};
  for (std::size_t i = 0; i < frame.operand_count; ++i) tensors[i] = frame.operands[i].tensor;
  if (meeting_ != nullptr) meeting_->Come();
  Enter(frame, Phase::kPhaseOne);
  const Stopwatch watch;
  const std::int32_t status =
      CallPhaseOne(abi_, *frame.call, tensors, frame.lists, size_out, executor_out);
  CallOutcome& outcome = *frame.outcome;
  outcome.nanoseconds += watch.Nanoseconds();
  outcome.phase_one = status;
  outcome.workspace_size_set = size != kWorkspaceSizePoison;
  outcome.workspace_size = outcome.workspace_size_set ? size : 0;
  outcome.executor_set = executor != poison && executor != nullptr;
  frame.executor = outcome.executor_set ? executor : nullptr;
  NoteMessage(status, outcome);
}

// Poisons `size` bytes from `at` on, and the canaries where the piece ends at one. Positions are
// whole periods of every poison.
Status CallRunner::PoisonPiece(const Workspace& workspace, Poison poison, std::size_t at,
                               std::size_t size) {
  const bool first = at == 0;
  const bool last = at + size == workspace.size;
  const std::size_t in_front = first ? workspace_guard_ : 0;
  const std::size_t total = in_front + size + (last ? workspace_guard_ : 0);
  if (scratch_.size() < total) scratch_.resize(total);
  std::copy_n(guard_before_.begin(), in_front, scratch_.begin());
  FillWithPoison(poison, {scratch_.data() + in_front, size});
  if (last) std::copy(guard_after_.begin(), guard_after_.end(), scratch_.data() + in_front + size);
  return CopyToDevice(workspace.base + workspace_guard_ + at - in_front,
                      workspace.size + workspace_guard_ - at + in_front, scratch_.data(), total);
}

Status CallRunner::SetUpWorkspace(const Run& run, Frame& frame) {
  Enter(frame, Phase::kSetup);
  const std::uint64_t size = frame.outcome->workspace_size;
  if (size == 0) return OkStatus();
  if (size > kMaxWorkspaceBytes) {
    return Unavailable("a workspace of " + std::to_string(size) +
                       " bytes is more than the suite provides (256 MiB)");
  }
  Workspace& workspace = frame.workspace;
  workspace.size = static_cast<std::size_t>(size);
  if (TakeKeptWorkspace(run, frame)) return OkStatus();
  if (Status status =
          Allocate(run, workspace.size + 2 * workspace_guard_, "workspace", workspace.base);
      !status.ok()) {
    return status;
  }
  const Poison poison = PoisonOfRun(run.plan(), run.plan().workspace, run.repetition);
  if (workspace.size <= kPoisonedWhole) return PoisonPiece(workspace, poison, 0, workspace.size);

  if (Status status = PoisonPiece(workspace, poison, 0, kPoisonedEdge); !status.ok()) return status;
  const std::size_t step = workspace.size / (kWorkspaceSamples + 1);
  for (std::size_t i = 1; i <= kWorkspaceSamples; ++i) {
    const std::size_t at = i * step / kPoisonedSample * kPoisonedSample;
    if (Status status = PoisonPiece(workspace, poison, at, kPoisonedSample); !status.ok()) {
      return status;
    }
  }
  const std::size_t edge = (workspace.size - kPoisonedEdge) / kPoisonedSample * kPoisonedSample;
  return PoisonPiece(workspace, poison, edge, workspace.size - edge);
}

Status CallRunner::CheckWorkspace(Frame& frame) {
  const Workspace& workspace = frame.workspace;
  CallOutcome& outcome = *frame.outcome;
  if (workspace.base == nullptr || workspace_guard_ == 0) return OkStatus();
  const std::size_t block = workspace.size + 2 * workspace_guard_;
  if (memory_ != Memory::kHost && block <= kPoisonedEdge) {
    // A copy costs more than what it carries.
    if (scratch_.size() < block) scratch_.resize(block);
    const Status status = CopyFromDevice(scratch_.data(), workspace.base, block);
    if (!status.ok()) return outcome.synchronise.value_or(0) != 0 ? OkStatus() : status;
    outcome.workspace.guard_before_intact =
        std::memcmp(scratch_.data(), guard_before_.data(), workspace_guard_) == 0;
    outcome.workspace.guard_after_intact = std::memcmp(scratch_.data() + block - workspace_guard_,
                                                       guard_after_.data(), workspace_guard_) == 0;
    return OkStatus();
  }
  if (scratch_.size() < workspace_guard_) scratch_.resize(workspace_guard_);
  const auto intact = [&](const std::byte* from, const std::vector<std::byte>& zone, bool& fact) {
    Status status = CopyFromDevice(scratch_.data(), from, workspace_guard_);
    if (status.ok()) fact = std::memcmp(scratch_.data(), zone.data(), workspace_guard_) == 0;
    return status;
  };
  Status status = intact(workspace.base, guard_before_, outcome.workspace.guard_before_intact);
  if (status.ok()) {
    status = intact(workspace.base + workspace_guard_ + workspace.size, guard_after_,
                    outcome.workspace.guard_after_intact);
  }
  if (!status.ok() && outcome.synchronise.value_or(0) != 0) return OkStatus();
  return status;
}

// An executor that still reads what it was pointed to before must not find the same numbers there.
void CallRunner::ClearInput(const Operand& operand) {
  if (operand.argument->is_output || operand.size() == 0) return;
  scratch_.assign(std::max(scratch_.size(), operand.size()), std::byte{0});
  static_cast<void>(CopyToDevice(operand.data(), operand.size(), scratch_.data(), operand.size()));
}

void CallRunner::TearDown(const Run& run, Frame& frame) {
  for (AbiIntArray*& list : frame.lists) {
    if (list != nullptr) abi_.destroy_int_array(std::exchange(list, nullptr));
  }
  // Only single calls: within a sequence buffers are released as a program would, since their reuse
  // is what the sequence is about.
  const bool hold =
      run.watch == Watch::kFull && run.plan().repeat > 1 && run.invocation.calls.size() == 1;
  for (std::size_t i = 0; i < frame.operand_count; ++i) {
    Operand& operand = frame.operands[i];
    if (PutBackShared(run, operand)) continue;
    if (operand.tensor != nullptr) abi_.destroy_tensor(std::exchange(operand.tensor, nullptr));
    if (!operand.exists()) continue;
    if (run.plan().reuse_executor) ClearInput(operand);
    if (hold && held_bytes_ + operand.block <= kMaxHeldBytes) {
      held_.push_back({operand.base, operand.block});
      held_bytes_ += operand.block;
    } else {
      Free(operand.base);
    }
    operand.base = nullptr;
  }
  frame.operand_count = 0;
  if (frame.workspace.base != nullptr && !KeepWorkspace(frame)) Free(frame.workspace.base);
  frame.workspace = {};
  Trim(frame.image);
  Trim(scratch_);
}

// --- Work outside the stream ---------------------------------------------------------------------

template <typename Body>
void CallRunner::ForEachOutput(const Frame& frame, const Body& body) {
  for (std::size_t i = 0; i < frame.operand_count; ++i) {
    const Operand& operand = frame.operands[i];
    if (operand.exists() && operand.argument->is_output && operand.size() > 0) body(operand);
  }
}

// Before phase two. Where the library has no copies on streams, or the outputs are too large,
// nothing is held up.
void CallRunner::OpenWatch(const Run& run, Frame& frame) {
  const Look look = run.plan().look;
  if (look == Look::kNone || run.watch != Watch::kFull) return;
  // What phase one wrote is there before phase two, and no matter of its stream.
  if (look == Look::kHeld && (looked_ || frame.outcome->phase_one_wrote)) return;
  std::vector<StreamWatch::Piece> pieces;
  std::size_t bytes = 0;
  ForEachOutput(frame, [&](const Operand& operand) {
    pieces.push_back({operand.data(), operand.size()});
    bytes += operand.size();
  });
  const std::size_t looks = look == Look::kHeld ? kHeldLooks : 1;
  if (bytes * looks > kMostLookedAt) return;
  Enter(frame, Phase::kSetup);
  auto watch = std::make_unique<StreamWatch>(abi_);
  if (!watch->Open(std::move(pieces), looks)) return;
  if (look == Look::kHeld && !watch->HoldUp(streams_[StreamOf(run, frame)], run.repetition)) {
    return;
  }
  frame.watch = std::move(watch);
}

void CallRunner::LookWhileHeld(const Run& run, Frame& frame) {
  if (run.plan().look != Look::kHeld || frame.watch == nullptr) return;
  if (frame.outcome->phase_two == 0) frame.watch->LookWhileHeld();
}

// At all outputs as soon as their streams are synchronised, those first that were begun last.
void CallRunner::LookAfter(const Run& run, const std::vector<Frame*>& frames) {
  if (run.plan().look != Look::kAfter || run.watch != Watch::kFull || frames.empty()) return;
  std::for_each(frames.rbegin(), frames.rend(), [](Frame* frame) {
    if (frame->outcome->synchronise == 0 && frame->watch != nullptr) frame->watch->LookNow();
  });
  // And as programs do, by copies that may wait for more than they are asked to.
  std::for_each(frames.rbegin(), frames.rend(), [&](Frame* frame) {
    if (frame->outcome->synchronise != 0) return;
    std::vector<std::byte>& seen = frame->first_seen;
    bool copied = true;
    ForEachOutput(*frame, [&](const Operand& operand) {
      const std::size_t at = seen.size();
      seen.resize(at + operand.size());
      copied = copied && CopyFromDevice(seen.data() + at, operand.data(), operand.size()).ok();
    });
    if (!copied) seen.clear();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(run.plan().settle_ms));
}

// Holds what was seen against what outputs held before phase two, or hold now.
void CallRunner::TellLooks(const Run& run, Frame& frame) {
  CallOutcome& outcome = *frame.outcome;
  const Look look = run.plan().look;
  if (look == Look::kNone || outcome.phase_two != 0 || outcome.synchronise != 0) return;
  std::vector<StreamWatch::Seen> looks;
  if (frame.watch != nullptr) looks = frame.watch->Tell();
  if (!frame.first_seen.empty()) looks.push_back({std::move(frame.first_seen), false});
  for (const StreamWatch::Seen& seen : looks) {
    if (look == Look::kHeld && !seen.held) continue;
    if (look == Look::kHeld) ++outcome.held_looks;
    std::optional<Role>& found = look == Look::kHeld ? outcome.written_early : outcome.written_late;
    std::size_t at = 0;
    ForEachOutput(frame, [&](const Operand& operand) {
      const Role role = operand.argument->role;
      const std::byte* const other = look == Look::kHeld
                                         ? frame.image.data() + operand.image + operand.before
                                         : outcome.outputs[static_cast<std::size_t>(role)].data();
      if (!found && std::memcmp(seen.bytes.data() + at, other, operand.size()) != 0) found = role;
      at += operand.size();
    });
  }
  looked_ = looked_ || outcome.held_looks > 0;
  frame.watch.reset();
}

// --- Guard pages ---------------------------------------------------------------------------------

void CallRunner::ClosePages(const Run& run, Frame& frame) {
  if (run.plan().guard == Guard::kNone || run.watch == Watch::kNone) return;
  frame.outcome->guarded = true;
  for (std::size_t i = 0; i < frame.operand_count; ++i) {
    Operand& operand = frame.operands[i];
    if (!operand.exists()) continue;
    if (operand.pages != nullptr) {
      operand.closed = guards_->Close(operand.pages, operand.page_bytes);
    }
    if (!operand.closed) frame.outcome->guarded = false;
  }
}

void CallRunner::OpenPages(Frame& frame) {
  for (std::size_t i = 0; i < frame.operand_count; ++i) {
    Operand& operand = frame.operands[i];
    if (!operand.closed) continue;
    const std::optional<GuardPages::Touch> touch = guards_->Open(*operand.closed);
    operand.closed.reset();
    if (touch) NoteTouch(frame, *touch);
  }
}

// Pages lie between the storages of two operands: what was touched is reported of the one whose
// storage is nearer, since it is its range that was exceeded.
void CallRunner::NoteTouch(Frame& frame, const GuardPages::Touch& touch) {
  const Operand* nearest = nullptr;
  std::int64_t least = 0;
  for (std::size_t i = 0; i < frame.operand_count; ++i) {
    const Operand& operand = frame.operands[i];
    if (!operand.exists()) continue;
    const std::int64_t from_start = touch.address - operand.data();
    const std::int64_t from_end = from_start - static_cast<std::int64_t>(operand.size());
    const std::int64_t distance = from_start < 0 ? from_start : std::max<std::int64_t>(from_end, 0);
    if (nearest != nullptr && std::abs(distance) >= std::abs(least)) continue;
    nearest = &operand;
    least = distance;
  }
  MemoryFacts& facts = frame.outcome->memory[static_cast<std::size_t>(nearest->argument->role)];
  if (!facts.guard_touch) facts.guard_touch = GuardTouch{least, touch.access};
}

void CallRunner::NoteMessage(std::int32_t status, CallOutcome& outcome) {
  if (status == 0 || outcome.message_asked || abi_.get_recent_err_msg == nullptr) return;
  outcome.message_asked = true;
  const char* const text = abi_.get_recent_err_msg();
  if (text != nullptr) outcome.message.assign(text, ::strnlen(text, kMostMessageBytes));
}

}  // namespace poolproof
