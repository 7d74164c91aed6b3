// SPDX-License-Identifier: Apache-2.0
#ifndef POOLPROOF_CONFORMANCE_RESULT_STORAGE_SIZE_H_
#define POOLPROOF_CONFORMANCE_RESULT_STORAGE_SIZE_H_

#include <cstdint>

#include "conformance/result/invocation.h"
#include "core/data_type.h"

namespace poolproof {

// Bytes of the storage that the tensor describes, of which `bytes` may hold a part. Requires that
// they can be counted.
inline std::int64_t StorageSize(const TensorArgument& tensor) {
  std::int64_t size = StorageBytes(static_cast<DataType>(tensor.type));
  for (const std::int64_t extent : tensor.storage_dims) size *= extent;
  return size;
}

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_RESULT_STORAGE_SIZE_H_
