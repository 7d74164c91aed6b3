// SPDX-License-Identifier: Apache-2.0
//
// Checks the zoo against a plain oracle of its own: with no fault selected every check holds. With
// one selected, the checks that fail print the clauses they stand for, so that the table can be
// tried against the library without the suite: `FAIL <clause>: <what>` on standard output,
// status 1.

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cfenv>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "abi.h"

namespace mutants {
namespace {

// ---- the account

struct Account {
  std::map<std::string, int> failures;
  int checks = 0;
};

Account& TheAccount() {
  static Account account;
  return account;
}

void Check(bool holds, const std::string& clause, const std::string& what) {
  ++TheAccount().checks;
  if (holds) return;
  constexpr int kShown = 2;
  if (++TheAccount().failures[clause] <= kShown) {
    std::printf("FAIL %s: %s\n", clause.c_str(), what.c_str());
    std::fflush(stdout);
  }
}

// ---- numbers, in another way than the library has them

double Decode16(aclDataType dtype, uint32_t code) {
  const bool is_half = dtype == kFloat16;
  const uint32_t fraction_bits = is_half ? 10 : 7;
  const uint32_t exponent_mask = is_half ? 0x1F : 0xFF;
  const int bias = is_half ? 15 : 127;
  const uint32_t exponent = (code >> fraction_bits) & exponent_mask;
  const uint32_t fraction = code & ((1U << fraction_bits) - 1);
  const double sign = (code & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == exponent_mask) {
    return fraction != 0 ? std::nan("") : sign * std::numeric_limits<double>::infinity();
  }
  const int shift = -static_cast<int>(fraction_bits);
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias + shift);
  return sign *
         std::ldexp(fraction + (1U << fraction_bits), static_cast<int>(exponent) - bias + shift);
}

// Nearest even by search: the codes of the non-negative finite numbers are ordered as the numbers.
uint32_t Encode16(aclDataType dtype, double value) {
  const uint32_t infinity = dtype == kFloat16 ? 0x7C00 : 0x7F80;
  if (std::isnan(value)) return infinity | (dtype == kFloat16 ? 0x200 : 0x40);
  const uint32_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  uint32_t low = 0;
  uint32_t high = infinity;
  while (high - low > 1) {  // Decode(low) <= magnitude < Decode(high)
    const uint32_t middle = (low + high) / 2;
    (Decode16(dtype, middle) <= magnitude ? low : high) = middle;
  }
  if (std::isinf(value)) return sign | infinity;
  const double below = Decode16(dtype, low);
  const bool top = high == infinity;
  const double above = top ? 2 * below - Decode16(dtype, low - 1) : Decode16(dtype, high);
  const double from_below = magnitude - below;
  const double to_above = above - magnitude;
  const bool up = from_below > to_above || (from_below == to_above && low % 2 == 1);
  return sign | (up ? high : low);
}

struct Number {
  aclDataType dtype;
  uint32_t bits;
};

double Decode(Number number) {
  if (number.dtype != kFloat) return Decode16(number.dtype, number.bits);
  float value = 0;
  std::memcpy(&value, &number.bits, sizeof value);
  return static_cast<double>(value);
}

uint32_t Encode(aclDataType dtype, double value) {
  if (dtype != kFloat) return Encode16(dtype, value);
  const auto rounded = static_cast<float>(value);
  uint32_t bits = 0;
  std::memcpy(&bits, &rounded, sizeof bits);
  return bits;
}

std::size_t SizeOf(aclDataType dtype) {
  if (dtype == kInt64 || dtype == kDouble) return 8;
  return dtype == kFloat16 || dtype == kBfloat16 ? 2 : 4;
}

// ---- operators and cases

enum class Op { kFixed3d, kAdaptive3d, kAdaptive2d };

constexpr std::array<Op, 3> kOps = {Op::kFixed3d, Op::kAdaptive3d, Op::kAdaptive2d};

std::string Clause(Op op, std::string_view number) {
  const std::string_view prefix = op == Op::kFixed3d      ? "MP3-"
                                  : op == Op::kAdaptive3d ? "AMP3-"
                                                          : "AMP2-";
  return std::string(prefix) + std::string(number);
}

enum class Layout {
  kPacked,
  kOffset,        // an odd offset
  kInnerStride,   // two elements apart
  kRowGap,        // rows longer than the view
  kChannelsLast,  // the second axis moves fastest
  kSizeOneNonsense,
  kBroadcast,  // stride 0 on the first long axis; inputs only
};

// A tensor with its storage between guards, in memory of the library.
class Buffer {
 public:
  Buffer(std::vector<int64_t> dims, aclDataType dtype, Layout layout, aclFormat format = kNd)
      : dims_(std::move(dims)), dtype_(dtype), layout_(layout), format_(format) {
    PlaceElements();
    bytes_.assign(static_cast<std::size_t>(storage_ + 2 * kGuard) * SizeOf(dtype_), 0);
    if (aclrtMalloc(&memory_, bytes_.size(), 0) != kOk) std::abort();
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    Drop();
    aclrtFree(memory_);
  }

  [[nodiscard]] int64_t Elements() const {
    int64_t count = 1;
    for (const int64_t extent : dims_) count *= extent;
    return count;
  }

  void Fill(unsigned char byte) { std::fill(bytes_.begin(), bytes_.end(), byte); }

  void SetBits(int64_t linear, uint64_t bits) {
    std::memcpy(&bytes_[Place(linear)], &bits, SizeOf(dtype_));
  }
  [[nodiscard]] uint64_t Bits(int64_t linear) const {
    uint64_t bits = 0;
    std::memcpy(&bits, &bytes_[Place(linear)], SizeOf(dtype_));
    return bits;
  }

  void Upload() {
    sent_ = bytes_;
    aclrtMemcpy(memory_, bytes_.size(), bytes_.data(), bytes_.size(), 1);
  }
  void Download() { aclrtMemcpy(bytes_.data(), bytes_.size(), memory_, bytes_.size(), 2); }

  [[nodiscard]] bool Unchanged() const { return bytes_ == sent_; }
  void Restore() { bytes_ = sent_; }

  // Compares all bytes but those of the view's elements with what was uploaded.
  [[nodiscard]] bool OutsideUnchanged() const {
    std::vector<bool> element(bytes_.size(), false);
    for (int64_t i = 0; i < Elements(); ++i) {
      for (std::size_t b = 0; b < SizeOf(dtype_); ++b) element[Place(i) + b] = true;
    }
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      if (!element[i] && bytes_[i] != sent_[i]) return false;
    }
    return true;
  }

  aclTensor* Handle() {
    Drop();
    tensor_ = aclCreateTensor(
        dims_.data(), dims_.size(), dtype_, strides_.data(), offset_, format_, &storage_, 1,
        static_cast<unsigned char*>(memory_) + static_cast<std::size_t>(kGuard) * SizeOf(dtype_));
    return tensor_;
  }

  [[nodiscard]] const std::vector<int64_t>& dims() const { return dims_; }
  [[nodiscard]] aclDataType dtype() const { return dtype_; }
  [[nodiscard]] Layout layout() const { return layout_; }

 private:
  static constexpr int64_t kGuard = 64;

  void Drop() {
    if (tensor_ != nullptr) aclDestroyTensor(tensor_);
    tensor_ = nullptr;
  }

  void PlaceElements() {
    const std::size_t rank = dims_.size();
    strides_.assign(rank, 0);
    std::vector<std::size_t> order;  // fastest first
    for (std::size_t axis = rank; axis-- > 0;) order.push_back(axis);
    if (layout_ == Layout::kChannelsLast && rank > 2) {
      const std::size_t channels = rank % 2 == 0 && rank == 4 ? 0 : 1;
      std::erase(order, channels);
      order.insert(order.begin(), channels);
    }
    int64_t pitch = layout_ == Layout::kInnerStride ? 2 : 1;
    bool broadcast = layout_ == Layout::kBroadcast;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::size_t axis = order[i];
      strides_[axis] = pitch;
      if (broadcast && dims_[axis] > 1) {
        strides_[axis] = 0;
        broadcast = false;
        continue;
      }
      pitch *= std::max<int64_t>(dims_[axis], 1);
      if (i == 0 && layout_ == Layout::kRowGap) pitch += 3;
    }
    offset_ = layout_ == Layout::kPacked || layout_ == Layout::kRowGap ? 0 : 3;
    int64_t last = offset_;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      last += std::max<int64_t>(dims_[axis] - 1, 0) * strides_[axis];
    }
    storage_ = last + 1;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      if (layout_ == Layout::kSizeOneNonsense && dims_[axis] == 1) strides_[axis] = 1;
    }
  }

  [[nodiscard]] std::size_t Place(int64_t linear) const {
    int64_t place = offset_ + kGuard;
    for (std::size_t axis = dims_.size(); axis-- > 0;) {
      place += linear % dims_[axis] * strides_[axis];
      linear /= dims_[axis];
    }
    return static_cast<std::size_t>(place) * SizeOf(dtype_);
  }

  std::vector<int64_t> dims_;
  aclDataType dtype_;
  Layout layout_;
  aclFormat format_;
  std::vector<int64_t> strides_;
  int64_t offset_ = 0;
  int64_t storage_ = 0;
  void* memory_ = nullptr;
  aclTensor* tensor_ = nullptr;
  std::vector<unsigned char> bytes_;
  std::vector<unsigned char> sent_;
};

using Axes = std::array<int64_t, 3>;

struct Shape {
  Op op = Op::kFixed3d;
  int64_t n = 1;
  int64_t c = 1;
  Axes in = {1, 1, 1};
  Axes out = {1, 1, 1};  // computed for the fixed windows
  Axes kernel = {1, 1, 1};
  Axes stride = {1, 1, 1};
  Axes padding = {0, 0, 0};
  bool ceil_mode = false;
  bool batched = true;

  [[nodiscard]] int64_t Plane() const { return in[0] * in[1] * in[2]; }
  [[nodiscard]] int64_t Windows() const { return out[0] * out[1] * out[2]; }
  [[nodiscard]] std::vector<int64_t> Dims(const Axes& spatial) const {
    std::vector<int64_t> dims;
    if (batched) dims.push_back(n);
    dims.push_back(c);
    dims.insert(dims.end(), spatial.begin() + (op == Op::kAdaptive2d ? 1 : 0), spatial.end());
    return dims;
  }
};

// Counts windows one by one: a window counts while it fits, or, rounded up, while it starts before
// the end of the input and the left padding.
int64_t CountWindows(int64_t in, int64_t kernel, int64_t stride, int64_t padding, bool ceil_mode) {
  int64_t count = 0;
  const int64_t padded = in + 2 * padding;
  for (int64_t start = 0;; start += stride, ++count) {
    if (start + kernel <= padded) continue;
    const bool reached = start == 0 ? padded >= kernel : start - stride + kernel < padded;
    if (!ceil_mode || !reached || start >= in + padding) return count;
  }
}

bool Finish(Shape& shape) {
  if (shape.op != Op::kFixed3d) return true;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (shape.in[axis] + 2 * shape.padding[axis] < shape.kernel[axis]) return false;
    shape.out[axis] = CountWindows(shape.in[axis], shape.kernel[axis], shape.stride[axis],
                                   shape.padding[axis], shape.ceil_mode);
  }
  return true;
}

// The cells of the window on one axis, clipped to the input.
std::pair<int64_t, int64_t> Window(const Shape& shape, std::size_t axis, int64_t out) {
  const int64_t in = shape.in[axis];
  if (shape.op == Op::kFixed3d) {
    const int64_t start = out * shape.stride[axis] - shape.padding[axis];
    return {std::max<int64_t>(start, 0), std::min(start + shape.kernel[axis], in)};
  }
  const int64_t extent = shape.out[axis];
  return {out * in / extent, ((out + 1) * in + extent - 1) / extent};
}

struct Lists {
  std::vector<int64_t> kernel, stride, padding, dilation;
};

Lists FullLists(const Shape& shape) {
  const auto list = [](const Axes& a) { return std::vector<int64_t>(a.begin(), a.end()); };
  return {list(shape.kernel), list(shape.stride), list(shape.padding), {1, 1, 1}};
}

using Random = std::mt19937_64;

int64_t Pick(Random& random, int64_t low, int64_t high) {
  return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
}

Shape RandomShape(Random& random, Op op) {
  while (true) {
    Shape shape;
    shape.op = op;
    shape.batched = Pick(random, 0, 3) > 0;
    shape.n = shape.batched ? Pick(random, 1, 3) : 1;
    shape.c = Pick(random, 1, 4);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      shape.in[axis] = Pick(random, 1, 8);
      shape.out[axis] = Pick(random, 1, 9);
      shape.kernel[axis] = Pick(random, 1, 4);
      shape.stride[axis] = Pick(random, 1, 4);
      shape.padding[axis] = Pick(random, 0, shape.kernel[axis] / 2);
    }
    shape.ceil_mode = Pick(random, 0, 1) == 1;
    if (op == Op::kAdaptive2d) shape.in[0] = shape.out[0] = 1;
    if (Finish(shape)) return shape;
  }
}

struct Case {
  explicit Case(const Shape& s, aclDataType dtype = kFloat, aclDataType index = kInt32,
                std::array<Layout, 4> layouts = {})
      : shape(s),
        grad_output(s.Dims(s.out), dtype, layouts[0]),
        self(s.Dims(s.in), dtype, layouts[1]),
        indices(s.Dims(s.out), index, layouts[2]),
        grad_input(s.Dims(s.in), dtype, layouts[3]),
        lists(FullLists(s)) {
    const uint32_t one = Encode(dtype, 1.0);
    for (int64_t i = 0; i < self.Elements(); ++i) self.SetBits(i, one);
  }

  void SetIndices(const std::function<int64_t(int64_t plane, int64_t window)>& index) {
    const int64_t windows = shape.Windows();
    for (int64_t plane = 0; plane < shape.n * shape.c; ++plane) {
      for (int64_t w = 0; w < windows; ++w) {
        indices.SetBits(plane * windows + w, static_cast<uint64_t>(index(plane, w)));
      }
    }
  }

  void SetRandomIndices(Random& random) {
    SetIndices([&](int64_t, int64_t window) {
      const Axes at = {window / shape.out[2] / shape.out[1], window / shape.out[2] % shape.out[1],
                       window % shape.out[2]};
      int64_t index = 0;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto [low, high] = Window(shape, axis, at[axis]);
        index = index * shape.in[axis] + Pick(random, low, high - 1);
      }
      return index;
    });
  }

  void SetGradients(const std::function<double(int64_t)>& value) {
    for (int64_t i = 0; i < grad_output.Elements(); ++i) {
      grad_output.SetBits(i, Encode(grad_output.dtype(), value(i)));
    }
  }

  [[nodiscard]] bool IsView() const {
    for (const Buffer* buffer : {&grad_output, &self, &indices, &grad_input}) {
      if (buffer->layout() != Layout::kPacked) return true;
    }
    return false;
  }

  Shape shape;
  Buffer grad_output, self, indices, grad_input;
  Lists lists;
};

struct ListHandles {
  explicit ListHandles(const Lists& lists)
      : kernel(aclCreateIntArray(lists.kernel.data(), lists.kernel.size())),
        stride(aclCreateIntArray(lists.stride.data(), lists.stride.size())),
        padding(aclCreateIntArray(lists.padding.data(), lists.padding.size())),
        dilation(aclCreateIntArray(lists.dilation.data(), lists.dilation.size())) {}
  ListHandles(const ListHandles&) = delete;
  ListHandles& operator=(const ListHandles&) = delete;
  ~ListHandles() {
    for (const aclIntArray* list : {kernel, stride, padding, dilation}) {
      if (list != nullptr) aclDestroyIntArray(list);
    }
  }
  aclIntArray* kernel;
  aclIntArray* stride;
  aclIntArray* padding;
  aclIntArray* dilation;
};

constexpr uint64_t kPoisonSize = 0xDEADBEEFDEADBEEF;

struct PhaseOneResult {
  aclnnStatus status = -1;
  uint64_t workspace = kPoisonSize;
  aclOpExecutor* executor = reinterpret_cast<aclOpExecutor*>(uintptr_t{0x10});
};

PhaseOneResult PhaseOne(Op op, const aclTensor* grad_output, const aclTensor* self,
                        const aclTensor* indices, const ListHandles& lists, bool ceil_mode,
                        aclTensor* grad_input) {
  PhaseOneResult result;
  try {
    switch (op) {
      case Op::kFixed3d:
        result.status = aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize(
            grad_output, self, indices, lists.kernel, lists.stride, lists.padding, lists.dilation,
            ceil_mode, grad_input, &result.workspace, &result.executor);
        break;
      case Op::kAdaptive3d:
        result.status = aclnnAdaptiveMaxPool3dBackwardGetWorkspaceSize(
            grad_output, self, indices, grad_input, &result.workspace, &result.executor);
        break;
      case Op::kAdaptive2d:
        result.status = aclnnAdaptiveMaxPool2dBackwardGetWorkspaceSize(
            grad_output, self, indices, grad_input, &result.workspace, &result.executor);
        break;
    }
  } catch (const std::exception&) {
    Check(false, "SAF-03", "an exception left phase one");
  }
  return result;
}

aclnnStatus PhaseTwo(Op op, void* workspace, uint64_t size, aclOpExecutor* executor,
                     aclrtStream stream) {
  try {
    switch (op) {
      case Op::kFixed3d:
        return aclnnMaxPool3dWithArgmaxBackward(workspace, size, executor, stream);
      case Op::kAdaptive3d:
        return aclnnAdaptiveMaxPool3dBackward(workspace, size, executor, stream);
      case Op::kAdaptive2d:
        return aclnnAdaptiveMaxPool2dBackward(workspace, size, executor, stream);
    }
  } catch (const std::exception&) {
    Check(false, "2P-02", "an exception left phase two");
  }
  return -1;
}

PhaseOneResult PhaseOne(Case& test) {
  const ListHandles lists(test.lists);
  return PhaseOne(test.shape.op, test.grad_output.Handle(), test.self.Handle(),
                  test.indices.Handle(), lists, test.shape.ceil_mode, test.grad_input.Handle());
}

// Runs the call as it stands; the buffers hold what the library left.
// Returns the first status that is not 0.
aclnnStatus Run(Case& test, unsigned char poison = 0xFF, aclrtStream stream = nullptr) {
  test.grad_input.Fill(poison);
  for (Buffer* buffer : {&test.grad_output, &test.self, &test.indices, &test.grad_input}) {
    buffer->Upload();
  }
  const PhaseOneResult one = PhaseOne(test);
  if (one.status != kOk) return one.status;
  Check(one.workspace != kPoisonSize, "2P-01", "the workspace size was not written");
  Check(one.executor != nullptr, "2P-01", "the executor is null");
  test.grad_input.Download();
  Check(test.grad_input.Unchanged(), "2P-01", "phase one touched gradInput");
  const uint64_t size = one.workspace == kPoisonSize ? 0 : one.workspace;
  constexpr std::size_t kGuard = 64;
  void* memory = nullptr;
  std::vector<unsigned char> guard(size + 2 * kGuard, poison);
  if (size > 0) {
    aclrtMalloc(&memory, guard.size(), 0);
    aclrtMemcpy(memory, guard.size(), guard.data(), guard.size(), 1);
  }
  void* workspace = size > 0 ? static_cast<unsigned char*>(memory) + kGuard : nullptr;
  aclnnStatus status = PhaseTwo(test.shape.op, workspace, size, one.executor, stream);
  if (status != kOk) {
    Check(false, "2P-02", "phase two answered " + std::to_string(status));
  } else {
    status = aclrtSynchronizeStream(stream);
  }
  for (Buffer* buffer : {&test.grad_output, &test.self, &test.indices, &test.grad_input}) {
    buffer->Download();
  }
  if (size > 0) {
    aclrtMemcpy(guard.data(), guard.size(), memory, guard.size(), 2);
    const auto kept = [poison](unsigned char byte) { return byte == poison; };
    const auto edge = static_cast<std::ptrdiff_t>(kGuard);
    Check(std::all_of(guard.begin(), guard.begin() + edge, kept) &&
              std::all_of(guard.end() - edge, guard.end(), kept),
          "SAF-05", "bytes around the workspace changed");
    aclrtFree(memory);
  }
  Check(test.grad_output.Unchanged() && test.self.Unchanged() && test.indices.Unchanged(), "SAF-02",
        "an input changed");
  for (Buffer* buffer : {&test.grad_output, &test.self, &test.indices}) buffer->Restore();
  Check(test.grad_input.OutsideUnchanged(), "SAF-01", "bytes outside gradInput changed");
  return status;
}

// Compares with the sums of the oracle. Requires data whose sums do not depend on the order.
void Compare(const Case& test, const std::string& feature, const std::string& what) {
  std::fesetround(FE_TONEAREST);  // whatever the library left
  const Shape& shape = test.shape;
  const int64_t windows = shape.Windows();
  const aclDataType dtype = test.grad_output.dtype();
  const uint64_t index_mask = test.indices.dtype() == kInt64 ? ~uint64_t{0} : uint64_t{0xFFFFFFFF};
  std::vector<double> sums(static_cast<std::size_t>(shape.Plane()));
  std::vector<int> counts(sums.size());
  for (int64_t plane = 0; plane < shape.n * shape.c; ++plane) {
    std::fill(sums.begin(), sums.end(), 0.0);
    std::fill(counts.begin(), counts.end(), 0);
    for (int64_t w = 0; w < windows; ++w) {
      const auto cell =
          static_cast<std::size_t>(test.indices.Bits(plane * windows + w) & index_mask);
      const auto bits = static_cast<uint32_t>(test.grad_output.Bits(plane * windows + w));
      sums[cell] += Decode({dtype, bits});
      ++counts[cell];
    }
    for (std::size_t cell = 0; cell < sums.size(); ++cell) {
      const auto got = static_cast<uint32_t>(
          test.grad_input.Bits(plane * shape.Plane() + static_cast<int64_t>(cell)));
      if (got == 0 && sums[cell] == 0) continue;
      const double got_value = Decode({dtype, got});
      const uint32_t wanted = Encode(dtype, sums[cell]);
      const double wanted_value = Decode({dtype, wanted});
      const bool equal =
          std::isnan(wanted_value) ? std::isnan(got_value) : got_value == wanted_value;
      if (equal) continue;
      std::string clause = feature;
      if (clause.empty()) {
        const std::string_view number = counts[cell] == 0              ? "B03"
                                        : !std::isfinite(wanted_value) ? "B05"
                                        : counts[cell] == 1            ? "B01"
                                                                       : "B02";
        clause = Clause(shape.op, number);
      }
      Check(false, clause,
            what + ": plane " + std::to_string(plane) + " cell " + std::to_string(cell) +
                " holds " + std::to_string(got_value) + ", wanted " + std::to_string(wanted_value));
      return;
    }
  }
  Check(true, feature, what);
}

void RunAndCompare(Case& test, const std::string& feature, const std::string& what,
                   unsigned char poison = 0xFF) {
  const aclnnStatus status = Run(test, poison);
  if (status != kOk) {
    Check(false, feature.empty() ? "2P-01" : feature, what + ": status " + std::to_string(status));
    return;
  }
  Compare(test, feature, what);
}

// ---- values

constexpr std::array<aclDataType, 3> kTypes = {kFloat, kFloat16, kBfloat16};

bool Offered(Op op) {
  const std::string_view soc = aclrtGetSocName();
  return op != Op::kAdaptive2d || !soc.starts_with("Ascend950");
}

bool On950() { return std::string_view(aclrtGetSocName()).starts_with("Ascend950"); }

void CheckRandomValues() {
  Random random(1);
  for (const Op op : kOps) {
    if (!Offered(op)) continue;
    for (int i = 0; i < 120; ++i) {
      const Shape shape = RandomShape(random, op);
      const aclDataType dtype = kTypes[static_cast<std::size_t>(i % 3)];
      Case test(shape, dtype);
      test.SetRandomIndices(random);
      // Integers so small that every order is exact, never zero.
      test.SetGradients([&](int64_t) {
        const int64_t value = Pick(random, 1, 2);
        return static_cast<double>(Pick(random, 0, 1) == 0 ? value : -value);
      });
      RunAndCompare(test, "", "random", i % 2 == 0 ? 0xFF : 0x3C);
    }
  }
}

// Windows of one cell at distance 1: the operator copies.
Shape CopyShape(Op op, int64_t n, int64_t c, Axes in) {
  Shape shape;
  shape.op = op;
  shape.n = n;
  shape.c = c;
  shape.in = in;
  if (op == Op::kAdaptive2d) shape.in = {1, in[0] * in[1], in[2]};
  shape.out = shape.in;
  Finish(shape);
  return shape;
}

// One window beside the other over a plane of two cells: all windows can name cell 0.
Shape OverlapShape(Op op) {
  Shape shape;
  shape.op = op;
  shape.c = 64;
  shape.in = {1, 1, 3};
  shape.out = {1, 1, 2};
  shape.kernel = {1, 1, 2};
  Finish(shape);
  return shape;
}

void CheckViews() {
  Random random(2);
  constexpr std::array<Layout, 7> kLayouts = {
      Layout::kPacked,       Layout::kOffset,          Layout::kInnerStride, Layout::kRowGap,
      Layout::kChannelsLast, Layout::kSizeOneNonsense, Layout::kBroadcast};
  for (const Op op : kOps) {
    if (!Offered(op)) continue;
    for (int i = 0; i < 140; ++i) {
      Shape shape = RandomShape(random, op);
      const auto layout = kLayouts[static_cast<std::size_t>(i % 7)];
      const auto operand = static_cast<std::size_t>(i / 7 % 4);
      if (layout == Layout::kBroadcast && operand == 3) continue;
      if (layout == Layout::kSizeOneNonsense) {
        shape.batched = true;
        shape.n = 2;
        shape.c = 1;
      }
      // A broadcast index has to be in the windows of all that share it.
      const bool one_index = layout == Layout::kBroadcast && operand == 2;
      if (one_index) shape = OverlapShape(op);
      std::array<Layout, 4> layouts = {};
      layouts[operand] = layout;
      Case test(shape, kTypes[static_cast<std::size_t>(i % 3)], kInt32, layouts);
      if (one_index) {
        test.SetIndices([](int64_t, int64_t) { return 1; });
      } else {
        test.SetRandomIndices(random);
      }
      test.SetGradients([&](int64_t) { return static_cast<double>(Pick(random, 1, 2)); });
      const bool advisory = op == Op::kAdaptive3d && operand == 2;
      RunAndCompare(test, Clause(op, advisory ? "B25" : "B21"), "view");
    }
  }
}

void CheckPrecision() {
  Random random(3);
  for (const Op op : kOps) {
    if (!Offered(op)) continue;
    for (const aclDataType dtype : kTypes) {
      for (int round = 0; round < 8; ++round) {
        Case test(OverlapShape(op), dtype);
        test.SetIndices([](int64_t, int64_t) { return 1; });
        for (int64_t i = 0; i < test.grad_output.Elements(); ++i) {
          // Any finite bits, the exponents of a pair close to one another.
          const uint32_t word = static_cast<uint32_t>(random());
          uint32_t bits = dtype == kFloat     ? (word & 0x83FFFFFF) + 0x3C000000
                          : dtype == kFloat16 ? (word & 0x8FFF) + 0x4000
                                              : (word & 0x83FF) + 0x3F00;
          if (i % 16 == 0 && dtype == kFloat16) bits = 0x7B53;  // 60000
          if (i % 16 == 1 && dtype == kFloat16) bits = 0x7B53;
          if (i % 16 == 2 && dtype == kFloat16) bits = 0x6800;  // 2048
          if (i % 16 == 3 && dtype == kFloat16) bits = 0x3C00;  // 1
          test.grad_output.SetBits(i, bits);
        }
        RunAndCompare(test, Clause(op, "B02"), "sum of two");
      }
      // Copies: every bit pattern arrives, subnormals and infinities too.
      Case copy(CopyShape(op, 2, 2, {3, 3, 5}), dtype);
      copy.SetIndices([](int64_t, int64_t window) { return window; });
      for (int64_t i = 0; i < copy.grad_output.Elements(); ++i) {
        const auto word = static_cast<uint32_t>(random());
        const uint32_t top = dtype == kFloat ? 0xFF800000 : dtype == kFloat16 ? 0xFC00 : 0xFF80;
        const uint32_t sign = dtype == kFloat ? 0x80000000 : 0x8000;
        uint32_t bits = i % 3 == 0 ? word & ~top : word & ~(top & ~(top << 1) & ~sign);
        if (dtype != kFloat) bits &= 0xFFFF;
        copy.grad_output.SetBits(i, bits);
      }
      RunAndCompare(copy, Clause(op, "B01"), "copy");
    }
  }
}

void CheckSpecials() {
  const double inf = std::numeric_limits<double>::infinity();
  for (const Op op : kOps) {
    if (!Offered(op)) continue;
    for (const aclDataType dtype : kTypes) {
      for (const double special : {inf, -inf, std::nan("")}) {
        Case test(CopyShape(op, 1, 2, {1, 3, 3}), dtype);
        test.SetIndices([](int64_t, int64_t window) { return window; });
        test.SetGradients([&](int64_t i) { return i == 4 ? special : 1.0; });
        const bool infinite = std::isinf(special) && op == Op::kFixed3d;
        RunAndCompare(test, Clause(op, infinite ? "B04" : "B05"), "special");
      }
      Case test(OverlapShape(op), dtype);
      test.SetIndices([](int64_t, int64_t) { return 1; });
      test.SetGradients([&](int64_t i) { return i % 2 == 0 ? inf : -inf; });
      RunAndCompare(test, Clause(op, "B05"), "opposite infinities");
    }
  }
  Case test(CopyShape(Op::kFixed3d, 1, 1, {1, 3, 3}));
  test.SetIndices([](int64_t, int64_t window) { return window; });
  test.SetGradients([](int64_t) { return 1.0; });
  for (int64_t i = 0; i < 9; i += 2) test.self.SetBits(i, Encode(kFloat, std::nan("")));
  RunAndCompare(test, "MP3-B06", "NaN in self");
}

void CheckForeignArgmax() {
  // In-window indices that are not the maxima of self.
  Random random(4);
  for (int i = 0; i < 10; ++i) {
    Case test(RandomShape(random, Op::kFixed3d));
    for (int64_t j = 0; j < test.self.Elements(); ++j) {
      test.self.SetBits(j, Encode(kFloat, static_cast<double>(Pick(random, 1, 100))));
    }
    test.SetRandomIndices(random);
    test.SetGradients([](int64_t) { return 1.0; });
    RunAndCompare(test, "", "indices of another origin");
  }
}

void CheckZeroFill() {
  for (const Op op : kOps) {
    if (!Offered(op)) continue;
    for (const aclDataType dtype : kTypes) {
      Shape shape;
      shape.op = op;
      shape.c = 3;
      shape.in = {1, 3, 7};
      shape.out = {1, 1, 2};
      shape.kernel = {1, 3, 3};
      shape.stride = {1, 3, 3};
      Finish(shape);
      Case test(shape, dtype);
      test.SetIndices([](int64_t plane, int64_t window) { return window * 3 + plane % 3; });
      test.SetGradients([](int64_t i) { return static_cast<double>(i + 1); });
      for (const int poison : {0xFF, 0x3C, 0x00}) {
        RunAndCompare(test, "", "zero fill", static_cast<unsigned char>(poison));
      }
      // Zero in the first cell, something else behind it.
      test.grad_input.Fill(0x3C);
      for (int64_t plane = 0; plane < 3; ++plane) test.grad_input.SetBits(plane * 21, 0);
      for (Buffer* b : {&test.grad_output, &test.self, &test.indices, &test.grad_input}) {
        b->Upload();
      }
      const PhaseOneResult one = PhaseOne(test);
      if (one.status != kOk || one.workspace != 0) continue;
      PhaseTwo(op, nullptr, 0, one.executor, nullptr);
      aclrtSynchronizeStream(nullptr);
      test.grad_input.Download();
      Compare(test, Clause(op, "B03"), "zero fill over mixed contents");
    }
  }
}

void CheckScale() {
  for (const Op op : kOps) {
    if (!Offered(op)) continue;
    Random random(5);
    struct Big {
      int64_t n, c;
      Axes in;
    };
    for (const Big& big : {Big{3, 23000, {1, 1, 2}}, Big{1, 1, {2, 150, 260}}}) {
      Case test(CopyShape(op, big.n, big.c, big.in));
      test.SetIndices([](int64_t, int64_t window) { return window; });
      test.SetGradients([](int64_t i) { return static_cast<double>(i % 1000 + 1); });
      RunAndCompare(test, Clause(op, "B01"), "scale");
    }
  }
  if (!Offered(Op::kAdaptive2d)) return;
  Shape shape;
  shape.op = Op::kAdaptive2d;
  shape.in = {1, 4099, 4096};
  shape.out = {1, 4099, 2};
  Case test(shape, kFloat16);
  test.SetIndices([](int64_t, int64_t window) { return window * 2048 + 1; });
  test.SetGradients([](int64_t i) { return static_cast<double>(i % 100 + 1); });
  RunAndCompare(test, "AMP2-C02", "plane above 2^24");
}

// ---- statuses

struct Descriptor4 {
  std::vector<int64_t> dims;
  aclDataType dtype = kFloat;
  aclFormat format = kNd;
  bool null = false;
};

struct StatusCase {
  explicit StatusCase(Op o, bool batched = true) : op(o) {
    Shape shape;
    shape.op = op;
    shape.batched = batched;
    shape.c = 2;
    shape.in = {op == Op::kAdaptive2d ? 1 : 4, 4, 6};
    shape.out = {op == Op::kAdaptive2d ? 1 : 2, 2, 3};
    shape.kernel = shape.stride = {2, 2, 2};
    Finish(shape);
    tensors[0].dims = tensors[2].dims = shape.Dims(shape.out);
    tensors[1].dims = tensors[3].dims = shape.Dims(shape.in);
    tensors[2].dtype = kInt32;
    lists = FullLists(shape);
  }

  Op op;
  std::array<Descriptor4, 4> tensors;  // gradOutput, self, indices, gradInput
  Lists lists;
  std::array<bool, 4> null_list = {};
  bool ceil_mode = false;
};

void Expect(const StatusCase& test, aclnnStatus wanted, const std::string& clause,
            const std::string& what) {
  constexpr std::size_t kBytesEach = 2048;
  std::vector<unsigned char> before(4 * kBytesEach, 0x3C);
  std::vector<unsigned char> after(before.size());
  void* memory = nullptr;
  if (aclrtMalloc(&memory, before.size(), 0) != kOk) std::abort();
  aclrtMemcpy(memory, before.size(), before.data(), before.size(), 1);
  std::array<aclTensor*, 4> handles = {};
  for (std::size_t i = 0; i < 4; ++i) {
    const Descriptor4& t = test.tensors[i];
    if (t.null) continue;
    handles[i] =
        aclCreateTensor(t.dims.data(), t.dims.size(), t.dtype, nullptr, 0, t.format, t.dims.data(),
                        t.dims.size(), static_cast<unsigned char*>(memory) + i * kBytesEach);
  }
  ListHandles lists(test.lists);
  const std::array<aclIntArray**, 4> slots = {&lists.kernel, &lists.stride, &lists.padding,
                                              &lists.dilation};
  for (std::size_t i = 0; i < 4; ++i) {
    if (!test.null_list[i]) continue;
    aclDestroyIntArray(*slots[i]);
    *slots[i] = nullptr;
  }
  const PhaseOneResult one =
      PhaseOne(test.op, handles[0], handles[1], handles[2], lists, test.ceil_mode, handles[3]);
  aclrtMemcpy(after.data(), after.size(), memory, after.size(), 2);
  if (one.status != kOk) Check(after == before, "2P-04", "a refused call wrote");
  Check(one.status == wanted, clause,
        what + ": status " + std::to_string(one.status) + ", wanted " + std::to_string(wanted));
  // Shapes that no status table names may be refused late, the others may not.
  const bool may_be_late = clause.ends_with("S33") || clause.ends_with("S34") ||
                           clause.ends_with("S50");  // and planes above the limit have no memory
  if (one.status == kOk && wanted != kOk && !may_be_late && one.workspace == 0) {
    const aclnnStatus late = PhaseTwo(test.op, nullptr, 0, one.executor, nullptr);
    Check(late != wanted, "2P-08", "phase two refused what phase one accepted");
    aclrtSynchronizeStream(nullptr);
  }
  for (const aclTensor* handle : handles) {
    if (handle != nullptr) aclDestroyTensor(handle);
  }
  aclrtFree(memory);
}

void CheckNullAndTypes(Op op) {
  const bool fixed = op == Op::kFixed3d;
  const std::array<std::string, 4> null_clause = {
      Clause(op, fixed ? "S03" : "S01"), Clause(op, fixed ? "S01" : "S02"),
      Clause(op, fixed ? "S02" : "S03"), Clause(op, "S04")};
  for (std::size_t i = 0; i < 4; ++i) {
    StatusCase test(op);
    test.tensors[i].null = true;
    Expect(test, kParamNullptr, null_clause[i], "null tensor");
  }
  for (std::size_t i = 0; fixed && i < 4; ++i) {
    StatusCase test(op);
    test.null_list[i] = true;
    Expect(test, kParamNullptr, "MP3-S05", "null list");
  }
  const bool wide = op == Op::kAdaptive2d || On950();
  for (aclDataType dtype = -1; dtype <= 42; ++dtype) {
    for (std::size_t i = 0; i < 4; ++i) {
      StatusCase test(op);
      test.tensors[i].dtype = dtype;
      if (i == 2) {
        const bool legal = dtype == kInt32 || (dtype == kInt64 && wide);
        const std::string clause = Clause(op, legal             ? (dtype == kInt64 ? "B24" : "B23")
                                              : dtype == kInt64 ? "S12"
                                                                : "S11");
        Expect(test, legal ? kOk : kParamInvalid, clause, "indices type");
        continue;
      }
      const bool known = dtype == kFloat || dtype == kFloat16 || dtype == kBfloat16;
      const std::string_view unequal = op == Op::kAdaptive2d && i == 3 ? "S15" : "S14";
      Expect(test, dtype == kFloat ? kOk : kParamInvalid,
             Clause(op, known ? (dtype == kFloat ? "B22" : unequal) : "S10"), "data type");
      if (dtype == kDouble && fixed) Expect(test, kParamInvalid, "MP3-S13", "DOUBLE");
    }
    const bool known = dtype == kFloat || dtype == kFloat16 || dtype == kBfloat16;
    StatusCase test(op);
    test.tensors[0].dtype = test.tensors[1].dtype = test.tensors[3].dtype = dtype;
    Expect(test, known ? kOk : kParamInvalid, Clause(op, known ? "B22" : "S10"), "data types");
  }
  for (const aclFormat format : {3, 4, 12, 29, 32, 33, 50, 51, -1}) {
    for (std::size_t i = 0; i < 5; ++i) {
      StatusCase test(op);
      for (std::size_t j = 0; j < 4; ++j) {
        if (i == 4 || i == j) test.tensors[j].format = format;
      }
      Expect(test, kParamInvalid, Clause(op, "S20"), "format " + std::to_string(format));
    }
  }
  for (std::size_t i = 0; i < 4; ++i) {
    StatusCase test(op);
    test.tensors[i].format = kNcdhw;
    Expect(test, kParamInvalid, Clause(op, fixed && i == 2 ? "S22" : "S21"), "unequal format");
  }
  Expect(StatusCase(op), kOk, Clause(op, "B26"), "plain call");
  Expect(StatusCase(op, false), kOk, Clause(op, "B20"), "unbatched call");
}

void CheckShapeStatuses(Op op) {
  const bool fixed = op == Op::kFixed3d;
  for (const bool low : {true, false}) {
    StatusCase test(op, !low);
    for (Descriptor4& t : test.tensors) {
      if (low) {
        t.dims.erase(t.dims.begin());
      } else {
        t.dims.insert(t.dims.begin(), 1);
      }
    }
    Expect(test, kParamInvalid, Clause(op, fixed ? "S32" : "S30"), "rank");
  }
  for (std::size_t axis = 0; axis < 4; ++axis) {
    StatusCase indices(op);
    ++indices.tensors[2].dims[axis];
    Expect(indices, kParamInvalid, Clause(op, fixed ? "S30" : "S31"), "indices shape");
    StatusCase grad_input(op);
    ++grad_input.tensors[3].dims[axis];
    Expect(grad_input, kParamInvalid, Clause(op, fixed ? "S31" : "S32"), "gradInput shape");
    if (axis < 2 || fixed) {
      StatusCase forward(op);
      ++forward.tensors[0].dims[axis];
      ++forward.tensors[2].dims[axis];
      Expect(forward, kParamInvalid, Clause(op, fixed ? "S33" : "S34"), "forward shape");
    }
  }
  StatusCase turned(op);
  std::swap(turned.tensors[2].dims.end()[-1], turned.tensors[2].dims.end()[-2]);
  Expect(turned, kParamInvalid, Clause(op, fixed ? "S30" : "S31"), "indices shape, turned");

  const auto plane = [op](const Axes& in, bool wide) {
    StatusCase test(op);
    test.lists = {{1}, {}, {0}, {1}};
    const std::ptrdiff_t axes = op == Op::kAdaptive2d ? 2 : 3;
    for (std::size_t i = 0; i < 4; ++i) {
      std::vector<int64_t>& dims = test.tensors[i].dims;
      dims.assign(static_cast<std::size_t>(5 - (3 - axes)), 1);
      std::copy(in.end() - axes, in.end(), dims.end() - axes);
    }
    if (wide) test.tensors[2].dtype = kInt64;
    return test;
  };
  const std::string limit = Clause(op, fixed ? "S50" : "S33");
  const bool free = On950() && fixed;
  for (const bool wide : {false, true}) {
    if (wide && op != Op::kAdaptive2d && !free) continue;
    const aclnnStatus above = free ? kOk : kParamInvalid;
    const std::string above_clause = free ? "MP3-B25" : limit;
    Expect(plane({1, 1, 2147483647}, wide), kOk, limit, "largest plane");
    Expect(plane({1, 32768, 65536}, wide), above, above_clause, "2^31");
    Expect(plane({1, 65536, 65536}, wide), above, above_clause, "2^32");
    Expect(plane({1, 65536, 65537}, wide), above, above_clause, "2^32 and more");
    Expect(plane({1, int64_t{1} << 40, int64_t{1} << 40}, wide), above, above_clause, "2^80");
  }
}

void CheckListStatuses() {
  using List = std::vector<int64_t> Lists::*;
  const auto with = [](List list, std::vector<int64_t> value) {
    StatusCase test(Op::kFixed3d);
    test.lists.*list = std::move(value);
    return test;
  };
  for (const int64_t length : {0, 2, 4}) {
    const std::vector<int64_t> twos(static_cast<std::size_t>(length), 2);
    const std::vector<int64_t> zeros(static_cast<std::size_t>(length), 0);
    const std::vector<int64_t> ones(static_cast<std::size_t>(length), 1);
    Expect(with(&Lists::kernel, twos), kParamInvalid, "MP3-S40", "kernelSize length");
    if (length > 0) {
      Expect(with(&Lists::stride, twos), kParamInvalid, "MP3-S42", "stride length");
    }
    Expect(with(&Lists::padding, zeros), kParamInvalid, "MP3-S44", "padding length");
    Expect(with(&Lists::dilation, ones), kParamInvalid, "MP3-S47", "dilation length");
  }
  Expect(with(&Lists::kernel, {2}), kOk, "MP3-B10", "kernelSize of length 1");
  Expect(with(&Lists::stride, {}), kOk, "MP3-B11", "empty stride");
  Expect(with(&Lists::stride, {2}), kOk, "MP3-B12", "stride of length 1");
  Expect(with(&Lists::padding, {0}), kOk, "MP3-B13", "padding of length 1");
  Expect(with(&Lists::dilation, {1}), kOk, "MP3-B14", "dilation of length 1");
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto at = [&](List list, int64_t value) {
      StatusCase test(Op::kFixed3d);
      (test.lists.*list)[axis] = value;
      return test;
    };
    for (const int64_t bad : {int64_t{0}, int64_t{-1}, std::numeric_limits<int64_t>::min()}) {
      Expect(at(&Lists::kernel, bad), kParamInvalid, "MP3-S41", "kernelSize value");
      Expect(at(&Lists::stride, bad), kParamInvalid, "MP3-S43", "stride value");
      Expect(at(&Lists::dilation, bad), kParamInvalid, "MP3-S48", "dilation value");
    }
    Expect(at(&Lists::dilation, 2), kParamInvalid, "MP3-S48", "dilation 2");
    Expect(at(&Lists::padding, -1), kParamInvalid, "MP3-S45", "padding value");
    Expect(at(&Lists::padding, 2), kParamInvalid, "MP3-S46", "padding above half");
    for (const int64_t kernel : {1, 2, 3, 4, 5}) {
      for (const bool above : {false, true}) {
        StatusCase test(Op::kFixed3d);
        const int64_t padding = kernel / 2 + (above ? 1 : 0);
        test.lists.kernel[axis] = kernel;
        test.lists.padding[axis] = padding;
        const int64_t in = test.tensors[1].dims[axis + 2];
        const int64_t out = (in + 2 * padding - kernel) / 2 + 1;
        test.tensors[0].dims[axis + 2] = test.tensors[2].dims[axis + 2] = out;
        Expect(test, above ? kParamInvalid : kOk, above ? "MP3-S46" : "MP3-B13", "padding bound");
      }
    }
  }
  for (int64_t in = 1; in <= 7; ++in) {
    for (int64_t kernel = 1; kernel <= 3; ++kernel) {
      for (int64_t stride = 1; stride <= 4; ++stride) {
        for (int64_t padding = 0; padding <= kernel / 2; ++padding) {
          for (const bool ceil_mode : {false, true}) {
            StatusCase test(Op::kFixed3d);
            test.ceil_mode = ceil_mode;
            test.lists.kernel = {2, 2, kernel};
            test.lists.stride = {2, 2, stride};
            test.lists.padding = {0, 0, padding};
            if (in + 2 * padding < kernel) continue;
            const int64_t out = CountWindows(in, kernel, stride, padding, ceil_mode);
            test.tensors[1].dims[4] = test.tensors[3].dims[4] = in;
            test.tensors[0].dims[4] = test.tensors[2].dims[4] = out;
            Expect(test, kOk, "MP3-B15", "output extent");
            ++test.tensors[0].dims[4];
            ++test.tensors[2].dims[4];
            Expect(test, kParamInvalid, "MP3-S33", "output extent plus one");
          }
        }
      }
    }
  }
  StatusCase padded(Op::kFixed3d);
  padded.lists.padding = {1};
  padded.tensors[0].dims = padded.tensors[2].dims = {1, 2, 3, 3, 4};
  Expect(padded, kOk, "MP3-B13", "padding of length 1, not zero");
  // Anisotropic: an empty stride is the kernel of each axis.
  StatusCase test(Op::kFixed3d);
  test.lists.kernel = {1, 2, 3};
  test.lists.stride = {};
  test.tensors[0].dims = test.tensors[2].dims = {1, 2, 4, 2, 2};
  Expect(test, kOk, "MP3-B11", "empty stride, anisotropic");
}

// Reads the result after the synchronise call, and again when late work has had time to end.
void CheckSynchronize() {
  Case test(CopyShape(Op::kFixed3d, 1, 1, {1, 4, 4}));
  test.SetIndices([](int64_t, int64_t window) { return window; });
  test.SetGradients([](int64_t) { return 1.0; });
  if (Run(test) != kOk) return;
  std::vector<uint64_t> first;
  for (int64_t i = 0; i < 16; ++i) first.push_back(test.grad_input.Bits(i));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  test.grad_input.Download();
  for (int64_t i = 0; i < 16; ++i) {
    Check(test.grad_input.Bits(i) == first[static_cast<std::size_t>(i)], "2P-03",
          "gradInput changed after the synchronise call");
  }
}

void CheckProtocol() {
  CheckSynchronize();
  for (const Op op : kOps) {
    if (!Offered(op)) continue;
    Check(PhaseTwo(op, nullptr, 0, nullptr, nullptr) != kOk, "2P-09", "null executor accepted");
    Case test(CopyShape(op, 1, 1, {1, 1, 2}));
    const aclnnStatus status =
        op == Op::kAdaptive3d
            ? aclnnAdaptiveMaxPool3dBackwardGetWorkspaceSize(
                  test.grad_output.Handle(), test.self.Handle(), test.indices.Handle(),
                  test.grad_input.Handle(), nullptr, nullptr)
            : kParamNullptr;
    Check(status == kParamNullptr, "2P-05", "null out-pointers");
  }
}

// ---- history, threads, process

void CheckHistory() {
  Random random(6);
  for (const Op op : kOps) {
    if (!Offered(op)) continue;
    const auto prepared = [&](Case& test) -> Case& {
      test.SetRandomIndices(random);
      test.SetGradients([](int64_t i) { return static_cast<double>(i % 3 + 1); });
      return test;
    };
    Case big(CopyShape(op, 1, 1, {1, 8, 8}));
    Case small(CopyShape(op, 1, 1, {1, 2, 3}));
    Run(prepared(big));
    RunAndCompare(prepared(small), "2P-07", "small after big");
    Case half(CopyShape(op, 1, 2, {1, 3, 5}), kFloat16);
    Case brain(CopyShape(op, 1, 2, {1, 3, 5}), kBfloat16);
    Run(prepared(half));
    RunAndCompare(prepared(brain), "2P-07", "BFLOAT16 after FLOAT16");
    Case other(OverlapShape(op));
    for (int i = 0; i < 3; ++i) {
      other.SetIndices([i](int64_t, int64_t window) { return window + i % 2; });
      other.SetGradients([](int64_t) { return 1.0; });
      RunAndCompare(other, "2P-07", "other indices at the same address");
    }
  }
}

void CheckDeterminism() {
  aclrtCtxSetSysParamOpt(kOptDeterministic, 1);
  Random random(7);
  for (const Op op : {Op::kFixed3d, Op::kAdaptive2d}) {
    if (!Offered(op)) continue;
    Shape shape;
    shape.op = op;
    shape.in = {1, 1, 2};
    shape.out = {1, 1, 64};
    shape.kernel = {1, 1, 1};
    if (op == Op::kFixed3d) {
      shape.in = {1, 1, 64};
      shape.kernel = {1, 1, 32};
      shape.padding = {0, 0, 16};
      Finish(shape);
    }
    Case test(shape);
    test.SetIndices([&](int64_t, int64_t window) {
      return op == Op::kAdaptive2d ? window / 32 : Pick(random, 31, 32);
    });
    if (op == Op::kFixed3d) {
      test.SetIndices([](int64_t, int64_t window) {
        return window < 15 ? 15 : window < 47 ? 31 : 47;
      });
    }
    test.SetGradients([&](int64_t) { return static_cast<double>(Pick(random, -1000, 1000)) / 3; });
    std::vector<uint64_t> first;
    for (int i = 0; i < 4; ++i) {
      if (Run(test) != kOk) return;
      std::vector<uint64_t> bits;
      for (int64_t j = 0; j < test.grad_input.Elements(); ++j) {
        bits.push_back(test.grad_input.Bits(j));
      }
      if (i == 0) first = bits;
      Check(bits == first, Clause(op, "B30"), "repeats differ");
    }
  }
  aclrtCtxSetSysParamOpt(kOptDeterministic, 0);
}

void CheckThreads() {
  constexpr int kRounds = 10;
  std::array<int, 2> wrong = {};
  const auto work = [&wrong](std::size_t id) {
    aclrtStream stream = nullptr;
    aclrtCreateStream(&stream);
    for (int i = 0; i < kRounds; ++i) {
      Case test(CopyShape(Op::kFixed3d, 1, 3, {2, 3, 5}));
      test.SetIndices([](int64_t, int64_t window) { return window; });
      const double value = id == 0 ? 1.0 : 64.0;
      test.SetGradients([value](int64_t) { return value; });
      for (Buffer* b : {&test.grad_output, &test.self, &test.indices, &test.grad_input}) {
        b->Upload();
      }
      const PhaseOneResult one = PhaseOne(test);
      std::vector<unsigned char> workspace(
          one.status == kOk && one.workspace != kPoisonSize ? one.workspace + 64 : 0);
      if (one.status != kOk ||
          PhaseTwo(Op::kFixed3d, one.workspace == 0 ? nullptr : workspace.data(), one.workspace,
                   one.executor, stream) != kOk ||
          aclrtSynchronizeStream(stream) != kOk) {
        ++wrong[id];
        continue;
      }
      test.grad_input.Download();
      for (int64_t j = 0; j < test.grad_input.Elements(); ++j) {
        if (test.grad_input.Bits(j) != Encode(kFloat, value)) {
          ++wrong[id];
          break;
        }
      }
    }
    aclrtDestroyStream(stream);
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  Check(wrong[0] + wrong[1] == 0, "2P-06", "two threads disturbed one another");
}

int OpenFiles() {
  DIR* directory = opendir("/proc/self/fd");
  if (directory == nullptr) return 0;
  int count = 0;
  while (readdir(directory) != nullptr) ++count;
  closedir(directory);
  return count;
}

long ResidentPages() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  long total = 0;
  long resident = 0;
  if (std::fscanf(file, "%ld %ld", &total, &resident) != 2) resident = 0;
  std::fclose(file);
  return resident;
}

// Comes first: most of these rows show in the first call only.
void CheckProcess() {
  Case test(CopyShape(Op::kFixed3d, 1, 1, {1, 1, 2}));
  test.SetIndices([](int64_t, int64_t window) { return window; });
  std::array<char, 4096> before = {};
  std::array<char, 4096> after = {};
  if (getcwd(before.data(), before.size()) == nullptr) return;
  const int files = OpenFiles();
  const int rounding = std::fegetround();
  struct sigaction handler = {};
  sigaction(SIGFPE, nullptr, &handler);
  const auto disposition = handler.sa_handler;
  for (int i = 0; i < 3; ++i) Run(test);
  const bool same_rounding = std::fegetround() == rounding;
  std::fesetround(rounding);
  Check(same_rounding, "SAF-08", "the rounding mode changed");
  Check(OpenFiles() == files, "SAF-08", "the number of open files changed");
  const bool same_directory = getcwd(after.data(), after.size()) != nullptr && before == after;
  Check(same_directory, "SAF-08", "the working directory changed");
  sigaction(SIGFPE, nullptr, &handler);
  Check(handler.sa_handler == disposition, "SAF-08", "a signal's disposition changed");
  for (int i = 0; i < 64; ++i) Run(test);
  const long pages = ResidentPages();
  for (int i = 0; i < 256; ++i) Run(test);
  const long grown = ResidentPages() - pages;
  Check(grown < 2048, "SAF-06", "the process grew by " + std::to_string(grown) + " pages");
}

void CheckOutOfPlane() {
  for (const int64_t index : {int64_t{-1}, int64_t{6}, int64_t{1} << 30}) {
    Case test(CopyShape(Op::kFixed3d, 1, 1, {1, 2, 3}));
    test.SetIndices([index](int64_t, int64_t window) { return window == 2 ? index : window; });
    test.SetGradients([](int64_t) { return 1.0; });
    const aclnnStatus status = Run(test);
    Check(status == kRtAicoreException, "SAF-04", "an index outside the plane passed");
    Check(test.grad_input.OutsideUnchanged(), "SAF-04", "an index outside the plane wrote");
    const char* message = aclGetRecentErrMsg();
    Check(message != nullptr && std::strstr(message, "indices[0,0,0,0,2]") != nullptr, "EX-D4",
          "no message names the index");
  }
}

void CheckEmpty() {
  for (const Op op : kOps) {
    if (!Offered(op)) continue;
    Shape shape = CopyShape(op, 0, 2, {1, 2, 3});
    Case test(shape);
    Check(Run(test) == kOk, op == Op::kFixed3d ? "MP3-S51" : "2P-01", "an empty batch was refused");
  }
}

void CheckInt64() {
  Random random(8);
  for (const Op op : kOps) {
    if (!Offered(op) || (op != Op::kAdaptive2d && !On950())) continue;
    for (int i = 0; i < 20; ++i) {
      std::array<Layout, 4> layouts = {};
      if (i % 2 == 1) layouts[2] = Layout::kRowGap;
      Case test(RandomShape(random, op), kFloat, kInt64, layouts);
      test.SetRandomIndices(random);
      test.SetGradients([](int64_t) { return 1.0; });
      RunAndCompare(test, Clause(op, "B24"), "INT64 indices");
    }
  }
}

bool Supported() {
  const StatusCase plain(Op::kFixed3d);
  const std::string_view soc = aclrtGetSocName();
  for (const std::string_view prefix :
       {"Ascend910B1", "Ascend910B2", "Ascend910B3", "Ascend910B4", "Ascend910_93", "Ascend950"}) {
    if (soc.starts_with(prefix)) return true;
  }
  for (const Op op : kOps) {
    Expect(StatusCase(op), kParamInvalid, Clause(op, "S49"), "unsupported platform");
  }
  return false;
}

int RunAll() {
  if (Supported()) {
    CheckProcess();
    for (const Op op : kOps) {
      if (!Offered(op)) {
        Expect(StatusCase(op), kParamInvalid, Clause(op, "S49"), "unsupported platform");
        continue;
      }
      CheckNullAndTypes(op);
      CheckShapeStatuses(op);
    }
    CheckListStatuses();
    CheckProtocol();
    CheckZeroFill();
    CheckRandomValues();
    CheckViews();
    CheckPrecision();
    CheckSpecials();
    CheckForeignArgmax();
    CheckInt64();
    CheckHistory();
    CheckDeterminism();
    CheckThreads();
    CheckOutOfPlane();
    CheckEmpty();
    CheckScale();
  }
  const Account& account = TheAccount();
  std::printf("%d checks, %zu clauses failed\n", account.checks, account.failures.size());
  return account.failures.empty() ? 0 : 1;
}

}  // namespace
}  // namespace mutants

int main() { return mutants::RunAll(); }
