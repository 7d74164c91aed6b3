// SPDX-License-Identifier: Apache-2.0
#include "conformance/plan/shards.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <exception>
#include <span>
#include <thread>

#include "conformance/case/case_text.h"
#include "conformance/spec/operators.h"
#include "core/random.h"
#include "core/sha256.h"

namespace poolproof {
namespace {

// Lines that share a digest.
constexpr std::int64_t kChunk = 256;
// Cases whose lines enter plan_sha256; what follows is determined by seed and family.
constexpr std::int64_t kHashedCases = 262144;
// Plans from this size on have as many slots as large clusters have nodes.
constexpr std::int64_t kLargePlan = std::int64_t{1} << 20;
constexpr std::int64_t kSlots = 64;
constexpr std::int64_t kLargeSlots = 1024;
constexpr std::int64_t kCasesPerSlot = 8;
// Cases of a slot in a block.
constexpr std::int64_t kPerBlock = 256;
constexpr std::int64_t kPerShortBlock = 32;
// The same where workers are to be few.
constexpr std::int64_t kFewSlots = 8;
constexpr std::int64_t kFewLargeSlots = 64;
constexpr std::int64_t kCasesPerFewSlots = 2048;
constexpr std::int64_t kShortPerFewSlots = 2;
constexpr std::int64_t kPerLargeBlock = 16384;
constexpr std::int64_t kPerShortLargeBlock = 8192;
// Groups of kernels: the backwards and their forwards, each for FLOAT32 and for other types.
constexpr std::int64_t kKernelGroups = 8;

std::int64_t Slots(std::int64_t planned, bool short_blocks, bool few_workers) {
  if (!few_workers) return short_blocks ? std::min(SlotCount(planned), kSlots) : SlotCount(planned);
  // Each worker of samples loads all kernels: it judges twice as many cases.
  return short_blocks ? std::min(FewSlots(planned / kShortPerFewSlots), kFewSlots)
                      : FewSlots(planned);
}

std::int64_t BlockSize(std::int64_t slots, bool short_blocks, bool few_workers) {
  const std::int64_t per_slot = few_workers ? (short_blocks ? kPerShortLargeBlock : kPerLargeBlock)
                                            : (short_blocks ? kPerShortBlock : kPerBlock);
  const std::int64_t size = slots * per_slot;
  return (size + kChunk - 1) / kChunk * kChunk;
}

}  // namespace

// FNV-1a, whose bits are then mixed: taken alone, its low ones follow the last characters.
std::int64_t SlotOf(std::string_view case_line, std::int64_t slots) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : case_line) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  }
  return static_cast<std::int64_t>(Scramble(hash) % static_cast<std::uint64_t>(slots));
}

std::int64_t KernelSlotOf(const Case& problem, std::string_view case_line, std::int64_t slots) {
  if (problem.calls.empty()) return 0;
  const Call& call = problem.calls.front();
  const std::span<const Operator> backwards = BackwardOperators();
  const auto family = std::find(backwards.begin(), backwards.end(), InfoOf(call.op).backward);
  const std::int64_t half = call.tensor(Role::kSelf).type == DataType::kFloat ? 0 : 1;
  const std::int64_t group = ((family - backwards.begin()) * 2 + half) % kKernelGroups;
  if (slots <= kKernelGroups) return group % slots;
  return group + kKernelGroups * SlotOf(case_line, slots / kKernelGroups);
}

std::int64_t SlotCount(std::int64_t planned) {
  if (planned >= kLargePlan) return kLargeSlots;
  return std::clamp<std::int64_t>(planned / kCasesPerSlot, 1, kSlots);
}

std::int64_t FewSlots(std::int64_t planned) {
  const std::int64_t most = planned >= kLargePlan ? kFewLargeSlots : kFewSlots;
  const auto wanted =
      static_cast<std::uint64_t>(std::clamp<std::int64_t>(planned / kCasesPerFewSlots, 1, most));
  return static_cast<std::int64_t>(std::bit_floor(wanted));
}

std::string PlanHeader(std::uint64_t seed, std::string_view spec_sha256, std::string_view profile,
                       std::int64_t cases) {
  return "seed " + std::to_string(seed) + "\nspec " + std::string(spec_sha256) + "\nprofile " +
         std::string(profile) + "\ncases " + std::to_string(cases) + "\n";
}

void OnThreads(int threads, const std::function<void()>& work) {
  std::vector<std::exception_ptr> thrown(static_cast<std::size_t>(std::max(1, threads)));
  const auto run = [&](std::size_t thread) {
    try {
      work();
    } catch (...) {
      thrown[thread] = std::current_exception();
    }
  };
  std::vector<std::thread> pool;
  for (std::size_t i = 1; i < thrown.size(); ++i) pool.emplace_back(run, i);
  run(0);
  for (std::thread& thread : pool) thread.join();
  for (const std::exception_ptr& one : thrown) {
    if (one) std::rethrow_exception(one);
  }
}

Sharding::Sharding(const TestPlan& plan, Shard shard, bool short_blocks, bool few_workers)
    : plan_(plan),
      shard_(shard),
      slots_(Slots(plan.size(), short_blocks, few_workers)),
      by_kernel_(few_workers && !short_blocks),
      block_size_(BlockSize(slots_, short_blocks, few_workers)),
      batch_size_(few_workers ? kLargeBatchSize : kBatchSize),
      digests_(plan.identity().empty()
                   ? static_cast<std::size_t>((std::min(plan.size(), kHashedCases) + kChunk - 1) /
                                              kChunk)
                   : 0) {}

std::int64_t Sharding::blocks() const { return (plan_.size() + block_size_ - 1) / block_size_; }

void Sharding::Read(std::int64_t chunk, std::vector<std::int64_t>* slots) {
  Sha256 digest;
  const std::int64_t end = std::min(plan_.size(), (chunk + 1) * kChunk);
  for (std::int64_t number = chunk * kChunk; number < end; ++number) {
    const Case problem = plan_.At(number).problem;
    const std::string line = CaseLine(problem);
    digest.Update(line + "\n");
    if (slots == nullptr) continue;
    slots->push_back(by_kernel_ ? KernelSlotOf(problem, line, slots_) : SlotOf(line, slots_));
  }
  const auto position = static_cast<std::size_t>(chunk);
  if (position < digests_.size()) digests_[position] = digest.Finish();
}

std::vector<std::vector<std::int64_t>> Sharding::BatchesOf(std::int64_t block, int jobs) {
  const std::int64_t begin = block * block_size_;
  const std::int64_t end = std::min(plan_.size(), begin + block_size_);
  const std::int64_t chunks = (end - begin + kChunk - 1) / kChunk;
  std::vector<std::vector<std::int64_t>> slots(static_cast<std::size_t>(chunks));
  std::atomic<std::int64_t> next{0};
  OnThreads(jobs, [&] {
    for (std::int64_t chunk = next++; chunk < chunks; chunk = next++) {
      Read(begin / kChunk + chunk, &slots[static_cast<std::size_t>(chunk)]);
    }
  });
  std::vector<std::vector<std::int64_t>> by_slot(static_cast<std::size_t>(slots_));
  std::int64_t number = begin;
  for (const std::vector<std::int64_t>& chunk : slots) {
    for (const std::int64_t slot : chunk)
      by_slot[static_cast<std::size_t>(slot)].push_back(number++);
  }
  std::vector<std::vector<std::int64_t>> batches;
  for (auto slot = static_cast<std::size_t>(shard_.index); slot < by_slot.size();
       slot += static_cast<std::size_t>(shard_.of)) {
    const std::vector<std::int64_t>& numbers = by_slot[slot];
    for (std::size_t at = 0; at < numbers.size(); at += static_cast<std::size_t>(batch_size_)) {
      const std::size_t last = std::min(numbers.size(), at + static_cast<std::size_t>(batch_size_));
      batches.emplace_back(numbers.begin() + static_cast<std::ptrdiff_t>(at),
                           numbers.begin() + static_cast<std::ptrdiff_t>(last));
    }
  }
  return batches;
}

std::string Sharding::PlanSha256(const std::string& header, int jobs) {
  std::atomic<std::size_t> next{0};
  OnThreads(jobs, [&] {
    for (std::size_t chunk = next++; chunk < digests_.size(); chunk = next++) {
      if (digests_[chunk].empty()) Read(static_cast<std::int64_t>(chunk), nullptr);
    }
  });
  Sha256 digest;
  digest.Update(header);
  if (!plan_.identity().empty()) digest.Update("cases of " + plan_.identity() + "\n");
  for (const std::string& text : digests_) digest.Update(text + "\n");
  return digest.Finish();
}

}  // namespace poolproof
