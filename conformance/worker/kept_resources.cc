// SPDX-License-Identifier: Apache-2.0
//
// What a CallRunner keeps from one call to another: descriptors that calls of a sequence share, and
// executors that repetitions run again.
#include <algorithm>
#include <utility>

#include "conformance/worker/call_runner.h"

namespace poolproof {

// --- Descriptors that calls share ----------------------------------------------------------------

// Finds a descriptor that says what the operand's does and that no other operand of the call has.
bool CallRunner::TakeShared(const Run& run, Operand& operand) {
  if (!run.plan().share_descriptors) return false;
  const TensorArgument& wanted = *operand.argument;
  for (Shared& shared : shared_) {
    const TensorArgument& known = shared.argument;
    if (shared.taken || shared.size != operand.size() || known.type != wanted.type ||
        known.format != wanted.format || known.shape != wanted.shape ||
        known.strides != wanted.strides || known.offset != wanted.offset ||
        known.storage_dims != wanted.storage_dims) {
      continue;
    }
    shared.taken = true;
    operand.base = shared.base;
    operand.tensor = shared.tensor;
    return true;
  }
  return false;
}

// Leaves the operand's descriptor and memory to later calls.
bool CallRunner::PutBackShared(const Run& run, Operand& operand) {
  if (!run.plan().share_descriptors || operand.tensor == nullptr) return false;
  const auto known = std::find_if(shared_.begin(), shared_.end(), [&](const Shared& shared) {
    return shared.tensor == operand.tensor;
  });
  if (known != shared_.end()) {
    known->taken = false;
  } else {
    TensorArgument argument = *operand.argument;
    argument.bytes.clear();
    shared_.push_back({std::move(argument), operand.size(), operand.base, operand.tensor, false});
  }
  operand.tensor = nullptr;
  operand.base = nullptr;
  return true;
}

void CallRunner::DestroyShared() {
  for (const Shared& shared : shared_) {
    abi_.destroy_tensor(shared.tensor);
    abi_.rt_free(shared.base);
  }
  shared_.clear();
}

// --- Executors that are run again ----------------------------------------------------------------

// Makes the executor repeatable and keeps it, with what it refers to, for the repetitions that
// follow. Where the library refuses, as it may, this call's executor is used up as any other.
void CallRunner::KeepExecutor(const Run& run, Frame& frame) {
  if (!run.plan().reuse_executor || run.watch == Watch::kNone || !abi_.CanReuseExecutors()) return;
  if (abi_.set_executor_repeatable(frame.executor) != 0) return;
  if (kept_.size() <= frame.number) kept_.resize(frame.number + 1);
  Kept& kept = kept_[frame.number];
  kept.executor = frame.executor;
  kept.workspace_size = frame.outcome->workspace_size;
  for (std::size_t i = 0; i < frame.operand_count; ++i) {
    kept.tensors[i] = std::exchange(frame.operands[i].tensor, nullptr);
  }
  kept.lists = std::exchange(frame.lists, {});
}

// Points the executor of an earlier repetition to this one's operands, where there is one. Where
// the library refuses, the executor is given up.
bool CallRunner::PointKeptExecutor(Frame& frame) {
  if (frame.number >= kept_.size() || kept_[frame.number].executor == nullptr) return false;
  Kept& kept = kept_[frame.number];
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  for (std::size_t i = 0; i < frame.operand_count; ++i) {
    const Operand& operand = frame.operands[i];
    const bool is_output = operand.argument->is_output;
    const std::size_t index = is_output ? outputs++ : inputs++;
    const auto set = is_output ? abi_.set_output_tensor_addr : abi_.set_input_tensor_addr;
    if (set(kept.executor, index, kept.tensors[i], operand.data()) != 0) {
      Destroy(kept);
      return false;
    }
  }
  CallOutcome& outcome = *frame.outcome;
  outcome.phase_one = 0;
  outcome.workspace_size = kept.workspace_size;
  outcome.workspace_size_set = true;
  outcome.executor_set = true;
  outcome.executor_reused = true;
  frame.executor = kept.executor;
  return true;
}

// An executor that runs again finds in its workspace what it left there, as in a program that has
// one workspace for all its calls; with vary, other contents.
bool CallRunner::TakeKeptWorkspace(const Run& run, Frame& frame) {
  if (run.plan().vary_contents || frame.number >= kept_.size()) return false;
  Workspace& kept = kept_[frame.number].workspace;
  if (kept.base == nullptr || kept.size != frame.workspace.size) return false;
  frame.workspace = std::exchange(kept, {});
  return true;
}

bool CallRunner::KeepWorkspace(const Frame& frame) {
  if (frame.number >= kept_.size()) return false;
  Kept& kept = kept_[frame.number];
  if (kept.executor == nullptr || kept.workspace.base != nullptr) return false;
  kept.workspace = frame.workspace;
  return true;
}

void CallRunner::Destroy(Kept& kept) {
  if (kept.executor == nullptr) return;
  if (kept.workspace.base != nullptr) Free(std::exchange(kept.workspace, {}).base);
  abi_.destroy_executor(std::exchange(kept.executor, nullptr));
  for (AbiTensor*& tensor : kept.tensors) {
    if (tensor != nullptr) abi_.destroy_tensor(std::exchange(tensor, nullptr));
  }
  for (AbiIntArray*& list : kept.lists) {
    if (list != nullptr) abi_.destroy_int_array(std::exchange(list, nullptr));
  }
}

}  // namespace poolproof
