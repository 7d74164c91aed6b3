// SPDX-License-Identifier: Apache-2.0
#include "cli/usage_check.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "cli/options.h"

namespace poolproof {
namespace {

bool IsOption(const std::string& word) { return word.size() > 1 && word.front() == '-'; }

std::string WithoutDashes(const std::string& name) {
  const std::size_t first = name.find_first_not_of('-');
  return first == std::string::npos ? std::string() : name.substr(first);
}

class Checker {
 public:
  Checker(const Usage& usage, std::span<const std::string> words) : usage_(usage), words_(words) {}

  Status Run() {
    for (const std::string& word : words_) {
      if (word == "--help" || word == "-h") return OkStatus();
    }
    for (at_ = 0; at_ < words_.size(); ++at_) {
      const Status status = IsOption(words_[at_]) ? TakeOption() : TakeOperand();
      if (!status.ok()) return status;
    }
    return CheckMissing();
  }

 private:
  [[nodiscard]] Status Refuse(const std::string& what) const {
    return InvalidArgument(usage_.verb + ": " + what);
  }

  [[nodiscard]] const UsageWord* Find(const std::string& name) const {
    for (const UsageWord& option : usage_.options) {
      if (std::find(option.names.begin(), option.names.end(), name) != option.names.end()) {
        return &option;
      }
    }
    return nullptr;
  }

  // "; did you mean --json?", or where the options are listed.
  [[nodiscard]] std::string Suggestion(const std::string& name) const {
    std::vector<std::string> long_names;
    for (const UsageWord& option : usage_.options) {
      for (const std::string& known : option.names) {
        if (known.starts_with("--")) long_names.push_back(WithoutDashes(known));
      }
    }
    const std::vector<std::string> near = NearMatches(WithoutDashes(name), long_names);
    if (near.empty()) return "; `poolproof " + usage_.verb + " --help` lists the options";
    return "; did you mean --" + near.front() + "?";
  }

  Status TakeOption() {
    const std::string& word = words_[at_];
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const UsageWord* option = Find(name);
    if (option == nullptr) return Refuse("unknown option '" + name + "'" + Suggestion(name));
    if (!given_.insert(option).second && !option->repeats) {
      return Refuse(name + " is given twice; expected once");
    }
    if (equals != std::string::npos) {
      if (!option->takes_value) return Refuse(name + " takes no value");
      return OkStatus();
    }
    if (!option->takes_value) return OkStatus();
    if (!NextIsValue()) {
      return Refuse(name + ": its value" +
                    (option->value.empty() ? std::string() : " " + option->value) + " is missing");
    }
    ++at_;
    while (option->takes_more && NextIsValue()) ++at_;
    return OkStatus();
  }

  // A number may be less than zero, and a lone dash is a file.
  [[nodiscard]] bool NextIsValue() const {
    if (at_ + 1 >= words_.size()) return false;
    const std::string& next = words_[at_ + 1];
    return !IsOption(next) || next.find_first_not_of("-.0123456789") == std::string::npos;
  }

  Status TakeOperand() {
    if (operands_ < usage_.operands.size()) {
      given_.insert(&usage_.operands[operands_]);
      if (!usage_.operands[operands_].takes_more) ++operands_;
      return OkStatus();
    }
    std::string meant;
    for (const UsageWord& option : usage_.options) {
      if (option.required && !given_.contains(&option) && meant.empty()) {
        meant = "; did you mean " + option.names.back() + " " + words_[at_] + "?";
      }
    }
    return Refuse("unexpected argument '" + words_[at_] + "'" + meant);
  }

  [[nodiscard]] Status CheckMissing() const {
    for (const UsageWord& operand : usage_.operands) {
      if (operand.required && !given_.contains(&operand)) {
        return Refuse("the argument '" + operand.names.front() + "' is missing" +
                      (operand.help.empty() ? "" : ": " + operand.help));
      }
    }
    for (const UsageWord& option : usage_.options) {
      if (option.required && !given_.contains(&option)) {
        return Refuse(option.names.back() + (option.value.empty() ? "" : " " + option.value) +
                      " is required");
      }
    }
    return OkStatus();
  }

  const Usage& usage_;
  std::span<const std::string> words_;
  std::size_t at_ = 0;
  std::size_t operands_ = 0;  // filled so far
  std::set<const UsageWord*> given_;
};

}  // namespace

Status CheckUsage(const Usage& usage, std::span<const std::string> words) {
  return Checker(usage, words).Run();
}

}  // namespace poolproof
