// SPDX-License-Identifier: Apache-2.0
//
// From an implementation that could not be started to what its user should do about it. Pure: what
// is known of the machine is an argument.
#ifndef POOLPROOF_CONFORMANCE_CANN_REMEDY_H_
#define POOLPROOF_CONFORMANCE_CANN_REMEDY_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/cann/system.h"

namespace poolproof {

struct StartTrouble {
  enum class Kind : std::uint8_t {
    kNotFound,        // a library of a built-in manifest is nowhere
    kOtherRelease,    // the same, and "cann" would find all that it wants
    kCannotOpen,      // `text`: what the dynamic linker said
    kMissingSymbols,  // `missing`
    kNoDevice,        // `text`: what the implementation answered
    kEnded,           // it crashed, hung or ended its process while it was opened
  };
  Kind kind = Kind::kNoDevice;
  std::string text;
  std::vector<std::string> missing;
  std::vector<std::string> libraries;  // paths or sonames, as they were opened
};

// True where some of the libraries are CANN's, by their file names.
bool AreCannLibraries(const std::vector<std::string>& libraries);

// In one sentence without a full stop; empty where nothing can be said.
std::string RemedyFor(const StartTrouble& trouble, const CannSystem& system);

// For a status that a call returned though all could be opened; empty where it is no matter of how
// the machine is set up.
std::string RemedyForStatus(std::int32_t status, const CannSystem& system);

// The parts of it, as `doctor` says them one by one.
// Where a device was asked for by a number that there is not.
std::string TakeAnotherDevice();
std::string SourceSetEnv(const CannSystem& system);
std::string InstallDriver(const CannSystem& system);
// Where a device file is missing or may not be used; empty where all is well.
std::string MendDevices(const CannSystem& system);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_CANN_REMEDY_H_
