// SPDX-License-Identifier: Apache-2.0
//
// Sandbox: the library with a random fault, in this process. A run of the suite on it starts no
// process: a crash or a hang is an exception of the library's, and reported as what it represents.
#ifndef POOLPROOF_TESTS_RANDOM_FAULT_SANDBOX_H_
#define POOLPROOF_TESTS_RANDOM_FAULT_SANDBOX_H_

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "conformance/result/invocation.h"
#include "conformance/result/outcome.h"
#include "conformance/session/session.h"
#include "conformance/wire/progress.h"
#include "conformance/worker/library_host.h"
#include "tests/mutants/random_fault/control.h"
#include "tests/mutants/random_fault/fault.h"

namespace poolproof {

namespace random_fault = mutants::random_fault;

// A call as the library saw it.
struct Sight {
  int op = 0;
  bool carried_out = false;  // otherwise in phase one
  bool refused = false;      // by the checks of phase one
  random_fault::Facts facts{};
};

// Whether it is such a call that the fault strikes, if its trigger holds.
bool IsStruckIn(const random_fault::RandomFault& fault, const Sight& sight);
// Whether it strikes one of the calls.
bool Strikes(const random_fault::RandomFault& fault, const std::vector<Sight>& sights);

class Sandbox {
 public:
  // Ends the program where the library cannot be used.
  explicit Sandbox(const std::string& library);

  // What is wrong with the library from now on; nothing where there is none.
  void Select(const random_fault::RandomFaults& faults);
  // As a process does that has made so many calls before; becomes what it has made then.
  Outcome CarryOut(const Invocation& invocation, std::int64_t& calls);
  // The sights of an invocation that a fresh process carries out without a fault.
  std::vector<Sight> Look(const Invocation& invocation);

  // Its workers live here. One thread may use it at a time.
  Subject MakeSubject();
  [[nodiscard]] const Probe& probe() const { return host_->reply().probe; }
  // Invocations that were carried out.
  [[nodiscard]] std::int64_t carried_out() const { return carried_out_; }

 private:
  void Open();

  const std::string library_;
  // A process of more than one thread has no heap that can be read block by block after each call:
  // it is a large one here.
  const std::jthread idle_;
  ProgressPage progress_;
  std::unique_ptr<LibraryHost> host_;
  poolproof_random_fault_select_t select_ = nullptr;
  poolproof_random_fault_observe_t observe_ = nullptr;
  poolproof_random_fault_calls_t calls_ = nullptr;
  std::int64_t carried_out_ = 0;
};

}  // namespace poolproof

#endif  // POOLPROOF_TESTS_RANDOM_FAULT_SANDBOX_H_
