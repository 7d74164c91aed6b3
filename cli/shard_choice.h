// SPDX-License-Identifier: Apache-2.0
//
// Which shard of a plan this process judges: by --shard, or by what an engine puts into the
// environment of its tasks.
#ifndef POOLPROOF_CLI_SHARD_CHOICE_H_
#define POOLPROOF_CLI_SHARD_CHOICE_H_

#include <functional>
#include <optional>
#include <string>

#include "conformance/plan/shards.h"
#include "core/status.h"

namespace poolproof {

struct ShardChoice {
  Shard shard;
  std::string taken_from;   // "--shard", "POOLPROOF_SHARD", "SLURM_ARRAY_TASK_ID", ...
  std::string status_file;  // that the engine wants touched; empty: none
  friend bool operator==(const ShardChoice&, const ShardChoice&) = default;
};

// nullptr where the variable is not set.
using ReadEnvironmentVariable = std::function<const char*(const char*)>;

// `option`: the text of --shard, "I/N", "I" or "auto". `planned`: the shards of the plan; nullopt
// where there is none. Engines that number tasks but not their total, or whose total shrinks when
// some are submitted again (Slurm), need a plan.
// errors: kInvalidArgument naming option or variable, its value and what was wanted.
Result<ShardChoice> ChooseShard(const std::string& option, std::optional<int> planned,
                                const ReadEnvironmentVariable& variable);

}  // namespace poolproof

#endif  // POOLPROOF_CLI_SHARD_CHOICE_H_
