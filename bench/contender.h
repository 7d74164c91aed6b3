// SPDX-License-Identifier: Apache-2.0
//
// Who is measured: our kernels, the kernels of others, and what memory allows.
#ifndef POOLPROOF_BENCH_CONTENDER_H_
#define POOLPROOF_BENCH_CONTENDER_H_

#include <memory>
#include <string>
#include <vector>

#include "bench/problem.h"

namespace poolproof {

class Contender {
 public:
  Contender() = default;
  virtual ~Contender() = default;
  Contender(const Contender&) = delete;
  Contender& operator=(const Contender&) = delete;

  // Does the work on operand set `i`.
  virtual void Run(int i) = 0;
  // Whether Run(0), done before on a spoilt result, gave the right answer.
  virtual bool IsRight() = 0;
};

// A contender by name; `make` gives null for what it does not support.
struct ContenderEntry {
  std::string name;
  std::unique_ptr<Contender> (*make)(const Problem& problem, int threads, const void* data);
  const void* data;
};

void AddOurContenders(std::vector<ContenderEntry>& list);
// The roofline of memory: reads the inputs and writes such bytes as the result has, and as many;
// computes nothing. And `adding`: as many sums as the pass makes one by one, and nothing else. The
// larger of both is the limit.
void AddRoofline(std::vector<ContenderEntry>& list);
void AddTorch(std::vector<ContenderEntry>& list);
void AddOneDnn(std::vector<ContenderEntry>& list);

}  // namespace poolproof

#endif  // POOLPROOF_BENCH_CONTENDER_H_
