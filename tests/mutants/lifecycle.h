// SPDX-License-Identifier: Apache-2.0
//
// Faults that outlive a call: caches, static buffers, and what a call does to its process. All
// state that the zoo keeps between calls is here.

#ifndef POOLPROOF_TESTS_MUTANTS_LIFECYCLE_H_
#define POOLPROOF_TESTS_MUTANTS_LIFECYCLE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "plan.h"

namespace mutants {

// Does to the process what the selected row does around one run.
class SideEffects {
 public:
  explicit SideEffects(const Plan& plan);
  ~SideEffects();
  SideEffects(const SideEffects&) = delete;
  SideEffects& operator=(const SideEffects&) = delete;
};

// Ends, stops or throws out of phase two on the shape that the selected row cannot handle.
void MisbehaveOnShape(const Plan& plan);

// The type whose conversion is used: that of gradInput, unless a cache says otherwise.
aclDataType DtypeForConversion(const Plan& plan);

// Counts calls in a row of one shape; true for every second one.
bool IsSecondCall(const Plan& plan);

// What phase one answers to a valid call because of calls before it.
Status RefusalByHistory();
void RememberRejection(aclnnStatus code);

// kRankOfLastCall: notes the rank of a call whose checks begin, and whether it is the one that was
// noted last.
void NoteRank(std::size_t rank);
bool IsNotedRank(std::size_t rank);

// The indices that an earlier call saw at this address, or nullptr.
const std::vector<int64_t>* CachedIndices(const Plan& plan, int64_t n, int64_t c);
void RememberIndices(const Plan& plan, int64_t n, int64_t c, std::vector<int64_t> indices);

// A static buffer; `dirty` says that it holds an earlier call's sums.
std::shared_ptr<std::vector<float>> BorrowScratch(std::size_t cells, bool& dirty);

// A static buffer for all threads.
std::shared_ptr<std::vector<float>> SharedScratch(std::size_t cells);

// Seeded differently in each thread and process.
std::mt19937_64& RandomEngine();

}  // namespace mutants

#endif  // POOLPROOF_TESTS_MUTANTS_LIFECYCLE_H_
