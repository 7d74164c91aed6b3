// SPDX-License-Identifier: Apache-2.0

#include "wild.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <random>

namespace mutants {
namespace {

constexpr WildRow kWildTable[] = {
    {Wild::kRefusesEveryCall, "wild_refuses_every_call",
     "both phases of every operator answer 161002"},
    {Wild::kEveryFunctionRefuses, "wild_every_function_refuses",
     "every function that answers by a code answers 161002, those that make something make "
     "nothing"},
    {Wild::kDoesNothing, "wild_does_nothing",
     "both phases of every operator answer 0 and do nothing: phase one writes neither of its "
     "results"},
    {Wild::kPlansAndDoesNothing, "wild_plans_and_does_nothing",
     "phase one accepts everything and makes an executor, phase two answers 0 and does nothing"},
    {Wild::kRandomCodes, "wild_random_codes",
     "each phase answers by chance (POOLPROOF_MUTANT_SEED) and does nothing"},
    {Wild::kAcceptsEverything, "wild_accepts_everything",
     "valid calls are answered rightly, all others with 0"},
    {Wild::kRefusesInPhaseTwo, "wild_refuses_in_phase_two",
     "phase one accepts everything, phase two refuses everything with 161002"},
    {Wild::kChecksInPhaseTwo, "wild_checks_in_phase_two",
     "phase one accepts everything, phase two answers what phase one should have"},
};

uint64_t Seed() {
  const char* value = std::getenv("POOLPROOF_MUTANT_SEED");
  return value == nullptr ? 1 : std::strtoull(value, nullptr, 10);
}

}  // namespace

std::span<const WildRow> WildRows() { return kWildTable; }

const WildRow* FindWild(std::string_view name) {
  for (const WildRow& row : kWildTable) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

aclnnStatus NextRandomCode() {
  constexpr aclnnStatus kCodes[] = {kOk,           kOk,          kParamNullptr,
                                    kParamInvalid, kInnerError,  kInferShapeError,
                                    kTilingError,  kInnerNullptr};
  static const uint64_t seed = Seed();
  static std::atomic<uint64_t> calls{0};
  std::mt19937_64 engine(seed * 1000003 + calls++);
  return kCodes[engine() % std::size(kCodes)];
}

}  // namespace mutants
