// SPDX-License-Identifier: Apache-2.0
//
// Every tier against the reference, with its constants put where a problem's borders are.
#include "optimized/tiers.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "core/float_bits.h"
#include "core/random.h"
#include "optimized/max_pool.h"
#include "optimized/max_pool_backward.h"
#include "reference/reference_kernels.h"
#include "tests/kernels/guarded_buffer.h"

namespace poolproof {
namespace {

constexpr std::array kTierFloats = {DataType::kFloat, DataType::kFloat16, DataType::kBf16};
constexpr std::array kTierIndexTypes = {DataType::kInt32, DataType::kInt64};

std::vector<const Tier*> TiersHere() {
  std::vector<const Tier*> tiers;
  for (const Tier* tier : Tiers()) {
    if ((tier->needs & ~CpuFeatures()) == 0) tiers.push_back(tier);
  }
  return tiers;
}

struct Geometry {
  std::int64_t planes;
  std::array<std::int64_t, 3> in;
  std::array<std::int64_t, 3> out;
  std::optional<std::array<PoolAxis, 3>> axes;
};

Geometry FixedGeometry(std::int64_t planes, std::array<std::int64_t, 3> in,
                       std::array<PoolAxis, 3> axes, bool ceil_mode = false) {
  Geometry geometry{planes, in, {}, axes};
  for (std::size_t i = 0; i < 3; ++i) {
    geometry.out[i] = PooledExtent(in[i], axes[i], ceil_mode);
  }
  return geometry;
}

// Operands that end at pages without rights.
class Operands {
 public:
  Operands(const Geometry& geometry, DataType type, DataType index_type, RandomStream& random)
      : geometry_(geometry),
        type_(type),
        index_type_(index_type),
        outputs_(geometry.out[0] * geometry.out[1] * geometry.out[2]),
        inputs_(geometry.in[0] * geometry.in[1] * geometry.in[2]),
        grad_output_(Bytes(geometry.planes * outputs_, type)),
        indices_(Bytes(geometry.planes * outputs_, index_type)),
        grad_input_(Bytes(geometry.planes * inputs_, type)),
        expected_(Bytes(geometry.planes * inputs_, type)) {
    for (std::int64_t i = 0; i < geometry.planes * outputs_; ++i) {
      SetGradient(i, Value(random));
      SetIndex(i, WindowIndex(i % outputs_, random));
    }
  }

  [[nodiscard]] BackwardArgs args() const { return Args(grad_input_); }
  [[nodiscard]] std::int64_t outputs() const { return outputs_; }
  [[nodiscard]] std::int64_t inputs() const { return inputs_; }
  [[nodiscard]] std::int64_t count() const { return geometry_.planes * outputs_; }

  void SetIndex(std::int64_t i, std::int64_t index) {
    if (index_type_ == DataType::kInt64) return StoreElement(indices_.data(), i, index);
    StoreElement(indices_.data(), i, static_cast<std::int32_t>(index));
  }
  void SetGradient(std::int64_t i, double value) { SetGradientBits(i, EncodeFloat(value, type_)); }
  void SetGradientBits(std::int64_t i, std::uint32_t bits) {
    if (type_ == DataType::kFloat) return StoreElement(grad_output_.data(), i, bits);
    StoreElement(grad_output_.data(), i, static_cast<std::uint16_t>(bits));
  }

  [[nodiscard]] std::optional<BadIndex> Expect() const {
    return ReferenceKernels().max_pool3d_with_argmax_backward(Args(expected_));
  }
  // Of a 16-bit result.
  [[nodiscard]] std::uint16_t ResultBits(std::int64_t i) const {
    return LoadElement<std::uint16_t>(grad_input_.data(), i);
  }
  // The kernel's result has the bits of the reference's.
  [[nodiscard]] bool Agrees(const Tuning& tuning) const {
    std::memset(grad_input_.data(), 0xa5, grad_input_.bytes());
    if (OptimizedMaxPoolBackward(args(), tuning).has_value()) return false;
    return std::memcmp(grad_input_.data(), expected_.data(), expected_.bytes()) == 0;
  }

 private:
  static std::size_t Bytes(std::int64_t elements, DataType type) {
    return static_cast<std::size_t>(elements * StorageBytes(type));
  }
  [[nodiscard]] BackwardArgs Args(const GuardedBuffer& to) const {
    const Dims out = {1, geometry_.planes, geometry_.out[0], geometry_.out[1], geometry_.out[2]};
    const Dims in = {1, geometry_.planes, geometry_.in[0], geometry_.in[1], geometry_.in[2]};
    return {{grad_output_.data(), type_, out, ContiguousStrides(out), 0},
            {indices_.data(), index_type_, out, ContiguousStrides(out), 0},
            {to.data(), type_, in, ContiguousStrides(in), 0},
            geometry_.axes};
  }
  // Numbers that round, subnormals, zeros of both signs and now and then an infinity. No NaN: its
  // payload may differ.
  static double Value(RandomStream& random) {
    switch (random.Below(24)) {
      case 0:
        return -0.0;
      case 1:
        return 0x1p-130 * static_cast<double>(random.Between(-9, 9));
      case 2:
        return 0x1p-24 * static_cast<double>(random.Between(-9, 9));
      case 3:
        return random.OneIn(8) ? HUGE_VAL : 65504.0;
      default:
        return static_cast<double>(random.Between(-100000, 100000)) / 77;
    }
  }
  [[nodiscard]] std::int64_t WindowIndex(std::int64_t output, RandomStream& random) const {
    std::array<std::int64_t, 3> at = {output / (geometry_.out[1] * geometry_.out[2]),
                                      output / geometry_.out[2] % geometry_.out[1],
                                      output % geometry_.out[2]};
    for (std::size_t i = 0; i < 3; ++i) {
      const WindowSpan span = geometry_.axes.has_value()
                                  ? PoolWindow(at[i], geometry_.in[i], (*geometry_.axes)[i])
                                  : AdaptiveWindow(at[i], geometry_.in[i], geometry_.out[i]);
      at[i] = span.first +
              static_cast<std::int64_t>(random.Below(static_cast<std::uint64_t>(span.size())));
    }
    return (at[0] * geometry_.in[1] + at[1]) * geometry_.in[2] + at[2];
  }

  Geometry geometry_;
  DataType type_;
  DataType index_type_;
  std::int64_t outputs_;
  std::int64_t inputs_;
  GuardedBuffer grad_output_;
  GuardedBuffer indices_;
  GuardedBuffer grad_input_;
  GuardedBuffer expected_;
};

// Everything to scatter-add, scatter-store or unpool, in small tiles.
Tuning SmallPieces(const Tier* tier, std::int64_t threads = 1) {
  return {.parallelism = {threads, 1},
          .tier = tier,
          .block_outputs = 16,
          .whole_plane_bytes = 0,
          .tile_bytes = 0,
          .scatter_store_inputs = 1,
          .scatter_store_planes = 1,
          .stream_bytes = 0,
          .unpool_outputs = 1};
}

// Nothing to scatter-store.
Tuning Summed(Tuning tuning) {
  tuning.scatter_store_inputs = INT64_MAX;
  return tuning;
}

constexpr std::array<PoolAxis, 3> Cube(std::int64_t kernel, std::int64_t stride,
                                       std::int64_t padding) {
  const PoolAxis axis{kernel, stride, padding, 1};
  return {axis, axis, axis};
}

const std::vector<Geometry>& Geometries() {
  static const std::vector<Geometry> geometries = {
      FixedGeometry(3, {6, 9, 10}, Cube(3, 2, 1)),
      FixedGeometry(2, {5, 6, 7}, Cube(3, 1, 1)),
      FixedGeometry(4, {4, 6, 34}, Cube(2, 2, 0)),
      FixedGeometry(2, {4, 8, 64}, Cube(2, 2, 0)),
      FixedGeometry(3, {3, 4, 96}, {PoolAxis{}, PoolAxis{2, 2, 0, 1}, PoolAxis{2, 2, 0, 1}}),
      FixedGeometry(2, {2, 4, 1310}, Cube(2, 2, 0)),
      FixedGeometry(2, {4, 9, 64},
                    {PoolAxis{2, 2, 0, 1}, PoolAxis{3, 3, 0, 1}, PoolAxis{2, 2, 0, 1}}),
      FixedGeometry(3, {2, 8, 70}, {PoolAxis{}, PoolAxis{4, 4, 0, 1}, PoolAxis{2, 2, 0, 1}}),
      FixedGeometry(1, {1, 33, 40}, {PoolAxis{}, PoolAxis{3, 2, 1, 1}, PoolAxis{3, 2, 1, 1}}),
      FixedGeometry(5, {5, 7, 9}, Cube(3, 2, 0), true),
      FixedGeometry(2, {7, 7, 7}, Cube(2, 3, 0)),
      {7, {1, 13, 13}, {1, 6, 6}, std::nullopt},
      {3, {6, 10, 9}, {3, 4, 7}, std::nullopt},
      {2, {1, 30, 30}, {1, 1, 1}, std::nullopt},
      {9, {4, 8, 15}, {2, 2, 3}, std::nullopt},
      {40, {1, 1, 3}, {1, 1, 2}, std::nullopt},
  };
  return geometries;
}

TEST(Tiers, AreChosenByWhatTheMachineHas) {
#if defined(__aarch64__)
  EXPECT_STREQ(BestTier(0).name, "neon");
#else
  EXPECT_STREQ(BestTier(0).name, "portable");
#endif
  for (const Tier* tier : Tiers()) {
    EXPECT_EQ(FindTier(tier->name, tier->needs), tier);
    if (tier->needs != 0) {
      EXPECT_EQ(FindTier(tier->name, 0), nullptr);
    }
    if (tier->automatic && tier->needs == (kCpuAvx2 | kCpuAvx512)) {
      EXPECT_EQ(&BestTier(tier->needs), tier);
    }
  }
  EXPECT_EQ(FindTier("none", ~0U), nullptr);
}

TEST(Tiers, GiveTheBitsOfTheReference) {
  RandomStream random(40);
  for (const Geometry& geometry : Geometries()) {
    for (const DataType type : kTierFloats) {
      for (const DataType index_type : kTierIndexTypes) {
        const Operands operands(geometry, type, index_type, random);
        ASSERT_FALSE(operands.Expect().has_value());
        for (const Tier* tier : TiersHere()) {
          for (const std::int64_t threads : {1, 2, 3, 7}) {
            SCOPED_TRACE(std::string(tier->name) + " threads " + std::to_string(threads));
            EXPECT_TRUE(operands.Agrees(SmallPieces(tier, threads)));
            EXPECT_TRUE(operands.Agrees({.parallelism = {threads, 1}, .tier = tier}));
            Tuning ordinary = SmallPieces(tier, threads);
            ordinary.stream_bytes = INT64_MAX;
            EXPECT_TRUE(operands.Agrees(ordinary));
            EXPECT_TRUE(operands.Agrees(Summed(ordinary)));
            EXPECT_TRUE(operands.Agrees(Summed(SmallPieces(tier, threads))));
          }
        }
      }
    }
  }
}

// t - 1, t and t + 1 of every constant, where t is what the problem is about.
TEST(Tiers, HoldOnTheBordersOfEveryConstant) {
  RandomStream random(41);
  for (const Geometry& geometry : Geometries()) {
    const DataType type = kTierFloats[random.Below(3)];
    const Operands operands(geometry, type, kTierIndexTypes[random.Below(2)], random);
    ASSERT_FALSE(operands.Expect().has_value());
    const std::int64_t plane_bytes = operands.inputs() * 4;
    const std::int64_t row_bytes = geometry.in[2] * 4;
    const std::int64_t all_bytes = geometry.planes * operands.inputs() * StorageBytes(type);
    struct Border {
      std::int64_t Tuning::*constant;
      std::vector<std::int64_t> places;
    };
    const std::vector<Border> borders = {
        {&Tuning::block_outputs, {1, 16, 32, geometry.out[2], operands.outputs()}},
        {&Tuning::whole_plane_bytes, {plane_bytes}},
        {&Tuning::tile_bytes,
         {row_bytes, 2 * row_bytes, 3 * row_bytes, geometry.in[1] * row_bytes, plane_bytes}},
        {&Tuning::most_ring_bytes, {row_bytes, 3 * row_bytes + 256, plane_bytes, 2 * plane_bytes}},
        {&Tuning::stream_bytes, {all_bytes}},
        {&Tuning::prefetch_bytes, {0, 64}},
        {&Tuning::sparse_inputs, {1, operands.inputs() / operands.outputs()}},
        {&Tuning::scatter_store_inputs, {1, operands.inputs() / operands.outputs()}},
        {&Tuning::scatter_store_planes, {geometry.planes}},
        {&Tuning::scatter_store_table_bytes, {plane_bytes}},
        {&Tuning::group_outputs,
         {operands.outputs(), 2 * operands.outputs(), 5 * operands.outputs()}},
        {&Tuning::ranges_per_thread, {1, geometry.planes}},
    };
    for (const Tier* tier : TiersHere()) {
      for (const std::int64_t by : {-1, 0, 1}) {
        Tuning tuning = SmallPieces(tier);
        tuning.unpool_outputs = geometry.out[2] + by;
        EXPECT_TRUE(operands.Agrees(tuning)) << tier->name << " unpool " << by;
      }
      for (const Border& border : borders) {
        for (const std::int64_t place : border.places) {
          for (const std::int64_t by : {-1, 0, 1}) {
            for (const std::int64_t threads : {1, 3}) {
              Tuning tuning = SmallPieces(tier, threads);
              tuning.*border.constant = place + by;
              EXPECT_TRUE(operands.Agrees(tuning)) << tier->name << " " << place + by;
            }
          }
        }
      }
    }
  }
}

// Planes of a few outputs are summed together; a bad index is still that of its own plane.
TEST(Tiers, GroupsOfSmallPlanes) {
  RandomStream random(47);
  const PoolAxis two{2, 1, 0, 1};
  for (const std::int64_t planes : {1, 2, 6, 7, 8, 13, 14, 15, 40}) {
    const Geometry geometry = FixedGeometry(planes, {2, 3, 4}, {two, two, two});
    for (const DataType type : kTierFloats) {
      Operands operands(geometry, type, kTierIndexTypes[random.Below(2)], random);
      // In its plane, if not in its window.
      operands.SetIndex(
          static_cast<std::int64_t>(random.Below(static_cast<std::uint64_t>(operands.count()))),
          operands.inputs() - 1);
      ASSERT_FALSE(operands.Expect().has_value());
      for (const Tier* tier : TiersHere()) {
        for (const std::int64_t threads : {1, 3}) {
          for (const std::int64_t stream_bytes : {std::int64_t{0}, INT64_MAX}) {
            Tuning tuning{.parallelism = {threads, 1},
                          .tier = tier,
                          .block_outputs = 16,
                          .group_outputs = 7 * operands.outputs(),
                          .stream_bytes = stream_bytes,
                          .ranges_per_thread = 1};
            EXPECT_TRUE(operands.Agrees(tuning)) << tier->name << " " << planes;
          }
        }
      }
      // In the next plane of its group.
      const auto position =
          static_cast<std::int64_t>(random.Below(static_cast<std::uint64_t>(operands.count())));
      operands.SetIndex(position, operands.inputs());
      for (const Tier* tier : TiersHere()) {
        const Tuning tuning{
            .tier = tier, .group_outputs = 7 * operands.outputs(), .ranges_per_thread = 1};
        EXPECT_EQ(OptimizedMaxPoolBackward(operands.args(), tuning),
                  (BadIndex{position, operands.inputs(), operands.inputs()}));
      }
    }
  }
}

// Sums of 16-bit gradients that are subnormal, infinite, overflowing, NaN or halfway between two
// numbers, each in every lane of a line.
TEST(Tiers, SumsAreRoundedAsTheReferenceRoundsThem) {
  RandomStream random(48);
  for (const DataType type : {DataType::kFloat16, DataType::kBf16}) {
    const PoolAxis three{3, 1, 1, 1};
    Operands operands(FixedGeometry(3, {1, 16, 70}, {PoolAxis{}, three, three}), type,
                      DataType::kInt32, random);
    const double tiny = type == DataType::kFloat16 ? 0x1p-24 : 0x1p-133;
    const double most = type == DataType::kFloat16 ? 65504.0 : 0x1.fep127;
    const double unit = type == DataType::kFloat16 ? 0x1p-10 : 0x1p-7;
    for (std::int64_t i = 0; i < operands.count(); ++i) {
      const double sign = random.OneIn(2) ? 1 : -1;
      const std::array<double, 6> values = {tiny * static_cast<double>(random.Between(0, 300)),
                                            most,
                                            most / 2,
                                            1 + unit * static_cast<double>(random.Between(0, 100)),
                                            unit / 2,
                                            unit / 4 * static_cast<double>(random.Between(0, 9))};
      // Of a kind for some lines, so that lines of subnormals alone come up.
      const std::size_t kind = static_cast<std::size_t>(i / 210) % (values.size() + 1);
      operands.SetGradient(i, sign * values[kind < values.size() ? kind : random.Below(6)]);
    }
    ASSERT_FALSE(operands.Expect().has_value());
    for (const Tier* tier : TiersHere()) {
      EXPECT_TRUE(operands.Agrees(SmallPieces(tier))) << tier->name;
      EXPECT_TRUE(operands.Agrees({.tier = tier})) << tier->name;
    }
  }
}

// Every width up to some vectors, so every tail there is.
TEST(Tiers, EveryResidue) {
  RandomStream random(42);
  for (std::int64_t width = 1; width <= 70; ++width) {
    const PoolAxis two{2, 2, 0, 1};
    const PoolAxis three{3, 1, 1, 1};
    for (const Geometry& geometry : {FixedGeometry(3, {1, 2, 2 * width}, {PoolAxis{}, two, two}),
                                     FixedGeometry(3, {1, 2, width}, {PoolAxis{}, three, three})}) {
      const DataType type = kTierFloats[random.Below(3)];
      const Operands operands(geometry, type, kTierIndexTypes[random.Below(2)], random);
      ASSERT_FALSE(operands.Expect().has_value());
      for (const Tier* tier : TiersHere()) {
        EXPECT_TRUE(operands.Agrees(SmallPieces(tier))) << tier->name << " " << width;
        EXPECT_TRUE(operands.Agrees({.tier = tier})) << tier->name << " " << width;
      }
    }
  }
}

TEST(Tiers, InPlaneIndicesOutsideTheirWindowsAreAdded) {
  RandomStream random(43);
  for (const Geometry& geometry : Geometries()) {
    for (const DataType type : kTierFloats) {
      Operands operands(geometry, type, kTierIndexTypes[random.Below(2)], random);
      for (int k = 0; k < 3; ++k) {
        operands.SetIndex(
            static_cast<std::int64_t>(random.Below(static_cast<std::uint64_t>(operands.count()))),
            static_cast<std::int64_t>(random.Below(static_cast<std::uint64_t>(operands.inputs()))));
      }
      ASSERT_FALSE(operands.Expect().has_value());
      for (const Tier* tier : TiersHere()) {
        for (const std::int64_t threads : {1, 3}) {
          EXPECT_TRUE(operands.Agrees(SmallPieces(tier, threads))) << tier->name;
          EXPECT_TRUE(operands.Agrees(Summed(SmallPieces(tier, threads)))) << tier->name;
        }
      }
    }
  }
}

// Rows up to the longest that are unpooled and beyond, and offsets that 16 bits would confuse.
TEST(Tiers, IndicesFarFromTheirWindowsAreAdded) {
  RandomStream random(50);
  for (const std::int64_t width : {16382, 16384, 16386, 32768}) {
    const Geometry geometry = FixedGeometry(1, {2, 4, width}, Cube(2, 2, 0));
    for (const DataType type : kTierFloats) {
      Operands operands(geometry, type, DataType::kInt32, random);
      for (const std::int64_t by : {-65536, -32768, -2, 2, 32766, 32768, 65536, 65538}) {
        // In the second row of windows along H, so that both directions are in the plane.
        const std::int64_t output = width / 2 + 17;
        const std::int64_t index = 2 * width + 34 + by;
        if (index < 0 || index >= operands.inputs()) continue;
        operands.SetIndex(output, index);
        ASSERT_FALSE(operands.Expect().has_value());
        for (const Tier* tier : TiersHere()) {
          EXPECT_TRUE(operands.Agrees({.tier = tier})) << tier->name << ' ' << width << ' ' << by;
          EXPECT_TRUE(operands.Agrees(SmallPieces(tier)))
              << tier->name << ' ' << width << ' ' << by;
        }
      }
    }
  }
}

// Windows that do not overlap, but two outputs that name one input: its own, and one far away.
TEST(Tiers, OutputsThatMeetAreAdded) {
  RandomStream random(49);
  const Geometry geometry{9, {1, 30, 30}, {1, 3, 3}, std::nullopt};
  for (const DataType type : kTierFloats) {
    Operands operands(geometry, type, DataType::kInt32, random);
    operands.SetIndex(9 * 4 + 0, 31);
    operands.SetGradient(9 * 4 + 0, 1.5);
    operands.SetIndex(9 * 4 + 8, 31);
    operands.SetGradient(9 * 4 + 8, 2.0);
    ASSERT_FALSE(operands.Expect().has_value());
    for (const Tier* tier : TiersHere()) {
      EXPECT_TRUE(operands.Agrees({.tier = tier})) << tier->name;
      EXPECT_TRUE(operands.Agrees(SmallPieces(tier, 3))) << tier->name;
      if (type != DataType::kFloat) {
        EXPECT_EQ(operands.ResultBits(900 * 4 + 31), EncodeFloat(3.5, type));
      }
    }
  }
}

TEST(Tiers, TheFirstBadIndexIsNamed) {
  RandomStream random(44);
  for (const Geometry& geometry : Geometries()) {
    for (const DataType index_type : kTierIndexTypes) {
      Operands operands(geometry, kTierFloats[random.Below(3)], index_type, random);
      for (int k = 0; k < 2; ++k) {
        const bool wide = index_type == DataType::kInt64;
        const std::array<std::int64_t, 5> bad = {
            operands.inputs(), -1, wide ? (std::int64_t{1} << 32) : INT32_MAX,
            wide ? INT64_MIN : INT32_MIN, wide ? INT64_MAX : operands.inputs() + 7};
        operands.SetIndex(
            static_cast<std::int64_t>(random.Below(static_cast<std::uint64_t>(operands.count()))),
            bad[random.Below(bad.size())]);
      }
      const std::optional<BadIndex> expected = operands.Expect();
      ASSERT_TRUE(expected.has_value());
      for (const Tier* tier : TiersHere()) {
        for (const std::int64_t threads : {1, 3}) {
          EXPECT_EQ(OptimizedMaxPoolBackward(operands.args(), SmallPieces(tier, threads)),
                    expected);
          EXPECT_EQ(OptimizedMaxPoolBackward(operands.args(),
                                             {.parallelism = {threads, 1}, .tier = tier}),
                    expected);
        }
      }
    }
  }
}

#if defined(__SSE2__)
TEST(Tiers, TheCallersFloatModesNeitherMatterNorChange) {
  RandomStream random(45);
  const unsigned before = _mm_getcsr();
  for (const Geometry& geometry : Geometries()) {
    for (const DataType type : kTierFloats) {
      const Operands operands(geometry, type, DataType::kInt32, random);
      ASSERT_FALSE(operands.Expect().has_value());
      for (const Tier* tier : TiersHere()) {
        const unsigned flushing_up = 0x1f80U | 0x8040U | 0x4000U;  // FTZ, DAZ, round up
        _mm_setcsr(flushing_up);
        const bool agrees = operands.Agrees(SmallPieces(tier, 2));
        const unsigned after = _mm_getcsr();
        _mm_setcsr(before);
        EXPECT_TRUE(agrees) << tier->name;
        EXPECT_EQ(after, flushing_up);
      }
    }
  }
}
#endif

TEST(Tiers, EveryHalfIsTakenInAndGivenOutExactly) {
  RandomStream random(46);
  for (const DataType type : {DataType::kFloat16, DataType::kBf16}) {
    const Geometry geometry{1, {1, 256, 256}, {1, 256, 256}, std::nullopt};
    Operands operands(geometry, type, DataType::kInt32, random);
    for (std::int64_t i = 0; i < 65536; ++i) {
      const double value = DecodeFloat(static_cast<std::uint32_t>(i), type);
      operands.SetGradient(i, std::isnan(value) ? 1.0 : value);
    }
    ASSERT_FALSE(operands.Expect().has_value());
    for (const Tier* tier : TiersHere()) {
      EXPECT_TRUE(operands.Agrees(SmallPieces(tier))) << tier->name;
      EXPECT_TRUE(operands.Agrees(Summed(SmallPieces(tier)))) << tier->name;
    }
  }
}

// A lone NaN stays one; as in a sum, a signalling one becomes quiet.
TEST(Tiers, NansStayNansAndBecomeQuiet) {
  RandomStream random(50);
  for (const DataType type : {DataType::kFloat16, DataType::kBf16}) {
    const bool half = type == DataType::kFloat16;
    Operands operands({9, {1, 10, 10}, {1, 1, 1}, std::nullopt}, type, DataType::kInt32, random);
    const std::array<std::uint32_t, 4> nans = {half ? 0x7c01U : 0x7f81U, half ? 0xfc01U : 0xff81U,
                                               half ? 0x7e00U : 0x7fc0U, 0xffffU};
    for (std::size_t i = 0; i < nans.size(); ++i) {
      operands.SetGradientBits(static_cast<std::int64_t>(i), nans[i]);
      operands.SetIndex(static_cast<std::int64_t>(i), 42);
    }
    for (const Tier* tier : TiersHere()) {
      for (const Tuning& tuning : {SmallPieces(tier), Summed(SmallPieces(tier))}) {
        (void)operands.Agrees(tuning);  // payloads may differ
        for (std::size_t i = 0; i < nans.size(); ++i) {
          const auto at = static_cast<std::int64_t>(100 * i + 42);
          EXPECT_TRUE(std::isnan(DecodeFloat(operands.ResultBits(at), type))) << tier->name;
          EXPECT_NE(operands.ResultBits(at) & (half ? 0x200U : 0x40U), 0U) << tier->name;
        }
      }
    }
  }
}

TEST(Tiers, MaximaThatAreNansBecomeQuiet) {
  constexpr std::int64_t kWidth = 80;
  const PoolAxis one{1, 1, 0, 1};
  for (const DataType type : {DataType::kFloat16, DataType::kBf16}) {
    const bool half = type == DataType::kFloat16;
    std::array<std::uint16_t, kWidth> self = {};
    self[3] = half ? 0x7c01 : 0x7f81;
    self[78] = half ? 0xfc01 : 0xff81;
    for (const Tier* tier : TiersHere()) {
      for (const std::int64_t step : {1, 2, 5}) {
        const std::int64_t width = kWidth / step;
        const Dims in = {1, 1, 1, 1, kWidth};
        const Dims to = {1, 1, 1, 1, width};
        std::array<std::uint16_t, kWidth> out = {};
        std::array<std::int32_t, kWidth> indices = {};
        OptimizedMaxPool({{self.data(), type, in, ContiguousStrides(in), 0},
                          {one, one, PoolAxis{step, step, 0, 1}},
                          {out.data(), type, to, ContiguousStrides(to), 0},
                          {indices.data(), DataType::kInt32, to, ContiguousStrides(to), 0}},
                         {.tier = tier});
        const std::uint16_t quiet = half ? 0x200 : 0x40;
        for (const std::size_t i : {3U, 78U}) {
          const std::size_t at = i / static_cast<std::size_t>(step);
          EXPECT_TRUE(std::isnan(DecodeFloat(out[at], type))) << tier->name << ' ' << step;
          EXPECT_NE(out[at] & quiet, 0) << tier->name << ' ' << step;  // payloads may differ
          EXPECT_EQ(indices[at], static_cast<std::int32_t>(i));
        }
      }
    }
  }
}

}  // namespace
}  // namespace poolproof
