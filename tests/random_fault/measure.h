// SPDX-License-Identifier: Apache-2.0
//
// What a report says of a library, compared with the random fault that it has.
#ifndef POOLPROOF_TESTS_RANDOM_FAULT_MEASURE_H_
#define POOLPROOF_TESTS_RANDOM_FAULT_MEASURE_H_

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "conformance/result/report.h"
#include "tests/random_fault/bench.h"

namespace poolproof {

using Json = nlohmann::ordered_json;

// Clauses that may be charged with the fault. `reach`: of faults in what is refused, the clauses of
// what they strike.
struct Charge {
  std::set<std::string> main;  // of its effect, or whose condition the trigger mentions
  std::set<std::string> also;  // these, and those that it may breach besides
};
Charge ChargeOf(const random_fault::RandomFault& fault, const Bench::Reach& reach);

// Required clauses that the report says are passed.
std::set<std::string> PassedOf(const Report& report);

// A row of the table. `right`: what passes on the library without a fault.
Json Measure(const Bench& bench, const random_fault::RandomFault& fault, const Bench::Reach& reach,
             const Sample& sample, const Report& report, const std::set<std::string>& right);

// The same for a library with two faults.
struct Held {
  random_fault::RandomFault fault;
  Bench::Reach reach;
  Sample sample;
};
Json MeasurePair(const Held& first, const Held& second, const Report& report,
                 const std::set<std::string>& right);

}  // namespace poolproof

#endif  // POOLPROOF_TESTS_RANDOM_FAULT_MEASURE_H_
