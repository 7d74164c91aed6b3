// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "conformance/case/materialize.h"
#include "conformance/gen/sources.h"
#include "conformance/judge/legality.h"
#include "conformance/judge/membership.h"

namespace poolproof {
namespace {

constexpr Profile kRandomProfiles[] = {Profile::kAtlasA2, Profile::kAtlasA3, Profile::kAscend950};

TEST(RandomCases, ArePureFunctionsOfSeedAndIndex) {
  for (const RandomFamily& family : RandomFamilies()) {
    for (std::uint64_t i = 0; i < 20; ++i) {
      const NamedCase once = RandomCase({Spec::Embedded(), Profile::kAtlasA2}, family, 7, i);
      EXPECT_EQ(once, RandomCase({Spec::Embedded(), Profile::kAtlasA2}, family, 7, i));
      EXPECT_NE(once.problem,
                RandomCase({Spec::Embedded(), Profile::kAtlasA2}, family, 8, i).problem);
    }
  }
}

TEST(RandomCases, AreValidCallsThatMaterialize) {
  for (const Profile profile : kRandomProfiles) {
    for (const RandomFamily& family : RandomFamilies()) {
      const std::uint64_t count = family.name == "large" ? 5 : family.name == "planes" ? 40 : 150;
      for (std::uint64_t i = 0; i < count; ++i) {
        const NamedCase made = RandomCase({Spec::Embedded(), profile}, family, 1, i);
        const Call& call = made.problem.calls.front();
        const Result<Materialized> data = Materialize(made.problem);
        ASSERT_TRUE(data.ok()) << made.Path() << ": " << data.status().message();
        if (InfoOf(call.op).is_forward) continue;
        const Legality legality = Classify({Spec::Embedded(), profile}, call, made.problem.plan);
        EXPECT_EQ(legality.kind, LegalityKind::kValid)
            << made.Path() << ": " << legality.ExpectedText() << legality.open_reason;
      }
    }
  }
}

// Case data use closed forms for windows; the judge's reading of the definition must agree.
TEST(RandomCases, IndicesLieInTheirWindows) {
  for (const RandomFamily& family : RandomFamilies()) {
    if (family.name == "large") continue;
    const std::uint64_t count = family.name == "planes" ? 60 : 300;
    for (std::uint64_t i = 0; i < count; ++i) {
      const NamedCase made = RandomCase({Spec::Embedded(), Profile::kAtlasA2}, family, 3, i);
      const Call& call = made.problem.calls.front();
      if (InfoOf(call.op).is_forward || call.tensor(Role::kIndices).data.kind == DataKind::kPlane) {
        continue;
      }
      const Result<Materialized> data = Materialize(made.problem);
      ASSERT_TRUE(data.ok());
      const std::optional<Membership> membership = Membership::Of(call);
      ASSERT_TRUE(membership.has_value());
      const std::vector<std::int64_t>& indices = data->calls.front().indices;
      for (std::size_t e = 0; e < indices.size(); ++e) {
        ASSERT_TRUE(membership->Covers(
            static_cast<std::int64_t>(e) % membership->geometry().OutputSize(), indices[e]))
            << made.Path() << " element " << e;
      }
    }
  }
}

TEST(RandomCases, CoverTheFeaturesThatFaultsNeed) {
  std::map<std::string, int> seen;
  for (const RandomFamily& family : RandomFamilies()) {
    for (std::uint64_t i = 0; i < 400; ++i) {
      const NamedCase made = RandomCase({Spec::Embedded(), Profile::kAtlasA2}, family, 5, i);
      const Call& call = made.problem.calls.front();
      if (InfoOf(call.op).is_forward) continue;
      ++seen[std::string(InfoOf(call.op).name)];
      ++seen[DataTypeName(call.tensor(Role::kSelf).type)];
      ++seen["index " + DataTypeName(call.tensor(Role::kIndices).type)];
      for (const Role role : InfoOf(call.op).tensors) {
        if (!IsContiguousView(call.tensor(role))) {
          ++seen["view of " + std::string(RoleName(role))];
        }
        if (call.tensor(role).offset % 2 == 1) ++seen["odd offset"];
      }
      if (call.ceil_mode) ++seen["ceil"];
      if (call.list(List::kStride) && call.list(List::kStride)->empty()) ++seen["empty stride"];
      if (call.list(List::kKernelSize) && call.list(List::kKernelSize)->size() == 1)
        ++seen["kernel 1"];
      if (!call.tensor(Role::kGradOutput).data.patches.empty()) ++seen["special"];
      if (PlaneElements(call.tensor(Role::kSelf).shape, InfoOf(call.op).spatial_rank) > 65536) {
        ++seen["large plane"];
        const Dims& self = call.tensor(Role::kSelf).shape;
        const std::int64_t channels =
            self[self.size() - 1 - static_cast<std::size_t>(InfoOf(call.op).spatial_rank)];
        if (channels % 2 == 1 && self.back() >= 1024) ++seen["large plane, odd channels, long row"];
      }
      if (call.list(List::kKernelSize)) {
        for (const std::int64_t extent : *call.list(List::kKernelSize)) {
          if (extent > 16) ++seen["wide window"];
        }
      }
      if (call.tensor(Role::kSelf).shape.back() > 1024) ++seen["long row"];
      if (call.tensor(Role::kSelf).shape.back() > 8000) ++seen["very long row"];
      if (made.problem.calls.size() > 1) ++seen["history"];
      for (const std::int64_t extent : call.tensor(Role::kSelf).shape) {
        if (family.name == "planes" && extent > 65535) ++seen["planes beyond 16 bits"];
      }
    }
  }
  for (const char* feature : {"MaxPool3dWithArgmaxBackward",
                              "AdaptiveMaxPool3dBackward",
                              "AdaptiveMaxPool2dBackward",
                              "f32",
                              "f16",
                              "bf16",
                              "index i32",
                              "index i64",
                              "view of gradOutput",
                              "view of self",
                              "view of indices",
                              "view of gradInput",
                              "odd offset",
                              "ceil",
                              "empty stride",
                              "kernel 1",
                              "special",
                              "large plane",
                              "large plane, odd channels, long row",
                              "wide window",
                              "long row",
                              "very long row",
                              "history",
                              "planes beyond 16 bits"}) {
    EXPECT_GT(seen[feature], 10) << feature;
  }
}

}  // namespace
}  // namespace poolproof
