// SPDX-License-Identifier: Apache-2.0
//
// A first program: one window of 2x2x2 whose maximum is element 6, its gradient put back. As in
// the vendor's page, the index travels as a single byte in memory that is read as an int32.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax_backward.h"

namespace {

bool Failed(const char* what, int status) {
  if (status != ACL_SUCCESS) std::printf("%s failed. ERROR: %d\n", what, status);
  return status != ACL_SUCCESS;
}

// Uploads `host` and describes it; null after a failure.
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
  const std::vector<int64_t> pooled = {1, 1, 1, 1, 1};
  const std::vector<int64_t> full = {1, 1, 2, 2, 2};
  void* memory[4] = {};
  aclTensor* grad_output = Upload<float>({0.4757F}, pooled, ACL_FLOAT, &memory[0]);
  aclTensor* self = Upload<float>({0, 1, 2, 3, 4, 5, 9, 7}, full, ACL_FLOAT, &memory[1]);
  aclTensor* indices = Upload<int8_t>({6}, pooled, ACL_INT32, &memory[2]);
  aclTensor* grad_input = Upload<float>(std::vector<float>(8, 0), full, ACL_FLOAT, &memory[3]);
  const std::vector<int64_t> two = {2, 2, 2};
  const std::vector<int64_t> one = {1, 1, 1};
  const std::vector<int64_t> zero = {0, 0, 0};
  aclIntArray* kernel = aclCreateIntArray(two.data(), two.size());
  aclIntArray* stride = aclCreateIntArray(two.data(), two.size());
  aclIntArray* padding = aclCreateIntArray(zero.data(), zero.size());
  aclIntArray* dilation = aclCreateIntArray(one.data(), one.size());

  uint64_t workspace_size = 0;
  aclOpExecutor* executor;  // left as it is, as callers do
  if (Failed("phase one", aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize(
                              grad_output, self, indices, kernel, stride, padding, dilation, false,
                              grad_input, &workspace_size, &executor))) {
    return 1;
  }
  void* workspace = nullptr;
  if (workspace_size > 0 &&
      Failed("workspace", aclrtMalloc(&workspace, workspace_size, ACL_MEM_MALLOC_HUGE_FIRST))) {
    return 1;
  }
  if (Failed("phase two",
             aclnnMaxPool3dWithArgmaxBackward(workspace, workspace_size, executor, stream)) ||
      Failed("aclrtSynchronizeStream", aclrtSynchronizeStream(stream))) {
    return 1;
  }
  std::vector<float> result(8);
  if (Failed("aclrtMemcpy",
             aclrtMemcpy(result.data(), 32, memory[3], 32, ACL_MEMCPY_DEVICE_TO_HOST))) {
    return 1;
  }
  for (size_t i = 0; i < result.size(); ++i) {
    std::printf("result[%zu] is: %f\n", i, static_cast<double>(result[i]));
  }
  for (aclTensor* tensor : {grad_output, self, indices, grad_input}) aclDestroyTensor(tensor);
  for (aclIntArray* array : {kernel, stride, padding, dilation}) aclDestroyIntArray(array);
  for (void* block : memory) aclrtFree(block);
  aclrtDestroyStream(stream);
  aclrtResetDevice(0);
  return aclFinalize();
}
