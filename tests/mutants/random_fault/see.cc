// SPDX-License-Identifier: Apache-2.0

#include "see.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <vector>

#include "../element.h"
#include "../runtime.h"

namespace mutants::random_fault {
namespace {

class Notes {
 public:
  explicit Notes(Facts& facts) : facts_(facts) {}
  void Put(Fact fact, int64_t value) { facts_[static_cast<std::size_t>(fact)] = value; }
  void Add(Fact fact, int64_t value) { facts_[static_cast<std::size_t>(fact)] += value; }

 private:
  Facts& facts_;
};

Fact After(Fact first, std::size_t places) {
  return static_cast<Fact>(static_cast<int>(first) + static_cast<int>(places));
}

bool HasPlanes(const CallArguments& call, const aclTensor& tensor) {
  const std::size_t axes = PlaneAxes(call.op);
  return tensor.dims.size() == axes + 1 || tensor.dims.size() == axes + 2;
}

// N, C, H and W in this order, where they are passed as N, H, W and C.
std::vector<int64_t> ChannelsFirst(const CallArguments& call, const aclTensor& tensor) {
  std::vector<int64_t> dims = tensor.dims;
  if (PassesChannelsLast(call)) std::rotate(dims.begin() + 1, dims.begin() + 3, dims.end());
  return dims;
}

// The extents of the plane, the first of which is at D or H.
void SeePlane(const CallArguments& call, const aclTensor& tensor, Fact d, Notes& notes) {
  const std::vector<int64_t> dims = ChannelsFirst(call, tensor);
  const std::size_t axes = PlaneAxes(call.op);
  for (std::size_t axis = 0; axis < axes; ++axis) {
    notes.Put(After(d, 3 - axes + axis), dims[dims.size() - axes + axis]);
  }
}

void SeeList(const CallArguments& call, const aclIntArray* list, Fact d, Fact length,
             Notes& notes) {
  if (list == nullptr) return;
  const std::vector<int64_t>& values = list->values;
  notes.Put(length, static_cast<int64_t>(values.size()));
  const std::size_t axes = PlaneAxes(call.op);
  if (values.size() != 1 && values.size() != axes) return;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    notes.Put(After(d, 3 - axes + axis), values[values.size() == 1 ? 0 : axis]);
  }
}

void SeeLists(const CallArguments& call, Notes& notes) {
  SeeList(call, call.kernel_size, Fact::kKernelD, Fact::kKernelLength, notes);
  SeeList(call, call.stride, Fact::kStrideD, Fact::kStrideLength, notes);
  if (call.stride != nullptr && call.stride->values.empty() && call.kernel_size != nullptr) {
    SeeList(call, call.kernel_size, Fact::kStrideD, Fact::kStrideLength, notes);
    notes.Put(Fact::kStrideLength, 0);
  }
  SeeList(call, call.padding, Fact::kPaddingD, Fact::kPaddingLength, notes);
  notes.Put(Fact::kCeil, call.ceil_mode ? 1 : 0);
  if (call.dilation == nullptr) return;
  const std::vector<int64_t>& dilation = call.dilation->values;
  notes.Put(Fact::kDilationLength, static_cast<int64_t>(dilation.size()));
  if (!dilation.empty()) {
    notes.Put(Fact::kDilation, *std::max_element(dilation.begin(), dilation.end()));
  }
}

// Elements of axes of one do not care for their strides.
bool IsPacked(const aclTensor& tensor) {
  int64_t expected = 1;
  for (std::size_t i = tensor.dims.size(); i-- > 0;) {
    if (tensor.dims[i] == 1) continue;
    if (tensor.strides[i] != expected) return false;
    expected = SaturatingProduct(expected, tensor.dims[i]);
  }
  return true;
}

int64_t Elements(const std::vector<int64_t>& dims) {
  int64_t product = 1;
  for (const int64_t extent : dims) product = SaturatingProduct(product, extent);
  return product;
}

void SeeView(const aclTensor* tensor, Fact packed, Fact offset, Fact stride_w, Notes& notes) {
  if (tensor == nullptr || tensor->dims.empty()) return;
  notes.Put(packed, IsPacked(*tensor) ? 1 : 0);
  if (offset == packed) return;
  notes.Put(offset, tensor->offset);
  if (tensor->dims.back() > 1) notes.Put(stride_w, tensor->strides.back());
}

void SeeTensors(const CallArguments& call, Notes& notes) {
  int64_t nulls = 0;
  for (const aclTensor* tensor : {call.grad_output, call.self, call.indices, call.grad_input}) {
    nulls += tensor == nullptr ? 1 : 0;
  }
  notes.Put(Fact::kNulls, nulls);
  if (call.grad_output != nullptr) notes.Put(Fact::kDtype, call.grad_output->dtype);
  if (call.grad_input != nullptr) notes.Put(Fact::kGradInputDtype, call.grad_input->dtype);
  if (call.indices != nullptr) notes.Put(Fact::kIndexType, call.indices->dtype);
  SeeView(call.grad_output, Fact::kGradOutputPacked, Fact::kGradOutputOffset,
          Fact::kGradOutputStrideW, notes);
  SeeView(call.self, Fact::kSelfPacked, Fact::kSelfPacked, Fact::kSelfPacked, notes);
  SeeView(call.indices, Fact::kIndicesPacked, Fact::kIndicesOffset, Fact::kIndicesStrideW, notes);
  SeeView(call.grad_input, Fact::kGradInputPacked, Fact::kGradInputOffset, Fact::kGradInputStrideW,
          notes);
  if (call.grad_input != nullptr && !call.grad_input->storage_dims.empty()) {
    notes.Put(Fact::kGradInputSpare,
              Elements(call.grad_input->storage_dims) - Elements(call.grad_input->dims));
  }
  if (call.grad_output != nullptr && HasPlanes(call, *call.grad_output)) {
    SeePlane(call, *call.grad_output, Fact::kOutD, notes);
  }
  if (call.self == nullptr) return;
  const aclTensor& self = *call.self;
  notes.Put(Fact::kSelfDtype, self.dtype);
  notes.Put(Fact::kFormat, self.format);
  notes.Put(Fact::kRank, static_cast<int64_t>(self.dims.size()));
  if (!HasPlanes(call, self)) return;
  SeePlane(call, self, Fact::kD, notes);
  const std::size_t leading = self.dims.size() - PlaneAxes(call.op);
  const std::vector<int64_t> dims = ChannelsFirst(call, self);
  notes.Put(Fact::kN, leading == 2 ? dims[0] : 1);
  notes.Put(Fact::kC, dims[leading - 1]);
}

unsigned char* Address(const View& view, int64_t offset) {
  return view.data + offset * static_cast<int64_t>(view.element_size);
}

// Calls `look(offset)` for each element, in the packed order.
template <typename Look>
void ForEach(const View& view, const Look& look) {
  const std::array<int64_t, 5>& e = view.extents;
  const std::array<int64_t, 5>& s = view.strides;
  for (int64_t n = 0; n < e[0]; ++n) {
    for (int64_t c = 0; c < e[1]; ++c) {
      for (int64_t d = 0; d < e[2]; ++d) {
        for (int64_t h = 0; h < e[3]; ++h) {
          for (int64_t w = 0; w < e[4]; ++w) {
            look(view.offset + n * s[0] + c * s[1] + d * s[2] + h * s[3] + w * s[4]);
          }
        }
      }
    }
  }
}

void SeeGradients(const View& view, Notes& notes) {
  float top = 0;
  for (const Fact fact : {Fact::kNans, Fact::kInfinities, Fact::kMinusZeros, Fact::kSubnormals}) {
    notes.Put(fact, 0);
  }
  const float least = SmallestNormal(view.dtype);
  ForEach(view, [&](int64_t offset) {
    const float value = LoadElement(view.dtype, Address(view, offset));
    if (std::isnan(value)) {
      notes.Add(Fact::kNans, 1);
    } else if (std::isinf(value)) {
      notes.Add(Fact::kInfinities, 1);
    } else if (value == 0) {
      notes.Add(Fact::kMinusZeros, std::signbit(value) ? 1 : 0);
    } else {
      top = std::max(top, std::fabs(value));
      notes.Add(Fact::kSubnormals, std::fabs(value) < least ? 1 : 0);
    }
  });
  if (top > 0) notes.Put(Fact::kTopExponent, std::ilogb(top));
}

void SeeIndices(const Plan& plan, Notes& notes) {
  const int64_t cells = plan.grad_input.PlaneElements();
  const int64_t windows = plan.indices.PlaneElements();
  if (cells < 1 || windows < 1) return;
  std::vector<int32_t> named(static_cast<std::size_t>(cells));
  int64_t shared = 0;
  int64_t most = 0;
  int64_t repeats = 0;
  int64_t at = 0;
  int64_t before = -1;
  bool first = false;
  bool last = false;
  ForEach(plan.indices, [&](int64_t offset) {
    if (at++ % windows == 0) {
      std::fill(named.begin(), named.end(), 0);
      before = -1;
    }
    const int64_t index = LoadIndexAt(plan.indices, offset);
    repeats += index == before ? 1 : 0;
    before = index;
    if (index < 0 || index >= cells) return;
    first = first || index == 0;
    last = last || index == cells - 1;
    const int64_t times = ++named[static_cast<std::size_t>(index)];
    shared += times > 1 ? 1 : 0;
    most = std::max(most, times);
  });
  notes.Put(Fact::kShared, shared);
  notes.Put(Fact::kMostShared, most);
  notes.Put(Fact::kNamesFirst, first ? 1 : 0);
  notes.Put(Fact::kNamesLast, last ? 1 : 0);
  notes.Put(Fact::kRepeats, repeats);
}

void SeeSelf(const View& view, Notes& notes) {
  notes.Put(Fact::kSelfNans, 0);
  ForEach(view, [&](int64_t offset) {
    const bool nan = std::isnan(LoadElement(view.dtype, Address(view, offset)));
    notes.Add(Fact::kSelfNans, nan ? 1 : 0);
  });
}

}  // namespace

Facts SeeArguments(const CallArguments& call, int64_t calls_before) {
  Facts facts;
  facts.fill(kNone);
  Notes notes(facts);
  SeeTensors(call, notes);
  if (HasFixedWindows(call.op)) SeeLists(call, notes);
  notes.Put(Fact::kDeterministic, DeterministicOption() ? 1 : 0);
  notes.Put(Fact::kCallsBefore, calls_before);
  return facts;
}

void SeeContents(const Plan& plan, Facts& facts) {
  Notes notes(facts);
  notes.Put(Fact::kRun, plan.run);
  constexpr std::uintptr_t kLine = 64;
  notes.Put(Fact::kAlign,
            static_cast<int64_t>(reinterpret_cast<std::uintptr_t>(plan.grad_input.data) % kLine));
  if (plan.grad_output.data == nullptr || plan.indices.data == nullptr ||
      plan.self.data == nullptr) {
    return;
  }
  SeeGradients(plan.grad_output, notes);
  SeeIndices(plan, notes);
  SeeSelf(plan.self, notes);
}

int64_t LoadIndexAt(const View& indices, int64_t offset) {
  if (indices.dtype == kInt64) {
    int64_t value = 0;
    std::memcpy(&value, Address(indices, offset), sizeof value);
    return value;
  }
  int32_t value = 0;
  std::memcpy(&value, Address(indices, offset), sizeof value);
  return value;
}

}  // namespace mutants::random_fault
