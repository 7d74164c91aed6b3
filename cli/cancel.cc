// SPDX-License-Identifier: Apache-2.0
#include "cli/cancel.h"

#include <csignal>

namespace poolproof {
namespace {

// A signal handler can reach nothing but a global.
std::atomic<bool> cancelled{false};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void PoolproofCancel(int) { cancelled = true; }

}  // namespace

const std::atomic<bool>& WatchForCancel() {
  struct sigaction action = {};
  action.sa_handler = &PoolproofCancel;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  (void)sigaction(SIGINT, &action, nullptr);
  (void)sigaction(SIGTERM, &action, nullptr);
  return cancelled;
}

}  // namespace poolproof
