// SPDX-License-Identifier: Apache-2.0
//
// fuzz_seeds FOLDER PROJECT: writes what the fuzz targets start from, made of the corpus:
// FOLDER/<target>/, a file per seed, and the words that they, the schemas and the documents are
// made of: FOLDER/<target>.dict. Checked-in seeds (fuzz/seeds) are those that follow from nothing.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "conformance/case/case_json.h"
#include "conformance/case/case_text.h"
#include "conformance/corpus/corpus.h"
#include "conformance/corpus/embedded_corpus.h"
#include "conformance/exchange/problem_set.h"
#include "conformance/judge/judge.h"
#include "conformance/plan/plan_file.h"
#include "conformance/result/shard_record_json.h"
#include "conformance/session/build_invocation.h"
#include "conformance/session/journal.h"
#include "conformance/wire/codec.h"
#include "core/random.h"
#include "fuzz/questions.h"

namespace poolproof {
namespace {

namespace fs = std::filesystem;

// Inputs of messages and records stay short; those of operators may be as large as the vectors are.
constexpr std::size_t kShort = 4096;
constexpr std::size_t kLong = 16384;

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

// The words of a dictionary, found in texts.
class Words {
 public:
  void Add(std::string_view word) {
    constexpr std::size_t kLongest = 40;
    if (!word.empty() && word.size() <= kLongest) words_.emplace(word);
  }

  // Whatever the text is: JSON, JSON by lines, or a case line; else nothing.
  void AddText(std::string_view text) {
    if (text.starts_with(kCaseStart)) return AddCaseLine(text);
    const auto whole = nlohmann::json::parse(text, nullptr, false);
    if (!whole.is_discarded()) return AddJson(whole);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const auto line = nlohmann::json::parse(text.substr(at, end - at), nullptr, false);
      if (!line.is_discarded()) AddJson(line);
      at = end + 1;
    }
  }

  // Names of members and words that are allowed.
  void AddSchema(const nlohmann::json& schema) {
    if (schema.is_array()) {
      for (const auto& item : schema) AddSchema(item);
    }
    if (!schema.is_object()) return;
    for (const auto& [key, value] : schema.items()) {
      if (key == "properties") {
        for (const auto& [name, unused] : value.items()) AddQuoted(name);
      }
      if (key == "enum" || key == "const") AddJson(value);
      AddSchema(value);
    }
  }

  // What a document sets in backquotes.
  void AddDocument(std::string_view text) {
    bool quoted = false;
    for (std::size_t at = 0; at < text.size(); quoted = !quoted) {
      const std::size_t end = std::min(text.find('`', at), text.size());
      if (quoted) Add(text.substr(at, end - at));
      at = end + 1;
    }
  }

  void AddQuoted(std::string_view word) { Add('"' + std::string(word) + '"'); }

  // As libFuzzer and AFL++ read it; empty if there are no words.
  [[nodiscard]] std::string Dictionary() const {
    std::string text;
    for (const std::string& word : words_) {
      text += '"';
      for (const char c : word) {
        if (c < ' ' || c > '~' || c == '"' || c == '\\') {
          constexpr std::string_view kDigits = "0123456789abcdef";
          const auto byte = static_cast<unsigned char>(c);
          text.append({'\\', 'x', kDigits[byte / 16], kDigits[byte % 16]});
        } else {
          text += c;
        }
      }
      text += "\"\n";
    }
    return text;
  }

 private:
  static constexpr std::string_view kCaseStart = "pp1:";

  void AddJson(const nlohmann::json& value) {
    if (value.is_array()) {
      for (const auto& item : value) AddJson(item);
    } else if (value.is_object()) {
      for (const auto& [key, item] : value.items()) {
        AddQuoted(key);
        AddJson(item);
      }
    } else if (value.is_string()) {
      const auto& text = value.get_ref<const std::string&>();
      if (text.starts_with(kCaseStart)) return AddCaseLine(text);
      if (text.find(' ') == std::string::npos && !IsNumber(text)) AddQuoted(text);
    }
  }

  void AddCaseLine(std::string_view line) {
    constexpr std::string_view kBorders = ":;|,[]{}<>!+";
    for (std::size_t at = 0; at < line.size();) {
      const std::size_t end = std::min(line.find_first_of(kBorders, at), line.size());
      std::string_view piece = line.substr(at, end - at);
      at = end + 1;
      if (const std::size_t equals = piece.find('='); equals != std::string_view::npos) {
        if (!IsNumber(piece.substr(0, equals))) Add(piece.substr(0, equals + 1));
        if (kLetters.find(piece.back()) != std::string_view::npos) Add(piece);
        piece.remove_prefix(equals + 1);
      }
      piece = piece.substr(0, piece.find('.'));  // a seed or a value follows
      if (!IsNumber(piece)) Add(piece);
    }
  }

  // Hexadecimal digits alone.
  static bool IsNumber(std::string_view text) {
    return text.find_first_not_of("0123456789abcdef-") == std::string_view::npos;
  }

  std::set<std::string, std::less<>> words_;
};

class Seeds {
 public:
  explicit Seeds(fs::path folder) : folder_(std::move(folder)) {}

  void Add(std::string_view target, std::string name, std::string_view bytes) {
    for (char& c : name) {
      if (c == '/') c = '.';
    }
    Write(folder_ / target / name, bytes);
    words(target).AddText(bytes);
    ++count_;
  }
  void Add(std::string_view target, const std::string& name, std::span<const std::byte> bytes) {
    Write(folder_ / target / name,
          std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    ++count_;
  }

  Words& words(std::string_view target) { return words_[std::string(target)]; }
  void WriteDictionaries() {
    for (const auto& [target, words] : words_) {
      const std::string text = words.Dictionary();
      if (!text.empty()) Write(folder_ / (target + ".dict"), text);
    }
  }

  [[nodiscard]] const fs::path& failed() const { return failed_; }
  [[nodiscard]] int count() const { return count_; }

 private:
  void Write(const fs::path& path, std::string_view bytes) {
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    std::ofstream stream(path, std::ios::binary);
    stream << bytes;
    stream.close();
    if (!stream) failed_ = path;
  }

  fs::path folder_;
  fs::path failed_;
  std::map<std::string, Words> words_;
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
CaseResult SomeResult(const NamedCase& named, std::int64_t number) {
  JudgeContext context;
  context.spec = &Spec::Embedded();
  Outcome outcome;
  outcome.calls.resize(named.problem.calls.size());
  for (CallOutcome& call : outcome.calls) {
    call.reached = Phase::kDone;
    call.phase_one = 161002;
    call.message = "a message";
  }
  const PreparedCase prepared = Prepare(context.rules(), named.problem).value();
  return MakeCaseResult(*context.spec, number, named, prepared, "returned", End::kReturned,
                        Judge(context, prepared, outcome));
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
  CaseResult result = SomeResult(named, number);
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
  plan.options.profile = plan.profile;
  plan.options.campaign = true;
  plan.options.cases = 100;
  plan.options.deadline = std::chrono::milliseconds(1000);
  plan.options.time = std::chrono::milliseconds(500);
  plan.options.stop_after = 3;
  plan.options.filter = "*/corpus/*";
  plan.options.case_file_cases = {Corpus().front().problem};
  seeds.Add("plan", "everything", PlanFileText(plan));
}

void AddProblems(Seeds& seeds) {
  ProblemSet set;
  seeds.Add("problems", "none", ProblemSetText(set));
  NamedCase named = Corpus().front().problem;
  named.clause = "MP3-B01";
  named.base = std::string(InfoOf(Operator{}).name) + "/accepted/f32-i32-batched-contiguous";
  set.problems.push_back({Purpose::kProbe, 0, named, std::string(64, 'a')});
  set.problems.push_back({Purpose::kCase, 7, named, std::string(64, 'b')});
  set.left_out.push_back({8, named.Path(), "it needs several threads"});
  seeds.Add("problems", "some", ProblemSetText(set));
}

// Behind the number of its question, each honest answer.
void AddAnswers(Seeds& seeds) {
  for (std::size_t i = 0; i < Questions().size(); ++i) {
    std::vector<std::byte> answer = Encode(HonestAnswer(Questions()[i]));
    answer.insert(answer.begin(), static_cast<std::byte>(i));
    seeds.Add("answers", "honest-" + std::to_string(i), answer);
  }
}

// For targets that read choices: any bytes will do.
void AddBytes(Seeds& seeds) {
  for (std::uint64_t i = 0; i < 32; ++i) {
    std::string bytes(48 + 16 * i, '\0');
    for (std::size_t k = 0; k < bytes.size(); ++k) bytes[k] = static_cast<char>(RandomBits(i, k));
    for (const std::string_view target : {"differential", "host_abi", "answers"}) {
      seeds.Add(target, "bytes-" + std::to_string(i), bytes);
    }
  }
}

// --- Dictionaries
// ---------------------------------------------------------------------------------

std::string Read(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

// Where the words of a target are found, beside its seeds: schemas poolproof-<schema>-N, a
// document, and a folder of further JSON.
struct WordSource {
  std::string_view target;
  std::string_view schema;
  std::string_view document;
  std::string_view folder;
};
constexpr WordSource kWordSources[] = {
    {"case", "case", "docs/case-line.md", ""},
    {"case_file", "case", "docs/case-line.md", "fuzz/seeds/case_file"},
    {"differential", "", "docs/case-line.md", ""},
    {"journal", "", "", ""},
    {"manifest", "", "docs/implementations.md", "fuzz/seeds/manifest"},
    {"performance", "performance", "", "tests/reports/golden"},
    {"plan", "plan", "", ""},
    {"problems", "problems", "docs/simulators.md", ""},
    {"record", "", "", ""},
    {"report", "report", "", "tests/reports/golden"},
    {"vectors", "vectors", "", ""},
    {"waivers", "waivers", "docs/waivers.md", "fuzz/seeds/waivers"},
};
constexpr std::string_view kSchemaFolders[] = {"conformance/case", "conformance/corpus",
                                               "conformance/exchange", "reports/schema"};

// Punctuation, and values at the edge of what is read.
constexpr std::string_view kJson[] = {"{",     "}",  "[",    "]",     ":",
                                      ",",     "\"", "true", "false", "\\u0000",
                                      "1e308", "-1", "\n",   "null",  "18446744073709551615"};

// False where a source is not there.
bool AddWords(const WordSource& source, const fs::path& project, Words& words) {
  bool found = source.schema.empty();
  const std::string start = "poolproof-" + std::string(source.schema) + "-";
  std::error_code error;
  for (const std::string_view folder : kSchemaFolders) {
    for (const auto& entry : fs::directory_iterator(project / folder, error)) {
      if (source.schema.empty() || !entry.path().filename().string().starts_with(start)) continue;
      words.AddSchema(nlohmann::json::parse(Read(entry.path()), nullptr, false));
      found = true;
    }
  }
  if (!source.document.empty()) {
    const std::string text = Read(project / source.document);
    words.AddDocument(text);
    found = found && !text.empty();
  }
  if (!source.folder.empty()) {
    int files = 0;
    for (const auto& entry : fs::directory_iterator(project / source.folder, error)) {
      if (entry.path().extension() == ".html") continue;
      words.AddText(Read(entry.path()));
      ++files;
    }
    found = found && files > 0;
  }
  for (const std::string_view word : kJson) words.Add(word);
  for (const OperatorInfo& info : AllOperators()) {
    words.Add("pp1:" + std::string(info.name) + ":self=");
    words.AddQuoted(info.name);
  }
  return found;
}

void AddMessageWords(Seeds& seeds) {
  // A frame's start with a length; a message's numbers and kinds.
  for (const std::string_view length : {std::string_view("\0", 1), std::string_view("\1", 1),
                                        std::string_view("@", 1), std::string_view("\xff", 1)}) {
    const char fill = length == "\xff" ? '\xff' : '\0';
    const std::string number = std::string(length) + std::string(7, fill);
    seeds.words("frames").Add("PPF1" + number);
    seeds.words("wire").Add(number);
  }
  for (const std::string_view kind : {"\x11", "\x12", "\x13", "\x14"})
    seeds.words("wire").Add(kind);
  for (const OperatorInfo& info : AllOperators()) seeds.words("wire").Add(info.name);
}

int Run(const char* folder, const fs::path& project) {
  Seeds seeds(folder);
  AddBytes(seeds);
  AddAnswers(seeds);
  std::int64_t number = 0;
  for (const Vector& vector : Corpus()) AddCase(vector.problem, number++, seeds);
  OpenReply reply;
  reply.detail = "why";
  reply.probe.operators = {std::string(InfoOf(Operator{}).name)};
  seeds.Add("wire", "open-reply", Encode(reply));
  seeds.Add("wire", "open-request",
            Encode(OpenRequest{{"a.so", "b.so"}, OpenMode::kLazyGlobal, 1}));
  AddVectors(seeds);
  AddPlans(seeds);
  AddProblems(seeds);
  AddMessageWords(seeds);
  for (const WordSource& source : kWordSources) {
    if (AddWords(source, project, seeds.words(source.target))) continue;
    std::fprintf(stderr, "fuzz_seeds: '%s' lacks what the words of target %s are taken from\n",
                 project.c_str(), std::string(source.target).c_str());
    return 2;
  }
  for (const Clause& clause : Spec::Embedded().clauses()) {
    for (const std::string_view target : {"report", "waivers", "vectors"}) {
      seeds.words(target).AddQuoted(clause.id);
    }
  }
  seeds.WriteDictionaries();
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
  if (argc != 3) {
    std::fprintf(stderr, "usage: fuzz_seeds FOLDER PROJECT\n");
    return 2;
  }
  return poolproof::Run(argv[1], argv[2]);
}
