// SPDX-License-Identifier: Apache-2.0
//
// Which edges were reached of a library that was built with clang's -fsanitize-coverage. The
// library calls functions of edge_hooks.cc, which the program has to export (edge_hooks.list).
// Facts for a campaign's corpus; no verdict depends on them.
#ifndef POOLPROOF_CONFORMANCE_WORKER_EDGE_COUNTS_H_
#define POOLPROOF_CONFORMANCE_WORKER_EDGE_COUNTS_H_

#include <cstdint>
#include <vector>

namespace poolproof {

// While one lives, libraries that are loaded have their edges numbered, in the order in which they
// are loaded, so that an edge has one number in every process. What is loaded later may be unloaded
// again, and is left alone.
class EdgeNumbering {
 public:
  EdgeNumbering();
  ~EdgeNumbering();
  EdgeNumbering(const EdgeNumbering&) = delete;
  EdgeNumbering& operator=(const EdgeNumbering&) = delete;
};

// The edges that were reached for the first time, as far as no earlier call returned them,
// ascending; at most kMostReachedEdges: the others come with the next call. For one thread at a
// time, while the library may run on others.
std::vector<std::uint32_t> TakeReachedEdges();

// What the library calls, passed on by the hooks: counters of edges that its code increments, and
// guards of edges that report themselves. A guard holds the number of its edge plus 1, and 0 where
// the edge has nothing to report.
void AddCounters(unsigned char* begin, const unsigned char* end);
void NumberGuards(std::uint32_t* begin, const std::uint32_t* end);
void ReportEdge(std::uint32_t* guard);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_WORKER_EDGE_COUNTS_H_
