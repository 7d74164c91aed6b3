// SPDX-License-Identifier: Apache-2.0
//
// What limits every kernel, as contenders: moving the bytes of a pass without computing, in three
// ways to write of which the fastest counts, and making its sums one by one without the memory.
#include <cstring>

#include "bench/contender.h"
#include "conformance/timing/limit_loops.h"
#include "optimized/parallel_for.h"

namespace poolproof {
namespace {

class Roofline : public Contender {
 public:
  Roofline(const Problem& problem, int threads, Store store)
      : problem_(problem), threads_(threads), store_(store) {
    Keep(problem.ResultSample(), result_);
    Keep(problem.IndexSample(), indices_);
  }

  void Run(int i) override {
    const OperandSet& set = problem_.set(i);
    const auto bytes = [](const Buffer& buffer) {
      return std::span<std::byte>(buffer.data(), buffer.bytes());
    };
    MovedBuffers buffers{{}, {}, {&result_, &indices_}};
    if (problem_.pass() == Pass::kBackward) {
      buffers.read = {bytes(set.pooled), bytes(set.indices)};
      buffers.written = {bytes(set.plane_side)};
    } else {
      buffers.read = {bytes(set.plane_side)};
      buffers.written = {bytes(set.pooled), bytes(set.indices)};
    }
    const std::int64_t steps = MoveSteps(buffers, store_);
    const auto step = static_cast<std::int64_t>(buffers.written[0].size()) / steps;
    ParallelFor(steps, step / 4, {threads_, 1 << 16}, [&](std::int64_t begin, std::int64_t end) {
      Move(buffers, store_, steps, begin, end);
    });
  }
  // The result begins with the lines that were to be written.
  bool IsRight() override {
    const OperandSet& set = problem_.set(0);
    const Buffer& to = problem_.pass() == Pass::kBackward ? set.plane_side : set.pooled;
    const std::size_t lines = std::min<std::size_t>(to.bytes(), 1024) / 64;
    return std::memcmp(to.data(), result_.bytes.data(), lines * 64) == 0;
  }

 private:
  static void Keep(const std::vector<std::byte>& sample, SamplePage& page) {
    std::memcpy(page.bytes.data(), sample.data(), sample.size());
  }

  const Problem& problem_;
  int threads_;
  Store store_;
  SamplePage result_ = {};
  SamplePage indices_ = {};
};

class Adding : public Contender {
 public:
  Adding(std::int64_t additions, int threads) : additions_(additions), threads_(threads) {}
  void Run(int) override {
    ParallelFor(additions_, 1, {threads_, 1 << 16},
                [](std::int64_t begin, std::int64_t end) { AddOneByOne(end - begin); });
  }
  bool IsRight() override { return true; }

 private:
  std::int64_t additions_;
  int threads_;
};

template <Store kStore>
std::unique_ptr<Contender> Make(const Problem& problem, int threads, const void*) {
  return std::make_unique<Roofline>(problem, threads, kStore);
}

// A backward whose windows overlap.
std::unique_ptr<Contender> MakeAdding(const Problem& problem, int threads, const void*) {
  const std::int64_t additions = problem.shape().Additions();
  if (additions == 0 || problem.pass() != Pass::kBackward) return nullptr;
  return std::make_unique<Adding>(additions, threads);
}

}  // namespace

void AddRoofline(std::vector<ContenderEntry>& list) {
  if (!StoresOfThisMachine().empty()) {
    list.push_back({"roofline_stream", &Make<Store::kStream>, nullptr});
    list.push_back({"roofline_ordinary", &Make<Store::kOrdinary>, nullptr});
    list.push_back({"roofline_copy", &Make<Store::kCopy>, nullptr});
  }
  list.push_back({"adding", &MakeAdding, nullptr});
}

}  // namespace poolproof
