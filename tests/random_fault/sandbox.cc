// SPDX-License-Identifier: Apache-2.0
#include "tests/random_fault/sandbox.h"

#include <dlfcn.h>

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <type_traits>
#include <utility>

namespace poolproof {
namespace {

class SandboxWorker : public Worker {
 public:
  explicit SandboxWorker(Sandbox& sandbox) : sandbox_(sandbox), probe_(sandbox.probe()) {}
  [[nodiscard]] const Probe& probe() const override { return probe_; }
  Outcome Run(const Invocation& invocation) override {
    Outcome outcome = sandbox_.CarryOut(invocation, calls_);
    alive_ = !EndsWorker(outcome);
    return outcome;
  }
  [[nodiscard]] bool alive() const override { return alive_; }

 private:
  Sandbox& sandbox_;
  const Probe probe_;
  std::int64_t calls_ = 0;
  bool alive_ = true;
};

void AddSight(void* context, const poolproof_random_fault_sight* sight) {
  Sight seen;
  seen.op = sight->op;
  seen.carried_out = sight->carried_out != 0;
  seen.refused = sight->answer != 0;
  std::copy_n(sight->facts, std::min(sight->count, seen.facts.size()), seen.facts.begin());
  static_cast<std::vector<Sight>*>(context)->push_back(seen);
}

}  // namespace

bool IsStruckIn(const random_fault::RandomFault& fault, const Sight& sight) {
  if (!random_fault::StrikesInPhaseOne(fault.effect)) return sight.carried_out;
  return !sight.carried_out && sight.refused == random_fault::StrikesWhatIsRefused(fault.effect);
}

bool Strikes(const random_fault::RandomFault& fault, const std::vector<Sight>& sights) {
  return std::any_of(sights.begin(), sights.end(), [&](const Sight& sight) {
    return IsStruckIn(fault, sight) && TriggerHolds(fault, sight.op, sight.facts);
  });
}

Sandbox::Sandbox(const std::string& library)
    : library_(library), idle_([](const std::stop_token& stop) {
        std::mutex mutex;
        std::unique_lock lock(mutex);
        std::condition_variable_any().wait(lock, stop, [] { return false; });
      }) {
  Open();
  void* const handle = ::dlopen(library_.c_str(), RTLD_NOW | RTLD_NOLOAD);
  const auto look_up = [&](const char* name, auto& function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        handle == nullptr ? nullptr : ::dlsym(handle, name));
    if (function != nullptr) return;
    std::cerr << library_ << ": no " << name << '\n';
    std::exit(2);
  };
  poolproof_random_fault_throw_t throws = nullptr;
  look_up("poolproof_random_fault_select", select_);
  look_up("poolproof_random_fault_observe", observe_);
  look_up("poolproof_random_fault_calls", calls_);
  look_up("poolproof_random_fault_throw", throws);
  throws(1);
}

void Sandbox::Open() {
  host_ = std::make_unique<LibraryHost>(OpenRequest{{library_}, OpenMode::kNowLocal, 0}, progress_);
  if (host_->reply().error == OpenError::kNone) return;
  std::cerr << library_ << ": " << host_->reply().detail << '\n';
  std::exit(2);
}

void Sandbox::Select(const random_fault::RandomFaults& faults) {
  constexpr std::uint64_t kChance = 20261127;
  const std::string text = TextOf(faults);
  if (select_(text.c_str(), kChance) == 0) return;
  std::cerr << "the library does not understand: " << text << '\n';
  std::exit(2);
}

Outcome Sandbox::CarryOut(const Invocation& invocation, std::int64_t& calls) {
  ++carried_out_;
  calls_(calls);
  Outcome outcome = host_->CarryOut(invocation);
  calls = calls_(0);
  if (outcome.end == End::kReturned) return outcome;
  Open();
  if (outcome.end != End::kThrew) return outcome;
  const bool crashed = outcome.detail == "random fault: crash";
  if (!crashed && outcome.detail != "random fault: hang") return outcome;
  outcome.end = crashed ? End::kSignalled : End::kTimedOut;
  if (crashed) outcome.signal = SIGSEGV;
  outcome.detail.clear();
  outcome.calls.clear();
  outcome.process = {};
  return outcome;
}

std::vector<Sight> Sandbox::Look(const Invocation& invocation) {
  std::vector<Sight> sights;
  std::int64_t calls = 0;
  Select({});
  observe_(&AddSight, &sights);
  CarryOut(invocation, calls);
  observe_(nullptr, nullptr);
  return sights;
}

Subject Sandbox::MakeSubject() {
  Subject subject;
  subject.identity.name = "random_fault";
  subject.start = [this](Profile, bool) -> Result<std::unique_ptr<Worker>> {
    return std::unique_ptr<Worker>(std::make_unique<SandboxWorker>(*this));
  };
  return subject;
}

}  // namespace poolproof
