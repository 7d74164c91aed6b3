#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The templates with a device, each with a kernel filled in: CUDA is compiled where nvcc is, OpenCL built and judged where
there are headers, a loader and a device."""

import pathlib
import re
import shutil
import unittest

from adapter import AdapterTest

CUDA = """
  const int64_t plane = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (plane >= grad_input.shape[0] * grad_input.shape[1]) return;
  const auto place = [plane](const PoolproofTensor& t, int64_t i) {
    return plane / t.shape[1] * t.strides[0] + plane % t.shape[1] * t.strides[1] +
           i / t.shape[4] / t.shape[3] * t.strides[2] + i / t.shape[4] % t.shape[3] * t.strides[3] +
           i % t.shape[4] * t.strides[4];
  };
  auto* to = static_cast<float*>(grad_input.data);
  const int64_t size = grad_input.shape[2] * grad_input.shape[3] * grad_input.shape[4];
  for (int64_t i = 0; i < size; ++i) to[place(grad_input, i)] = 0;
  for (int64_t i = 0; i < grad_output.shape[2] * grad_output.shape[3] * grad_output.shape[4]; ++i) {
    const int64_t at = place(indices, i);
    const int64_t index = indices.type == POOLPROOF_I64 ? static_cast<const int64_t*>(indices.data)[at]
                                                        : static_cast<const int32_t*>(indices.data)[at];
    if (index < 0 || index >= size) continue;
    to[place(grad_input, index)] += static_cast<const float*>(grad_output.data)[place(grad_output, i)];
  }
"""
OPENCL = """
  const long plane = get_global_id(0);
  const long size = to.shape[2] * to.shape[3] * to.shape[4];
#define PLACE(t, i) (plane / t.shape[1] * t.strides[0] + plane % t.shape[1] * t.strides[1] + \\
                     (i) / t.shape[4] / t.shape[3] * t.strides[2] + (i) / t.shape[4] % t.shape[3] * t.strides[3] + \\
                     (i) % t.shape[4] * t.strides[4])
  for (long i = 0; i < size; ++i) grad_input[PLACE(to, i)] = 0;
  for (long i = 0; i < from.shape[2] * from.shape[3] * from.shape[4]; ++i) {
    const long at = PLACE(index, i);
    const long named = index.type == 9 ? ((global const long*)indices)[at] : ((global const int*)indices)[at];
    if (named < 0 || named >= size) continue;
    grad_input[PLACE(to, named)] += grad_output[PLACE(from, i)];
  }
"""
MARK = "  // <- your kernel\n"


class Device(AdapterTest):
    def fill_in(self, language, extension, kernel):
        self.assertEqual(self.program("adapter", "new", "mine", "--language", language).returncode, 0)
        source = self.folder / f"mine/mine.{extension}"
        text = source.read_text()
        self.assertEqual(text.count(MARK), 1)
        source.write_text(text.replace(MARK, kernel))

    @unittest.skipUnless(shutil.which("nvcc"), "there is no nvcc: the CUDA template is not compiled")
    def test_cuda_compiles(self):
        self.fill_in("cuda", "cu", CUDA)
        self.build("mine")
        self.assertTrue((self.folder / "mine/build/libmine.so").exists())

    @unittest.skipUnless(pathlib.Path("/usr/include/CL/cl.h").exists(), "there is no CL/cl.h: the OpenCL template is not built")
    def test_opencl(self):
        self.fill_in("opencl", "cpp", OPENCL)
        self.build("mine")
        result = self.program("run", "--implementation", "mine/mine.json", "--set", "smoke", "--jobs", "2")
        if re.search(r"no OpenCL platform|OpenCL error -1\b", result.stderr):
            self.skipTest("there is no OpenCL device: the OpenCL template was built and not judged")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("CONFORMANT within its declared capabilities", result.stdout)

    @unittest.skipUnless(pathlib.Path("/usr/include/CL/cl.h").exists(), "there is no CL/cl.h: the OpenCL template is not built")
    def test_opencl_kernel_that_does_not_compile(self):
        self.fill_in("opencl", "cpp", "  this is no kernel\n")
        self.build("mine")
        result = self.program("run", "--implementation", "mine/mine.json", "--set", "smoke")
        self.assertEqual(result.returncode, 3)
        self.assertIn("OpenCL error", result.stderr)


if __name__ == "__main__":
    unittest.main()
