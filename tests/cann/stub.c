// SPDX-License-Identifier: Apache-2.0
//
// A library with the symbols of a toolkit and nothing behind them, as its folder devlib has: every
// function answers STUB_STATUS, pointers are null. STUB_TALKS: like a runtime that meets no driver,
// it says why. STUB_OPERATOR: a custom package, of one operator and without a kernel.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define STUB(name) \
  int name(void) { return STUB_STATUS; }

#ifdef STUB_OPERATOR
STUB(aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize)
STUB(aclnnMaxPool3dWithArgmaxBackward)
#else

#ifdef STUB_NEEDS_HAL
int drvGetDevNum(unsigned* count);
int aclInit(const char* path) {
  unsigned count;
  (void)path;
  return drvGetDevNum(&count);
}
#else
int aclInit(const char* path) {
  (void)path;
#ifdef STUB_TALKS
  printf(
      "[INFO] RUNTIME: starts\n[ERROR] DRV: drvGetDevNum failed, ret=87\n[INFO] RUNTIME: ends\n");
  return 0;
#else
  return STUB_STATUS;
#endif
}
#endif

#ifdef STUB_TALKS
const char* aclGetRecentErrMsg(void) {
  return "EL0001: the driver does not answer.\n  Solution: ...";
}
#elif STUB_STATUS != 0
// A stub returns its status whatever the type.
const char* aclGetRecentErrMsg(void) { return (const char*)(uintptr_t)STUB_STATUS; }
#else
const char* aclGetRecentErrMsg(void) { return NULL; }
#endif

STUB(aclFinalize)
STUB(aclrtGetDeviceCount)
STUB(aclrtSetDevice)
STUB(aclrtResetDevice)
STUB(aclrtMalloc)
STUB(aclrtFree)
STUB(aclrtMemcpy)
STUB(aclrtCreateStream)
STUB(aclrtDestroyStream)
STUB(aclrtSynchronizeStream)
STUB(aclDestroyTensor)
STUB(aclDestroyIntArray)
STUB(aclnnAdaptiveMaxPool2dBackwardGetWorkspaceSize)
STUB(aclnnAdaptiveMaxPool2dBackward)
void* aclCreateTensor(void) { return NULL; }
void* aclCreateIntArray(void) { return NULL; }
const char* aclrtGetSocName(void) { return NULL; }
#endif
