// SPDX-License-Identifier: Apache-2.0
//
// Libraries that are all right and add in ways of their own: what tells their results apart.
#include "conformance/session/differences.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "conformance/case/case_text.h"
#include "conformance/properties/properties.h"

namespace poolproof {
namespace {

// A way of adding floats.
struct Way {
  bool last_first = false;
  bool flushes = false;
  bool zeros_are_negative = false;
  std::uint32_t nan = 0x7fc00000U;
  std::size_t wrong_width = 0;  // of the row whose sums are wrong
};

float Flushed(const Way& way, float value) {
  return way.flushes && std::fpclassify(value) == FP_SUBNORMAL ? 0.0F : value;
}

std::uint32_t SumOf(const Way& way, std::vector<float> terms) {
  if (way.last_first) std::reverse(terms.begin(), terms.end());
  float sum = 0;
  for (const float term : terms) sum = Flushed(way, sum + Flushed(way, term));
  if (std::isnan(sum)) return way.nan;
  if (sum == 0) return way.zeros_are_negative ? 0x80000000U : 0;
  return std::bit_cast<std::uint32_t>(sum);
}

// Carries out calls of one plane of floats. Refuses other types, and strides of 0.
class FloatWorker : public Worker {
 public:
  explicit FloatWorker(const Way& way) : way_(way) {
    probe_.devices = 1;
    probe_.host_memory = true;
    for (const OperatorInfo& info : AllOperators()) probe_.operators.emplace_back(info.name);
  }
  [[nodiscard]] const Probe& probe() const override { return probe_; }
  [[nodiscard]] bool alive() const override { return true; }
  Outcome Run(const Invocation& invocation) override {
    std::map<Role, const TensorArgument*> tensors;
    for (const TensorArgument& tensor : invocation.calls.front().tensors) {
      tensors[tensor.role] = &tensor;
    }
    Outcome outcome;
    CallOutcome& call = outcome.calls.emplace_back();
    call.reached = Phase::kDone;
    const std::vector<std::optional<Dims>>& lists = invocation.calls.front().lists;
    if (tensors[Role::kGradOutput]->type != static_cast<std::int32_t>(DataType::kFloat) ||
        tensors[Role::kIndices]->type != static_cast<std::int32_t>(DataType::kInt32) ||
        (lists.size() > 1 && lists[1]->back() == 0)) {
      call.phase_one = 161002;
      return outcome;
    }
    call.phase_one = call.phase_two = call.synchronise = 0;
    call.workspace_size_set = call.executor_set = true;
    const std::vector<std::byte>& gradients = tensors[Role::kGradOutput]->bytes;
    const std::vector<std::byte>& indices = tensors[Role::kIndices]->bytes;
    std::vector<std::vector<float>> terms(tensors[Role::kGradInput]->bytes.size() / 4);
    for (std::size_t i = 0; i < gradients.size(); i += 4) {
      float gradient = 0;
      std::int32_t index = 0;
      std::memcpy(&gradient, &gradients[i], 4);
      std::memcpy(&index, &indices[i], 4);
      terms[static_cast<std::size_t>(index)].push_back(gradient);
    }
    std::vector<std::byte>& output = call.outputs[static_cast<std::size_t>(Role::kGradInput)];
    output.resize(terms.size() * 4);
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const std::uint32_t bits =
          terms.size() == way_.wrong_width ? 0x42280000U : SumOf(way_, terms[i]);
      std::memcpy(&output[i * 4], &bits, 4);
    }
    return outcome;
  }

 private:
  const Way way_;
  Probe probe_;
};

Subject SubjectOf(const std::string& name, const Way& way) {
  Subject subject;
  subject.identity.name = name;
  subject.start = [way](Profile, bool) -> Result<std::unique_ptr<Worker>> {
    return std::unique_ptr<Worker>(std::make_unique<FloatWorker>(way));
  };
  return subject;
}

// A row with windows of two at a distance of one: gradients as hex words, and where they go.
std::string LineOf(int width, const std::string& gradients, const std::string& indices) {
  return "pp1:MaxPool3dWithArgmaxBackward:self=f32[1,1,1,1," + std::to_string(width) +
         "];k=1,1,2;s=1;p=0;d=1;go=~hex." + gradients + ";ix=~int." + indices;
}

// 1 is lost beside 2^24 if it comes last.
const std::string kOrderShows =
    "pp1:MaxPool3dWithArgmaxBackward:self=f32[1,1,1,1,5];k=1,1,3;s=1;p=0;d=1;"
    "go=~hex.3f800000,3f800000,4b800000;ix=~int.2,2,2";
const std::string kSpecialNan = LineOf(3, "7fc00000,3f800000", "0,1");
const std::string kSubnormal = LineOf(4, "3f800000,00000001,40000000", "0,2,3");
// 2^-127 twice is normal.
const std::string kSubnormalSum = LineOf(3, "00400000,00400000", "1,1");
// 2^-127 twice beside 2^-103, where each of them is half a unit in the last place.
const std::string kSubnormalInSum =
    "pp1:MaxPool3dWithArgmaxBackward:self=f32[1,1,1,1,5];k=1,1,3;s=1;p=0;d=1;"
    "go=~hex.00400000,00400000,0c000000;ix=~int.2,2,2";
const std::string kZeros = LineOf(3, "80000000,80000000", "1,1");
const std::string kPlain = LineOf(6, "3f800000,40000000,3f800000,40000000,3f800000", "0,1,2,3,4");

class DifferencesTest : public testing::Test {
 protected:
  LibraryDifferences Compare(const Way& judged, const Way& other,
                             const std::vector<std::string>& lines, int jobs = 1) {
    SessionParts parts;
    parts.sources = [&](Profile) {
      CaseSources sources;
      for (std::size_t i = 0; i < lines.size(); ++i) {
        const Result<Case> problem = ParseCaseLine(lines[i]);
        EXPECT_TRUE(problem.ok()) << lines[i] << ": " << problem.status().message();
        sources.fixed.push_back({"fixed", std::to_string(i), problem.ok() ? *problem : Case()});
      }
      return sources;
    };
    parts.reason_not_exercised = [](std::string_view) { return std::nullopt; };
    parts.judge = &JudgeWithProperties;
    parts.explain = nullptr;
    SessionOptions options;
    options.jobs = jobs;
    options.stop_after = stop_after_;
    const Spec& spec = Spec::Embedded();
    Differential differential(spec, options, parts);
    SessionProgress progress;
    const Result<Report> report = RunSession(spec, SubjectOf("judged", judged), options,
                                             differential.PartsOfJudged(), progress, stop_);
    EXPECT_TRUE(report.ok()) << report.status().message();
    SessionProgress more;
    Result<LibraryDifferences> found = differential.Compare(
        SubjectOf("other", other), Profile::kAtlasA2, std::nullopt, more, stop_);
    EXPECT_TRUE(found.ok()) << found.status().message();
    return found.ok() ? std::move(found).value() : LibraryDifferences();
  }

  // What tells two right libraries apart in the one case.
  std::optional<DifferenceKind> Kind(const Way& judged, const Way& other, const std::string& line) {
    const LibraryDifferences found = Compare(judged, other, {line});
    EXPECT_EQ(found.cases, 1) << line;
    EXPECT_EQ(found.not_compared, 0) << line;
    EXPECT_EQ(found.same + std::ssize(found.rows), 1) << line;
    if (found.rows.empty()) return std::nullopt;
    EXPECT_EQ(CaseLine(found.rows.front().smallest), line);
    return found.rows.front().kind;
  }

  std::optional<std::int64_t> stop_after_;
  std::atomic<bool> stop_{false};
};

TEST_F(DifferencesTest, EachKindIsToldFromTheOthers) {
  const Way usual;
  const Way backwards{.last_first = true};
  const Way flushing{.flushes = true};
  const Way negative{.zeros_are_negative = true};
  const Way other_nan{.nan = 0xffc00001U};
  for (const auto& [way, line, kind] :
       std::vector<std::tuple<Way, std::string, std::optional<DifferenceKind>>>{
           {usual, kOrderShows, std::nullopt},
           {backwards, kOrderShows, DifferenceKind::kValues},
           {backwards, kSubnormal, std::nullopt},
           {backwards, kSubnormalInSum, DifferenceKind::kValues},
           {flushing, kSubnormal, DifferenceKind::kSubnormals},
           {flushing, kSubnormalSum, DifferenceKind::kSubnormals},
           {flushing, kOrderShows, std::nullopt},
           {negative, kZeros, DifferenceKind::kZeroSign},
           {other_nan, kSpecialNan, DifferenceKind::kNan},
           {other_nan, kPlain, std::nullopt},
       }) {
    EXPECT_EQ(Kind(usual, way, line), kind) << line;
    EXPECT_EQ(Kind(way, usual, line), kind) << line;
  }
  // A case has one kind: the first that holds.
  const Way all{.last_first = true, .zeros_are_negative = true};
  EXPECT_EQ(Kind(usual, all, kOrderShows), DifferenceKind::kValues);
}

TEST_F(DifferencesTest, CountsAddUpAndAreTheSameForAnyNumberOfJobs) {
  const std::vector<std::string> lines = {
      kPlain, kOrderShows, kSpecialNan, kSubnormal, kZeros, kSubnormalSum,
      LineOf(9, "3f800000,3f800000,3f800000,3f800000,3f800000,3f800000,3f800000,3f800000",
             "0,1,2,3,4,5,6,7"),
      LineOf(5, "3f800000,3f800000,3f800000,7fc00000", "0,1,2,3"),
      // Refused: nothing to compare.
      "pp1:MaxPool3dWithArgmaxBackward:self=f32[1,1,1,1,4];k=1,1,2;s=1,1,0;p=0;d=1;go=[1,1,1,1,3]"};
  const Way other{.last_first = true, .flushes = true, .nan = 0xffc00001U, .wrong_width = 9};
  const LibraryDifferences found = Compare({}, other, lines);
  EXPECT_EQ(found.name, "other");
  EXPECT_EQ(found.cases, 8);
  EXPECT_EQ(found.same, 2) << "the plain one, and zeros";
  EXPECT_EQ(found.not_compared, 0);
  std::map<DifferenceKind, std::pair<std::int64_t, std::string>> rows;
  for (const DifferenceRow& row : found.rows) {
    EXPECT_EQ(row.op, Operator::kMaxPool3dWithArgmaxBackward);
    rows[row.kind] = {row.cases, CaseLine(row.smallest)};
  }
  const std::map<DifferenceKind, std::pair<std::int64_t, std::string>> wanted = {
      {DifferenceKind::kFails, {1, lines[6]}},
      {DifferenceKind::kValues, {1, kOrderShows}},
      {DifferenceKind::kSubnormals, {2, kSubnormalSum}},
      {DifferenceKind::kNan, {2, kSpecialNan}}};
  EXPECT_EQ(rows, wanted);
  EXPECT_EQ(Compare({}, other, lines, /*jobs=*/4), found);
}

TEST_F(DifferencesTest, WhatTheJudgedLibraryFailsIsNotCompared) {
  const LibraryDifferences found = Compare({.wrong_width = 6}, {}, {kPlain, kSubnormal});
  EXPECT_EQ(found.cases, 1);
  EXPECT_EQ(found.same, 1);
}

// Which further cases were judged depends on the jobs.
TEST_F(DifferencesTest, CasesBehindTheEndOfTheRunAreNotCompared) {
  std::vector<std::string> lines = {kSubnormal, kPlain};
  for (int width = 10; width < 90; ++width) {
    lines.push_back("pp1:MaxPool3dWithArgmaxBackward:self=f32[1,1,1,1," + std::to_string(width) +
                    "];k=1,1,2;s=1;p=0;d=1");
  }
  stop_after_ = 1;
  EXPECT_EQ(Compare({.wrong_width = 6}, {}, lines).cases, 1);
  EXPECT_EQ(Compare({.wrong_width = 6}, {}, lines, /*jobs=*/4).cases, 1);
}

}  // namespace
}  // namespace poolproof
