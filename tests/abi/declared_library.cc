// SPDX-License-Identifier: Apache-2.0
//
// A library written for a newer CANN: it names each function that the headers declare, and defines
// some with the parameters that CANN's headers give them, against these headers alone.
#include <cstddef>

#include "acl/acl.h"

std::size_t NamesDeclared();
std::size_t NamesDeclared() {
#define DECLARED(name) static_cast<std::size_t>(sizeof(&(name)) != 0) +
  return
#include "declared_names.inc"
      0U;
#undef DECLARED
}

extern "C" {

aclError aclrtLaunchCallback(aclrtCallback fn, void* userData, aclrtCallbackBlockType blockType,
                             aclrtStream stream) {
  if (fn == nullptr || stream == nullptr) return ACL_ERROR_INVALID_PARAM;
  if (blockType == ACL_CALLBACK_BLOCK) fn(userData);
  return ACL_SUCCESS;
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status) {
  *status = stream == nullptr ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
  return ACL_SUCCESS;
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
  return stream == event ? ACL_ERROR_INVALID_PARAM : ACL_SUCCESS;
}

aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t* value) {
  *value = attr == ACL_DEV_ATTR_VECTOR_CORE_NUM ? 40 : 0;
  return deviceId == 0 ? ACL_SUCCESS : ACL_ERROR_INVALID_DEVICE;
}

aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode) {
  return stream == nullptr && mode == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL ? ACL_ERROR_INVALID_PARAM
                                                                       : ACL_SUCCESS;
}

aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI* modelRI) {
  *modelRI = stream;
  return ACL_SUCCESS;
}

aclError aclmdlRIAddCondTask(aclmdlRICondTaskParams params, aclrtStream stream, uint32_t flags) {
  return params.type == ACL_MODEL_RI_COND_TYPE_IF && params.size == flags && stream != nullptr
             ? ACL_SUCCESS
             : ACL_ERROR_FEATURE_UNSUPPORTED;
}

aclError aclrtMallocPhysical(aclrtDrvMemHandle* handle, size_t size,
                             const aclrtPhysicalMemProp* prop, uint64_t flags) {
  *handle = nullptr;
  return prop->memAttr == ACL_HBM_MEM_HUGE && size == flags ? ACL_SUCCESS : ACL_ERROR_BAD_ALLOC;
}

aclrtStreamConfigHandle* aclrtCreateStreamConfigHandle(void) {
  static aclrtStreamConfigHandle handle = {nullptr, 0, ACL_STREAM_FAST_LAUNCH, 0};
  return &handle;
}

}  // extern "C"
