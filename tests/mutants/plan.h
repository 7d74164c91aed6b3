// SPDX-License-Identifier: Apache-2.0
//
// What phase one finds out and phase two runs. Filled in by validation, read by the kernels.

#ifndef POOLPROOF_TESTS_MUTANTS_PLAN_H_
#define POOLPROOF_TESTS_MUTANTS_PLAN_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "abi.h"

struct aclTensor {
  std::vector<int64_t> dims;
  std::vector<int64_t> strides;
  std::vector<int64_t> storage_dims;
  int64_t offset = 0;
  aclDataType dtype = -1;
  aclFormat format = -1;
  void* data = nullptr;
};

struct aclIntArray {
  std::vector<int64_t> values;
};

namespace mutants {

// A code of the ABI and the text for aclGetRecentErrMsg.
struct Status {
  aclnnStatus code = kOk;
  std::string message;

  [[nodiscard]] bool ok() const { return code == kOk; }
};

inline Status Refuse(aclnnStatus code, std::string message) { return {code, std::move(message)}; }

enum class Operator { kMaxPool3d, kMaxPool2d, kAdaptive3d, kAdaptive2d };

inline bool HasFixedWindows(Operator op) {
  return op == Operator::kMaxPool3d || op == Operator::kMaxPool2d;
}
// Axes of a plane: H and W, or D, H and W.
inline std::size_t PlaneAxes(Operator op) {
  return op == Operator::kMaxPool2d || op == Operator::kAdaptive2d ? 2 : 3;
}

// Saturates at the largest int64: extents come from the caller and may be anything.
inline int64_t SaturatingProduct(int64_t a, int64_t b) {
  int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::numeric_limits<int64_t>::max();
  return product;
}

using Extents3 = std::array<int64_t, 3>;

// A tensor seen as N, C, D, H, W whatever its rank was. Strides and offset count elements.
struct View {
  std::array<int64_t, 5> extents = {1, 1, 1, 1, 1};
  std::array<int64_t, 5> strides = {};
  int64_t offset = 0;
  int64_t storage_elements = 0;
  aclDataType dtype = -1;
  std::size_t element_size = 0;
  unsigned char* data = nullptr;

  [[nodiscard]] int64_t Planes() const { return SaturatingProduct(extents[0], extents[1]); }
  [[nodiscard]] int64_t PlaneElements() const {
    return SaturatingProduct(SaturatingProduct(extents[2], extents[3]), extents[4]);
  }
  [[nodiscard]] int64_t Elements() const { return SaturatingProduct(Planes(), PlaneElements()); }
};

// The windows on D, H and W; on D that of one cell where there is none. For the adaptive operators
// only the extents of the views count.
struct Geometry {
  Extents3 kernel = {1, 1, 1};
  Extents3 stride = {1, 1, 1};
  Extents3 padding = {0, 0, 0};
  Extents3 dilation = {1, 1, 1};
  bool ceil_mode = false;
};

struct CallNotes;

struct Plan {
  Operator op = Operator::kMaxPool3d;
  View grad_output;
  View self;
  View indices;
  View grad_input;
  Geometry geometry;
  uint64_t workspace_bytes = 0;
  bool deterministic = false;
  // The call got past a check that should have stopped it, and nothing sensible can be computed.
  bool nothing_to_do = false;
  // A refusal that is left to phase two.
  Status deferred;
  int64_t run = 0;  // of its executor, the first being 0
  // What hooks know of the call.
  std::shared_ptr<const CallNotes> notes;
};

}  // namespace mutants

#endif  // POOLPROOF_TESTS_MUTANTS_PLAN_H_
