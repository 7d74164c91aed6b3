// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/plane.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <vector>

#include "core/random.h"
#include "core/shape.h"

namespace poolproof {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Planes that are full of destinations, and such as few gradients reach.
TEST(PlaneGroups, HoldsEachGradientAtItsDestination) {
  for (const std::int64_t plane_size : {1, 7, 64, 4096}) {
    for (const std::int64_t outputs : {1, 5, 64, 700}) {
      std::vector<std::int64_t> indices;
      std::map<std::int64_t, std::vector<std::int64_t>> wanted;
      for (std::int64_t i = 0; i < outputs; ++i) {
        const auto place = Scramble(static_cast<std::uint64_t>(i * 31 + plane_size)) %
                           static_cast<std::uint64_t>(plane_size);
        indices.push_back(static_cast<std::int64_t>(place));
        wanted[indices.back()].push_back(i);
      }
      const PlaneGroups groups(indices, plane_size);
      ASSERT_EQ(groups.destinations().size(), wanted.size());
      std::size_t place = 0;
      for (const auto& [destination, elements] : wanted) {
        EXPECT_EQ(groups.destinations()[place], destination);
        EXPECT_EQ(std::vector(groups.Of(place).begin(), groups.Of(place).end()), elements);
        const std::span<const std::int64_t> same = groups.At(destination);
        EXPECT_EQ(std::vector(same.begin(), same.end()), elements);
        ++place;
      }
      for (std::int64_t position = 0; position < plane_size; ++position) {
        if (wanted.contains(position)) continue;
        EXPECT_THAT(groups.At(position), IsEmpty()) << position;
      }
    }
  }
}

TEST(PlaneGroups, OfNoGradientsHasNoDestinations) {
  EXPECT_THAT(PlaneGroups({}, 100).destinations(), IsEmpty());
}

TensorSpec Output(DataType type, Dims shape) {
  TensorSpec tensor;
  tensor.type = type;
  tensor.shape = std::move(shape);
  return tensor;
}

TEST(OutputElements, FindsTheFirstThatIsNotZeroWhereverItLies) {
  constexpr std::int64_t kSize = 200;
  for (const DataType type : {DataType::kFloat, DataType::kFloat16}) {
    const auto width = static_cast<std::size_t>(StorageBytes(type));
    const TensorSpec tensor = Output(type, {kSize});
    for (std::int64_t at = 0; at < kSize; ++at) {
      std::vector<std::byte> storage(kSize * width);
      storage[static_cast<std::size_t>(at + 1) * width - 1] = std::byte{0x80};  // -0
      const OutputElements elements(tensor, storage);
      for (const std::int64_t begin : {0, 1, 63, 199}) {
        EXPECT_EQ(elements.FirstNonzero(begin, kSize), at >= begin ? at : kSize);
      }
      EXPECT_EQ(elements.FirstNonzero(0, at), at) << "what lies behind the end is not looked at";
    }
  }
}

TEST(OutputElements, AreInRowMajorOrderWhateverTheLayout) {
  TensorSpec tensor = Output(DataType::kFloat16, {2, 3});
  tensor.strides = {1, 4};
  tensor.offset = 1;
  const std::vector<std::uint16_t> words = {9, 1, 2, 9, 9, 3, 4, 9, 9, 5, 6};
  std::vector<std::byte> storage(words.size() * 2);
  std::memcpy(storage.data(), words.data(), storage.size());
  const OutputElements elements(tensor, storage);
  std::vector<std::uint32_t> values;
  for (std::int64_t i = 0; i < elements.size(); ++i) values.push_back(elements[i]);
  EXPECT_THAT(values, ElementsAre(1, 3, 5, 2, 4, 6));
}

}  // namespace
}  // namespace poolproof
