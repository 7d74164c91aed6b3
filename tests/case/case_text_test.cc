// SPDX-License-Identifier: Apache-2.0
#include "conformance/case/case_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

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
    call = MakeFixedBackward(type, index, {extent(), extent(), extent(), extent(), extent()},
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

Plan RandomPlan(RandomStream& random) {
  Plan plan;
  if (random.OneIn(2)) return plan;
  plan.descriptors_only = random.OneIn(4);
  plan.null_workspace_size = random.OneIn(4);
  plan.null_executor_out = random.OneIn(4);
  plan.phase_two_alone = random.OneIn(4);
  plan.deterministic = random.OneIn(4);
  if (random.OneIn(3)) plan.repeat = static_cast<std::int32_t>(random.Next());
  if (random.OneIn(3)) plan.threads = static_cast<int>(random.Between(-1, 9));
  if (random.OneIn(3)) plan.settle_ms = static_cast<int>(random.Between(-1, 9));
  if (random.OneIn(3)) plan.growth_calls = static_cast<int>(random.Between(-1, 9));
  plan.fill_late = random.OneIn(4);
  plan.vary_contents = random.OneIn(4);
  plan.reuse_executor = random.OneIn(4);
  if (random.OneIn(3)) plan.shift_bytes = static_cast<int>(random.Between(-1, 99));
  if (random.OneIn(3)) plan.streams = static_cast<int>(random.Between(-1, 9));
  plan.output = static_cast<Poison>(random.Below(4));
  plan.workspace = static_cast<Poison>(random.Below(4));
  plan.guard = static_cast<Guard>(random.Below(3));
  plan.order = static_cast<Order>(random.Below(3));
  if (random.OneIn(3)) plan.relation = static_cast<Relation>(random.Below(kRelationCount));
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
  problem.calls.push_back(MakeFixedBackward(DataType::kFloat16, DataType::kInt32, {1, 2, 4, 6, 8},
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
      {"pp1:", "wanted <operator>"},
      {"pp1:MaxPool4d:self=f32[1]", "unknown operator \"MaxPool4d\""},
      {"pp1:run:det", "at least one call"},
      {Fixed("|run:det|run:det"), "run segment must be the last one"},
      {Fixed("|run:det;det"), "\"det\" comes twice"},
      {Fixed("|run:repeat=99999999999"), "not a 32-bit integer"},
      {Fixed("|run:"), "has no name"},
      {Fixed("|run:output=red"), "field output: \"red\" is not nan, finite, zero or mixed"},
      {Fixed("|"), "call 2"},
      {Fixed(";"), "has no name"},
      {Fixed(";k=3"), "\"k\" comes twice"},
      {Fixed(";q=3"), "unknown field \"q\""},
      {Fixed(";go="), "nothing follows '='"},
      {Fixed(";go"), "field go: wanted a tensor"},
      {Fixed(";ceil=1"), "field ceil: wanted no value"},
      {Fixed(";go=f33"), "field go: unknown data type \"f33\""},
      {Fixed(";go=[1,1,1,2,2"), "field go: shape: \"1,1,1,2,2\" lacks its closing ']'"},
      {Fixed(";go=[1,,2]"), "\"\" is not a 64-bit integer"},
      {Fixed(";go=[9223372036854775808]"), "\"9223372036854775808\" is not a 64-bit integer"},
      {Fixed(";go=@ABC"), "unknown format \"ABC\""},
      {Fixed(";go=+x"), "offset: \"x\""},
      {Fixed(";go={1,1}"), "field go: gradOutput has 2 strides, wanted 5, one for each extent"},
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
              HasSubstr("wanted at most 1048576"));
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
  EXPECT_EQ(*ParseCase("  " + line + "\n"), Parsed(line));
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
  const std::pair<std::string, std::string> cases[] = {
      {"{", "JSON"},
      {"{} x", "JSON"},
      {"{}", "schema \"\"; wanted \"poolproof-case/1\""},
      {R"({"schema":"poolproof-case/2"})", "schema \"poolproof-case/2\""},
      {R"({"schema":"poolproof-case/1"})", "calls: wanted an array"},
      {R"({"schema":"poolproof-case/1","calls":[]})", "calls: wanted an array of 1"},
      {R"({"schema":"poolproof-case/1","case":"pp1:","plan":{}})", "unknown member \"plan\""},
      {R"({"schema":"poolproof-case/1","case":5})", "wanted a case line"},
      {R"({"schema":"poolproof-case/1","case":"pp1:","finding":5})",
       "finding: wanted a JSON object"},
      {R"({"schema":"poolproof-case/1","schema":"x"})", "\"schema\" comes twice"},
      {call(""), "self is missing"},
      {call(R"("self":{"shape":[1,4,4]})"), "gradOutput is missing"},
      {call(self + R"("gradOutput":{"shape":[1,2,2]},"extra":{})"), "unknown member \"extra\""},
      {call(self + R"("gradOutput":{"shape":[1,2,2.5]})"), "wanted a 64-bit integer"},
      {call(self + R"("gradOutput":{"shape":[1,2,2],"strides":[4]})"),
       "tensors: gradOutput has 1 strides, wanted 3, one for each extent"},
      {call(self + R"("gradOutput":{"shape":[1,2,9223372036854775808]})"),
       "tensors.gradOutput: shape: wanted a 64-bit integer"},
      {call(self + R"("gradOutput":{"type":"f31"})"), "type: wanted a data type"},
      {call(self + R"("gradOutput":{"shape":[1,2,2],"data":{"seed":1}})"), "need a kind"},
      {call(self + R"("gradOutput":{"shape":[1,2,2],"data":{"kind":"wide","seed":-1}})"),
       "seed: wanted 0 to 2^64-1"},
      {call(self + R"("gradOutput":{"shape":[1,2,2],"data":{"kind":"literal","values":[1.5]}})"),
       "values: wanted a string of hex words such as \"f32:0 1\""},
      {call(self +
            R"("gradOutput":{"shape":[1,2,2],"data":{"kind":"literal","values":"f16:0 1"}})"),
       "does not start with \"f32:\""},
      {call(self + R"("gradOutput":{"shape":[1,2,2],"data":{"patches":[{"position":1}]}})"),
       "patches: wanted members position and value"},
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
  EXPECT_GE(blocks.size(), 2U);
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
