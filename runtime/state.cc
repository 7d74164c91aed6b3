// SPDX-License-Identifier: Apache-2.0
#include "runtime/state.h"

#include <unistd.h>

#include <new>
#include <vector>

#include "runtime/device.h"

namespace poolproof {
namespace {

// Never destroyed: threads of the host may still call in while the process ends.
union Immortal {
  RuntimeState value;
  Immortal() { new (&value) RuntimeState; }
  ~Immortal() {}  // NOLINT(modernize-use-equals-default)
};

thread_local constinit aclrtContext thread_context = nullptr;

pid_t& OwnerProcess() {
  static pid_t owner = getpid();
  return owner;
}

// Runs at exit and in dlclose: no thread of ours may be left when the code goes away.
__attribute__((destructor)) void Shutdown() {
  RuntimeState& state = State();
  if (OwnerProcess() != getpid()) return;  // a child of fork has none of our threads
  std::vector<std::shared_ptr<Stream>> streams;
  std::vector<const void*> executors;
  {
    const std::lock_guard lock(state.mutex);
    state.closed = true;
    for (auto& [handle, stream] : state.streams) streams.push_back(std::move(stream));
    if (state.default_stream != nullptr) streams.push_back(std::move(state.default_stream));
    state.streams.clear();
    state.events.clear();
    state.contexts.clear();
    state.options.clear();
    state.primary_context = nullptr;
    executors = state.handles.AllOf(HandleKind::kExecutor);
  }
  // The host's own memory may be gone already, so no more work is begun.
  for (const std::shared_ptr<Stream>& stream : streams) stream->Close(Stream::Rest::kDrop);
  // Planned and never run: the caller has no duty to end them.
  for (const void* executor : executors) {
    TakeHandle(static_cast<const aclOpExecutor*>(executor)).reset();
  }
}

}  // namespace

DeviceFunctions& Device() {
  static DeviceFunctions device;
  return device;
}

RuntimeState& State() {
  static Immortal state;
  OwnerProcess();
  return state.value;
}

std::shared_ptr<Stream> FindStream(aclrtStream handle) {
  RuntimeState& state = State();
  const std::lock_guard lock(state.mutex);
  if (handle == nullptr) {
    if (state.default_stream == nullptr && !state.closed) {
      state.default_stream = std::make_shared<Stream>();
    }
    return state.default_stream;
  }
  const auto found = state.streams.find(handle);
  return found == state.streams.end() ? nullptr : found->second;
}

aclrtContext& ThreadContext() {
  RuntimeState& state = State();
  const std::lock_guard lock(state.mutex);
  if (thread_context != nullptr && !state.contexts.contains(thread_context)) {
    thread_context = nullptr;
  }
  return thread_context;
}

std::optional<std::size_t> BytesBehind(const RuntimeState& state, const void* address) {
  const auto* start = static_cast<const std::byte*>(address);
  auto next = state.allocations.upper_bound(start);
  if (next == state.allocations.begin()) return std::nullopt;
  const auto& [base, allocation] = *--next;
  const auto gone = static_cast<std::size_t>(start - base);
  if (gone >= allocation.size) return std::nullopt;
  return allocation.size - gone;
}

HandleList& Handles() { return State().handles; }

}  // namespace poolproof
