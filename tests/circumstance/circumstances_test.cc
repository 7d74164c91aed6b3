// SPDX-License-Identifier: Apache-2.0
#include "conformance/circumstance/circumstances.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

#include "conformance/case/case_text.h"

namespace poolproof {
namespace {

Case CaseOf(const std::string& line) {
  Result<Case> problem = ParseCaseLine(line);
  EXPECT_TRUE(problem.ok()) << line;
  return std::move(problem).value();
}

std::int64_t ValueOf(const Case& problem, const std::string& name, std::size_t call = 0) {
  const std::size_t place = CircumstanceOf(name);
  EXPECT_LT(place, AllCircumstances().size()) << name;
  return CircumstancesOf(problem, call)[place];
}

TEST(Circumstances, NamesAreDifferentAndEveryOneHasAValue) {
  std::set<std::string> names;
  for (const Circumstance& row : AllCircumstances()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.text.empty()) << row.name;
    EXPECT_EQ(row.kind == Circumstance::Kind::kFlag, !row.negation.empty()) << row.name;
    EXPECT_EQ(row.kind == Circumstance::Kind::kWord, !row.words.empty()) << row.name;
  }
  const Case fixed =
      CaseOf("pp1:MaxPool3dWithArgmaxBackward:self=f32[1,2,3,4,5];k=1,2,1;s=1,1,2;p=0,0,0;d=1,1,1");
  const Case adaptive = CaseOf("pp1:AdaptiveMaxPool2dBackward:self=f32[1,2,6,7];go=[1,2,3,2]");
  EXPECT_EQ(CircumstancesOf(fixed, 0).size(), AllCircumstances().size());
  EXPECT_EQ(CircumstancesOf(adaptive, 0).size(), AllCircumstances().size());
}

// A list that is wrong takes nothing away from what others say.
TEST(Circumstances, OfListsThatMakeNoWindows) {
  const Case problem = CaseOf(
      "pp1:MaxPool3dWithArgmaxBackward:self=f32[1,2,5,6,7];k=[];s=2,-1,3;p=4;d=1,1;go=[1,2,3,4,4]");
  EXPECT_EQ(ValueOf(problem, "stride_d"), 2);
  EXPECT_EQ(ValueOf(problem, "stride_h"), -1);
  EXPECT_EQ(ValueOf(problem, "padding_w"), 4);
  EXPECT_EQ(ValueOf(problem, "kernel_d"), kNoValue);
  EXPECT_EQ(ValueOf(problem, "dilation_d"), kNoValue);
  // An empty stride is the kernel, whatever the dilation is.
  const Case steps = CaseOf(
      "pp1:MaxPool3dWithArgmaxBackward:self=f32[1,2,5,6,7];k=3,2,1;s=[];p=0;d=0;go=[1,2,1,1,1]");
  EXPECT_EQ(ValueOf(steps, "stride_d"), 3);
  EXPECT_EQ(ValueOf(steps, "strides_differ"), 1);
}

TEST(Circumstances, OfFixedWindowsAlongEachAxis) {
  const Case problem = CaseOf(
      "pp1:MaxPool3dWithArgmaxBackward:self=f16[1,2,8,9,10];k=3,2,3;s=1,2,4;p=0,0,0;d=1,1,1");
  EXPECT_EQ(ValueOf(problem, "overlap_d"), 1);
  EXPECT_EQ(ValueOf(problem, "overlap_h"), 0);
  EXPECT_EQ(ValueOf(problem, "overlap_w"), 0);
  EXPECT_EQ(ValueOf(problem, "overlapping_axes"), 1);
  EXPECT_EQ(ValueOf(problem, "gap_d"), 0);
  EXPECT_EQ(ValueOf(problem, "gap_h"), 0);
  EXPECT_EQ(ValueOf(problem, "gap_w"), 1);
  EXPECT_EQ(ValueOf(problem, "in_w"), 10);
  EXPECT_EQ(ValueOf(problem, "out_w"), 2);
  EXPECT_EQ(ValueOf(problem, "rest_h"), 1);
  EXPECT_EQ(ValueOf(problem, "rest_w"), 3);
  EXPECT_EQ(ValueOf(problem, "plane"), 8 * 9 * 10);
  EXPECT_EQ(ValueOf(problem, "planes"), 2);
  EXPECT_EQ(ValueOf(problem, "values_16_bit"), 1);
  EXPECT_EQ(ValueOf(problem, "unbatched"), 0);
  EXPECT_EQ(ValueOf(problem, "ceil_mode"), 0);
}

TEST(Circumstances, DilatedWindowsOverlapWhereTheyShareElements) {
  // Windows of 0, 2, 4 and 1, 3, 5: they interleave and share nothing; the third meets the first.
  const Case interleaved =
      CaseOf("pp1:MaxPool3dWithArgmaxBackward:self=f32[1,1,1,1,6];k=1,1,3;s=1,1,1;p=0,0,0;d=1,1,2");
  EXPECT_EQ(ValueOf(interleaved, "out_w"), 2);
  EXPECT_EQ(ValueOf(interleaved, "overlap_w"), 0);
  const Case meeting =
      CaseOf("pp1:MaxPool3dWithArgmaxBackward:self=f32[1,1,1,1,7];k=1,1,3;s=1,1,1;p=0,0,0;d=1,1,2");
  EXPECT_EQ(ValueOf(meeting, "overlap_w"), 1);
  // One window overlaps none.
  const Case alone =
      CaseOf("pp1:MaxPool3dWithArgmaxBackward:self=f32[1,1,1,1,3];k=1,1,3;s=1,1,1;p=0,0,0;d=1,1,1");
  EXPECT_EQ(ValueOf(alone, "overlap_w"), 0);
  EXPECT_EQ(ValueOf(alone, "reaches_w"), 1);
  EXPECT_EQ(ValueOf(alone, "reaches_h"), 0);
}

TEST(Circumstances, OfAdaptiveWindowsOverPlanesOfTwoAxes) {
  const Case problem = CaseOf("pp1:AdaptiveMaxPool2dBackward:self=f32[2,6,7];go=[2,3,14]");
  EXPECT_EQ(ValueOf(problem, "adaptive"), 1);
  EXPECT_EQ(ValueOf(problem, "three_axes"), 0);
  EXPECT_EQ(ValueOf(problem, "unbatched"), 1);
  EXPECT_EQ(ValueOf(problem, "in_d"), kNoValue);
  EXPECT_EQ(ValueOf(problem, "overlap_d"), 0);
  EXPECT_EQ(ValueOf(problem, "overlap_h"), 0);
  EXPECT_EQ(ValueOf(problem, "overlap_w"), 1);
  EXPECT_EQ(ValueOf(problem, "upsampled_w"), 1);
  EXPECT_EQ(ValueOf(problem, "repeats_w"), 1);
  EXPECT_EQ(ValueOf(problem, "kernel_w"), kNoValue);
  EXPECT_EQ(ValueOf(problem, "ceil_mode"), kNoValue);
}

TEST(Circumstances, OfLayouts) {
  Case problem = CaseOf("pp1:AdaptiveMaxPool2dBackward:self=f32[1,2,4,6];go=[1,2,2,3]");
  EXPECT_EQ(ValueOf(problem, "strided"), 0);
  TensorSpec& grad = problem.calls.front().tensor(Role::kGradOutput);
  grad.strides = {12, 6, 1, 2};
  grad.offset = 5;
  EXPECT_EQ(ValueOf(problem, "strided"), 1);
  EXPECT_EQ(ValueOf(problem, "grad_output_permuted"), 1);
  EXPECT_EQ(ValueOf(problem, "grad_output_gaps"), 0);
  EXPECT_EQ(ValueOf(problem, "grad_output_dense_permuted"), 1);
  EXPECT_EQ(ValueOf(problem, "grad_output_offset"), 5);
  EXPECT_EQ(ValueOf(problem, "grad_input_strided"), 0);
  grad.strides = {0, 12, 6, 2};
  EXPECT_EQ(ValueOf(problem, "grad_output_stride_0"), 0);  // of an axis of one element
  EXPECT_EQ(ValueOf(problem, "grad_output_gaps"), 1);
  grad.strides = {12, 6, 3};  // not one for each extent
  EXPECT_EQ(ValueOf(problem, "grad_output_strided"), kNoValue);
  grad.null = true;
  EXPECT_EQ(ValueOf(problem, "grad_output_null"), 1);
  EXPECT_EQ(ValueOf(problem, "null"), 1);
}

TEST(Circumstances, OfAxesThatInterleaveAndOfAnOnlyChannel) {
  Case problem = CaseOf("pp1:AdaptiveMaxPool2dBackward:self=f32[2,1,2,3];go=[2,1,1,1]");
  TensorSpec& grad_input = problem.calls.front().tensor(Role::kGradInput);
  EXPECT_EQ(ValueOf(problem, "grad_input_interleaved"), 0);
  EXPECT_EQ(ValueOf(problem, "lone_channel_stride"), 0);
  grad_input.strides = {9, 9, 3, 2};  // of 0, 2, 4 and 3, 5, 7
  EXPECT_EQ(ValueOf(problem, "grad_input_interleaved"), 1);
  grad_input.strides = {9, 6, 3, 1};
  EXPECT_EQ(ValueOf(problem, "grad_input_interleaved"), 0);
  EXPECT_EQ(ValueOf(problem, "lone_channel_stride"), 1);
}

TEST(Circumstances, OfOperandsThatDoNotGoTogether) {
  Case problem = CaseOf("pp1:AdaptiveMaxPool2dBackward:self=f32[2,3,4,6];go=[2,3,2,3]");
  Call& call = problem.calls.front();
  EXPECT_EQ(ValueOf(problem, "planes_differ"), 0);
  EXPECT_EQ(ValueOf(problem, "grad_input_other_n"), 0);
  EXPECT_EQ(ValueOf(problem, "nulls"), 0);
  call.tensor(Role::kIndices).shape = {2, 3, 3, 2};
  EXPECT_EQ(ValueOf(problem, "indices_other_shape"), 1);
  EXPECT_EQ(ValueOf(problem, "indices_same_count"), 1);
  call.tensor(Role::kGradInput).shape = {1, 3, 4, 6};
  EXPECT_EQ(ValueOf(problem, "grad_input_other_n"), 1);
  call.tensor(Role::kGradOutput).shape = {2, 1, 2, 3};
  EXPECT_EQ(ValueOf(problem, "planes_differ"), 1);
  call.tensor(Role::kIndices).null = true;
  EXPECT_EQ(ValueOf(problem, "nulls"), 1);
}

TEST(Circumstances, OfListsAndOfTheEdgesOfWindows) {
  const auto with = [](const std::string& lists) {
    return CaseOf("pp1:MaxPool2dWithIndicesBackward:self=f32[1,1,9,9];go=[1,1,5,5];" + lists);
  };
  EXPECT_EQ(ValueOf(with("k=3,3;s=2,2;p=1,1;d=1,1"), "list_wrong"), 0);
  EXPECT_EQ(ValueOf(with("k=3,3;s=2,2;p=1,1;d=1,1"), "padded_windows"), 1);
  EXPECT_EQ(ValueOf(with("k=3,3;s=2,2;p=0,0;d=1,1"), "padded_windows"), 0);
  EXPECT_EQ(ValueOf(with("k=3,3;s=2,2;p=1,2;d=1,1"), "list_wrong"), 1);
  EXPECT_EQ(ValueOf(with("k=3,3;s=2,2;p=1,2;d=1,1"), "padding_is_half_up"), 1);
  EXPECT_EQ(ValueOf(with("k=3,3;s=2,0;p=1,1;d=1,1"), "list_wrong"), 1);
  EXPECT_EQ(ValueOf(with("k=2,4;s=2,2;p=0,2;d=1,1"), "padding_above_half_first"), 1);
  EXPECT_EQ(ValueOf(with("k=4,2;s=2,2;p=2,0;d=1,1"), "padding_above_half_first"), 0);
  // The last window of stride 5 would begin behind nine elements and their padding.
  EXPECT_EQ(ValueOf(with("k=2,2;s=5,5;p=1,1;d=1,1;ceil"), "ceil_outside"), 1);
  EXPECT_EQ(ValueOf(with("k=2,2;s=3,3;p=1,1;d=1,1;ceil"), "ceil_outside"), 0);
}

TEST(Circumstances, OfWindowsByFloats) {
  EXPECT_EQ(ValueOf(CaseOf("pp1:AdaptiveMaxPool2dBackward:self=f32[1,1,8,8];go=[1,1,4,4]"),
                    "float_windows_differ"),
            0);
  bool any = false;
  for (int in = 20; in < 60; ++in) {
    any = any || ValueOf(CaseOf("pp1:AdaptiveMaxPool2dBackward:self=f32[1,1,1," +
                                std::to_string(in) + "];go=[1,1,1,19]"),
                         "float_windows_differ") == 1;
  }
  EXPECT_TRUE(any);
  const Case large = CaseOf("pp1:AdaptiveMaxPool2dBackward:self=f32[1,1,65537,65537];go=[1,1,2,3]");
  EXPECT_EQ(ValueOf(large, "plane_in_32_bits"), 131073);
  EXPECT_EQ(ValueOf(large, "out_times_in"), 3 * 65537);
}

TEST(Circumstances, OfData) {
  // Two gradients, NaN and -0, name the last of two cells.
  Case problem =
      CaseOf("pp1:MaxPool2dWithIndicesBackward:self=f32[1,1,1,2];k=1,1;s=1,1;p=0,0;d=1,1");
  Call& call = problem.calls.front();
  call.tensor(Role::kIndices).data = {DataKind::kLiteral, 0, {1, 1}, {}};
  call.tensor(Role::kGradOutput).data = {DataKind::kLiteral, 0, {0xffc00000U, 0x80000000U}, {}};
  EXPECT_EQ(ValueOf(problem, "gradients_on_a_cell"), 2);
  EXPECT_EQ(ValueOf(problem, "gradients_alike"), 0);
  EXPECT_EQ(ValueOf(problem, "equal_indices_apart"), 1);
  EXPECT_EQ(ValueOf(problem, "cells_unnamed"), 1);
  EXPECT_EQ(ValueOf(problem, "coincide_in_row"), 1);
  EXPECT_EQ(ValueOf(problem, "coincide_across_rows"), 0);
  EXPECT_EQ(ValueOf(problem, "first_cell_named"), 0);
  EXPECT_EQ(ValueOf(problem, "last_cell_named"), 1);
  EXPECT_EQ(ValueOf(problem, "nan"), 1);
  EXPECT_EQ(ValueOf(problem, "minus_zero"), 1);
  EXPECT_EQ(ValueOf(problem, "special_meets"), 1);
  EXPECT_EQ(ValueOf(problem, "infinity"), 0);
}

// Where all elements of each plane get the same sum, none that went astray shows.
TEST(Circumstances, OfSumsThatAreAlike) {
  Case problem = CaseOf("pp1:MaxPool2dWithIndicesBackward:self=f32[2,1,2];k=1,1;s=1,1;p=0,0;d=1,1");
  Call& call = problem.calls.front();
  const auto with = [&](std::vector<std::uint64_t> indices, std::vector<std::uint64_t> gradients) {
    call.tensor(Role::kIndices).data = {DataKind::kLiteral, 0, std::move(indices), {}};
    call.tensor(Role::kGradOutput).data = {DataKind::kLiteral, 0, std::move(gradients), {}};
    const bool hidden = MayHideAFault(CircumstancesOf(problem, 0));
    EXPECT_TRUE(hidden || ValueOf(problem, "move_hidden") == 0);
    return ValueOf(problem, "move_hidden");
  };
  constexpr std::uint64_t kOne = 0x3f800000U;
  constexpr std::uint64_t kTwo = 0x40000000U;
  constexpr std::uint64_t kNan = 0x7fc00000U;
  EXPECT_EQ(with({0, 1, 0, 1}, {kOne, kOne, kOne, kOne}), 1);
  EXPECT_EQ(with({1, 0, 0, 1}, {kOne, kOne, kTwo, kTwo}), 1) << "planes by themselves";
  EXPECT_EQ(with({0, 1, 0, 1}, {kOne, kOne, kOne, kTwo}), 0);
  EXPECT_EQ(with({0, 1, 0, 0}, {kOne, kOne, kOne, kOne}), 0) << "one of them gets nothing";
  EXPECT_EQ(with({0, 1, 0, 1}, {kNan, kNan, kNan, kNan}), 1);
  EXPECT_EQ(with({0, 1, 0, 1}, {kNan, kOne, kNan, kNan}), 0);
}

// One that works elsewhere than on the stream passes where the work is done before or after a look.
TEST(Circumstances, LooksAtAStreamMayComeToNothing) {
  const std::string line =
      "pp1:MaxPool2dWithIndicesBackward:self=f32[1,1,3];k=1,2;s=1,1;p=0,0;d=1,1";
  EXPECT_FALSE(MayHideAFault(CircumstancesOf(CaseOf(line), 0)));
  EXPECT_TRUE(MayHideAFault(CircumstancesOf(CaseOf(line + "|run:repeat=4;look=held"), 0)));
  EXPECT_TRUE(MayHideAFault(CircumstancesOf(CaseOf(line + "|run:order=fifo;look=after"), 0)));
}

TEST(Circumstances, OfTheMaximaOfAForward) {
  const Case backward =
      CaseOf("pp1:MaxPool2dWithIndicesBackward:self=f32[1,1,1,3];k=1,2;s=1,1;p=0,0;d=1,1");
  EXPECT_EQ(ValueOf(backward, "maximum_tied"), kNoValue);
  Case problem = backward;
  problem.calls.front() = MakeForward(backward.calls.front());
  Data& data = problem.calls.front().tensor(Role::kSelf).data;
  data = {DataKind::kLiteral, 0, {0x3f800000U, 0x40000000U, 0x3f800000U}, {}};
  EXPECT_EQ(ValueOf(problem, "maximum_tied"), 0);
  data.literal[2] = 0x40000000U;
  EXPECT_EQ(ValueOf(problem, "maximum_tied"), 1);
}

TEST(Circumstances, LargeDataAreNotLookedAt) {
  const Case problem =
      CaseOf("pp1:MaxPool2dWithIndicesBackward:self=f32[1,1,1024,1024];k=1,1;s=1,1;p=0,0;d=1,1");
  EXPECT_EQ(ValueOf(problem, "gradients_on_a_cell"), kNotLookedAt);
  EXPECT_EQ(ValueOf(problem, "plane"), 1024 * 1024);
}

TEST(Circumstances, OfThePlanAndOfEachCall) {
  Case problem = CaseOf("pp1:AdaptiveMaxPool2dBackward:self=f32[1,2,4,6];go=[1,2,2,3]");
  problem.calls.push_back(
      CaseOf("pp1:AdaptiveMaxPool2dBackward:self=f32[1,2,4,9];go=[1,2,2,3]").calls.front());
  EXPECT_EQ(ValueOf(problem, "planes_shrink"), 0);
  EXPECT_EQ(ValueOf(problem, "types_change"), 0);
  EXPECT_EQ(ValueOf(problem, "shapes_repeat"), 0);
  problem.plan.repeat = 3;
  EXPECT_EQ(ValueOf(problem, "calls_made"), 6);
  Case smaller = problem;
  std::swap(smaller.calls[0], smaller.calls[1]);
  EXPECT_EQ(ValueOf(smaller, "planes_shrink"), 1);
  problem.plan.deterministic = true;
  EXPECT_EQ(ValueOf(problem, "calls"), 2);
  EXPECT_EQ(ValueOf(problem, "in_w", 0), 6);
  EXPECT_EQ(ValueOf(problem, "in_w", 1), 9);
  EXPECT_EQ(ValueOf(problem, "deterministic"), 1);
}

TEST(Circumstances, OfMembersOfThePlanTogether) {
  Case problem;
  problem.calls = {MakeAdaptiveBackward(Operator::kAdaptiveMaxPool2dBackward, DataType::kFloat,
                                        DataType::kInt32, {1, 2, 4, 4}, {2, 2})};
  const auto of = [&](const char* name) {
    return CircumstancesOf(problem, 0)[CircumstanceOf(name)];
  };
  EXPECT_EQ(of("out_pointer_null"), 0);
  EXPECT_EQ(of("output_partly_zero"), 0);
  EXPECT_EQ(of("unsupported_dtype"), kNoValue);
  problem.plan.null_executor_out = true;
  EXPECT_EQ(of("out_pointer_null"), 1);
  // Repetitions that find other contents come to those that are partly zero.
  problem.plan.vary_contents = true;
  problem.plan.repeat = kPoisonCount;
  EXPECT_EQ(of("output_partly_zero"), 1);
  problem.calls.front().tensor(Role::kGradInput).type = DataType::kDouble;
  EXPECT_NE(of("unsupported_dtype"), kNoValue);
}

TEST(Circumstances, OfSumsThatAreStored) {
  const auto sums = [](const std::string& gradients) {
    return CaseOf(
        "pp1:MaxPool3dWithArgmaxBackward:self=f16[1,1,1,1,5];k=1,1,3;s=1;p=0;d=1;go=~hex." +
        gradients + ";ix=~int.2,2,2");
  };
  const Case tie = sums("3c00,1000,0000");  // 1 + 2^-11 lies between 1 and 1 + 2^-10
  EXPECT_EQ(ValueOf(tie, "sum_rounded"), 1);
  EXPECT_EQ(ValueOf(tie, "sum_tie"), 1);
  EXPECT_EQ(ValueOf(tie, "sum_overflows"), 0);
  EXPECT_EQ(ValueOf(tie, "equal_indices_group"), 2);
  EXPECT_EQ(ValueOf(tie, "significant_bits"), 1);
  const Case exact = sums("3c00,3c00,0000");
  EXPECT_EQ(ValueOf(exact, "sum_rounded"), 0);
  EXPECT_EQ(ValueOf(exact, "sum_tie"), 0);
  const Case above = sums("7bff,7bff,0000");
  EXPECT_EQ(ValueOf(above, "sum_overflows"), 1);
  EXPECT_EQ(ValueOf(sums("0001,0001,0000"), "sum_subnormal"), 1);
}

// What passes beside such data may still be wrong.
TEST(Circumstances, OfDataThatHideWhatBecomesOfAGradient) {
  const auto hides = [](const std::string& gradients, const std::string& indices) {
    return ValueOf(CaseOf("pp1:AdaptiveMaxPool2dBackward:self=f32[1,1,4];go=[1,1,3]~hex." +
                          gradients + ";ix=~int." + indices),
                   "loss_hidden");
  };
  EXPECT_EQ(hides("3f800000,40000000,40400000", "0,0,3"), 0);
  EXPECT_EQ(hides("3f800000,7fc00000,40400000", "0,0,3"), 1) << "a NaN meets another gradient";
  EXPECT_EQ(hides("3f800000,40000000,00000001", "0,0,3"), 1) << "a subnormal one may be flushed";
  EXPECT_EQ(hides("3f800000,40000000,00000000", "0,0,3"), 1) << "a zero is like a lost one";
  EXPECT_EQ(hides("7f800000,7fc00000,ff800000", "0,1,3"), 1) << "nothing is finite";
  EXPECT_EQ(hides("7f7fffff,7f7fffff,40400000", "0,0,3"), 1) << "a sum comes out infinite";
  EXPECT_EQ(hides("7f800000,3f800000,40000000", "0,1,3"), 0) << "the others show";
}

TEST(Circumstances, OfOperandsAndListsThatDoNotGoTogether) {
  const Case good =
      CaseOf("pp1:MaxPool3dWithArgmaxBackward:self=f32[1,2,3,4,5];k=1,2,1;s=1,1,2;p=0,0,0;d=1,1,1");
  for (const char* name : {"shapes_differ", "self_other_dtype", "kernel_size_misfit", "rank_low",
                           "format_private", "formats_differ", "list_null"}) {
    EXPECT_EQ(ValueOf(good, name), 0) << name;
  }
  EXPECT_EQ(ValueOf(good, "kernels_differ"), 1);
  EXPECT_EQ(ValueOf(good, "paddings_differ"), 0);
  const Case short_list = CaseOf(
      "pp1:MaxPool3dWithArgmaxBackward:self=f32[1,2,3,4,5];go=[1,2,3,3,3];k=1,2;s=1,1,2;p=0,0,0;d="
      "1,1,1");
  EXPECT_EQ(ValueOf(short_list, "kernel_size_misfit"), 1);
  EXPECT_EQ(ValueOf(short_list, "stride_misfit"), 0);
}

}  // namespace
}  // namespace poolproof
