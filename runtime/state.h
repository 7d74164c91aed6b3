// SPDX-License-Identifier: Apache-2.0
//
// The state that the ABI itself has: one device, its contexts, streams, events, memory and options.
// Each library that is built from this folder has its own.
#ifndef POOLPROOF_RUNTIME_STATE_H_
#define POOLPROOF_RUNTIME_STATE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "acl/acl.h"
#include "runtime/handles.h"
#include "runtime/stream.h"

namespace poolproof {

struct Context {
  std::map<aclSysParamOpt, std::int64_t> options;
};

enum class MemoryKind { kDevice, kHost };

struct Allocation {
  std::size_t size;  // usable bytes, padding included
  MemoryKind kind;
};

// Guarded by `mutex`. Ordered maps hold no memory while empty, so nothing is left behind after
// Shutdown, whether it runs at exit or in dlclose.
struct RuntimeState {
  std::mutex mutex;
  std::uint64_t init_count = 0;
  std::uint64_t device_count = 0;  // aclrtSetDevice calls not yet undone
  aclrtContext primary_context = nullptr;
  std::map<aclSysParamOpt, std::int64_t> options;
  std::map<aclrtContext, std::unique_ptr<Context>> contexts;
  std::map<aclrtStream, std::shared_ptr<Stream>> streams;
  std::shared_ptr<Stream> default_stream;
  std::map<aclrtEvent, std::shared_ptr<Event>> events;
  std::map<const std::byte*, Allocation> allocations;
  HandleList handles;
  bool closed = false;  // Shutdown has run
};

RuntimeState& State();

// The stream behind a handle, the default stream for null; null where there is none such.
std::shared_ptr<Stream> FindStream(aclrtStream handle);

// The value of an option for the calling thread: its context's, else the process's, else 0.
std::int64_t SysParam(aclSysParamOpt option);

// The live context of the calling thread; null where it has none.
aclrtContext& ThreadContext();

// Where `address` lies in memory that this library handed out: bytes from there to its end.
// Requires the state's mutex.
std::optional<std::size_t> BytesBehind(const RuntimeState& state, const void* address);

}  // namespace poolproof

#endif  // POOLPROOF_RUNTIME_STATE_H_
