// SPDX-License-Identifier: Apache-2.0
//
// The report files that a command was asked for: checked before the work, written after it.
#ifndef POOLPROOF_CLI_OUTPUTS_H_
#define POOLPROOF_CLI_OUTPUTS_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/io.h"
#include "core/status.h"

namespace poolproof {

struct Output {
  std::string option;               // "--json"
  std::optional<std::string> path;  // nullopt: not asked for; "-": stdout
  std::function<std::string()> render;
};

// errors: kInvalidArgument naming the option and what is wrong with its path, or the second option
// that wants stdout or the same file.
Status CheckOutputs(const std::vector<Output>& outputs);

// True where stdout carries a report and nothing else may go there.
bool TakesStdout(const std::vector<Output>& outputs);

// Those that are files: one that fails does not cost the others.
Status WriteFiles(const std::vector<Output>& outputs);
// The one that goes to stdout, if any.
void WriteStdout(const Io& io, const std::vector<Output>& outputs);
// Both, files first: one that reads stdout may close it at any time.
Status WriteOutputs(const Io& io, const std::vector<Output>& outputs);

}  // namespace poolproof

#endif  // POOLPROOF_CLI_OUTPUTS_H_
