// SPDX-License-Identifier: Apache-2.0
//
// The unit of scripts/cost: what this file costs to compile is what a machine's CPU seconds are measured by. It stays as
// it is: a change of it is a change of all figures.
#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace {

struct Word {
  std::string text;
  std::optional<int> number;
  std::variant<int, double, std::string> value;
};

std::map<std::string, std::vector<Word>> GroupsOf(const std::vector<Word>& words) {
  std::map<std::string, std::vector<Word>> groups;
  for (const Word& word : words) groups[word.text].push_back(word);
  return groups;
}

}  // namespace

int Unit(const std::vector<std::string>& texts, const std::function<int(const std::string&)>& number_of) {
  std::vector<Word> words;
  for (const std::string& text : texts) words.push_back({text, number_of(text), text});
  std::sort(words.begin(), words.end(), [](const Word& a, const Word& b) { return a.text < b.text; });
  int sum = 0;
  for (const auto& [text, group] : GroupsOf(words)) {
    for (const Word& word : group) sum += word.number.value_or(0) + static_cast<int>(text.size());
  }
  return sum;
}
