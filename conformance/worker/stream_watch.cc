// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/stream_watch.h"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "conformance/result/invocation.h"
#include "conformance/worker/operator_calls.h"

namespace poolproof {
namespace {

using Clock = std::chrono::steady_clock;

// Queues of streams have an end, where one that queues waits.
constexpr std::int64_t kMostCopies = 1000;
constexpr std::int64_t kLeastCopies = 2;
// The first of them also bring the memory in.
constexpr int kTimes = 3;
constexpr int kTimedCopies = 2;
// Of a copy: where the first takes no longer than it takes to queue it, as many times that as take
// long enough.
constexpr std::size_t kSmall = std::size_t{1} << 20;
constexpr std::size_t kLarge = std::size_t{32} << 20;
constexpr std::chrono::nanoseconds kWorthQueueing = std::chrono::microseconds(50);
// What copies may ask of addresses and sizes.
constexpr std::size_t kUnit = 64;
// The mark before and after the stream got to it, and a look that did not come about.
constexpr std::byte kUnmarked{0x11};
constexpr std::byte kMarked{0xee};
constexpr std::byte kNotSeen{0x77};

std::size_t InUnits(std::size_t bytes) { return (bytes + kUnit - 1) / kUnit * kUnit; }

}  // namespace

StreamWatch::~StreamWatch() {
  if (stream_ != nullptr) abi_.destroy_stream(stream_);
  for (std::byte* const block : blocks_) abi_.rt_free(block);
}

bool StreamWatch::Allocate(std::size_t bytes, std::byte*& block) {
  void* memory = nullptr;
  if (abi_.rt_malloc(&memory, bytes, kAbiMallocHugeFirst) != 0 || memory == nullptr) return false;
  block = static_cast<std::byte*>(memory);
  blocks_.push_back(block);
  return true;
}

bool StreamWatch::Queue(std::byte* to, const std::byte* from, std::size_t bytes, AbiStream stream) {
  return abi_.rt_memcpy_async(to, bytes, from, bytes, kAbiDeviceToDevice, stream) == 0;
}

bool StreamWatch::Fill(std::byte* to, std::byte value, std::size_t bytes) {
  const std::vector<std::byte> image(bytes, value);
  return abi_.rt_memcpy(to, bytes, image.data(), bytes, kAbiHostToDevice) == 0;
}

bool StreamWatch::Open(std::vector<Piece> pieces, std::size_t looks) {
  if (abi_.rt_memcpy_async == nullptr) return false;
  pieces_ = std::move(pieces);
  for (const Piece& piece : pieces_) slot_bytes_ += InUnits(piece.size);
  slot_bytes_ += kUnit;
  slots_ = looks;
  if (abi_.create_stream(&stream_) != 0) {
    stream_ = nullptr;
    return false;
  }
  return Allocate(slots_ * slot_bytes_, slot_) && Allocate(2 * kUnit, mark_) &&
         Fill(slot_, kNotSeen, slots_ * slot_bytes_) && Fill(mark_, kUnmarked, kUnit) &&
         Fill(mark_ + kUnit, kMarked, kUnit);
}

std::optional<StreamWatch::Times> StreamWatch::TimesOfCopy(AbiStream stream) {
  constexpr std::chrono::nanoseconds kMost = std::chrono::nanoseconds::max();
  Times times{kMost, kMost};
  for (int time = 0; time < kTimes; ++time) {
    const Clock::time_point begin = Clock::now();
    // What keeps this thread waiting does not count.
    const std::chrono::nanoseconds before = ReadClock(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < kTimedCopies; ++i) {
      if (!Queue(to_, from_, copied_, stream)) return std::nullopt;
    }
    const std::chrono::nanoseconds after = ReadClock(CLOCK_THREAD_CPUTIME_ID);
    if (abi_.synchronize_stream(stream) != 0) return std::nullopt;
    const std::chrono::nanoseconds took = Clock::now() - begin;
    times.all = std::min(times.all, took / kTimedCopies + std::chrono::nanoseconds(1));
    times.own = std::min(times.own, (after - before) / kTimedCopies);
  }
  return times;
}

bool StreamWatch::HoldUp(AbiStream stream, int attempts) {
  hold_ = std::chrono::milliseconds(HoldMs(attempts));
  copied_ = kSmall;
  if (!Allocate(copied_, from_) || !Allocate(copied_, to_)) return false;
  std::optional<Times> times = TimesOfCopy(stream);
  if (times && times->all < kWorthQueueing) {
    copied_ = std::min<std::size_t>(
        kLarge, kSmall * static_cast<std::size_t>(1 + 2 * kWorthQueueing / times->all));
    if (!Allocate(copied_, from_) || !Allocate(copied_, to_)) return false;
    times = TimesOfCopy(stream);
  }
  // Where the thread that queues copies them itself, there is nothing that could hold it up.
  if (!times || times->own > times->all / 2) return false;
  const auto copies = std::clamp<std::int64_t>(hold_ / times->all, kLeastCopies, kMostCopies);
  for (std::int64_t i = 0; i < copies; ++i) {
    if (!Queue(to_, from_, copied_, stream)) return false;
  }
  return Queue(mark_, mark_ + kUnit, kUnit, stream);
}

void StreamWatch::LookNow() {
  if (looks_ == slots_) return;
  std::byte* to = slot_ + looks_++ * slot_bytes_;
  for (const Piece& piece : pieces_) {
    if (piece.size > 0 && !Queue(to, piece.at, piece.size, stream_)) return;
    to += InUnits(piece.size);
  }
  // The mark is read when all else has been: what was seen, was seen before.
  if (abi_.synchronize_stream(stream_) != 0 || !Queue(to, mark_, kUnit, stream_)) return;
  abi_.synchronize_stream(stream_);
}

void StreamWatch::LookWhileHeld() {
  const std::chrono::nanoseconds pause = hold_ / (slots_ + 1);
  while (looks_ < slots_) {
    LookNow();
    std::this_thread::sleep_for(pause);
  }
}

std::vector<StreamWatch::Seen> StreamWatch::Tell() {
  std::vector<Seen> seen;
  std::vector<std::byte> slot(slot_bytes_);
  for (std::size_t look = 0; look < looks_; ++look) {
    const std::byte* const from = slot_ + look * slot_bytes_;
    if (abi_.rt_memcpy(slot.data(), slot_bytes_, from, slot_bytes_, kAbiDeviceToHost) != 0) break;
    const std::byte mark = slot[slot_bytes_ - kUnit];
    if (mark != kUnmarked && mark != kMarked) continue;
    Seen& one = seen.emplace_back();
    one.held = mark == kUnmarked;
    std::size_t at = 0;
    for (const Piece& piece : pieces_) {
      const auto begin = slot.begin() + static_cast<std::ptrdiff_t>(at);
      one.bytes.insert(one.bytes.end(), begin, begin + static_cast<std::ptrdiff_t>(piece.size));
      at += InUnits(piece.size);
    }
  }
  return seen;
}

}  // namespace poolproof
