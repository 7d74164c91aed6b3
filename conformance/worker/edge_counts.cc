// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/edge_counts.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>

#include "conformance/result/outcome.h"

namespace poolproof {
namespace {

// Counters of a library, one per edge, which its code increments.
struct Counters {
  unsigned char* begin;
  std::size_t size;
  std::uint32_t first;  // the number of the first edge
  std::vector<bool> taken;
};

// The library's calls bring nothing along that could point to an object of ours: what they work on
// is global.
std::atomic<bool> numbering;
std::size_t numbered;  // edges
std::vector<Counters>& AllCounters() {
  static std::vector<Counters> all;
  return all;
}
// Edges that report themselves, each once, in the order in which they did.
std::array<std::atomic<std::uint32_t>, kMostReachedEdges> reported;
std::atomic<std::size_t> report_count;

void TakeReports(std::vector<std::uint32_t>& edges) {
  const std::size_t count = report_count;
  if (count == 0) return;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t edge = reported[i].exchange(0, std::memory_order_acquire);
    if (edge != 0) edges.push_back(edge - 1);
  }
  // What a thread of the library reports meanwhile may be lost.
  report_count = 0;
}

void TakeCounters(Counters& counters, std::vector<std::uint32_t>& edges) {
  for (std::size_t i = 0; i < counters.size; ++i) {
    if (counters.begin[i] == 0) continue;
    if (!counters.taken[i]) {
      if (edges.size() == kMostReachedEdges) return;
      counters.taken[i] = true;
      edges.push_back(counters.first + static_cast<std::uint32_t>(i));
    }
    counters.begin[i] = 0;
  }
}

}  // namespace

EdgeNumbering::EdgeNumbering() { numbering = true; }
EdgeNumbering::~EdgeNumbering() { numbering = false; }

void AddCounters(unsigned char* begin, const unsigned char* end) {
  if (!numbering || begin >= end) return;
  const auto size = static_cast<std::size_t>(end - begin);
  std::vector<Counters>& all = AllCounters();
  const bool known = std::any_of(all.begin(), all.end(),
                                 [&](const Counters& counters) { return counters.begin == begin; });
  if (known || size > kMostEdges - numbered) return;
  all.push_back({begin, size, static_cast<std::uint32_t>(numbered), std::vector<bool>(size)});
  numbered += size;
}

// A guard holds the number of its edge plus 1; 0 where the edge has nothing to report.
void NumberGuards(std::uint32_t* begin, const std::uint32_t* end) {
  if (!numbering || begin >= end || *begin != 0) return;
  const auto size = static_cast<std::size_t>(end - begin);
  if (size > kMostEdges - numbered) return;
  for (std::uint32_t* guard = begin; guard != end; ++guard) {
    *guard = static_cast<std::uint32_t>(++numbered);
  }
}

void ReportEdge(std::uint32_t* guard) {
  if (__atomic_load_n(guard, __ATOMIC_RELAXED) == 0) return;
  const std::uint32_t edge = __atomic_exchange_n(guard, 0, __ATOMIC_RELAXED);
  if (edge == 0) return;
  std::size_t place = report_count.load(std::memory_order_relaxed);
  do {
    if (place == reported.size()) {  // next time
      __atomic_store_n(guard, edge, __ATOMIC_RELAXED);
      return;
    }
  } while (!report_count.compare_exchange_weak(place, place + 1, std::memory_order_relaxed));
  reported[place].store(edge, std::memory_order_release);
}

std::vector<std::uint32_t> TakeReachedEdges() {
  std::vector<std::uint32_t> edges;
  TakeReports(edges);
  for (Counters& counters : AllCounters()) TakeCounters(counters, edges);
  std::sort(edges.begin(), edges.end());
  return edges;
}

}  // namespace poolproof
