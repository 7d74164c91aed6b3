// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include <CLI/CLI.hpp>

namespace poolproof {

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

void Command::SetHelp(const std::string& name, const std::string& help) const {
  app_->get_option(name)->description(help);
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
  try {
    app_->parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    return false;
  } catch (const CLI::ParseError& error) {
    return InvalidArgument(error.what());
  }
  return true;
}

std::string CommandLine::Help() const { return app_->help(); }

}  // namespace poolproof
