// SPDX-License-Identifier: Apache-2.0
//
// What the library exports beside the ABI, for a program that runs it in its own process. In a
// process of its own POOLPROOF_RANDOM_FAULT says which fault it has: a text, or the number of a
// seed.

#ifndef POOLPROOF_TESTS_MUTANTS_RANDOM_FAULT_CONTROL_H_
#define POOLPROOF_TESTS_MUTANTS_RANDOM_FAULT_CONTROL_H_

#include <cstddef>
#include <cstdint>

extern "C" {

// A call as the library saw it: in phase one, and again where it is carried out. `answer`: what
// phase one's checks say. `facts`: by mutants::random_fault::Fact.
struct poolproof_random_fault_sight {
  int32_t op;
  int32_t carried_out;
  int32_t answer;
  const int64_t* facts;
  size_t count;
};

// A text, a number, or nothing for a library that is right. 0: understood. `chance` is what faults
// that do not always show begin with.
using poolproof_random_fault_select_t = int (*)(const char* text, uint64_t chance);
// Called for each call; nullptr: no more.
using poolproof_random_fault_observe_t =
    void (*)(void (*look)(void* context, const poolproof_random_fault_sight* sight), void* context);
// Instead of a crash (`kind` 0) or a hang (1), an exception is thrown that says which: its what()
// is "random fault: crash" or "random fault: hang".
using poolproof_random_fault_throw_t = void (*)(int on);
// Sets how many calls came before in this process, and gives what it was.
using poolproof_random_fault_calls_t = int64_t (*)(int64_t calls);
}

#endif  // POOLPROOF_TESTS_MUTANTS_RANDOM_FAULT_CONTROL_H_
