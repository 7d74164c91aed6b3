// SPDX-License-Identifier: Apache-2.0
//
// Whole calls: two phases, a stream, and what is in memory afterwards.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <thread>

#include "tests/runtime/support/calls.h"
#include "tests/runtime/support/device_array.h"

namespace poolproof {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

class Execution : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { ASSERT_EQ(library_.aclrtCreateStream(&stream_), 0); }
  void TearDown() override { EXPECT_EQ(library_.aclrtDestroyStream(stream_), 0); }

  // Both phases on `stream`; the status of the first that fails.
  template <typename Call>
  aclnnStatus Run(const Call& call, aclrtStream stream) {
    Descriptors descriptors(library_);
    const PhaseOne phase_one = RunPhaseOne(library_, descriptors, call);
    if (phase_one.status != 0) return phase_one.status;
    return RunPhaseTwo(library_, call, phase_one, stream);
  }
  template <typename Call>
  aclnnStatus RunAndSynchronize(const Call& call) {
    const aclnnStatus status = Run(call, stream_);
    return status != 0 ? status : library_.aclrtSynchronizeStream(stream_);
  }

  AbiLibrary library_{GetParam()};
  SocScope soc_{kA2};
  aclrtStream stream_ = nullptr;
};

INSTANTIATE_TEST_SUITE_P(, Execution,
                         testing::Values(POOLPROOF_REFERENCE_LIBRARY, POOLPROOF_OPTIMIZED_LIBRARY),
                         [](const auto& test) {
                           return test.index == 0 ? "Reference" : "Optimized";
                         });

// One plane of four, two windows; gradOutput 1 x 2, self 2 x 2.
struct SmallProblem {
  explicit SmallProblem(const AbiLibrary& library, std::vector<float> gradients = {1.5F, 2.25F},
                        std::vector<std::int32_t> positions = {1, 3})
      : grad_output(library, gradients),
        self(library, {0, 0, 0, 0}),
        indices(library, positions),
        grad_input(library, {7, 7, 7, 7}) {
    call.op = AbiOperator::kAdaptive2d;
    call.grad_output = {.shape = {1, 1, 2}, .data = grad_output.data()};
    call.self = {.shape = {1, 2, 2}, .data = self.data()};
    call.indices = {.shape = {1, 1, 2}, .type = ACL_INT32, .data = indices.data()};
    call.grad_input = {.shape = {1, 2, 2}, .data = grad_input.data()};
  }
  DeviceArray<float> grad_output;
  DeviceArray<float> self;
  DeviceArray<std::int32_t> indices;
  DeviceArray<float> grad_input;
  BackwardCall call;
};

TEST_P(Execution, GradientsGoWhereTheIndicesSay) {
  const SmallProblem problem(library_);
  ASSERT_EQ(RunAndSynchronize(problem.call), 0);
  EXPECT_THAT(problem.grad_input.Read(), ElementsAre(0, 1.5F, 0, 2.25F));
}

TEST_P(Execution, EqualIndicesAccumulate) {
  const SmallProblem problem(library_, {1.5F, 2.25F}, {2, 2});
  ASSERT_EQ(RunAndSynchronize(problem.call), 0);
  EXPECT_THAT(problem.grad_input.Read(), ElementsAre(0, 0, 3.75F, 0));
}

TEST_P(Execution, SpecialValuesStayAtTheirCoordinate) {
  const float infinity = std::numeric_limits<float>::infinity();
  const SmallProblem one(library_, {-infinity, std::nanf("")}, {0, 3});
  ASSERT_EQ(RunAndSynchronize(one.call), 0);
  const std::vector<float> values = one.grad_input.Read();
  EXPECT_EQ(values[0], -infinity);
  EXPECT_EQ(values[1], 0);
  EXPECT_EQ(values[2], 0);
  EXPECT_TRUE(std::isnan(values[3]));
  const SmallProblem both(library_, {-infinity, infinity}, {1, 1});
  ASSERT_EQ(RunAndSynchronize(both.call), 0);
  EXPECT_TRUE(std::isnan(both.grad_input.Read()[1]));
  EXPECT_EQ(both.grad_input.Read()[0], 0);
}

TEST_P(Execution, IndicesOutsideThePlaneAreRefusedOnTheStream) {
  for (const std::int32_t bad : {4, -1, INT32_MAX, INT32_MIN}) {
    const SmallProblem problem(library_, {1, 2}, {1, bad});
    ASSERT_EQ(Run(problem.call, stream_), 0);
    static_cast<void>(library_.Message());
    EXPECT_EQ(library_.aclrtSynchronizeStream(stream_), 507015);
    EXPECT_THAT(library_.Message(), HasSubstr("indices[0,0,1]: index " + std::to_string(bad) +
                                              " is outside a plane of 4"));
    EXPECT_EQ(library_.Message(), "");
    EXPECT_EQ(library_.aclrtSynchronizeStream(stream_), 0);  // told once
  }
  const SmallProblem good(library_);
  EXPECT_EQ(RunAndSynchronize(good.call), 0);
}

TEST_P(Execution, ABadIndexWritesNothingOutsideGradInput) {
  // gradInput is every other element of ten, between guards.
  const DeviceArray<float> storage(library_, std::vector<float>(10, 9.0F));
  SmallProblem problem(library_, {1, 2}, {0, 1000});
  problem.call.grad_input.data = storage.data();
  problem.call.grad_input.strides = Dims{8, 4, 2};
  problem.call.grad_input.offset = 1;
  problem.call.grad_input.storage = Dims{10};
  EXPECT_EQ(RunAndSynchronize(problem.call), 507015);
  const std::vector<float> values = storage.Read();
  for (const std::size_t guard : {0U, 2U, 4U, 6U, 8U, 9U}) EXPECT_EQ(values[guard], 9.0F) << guard;
}

TEST_P(Execution, TheFirstBadIndexIsNamedWhateverTheThreads) {
  setenv("POOLPROOF_NUM_THREADS", "7", 1);
  constexpr std::int64_t kPlanes = 64;
  constexpr std::int64_t kOutputs = 4096;
  std::vector<std::int32_t> positions(kPlanes * kOutputs, 0);
  for (const std::size_t at : {20U * 4096 + 11, 20U * 4096 + 12, 50U * 4096 + 3, 63U * 4096}) {
    positions[at] = 1 << 20;
  }
  const DeviceArray<float> grad_output(library_, std::vector<float>(positions.size(), 1.0F));
  const DeviceArray<std::int32_t> indices(library_, positions);
  const DeviceArray<float> grad_input(library_, std::vector<float>(positions.size(), 1.0F));
  BackwardCall call;
  call.op = AbiOperator::kAdaptive2d;
  const Dims shape = {kPlanes, 64, 64};
  call.grad_output = {.shape = shape, .data = grad_output.data()};
  call.self = {.shape = shape, .data = grad_output.data()};
  call.indices = {.shape = shape, .type = ACL_INT32, .data = indices.data()};
  call.grad_input = {.shape = shape, .data = grad_input.data()};
  for (int round = 0; round < 5; ++round) {
    EXPECT_EQ(RunAndSynchronize(call), 507015);
    EXPECT_THAT(library_.Message(), HasSubstr("indices[20,0,11]"));
  }
  unsetenv("POOLPROOF_NUM_THREADS");
}

TEST_P(Execution, NullStreamRunsBeforeTheCallReturns) {
  const SmallProblem problem(library_);
  ASSERT_EQ(Run(problem.call, nullptr), 0);
  EXPECT_THAT(problem.grad_input.Read(), ElementsAre(0, 1.5F, 0, 2.25F));
  const SmallProblem bad(library_, {1, 2}, {1, 4});
  EXPECT_EQ(Run(bad.call, nullptr), 0);
  EXPECT_EQ(library_.aclrtSynchronizeStream(nullptr), 507015);
  EXPECT_THAT(library_.Message(), HasSubstr("index 4 is outside a plane of 4"));
}

TEST_P(Execution, EmptyBatchAndEmptyPooledSide) {
  SmallProblem problem(library_);
  problem.call.grad_output = {.shape = {1, 0, 2}, .data = nullptr};
  problem.call.indices = {.shape = {1, 0, 2}, .type = ACL_INT32, .data = nullptr};
  ASSERT_EQ(RunAndSynchronize(problem.call), 0);
  EXPECT_THAT(problem.grad_input.Read(), Each(0.0F));  // written in full

  BackwardCall empty = LegalBackward(AbiOperator::kMaxPool3d);
  empty.self.shape[1] = empty.grad_input.shape[1] = 0;
  empty.grad_output.shape[1] = empty.indices.shape[1] = 0;
  EXPECT_EQ(RunAndSynchronize(empty), 0);
}

TEST_P(Execution, MemoryMustBeThereWhenTheWorkRuns) {
  for (TensorSpec BackwardCall::*tensor : {&BackwardCall::grad_output, &BackwardCall::self,
                                           &BackwardCall::indices, &BackwardCall::grad_input}) {
    SmallProblem problem(library_);
    (problem.call.*tensor).data = nullptr;
    EXPECT_EQ(RunAndSynchronize(problem.call), 161001);
    EXPECT_THAT(library_.Message(), HasSubstr("data address"));
    EXPECT_THAT(problem.grad_input.Read(), Each(7.0F));
  }
  // More than the library itself handed out.
  SmallProblem small(library_);
  SetSelfShape(small.call, {1, 64, 64});
  EXPECT_EQ(RunAndSynchronize(small.call), 161002);
  EXPECT_THAT(library_.Message(), HasSubstr("memory of self"));
}

TEST_P(Execution, RefusalsInPhaseOneWriteNothing) {
  SmallProblem problem(library_);
  problem.call.indices.type = ACL_INT16;
  EXPECT_EQ(RunAndSynchronize(problem.call), 161002);
  EXPECT_THAT(problem.grad_input.Read(), Each(7.0F));
}

TEST_P(Execution, ExecutorsAreUsedOnce) {
  const SmallProblem problem(library_);
  Descriptors descriptors(library_);
  const PhaseOne phase_one = RunPhaseOne(library_, descriptors, problem.call);
  ASSERT_EQ(phase_one.status, 0);
  EXPECT_EQ(RunPhaseTwo(library_, problem.call, phase_one, stream_), 0);
  EXPECT_EQ(RunPhaseTwo(library_, problem.call, phase_one, stream_), 561000);
  EXPECT_THAT(library_.Message(), HasSubstr("executor"));
  EXPECT_EQ(library_.aclDestroyAclOpExecutor(phase_one.executor), 561000);
  EXPECT_EQ(library_.aclrtSynchronizeStream(stream_), 0);
}

TEST_P(Execution, BadExecutorsAreRefused) {
  const SmallProblem problem(library_);
  PhaseOne none;
  none.workspace_size = 0;
  EXPECT_EQ(RunPhaseTwo(library_, problem.call, none, stream_), 161001);
  EXPECT_THAT(library_.Message(), HasSubstr("2P-09"));
  int foreign = 0;
  none.executor = reinterpret_cast<aclOpExecutor*>(&foreign);
  EXPECT_EQ(RunPhaseTwo(library_, problem.call, none, stream_), 561000);
  // One of another operator; it is ended, too.
  Descriptors descriptors(library_);
  const PhaseOne phase_one = RunPhaseOne(library_, descriptors, problem.call);
  ASSERT_EQ(phase_one.status, 0);
  EXPECT_EQ(library_.aclnnAdaptiveMaxPool3dBackward(nullptr, 0, phase_one.executor, stream_),
            561000);
  EXPECT_THAT(library_.Message(), HasSubstr("aclnnAdaptiveMaxPool2dBackward"));
  EXPECT_EQ(RunPhaseTwo(library_, problem.call, phase_one, stream_), 561000);
}

TEST_P(Execution, PhaseTwoChecksWorkspaceAndStream) {
  const SmallProblem problem(library_);
  Descriptors descriptors(library_);
  PhaseOne phase_one = RunPhaseOne(library_, descriptors, problem.call);
  phase_one.workspace_size = 16;
  EXPECT_EQ(RunPhaseTwo(library_, problem.call, phase_one, stream_), 161001);
  EXPECT_THAT(library_.Message(), HasSubstr("workspace"));
  phase_one = RunPhaseOne(library_, descriptors, problem.call);
  int foreign = 0;
  EXPECT_EQ(RunPhaseTwo(library_, problem.call, phase_one, &foreign), 361001);
  EXPECT_THAT(library_.Message(), HasSubstr("stream"));
  EXPECT_THAT(problem.grad_input.Read(), Each(7.0F));
}

TEST_P(Execution, RepeatableExecutorsRunOnOtherMemory) {
  const SmallProblem problem(library_);
  Descriptors descriptors(library_);
  aclTensor* moved = descriptors.Make(problem.call.grad_input);
  const PhaseOne phase_one = RunPhaseOne(library_, descriptors, problem.call);
  ASSERT_EQ(library_.aclSetAclOpExecutorRepeatable(phase_one.executor), 0);
  ASSERT_EQ(RunPhaseTwo(library_, problem.call, phase_one, stream_), 0);
  const DeviceArray<float> other(library_, {5, 5, 5, 5});
  ASSERT_EQ(library_.aclSetOutputTensorAddr(phase_one.executor, 0, moved, other.data()), 0);
  void* address = nullptr;
  ASSERT_EQ(library_.aclGetRawTensorAddr(moved, &address), 0);
  EXPECT_EQ(address, other.data());
  ASSERT_EQ(RunPhaseTwo(library_, problem.call, phase_one, stream_), 0);
  const DeviceArray<std::int32_t> indices(library_, {0, 0});
  ASSERT_EQ(library_.aclSetTensorAddr(phase_one.executor, 2, moved, indices.data()), 0);
  ASSERT_EQ(library_.aclrtSynchronizeStream(stream_), 0);
  EXPECT_THAT(problem.grad_input.Read(), ElementsAre(0, 1.5F, 0, 2.25F));
  EXPECT_THAT(other.Read(), ElementsAre(0, 1.5F, 0, 2.25F));
  ASSERT_EQ(RunPhaseTwo(library_, problem.call, phase_one, stream_), 0);
  ASSERT_EQ(library_.aclrtSynchronizeStream(stream_), 0);
  EXPECT_THAT(other.Read(), ElementsAre(3.75F, 0, 0, 0));
  EXPECT_EQ(library_.aclSetInputTensorAddr(phase_one.executor, 3, moved, other.data()), 161002);
  EXPECT_EQ(library_.aclDestroyAclOpExecutor(phase_one.executor), 0);
}

TEST_P(Execution, DescriptorsMayGoBetweenThePhases) {
  const SmallProblem problem(library_);
  PhaseOne phase_one;
  {
    Descriptors descriptors(library_);
    phase_one = RunPhaseOne(library_, descriptors, problem.call);
  }
  ASSERT_EQ(RunPhaseTwo(library_, problem.call, phase_one, stream_), 0);
  ASSERT_EQ(library_.aclrtSynchronizeStream(stream_), 0);
  EXPECT_THAT(problem.grad_input.Read(), ElementsAre(0, 1.5F, 0, 2.25F));
}

TEST_P(Execution, ShortIndexBuffersReadZerosBehind) {  // DD-06, DD-22
  void* memory = nullptr;
  ASSERT_EQ(library_.aclrtMalloc(&memory, 1, ACL_MEM_MALLOC_HUGE_FIRST), 0);
  const std::int8_t position = 2;
  ASSERT_EQ(library_.aclrtMemcpy(memory, 1, &position, 1, ACL_MEMCPY_HOST_TO_DEVICE), 0);
  SmallProblem problem(library_);
  SetGradOutputShape(problem.call, {1, 1, 1});
  problem.call.indices.data = memory;
  for (const aclDataType type : {ACL_INT32, ACL_INT64}) {
    problem.call.indices.type = type;
    ASSERT_EQ(RunAndSynchronize(problem.call), 0);
    EXPECT_THAT(problem.grad_input.Read(), ElementsAre(0, 0, 1.5F, 0));
  }
  EXPECT_EQ(library_.aclrtFree(memory), 0);
}

TEST_P(Execution, ThreadsWithStreamsOfTheirOwnDoNotDisturbEachOther) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(8, 0);
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([this, t, &wrong] {
      aclrtStream stream = nullptr;
      library_.aclrtCreateStream(&stream);
      for (int round = 0; round < 50; ++round) {
        const auto value = static_cast<float>(t * 100) + static_cast<float>(round);
        const bool bad = round % 5 == 0;
        const SmallProblem problem(library_, {value, 1}, {2, bad ? 77 : 3});
        const bool ran = Run(problem.call, stream) == 0;
        const aclError status = library_.aclrtSynchronizeStream(stream);
        if (!ran || status != (bad ? 507015 : 0)) ++wrong[t];
        if (bad && library_.Message().find("index 77") == std::string::npos) ++wrong[t];
        if (!bad && problem.grad_input.Read() != std::vector<float>{0, 0, value, 1}) ++wrong[t];
      }
      library_.aclrtDestroyStream(stream);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(wrong, Each(0));
}

// Handing a small call over takes longer than the call; where nothing is queued the calling thread
// runs it. The stream's promises stay.
TEST_P(Execution, SmallCallsOfAnIdleStreamAreDoneWhenTheyReturn) {
  const SmallProblem problem(library_);
  ASSERT_EQ(Run(problem.call, stream_), 0);
  EXPECT_THAT(problem.grad_input.Read(), ElementsAre(0, 1.5F, 0, 2.25F));
  EXPECT_EQ(library_.aclrtSynchronizeStream(stream_), 0);
}

TEST_P(Execution, SmallCallsWaitForWhatIsQueued) {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  const DeviceArray<float> large(library_, std::vector<float>(kBytes / sizeof(float), 1));
  const SmallProblem problem(library_);
  BackwardCall call = problem.call;
  call.grad_output.data = static_cast<std::byte*>(large.data()) + kBytes - 2 * sizeof(float);
  ASSERT_EQ(library_.aclrtMemsetAsync(large.data(), kBytes, 0, kBytes, stream_), 0);
  ASSERT_EQ(Run(call, stream_), 0);
  ASSERT_EQ(library_.aclrtSynchronizeStream(stream_), 0);
  EXPECT_THAT(problem.grad_input.Read(), Each(0));
}

TEST_P(Execution, ThreadsTakeTurnsOnOneStream) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([this, t, &wrong] {
      for (int round = 0; round < 200; ++round) {
        const auto value = static_cast<float>(t * 1000) + static_cast<float>(round);
        const SmallProblem problem(library_, {value, 1}, {2, 3});
        if (Run(problem.call, stream_) != 0) ++wrong[t];
        if (library_.aclrtSynchronizeStream(stream_) != 0) ++wrong[t];
        if (problem.grad_input.Read() != std::vector<float>{0, 0, value, 1}) ++wrong[t];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(wrong, Each(0));
}

TEST_P(Execution, AStreamMayGoWhileAnotherThreadCallsOnIt) {
  for (int round = 0; round < 20; ++round) {
    aclrtStream stream = nullptr;
    ASSERT_EQ(library_.aclrtCreateStream(&stream), 0);
    const SmallProblem problem(library_);
    aclnnStatus last = 0;
    std::thread caller([&] {
      while (last == 0) last = Run(problem.call, stream);
    });
    EXPECT_EQ(round % 2 == 0 ? library_.aclrtDestroyStream(stream)
                             : library_.aclrtDestroyStreamForce(stream),
              0);
    caller.join();
    EXPECT_EQ(last, 361001);
  }
}

TEST_P(Execution, ForwardThenBackward) {
  // 4 x 4 by 2 x 2 windows, of depth 1 in the 3-d operator.
  const std::pair<AbiOperator, std::vector<std::int64_t>> rows[] = {
      {AbiOperator::kMaxPool3d, {1, 2, 2}}, {AbiOperator::kMaxPool2d, {2, 2}}};
  for (const auto& [op, kernel] : rows) {
    const DeviceArray<float> self(library_, {1, 2, 3, 4, 8, 7, 6, 5, 1, 1, 1, 1, 0, -1, 9, 9});
    const DeviceArray<float> out(library_, std::vector<float>(4, -1));
    const DeviceArray<std::int32_t> indices(library_, std::vector<std::int32_t>(4, -1));
    ForwardCall forward;
    forward.op = op;
    forward.self = {.shape = {1, 1, 4, 4}, .data = self.data()};
    forward.out = {.shape = {1, 1, 2, 2}, .data = out.data()};
    forward.indices = {.shape = {1, 1, 2, 2}, .type = ACL_INT32, .data = indices.data()};
    forward.kernel_size.values = kernel;
    forward.padding.values = {0};
    forward.dilation.values = {1};
    ASSERT_EQ(RunAndSynchronize(forward), 0) << library_.Message();
    EXPECT_THAT(out.Read(), ElementsAre(8, 6, 1, 9));
    EXPECT_THAT(indices.Read(), ElementsAre(4, 6, 8, 14));

    const DeviceArray<float> grad_input(library_, std::vector<float>(16, 3));
    BackwardCall backward;
    backward.op = op;
    backward.grad_output = forward.out;
    backward.self = forward.self;
    backward.indices = forward.indices;
    backward.grad_input = {.shape = {1, 1, 4, 4}, .data = grad_input.data()};
    backward.kernel_size = forward.kernel_size;
    backward.padding = forward.padding;
    backward.dilation = forward.dilation;
    ASSERT_EQ(RunAndSynchronize(backward), 0) << library_.Message();
    EXPECT_THAT(grad_input.Read(), ElementsAre(0, 0, 0, 0, 8, 0, 6, 0, 1, 0, 0, 0, 0, 0, 9, 0));
  }
}

// The program of the operator's page, which passes one plane; NHWC has C last.
TEST_P(Execution, ThePageOfMaxPool2d) {
  for (const aclFormat format : {ACL_FORMAT_ND, ACL_FORMAT_NCHW, ACL_FORMAT_NHWC}) {
    const DeviceArray<float> grad_output(library_, {0.4757F, 0.1726F});
    const DeviceArray<float> self(library_, std::vector<float>(12, 1));
    const DeviceArray<std::int32_t> indices(library_, {0, 6});
    const DeviceArray<float> grad_input(library_, std::vector<float>(12, 7));
    BackwardCall call;
    call.op = AbiOperator::kMaxPool2d;
    call.grad_output = {.shape = {1, 1, 2, 1}, .format = format, .data = grad_output.data()};
    call.self = {.shape = {1, 1, 4, 3}, .format = format, .data = self.data()};
    call.indices = {
        .shape = {1, 1, 2, 1}, .type = ACL_INT32, .format = format, .data = indices.data()};
    call.grad_input = {.shape = {1, 1, 4, 3}, .format = format, .data = grad_input.data()};
    if (format == ACL_FORMAT_NHWC) {
      for (TensorSpec* tensor : {&call.grad_output, &call.self, &call.indices, &call.grad_input}) {
        PassChannelsLast(*tensor);
      }
    }
    call.kernel_size.values = call.stride.values = {2, 2};
    call.padding.values = {0, 0};
    call.dilation.values = {1, 1};
    ASSERT_EQ(RunAndSynchronize(call), 0) << library_.Message();
    EXPECT_THAT(grad_input.Read(), ElementsAre(0.4757F, 0, 0, 0, 0, 0, 0.1726F, 0, 0, 0, 0, 0));

    const DeviceArray<std::int32_t> outside(library_, {0, 12});
    call.indices.data = outside.data();
    EXPECT_EQ(RunAndSynchronize(call), 507015);
    EXPECT_THAT(library_.Message(),
                HasSubstr("indices[0,0,1,0]: index 12 is outside a plane of 12"));
  }
}

// Two channels whose values lie side by side.
TEST_P(Execution, ChannelsLastForwards) {
  const DeviceArray<float> self(library_, {1, 80, 4, 50, 3, 60, 2, 70});
  for (const AbiOperator op : {AbiOperator::kMaxPool2d, AbiOperator::kAdaptive2d}) {
    const DeviceArray<float> out(library_, {-1, -1, -1, -1});
    const DeviceArray<std::int64_t> indices(library_, {-1, -1, -1, -1});
    ForwardCall forward;
    forward.op = op;
    forward.self = {.shape = {1, 2, 2, 2}, .format = ACL_FORMAT_NHWC, .data = self.data()};
    forward.out = {.shape = {1, 2, 1, 2}, .format = ACL_FORMAT_NHWC, .data = out.data()};
    forward.indices = {.shape = {1, 2, 1, 2},
                       .type = ACL_INT64,
                       .format = ACL_FORMAT_NHWC,
                       .data = indices.data()};
    forward.kernel_size.values = {1, 2};
    forward.stride.values = {1, 2};
    forward.padding.values = {0};
    forward.dilation.values = {1};
    forward.output_size.values = {2, 1};
    ASSERT_EQ(RunAndSynchronize(forward), 0) << library_.Message();
    EXPECT_THAT(out.Read(), ElementsAre(4, 80, 3, 70));
    EXPECT_THAT(indices.Read(), ElementsAre(1, 0, 2, 3));
  }
}

TEST_P(Execution, DilatedWindowsOfMaxPool2d) {
  const SocScope soc(k950);
  // Rows 0, 2 and 4 of 5 x 3, columns 0 and 2.
  const DeviceArray<float> self(library_, {1, 9, 2, 9, 9, 9, 3, 9, 8, 9, 9, 9, 4, 9, 5});
  const DeviceArray<float> out(library_, {-1});
  const DeviceArray<std::int64_t> indices(library_, {-1});
  ForwardCall forward;
  forward.op = AbiOperator::kMaxPool2d;
  forward.self = {.shape = {1, 5, 3}, .data = self.data()};
  forward.out = {.shape = {1, 1, 1}, .data = out.data()};
  forward.indices = {.shape = {1, 1, 1}, .type = ACL_INT64, .data = indices.data()};
  forward.kernel_size.values = {3, 2};
  forward.padding.values = {0};
  forward.dilation.values = {2};
  ASSERT_EQ(RunAndSynchronize(forward), 0) << library_.Message();
  EXPECT_THAT(out.Read(), ElementsAre(8));
  EXPECT_THAT(indices.Read(), ElementsAre(8));
}

}  // namespace
}  // namespace poolproof
