// SPDX-License-Identifier: Apache-2.0
//
// Device memory of the library under test, filled from and read into vectors.
#ifndef POOLPROOF_TESTS_RUNTIME_SUPPORT_DEVICE_ARRAY_H_
#define POOLPROOF_TESTS_RUNTIME_SUPPORT_DEVICE_ARRAY_H_

#include <cstddef>
#include <stdexcept>
#include <vector>

#include "tests/runtime/support/abi_library.h"

namespace poolproof {

template <typename T>
class DeviceArray {
 public:
  DeviceArray(const AbiLibrary& library, const std::vector<T>& values)
      : library_(library), size_(values.size()) {
    const std::size_t bytes = size_ * sizeof(T);
    if (library.aclrtMalloc(&data_, bytes, ACL_MEM_MALLOC_HUGE_FIRST) != 0 ||
        library.aclrtMemcpy(data_, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE) != 0) {
      throw std::runtime_error(library.Message());
    }
  }
  ~DeviceArray() { library_.aclrtFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] std::vector<T> Read() const {
    std::vector<T> values(size_);
    const std::size_t bytes = size_ * sizeof(T);
    if (library_.aclrtMemcpy(values.data(), bytes, data_, bytes, ACL_MEMCPY_DEVICE_TO_HOST) != 0) {
      throw std::runtime_error(library_.Message());
    }
    return values;
  }

 private:
  const AbiLibrary& library_;
  std::size_t size_;
  void* data_ = nullptr;
};

}  // namespace poolproof

#endif  // POOLPROOF_TESTS_RUNTIME_SUPPORT_DEVICE_ARRAY_H_
