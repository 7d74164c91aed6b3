// SPDX-License-Identifier: Apache-2.0
//
// Bytes as a problem for several libraries. Used by the differential target.
#ifndef POOLPROOF_FUZZ_CASE_FROM_BYTES_H_
#define POOLPROOF_FUZZ_CASE_FROM_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "conformance/case/case.h"
#include "conformance/spec/profile.h"

namespace poolproof {

struct FuzzCase {
  Case problem;
  Profile profile = Profile::kAtlasA2;
  int tier = 0;     // of the optimized kernels, modulo those of this machine
  int threads = 1;  // that those may use
  // Bytes of canary around each operand. Without them an address sanitizer sees the first byte
  // behind what the allocator guarantees.
  std::uint32_t guard_bytes = 256;
};

// A problem of at most some tens of thousands of elements whose calls are all legal under its
// profile, whatever the bytes are; of contents, indices may be outside their windows or planes.
FuzzCase CaseFromBytes(const std::uint8_t* data, std::size_t size);

// The case of a case line, legal or not; nullopt where it is none, or too large. Pauses and
// measurements of memory growth are left out.
std::optional<FuzzCase> CaseFromLine(std::string_view line);

}  // namespace poolproof

#endif  // POOLPROOF_FUZZ_CASE_FROM_BYTES_H_
