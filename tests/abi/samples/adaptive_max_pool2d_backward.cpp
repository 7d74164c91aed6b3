// SPDX-License-Identifier: Apache-2.0
//
// A program with a mistake in its data, as in the vendor's page: index 6 in a plane of 2x2, and 4
// bytes of index where the type says 8. The host libraries answer when the work has run.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_adaptive_max_pool2d_backward.h"

namespace {

bool Failed(const char* what, int status) {
  if (status != ACL_SUCCESS) std::printf("%s failed. ERROR: %d\n", what, status);
  return status != ACL_SUCCESS;
}

template <typename T>
aclTensor* Upload(const std::vector<T>& host, const std::vector<int64_t>& shape, aclDataType type,
                  void** memory) {
  const size_t bytes = host.size() * sizeof(T);
  if (Failed("aclrtMalloc", aclrtMalloc(memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST)) ||
      Failed("aclrtMemcpy",
             aclrtMemcpy(*memory, bytes, host.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE))) {
    return nullptr;
  }
  return aclCreateTensor(shape.data(), shape.size(), type, nullptr, 0, ACL_FORMAT_ND, shape.data(),
                         shape.size(), *memory);
}

}  // namespace

int main() {
  aclrtStream stream = nullptr;
  if (Failed("aclInit", aclInit(nullptr)) || Failed("aclrtSetDevice", aclrtSetDevice(0)) ||
      Failed("aclrtCreateStream", aclrtCreateStream(&stream))) {
    return 1;
  }
  const std::vector<int64_t> pooled = {1, 1, 1, 1};
  const std::vector<int64_t> full = {1, 1, 2, 2};
  void* memory[4] = {};
  aclTensor* grad_output = Upload<float>({0.4757F}, pooled, ACL_FLOAT, &memory[0]);
  aclTensor* self = Upload<float>({3, 2, 1, 0}, full, ACL_FLOAT, &memory[1]);
  aclTensor* indices = Upload<int32_t>({6}, pooled, ACL_INT64, &memory[2]);
  aclTensor* grad_input = Upload<float>({0, 0, 0, 0}, full, ACL_FLOAT, &memory[3]);
  uint64_t workspace_size = 0;
  aclOpExecutor* executor = nullptr;
  if (Failed("phase one",
             aclnnAdaptiveMaxPool2dBackwardGetWorkspaceSize(grad_output, self, indices, grad_input,
                                                            &workspace_size, &executor)) ||
      Failed("phase two",
             aclnnAdaptiveMaxPool2dBackward(nullptr, workspace_size, executor, stream)) ||
      Failed("aclrtSynchronizeStream", aclrtSynchronizeStream(stream))) {
    return 1;  // with everything still open
  }
  std::printf("no answer\n");
  return 0;
}
