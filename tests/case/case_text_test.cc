// SPDX-License-Identifier: Apache-2.0
#include "conformance/case/case_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "conformance/case/case_json.h"
#include "conformance/case/passed_axes.h"
#include "conformance/case/plan_members.h"
#include "conformance/json/strict_json.h"
#include "core/random.h"

namespace poolproof {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kRandomCases = 1500;

// --- Random cases, sense or not ------------------------------------------------------------------

std::int64_t RandomInteger(RandomStream& random) {
  switch (random.Below(6)) {
    case 0:
      return static_cast<std::int64_t>(random.Next());
    case 1:
      return std::numeric_limits<std::int64_t>::min();
    case 2:
      return std::numeric_limits<std::int64_t>::max();
    default:
      return random.Between(-2, 9);
  }
}

std::uint64_t RandomWord(RandomStream& random) {
  return random.OneIn(3) ? random.Next() : random.Below(70000);
}

Dims RandomDims(RandomStream& random, std::uint64_t max_rank) {
  Dims dims(random.Below(max_rank + 1));
  for (std::int64_t& value : dims) value = RandomInteger(random);
  return dims;
}

template <typename Enum>
Enum RandomNumbered(RandomStream& random) {
  if (random.OneIn(4)) return static_cast<Enum>(static_cast<std::int32_t>(random.Next()));
  return static_cast<Enum>(static_cast<std::int32_t>(random.Between(-2, 40)));
}

Data RandomData(RandomStream& random) {
  Data data;
  data.kind = static_cast<DataKind>(random.Below(15));
  if (random.OneIn(2)) data.seed = RandomWord(random);
  if (random.OneIn(2)) {
    data.literal.resize(random.Below(5));
    for (std::uint64_t& word : data.literal) word = RandomWord(random);
  }
  for (std::uint64_t i = random.OneIn(2) ? random.Below(4) : 0; i > 0; --i) {
    data.patches.push_back({RandomInteger(random), RandomWord(random)});
  }
  return data;
}

TensorSpec RandomTensor(RandomStream& random) {
  TensorSpec tensor;
  tensor.null = random.OneIn(6);
  if (!random.OneIn(3)) tensor.type = RandomNumbered<DataType>(random);
  if (random.OneIn(2)) tensor.format = RandomNumbered<Format>(random);
  if (!random.OneIn(5)) tensor.shape = RandomDims(random, 6);
  if (random.OneIn(3)) {
    tensor.strides.resize(tensor.null ? random.Below(6) : tensor.shape.size());
    for (std::int64_t& stride : tensor.strides) stride = RandomInteger(random);
  }
  if (random.OneIn(3)) tensor.offset = RandomInteger(random);
  if (random.OneIn(3)) tensor.storage = RandomDims(random, 3);
  if (random.OneIn(2)) tensor.data = RandomData(random);
  return tensor;
}

Call RandomSensibleCall(RandomStream& random) {
  const auto extent = [&] { return random.Between(1, 9); };
  const DataType type = random.OneIn(2) ? DataType::kFloat16 : DataType::kFloat;
  const DataType index = random.OneIn(2) ? DataType::kInt64 : DataType::kInt32;
  Call call;
  if (random.OneIn(2)) {
    call = MakeFixedBackward(Operator::kMaxPool3dWithArgmaxBackward, type, index,
                             {extent(), extent(), extent(), extent(), extent()},
                             {random.Between(1, 3)}, {}, {0}, {1, 1, 1}, random.OneIn(2));
  } else {
    call = MakeAdaptiveBackward(Operator::kAdaptiveMaxPool2dBackward, type, index,
                                {extent(), extent(), extent()}, {extent(), extent()});
  }
  return random.OneIn(3) ? MakeForward(call) : call;
}

Call RandomCall(RandomStream& random) {
  Call call;
  if (random.OneIn(2)) {
    call = RandomSensibleCall(random);
  } else {
    call.op = static_cast<Operator>(random.Below(kOperatorCount));
    for (const Role role : InfoOf(call.op).tensors) call.tensor(role) = RandomTensor(random);
    for (const List list : InfoOf(call.op).lists) {
      if (!random.OneIn(4)) call.list(list) = RandomDims(random, 4);
    }
  }
  // Breaks of what fits together, and members that the operator does not have.
  while (random.OneIn(2)) {
    const auto role = static_cast<Role>(random.Below(kRoleCount));
    switch (random.Below(5)) {
      case 0:
        call.tensor(role) = RandomTensor(random);
        break;
      case 1:
        call.tensor(role).null = true;
        break;
      case 2:
        call.list(static_cast<List>(random.Below(kListCount))) = RandomDims(random, 4);
        break;
      case 3:
        call.list(static_cast<List>(random.Below(kListCount))) = std::nullopt;
        break;
      default:
        call.tensor(role).data = RandomData(random);
        break;
    }
  }
  if (random.OneIn(4)) call.ceil_mode = true;
  return call;
}

CallPlan RandomPlan(RandomStream& random) {
  CallPlan plan;
  if (random.OneIn(2)) return plan;
  for (const PlanMember& member : PlanMembers()) {
    if (!random.OneIn(3)) continue;
    const CallPlan before = plan;
    const int most = random.OneIn(2) ? member.most : std::min(member.most, 99);
    member.set(plan, static_cast<int>(random.Between(member.least, most)));
    if (!CheckPlan(plan).ok()) plan = before;
  }
  return plan;
}

Case RandomCase(std::uint64_t seed) {
  RandomStream random(seed);
  Case problem;
  do {
    problem.calls.push_back(RandomCall(random));
  } while (random.OneIn(4));
  problem.plan = RandomPlan(random);
  return problem;
}

// --- Helpers -------------------------------------------------------------------------------------

// A case line or a JSON object.
Result<Case> ParseCase(std::string_view text) {
  if (!text.starts_with('{') && !text.starts_with('[')) return ParseCaseLine(text);
  const auto object = ParseStrictJson<nlohmann::ordered_json>(text);
  return object.ok() ? CaseFromJson(*object) : Result<Case>(object.status());
}

Case Parsed(std::string_view line) {
  Result<Case> result = ParseCaseLine(line);
  EXPECT_TRUE(result.ok()) << line << "\n" << result.status().message();
  return result.ok() ? *std::move(result) : Case{{Call()}, {}};
}

std::string ErrorOf(std::string_view line) {
  const Result<Case> result = ParseCaseLine(line);
  EXPECT_FALSE(result.ok()) << line;
  return result.ok() ? "" : result.status().message();
}

std::string JsonErrorOf(std::string_view text) {
  const Result<Case> result = ParseCase(text);
  EXPECT_FALSE(result.ok()) << text;
  return result.ok() ? "" : result.status().message();
}

std::string ReadFile(const std::string& path) {
  std::ifstream stream(path);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// The contents of the document's fenced blocks of one language.
std::vector<std::string> Blocks(const std::string& document, const std::string& language) {
  std::vector<std::string> blocks;
  const std::string fence = "```" + language + "\n";
  for (std::size_t at = document.find(fence); at != std::string::npos;
       at = document.find(fence, at)) {
    at += fence.size();
    blocks.push_back(document.substr(at, document.find("```", at) - at));
  }
  return blocks;
}

// --- Print and parse are inverse -----------------------------------------------------------------

TEST(CaseLine, RoundTripsRandomCases) {
  for (std::uint64_t seed = 0; seed < kRandomCases; ++seed) {
    const Case problem = RandomCase(seed);
    const std::string line = CaseLine(problem);
    const Result<Case> parsed = ParseCaseLine(line);
    ASSERT_TRUE(parsed.ok()) << seed << ": " << line << "\n" << parsed.status().message();
    ASSERT_EQ(*parsed, problem) << seed << ": " << line;
    ASSERT_EQ(CaseLine(*parsed), line);
    ASSERT_EQ(line.find_first_of(" '\"\\\n"), std::string::npos) << line;
  }
}

TEST(CaseJson, RoundTripsRandomCases) {
  for (std::uint64_t seed = 0; seed < kRandomCases; ++seed) {
    const Case problem = RandomCase(seed);
    const std::string text = CaseToJson(problem).dump();
    const Result<Case> parsed = ParseCase(text);
    ASSERT_TRUE(parsed.ok()) << seed << ": " << text << "\n" << parsed.status().message();
    ASSERT_EQ(*parsed, problem) << seed << ": " << text;
  }
}

TEST(CaseLine, IsShortWhereEverythingFollows) {
  Case problem;
  problem.calls.push_back(MakeFixedBackward(Operator::kMaxPool3dWithArgmaxBackward,
                                            DataType::kFloat16, DataType::kInt32, {1, 2, 4, 6, 8},
                                            {2}, {2}, {0}, {1}, false));
  EXPECT_EQ(CaseLine(problem),
            "pp1:MaxPool3dWithArgmaxBackward:self=f16[1,2,4,6,8];k=2;s=2;p=0;d=1");
  problem.calls = {MakeAdaptiveBackward(Operator::kAdaptiveMaxPool3dBackward, DataType::kBf16,
                                        DataType::kInt64, {1, 2, 5, 5, 5}, {3, 3, 3})};
  EXPECT_EQ(CaseLine(problem),
            "pp1:AdaptiveMaxPool3dBackward:self=bf16[1,2,5,5,5];go=[1,2,3,3,3];ix=i64");
  problem.calls = {MakeForward(problem.calls.front())};
  EXPECT_EQ(CaseLine(problem), "pp1:AdaptiveMaxPool3d:self=bf16[1,2,5,5,5]@NCDHW;o=3,3,3;ix=i64");
}

TEST(CaseLine, HoldsEveryPieceOfATensor) {
  const Case problem = Parsed(
      "pp1:MaxPool3dWithArgmaxBackward:self=f16[1,2,6,8,10];k=2;s=[];p=null;d=1,1,1;ceil;"
      "go=[1,2,3,4,5]@NCDHW{120,60,20,5,1}+7<900>~exact.42!5=7e00!9=fc00;ix=null;gi=t-7");
  const Call& call = problem.calls.front();
  const TensorSpec& grad_output = call.tensor(Role::kGradOutput);
  EXPECT_EQ(grad_output.type, DataType::kFloat16);
  EXPECT_EQ(grad_output.shape, (Dims{1, 2, 3, 4, 5}));
  EXPECT_EQ(grad_output.format, Format::kNcdhw);
  EXPECT_EQ(grad_output.strides, (Dims{120, 60, 20, 5, 1}));
  EXPECT_EQ(grad_output.offset, 7);
  EXPECT_EQ(grad_output.storage, Dims{900});
  EXPECT_EQ(grad_output.data.kind, DataKind::kExact);
  EXPECT_EQ(grad_output.data.seed, 42U);
  EXPECT_EQ(grad_output.data.patches, (std::vector<Patch>{{5, 0x7e00}, {9, 0xfc00}}));
  EXPECT_TRUE(call.tensor(Role::kIndices).null);
  EXPECT_EQ(call.tensor(Role::kGradInput).type, static_cast<DataType>(-7));
  EXPECT_EQ(call.list(List::kStride), Dims());
  EXPECT_EQ(call.list(List::kPadding), std::nullopt);
  EXPECT_TRUE(call.ceil_mode);
}

TEST(CaseLine, PrintsTheCanonicalFormOfAnyInput) {
  EXPECT_EQ(CaseLine(Parsed("pp1:MaxPool3dWithArgmaxBackward:ix=i32~argmax.0;go=[1,1,1,2,2]~exact;"
                            "d=01;p=-0;s=2;k=2;self=f32[1,1,2,4,4]@ND{}+0<>~uniform.00!3=3F800000"
                            "|run:repeat=1;output=nan")),
            "pp1:MaxPool3dWithArgmaxBackward:self=f32[1,1,2,4,4]!3=3f800000;k=2;s=2;p=0;d=1");
}

TEST(CaseLine, WritesIndicesAsDecimals) {
  const std::string line =
      "pp1:AdaptiveMaxPool2dBackward:self=f32[1,1,3];go=[1,1,3];ix=~int.0,5,-3!1=-9";
  const Case problem = Parsed(line);
  const Data& data = problem.calls.front().tensor(Role::kIndices).data;
  EXPECT_EQ(data.literal, (std::vector<std::uint64_t>{0, 5, static_cast<std::uint64_t>(-3)}));
  EXPECT_EQ(data.patches.front().bits, static_cast<std::uint64_t>(-9));
  EXPECT_EQ(CaseLine(problem), line);
}

// In a Case axes are N, C, H, W; a line has them as the call passes them.
TEST(CaseLine, HasChannelsLastWhereTheCallPassesThemSo) {
  const std::string line = "pp1:AdaptiveMaxPool2d:self=f32[1,4,5,3]@NHWC!1=3f800000;o=2,2";
  const Case problem = Parsed(line);
  const Call& call = problem.calls.front();
  const TensorSpec& self = call.tensor(Role::kSelf);
  EXPECT_EQ(self.shape, (Dims{1, 3, 4, 5}));
  EXPECT_EQ(self.strides, (Dims{60, 1, 15, 3}));
  EXPECT_TRUE(IsPacked(self));
  EXPECT_EQ(self.data.patches, (std::vector<Patch>{{20, 0x3f800000}}));  // the second channel
  EXPECT_EQ(call.tensor(Role::kOut).shape, (Dims{1, 3, 2, 2}));
  EXPECT_EQ(call.tensor(Role::kIndices).strides, (Dims{12, 1, 6, 3}));
  EXPECT_EQ(CaseLine(problem), line);

  const Call passed = AsPassed(call);
  EXPECT_EQ(passed.tensor(Role::kSelf).shape, (Dims{1, 4, 5, 3}));
  EXPECT_EQ(passed.tensor(Role::kSelf).strides, Dims());  // row by row
  EXPECT_EQ(StorageDimsOf(passed.tensor(Role::kOut)), (Dims{1, 2, 2, 3}));
  EXPECT_EQ(FromPassed(passed), call);
  EXPECT_EQ(CaseToJson(problem).dump().find("[1,3,4,5]"), std::string::npos);
  EXPECT_EQ(*ParseCase(CaseToJson(problem).dump()), problem);

  // Memory in another order than the axes.
  const std::string view = "pp1:AdaptiveMaxPool2d:self=f32[1,4,5,3]@NHWC{60,5,1,20};o=2,2";
  EXPECT_EQ(Parsed(view).calls.front().tensor(Role::kSelf).strides, (Dims{60, 20, 5, 1}));
  EXPECT_EQ(CaseLine(Parsed(view)), view);
}

TEST(CaseLine, AFormatIsALabelWhereNoPageGivesChannelsLastShapes) {
  for (const std::string line :
       {"pp1:AdaptiveMaxPool2dBackward:self=f32[1,3,4,5]@NHWC;go=[1,3,2,2]",
        "pp1:AdaptiveMaxPool2d:self=f32[3,4,5]@NHWC;o=2,2",
        "pp1:AdaptiveMaxPool2d:self=f32[1,3,4,5]@NHWC;o=2,2;out=@NCHW"}) {
    const Case problem = Parsed(line);
    EXPECT_EQ(problem.calls.front().tensor(Role::kSelf).strides, Dims()) << line;
    EXPECT_EQ(AsPassed(problem.calls.front()), problem.calls.front()) << line;
  }
}

TEST(PassedAxes, SetFormatsKeepsTensorsContiguousAsTheyArePassed) {
  Call call = Parsed("pp1:AdaptiveMaxPool2d:self=f32[2,3,4,5]@NCHW;o=2,2").calls.front();
  const Call before = call;
  SetFormats(call, Format::kNhwc);
  EXPECT_EQ(call.tensor(Role::kSelf).shape, (Dims{2, 3, 4, 5}));
  EXPECT_TRUE(IsPacked(call.tensor(Role::kSelf)));
  EXPECT_EQ(AsPassed(call).tensor(Role::kSelf).strides, Dims());
  SetFormats(call, Format::kNchw);
  EXPECT_EQ(call, before);
}

// --- Errors --------------------------------------------------------------------------------------

constexpr std::string_view kFixed = "pp1:MaxPool3dWithArgmaxBackward:";
constexpr std::string_view kLists = ";k=2;s=2;p=0;d=1";

std::string Fixed(std::string_view fields) {
  return std::string(kFixed) + "self=f32[1,1,2,4,4]" + std::string(kLists) + std::string(fields);
}

TEST(CaseLine, RefusesWithFieldTextAndWhatWasWanted) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "does not start with \"pp1:\""},
      {"pp2:AdaptiveMaxPool3d:self=f32[1]", "does not start with \"pp1:\""},
      {"pp1:", "expected <operator>"},
      {"pp1:MaxPool4d:self=f32[1]", "unknown operator \"MaxPool4d\""},
      {"pp1:run:det", "at least one call"},
      {Fixed("|run:det|run:det"), "run segment must be the last one"},
      {Fixed("|run:det;det"), "\"det\" is given twice"},
      {Fixed("|run:repeat=0"), "run: field repeat: \"0\" is not a whole number from 1 to 100000"},
      {Fixed("|run:repeat=99999999999"), "\"99999999999\" is not a whole number from 1 to 100000"},
      {Fixed("|run:threads"), "field threads: \"\" is not a whole number from 1 to 256"},
      {Fixed("|run:det=1"), "field det: expected no value"},
      {Fixed("|run:fast"), "unknown field \"fast\"; expected one of descriptors, nullsize"},
      {Fixed("|run:repaet=2"), "; did you mean repeat?"},
      {"pp1:AdaptiveMaxPool2d_Backward:", "; did you mean AdaptiveMaxPool2dBackward?"},
      {Fixed("|run:guard=after;reuse;repeat=2"), "run: guard needs one thread and calls in turn"},
      {Fixed("|run:"), "has no name"},
      {Fixed("|run:output=red"), "field output: \"red\" is not nan, finite, zero or mixed"},
      {Fixed("|"), "call 2"},
      {Fixed(";"), "has no name"},
      {Fixed(";k=3"), "\"k\" is given twice"},
      {Fixed(";q=3"), "unknown field \"q\""},
      {Fixed(";go="), "nothing follows '='"},
      {Fixed(";go"), "field go: expected a tensor"},
      {Fixed(";ceil=1"), "field ceil: expected no value"},
      {Fixed(";go=f33"), "field go: unknown data type \"f33\""},
      {Fixed(";go=[1,1,1,2,2"), "field go: shape: \"1,1,1,2,2\" lacks its closing ']'"},
      {Fixed(";go=[1,,2]"), "\"\" is not a 64-bit integer"},
      {Fixed(";go=[9223372036854775808]"), "\"9223372036854775808\" is not a 64-bit integer"},
      {Fixed(";go=@ABC"), "unknown format \"ABC\""},
      {Fixed(";go=+x"), "offset: \"x\""},
      {Fixed(";go={1,1}"), "field go: gradOutput has 2 strides, expected 5, one for each extent"},
      {Fixed(";go=~exact.18446744073709551616"), "is not a seed"},
      {Fixed(";go=~exact."), "nothing follows '.'"},
      {Fixed(";go=~exact.1:"), "nothing follows ':'"},
      {Fixed(";go=~random"), "unknown kind \"random\""},
      {Fixed(";go=~constant.1"), "unknown kind \"constant\""},
      {Fixed(";go=~int.1"), "int is for i32 and i64"},
      {Fixed(";go=~hex.3g"), "\"3g\" is not a word"},
      {Fixed(";go=~hex.00000000000000001"), "is not a word of 1 to 16 hex digits"},
      {Fixed(";go=!5"), "patch \"5\""},
      {Fixed(";go=!5="), "patch: \"\""},
      {Fixed(";go={1,1}[1,1]"), "unexpected \"[1,1]\""},
      {Fixed(";go=null:"), "nothing follows \"null:\""},
      {Fixed(";gi=f32 "), "no spaces"},
      {std::string(kFixed) + "self=f32" + std::string(kLists), "field self: the shape is missing"},
      {std::string(kFixed) + "k=2;s=2;p=0;d=1", "field self (self) is missing"},
      {std::string(kFixed) + "self=f32[1,1,2,4,4];s=2;p=0;d=1", "field k (kernelSize) is missing"},
      {std::string(kFixed) + "self=f32[1,1,2,4,4];k=;s=2;p=0;d=1", "an empty list is []"},
      {"pp1:AdaptiveMaxPool3dBackward:self=f32[1,4,4,4]", "field go (gradOutput) is missing"},
      {"pp1:AdaptiveMaxPool3dBackward:self=f32[1,4,4,4];go=f16", "the shape is missing"},
  };
  for (const auto& [line, message] : cases) {
    EXPECT_THAT(ErrorOf(line), HasSubstr(message)) << line;
  }
}

TEST(CaseLine, RefusesWhatIsTooLarge) {
  std::string list = "1";
  for (int i = 0; i < 63; ++i) list += ",1";
  EXPECT_TRUE(ParseCaseLine(Fixed(";go=[" + list + "]")).ok());
  EXPECT_THAT(ErrorOf(Fixed(";go=[" + list + ",1]")), HasSubstr("at most 64 values"));
  EXPECT_THAT(ErrorOf(Fixed(";go=~hex." + std::string(std::size_t{1} << 20, '0'))),
              HasSubstr("expected at most 1048576"));
}

TEST(CaseLine, WritesLongListsByRuns) {
  const auto line = [](const std::string& kernel) {
    return std::string(kFixed) + "self=f32[1,1,2,4,4];k=" + kernel + ";s=2;p=0;d=1;go=[1,1,1,1,1]";
  };
  const Case long_list = Parsed(line("2x65538,-3,1x2"));
  const Dims& values = *long_list.calls.front().list(List::kKernelSize);
  ASSERT_EQ(values.size(), 65541U);
  EXPECT_EQ(values[65537], 2);
  EXPECT_EQ(values[65538], -3);
  EXPECT_EQ(values[65540], 1);
  EXPECT_THAT(CaseLine(long_list), HasSubstr("k=2x65538,-3,1x2;"));
  EXPECT_EQ(Parsed(CaseLine(long_list)), long_list);
  EXPECT_EQ(ParseCase(CaseToJson(long_list).dump()).value(), long_list);
  // Short ones stay as they were.
  EXPECT_THAT(CaseLine(Parsed(line("2x3"))), HasSubstr("k=2,2,2;"));
  EXPECT_THAT(ErrorOf(line("2x")), HasSubstr("with 'x' and a count"));
  EXPECT_THAT(ErrorOf(line("2x0")), HasSubstr("with 'x' and a count"));
  EXPECT_THAT(ErrorOf(line("2x-1")), HasSubstr("with 'x' and a count"));
  EXPECT_THAT(ErrorOf(line("1x131072,1")), HasSubstr("at most 131072 values"));
  EXPECT_THAT(ErrorOf(line("1x9223372036854775807")), HasSubstr("at most 131072 values"));
}

TEST(CaseLine, MessagesStayPrintableAndShort) {
  const std::string message = ErrorOf(Fixed(";" + std::string(5000, 'q')));
  EXPECT_LT(message.size(), 300U);
}

TEST(CaseJson, TakesTheLineInAnObject) {
  const std::string line = Fixed(";go=~wide.3");
  const Result<Case> parsed =
      ParseCase(R"({"schema":"poolproof-case/1","case":")" + line + "\"}\n");
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  EXPECT_EQ(*parsed, Parsed(line));
}

TEST(CaseJson, LeavesOutWhatFollows) {
  const Result<Case> parsed = ParseCase(
      R"({"schema":"poolproof-case/1","calls":[{"operator":"MaxPool3dWithArgmaxBackward",
          "tensors":{"self":{"shape":[1,1,2,4,4]},"gradOutput":{"data":{"kind":"constant",
          "values":"f32:7fc00000","patches":[{"position":2,"value":"ff800000"}]}},"gradInput":null},
          "kernelSize":[2],"stride":[2],"padding":[0],"dilation":[1]}],"plan":{"settleMs":5}})");
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  EXPECT_EQ(*parsed, Parsed(Fixed(";go=~const.7fc00000!2=ff800000;gi=null|run:settle=5")));
}

TEST(CaseJson, RefusesWithMemberAndWhatWasWanted) {
  const auto call = [](const std::string& members) {
    return R"({"schema":"poolproof-case/1","calls":[{"operator":"AdaptiveMaxPool2dBackward","tensors":{)" +
           members + "}}]}";
  };
  const std::string self = R"("self":{"shape":[1,4,4]},)";
  const auto planned = [&](const std::string& plan) {
    const std::string good = call(self + R"("gradOutput":{"shape":[1,2,2]})");
    return good.substr(0, good.size() - 1) + ",\"plan\":" + plan + "}";
  };
  const std::pair<std::string, std::string> cases[] = {
      {"{", "JSON"},
      {"{} x", "JSON"},
      {"[]", "case: /: an array is not an object"},
      {"{}", "case: /: member \"schema\" is missing"},
      {R"({"schema":"poolproof-case/2"})",
       "/schema: \"poolproof-case/2\" is not \"poolproof-case/1\""},
      {R"({"schema":"poolproof-case/1"})", "member \"calls\" is missing"},
      {R"({"schema":"poolproof-case/1","calls":5})", "/calls: 5 is not an array of calls"},
      {R"({"schema":"poolproof-case/1","calls":[]})", "/calls: expected at least one call"},
      {R"({"schema":"poolproof-case/1","calls":[{"tensors":{}}]})",
       "/calls/0: member \"operator\" is missing"},
      {R"({"schema":"poolproof-case/1","calls":[{"operator":"MaxPool4d","tensors":{}}]})",
       "/calls/0/operator: \"MaxPool4d\" is not one of MaxPool3dWithArgmaxBackward"},
      {R"({"schema":"poolproof-case/1","case":"pp1:","plan":{}})", "/plan: unknown member"},
      {R"({"schema":"poolproof-case/1","case":5})", "/case: 5 is not a text"},
      {R"({"schema":"poolproof-case/1","case":"pp1:x"})", "/case: case line, call 1"},
      {R"({"schema":"poolproof-case/1","case":"pp1:","finding":5})", "/finding: unknown member"},
      {R"({"schema":"poolproof-case/1","schema":"x"})", "\"schema\" is given twice"},
      {call(""), "/calls/0/tensors: self is missing"},
      {call(R"("self":{"shape":[1,4,4]})"), "/calls/0/tensors: gradOutput is missing"},
      {call(self + R"("gradOutput":{"shape":[1,2,2]},"extra":{})"),
       "/calls/0/tensors/extra: unknown member; expected self, gradOutput"},
      {call(self + R"("gradOutput":{"shape":[1,2,2.5]})"),
       "/tensors/gradOutput/shape/2: 2.5 is not a 64-bit integer"},
      {call(self + R"("gradOutput":{"shape":[1,2,2],"strides":[4]})"),
       "gradOutput has 1 strides, expected 3, one for each extent"},
      {call(self + R"("gradOutput":{"shape":[1,2,9223372036854775808]})"),
       "/shape/2: 9223372036854775808 is not a 64-bit integer"},
      {call(self + R"("gradOutput":{"type":"f31"})"), "/type: \"f31\" is not a data type"},
      {call(self + R"("gradOutput":{"format":"x"})"), "/format: \"x\" is not a format"},
      {call(self + R"("gradOutput":{"shape":[1,2,2],"data":{"seed":1}})"), "need a kind"},
      {call(self + R"("gradOutput":{"shape":[1,2,2],"data":{"kind":"wide","seed":-1}})"),
       "/data/seed: -1 is not a whole number from 0 to 2^64-1"},
      {call(self + R"("gradOutput":{"shape":[1,2,2],"data":{"kind":"x"}})"),
       "/data/kind: \"x\" is not one of zero, uniform"},
      {call(self + R"("gradOutput":{"shape":[1,2,2],"data":{"kind":"literal","values":[1.5]}})"),
       "/data/values: an array is not a text"},
      {call(self +
            R"("gradOutput":{"shape":[1,2,2],"data":{"kind":"literal","values":"f16:0 1"}})"),
       "\"f16:0 1\" is not hex words such as \"f32:0 1\""},
      {call(self +
            R"("gradOutput":{"shape":[1,2,2],"data":{"kind":"literal","values":"f32:0 g"}})"),
       "/data/values: data: \"g\" is not a word of 1 to 16 hex digits"},
      {call(self + R"("gradOutput":{"shape":[1,2,2],"data":{"patches":[{"position":1}]}})"),
       "/data/patches/0: member \"value\" is missing"},
      {call(self + R"("gradOutput":{"shape":[1,2,2]}},"kernelSize":5,"x":{)"),
       "/calls/0/x: unknown member"},
      {planned(R"({"repeat":0})"), "/plan/repeat: 0 is not a whole number from 1 to 100000"},
      {planned(R"({"settleMs":"1"})"), "/plan/settleMs: \"1\" is not a whole number"},
      {planned(R"({"deterministic":1})"), "/plan/deterministic: 1 is not true or false"},
      {planned(R"({"output":"red"})"), "/plan/output: \"red\" is not nan, finite, zero or mixed"},
      {planned(R"({"order":5})"), "/plan/order: 5 is not a text"},
      {planned(R"({"more":5})"), "/plan/more: unknown member; expected descriptorsOnly"},
      {planned(R"({"guard":"after","reuseExecutor":true,"repeat":2})"),
       "/plan: guard needs one thread and calls in turn, and excludes shift and reuse"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_THAT(JsonErrorOf(text), HasSubstr(message)) << text;
  }
}

// --- Hostile input -------------------------------------------------------------------------------

void Mutate(std::string& text, RandomStream& random) {
  constexpr std::string_view kTroublemakers = "[]{}<>()~!=;|:,.+-@0179afnpx\"\\ \n\0";
  for (std::uint64_t edits = 1 + random.Below(6); edits > 0 && !text.empty(); --edits) {
    const std::size_t at = random.Below(text.size());
    const char letter = random.OneIn(4) ? static_cast<char>(random.Below(256))
                                        : kTroublemakers[random.Below(kTroublemakers.size())];
    switch (random.Below(4)) {
      case 0:
        text[at] = letter;
        break;
      case 1:
        text.insert(at, 1 + random.Below(3), letter);
        break;
      case 2:
        text.erase(at, 1 + random.Below(4));
        break;
      default:
        text.insert(at, text.substr(random.Below(text.size()), random.Below(12)));
        break;
    }
  }
}

// Whatever the text is: an error of one line, or a case that prints and parses.
void CheckHostile(const std::string& text) {
  const Result<Case> parsed = ParseCase(text);
  if (!parsed.ok()) {
    EXPECT_FALSE(parsed.status().message().empty());
    EXPECT_LT(parsed.status().message().size(), 600U);
    return;
  }
  const Result<Case> again = ParseCaseLine(CaseLine(*parsed));
  ASSERT_TRUE(again.ok()) << again.status().message();
  ASSERT_EQ(*again, *parsed);
}

TEST(CaseText, SurvivesMutatedLinesAndJson) {
  for (std::uint64_t seed = 0; seed < kRandomCases; ++seed) {
    RandomStream random(seed + 1000000);
    const Case problem = RandomCase(seed);
    std::string line = CaseLine(problem);
    Mutate(line, random);
    CheckHostile(line);
    std::string text = CaseToJson(problem).dump();
    Mutate(text, random);
    CheckHostile(text);
  }
}

TEST(CaseText, SurvivesDeepJson) {
  CheckHostile(std::string(200000, '['));
  CheckHostile(R"({"schema":"poolproof-case/1","calls":)" + std::string(200000, '[') +
               std::string(200000, ']') + "}");
}

// --- The document --------------------------------------------------------------------------------

TEST(CaseDocument, LinesAreCanonical) {
  int count = 0;
  for (const std::string& block : Blocks(ReadFile(POOLPROOF_CASE_LINE_DOCUMENT), "case-line")) {
    std::istringstream lines(block);
    for (std::string line; std::getline(lines, line); ++count) {
      EXPECT_EQ(CaseLine(Parsed(line)), line);
    }
  }
  EXPECT_GE(count, 10);
}

TEST(CaseDocument, JsonParses) {
  const std::vector<std::string> blocks = Blocks(ReadFile(POOLPROOF_CASE_LINE_DOCUMENT), "json");
  EXPECT_GE(blocks.size(), 1U);
  for (const std::string& block : blocks) {
    const Result<Case> parsed = ParseCase(block);
    EXPECT_TRUE(parsed.ok()) << parsed.status().message();
  }
}

// check_case_schema.py runs this one to get objects for the schema.
TEST(CaseJson, WritesExamplesForTheSchema) {
  const char* path = std::getenv("POOLPROOF_CASE_EXAMPLES");
  if (path == nullptr) return;
  std::ofstream stream(path);
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    stream << CaseToJson(RandomCase(seed)).dump() << '\n';
  }
  for (const std::string& block : Blocks(ReadFile(POOLPROOF_CASE_LINE_DOCUMENT), "json")) {
    stream << nlohmann::json::parse(block).dump() << '\n';
  }
  ASSERT_TRUE(stream.good());
}

}  // namespace
}  // namespace poolproof
