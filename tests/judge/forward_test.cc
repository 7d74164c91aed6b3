// SPDX-License-Identifier: Apache-2.0
//
// Forwards: what a library without a process answers to a valid call, right or with one fault, and
// what the judge makes of it.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "conformance/case/passed_axes.h"
#include "conformance/judge/judge.h"
#include "conformance/judge/membership.h"
#include "core/float_bits.h"

namespace poolproof {
namespace {

using Answer = std::function<void(Outcome&)>;

constexpr auto kOut = static_cast<std::size_t>(Role::kOut);
constexpr auto kIndices = static_cast<std::size_t>(Role::kIndices);

Case ForwardOf(Operator op, DataType type, const BaseGeometry& geometry) {
  Case problem;
  Call call = MakeForward(MakeBackward(op, type, DataType::kInt32, geometry));
  call.tensor(Role::kSelf).data = {
      .kind = DataKind::kUniform, .seed = 7, .literal = {}, .patches = {}};
  problem.calls.push_back(std::move(call));
  return problem;
}

Case Adaptive2d(DataType type = DataType::kFloat) {
  return ForwardOf(Operator::kAdaptiveMaxPool2dBackward, type,
                   {.self = {2, 3, 7, 9}, .output = {3, 4}});
}

Case Fixed3d(DataType type = DataType::kFloat) {
  return ForwardOf(Operator::kMaxPool3dWithArgmaxBackward, type,
                   {.self = {1, 2, 5, 6, 7},
                    .kernel = {3, 2, 3},
                    .stride = {2},
                    .padding = {1},
                    .dilation = {1},
                    .ceil_mode = true});
}

std::uint32_t SelfBits(const PreparedCase& prepared, std::int64_t element) {
  const TensorSpec& self = prepared.problem.calls[0].tensor(Role::kSelf);
  const auto& storage = prepared.data.calls[0].storage[static_cast<std::size_t>(Role::kSelf)];
  std::uint32_t bits = 0;
  ForEachOffset(self.shape, StridesOf(self), self.offset, [&](std::int64_t i, std::int64_t at) {
    if (i != element) return;
    const auto width = static_cast<std::size_t>(StorageBytes(self.type));
    std::memcpy(&bits, storage.data() + static_cast<std::size_t>(at) * width, width);
  });
  return bits;
}

void Store(const TensorSpec& tensor, std::vector<std::byte>& storage, std::int64_t element,
           std::uint64_t bits) {
  const auto width = static_cast<std::size_t>(StorageBytes(tensor.type));
  ForEachOffset(
      tensor.shape, StridesOf(tensor), tensor.offset, [&](std::int64_t i, std::int64_t at) {
        if (i == element) {
          std::memcpy(storage.data() + static_cast<std::size_t>(at) * width, &bits, width);
        }
      });
}

// Which of a window's elements the simulated library takes: the last one for which this is true of
// the best so far and it.
using Better = std::function<bool(double best, double next)>;
bool First(double best, double next) { return next > best || std::isnan(next); }

Outcome Answered(const PreparedCase& prepared, const Better& better) {
  const Call& call = prepared.problem.calls[0];
  const Membership& membership = *prepared.calls[0].membership;
  const PlaneGeometry& geometry = membership.geometry();
  Outcome outcome;
  CallOutcome& answer = outcome.calls.emplace_back();
  answer.reached = Phase::kDone;
  answer.phase_one = answer.phase_two = answer.synchronise = 0;
  answer.workspace_size_set = answer.executor_set = true;
  answer.outputs[kOut] = prepared.data.calls[0].storage[kOut];
  answer.outputs[kIndices] = prepared.data.calls[0].storage[kIndices];
  const DataType type = call.tensor(Role::kSelf).type;
  for (std::int64_t plane = 0; plane < geometry.planes; ++plane) {
    for (std::int64_t o = 0; o < geometry.OutputSize(); ++o) {
      std::int64_t chosen = -1;
      double best = 0;
      for (std::int64_t i = 0; i < geometry.PlaneSize(); ++i) {
        if (!membership.Covers(o, i)) continue;
        const double next = DecodeFloat(SelfBits(prepared, plane * geometry.PlaneSize() + i), type);
        if (chosen < 0 || better(best, next)) {
          best = next;
          chosen = i;
        }
      }
      const std::int64_t element = plane * geometry.OutputSize() + o;
      Store(call.tensor(Role::kOut), answer.outputs[kOut], element,
            SelfBits(prepared, plane * geometry.PlaneSize() + chosen));
      Store(call.tensor(Role::kIndices), answer.outputs[kIndices], element,
            static_cast<std::uint64_t>(chosen));
    }
  }
  return outcome;
}

Verdict JudgeAnswer(const Case& problem, const Better& better, const Answer& change = nullptr,
                    Profile profile = Profile::kAtlasA2) {
  const JudgeContext context{&Spec::Embedded(), profile};
  const Result<PreparedCase> prepared = Prepare(context.rules(), problem);
  EXPECT_TRUE(prepared.ok()) << prepared.status().message();
  EXPECT_EQ(prepared->calls[0].legality.kind, LegalityKind::kValid);
  Outcome outcome = Answered(*prepared, better);
  if (change) change(outcome);
  return Judge(context, *prepared, outcome);
}

Answer SetIndex(const Case& problem, std::int64_t element, std::int64_t index) {
  return [=](Outcome& outcome) {
    Store(problem.calls[0].tensor(Role::kIndices), outcome.calls[0].outputs[kIndices], element,
          static_cast<std::uint64_t>(index));
  };
}

void ExpectFailed(const Verdict& verdict, const std::vector<std::string>& clauses, FindingKind kind,
                  const std::string& words) {
  ASSERT_EQ(verdict.kind, VerdictKind::kFailed);
  ASSERT_EQ(verdict.findings.size(), 1U) << verdict.findings[1].message;
  EXPECT_EQ(verdict.findings[0].clauses, clauses);
  EXPECT_EQ(verdict.findings[0].kind, kind);
  EXPECT_NE(verdict.findings[0].message.find(words), std::string::npos)
      << verdict.findings[0].message;
}

void ExpectFailed(const Verdict& verdict, const std::string& clause, FindingKind kind,
                  const std::string& words) {
  ExpectFailed(verdict, std::vector<std::string>{clause}, kind, words);
}

void ExpectPassed(const Verdict& verdict, const std::string& clause) {
  EXPECT_EQ(verdict.kind, VerdictKind::kPassed)
      << (verdict.findings.empty() ? verdict.note : verdict.findings[0].message);
  EXPECT_NE(std::find(verdict.evidence.begin(), verdict.evidence.end(), clause),
            verdict.evidence.end())
      << clause;
}

TEST(Forward, RightAnswersProveTheClauses) {
  for (const DataType type : {DataType::kFloat, DataType::kFloat16, DataType::kBf16}) {
    for (const std::string id : {"AMP2-F01", "AMP2-F02", "AMP2-F03", "AMP2-B04"}) {
      ExpectPassed(JudgeAnswer(Adaptive2d(type), &First), id);
    }
    for (const std::string id : {"MP3-F01", "MP3-F02", "MP3-F03", "MP3-B16"}) {
      ExpectPassed(JudgeAnswer(Fixed3d(type), &First), id);
    }
  }
}

TEST(Forward, AnyOfSeveralEqualMaximaIsRight) {
  Case problem = Adaptive2d();
  problem.calls[0].tensor(Role::kSelf).data.kind = DataKind::kTies;
  ExpectPassed(JudgeAnswer(problem, &First), "AMP2-F03");
  ExpectPassed(JudgeAnswer(problem, [](double best, double next) { return next >= best; }),
               "AMP2-F03");
}

TEST(Forward, WhatNanDoesIsLeftOpen) {
  for (const DataType type : {DataType::kFloat, DataType::kFloat16, DataType::kBf16}) {
    Case problem = Adaptive2d(type);
    const auto nan = static_cast<std::uint64_t>(EncodeFloat(NAN, type));
    problem.calls[0].tensor(Role::kSelf).data.patches = {{0, nan}, {30, nan}, {31, nan}};
    ExpectPassed(JudgeAnswer(problem, &First), "AMP2-F02");
    // The maximum of the numbers; and whatever a comparison that a NaN always fails leaves.
    ExpectPassed(JudgeAnswer(problem,
                             [](double best, double next) {
                               return next > best || (std::isnan(best) && !std::isnan(next));
                             }),
                 "AMP2-F02");
    ExpectPassed(JudgeAnswer(problem, [](double best, double next) { return next > best; }),
                 "AMP2-F02");
    ExpectPassed(JudgeAnswer(problem, [](double best, double next) { return !(next <= best); }),
                 "AMP2-F02");
  }
}

TEST(Forward, WindowsOfMinusInfinityHaveAMaximum) {
  Case problem = Adaptive2d();
  Data& data = problem.calls[0].tensor(Role::kSelf).data;
  data = {.kind = DataKind::kConstant, .seed = 0, .literal = {0xff800000U}, .patches = {}};
  ExpectPassed(JudgeAnswer(problem, &First), "AMP2-F02");
  ExpectFailed(JudgeAnswer(problem, &First, SetIndex(problem, 5, -1)), "AMP2-B04",
               FindingKind::kWrongIndex, "lies outside the plane of 63");
}

TEST(Forward, ZerosOfBothSignsAreEqual) {
  Case problem = Adaptive2d();
  Data& data = problem.calls[0].tensor(Role::kSelf).data;
  data = {.kind = DataKind::kZero, .seed = 0, .literal = {}, .patches = {{4, 0x80000000U}}};
  ExpectPassed(JudgeAnswer(problem, [](double, double next) { return std::signbit(next); }),
               "AMP2-F03");
}

// To a library that takes subnormals for zeros, all of them are equal; and what is taken may be
// read as zero. Normal numbers are none of that.
TEST(Forward, SubnormalsMayCountAsZero) {
  for (const DataType type : {DataType::kFloat, DataType::kFloat16, DataType::kBf16}) {
    const double least = TraitsOf(type).min_normal;
    const auto answered = [&](double step, double threshold, bool told_as_zero) {
      Case problem = Adaptive2d(type);
      Data& data = problem.calls[0].tensor(Role::kSelf).data;
      data = Data();
      data.kind = DataKind::kLiteral;
      for (int i = 0; i < 2 * 3 * 7 * 9; ++i) {
        data.literal.push_back(EncodeFloat(step * (1 + i % 3) * (i % 2 == 0 ? 1 : -1), type));
      }
      const auto flush = [=](double x) { return std::fabs(x) < threshold ? 0.0 : x; };
      const Answer zeros = [&](Outcome& outcome) {
        const TensorSpec& out = problem.calls[0].tensor(Role::kOut);
        for (std::int64_t i = 0; told_as_zero && i < *CheckedNumel(out.shape); ++i) {
          Store(out, outcome.calls[0].outputs[kOut], i, 0);
        }
      };
      return JudgeAnswer(
          problem, [=](double best, double next) { return flush(next) > flush(best); }, zeros);
    };
    for (const bool told_as_zero : {false, true}) {
      ExpectPassed(answered(least / 4, least, told_as_zero), "AMP2-F03");
      EXPECT_EQ(answered(least, 4 * least, told_as_zero).kind, VerdictKind::kFailed);
    }
    EXPECT_EQ(answered(least, 0, true).kind, VerdictKind::kFailed);
  }
}

TEST(Forward, AMinimumIsNoMaximum) {
  const Verdict verdict =
      JudgeAnswer(Adaptive2d(), [](double best, double next) { return next < best; });
  ASSERT_EQ(verdict.findings.size(), 2U);
  EXPECT_EQ(verdict.findings[0].clauses, std::vector<std::string>{"AMP2-F03"});
  EXPECT_EQ(verdict.findings[1].clauses, std::vector<std::string>{"AMP2-F02"});
  EXPECT_EQ(verdict.findings[1].kind, FindingKind::kWrongMaximum);
  EXPECT_TRUE(verdict.evidence.empty());
}

TEST(Forward, TheLastElementOfAWindowIsNoMaximum) {
  EXPECT_EQ(JudgeAnswer(Fixed3d(), [](double, double) { return true; }).kind, VerdictKind::kFailed);
}

TEST(Forward, AnIndexInTheWindowMustNameTheMaximum) {
  // Window 0 of both axes holds positions 0 and 1 of the first row; one of them is not the maximum.
  const Case problem = Adaptive2d();
  const bool first_fails =
      JudgeAnswer(problem, &First, SetIndex(problem, 0, 0)).kind == VerdictKind::kFailed;
  const Verdict verdict = JudgeAnswer(problem, &First, SetIndex(problem, 0, first_fails ? 0 : 1));
  ExpectFailed(verdict, "AMP2-F03", FindingKind::kWrongIndex, "the maximum of its window is");
}

TEST(Forward, IndicesOutsideTheirWindows) {
  const Case adaptive = Adaptive2d();
  ExpectFailed(JudgeAnswer(adaptive, &First, SetIndex(adaptive, 0, 62)), "AMP2-B04",
               FindingKind::kWrongIndex, "lies outside its window");
  const Case fixed = Fixed3d();
  ExpectFailed(JudgeAnswer(fixed, &First, SetIndex(fixed, 0, 209)), "MP3-F03",
               FindingKind::kWrongIndex, "lies outside its window");
  ExpectFailed(JudgeAnswer(fixed, &First, SetIndex(fixed, 0, 210)), "MP3-B16",
               FindingKind::kWrongIndex, "lies outside the plane of 210");
}

TEST(Forward, AnOutputThatWasNotWrittenIsSaidSo) {
  const Case problem = Adaptive2d(DataType::kFloat16);
  ExpectFailed(JudgeAnswer(problem, &First,
                           [&](Outcome& outcome) {
                             Store(problem.calls[0].tensor(Role::kOut),
                                   outcome.calls[0].outputs[kOut], 71, 0xffffU);
                           }),
               "AMP2-F02", FindingKind::kWrongMaximum, ", got NaN (ffff)");
}

TEST(Forward, BadEndsAndRefusalsAreFailures) {
  const auto signalled = [](Phase phase) {
    return [=](Outcome& outcome) {
      outcome.calls.clear();
      outcome.end = End::kSignalled;
      outcome.signal = 11;
      outcome.ended_in = phase;
    };
  };
  ExpectFailed(JudgeAnswer(Adaptive2d(), &First, signalled(Phase::kPhaseTwo)),
               std::vector<std::string>{"AMP2-F01", "SAF-03"}, FindingKind::kCrashed,
               "of a valid forward");
  ExpectFailed(JudgeAnswer(Adaptive2d(), &First, signalled(Phase::kPhaseOne)),
               std::vector<std::string>{"AMP2-F01", "SAF-03"}, FindingKind::kCrashed,
               "(self, outputSize, out, indices, workspaceSize, executor)");
  ExpectFailed(JudgeAnswer(Fixed3d(), &First,
                           [](Outcome& outcome) {
                             outcome.calls.clear();
                             outcome.end = End::kTimedOut;
                             outcome.ended_in = Phase::kSynchronise;
                           }),
               std::vector<std::string>{"MP3-F01", "SAF-03"}, FindingKind::kTimedOut,
               "of a valid forward");
  ExpectFailed(JudgeAnswer(Fixed3d(), &First,
                           [](Outcome& outcome) {
                             CallOutcome& answer = outcome.calls[0];
                             answer.phase_one = 161002;
                             answer.phase_two = answer.synchronise = std::nullopt;
                             answer.outputs = {};
                           }),
               "MP3-F01", FindingKind::kRefused,
               "phase one refused a valid forward of f32 values and i32 indices with 161002");
  ExpectFailed(
      JudgeAnswer(Fixed3d(), &First, [](Outcome& outcome) { outcome.calls[0].phase_two = 561103; }),
      "MP3-F01", FindingKind::kRefused, "phase two returned 561103");
}

TEST(Forward, AnotherParameterListIsSaidSo) {
  ExpectFailed(JudgeAnswer(Fixed3d(), &First,
                           [](Outcome& outcome) {
                             CallOutcome& answer = outcome.calls[0];
                             answer.executor_set = false;
                             answer.phase_two = answer.synchronise = std::nullopt;
                             answer.outputs = {};
                           }),
               "MP3-F01", FindingKind::kOutParameter,
               "its parameter list seems not to be the documented one, (self, kernelSize, stride, "
               "padding, dilation, ceilMode, out, indices, workspaceSize, executor)");
}

TEST(Forward, MemoryOfOutputsAndInputsIsWatched) {
  Case problem = Adaptive2d();
  TensorSpec& out = problem.calls[0].tensor(Role::kOut);
  out.strides = {72, 24, 8, 2};
  ExpectPassed(JudgeAnswer(problem, &First), "AMP2-F04");
  const auto memory = [&](Role role, const std::function<void(MemoryFacts&)>& change) {
    return
        [=](Outcome& outcome) { change(outcome.calls[0].memory[static_cast<std::size_t>(role)]); };
  };
  ExpectFailed(
      JudgeAnswer(problem, &First,
                  [](Outcome& outcome) { outcome.calls[0].outputs[kOut][4] ^= std::byte{1}; }),
      "SAF-01", FindingKind::kWroteOutside, "of the storage of out, between");
  ExpectFailed(JudgeAnswer(problem, &First,
                           memory(Role::kIndices,
                                  [](MemoryFacts& facts) { facts.guard_after_intact = false; })),
               "SAF-01", FindingKind::kWroteOutside, "just after the storage of indices");
  ExpectFailed(
      JudgeAnswer(problem, &First,
                  memory(Role::kSelf, [](MemoryFacts& facts) { facts.first_changed_byte = 3; })),
      "SAF-02", FindingKind::kInputChanged, "of self was changed");
  ExpectFailed(JudgeAnswer(problem, &First,
                           memory(Role::kSelf,
                                  [](MemoryFacts& facts) {
                                    facts.guard_touch = GuardTouch{0, Access::kRead};
                                  })),
               "SAF-07", FindingKind::kReadOutside, "of the storage of self was read");
  ExpectFailed(
      JudgeAnswer(problem, &First,
                  [](Outcome& outcome) { outcome.calls[0].workspace.guard_after_intact = false; }),
      "SAF-05", FindingKind::kWorkspaceOverrun, "the workspace");
}

TEST(Forward, ViewsAndFormatsHaveClausesOfTheirOwn) {
  Case views = Adaptive2d();
  views.calls[0].tensor(Role::kSelf).strides = {189, 1, 27, 3};
  ExpectPassed(JudgeAnswer(views, &First), "AMP2-F04");
  EXPECT_EQ(
      JudgeAnswer(views, [](double best, double next) { return next < best; }).findings[0].clauses,
      std::vector<std::string>{"AMP2-F04"});
  Case nhwc = Adaptive2d();
  SetFormats(nhwc.calls[0], Format::kNhwc);
  ExpectPassed(JudgeAnswer(nhwc, &First), "AMP2-F05");
  for (const Finding& finding : JudgeAnswer(nhwc, &First, SetIndex(nhwc, 0, -1)).findings) {
    EXPECT_EQ(finding.clauses, std::vector<std::string>{"AMP2-F05"});
  }
}

TEST(Forward, SpansHoldWhatTheDefinitionCovers) {
  const std::vector<Case> problems = {Adaptive2d(), Fixed3d()};
  for (const Case& problem : problems) {
    const Membership membership = *Membership::Of(problem.calls[0]);
    const PlaneGeometry& geometry = membership.geometry();
    for (std::int64_t o = 0; o < geometry.OutputSize(); ++o) {
      for (std::int64_t i = 0; i < geometry.PlaneSize(); ++i) {
        const auto& [d, h, w] = geometry.output;
        (void)d;
        const bool covered =
            membership.AxisSpan(0, o / (h * w))
                .Contains(i / (geometry.input[1] * geometry.input[2])) &&
            membership.AxisSpan(1, o / w % h).Contains(i / geometry.input[2] % geometry.input[1]) &&
            membership.AxisSpan(2, o % w).Contains(i % geometry.input[2]);
        ASSERT_EQ(covered, membership.Covers(o, i)) << o << " " << i;
      }
    }
  }
}

}  // namespace
}  // namespace poolproof
