// SPDX-License-Identifier: Apache-2.0
//
// Which edges were reached of a library that was built with clang's -fsanitize-coverage. The
// library calls functions of edge_counts.cc, which the program has to export (edge_counts.list).
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

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_WORKER_EDGE_COUNTS_H_
