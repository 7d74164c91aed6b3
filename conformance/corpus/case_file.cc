// SPDX-License-Identifier: Apache-2.0
#include "conformance/corpus/case_file.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <utility>

#include "conformance/case/case_json.h"
#include "conformance/case/case_text.h"
#include "conformance/json/json_reader.h"
#include "conformance/json/strict_json.h"

namespace poolproof {
namespace {

using nlohmann::ordered_json;

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

constexpr std::int64_t kMostEdges = std::int64_t{1} << 32;

FindingNote ReadCaseNote(const JsonReader& at) {
  const auto is_filled = [](std::string_view text) { return !text.empty(); };
  at.NoOtherMembers({"implementation", "profile", "signature", "clauses", "message", "root_cause"});
  FindingNote note;
  note.implementation = at.At("implementation").String(is_filled, "a name");
  note.profile = at.At("profile").Enum(ParseProfile, "a profile");
  note.signature = at.At("signature").String(is_filled, "the signature of a failure");
  note.clauses = at.At("clauses").Strings();
  note.message = at.At("message").String();
  // Absent in older files, and where there is none.
  if (const std::optional<JsonReader> cause = at.Find("root_cause")) {
    note.root_cause = cause->String(is_filled, "the sentence of a root cause");
  }
  return note;
}

// A case line with what a campaign says of it.
CaseFileEntry ReadNoted(const JsonReader& at) {
  at.NoOtherMembers({"schema", "case", "finding", "edges"});
  at.At("schema").Equals(kCaseSchema);
  CaseFileEntry entry;
  entry.problem = ReadCaseLine(at.At("case"));
  if (const std::optional<JsonReader> finding = at.Find("finding")) {
    entry.finding = ReadCaseNote(*finding);
  }
  if (const std::optional<JsonReader> edges = at.Find("edges")) {
    entry.edges = edges->Int64(1, kMostEdges);
  }
  return entry;
}

Result<CaseFileEntry> EntryOf(const ordered_json& element) {
  Status error;
  const JsonReader at(element, error);
  CaseFileEntry entry;
  if (element.is_string()) {
    entry.problem = ReadCaseLine(at);
  } else if (at.Find("case")) {
    entry = ReadNoted(at);
  } else {
    entry.problem = ReadCase(at);
  }
  if (!error.ok()) return error.Annotate("case");
  return entry;
}

// The entries that could be read, and the places of those that could not.
class EntryList {
 public:
  // `unit`: "line" or "element".
  EntryList(std::string file, std::string unit) : file_(std::move(file)), unit_(std::move(unit)) {}

  void Add(Result<CaseFileEntry> entry, std::size_t number) {
    const std::string place = unit_ + " " + std::to_string(number);
    if (entry.ok()) {
      entries_.push_back(std::move(entry).value());
    } else if (error_.ok()) {
      error_ = entry.status().Annotate(file_ + ": " + place);
    } else if (++others_ <= kNamed) {
      other_places_ += (others_ == 1 ? "; unreadable too: " : ", ") + place;
    }
  }

  Result<std::vector<CaseFileEntry>> Take() {
    if (error_.ok()) return std::move(entries_);
    const std::string more =
        others_ > kNamed ? " and " + std::to_string(others_ - kNamed) + " more" : std::string();
    return Status(error_.code(), error_.message() + other_places_ + more);
  }

 private:
  static constexpr std::size_t kNamed = 20;

  std::string file_;
  std::string unit_;
  std::vector<CaseFileEntry> entries_;
  Status error_;
  std::size_t others_ = 0;
  std::string other_places_;
};

Result<std::vector<CaseFileEntry>> ParseArray(std::string_view text, const std::string& file) {
  const Result<ordered_json> array = ParseStrictJson<ordered_json>(text);
  if (!array.ok()) return array.status().Annotate(file);
  EntryList entries(file, "element");
  std::size_t number = 0;
  for (const ordered_json& element : *array) entries.Add(EntryOf(element), number++);
  return entries.Take();
}

}  // namespace

Result<CaseFileEntry> ParseCaseFileEntry(std::string_view text) {
  const std::string_view element = Trimmed(text);
  if (!element.starts_with('{') && !element.starts_with('"')) {
    Result<Case> problem = ParseCaseLine(element);
    if (!problem.ok()) return problem.status();
    return CaseFileEntry{std::move(problem).value(), std::nullopt};
  }
  const Result<ordered_json> object = ParseStrictJson<ordered_json>(element);
  return object.ok() ? EntryOf(*object) : Result<CaseFileEntry>(object.status());
}

Result<std::vector<CaseFileEntry>> ParseCaseFileEntries(std::string_view text,
                                                        std::string_view file_name) {
  const std::string file(file_name);
  const std::string_view whole = Trimmed(text);
  if (whole.starts_with('[')) return ParseArray(whole, file);
  if (whole.starts_with('{')) {
    // One object may spread over several lines; otherwise every line is an element.
    const Result<ordered_json> object = ParseStrictJson<ordered_json>(whole);
    if (object.ok()) {
      Result<CaseFileEntry> entry = EntryOf(*object);
      if (!entry.ok()) return entry.status().Annotate(file);
      return std::vector<CaseFileEntry>{std::move(entry).value()};
    }
  }
  EntryList entries(file, "line");
  std::size_t number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = Trimmed(rest.substr(0, end));
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    ++number;
    if (!line.empty()) entries.Add(ParseCaseFileEntry(line), number);
  }
  return entries.Take();
}

std::string CaseFileText(const std::vector<CaseFileEntry>& entries) {
  std::string text;
  for (const CaseFileEntry& entry : entries) {
    ordered_json object = {{"schema", kCaseSchema}, {"case", CaseLine(entry.problem)}};
    if (entry.finding) {
      const FindingNote& note = *entry.finding;
      object["finding"] = {{"implementation", note.implementation},
                           {"profile", InfoOf(note.profile).name},
                           {"signature", note.signature},
                           {"clauses", note.clauses},
                           {"message", note.message}};
      if (!note.root_cause.empty()) object["finding"]["root_cause"] = note.root_cause;
    }
    if (entry.edges > 0) object["edges"] = entry.edges;
    text += object.dump(-1, ' ', true, ordered_json::error_handler_t::replace) + "\n";
  }
  return text;
}

Result<std::vector<NamedCase>> ParseCaseFile(std::string_view text, std::string_view file_name) {
  Result<std::vector<CaseFileEntry>> entries = ParseCaseFileEntries(text, file_name);
  if (!entries.ok()) return entries.status();
  if (entries->empty()) return InvalidArgument(std::string(file_name) + ": no case in it");
  std::vector<NamedCase> cases;
  for (CaseFileEntry& entry : entries.value()) {
    cases.push_back({"file", std::to_string(cases.size()), std::move(entry.problem)});
  }
  return cases;
}

}  // namespace poolproof
