// SPDX-License-Identifier: Apache-2.0
#include "conformance/spec/interpretations.h"

#include <array>
#include <utility>

namespace poolproof {
namespace {

using Reading = std::pair<std::string_view, std::string_view>;

constexpr std::array<Reading, 30> kReadings = {{
    {"DD-01",
     "Windows are half open, [floor(l*L/Lo), ceil((l+1)*L/Lo)) (AMP3-B04, AMP2-B04): only so"
     " does every input element belong to a window, and it is what every forward in use "
     "does."},
    {"DD-02",
     "What a table names must be answered with 161001. What only a sibling's table names, or"
     " no page, is advisory (MP3-S03, MP3-S04, MP3-S05, AMP3-S04, AMP2-S04): a breach is "
     "reported and fails nobody."},
    {"DD-03",
     "The missing condition is not guessed. Rank is required because no other rank has a "
     "meaning (MP3-S32); dilation's value is advisory (MP3-S48)."},
    {"DD-04",
     "ceilMode rounds the output extent and does nothing else (MP3-B15); the averaging that "
     "the page speaks of has no place in a maximum."},
    {"DD-05",
     "Padding acts as minus infinity: an index never names it (MP3-B16). A gradient could "
     "not be put there."},
    {"DD-06",
     "The program is run as printed and recorded (EX-D4, advisory). An error that names the "
     "index is as good an answer as any other that does no harm."},
    {"DD-07",
     "ND for all tensors must be accepted and private formats must be refused (S20). NCDHW "
     "for all is advisory (MP3-B27); any other public format is recorded and judged by "
     "nobody."},
    {"DD-08",
     "INT64 indices are refused by MaxPool3dWithArgmaxBackward on A2 and A3 and accepted on "
     "Ascend 950 (MP3-S12, MP3-B24), refused by AdaptiveMaxPool3dBackward (AMP3-S12) and "
     "accepted by AdaptiveMaxPool2dBackward (AMP2-B24): the newest page of each operator "
     "decides."},
    {"DD-09",
     "The functions are those that the prototypes name, spelled "
     "aclnn<Operator>GetWorkspaceSize and aclnn<Operator>: nothing else can be linked."},
    {"DD-10",
     "A dilation of 1 must be accepted (MP3-B14); refusing other values is advisory "
     "(MP3-S48), since no status row speaks of them."},
    {"DD-11",
     "A rank other than 4 or 5 must be refused with any error (MP3-S32): the parameter table"
     " limits it and the operator has no meaning there."},
    {"DD-12",
     "Only gradients reach gradInput, so special values are judged by the gradients: an "
     "infinity keeps its sign, NaN gives NaN, and +Inf meeting -Inf gives NaN as IEEE "
     "addition does (MP3-B04, MP3-B05, MP3-B06)."},
    {"DD-13",
     "Any status is accepted for an empty tensor; what counts is that nothing outside "
     "gradInput is written and nothing crashes (MP3-S51, advisory)."},
    {"DD-14",
     "A clause holds for the families that the newest page of its operator marks as "
     "supported; for the others a refusal is expected where a row asks for it (MP3-S49) and "
     "advisory elsewhere."},
    {"DD-15",
     "Any order of round-to-nearest additions in the storage type or wider is lawful; the "
     "bound follows from the operands and no tolerance is set by hand. Repeatability is "
     "asked for under the deterministic option alone (MP3-B30, AMP2-B30)."},
    {"DD-16",
     "What the page has lost is taken from the later edition of the same page (D3); nothing "
     "is required on the strength of D2 alone where its words are gone."},
    {"DD-17",
     "AdaptiveMaxPool3dBackward is judged on A2 and A3; on Ascend 950 its calls are recorded"
     " and judged by no clause."},
    {"DD-18",
     "Above 2^24 elements with extents that do not divide, numbers are not judged "
     "(AMP2-C01); with extents that divide they are (AMP2-C02)."},
    {"DD-19",
     "The limit is taken as written: H*W above the largest int32 is refused for both index "
     "types (AMP2-S33), since the row has a code and no exception."},
    {"DD-20",
     "The extent is that of the forward, with the last window dropped in ceil mode where it "
     "would start beyond input plus left padding (MP3-B15): gradOutput has the forward's "
     "shape, and this is the forward's rule."},
    {"DD-21",
     "An index is the flat row-major offset into the plane of its own n and c (B01): the "
     "limit on the plane's size and D3's program allow nothing else."},
    {"DD-22",
     "The program is run with the bytes behind its one-byte buffer readable and zero, and "
     "recorded (EX-D3, advisory)."},
    {"DD-23",
     "Views must give the numbers of their contiguous copies for every tensor of which the "
     "operator's newest page says so (B21); for AdaptiveMaxPool3dBackward's indices it is "
     "advisory (AMP3-B25)."},
    {"DD-24",
     "The lower rank is read as N = 1 (B20): two pages say so, and the plane is the same "
     "either way."},
    {"DD-25",
     "Unequal gradient types must be refused where D4 asks for equality (AMP2-S14) and are "
     "advisory elsewhere (MP3-S14, AMP3-S14, AMP2-S15)."},
    {"DD-26", "Unequal formats are advisory throughout (S21, S22): no row gives a status."},
    {"DD-27",
     "An unsupported platform must be refused with 161002 where the row exists (MP3-S49); "
     "elsewhere any error is expected and advisory (AMP3-S49, AMP2-S49)."},
    {"DD-28",
     "The limit is required everywhere: with its code for D1 and D4 (AMP3-S33, AMP2-S33), "
     "with any error for D3 on A2 and A3 (MP3-S50), past which int32 indices have no right "
     "result."},
    {"DD-29",
     "The backward is judged with any index inside its window. The suite's own indices name "
     "the first maximum in D, H, W order, and the last NaN where there is one."},
    {"DD-30", "The sensible reading is used, and nothing is required that hangs on a lost byte."},
}};

}  // namespace

std::string_view InterpretationOf(std::string_view discrepancy) {
  for (const auto& [id, reading] : kReadings) {
    if (id == discrepancy) return reading;
  }
  return {};
}

}  // namespace poolproof
