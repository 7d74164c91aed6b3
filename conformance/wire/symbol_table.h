// SPDX-License-Identifier: Apache-2.0
//
// Which function of an ELF file holds an address. The file is read, never loaded.
#ifndef POOLPROOF_CONFORMANCE_WIRE_SYMBOL_TABLE_H_
#define POOLPROOF_CONFORMANCE_WIRE_SYMBOL_TABLE_H_

#include <cstdint>
#include <optional>
#include <string>

namespace poolproof {

struct Symbol {
  std::string name;          // as it is in the file
  std::uint64_t offset = 0;  // of the address, from the function's first byte
};

// Of the function that holds the byte `offset` bytes behind the place where the file begins in
// memory. nullopt where there is none, or the file is no 64-bit ELF file of this machine's byte
// order.
std::optional<Symbol> FindSymbol(const std::string& path, std::uint64_t offset);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_WIRE_SYMBOL_TABLE_H_
