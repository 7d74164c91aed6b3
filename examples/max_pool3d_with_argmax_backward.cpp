// SPDX-License-Identifier: Apache-2.0
//
// Windows that overlap: two windows of 1x1x2 over a row of three both chose cell 1, so that cell
// holds the sum of their gradients.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax_backward.h"

namespace {

void Must(const char* what, int status) {
  if (status == ACL_SUCCESS) return;
  const char* text = aclGetRecentErrMsg();
  std::printf("%s: error %d %s\n", what, status, text != nullptr ? text : "");
  std::exit(1);
}

template <typename T>
aclTensor* Upload(const std::vector<T>& host, const std::vector<int64_t>& shape, aclDataType type,
                  void** memory) {
  const size_t bytes = host.size() * sizeof(T);
  Must("aclrtMalloc", aclrtMalloc(memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  Must("aclrtMemcpy", aclrtMemcpy(*memory, bytes, host.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
  return aclCreateTensor(shape.data(), shape.size(), type, nullptr, 0, ACL_FORMAT_NCDHW,
                         shape.data(), shape.size(), *memory);
}

}  // namespace

int main() {
  Must("aclInit", aclInit(nullptr));
  Must("aclrtSetDevice", aclrtSetDevice(0));
  aclrtStream stream = nullptr;
  Must("aclrtCreateStream", aclrtCreateStream(&stream));

  void* memory[4] = {};
  const std::vector<int64_t> row = {1, 1, 1, 1, 3};
  const std::vector<int64_t> pooled = {1, 1, 1, 1, 2};
  aclTensor* grad_output = Upload<float>({1, 2}, pooled, ACL_FLOAT, &memory[0]);
  aclTensor* self = Upload<float>({0, 9, 0}, row, ACL_FLOAT, &memory[1]);
  aclTensor* indices = Upload<int32_t>({1, 1}, pooled, ACL_INT32, &memory[2]);
  aclTensor* grad_input = Upload<float>({7, 7, 7}, row, ACL_FLOAT, &memory[3]);
  const std::vector<int64_t> kernel = {1, 1, 2};
  const std::vector<int64_t> ones = {1, 1, 1};
  const std::vector<int64_t> zeros = {0, 0, 0};
  aclIntArray* lists[] = {aclCreateIntArray(kernel.data(), 3), aclCreateIntArray(ones.data(), 3),
                          aclCreateIntArray(zeros.data(), 3), aclCreateIntArray(ones.data(), 3)};

  uint64_t workspace_size = 0;
  aclOpExecutor* executor = nullptr;
  Must("phase one", aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize(
                        grad_output, self, indices, lists[0], lists[1], lists[2], lists[3], false,
                        grad_input, &workspace_size, &executor));
  void* workspace = nullptr;
  if (workspace_size > 0) {
    Must("workspace", aclrtMalloc(&workspace, workspace_size, ACL_MEM_MALLOC_HUGE_FIRST));
  }
  Must("phase two", aclnnMaxPool3dWithArgmaxBackward(workspace, workspace_size, executor, stream));
  Must("synchronise", aclrtSynchronizeStream(stream));

  std::vector<float> result(3);
  Must("aclrtMemcpy", aclrtMemcpy(result.data(), 12, memory[3], 12, ACL_MEMCPY_DEVICE_TO_HOST));
  std::printf("%g %g %g\n", static_cast<double>(result[0]), static_cast<double>(result[1]),
              static_cast<double>(result[2]));

  for (aclTensor* tensor : {grad_output, self, indices, grad_input}) aclDestroyTensor(tensor);
  for (aclIntArray* list : lists) aclDestroyIntArray(list);
  for (void* block : memory) aclrtFree(block);
  if (workspace != nullptr) aclrtFree(workspace);
  aclrtDestroyStream(stream);
  aclrtResetDevice(0);
  return aclFinalize();
}
