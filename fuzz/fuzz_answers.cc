// SPDX-License-Identifier: Apache-2.0
//
// Answers of a worker whose process the library has damaged. The first byte chooses a question; the
// rest is the message that answers it, or choices by which an honest answer is changed. Whatever
// fits its question is judged, and the judge survives it.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "conformance/properties/properties.h"
#include "conformance/result/outcome_check.h"
#include "conformance/wire/codec.h"
#include "fuzz/byte_reader.h"
#include "fuzz/expect.h"
#include "fuzz/questions.h"

namespace poolproof {
namespace {

std::int64_t SomeNumber(ByteReader& bytes) {
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  if (bytes.OneIn(8)) return static_cast<std::int64_t>(bytes.Word());
  return bytes.Of({std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, std::int64_t{15},
                   std::int64_t{96}, std::int64_t{1} << 20, kLeast, kMost});
}

std::optional<std::int32_t> SomeStatus(ByteReader& bytes) {
  return bytes.Of<std::optional<std::int32_t>>({0, std::nullopt, 161001, 161002, 507015, -1});
}

std::string SomeText(ByteReader& bytes) {
  const std::string pieces = bytes.Of<std::string>({"", "text", "\xff\n\x01", "self", "out"});
  return bytes.OneIn(8) ? std::string(5000, 'x') : pieces;
}

void ChangeMemory(ByteReader& bytes, MemoryFacts& facts) {
  switch (bytes.Byte() % 6) {
    case 0:
      facts.guard_before_intact = !facts.guard_before_intact;
      break;
    case 1:
      facts.guard_after_intact = !facts.guard_after_intact;
      break;
    case 5:
      facts.damage_contained = !facts.damage_contained;
      break;
    case 2:
      facts.first_changed_byte = SomeNumber(bytes);
      break;
    case 3:
      facts.guard_touch = GuardTouch{SomeNumber(bytes),
                                     bytes.Of({Access::kUnknown, Access::kRead, Access::kWrite})};
      break;
    default:
      facts = {};
  }
}

void ChangeOutput(ByteReader& bytes, std::vector<std::byte>& output) {
  if (bytes.OneIn(4)) output.resize(bytes.Byte());
  const auto fill = static_cast<std::byte>(bytes.Byte());
  const std::size_t step = 1 + bytes.Byte();
  for (std::size_t at = bytes.Byte(); at < output.size(); at += step) output[at] = fill;
}

void ChangeCall(ByteReader& bytes, CallOutcome& call) {
  switch (bytes.Byte() % 16) {
    case 0:
      call.reached = static_cast<Phase>(bytes.Between(0, static_cast<int>(Phase::kDone)));
      break;
    case 1:
      call.phase_one = SomeStatus(bytes);
      break;
    case 2:
      call.phase_two = SomeStatus(bytes);
      break;
    case 3:
      call.synchronise = SomeStatus(bytes);
      break;
    case 4:
      call.workspace_size_set = !call.workspace_size_set;
      break;
    case 5:
      call.executor_set = !call.executor_set;
      break;
    case 6:
      call.workspace_size = static_cast<std::uint64_t>(SomeNumber(bytes));
      break;
    case 7:
      call.phase_one_wrote = !call.phase_one_wrote;
      call.phase_one_wrote_to = SomeText(bytes);
      break;
    case 8:
      call.guarded = !call.guarded;
      break;
    case 9:
      call.executor_reused = !call.executor_reused;
      break;
    case 10:
      ChangeMemory(bytes, call.workspace);
      break;
    case 11:
      ChangeMemory(bytes, call.memory[static_cast<std::size_t>(bytes.Between(0, kRoleCount - 1))]);
      break;
    case 12:
      call.message = SomeText(bytes);
      break;
    case 13:
      // A refusal that agrees with itself.
      call.phase_one = 161002;
      call.phase_two.reset();
      call.synchronise.reset();
      break;
    default:
      ChangeOutput(bytes, call.outputs[static_cast<std::size_t>(bytes.Between(0, kRoleCount - 1))]);
  }
}

ProcessFacts SomeProcess(ByteReader& bytes) {
  ProcessFacts process;
  for (bool* fact :
       {&process.file_descriptors_changed, &process.floating_point_environment_changed,
        &process.signal_handlers_changed, &process.working_directory_changed, &process.spent}) {
    *fact = bytes.OneIn(2);
  }
  for (ProcessFacts::Gains* gains :
       {&process.heap_gain, &process.resident_gain, &process.device_gain}) {
    for (std::int64_t& gain : *gains) gain = SomeNumber(bytes);
  }
  process.runs_otherwise = SomeNumber(bytes);
  return process;
}

void Change(ByteReader& bytes, Outcome& outcome) {
  if (!outcome.calls.empty() && !bytes.OneIn(4)) {
    return ChangeCall(bytes, outcome.calls[bytes.Byte() % outcome.calls.size()]);
  }
  switch (bytes.Byte() % 10) {
    case 0:
      outcome.end = static_cast<End>(bytes.Between(0, static_cast<int>(End::kHarness)));
      break;
    case 1:
      outcome.signal = static_cast<int>(SomeNumber(bytes));
      break;
    case 2:
      outcome.exit_code = static_cast<int>(SomeNumber(bytes));
      break;
    case 3:
      outcome.ended_at_call = static_cast<std::size_t>(SomeNumber(bytes));
      break;
    case 4:
      outcome.ended_in = static_cast<Phase>(bytes.Between(0, static_cast<int>(Phase::kDone)));
      break;
    case 5:
      outcome.calls.resize(bytes.Byte() % 8);
      break;
    case 6:
      outcome.process = SomeProcess(bytes);
      break;
    case 7:
      outcome.output_tail = SomeText(bytes);
      break;
    case 8:
      outcome.detail = SomeText(bytes);
      break;
    default:
      outcome.reached_edges.push_back(static_cast<std::uint32_t>(SomeNumber(bytes)));
  }
}

void Check(const Question& question, const Outcome& outcome) {
  const std::optional<Misfit> misfit = FindMisfit(ExpectedAnswer(question.invocation), outcome);
  if (misfit) {
    Expect(misfit->call < question.prepared.problem.calls.size(), "a misfit is of no call",
           misfit->what);
    Expect(!misfit->what.empty() && misfit->what.find('\n') == std::string::npos,
           "a misfit is not described in one line", misfit->what);
    return;
  }
  JudgeContext context;
  context.spec = &Spec::Embedded();
  JudgeWithProperties(context, question.prepared, outcome);
}

bool CheckHonestAnswers() {
  for (const Question& question : Questions()) {
    const Outcome honest = HonestAnswer(question);
    const std::optional<Misfit> misfit = FindMisfit(ExpectedAnswer(question.invocation), honest);
    Expect(!misfit, "an honest answer does not fit", misfit ? misfit->what : "");
    Check(question, honest);
  }
  return true;
}

}  // namespace
}  // namespace poolproof

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace poolproof;  // NOLINT(google-build-using-namespace)
  [[maybe_unused]] static const bool checked = CheckHonestAnswers();
  if (size == 0) return 0;
  const Question& question = Questions()[data[0] % Questions().size()];
  const Result<Outcome> message = DecodeOutcome(std::as_bytes(std::span(data + 1, size - 1)));
  if (message.ok()) {
    Check(question, *message);
    return 0;
  }
  ByteReader bytes(data + 1, size - 1);
  Outcome outcome = HonestAnswer(question);
  constexpr int kMostChanges = 24;
  for (int i = 0; i < kMostChanges && !bytes.AtEnd(); ++i) Change(bytes, outcome);
  Check(question, outcome);
  return 0;
}
