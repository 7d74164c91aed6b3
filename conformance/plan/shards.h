// SPDX-License-Identifier: Apache-2.0
//
// Sharding: which cases of a plan share a worker process, and which shard they belong to. Both
// follow from the cases, so that neither the number of shards nor that of jobs changes what a
// worker has seen before a case.
#ifndef POOLPROOF_CONFORMANCE_PLAN_SHARDS_H_
#define POOLPROOF_CONFORMANCE_PLAN_SHARDS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/plan/test_plan.h"

namespace poolproof {

// One of `of` shards of a plan. Requires 0 <= index < of.
struct Shard {
  int index = 0;
  int of = 1;
  friend bool operator==(const Shard&, const Shard&) = default;
};

inline constexpr int kMaxShards = 100000;

// Cases that share a worker, at most, and where workers are to be few. Part of what a run is:
// changing it changes histories.
inline constexpr std::int64_t kBatchSize = 512;
inline constexpr std::int64_t kLargeBatchSize = 16384;

// The slot of a case: a stable hash of its line. Slot s belongs to shard s modulo their number.
std::int64_t SlotOf(std::string_view case_line, std::int64_t slots);
// The same, by what a device loads for the case: cases of one slot use few kernels. Requires
// `slots` to be FewSlots of something.
std::int64_t KernelSlotOf(const Case& problem, std::string_view case_line, std::int64_t slots);
// Slots of a plan with so many cases: small plans have fewer, so that workers still see several
// cases.
std::int64_t SlotCount(std::int64_t planned);
// The same, where workers are to be few; a power of two.
std::int64_t FewSlots(std::int64_t planned);

// What the digest of a plan starts with.
std::string PlanHeader(std::uint64_t seed, std::string_view spec_sha256, std::string_view profile,
                       std::int64_t cases);

// Runs `work` on so many threads and waits for them. What one of them throws is thrown then.
void OnThreads(int threads, const std::function<void()>& work);

// A plan in blocks of consecutive cases. The cases of a block that have one slot are a batch: one
// worker judges them in their order.
class Sharding {
 public:
  // `short_blocks`: for runs that may end at any case: each slot is then a sample of all cases.
  // `few_workers`: for libraries that take long to open and to load kernels, which follows from
  // the library alone: cases that use the same kernels share a slot. `plan` must outlive the
  // object.
  Sharding(const TestPlan& plan, Shard shard, bool short_blocks, bool few_workers = false);

  [[nodiscard]] std::int64_t blocks() const;
  // The number of a block's first case.
  [[nodiscard]] std::int64_t FirstOf(std::int64_t block) const { return block * block_size_; }
  // The shard's batches of a block, ascending by slot; case numbers ascending. Notes the digests of
  // the block's lines.
  std::vector<std::vector<std::int64_t>> BatchesOf(std::int64_t block, int jobs);

  // Over the case lines of the whole plan, in order, behind `header`. Independent of the shard and
  // of the blocks that were asked for.
  std::string PlanSha256(const std::string& header, int jobs);

 private:
  // The slots of the lines of so many cases, whose digest is noted.
  void Read(std::int64_t chunk, std::vector<std::int64_t>* slots);

  const TestPlan& plan_;
  const Shard shard_;
  const std::int64_t slots_;
  const bool by_kernel_;
  const std::int64_t block_size_;
  const std::int64_t batch_size_;
  std::vector<std::string> digests_;  // of kChunk consecutive lines each; empty: not read yet
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_PLAN_SHARDS_H_
