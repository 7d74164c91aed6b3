// SPDX-License-Identifier: Apache-2.0
#include "conformance/exchange/answer_files.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <system_error>
#include <utility>

#include "conformance/exchange/problem_files.h"
#include "conformance/json/json_reader.h"
#include "conformance/json/strict_json.h"
#include "conformance/result/ending.h"
#include "conformance/result/outcome_check.h"
#include "conformance/spec/operators.h"
#include "core/enum_names.h"

namespace poolproof {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::uintmax_t kMostTextBytes = std::uintmax_t{16} << 20;
constexpr std::size_t kMostName = 200;

// By Phase.
constexpr std::array<std::string_view, 5> kPhases = {"set-up", "phase-one", "phase-two",
                                                     "synchronise", "read-back"};

// Size of a regular file; nullopt where there is none of this name. errors: for what is no file.
Result<std::optional<std::uintmax_t>> SizeOf(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) return std::optional<std::uintmax_t>();
  if (status.type() != fs::file_type::regular) {
    return InvalidArgument(path.string() + ": not a file that can be read");
  }
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) return InvalidArgument(path.string() + ": " + error.message());
  return std::optional(size);
}

Status ReadBytes(const fs::path& path, std::span<std::byte> bytes) {
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (file.gcount() == static_cast<std::streamsize>(bytes.size())) return OkStatus();
  return InvalidArgument(path.string() + ": it cannot be read");
}

// nullopt where there is no such file.
Result<std::optional<Json>> ReadJson(const fs::path& path) {
  const Result<std::optional<std::uintmax_t>> size = SizeOf(path);
  if (!size.ok()) return size.status();
  if (!*size) return std::optional<Json>();
  if (**size > kMostTextBytes) {
    return InvalidArgument(path.string() + ": " + std::to_string(**size) + " bytes are more than " +
                           std::to_string(kMostTextBytes));
  }
  std::string text(static_cast<std::size_t>(**size), '\0');
  if (Status status = ReadBytes(path, std::as_writable_bytes(std::span(text))); !status.ok()) {
    return status;
  }
  Result<Json> json = ParseStrictJson<Json>(text);
  if (!json.ok()) return json.status().Annotate(path.string());
  return std::optional(std::move(json).value());
}

std::optional<std::int32_t> ReadStatus(const JsonReader& at, std::string_view member) {
  const std::optional<JsonReader> found = at.Find(member);
  if (!found || found->json().is_null()) return std::nullopt;
  return static_cast<std::int32_t>(found->Int64(std::numeric_limits<std::int32_t>::min(),
                                                std::numeric_limits<std::int32_t>::max()));
}

CallOutcome ReadCall(const JsonReader& at) {
  at.NoOtherMembers(
      {"phase_one", "phase_two", "synchronise", "workspace_size", "executor", "message"});
  CallOutcome call;
  call.reached = Phase::kDone;
  call.phase_one = ReadStatus(at, "phase_one");
  call.phase_two = ReadStatus(at, "phase_two");
  call.synchronise = ReadStatus(at, "synchronise");
  const bool accepted = call.phase_one == 0;
  call.workspace_size_set = accepted;
  call.executor_set = accepted;
  if (const auto size = at.Find("workspace_size")) {
    call.workspace_size_set = !size->json().is_null();
    if (call.workspace_size_set) call.workspace_size = size->Unsigned();
  }
  if (const auto executor = at.Find("executor")) call.executor_set = executor->Bool();
  if (const auto message = at.Find("message")) {
    const bool failed = call.phase_one.value_or(0) != 0 || call.phase_two.value_or(0) != 0 ||
                        call.synchronise.value_or(0) != 0;
    std::string text = message->String();
    if (failed) call.message = text.substr(0, kMostMessageBytes);
  }
  return call;
}

// Of calls that did not return.
void ReadEnd(const JsonReader& at, std::size_t calls, Outcome& outcome) {
  at.NoOtherMembers({"how", "number", "call", "phase"});
  outcome.end = at.At("how").Enum(
      [](std::string_view word) {
        const std::optional<End> end = ParseEnd(word);
        const bool told =
            end && *end != End::kReturned && *end != End::kCorrupted && *end != End::kHarness;
        return told ? end : std::nullopt;
      },
      "signalled, exited, timed-out, out-of-memory or threw");
  if (outcome.end == End::kSignalled) outcome.signal = at.At("number").Int(1);
  if (outcome.end == End::kExited) {
    outcome.exit_code = at.At("number").Int(std::numeric_limits<int>::min());
  }
  outcome.ended_at_call =
      static_cast<std::size_t>(at.At("call").Int64(0, static_cast<std::int64_t>(calls) - 1));
  outcome.ended_in =
      at.At("phase").Enum([](std::string_view word) { return ParseEnum<Phase>(kPhases, word); },
                          "set-up, phase-one, phase-two, synchronise or read-back");
}

std::optional<std::int64_t> FirstDifference(std::span<const std::byte> a,
                                            std::span<const std::byte> b) {
  const auto [place, other] = std::mismatch(a.begin(), a.end(), b.begin());
  if (place == a.end()) return std::nullopt;
  return place - a.begin();
}

class AnswerReader {
 public:
  AnswerReader(const fs::path& folder, const Invocation& invocation)
      : folder_(folder), invocation_(invocation) {}

  Result<std::optional<FileAnswer>> Read() {
    const fs::path path = folder_ / kAnswerFile;
    const Result<std::optional<Json>> json = ReadJson(path);
    if (!json.ok()) return json.status();
    if (!*json) return std::optional<FileAnswer>();
    if (Status status = ReadText(**json); !status.ok()) return status.Annotate(path.string());
    if (answer_.outcome.end != End::kReturned) return std::optional(std::move(answer_));
    for (const OperandFile& file : OperandFiles(invocation_)) {
      if (Status status = ReadOperand(file); !status.ok()) return status;
    }
    if (const auto misfit = FindMisfit(ExpectedAnswer(invocation_), answer_.outcome)) {
      return InvalidArgument(path.string() + ": it cannot be the answer: " + misfit->what);
    }
    return std::optional(std::move(answer_));
  }

 private:
  Status ReadText(const Json& json) {
    Status error;
    const JsonReader at(json, error);
    at.NoOtherMembers({"schema", "calls", "ended"});
    at.At("schema").Equals(kAnswerSchema);
    const std::size_t wanted =
        invocation_.calls.size() * static_cast<std::size_t>(invocation_.plan.repeat);
    Outcome& outcome = answer_.outcome;
    if (const auto ended = at.Find("ended")) {
      ReadEnd(*ended, wanted, outcome);
      return error;
    }
    const JsonReader calls = at.At("calls");
    calls.ForEachItem([&](const JsonReader& item) { outcome.calls.push_back(ReadCall(item)); });
    if (outcome.calls.size() != wanted) {
      calls.Fail(std::to_string(outcome.calls.size()) + " calls, expected " +
                 std::to_string(wanted));
    }
    return error;
  }

  Status ReadOperand(const OperandFile& file) {
    CallOutcome& call = answer_.outcome.calls[file.number];
    const auto role = static_cast<std::size_t>(file.argument->role);
    const bool is_output = file.argument->is_output;
    const bool carried_out = call.phase_two == 0 && call.synchronise == 0;
    const fs::path path = folder_ / file.answer_name();
    const Result<std::optional<std::uintmax_t>> size = SizeOf(path);
    if (!size.ok()) return size.status();
    if (*size && **size != file.bytes()) {
      return InvalidArgument(path.string() + ": it has " + std::to_string(**size) +
                             " bytes, expected " + std::to_string(file.bytes()));
    }
    if (!*size && is_output && carried_out) {
      return InvalidArgument(path.string() + ": it is missing, and the call was carried out");
    }
    const std::vector<std::byte> before = ImageOf(invocation_, file);
    std::vector<std::byte> after = before;
    if (*size) {
      if (Status status = ReadBytes(path, after); !status.ok()) return status;
    } else {
      (is_output ? answer_.gave_refused : answer_.gave_inputs) = false;
    }
    const std::span<const std::byte> was(before);
    const std::span<const std::byte> is(after);
    const auto storage = [&](std::span<const std::byte> image) {
      return image.subspan(kFileGuardBytes, file.argument->bytes.size());
    };
    MemoryFacts& facts = call.memory[role];
    facts.guard_before_intact =
        !FirstDifference(was.first(kFileGuardBytes), is.first(kFileGuardBytes));
    facts.guard_after_intact =
        !FirstDifference(was.last(kFileGuardBytes), is.last(kFileGuardBytes));
    if (!is_output || !carried_out) {
      facts.first_changed_byte = FirstDifference(storage(was), storage(is));
    }
    if (is_output) call.outputs[role].assign(storage(is).begin(), storage(is).end());
    return OkStatus();
  }

  const fs::path& folder_;
  const Invocation& invocation_;
  FileAnswer answer_;
};

}  // namespace

Result<Answerer> ReadAnswerer(const fs::path& folder) {
  const fs::path path = folder / kAnswererFile;
  const Result<std::optional<Json>> json = ReadJson(path);
  if (!json.ok()) return json.status();
  Answerer answerer;
  if (!*json) return answerer;
  Status error;
  const JsonReader at(**json, error);
  at.NoOtherMembers({"schema", "implementation", "operators"});
  at.At("schema").Equals(kAnswererSchema);
  if (const auto name = at.Find("implementation")) {
    answerer.implementation = name->String(
        [](std::string_view text) { return !text.empty() && text.size() <= kMostName; },
        "a name of at most 200 bytes");
  }
  if (const auto operators = at.Find("operators")) {
    answerer.operators.emplace();
    for (const JsonReader& item : operators->Items()) {
      const Operator op = item.Enum(ParseOperator, "an operator");
      answerer.operators->emplace_back(InfoOf(op).name);
    }
  }
  if (!error.ok()) return error.Annotate(path.string());
  return answerer;
}

Result<std::optional<FileAnswer>> ReadAnswer(const fs::path& folder, const Invocation& invocation) {
  return AnswerReader(folder, invocation).Read();
}

}  // namespace poolproof
