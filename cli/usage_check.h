// SPDX-License-Identifier: Apache-2.0
//
// The words of a command line against what its verb takes, before they are parsed: what cannot be
// meant is named, with the nearest that can.
#ifndef POOLPROOF_CLI_USAGE_CHECK_H_
#define POOLPROOF_CLI_USAGE_CHECK_H_

#include <span>
#include <string>
#include <vector>

#include "core/status.h"

namespace poolproof {

// An option or operand as it was declared.
struct UsageWord {
  std::vector<std::string> names;  // "-o", "--output"; of an operand its one name, without dashes
  std::string value;               // what the help calls its value; may be empty
  std::string help;                // of an operand: what it is
  bool takes_value = true;         // false: a flag
  bool takes_more = false;         // all words that follow, up to the next option
  bool repeats = false;            // may be given several times
  bool required = false;
};

struct Usage {
  std::string verb;  // "run", "corpus merge"
  std::vector<UsageWord> options;
  std::vector<UsageWord> operands;
};

// `words`: those behind the verb. OK too where help is asked for. errors: kInvalidArgument in one
// line that names the verb, the word and what was wanted.
Status CheckUsage(const Usage& usage, std::span<const std::string> words);

}  // namespace poolproof

#endif  // POOLPROOF_CLI_USAGE_CHECK_H_
