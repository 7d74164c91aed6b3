// SPDX-License-Identifier: Apache-2.0

#include "validation.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "element.h"
#include "runtime.h"
#include "selected_fault.h"

namespace mutants {
namespace {

__extension__ using Wide = __int128;

constexpr int64_t kPlaneLimit = std::numeric_limits<int32_t>::max();
constexpr int64_t kLargePlane = 1 << 24;

bool IsMaxPool(const CallArguments& call) { return HasFixedWindows(call.op); }
bool IsMaxPool2d(const CallArguments& call) { return call.op == Operator::kMaxPool2d; }
bool IsAdaptive2d(const CallArguments& call) { return call.op == Operator::kAdaptive2d; }
std::size_t LowestRank(const CallArguments& call) { return PlaneAxes(call.op) + 1; }

bool HasUsualRank(const CallArguments& call, const aclTensor& tensor) {
  return tensor.dims.size() == LowestRank(call) || tensor.dims.size() == LowestRank(call) + 1;
}

struct NamedTensor {
  std::string_view name;
  const aclTensor* tensor;
};

std::array<NamedTensor, 4> NamedTensors(const CallArguments& call) {
  return {{{"gradOutput", call.grad_output},
           {"self", call.self},
           {"indices", call.indices},
           {"gradInput", call.grad_input}}};
}

int64_t ElementCount(const std::vector<int64_t>& extents) {
  int64_t product = 1;
  for (const int64_t extent : extents) {
    if (extent == 0) return 0;
    product = SaturatingProduct(product, extent);
  }
  return product;
}

std::string Text(std::string_view name, std::string_view problem) {
  return std::string(name) + ' ' + std::string(problem);
}

std::string Text(std::string_view name, std::string_view problem, int64_t value) {
  return Text(name, problem) + " (" + std::to_string(value) + ")";
}

aclnnStatus NullCode(Fault wrong_code) {
  if (Is(wrong_code) || Is(Fault::kLegalAdvisoryChecksAbsent)) return kParamInvalid;
  return kParamNullptr;
}

Status CheckNull(const CallArguments& call) {
  // MP3-S01..S05, MP2-S01..S05, AMP3-S01..S04, AMP2-S01..S04. The advisory variant changes the code
  // of the advisory ones only.
  if (call.self == nullptr) {
    return Refuse(Is(Fault::kNullSelfIsInvalid) ? kParamInvalid : kParamNullptr, "self is null");
  }
  if (call.indices == nullptr) {
    if (Is(Fault::kNullIndicesCrashes)) std::raise(SIGSEGV);
    return Refuse(Is(Fault::kNullIndicesIsInvalid) ? kParamInvalid : kParamNullptr,
                  "indices is null");
  }
  if (call.grad_output == nullptr) {
    const bool advisory = IsMaxPool(call) && Is(Fault::kLegalAdvisoryChecksAbsent);
    return Refuse(advisory || Is(Fault::kNullGradOutputIsInvalid) ? kParamInvalid : kParamNullptr,
                  "gradOutput is null");
  }
  if (call.grad_input == nullptr) {
    return Refuse(NullCode(Fault::kNullGradInputIsInvalid), "gradInput is null");
  }
  if (!IsMaxPool(call)) return {};
  const bool stride_missing = call.stride == nullptr && !Is(Fault::kNullStrideMeansKernel);
  if (call.kernel_size == nullptr || stride_missing || call.padding == nullptr ||
      call.dilation == nullptr) {
    return Refuse(NullCode(Fault::kNullListIsInvalid),
                  "kernelSize, stride, padding or dilation is null");
  }
  return {};
}

// What a partial library does not take, although it is legal.
Status CheckPartials(const CallArguments& call) {
  for (const Partial* partial : g_selection.partials) {
    if (partial->refuses(call)) return Refuse(kParamInvalid, std::string(partial->description));
  }
  return {};
}

Status CheckPlatform(const CallArguments& call) {
  const Product product = CurrentProduct();
  if (product != Product::kUnsupported) return {};
  if (IsMaxPool(call) && Is(Fault::kPlatformUnchecked)) return {};               // MP3-S49, MP2-S49
  if (IsAdaptive2d(call) && Is(Fault::kPlatformUncheckedAdaptive2d)) return {};  // AMP2-S49
  if (call.op != Operator::kMaxPool3d && Is(Fault::kLegalAdvisoryChecksAbsent)) return {};
  return Refuse(kParamInvalid, "the platform is not supported");
}

bool IsDataType(const CallArguments& call, aclDataType dtype) {
  const bool narrow = dtype == kFloat16 || dtype == kBfloat16;
  if (narrow && IsMaxPool2d(call) && CurrentProduct() != Product::k950) {  // MP2-S10
    return Is(Fault::kMaxPool2dAcceptsNarrowTypesOnA2);
  }
  return dtype == kFloat || dtype == kFloat16 || dtype == kBfloat16 ||
         (dtype == kDouble && Is(Fault::kAcceptsDouble));
}

// True where the selected row lets the tensor's data type pass unseen.
bool DtypeUnseen(const CallArguments& call, const aclTensor* tensor) {
  if (tensor == call.self && Is(Fault::kSelfDtypeUnchecked)) return true;
  if (tensor == call.grad_input && Is(Fault::kGradInputDtypeUnchecked)) return true;
  return tensor->dtype == kDouble && Is(Fault::kAcceptsDouble);
}

bool AcceptsIndexType(const CallArguments& call, aclDataType dtype) {
  const bool on_950 = CurrentProduct() == Product::k950;
  if (dtype == kInt32) return !(IsAdaptive2d(call) && Is(Fault::kRefusesInt32Indices2d));
  if (dtype == kUint32) return Is(Fault::kAcceptsUint32Indices);
  if (dtype != kInt64) return false;
  if (IsAdaptive2d(call)) return !Is(Fault::kRefusesInt64Indices2d);  // AMP2-B24
  if (on_950) return !Is(Fault::kRefusesInt64IndicesOn950);           // MP3-B24, MP2-B24, AMP3-B24
  // MP3-S12, AMP3-S12, MP2-S12
  return Is(IsMaxPool2d(call) ? Fault::kMaxPool2dAcceptsInt64IndicesOnA2
                              : Fault::kAcceptsInt64IndicesOnA2);
}

Status CheckTypes(const CallArguments& call) {
  for (const NamedTensor& named : NamedTensors(call)) {
    const aclDataType dtype = named.tensor->dtype;
    if (named.tensor == call.indices) {
      if (!AcceptsIndexType(call, dtype)) {
        return Refuse(kParamInvalid, Text("indices", "has an unsupported data type", dtype));
      }
      continue;
    }
    const bool refused =
        (dtype == kFloat16 && Is(Fault::kRefusesFloat16)) ||
        (dtype == kBfloat16 && IsAdaptive2d(call) && Is(Fault::kRefusesBfloat16In2d));
    if (refused || (!IsDataType(call, dtype) && !DtypeUnseen(call, named.tensor))) {
      return Refuse(kParamInvalid, Text(named.name, "has an unsupported data type", dtype));
    }
  }
  const bool advisory = Is(Fault::kLegalAdvisoryChecksAbsent);
  const bool unseen = DtypeUnseen(call, call.grad_output) || DtypeUnseen(call, call.self);
  // MP3-S14, MP2-S14, AMP3-S14, AMP2-S14
  if (call.self->dtype != call.grad_output->dtype && !unseen && !(advisory && IsMaxPool(call)) &&
      !(IsAdaptive2d(call) && Is(Fault::kSelfDtypeMayDiffer2d))) {
    return Refuse(kParamInvalid, "self and gradOutput have different data types");
  }
  // AMP3-S15, AMP2-S15
  if (call.grad_input->dtype != call.grad_output->dtype && !advisory &&
      !DtypeUnseen(call, call.grad_input) && !DtypeUnseen(call, call.grad_output)) {
    return Refuse(kParamInvalid, "gradInput and gradOutput have different data types");
  }
  return {};
}

bool IsPublicFormat(aclFormat format) {
  switch (format) {
    case kNchw:
    case kNhwc:
    case kNd:
    case kHwcn:
    case kNdhwc:
    case kNcdhw:
    case kNc:
    case kNcl:
      return true;
    default:
      return false;
  }
}

Status CheckFormats(const CallArguments& call) {
  const aclFormat wanted = call.self->format;
  bool private_accepted = false;
  for (const NamedTensor& named : NamedTensors(call)) {
    const aclFormat format = named.tensor->format;
    if (named.tensor == call.indices && Is(Fault::kIndicesFormatUnchecked)) continue;
    if (!IsPublicFormat(format)) {
      if (Is(Fault::kAcceptsPrivateFormats) ||
          (format == kFractalZ3d && Is(Fault::kAcceptsFractalZ3d)) ||
          (format == kFractalNz && Is(Fault::kAcceptsFractalNz))) {
        private_accepted = true;
        continue;
      }
      // MP3-S20, MP2-S20, AMP3-S20, AMP2-S20
      return Refuse(kParamInvalid, Text(named.name, "has an unsupported format", format));
    }
    const bool refuses_nd = call.op == Operator::kAdaptive3d && Is(Fault::kRefusesNdIn3dAdaptive);
    const bool promised = format == kNd || (format == kNchw && IsMaxPool2d(call));  // MP2-B27
    if ((format == kNd && refuses_nd) || (!promised && Is(Fault::kLegalNcdhwRefused))) {
      return Refuse(kParamInvalid, Text(named.name, "has an unsupported format", format));
    }
  }
  if (private_accepted || Is(Fault::kLegalAdvisoryChecksAbsent)) return {};
  for (const NamedTensor& named : NamedTensors(call)) {
    if (named.tensor == call.indices && Is(Fault::kIndicesFormatUnchecked)) continue;
    if (named.tensor->format != wanted) {  // MP3-S21, MP3-S22, MP2-S21, AMP3-S21, AMP2-S21
      return Refuse(kParamInvalid, Text(named.name, "has another format than self"));
    }
  }
  return {};
}

Status CheckRanks(const CallArguments& call, Plan& plan) {
  for (const NamedTensor& named : NamedTensors(call)) {
    const std::size_t rank = named.tensor->dims.size();
    if (HasUsualRank(call, *named.tensor)) {
      if (rank == LowestRank(call) && Is(Fault::kRefusesUnbatched)) {
        return Refuse(kParamInvalid, Text(named.name, "has no batch axis"));
      }
      continue;
    }
    const bool low = rank < LowestRank(call);
    if ((low && Is(Fault::kLowRankUnchecked)) || (!low && Is(Fault::kHighRankUnchecked))) {
      plan.nothing_to_do = true;
      continue;
    }
    // MP3-S32, MP2-S32, AMP3-S30, AMP2-S30
    return Refuse(kParamInvalid,
                  Text(named.name, "has an unsupported rank", static_cast<int64_t>(rank)));
  }
  for (const NamedTensor& named : NamedTensors(call)) {
    for (const int64_t extent : named.tensor->dims) {
      if (extent < 0) return Refuse(kParamInvalid, Text(named.name, "has a negative extent"));
    }
  }
  return {};
}

// Expands a list of length 1 or as many as there are axes; another length was accepted by a faulty
// row and takes what is there. Axes that a plane lacks take `rest`.
Extents3 Expand(const CallArguments& call, const std::vector<int64_t>& values, bool first_axis_only,
                int64_t rest) {
  Extents3 expanded = {rest, rest, rest};
  if (values.empty()) return expanded;
  const std::size_t axes = PlaneAxes(call.op);
  const std::size_t used = values.size() == 1 && first_axis_only ? 1 : axes;
  for (std::size_t i = 0; i < used; ++i) {
    expanded[3 - axes + i] = values[std::min(i, values.size() - 1)];
  }
  return expanded;
}

Status CheckLengths(const CallArguments& call, bool& lenient) {
  struct Rule {
    std::string_view name;
    const aclIntArray* list;
    bool may_be_empty;
    Fault unchecked;
    Fault one_refused;
  };
  const std::array<Rule, 4> rules = {{
      // MP3-S40, MP3-S42, MP3-S44, MP3-S47, MP2-S40, MP2-S42, MP2-S44, MP2-S47
      {"kernelSize", call.kernel_size, false, Fault::kKernelLengthUnchecked,
       Fault::kKernelLengthOneRefused},
      {"stride", call.stride, true, Fault::kStrideLengthUnchecked, Fault::kCount},
      {"padding", call.padding, false, Fault::kPaddingLengthUnchecked, Fault::kCount},
      {"dilation", call.dilation, false, Fault::kDilationLengthUnchecked,
       Fault::kDilationLengthOneRefused},
  }};
  for (const Rule& rule : rules) {
    if (rule.list == nullptr) continue;  // kNullStrideMeansKernel
    std::size_t length = rule.list->values.size();
    if (Is(Fault::kListLengthIn16Bits)) length = static_cast<uint16_t>(length);
    if (length == 0 && rule.may_be_empty && !Is(Fault::kStrideEmptyRefused)) continue;
    if (length == PlaneAxes(call.op) || (length == 1 && !Is(rule.one_refused))) continue;
    if (length == 2 && Is(Fault::kListLengthThrows)) (void)rule.list->values.at(2);
    if (rule.list == call.stride && Is(Fault::kStrideLengthTakenAsItIs)) continue;
    const bool three = length == 3 && Is(Fault::kMaxPool2dListsOfThree);
    if (three || Is(rule.unchecked)) {
      lenient = true;
      continue;
    }
    return Refuse(kParamInvalid,
                  Text(rule.name, "has a wrong length", static_cast<int64_t>(length)));
  }
  return {};
}

void LoopOverWindowStarts(int64_t stride) {
  volatile int64_t start = 0;
  while (start < 1) start = start + stride;  // endless for 0
}

Status CheckStride(int64_t value, std::size_t axis, bool& lenient) {
  if (value > 0) return {};
  if (Is(Fault::kStrideCheckedIn32Bits) && static_cast<int32_t>(value) > 0) return {};
  if (value == 0) {
    if (Is(Fault::kStrideZeroDivides)) std::raise(SIGFPE);
    if (Is(Fault::kStrideZeroHangs)) LoopOverWindowStarts(value);
    if (axis == 2 && Is(Fault::kStrideZeroUncheckedOnW)) {
      lenient = true;
      return {};
    }
  }
  return Refuse(kParamInvalid, Text("stride", "is not positive", value));  // MP3-S43, MP2-S43
}

Status CheckPadding(const CallArguments& call, const Geometry& geometry, std::size_t axis,
                    bool& lenient) {
  const int64_t value = geometry.padding[axis];
  const std::size_t first = 3 - PlaneAxes(call.op);
  const int64_t kernel =
      geometry.kernel[Is(Fault::kPaddingBoundFromFirstAxis) ? std::min(first, axis) : axis];
  if (value < 0) {
    if (Is(Fault::kPaddingNegativeUnchecked)) {
      lenient = true;
      return {};
    }
    return Refuse(kParamInvalid, Text("padding", "is negative", value));  // MP3-S45, MP2-S45
  }
  if (kernel <= 0) return {};  // accepted by a faulty row
  if (value > kernel / 2) {    // MP3-S46, MP2-S46, MP2-S52
    const bool advisory = IsMaxPool2d(call) && Is(Fault::kLegalAdvisoryChecksAbsent);
    if (advisory && value <= kernel) return {};
    if (value == kernel / 2 + kernel % 2 && Is(Fault::kPaddingBoundTooWide)) {
      lenient = true;
      return {};
    }
    const bool wrong_code = Is(Fault::kPaddingAboveHalfIsTilingError);
    return Refuse(wrong_code ? kTilingError : kParamInvalid,
                  Text("padding", "is above half of kernelSize", value));
  }
  if (value > 0 && kernel % 2 == 0 && value == kernel / 2 && Is(Fault::kPaddingBoundTooNarrow)) {
    return Refuse(kParamInvalid, Text("padding", "is not below half of kernelSize", value));
  }
  return {};
}

Status CheckLists(const CallArguments& call, Plan& plan, bool& lenient) {
  if (Status status = CheckLengths(call, lenient); !status.ok()) return status;
  Geometry& geometry = plan.geometry;
  geometry.ceil_mode = call.ceil_mode;
  geometry.kernel = Expand(call, call.kernel_size->values, false, 1);
  static const std::vector<int64_t> kNoStride;
  const std::vector<int64_t>& stride = call.stride == nullptr ? kNoStride : call.stride->values;
  geometry.stride = Expand(call, stride, Is(Fault::kStrideLengthOneFirstAxisOnly), 1);
  const bool empty_means_one = IsMaxPool2d(call) && Is(Fault::kMaxPool2dStrideEmptyMeansOne);
  if (stride.empty() && !empty_means_one) {  // MP3-B11, MP2-B11
    geometry.stride = geometry.kernel;
    if (Is(Fault::kStrideEmptyTakesFirstKernel)) {
      geometry.stride.fill(geometry.kernel[3 - PlaneAxes(call.op)]);
    }
  }
  geometry.padding =
      Expand(call, call.padding->values, Is(Fault::kPaddingLengthOneFirstAxisOnly), 0);
  if (Is(Fault::kPaddingIn8Bits)) {
    for (int64_t& padding : geometry.padding) padding &= padding < 0 ? -1 : 0xff;
  }
  geometry.dilation = Expand(call, call.dilation->values, false, 1);
  if (IsMaxPool2d(call) && Is(Fault::kMaxPool2dKernelWidthFirst)) {
    std::swap(geometry.kernel[1], geometry.kernel[2]);
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int64_t kernel = geometry.kernel[axis];
    if (kernel <= 0) {  // MP3-S41, MP2-S41
      const bool unseen = (kernel == 0 && Is(Fault::kKernelZeroUnchecked)) ||
                          (kernel < 0 && axis == 2 && Is(Fault::kKernelNegativeUncheckedOnW));
      if (!unseen) return Refuse(kParamInvalid, Text("kernelSize", "is not positive", kernel));
      lenient = true;
    }
    const bool stride_given = !stride.empty();
    if (stride_given) {
      if (Status status = CheckStride(geometry.stride[axis], axis, lenient); !status.ok()) {
        return status;
      }
    }
    if (Status status = CheckPadding(call, geometry, axis, lenient); !status.ok()) return status;
    const int64_t dilation = geometry.dilation[axis];
    const bool unseen = IsMaxPool2d(call) && Is(Fault::kMaxPool2dDilationUncheckedOnA2);
    if (unseen && dilation > 1) lenient = true;
    const bool other_dilation = IsMaxPool2d(call) ? unseen || CurrentProduct() == Product::k950
                                                  : Is(Fault::kLegalDilationAccepted) ||
                                                        Is(Fault::kLegalAdvisoryChecksAbsent);
    if (dilation < 1 || (dilation != 1 && !other_dilation)) {  // MP3-S48, MP2-S48, MP2-S53
      return Refuse(kParamInvalid, Text("dilation", "is not 1", dilation));
    }
  }
  return {};
}

// The last two or three extents of a tensor of usual rank.
std::vector<int64_t> Plane(const CallArguments& call, const aclTensor& tensor) {
  return {tensor.dims.end() - static_cast<std::ptrdiff_t>(PlaneAxes(call.op)), tensor.dims.end()};
}

Status CheckPlaneLimit(const CallArguments& call) {
  if (!HasUsualRank(call, *call.self)) return {};
  const std::vector<int64_t> plane = Plane(call, *call.self);
  int64_t elements = ElementCount(plane);
  if (Is(Fault::kPlaneLimitUncheckedOfNone) && ElementCount(call.self->dims) == 0) return {};
  if (Is(Fault::kPlaneLimitWraps)) {
    uint32_t wrapped = 1;
    for (const int64_t extent : plane) wrapped *= static_cast<uint32_t>(extent);
    elements = wrapped;
  }
  if (!IsMaxPool(call) && elements > kLargePlane && Is(Fault::kRefusesLargeDivisiblePlanes)) {
    return Refuse(kParamInvalid, Text("self", "has a plane above 2^24 elements", elements));
  }
  // MP3-S50, MP3-B25
  if (!IsAdaptive2d(call) && CurrentProduct() == Product::k950 && !Is(Fault::kPlaneLimitOn950)) {
    return {};
  }
  if (Is(Fault::kPlaneLimitUnchecked)) return {};
  const int64_t limit = Is(Fault::kPlaneLimitOffByOne) ? kPlaneLimit - 1 : kPlaneLimit;
  if (elements > limit) {  // AMP3-S33, AMP2-S33
    return Refuse(kParamInvalid, Text("self", "has a plane above 2^31-1 elements", elements));
  }
  return {};
}

Status CheckEqualShapes(const CallArguments& call, Plan& plan) {
  const aclnnStatus code = Is(Fault::kShapeMismatchIsInferError) ? kInferShapeError : kParamInvalid;
  const std::vector<int64_t>& grad_output = call.grad_output->dims;
  const std::vector<int64_t>& indices = call.indices->dims;
  if (grad_output != indices) {  // MP3-S30, MP2-S30, AMP3-S31, AMP2-S31
    const bool unseen =
        Is(Fault::kIndicesShapeUnchecked) ||
        (Is(Fault::kIndicesShapeByCount) && ElementCount(grad_output) == ElementCount(indices));
    if (!unseen) return Refuse(code, "gradOutput and indices have different shapes");
    plan.nothing_to_do = true;
  }
  const std::vector<int64_t>& self = call.self->dims;
  const std::vector<int64_t>& grad_input = call.grad_input->dims;
  if (self != grad_input) {  // MP3-S31, MP2-S31, AMP3-S32, AMP2-S32
    const bool batch_alone_differs =
        self.size() == grad_input.size() && self.size() == LowestRank(call) + 1 &&
        std::equal(self.begin() + 1, self.end(), grad_input.begin() + 1);
    const bool unseen = Is(Fault::kGradInputShapeUnchecked) ||
                        (Is(Fault::kGradInputBatchUnchecked) && batch_alone_differs);
    if (!unseen) return Refuse(code, "self and gradInput have different shapes");
    plan.nothing_to_do = true;
  }
  return {};
}

Wide FloorDivide(Wide a, Wide b) {
  const Wide quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

// The forward's output extent on one axis; may be below 1.
Wide PooledExtent(const Geometry& geometry, std::size_t axis, int64_t extent) {
  const Wide in = extent;
  const Wide kernel = geometry.kernel[axis] & (Is(Fault::kKernelCutTo8Bits) ? 0xFF : -1);
  const Wide stride =
      std::max<Wide>(geometry.stride[axis] & (Is(Fault::kStrideCutTo8Bits) ? 0xFF : -1), 1);
  const Wide padding = geometry.padding[axis];
  const Wide dilation = geometry.dilation[axis];
  const bool ceil_mode = geometry.ceil_mode && !Is(Fault::kCeilModeIgnored);
  const Wide span = in + 2 * padding - dilation * (kernel - 1) - 1;
  Wide out = FloorDivide(span + (ceil_mode ? stride - 1 : 0), stride) + 1;
  const bool outside = (out - 1) * stride >= in + padding;
  if (ceil_mode && outside && !Is(Fault::kCeilModeKeepsOutsideWindow)) --out;  // MP3-B15, MP2-B15
  return out;
}

// Requires usual ranks. Says whether gradOutput has the shape that the forward would give.
Status CheckForwardShape(const CallArguments& call, const Plan& plan) {
  const std::vector<int64_t>& self = call.self->dims;
  const std::vector<int64_t>& grad_output = call.grad_output->dims;
  if (self.size() != grad_output.size()) {  // AMP3-S34, AMP2-S34
    return Refuse(kParamInvalid, "gradOutput and self have different ranks");
  }
  const std::size_t axes = PlaneAxes(call.op);
  const std::size_t leading = self.size() - axes;
  const bool planes_unseen = !IsMaxPool(call) && Is(Fault::kAdaptivePlanesUnchecked);
  if (!std::equal(self.begin(), self.begin() + static_cast<std::ptrdiff_t>(leading),
                  grad_output.begin()) &&
      !planes_unseen) {
    return Refuse(kParamInvalid, "gradOutput and self differ in N or C");
  }
  const bool any_empty = ElementCount(self) == 0 || ElementCount(grad_output) == 0;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const int64_t in = self[leading + axis];
    const int64_t out = grad_output[leading + axis];
    if (!IsMaxPool(call)) {
      if (out > in && Is(Fault::kRefusesUpsampling)) {
        return Refuse(kParamInvalid, "gradOutput is larger than self");
      }
      if ((in == 0) != (out == 0) && !any_empty) {
        return Refuse(kParamInvalid, "gradOutput or self is empty on one axis");
      }
      continue;
    }
    if (in == 0) continue;  // an empty plane has no windows
    const Wide wanted = PooledExtent(plan.geometry, 3 - axes + axis, in);
    if (wanted < 1 || wanted != Wide{out}) {  // MP3-S33, MP2-S33
      return Refuse(kParamInvalid, Text("gradOutput", "has not the forward's shape", out));
    }
  }
  if (Is(Fault::kStrideOtherThanKernelRefused) && IsMaxPool(call) &&
      plan.geometry.stride != plan.geometry.kernel) {
    return Refuse(kParamInvalid, "stride differs from kernelSize");
  }
  if (ElementCount(self) == 0 && ElementCount(grad_output) != 0) {
    return Refuse(kParamInvalid, "self is empty and gradOutput is not");
  }
  return {};
}

View MakeView(const CallArguments& call, const aclTensor& tensor) {
  View view;
  view.offset = tensor.offset;
  view.dtype = tensor.dtype;
  view.element_size = ElementSize(tensor.dtype);
  view.data = static_cast<unsigned char*>(tensor.data);
  view.storage_elements = tensor.storage_dims.empty() ? 0 : ElementCount(tensor.storage_dims);
  // From the last axis backwards; a 2-d plane has a depth of 1.
  std::size_t target = 5;
  for (std::size_t i = tensor.dims.size(); i > 0 && target > 0; --i) {
    --target;
    if (PlaneAxes(call.op) == 2 && target == 2) --target;
    view.extents[target] = tensor.dims[i - 1];
    view.strides[target] = tensor.strides[i - 1];
  }
  return view;
}

// Says whether all elements of the view lie in its storage.
bool IsInsideStorage(const View& view) {
  if (view.Elements() == 0 || view.storage_elements == 0) return true;
  if (view.storage_elements == std::numeric_limits<int64_t>::max()) return true;  // saturated
  Wide lowest = view.offset;
  Wide highest = view.offset;
  for (std::size_t axis = 0; axis < 5; ++axis) {
    const Wide reach = Wide{view.extents[axis] - 1} * view.strides[axis];
    (reach < 0 ? lowest : highest) += reach;
  }
  return lowest >= 0 && highest < Wide{view.storage_elements};
}

bool IsPacked(const View& view) {
  int64_t expected = 1;
  for (std::size_t axis = 5; axis-- > 0;) {
    if (view.extents[axis] == 1) continue;
    if (view.strides[axis] != expected) return false;
    expected = SaturatingProduct(expected, view.extents[axis]);
  }
  return true;
}

// Says whether an axis' stride is no longer than what the axes of shorter strides reach.
bool Interleaves(const View& view) {
  std::vector<std::pair<int64_t, int64_t>> axes;
  for (std::size_t axis = 0; axis < 5; ++axis) {
    if (view.extents[axis] > 1) axes.emplace_back(view.strides[axis], view.extents[axis]);
  }
  std::sort(axes.begin(), axes.end());
  Wide reach = 0;
  for (const auto& [stride, extent] : axes) {
    if (stride <= reach) return true;
    reach += Wide{stride} * (extent - 1);
  }
  return false;
}

Status CheckViews(const Plan& plan) {
  struct NamedView {
    std::string_view name;
    const View* view;
  };
  const std::array<NamedView, 4> views = {{{"gradOutput", &plan.grad_output},
                                           {"self", &plan.self},
                                           {"indices", &plan.indices},
                                           {"gradInput", &plan.grad_input}}};
  for (const NamedView& named : views) {
    if (!IsInsideStorage(*named.view)) {
      return Refuse(kInnerNullptr, Text(named.name, "reaches outside its storage"));
    }
  }
  if (Is(Fault::kInterleavedRefused) && Interleaves(plan.grad_input)) {
    return Refuse(kParamInvalid, "gradInput overlaps itself");
  }
  if (Is(Fault::kRefusesStridedSelf) && !IsPacked(plan.self)) {
    return Refuse(kParamInvalid, "self is not contiguous");
  }
  return {};
}

bool AnyEmpty(const CallArguments& call) {
  for (const NamedTensor& named : NamedTensors(call)) {
    if (ElementCount(named.tensor->dims) == 0) return true;
  }
  return false;
}

bool HasLargerBatch(const CallArguments& call) {
  const std::vector<int64_t>& dims = call.grad_output->dims;
  return dims.size() == PlaneAxes(call.op) + 2 && dims.size() == call.self->dims.size() &&
         dims.front() > call.self->dims.front();
}

Status CheckShapes(const CallArguments& call, Plan& plan, bool lenient) {
  if (Status status = CheckPlaneLimit(call); !status.ok()) return status;
  if (Status status = CheckEqualShapes(call, plan); !status.ok()) {
    if (!Is(Fault::kShapesRefusedInPhaseTwo)) return status;
    plan.deferred = status;  // breaches 2P-08
    return {};
  }
  if (AnyEmpty(call)) {
    if (Is(Fault::kLegalEmptyRefused)) return Refuse(kParamInvalid, "a tensor is empty");
    if (Is(Fault::kLegalEmptyIgnored)) {
      plan.nothing_to_do = true;
      return {};
    }
  }
  if (lenient || plan.nothing_to_do || Is(Fault::kLegalAdvisoryChecksAbsent)) return {};
  if (Is(Fault::kLargerBatchCrashes) && HasLargerBatch(call)) return {};
  Status status = CheckForwardShape(call, plan);
  if (!status.ok() && Is(Fault::kLegalShapeRefusedLate)) {
    plan.deferred = status;
    return {};
  }
  return status;
}

void FillViews(const CallArguments& call, Plan& plan) {
  plan.op = call.op;
  plan.grad_output = MakeView(call, *call.grad_output);
  plan.self = MakeView(call, *call.self);
  plan.indices = MakeView(call, *call.indices);
  plan.grad_input = MakeView(call, *call.grad_input);
  if (!IsComputable(plan.grad_output.dtype) || !IsComputable(plan.grad_input.dtype) ||
      plan.grad_output.extents != plan.indices.extents) {
    plan.nothing_to_do = true;
  }
}

uint64_t WorkspaceBytes(const Plan& plan) {
  constexpr int64_t kFloatBytes = 4;
  const View& out = plan.grad_input;
  if (plan.nothing_to_do || !plan.deferred.ok() || out.Elements() == 0) return 0;
  const int64_t all = SaturatingProduct(out.Elements(), kFloatBytes);
  const int64_t plane = SaturatingProduct(out.PlaneElements(), kFloatBytes);
  uint64_t bytes = 0;
  if (Is(Fault::kLegalUsesWorkspace)) bytes = static_cast<uint64_t>(all) + 4096;
  if (Is(Fault::kWorkspaceAssumedZero)) bytes = std::max(bytes, static_cast<uint64_t>(plane));
  if (Is(Fault::kExactWorkspaceRefused)) bytes = std::max<uint64_t>(bytes, 64);
  if (Is(Fault::kWritesPastWorkspace)) bytes = std::max<uint64_t>(bytes, 256);
  return bytes;
}

// The call with N, C, H and W in this order, where they were passed as N, H, W and C (MP2-B29).
// Views made of its tensors outlive it.
struct ChannelsFirst {
  explicit ChannelsFirst(const CallArguments& made) : call(made) {
    if (!PassesChannelsLast(made)) return;
    const std::array<NamedTensor, 4> all = NamedTensors(made);
    for (std::size_t i = 0; i < all.size(); ++i) {
      tensors[i] = *all[i].tensor;
      for (std::vector<int64_t>* axes : {&tensors[i].dims, &tensors[i].strides}) {
        std::rotate(axes->begin() + 1, axes->begin() + 3, axes->end());
      }
    }
    call.grad_output = &tensors[0];
    call.self = &tensors[1];
    call.indices = &tensors[2];
    call.grad_input = &tensors[3];
  }
  ChannelsFirst(const ChannelsFirst&) = delete;
  ChannelsFirst& operator=(const ChannelsFirst&) = delete;

  std::array<aclTensor, 4> tensors;
  CallArguments call;
};

}  // namespace

bool PassesChannelsLast(const CallArguments& call) {
  const std::array<NamedTensor, 4> all = NamedTensors(call);
  return IsMaxPool2d(call) && std::all_of(all.begin(), all.end(), [](const NamedTensor& named) {
           return named.tensor != nullptr && named.tensor->format == kNhwc &&
                  named.tensor->dims.size() == 4;
         });
}

Status PlanCall(const CallArguments& made, Plan& plan) {
  if (Status status = CheckNull(made); !status.ok()) return status;
  const ChannelsFirst channels_first(made);
  const CallArguments& call = channels_first.call;
  if (Status status = CheckPartials(call); !status.ok()) return status;
  if (Status status = CheckPlatform(call); !status.ok()) return status;
  if (Status status = CheckTypes(call); !status.ok()) return status;
  if (Status status = CheckFormats(call); !status.ok()) return status;
  if (Status status = CheckRanks(call, plan); !status.ok()) return status;
  bool lenient = false;
  if (IsMaxPool(call)) {
    if (Status status = CheckLists(call, plan, lenient); !status.ok()) {
      if (!Is(Fault::kListsRefusedInPhaseTwo)) return status;
      plan.deferred = status;  // breaches 2P-08
      lenient = true;
    }
  }
  if (Status status = CheckShapes(call, plan, lenient); !status.ok()) return status;
  FillViews(call, plan);
  if (plan.nothing_to_do || !plan.deferred.ok()) {
    // Nothing will be read or written, so that nothing else matters.
  } else if (Status status = CheckViews(plan); !status.ok()) {
    return status;
  }
  plan.deterministic = DeterministicOption();
  plan.workspace_bytes = WorkspaceBytes(plan);
  return {};
}

}  // namespace mutants
