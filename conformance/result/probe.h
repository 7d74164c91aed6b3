// SPDX-License-Identifier: Apache-2.0
//
// Probe: what opening and probing an implementation found. Sent by the worker, kept in reports.
#ifndef POOLPROOF_CONFORMANCE_RESULT_PROBE_H_
#define POOLPROOF_CONFORMANCE_RESULT_PROBE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/equality.h"

namespace poolproof {

struct LibraryIdentity {
  std::string name;    // file name without a folder
  std::string sha256;  // of the file; empty where it was opened by soname
  POOLPROOF_EQUALITY(LibraryIdentity);
};

// What probing the implementation found.
struct Probe {
  std::string soc;                            // aclrtGetSocName; empty: not exported
  std::optional<std::uint32_t> devices;       // aclrtGetDeviceCount; nullopt: not exported
  std::vector<std::string> operators;         // names of the operators offered
  std::vector<std::string> missing;           // required symbols that are absent
  std::vector<std::string> optional_symbols;  // used-when-present symbols that are present
  bool host_memory = false;                   // device memory can be read through its pointer
  POOLPROOF_EQUALITY(Probe);
};

struct ImplementationIdentity {
  std::string name;
  std::vector<LibraryIdentity> libraries;
  std::vector<std::pair<std::string, std::string>> declared;  // capabilities of the manifest
  Probe probe;
  // Observations that decide no verdict: "accumulation.f16" -> "acc32", "subnormals" -> "kept".
  std::vector<std::pair<std::string, std::string>> observed;
  POOLPROOF_EQUALITY(ImplementationIdentity);
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_RESULT_PROBE_H_
