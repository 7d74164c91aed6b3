// SPDX-License-Identifier: Apache-2.0
//
// Start and end, device, contexts, options, streams, events, memory, messages, descriptors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "tests/runtime/support/calls.h"
#include "tests/runtime/support/device_array.h"

namespace poolproof {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

class Runtime : public testing::TestWithParam<const char*> {
 protected:
  AbiLibrary library_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(, Runtime,
                         testing::Values(POOLPROOF_REFERENCE_LIBRARY, POOLPROOF_OPTIMIZED_LIBRARY),
                         [](const auto& test) {
                           return test.index == 0 ? "Reference" : "Optimized";
                         });

TEST_P(Runtime, InitIsCounted) {
  EXPECT_EQ(library_.aclInit(nullptr), 0);
  EXPECT_EQ(library_.aclInit(nullptr), 100002);
  std::uint64_t left = 77;
  EXPECT_EQ(library_.aclFinalizeReference(&left), 0);
  EXPECT_EQ(left, 1U);
  EXPECT_EQ(library_.aclFinalize(), 0);
  EXPECT_EQ(library_.aclFinalize(), 100037);
  EXPECT_NE(library_.Message(), "");
  EXPECT_EQ(library_.aclInit(nullptr), 0);
  EXPECT_EQ(library_.aclFinalize(), 0);
  EXPECT_EQ(library_.aclnnInit(nullptr), 0);
  EXPECT_EQ(library_.aclnnFinalize(), 0);
}

TEST_P(Runtime, Versions) {
  std::int32_t major = 0;
  std::int32_t minor = 0;
  std::int32_t patch = -1;
  EXPECT_EQ(library_.aclrtGetVersion(&major, &minor, &patch), 0);
  EXPECT_EQ(major, ACL_MAJOR_VERSION);
  EXPECT_EQ(library_.aclrtGetVersion(nullptr, &minor, &patch), 100000);
}

TEST_P(Runtime, MessagesBelongToTheThreadAndAreReadOnce) {
  static_cast<void>(library_.Message());
  EXPECT_EQ(library_.aclGetRecentErrMsg(), nullptr);
  EXPECT_EQ(library_.aclrtSetDevice(5), 107001);
  std::thread([this] { EXPECT_EQ(library_.aclGetRecentErrMsg(), nullptr); }).join();
  const char* text = library_.aclGetRecentErrMsg();
  ASSERT_NE(text, nullptr);
  EXPECT_THAT(text, HasSubstr("aclrtSetDevice: deviceId is 5, expected 0"));
  EXPECT_EQ(library_.aclGetRecentErrMsg(), nullptr);
}

TEST_P(Runtime, SocNameComesFromTheEnvironment) {
  EXPECT_STREQ(library_.aclrtGetSocName(), "Ascend910B3");
  const SocScope scope("Ascend950PR_9599");
  EXPECT_STREQ(library_.aclrtGetSocName(), "Ascend950PR_9599");
}

TEST_P(Runtime, DevicesAreCountedPerProcessAndCurrentPerThread) {
  std::uint32_t count = 0;
  EXPECT_EQ(library_.aclrtGetDeviceCount(&count), 0);
  EXPECT_EQ(count, 1U);
  std::int32_t device = -1;
  EXPECT_EQ(library_.aclrtGetDevice(&device), 107002);
  EXPECT_EQ(library_.aclrtSetDevice(0), 0);
  EXPECT_EQ(library_.aclrtSetDevice(0), 0);
  EXPECT_EQ(library_.aclrtGetDevice(&device), 0);
  EXPECT_EQ(device, 0);
  std::thread([this] {
    std::int32_t other = -1;
    EXPECT_EQ(library_.aclrtGetDevice(&other), 107002);
  }).join();
  EXPECT_EQ(library_.aclrtResetDevice(0), 0);
  EXPECT_EQ(library_.aclrtGetDevice(&device), 0);
  EXPECT_EQ(library_.aclrtResetDevice(0), 0);
  EXPECT_EQ(library_.aclrtGetDevice(&device), 107002);
  EXPECT_EQ(library_.aclrtResetDevice(1), 107001);
  EXPECT_EQ(library_.aclrtResetDeviceForce(0), 0);
  aclrtRunMode mode = ACL_DEVICE;
  EXPECT_EQ(library_.aclrtGetRunMode(&mode), 0);
  EXPECT_EQ(mode, ACL_HOST);
}

TEST_P(Runtime, ContextsCarryTheirOwnOptions) {
  aclrtContext first = nullptr;
  aclrtContext second = nullptr;
  ASSERT_EQ(library_.aclrtCreateContext(&first, 0), 0);
  ASSERT_EQ(library_.aclrtCreateContext(&second, 0), 0);
  aclrtContext current = nullptr;
  EXPECT_EQ(library_.aclrtGetCurrentContext(&current), 0);
  EXPECT_EQ(current, second);
  std::int64_t value = -1;
  EXPECT_EQ(library_.aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), 107021);
  EXPECT_EQ(library_.aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1), 0);
  EXPECT_EQ(library_.aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), 0);
  EXPECT_EQ(value, 1);
  EXPECT_EQ(library_.aclrtSetCurrentContext(first), 0);
  EXPECT_EQ(library_.aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), 107021);
  EXPECT_EQ(library_.aclrtDestroyContext(first), 0);
  EXPECT_EQ(library_.aclrtDestroyContext(first), 107002);
  EXPECT_EQ(library_.aclrtGetCurrentContext(&current), 107002);
  EXPECT_EQ(library_.aclrtSetCurrentContext(first), 107002);
  EXPECT_EQ(library_.aclrtDestroyContext(second), 0);
}

TEST_P(Runtime, ProcessOptions) {
  std::int64_t value = -1;
  EXPECT_EQ(library_.aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), 0);
  EXPECT_EQ(value, 0);
  EXPECT_EQ(library_.aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1), 0);
  EXPECT_EQ(library_.aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), 0);
  EXPECT_EQ(value, 1);
  const auto unknown = static_cast<aclSysParamOpt>(99);
  EXPECT_EQ(library_.aclrtSetSysParamOpt(unknown, 1), 100000);
  EXPECT_EQ(library_.aclrtCtxSetSysParamOpt(unknown, 1), 100000);
  EXPECT_EQ(library_.aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, nullptr), 100000);
}

TEST_P(Runtime, MemoryIsAlignedPaddedAndZero) {
  for (const std::size_t size : {1UL, 4UL, 31UL, 32UL, 33UL, 64UL, 100000UL}) {
    void* memory = nullptr;
    ASSERT_EQ(library_.aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 64, 0U);
    const std::size_t padded = (size + 31) / 32 * 32 + 32;
    const std::vector<unsigned char> bytes(static_cast<unsigned char*>(memory),
                                           static_cast<unsigned char*>(memory) + padded);
    EXPECT_THAT(bytes, Each(0));
    EXPECT_EQ(library_.aclrtFree(memory), 0);
  }
  for (const auto allocate : {library_.aclrtMallocAlign32, library_.aclrtMallocCached}) {
    void* memory = nullptr;
    ASSERT_EQ(allocate(&memory, 8, ACL_MEM_MALLOC_NORMAL_ONLY), 0);
    EXPECT_EQ(library_.aclrtFree(memory), 0);
  }
}

TEST_P(Runtime, MemoryErrors) {
  void* memory = nullptr;
  EXPECT_EQ(library_.aclrtMalloc(nullptr, 8, ACL_MEM_MALLOC_HUGE_FIRST), 100000);
  EXPECT_EQ(library_.aclrtMalloc(&memory, 0, ACL_MEM_MALLOC_HUGE_FIRST), 100000);
  for (const std::size_t size : {SIZE_MAX, SIZE_MAX - 64, SIZE_MAX / 2}) {
    EXPECT_EQ(library_.aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST), 207001);
  }
  EXPECT_EQ(memory, nullptr);
  EXPECT_EQ(library_.aclrtFree(nullptr), 100000);
  int local = 0;
  EXPECT_EQ(library_.aclrtFree(&local), 107000);
  ASSERT_EQ(library_.aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST), 0);
  EXPECT_EQ(library_.aclrtFree(static_cast<char*>(memory) + 8), 107000);
  EXPECT_EQ(library_.aclrtFreeHost(memory), 107000);
  EXPECT_EQ(library_.aclrtFree(memory), 0);
  EXPECT_EQ(library_.aclrtFree(memory), 107000);
  EXPECT_THAT(library_.Message(), HasSubstr("devPtr"));
  ASSERT_EQ(library_.aclrtMallocHost(&memory, 10), 0);
  EXPECT_EQ(library_.aclrtFreeHost(memory), 0);
  std::size_t free = 0;
  std::size_t total = 0;
  EXPECT_EQ(library_.aclrtGetMemInfo(ACL_HBM_MEM, &free, &total), 0);
  EXPECT_GT(total, free);
}

TEST_P(Runtime, CopiesAndFills) {
  const std::array<int, 4> host = {1, 2, 3, 4};
  const DeviceArray<int> device(library_, {0, 0, 0, 0});
  const auto copy = [&](void* dst, std::size_t max, const void* src, std::size_t count, int kind) {
    return library_.aclrtMemcpy(dst, max, src, count, static_cast<aclrtMemcpyKind>(kind));
  };
  for (const int kind : {0, 1, 2, 3, 4, 5}) {
    EXPECT_EQ(copy(device.data(), 16, host.data(), 16, kind), 0);
  }
  EXPECT_THAT(device.Read(), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(copy(nullptr, 0, nullptr, 0, 99), 0);
  EXPECT_EQ(copy(nullptr, 16, host.data(), 16, 1), 100000);
  EXPECT_EQ(copy(device.data(), 16, nullptr, 16, 1), 100000);
  EXPECT_EQ(copy(device.data(), 16, host.data(), 16, 6), 100000);
  EXPECT_EQ(copy(device.data(), 16, host.data(), 16, -1), 100000);
  EXPECT_EQ(copy(device.data(), 15, host.data(), 16, 1), 107000);
  EXPECT_THAT(library_.Message(), HasSubstr("destMax"));
  EXPECT_EQ(copy(device.data(), 1000, host.data(), 1000, 1), 107000);  // past our own memory
  EXPECT_EQ(library_.aclrtMemset(device.data(), 16, 1, 4), 0);
  EXPECT_THAT(device.Read(), ElementsAre(0x01010101, 2, 3, 4));
  EXPECT_EQ(library_.aclrtMemset(nullptr, 0, 0, 0), 0);
  EXPECT_EQ(library_.aclrtMemset(nullptr, 16, 0, 4), 100000);
  EXPECT_EQ(library_.aclrtMemset(device.data(), 4, 0, 16), 107000);
}

TEST_P(Runtime, AsynchronousCopiesRunInOrder) {
  aclrtStream stream = nullptr;
  ASSERT_EQ(library_.aclrtCreateStreamWithConfig(&stream, 0, 0), 0);
  const DeviceArray<int> first(library_, {7, 8});
  const DeviceArray<int> second(library_, {0, 0});
  EXPECT_EQ(library_.aclrtMemsetAsync(first.data(), 8, 2, 4, stream), 0);
  EXPECT_EQ(library_.aclrtMemcpyAsync(second.data(), 8, first.data(), 8,
                                      ACL_MEMCPY_DEVICE_TO_DEVICE, stream),
            0);
  EXPECT_EQ(
      library_.aclrtMemcpyAsync(second.data(), 8, first.data(), 8, ACL_MEMCPY_HOST_TO_HOST, stream),
      207000);
  EXPECT_EQ(library_.aclrtSynchronizeStream(stream), 0);
  EXPECT_THAT(second.Read(), ElementsAre(0x02020202, 8));
  EXPECT_EQ(library_.aclrtDestroyStream(stream), 0);
  EXPECT_EQ(library_.aclrtMemsetAsync(first.data(), 8, 0, 4, stream), 107017);
}

// Enough work that it is still running when its queueing call has returned.
class Busy {
 public:
  explicit Busy(const AbiLibrary& library)
      : library_(library), memory_(library, std::vector<char>(kSize, 'x')) {}
  void Queue(aclrtStream stream, int rounds) const {
    for (int i = 0; i < rounds; ++i) {
      EXPECT_EQ(library_.aclrtMemsetAsync(memory_.data(), kSize, i, kSize, stream), 0);
    }
  }

 private:
  static constexpr std::size_t kSize = std::size_t{1} << 24;
  const AbiLibrary& library_;
  DeviceArray<char> memory_;
};

TEST_P(Runtime, StreamsWorkBesideTheCaller) {
  aclrtStream stream = nullptr;
  ASSERT_EQ(library_.aclrtCreateStream(&stream), 0);
  const Busy busy(library_);
  bool was_running = false;
  for (int attempt = 0; attempt < 10 && !was_running; ++attempt) {
    busy.Queue(stream, 50);
    was_running = library_.aclrtSynchronizeStreamWithTimeout(stream, 0) == 507046;
    EXPECT_EQ(library_.aclrtSynchronizeStreamWithTimeout(stream, -1), 0);
  }
  EXPECT_TRUE(was_running);
  EXPECT_EQ(library_.aclrtSynchronizeStreamWithTimeout(stream, -2), 107000);
  EXPECT_EQ(library_.aclrtSynchronizeStreamWithTimeout(stream, 60000), 0);
  EXPECT_EQ(library_.aclrtSynchronizeDevice(), 0);
  EXPECT_EQ(library_.aclrtSynchronizeDeviceWithTimeout(1000), 0);
  EXPECT_EQ(library_.aclrtDestroyStream(stream), 0);
  EXPECT_EQ(library_.aclrtSynchronizeStream(stream), 107017);
  EXPECT_EQ(library_.aclrtDestroyStream(stream), 107017);
  EXPECT_EQ(library_.aclrtCreateStream(nullptr), 100000);
}

TEST_P(Runtime, DestroyingAStreamFinishesItsWorkUnlessForced) {
  const Busy busy(library_);
  const DeviceArray<int> mark(library_, {0});
  aclrtStream stream = nullptr;
  ASSERT_EQ(library_.aclrtCreateStream(&stream), 0);
  busy.Queue(stream, 5);
  ASSERT_EQ(library_.aclrtMemsetAsync(mark.data(), 4, 1, 4, stream), 0);
  EXPECT_EQ(library_.aclrtDestroyStream(stream), 0);
  EXPECT_THAT(mark.Read(), ElementsAre(0x01010101));

  aclrtEvent event = nullptr;
  ASSERT_EQ(library_.aclrtCreateEvent(&event), 0);
  ASSERT_EQ(library_.aclrtCreateStream(&stream), 0);
  busy.Queue(stream, 20);
  ASSERT_EQ(library_.aclrtRecordEvent(event, stream), 0);
  EXPECT_EQ(library_.aclrtDestroyStreamForce(stream), 0);
  EXPECT_EQ(library_.aclrtSynchronizeEvent(event), 0);  // a dropped point holds no stream up
  EXPECT_EQ(library_.aclrtDestroyEvent(event), 0);
}

TEST_P(Runtime, EventsMarkPointsInStreams) {
  aclrtStream stream = nullptr;
  aclrtEvent start = nullptr;
  aclrtEvent end = nullptr;
  ASSERT_EQ(library_.aclrtCreateStream(&stream), 0);
  ASSERT_EQ(library_.aclrtCreateEvent(&start), 0);
  ASSERT_EQ(library_.aclrtCreateEvent(&end), 0);
  float ms = -1;
  EXPECT_EQ(library_.aclrtEventElapsedTime(&ms, start, end), 107000);
  const Busy busy(library_);
  ASSERT_EQ(library_.aclrtRecordEvent(start, stream), 0);
  busy.Queue(stream, 3);
  ASSERT_EQ(library_.aclrtRecordEvent(end, stream), 0);
  EXPECT_EQ(library_.aclrtSynchronizeEvent(end), 0);
  EXPECT_EQ(library_.aclrtEventElapsedTime(&ms, start, end), 0);
  EXPECT_GT(ms, 0);
  EXPECT_EQ(library_.aclrtDestroyEvent(start), 0);
  EXPECT_EQ(library_.aclrtDestroyEvent(start), 107017);
  EXPECT_EQ(library_.aclrtRecordEvent(start, stream), 107017);
  EXPECT_EQ(library_.aclrtSynchronizeEvent(start), 107017);
  EXPECT_EQ(library_.aclrtDestroyEvent(end), 0);
  EXPECT_EQ(library_.aclrtDestroyStream(stream), 0);
}

TEST_P(Runtime, TensorsTellWhatTheyWereGiven) {
  const Dims shape = {6, 5};
  const Dims strides = {10, 1};
  const Dims storage = {10, 10};
  int data = 0;
  aclTensor* tensor = library_.aclCreateTensor(shape.data(), 2, ACL_BF16, strides.data(), 22,
                                               ACL_FORMAT_NCHW, storage.data(), 2, &data);
  ASSERT_NE(tensor, nullptr);
  const auto dims = [&](auto get) {
    std::int64_t* values = nullptr;
    std::uint64_t count = 0;
    EXPECT_EQ(get(tensor, &values, &count), 0);
    const std::unique_ptr<std::int64_t[]> owner(values);
    return Dims(values, values + count);
  };
  EXPECT_EQ(dims(library_.aclGetViewShape), shape);
  EXPECT_EQ(dims(library_.aclGetViewStrides), strides);
  EXPECT_EQ(dims(library_.aclGetStorageShape), storage);
  std::int64_t offset = 0;
  aclFormat format = ACL_FORMAT_UNDEFINED;
  aclDataType type = ACL_DT_UNDEFINED;
  void* address = nullptr;
  EXPECT_EQ(library_.aclGetViewOffset(tensor, &offset), 0);
  EXPECT_EQ(library_.aclGetFormat(tensor, &format), 0);
  EXPECT_EQ(library_.aclGetDataType(tensor, &type), 0);
  EXPECT_EQ(library_.aclGetRawTensorAddr(tensor, &address), 0);
  EXPECT_EQ(offset, 22);
  EXPECT_EQ(format, ACL_FORMAT_NCHW);
  EXPECT_EQ(type, ACL_BF16);
  EXPECT_EQ(address, &data);
  int other = 0;
  EXPECT_EQ(library_.aclSetRawTensorAddr(tensor, &other), 0);
  EXPECT_EQ(library_.aclGetRawTensorAddr(tensor, &address), 0);
  EXPECT_EQ(address, &other);
  EXPECT_EQ(library_.aclSetRawTensorAddr(tensor, nullptr), 161001);
  EXPECT_EQ(library_.aclGetViewOffset(nullptr, &offset), 161001);
  EXPECT_EQ(library_.aclGetViewOffset(tensor, nullptr), 161001);
  EXPECT_EQ(library_.aclInitTensor(tensor, shape.data(), 1, ACL_INT8, nullptr, 0, ACL_FORMAT_ND,
                                   shape.data(), 1, nullptr),
            0);
  EXPECT_EQ(dims(library_.aclGetViewShape), Dims{6});
  EXPECT_EQ(dims(library_.aclGetViewStrides), Dims{1});
  EXPECT_EQ(library_.aclDestroyTensor(tensor), 0);
  EXPECT_EQ(library_.aclDestroyTensor(nullptr), 0);
  EXPECT_EQ(library_.aclGetFormat(tensor, &format), 561000);
}

TEST_P(Runtime, TensorsAreMadeOfAnythingButNullArrays) {
  const Dims shape = {2, 3};
  const auto create = [&](const std::int64_t* dims, std::uint64_t count,
                          const std::int64_t* storage) {
    return library_.aclCreateTensor(dims, count, static_cast<aclDataType>(4711), nullptr, -9,
                                    static_cast<aclFormat>(815), storage, count, nullptr);
  };
  aclTensor* odd = create(shape.data(), 2, shape.data());
  EXPECT_NE(odd, nullptr);
  aclDataType type = ACL_FLOAT;
  EXPECT_EQ(library_.aclGetDataType(odd, &type), 0);
  EXPECT_EQ(static_cast<int>(type), 4711);
  EXPECT_EQ(library_.aclDestroyTensor(odd), 0);
  aclTensor* scalar = create(nullptr, 0, nullptr);
  EXPECT_NE(scalar, nullptr);
  EXPECT_EQ(library_.aclDestroyTensor(scalar), 0);
  EXPECT_EQ(create(nullptr, 2, shape.data()), nullptr);
  EXPECT_THAT(library_.Message(), HasSubstr("viewDims"));
  EXPECT_EQ(create(shape.data(), 2, nullptr), nullptr);
  const Dims many(26, 1);
  EXPECT_EQ(create(many.data(), 26, many.data()), nullptr);
}

// More than the list of handles has room for without a lock.
TEST_P(Runtime, ManyHandlesLiveAtOnce) {
  constexpr std::size_t kMany = 20'000;
  const std::int64_t extent = 1;
  std::vector<const aclTensor*> tensors;
  const auto ends = [&](const aclTensor* tensor) { return library_.aclDestroyTensor(tensor); };
  for (std::size_t i = 0; i < kMany; ++i) {
    tensors.push_back(library_.aclCreateTensor(&extent, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND,
                                               &extent, 1, nullptr));
  }
  // Addresses beside one that lives, and one that lives as something else.
  const auto* const first = reinterpret_cast<const std::byte*>(tensors.front());
  for (const std::ptrdiff_t off : {1, 2, 7, 8, 15}) {
    EXPECT_EQ(ends(reinterpret_cast<const aclTensor*>(first + off)), 561000) << off;
  }
  EXPECT_EQ(library_.aclDestroyIntArray(reinterpret_cast<const aclIntArray*>(first)), 561000);
  std::vector<std::size_t> failures(2, 0);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < failures.size(); ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = t; i < kMany; i += failures.size()) {
        if (ends(tensors[i]) != 0) ++failures[t];
        if (ends(tensors[i]) != 561000) ++failures[t];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(failures, Each(0));
}

TEST_P(Runtime, ArraysScalarsAndLists) {
  std::uint64_t size = 77;
  const std::vector<std::int64_t> ints = {1, 2, 3};
  aclIntArray* int_array = library_.aclCreateIntArray(ints.data(), 3);
  EXPECT_EQ(library_.aclGetIntArraySize(int_array, &size), 0);
  EXPECT_EQ(size, 3U);
  aclIntArray* empty = library_.aclCreateIntArray(nullptr, 5);
  EXPECT_EQ(library_.aclGetIntArraySize(empty, &size), 0);
  EXPECT_EQ(size, 0U);
  EXPECT_EQ(library_.aclGetIntArraySize(nullptr, &size), 161001);
  EXPECT_EQ(library_.aclGetIntArraySize(empty, nullptr), 161001);
  const std::array<float, 2> floats = {1, 2};
  aclFloatArray* float_array = library_.aclCreateFloatArray(floats.data(), 2);
  EXPECT_EQ(library_.aclGetFloatArraySize(float_array, &size), 0);
  EXPECT_EQ(size, 2U);
  const std::array<bool, 4> bools = {true, false, true, true};
  aclBoolArray* bool_array = library_.aclCreateBoolArray(bools.data(), 4);
  EXPECT_EQ(library_.aclGetBoolArraySize(bool_array, &size), 0);
  EXPECT_EQ(size, 4U);
  EXPECT_EQ(library_.aclDestroyIntArray(int_array), 0);
  EXPECT_EQ(library_.aclDestroyIntArray(int_array), 561000);
  EXPECT_EQ(library_.aclDestroyIntArray(empty), 0);
  EXPECT_EQ(library_.aclDestroyFloatArray(float_array), 0);
  EXPECT_EQ(library_.aclDestroyBoolArray(bool_array), 0);

  float value = 2;
  EXPECT_EQ(library_.aclCreateScalar(nullptr, ACL_FLOAT), nullptr);
  aclScalar* scalar = library_.aclCreateScalar(&value, ACL_FLOAT);
  ASSERT_NE(scalar, nullptr);
  const std::array<const aclScalar*, 1> scalars = {scalar};
  aclScalarList* scalar_list = library_.aclCreateScalarList(scalars.data(), 1);
  EXPECT_EQ(library_.aclGetScalarListSize(scalar_list, &size), 0);
  EXPECT_EQ(size, 1U);
  EXPECT_EQ(library_.aclDestroyScalarList(scalar_list), 0);
  EXPECT_EQ(library_.aclDestroyScalar(scalar), 561000);  // went with its list

  const std::int64_t extent = 1;
  const std::array<const aclTensor*, 2> tensors = {
      library_.aclCreateTensor(&extent, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, &extent, 1,
                               nullptr),
      library_.aclCreateTensor(&extent, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, &extent, 1,
                               nullptr)};
  aclTensorList* list = library_.aclCreateTensorList(tensors.data(), 2);
  EXPECT_EQ(library_.aclGetTensorListSize(list, &size), 0);
  EXPECT_EQ(size, 2U);
  EXPECT_EQ(library_.aclSetDynamicTensorAddr(nullptr, 0, 0, list, nullptr), 561103);
  EXPECT_EQ(library_.aclDestroyTensorList(list), 0);
  EXPECT_EQ(library_.aclDestroyTensor(tensors[0]), 561000);
  EXPECT_EQ(library_.aclSetAclOpExecutorRepeatable(nullptr), 561103);
  EXPECT_EQ(library_.aclDestroyAclOpExecutor(nullptr), 561103);
  EXPECT_EQ(library_.aclSetInputTensorAddr(nullptr, 0, nullptr, nullptr), 561103);
}

TEST_P(Runtime, ElementSizes) {
  EXPECT_EQ(library_.aclDataTypeSize(ACL_FLOAT), 4U);
  EXPECT_EQ(library_.aclDataTypeSize(ACL_BF16), 2U);
  EXPECT_EQ(library_.aclDataTypeSize(ACL_COMPLEX128), 16U);
  EXPECT_EQ(library_.aclDataTypeSize(ACL_FLOAT8_E5M2), 1U);
  EXPECT_EQ(library_.aclDataTypeSize(ACL_INT4), 0U);
  EXPECT_EQ(library_.aclDataTypeSize(static_cast<aclDataType>(1000)), 0U);
}

TEST_P(Runtime, HalfConversionsSaturateAsTheVendorsDo) {
  EXPECT_EQ(library_.aclFloat16ToFloat(0x3c00), 1.0F);
  EXPECT_EQ(library_.aclFloat16ToFloat(0x7c00), 65536.0F);
  EXPECT_EQ(library_.aclFloat16ToFloat(0x7e00), 98304.0F);
  EXPECT_EQ(library_.aclFloat16ToFloat(0xfbff), -65504.0F);
  EXPECT_EQ(library_.aclFloatToFloat16(1.0F), 0x3c00);
  EXPECT_EQ(library_.aclFloatToFloat16(1e9F), 0x7bff);
  EXPECT_EQ(library_.aclFloatToFloat16(-1e9F), 0xfbff);
  EXPECT_EQ(library_.aclFloatToFloat16(std::numeric_limits<float>::infinity()), 0x7bff);
  EXPECT_EQ(library_.aclFloatToFloat16(std::numeric_limits<float>::quiet_NaN()), 0x7bff);
}

// --- Two libraries, and a library that goes away
// ----------------------------------------------------

TEST(TwoLibraries, ShareNothing) {
  const AbiLibrary reference(POOLPROOF_REFERENCE_LIBRARY);
  const AbiLibrary optimized(POOLPROOF_OPTIMIZED_LIBRARY);
  EXPECT_NE(reference.aclInit, optimized.aclInit);
  EXPECT_EQ(reference.aclInit(nullptr), 0);
  EXPECT_EQ(optimized.aclInit(nullptr), 0);  // not counted with the other's
  EXPECT_EQ(reference.aclFinalize(), 0);
  EXPECT_EQ(optimized.aclFinalize(), 0);

  EXPECT_EQ(reference.aclrtSetDevice(9), 107001);
  EXPECT_EQ(optimized.aclGetRecentErrMsg(), nullptr);
  EXPECT_NE(reference.aclGetRecentErrMsg(), nullptr);

  EXPECT_EQ(reference.aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1), 0);
  std::int64_t value = -1;
  EXPECT_EQ(optimized.aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), 0);
  EXPECT_EQ(value, 0);

  // What one made, the other refuses.
  void* memory = nullptr;
  ASSERT_EQ(reference.aclrtMalloc(&memory, 16, ACL_MEM_MALLOC_HUGE_FIRST), 0);
  EXPECT_EQ(optimized.aclrtFree(memory), 107000);
  EXPECT_EQ(reference.aclrtFree(memory), 0);
  aclrtStream stream = nullptr;
  ASSERT_EQ(reference.aclrtCreateStream(&stream), 0);
  EXPECT_EQ(optimized.aclrtSynchronizeStream(stream), 107017);
  EXPECT_EQ(reference.aclrtDestroyStream(stream), 0);
}

TEST(TwoLibraries, RunTheSameProblemSideBySide) {
  const AbiLibrary libraries[] = {AbiLibrary(POOLPROOF_REFERENCE_LIBRARY),
                                  AbiLibrary(POOLPROOF_OPTIMIZED_LIBRARY)};
  std::vector<std::vector<float>> results;
  for (int round = 0; round < 20; ++round) {
    for (const AbiLibrary& library : libraries) {
      aclrtStream stream = nullptr;
      ASSERT_EQ(library.aclrtCreateStream(&stream), 0);
      const DeviceArray<float> gradients(library, {0.1F, 0.2F, 0.3F, 0.4F});
      const DeviceArray<std::int32_t> positions(library, {3, 3, 3, 0});
      const DeviceArray<float> grad_input(library, std::vector<float>(8, -1));
      BackwardCall call;
      call.op = AbiOperator::kAdaptive3d;
      call.grad_output = {.shape = {1, 1, 2, 2}, .data = gradients.data()};
      call.indices = {.shape = {1, 1, 2, 2}, .type = ACL_INT32, .data = positions.data()};
      call.self = {.shape = {1, 2, 2, 2}, .data = grad_input.data()};
      call.grad_input = {.shape = {1, 2, 2, 2}, .data = grad_input.data()};
      Descriptors descriptors(library);
      const PhaseOne phase_one = RunPhaseOne(library, descriptors, call);
      ASSERT_EQ(phase_one.status, 0) << library.Message();
      ASSERT_EQ(RunPhaseTwo(library, call, phase_one, stream), 0);
      ASSERT_EQ(library.aclrtSynchronizeStream(stream), 0);
      results.push_back(grad_input.Read());
      ASSERT_EQ(library.aclrtDestroyStream(stream), 0);
    }
  }
  EXPECT_THAT(results, Each(results.front()));
  EXPECT_EQ(results.front()[3], (0.1F + 0.2F) + 0.3F);
}

TEST(Unloading, IsSafeWithStreamsAlive) {
  for (int round = 0; round < 5; ++round) {
    for (const char* path : {POOLPROOF_REFERENCE_LIBRARY, POOLPROOF_OPTIMIZED_LIBRARY}) {
      const AbiLibrary library(path);
      EXPECT_EQ(library.aclInit(nullptr), 0) << "the library was not unloaded";
      aclrtStream stream = nullptr;
      ASSERT_EQ(library.aclrtCreateStream(&stream), 0);
      void* memory = nullptr;
      ASSERT_EQ(library.aclrtMalloc(&memory, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST), 0);
      for (int i = 0; i < 10; ++i) {
        ASSERT_EQ(library.aclrtMemsetAsync(memory, 1 << 20, i, 1 << 20, stream), 0);
      }
      ASSERT_EQ(library.aclrtSynchronizeStream(stream), 0);
      ASSERT_EQ(library.aclrtFree(memory), 0);
      ASSERT_EQ(library.aclrtSynchronizeStream(nullptr), 0);  // the default stream exists too
    }
  }
}

TEST(Unloading, IsSafeWithWorkQueued) {
  std::vector<char> memory(1 << 22);
  const AbiLibrary library(POOLPROOF_REFERENCE_LIBRARY);
  aclrtStream stream = nullptr;
  ASSERT_EQ(library.aclrtCreateStream(&stream), 0);
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(library.aclrtMemsetAsync(memory.data(), memory.size(), i, memory.size(), stream), 0);
  }
}

}  // namespace
}  // namespace poolproof
