// SPDX-License-Identifier: Apache-2.0
//
// oneDNN: a pooling backward reads a workspace that oneDNN's own forward wrote, never indices. So
// the forward runs on self, and indices have to be those of a forward ("indices": "forward").
#include <poolproof/kit.h>

#include <dnnl.hpp>

static dnnl::memory::desc Description(const PoolproofTensor& tensor) {
  return {{tensor.shape, tensor.shape + 5},
          dnnl::memory::data_type::f32,
          {tensor.strides, tensor.strides + 5}};
}

static const char* TryBackward(const PoolproofCall& call) {
  const auto list = [](const int64_t(&axes)[3]) { return dnnl::memory::dims(axes, axes + 3); };
  dnnl::memory::dims after;  // what the last window reads behind the plane
  for (int i = 0; i < 3; ++i) {
    after.push_back((call.grad_output.shape[i + 2] - 1) * call.stride[i] + call.kernel[i] -
                    call.self.shape[i + 2] - call.padding[i]);
  }
  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const dnnl::memory::desc source = Description(call.self);
  const dnnl::memory::desc result = Description(call.grad_output);
  const dnnl::pooling_forward::primitive_desc forward(
      {dnnl::prop_kind::forward_training, dnnl::algorithm::pooling_max, source, result,
       list(call.stride), list(call.kernel), list(call.padding), after},
      engine);
  const dnnl::pooling_backward::primitive_desc backward(
      {dnnl::algorithm::pooling_max, Description(call.grad_input), result, list(call.stride),
       list(call.kernel), list(call.padding), after},
      engine, forward);
  dnnl::memory out(result, engine);
  dnnl::memory workspace(forward.workspace_desc(), engine);
  dnnl::pooling_forward(forward).execute(
      stream, {{DNNL_ARG_SRC, dnnl::memory(source, engine, call.self.data)},
               {DNNL_ARG_DST, out},
               {DNNL_ARG_WORKSPACE, workspace}});
  dnnl::pooling_backward(backward).execute(
      stream, {{DNNL_ARG_DIFF_DST, dnnl::memory(result, engine, call.grad_output.data)},
               {DNNL_ARG_WORKSPACE, workspace},
               {DNNL_ARG_DIFF_SRC,
                dnnl::memory(Description(call.grad_input), engine, call.grad_input.data)}});
  stream.wait();
  return nullptr;
}

static const char* Backward(const PoolproofCall* call) {
  try {
    return TryBackward(*call);
  } catch (const dnnl::error& error) {
    return poolproof_fail(0, error.what());
  }
}

POOLPROOF_OFFER(MaxPool2dWithIndicesBackward, Backward)
POOLPROOF_OFFER(MaxPool3dWithArgmaxBackward, Backward)
