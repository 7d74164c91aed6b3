// SPDX-License-Identifier: Apache-2.0
//
// What every parser promises, checked by the fuzz targets: what is refused is refused in one line.
#ifndef POOLPROOF_FUZZ_EXPECT_H_
#define POOLPROOF_FUZZ_EXPECT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/status.h"

namespace poolproof {

inline void Expect(bool holds, const char* what, const std::string& text) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: %s: %s\n", what, text.c_str());
  std::abort();
}

inline void ExpectRefusal(const Status& status) {
  Expect(status.code() == StatusCode::kInvalidArgument || status.code() == StatusCode::kNotFound,
         "a refusal is no fault of input", status.message());
  Expect(!status.message().empty() && status.message().size() < 4096, "a message has a size",
         status.message());
  Expect(status.message().find('\n') == std::string::npos, "a refusal is one line",
         status.message());
}

inline std::string_view AsText(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace poolproof

#endif  // POOLPROOF_FUZZ_EXPECT_H_
