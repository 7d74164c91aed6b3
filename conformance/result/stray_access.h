// SPDX-License-Identifier: Apache-2.0
//
// StrayAccess: where a call touched memory that it must not, in words that are read back. The
// judge writes them into messages, reports draw what they say.
#ifndef POOLPROOF_CONFORMANCE_RESULT_STRAY_ACCESS_H_
#define POOLPROOF_CONFORMANCE_RESULT_STRAY_ACCESS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "conformance/result/outcome.h"

namespace poolproof {

struct StrayAccess {
  enum class Place : std::uint8_t {
    kBefore,   // the storage
    kAfter,    // the storage
    kBetween,  // or outside the view's elements, in the storage of an output
    kInput,    // in the storage of an input
  };
  Role role = Role::kGradInput;
  Place place = Place::kAfter;
  // Bytes: kBefore: 1 is the one in front of the storage; kAfter: 0 is the first one behind it;
  // else from the start of the storage. nullopt: some byte near it.
  std::optional<std::int64_t> byte;
  Access access = Access::kWrite;
  friend bool operator==(const StrayAccess&, const StrayAccess&) = default;
};

// "memory just after the storage of gradInput was overwritten", "memory 1 byte before the start of
// the storage of self was read", "byte 12 of the storage of indices was changed", ... What lies in
// a storage was written; where `byte` is not known, it was written, too.
std::string StrayAccessText(const StrayAccess& stray);

// What a message tells that holds such a text; nullopt: it tells of no such access.
std::optional<StrayAccess> ReadStrayAccess(std::string_view message);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_RESULT_STRAY_ACCESS_H_
