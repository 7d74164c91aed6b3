// SPDX-License-Identifier: Apache-2.0
#include "cli/shard_choice.h"

#include <array>
#include <charconv>
#include <string_view>

namespace poolproof {
namespace {

struct Engine {
  const char* index;
  const char* total;  // nullptr: it has none that can be trusted
  int first;          // the number of its first task
  const char* status_file = nullptr;
};

// In the order in which they are asked.
constexpr std::array kEngines = {
    Engine{"SLURM_ARRAY_TASK_ID", nullptr, 0},
    Engine{"PARALLEL_SEQ", nullptr, 1},
    Engine{"JOB_COMPLETION_INDEX", nullptr, 0},
    Engine{"GTEST_SHARD_INDEX", "GTEST_TOTAL_SHARDS", 0, "GTEST_SHARD_STATUS_FILE"},
    Engine{"TEST_SHARD_INDEX", "TEST_TOTAL_SHARDS", 0, "TEST_SHARD_STATUS_FILE"},
    Engine{"AWS_BATCH_JOB_ARRAY_INDEX", "AWS_BATCH_JOB_ARRAY_SIZE", 0},
    Engine{"BATCH_TASK_INDEX", "BATCH_TASK_COUNT", 0},
    Engine{"CLOUD_RUN_TASK_INDEX", "CLOUD_RUN_TASK_COUNT", 0},
    Engine{"PBS_ARRAY_INDEX", nullptr, 0},
    Engine{"SGE_TASK_ID", nullptr, 1},
    Engine{"LSB_JOBINDEX", nullptr, 1},
    Engine{"CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL", 0},
    Engine{"BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT", 0},
    Engine{"CI_NODE_INDEX", "CI_NODE_TOTAL", 1},
};

std::optional<int> ParseNumber(std::string_view text) {
  int value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

Status WrongShard(const std::string& name, const std::string& text, const std::string& wanted) {
  return InvalidArgument(name + ": '" + text + "' is not " + wanted);
}

Result<ShardChoice> Checked(const std::string& name, const std::string& text, int index, int of) {
  if (of < 1 || of > kMaxShards || index < 0 || index >= of) {
    return WrongShard(
        name, text,
        "one of the shards 0 to " + std::to_string(of - 1) + " of " + std::to_string(of));
  }
  return ShardChoice{{index, of}, name, ""};
}

// "I/N", or "I" where a plan says how many there are.
Result<ShardChoice> Parse(const std::string& name, const std::string& text,
                          std::optional<int> planned) {
  const std::size_t slash = text.find('/');
  const std::optional<int> index = ParseNumber(std::string_view(text).substr(0, slash));
  std::optional<int> of = planned;
  if (slash != std::string::npos) {
    of = ParseNumber(std::string_view(text).substr(slash + 1));
    if (of && planned && *of != *planned) {
      return InvalidArgument(name + ": '" + text + "', and the plan has " +
                             std::to_string(*planned) + " shards");
    }
  }
  if (!index || !of || *of < 1 || *of > kMaxShards) {
    return WrongShard(name, text,
                      planned ? "I, I/N or auto" : "I/N, such as 0/8, or with --plan I or auto");
  }
  return Checked(name, text, *index, *of);
}

Result<ShardChoice> OfEngine(const Engine& engine, const std::string& text,
                             std::optional<int> planned, const ReadEnvironmentVariable& variable) {
  const std::string name = engine.index;
  const std::optional<int> number = ParseNumber(text);
  if (!number) return WrongShard(name, text, "a whole number");
  std::optional<int> of = planned;
  const char* total = engine.total == nullptr ? nullptr : variable(engine.total);
  if (total != nullptr) {
    of = ParseNumber(total);
    if (!of) return WrongShard(engine.total, total, "a whole number");
    if (planned && *of != *planned) {
      return InvalidArgument(std::string(engine.total) + ": '" + total + "', and the plan has " +
                             std::to_string(*planned) + " shards");
    }
  }
  if (!of) {
    return InvalidArgument("--shard auto: " + name +
                           " does not give the number of shards; expected --plan");
  }
  Result<ShardChoice> choice = Checked(name, text, *number - engine.first, *of);
  if (!choice.ok() || engine.status_file == nullptr) return choice;
  const char* status_file = variable(engine.status_file);
  if (status_file != nullptr) choice.value().status_file = status_file;
  return choice;
}

}  // namespace

Result<ShardChoice> ChooseShard(const std::string& option, std::optional<int> planned,
                                const ReadEnvironmentVariable& variable) {
  if (option != "auto") return Parse("--shard", option, planned);
  if (const char* own = variable("POOLPROOF_SHARD")) return Parse("POOLPROOF_SHARD", own, planned);
  std::string known = "POOLPROOF_SHARD";
  for (const Engine& engine : kEngines) {
    const char* text = variable(engine.index);
    known += std::string(", ") + engine.index;
    // What engines say to tasks that are of no array.
    if (text == nullptr || std::string_view(text).empty() ||
        std::string_view(text) == "undefined" ||
        (engine.first == 1 && std::string_view(text) == "0")) {
      continue;
    }
    return OfEngine(engine, text, planned, variable);
  }
  return InvalidArgument("--shard auto: none of " + known + " is set");
}

}  // namespace poolproof
