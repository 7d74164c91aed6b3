// SPDX-License-Identifier: Apache-2.0
#include "runtime/handles.h"

namespace poolproof {

void HandleList::Add(const void* handle, HandleKind kind) {
  const Key added = KeyOf(handle, kind);
  for (std::atomic<Key>& key : LineOf(added).keys) {
    Key none = 0;
    if (key.load(std::memory_order_relaxed) == 0 &&
        key.compare_exchange_strong(none, added, std::memory_order_acq_rel)) {
      return;
    }
  }
  const std::lock_guard lock(mutex_);
  others_.insert(added);
  others_count_.store(others_.size(), std::memory_order_release);
}

bool HandleList::Contains(const void* handle, HandleKind kind) {
  const Key wanted = KeyOf(handle, kind);
  if (wanted == 0) return false;
  for (const std::atomic<Key>& key : LineOf(wanted).keys) {
    if (key.load(std::memory_order_acquire) == wanted) return true;
  }
  if (others_count_.load(std::memory_order_acquire) == 0) return false;
  const std::lock_guard lock(mutex_);
  return others_.contains(wanted);
}

bool HandleList::Remove(const void* handle, HandleKind kind) {
  const Key removed = KeyOf(handle, kind);
  if (removed == 0) return false;
  for (std::atomic<Key>& key : LineOf(removed).keys) {
    Key expected = removed;
    if (key.load(std::memory_order_relaxed) == removed &&
        key.compare_exchange_strong(expected, 0, std::memory_order_acq_rel)) {
      return true;
    }
  }
  if (others_count_.load(std::memory_order_acquire) == 0) return false;
  const std::lock_guard lock(mutex_);
  const bool was_there = others_.erase(removed) == 1;
  others_count_.store(others_.size(), std::memory_order_release);
  return was_there;
}

std::vector<const void*> HandleList::AllOf(HandleKind kind) {
  std::vector<const void*> handles;
  const auto take = [&](Key key) {
    if (key != 0 && (key & kKinds) == static_cast<Key>(kind)) {
      handles.push_back(reinterpret_cast<const void*>(key & ~kKinds));
    }
  };
  for (const Line& line : lines_) {
    for (const std::atomic<Key>& key : line.keys) take(key.load(std::memory_order_acquire));
  }
  const std::lock_guard lock(mutex_);
  for (const Key key : others_) take(key);
  return handles;
}

}  // namespace poolproof
