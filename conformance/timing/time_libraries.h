// SPDX-License-Identifier: Apache-2.0
//
// TimeLibraries: what calls of libraries take, side by side: on the same operands, by turns, at
// several times of a run, and beside what the machine allows.
#ifndef POOLPROOF_CONFORMANCE_TIMING_TIME_LIBRARIES_H_
#define POOLPROOF_CONFORMANCE_TIMING_TIME_LIBRARIES_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "conformance/judge/judge.h"
#include "conformance/result/capabilities.h"
#include "conformance/result/performance.h"
#include "conformance/session/worker.h"
#include "conformance/timing/network_shapes.h"
#include "core/data_type.h"
#include "core/status.h"

namespace poolproof {

struct TimedLibrary {
  std::string name;
  DeclaredCapabilities declared;
  // A worker whose library is asked for so many threads; 0: for as many as it likes.
  std::function<Result<std::unique_ptr<Worker>>(int threads)> start;
};

struct TimingOptions {
  std::vector<const NetworkShape*> shapes;
  std::vector<bool> forwards;  // for each pass whether it is the forward
  std::vector<DataType> types;
  std::vector<DataType> index_types;
  std::vector<int> threads;  // of libraries on the host
  std::vector<bool> colds;   // for each mode whether operands come from memory
  bool cpu_clock = false;
  double narrow = 0.05;  // width of an interval, as a share of its median, that is enough
  int most_visits = 12;  // of each setting, one after all others
  int rounds = 10;       // of a visit, in which all take turns
  std::int64_t round_ns = 5'000'000;
};

// A visit counts by its fastest round, since whatever else a machine does slows it; and each has
// processes of its own, since where memory lies decides too. The first library's times, the others'
// as multiples of them. A setting in which it cannot be timed is in `not_timed` and has no row.
// `stop` ends it with what was timed so far; `say` gets a line after each round of visits. errors:
// what `start` returns.
Result<Performance> TimeLibraries(const JudgeContext& context, const TimingOptions& options,
                                  const std::vector<TimedLibrary>& libraries,
                                  const std::function<void(const std::string&)>& say,
                                  const std::atomic<bool>& stop);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_TIMING_TIME_LIBRARIES_H_
