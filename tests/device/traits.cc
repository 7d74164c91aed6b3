// SPDX-License-Identifier: Apache-2.0
#include "tests/device/traits.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <thread>

namespace device {
namespace {

// A file of counters is a page of names, one a line, and a page of 64-bit numbers.
constexpr std::size_t kPage = 4096;
constexpr char kNames[] =
    "starts\nrefused_starts\nends\nfirst_uses\nallocations\nfrees\ncopies_in\ncopies_out\n"
    "phase_ones\nlaunches\nexceptions\nillegal\n";
constexpr auto kCounters = static_cast<std::size_t>(Counter::kCount);
using Counters = std::array<std::atomic<std::uint64_t>, kCounters>;
static_assert(sizeof(Counters) <= kPage && std::atomic<std::uint64_t>::is_always_lock_free);

const char* Text(const char* name) {
  const std::string variable = std::string("POOLPROOF_DEVICE_") + name;
  return std::getenv(variable.c_str());
}

std::uint64_t Number(const char* name, std::uint64_t otherwise = 0) {
  const char* const text = Text(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// Pages that processes share: a file's, or nobody's where there is none.
Counters* MapCounters() {
  void* page = MAP_FAILED;
  if (const char* const path = Text("COUNTERS")) {
    const int fd = ::open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0 && ::ftruncate(fd, 2 * kPage) == 0 &&
        ::pwrite(fd, kNames, sizeof kNames - 1, 0) == static_cast<ssize_t>(sizeof kNames - 1)) {
      page = ::mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, fd, kPage);
    }
    if (fd >= 0) ::close(fd);
  }
  if (page != MAP_FAILED) return static_cast<Counters*>(page);
  static Counters own;
  return &own;
}

}  // namespace

Traits::Traits()
    : init(Number("INIT_US")),
      malloc(Number("MALLOC_US")),
      free(Number("FREE_US")),
      copy(Number("COPY_US")),
      phase_one(Number("PHASE_ONE_US")),
      launch(Number("LAUNCH_US")),
      first_use(Number("FIRST_USE_US")),
      finalize(Number("FINALIZE_US")),
      devices(Number("DEVICES", 1)),
      exclusive(Text("EXCLUSIVE") == nullptr ? "" : Text("EXCLUSIVE")),
      busy_first(Number("BUSY_FIRST")),
      busy_every(Number("BUSY_EVERY")),
      busy_for(Number("BUSY_FOR", 1)),
      exception_at(Number("EXCEPTION_AT")),
      exception_width(Number("EXCEPTION_WIDTH")),
      exception_late(Number("EXCEPTION_LATE") != 0),
      ignores_indices(Number("IGNORES_INDICES") != 0),
      sticky(static_cast<Sticky>(Number("STICKY"))),
      workspace(Number("WORKSPACE")),
      signals(Number("SIGNALS")),
      files(Number("FILES")),
      noise(Number("NOISE")),
      threads(Number("THREADS")),
      leak(Number("LEAK")),
      pool(Number("POOL")),
      pool_for(Number("POOL_FOR")),
      work_on(Number("WORK_ON")),
      copies_wait(Number("COPIES_WAIT") != 0) {}

const Traits& TraitsOf() {
  static const Traits traits;
  return traits;
}

std::atomic<std::uint64_t>& Count(Counter counter) {
  static Counters& counters = *MapCounters();
  return counters[static_cast<std::size_t>(counter)];
}

void Log(const std::string& event) {
  static const char* const path = Text("LOG");
  if (path == nullptr) return;
  const int fd = ::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) return;
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  const std::string line =
      std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(now).count()) + " " +
      std::to_string(::getpid()) + " " + event + "\n";
  static_cast<void>(::write(fd, line.data(), line.size()) < 0);
  ::close(fd);
}

void Wait(std::uint64_t microseconds) {
  if (microseconds == 0) return;
  // The kernel rounds sleeps up by 50 us otherwise, three times what a copy takes.
  thread_local const bool exact = ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL) == 0;
  static_cast<void>(exact);
  std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
}

}  // namespace device
