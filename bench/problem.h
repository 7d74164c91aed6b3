// SPDX-License-Identifier: Apache-2.0
//
// The operands of one measured call, in several sets so that a rotation finds cold memory, and the
// answer that every contender must give before it is timed.
#ifndef POOLPROOF_BENCH_PROBLEM_H_
#define POOLPROOF_BENCH_PROBLEM_H_

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <vector>

#include "conformance/timing/network_shapes.h"
#include "core/kernels.h"

namespace poolproof {

enum class Pass { kBackward, kForward };

// Page-aligned and touched.
class Buffer {
 public:
  explicit Buffer(std::size_t bytes);
  [[nodiscard]] std::byte* data() const { return memory_.get(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  std::size_t bytes_;
  std::unique_ptr<std::byte, Free> memory_;
};

// A backward reads grad_output and indices and writes grad_input; a forward reads self and writes
// out (the buffer grad_output) and indices. self and grad_input share a buffer: never both are
// used.
struct OperandSet {
  Buffer pooled;
  Buffer indices;
  Buffer plane_side;
};

class Problem {
 public:
  // Indices come from a forward over random data, some distinct planes repeated; gradients are
  // small integers, whose sums are the same in any order and type.
  Problem(const NetworkShape& shape, Pass pass, DataType type, DataType index_type, int sets);

  [[nodiscard]] const NetworkShape& shape() const { return shape_; }
  [[nodiscard]] Pass pass() const { return pass_; }
  [[nodiscard]] DataType type() const { return type_; }
  [[nodiscard]] DataType index_type() const { return index_type_; }
  [[nodiscard]] int sets() const { return static_cast<int>(sets_.size()); }
  [[nodiscard]] const OperandSet& set(int i) const { return sets_[static_cast<std::size_t>(i)]; }
  // One plane of random numbers per distinct plane, for contenders that need a forward of their
  // own.
  [[nodiscard]] const Buffer& self() const { return self_; }

  [[nodiscard]] BackwardArgs Backward(int i) const;
  [[nodiscard]] MaxPoolArgs Forward(int i) const;
  [[nodiscard]] AdaptiveMaxPoolArgs AdaptiveForward(int i) const;

  // True where the result in `found`, as dense planes, is right; -0 equals 0.
  [[nodiscard]] bool PlaneSideIsRight(const std::byte* found) const;
  [[nodiscard]] bool PooledIsRight(const std::byte* values, const std::byte* indices) const;
  void SpoilResult(int i) const;
  // Lines from all over the result, or over the indices that a forward writes: kSampleBytes. Some
  // machines write lines of zeros twice as fast as others.
  [[nodiscard]] std::vector<std::byte> ResultSample() const { return Sample(expected_); }
  [[nodiscard]] std::vector<std::byte> IndexSample() const { return Sample(expected_indices_); }
  static constexpr std::size_t kSampleBytes = 4096;

 private:
  static std::vector<std::byte> Sample(const std::vector<std::byte>& result);
  [[nodiscard]] TensorView View(const Buffer& buffer, DataType type, bool pooled) const;
  [[nodiscard]] MutableTensorView MutableView(const Buffer& buffer, DataType type,
                                              bool pooled) const;

  const NetworkShape& shape_;
  Pass pass_;
  DataType type_;
  DataType index_type_;
  std::int64_t distinct_;
  Buffer self_;
  std::vector<OperandSet> sets_;
  std::vector<std::byte> expected_;  // of the distinct planes
  std::vector<std::byte> expected_indices_;
};

}  // namespace poolproof

#endif  // POOLPROOF_BENCH_PROBLEM_H_
