// SPDX-License-Identifier: Apache-2.0
#include "fuzz/host_abi_program.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "core/pool_geometry.h"

namespace poolproof {
namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

// Every operator in both directions.
constexpr std::array kOperators = {AbiOperator::kMaxPool3d, AbiOperator::kMaxPool2d,
                                   AbiOperator::kAdaptive3d, AbiOperator::kAdaptive2d};

std::int64_t ReadExtent(ByteReader& bytes) {
  const std::uint8_t byte = bytes.Byte();
  if (byte < 200) return byte % 9;
  constexpr std::array<std::int64_t, 14> kOdd = {-1,
                                                 kMin,
                                                 kMax,
                                                 0x7fffffff,
                                                 0x80000000,
                                                 0x100000000,
                                                 std::int64_t{1} << 62,
                                                 65536,
                                                 kMin + 1,
                                                 kMax - 1,
                                                 -2,
                                                 std::int64_t{1} << 31,
                                                 1000003,
                                                 64};
  if (byte < 250) return kOdd[byte % kOdd.size()];
  return static_cast<std::int64_t>(bytes.Word());
}

int ReadType(ByteReader& bytes) {
  return bytes.Of({0, 1, 27, 3, 9, 0, 3, 2, 4, 11, 12, 13, 29, 30, -1, 999, 33, 28});
}

int ReadFormat(ByteReader& bytes) {
  return bytes.Of({2, 2, 2, 30, 0, 47, 1, 27, 29, 3, 4, -1, 1000, 12, 35});
}

std::int64_t Small(ByteReader& bytes) { return bytes.Between(1, 5); }

// Strides of an order of its own, with gaps, or of a view that is mirrored.
void RelaxLayout(Descriptor& made, ByteReader& bytes) {
  made.strides = ContiguousStrides(made.shape);
  Dims& strides = *made.strides;
  const std::size_t axis = bytes.Byte() % strides.size();
  switch (bytes.Byte() % 4) {
    case 0:
      for (std::int64_t& stride : strides) stride *= 2;
      break;
    case 1:
      strides[axis] = 0;
      break;
    case 2:
      made.offset = (made.shape[axis] - 1) * strides[axis];
      strides[axis] = -strides[axis];
      break;
    default:
      std::reverse(strides.begin(), strides.end());
      break;
  }
  made.storage = {bytes.OneIn(4) ? made.offset + 60 : 4096};
}

}  // namespace

Arrays ArraysOf(const Descriptor& made) {
  Arrays arrays;
  std::copy(made.shape.begin(), made.shape.end(), arrays.shape.begin());
  if (made.strides) std::copy(made.strides->begin(), made.strides->end(), arrays.strides.begin());
  std::copy(made.storage.begin(), made.storage.end(), arrays.storage.begin());
  return arrays;
}

std::optional<Tensor> Understood(const Descriptor& made, const Arrays& arrays) {
  const std::uint64_t rank = made.rank.value_or(made.shape.size());
  if (rank > 25 || (made.null_shape && rank > 0)) return std::nullopt;
  if (made.null_storage && !made.storage.empty()) return std::nullopt;
  Tensor tensor;
  tensor.shape.assign(arrays.shape.begin(),
                      arrays.shape.begin() + static_cast<std::ptrdiff_t>(rank));
  tensor.strides = ContiguousStrides(tensor.shape);
  if (made.strides) {
    tensor.strides.assign(arrays.strides.begin(),
                          arrays.strides.begin() + static_cast<std::ptrdiff_t>(rank));
  }
  tensor.offset = made.offset;
  tensor.type = made.type;
  tensor.data = made.data;
  return tensor;
}

AbiFunction ReadFunction(ByteReader& bytes) {
  const std::size_t choice = bytes.Byte() % (2 * kOperators.size());
  return {kOperators[choice / 2], choice % 2 != 0};
}

Dims ReadDims(ByteReader& bytes, std::size_t rank) {
  Dims dims(rank);
  for (std::int64_t& extent : dims) extent = ReadExtent(bytes);
  return dims;
}

std::byte* ReadAddress(ByteReader& bytes, const std::vector<Memory>& memory) {
  const Memory& block = memory[bytes.Byte() % memory.size()];
  if (bytes.OneIn(16)) return nullptr;
  if (!bytes.OneIn(4)) return block.data;
  return block.data + static_cast<std::size_t>(bytes.Between(0, 15)) * 4 % block.size;
}

Descriptor ReadDescriptor(ByteReader& bytes, const std::vector<Memory>& memory) {
  Descriptor made;
  const std::size_t rank = bytes.Byte() % 10;
  made.shape = ReadDims(bytes, rank);
  if (!bytes.OneIn(2)) made.strides = ReadDims(bytes, rank);
  made.offset = bytes.OneIn(2) ? ReadExtent(bytes) : 0;
  made.storage = bytes.OneIn(2) ? ReadDims(bytes, bytes.Byte() % 6) : Dims{16384};
  made.type = ReadType(bytes);
  made.format = ReadFormat(bytes);
  made.data = ReadAddress(bytes, memory);
  return made;
}

void Tweak(Descriptor& made, ByteReader& bytes, const std::vector<Memory>& memory) {
  const std::size_t axis = made.shape.empty() ? 0 : bytes.Byte() % made.shape.size();
  switch (bytes.Byte() % 12) {
    case 0:
      if (!made.shape.empty()) made.shape[axis] = ReadExtent(bytes);
      break;
    case 1:
    case 2:
      if (!made.strides) made.strides = ContiguousStrides(made.shape);
      if (!made.shape.empty()) (*made.strides)[axis] = ReadExtent(bytes);
      break;
    case 3:
      made.offset = ReadExtent(bytes);
      break;
    case 4:
      made.storage = ReadDims(bytes, bytes.Byte() % 6);
      break;
    case 5:
      made.type = ReadType(bytes);
      break;
    case 6:
      made.format = ReadFormat(bytes);
      break;
    case 7:
      made.data = ReadAddress(bytes, memory);
      break;
    case 8:
      made.shape = ReadDims(bytes, bytes.Byte() % 10);
      made.strides.reset();
      break;
    case 9:
      made.rank = bytes.Of<std::uint64_t>({0, 1, 25, 26, ~std::uint64_t{0}});
      break;
    case 10:
      made.null_shape = true;
      break;
    default:
      made.null_storage = true;
      break;
  }
}

DescribedCall ReadLegalCall(ByteReader& bytes, const std::vector<Memory>& memory) {
  const AbiFunction function = ReadFunction(bytes);
  const auto spatial = static_cast<std::size_t>(SpatialRank(function.op));
  const bool batched = bytes.OneIn(2);
  Dims self = batched ? Dims{bytes.Between(1, 2), bytes.Between(1, 3)} : Dims{bytes.Between(1, 3)};
  Dims out = self;
  std::vector<Dims> lists;
  const bool ceil_mode = bytes.OneIn(2);
  if (HasFixedWindows(function.op)) {
    lists = {{}, {}, {}, Dims(spatial, 1)};
    for (std::size_t i = 0; i < spatial; ++i) {
      const std::int64_t extent = Small(bytes);
      const std::int64_t kernel = bytes.Between(1, extent);
      const std::int64_t stride = bytes.Between(1, 4);
      const std::int64_t padding = bytes.Between(0, kernel / 2);
      self.push_back(extent);
      out.push_back(PooledExtent(extent, {kernel, stride, padding, 1}, ceil_mode));
      lists[0].push_back(kernel);
      lists[1].push_back(stride);
      lists[2].push_back(padding);
    }
  } else {
    Dims sizes;
    for (std::size_t i = 0; i < spatial; ++i) {
      self.push_back(Small(bytes));
      sizes.push_back(Small(bytes));
    }
    out.insert(out.end(), sizes.begin(), sizes.end());
    if (function.forward) lists = {sizes};
  }
  const int type = bytes.Of({0, 1, 27});
  const int index_type =
      function.op == AbiOperator::kAdaptive2d && function.forward ? 9 : bytes.Of({3, 3, 3, 9});
  int format = 2;
  if (function.forward && function.op == AbiOperator::kAdaptive3d) format = batched ? 30 : 0;
  if (function.forward && function.op == AbiOperator::kAdaptive2d) format = batched ? 0 : 47;
  const auto describe = [&](const Dims& shape, int of_type) {
    Descriptor made;
    made.shape = shape;
    made.storage = shape;
    made.type = of_type;
    made.format = format;
    made.data = ReadAddress(bytes, memory);
    if (bytes.OneIn(3)) RelaxLayout(made, bytes);
    return made;
  };
  std::vector<Descriptor> tensors;
  if (function.forward) {
    tensors = {describe(self, type), describe(out, type), describe(out, index_type)};
  } else {
    tensors = {describe(out, type), describe(self, type), describe(out, index_type),
               describe(self, type)};
  }
  for (int i = bytes.Of({0, 0, 1, 1, 2, 3}); i > 0; --i) {
    if (bytes.OneIn(3) && !lists.empty()) {
      Dims& list = lists[bytes.Byte() % lists.size()];
      if (bytes.OneIn(3) || list.empty()) {
        list = ReadDims(bytes, static_cast<std::size_t>(bytes.Of({3, 1, 0, 2, 4})));
      } else {
        list[bytes.Byte() % list.size()] = ReadExtent(bytes);
      }
    } else {
      Tweak(tensors[bytes.Byte() % tensors.size()], bytes, memory);
    }
  }
  return {function, ceil_mode, std::move(tensors), std::move(lists)};
}

}  // namespace poolproof
