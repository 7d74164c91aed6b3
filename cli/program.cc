// SPDX-License-Identifier: Apache-2.0
#include "cli/program.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/config_file.h"
#include "cli/options.h"
#include "conformance/spec/spec.h"

namespace poolproof {
namespace {

constexpr std::array<std::string_view, 22> kVerbs = {
    "run",    "fuzz",    "plan",    "merge",  "corpus",     "replay",  "export", "emit",
    "judge",  "probe",   "bench",   "doctor", "list",       "explain", "diff",   "matrix",
    "verify", "waivers", "adapter", "import", "completion", "man"};
constexpr std::array<std::string_view, 2> kWaiverVerbs = {"check", "suggest"};
constexpr std::array<std::string_view, 1> kAdapterVerbs = {"new"};
constexpr std::array<std::string_view, 4> kCorpusVerbs = {"merge", "minimize", "prune", "export"};

int ExitStatusOf(const Status& status) {
  switch (status.code()) {
    case StatusCode::kOk:
      return kExitOk;
    case StatusCode::kInvalidArgument:
    case StatusCode::kNotFound:
      return kExitUsage;
    case StatusCode::kUnavailable:
    case StatusCode::kBusy:
    case StatusCode::kInternal:
      return kExitHarness;
  }
  return kExitHarness;
}

// Whatever went wrong is one line.
int Fail(const Io& io, const Status& status) {
  std::string line = status.message();
  std::replace(line.begin(), line.end(), '\n', ' ');
  io.err << "poolproof: " << line << "\n";
  return ExitStatusOf(status);
}

// `word` is a verb, one of `verbs`, or an option.
Status CheckVerb(const std::string& word, std::span<const std::string_view> verbs) {
  if (word.empty() || word.front() == '-') return OkStatus();
  if (std::find(verbs.begin(), verbs.end(), word) != verbs.end()) return OkStatus();
  return InvalidArgument("unknown verb '" + word + "'; expected " + JoinNames(verbs) +
                         DidYouMean(word, verbs));
}

Status CheckVerbs(const std::vector<std::string>& argv) {
  if (argv.size() < 2) return InvalidArgument("a verb is missing; `poolproof --help` lists them");
  if (argv[1].starts_with('-') && argv[1] != "--help" && argv[1] != "-h") {
    return InvalidArgument("'" + argv[1] + "' is before the verb; expected `poolproof <verb> " +
                           argv[1] + "`");
  }
  if (Status status = CheckVerb(argv[1], kVerbs); !status.ok()) return status;
  std::span<const std::string_view> parts;
  if (argv[1] == "adapter") parts = kAdapterVerbs;
  if (argv[1] == "corpus") parts = kCorpusVerbs;
  if (argv[1] == "waivers") parts = kWaiverVerbs;
  if (parts.empty()) return OkStatus();
  if (argv.size() < 3) return InvalidArgument(argv[1] + ": expected " + JoinNames(parts));
  return CheckVerb(argv[2], parts).Annotate(argv[1]);
}

std::string VersionText() {
  const Spec& spec = Spec::Embedded();
  return "poolproof " + std::string(ToolVersion()) + "\nspec poolproof-clauses/1, " +
         std::to_string(spec.clauses().size()) + " clauses, sha256 " + spec.sha256() + "\n";
}

// The configuration file that --config names, or that lies in the working directory; nullopt: none.
std::optional<std::string> ConfigPathOf(const std::vector<std::string>& words) {
  constexpr std::string_view kOption = "--config";
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == kOption && i + 1 < words.size()) return words[i + 1];
    if (words[i].starts_with(std::string(kOption) + "=")) {
      return words[i].substr(kOption.size() + 1);
    }
  }
  std::error_code ignored;
  if (!std::filesystem::exists(kConfigFile, ignored)) return std::nullopt;
  return std::string(kConfigFile);
}

// `words` begin with a verb. `added` becomes what a
// file had to add, in words.
Result<std::vector<std::string>> Configured(const std::vector<std::string>& words,
                                            const CommandLine& line, std::string& added) {
  const std::vector<std::string> verbs = ConfigurableVerbs();
  const bool asks_for_help = std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return word == "--help" || word == "-h";
  });
  if (asks_for_help || std::find(verbs.begin(), verbs.end(), words.front()) == verbs.end()) {
    return words;
  }
  const std::optional<std::string> path = ConfigPathOf(words);
  if (!path) return words;
  const Result<std::string> text = ReadFile("--config", *path);
  if (!text.ok()) return text.status();
  const Result<std::vector<ConfigEntry>> entries = ParseConfigFile(*text, *path);
  if (!entries.ok()) return entries.status();
  Result<std::vector<std::string>> all = WithConfiguration(words, line.Commands(), *entries, *path);
  if (!all.ok()) return all;
  for (std::size_t i = 1; i + words.size() < all->size() + 1; ++i) added += " " + (*all)[i];
  if (!added.empty()) added = "options of " + *path + ":" + added;
  return all;
}

constexpr const char* kDescription =
    "Poolproof judges whether an implementation of the max-pool backward operators\n"
    "of the Ascend aclnn C ABI does what their documents say.";

void DeclareProgram(const Command& app, bool& version, Action& action) {
  app.RequireCommand();
  app.AddFlag("--version", version, "Print the versions of the tool and of its spec");
  app.SetFooter(
      "`poolproof <verb> --help` explains a verb and shows examples.\n"
      "A verb that judges exits with 0 conformant, 1 nonconformant, 2 usage,\n"
      "3 harness error, 4 incomplete.");
  DeclareVerbs(app, action);
}

Result<int> ParseAndRun(const Io& io) {
  CommandLine line(kDescription, "poolproof");
  bool version = false;
  Action action;
  DeclareProgram(line.root(), version, action);

  // What users of other programs try first.
  if (io.argv.size() == 2 &&
      (io.argv[1] == "--version" || io.argv[1] == "-V" || io.argv[1] == "version")) {
    io.out << VersionText();
    return kExitOk;
  }
  std::vector<std::string> words(io.argv.begin(), io.argv.end());
  if (words.size() > 1 && words[1] == "help") {  // `help run` is `run --help`
    words.erase(words.begin() + 1);
    words.emplace_back("--help");
  }
  if (Status status = CheckVerbs(words); !status.ok()) return status;
  std::string added;
  const Result<std::vector<std::string>> configured =
      Configured({words.begin() + 1, words.end()}, line, added);
  if (!configured.ok()) return configured.status();
  const Result<bool> parsed = line.Parse(*configured);
  if (!parsed.ok()) return parsed.status();
  if (!*parsed) {
    io.out << line.Help();
    return kExitOk;
  }
  if (version || !action) return InvalidArgument("--version: expected no other argument");
  if (!added.empty()) io.err << "poolproof: " << added << "\n";
  Io told = io;
  std::vector<std::string> argv = *configured;
  argv.insert(argv.begin(), io.argv.front());
  told.argv = line.WithoutFolders(argv);
  return action(told);
}

}  // namespace

void DeclareVerbs(const Command& app, Action& action) {
  DeclareRun(app, action);
  DeclareReplay(app, action);
  DeclareFuzz(app, action);
  DeclareProbe(app, action);
  DeclareBench(app, action);
  DeclareDoctor(app, action);
  DeclareAdapter(app, action);
  DeclareExplain(app, action);
  DeclareList(app, action);
  DeclareExport(app, action);
  DeclareImport(app, action);
  DeclareDiff(app, action);
  DeclareMatrix(app, action);
  DeclareVerify(app, action);
  DeclareWaivers(app, action);
  DeclarePlan(app, action);
  DeclareMerge(app, action);
  DeclareCorpus(app, action);
  DeclareEmit(app, action);
  DeclareJudge(app, action);
  DeclareCompletion(app, action);
  DeclareMan(app, action);
  app.AddOptionToEach(ConfigurableVerbs(), "--config", "F",
                      "Read options that are not given from this file; default: " +
                          std::string(kConfigFile) + " in the working directory");
}

std::vector<DeclaredCommand> ProgramCommands() {
  CommandLine line(kDescription, "poolproof");
  bool version = false;
  Action action;
  DeclareProgram(line.root(), version, action);
  return line.Commands();
}

std::string_view ToolVersion() { return POOLPROOF_VERSION; }

int RunProgram(const Io& io) {
  try {
    const Result<int> result = ParseAndRun(io);
    io.out.flush();
    if (!result.ok()) return Fail(io, result.status());
    if (!io.out.good()) return Fail(io, Unavailable("the results could not be written to stdout"));
    return *result;
  } catch (const std::exception& error) {
    return Fail(io, Internal(std::string("internal error: ") + error.what()));
  }
}

}  // namespace poolproof
