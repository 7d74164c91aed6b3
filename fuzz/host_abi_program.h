// SPDX-License-Identifier: Apache-2.0
//
// What the bytes of the target host_abi choose: functions, addresses, descriptors and whole calls;
// and what a library understands of a descriptor.
#ifndef POOLPROOF_FUZZ_HOST_ABI_PROGRAM_H_
#define POOLPROOF_FUZZ_HOST_ABI_PROGRAM_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/shape.h"
#include "fuzz/byte_reader.h"
#include "tests/runtime/support/abi_library.h"

namespace poolproof {

struct Memory {
  std::byte* data = nullptr;
  std::size_t size = 0;
  bool of_library = false;  // which then knows its size
};

// What a descriptor is made of. Null arrays and counts that are not theirs are passed as they are.
struct Descriptor {
  Dims shape;
  std::optional<Dims> strides;
  std::int64_t offset = 0;
  Dims storage;
  int type = 0;
  int format = 2;
  std::byte* data = nullptr;
  bool null_shape = false;
  bool null_storage = false;
  std::optional<std::uint64_t> rank;  // passed in place of the shape's
};

// A descriptor as it was made.
struct Tensor {
  aclTensor* handle = nullptr;
  Dims shape;
  Dims strides;
  std::int64_t offset = 0;
  int type = 0;
  std::byte* data = nullptr;

  [[nodiscard]] std::int64_t Numel() const {
    return CheckedNumel(shape).value_or(std::numeric_limits<std::int64_t>::max());
  }
  [[nodiscard]] bool IsEmpty() const {
    return std::find(shape.begin(), shape.end(), 0) != shape.end();
  }
};

// Arrays that are long enough for every count that is read.
struct Arrays {
  std::array<std::int64_t, 32> shape{};
  std::array<std::int64_t, 32> strides{};
  std::array<std::int64_t, 32> storage{};
};
Arrays ArraysOf(const Descriptor& made);
// What the library understands of it; nullopt: it refuses.
std::optional<Tensor> Understood(const Descriptor& made, const Arrays& arrays);

// The arguments of a call before its objects are made.
struct DescribedCall {
  AbiFunction function;
  bool ceil_mode = false;
  std::vector<Descriptor> tensors;
  std::vector<Dims> lists;
};

AbiFunction ReadFunction(ByteReader& bytes);
Dims ReadDims(ByteReader& bytes, std::size_t rank);
std::byte* ReadAddress(ByteReader& bytes, const std::vector<Memory>& memory);
Descriptor ReadDescriptor(ByteReader& bytes, const std::vector<Memory>& memory);
// Another value in one place.
void Tweak(Descriptor& made, ByteReader& bytes, const std::vector<Memory>& memory);
// Legal except for a few places.
DescribedCall ReadLegalCall(ByteReader& bytes, const std::vector<Memory>& memory);

}  // namespace poolproof

#endif  // POOLPROOF_FUZZ_HOST_ABI_PROGRAM_H_
