// SPDX-License-Identifier: Apache-2.0
//
// A page shared by runner and worker. The worker marks where it is before each step; a crash cannot
// lose the mark, and setting it costs a load and a store. Marks are counted, so that the runner can
// tell a worker that goes on slowly from one that hangs.
#ifndef POOLPROOF_CONFORMANCE_WIRE_PROGRESS_H_
#define POOLPROOF_CONFORMANCE_WIRE_PROGRESS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "conformance/result/outcome.h"
#include "conformance/wire/crash_note.h"
#include "conformance/wire/unique_fd.h"
#include "core/equality.h"
#include "core/status.h"

namespace poolproof {

struct ProgressMark {
  std::size_t call = 0;  // position in Invocation::calls
  Phase phase = Phase::kSetup;
  POOLPROOF_EQUALITY(ProgressMark);
};

// What a page holds, for another one elsewhere.
struct ProgressWords {
  std::uint64_t mark = 0;
  std::uint32_t note = 0;
  std::uint32_t unused = 0;
  friend bool operator==(const ProgressWords& a, const ProgressWords& b) {
    return a.mark == b.mark && a.note == b.note && a.unused == b.unused;
  }
};

// With several threads the last mark counts.
class ProgressPage {
 public:
  void Mark(std::size_t call, Phase phase) {
    const std::uint64_t step = (mark_.load(std::memory_order_relaxed) >> kStepShift) + 1;
    mark_.store((step << kStepShift) | ((std::uint64_t{call} & kMostCalls) << kCallShift) |
                    static_cast<std::uint64_t>(phase),
                std::memory_order_relaxed);
  }
  // The worker has an answer and no descriptor left to send it on.
  void MarkLost() { Note(kLost); }
  // Of a worker elsewhere, which took too much memory; or the connection to it broke.
  void MarkOutOfMemory() { Note(kOutOfMemory); }
  void MarkDisconnected() { Note(kDisconnected); }
  void Clear() {
    mark_.store(0, std::memory_order_relaxed);
    Note(kNone);
  }
  [[nodiscard]] ProgressWords Words() const {
    return {mark_.load(std::memory_order_relaxed), note_.load(std::memory_order_relaxed), 0};
  }
  void Set(const ProgressWords& words) {
    mark_.store(words.mark, std::memory_order_relaxed);
    Note(words.note);
  }

  // What the instruction that ended the worker left.
  [[nodiscard]] CrashNote& crash() { return crash_; }
  [[nodiscard]] const CrashNote& crash() const { return crash_; }

  // The page may hold anything after a wild write: values are clamped to `calls` calls.
  [[nodiscard]] ProgressMark Read(std::size_t calls) const;
  // Changes with each mark, whatever it says.
  [[nodiscard]] std::uint64_t Step() const {
    return mark_.load(std::memory_order_relaxed) >> kStepShift;
  }
  [[nodiscard]] bool lost() const { return Has(kLost); }
  [[nodiscard]] bool out_of_memory() const { return Has(kOutOfMemory); }
  [[nodiscard]] bool disconnected() const { return Has(kDisconnected); }

 private:
  // A mark holds, from the right: the phase, the call, and how many marks there were.
  static constexpr int kCallShift = 8;
  static constexpr int kStepShift = 40;
  static constexpr std::uint64_t kMostCalls = 0xffffffffU;

  enum : std::uint32_t { kNone, kLost, kOutOfMemory, kDisconnected };
  void Note(std::uint32_t note) { note_.store(note, std::memory_order_relaxed); }
  [[nodiscard]] bool Has(std::uint32_t note) const {
    return note_.load(std::memory_order_relaxed) == note;
  }

  std::atomic<std::uint64_t> mark_{0};
  std::atomic<std::uint32_t> note_{0};
  CrashNote crash_;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
static_assert(sizeof(ProgressPage) <= 4096);

// A mapping of such a page.
class SharedProgress {
 public:
  // A new page behind an anonymous close-on-exec descriptor.
  static Result<SharedProgress> Create();
  // The page behind `fd`, which stays open.
  static Result<SharedProgress> Map(int fd);

  SharedProgress(SharedProgress&& other) noexcept;
  SharedProgress& operator=(SharedProgress&&) = delete;
  SharedProgress(const SharedProgress&) = delete;
  SharedProgress& operator=(const SharedProgress&) = delete;
  ~SharedProgress();

  [[nodiscard]] ProgressPage& page() const { return *page_; }
  [[nodiscard]] int fd() const { return fd_.get(); }

 private:
  SharedProgress(UniqueFd fd, ProgressPage* page) : fd_(std::move(fd)), page_(page) {}

  UniqueFd fd_;
  ProgressPage* page_;
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_WIRE_PROGRESS_H_
