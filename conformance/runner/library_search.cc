// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/library_search.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

#include "core/text.h"

namespace poolproof {
namespace {

namespace fs = std::filesystem;

// More folders than any path has. Variables in one text multiply; no manifest may search for hours.
constexpr std::size_t kMostTexts = 1000;

// For messages: in one line, and cut where it is long.
std::string Shown(std::string_view text, std::size_t limit = 400) {
  std::string shown(text.substr(0, limit));
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return text.size() > limit ? shown + "..." : shown;
}

std::string QuotedPart(std::string_view text) { return "'" + Shown(text) + "'"; }

std::vector<std::string> SplitAtColons(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t colon = std::min(text.find(':'), text.size());
    if (colon > 0) parts.emplace_back(text.substr(0, colon));
    text.remove_prefix(std::min(colon + 1, text.size()));
  }
  return parts;
}

std::string Absolute(const fs::path& path) {
  return fs::absolute(path).lexically_normal().string();
}

// Where names are looked for, and what is to be said of it.
struct Folders {
  std::vector<fs::path> paths;
  std::vector<std::string> told;  // also those whose variable is not set
};

Result<Folders> ExpandFolders(const SearchPlaces& places) {
  Folders folders;
  std::size_t count = 0;
  for (const std::string& text : places.folders) {
    const Result<Expansion> expansion = Expand(text, places.variables);
    if (!expansion.ok()) return expansion.status().Annotate("folders");
    count += expansion->texts.size();
    if (count > kMostTexts) {
      return InvalidArgument("folders: more than " + std::to_string(kMostTexts));
    }
    if (!expansion->unset.empty()) folders.told.push_back(expansion->unset + " (not set)");
    for (const std::string& folder : expansion->texts) {
      const std::string path = Absolute(places.manifest_folder / folder);
      if (std::find(folders.told.begin(), folders.told.end(), path) != folders.told.end()) continue;
      folders.paths.emplace_back(path);
      folders.told.push_back(path);
    }
  }
  return folders;
}

// Where one library is: of a path several, where a variable in it names several folders.
Result<std::vector<std::string>> FindOne(const std::string& name, const SearchPlaces& places,
                                         const Folders& folders) {
  const Result<Expansion> expansion = Expand(name, places.variables);
  if (!expansion.ok()) return expansion.status().Annotate("libraries");
  if (!expansion->unset.empty()) {
    return NotFound("libraries: " + QuotedPart(name) + ": " + Shown(expansion->unset) +
                    " is not set");
  }
  const std::size_t texts = expansion->texts.size();
  if (texts > 1 && texts * folders.paths.size() > kMostTexts) {
    return InvalidArgument("libraries: " + QuotedPart(name) + ": matches more than " +
                           std::to_string(kMostTexts) + " files");
  }
  std::vector<std::string> found;
  Status status = OkStatus();
  for (const std::string& text : expansion->texts) {
    const bool is_name = text.find('/') == std::string::npos;
    std::vector<fs::path> candidates;
    if (!is_name || !places.manifest_folder.empty()) {
      candidates.push_back(places.manifest_folder / text);
    }
    if (is_name) {
      for (const fs::path& folder : folders.paths) candidates.push_back(folder / text);
    }
    for (const fs::path& candidate : candidates) {
      Status one = CheckReadableFile(candidate, "libraries: " + QuotedPart(name));
      if (one.ok()) {
        found.push_back(Absolute(candidate));
        break;
      }
      if (status.ok() || one.code() != StatusCode::kNotFound) status = std::move(one);
      if (status.code() != StatusCode::kNotFound) return status;
    }
  }
  if (!found.empty()) return found;
  return status.ok() ? NotFound("libraries: " + QuotedPart(name) + ": no such file") : status;
}

std::string WantedText(const LibraryEntry& entry) {
  std::vector<std::string> words;
  for (const std::vector<std::string>& alternative : entry.alternatives) {
    words.push_back(alternative.empty() ? "none" : Joined(alternative, " with "));
  }
  return Shown(Joined(words, ", or "), 1000);
}

}  // namespace

Status CheckReadableFile(const fs::path& path, const std::string& what) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return NotFound(what + ": no such file");
  if (!fs::is_regular_file(status)) return InvalidArgument(what + ": not a file");
  if (!std::ifstream(path)) return InvalidArgument(what + ": cannot be read");
  return OkStatus();
}

Result<Expansion> Expand(std::string_view text, const Variables& variables) {
  Expansion expansion;
  expansion.texts = {std::string()};
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = std::min(text.find("${", at), text.size());
    for (std::string& one : expansion.texts) one += text.substr(at, start - at);
    if (start == text.size()) break;
    const std::size_t end = text.find('}', start);
    if (end == std::string_view::npos || end == start + 2) {
      return InvalidArgument(QuotedPart(text) + ": expected ${NAME}");
    }
    const std::string_view name = text.substr(start + 2, end - start - 2);
    const auto variable = variables.find(name);
    const std::vector<std::string> values =
        variable == variables.end() ? std::vector<std::string>() : SplitAtColons(variable->second);
    if (values.empty()) return Expansion{{}, std::string(name)};
    if (expansion.texts.size() * values.size() > kMostTexts) {
      return InvalidArgument(QuotedPart(text) + ": matches more than " +
                             std::to_string(kMostTexts) + " texts");
    }
    std::vector<std::string> longer;
    for (const std::string& one : expansion.texts) {
      for (const std::string& value : values) longer.push_back(one + value);
    }
    expansion.texts = std::move(longer);
    at = end + 1;
  }
  return expansion;
}

LibraryLookUp LookUp(const LibraryEntry& entry, const SearchPlaces& places) {
  LibraryLookUp result;
  result.wanted = WantedText(entry);
  const Result<Folders> folders = ExpandFolders(places);
  if (!folders.ok()) {
    result.status = folders.status();
    return result;
  }
  std::optional<Status> first;
  for (const std::vector<std::string>& alternative : entry.alternatives) {
    std::vector<std::string> found;
    bool all = true;
    for (const std::string& name : alternative) {
      Result<std::vector<std::string>> one = FindOne(name, places, *folders);
      if (one.ok()) {
        found.insert(found.end(), one->begin(), one->end());
        continue;
      }
      if (one.status().code() != StatusCode::kNotFound) {
        result.status = one.status();
        return result;
      }
      if (!first) first = one.status();
      all = false;
      break;
    }
    if (!all) continue;
    result.found = std::move(found);
    return result;
  }
  const std::string& name = entry.alternatives.front().front();
  const bool is_path = name.find_first_of("/$") != std::string::npos;
  if (entry.leave_to_linker && !is_path) {
    result.found = {name};
    return result;
  }
  if (entry.alternatives.size() == 1 && entry.alternatives.front().size() == 1 &&
      (is_path || folders->told.empty())) {
    result.status = *first;
    return result;
  }
  result.status =
      NotFound("libraries: " + result.wanted + ": not found" +
               (folders->told.empty() ? std::string()
                                      : "; looked in " + Shown(Joined(folders->told), 1500)));
  return result;
}

}  // namespace poolproof
