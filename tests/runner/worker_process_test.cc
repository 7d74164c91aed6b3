// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/worker_process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "conformance/result/ending.h"
#include "conformance/runner/spawn.h"
#include "conformance/wire/codec.h"
#include "conformance/wire/frame.h"
#include "conformance/wire/progress.h"

namespace poolproof {
namespace {

using std::chrono::milliseconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

constexpr milliseconds kLong{60'000};

Implementation Fake(const std::string& library, const std::string& fault = "") {
  Implementation implementation;
  implementation.name = library;
  implementation.libraries = {std::string(FAKES_FOLDER) + "/libfake_" + library + ".so"};
  if (!fault.empty()) implementation.environment["*"]["POOLPROOF_FAKE"] = fault;
  return implementation;
}

WorkerOptions Options() {
  WorkerOptions options;
  options.program = WORKER_PROGRAM;
  return options;
}

std::unique_ptr<WorkerProcess> MustStart(const Implementation& implementation,
                                         const WorkerOptions& options = Options()) {
  Result<std::unique_ptr<WorkerProcess>> worker = WorkerProcess::Start(implementation, options);
  if (!worker.ok()) {
    ADD_FAILURE() << worker.status().message();
    return nullptr;
  }
  return std::move(worker).value();
}

template <typename T>
std::vector<std::byte> BytesOf(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

TensorArgument Tensor(Role role, DataType type, std::int64_t extent, std::vector<std::byte> bytes) {
  TensorArgument tensor;
  tensor.role = role;
  tensor.is_output = role == Role::kGradInput;
  tensor.type = static_cast<std::int32_t>(type);
  tensor.shape = {1, 1, 1, extent};
  tensor.strides = {extent, extent, extent, 1};
  tensor.storage_dims = {extent};
  tensor.bytes = std::move(bytes);
  return tensor;
}

// Gradients 1, 2, 4 at positions 3, 0, 3 of a plane: {2, 0, 0, 5, 0...}. The fakes misbehave where
// ceilMode is true.
CallArguments SmallCall(bool ceil_mode, std::int64_t extent = 4) {
  const auto count = static_cast<std::size_t>(extent);
  CallArguments call;
  call.ceil_mode = ceil_mode;
  call.tensors = {
      Tensor(Role::kGradOutput, DataType::kFloat, 3, BytesOf<float>({1, 2, 4})),
      Tensor(Role::kSelf, DataType::kFloat, extent, BytesOf(std::vector<float>(count, 1))),
      Tensor(Role::kIndices, DataType::kInt32, 3, BytesOf<std::int32_t>({3, 0, 3})),
      Tensor(Role::kGradInput, DataType::kFloat, extent,
             std::vector<std::byte>(count * 4, std::byte{0xff}))};
  call.lists = {Dims{2}, Dims{1}, Dims{0}, Dims{}};
  return call;
}

Invocation Small(bool ceil_mode) {
  Invocation invocation;
  invocation.calls = {SmallCall(ceil_mode)};
  return invocation;
}

const MemoryFacts& MemoryOf(const CallOutcome& call, Role role) {
  return call.memory[static_cast<std::size_t>(role)];
}

std::vector<std::byte> ExpectedOutput() { return BytesOf<float>({2, 0, 0, 5}); }

void ExpectRight(const Outcome& outcome) {
  ASSERT_EQ(outcome.end, End::kReturned) << outcome.detail;
  for (const CallOutcome& call : outcome.calls) {
    EXPECT_EQ(call.reached, Phase::kDone);
    EXPECT_EQ(call.phase_one, 0);
    EXPECT_EQ(call.phase_two, 0);
    EXPECT_EQ(call.synchronise, 0);
    EXPECT_TRUE(call.workspace_size_set);
    EXPECT_TRUE(call.executor_set);
    EXPECT_FALSE(call.phase_one_wrote);
    EXPECT_EQ(call.memory, (std::array<MemoryFacts, kRoleCount>()));
    EXPECT_EQ(call.workspace, MemoryFacts());
    EXPECT_EQ(call.outputs[static_cast<std::size_t>(Role::kGradInput)], ExpectedOutput());
    EXPECT_EQ(call.message, "");
  }
  EXPECT_EQ(outcome.process, ProcessFacts());
}

// Runs the call that provokes `fault`, and shows that another worker then still works.
Outcome Provoke(const std::string& fault, milliseconds deadline = kLong) {
  const Implementation implementation = Fake("minimal", fault);
  const std::unique_ptr<WorkerProcess> worker = MustStart(implementation);
  if (worker == nullptr) return {};
  EXPECT_EQ(worker->Run(Small(false), kLong).end, End::kReturned) << fault;
  EXPECT_TRUE(worker->alive()) << fault;
  const Outcome outcome = worker->Run(Small(true), deadline);
  if (outcome.end != End::kReturned) {
    EXPECT_FALSE(worker->alive()) << fault;
    EXPECT_EQ(worker->Run(Small(false), kLong).end, End::kHarness) << fault;
  }
  const std::unique_ptr<WorkerProcess> fresh = MustStart(implementation);
  if (fresh == nullptr) return {};
  EXPECT_EQ(fresh->Run(Small(false), kLong).end, End::kReturned) << fault;
  return outcome;
}

TEST(WorkerProcess, MinimalLibraryIsProbedAndCalled) {
  const auto before = std::chrono::steady_clock::now();
  const std::unique_ptr<WorkerProcess> worker = MustStart(Fake("minimal"));
  ASSERT_NE(worker, nullptr);
  EXPECT_GE(worker->started(), before);
  EXPECT_THAT(worker->probe().operators, ElementsAre("MaxPool3dWithArgmaxBackward"));
  EXPECT_THAT(worker->probe().optional_symbols, ElementsAre());
  EXPECT_THAT(worker->probe().missing, ElementsAre());
  EXPECT_EQ(worker->probe().soc, "");
  EXPECT_EQ(worker->probe().devices, std::nullopt);
  EXPECT_TRUE(worker->probe().host_memory);
  for (int i = 0; i < 100; ++i) ExpectRight(worker->Run(Small(i % 2 == 0), kLong));
}

TEST(WorkerProcess, OutcomesComeInTheOrderOfSubmission) {
  const std::unique_ptr<WorkerProcess> worker = MustStart(Fake("minimal"));
  ASSERT_NE(worker, nullptr);
  // Large ones among small ones, more than may be under way, some handed over while others are.
  std::vector<std::int64_t> extents;
  for (int i = 0; i < 100; ++i) extents.push_back(i % 7 == 3 ? 100'000 : 4 + i);
  std::size_t collected = 0;
  const auto collect = [&] {
    const Outcome outcome = worker->Collect();
    ASSERT_EQ(outcome.end, End::kReturned);
    EXPECT_EQ(outcome.calls.at(0).outputs[static_cast<std::size_t>(Role::kGradInput)].size(),
              static_cast<std::size_t>(extents[collected++]) * 4);
  };
  for (std::size_t i = 0; i < extents.size(); ++i) {
    Invocation invocation;
    invocation.calls = {SmallCall(false, extents[i])};
    worker->Submit(invocation, kLong);
    if (i % 5 == 4) collect();
  }
  while (collected < extents.size()) collect();
  EXPECT_TRUE(worker->alive());
}

TEST(WorkerProcess, WhatStandsBehindABadEndIsNotCarriedOut) {
  for (const char* fault : {"crash-two", "exit-two", "throw-two", "close-low"}) {
    const std::unique_ptr<WorkerProcess> worker = MustStart(Fake("minimal", fault));
    ASSERT_NE(worker, nullptr);
    for (const bool armed : {false, false, true, false, true}) {
      worker->Submit(Small(armed), kLong);
    }
    for (int i = 0; i < 2; ++i) ExpectRight(worker->Collect());
    EXPECT_TRUE(EndsWorker(worker->Collect())) << fault;
    EXPECT_FALSE(worker->alive()) << fault;
    for (int i = 0; i < 2; ++i) EXPECT_EQ(worker->Collect().end, End::kHarness) << fault;
  }
}

TEST(WorkerProcess, FullLibraryTellsItsDevice) {
  const std::unique_ptr<WorkerProcess> worker = MustStart(Fake("full"));
  ASSERT_NE(worker, nullptr);
  EXPECT_EQ(worker->probe().devices, 1U);
  EXPECT_EQ(worker->probe().soc, "Ascend910B1");
  EXPECT_THAT(worker->probe().optional_symbols, Contains("aclrtSetSysParamOpt"));

  WorkerOptions options = Options();
  options.profile = Profile::kAscend950;
  const std::unique_ptr<WorkerProcess> asked = MustStart(Fake("full"), options);
  ASSERT_NE(asked, nullptr);
  EXPECT_EQ(asked->probe().soc, InfoOf(Profile::kAscend950).default_soc);
}

TEST(WorkerProcess, EdgesOfAnInstrumentedLibraryAreToldOnce) {
  const auto worker = MustStart(Fake("full", "edges"));
  ASSERT_NE(worker, nullptr);
  EXPECT_THAT(worker->Run(Small(false), kLong).reached_edges, ElementsAre(0, 3));
  EXPECT_THAT(worker->Run(Small(false), kLong).reached_edges, ElementsAre());
  EXPECT_THAT(worker->Run(Small(true), kLong).reached_edges, ElementsAre(1, 4));
  const auto other = MustStart(Fake("full", "edges"));
  ASSERT_NE(other, nullptr);
  EXPECT_THAT(other->Run(Small(true), kLong).reached_edges, ElementsAre(1, 4));
  const auto plain = MustStart(Fake("full"));
  ASSERT_NE(plain, nullptr);
  EXPECT_THAT(plain->Run(Small(true), kLong).reached_edges, ElementsAre());
}

TEST(WorkerProcess, SeveralLibrariesFirstExportWins) {
  Implementation implementation = Fake("runtime_only");
  implementation.libraries.push_back(Fake("no_runtime").libraries[0]);
  implementation.open = OpenMode::kLazyGlobal;
  const std::unique_ptr<WorkerProcess> worker = MustStart(implementation);
  ASSERT_NE(worker, nullptr);
  ExpectRight(worker->Run(Small(true), kLong));
}

TEST(WorkerProcess, EnvironmentOfProfileOnlyWhereAsked) {
  Implementation implementation = Fake("full");
  implementation.environment["*"] = {{"A", "all"}, {"B", "all"}};
  implementation.environment["atlas-a3"] = {{"B", "a3"}, {"POOLPROOF_SOC_NAME", "Ascend910_9362"}};
  const std::vector<std::string> plain = WorkerEnvironment(implementation, std::nullopt);
  EXPECT_THAT(plain, Contains("A=all"));
  EXPECT_THAT(plain, Contains("B=all"));
  EXPECT_THAT(plain, Not(Contains(::testing::StartsWith("POOLPROOF_PROFILE="))));
  const std::vector<std::string> a3 = WorkerEnvironment(implementation, Profile::kAtlasA3);
  EXPECT_THAT(a3, Contains("A=all"));
  EXPECT_THAT(a3, Contains("B=a3"));
  EXPECT_THAT(a3, Contains("POOLPROOF_PROFILE=atlas-a3"));
  EXPECT_THAT(a3, Contains("POOLPROOF_SOC_NAME=Ascend910_9362"));
  const std::vector<std::string> a2 = WorkerEnvironment(implementation, Profile::kAtlasA2);
  EXPECT_THAT(a2, Contains("POOLPROOF_SOC_NAME=Ascend910B3"));
}

// --- Start-up ------------------------------------------------------------------------------------

void ExpectUnusable(const Implementation& implementation, const std::string& wanted) {
  const Result<std::unique_ptr<WorkerProcess>> worker =
      WorkerProcess::Start(implementation, Options());
  ASSERT_FALSE(worker.ok()) << wanted;
  EXPECT_EQ(worker.status().code(), StatusCode::kUnavailable);
  EXPECT_THAT(worker.status().message(), HasSubstr(wanted));
  EXPECT_THAT(worker.status().message(), Not(HasSubstr("\n")));
  EXPECT_THAT(worker.status().message(), Not(HasSubstr(FAKES_FOLDER)));
}

TEST(WorkerProcess, MissingSymbolsAreNamed) {
  ExpectUnusable(Fake("runtime_only"), "'runtime_only' lacks required symbols: aclnnMaxPool3d");
  ExpectUnusable(Fake("half"), "lacks required symbols: aclnnMaxPool3d");
  ExpectUnusable(Fake("no_runtime"), "lacks required symbols: aclrtMalloc, aclrtFree, aclrtMemcpy");
}

TEST(WorkerProcess, UnusableLibrariesAreExplained) {
  ExpectUnusable(Fake("full", "no-device"), "has no device: aclrtGetDeviceCount gave 0 devices");
  ExpectUnusable(Fake("full", "null-soc"), "has no device: aclrtGetSocName");
  ExpectUnusable(Fake("minimal", "null-tensor"), "has no device: aclCreateTensor");
  ExpectUnusable(Fake("minimal", "stub-status"), "aclrtCreateStream returned 100039");
  ExpectUnusable(Fake("minimal", "crash-at-load"),
                 "died of SIGSEGV (signal 11) while being opened");
#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if !__has_feature(thread_sanitizer)
  // The thread sanitizer has the last word when a library exits while it is being loaded.
  ExpectUnusable(Fake("minimal", "exit-at-load"),
                 "status 9 while being opened; it said: licence not found");
#endif

  Implementation missing = Fake("minimal");
  missing.libraries = {"libpoolproof_no_such_soname.so"};
  ExpectUnusable(missing, "cannot be opened: libpoolproof_no_such_soname.so:");
  Implementation text = Fake("minimal");
  text.libraries = {std::string(FAKES_FOLDER) + "/text.so"};
  std::ofstream(text.libraries[0]) << "this is no library";
  ExpectUnusable(text, "cannot be opened: text.so: ");

  Implementation second_device = Fake("full");
  WorkerOptions options = Options();
  options.device = 1;
  EXPECT_THAT(WorkerProcess::Start(second_device, options).status().message(),
              HasSubstr("has no device: device 1 was asked for, and aclrtGetDeviceCount gave 1"));
}

TEST(WorkerProcess, StartHasALimitOfItsOwn) {
  Implementation hanging = Fake("minimal", "hang-at-load");
  hanging.limits.start_s = 0.5;
  ExpectUnusable(hanging, "was not open after 0.5 s");
  const std::unique_ptr<WorkerProcess> slow = MustStart(Fake("minimal", "slow-at-load"));
  ASSERT_NE(slow, nullptr);
  ExpectRight(slow->Run(Small(true), kLong));
}

TEST(WorkerProcess, EndHasALimitOfItsOwn) {
  const std::string path = std::string(FAKES_FOLDER) + "/ended." + std::to_string(::getpid());
  Implementation slow = Fake("full", "slow-to-stop");
  slow.environment["*"] = {
      {"POOLPROOF_FAKE", "slow-to-stop"}, {"FAKE_END_FILE", path}, {"FAKE_STOP_MS", "600000"}};
  slow.limits.stop_s = 0.01;
  MustStart(slow).reset();
  EXPECT_FALSE(std::filesystem::exists(path));
  // Given the time, it ends by itself.
  slow.environment["*"]["FAKE_STOP_MS"] = "50";
  slow.limits.stop_s = 600;
  MustStart(slow).reset();
  EXPECT_TRUE(std::filesystem::remove(path));
}

TEST(WorkerProcess, DevicesThatAreNotThereAreFoundAtTheStart) {
  Implementation second = Fake("full");
  second.devices = {0, 1};
  ExpectUnusable(second, "'full' has no device 1: it has 1, number 0");
  second.devices = {0};
  EXPECT_NE(MustStart(second), nullptr);
}

TEST(WorkerProcess, WhatTheLibraryPrintedIsThere) {
  const std::unique_ptr<WorkerProcess> worker = MustStart(Fake("full", "talk-at-load"));
  ASSERT_NE(worker, nullptr);
  EXPECT_EQ(worker->Said(), "device memory is scarce\n");
}

TEST(WorkerProcess, MissingWorkerProgramIsExplained) {
  WorkerOptions options;
  options.program = "/nowhere/poolproof-worker";
  const Status status = WorkerProcess::Start(Fake("minimal"), options).status();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_THAT(status.message(), HasSubstr("poolproof-worker"));
}

// --- Ends ----------------------------------------------------------------------------------------

TEST(WorkerProcess, CrashesAreLocated) {
  const Outcome one = Provoke("crash-one");
  EXPECT_EQ(one.end, End::kSignalled);
  EXPECT_EQ(one.signal, SIGSEGV);
  EXPECT_EQ(one.ended_in, Phase::kPhaseOne);

  const Outcome two = Provoke("crash-two");
  EXPECT_EQ(two.end, End::kSignalled);
  EXPECT_EQ(two.signal, SIGSEGV);
  EXPECT_EQ(two.ended_in, Phase::kPhaseTwo);
  EXPECT_EQ(two.ended_at_call, 0U);
  EXPECT_EQ(two.output_tail, "about to crash\n");

  const Outcome aborted = Provoke("abort-two");
  EXPECT_EQ(aborted.end, End::kSignalled);
  EXPECT_EQ(aborted.signal, SIGABRT);
}

std::string SaidOfCrash(const std::string& fault) {
  const Outcome outcome = Provoke(fault);
  EXPECT_EQ(outcome.end, End::kSignalled) << fault;
  EXPECT_EQ(outcome.ended_in, Phase::kPhaseTwo) << fault;
  return SignalText(outcome.signal) + CrashText(outcome.crash);
}

TEST(WorkerProcess, CrashesNameModuleOffsetAndFunction) {
  constexpr const char* kPlace =
      " at libfake_minimal.so\\+0x[0-9a-f]+ \\(InstructionFaults\\+0x[0-9a-f]+\\)";
  const auto expect = [&](const char* fault, const std::string& text) {
    EXPECT_THAT(SaidOfCrash(fault), MatchesRegex(text + kPlace)) << fault;
  };
#if defined(__x86_64__)
  expect("read-null", "SIGSEGV .signal 11., reading address 0x10");
  expect("write-null", "SIGSEGV .signal 11., writing to address 0x10");
  // The thread sanitizer sets aside what programs do not use.
  expect("read-nowhere",
         "SIGSEGV .signal 11., reading (an address where there is no memory|"
         "memory that does not allow it)");
  expect("write-constant", "SIGSEGV .signal 11., writing to memory that does not allow it");
  expect("divide", "SIGFPE .signal 8., dividing an integer by zero, or with overflow");
#endif
  expect("call-null", "SIGSEGV .signal 11., executing address 0x0, called");
  expect("execute-data", "SIGSEGV .signal 11., executing what is not code, called");
  expect("trap", "SIG(ILL .signal 4.|TRAP .signal 5.), executing an illegal instruction or a trap");
}

TEST(WorkerProcess, StacksThatAreUsedUpAreNamed) {
  const std::string text = SaidOfCrash("overflow-stack");
  EXPECT_THAT(text, HasSubstr("memory behind the end of its stack at libfake_minimal.so+0x"));
  EXPECT_THAT(text, HasSubstr("(Deeper+0x"));
}

TEST(WorkerProcess, OffsetsAreThoseOfEveryProcess) {
  EXPECT_EQ(SaidOfCrash("read-null"), SaidOfCrash("read-null"));
}

TEST(WorkerProcess, OfSignalsThatAreSentNoPlaceIsKnown) {
  EXPECT_EQ(SaidOfCrash("crash-two"), "SIGSEGV (signal 11)");
  EXPECT_EQ(SaidOfCrash("abort-two"), "SIGABRT (signal 6)");
  EXPECT_EQ(SaidOfCrash("child-crashes"), "SIGABRT (signal 6)");
}

TEST(WorkerProcess, HandlersOfTheLibraryReplaceTheWorkers) {
  const Outcome outcome = Provoke("crash-handled");
  EXPECT_EQ(outcome.end, End::kExited);
  EXPECT_EQ(outcome.exit_code, 7);
  EXPECT_EQ(outcome.crash, std::nullopt);
}

TEST(WorkerProcess, HandlersOfTheWorkerAreNotTheLibrarys) {
  const Outcome outcome = Provoke("reset-handler");
  ExpectRight(outcome);
  EXPECT_FALSE(outcome.process.signal_handlers_changed);
}

TEST(WorkerProcess, CrashesOfThreadsAreNamed) {
  for (const char* fault : {"read-null", "overflow-stack"}) {
    const std::unique_ptr<WorkerProcess> worker = MustStart(Fake("minimal", fault));
    ASSERT_NE(worker, nullptr);
    Invocation invocation = Small(true);
    invocation.plan.threads = 4;
    const Outcome outcome = worker->Run(invocation, kLong);
    EXPECT_EQ(outcome.end, End::kSignalled);
    EXPECT_THAT(CrashText(outcome.crash), HasSubstr(" at libfake_minimal.so+0x")) << fault;
  }
}

TEST(WorkerProcess, CrashNamesItsCallInASequence) {
  const std::unique_ptr<WorkerProcess> worker = MustStart(Fake("minimal", "crash-two"));
  ASSERT_NE(worker, nullptr);
  Invocation invocation;
  invocation.calls = {SmallCall(false), SmallCall(false), SmallCall(true), SmallCall(false)};
  const Outcome outcome = worker->Run(invocation, kLong);
  EXPECT_EQ(outcome.end, End::kSignalled);
  EXPECT_EQ(outcome.ended_at_call, 2U);
  EXPECT_EQ(outcome.ended_in, Phase::kPhaseTwo);
}

TEST(WorkerProcess, ExitIsNoReturn) {
  const Outcome outcome = Provoke("exit-two");
  EXPECT_EQ(outcome.end, End::kExited);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.ended_in, Phase::kPhaseTwo);
}

TEST(WorkerProcess, HangsEndAtTheDeadline) {
  for (const std::string fault : {"hang-two", "hang-printing"}) {
    const auto before = std::chrono::steady_clock::now();
    const Outcome outcome = Provoke(fault, milliseconds(400));
    EXPECT_EQ(outcome.end, End::kTimedOut) << fault;
    EXPECT_EQ(outcome.ended_in, Phase::kPhaseTwo);
    EXPECT_LE(outcome.output_tail.size(), 4096U);
    EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(20));
  }
}

// Many calls that take long each are no hang: only a step that does not come is.
TEST(WorkerProcess, WhatGoesOnIsWaitedForBeyondTheDeadline) {
  Invocation many;
  many.calls = {SmallCall(true)};
  many.plan.repeat = 60;
  const std::unique_ptr<WorkerProcess> patient = MustStart(Fake("minimal", "slow-two"));
  ASSERT_NE(patient, nullptr);
  EXPECT_EQ(patient->Run(many, milliseconds(200), kLong).end, End::kReturned);
  const std::unique_ptr<WorkerProcess> strict = MustStart(Fake("minimal", "slow-two"));
  ASSERT_NE(strict, nullptr);
  EXPECT_EQ(strict->Run(many, milliseconds(200)).end, End::kTimedOut);
}

TEST(WorkerProcess, ExceptionsAreCaught) {
  const Outcome one = Provoke("throw-one");
  EXPECT_EQ(one.end, End::kThrew);
  EXPECT_EQ(one.ended_in, Phase::kPhaseOne);
  EXPECT_EQ(one.detail, "thrown in phase one");
  ASSERT_EQ(one.calls.size(), 1U);
  EXPECT_EQ(one.calls[0].reached, Phase::kPhaseOne);
  const Outcome two = Provoke("throw-two");
  EXPECT_EQ(two.end, End::kThrew);
  EXPECT_EQ(two.ended_in, Phase::kPhaseTwo);
}

TEST(WorkerProcess, MuchOutputNeitherBlocksNorFills) {
  const Outcome crashed = Provoke("print-much");
  EXPECT_EQ(crashed.end, End::kSignalled);
  EXPECT_EQ(crashed.signal, SIGBUS);
  EXPECT_EQ(crashed.output_tail.size(), 4096U);
  const Outcome fine = Provoke("print-and-go-on");
  ExpectRight(fine);
  EXPECT_EQ(fine.output_tail, "");
}

TEST(WorkerProcess, WhatWasPrintedAboutAFailedStreamIsKept) {
  const Outcome outcome = Provoke("sticky");
  EXPECT_EQ(outcome.end, End::kReturned);
  EXPECT_EQ(outcome.calls.at(0).synchronise, 507015);
  EXPECT_EQ(outcome.output_tail, "[ERROR] the core is lost\n");
}

TEST(WorkerProcess, MemoryIsWatched) {
  Implementation implementation = Fake("minimal", "eat-memory");
  implementation.limits.memory_mib = 256;
  const std::unique_ptr<WorkerProcess> worker = MustStart(implementation);
  ASSERT_NE(worker, nullptr);
  const Outcome outcome = worker->Run(Small(true), kLong);
  EXPECT_EQ(outcome.end, End::kOutOfMemory);
  EXPECT_EQ(outcome.ended_in, Phase::kPhaseTwo);
  EXPECT_FALSE(worker->alive());
}

TEST(WorkerProcess, ChildrenOfTheLibraryDoNotHideItsDeath) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("poolproof_child_" + std::to_string(::getpid()));
  std::filesystem::remove(file);
  Implementation implementation = Fake("minimal", "fork-and-crash");
  implementation.environment["*"]["FAKE_PID_FILE"] = file.string();
  const std::unique_ptr<WorkerProcess> worker = MustStart(implementation);
  ASSERT_NE(worker, nullptr);
  const auto before = std::chrono::steady_clock::now();
  const Outcome outcome = worker->Run(Small(true), kLong);
  EXPECT_EQ(outcome.end, End::kSignalled);
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(20));
  std::filesystem::remove(file);
}

// --- Facts ---------------------------------------------------------------------------------------

TEST(WorkerProcess, WritesOutsideAreSeen) {
  const Outcome before = Provoke("write-before");
  ASSERT_EQ(before.calls.size(), 1U);
  EXPECT_FALSE(MemoryOf(before.calls[0], Role::kGradInput).guard_before_intact);
  EXPECT_TRUE(MemoryOf(before.calls[0], Role::kGradInput).guard_after_intact);
  const Outcome after = Provoke("write-after");
  ASSERT_EQ(after.calls.size(), 1U);
  EXPECT_TRUE(MemoryOf(after.calls[0], Role::kGradInput).guard_before_intact);
  EXPECT_FALSE(MemoryOf(after.calls[0], Role::kGradInput).guard_after_intact);
  for (const Outcome* beside : {&before, &after}) {
    EXPECT_TRUE(MemoryOf(beside->calls[0], Role::kGradInput).damage_contained);
  }
  // A write in the outer half of a guard zone may be one of several.
  const Outcome far = Provoke("rewrite-behind-blindly");
  ASSERT_EQ(far.calls.size(), 1U);
  EXPECT_FALSE(MemoryOf(far.calls[0], Role::kGradInput).guard_after_intact);
  EXPECT_FALSE(MemoryOf(far.calls[0], Role::kGradInput).damage_contained);
  const Outcome input = Provoke("write-input");
  ASSERT_EQ(input.calls.size(), 1U);
  EXPECT_EQ(MemoryOf(input.calls[0], Role::kGradOutput).first_changed_byte, 5);
  EXPECT_EQ(MemoryOf(input.calls[0], Role::kGradInput), MemoryFacts());
  const Outcome one = Provoke("write-in-phase-one");
  ASSERT_EQ(one.calls.size(), 1U);
  EXPECT_TRUE(one.calls[0].phase_one_wrote);
  EXPECT_EQ(one.calls[0].phase_one_wrote_to, "gradInput");
}

Outcome RunGuarded(const std::string& fault, Guard guard) {
  const std::unique_ptr<WorkerProcess> worker = MustStart(Fake("minimal", fault));
  if (worker == nullptr) return {};
  Invocation invocation = Small(true);
  invocation.plan.guard = guard;
  const Outcome outcome = worker->Run(invocation, kLong);
  // The case goes on after a touch, and the worker serves others.
  EXPECT_EQ(outcome.end, End::kReturned) << fault << ": " << outcome.detail;
  EXPECT_EQ(outcome.calls.size(), 1U) << fault;
  EXPECT_EQ(outcome.process, ProcessFacts()) << fault;
  EXPECT_TRUE(worker->alive()) << fault;
  ExpectRight(worker->Run(Small(false), kLong));
  return outcome;
}

TEST(WorkerProcess, GuardPagesTellReadsFromWrites) {
#if defined(__x86_64__)
  constexpr Access kRead = Access::kRead;
  constexpr Access kWrite = Access::kWrite;
#else
  constexpr Access kRead = Access::kUnknown;
  constexpr Access kWrite = Access::kUnknown;
#endif
  const Outcome read = RunGuarded("read-behind", Guard::kAfter);
  EXPECT_EQ(MemoryOf(read.calls.at(0), Role::kGradInput).guard_touch, (GuardTouch{128, kRead}));
  EXPECT_TRUE(MemoryOf(read.calls.at(0), Role::kGradInput).guard_after_intact);
  EXPECT_EQ(read.calls.at(0).outputs[static_cast<std::size_t>(Role::kGradInput)], ExpectedOutput());

  const Outcome front = RunGuarded("read-in-front", Guard::kBefore);
  EXPECT_EQ(MemoryOf(front.calls.at(0), Role::kGradOutput).guard_touch, (GuardTouch{-1, kRead}));

  // The pages in front of another operand are reached, and it is gradOutput's end that was left.
  const Outcome on = RunGuarded("read-on-behind-input", Guard::kBefore);
  for (const Role role : BackwardRoles()) {
    const std::optional<GuardTouch>& touch = MemoryOf(on.calls.at(0), role).guard_touch;
    EXPECT_EQ(touch.has_value(), role == Role::kGradOutput) << RoleName(role);
    EXPECT_GE(touch.value_or(GuardTouch()).distance, 0) << RoleName(role);
  }

  const Outcome blind = RunGuarded("rewrite-behind-blindly", Guard::kAfter);
  EXPECT_EQ(MemoryOf(blind.calls.at(0), Role::kGradInput).guard_touch, (GuardTouch{128, kWrite}));
  EXPECT_FALSE(MemoryOf(blind.calls.at(0), Role::kGradInput).guard_after_intact);

  // Read first, then written: what was there stays, and only the pages tell.
  const Outcome rewrite = RunGuarded("rewrite-behind", Guard::kAfter);
  EXPECT_EQ(MemoryOf(rewrite.calls.at(0), Role::kGradInput).guard_touch, (GuardTouch{128, kWrite}));
  EXPECT_TRUE(MemoryOf(rewrite.calls.at(0), Role::kGradInput).guard_after_intact);
}

TEST(WorkerProcess, GuardPagesLeaveThePaddingAndOtherFaultsAlone) {
  for (const Guard guard : {Guard::kAfter, Guard::kBefore}) {
    for (const std::string fault : {"", "read-padding"}) {
      const Outcome outcome = RunGuarded(fault, guard);
      ExpectRight(outcome);
      EXPECT_TRUE(outcome.calls.at(0).guarded) << fault;
    }
  }
  const std::unique_ptr<WorkerProcess> worker = MustStart(Fake("minimal", "crash-two"));
  ASSERT_NE(worker, nullptr);
  Invocation invocation = Small(true);
  invocation.plan.guard = Guard::kAfter;
  const Outcome crashed = worker->Run(invocation, kLong);
  EXPECT_EQ(crashed.end, End::kSignalled);
  EXPECT_EQ(crashed.signal, SIGSEGV);
  EXPECT_EQ(crashed.ended_in, Phase::kPhaseTwo);

  const std::unique_ptr<WorkerProcess> other = MustStart(Fake("minimal", "read-null"));
  ASSERT_NE(other, nullptr);
  EXPECT_THAT(CrashText(other->Run(invocation, kLong).crash), HasSubstr("address 0x10 at"));
}

TEST(WorkerProcess, DeviceMemoryIsNotGuarded) {
  const std::unique_ptr<WorkerProcess> worker = MustStart(Fake("minimal", "device-memory"));
  ASSERT_NE(worker, nullptr);
  EXPECT_FALSE(worker->probe().host_memory);
  Invocation invocation = Small(true);
  invocation.plan.guard = Guard::kAfter;
  const Outcome outcome = worker->Run(invocation, kLong);
  ExpectRight(outcome);
  EXPECT_FALSE(outcome.calls.at(0).guarded);
}

TEST(WorkerProcess, PlansThatCannotBeCarriedOutAreRefused) {
  const auto refusal = [](const CallPlan& plan) {
    const std::unique_ptr<WorkerProcess> worker = MustStart(Fake("minimal"));
    Invocation invocation = Small(false);
    invocation.plan = plan;
    const Outcome outcome = worker->Run(invocation, kLong);
    EXPECT_EQ(outcome.end, End::kHarness);
    return outcome.detail;
  };
  CallPlan threads;
  threads.threads = 2;
  CallPlan order;
  order.order = Order::kLifo;
  CallPlan shift;
  shift.shift_bytes = 64;
  for (CallPlan plan : {threads, order, shift}) {
    plan.guard = Guard::kAfter;
    EXPECT_THAT(refusal(plan), HasSubstr("guard needs one thread"));
  }
  shift.shift_bytes = 33;
  EXPECT_THAT(refusal(shift), HasSubstr("multiple of 32"));
  CallPlan streams;
  streams.streams = 0;
  EXPECT_THAT(refusal(streams), HasSubstr("streams: 0 is not a whole number from 1 to 64"));
}

// --- Histories -----------------------------------------------------------------------------------

std::vector<std::byte> OutputOf(const CallOutcome& call) {
  return call.outputs[static_cast<std::size_t>(Role::kGradInput)];
}

Outcome RunPlan(const std::string& library, const std::string& fault, const CallPlan& plan,
                std::size_t calls) {
  const std::unique_ptr<WorkerProcess> worker = MustStart(Fake(library, fault));
  if (worker == nullptr) return {};
  Invocation invocation;
  invocation.calls.assign(calls, SmallCall(false));
  invocation.plan = plan;
  Outcome outcome = worker->Run(invocation, kLong);
  EXPECT_EQ(outcome.end, End::kReturned) << fault << ": " << outcome.detail;
  return outcome;
}

TEST(WorkerProcess, ExecutorsMayLiveAtOnce) {
  for (const Order order : {Order::kInTurn, Order::kFifo, Order::kLifo}) {
    for (const int streams : {1, 2, 3}) {
      CallPlan plan;
      plan.order = order;
      plan.streams = streams;
      plan.repeat = 2;
      const Outcome right = RunPlan("minimal", "", plan, 3);
      ExpectRight(right);
      EXPECT_EQ(right.calls.size(), 6U);
      // This one knows only the executor that it made last.
      const Outcome wrong = RunPlan("minimal", "one-executor", plan, 3);
      const std::int32_t first = order == Order::kInTurn ? 0 : 561000;
      EXPECT_EQ(wrong.calls.at(0).phase_two, first);
      EXPECT_EQ(wrong.calls.at(2).phase_two, 0);
    }
  }
}

TEST(WorkerProcess, ContentsMayComeBetweenThePhases) {
  CallPlan plan;
  plan.fill_late = true;
  ExpectRight(RunPlan("minimal", "", plan, 2));
  const Outcome wrong = RunPlan("minimal", "plan-from-contents", plan, 1);
  EXPECT_NE(OutputOf(wrong.calls.at(0)), ExpectedOutput());
  EXPECT_EQ(wrong.calls.at(0).memory, (std::array<MemoryFacts, kRoleCount>()));
  ExpectRight(RunPlan("minimal", "plan-from-contents", CallPlan(), 1));
}

TEST(WorkerProcess, ExecutorsAreRunAgainWhereTheLibraryCan) {
  CallPlan plan;
  plan.reuse_executor = true;
  plan.repeat = 3;
  plan.shift_bytes = 96;
  const auto reused = [](const Outcome& outcome) {
    std::vector<bool> facts;
    for (const CallOutcome& call : outcome.calls) facts.push_back(call.executor_reused);
    return facts;
  };
  for (const std::size_t calls : {std::size_t{1}, std::size_t{2}}) {
    const Outcome again = RunPlan("full", "", plan, calls);
    ExpectRight(again);
    std::vector<bool> wanted(calls, false);
    wanted.resize(3 * calls, true);
    EXPECT_EQ(reused(again), wanted);
  }
  for (const auto& [library, fault] : {std::pair{"full", "not-repeatable"}, {"minimal", ""}}) {
    const Outcome each = RunPlan(library, fault, plan, 1);
    ExpectRight(each);
    EXPECT_EQ(reused(each), std::vector<bool>(3, false)) << library;
  }
  // And find in their workspace what they left there, unless contents are to vary.
  for (const bool vary : {false, true}) {
    plan.vary_contents = vary;
    const Outcome kept = RunPlan("full", "workspace-kept", plan, 1);
    EXPECT_EQ(OutputOf(kept.calls.at(0)), ExpectedOutput());
    EXPECT_EQ(OutputOf(kept.calls.at(1)) == ExpectedOutput(), vary);
  }
  plan.vary_contents = false;
  const Outcome stale = RunPlan("full", "input-address-kept", plan, 1);
  EXPECT_EQ(OutputOf(stale.calls.at(0)), ExpectedOutput());
  EXPECT_NE(OutputOf(stale.calls.at(1)), ExpectedOutput());
}

TEST(WorkerProcess, RepetitionsFindOtherContents) {
  const std::unique_ptr<WorkerProcess> worker = MustStart(Fake("minimal"));
  ASSERT_NE(worker, nullptr);
  Invocation invocation = Small(false);
  invocation.calls[0].tensors[0].null = true;  // refused: outputs stay as they were
  invocation.plan.repeat = 4;
  invocation.plan.vary_contents = true;
  const Outcome outcome = worker->Run(invocation, kLong);
  ASSERT_EQ(outcome.calls.size(), 4U);
  const auto bytes = [&](std::size_t run) { return OutputOf(outcome.calls[run]); };
  EXPECT_EQ(bytes(0), std::vector<std::byte>(16, std::byte{0xff}));
  EXPECT_EQ(bytes(1), std::vector<std::byte>(16, std::byte{0x3c}));
  EXPECT_EQ(bytes(2), std::vector<std::byte>(16, std::byte{0}));
  std::vector<std::byte> mixed(16, std::byte{0x3c});
  std::fill_n(mixed.begin(), 8, std::byte{0});
  EXPECT_EQ(bytes(3), mixed);
  for (const CallOutcome& call : outcome.calls) {
    EXPECT_EQ(MemoryOf(call, Role::kGradInput), MemoryFacts());
  }
}

// A library that wants many megabytes finds the poison at both edges, and its overrun is seen.
TEST(WorkerProcess, LargeWorkspaceIsPoisonedAtEdges) {
  const std::unique_ptr<WorkerProcess> good = MustStart(Fake("minimal", "large-workspace"));
  ASSERT_NE(good, nullptr);
  Invocation invocation = Small(true);
  invocation.plan.workspace = Poison::kFinite;
  ExpectRight(good->Run(invocation, kLong));
  const std::unique_ptr<WorkerProcess> bad = MustStart(Fake("minimal", "large-workspace-overrun"));
  ASSERT_NE(bad, nullptr);
  const Outcome wrong = bad->Run(invocation, kLong);
  EXPECT_FALSE(wrong.calls.at(0).workspace.guard_after_intact);
}

TEST(WorkerProcess, WorkspaceIsGuarded) {
  const std::unique_ptr<WorkerProcess> good = MustStart(Fake("minimal", "workspace"));
  ASSERT_NE(good, nullptr);
  const Outcome right = good->Run(Small(true), kLong);
  ExpectRight(right);
  EXPECT_EQ(right.calls.at(0).workspace_size, 100U);
  const std::unique_ptr<WorkerProcess> bad = MustStart(Fake("minimal", "workspace-overrun"));
  ASSERT_NE(bad, nullptr);
  const Outcome wrong = bad->Run(Small(true), kLong);
  EXPECT_TRUE(wrong.calls.at(0).workspace.guard_before_intact);
  EXPECT_FALSE(wrong.calls.at(0).workspace.guard_after_intact);
  // What is overrun by far must not be the heap, whose damage ends another call.
  const std::unique_ptr<WorkerProcess> far = MustStart(Fake("minimal", "workspace-overrun-far"));
  ASSERT_NE(far, nullptr);
  for (int call = 0; call < 3; ++call) {
    const Outcome overrun = far->Run(Small(true), kLong);
    EXPECT_EQ(overrun.end, End::kReturned);
    EXPECT_FALSE(overrun.calls.at(0).workspace.guard_after_intact);
  }
  const std::unique_ptr<WorkerProcess> huge = MustStart(Fake("minimal", "huge-workspace"));
  ASSERT_NE(huge, nullptr);
  const Outcome refused = huge->Run(Small(true), kLong);
  EXPECT_EQ(refused.end, End::kHarness);
  EXPECT_THAT(refused.detail, HasSubstr("a workspace of 1099511627776 bytes"));
  const std::unique_ptr<WorkerProcess> impossible =
      MustStart(Fake("minimal", "impossible-workspace"));
  ASSERT_NE(impossible, nullptr);
  const Outcome left = impossible->Run(Small(true), kLong);
  EXPECT_EQ(left.end, End::kReturned);
  EXPECT_EQ(left.calls.at(0).workspace_size, std::uint64_t{1} << 60);
  EXPECT_FALSE(left.calls.at(0).phase_two.has_value());
}

TEST(WorkerProcess, RefusedCallsAreReadBack) {
  const std::unique_ptr<WorkerProcess> worker = MustStart(Fake("full"));
  ASSERT_NE(worker, nullptr);
  Invocation invocation = Small(false);
  invocation.calls[0].tensors[0].null = true;
  const Outcome outcome = worker->Run(invocation, kLong);
  ASSERT_EQ(outcome.end, End::kReturned) << outcome.detail;
  const CallOutcome& call = outcome.calls.at(0);
  EXPECT_EQ(call.phase_one, 161001);
  EXPECT_EQ(call.phase_two, std::nullopt);
  EXPECT_FALSE(call.workspace_size_set);
  EXPECT_FALSE(call.executor_set);
  EXPECT_EQ(call.message, "gradOutput is null");
  EXPECT_EQ(MemoryOf(call, Role::kGradInput), MemoryFacts());
  EXPECT_EQ(call.reached, Phase::kDone);

  const Outcome late = Provoke("refuse-late");
  EXPECT_EQ(late.calls.at(0).phase_two, 161002);
  EXPECT_EQ(late.calls.at(0).synchronise, 0);
  EXPECT_EQ(MemoryOf(late.calls.at(0), Role::kGradInput).first_changed_byte, 0);
}

TEST(WorkerProcess, NullOutPointersAndPhaseTwoAlone) {
  const std::unique_ptr<WorkerProcess> worker = MustStart(Fake("minimal"));
  ASSERT_NE(worker, nullptr);
  Invocation invocation = Small(false);
  invocation.plan.null_workspace_size = true;
  EXPECT_EQ(worker->Run(invocation, kLong).calls.at(0).phase_one, 161001);
  invocation.plan = {};
  invocation.plan.null_executor_out = true;
  EXPECT_EQ(worker->Run(invocation, kLong).calls.at(0).phase_one, 161001);
  invocation.plan = {};
  invocation.plan.phase_two_alone = true;
  const Outcome alone = worker->Run(invocation, kLong);
  EXPECT_EQ(alone.calls.at(0).phase_one, std::nullopt);
  EXPECT_EQ(alone.calls.at(0).phase_two, 161001);
  EXPECT_EQ(alone.calls.at(0).synchronise, 0);
  EXPECT_TRUE(worker->alive());
}

TEST(WorkerProcess, DescriptorsOnlyStopsAfterPhaseOne) {
  const std::unique_ptr<WorkerProcess> worker = MustStart(Fake("minimal", "crash-two"));
  ASSERT_NE(worker, nullptr);
  Invocation invocation = Small(true);
  invocation.plan.descriptors_only = true;
  for (TensorArgument& tensor : invocation.calls[0].tensors) {
    tensor.bytes.clear();
    tensor.shape = {1, 1 << 20, 1 << 20, 1 << 20};
    tensor.storage_dims = tensor.shape;
  }
  const Outcome outcome = worker->Run(invocation, kLong);
  ASSERT_EQ(outcome.end, End::kReturned);
  EXPECT_EQ(outcome.calls.at(0).phase_one, 0);
  EXPECT_EQ(outcome.calls.at(0).phase_two, std::nullopt);
  EXPECT_EQ(outcome.calls.at(0).memory, (std::array<MemoryFacts, kRoleCount>()));
}

TEST(WorkerProcess, UnsetExecutorEndsTheCall) {
  const std::unique_ptr<WorkerProcess> worker = MustStart(Fake("minimal", "no-executor"));
  ASSERT_NE(worker, nullptr);
  const Outcome outcome = worker->Run(Small(false), kLong);
  ASSERT_EQ(outcome.end, End::kReturned);
  EXPECT_EQ(outcome.calls.at(0).phase_one, 0);
  EXPECT_FALSE(outcome.calls.at(0).executor_set);
  EXPECT_EQ(outcome.calls.at(0).phase_two, std::nullopt);
}

TEST(WorkerProcess, OperatorThatIsNotOfferedIsAHarnessOutcome) {
  const std::unique_ptr<WorkerProcess> worker = MustStart(Fake("minimal"));
  ASSERT_NE(worker, nullptr);
  Invocation invocation = Small(false);
  invocation.calls[0].op = Operator::kAdaptiveMaxPool3dBackward;
  invocation.calls[0].lists.clear();
  EXPECT_EQ(worker->Run(invocation, kLong).end, End::kHarness);
}

TEST(WorkerProcess, FailedAllocationNamesItself) {
  const std::unique_ptr<WorkerProcess> worker = MustStart(Fake("minimal", "no-memory"));
  ASSERT_NE(worker, nullptr);
  Invocation invocation;
  invocation.calls = {SmallCall(false, 400)};
  const Outcome outcome = worker->Run(invocation, kLong);
  EXPECT_EQ(outcome.end, End::kHarness);
  EXPECT_EQ(outcome.detail, "aclrtMalloc of 2112 bytes for self returned 207001");
}

TEST(WorkerProcess, RepeatsAndThreads) {
  const std::unique_ptr<WorkerProcess> worker = MustStart(Fake("full"));
  ASSERT_NE(worker, nullptr);
  Invocation invocation;
  invocation.calls = {SmallCall(false), SmallCall(true)};
  invocation.plan.repeat = 3;
  invocation.plan.threads = 4;
  invocation.plan.deterministic = true;
  invocation.plan.settle_ms = 1;
  const Outcome outcome = worker->Run(invocation, kLong);
  EXPECT_EQ(outcome.calls.size(), 24U);
  ExpectRight(outcome);
  EXPECT_EQ(outcome.detail, "");

  const std::unique_ptr<WorkerProcess> without = MustStart(Fake("minimal"));
  ASSERT_NE(without, nullptr);
  EXPECT_EQ(without->Run(invocation, kLong).detail, "deterministic option not exported");
  invocation.plan.threads = 0;
  EXPECT_EQ(without->Run(invocation, kLong).end, End::kHarness);
}

TEST(WorkerProcess, LargeOperandsTravel) {
  const std::unique_ptr<WorkerProcess> worker = MustStart(Fake("minimal"));
  ASSERT_NE(worker, nullptr);
  Invocation invocation;
  invocation.calls = {SmallCall(false, 5'000'000)};
  const Outcome outcome = worker->Run(invocation, kLong);
  ASSERT_EQ(outcome.end, End::kReturned) << outcome.detail;
  const auto& output = outcome.calls.at(0).outputs[static_cast<std::size_t>(Role::kGradInput)];
  ASSERT_EQ(output.size(), 20'000'000U);
  EXPECT_TRUE(std::equal(output.begin(), output.begin() + 16, ExpectedOutput().begin()));
  EXPECT_TRUE(std::all_of(output.begin() + 16, output.end(),
                          [](std::byte b) { return b == std::byte{0}; }));
}

// Streams that copies hold up: outputs are looked at by then, and mostly unchanged.
TEST(WorkerProcess, WorkIsLookedForWhileItsStreamIsHeldUp) {
  Invocation invocation = Small(true);
  invocation.plan.look = Look::kHeld;
  const auto run = [&](const char* library, const std::string& fault) {
    const std::unique_ptr<WorkerProcess> worker = MustStart(Fake(library, fault));
    if (worker == nullptr) return CallOutcome();
    const Outcome outcome = worker->Run(invocation, kLong);
    EXPECT_EQ(outcome.end, End::kReturned) << outcome.detail;
    return outcome.calls.empty() ? CallOutcome() : outcome.calls.front();
  };
  // A busy machine looks too late now and then.
  const auto run_held = [&](const std::string& fault) {
    CallOutcome outcome;
    for (int attempt = 0; attempt < 50 && outcome.held_looks == 0; ++attempt) {
      outcome = run("full", fault);
    }
    return outcome;
  };
  const CallOutcome kept = run_held("asynchronous");
  EXPECT_GT(kept.held_looks, 0U);
  EXPECT_EQ(kept.written_early, std::nullopt);
  const CallOutcome elsewhere = run_held("elsewhere");
  EXPECT_GT(elsewhere.held_looks, 0U);
  EXPECT_EQ(elsewhere.written_early, Role::kGradInput);
  // The result is still right.
  for (const CallOutcome* call : {&kept, &elsewhere}) {
    EXPECT_EQ(call->outputs[static_cast<std::size_t>(Role::kGradInput)], ExpectedOutput());
  }
  // What is written before phase two is no matter of its stream.
  const CallOutcome before = run("full", "write-in-phase-one");
  EXPECT_TRUE(before.phase_one_wrote);
  EXPECT_EQ(before.written_early, std::nullopt);
  // Copies that are done at once hold nothing up: no more of them are made than it takes to see it.
  // Some libraries have none.
  EXPECT_EQ(run("full", "few-copies").held_looks, 0U);
  EXPECT_EQ(run("full", "").held_looks, 0U);
  EXPECT_EQ(run("minimal", "").held_looks, 0U);
}

TEST(WorkerProcess, OutputsAreLookedAtOnceTheirStreamIsSynchronised) {
  Invocation invocation;
  invocation.calls.assign(4, SmallCall(true));
  invocation.plan.look = Look::kAfter;
  invocation.plan.order = Order::kFifo;
  invocation.plan.settle_ms = 150;
  const auto late = [&](const std::string& fault, bool awaits_device) {
    invocation.awaits_device = awaits_device;
    const std::unique_ptr<WorkerProcess> worker = MustStart(Fake("full", fault));
    if (worker == nullptr) return 0;
    const Outcome outcome = worker->Run(invocation, kLong);
    EXPECT_EQ(outcome.end, End::kReturned) << outcome.detail;
    int count = 0;
    for (const CallOutcome& call : outcome.calls) count += call.written_late.has_value() ? 1 : 0;
    return count;
  };
  EXPECT_EQ(late("asynchronous", false), 0);
  EXPECT_EQ(late("", false), 0);
  // A caller that asks where work is done does not wait for all of it.
  for (const bool awaits_device : {false, true}) EXPECT_GT(late("late", awaits_device), 2);
}

TEST(WorkerProcess, GrowthIsMeasured) {
  Invocation invocation = Small(true);
  invocation.plan.growth_calls = 60;
  const std::unique_ptr<WorkerProcess> steady = MustStart(Fake("minimal"));
  ASSERT_NE(steady, nullptr);
  const auto least = [](const Outcome& outcome) {
    const ProcessFacts::Gains& gains = outcome.process.resident_gain;
    return *std::min_element(gains.begin(), gains.end());
  };
  EXPECT_LT(least(steady->Run(invocation, kLong)), 64 << 10);
  const std::unique_ptr<WorkerProcess> leaking = MustStart(Fake("minimal", "leak"));
  ASSERT_NE(leaking, nullptr);
  const Outcome outcome = leaking->Run(invocation, kLong);
  EXPECT_EQ(outcome.end, End::kReturned);
  // Sanitizers tell what is in use, not what is resident.
  const auto total = [](const ProcessFacts::Gains& gains) {
    return std::accumulate(gains.begin(), gains.end(), std::int64_t{0});
  };
  EXPECT_GT(std::max(total(outcome.process.resident_gain), total(outcome.process.heap_gain)),
            3 << 20);
  EXPECT_EQ(outcome.process.device_gain, ProcessFacts::Gains());
  EXPECT_EQ(outcome.process.runs_otherwise, 0);
  // 31 calls are carried out: the first, 20 or more before memory is watched, and at most 10 of
  // the 60.
  const std::unique_ptr<WorkerProcess> tiring = MustStart(Fake("minimal", "refuse-after-31"));
  ASSERT_NE(tiring, nullptr);
  EXPECT_GE(tiring->Run(invocation, kLong).process.runs_otherwise, 50);
}

// A pool that takes thousands of calls to fill is no leak.
TEST(WorkerProcess, LargePoolsAreFilledBeforeMemoryIsWatched) {
  Invocation invocation = Small(true);
  invocation.plan.growth_calls = 60;
  const auto least = [&] {
    const std::unique_ptr<WorkerProcess> worker = MustStart(Fake("minimal", "pool-of-3000"));
    if (worker == nullptr) return std::int64_t{-1};
    const ProcessFacts process = worker->Run(invocation, kLong).process;
    const auto least_of = [](const ProcessFacts::Gains& gains) {
      return *std::min_element(gains.begin(), gains.end());
    };
    return std::max(least_of(process.heap_gain), least_of(process.resident_gain));
  };
  EXPECT_LT(least(), 1 << 10);
  invocation.fills_pools = false;
  EXPECT_GE(least(), 15 << 10);
}

// What is waited for before outputs are read is not waited for where none are.
TEST(WorkerProcess, CallsOverWhichMemoryIsWatchedDoNotSettle) {
  Invocation invocation = Small(true);
  invocation.plan.settle_ms = 1000;
  invocation.plan.growth_calls = 600;
  const std::unique_ptr<WorkerProcess> worker = MustStart(Fake("minimal"));
  ASSERT_NE(worker, nullptr);
  EXPECT_EQ(worker->Run(invocation, kLong).end, End::kReturned);
}

TEST(WorkerProcess, ChangesOfTheProcessAreSeen) {
  struct Row {
    const char* fault;
    ProcessFacts facts;
    bool goes_on;        // the worker
    ProcessFacts again;  // by the next call, where it does
  };
  ProcessFacts descriptors;
  descriptors.file_descriptors_changed = true;
  ProcessFacts spent = descriptors;
  spent.spent = true;
  ProcessFacts environment;
  environment.floating_point_environment_changed = true;
  ProcessFacts handlers;
  handlers.signal_handlers_changed = true;
  ProcessFacts directory;
  directory.working_directory_changed = true;
  const std::vector<Row> rows = {{"close-low", spent, false, {}},
                                 {"close-stdio", spent, false, {}},
                                 {"leak-descriptor", descriptors, true, descriptors},
                                 {"sticky-leak", descriptors, false, {}},
                                 {"open-once", {}, true, {}},
                                 {"rounding", environment, true, environment},
                                 {"mask", handlers, true, handlers},
                                 {"handler", handlers, true, {}},
                                 {"handler-once", {}, true, {}},
                                 {"directory", directory, true, {}}};
  for (const Row& row : rows) {
    const std::unique_ptr<WorkerProcess> worker = MustStart(Fake("minimal", row.fault));
    ASSERT_NE(worker, nullptr);
    EXPECT_EQ(worker->Run(Small(false), kLong).process, ProcessFacts()) << row.fault;
    const Outcome outcome = worker->Run(Small(true), kLong);
    EXPECT_EQ(outcome.end, End::kReturned) << row.fault << " " << outcome.detail;
    EXPECT_EQ(outcome.process, row.facts) << row.fault;
    EXPECT_EQ(worker->alive(), row.goes_on) << row.fault;
    if (!row.goes_on) continue;
    EXPECT_EQ(worker->Run(Small(true), kLong).process, row.again) << row.fault;
    EXPECT_EQ(worker->Run(Small(false), kLong).process, ProcessFacts()) << row.fault;
  }
}

// Files that stay open cost no worker, until later calls might come to lack them.
TEST(WorkerProcess, ALibraryThatLeavesFilesOpenSpendsAWorkerInTheEnd) {
  const std::unique_ptr<WorkerProcess> worker = MustStart(Fake("minimal", "leak-descriptor"));
  ASSERT_NE(worker, nullptr);
  int calls = 0;
  for (; worker->alive() && calls < 128; ++calls) {
    const Outcome outcome = worker->Run(Small(true), kLong);
    ASSERT_EQ(outcome.end, End::kReturned);
    EXPECT_TRUE(outcome.process.file_descriptors_changed) << calls;
    EXPECT_EQ(outcome.process.spent, !worker->alive()) << calls;
  }
  EXPECT_FALSE(worker->alive());
  EXPECT_GT(calls, 20);
}

TEST(WorkerProcess, ClosedProtocolIsTheLibrarysDoing) {
  const Outcome outcome = Provoke("close-all");
  EXPECT_EQ(outcome.end, End::kExited);
  EXPECT_TRUE(outcome.process.file_descriptors_changed);
  EXPECT_THAT(outcome.detail, HasSubstr("does not own"));
}

TEST(WorkerProcess, NoiseOnTheProtocolIsNoAnswer) {
  const Outcome outcome = Provoke("scribble");
  EXPECT_EQ(outcome.end, End::kCorrupted);
  EXPECT_THAT(outcome.detail, HasSubstr("are not the start of a frame"));
}

// --- Isolation -----------------------------------------------------------------------------------

TEST(WorkerProcess, OutlivesTheThreadThatStartedIt) {
  std::unique_ptr<WorkerProcess> worker;
  std::thread([&] { worker = MustStart(Fake("minimal")); }).join();
  ASSERT_NE(worker, nullptr);
  std::this_thread::sleep_for(milliseconds(50));
  ExpectRight(worker->Run(Small(true), kLong));
}

TEST(WorkerProcess, ManyThreadsHaveTheirOwn) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([i] {
      for (int round = 0; round < 3; ++round) {
        const std::string fault = (i + round) % 3 == 0 ? "crash-two" : "";
        const std::unique_ptr<WorkerProcess> worker = MustStart(Fake("minimal", fault));
        if (worker == nullptr) return;
        for (int call = 0; call < 30; ++call) {
          EXPECT_EQ(worker->Run(Small(false), kLong).end, End::kReturned);
        }
        EXPECT_EQ(worker->Run(Small(true), kLong).end,
                  fault.empty() ? End::kReturned : End::kSignalled);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(WorkerProcess, LeavesNoDescriptorBehind) {
  const auto count = [] {
    int open = 0;
    for (int fd = 0; fd < 512; ++fd) open += ::fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
    return open;
  };
  { MustStart(Fake("minimal")); }
  const int before = count();
  for (int i = 0; i < 3; ++i) {
    const std::unique_ptr<WorkerProcess> worker = MustStart(Fake("minimal", "crash-two"));
    ASSERT_NE(worker, nullptr);
    worker->Run(Small(true), kLong);
  }
  EXPECT_EQ(count(), before);
}

// Run by the test below, in a process of its own.
TEST(WorkerProcessVictim, DISABLED_HangsInACall) {
  Implementation implementation = Fake("minimal", "hang-two");
  const std::unique_ptr<WorkerProcess> worker = MustStart(implementation);
  ASSERT_NE(worker, nullptr);
  worker->Run(Small(true), kLong);
}

TEST(WorkerProcess, DoesNotOutliveAKilledRunner) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("poolproof_pid_" + std::to_string(::getpid()));
  std::filesystem::remove(file);
  const pid_t runner = ::fork();
  if (runner == 0) {
    ::setenv("FAKE_PID_FILE", file.c_str(), 1);
    ::execl("/proc/self/exe", "runner_test", "--gtest_filter=WorkerProcessVictim.*",
            "--gtest_also_run_disabled_tests", nullptr);
    ::_exit(127);
  }
  pid_t worker = 0;
  for (int i = 0; i < 3000 && worker == 0; ++i) {
    std::string line;
    std::ifstream stream(file);
    // The line is whole once it ends.
    if (std::getline(stream, line) && !stream.eof()) worker = std::stoi(line);
    std::this_thread::sleep_for(milliseconds(10));
  }
  ASSERT_GT(worker, 0);
  EXPECT_EQ(::kill(worker, 0), 0);
  ::kill(runner, SIGKILL);
  ::waitpid(runner, nullptr, 0);
  // A zombie whose new parent has not collected it yet is dead, too.
  const auto is_dead = [worker] {
    std::ifstream stat("/proc/" + std::to_string(worker) + "/stat");
    std::string line;
    if (!std::getline(stat, line)) return true;
    const std::size_t end = line.rfind(')');
    return end == std::string::npos || line.substr(end, 3) == ") Z" || line.substr(end, 3) == ") X";
  };
  for (int i = 0; i < 1000 && !is_dead(); ++i) std::this_thread::sleep_for(milliseconds(10));
  EXPECT_TRUE(is_dead());
  std::filesystem::remove(file);
}

// The runner may leave a worker before it has read that a call spoilt it.
TEST(WorkerProgram, EndsWithTheRunnerAfterACallThatSpoiltTheProcess) {
  std::array<int, 2> ends;
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  UniqueFd ours(ends[0]);
  UniqueFd theirs(ends[1]);
  const Result<SharedProgress> progress = SharedProgress::Create();
  ASSERT_TRUE(progress.ok());
  const Implementation fake = Fake("minimal", "close-low");
  const Result<Spawned> worker =
      Spawn({WORKER_PROGRAM, WorkerEnvironment(fake, std::nullopt), theirs.get(), progress->fd()});
  ASSERT_TRUE(worker.ok());
  theirs.Reset();

  FrameReader reader(kMaxFrameBytes);
  ASSERT_TRUE(
      SendFrame(ours.get(), Encode(OpenRequest{fake.libraries, fake.open, 0}), kNoDeadline).ok());
  ASSERT_TRUE(ReceiveFrame(reader, ours.get(), kNoDeadline).ok());
  std::vector<std::byte> message = Encode(Small(true));
  AppendNumber(1, message);
  ASSERT_TRUE(SendFrame(ours.get(), message, kNoDeadline).ok());
  Result<std::vector<std::byte>> answer = ReceiveFrame(reader, ours.get(), kNoDeadline);
  ASSERT_TRUE(answer.ok());
  std::span<const std::byte> bytes = *answer;
  EXPECT_EQ(TakeNumber(bytes), 1U);
  const Result<Outcome> outcome = DecodeOutcome(bytes);
  ASSERT_TRUE(outcome.ok());
  ASSERT_TRUE(EndsWorker(*outcome));

  ours.Reset();
  int status = 0;
  ASSERT_EQ(::waitpid(worker->pid, &status, 0), worker->pid);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace poolproof
