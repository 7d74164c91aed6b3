// SPDX-License-Identifier: Apache-2.0
//
// tiny-dnn: a backward of its max-pooling layer follows what the layer's own forward noted, which
// nobody else can read or write. So the forward runs on self, and indices have to be those of a
// forward ("indices": "forward").
#include <poolproof/kit.h>
#include <tiny_dnn/config.h>
#undef CNN_USE_GEMMLOWP  // one more package, for layers of whole numbers
#define CNN_NO_SERIALIZATION
#include <tiny_dnn/tiny_dnn.h>

#include <exception>

using tiny_dnn::tensor_t;

// The samples of a batch, each with all its channels.
static tensor_t Samples(const PoolproofTensor& tensor) {
  const auto size = static_cast<std::size_t>(poolproof_plane(&tensor));
  tensor_t samples(static_cast<std::size_t>(tensor.shape[0]));
  for (std::size_t n = 0; n < samples.size(); ++n) {
    for (int64_t c = 0; c < tensor.shape[1]; ++c) {
      for (std::size_t i = 0; i < size; ++i) {
        samples[n].push_back(static_cast<float>(
            poolproof_get(&tensor, static_cast<int64_t>(n), c, static_cast<int64_t>(i))));
      }
    }
  }
  return samples;
}

static const char* TryBackward(const PoolproofCall& call) {
  const auto number = [](int64_t value) { return static_cast<tiny_dnn::serial_size_t>(value); };
  const int64_t* in = call.self.shape;
  tiny_dnn::max_pooling_layer<tiny_dnn::activation::identity> pooling(
      number(in[4]), number(in[3]), number(in[1]), number(call.kernel[2]), number(call.kernel[1]),
      number(call.stride[2]), number(call.stride[1]));
  pooling.forward({Samples(call.self)});
  const tensor_t gradient = pooling.backward({Samples(call.grad_output)}).front();
  const int64_t size = poolproof_plane(&call.grad_input);
  for (int64_t plane = 0; plane < in[0] * in[1]; ++plane) {
    const auto& sample = gradient[static_cast<std::size_t>(plane / in[1])];
    for (int64_t i = 0; i < size; ++i) {
      poolproof_put(&call.grad_input, plane / in[1], plane % in[1], i,
                    sample[static_cast<std::size_t>(plane % in[1] * size + i)]);
    }
  }
  return nullptr;
}

static const char* Backward(const PoolproofCall* call) {
  try {
    return TryBackward(*call);
  } catch (const std::exception& error) {
    return poolproof_fail(0, error.what());
  }
}

POOLPROOF_OFFER(MaxPool2dWithIndicesBackward, Backward)
