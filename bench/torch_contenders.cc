// SPDX-License-Identifier: Apache-2.0
//
// libtorch: the _out functions on our buffers, and those that allocate their results.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "bench/contender.h"

namespace poolproof {
namespace {

class Torch : public Contender {
 public:
  Torch(const Problem& problem, int threads, bool allocates)
      : problem_(problem), threads_(threads), allocates_(allocates) {
    const NetworkShape& shape = problem.shape();
    const auto pooled = shape.Pooled();
    for (auto i = static_cast<std::size_t>(3 - shape.spatial_rank); i < 3; ++i) {
      const PoolAxis& axis = shape.axes[i];
      kernel_.push_back(axis.kernel);
      stride_.push_back(axis.stride);
      padding_.push_back(axis.padding);
      dilation_.push_back(axis.dilation);
      out_.push_back(pooled[i]);
    }
    for (int i = 0; i < problem.sets(); ++i) {
      const OperandSet& set = problem.set(i);
      Operands operands{
          Tensor(set.pooled, pooled, true), {}, Tensor(set.plane_side, shape.in, false)};
      // Indices are int64 here, whatever the others read.
      if (problem.index_type() == DataType::kInt64) {
        operands.indices = at::from_blob(set.indices.data(), Sizes(pooled), at::kLong);
      } else {
        operands.indices = at::from_blob(set.indices.data(), Sizes(pooled), at::kInt).to(at::kLong);
      }
      operands_.push_back(operands);
    }
    if (problem.pass() == Pass::kBackward) self_ = at::zeros_like(operands_[0].plane_side);
    at::set_num_threads(threads);
    Run(0);  // refuses types here
  }

  void Run(int i) override {
    at::set_num_threads(threads_);
    Operands& o = operands_[static_cast<std::size_t>(i)];
    if (problem_.pass() == Pass::kBackward) {
      Backward(o);
    } else {
      Forward(o);
    }
  }

  bool IsRight() override {
    Operands& o = operands_[0];
    if (problem_.pass() == Pass::kBackward) {
      return problem_.PlaneSideIsRight(Bytes(allocates_ ? result_ : o.plane_side));
    }
    const at::Tensor indices =
        problem_.index_type() == DataType::kInt64 ? o.indices : o.indices.to(at::kInt);
    return allocates_ || problem_.PooledIsRight(Bytes(o.pooled), Bytes(indices));
  }

 private:
  struct Operands {
    at::Tensor pooled;
    at::Tensor indices;
    at::Tensor plane_side;
  };

  static const std::byte* Bytes(const at::Tensor& tensor) {
    return static_cast<const std::byte*>(tensor.data_ptr());
  }

  [[nodiscard]] std::vector<std::int64_t> Sizes(const std::array<std::int64_t, 3>& extents) const {
    std::vector<std::int64_t> sizes = {problem_.shape().n, problem_.shape().c};
    sizes.insert(sizes.end(), extents.end() - problem_.shape().spatial_rank, extents.end());
    return sizes;
  }

  [[nodiscard]] at::Tensor Tensor(const Buffer& buffer, const std::array<std::int64_t, 3>& extents,
                                  bool /*pooled*/) const {
    const at::ScalarType type = problem_.type() == DataType::kFloat     ? at::kFloat
                                : problem_.type() == DataType::kFloat16 ? at::kHalf
                                                                        : at::kBFloat16;
    return at::from_blob(buffer.data(), Sizes(extents), type);
  }

  void Backward(Operands& o) {
    const NetworkShape& shape = problem_.shape();
    const bool planar = shape.spatial_rank == 2;
    if (!shape.adaptive && allocates_) {
      const auto pool =
          planar ? at::max_pool2d_with_indices_backward : at::max_pool3d_with_indices_backward;
      result_ =
          pool(o.pooled, self_, kernel_, stride_, padding_, dilation_, shape.ceil_mode, o.indices);
    } else if (!shape.adaptive) {
      const auto pool = planar ? at::max_pool2d_with_indices_backward_out
                               : at::max_pool3d_with_indices_backward_out;
      pool(o.plane_side, o.pooled, self_, kernel_, stride_, padding_, dilation_, shape.ceil_mode,
           o.indices);
    } else if (!planar) {
      if (allocates_) {
        result_ = at::adaptive_max_pool3d_backward(o.pooled, self_, o.indices);
      } else {
        at::adaptive_max_pool3d_backward_out(o.plane_side, o.pooled, self_, o.indices);
      }
    } else if (allocates_) {
      result_ = at::adaptive_max_pool2d_backward(o.pooled, self_, o.indices);
    } else {
      at::adaptive_max_pool2d_backward_out(o.plane_side, o.pooled, self_, o.indices);
    }
  }

  void Forward(Operands& o) {
    const NetworkShape& shape = problem_.shape();
    const bool planar = shape.spatial_rank == 2;
    if (!shape.adaptive && allocates_) {
      const auto pool = planar ? at::max_pool2d_with_indices : at::max_pool3d_with_indices;
      static_cast<void>(pool(o.plane_side, kernel_, stride_, padding_, dilation_, shape.ceil_mode));
    } else if (!shape.adaptive) {
      const auto pool = planar ? at::max_pool2d_with_indices_out : at::max_pool3d_with_indices_out;
      pool(o.pooled, o.indices, o.plane_side, kernel_, stride_, padding_, dilation_,
           shape.ceil_mode);
    } else if (!planar) {
      if (allocates_) {
        static_cast<void>(at::adaptive_max_pool3d(o.plane_side, out_));
      } else {
        at::adaptive_max_pool3d_out(o.pooled, o.indices, o.plane_side, out_);
      }
    } else if (allocates_) {
      static_cast<void>(at::adaptive_max_pool2d(o.plane_side, out_));
    } else {
      at::adaptive_max_pool2d_out(o.pooled, o.indices, o.plane_side, out_);
    }
  }

  const Problem& problem_;
  int threads_;
  bool allocates_;
  std::vector<std::int64_t> kernel_;
  std::vector<std::int64_t> stride_;
  std::vector<std::int64_t> padding_;
  std::vector<std::int64_t> dilation_;
  std::vector<std::int64_t> out_;
  std::vector<Operands> operands_;
  at::Tensor self_;
  at::Tensor result_;
};

template <bool kAllocates>
std::unique_ptr<Contender> Make(const Problem& problem, int threads, const void*) {
  try {
    return std::make_unique<Torch>(problem, threads, kAllocates);
  } catch (const c10::Error&) {  // not implemented for this type
    return nullptr;
  }
}

}  // namespace

void AddTorch(std::vector<ContenderEntry>& list) {
  list.push_back({"torch_out", &Make<false>, nullptr});
  list.push_back({"torch_alloc", &Make<true>, nullptr});
}

}  // namespace poolproof
