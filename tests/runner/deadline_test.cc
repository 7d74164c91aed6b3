// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/deadline.h"

#include <gtest/gtest.h>

namespace poolproof {
namespace {

Invocation OfBytes(std::size_t bytes) {
  Invocation invocation;
  CallArguments call;
  call.tensors.resize(4);
  for (TensorArgument& tensor : call.tensors) tensor.bytes.resize(bytes / 4);
  call.lists.resize(4);
  invocation.calls.push_back(call);
  return invocation;
}

TEST(Deadline, GrowsWithSizeAndRuns) {
  const auto tiny = DeadlineFor(OfBytes(64));
  EXPECT_GE(tiny, std::chrono::seconds(5));
  EXPECT_LE(tiny, std::chrono::seconds(15));
  Invocation large = OfBytes(std::size_t{64} << 20);
  const auto once = DeadlineFor(large);
  EXPECT_GT(once, tiny);
  large.plan.repeat = 3;
  large.plan.threads = 4;
  EXPECT_GT(DeadlineFor(large), 4 * (once - tiny));
}

TEST(Deadline, ForwardsReadEachWindow) {
  Invocation forward = OfBytes(std::size_t{1} << 20);
  forward.calls[0].op = Operator::kMaxPool3dWithArgmax;
  forward.calls[0].lists[0] = Dims{10};
  EXPECT_GT(DeadlineFor(forward), DeadlineFor(OfBytes(std::size_t{1} << 20)));
  forward.calls[0].lists[0] = Dims{INT64_MAX, INT64_MAX, INT64_MAX};
  EXPECT_LE(DeadlineFor(forward), std::chrono::hours(5));
}

TEST(Deadline, ManifestDecides) {
  Implementation implementation;
  EXPECT_EQ(DeadlineFor(OfBytes(64), implementation), DeadlineFor(OfBytes(64)));
  implementation.limits.case_s = 0.25;
  EXPECT_EQ(DeadlineFor(OfBytes(64), implementation), std::chrono::milliseconds(250));
}

}  // namespace
}  // namespace poolproof
