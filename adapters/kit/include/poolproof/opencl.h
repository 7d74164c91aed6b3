/* SPDX-License-Identifier: Apache-2.0
 *
 * For adapters around OpenCL kernels, in C++: memory and queues of the first device (shared virtual
 * memory, OpenCL 2.0), and the launch of a kernel. Included once, by a source that has
 *
 *   POOLPROOF_OPENCL(source)   // of the kernels: a const char*
 */
#ifndef POOLPROOF_OPENCL_H_
#define POOLPROOF_OPENCL_H_

#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#include <poolproof/kit.h>

#include <initializer_list>
#include <string>

/* The code in front of the kernels: a tensor beside its data. Its type is 3 for int, 9 for long. */
static const char* const kPoolproofClTypes = R"(
typedef struct { ulong data; int type; int unused; long shape[5]; long strides[5]; } Tensor;
typedef struct { long kernel_size[3]; long stride[3]; long padding[3]; long dilation[3]; } Window;
)";

static cl_device_id poolproof_cl_device;
static cl_context poolproof_cl_context;
static cl_program poolproof_cl_program;
static cl_command_queue poolproof_cl_copies;

static inline const char* PoolproofClWhy(const char* what, cl_int error) {
  if (error == CL_SUCCESS) return nullptr;
  return poolproof_fail(0, (std::string(what) + ": OpenCL error " + std::to_string(error)).c_str());
}

static inline const char* PoolproofClOpen(const char* kernels) {
  if (poolproof_cl_program != nullptr) return nullptr;
  cl_platform_id platform = nullptr;
  cl_int error = clGetPlatformIDs(1, &platform, nullptr);
  if (const char* why = PoolproofClWhy("no OpenCL platform", error)) return why;
  error = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &poolproof_cl_device, nullptr);
  if (const char* why = PoolproofClWhy("no OpenCL device", error)) return why;
  poolproof_cl_context =
      clCreateContext(nullptr, 1, &poolproof_cl_device, nullptr, nullptr, &error);
  if (error == CL_SUCCESS) {
    poolproof_cl_copies = clCreateCommandQueueWithProperties(poolproof_cl_context,
                                                             poolproof_cl_device, nullptr, &error);
  }
  const char* sources[] = {kPoolproofClTypes, kernels};
  cl_program program = nullptr;
  if (error == CL_SUCCESS) {
    program = clCreateProgramWithSource(poolproof_cl_context, 2, sources, nullptr, &error);
  }
  if (error == CL_SUCCESS) {
    error = clBuildProgram(program, 1, &poolproof_cl_device, "-cl-std=CL2.0", nullptr, nullptr);
  }
  if (error == CL_SUCCESS) poolproof_cl_program = program;
  return PoolproofClWhy("the device cannot be opened, or the kernels do not compile", error);
}

static inline void* PoolproofClAllocate(size_t bytes) {
  return clSVMAlloc(poolproof_cl_context, CL_MEM_READ_WRITE, bytes, 64);
}
static inline void PoolproofClRelease(void* memory) { clSVMFree(poolproof_cl_context, memory); }
static inline const char* PoolproofClCopy(void* to, const void* from, size_t bytes) {
  return PoolproofClWhy("copy", clEnqueueSVMMemcpy(poolproof_cl_copies, CL_TRUE, to, from, bytes, 0,
                                                   nullptr, nullptr));
}
static inline void* PoolproofClOpenQueue() {
  return clCreateCommandQueueWithProperties(poolproof_cl_context, poolproof_cl_device, nullptr,
                                            nullptr);
}
static inline void PoolproofClCloseQueue(void* queue) {
  clReleaseCommandQueue(static_cast<cl_command_queue>(queue));
}
static inline const char* PoolproofClFinishQueue(void* queue) {
  return PoolproofClWhy("finish", clFinish(static_cast<cl_command_queue>(queue)));
}

#define POOLPROOF_OPENCL(source)                                                   \
  static const char* PoolproofClOpenSource() { return PoolproofClOpen(source); }   \
  POOLPROOF_DEVICE(PoolproofClOpenSource, PoolproofClAllocate, PoolproofClRelease, \
                   PoolproofClCopy, PoolproofClOpenQueue, PoolproofClCloseQueue,   \
                   PoolproofClFinishQueue)

/* Leaves a kernel on the queue of the call, `items` for each plane of grad_input: item (plane, i),
 * groups of one. Its arguments: for each tensor its data and a Tensor, and a Window. */
static inline const char* PoolproofClRun(const PoolproofCall* call, const char* name,
                                         std::initializer_list<const PoolproofTensor*> tensors,
                                         int64_t items) {
  cl_int error = CL_SUCCESS;
  cl_kernel kernel = clCreateKernel(poolproof_cl_program, name, &error);
  if (error != CL_SUCCESS) return PoolproofClWhy(name, error);
  cl_uint argument = 0;
  for (const PoolproofTensor* tensor : tensors) {
    if (error == CL_SUCCESS) error = clSetKernelArgSVMPointer(kernel, argument++, tensor->data);
    if (error == CL_SUCCESS) error = clSetKernelArg(kernel, argument++, sizeof *tensor, tensor);
  }
  /* The four lists lie behind one another. */
  if (error == CL_SUCCESS)
    error = clSetKernelArg(kernel, argument, 4 * sizeof call->kernel, call->kernel);
  const size_t sizes[] = {
      static_cast<size_t>(call->grad_input.shape[0] * call->grad_input.shape[1]),
      static_cast<size_t>(items)};
  const size_t groups[] = {1, 1};
  if (error == CL_SUCCESS && sizes[0] * sizes[1] != 0) {
    error = clEnqueueNDRangeKernel(static_cast<cl_command_queue>(call->queue), kernel, 2, nullptr,
                                   sizes, groups, 0, nullptr, nullptr);
  }
  clReleaseKernel(kernel);
  return PoolproofClWhy(name, error);
}

#endif /* POOLPROOF_OPENCL_H_ */
