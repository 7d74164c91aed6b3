// SPDX-License-Identifier: Apache-2.0
#include "conformance/corpus/corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "conformance/case/case_json.h"
#include "conformance/case/case_text.h"
#include "conformance/case/materialize.h"
#include "conformance/corpus/case_file.h"
#include "core/float_bits.h"
#include "core/random.h"

namespace poolproof {
namespace {

using ::testing::HasSubstr;

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::map<std::string, std::string> VectorFiles() {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(POOLPROOF_CORPUS_FOLDER)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with("_vectors.json")) files[name] = ReadFile(entry.path());
  }
  return files;
}

bool SameNumber(std::uint32_t a, std::uint32_t b, DataType type) {
  const double x = DecodeFloat(a, type);
  const double y = DecodeFloat(b, type);
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
  if (x == 0 || y == 0) return x == y;  // the sign of a zero is free
  return a == b;
}

// Scatter from the definition. Double holds the small corpus sums exactly, except for the few that
// a long double is needed for.
std::vector<std::uint32_t> Scattered(const Call& call, const MaterializedCall& operands) {
  const int spatial = InfoOf(call.op).spatial_rank;
  const DataType type = call.tensor(Role::kGradInput).type;
  const Dims& output = call.tensor(Role::kGradOutput).shape;
  const Dims& input = call.tensor(Role::kGradInput).shape;
  const auto per_output = static_cast<std::size_t>(PlaneElements(output, spatial).value_or(1));
  const auto per_input = static_cast<std::size_t>(PlaneElements(input, spatial).value_or(1));
  std::vector<long double> sums(static_cast<std::size_t>(CheckedNumel(input).value_or(0)), 0.0L);
  for (std::size_t i = 0; i < operands.grad_output.size(); ++i) {
    const std::size_t at =
        i / per_output * per_input + static_cast<std::size_t>(operands.indices[i]);
    sums.at(at) += static_cast<long double>(DecodeFloat(operands.grad_output[i], type));
  }
  std::vector<std::uint32_t> bits;
  for (const long double sum : sums) bits.push_back(EncodeFloat(static_cast<double>(sum), type));
  return bits;
}

TEST(Corpus, HoldsTheFilesOfTheFolder) {
  std::vector<Vector> all;
  for (const auto& [name, text] : VectorFiles()) {
    const Result<std::vector<Vector>> vectors = ParseVectorFile(text, name);
    ASSERT_TRUE(vectors.ok()) << vectors.status().message();
    all.insert(all.end(), vectors->begin(), vectors->end());
  }
  EXPECT_GE(all.size(), 90U);
  ASSERT_EQ(all.size(), Corpus().size());
  for (const Vector& vector : all) {
    EXPECT_NE(std::find(Corpus().begin(), Corpus().end(), vector), Corpus().end())
        << vector.problem.name << " is in a file that CMakeLists.txt does not list";
  }
}

TEST(Corpus, FilesAreCanonical) {
  for (const auto& [name, text] : VectorFiles()) {
    const Result<std::string> formatted = FormatVectorFile(text, name);
    ASSERT_TRUE(formatted.ok()) << formatted.status().message();
    EXPECT_EQ(*formatted == text, true)
        << name << ": run corpus_tool fmt conformance/corpus/" << name;
  }
}

TEST(Corpus, NamesAreUnique) {
  std::set<std::string> names;
  for (const Vector& vector : Corpus()) {
    EXPECT_TRUE(names.insert(vector.problem.name).second) << vector.problem.name;
    EXPECT_EQ(vector.problem.family, "corpus");
    EXPECT_FALSE(vector.flags.empty());
    EXPECT_FALSE(vector.clauses.empty());
  }
}

TEST(Corpus, RoundTripsInBothForms) {
  for (const Vector& vector : Corpus()) {
    const Case& problem = vector.problem.problem;
    const Result<Case> line = ParseCaseLine(CaseLine(problem));
    ASSERT_TRUE(line.ok()) << line.status().message();
    EXPECT_EQ(*line, problem) << vector.problem.name;
    const Result<Case> json = CaseFromJson(CaseToJson(problem));
    ASSERT_TRUE(json.ok()) << json.status().message();
    EXPECT_EQ(*json, problem) << vector.problem.name;
  }
}

TEST(Corpus, Materializes) {
  for (const Vector& vector : Corpus()) {
    const Result<Materialized> operands = Materialize(vector.problem.problem);
    EXPECT_TRUE(operands.ok()) << vector.problem.name << ": " << operands.status().message();
  }
}

// The expectations come from another program than this project's: they test its case data (the
// choice of the maximum, literal bits) and its oracle.
TEST(Corpus, ExpectationsAgreeWithTheDefinition) {
  int count = 0;
  for (const Vector& vector : Corpus()) {
    if (!vector.expected_grad_input.has_value()) continue;
    ++count;
    const Call& call = vector.problem.problem.calls.front();
    const Result<Materialized> operands = Materialize(vector.problem.problem);
    ASSERT_TRUE(operands.ok()) << operands.status().message();
    const std::vector<std::uint32_t> sums = Scattered(call, operands->calls.front());
    ASSERT_EQ(sums.size(), vector.expected_grad_input->size()) << vector.problem.name;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      EXPECT_TRUE(
          SameNumber(sums[i], (*vector.expected_grad_input)[i], call.tensor(Role::kGradInput).type))
          << vector.problem.name << " at " << i << ": " << std::hex << sums[i] << " and "
          << (*vector.expected_grad_input)[i];
    }
  }
  EXPECT_GE(count, 30);
}

TEST(Corpus, LeavesOutWhatAProfileDoesNotHave) {
  const auto has_int64_fixed = [](Profile profile) {
    for (const NamedCase& entry : CorpusCases(profile)) {
      const Call& call = entry.problem.calls.front();
      if (call.op == Operator::kMaxPool3dWithArgmaxBackward &&
          call.tensor(Role::kIndices).type == DataType::kInt64) {
        return true;
      }
    }
    return false;
  };
  const auto has_adaptive = [](Profile profile) {
    for (const NamedCase& entry : CorpusCases(profile)) {
      if (InfoOf(entry.problem.calls.front().op).windows == WindowRule::kAdaptive) return true;
    }
    return false;
  };
  EXPECT_FALSE(has_int64_fixed(Profile::kAtlasA2));
  EXPECT_TRUE(has_int64_fixed(Profile::kAscend950));
  EXPECT_TRUE(has_adaptive(Profile::kAtlasA3));
  EXPECT_FALSE(has_adaptive(Profile::kAscend950));
  EXPECT_TRUE(CorpusCases(Profile::kAtlasTraining).empty());
}

TEST(VectorFile, RefusesWithFileVectorAndMember) {
  const auto file = [](const std::string& vector) {
    return R"({"schema":"poolproof-vectors/1","notes":{"A":{"bugType":"index","description":"x"}},"vectors":[{)" +
           vector + "}]}";
  };
  const std::string head = R"("name":"n","comment":"c","clauses":["X-1"],)";
  const std::string line = R"("case":"pp1:AdaptiveMaxPool2dBackward:self=f32[1,1,2];go=[1,1,2]",)";
  const std::pair<std::string, std::string> cases[] = {
      {"", "v.json: not JSON"},
      {"{}", "v.json: /: member \"schema\" is missing"},
      {file(head + line + R"("flags":[])"),
       "v.json: /vectors/0/flags: expected an array that is not empty"},
      {file(head + line + R"("flags":["A","A"])"), "\"A\" is given twice"},
      {file(head + line + R"("flags":["B"])"), "\"B\" has no entry in notes"},
      {file(head + line + R"("flags":["A"],"more":1)"), "/vectors/0/more: unknown member"},
      {file(head + R"("case":"pp1:","flags":["A"])"), "/vectors/0/case: case line"},
      {file(head + line + R"("flags":["A"],"profiles":["x"])"),
       "/vectors/0/profiles/0: \"x\" is not a profile"},
      {file(head + line + R"("flags":["A"],"expect":{"grad_input":"f32:00000000"})"),
       "1 words for a gradInput of shape [1,1,2]"},
      {file(head + line + R"("flags":["A"],"expect":{"grad_input":"f16:0000 0000"})"),
       "hex words after \"f32:\""},
      {file(head + line + R"("flags":["A"],"expect":{"grad_input":"f32:00000000 "})"),
       "\"\" is not a word of 8 hex digits"},
  };
  for (const auto& [text, message] : cases) {
    const Result<std::vector<Vector>> vectors = ParseVectorFile(text, "v.json");
    ASSERT_FALSE(vectors.ok()) << text;
    EXPECT_THAT(vectors.status().message(), HasSubstr(message));
  }
}

constexpr char kLine[] = "pp1:AdaptiveMaxPool2dBackward:self=f32[1,1,2];go=[1,1,2]";

std::string Quoted(const std::string& line) { return '"' + line + '"'; }
std::string Wrapped(const std::string& line) {
  return R"({"schema":"poolproof-case/1","case":)" + Quoted(line) + "}";
}

TEST(CaseFile, TakesEveryForm) {
  const std::string line = kLine;
  const std::string object = CaseToJson(*ParseCaseLine(line)).dump();
  const std::string pretty = CaseToJson(*ParseCaseLine(line)).dump(2);
  const std::pair<std::string, std::size_t> files[] = {
      {line, 1},
      {line + "\n\n" + line + "\r\n", 2},
      {Quoted(line) + "\n" + Wrapped(line) + "\n" + object + "\n" + line, 4},
      {std::string("[") + Quoted(line) + "," + Wrapped(line) + ",\n" + pretty + "]\n", 3},
      {pretty, 1},
      {Wrapped(line), 1},
  };
  for (const auto& [text, count] : files) {
    const Result<std::vector<NamedCase>> cases = ParseCaseFile(text, "f.json");
    ASSERT_TRUE(cases.ok()) << text << "\n" << cases.status().message();
    ASSERT_EQ(cases->size(), count);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ((*cases)[i].family, "file");
      EXPECT_EQ((*cases)[i].name, std::to_string(i));
      EXPECT_EQ(CaseLine((*cases)[i].problem), line);
    }
  }
}

TEST(CaseFile, RefusesWithFileAndPlace) {
  const std::string line = kLine;
  const std::pair<std::string, std::string> files[] = {
      {"", "f.json: no case"},
      {" \n", "f.json: no case"},
      {"[]", "f.json: no case"},
      {std::string("[") + Quoted(line) + ",5]", "f.json: element 1: case: /: 5 is not an object"},
      {std::string("[") + Quoted(line), "f.json: not JSON"},
      {line + "\n\npp1:x\n", "f.json: line 3: case line"},
      {Wrapped(line) + "\n{\n", "f.json: line 2: not JSON"},
      {R"({"schema":"poolproof-case/1"})", "f.json: case: /: member \"calls\" is missing"},
  };
  for (const auto& [text, message] : files) {
    const Result<std::vector<NamedCase>> cases = ParseCaseFile(text, "f.json");
    ASSERT_FALSE(cases.ok()) << text;
    EXPECT_THAT(cases.status().message(), HasSubstr(message));
  }
}

TEST(CaseFile, SurvivesMutation) {
  const std::string line = kLine;
  const std::string seeds[] = {std::string("[") + Quoted(line) + "," + Wrapped(line) + "]",
                               Wrapped(line) + "\n" + line + "\n" + Quoted(line)};
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    RandomStream random(seed);
    std::string text = seeds[seed % 2];
    for (std::uint64_t edits = 1 + random.Below(4); edits > 0; --edits) {
      const std::size_t at = random.Below(text.size());
      if (random.OneIn(2)) {
        text[at] = "[]{}\",:\n 0"[random.Below(10)];
      } else {
        text.erase(at, 1);
      }
    }
    const Result<std::vector<NamedCase>> cases = ParseCaseFile(text, "f.json");
    if (cases.ok()) continue;
    EXPECT_THAT(cases.status().message(), HasSubstr("f.json"));
  }
}

}  // namespace
}  // namespace poolproof
