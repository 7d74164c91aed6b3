// SPDX-License-Identifier: Apache-2.0
//
// darknet: its max-pool layer. A backward adds the layer's delta to that of the network at the
// places in `indexes`, which count from the start of the batch.
#include <darknet.h>
#include <poolproof/kit.h>

#include <algorithm>

// What its parser of networks calls; not in its header. The padding is that of both sides.
extern "C" layer make_maxpool_layer(int batch, int h, int w, int c, int size, int stride,
                                    int padding);

static layer LayerOf(const PoolproofCall& call) {
  const auto number = [](int64_t value) { return static_cast<int>(value); };
  const int64_t* in = call.self.shape;
  return make_maxpool_layer(number(in[0]), number(in[3]), number(in[4]), number(in[1]),
                            number(call.kernel[2]), number(call.stride[2]),
                            number(2 * call.padding[2]));
}

// Calls function(n, c, i, j): output i of plane [n,c] is output j of the batch.
template <typename Function>
static void ForEachOutput(const PoolproofTensor& outputs, const Function& function) {
  const int64_t size = poolproof_plane(&outputs);
  for (int64_t plane = 0; plane < outputs.shape[0] * outputs.shape[1]; ++plane) {
    for (int64_t i = 0; i < size; ++i) {
      function(plane / outputs.shape[1], plane % outputs.shape[1], i, plane * size + i);
    }
  }
}

static int64_t StartOf(const PoolproofTensor& tensor, int64_t n, int64_t c) {
  return (n * tensor.shape[1] + c) * poolproof_plane(&tensor);
}

static const char* Forward(const PoolproofCall* call) {
  const layer pooling = LayerOf(*call);
  network net = {};
  net.input = static_cast<float*>(call->self.data);
  pooling.forward(pooling, net);
  ForEachOutput(call->out, [&](int64_t n, int64_t c, int64_t i, int64_t j) {
    poolproof_put(&call->out, n, c, i, pooling.output[j]);
    poolproof_put(&call->indices, n, c, i,
                  static_cast<double>(pooling.indexes[j] - StartOf(call->self, n, c)));
  });
  free_layer(pooling);
  return nullptr;
}

static const char* Backward(const PoolproofCall* call) {
  const layer pooling = LayerOf(*call);
  ForEachOutput(call->grad_output, [&](int64_t n, int64_t c, int64_t i, int64_t j) {
    pooling.delta[j] = static_cast<float>(poolproof_get(&call->grad_output, n, c, i));
    pooling.indexes[j] = static_cast<int>(poolproof_get(&call->indices, n, c, i)) +
                         static_cast<int>(StartOf(call->self, n, c));
  });
  network net = {};
  net.delta = static_cast<float*>(call->grad_input.data);
  // A network does this before its backward.
  std::fill_n(net.delta, StartOf(call->self, call->self.shape[0], 0), 0.0F);
  pooling.backward(pooling, net);
  free_layer(pooling);
  return nullptr;
}

POOLPROOF_OFFER(MaxPool2dWithIndices, Forward)
POOLPROOF_OFFER(MaxPool2dWithIndicesBackward, Backward)
