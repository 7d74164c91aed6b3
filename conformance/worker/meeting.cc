// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/meeting.h"

#include <thread>

namespace poolproof {
namespace {

constexpr std::uint64_t kOneTime = std::uint64_t{1} << 32;

std::uint64_t Times(std::uint64_t state) { return state / kOneTime; }
std::uint64_t Waiting(std::uint64_t state) { return state % kOneTime; }

}  // namespace

void Meeting::Come() {
  std::uint64_t seen = state_.load();
  bool last = false;
  do {
    last = Waiting(seen) + 1 == threads_;
  } while (!state_.compare_exchange_weak(seen, last ? (Times(seen) + 1) * kOneTime : seen + 1));
  if (last) return;
  const std::uint64_t came_in = Times(seen);
  const auto until = std::chrono::steady_clock::now() + moment_;
  while (Times(seen = state_.load()) == came_in) {
    if (std::chrono::steady_clock::now() >= until && state_.compare_exchange_weak(seen, seen - 1)) {
      return;
    }
    std::this_thread::yield();
  }
}

}  // namespace poolproof
