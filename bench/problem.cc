// SPDX-License-Identifier: Apache-2.0
#include "bench/problem.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "core/float_bits.h"
#include "core/random.h"
#include "reference/reference_kernels.h"

namespace poolproof {
namespace {

constexpr std::int64_t kDistinctPlanes = 48;
constexpr std::int64_t kDistinctElements = std::int64_t{1} << 22;

void StoreFloat(std::byte* data, std::int64_t i, float value, DataType type) {
  const std::uint32_t bits = EncodeFloat(value, type);
  if (StorageBytes(type) == 4) {
    StoreElement(data, i, bits);
  } else {
    StoreElement(data, i, static_cast<std::uint16_t>(bits));
  }
}

// Copies the first planes over all others.
void Repeat(const Buffer& buffer, std::size_t distinct_bytes) {
  for (std::size_t at = distinct_bytes; at < buffer.bytes(); at += distinct_bytes) {
    std::memcpy(buffer.data() + at, buffer.data(), std::min(distinct_bytes, buffer.bytes() - at));
  }
}

bool EqualFloats(const std::byte* a, const std::byte* b, std::size_t bytes, DataType type) {
  if (std::memcmp(a, b, bytes) == 0) return true;
  const auto count = static_cast<std::int64_t>(bytes) / StorageBytes(type);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto value = [&](const std::byte* data) {
      return StorageBytes(type) == 4
                 ? LoadElement<float>(data, i)
                 : static_cast<float>(DecodeFloat(LoadElement<std::uint16_t>(data, i), type));
    };
    if (value(a) != value(b)) return false;
  }
  return true;
}

template <typename Equal>
bool EqualPlanes(const std::byte* found, const std::vector<std::byte>& expected, std::size_t bytes,
                 const Equal& equal) {
  for (std::size_t at = 0; at < bytes; at += expected.size()) {
    if (!equal(found + at, expected.data(), std::min(expected.size(), bytes - at))) return false;
  }
  return true;
}

}  // namespace

Buffer::Buffer(std::size_t bytes) : bytes_(bytes) {
  constexpr std::size_t kPage = 4096;
  memory_.reset(static_cast<std::byte*>(
      std::aligned_alloc(kPage, (std::max<std::size_t>(bytes, 1) + kPage - 1) / kPage * kPage)));
  if (memory_ == nullptr) throw std::bad_alloc();
  std::memset(memory_.get(), 0, bytes);
}

Problem::Problem(const NetworkShape& shape, Pass pass, DataType type, DataType index_type, int sets)
    : shape_(shape),
      pass_(pass),
      type_(type),
      index_type_(index_type),
      distinct_(std::clamp<std::int64_t>(kDistinctElements / shape.inputs(), 1,
                                         std::min(shape.planes(), kDistinctPlanes))),
      self_(static_cast<std::size_t>(distinct_ * shape.inputs() * StorageBytes(type))) {
  RandomStream random(1);
  for (std::int64_t i = 0; i < distinct_ * shape.inputs(); ++i) {
    StoreFloat(self_.data(), i, static_cast<float>(random.Between(-1000000, 1000000)) / 64, type);
  }
  const auto pooled = static_cast<std::size_t>(shape.planes() * shape.outputs());
  const auto plane_side = static_cast<std::size_t>(shape.planes() * shape.inputs());
  const auto element = static_cast<std::size_t>(StorageBytes(type));
  const auto index = static_cast<std::size_t>(StorageBytes(index_type));
  for (int i = 0; i < sets; ++i) {
    sets_.push_back(
        {Buffer(pooled * element), Buffer(pooled * index), Buffer(plane_side * element)});
  }
  // The forward of the distinct planes makes indices; for a forward it is the expected answer.
  const auto distinct_pooled = static_cast<std::size_t>(distinct_ * shape.outputs());
  Buffer values(distinct_pooled * element);
  Buffer indices(distinct_pooled * index);
  const auto view = [&](std::byte* data, DataType t, const std::array<std::int64_t, 3>& e) {
    const Dims dims = {1, distinct_, e[0], e[1], e[2]};
    return MutableTensorView{data, t, dims, ContiguousStrides(dims), 0};
  };
  const MutableTensorView self = view(self_.data(), type, shape.in);
  const TensorView input{self.data, self.type, self.shape, self.strides, 0};
  const MutableTensorView out = view(values.data(), type, shape.Pooled());
  const MutableTensorView where = view(indices.data(), index_type, shape.Pooled());
  if (shape.adaptive) {
    ReferenceKernels().adaptive_max_pool3d({input, out, where});
  } else {
    ReferenceKernels().max_pool3d_with_argmax({input, shape.axes, out, where});
  }
  if (pass == Pass::kForward) {
    expected_.assign(values.data(), values.data() + values.bytes());
    expected_indices_.assign(indices.data(), indices.data() + indices.bytes());
    for (const OperandSet& set : sets_) {
      std::memcpy(set.plane_side.data(), self_.data(), self_.bytes());
      Repeat(set.plane_side, self_.bytes());
    }
    return;
  }
  Buffer gradients(distinct_pooled * element);
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(distinct_pooled); ++i) {
    StoreFloat(gradients.data(), i, static_cast<float>(random.Between(-8, 8)), type);
  }
  for (const OperandSet& set : sets_) {
    std::memcpy(set.pooled.data(), gradients.data(), gradients.bytes());
    Repeat(set.pooled, gradients.bytes());
    std::memcpy(set.indices.data(), indices.data(), indices.bytes());
    Repeat(set.indices, indices.bytes());
  }
  expected_.resize(static_cast<std::size_t>(distinct_ * shape.inputs()) * element);
  const MutableTensorView grad = view(gradients.data(), type, shape.Pooled());
  static_cast<void>(ReferenceKernels().max_pool3d_with_argmax_backward(
      {{grad.data, grad.type, grad.shape, grad.strides, 0},
       {where.data, where.type, where.shape, where.strides, 0},
       view(expected_.data(), type, shape.in)}));
}

TensorView Problem::View(const Buffer& buffer, DataType type, bool pooled) const {
  const MutableTensorView view = MutableView(buffer, type, pooled);
  return {view.data, view.type, view.shape, view.strides, view.offset};
}

MutableTensorView Problem::MutableView(const Buffer& buffer, DataType type, bool pooled) const {
  const auto extents = pooled ? shape_.Pooled() : shape_.in;
  const Dims dims = {shape_.n, shape_.c, extents[0], extents[1], extents[2]};
  return {buffer.data(), type, dims, ContiguousStrides(dims), 0};
}

BackwardArgs Problem::Backward(int i) const {
  BackwardArgs args{View(set(i).pooled, type_, true), View(set(i).indices, index_type_, true),
                    MutableView(set(i).plane_side, type_, false)};
  if (!shape_.adaptive) args.axes = shape_.axes;
  return args;
}

MaxPoolArgs Problem::Forward(int i) const {
  return {View(set(i).plane_side, type_, false), shape_.axes,
          MutableView(set(i).pooled, type_, true), MutableView(set(i).indices, index_type_, true)};
}

AdaptiveMaxPoolArgs Problem::AdaptiveForward(int i) const {
  return {View(set(i).plane_side, type_, false), MutableView(set(i).pooled, type_, true),
          MutableView(set(i).indices, index_type_, true)};
}

bool Problem::PlaneSideIsRight(const std::byte* found) const {
  return EqualPlanes(found, expected_, set(0).plane_side.bytes(),
                     [this](const std::byte* a, const std::byte* b, std::size_t bytes) {
                       return EqualFloats(a, b, bytes, type_);
                     });
}

bool Problem::PooledIsRight(const std::byte* values, const std::byte* indices) const {
  const auto same = [](const std::byte* a, const std::byte* b, std::size_t bytes) {
    return std::memcmp(a, b, bytes) == 0;
  };
  return EqualPlanes(values, expected_, set(0).pooled.bytes(), same) &&
         EqualPlanes(indices, expected_indices_, set(0).indices.bytes(), same);
}

std::vector<std::byte> Problem::Sample(const std::vector<std::byte>& result) {
  constexpr std::size_t kLine = 64;
  std::vector<std::byte> sample(kSampleBytes);
  const std::size_t lines = result.size() / kLine;
  for (std::size_t i = 0; lines > 0 && i < kSampleBytes / kLine; ++i) {
    const std::size_t line = i * lines * kLine / kSampleBytes;
    std::memcpy(sample.data() + i * kLine, result.data() + line * kLine, kLine);
  }
  return sample;
}

void Problem::SpoilResult(int i) const {
  const auto spoil = [](const Buffer& buffer) { std::memset(buffer.data(), 0xff, buffer.bytes()); };
  if (pass_ == Pass::kBackward) return spoil(set(i).plane_side);
  spoil(set(i).pooled);
  spoil(set(i).indices);
}

}  // namespace poolproof
