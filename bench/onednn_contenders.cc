// SPDX-License-Identifier: Apache-2.0
//
// oneDNN: pooling backward by its own workspace, in the layouts that it has fast code for.
#include <omp.h>

#include <dnnl.hpp>

#include "bench/contender.h"

namespace poolproof {
namespace {

class OneDnn : public Contender {
 public:
  OneDnn(const Problem& problem, int threads, dnnl::memory::format_tag layout)
      : problem_(problem),
        threads_(threads),
        engine_(dnnl::engine::kind::cpu, 0),
        stream_(engine_) {
    omp_set_num_threads(threads);
    const NetworkShape& shape = problem.shape();
    const auto type = problem.type() == DataType::kFloat  ? dnnl::memory::data_type::f32
                      : problem.type() == DataType::kBf16 ? dnnl::memory::data_type::bf16
                                                          : dnnl::memory::data_type::f16;
    const auto pooled = shape.Pooled();
    const dnnl::memory::dims in = {shape.n, shape.c, shape.in[0], shape.in[1], shape.in[2]};
    const dnnl::memory::dims out = {shape.n, shape.c, pooled[0], pooled[1], pooled[2]};
    dnnl::memory::dims stride;
    dnnl::memory::dims kernel;
    dnnl::memory::dims before;
    dnnl::memory::dims after;
    for (std::size_t i = 0; i < 3; ++i) {
      const PoolAxis& axis = shape.axes[i];
      stride.push_back(axis.stride);
      kernel.push_back(axis.kernel);
      before.push_back(axis.padding);
      after.push_back((pooled[i] - 1) * axis.stride + axis.kernel - shape.in[i] - axis.padding);
    }
    const auto plain = dnnl::memory::format_tag::ncdhw;
    const dnnl::memory::desc plain_in(in, type, plain);
    const dnnl::memory::desc plain_out(out, type, plain);
    const dnnl::memory::desc source(in, type, layout);
    const dnnl::memory::desc result(out, type, layout);
    const dnnl::pooling_forward::primitive_desc forward(
        {dnnl::prop_kind::forward_training, dnnl::algorithm::pooling_max, source, result, stride,
         kernel, before, after},
        engine_);
    const dnnl::pooling_backward::primitive_desc backward(
        {dnnl::algorithm::pooling_max, source, result, stride, kernel, before, after}, engine_,
        forward);
    backward_ = dnnl::pooling_backward(backward);
    plain_result_ = dnnl::memory(plain_in, engine_);
    dnnl::memory input(source, engine_);
    dnnl::memory scratch(result, engine_);
    {  // the numbers from which our indices were made
      const auto distinct = static_cast<std::int64_t>(problem.self().bytes());
      auto* to = static_cast<std::byte*>(plain_result_.get_data_handle());
      const auto bytes = static_cast<std::int64_t>(plain_in.get_size());
      for (std::int64_t at = 0; at < bytes; at += distinct) {
        std::copy_n(problem.self().data(), std::min(distinct, bytes - at), to + at);
      }
      dnnl::reorder(plain_result_, input).execute(stream_, plain_result_, input);
    }
    for (int i = 0; i < problem.sets(); ++i) {
      Set set{dnnl::memory(result, engine_), dnnl::memory(forward.workspace_desc(), engine_),
              dnnl::memory(source, engine_)};
      dnnl::memory gradients(plain_out, engine_, problem.set(i).pooled.data());
      dnnl::reorder(gradients, set.grad_output).execute(stream_, gradients, set.grad_output);
      dnnl::pooling_forward(forward).execute(
          stream_,
          {{DNNL_ARG_SRC, input}, {DNNL_ARG_DST, scratch}, {DNNL_ARG_WORKSPACE, set.workspace}});
      sets_.push_back(set);
    }
    stream_.wait();
  }

  void Run(int i) override {
    omp_set_num_threads(threads_);
    Set& set = sets_[static_cast<std::size_t>(i)];
    backward_.execute(stream_, {{DNNL_ARG_DIFF_DST, set.grad_output},
                                {DNNL_ARG_WORKSPACE, set.workspace},
                                {DNNL_ARG_DIFF_SRC, set.grad_input}});
    stream_.wait();
  }

  bool IsRight() override {
    dnnl::reorder(sets_[0].grad_input, plain_result_)
        .execute(stream_, sets_[0].grad_input, plain_result_);
    stream_.wait();
    return problem_.PlaneSideIsRight(
        static_cast<const std::byte*>(plain_result_.get_data_handle()));
  }

 private:
  struct Set {
    dnnl::memory grad_output;
    dnnl::memory workspace;
    dnnl::memory grad_input;
  };
  const Problem& problem_;
  int threads_;
  dnnl::engine engine_;
  dnnl::stream stream_;
  dnnl::pooling_backward backward_;
  dnnl::memory plain_result_;
  std::vector<Set> sets_;
};

template <dnnl::memory::format_tag kLayout>
std::unique_ptr<Contender> Make(const Problem& problem, int threads, const void*) {
  if (problem.pass() != Pass::kBackward || problem.shape().adaptive) return nullptr;
  if (problem.index_type() != DataType::kInt32)
    return nullptr;  // its workspace has no type of ours
  try {
    return std::make_unique<OneDnn>(problem, threads, kLayout);
  } catch (const dnnl::error&) {  // not implemented for this type
    return nullptr;
  }
}

}  // namespace

// Blocks of 16 channels are for AVX-512, of 8 for AVX2; elsewhere they meet the loops of its own
// reference.
void AddOneDnn(std::vector<ContenderEntry>& list) {
  list.push_back({"onednn_plain", &Make<dnnl::memory::format_tag::ncdhw>, nullptr});
  list.push_back({"onednn_last", &Make<dnnl::memory::format_tag::ndhwc>, nullptr});
  if (dnnl::get_effective_cpu_isa() >= dnnl::cpu_isa::avx512_core) {
    list.push_back({"onednn_blocked", &Make<dnnl::memory::format_tag::nCdhw16c>, nullptr});
  } else {
    list.push_back({"onednn_blocked", &Make<dnnl::memory::format_tag::nCdhw8c>, nullptr});
  }
}

}  // namespace poolproof
