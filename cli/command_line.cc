// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <utility>

#include "cli/usage_check.h"

namespace poolproof {
namespace {

void Collect(const CLI::App& app, std::vector<DeclaredOption>& options) {
  for (const CLI::Option* option : app.get_options()) {
    DeclaredOption declared = {{}, option->get_type_name()};
    for (const std::string& name : option->get_snames()) declared.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) declared.names.push_back("--" + name);
    options.push_back(std::move(declared));
  }
  for (const CLI::App* command : app.get_subcommands({})) Collect(*command, options);
}

std::string BaseName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Each part of a comma-separated list on its own.
std::string BaseNames(const std::string& list) {
  std::string names;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    names += (at == 0 ? "" : ",") + BaseName(list.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

UsageWord UsageOf(const CLI::Option& option) {
  UsageWord word;
  for (const std::string& name : option.get_snames()) word.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) word.names.push_back("--" + name);
  word.value = option.get_type_name();
  word.takes_value = option.get_items_expected_max() > 0;
  word.repeats = option.get_items_expected_max() > 1;
  word.takes_more = word.repeats && option.get_allow_extra_args();
  word.required = option.get_required();
  if (word.names.empty()) {
    word.names.push_back(option.get_name());
    word.help = option.get_description();
  }
  return word;
}

// What the verb that `arguments` begin with takes; `behind` becomes the number of its words.
Usage UsageOf(const CLI::App& program, const std::vector<std::string>& arguments,
              std::size_t& behind) {
  const CLI::App* app = &program;
  Usage usage;
  for (behind = 0; behind < arguments.size(); ++behind) {
    const CLI::App* chosen = nullptr;
    for (const CLI::App* command : app->get_subcommands({})) {
      if (command->get_name() == arguments[behind]) chosen = command;
    }
    if (chosen == nullptr) break;
    app = chosen;
    usage.verb += (usage.verb.empty() ? "" : " ") + app->get_name();
  }
  for (const CLI::Option* option : app->get_options()) {
    (option->get_positional() ? usage.operands : usage.options).push_back(UsageOf(*option));
  }
  return usage;
}

}  // namespace

Option Option::TypeName(const std::string& name) const {
  option_->type_name(name);
  return *this;
}

Option Option::Required() const {
  option_->required();
  return *this;
}

Option Option::OneValueEach() const {
  option_->allow_extra_args(false);
  return *this;
}

Command Command::AddCommand(const std::string& name, const std::string& description) const {
  return Command(app_->add_subcommand(name, description));
}

void Command::RequireCommand() const { app_->require_subcommand(1); }

Option Command::AddOption(const std::string& names, std::string& value,
                          const std::string& help) const {
  return Option(app_->add_option(names, value, help));
}

Option Command::AddOption(const std::string& names, std::optional<std::string>& value,
                          const std::string& help) const {
  return Option(app_->add_option(names, value, help));
}

Option Command::AddOption(const std::string& names, std::vector<std::string>& values,
                          const std::string& help) const {
  return Option(app_->add_option(names, values, help));
}

Option Command::AddFlag(const std::string& names, bool& value, const std::string& help) const {
  return Option(app_->add_flag(names, value, help));
}

void Command::SetFooter(const std::string& text) const { app_->footer(text); }

void Command::OnChosen(const std::function<void()>& chosen) const { app_->callback(chosen); }

CommandLine::CommandLine(const std::string& description, const std::string& name)
    : app_(std::make_unique<CLI::App>(description, name)) {
  constexpr std::size_t kHelpColumn = 34;
  app_->get_formatter()->column_width(kHelpColumn);
}

CommandLine::~CommandLine() = default;

Command CommandLine::root() { return Command(app_.get()); }

Result<bool> CommandLine::Parse(const std::vector<std::string>& arguments) {
  std::size_t behind = 0;
  const Usage usage = UsageOf(*app_, arguments, behind);
  if (!usage.verb.empty()) {
    const std::span words(arguments);
    if (Status status = CheckUsage(usage, words.subspan(behind)); !status.ok()) return status;
  }
  try {
    app_->parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    return false;
  } catch (const CLI::ParseError& error) {
    return InvalidArgument(error.what());
  }
  return true;
}

std::vector<DeclaredOption> CommandLine::Options() const {
  std::vector<DeclaredOption> options;
  Collect(*app_, options);
  return options;
}

std::vector<std::string> CommandLine::WithoutFolders(const std::vector<std::string>& argv) const {
  std::map<std::string, std::string> types;
  for (const DeclaredOption& option : Options()) {
    for (const std::string& name : option.names) {
      // One that means several things may mean a path.
      const auto [place, added] = types.emplace(name, option.type_name);
      if (!added && place->second != option.type_name) place->second.clear();
    }
  }
  const auto cut = [&](const std::string& option, const std::string& value) {
    const auto place = types.find(option);
    const std::string type = place == types.end() ? "" : place->second;
    if (type == "GLOB" || type == "I/N") return value;
    return type == "X" ? BaseNames(value) : BaseName(value);
  };
  std::vector<std::string> told;
  for (std::size_t i = 0; i < argv.size(); ++i) {
    const std::string& word = argv[i];
    const std::size_t equals = word.find('=');
    if (word.starts_with("--") && equals != std::string::npos) {
      const std::string option = word.substr(0, equals);
      told.push_back(option + "=" + cut(option, word.substr(equals + 1)));
    } else {
      told.push_back(cut(i == 0 ? "" : argv[i - 1], word));
    }
  }
  return told;
}

std::string CommandLine::Help() const { return app_->help(); }

}  // namespace poolproof
