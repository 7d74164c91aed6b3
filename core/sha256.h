// SPDX-License-Identifier: Apache-2.0
//
// SHA-256 (FIPS 180-4) of byte ranges: identities of libraries, plans and cases in reports.
#ifndef POOLPROOF_CORE_SHA256_H_
#define POOLPROOF_CORE_SHA256_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace poolproof {

class Sha256 {
 public:
  void Update(std::span<const std::byte> bytes);
  void Update(std::string_view text) { Update(std::as_bytes(std::span(text))); }
  // Lower-case hex of 64 characters. The object is spent afterwards.
  std::string Finish();

 private:
  void Block(const std::byte* data);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667U, 0xbb67ae85U, 0x3c6ef372U, 0xa54ff53aU,
                                         0x510e527fU, 0x9b05688cU, 0x1f83d9abU, 0x5be0cd19U};
  std::array<std::byte, 64> pending_ = {};
  std::size_t pending_size_ = 0;
  std::uint64_t total_ = 0;
};

std::string Sha256Hex(std::string_view text);
// Whether the text has the form of such a hash.
bool IsSha256(std::string_view text);

}  // namespace poolproof

#endif  // POOLPROOF_CORE_SHA256_H_
