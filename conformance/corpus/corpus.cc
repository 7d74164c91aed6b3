// SPDX-License-Identifier: Apache-2.0
#include "conformance/corpus/corpus.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "conformance/case/case_json.h"
#include "conformance/case/case_text.h"
#include "conformance/corpus/embedded_corpus.h"
#include "conformance/json/json_reader.h"
#include "conformance/json/strict_json.h"
#include "core/text.h"

namespace poolproof {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kVectorSchema = "poolproof-vectors/1";

struct VectorFile {
  FlagNotes notes;
  std::vector<Vector> vectors;
};

std::string ReadFilled(const JsonReader& at) {
  return at.String([](std::string_view text) { return !text.empty(); }, "a text that is not empty");
}

// An array of distinct texts that is not empty.
std::vector<std::string> ReadWords(const JsonReader& at) {
  std::vector<std::string> words = at.Strings();
  if (words.empty()) at.Fail("expected an array that is not empty");
  for (const std::string& word : words) {
    if (std::count(words.begin(), words.end(), word) > 1) {
      at.Fail("\"" + word + "\" is given twice");
    }
  }
  return words;
}

// "f32:00000000 3f800000".
Result<std::vector<std::uint32_t>> ParseExpectedWords(std::string_view text, DataType type) {
  const std::string prefix = DataTypeName(type) + ':';
  if (!IsGradientType(type) || !text.starts_with(prefix)) {
    return InvalidArgument("expected hex words after \"" + prefix + "\"");
  }
  text.remove_prefix(prefix.size());
  const auto digits = std::size_t{2} * static_cast<std::size_t>(StorageBytes(type));
  std::vector<std::uint32_t> words;
  while (true) {
    const std::string_view word = text.substr(0, text.find(' '));
    std::uint32_t bits = 0;
    const char* end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, bits, 16);
    if (error != std::errc() || stop != end || word.size() != digits) {
      return InvalidArgument("\"" + std::string(word.substr(0, 60)) + "\" is not a word of " +
                             std::to_string(digits) + " hex digits");
    }
    words.push_back(bits);
    if (word.size() == text.size()) return words;
    text.remove_prefix(word.size() + 1);
  }
}

std::string ExpectedText(const std::vector<std::uint32_t>& words, DataType type) {
  std::vector<std::string> texts;
  texts.reserve(words.size());
  for (const std::uint32_t word : words) {
    texts.push_back(HexText(word, std::size_t{2} * static_cast<std::size_t>(StorageBytes(type))));
  }
  return DataTypeName(type) + ':' + Joined(texts, " ");
}

void ReadExpectation(const JsonReader& at, Vector& vector) {
  at.NoOtherMembers({"grad_input"});
  const JsonReader words_at = at.At("grad_input");
  const std::string text = ReadFilled(words_at);
  if (!at.ok()) return;
  const std::vector<Call>& calls = vector.problem.problem.calls;
  if (calls.size() != 1 || InfoOf(calls.front().op).is_forward) {
    return at.Fail("expected a case of one backward call");
  }
  const TensorSpec& grad_input = calls.front().tensor(Role::kGradInput);
  Result<std::vector<std::uint32_t>> words = ParseExpectedWords(text, grad_input.type);
  if (!words.ok()) return words_at.Fail(words.status().message());
  const std::optional<std::int64_t> numel = CheckedNumel(grad_input.shape);
  if (!numel.has_value() || static_cast<std::size_t>(*numel) != words->size()) {
    return words_at.Fail(std::to_string(words->size()) + " words for a gradInput of shape " +
                         DimsText(grad_input.shape));
  }
  vector.expected_grad_input = *std::move(words);
}

Vector ReadVector(const JsonReader& at, const FlagNotes& notes) {
  at.NoOtherMembers({"name", "comment", "flags", "clauses", "profiles", "case", "expect"});
  Vector vector;
  vector.problem.family = "corpus";
  vector.problem.name = ReadFilled(at.At("name"));
  vector.comment = ReadFilled(at.At("comment"));
  vector.flags = ReadWords(at.At("flags"));
  for (const std::string& flag : vector.flags) {
    if (!notes.contains(flag)) at.At("flags").Fail("\"" + flag + "\" has no entry in notes");
  }
  vector.clauses = ReadWords(at.At("clauses"));
  if (const std::optional<JsonReader> profiles = at.Find("profiles")) {
    static_cast<void>(ReadWords(*profiles));
    for (const JsonReader& name : profiles->Items()) {
      vector.profiles.push_back(name.Enum(ParseProfile, "a profile"));
    }
  }
  vector.problem.problem = ReadCaseLine(at.At("case"));
  std::sort(vector.flags.begin(), vector.flags.end());
  std::sort(vector.clauses.begin(), vector.clauses.end());
  std::sort(vector.profiles.begin(), vector.profiles.end());
  if (const std::optional<JsonReader> expect = at.Find("expect")) ReadExpectation(*expect, vector);
  return vector;
}

FlagNote ReadNote(const JsonReader& at) {
  at.NoOtherMembers({"bugType", "description", "links"});
  FlagNote note{ReadFilled(at.At("bugType")), ReadFilled(at.At("description")), {}};
  if (const std::optional<JsonReader> links = at.Find("links")) note.links = ReadWords(*links);
  return note;
}

VectorFile ReadVectors(const JsonReader& at) {
  at.NoOtherMembers({"schema", "notes", "vectors"});
  at.At("schema").Equals(kVectorSchema);
  VectorFile file;
  for (const auto& [flag, note] : at.At("notes").Members()) file.notes[flag] = ReadNote(note);
  const std::vector<JsonReader> vectors = at.At("vectors").Items();
  if (vectors.empty()) at.Fail("vectors: expected an array that is not empty");
  std::set<std::string> names;
  for (const JsonReader& vector : vectors) {
    file.vectors.push_back(ReadVector(vector, file.notes));
    const std::string& name = file.vectors.back().problem.name;
    if (!names.insert(name).second) vector.Fail("name \"" + name + "\" is given twice");
  }
  return file;
}

Result<VectorFile> ReadVectorFile(std::string_view text, std::string_view file_name) {
  const std::string where(file_name);
  const Result<ordered_json> parsed = ParseStrictJson<ordered_json>(text);
  if (!parsed.ok()) return parsed.status().Annotate(where);
  Status error;
  VectorFile file = ReadVectors(JsonReader(*parsed, error));
  if (!error.ok()) return error.Annotate(where);
  return file;
}

ordered_json VectorToJson(const Vector& vector) {
  ordered_json object;
  object["name"] = vector.problem.name;
  object["comment"] = vector.comment;
  object["flags"] = vector.flags;
  object["clauses"] = vector.clauses;
  if (!vector.profiles.empty()) {
    ordered_json profiles = ordered_json::array();
    for (const Profile profile : vector.profiles) profiles.push_back(InfoOf(profile).name);
    object["profiles"] = std::move(profiles);
  }
  object["case"] = CaseLine(vector.problem.problem);
  if (vector.expected_grad_input.has_value()) {
    const DataType type = vector.problem.problem.calls.front().tensor(Role::kGradInput).type;
    object["expect"] = {{"grad_input", ExpectedText(*vector.expected_grad_input, type)}};
  }
  return object;
}

// Lists of words on one line: a vector should fit on few lines.
std::string Compact(const ordered_json& value, const std::string& indent) {
  if (value.is_array() && !value.empty() && value.front().is_string()) {
    std::string text = "[";
    for (const ordered_json& element : value) {
      text += (text.size() == 1 ? "" : ", ") + element.dump();
    }
    return text + ']';
  }
  if (!value.is_structured()) return value.dump();
  const bool array = value.is_array();
  const std::string inner = indent + "  ";
  std::string text = array ? "[" : "{";
  for (const auto& [name, element] : value.items()) {
    text += (text.size() == 1 ? "\n" : ",\n") + inner;
    if (!array) text += ordered_json(name).dump() + ": ";
    text += Compact(element, inner);
  }
  return text + '\n' + indent + (array ? ']' : '}');
}

VectorFile LoadEmbedded() {
  VectorFile all;
  for (const EmbeddedFile& file : EmbeddedCorpus()) {
    std::string text;
    for (const std::string_view chunk : file.chunks) text += chunk;
    Result<VectorFile> read = ReadVectorFile(text, file.name);
    if (!read.ok()) {  // a fault of the build: tests parse every file
      std::fprintf(stderr, "poolproof: %s\n", read.status().message().c_str());
      std::abort();
    }
    all.notes.merge(read.value().notes);
    std::move(read->vectors.begin(), read->vectors.end(), std::back_inserter(all.vectors));
  }
  return all;
}

const VectorFile& Embedded() {
  static const VectorFile embedded = LoadEmbedded();
  return embedded;
}

}  // namespace

bool Vector::AppliesTo(Profile profile) const {
  if (profiles.empty()) return InfoOf(profile).supported;
  return std::find(profiles.begin(), profiles.end(), profile) != profiles.end();
}

const std::vector<Vector>& Corpus() { return Embedded().vectors; }

const FlagNotes& CorpusFlags() { return Embedded().notes; }

std::vector<NamedCase> CorpusCases(Profile profile) {
  std::vector<NamedCase> cases;
  for (const Vector& vector : Corpus()) {
    if (vector.AppliesTo(profile)) cases.push_back(vector.problem);
  }
  return cases;
}

Result<std::vector<Vector>> ParseVectorFile(std::string_view text, std::string_view file_name) {
  Result<VectorFile> file = ReadVectorFile(text, file_name);
  if (!file.ok()) return file.status();
  return std::move(file.value().vectors);
}

std::string VectorFileText(const FlagNotes& notes, const std::vector<Vector>& vectors) {
  ordered_json object;
  object["schema"] = kVectorSchema;
  object["notes"] = ordered_json::object();
  for (const auto& [flag, note] : notes) {
    ordered_json& target = object["notes"][flag];
    target["bugType"] = note.bug_type;
    target["description"] = note.description;
    if (!note.links.empty()) target["links"] = note.links;
  }
  object["vectors"] = ordered_json::array();
  for (const Vector& vector : vectors) object["vectors"].push_back(VectorToJson(vector));
  return Compact(object, "") + '\n';
}

Result<std::string> FormatVectorFile(std::string_view text, std::string_view file_name) {
  const Result<VectorFile> file = ReadVectorFile(text, file_name);
  if (!file.ok()) return file.status();
  return VectorFileText(file->notes, file->vectors);
}

}  // namespace poolproof
