// SPDX-License-Identifier: Apache-2.0
#include "conformance/timing/network_shapes.h"

namespace poolproof {
namespace {

constexpr std::array<PoolAxis, 3> Cube(std::int64_t kernel, std::int64_t stride,
                                       std::int64_t padding) {
  const PoolAxis axis{kernel, stride, padding, 1};
  return {axis, axis, axis};
}
constexpr std::array<PoolAxis, 3> Flat(std::int64_t kernel, std::int64_t stride,
                                       std::int64_t padding) {
  const PoolAxis axis{kernel, stride, padding, 1};
  return {PoolAxis{}, axis, axis};
}

constexpr NetworkShape Fixed(std::string_view name, std::string_view about, std::int64_t n,
                             std::int64_t c, std::array<std::int64_t, 3> in,
                             std::array<PoolAxis, 3> axes, bool ceil_mode = false) {
  return {name, about, false, 3, n, c, in, {}, axes, ceil_mode};
}
constexpr NetworkShape Fixed2d(std::string_view name, std::string_view about, std::int64_t n,
                               std::int64_t c, std::int64_t height, std::int64_t width,
                               std::array<PoolAxis, 3> axes) {
  return {name, about, false, 2, n, c, {1, height, width}, {}, axes, false};
}
constexpr NetworkShape Adaptive(std::string_view name, std::string_view about, int spatial_rank,
                                std::int64_t n, std::int64_t c, std::array<std::int64_t, 3> in,
                                std::array<std::int64_t, 3> out) {
  return {name, about, true, spatial_rank, n, c, in, out, {}, false};
}

constexpr NetworkShape kShapes[] = {
    Fixed("m01_tiny_k2s2", "tiny", 1, 4, {4, 8, 8}, Cube(2, 2, 0)),
    Fixed("m02_small_k2s2", "tiny", 1, 32, {8, 14, 14}, Cube(2, 2, 0)),
    Fixed("m03_c3d_pool1", "k2s2 wide", 2, 64, {16, 112, 112}, Flat(2, 2, 0)),
    Fixed("m04_c3d_pool2", "k2s2 narrow", 8, 64, {16, 56, 56}, Cube(2, 2, 0)),
    Fixed("m05_i3d_pool2a", "k3s2", 2, 64, {32, 112, 112}, Flat(3, 2, 1)),
    Fixed("m06_r3d_stem", "k3s2", 4, 64, {16, 56, 56}, Cube(3, 2, 1)),
    Fixed("m07_i3d_pool4a", "k3s2", 4, 480, {16, 28, 28}, Cube(3, 2, 1)),
    Fixed("m08_inc_3b_k3s1", "k3s1", 2, 192, {16, 28, 28}, Cube(3, 1, 1)),
    Fixed("m09_inc_4b_k3s1", "k3s1", 4, 480, {8, 14, 14}, Cube(3, 1, 1)),
    Fixed("m10_unet3d_l1", "k2s2 wide", 2, 64, {128, 128, 128}, Cube(2, 2, 0)),
    Fixed("m11_vnet_l2", "k2s2 wide", 1, 64, {64, 64, 64}, Cube(2, 2, 0)),
    Fixed("m12_i3d_pool5a", "k2s2 narrow", 8, 832, {8, 14, 14}, Cube(2, 2, 0)),
    Fixed("m13_ceil_k3s2", "k3s2", 4, 64, {17, 57, 57}, Cube(3, 2, 0), true),
    Adaptive("a14_3d_1x7x7", "adaptive", 3, 8, 512, {16, 14, 14}, {1, 7, 7}),
    Adaptive("a15_3d_4x4x4", "adaptive", 3, 8, 256, {16, 28, 28}, {4, 4, 4}),
    Adaptive("a16_3d_nd", "adaptive uneven", 3, 8, 256, {10, 30, 30}, {3, 7, 7}),
    Adaptive("a17_2d_psp1", "adaptive", 2, 4, 2048, {1, 60, 60}, {1, 1, 1}),
    Adaptive("a18_2d_psp2", "adaptive", 2, 4, 2048, {1, 60, 60}, {1, 2, 2}),
    Adaptive("a19_2d_psp3", "adaptive", 2, 4, 2048, {1, 60, 60}, {1, 3, 3}),
    Adaptive("a20_2d_psp6", "adaptive", 2, 4, 2048, {1, 60, 60}, {1, 6, 6}),
    Adaptive("a21_2d_spp_nd", "adaptive uneven", 2, 64, 256, {1, 13, 13}, {1, 6, 6}),
    Adaptive("a22_2d_psp6_big", "adaptive", 2, 40, 2048, {1, 60, 60}, {1, 6, 6}),
    Fixed2d("p23_2d_vgg_pool1", "k2s2 wide", 8, 64, 224, 224, Flat(2, 2, 0)),
    Fixed2d("p24_2d_resnet_stem", "k3s2", 32, 64, 112, 112, Flat(3, 2, 1)),
};

}  // namespace

std::array<std::int64_t, 3> NetworkShape::Pooled() const {
  if (adaptive) return out;
  std::array<std::int64_t, 3> pooled{};
  for (std::size_t i = 0; i < 3; ++i) pooled[i] = PooledExtent(in[i], axes[i], ceil_mode);
  return pooled;
}

std::int64_t NetworkShape::outputs() const {
  const auto pooled = Pooled();
  return pooled[0] * pooled[1] * pooled[2];
}

std::int64_t NetworkShape::Additions() const {
  bool overlaps = false;
  for (std::size_t i = 0; i < 3; ++i) {
    overlaps = overlaps || (adaptive ? in[i] % out[i] != 0 : axes[i].kernel > axes[i].stride);
  }
  return overlaps ? planes() * outputs() : 0;
}

std::int64_t NetworkShape::Traffic(int element_bytes, int index_bytes) const {
  return planes() * (outputs() * (element_bytes + index_bytes) + inputs() * element_bytes);
}

std::span<const NetworkShape> NetworkShapes() { return kShapes; }

}  // namespace poolproof
