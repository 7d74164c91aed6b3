// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/clause_choice.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/plan_options.h"
#include "cli/program.h"
#include "cli/write_file.h"
#include "conformance/exchange/problem_set.h"
#include "conformance/session/emit_problems.h"
#include "reports/phrases.h"

namespace poolproof {
namespace {

namespace fs = std::filesystem;

struct EmitArguments {
  PlanArguments plan;
  std::optional<std::string> clauses;
  std::string out;
};

// The folder must be new or empty: files of other problems must not be among these.
Status MakeFolder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return InvalidArgument("--out: cannot make '" + path + "': " + error.message());
  const bool empty = fs::is_empty(path, error);
  if (error) return InvalidArgument("--out: cannot read '" + path + "': " + error.message());
  if (!empty) return InvalidArgument("--out: '" + path + "' is not empty");
  return OkStatus();
}

Status WriteProblem(const fs::path& path, std::span<const std::byte> bytes) {
  std::error_code ignored;
  fs::create_directories(path.parent_path(), ignored);
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (file) return OkStatus();
  return Unavailable("--out: cannot write '" + path.string() + "': " + std::strerror(errno));
}

// "  12 left out: it needs several threads", for each reason.
std::string LeftOutText(const ProblemSet& set) {
  std::map<std::string, std::int64_t> counts;
  for (const LeftOutCase& left : set.left_out) ++counts[left.reason];
  std::string text;
  for (const auto& [reason, count] : counts) {
    text += "  " + CountOf(count, "case") + " left out: " + reason + "\n";
  }
  return text;
}

Result<int> Emit(const EmitArguments& arguments, const Io& io) {
  for (const auto& [option, given] :
       {std::pair("--deadline", arguments.plan.deadline.has_value()),
        std::pair("--stop-after", arguments.plan.stop_after.has_value())}) {
    if (given) return InvalidArgument(std::string(option) + ": is for a run; nothing is run here");
  }
  if (arguments.clauses && !arguments.plan.case_files.empty()) {
    return InvalidArgument("--clause: cannot be combined with --case-file");
  }
  const Result<SessionOptions> options = MakeSessionOptions(arguments.plan, io);
  if (!options.ok()) return options.status();
  const Spec& spec = Spec::Embedded(options->edition);
  SessionParts parts = PartsFor(spec, *options);
  if (arguments.clauses) {
    if (Status status = ChooseClauses(spec, *arguments.clauses, parts); !status.ok()) return status;
  }
  if (Status status = MakeFolder(arguments.out); !status.ok()) return status;

  const fs::path folder(arguments.out);
  const WriteProblemFile write = [&](const std::string& name, std::span<const std::byte> bytes) {
    return WriteProblem(folder / name, bytes);
  };
  const Profile profile = options->profile.value_or(Profile::kAtlasA2);
  const Result<EmittedProblems> emitted =
      EmitProblems(spec, profile, *options, parts, std::string(ToolVersion()), write, io.stop);
  if (!emitted.ok()) return emitted.status();
  // Last, so that a folder with an index is complete.
  const fs::path index = folder / kProblemSetFile;
  if (Status status = WriteFileAtomically(index.string(), ProblemSetText(emitted->set));
      !status.ok()) {
    return status.Annotate("--out");
  }
  std::map<Purpose, std::int64_t> counts;
  for (const Problem& problem : emitted->set.problems) ++counts[problem.purpose];
  io.out << CountOf(counts[Purpose::kCase], "case") << " on " << InfoOf(profile).name << ", and "
         << CountOf(counts[Purpose::kProbe] + counts[Purpose::kAcceptance], "problem")
         << " that a run asks before them: " << (emitted->bytes + (1 << 20) - 1) / (1 << 20)
         << " MiB in " << arguments.out << "\n"
         << LeftOutText(emitted->set);
  return kExitOk;
}

}  // namespace

void DeclareEmit(const Command& app, Action& action) {
  const Command command =
      app.AddCommand("emit", "Write cases as plain files, for simulators and remote rigs");
  const auto arguments = std::make_shared<EmitArguments>();
  DeclarePlanOptions(command, arguments->plan);
  command
      .AddOption("--clause", arguments->clauses,
                 "Only cases that test these clauses, such as MP3-B02,SAF-*")
      .TypeName("IDS");
  command.AddOption("--out", arguments->out, "A new or empty folder for the problems")
      .TypeName("DIR")
      .Required();
  command.SetGroup("Without a library");
  command.SetFooter(
      "Examples:\n"
      "  poolproof emit --set smoke --out problems\n"
      "  poolproof emit --filter '*/random-small/*' --cases 500 --out problems\n"
      "\n"
      "docs/simulators.md says what the files hold and how they are answered.");
  command.OnChosen([arguments, &action] {
    action = [arguments](const Io& io) { return Emit(*arguments, io); };
  });
}

}  // namespace poolproof
