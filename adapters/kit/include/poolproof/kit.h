/* SPDX-License-Identifier: Apache-2.0
 *
 * The adapter kit: functions on plain memory become a shared library with the aclnn ABI. The kit
 * has the rest: memory, streams, descriptors, two phases, error texts. For C, C++ and CUDA.
 *
 *   static const char* Backward(const PoolproofCall* call) { ... }
 *   POOLPROOF_OFFER(Operator, Backward)   // its name in the ABI behind aclnn
 *
 * The library exports the operators that are offered, and no others. */
#ifndef POOLPROOF_KIT_H_
#define POOLPROOF_KIT_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers of aclDataType. */
typedef enum PoolproofType {
  POOLPROOF_F32 = 0,
  POOLPROOF_F16 = 1,
  POOLPROOF_I32 = 3,
  POOLPROOF_I64 = 9,
  POOLPROOF_F64 = 11,
  POOLPROOF_BF16 = 27
} PoolproofType;

/* Element [n,c,d,h,w] is n*strides[0] + ... + w*strides[4] elements behind data. What the call
 * lacks (N, or D of a 2-d operator) has extent 1. Strides of inputs may be 0 or negative. */
typedef struct PoolproofTensor {
  void* data; /* null: the operator has no such operand */
  PoolproofType type;
  int64_t shape[5];   /* N, C, D, H, W */
  int64_t strides[5]; /* in elements */
} PoolproofTensor;

typedef struct PoolproofCall {
  /* Of a backward: writes all of grad_input. */
  PoolproofTensor grad_output, grad_input;
  /* Of a forward: writes all of out and of indices, which a backward reads. */
  PoolproofTensor self, out, indices;
  /* Of D, H, W; of adaptive operators all kernels are 0, and shapes say the rest. */
  int64_t kernel[3], stride[3], padding[3], dilation[3];
  int ceil_mode;
  int deterministic; /* the option that the caller set: the same bits each time */
  int rank;          /* of the tensors as they were passed: 3, 4 or 5 */
  void* queue;       /* what open_queue gave for the stream of the call; else null */
} PoolproofCall;

/* Null: done, or left on the queue. Else why not: a literal, or what poolproof_fail gives; the
 * stream then fails with it. Calls of several streams come at the same time, each from a thread of
 * its own. */
typedef const char* (*PoolproofFunction)(const PoolproofCall* call);

/* Memory that is not the host's. Texts as above. */
typedef struct PoolproofDevice {
  const char* (*open)(void); /* may be null: before anything else */
  /* Allocate gives null where there is no memory, and addresses that are multiples of 64. Copy goes
   * in any direction, and has ended when it returns; null: the host reaches this memory too. */
  void* (*allocate)(size_t bytes);
  void (*release)(void* memory);
  const char* (*copy)(void* to, const void* from, size_t bytes);
  /* May be null. A queue (a stream of the device) for each stream; finish waits for its work and
   * says what went wrong in it. */
  void* (*open_queue)(void);
  void (*close_queue)(void* queue);
  const char* (*finish_queue)(void* queue);
} PoolproofDevice;

/* Once per operator, outside of functions. */
#define POOLPROOF_OFFER(Operator, function)                                                       \
  POOLPROOF_C_ void poolproof_one_##Operator(void) __asm__("aclnn" #Operator "GetWorkspaceSize"); \
  POOLPROOF_C_ void poolproof_two_##Operator(void) __asm__("aclnn" #Operator);                    \
  __attribute__((constructor)) static void poolproof_offer_##Operator(void) {                     \
    poolproof_offer(#Operator, function, poolproof_one_##Operator, poolproof_two_##Operator);     \
  }

/* Once, where the memory is not the host's. */
#define POOLPROOF_DEVICE(...)                                                \
  __attribute__((constructor)) static void poolproof_register_device(void) { \
    static const PoolproofDevice device = {__VA_ARGS__};                     \
    poolproof_use_device(&device);                                           \
  }

/* Once, where calls that the documents forbid (platforms, types, formats, limits) must be refused
 * by the kit. Without it they reach the functions, and a manifest says "refusals": "none". */
#define POOLPROOF_CHECK_DOCUMENTS                                            \
  __attribute__((constructor)) static void poolproof_register_checks(void) { \
    poolproof_check_documents();                                             \
  }

/* The text, kept until the thread fails again; status is an aclError, 0 represents 507015. */
const char* poolproof_fail(int status, const char* text);

/* For kernels that are written to be read: element `i` of plane [n,c], D, H and W in row-major
 * order, of memory of the host. Values of f16 and bf16 are rounded to nearest. */
double poolproof_get(const PoolproofTensor* tensor, int64_t n, int64_t c, int64_t i);
void poolproof_put(const PoolproofTensor* tensor, int64_t n, int64_t c, int64_t i, double value);
/* The elements of a plane. */
int64_t poolproof_plane(const PoolproofTensor* tensor);

/* What the macros call. */
void poolproof_offer(const char* name, PoolproofFunction function, void (*phase_one)(void),
                     void (*phase_two)(void));
void poolproof_use_device(const PoolproofDevice* device);
void poolproof_check_documents(void);

#ifdef __cplusplus
}
#define POOLPROOF_C_ extern "C"
#else
#define POOLPROOF_C_
#endif

#endif /* POOLPROOF_KIT_H_ */
