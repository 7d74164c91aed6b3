// SPDX-License-Identifier: Apache-2.0
//
// Holds the formulas against definitions that place windows one by one.
#include "core/pool_geometry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "core/wide_int.h"

namespace poolproof {
namespace {

// Positions of window `output` inside the input: start + k * dilation, padding left out.
std::vector<std::int64_t> EnumeratedWindow(std::int64_t output, std::int64_t input,
                                           const PoolAxis& axis) {
  std::vector<std::int64_t> positions;
  for (std::int64_t k = 0; k < axis.kernel; ++k) {
    const std::int64_t position = output * axis.stride - axis.padding + k * axis.dilation;
    if (position >= 0 && position < input) positions.push_back(position);
  }
  return positions;
}

// Slides a window from the left edge of the padded input. It counts while it ends inside; in ceil
// mode also while it begins inside, once more at most, and only where it begins before the right
// padding.
std::int64_t EnumeratedExtent(std::int64_t input, const PoolAxis& axis, bool ceil_mode) {
  const std::int64_t span = (axis.kernel - 1) * axis.dilation + 1;
  const std::int64_t padded = input + 2 * axis.padding;
  std::int64_t count = 0;
  std::int64_t start = 0;
  while (start + span <= padded) {
    ++count;
    start += axis.stride;
  }
  if (!ceil_mode) return count;
  // Something of the padded input is left uncovered by whole windows.
  const std::int64_t covered_end = start - axis.stride + span;
  const bool rest = count == 0 ? start + span < padded + axis.stride : covered_end < padded;
  if (rest && start < input + axis.padding) ++count;
  return count;
}

std::vector<std::int64_t> Positions(const WindowSpan& window) {
  std::vector<std::int64_t> positions;
  for (std::int64_t p = window.first; p < window.end; p += window.step) positions.push_back(p);
  return positions;
}

TEST(PooledExtent, EqualsEnumeration) {
  for (std::int64_t input = 1; input <= 12; ++input) {
    for (std::int64_t kernel = 1; kernel <= 6; ++kernel) {
      for (std::int64_t stride = 1; stride <= 5; ++stride) {
        for (std::int64_t padding = 0; padding <= kernel / 2; ++padding) {
          for (std::int64_t dilation = 1; dilation <= 3; ++dilation) {
            const PoolAxis axis{kernel, stride, padding, dilation};
            for (const bool ceil_mode : {false, true}) {
              const std::int64_t expected = EnumeratedExtent(input, axis, ceil_mode);
              const std::int64_t extent = PooledExtent(input, axis, ceil_mode);
              ASSERT_EQ(std::max<std::int64_t>(extent, 0), expected)
                  << "input " << input << " kernel " << kernel << " stride " << stride
                  << " padding " << padding << " dilation " << dilation << " ceil " << ceil_mode;
            }
          }
        }
      }
    }
  }
}

TEST(PooledExtent, KnownCeilModeTraps) {
  EXPECT_EQ(PooledExtent(6, {1, 2, 0, 1}, true), 3);
  EXPECT_EQ(PooledExtent(8, {3, 4, 0, 1}, true), 2);
  EXPECT_EQ(PooledExtent(5, {2, 2, 1, 1}, true), 3);
  EXPECT_EQ(PooledExtent(5, {3, 3, 1, 1}, true), 2);
  EXPECT_LE(PooledExtent(2, {3, 2, 0, 1}, false), 0);
}

TEST(PooledExtent, HoldsForTheLargestValues) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(PooledExtent(kMax, {1, 1, 0, 1}, false), kMax);
  EXPECT_EQ(PooledExtent(kMax, {kMax, 1, 0, 1}, false), 1);
  EXPECT_EQ(PooledExtent(kMax, {2, kMax, 1, 1}, true), 2);
  EXPECT_EQ(PooledExtent(4, {2, kMax, 0, kMax}, true), 1);
  EXPECT_LE(PooledExtent(4, {3, 1, 1, kMax}, false), 0);
}

TEST(PoolWindow, EqualsEnumeration) {
  for (std::int64_t input = 1; input <= 10; ++input) {
    for (std::int64_t kernel = 1; kernel <= 5; ++kernel) {
      for (std::int64_t stride = 1; stride <= 4; ++stride) {
        for (std::int64_t padding = 0; padding <= kernel; ++padding) {
          for (std::int64_t dilation = 1; dilation <= 4; ++dilation) {
            const PoolAxis axis{kernel, stride, padding, dilation};
            for (std::int64_t output = 0; output < 8; ++output) {
              const WindowSpan window = PoolWindow(output, input, axis);
              const std::vector<std::int64_t> expected = EnumeratedWindow(output, input, axis);
              ASSERT_EQ(Positions(window), expected);
              ASSERT_EQ(window.size(), std::ssize(expected));
              ASSERT_EQ(window.empty(), expected.empty());
              for (std::int64_t p = -3; p < input + 3; ++p) {
                const bool inside =
                    std::find(expected.begin(), expected.end(), p) != expected.end();
                ASSERT_EQ(window.Contains(p), inside);
              }
            }
          }
        }
      }
    }
  }
}

TEST(PoolWindow, HoldsForTheLargestValues) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(Positions(PoolWindow(0, 4, {2, kMax, 0, kMax})), (std::vector<std::int64_t>{0}));
  EXPECT_EQ(Positions(PoolWindow(0, 4, {2, kMax, 1, kMax})), (std::vector<std::int64_t>{}));
  EXPECT_EQ(Positions(PoolWindow(0, 2, {kMax, 1, kMax / 2, 1})), (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(Positions(PoolWindow(0, 3, {3, 1, 5, kMax})), (std::vector<std::int64_t>{}));
}

TEST(AdaptiveWindow, EqualsExactRationals) {
  for (std::int64_t input = 1; input <= 40; ++input) {
    for (std::int64_t outputs = 1; outputs <= 40; ++outputs) {
      for (std::int64_t output = 0; output < outputs; ++output) {
        const WindowSpan window = AdaptiveWindow(output, input, outputs);
        // first is the largest f with f * outputs <= output * input, end the smallest e with
        // e * outputs >= (output + 1) * input.
        std::int64_t first = 0;
        while ((first + 1) * outputs <= output * input) ++first;
        std::int64_t end = 0;
        while (end * outputs < (output + 1) * input) ++end;
        ASSERT_EQ(window.first, first);
        ASSERT_EQ(window.end, end);
        ASSERT_EQ(window.step, 1);
      }
      ASSERT_EQ(AdaptiveWindow(outputs - 1, input, outputs).end, input);
    }
  }
}

TEST(AdaptiveWindow, HoldsBeyondInt32Products) {
  constexpr std::int64_t kInput = (std::int64_t{1} << 31) - 1;
  for (const std::int64_t outputs : {std::int64_t{3}, std::int64_t{65537}, kInput - 1}) {
    for (const std::int64_t output : {std::int64_t{0}, outputs / 2, outputs - 1}) {
      const WindowSpan window = AdaptiveWindow(output, kInput, outputs);
      EXPECT_EQ(window.first, static_cast<std::int64_t>(WideInt{output} * kInput / outputs));
      EXPECT_EQ(window.end,
                static_cast<std::int64_t>((WideInt{output + 1} * kInput + outputs - 1) / outputs));
    }
  }
}

}  // namespace
}  // namespace poolproof
