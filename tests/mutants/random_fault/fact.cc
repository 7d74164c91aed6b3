// SPDX-License-Identifier: Apache-2.0

#include "fact.h"

#include <algorithm>
#include <iterator>

namespace mutants::random_fault {
namespace {

constexpr Word kDtypes[] = {{"f32", 0}, {"f16", 1}, {"bf16", 27}, {"f64", 11}, {"i32", 3}};
constexpr Word kIndexTypes[] = {{"i32", 3}, {"i64", 9}, {"u32", 8}};
constexpr Word kFormats[] = {{"nchw", 0}, {"nhwc", 1}, {"nd", 2}, {"ndhwc", 27}, {"ncdhw", 30}};

constexpr FactRow kRows[] = {
    {Fact::kN, "n", Family::kOther, 1, 4},
    {Fact::kC, "c", Family::kOther, 1, 8},
    {Fact::kD, "d", Family::kExtent, 2, 16},
    {Fact::kH, "h", Family::kExtent, 2, 32},
    {Fact::kW, "w", Family::kExtent, 2, 48},
    {Fact::kOutD, "out_d", Family::kOutExtent, 2, 8},
    {Fact::kOutH, "out_h", Family::kOutExtent, 2, 16},
    {Fact::kOutW, "out_w", Family::kOutExtent, 2, 24},
    {Fact::kRank, "rank", Family::kType, 3, 5},
    {Fact::kKernelD, "kernel_d", Family::kKernel, 1, 5},
    {Fact::kKernelH, "kernel_h", Family::kKernel, 1, 6},
    {Fact::kKernelW, "kernel_w", Family::kKernel, 1, 8},
    {Fact::kStrideD, "stride_d", Family::kStride, 1, 4},
    {Fact::kStrideH, "stride_h", Family::kStride, 1, 4},
    {Fact::kStrideW, "stride_w", Family::kStride, 1, 4},
    {Fact::kPaddingD, "padding_d", Family::kPadding, 1, 2},
    {Fact::kPaddingH, "padding_h", Family::kPadding, 1, 3},
    {Fact::kPaddingW, "padding_w", Family::kPadding, 1, 3},
    {Fact::kCeil, "ceil", Family::kFlag, 0, 1},
    {Fact::kKernelLength, "kernel_length", Family::kLength, 0, 4},
    {Fact::kStrideLength, "stride_length", Family::kLength, 0, 4},
    {Fact::kPaddingLength, "padding_length", Family::kLength, 0, 4},
    {Fact::kDilationLength, "dilation_length", Family::kLength, 0, 4},
    {Fact::kDilation, "dilation", Family::kOther, 1, 3},
    {Fact::kDtype, "dtype", Family::kType, 0, 0, kDtypes},
    {Fact::kSelfDtype, "self_dtype", Family::kType, 0, 0, kDtypes},
    {Fact::kGradInputDtype, "grad_input_dtype", Family::kType, 0, 0, kDtypes},
    {Fact::kIndexType, "index_type", Family::kType, 0, 0, kIndexTypes},
    {Fact::kFormat, "format", Family::kType, 0, 0, kFormats},
    {Fact::kGradOutputPacked, "grad_output_packed", Family::kFlag, 0, 1},
    {Fact::kSelfPacked, "self_packed", Family::kFlag, 0, 1},
    {Fact::kIndicesPacked, "indices_packed", Family::kFlag, 0, 1},
    {Fact::kGradInputPacked, "grad_input_packed", Family::kFlag, 0, 1},
    {Fact::kGradOutputOffset, "grad_output_offset", Family::kView, 1, 32},
    {Fact::kIndicesOffset, "indices_offset", Family::kView, 1, 32},
    {Fact::kGradInputOffset, "grad_input_offset", Family::kView, 1, 32},
    {Fact::kGradOutputStrideW, "grad_output_stride_w", Family::kView, 2, 8},
    {Fact::kIndicesStrideW, "indices_stride_w", Family::kView, 2, 8},
    {Fact::kGradInputStrideW, "grad_input_stride_w", Family::kView, 2, 8},
    {Fact::kGradInputSpare, "grad_input_spare", Family::kView, 1, 64},
    {Fact::kNulls, "nulls", Family::kOther, 1, 2},
    {Fact::kDeterministic, "deterministic", Family::kFlag, 0, 1},
    {Fact::kCallsBefore, "calls_before", Family::kOther, 1, 6},
    {Fact::kRun, "run", Family::kOther, 1, 2},
    {Fact::kAlign, "align", Family::kOther, 1, 48},
    {Fact::kNans, "nans", Family::kData, 1, 3},
    {Fact::kInfinities, "infinities", Family::kData, 1, 3},
    {Fact::kMinusZeros, "minus_zeros", Family::kData, 1, 2},
    {Fact::kSubnormals, "subnormals", Family::kData, 1, 8},
    {Fact::kTopExponent, "top_exponent", Family::kOther, -8, 12},
    {Fact::kSelfNans, "self_nans", Family::kData, 1, 2},
    {Fact::kShared, "shared", Family::kData, 1, 64},
    {Fact::kMostShared, "most_shared", Family::kData, 2, 12},
    {Fact::kNamesFirst, "names_first", Family::kFlag, 0, 1},
    {Fact::kNamesLast, "names_last", Family::kFlag, 0, 1},
    {Fact::kRepeats, "repeats", Family::kData, 1, 16},
};
static_assert(std::size(kRows) == kFactCount);

}  // namespace

std::span<const FactRow> FactRows() { return kRows; }

const FactRow& RowOf(Fact fact) { return kRows[static_cast<std::size_t>(fact)]; }

std::optional<Fact> FactNamed(std::string_view name) {
  const auto* found = std::find_if(std::begin(kRows), std::end(kRows),
                                   [&](const FactRow& row) { return row.name == name; });
  if (found == std::end(kRows)) return std::nullopt;
  return found->fact;
}

}  // namespace mutants::random_fault
