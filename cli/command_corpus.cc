// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/edition_option.h"
#include "cli/options.h"
#include "cli/outputs.h"
#include "cli/subject.h"
#include "conformance/corpus/case_file.h"
#include "conformance/corpus/finding_vectors.h"
#include "conformance/session/corpus_care.h"
#include "conformance/spec/spec.h"
#include "reports/phrases.h"

namespace poolproof {
namespace {

namespace fs = std::filesystem;

struct CorpusArguments {
  std::vector<std::string> inputs;
  std::string output;
  std::string implementation;
  std::optional<std::string> profile;
  std::optional<std::string> edition;
  bool as_vectors = false;  // the one form there is
};

// The case files of a campaign's folder, those of all its shards.
Result<std::vector<std::string>> FilesOf(const std::string& input) {
  std::error_code error;
  if (!fs::is_directory(input, error)) return std::vector<std::string>{input};
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(input, error)) {
    const std::string name = entry.path().filename().string();
    const bool is_ours = name.starts_with("corpus") || name.starts_with("findings");
    if (is_ours && name.ends_with(".jsonl")) files.push_back(entry.path().string());
  }
  if (error) return NotFound("corpus: cannot read '" + input + "': " + error.message());
  if (files.empty()) {
    return NotFound("corpus: '" + input + "' has no corpus*.jsonl and no findings*.jsonl");
  }
  std::sort(files.begin(), files.end());
  return files;
}

Result<std::vector<CaseFileEntry>> ReadEntries(const std::vector<std::string>& inputs) {
  std::vector<CaseFileEntry> entries;
  for (const std::string& input : inputs) {
    const Result<std::vector<std::string>> files = FilesOf(input);
    if (!files.ok()) return files.status();
    for (const std::string& file : *files) {
      const Result<std::string> text = ReadFile("corpus", file);
      if (!text.ok()) return text.status();
      Result<std::vector<CaseFileEntry>> read = ParseCaseFileEntries(*text, file);
      if (!read.ok()) return read.status().Annotate("corpus");
      std::move(read.value().begin(), read.value().end(), std::back_inserter(entries));
    }
  }
  return entries;
}

// "12 cases and 1 finding".
std::string SizesOf(const std::vector<CaseFileEntry>& entries) {
  const std::int64_t findings =
      std::count_if(entries.begin(), entries.end(),
                    [](const CaseFileEntry& entry) { return entry.finding.has_value(); });
  return CountOf(std::ssize(entries) - findings, "case") + " and " + CountOf(findings, "finding");
}

// Reads the inputs, lets `change` make the text of the output, and writes it.
template <typename Change>
Result<int> ChangeCorpus(const CorpusArguments& arguments, const Io& io, const Change& change) {
  std::string text;
  const std::vector<Output> outputs = {{"-o", arguments.output, [&text] { return text; }}};
  if (Status status = CheckOutputs(outputs); !status.ok()) return status;
  Result<std::vector<CaseFileEntry>> entries = ReadEntries(arguments.inputs);
  if (!entries.ok()) return entries.status();
  Result<std::string> changed = change(std::move(entries).value());
  if (!changed.ok()) return changed.status();
  text = std::move(changed).value();
  if (Status status = WriteOutputs(io, outputs); !status.ok()) return status;
  return kExitOk;
}

Result<int> Merge(const CorpusArguments& arguments, const Io& io) {
  return ChangeCorpus(arguments, io, [&](std::vector<CaseFileEntry> entries) {
    const std::string before = SizesOf(entries);
    entries = MergeEntries(std::move(entries));
    io.err << "poolproof: merged " << before << " into " << SizesOf(entries) << "\n";
    return Result<std::string>(CaseFileText(entries));
  });
}

Result<int> Minimize(const CorpusArguments& arguments, const Io& io) {
  return ChangeCorpus(arguments, io, [&](std::vector<CaseFileEntry> entries) {
    const std::string before = SizesOf(entries);
    const MinimizedCorpus result = MinimizeEntries(std::move(entries));
    io.err << "poolproof: minimized " << before << " to " << SizesOf(result.entries)
           << ", which cover the same " << CountOf(result.covered.pairs, "pair") << " and "
           << CountOf(result.covered.triples, "triple") << " of classes";
    if (result.edges > 0) io.err << "; kept " << CountOf(result.edges, "case") << " for edges";
    if (result.placeless > 0) {
      io.err << "; kept " << CountOf(result.placeless, "case") << " that belong to no class";
    }
    io.err << "\n";
    return Result<std::string>(CaseFileText(result.entries));
  });
}

Result<int> Prune(const CorpusArguments& arguments, const Io& io) {
  return ChangeCorpus(
      arguments, io, [&](std::vector<CaseFileEntry> entries) -> Result<std::string> {
        std::optional<Profile> profile;
        if (arguments.profile) {
          const Result<Profile> parsed = ParseProfileOption(*arguments.profile);
          if (!parsed.ok()) return parsed.status();
          profile = *parsed;
        }
        const Result<Edition> edition = ChooseEdition(arguments.edition);
        if (!edition.ok()) return edition.status();
        const Result<Subject> subject = FindSubject(arguments.implementation, {}, *edition);
        if (!subject.ok()) return subject.status();
        const Result<PrunedCorpus> result =
            PruneEntries(Spec::Embedded(*edition), *subject, profile, std::move(entries), io.stop);
        if (!result.ok()) return result.status();
        io.err << "poolproof: pruned " << CountOf(result->dropped, "finding")
               << " that no longer fail, kept " << result->failing << " that do";
        if (result->undecided > 0) io.err << ", " << result->undecided << " that cannot be judged";
        if (result->elsewhere > 0) io.err << ", " << result->elsewhere << " of another profile";
        io.err << "; kept " << SizesOf(result->entries) << "\n";
        return CaseFileText(result->entries);
      });
}

Result<int> Export(const CorpusArguments& arguments, const Io& io) {
  return ChangeCorpus(
      arguments, io, [&](const std::vector<CaseFileEntry>& entries) -> Result<std::string> {
        const FindingVectors result = VectorsOfFindings(MergeEntries(entries));
        for (const std::string& line : result.left_out) {
          io.err << "poolproof: left out " << line << "\n";
        }
        if (result.vectors.empty()) {
          return InvalidArgument("corpus: '" + arguments.inputs.front() +
                                 "' has no finding that can become a vector");
        }
        std::string text = VectorFileText(result.notes, result.vectors);
        // As the corpus will read it.
        const Result<std::vector<Vector>> read = ParseVectorFile(text, arguments.output);
        if (!read.ok()) return Internal(read.status().message());
        io.err << "poolproof: exported " << CountOf(std::ssize(result.vectors), "vector") << "\n";
        return text;
      });
}

using CorpusAction = Result<int> (*)(const CorpusArguments&, const Io&);

Command Declare(const Command& corpus, Action& action, const char* name, const char* description,
                const std::shared_ptr<CorpusArguments>& arguments, CorpusAction run) {
  Command command = corpus.AddCommand(name, description);
  command.AddOption("-o,--output", arguments->output, "Write the result here; - is stdout")
      .TypeName("F")
      .Required();
  command.OnChosen([arguments, run, &action] {
    action = [arguments, run](const Io& io) { return run(*arguments, io); };
  });
  return command;
}

// The input of all but `merge`, which takes several.
void DeclareInput(const Command& command, CorpusArguments& arguments) {
  arguments.inputs.resize(1);
  command
      .AddOption("input", arguments.inputs.front(),
                 "A case file, or a campaign's folder; - is standard input")
      .TypeName("IN")
      .Required();
}

}  // namespace

void DeclareCorpus(const Command& app, Action& action) {
  const Command corpus = app.AddCommand("corpus", "Merge, minimize and export fuzz corpora");
  corpus.RequireCommand();
  corpus.SetGroup("Many machines");
  corpus.SetFooter(
      "Examples:\n"
      "  poolproof corpus merge found-1 found-2 -o all.jsonl\n"
      "  poolproof corpus minimize all.jsonl -o small.jsonl");

  const auto merge = std::make_shared<CorpusArguments>();
  Declare(corpus, action, "merge", "Make one file of several, without duplicates", merge, &Merge)
      .AddOption("input", merge->inputs, "Case files, or folders of campaigns")
      .TypeName("IN...")
      .Required();

  const auto minimize = std::make_shared<CorpusArguments>();
  DeclareInput(
      Declare(corpus, action, "minimize",
              "Keep few cases that cover the same combinations of classes", minimize, &Minimize),
      *minimize);

  const auto prune = std::make_shared<CorpusArguments>();
  Command command = Declare(corpus, action, "prune",
                            "Drop findings that an implementation no longer fails", prune, &Prune);
  DeclareInput(command, *prune);
  DeclareImplementation(command, prune->implementation);
  command
      .AddOption("--profile", prune->profile,
                 "Product family; default: what the SoC name says, else atlas-a2")
      .TypeName("P");
  DeclareEdition(command, prune->edition);

  const auto exported = std::make_shared<CorpusArguments>();
  command = Declare(corpus, action, "export", "Write findings as files for a repository", exported,
                    &Export);
  DeclareInput(command, *exported);
  command
      .AddFlag("--as-vectors", exported->as_vectors,
               "As vectors of the corpus (poolproof-vectors/1)")
      .Required();
}

}  // namespace poolproof
