// SPDX-License-Identifier: Apache-2.0
//
// fuzz_seeds FOLDER: writes what the fuzz targets start from, made of the corpus: FOLDER/<target>/,
// a file per seed. Checked-in seeds (fuzz/seeds) are those that follow from nothing.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/plan_options.h"
#include "conformance/case/case_text.h"
#include "conformance/corpus/corpus.h"
#include "conformance/corpus/embedded_corpus.h"
#include "conformance/judge/judge.h"
#include "conformance/result/shard_record_json.h"
#include "conformance/session/build_invocation.h"
#include "conformance/session/journal.h"
#include "conformance/wire/codec.h"
#include "core/random.h"

namespace poolproof {
namespace {

namespace fs = std::filesystem;

// Inputs of messages and records stay short; those of operators may be as large as the vectors are.
constexpr std::size_t kShort = 4096;
constexpr std::size_t kLong = 16384;

class Seeds {
 public:
  explicit Seeds(fs::path folder) : folder_(std::move(folder)) {}

  void Add(std::string_view target, std::string name, std::string_view bytes) {
    for (char& c : name) {
      if (c == '/') c = '.';
    }
    const fs::path path = folder_ / target / name;
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    std::ofstream stream(path, std::ios::binary);
    stream << bytes;
    stream.close();
    if (!stream) failed_ = path;
    ++count_;
  }
  void Add(std::string_view target, const std::string& name, std::span<const std::byte> bytes) {
    Add(target, name, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }

  [[nodiscard]] const fs::path& failed() const { return failed_; }
  [[nodiscard]] int count() const { return count_; }

 private:
  fs::path folder_;
  fs::path failed_;
  int count_ = 0;
};

// What a worker might have answered: every call done, and nothing read back.
Outcome SomeOutcome(const Case& problem) {
  Outcome outcome;
  for (std::size_t i = 0; i < problem.calls.size(); ++i) {
    CallOutcome call;
    call.reached = Phase::kDone;
    call.phase_one = 0;
    call.phase_two = 0;
    call.synchronise = static_cast<std::int32_t>(i);
    call.workspace_size_set = true;
    call.executor_set = true;
    call.memory[1].first_changed_byte = 3;
    call.memory[3].guard_touch = GuardTouch{-3, Access::kWrite};
    call.outputs[3].resize(5, std::byte{0x3c});
    call.message = "a message";
    outcome.calls.push_back(std::move(call));
  }
  return outcome;
}

// Of a library that refuses everything.
CaseResult SomeResult(const NamedCase& named, std::int64_t number, const Materialized& data) {
  JudgeContext context;
  context.spec = &Spec::Embedded();
  Outcome outcome;
  outcome.calls.resize(named.problem.calls.size());
  for (CallOutcome& call : outcome.calls) {
    call.reached = Phase::kDone;
    call.phase_one = 161002;
    call.message = "a message";
  }
  return MakeCaseResult(*context.spec, number, named, "returned", End::kReturned,
                        Judge(context, named.problem, data, outcome));
}

std::string JournalText(const CaseResult& result) {
  // As Journal writes it, without the checksums.
  nlohmann::ordered_json line = {{"judged", result.number}, {"class", 0}};
  if (result.failed) line["failed"] = FailedCaseToJson(*result.failed);
  const nlohmann::ordered_json kind = {{"class", 0}, {"is", CaseClassToJson(result.kind)}};
  return "{\"begin\":0}\n" + kind.dump() + "\n" + line.dump() + "\n{\"spent_s\":1.5}";
}

std::string RecordText(CaseResult result) {
  ShardRecord record;
  record.cases.push_back({result.number, 0});
  if (result.failed) record.failures.push_back(std::move(*result.failed));
  record.sums = std::move(result.sums);
  record.classes.push_back(std::move(result.kind));
  return ShardRecordToJson(record).dump();
}

void AddCase(const NamedCase& named, std::int64_t number, Seeds& seeds) {
  const std::string name =
      std::string(InfoOf(named.problem.calls.front().op).name) + "." + named.name;
  const std::string line = CaseLine(named.problem);
  if (line.size() > kLong) return;
  seeds.Add("differential", name, line);
  if (line.size() > kShort) return;
  seeds.Add("case", name + ".line", line);
  if (number % 8 == 0) seeds.Add("case", name + ".json", CaseToJson(named.problem).dump());
  const Result<Materialized> data = Materialize(named.problem);
  if (!data.ok() || number % 8 != 0) return;
  const std::vector<std::byte> message = Encode(BuildInvocation(named.problem, *data));
  if (message.size() <= kShort) seeds.Add("wire", name + ".invocation", message);
  seeds.Add("wire", name + ".outcome", Encode(SomeOutcome(named.problem)));
  CaseResult result = SomeResult(named, number, *data);
  const std::string journal = JournalText(result);
  if (journal.size() <= kLong) seeds.Add("journal", name, journal);
  const std::string record = RecordText(std::move(result));
  if (record.size() <= kLong) seeds.Add("record", name, record);
}

// Each file with a few of its vectors.
void AddVectors(Seeds& seeds) {
  constexpr std::size_t kTaken = 3;
  for (const EmbeddedFile& file : EmbeddedCorpus()) {
    std::string text;
    for (const std::string_view chunk : file.chunks) text += chunk;
    nlohmann::ordered_json object = nlohmann::ordered_json::parse(text);
    nlohmann::ordered_json& vectors = object["vectors"];
    for (std::size_t i = 0; i < vectors.size(); i += vectors.size() / kTaken + 1) {
      nlohmann::ordered_json part = object;
      part["vectors"] = {vectors[i]};
      seeds.Add("vectors", std::string(file.name) + "-" + std::to_string(i), part.dump());
    }
  }
}

void AddPlans(Seeds& seeds) {
  PlanFile plan;
  plan.planned = 100;
  plan.shards = 4;
  plan.sha256 = std::string(64, 'a');
  seeds.Add("plan", "run", PlanFileText(plan));
  plan.profile_asked = true;
  plan.options.campaign = true;
  plan.options.cases = 100;
  plan.options.deadline = std::chrono::milliseconds(1000);
  plan.options.time = std::chrono::milliseconds(500);
  plan.options.stop_after = 3;
  plan.options.filter = "*/corpus/*";
  plan.options.case_file_cases = {Corpus().front().problem};
  seeds.Add("plan", "everything", PlanFileText(plan));
}

// For targets that read choices: any bytes will do.
void AddBytes(Seeds& seeds) {
  for (std::uint64_t i = 0; i < 32; ++i) {
    std::string bytes(48 + 16 * i, '\0');
    for (std::size_t k = 0; k < bytes.size(); ++k) bytes[k] = static_cast<char>(RandomBits(i, k));
    for (const std::string_view target : {"differential", "host_abi"}) {
      seeds.Add(target, "bytes-" + std::to_string(i), bytes);
    }
  }
}

int Run(const char* folder) {
  Seeds seeds(folder);
  AddBytes(seeds);
  std::int64_t number = 0;
  for (const Vector& vector : Corpus()) AddCase(vector.problem, number++, seeds);
  OpenReply reply;
  reply.detail = "why";
  reply.probe.operators = {"MaxPool3dWithArgmaxBackward"};
  seeds.Add("wire", "open-reply", Encode(reply));
  seeds.Add("wire", "open-request",
            Encode(OpenRequest{{"a.so", "b.so"}, OpenMode::kLazyGlobal, 1}));
  AddVectors(seeds);
  AddPlans(seeds);
  if (!seeds.failed().empty()) {
    std::fprintf(stderr, "fuzz_seeds: '%s' cannot be written\n", seeds.failed().c_str());
    return 2;
  }
  std::printf("%d seeds\n", seeds.count());
  return 0;
}

}  // namespace
}  // namespace poolproof

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: fuzz_seeds FOLDER\n");
    return 2;
  }
  return poolproof::Run(argv[1]);
}
