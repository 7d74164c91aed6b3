// SPDX-License-Identifier: Apache-2.0
//
// Allocators that a caller registers for a stream, as CANN's header of the same name declares them;
// the host libraries define none of these functions. C11 and C++11.
#ifndef POOLPROOF_INCLUDE_ACL_ACL_RT_ALLOCATOR_H_
#define POOLPROOF_INCLUDE_ACL_ACL_RT_ALLOCATOR_H_

#include "acl/acl_base.h"

#if defined(__cplusplus)
extern "C" {
#endif

typedef void* (*aclrtAllocatorAllocFunc)(aclrtAllocator allocator, size_t size);
typedef void (*aclrtAllocatorFreeFunc)(aclrtAllocator allocator, aclrtAllocatorBlock block);
typedef void* (*aclrtAllocatorAllocAdviseFunc)(aclrtAllocator allocator, size_t size,
                                               aclrtAllocatorAddr addr);
typedef void* (*aclrtAllocatorGetAddrFromBlockFunc)(aclrtAllocatorBlock block);

POOLPROOF_ACL_DECLARED aclrtAllocatorDesc aclrtAllocatorCreateDesc(void);
POOLPROOF_ACL_DECLARED aclError aclrtAllocatorDestroyDesc(aclrtAllocatorDesc allocatorDesc);
POOLPROOF_ACL_DECLARED aclError aclrtAllocatorSetObjToDesc(aclrtAllocatorDesc allocatorDesc,
                                                           aclrtAllocator allocator);
POOLPROOF_ACL_DECLARED aclError aclrtAllocatorSetAllocFuncToDesc(aclrtAllocatorDesc allocatorDesc,
                                                                 aclrtAllocatorAllocFunc func);
POOLPROOF_ACL_DECLARED aclError aclrtAllocatorSetFreeFuncToDesc(aclrtAllocatorDesc allocatorDesc,
                                                                aclrtAllocatorFreeFunc func);
POOLPROOF_ACL_DECLARED aclError aclrtAllocatorSetAllocAdviseFuncToDesc(
    aclrtAllocatorDesc allocatorDesc, aclrtAllocatorAllocAdviseFunc func);
POOLPROOF_ACL_DECLARED aclError aclrtAllocatorSetGetAddrFromBlockFuncToDesc(
    aclrtAllocatorDesc allocatorDesc, aclrtAllocatorGetAddrFromBlockFunc func);
POOLPROOF_ACL_DECLARED aclError aclrtAllocatorRegister(aclrtStream stream,
                                                       aclrtAllocatorDesc allocatorDesc);
POOLPROOF_ACL_DECLARED aclError aclrtAllocatorGetByStream(
    aclrtStream stream, aclrtAllocatorDesc* allocatorDesc, aclrtAllocator* allocator,
    aclrtAllocatorAllocFunc* allocFunc, aclrtAllocatorFreeFunc* freeFunc,
    aclrtAllocatorAllocAdviseFunc* allocAdviseFunc,
    aclrtAllocatorGetAddrFromBlockFunc* getAddrFromBlockFunc);
POOLPROOF_ACL_DECLARED aclError aclrtAllocatorUnregister(aclrtStream stream);

#if defined(__cplusplus)
}
#endif

#endif  // POOLPROOF_INCLUDE_ACL_ACL_RT_ALLOCATOR_H_
