// SPDX-License-Identifier: Apache-2.0
#include "fuzz/case_from_bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "conformance/case/case_text.h"
#include "conformance/case/materialize.h"
#include "conformance/judge/legality.h"
#include "conformance/spec/spec.h"
#include "core/random.h"
#include "fuzz/byte_reader.h"

namespace poolproof {
namespace {

constexpr std::int64_t kMostElements = 80'000;
// With gaps between them.
constexpr std::int64_t kMostStorage = 640'000;

std::vector<std::uint8_t> SomeBytes(std::uint64_t seed, std::size_t size) {
  std::vector<std::uint8_t> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(RandomBits(seed, i));
  return bytes;
}

void CheckCase(const FuzzCase& fuzz_case) {
  const Case& problem = fuzz_case.problem;
  for (const Call& call : problem.calls) {
    const Legality legality = Classify({Spec::Embedded(), fuzz_case.profile}, call, problem.plan);
    EXPECT_EQ(legality.kind, LegalityKind::kValid)
        << CaseLine(problem) << ' ' << legality.open_reason;
    for (const Role role : InfoOf(call.op).tensors) {
      EXPECT_LE(StorageElements(call.tensor(role)).value_or(kMostStorage + 1), kMostStorage)
          << CaseLine(problem);
      EXPECT_LE(CheckedNumel(call.tensor(role).shape).value_or(kMostElements + 1), kMostElements)
          << CaseLine(problem);
    }
  }
  EXPECT_TRUE(Materialize(problem).ok()) << CaseLine(problem);
}

TEST(ByteReader, TakesTheFirstChoiceBehindTheEnd) {
  ByteReader bytes(nullptr, 0);
  EXPECT_TRUE(bytes.AtEnd());
  EXPECT_EQ(bytes.Between(-3, 1000), -3);
  EXPECT_EQ(bytes.Of({7, 8}), 7);
  EXPECT_FALSE(bytes.OneIn(2));
}

TEST(ByteReader, CoversRanges) {
  const std::vector<std::uint8_t> data = {255,  1,    0,    0xff, 0xff, 0xff,
                                          0xff, 0xff, 0xff, 0xff, 0x7f};
  ByteReader bytes(data.data(), data.size());
  EXPECT_EQ(bytes.Between(-1, 254), 254);
  EXPECT_EQ(bytes.Between(10, 1000), 11);
  EXPECT_EQ(bytes.Between(INT64_MIN, INT64_MAX), -1);
  EXPECT_TRUE(bytes.AtEnd());
}

TEST(CaseFromBytes, MakesALegalCaseOfNothing) { CheckCase(CaseFromBytes(nullptr, 0)); }

TEST(CaseFromBytes, MakesLegalSmallCasesOfAnything) {
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const std::vector<std::uint8_t> bytes = SomeBytes(i, i % 400);
    CheckCase(CaseFromBytes(bytes.data(), bytes.size()));
    if (HasFailure()) return;
  }
}

// What a target never reaches it never finds.
TEST(CaseFromBytes, ReachesEveryKind) {
  std::map<std::string, int> seen;
  for (std::uint64_t i = 0; i < 4000; ++i) {
    const std::vector<std::uint8_t> bytes = SomeBytes(~i, 300);
    const FuzzCase fuzz_case = CaseFromBytes(bytes.data(), bytes.size());
    const CallPlan& plan = fuzz_case.problem.plan;
    ++seen["profile " + std::string(InfoOf(fuzz_case.profile).name)];
    ++seen["poison " + std::to_string(static_cast<int>(plan.output))];
    ++seen["order " + std::to_string(static_cast<int>(plan.order))];
    ++seen["guard " + std::to_string(static_cast<int>(plan.guard))];
    if (plan.repeat > 1) ++seen["repeat"];
    if (plan.threads > 1) ++seen["threads"];
    if (plan.reuse_executor) ++seen["reuse"];
    for (const Call& call : fuzz_case.problem.calls) {
      const OperatorInfo& info = InfoOf(call.op);
      ++seen["operator " + std::string(info.name)];
      if (call.ceil_mode) ++seen["ceil"];
      for (const Role role : info.tensors) {
        const TensorSpec& tensor = call.tensor(role);
        const std::string name(RoleName(role));
        ++seen[name + " " + DataTypeName(tensor.type)];
        if (!IsContiguousView(tensor)) ++seen[name + " view"];
        if (tensor.offset > 0) ++seen[name + " offset"];
        if (!IsOutput(info, role)) {
          ++seen[name + " data " + std::to_string(static_cast<int>(tensor.data.kind))];
          if (!tensor.data.patches.empty()) ++seen[name + " patches"];
          if (!IsInjective(tensor.shape, StridesOf(tensor))) ++seen[name + " broadcast"];
        }
      }
    }
  }
  const std::vector<std::string> wanted = {"profile atlas-a2",
                                           "profile atlas-a3",
                                           "profile ascend-950",
                                           "poison 0",
                                           "poison 1",
                                           "poison 2",
                                           "poison 3",
                                           "order 0",
                                           "order 1",
                                           "order 2",
                                           "guard 0",
                                           "guard 1",
                                           "guard 2",
                                           "repeat",
                                           "threads",
                                           "reuse",
                                           "ceil",
                                           "operator MaxPool3dWithArgmaxBackward",
                                           "operator AdaptiveMaxPool3dBackward",
                                           "operator AdaptiveMaxPool2dBackward",
                                           "operator MaxPool3dWithArgmax",
                                           "operator AdaptiveMaxPool3d",
                                           "operator AdaptiveMaxPool2d",
                                           "gradOutput f32",
                                           "gradOutput f16",
                                           "gradOutput bf16",
                                           "indices i32",
                                           "indices i64",
                                           "gradOutput view",
                                           "self view",
                                           "indices view",
                                           "gradInput view",
                                           "out view",
                                           "gradOutput offset",
                                           "indices offset",
                                           "gradInput offset",
                                           "gradOutput broadcast",
                                           "self broadcast",
                                           "indices broadcast",
                                           "gradOutput patches",
                                           "self patches",
                                           "indices patches"};
  for (const std::string& kind : wanted) EXPECT_GT(seen[kind], 5) << kind;
  for (const DataKind kind : {DataKind::kExact, DataKind::kCoded, DataKind::kUniform,
                              DataKind::kWide, DataKind::kSubnormal, DataKind::kLiteral}) {
    EXPECT_GT(seen["gradOutput data " + std::to_string(static_cast<int>(kind))], 5);
  }
  for (const DataKind kind : {DataKind::kArgmax, DataKind::kWindow, DataKind::kFirst,
                              DataKind::kLast, DataKind::kShared, DataKind::kPlane}) {
    EXPECT_GT(seen["indices data " + std::to_string(static_cast<int>(kind))], 5);
  }
}

TEST(CaseFromLine, TakesACaseAsItIs) {
  const std::string line = "pp1:AdaptiveMaxPool2dBackward:self=f32[1,5,5];go=[1,3,3];ix=i64";
  const std::optional<FuzzCase> fuzz_case = CaseFromLine(line);
  ASSERT_TRUE(fuzz_case.has_value());
  EXPECT_EQ(CaseLine(fuzz_case->problem), CaseLine(*ParseCaseLine(line)));
}

TEST(CaseFromLine, TakesTheProfileUnderWhichItIsLegal) {
  const std::optional<FuzzCase> fuzz_case =
      CaseFromLine("pp1:MaxPool3dWithArgmaxBackward:self=f32[1,2,4,4,4];k=2;s=[];p=0;d=1;ix=i64");
  ASSERT_TRUE(fuzz_case.has_value());
  EXPECT_EQ(fuzz_case->profile, Profile::kAscend950);
}

TEST(CaseFromLine, LeavesOutWhatTakesLong) {
  EXPECT_FALSE(CaseFromLine("pp1:").has_value());
  EXPECT_FALSE(
      CaseFromLine("pp1:AdaptiveMaxPool2dBackward:self=f32[1,500,500];go=[1,3,3]").has_value());
  EXPECT_FALSE(CaseFromLine("pp1:MaxPool3dWithArgmaxBackward:self=f32[1,40,40,40];k=39;s=1;p=0;d=1")
                   .has_value());
  EXPECT_FALSE(
      CaseFromLine("pp1:AdaptiveMaxPool2dBackward:self=f32[1,5,5];go=[1,3,3]|run:repeat=100")
          .has_value());
  EXPECT_FALSE(CaseFromLine("pp1:AdaptiveMaxPool2dBackward:self=f32[1,5,5]{0,0,1}<5>;"
                            "go=[1,3000000,3000000]{0,0,0}<1>")
                   .has_value());
}

}  // namespace
}  // namespace poolproof
