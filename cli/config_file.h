// SPDX-License-Identifier: Apache-2.0
//
// poolproof.toml: options that are not to be typed each time. The subset of TOML that it takes is
// in docs/configuration.md.
#ifndef POOLPROOF_CLI_CONFIG_FILE_H_
#define POOLPROOF_CLI_CONFIG_FILE_H_

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cli/command_line.h"
#include "core/status.h"

namespace poolproof {

struct ConfigNumber {
  std::string digits;  // of a whole number, with its sign
};
using ConfigValue = std::variant<std::string, ConfigNumber, bool, std::vector<std::string>>;

struct ConfigEntry {
  std::string table;  // "run"; empty: in front of all tables
  std::string key;
  ConfigValue value;
  int line = 0;  // 1 being the first
};

// Tables and keys in their order. errors: kInvalidArgument, "NAME:LINE: what was found".
Result<std::vector<ConfigEntry>> ParseConfigFile(std::string_view text, const std::string& name);

// The words of a command line with the options of the file that they lack, as `--key=value` behind
// the verb. `words` begin with the verb. errors: kInvalidArgument, in one line that names file,
// line and key: unknown ones with the nearest, values of another type.
Result<std::vector<std::string>> WithConfiguration(const std::vector<std::string>& words,
                                                   const std::vector<DeclaredCommand>& commands,
                                                   const std::vector<ConfigEntry>& entries,
                                                   const std::string& name);

// The verbs that a configuration file may have options for.
std::vector<std::string> ConfigurableVerbs();

inline constexpr std::string_view kConfigFile = "poolproof.toml";

}  // namespace poolproof

#endif  // POOLPROOF_CLI_CONFIG_FILE_H_
