// SPDX-License-Identifier: Apache-2.0
#include "cli/program.h"

#include <algorithm>
#include <array>
#include <exception>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "conformance/spec/spec.h"

namespace poolproof {
namespace {

constexpr std::array<std::string_view, 15> kVerbs = {
    "run",   "fuzz",  "plan",   "merge", "corpus",  "replay", "export", "emit",
    "judge", "probe", "doctor", "list",  "explain", "diff",   "verify"};
constexpr std::array<std::string_view, 4> kCorpusVerbs = {"merge", "minimize", "prune", "export"};

int ExitStatusOf(const Status& status) {
  switch (status.code()) {
    case StatusCode::kOk:
      return kExitOk;
    case StatusCode::kInvalidArgument:
    case StatusCode::kNotFound:
      return kExitUsage;
    case StatusCode::kUnavailable:
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
  return InvalidArgument("unknown verb '" + word + "'; wanted " + JoinNames(verbs) +
                         DidYouMean(word, verbs));
}

Status CheckVerbs(const std::vector<std::string>& argv) {
  if (argv.size() < 2) return InvalidArgument("a verb is missing; `poolproof --help` lists them");
  if (argv[1].starts_with('-') && argv[1] != "--help" && argv[1] != "-h") {
    return InvalidArgument("'" + argv[1] + "' stands before the verb; wanted `poolproof <verb> " +
                           argv[1] + "`");
  }
  if (Status status = CheckVerb(argv[1], kVerbs); !status.ok()) return status;
  if (argv[1] != "corpus") return OkStatus();
  if (argv.size() < 3) return InvalidArgument("corpus: wanted " + JoinNames(kCorpusVerbs));
  return CheckVerb(argv[2], kCorpusVerbs).Annotate("corpus");
}

std::string VersionText() {
  const Spec& spec = Spec::Embedded();
  return "poolproof " + std::string(ToolVersion()) + "\nspec poolproof-clauses/1, " +
         std::to_string(spec.clauses().size()) + " clauses, sha256 " + spec.sha256() + "\n";
}

Result<int> ParseAndRun(const Io& io) {
  CommandLine line(
      "Poolproof judges whether an implementation of the max-pool backward operators\n"
      "of the Ascend aclnn C ABI does what their documents say.",
      "poolproof");
  const Command app = line.root();
  app.RequireCommand();
  bool version = false;
  app.AddFlag("--version", version, "Print the versions of the tool and of its spec");
  app.SetFooter(
      "`poolproof <verb> --help` explains a verb and shows examples.\n"
      "A verb that judges exits with 0 conformant, 1 nonconformant, 2 usage,\n"
      "3 harness error, 4 incomplete.");
  Action action;
  DeclareVerbs(app, action);

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
  const Result<bool> parsed = line.Parse({words.begin() + 1, words.end()});
  if (!parsed.ok()) return parsed.status();
  if (!*parsed) {
    io.out << line.Help();
    return kExitOk;
  }
  if (version || !action) return InvalidArgument("--version stands alone");
  Io told = io;
  told.argv = line.WithoutFolders(io.argv);
  return action(told);
}

}  // namespace

void DeclareVerbs(const Command& app, Action& action) {
  DeclareRun(app, action);
  DeclareReplay(app, action);
  DeclareFuzz(app, action);
  DeclareProbe(app, action);
  DeclareDoctor(app, action);
  DeclareExplain(app, action);
  DeclareList(app, action);
  DeclareExport(app, action);
  DeclareDiff(app, action);
  DeclareVerify(app, action);
  DeclarePlan(app, action);
  DeclareMerge(app, action);
  DeclareCorpus(app, action);
  DeclareEmit(app, action);
  DeclareJudge(app, action);
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
