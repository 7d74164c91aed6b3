// SPDX-License-Identifier: Apache-2.0
#include "cli/cancel.h"

#include <unistd.h>

#include <csignal>

namespace poolproof {
namespace {

// A signal handler can reach nothing but a global.
std::atomic<bool> cancelled{false};
static_assert(std::atomic<bool>::is_always_lock_free);

// The second time ends the program, on a line of its own behind the terminal's "^C".
extern "C" void PoolproofCancel(int number) {
  if (!cancelled.exchange(true)) return;
  const ssize_t written = write(STDERR_FILENO, "\n", 1);
  (void)written;
  (void)std::signal(number, SIG_DFL);
  (void)std::raise(number);
}

}  // namespace

const std::atomic<bool>& WatchForCancel() {
  struct sigaction action = {};
  action.sa_handler = &PoolproofCancel;
  action.sa_flags = SA_RESTART;
  (void)sigaction(SIGINT, &action, nullptr);
  (void)sigaction(SIGTERM, &action, nullptr);
  return cancelled;
}

}  // namespace poolproof
