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

#include "conformance/case/case_text.h"
#include "conformance/corpus/embedded_corpus.h"
#include "conformance/json/strict_json.h"

namespace poolproof {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::string_view kVectorSchema = "poolproof-vectors/1";

struct VectorFile {
  FlagNotes notes;
  std::vector<Vector> vectors;
};

// errors: kInvalidArgument where `object` is no object, lacks a member or has an unknown one.
Status CheckMembers(const json& object, std::initializer_list<std::string_view> required,
                    std::initializer_list<std::string_view> optional) {
  if (!object.is_object()) return InvalidArgument("wanted a JSON object");
  for (const std::string_view name : required) {
    if (!object.contains(name)) {
      return InvalidArgument("member \"" + std::string(name) + "\" is missing");
    }
  }
  const auto known = [](std::initializer_list<std::string_view> names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const auto& [name, value] : object.items()) {
    if (!known(required, name) && !known(optional, name)) {
      return InvalidArgument("unknown member \"" + name.substr(0, 60) + "\"");
    }
  }
  return OkStatus();
}

Result<std::string> TextOf(const json& object, std::string_view name) {
  const auto member = object.find(name);
  if (member == object.end() || !member->is_string() ||
      member->get_ref<const std::string&>().empty()) {
    return InvalidArgument(std::string(name) + ": wanted a string that is not empty");
  }
  return member->get<std::string>();
}

// A non-empty array of distinct strings.
Result<std::vector<std::string>> WordsOf(const json& object, std::string_view name) {
  const json& array = object.at(std::string(name));
  std::vector<std::string> words;
  if (!array.is_array() || array.empty()) {
    return InvalidArgument(std::string(name) + ": wanted an array that is not empty");
  }
  for (const json& element : array) {
    if (!element.is_string()) return InvalidArgument(std::string(name) + ": wanted strings");
    words.push_back(element.get<std::string>());
    if (std::count(words.begin(), words.end(), words.back()) > 1) {
      return InvalidArgument(std::string(name) + ": \"" + words.back() + "\" comes twice");
    }
  }
  return words;
}

// "f32:00000000 3f800000".
Result<std::vector<std::uint32_t>> ParseExpectedWords(std::string_view text, DataType type) {
  const std::string prefix = DataTypeName(type) + ':';
  if (!IsGradientType(type) || !text.starts_with(prefix)) {
    return InvalidArgument("expect.grad_input: wanted hex words after \"" + prefix + "\"");
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
      return InvalidArgument("expect.grad_input: \"" + std::string(word.substr(0, 60)) +
                             "\" is not a word of " + std::to_string(digits) + " hex digits");
    }
    words.push_back(bits);
    if (word.size() == text.size()) return words;
    text.remove_prefix(word.size() + 1);
  }
}

std::string ExpectedText(const std::vector<std::uint32_t>& words, DataType type) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = DataTypeName(type) + ':';
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += ' ';
    for (int shift = 8 * StorageBytes(type) - 4; shift >= 0; shift -= 4) {
      text += kDigits[(words[i] >> shift) & 0xfU];
    }
  }
  return text;
}

Status ReadExpectation(const json& object, Vector& vector) {
  if (Status s = CheckMembers(object, {"grad_input"}, {}); !s.ok()) return s.Annotate("expect");
  const Result<std::string> text = TextOf(object, "grad_input");
  if (!text.ok()) return text.status().Annotate("expect");
  const std::vector<Call>& calls = vector.problem.problem.calls;
  if (calls.size() != 1 || InfoOf(calls.front().op).is_forward) {
    return InvalidArgument("expect: wanted a case of one backward call");
  }
  const TensorSpec& grad_input = calls.front().tensor(Role::kGradInput);
  Result<std::vector<std::uint32_t>> words = ParseExpectedWords(*text, grad_input.type);
  if (!words.ok()) return words.status();
  const std::optional<std::int64_t> numel = CheckedNumel(grad_input.shape);
  if (!numel.has_value() || static_cast<std::size_t>(*numel) != words->size()) {
    return InvalidArgument("expect.grad_input: " + std::to_string(words->size()) +
                           " words for a gradInput of shape " + DimsText(grad_input.shape));
  }
  vector.expected_grad_input = *std::move(words);
  return OkStatus();
}

Result<Vector> ReadVector(const json& object, const FlagNotes& notes) {
  Status s =
      CheckMembers(object, {"name", "comment", "flags", "clauses", "case"}, {"profiles", "expect"});
  if (!s.ok()) return s;
  Vector vector;
  Result<std::string> name = TextOf(object, "name");
  if (!name.ok()) return name.status();
  Result<std::string> comment = TextOf(object, "comment");
  if (!comment.ok()) return comment.status();
  Result<std::vector<std::string>> flags = WordsOf(object, "flags");
  if (!flags.ok()) return flags.status();
  Result<std::vector<std::string>> clauses = WordsOf(object, "clauses");
  if (!clauses.ok()) return clauses.status();
  for (const std::string& flag : *flags) {
    if (!notes.contains(flag)) {
      return InvalidArgument("flags: \"" + flag + "\" has no entry in notes");
    }
  }
  if (object.contains("profiles")) {
    const Result<std::vector<std::string>> names = WordsOf(object, "profiles");
    if (!names.ok()) return names.status();
    for (const std::string& profile_name : *names) {
      const std::optional<Profile> profile = ParseProfile(profile_name);
      if (!profile.has_value()) {
        return InvalidArgument("profiles: unknown profile \"" + profile_name + "\"");
      }
      vector.profiles.push_back(*profile);
    }
  }
  const Result<std::string> line = TextOf(object, "case");
  if (!line.ok()) return line.status();
  Result<Case> problem = ParseCaseLine(*line);
  if (!problem.ok()) return problem.status();
  vector.problem = {"corpus", *std::move(name), *std::move(problem)};
  vector.comment = *std::move(comment);
  vector.flags = *std::move(flags);
  vector.clauses = *std::move(clauses);
  std::sort(vector.flags.begin(), vector.flags.end());
  std::sort(vector.clauses.begin(), vector.clauses.end());
  std::sort(vector.profiles.begin(), vector.profiles.end());
  if (object.contains("expect")) {
    s = ReadExpectation(object.at("expect"), vector);
    if (!s.ok()) return s;
  }
  return vector;
}

Result<FlagNote> ReadNote(const json& object) {
  if (Status s = CheckMembers(object, {"bugType", "description"}, {"links"}); !s.ok()) return s;
  Result<std::string> bug_type = TextOf(object, "bugType");
  if (!bug_type.ok()) return bug_type.status();
  Result<std::string> description = TextOf(object, "description");
  if (!description.ok()) return description.status();
  FlagNote note{*std::move(bug_type), *std::move(description), {}};
  if (object.contains("links")) {
    Result<std::vector<std::string>> links = WordsOf(object, "links");
    if (!links.ok()) return links.status();
    note.links = *std::move(links);
  }
  return note;
}

Result<FlagNotes> ReadNotes(const json& object) {
  if (!object.is_object()) return InvalidArgument("wanted a JSON object");
  FlagNotes notes;
  for (const auto& [flag, member] : object.items()) {
    Result<FlagNote> note = ReadNote(member);
    if (!note.ok()) return note.status().Annotate(flag);
    notes[flag] = *std::move(note);
  }
  return notes;
}

Result<VectorFile> ReadVectorFile(std::string_view text, std::string_view file_name) {
  const std::string where(file_name);
  const Result<json> parsed = ParseStrictJson(text);
  if (!parsed.ok()) return parsed.status().Annotate(where);
  const json& object = parsed.value();
  if (Status s = CheckMembers(object, {"schema", "notes", "vectors"}, {}); !s.ok()) {
    return s.Annotate(where);
  }
  if (object.at("schema") != kVectorSchema) {
    return InvalidArgument(where + ": schema: wanted \"" + std::string(kVectorSchema) + "\"");
  }
  VectorFile file;
  Result<FlagNotes> notes = ReadNotes(object.at("notes"));
  if (!notes.ok()) return notes.status().Annotate(where + ": notes");
  file.notes = *std::move(notes);
  const json& vectors = object.at("vectors");
  if (!vectors.is_array() || vectors.empty()) {
    return InvalidArgument(where + ": vectors: wanted an array that is not empty");
  }
  std::set<std::string> names;
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    Result<Vector> vector = ReadVector(vectors[i], file.notes);
    const std::string label = where + ": vector " + std::to_string(i);
    if (!vector.ok()) return vector.status().Annotate(label);
    if (!names.insert(vector->problem.name).second) {
      return InvalidArgument(label + ": name \"" + vector->problem.name + "\" comes twice");
    }
    file.vectors.push_back(*std::move(vector));
  }
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
