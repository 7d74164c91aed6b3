// SPDX-License-Identifier: Apache-2.0
//
// A program as a user of the aclnn API writes it, built of nothing but the headers: one
// adaptive 2-d backward in which the only window chose the last cell of the plane.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_adaptive_max_pool2d_backward.h"

namespace {

// Ends the program with the name of what failed.
#define CHECK_ZERO(call)                                                      \
  do {                                                                        \
    const int status = (call);                                                \
    if (status != 0) {                                                        \
      const char* text = aclGetRecentErrMsg();                                \
      std::printf("%s: %d %s\n", #call, status, text != nullptr ? text : ""); \
      return 1;                                                               \
    }                                                                         \
  } while (false)

struct DeviceTensor {
  void* data = nullptr;
  aclTensor* tensor = nullptr;
};

template <typename T>
int Upload(const std::vector<T>& values, const std::vector<int64_t>& shape, aclDataType type,
           DeviceTensor* result) {
  const size_t bytes = values.size() * sizeof(T);
  CHECK_ZERO(aclrtMalloc(&result->data, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK_ZERO(aclrtMemcpy(result->data, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
  result->tensor = aclCreateTensor(shape.data(), shape.size(), type, nullptr, 0, ACL_FORMAT_NCHW,
                                   shape.data(), shape.size(), result->data);
  return result->tensor == nullptr ? 1 : 0;
}

}  // namespace

int main() {
  CHECK_ZERO(aclInit(nullptr));
  CHECK_ZERO(aclrtSetDevice(0));
  aclrtStream stream = nullptr;
  CHECK_ZERO(aclrtCreateStream(&stream));

  DeviceTensor grad_output, self, indices, grad_input;
  CHECK_ZERO(Upload<float>({5}, {1, 1, 1, 1}, ACL_FLOAT, &grad_output));
  CHECK_ZERO(Upload<float>({1, 2, 3, 4}, {1, 1, 2, 2}, ACL_FLOAT, &self));
  CHECK_ZERO(Upload<int32_t>({3}, {1, 1, 1, 1}, ACL_INT32, &indices));
  CHECK_ZERO(Upload<float>({9, 9, 9, 9}, {1, 1, 2, 2}, ACL_FLOAT, &grad_input));

  uint64_t workspace_size = 0;
  aclOpExecutor* executor = nullptr;
  CHECK_ZERO(aclnnAdaptiveMaxPool2dBackwardGetWorkspaceSize(grad_output.tensor, self.tensor,
                                                            indices.tensor, grad_input.tensor,
                                                            &workspace_size, &executor));
  void* workspace = nullptr;
  if (workspace_size > 0) {
    CHECK_ZERO(aclrtMalloc(&workspace, workspace_size, ACL_MEM_MALLOC_HUGE_FIRST));
  }
  CHECK_ZERO(aclnnAdaptiveMaxPool2dBackward(workspace, workspace_size, executor, stream));
  CHECK_ZERO(aclrtSynchronizeStream(stream));

  std::vector<float> result(4);
  CHECK_ZERO(aclrtMemcpy(result.data(), 16, grad_input.data, 16, ACL_MEMCPY_DEVICE_TO_HOST));
  std::printf("%g %g %g %g\n", static_cast<double>(result[0]), static_cast<double>(result[1]),
              static_cast<double>(result[2]), static_cast<double>(result[3]));

  for (const DeviceTensor& operand : {grad_output, self, indices, grad_input}) {
    CHECK_ZERO(aclDestroyTensor(operand.tensor));
    CHECK_ZERO(aclrtFree(operand.data));
  }
  if (workspace != nullptr) CHECK_ZERO(aclrtFree(workspace));
  CHECK_ZERO(aclrtDestroyStream(stream));
  CHECK_ZERO(aclrtResetDevice(0));
  CHECK_ZERO(aclFinalize());
  return 0;
}
