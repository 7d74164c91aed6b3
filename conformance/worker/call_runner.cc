// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/call_runner.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <new>
#include <thread>
#include <utility>

#if defined(__GLIBCXX__)
#include <cxxabi.h>
#endif

namespace poolproof {
namespace {

constexpr std::uint64_t kWorkspaceSizePoison = 0xdeadbeefdeadbeefULL;
// Not canonical on any 64-bit machine in use: whoever follows it faults.
constexpr std::uintptr_t kExecutorPoison = 0x5eedec0de5eedec0ULL;
constexpr std::size_t kMaxMessageBytes = 4096;
constexpr std::size_t kMaxPhaseOneCheckBytes = std::size_t{1} << 20;
constexpr std::uint64_t kMaxWorkspaceBytes = std::uint64_t{256} << 20;
constexpr std::size_t kMaxHeldBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxKeptStaging = std::size_t{16} << 20;
constexpr std::size_t kWorkspaceStep = std::size_t{1} << 20;
constexpr std::size_t kLeastBlock = 64;

std::byte ByteOf(Poison poison) {
  switch (poison) {
    case Poison::kNan:
      return std::byte{0xff};
    case Poison::kFinite:
      return std::byte{0x3c};
    case Poison::kZero:
      break;
  }
  return std::byte{0};
}

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

std::optional<std::int64_t> FirstDifference(const std::byte* a, const std::byte* b,
                                            std::size_t size) {
  if (size == 0 || std::memcmp(a, b, size) == 0) return std::nullopt;
  return std::mismatch(a, a + size, b).first - a;
}

template <typename F>
F As(void* function) {
  return reinterpret_cast<F>(function);
}

// Shrinks a buffer that one large case has blown up.
void Trim(std::vector<std::byte>& buffer) {
  if (buffer.capacity() > kMaxKeptStaging) std::vector<std::byte>().swap(buffer);
}

class Stopwatch {
 public:
  [[nodiscard]] std::uint64_t Nanoseconds() const {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                          std::chrono::steady_clock::now() - start_)
                                          .count());
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

template <typename Body>
std::optional<Stop> CallRunner::Guarded(Body&& body) {
  try {
    const Status status = body();
    if (status.ok()) return std::nullopt;
    return Stop{End::kHarness, status.message(), where_};
#if defined(__GLIBCXX__)
  } catch (abi::__forced_unwind&) {
    throw;  // pthread_exit by the library: it must not be swallowed
#endif
  } catch (const std::bad_alloc&) {
    // Around the operator's calls the worker itself allocates, and may be the one that failed.
    const bool by_library = where_.phase != Phase::kSetup && where_.phase != Phase::kReadBack;
    return Stop{by_library ? End::kThrew : End::kHarness, "std::bad_alloc", where_};
  } catch (const std::exception& thrown) {
    return Stop{End::kThrew, thrown.what(), where_};
  } catch (...) {
    return Stop{End::kThrew, "an exception that is no std::exception", where_};
  }
}

void CallRunner::Enter(Phase phase) {
  where_.phase = phase;
  progress_.Mark(where_.call, phase);
}

std::optional<Stop> CallRunner::RunSequence(const Invocation& invocation, Watch watch,
                                            std::vector<CallOutcome>& outcomes) {
  where_ = {};
  const std::size_t before = outcomes.size();
  std::optional<Stop> stop = Guarded([&]() -> Status {
    Enter(Phase::kSetup);
    PrepareGuards(invocation.guard_bytes);
    if (!has_stream_) {
      if (const std::int32_t status = abi_.create_stream(&stream_); status != 0) {
        return Unavailable("aclrtCreateStream returned " + std::to_string(status));
      }
      has_stream_ = true;
    }
    for (std::size_t i = 0; i < invocation.calls.size(); ++i) {
      where_.call = i;
      Enter(Phase::kSetup);
      CallOutcome& outcome = outcomes.emplace_back();
      Status status = invocation.plan.phase_two_alone
                          ? RunPhaseTwoAlone(invocation.calls[i].op, outcome)
                          : RunCall(invocation, invocation.calls[i], watch, outcome);
      if (!status.ok()) return status;
      Enter(Phase::kDone);
      outcome.reached = Phase::kDone;
    }
    return OkStatus();
  });
  if (stop && outcomes.size() > before) outcomes.back().reached = stop->where.phase;
  return stop;
}

std::optional<Stop> CallRunner::ReleaseHeld() {
  return Guarded([&] {
    for (const Held& block : held_) abi_.rt_free(block.base);
    held_.clear();
    held_bytes_ = 0;
    return OkStatus();
  });
}

std::optional<Stop> CallRunner::CloseStream() {
  return Guarded([&] {
    if (std::exchange(has_stream_, false)) abi_.destroy_stream(stream_);
    return OkStatus();
  });
}

Status CallRunner::RunPhaseTwoAlone(Operator op, CallOutcome& outcome) {
  const AbiOperator& functions = abi_.operators[static_cast<std::size_t>(op)];
  if (functions.phase_two == nullptr) return Unavailable("the operator is not offered");
  PhaseTwoAndSynchronise(functions.phase_two, nullptr, 0, nullptr, outcome);
  return OkStatus();
}

Status CallRunner::RunCall(const Invocation& invocation, const CallArguments& call, Watch watch,
                           CallOutcome& outcome) {
  const AbiOperator& functions = abi_.operators[static_cast<std::size_t>(call.op)];
  if (functions.phase_one == nullptr) return Unavailable("the operator is not offered");
  if (Status status = SetUp(call); !status.ok()) return status;

  AbiExecutor* executor = nullptr;
  PhaseOne(invocation, call, outcome, executor);
  if (watch == Watch::kFull) {
    if (Status status = NotePhaseOneWrites(outcome); !status.ok()) return status;
  }

  Workspace workspace;
  const bool go_on = outcome.phase_one == 0 && outcome.executor_set && outcome.workspace_size_set &&
                     !invocation.plan.descriptors_only;
  if (go_on) {
    if (Status status =
            SetUpWorkspace(outcome.workspace_size, invocation.plan.workspace, workspace);
        !status.ok()) {
      return status;
    }
    void* const start =
        workspace.base == nullptr ? nullptr : static_cast<std::byte*>(workspace.base) + guard_;
    PhaseTwoAndSynchronise(functions.phase_two, start, outcome.workspace_size, executor, outcome);
    if (invocation.plan.settle_ms > 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(invocation.plan.settle_ms));
    }
  }

  Enter(Phase::kReadBack);
  if (watch == Watch::kFull) {
    const bool carried_out = go_on && outcome.phase_two == 0 && outcome.synchronise == 0;
    if (Status status = ReadBack(call, carried_out, outcome); !status.ok()) return status;
    if (Status status = CheckWorkspace(workspace, outcome); !status.ok()) return status;
  }
  TearDown(invocation, watch, workspace);
  // A stream on which something failed may stay faulty; the next call gets a new one.
  if (outcome.synchronise.value_or(0) != 0 && std::exchange(has_stream_, false)) {
    abi_.destroy_stream(stream_);
    if (abi_.create_stream(&stream_) == 0) has_stream_ = true;
  }
  return OkStatus();
}

void CallRunner::PrepareGuards(std::size_t bytes) {
  if (guard_ == bytes && guard_before_.size() == bytes) return;
  guard_ = bytes;
  guard_before_ = Canary(bytes, 0x9e3779b9U);
  guard_after_ = Canary(bytes, 0x85ebca6bU);
}

Status CallRunner::Allocate(std::size_t size, const char* what, void*& base) {
  base = nullptr;
  const std::int32_t status = abi_.rt_malloc(&base, size, kAbiMallocHugeFirst);
  if (status == 0 && base != nullptr) return OkStatus();
  base = nullptr;
  return Unavailable("aclrtMalloc of " + std::to_string(size) + " bytes for " + what +
                     " returned " + std::to_string(status));
}

Status CallRunner::CopyToDevice(void* to, std::size_t room, const std::byte* from,
                                std::size_t size) {
  const std::int32_t status = abi_.rt_memcpy(to, room, from, size, kAbiHostToDevice);
  if (status == 0) return OkStatus();
  return Unavailable("aclrtMemcpy of " + std::to_string(size) + " bytes to the device returned " +
                     std::to_string(status));
}

Status CallRunner::CopyFromDevice(std::byte* to, const void* from, std::size_t size) {
  const std::int32_t status = abi_.rt_memcpy(to, size, from, size, kAbiDeviceToHost);
  if (status == 0) return OkStatus();
  return Unavailable("aclrtMemcpy of " + std::to_string(size) + " bytes from the device returned " +
                     std::to_string(status));
}

Status CallRunner::SetUpOperand(const TensorArgument& argument, Operand& operand) {
  operand.argument = &argument;
  operand.base = nullptr;
  operand.tensor = nullptr;
  if (argument.null) return OkStatus();

  const std::string name(RoleName(argument.role));
  operand.size = std::max(2 * guard_ + argument.bytes.size(), kLeastBlock);
  if (Status status = Allocate(operand.size, name.c_str(), operand.base); !status.ok()) {
    return status;
  }
  operand.image.resize(operand.size);
  std::byte* at = std::copy(guard_before_.begin(), guard_before_.end(), operand.image.data());
  at = std::copy(argument.bytes.begin(), argument.bytes.end(), at);
  at = std::copy(guard_after_.begin(), guard_after_.end(), at);
  std::fill(at, operand.image.data() + operand.size, std::byte{0x2b});
  if (Status status = CopyToDevice(operand.base, operand.size, operand.image.data(), operand.size);
      !status.ok()) {
    return status;
  }
  operand.tensor = abi_.create_tensor(argument.shape.data(), argument.shape.size(), argument.type,
                                      argument.strides.empty() ? nullptr : argument.strides.data(),
                                      argument.offset, argument.format,
                                      argument.storage_dims.data(), argument.storage_dims.size(),
                                      static_cast<std::byte*>(operand.base) + guard_);
  if (operand.tensor == nullptr) {
    return Unavailable("aclCreateTensor returned a null pointer for " + name);
  }
  return OkStatus();
}

Status CallRunner::SetUpLists(const CallArguments& call) {
  static constexpr std::int64_t kNothing = 0;
  for (std::size_t i = 0; i < call.lists.size(); ++i) {
    lists_[i] = nullptr;
    const std::optional<Dims>& list = call.lists[i];
    if (!list) continue;
    lists_[i] = abi_.create_int_array(list->empty() ? &kNothing : list->data(), list->size());
    if (lists_[i] == nullptr) {
      return Unavailable("aclCreateIntArray returned a null pointer for " +
                         std::string(ListName(InfoOf(call.op).lists[i])));
    }
  }
  return OkStatus();
}

Status CallRunner::SetUp(const CallArguments& call) {
  operand_count_ = call.tensors.size();
  for (std::size_t i = 0; i < call.tensors.size(); ++i) {
    if (Status status = SetUpOperand(call.tensors[i], operands_[i]); !status.ok()) return status;
  }
  return SetUpLists(call);
}

void CallRunner::PhaseOne(const Invocation& invocation, const CallArguments& call,
                          CallOutcome& outcome, AbiExecutor*& executor) {
  auto* const poison = reinterpret_cast<AbiExecutor*>(kExecutorPoison);
  std::uint64_t size = kWorkspaceSizePoison;
  executor = poison;
  std::uint64_t* const size_out = invocation.plan.null_workspace_size ? nullptr : &size;
  AbiExecutor** const executor_out = invocation.plan.null_executor_out ? nullptr : &executor;

  const OperatorInfo& info = InfoOf(call.op);
  void* const function = abi_.operators[static_cast<std::size_t>(call.op)].phase_one;
  const auto tensor = [&](std::size_t i) { return operands_[i].tensor; };

  Enter(Phase::kPhaseOne);
  const Stopwatch watch;
  std::int32_t status = 0;
  if (info.is_forward && info.is_adaptive) {
    status = As<PhaseOneAdaptiveForward>(function)(tensor(0), lists_[0], tensor(1), tensor(2),
                                                   size_out, executor_out);
  } else if (info.is_forward) {
    status = As<PhaseOneFixedForward>(function)(tensor(0), lists_[0], lists_[1], lists_[2],
                                                lists_[3], call.ceil_mode, tensor(1), tensor(2),
                                                size_out, executor_out);
  } else if (info.is_adaptive) {
    status = As<PhaseOneAdaptiveBackward>(function)(tensor(0), tensor(1), tensor(2), tensor(3),
                                                    size_out, executor_out);
  } else {
    status = As<PhaseOneFixedBackward>(function)(tensor(0), tensor(1), tensor(2), lists_[0],
                                                 lists_[1], lists_[2], lists_[3], call.ceil_mode,
                                                 tensor(3), size_out, executor_out);
  }
  outcome.nanoseconds += watch.Nanoseconds();
  outcome.phase_one = status;
  outcome.workspace_size_set = size != kWorkspaceSizePoison;
  outcome.workspace_size = outcome.workspace_size_set ? size : 0;
  outcome.executor_set = executor != poison && executor != nullptr;
  NoteMessage(status, outcome);
}

// Phase one validates and plans; the operands are phase two's.
Status CallRunner::NotePhaseOneWrites(CallOutcome& outcome) {
  std::size_t total = 0;
  for (std::size_t i = 0; i < operand_count_; ++i) {
    if (operands_[i].exists()) total += operands_[i].argument->bytes.size();
  }
  if (total > kMaxPhaseOneCheckBytes) return OkStatus();
  for (std::size_t i = 0; i < operand_count_; ++i) {
    const Operand& operand = operands_[i];
    if (!operand.exists()) continue;
    if (scratch_.size() < operand.size) scratch_.resize(operand.size);
    if (Status status = CopyFromDevice(scratch_.data(), operand.base, operand.size); !status.ok()) {
      return status;
    }
    if (std::memcmp(scratch_.data(), operand.image.data(), operand.size) != 0) {
      outcome.phase_one_wrote = true;
      outcome.phase_one_wrote_to = RoleName(operand.argument->role);
      return OkStatus();
    }
  }
  return OkStatus();
}

Status CallRunner::SetUpWorkspace(std::uint64_t size, Poison poison, Workspace& workspace) {
  Enter(Phase::kSetup);
  if (size == 0) return OkStatus();
  if (size > kMaxWorkspaceBytes) {
    return Unavailable("workspaceSize " + std::to_string(size) + " exceeds the " +
                       std::to_string(kMaxWorkspaceBytes) + " bytes that the suite provides");
  }
  workspace.size = static_cast<std::size_t>(size);
  const std::size_t total = workspace.size + 2 * guard_;
  if (Status status = Allocate(total, "workspace", workspace.base); !status.ok()) return status;
  auto* const base = static_cast<std::byte*>(workspace.base);

  // In pieces, so that a large workspace needs no large host buffer.
  const std::size_t piece = std::min(workspace.size, kWorkspaceStep);
  if (scratch_.size() < piece + 2 * guard_) scratch_.resize(piece + 2 * guard_);
  std::byte* at = std::copy(guard_before_.begin(), guard_before_.end(), scratch_.data());
  at = std::fill_n(at, piece, ByteOf(poison));
  std::copy(guard_after_.begin(), guard_after_.end(), at);
  if (piece == workspace.size) return CopyToDevice(base, total, scratch_.data(), total);

  if (Status status = CopyToDevice(base, total, scratch_.data(), guard_ + piece); !status.ok()) {
    return status;
  }
  for (std::size_t done = piece; done < workspace.size; done += piece) {
    const std::size_t step = std::min(piece, workspace.size - done);
    if (Status status = CopyToDevice(base + guard_ + done, total - guard_ - done,
                                     scratch_.data() + guard_, step);
        !status.ok()) {
      return status;
    }
  }
  if (guard_ == 0) return OkStatus();
  return CopyToDevice(base + guard_ + workspace.size, guard_, guard_after_.data(), guard_);
}

void CallRunner::PhaseTwoAndSynchronise(PhaseTwo function, void* workspace, std::uint64_t size,
                                        AbiExecutor* executor, CallOutcome& outcome) {
  Enter(Phase::kPhaseTwo);
  const Stopwatch watch;
  const std::int32_t status = function(workspace, size, executor, stream_);
  outcome.phase_two = status;
  NoteMessage(status, outcome);
  Enter(Phase::kSynchronise);
  const std::int32_t synchronised = abi_.synchronize_stream(stream_);
  outcome.nanoseconds += watch.Nanoseconds();
  outcome.synchronise = synchronised;
  NoteMessage(synchronised, outcome);
}

Status CallRunner::ReadBack(const CallArguments& call, bool carried_out, CallOutcome& outcome) {
  for (std::size_t i = 0; i < operand_count_; ++i) {
    const Operand& operand = operands_[i];
    if (!operand.exists()) continue;
    const TensorArgument& argument = call.tensors[i];
    const std::size_t size = argument.bytes.size();
    if (scratch_.size() < operand.size) scratch_.resize(operand.size);
    if (Status status = CopyFromDevice(scratch_.data(), operand.base, operand.size); !status.ok()) {
      // A device that reported a fault may refuse to give memory back; that is its answer.
      if (outcome.synchronise.value_or(0) != 0) return OkStatus();
      return status;
    }
    const auto role = static_cast<std::size_t>(argument.role);
    MemoryFacts& facts = outcome.memory[role];
    const std::byte* const seen = scratch_.data();
    const std::byte* const image = operand.image.data();
    facts.guard_before_intact = !FirstDifference(seen, image, guard_);
    facts.guard_after_intact =
        !FirstDifference(seen + guard_ + size, image + guard_ + size, operand.size - guard_ - size);
    if (!argument.is_output || !carried_out) {
      facts.first_changed_byte = FirstDifference(seen + guard_, image + guard_, size);
    }
    if (argument.is_output) outcome.outputs[role].assign(seen + guard_, seen + guard_ + size);
  }
  return OkStatus();
}

Status CallRunner::CheckWorkspace(const Workspace& workspace, CallOutcome& outcome) {
  if (workspace.base == nullptr || guard_ == 0) return OkStatus();
  const auto* const base = static_cast<const std::byte*>(workspace.base);
  if (scratch_.size() < guard_) scratch_.resize(guard_);
  const auto intact = [&](const std::byte* from, const std::vector<std::byte>& zone, bool& fact) {
    Status status = CopyFromDevice(scratch_.data(), from, guard_);
    if (status.ok()) fact = std::memcmp(scratch_.data(), zone.data(), guard_) == 0;
    return status;
  };
  Status status = intact(base, guard_before_, outcome.workspace.guard_before_intact);
  if (status.ok()) {
    status =
        intact(base + guard_ + workspace.size, guard_after_, outcome.workspace.guard_after_intact);
  }
  if (!status.ok() && outcome.synchronise.value_or(0) != 0) return OkStatus();
  return status;
}

void CallRunner::TearDown(const Invocation& invocation, Watch watch, const Workspace& workspace) {
  for (AbiIntArray*& list : lists_) {
    if (list != nullptr) abi_.destroy_int_array(std::exchange(list, nullptr));
  }
  // Only single calls: within a sequence buffers are released as a program would, since their reuse
  // is what the sequence is about.
  const bool hold =
      watch == Watch::kFull && invocation.plan.repeat > 1 && invocation.calls.size() == 1;
  for (std::size_t i = 0; i < operand_count_; ++i) {
    Operand& operand = operands_[i];
    if (operand.tensor != nullptr) abi_.destroy_tensor(std::exchange(operand.tensor, nullptr));
    if (!operand.exists()) continue;
    if (hold && held_bytes_ + operand.size <= kMaxHeldBytes) {
      held_.push_back({operand.base, operand.size});
      held_bytes_ += operand.size;
    } else {
      abi_.rt_free(operand.base);
    }
    operand.base = nullptr;
    Trim(operand.image);
  }
  operand_count_ = 0;
  if (workspace.base != nullptr) abi_.rt_free(workspace.base);
  Trim(scratch_);
}

void CallRunner::NoteMessage(std::int32_t status, CallOutcome& outcome) {
  if (status == 0 || !outcome.message.empty() || abi_.get_recent_err_msg == nullptr) return;
  const char* const text = abi_.get_recent_err_msg();
  if (text != nullptr) outcome.message.assign(text, ::strnlen(text, kMaxMessageBytes));
}

}  // namespace poolproof
