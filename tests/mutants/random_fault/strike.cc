// SPDX-License-Identifier: Apache-2.0
//
// The hooks of a library with random faults.

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "../hooks.h"
#include "../kernels.h"
#include "control.h"
#include "fault.h"
#include "run_struck.h"
#include "see.h"

namespace mutants {

struct CallNotes {
  random_fault::Facts facts;
};

namespace random_fault {
namespace {

struct State {
  std::mutex mutex;
  RandomFaults faults;
  std::uint64_t chance = 0;
  int64_t calls = 0;
  void (*look)(void* context, const poolproof_random_fault_sight* sight) = nullptr;
  void* context = nullptr;
  bool throws = false;
};

RandomFaults FaultsOf(const std::string& text) {
  if (text.empty()) return {};
  if (text.find_first_not_of("0123456789") == std::string::npos) {
    return {DrawFault(std::strtoull(text.c_str(), nullptr, 10))};
  }
  std::string problem;
  RandomFaults faults = ParseFaults(text, problem);
  if (faults.empty()) throw std::invalid_argument(problem);
  return faults;
}

// Never destroyed: threads of the library's user may outlive static objects.
State& TheState() {
  static State& state = *[] {
    auto made = std::make_unique<State>();
    const char* value = std::getenv("POOLPROOF_RANDOM_FAULT");
    try {
      made->faults = FaultsOf(value == nullptr ? "" : value);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "poolproof_random_fault: %s\n", error.what());
      std::abort();
    }
    // Another one in each process, as it is with faults that come and go.
    made->chance =
        static_cast<std::uint64_t>(::getpid()) * 0x9e3779b97f4a7c15U ^
        static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
    return made.release();
  }();
  return state;
}

void Tell(int op, bool carried_out, aclnnStatus answer, const Facts& facts) {
  State& state = TheState();
  const std::lock_guard lock(state.mutex);
  if (state.look == nullptr) return;
  const poolproof_random_fault_sight sight = {op, carried_out ? 1 : 0, answer, facts.data(),
                                              facts.size()};
  state.look(state.context, &sight);
}

bool NeedsContents(const RandomFault& fault) {
  for (const Condition& condition : fault.conditions) {
    if (RowOf(condition.fact).IsOfRun()) return true;
  }
  return false;
}

// Whether the trigger holds, and this time it shows.
bool Strikes(const RandomFault& fault, int op, const Facts& facts) {
  if (!TriggerHolds(fault, op, facts)) return false;
  if (fault.IsSteady()) return true;
  State& state = TheState();
  const std::lock_guard lock(state.mutex);
  state.chance = state.chance * 6364136223846793005U + 1442695040888963407U;
  return static_cast<int64_t>((state.chance >> 33U) % static_cast<std::uint64_t>(fault.of)) <
         fault.strikes;
}

void ReadBehindNull() {
  const volatile std::uintptr_t member = 24;
  static_cast<void>(*reinterpret_cast<const volatile unsigned char*>(member));
}

void Crash() {
  if (TheState().throws) throw std::runtime_error("random fault: crash");
  ReadBehindNull();
}

void Hang() {
  if (TheState().throws) throw std::runtime_error("random fault: hang");
  while (true) std::this_thread::sleep_for(std::chrono::seconds(1));
}

Status OtherStatus(const Status& status) {
  return {status.code == kParamInvalid ? kParamNullptr : kParamInvalid, status.message};
}

RandomFaults TheFaults() {
  State& state = TheState();
  const std::lock_guard lock(state.mutex);
  return state.faults;
}

Status Answer(const RandomFault& fault, Status status, Plan& plan) {
  const bool refused = !status.ok();
  switch (fault.effect) {
    case Effect::kRefused:
      return refused ? status : Refuse(kParamInvalid, "the call is not supported");
    case Effect::kAccepted:
      if (refused) plan.nothing_to_do = true;
      return {};
    case Effect::kOtherStatus:
      return refused ? OtherStatus(status) : status;
    case Effect::kCrashOne:
      if (!refused) Crash();
      return status;
    default:
      return status;
  }
}

}  // namespace
}  // namespace random_fault

using namespace random_fault;

Status AfterPlanCall(const CallArguments& call, Status status, Plan& plan) {
  int64_t before = 0;
  {
    const std::lock_guard lock(TheState().mutex);
    before = TheState().calls++;
  }
  auto notes = std::make_shared<CallNotes>();
  notes->facts = SeeArguments(call, before);
  const int op = static_cast<int>(call.op);
  Tell(op, false, status.code, notes->facts);
  for (const RandomFault& fault : TheFaults()) {
    const bool strikes = StrikesInPhaseOne(fault.effect) &&
                         StrikesWhatIsRefused(fault.effect) != status.ok() &&
                         Strikes(fault, op, notes->facts);
    if (!strikes) continue;
    status = Answer(fault, std::move(status), plan);
    break;
  }
  plan.notes = std::move(notes);
  return status;
}

Status CarryOut(const Plan& plan, void* workspace) {
  const int op = static_cast<int>(plan.op);
  RandomFaults due = TheFaults();
  std::erase_if(due, [](const RandomFault& fault) { return StrikesInPhaseOne(fault.effect); });
  Facts facts = plan.notes->facts;
  bool observed = false;
  {
    const std::lock_guard lock(TheState().mutex);
    observed = TheState().look != nullptr;
  }
  const bool looks = observed || std::any_of(due.begin(), due.end(), &NeedsContents);
  if (!plan.nothing_to_do && looks) SeeContents(plan, facts);
  Tell(op, true, kOk, facts);
  const auto fault = plan.nothing_to_do
                         ? due.end()
                         : std::find_if(due.begin(), due.end(), [&](const RandomFault& one) {
                             return Strikes(one, op, facts);
                           });
  if (fault == due.end()) return RunPlan(plan, workspace);
  if (fault->effect == Effect::kCrashTwo) Crash();
  if (fault->effect == Effect::kHang) Hang();
  return RunStruck(plan, workspace, fault->effect);
}

bool HooksThrow() { return TheState().throws; }

}  // namespace mutants

extern "C" {

POOLPROOF_MUTANTS_EXPORT int poolproof_random_fault_select(const char* text, uint64_t chance) {
  using namespace mutants::random_fault;
  try {
    State& state = TheState();
    const std::lock_guard lock(state.mutex);
    state.faults = FaultsOf(text);
    state.chance = chance;
    return 0;
  } catch (const std::exception&) {
    return 1;
  }
}

POOLPROOF_MUTANTS_EXPORT void poolproof_random_fault_observe(
    void (*look)(void* context, const poolproof_random_fault_sight* sight), void* context) {
  mutants::random_fault::State& state = mutants::random_fault::TheState();
  const std::lock_guard lock(state.mutex);
  state.look = look;
  state.context = context;
}

POOLPROOF_MUTANTS_EXPORT void poolproof_random_fault_throw(int on) {
  mutants::random_fault::TheState().throws = on != 0;
}

POOLPROOF_MUTANTS_EXPORT int64_t poolproof_random_fault_calls(int64_t calls) {
  mutants::random_fault::State& state = mutants::random_fault::TheState();
  const std::lock_guard lock(state.mutex);
  return std::exchange(state.calls, calls);
}
}
