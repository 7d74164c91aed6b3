// SPDX-License-Identifier: Apache-2.0
//
// StreamWatch: holds a stream up by copies and looks at memory meanwhile, by copies on a stream of
// its own, so that nobody waits for the one that is held up. Private to the worker.
#ifndef POOLPROOF_CONFORMANCE_WORKER_STREAM_WATCH_H_
#define POOLPROOF_CONFORMANCE_WORKER_STREAM_WATCH_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "conformance/worker/abi.h"

namespace poolproof {

class StreamWatch {
 public:
  // Memory of the device.
  struct Piece {
    const std::byte* at;
    std::size_t size;
  };
  // What was seen of the pieces, one behind the other, and whether the stream was held up still.
  struct Seen {
    std::vector<std::byte> bytes;
    bool held = false;
  };

  // `abi` must outlive it.
  explicit StreamWatch(const Abi& abi) : abi_(abi) {}
  ~StreamWatch();
  StreamWatch(const StreamWatch&) = delete;
  StreamWatch& operator=(const StreamWatch&) = delete;

  // Makes room for `looks` looks at `pieces`. False where the library offers no copies on a stream,
  // or refuses what it takes; nothing else may be called then.
  bool Open(std::vector<Piece> pieces, std::size_t looks);

  // Queues copies on `stream` that take a while, the longer the more attempts there were in which a
  // busy machine looked too late, and behind them a mark. False where the library refuses, or
  // copies at once, which holds nothing up.
  bool HoldUp(AbiStream stream, int attempts);
  // Looks at the pieces, and then for the mark, several times over that while.
  void LookWhileHeld();
  // Looks once.
  void LookNow();

  // What the looks saw, each reported once. Requires that the work of all streams is done.
  std::vector<Seen> Tell();

 private:
  bool Allocate(std::size_t bytes, std::byte*& block);
  bool Queue(std::byte* to, const std::byte* from, std::size_t bytes, AbiStream stream);
  bool Fill(std::byte* to, std::byte value, std::size_t bytes);
  // Of one of several copies on the stream, at best: until it is done, and what it takes of the
  // thread that queues it.
  struct Times {
    std::chrono::nanoseconds all;
    std::chrono::nanoseconds own;
  };
  // Nothing: the library refuses.
  std::optional<Times> TimesOfCopy(AbiStream stream);

  const Abi& abi_;
  std::vector<std::byte*> blocks_;
  AbiStream stream_ = nullptr;  // of its own
  std::vector<Piece> pieces_;
  std::size_t slot_bytes_ = 0;  // of a look: the pieces, and the mark
  std::size_t slots_ = 0;
  std::size_t looks_ = 0;  // made
  std::byte* slot_ = nullptr;
  std::byte* mark_ = nullptr;
  std::byte* from_ = nullptr;  // what is copied to hold a stream up
  std::byte* to_ = nullptr;
  std::size_t copied_ = 0;
  std::chrono::nanoseconds hold_{};
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_WORKER_STREAM_WATCH_H_
