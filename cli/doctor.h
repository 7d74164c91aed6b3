// SPDX-License-Identifier: Apache-2.0
//
// Doctor: goes through what an implementation needs on this machine, one thing after another, and
// says of each what was found and what to do about it. Decides nothing about conformance.
#ifndef POOLPROOF_CLI_DOCTOR_H_
#define POOLPROOF_CLI_DOCTOR_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/spec/profile.h"
#include "core/status.h"

namespace poolproof {

enum class CheckState : std::uint8_t {
  kOk,
  kNote,     // worth knowing; nothing has to be done
  kProblem,  // has to be fixed
  kSkipped,  // not needed here, or not reached
};

// "ok", "note", "PROBLEM", "-".
std::string_view CheckStateName(CheckState state);

struct Check {
  std::string name;  // "toolkit"
  CheckState state = CheckState::kOk;
  std::string found;   // one sentence
  std::string remedy;  // of a problem; may be empty elsewhere
};

struct DoctorRequest {
  std::string implementation = "cann";
  std::optional<std::string> device;  // --device
  std::optional<Profile> profile;     // --profile
};

// In the order in which things depend on one another. errors: kInvalidArgument or kNotFound where
// the implementation is none that could be looked for: an unknown name, a manifest that is wrong.
Result<std::vector<Check>> Examine(const DoctorRequest& request);

bool IsHealthy(const std::vector<Check>& checks);

// A line for each check, remedies below them, no line longer than `width` where words allow.
std::string DoctorText(const std::vector<Check>& checks, std::size_t width);
// By reports/schema/poolproof-doctor-1.schema.json.
std::string DoctorJson(const DoctorRequest& request, const std::vector<Check>& checks);

}  // namespace poolproof

#endif  // POOLPROOF_CLI_DOCTOR_H_
