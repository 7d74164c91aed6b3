// SPDX-License-Identifier: Apache-2.0
//
// Three libraries around OpenCL kernels, one for each value of POOLPROOF_OPENCL_KERNEL: `atomic`
// adds gradients at the places that indices name, all at once; `gather` sums for each element of
// grad_input, over the windows that hold it; `lost_update` is `atomic` without atomics, and wrong.
#include <poolproof/opencl.h>

#include <algorithm>
#include <string_view>

static const char* const kSource = R"(
// Where element i of a plane lies.
long place(const Tensor* t, long plane, long i) {
  return plane / t->shape[1] * t->strides[0] + plane % t->shape[1] * t->strides[1] +
         i / t->shape[4] / t->shape[3] * t->strides[2] + i / t->shape[4] % t->shape[3] * t->strides[3] +
         i % t->shape[4] * t->strides[4];
}

long size(const Tensor* t) { return t->shape[2] * t->shape[3] * t->shape[4]; }

long named(global const void* indices, const Tensor* t, long at) {
  return t->type == 9 ? ((global const long*)indices)[at] : ((global const int*)indices)[at];
}

void add_atomic(global float* to, float value) {
  global volatile uint* bits = (global volatile uint*)to;
  uint before = *bits;
  for (;;) {
    const uint seen = atomic_cmpxchg(bits, before, as_uint(as_float(before) + value));
    if (seen == before) return;
    before = seen;
  }
}

void add_lost_update(global float* to, float value) {
  const float before = *(global volatile float*)to;
  *(global volatile float*)to = before + value;
}

kernel void zero(global float* grad_input, Tensor to, Window window) {
  const long plane = get_global_id(0);
  for (long i = get_global_id(1); i < size(&to); i += get_global_size(1)) grad_input[place(&to, plane, i)] = 0;
}

#define SCATTER(name)                                                                                 \
  kernel void name(global const float* grad_output, Tensor from, global const void* indices,          \
                   Tensor index, global float* grad_input, Tensor to, Window window) {                \
    const long plane = get_global_id(0);                                                              \
    for (long i = get_global_id(1); i < size(&from); i += get_global_size(1)) {                       \
      const long at = named(indices, &index, place(&index, plane, i));                                \
      if (at < 0 || at >= size(&to)) continue;                                                        \
      add_##name(&grad_input[place(&to, plane, at)], grad_output[place(&from, plane, i)]);            \
    }                                                                                                 \
  }
SCATTER(atomic)
SCATTER(lost_update)

// The outputs of an axis whose windows may hold element i: from first up to last.
void windows(const Window* window, int axis, long i, long in, long out, long* first, long* last) {
  if (window->kernel_size[axis] == 0) {  // adaptive
    *first = i * out / in;
    *last = ((i + 1) * out + in - 1) / in;
    return;
  }
  const long stride = window->stride[axis];
  const long reach = (window->kernel_size[axis] - 1) * window->dilation[axis];
  *first = max(0L, (i + window->padding[axis] - reach + stride - 1) / stride);
  *last = min(out, (i + window->padding[axis]) / stride + 1);
}

kernel void gather(global const float* grad_output, Tensor from, global const void* indices, Tensor index,
                   global float* grad_input, Tensor to, Window window) {
  const long plane = get_global_id(0);
  for (long i = get_global_id(1); i < size(&to); i += get_global_size(1)) {
    const long at[3] = {i / to.shape[4] / to.shape[3], i / to.shape[4] % to.shape[3], i % to.shape[4]};
    long first[3], last[3];
    for (int axis = 0; axis < 3; ++axis)
      windows(&window, axis, at[axis], to.shape[axis + 2], from.shape[axis + 2], &first[axis], &last[axis]);
    float sum = 0;
    for (long d = first[0]; d < last[0]; ++d)
      for (long h = first[1]; h < last[1]; ++h)
        for (long w = first[2]; w < last[2]; ++w) {
          const long o = (d * from.shape[3] + h) * from.shape[4] + w;
          if (named(indices, &index, place(&index, plane, o)) == i) sum += grad_output[place(&from, plane, o)];
        }
    grad_input[place(&to, plane, i)] = sum;
  }
}
)";
POOLPROOF_OPENCL(kSource)

static int64_t Items(const PoolproofTensor& tensor) {
  return std::min<int64_t>(poolproof_plane(&tensor), 1024);
}

static const char* Backward(const PoolproofCall* call) {
  constexpr std::string_view kKernel = POOLPROOF_OPENCL_KERNEL;
  const auto run = [&](int64_t items) {
    return PoolproofClRun(call, kKernel.data(),
                          {&call->grad_output, &call->indices, &call->grad_input}, items);
  };
  if (kKernel == "gather") return run(Items(call->grad_input));
  if (const char* why = PoolproofClRun(call, "zero", {&call->grad_input}, Items(call->grad_input)))
    return why;
  // The same bits each time: one after the other.
  return run(call->deterministic != 0 ? 1 : Items(call->grad_output));
}

POOLPROOF_OFFER(MaxPool2dWithIndicesBackward, Backward)
POOLPROOF_OFFER(MaxPool3dWithArgmaxBackward, Backward)
POOLPROOF_OFFER(AdaptiveMaxPool2dBackward, Backward)
POOLPROOF_OFFER(AdaptiveMaxPool3dBackward, Backward)
