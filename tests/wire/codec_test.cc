// SPDX-License-Identifier: Apache-2.0
#include "conformance/wire/codec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "core/random.h"

namespace poolproof {
namespace {

std::vector<std::byte> SomeBytes(std::size_t size, std::uint64_t seed) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(RandomBits(seed, i));
  return bytes;
}

OpenRequest SampleOpenRequest() { return {{"a.so", "b.so"}, OpenMode::kLazyGlobal, 3}; }

OpenReply SampleOpenReply() {
  OpenReply reply;
  reply.error = OpenError::kMissingSymbols;
  reply.detail = "why";
  reply.probe.soc = "Ascend910B3";
  reply.probe.devices = 8;
  reply.probe.operators = {"MaxPool3dWithArgmaxBackward"};
  reply.probe.missing = {"aclrtMalloc", "aclrtFree"};
  reply.probe.optional_symbols = {"aclInit"};
  reply.probe.host_memory = true;
  return reply;
}

Invocation SampleInvocation() {
  Invocation invocation;
  for (const OperatorInfo& info : AllOperators()) {
    CallArguments call;
    call.op = info.op;
    call.ceil_mode = info.is_forward;
    for (const Role role : info.tensors) {
      TensorArgument tensor;
      tensor.role = role;
      tensor.null = role == Role::kIndices;
      tensor.is_output = IsOutput(info, role);
      tensor.type = -1;
      tensor.format = 30;
      tensor.shape = {1, -2, INT64_MAX};
      tensor.strides = {7, 0};
      tensor.offset = -5;
      tensor.storage_dims = {9};
      tensor.bytes = SomeBytes(33, static_cast<std::uint64_t>(role));
      call.tensors.push_back(tensor);
    }
    for (std::size_t i = 0; i < info.lists.size(); ++i) {
      call.lists.push_back(i == 0 ? std::optional<Dims>(Dims{3, -3}) : std::nullopt);
    }
    invocation.calls.push_back(call);
  }
  invocation.plan = {.descriptors_only = true,
                     .null_workspace_size = false,
                     .null_executor_out = true,
                     .phase_two_alone = false,
                     .deterministic = true,
                     .repeat = 3,
                     .threads = 4,
                     .settle_ms = 5,
                     .growth_calls = 6,
                     .fill_late = true,
                     .vary_contents = false,
                     .reuse_executor = true,
                     .share_descriptors = true,
                     .shift_bytes = 64,
                     .streams = 3,
                     .guard = Guard::kBefore,
                     .order = Order::kLifo,
                     .look = Look::kAfter,
                     .output = Poison::kFinite,
                     .workspace = Poison::kMixed,
                     .relation = Relation::kScaling};
  invocation.guard_bytes = 4096;
  invocation.awaits_device = true;
  invocation.fills_pools = false;
  return invocation;
}

Outcome SampleOutcome() {
  Outcome outcome;
  outcome.end = End::kThrew;
  outcome.signal = 11;
  outcome.exit_code = 3;
  outcome.ended_at_call = 2;
  outcome.ended_in = Phase::kSynchronise;
  CallOutcome call;
  call.reached = Phase::kDone;
  call.phase_one = 161002;
  call.synchronise = -1;
  call.workspace_size_set = true;
  call.executor_set = true;
  call.workspace_size = 1ULL << 40;
  call.phase_one_wrote = true;
  call.phase_one_wrote_to = "gradInput";
  call.workspace.guard_after_intact = false;
  call.memory[1].guard_before_intact = false;
  call.memory[1].damage_contained = false;
  call.memory[3].first_changed_byte = 17;
  call.memory[2].guard_touch = GuardTouch{-3, Access::kWrite};
  call.guarded = true;
  call.held_looks = 8;
  call.written_early = Role::kGradInput;
  call.written_late = Role::kIndices;
  call.outputs[3] = SomeBytes(100, 9);
  call.message_asked = true;
  call.message = "message";
  call.nanoseconds = 12345;
  outcome.calls = {CallOutcome(), call, call};
  outcome.process.file_descriptors_changed = true;
  outcome.process.spent = true;
  outcome.process.working_directory_changed = true;
  outcome.process.heap_gain = {300, 0, -4096, 1};
  outcome.process.resident_gain = {-1, 2, 3, 4};
  outcome.process.device_gain = {5, 6, 7, 1LL << 40};
  outcome.process.runs_otherwise = 5;
  outcome.output_tail = "tail";
  outcome.detail = "detail";
  outcome.crash =
      CrashSite{CrashCause::kNullPointer, Access::kWrite, true, 16, "lib.so", 0x1a3f, "Foo", 0x2f};
  outcome.reached_edges = {0, 7, 4'000'000};
  return outcome;
}

// Decodes and, where that went well, encodes again: only exact encodings may be accepted.
template <typename T, typename Decode>
void CheckDamaged(const std::vector<std::byte>& bytes, Decode decode) {
  const Result<T> decoded = decode(bytes);
  if (decoded.ok()) {
    EXPECT_EQ(Encode(decoded.value()), bytes);
  } else {
    EXPECT_EQ(decoded.status().code(), StatusCode::kInvalidArgument);
  }
}

template <typename T, typename Decode>
void CheckCodec(const T& message, Decode decode, std::uint64_t seed) {
  const std::vector<std::byte> bytes = Encode(message);
  const Result<T> decoded = decode(bytes);
  ASSERT_TRUE(decoded.ok()) << decoded.status().message();
  EXPECT_EQ(decoded.value(), message);

  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const std::vector<std::byte> cut(bytes.begin(),
                                     bytes.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(decode(cut).ok()) << "cut to " << size;
  }
  std::vector<std::byte> longer = bytes;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(decode(longer).ok());

  RandomStream random(seed);
  for (int round = 0; round < 4000; ++round) {
    std::vector<std::byte> damaged = bytes;
    const std::uint64_t changes = 1 + random.Below(4);
    for (std::uint64_t i = 0; i < changes; ++i) {
      const std::size_t at = random.Below(damaged.size());
      if (random.OneIn(3) && at + 8 <= damaged.size()) {
        // Counts are 64 bits wide: huge ones are the dangerous ones.
        const std::uint64_t word = random.OneIn(2) ? random.Next() : random.Below(1000);
        std::memcpy(damaged.data() + at, &word, sizeof word);
      } else {
        damaged[at] = static_cast<std::byte>(random.Next());
      }
    }
    CheckDamaged<T>(damaged, decode);
  }
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::byte> noise = SomeBytes(random.Below(200), random.Next());
    if (!noise.empty() && random.OneIn(2)) noise[0] = bytes[0];
    CheckDamaged<T>(noise, decode);
  }
}

TEST(Codec, OpenRequestRoundTripAndDamage) {
  CheckCodec(SampleOpenRequest(), DecodeOpenRequest, 1);
  CheckCodec(OpenRequest(), DecodeOpenRequest, 2);
}

TEST(Codec, OpenReplyRoundTripAndDamage) {
  CheckCodec(SampleOpenReply(), DecodeOpenReply, 3);
  CheckCodec(OpenReply(), DecodeOpenReply, 4);
}

TEST(Codec, InvocationRoundTripAndDamage) {
  CheckCodec(SampleInvocation(), DecodeInvocation, 5);
  CheckCodec(Invocation(), DecodeInvocation, 6);
}

TEST(Codec, OutcomeRoundTripAndDamage) {
  CheckCodec(SampleOutcome(), DecodeOutcome, 7);
  CheckCodec(Outcome(), DecodeOutcome, 8);
}

TEST(Codec, WorkerEndRoundTripAndDamage) {
  CheckCodec(WorkerEnd{true, 11, "tail", SampleOutcome().crash}, DecodeWorkerEnd, 9);
  CheckCodec(WorkerEnd(), DecodeWorkerEnd, 10);
}

// An outcome of many empty calls is the densest there is; the bound on counts must not refuse it.
TEST(Codec, AcceptsManyEmptyCalls) {
  Outcome outcome;
  outcome.calls.resize(5000);
  const Result<Outcome> decoded = DecodeOutcome(Encode(outcome));
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded.value(), outcome);
}

TEST(Codec, RefusesMoreEdgesThanAnOutcomeNames) {
  Outcome outcome;
  outcome.reached_edges.resize(kMostReachedEdges);
  EXPECT_TRUE(DecodeOutcome(Encode(outcome)).ok());
  outcome.reached_edges.push_back(1);
  EXPECT_FALSE(DecodeOutcome(Encode(outcome)).ok());
}

TEST(Codec, RefusesAnotherMessage) {
  EXPECT_FALSE(DecodeOutcome(Encode(OpenReply())).ok());
  EXPECT_FALSE(DecodeInvocation(Encode(Outcome())).ok());
}

TEST(Codec, RefusesCallsWithoutTheirOperands) {
  Invocation invocation = SampleInvocation();
  invocation.calls.front().tensors.pop_back();
  EXPECT_FALSE(DecodeInvocation(Encode(invocation)).ok());
  invocation = SampleInvocation();
  invocation.calls.front().lists.emplace_back();
  EXPECT_FALSE(DecodeInvocation(Encode(invocation)).ok());
}

}  // namespace
}  // namespace poolproof
