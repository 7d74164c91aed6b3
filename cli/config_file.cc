// SPDX-License-Identifier: Apache-2.0
#include "cli/config_file.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "cli/options.h"

namespace poolproof {
namespace {

constexpr std::array<std::string_view, 7> kTables = {"run",   "fuzz",   "plan", "replay",
                                                     "probe", "doctor", "merge"};
// Keys in front of the tables: options that mean the same in every verb. A report of shards is
// compared with the options of its shards.
constexpr std::array<std::string_view, 11> kShared = {
    "implementation", "profile", "edition", "set",      "seed",          "jobs",
    "device",         "gate",    "waivers", "baseline", "worker-command"};
// A plan says these itself.
constexpr std::array<std::string_view, 12> kPinned = {
    "profile", "edition",    "set",    "seed",      "cases",  "deadline",
    "time",    "stop-after", "filter", "case-file", "clause", "failed"};
// Ways to select cases, of which one is enough.
constexpr std::array<std::string_view, 3> kSelections = {"clause", "failed", "case-file"};

constexpr std::size_t kLongestKey = 100;

bool IsOneOf(std::string_view word, std::span<const std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool IsKeyCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

class Reader {
 public:
  Reader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  Result<std::vector<ConfigEntry>> Read() {
    for (SkipLines(); at_ < text_.size() && error_.ok(); SkipLines()) {
      text_[at_] == '[' ? ReadTable() : ReadEntry();
      if (error_.ok()) EndLine();
    }
    if (!error_.ok()) return error_;
    return std::move(entries_);
  }

 private:
  void Fail(const std::string& what) {
    if (error_.ok()) {
      error_ = InvalidArgument(name_ + ":" + std::to_string(line_) + ": " + what);
    }
  }
  [[nodiscard]] char Here() const { return at_ < text_.size() ? text_[at_] : '\n'; }
  void SkipSpaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  void SkipComment() {
    SkipSpaces();
    if (Here() == '#') at_ = std::min(text_.find('\n', at_), text_.size());
    if (text_.substr(at_).starts_with("\r\n")) ++at_;
  }
  // Also behind the last one.
  void SkipLines() {
    for (SkipComment(); at_ < text_.size() && text_[at_] == '\n'; SkipComment()) {
      ++at_;
      ++line_;
    }
  }
  void EndLine() {
    SkipComment();
    if (Here() != '\n') Fail("'" + Rest() + "' after the value; expected the end of the line");
  }
  // What is here, for messages.
  [[nodiscard]] std::string Rest() const {
    std::string rest;
    for (const char c : text_.substr(at_, 20)) {
      if (c == '\n' || c == '\r') break;
      rest += c >= ' ' && c <= '~' ? c : '?';
    }
    return rest;
  }
  std::string Key() {
    SkipSpaces();
    const std::size_t begin = at_;
    while (at_ < text_.size() && IsKeyCharacter(text_[at_])) ++at_;
    if (at_ == begin) Fail("'" + Rest() + "'; expected a key of letters, digits, '-' and '_'");
    if (at_ - begin > kLongestKey) Fail("a key of " + std::to_string(at_ - begin) + " characters");
    return std::string(text_.substr(begin, at_ - begin));
  }

  void ReadTable() {
    ++at_;
    const std::string table = Key();
    SkipSpaces();
    if (error_.ok() && Here() != ']') Fail("[" + table + ": expected ']'");
    if (!error_.ok()) return;
    ++at_;
    if (!IsOneOf(table, kTables)) {
      return Fail("[" + table + "] is unknown; expected " + JoinNames(kTables) +
                  DidYouMean(table, kTables));
    }
    if (!tables_.insert(table).second) return Fail("[" + table + "] is given twice");
    table_ = table;
  }

  void ReadEntry() {
    ConfigEntry entry;
    entry.table = table_;
    entry.line = line_;
    entry.key = Key();
    SkipSpaces();
    if (error_.ok() && Here() != '=') Fail(entry.key + ": expected '=' after the key");
    if (!error_.ok()) return;
    ++at_;
    SkipSpaces();
    entry.value = Value(entry.key);
    const bool known = std::any_of(entries_.begin(), entries_.end(), [&](const ConfigEntry& other) {
      return other.table == entry.table && other.key == entry.key;
    });
    if (known) {
      error_ = InvalidArgument(name_ + ":" + std::to_string(entry.line) + ": " + entry.key +
                               " is given twice");
    }
    entries_.push_back(std::move(entry));
  }

  ConfigValue Value(const std::string& key) {
    const char c = Here();
    if (c == '"' || c == '\'') return Text(key);
    if (c == '[') return Texts(key);
    const std::size_t begin = at_;
    if (c == '+' || c == '-') ++at_;
    while (at_ < text_.size() && IsKeyCharacter(text_[at_])) ++at_;
    const std::string word(text_.substr(begin, at_ - begin));
    if (word == "true" || word == "false") return word == "true";
    const std::string digits = word.substr(word.starts_with('+') ? 1 : 0);
    const std::size_t first = digits.starts_with('-') ? 1 : 0;
    const bool whole =
        digits.size() > first &&
        std::all_of(digits.begin() + static_cast<std::ptrdiff_t>(first), digits.end(), &IsDigit);
    if (whole && Here() != '.' && Here() != ':') return ConfigNumber{digits};
    at_ = begin;
    Fail(key + ": '" + Rest() +
         "' is not a value; expected \"text\", a whole number, true, false or [\"text\", ...]");
    return false;
  }

  // "with escapes" or 'as it is'; on one line.
  std::string Text(const std::string& key) {
    const char quote = text_[at_++];
    std::string text;
    for (;; ++at_) {
      const char c = Here();
      if (c == quote) break;
      if (c == '\n' || c == '\r') {
        Fail(key + ": the closing " + std::string(1, quote) + " is missing");
        return text;
      }
      if (static_cast<unsigned char>(c) < ' ' && c != '\t') {
        Fail(key + ": a control character in a text");
        return text;
      }
      if (quote == '\'' || c != '\\') {
        text += c;
        continue;
      }
      static const std::map<char, char> escapes = {
          {'"', '"'}, {'\\', '\\'}, {'n', '\n'}, {'t', '\t'}};
      ++at_;
      const auto escape = escapes.find(Here());
      if (escape == escapes.end()) {
        Fail(key + R"(: an escape other than \" \\ \n \t; use 'single quotes' for text as it is)");
        return text;
      }
      text += escape->second;
    }
    ++at_;
    return text;
  }

  // May go over several lines, with a comma behind the last one.
  std::vector<std::string> Texts(const std::string& key) {
    std::vector<std::string> texts;
    ++at_;
    for (SkipLines(); error_.ok() && Here() != ']'; SkipLines()) {
      if (Here() != '"' && Here() != '\'') {
        Fail(key + ": expected a text or ']' in the list");
        break;
      }
      texts.push_back(Text(key));
      SkipLines();
      if (Here() == ',') {
        ++at_;
      } else if (error_.ok() && Here() != ']') {
        Fail(key + ": expected ',' or ']' in the list");
      }
    }
    if (error_.ok()) ++at_;
    return texts;
  }

  std::string_view text_;
  std::string name_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::string table_;
  std::set<std::string> tables_;
  std::vector<ConfigEntry> entries_;
  Status error_;
};

const DeclaredCommand* FindCommand(const std::vector<DeclaredCommand>& commands,
                                   std::string_view verb) {
  const auto place = std::find_if(commands.begin(), commands.end(), [&](const auto& command) {
    return command.words.size() == 1 && command.words.front() == verb;
  });
  return place == commands.end() ? nullptr : &*place;
}

// The option whose long name the key is.
const DeclaredOption* FindOption(const DeclaredCommand& command, const std::string& key) {
  for (const DeclaredOption& option : command.options) {
    const auto& names = option.names;
    if (std::find(names.begin(), names.end(), "--" + key) != names.end()) return &option;
  }
  return nullptr;
}

// The long names of a verb's options, without dashes.
std::vector<std::string> KeysOf(const DeclaredCommand& command) {
  std::vector<std::string> keys;
  for (const DeclaredOption& option : command.options) {
    for (const std::string& name : option.names) {
      if (name.starts_with("--") && name != "--help" && name != "--config") {
        keys.push_back(name.substr(2));
      }
    }
  }
  return keys;
}

// Values as the command line has them; an empty list: none. nullopt: of another type.
std::optional<std::vector<std::string>> ValuesOf(const ConfigEntry& entry,
                                                 const DeclaredOption& option) {
  const std::string name = "--" + entry.key;
  if (!option.takes_value) {
    const bool* on = std::get_if<bool>(&entry.value);
    if (on == nullptr) return std::nullopt;
    return *on ? std::vector{name} : std::vector<std::string>();
  }
  const auto* number = std::get_if<ConfigNumber>(&entry.value);
  if (number != nullptr && option.type_name.starts_with("N")) {
    return std::vector{name + "=" + number->digits};
  }
  const auto* text = std::get_if<std::string>(&entry.value);
  if (text != nullptr && option.type_name != "N") return std::vector{name + "=" + *text};
  const auto* texts = std::get_if<std::vector<std::string>>(&entry.value);
  if (texts == nullptr || !option.repeats) return std::nullopt;
  std::vector<std::string> values;
  for (const std::string& one : *texts) values.push_back(name + "=" + one);
  return values;
}

std::string WantedBy(const DeclaredOption& option) {
  if (!option.takes_value) return "true or false";
  if (option.type_name == "N") return "a whole number";
  if (option.type_name.starts_with("N")) return "a whole number or a text";
  return option.repeats ? "a text or a list of texts" : "a text";
}

class Configuration {
 public:
  Configuration(const std::vector<std::string>& words, const std::vector<DeclaredCommand>& commands,
                const std::vector<ConfigEntry>& entries, const std::string& name)
      : words_(words), commands_(commands), entries_(entries), name_(name) {}

  Result<std::vector<std::string>> Apply() {
    for (const ConfigEntry& entry : entries_) {
      if (Status status = Check(entry); !status.ok()) return status;
    }
    const DeclaredCommand* command = FindCommand(commands_, words_.front());
    std::vector<std::string> added;
    for (const ConfigEntry& entry : entries_) {
      const DeclaredOption* option = command == nullptr ? nullptr : FindOption(*command, entry.key);
      if (option == nullptr || !Applies(entry) || IsGiven(*option)) continue;
      const std::vector<std::string> values = *ValuesOf(entry, *option);
      added.insert(added.end(), values.begin(), values.end());
    }
    std::vector<std::string> all = words_;
    all.insert(all.begin() + 1, added.begin(), added.end());
    return all;
  }

 private:
  [[nodiscard]] Status Refuse(const ConfigEntry& entry, const std::string& what) const {
    return InvalidArgument(name_ + ":" + std::to_string(entry.line) + ": " + what);
  }

  [[nodiscard]] Status Check(const ConfigEntry& entry) const {
    const DeclaredCommand* command =
        FindCommand(commands_, entry.table.empty() ? "run" : std::string_view(entry.table));
    std::vector<std::string> keys;
    if (entry.table.empty()) {
      keys.assign(kShared.begin(), kShared.end());
    } else {
      keys = KeysOf(*command);
    }
    if (std::find(keys.begin(), keys.end(), entry.key) == keys.end()) {
      const std::string where = entry.table.empty() ? "" : " in [" + entry.table + "]";
      if (entry.table.empty() && FindOption(*command, entry.key) != nullptr) {
        return Refuse(entry, entry.key + " belongs in a table such as [run]");
      }
      const std::vector<std::string> near = NearMatches(entry.key, keys);
      return Refuse(entry, "unknown key '" + entry.key + "'" + where +
                               (near.empty() ? "" : "; did you mean " + near.front() + "?"));
    }
    const DeclaredOption& option = *FindOption(*command, entry.key);
    if (!ValuesOf(entry, option)) {
      return Refuse(entry, entry.key + ": expected " + WantedBy(option));
    }
    return OkStatus();
  }

  [[nodiscard]] bool IsGiven(const DeclaredOption& option) const {
    return std::any_of(words_.begin() + 1, words_.end(), [&](const std::string& word) {
      const std::string name = word.substr(0, word.find('='));
      return std::find(option.names.begin(), option.names.end(), name) != option.names.end();
    });
  }
  [[nodiscard]] bool IsGiven(const std::string& name) const {
    return IsGiven(DeclaredOption{{"--" + name}, ""});
  }
  // Of the table of the verb, or of all.
  [[nodiscard]] const ConfigEntry* Find(std::string_view key) const {
    const ConfigEntry* found = nullptr;
    for (const ConfigEntry& entry : entries_) {
      const bool own = entry.table == words_.front();
      if (entry.key == key && (own || (entry.table.empty() && found == nullptr))) found = &entry;
    }
    return found;
  }

  // Whether the entry is for this verb, no other entry comes before it and the command line holds
  // nothing that it contradicts.
  [[nodiscard]] bool Applies(const ConfigEntry& entry) const {
    if (Find(entry.key) != &entry) return false;
    if (entry.table.empty() && words_.front() == "merge") return false;
    if ((IsGiven("plan") || Find("plan") != nullptr) && IsOneOf(entry.key, kPinned)) return false;
    if (IsOneOf(entry.key, kSelections) &&
        std::any_of(kSelections.begin(), kSelections.end(),
                    [&](std::string_view name) { return IsGiven(std::string(name)); })) {
      return false;
    }
    return entry.key != "baseline" || GateIsNew();
  }

  [[nodiscard]] bool GateIsNew() const {
    for (std::size_t i = 1; i < words_.size(); ++i) {
      if (words_[i] == "--gate") return i + 1 < words_.size() && words_[i + 1] == "new";
      if (words_[i].starts_with("--gate=")) return words_[i] == "--gate=new";
    }
    const ConfigEntry* gate = Find("gate");
    if (gate == nullptr) return false;
    const auto* text = std::get_if<std::string>(&gate->value);
    return text != nullptr && *text == "new";
  }

  const std::vector<std::string>& words_;
  const std::vector<DeclaredCommand>& commands_;
  const std::vector<ConfigEntry>& entries_;
  const std::string& name_;
};

}  // namespace

Result<std::vector<ConfigEntry>> ParseConfigFile(std::string_view text, const std::string& name) {
  return Reader(text, name).Read();
}

std::vector<std::string> ConfigurableVerbs() { return {kTables.begin(), kTables.end()}; }

Result<std::vector<std::string>> WithConfiguration(const std::vector<std::string>& words,
                                                   const std::vector<DeclaredCommand>& commands,
                                                   const std::vector<ConfigEntry>& entries,
                                                   const std::string& name) {
  return Configuration(words, commands, entries, name).Apply();
}

}  // namespace poolproof
