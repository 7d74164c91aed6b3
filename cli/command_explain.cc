// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/edition_option.h"
#include "cli/options.h"
#include "conformance/case/case_text.h"
#include "conformance/corpus/corpus.h"
#include "conformance/judge/prepared_case.h"
#include "conformance/plan/standard_sources.h"
#include "conformance/spec/spec.h"
#include "conformance/tally/tally.h"

namespace poolproof {
namespace {

void PrintWrapped(const Io& io, const std::string& label, const std::string& text) {
  static constexpr std::size_t kLabel = 12;
  static constexpr std::size_t kColumns = 100;
  std::string line = label + std::string(kLabel - std::min(kLabel, label.size()), ' ');
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t space = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, space - begin);
    if (line.size() > kLabel && line.size() + 1 + word.size() > kColumns) {
      io.out << line << "\n";
      line = std::string(kLabel, ' ');
    }
    if (line.size() > kLabel) line += ' ';
    line += word;
    begin = space + 1;
  }
  io.out << line << "\n";
}

std::string ExpectedText(const Clause& clause) {
  if (!clause.expect) return "";
  if (clause.expect->any_error) return "any error, from phase one, phase two or synchronise";
  if (clause.expect->status == 0) return "0 (success) from phase one";
  return std::to_string(clause.expect->status) + " from phase one";
}

std::string ProfilesText(const Clause& clause) {
  if (clause.profiles.empty()) return "all";
  std::string text;
  for (const Profile profile : clause.profiles) {
    text += (text.empty() ? "" : ", ") + std::string(InfoOf(profile).name);
  }
  return text;
}

void PrintDocuments(const Io& io, const Spec& spec, const Clause& clause) {
  if (clause.documents.empty()) {
    PrintWrapped(io, "documents", "none: every implementation must do this");
    return;
  }
  for (const Document& document : spec.documents()) {
    if (std::find(clause.documents.begin(), clause.documents.end(), document.id) !=
        clause.documents.end()) {
      PrintWrapped(io, "document", document.id + ", " + document.title);
    }
  }
}

void PrintDiscrepancies(const Io& io, const Spec& spec, const Clause& clause) {
  for (const RegisteredDiscrepancy& entry : spec.discrepancies()) {
    const bool related = clause.statement.find(entry.id) != std::string::npos ||
                         entry.statement.find(clause.id) != std::string::npos;
    if (related) PrintWrapped(io, "see", entry.id + ": " + entry.statement);
  }
}

// The cases that were made for the clause, by their names.
std::vector<NamedCase> CasesMadeFor(const Clause& clause, const CaseSources& sources) {
  std::vector<NamedCase> cases;
  for (const NamedCase& named : sources.fixed) {
    if (named.name.starts_with(clause.id + "/")) cases.push_back(named);
  }
  for (const Vector& vector : Corpus()) {
    if (std::find(vector.clauses.begin(), vector.clauses.end(), clause.id) !=
        vector.clauses.end()) {
      cases.push_back(vector.problem);
    }
  }
  return cases;
}

// A valid call of the clause's operator, or of any.
std::optional<NamedCase> AnyValidCase(const Spec& spec, const Clause& clause, Profile profile,
                                      const CaseSources& sources) {
  const std::optional<Operator> op = ParseOperator(clause.operator_name);
  for (const NamedCase& named : sources.fixed) {
    const Call& call = named.problem.calls.front();
    if (op && call.op != *op) continue;
    if (named.problem.plan.descriptors_only || call.tensor(Role::kGradOutput).null) continue;
    if (InfoOf(call.op).is_forward) continue;
    if (IsValid({spec, profile}, call, named.problem.plan)) return named;
  }
  return std::nullopt;
}

void PrintTests(const Io& io, const Spec& spec, const Clause& clause) {
  if (const std::optional<std::string> reason = ReasonNotExercised(clause.id)) {
    PrintWrapped(io, "tested by", "no case: " + *reason);
    return;
  }
  const Profile profile = clause.profiles.empty() ? Profile::kAtlasA2 : clause.profiles.front();
  const CaseSources sources = StandardSources(spec, profile, CaseSet::kCi, 1);
  const std::vector<NamedCase> cases = CasesMadeFor(clause, sources);
  const bool judged_everywhere =
      clause.kind == ClauseKind::kValue || clause.kind == ClauseKind::kProtocol ||
      clause.kind == ClauseKind::kSafety || clause.kind == ClauseKind::kSupport;
  if (!cases.empty()) {
    PrintWrapped(io, "tested by",
                 std::to_string(cases.size()) + " fixed case" + (cases.size() == 1 ? "" : "s") +
                     " made for it in set ci" +
                     (judged_everywhere ? ", and every other call that can show it" : ""));
    PrintWrapped(io, "example", cases.front().Path());
    io.out << "            " << CaseLine(cases.front().problem) << "\n";
    return;
  }
  PrintWrapped(io, "tested by", "every call that can show it, fixed and random");
  if (const std::optional<NamedCase> example = AnyValidCase(spec, clause, profile, sources)) {
    PrintWrapped(io, "example", example->Path());
    io.out << "            " << CaseLine(example->problem) << "\n";
  }
}

int ExplainDiscrepancy(const Spec& spec, const RegisteredDiscrepancy& entry, const Io& io) {
  io.out << entry.id << "  discrepancy between or within documents\n";
  PrintWrapped(io, "statement", entry.statement);
  PrintWrapped(io, "reading", entry.reading);
  for (const Document& document : spec.documents()) {
    if (std::find(entry.documents.begin(), entry.documents.end(), document.id) !=
        entry.documents.end()) {
      PrintWrapped(io, "document", document.id + ", " + document.title);
    }
  }
  for (const Clause& clause : spec.clauses()) {
    if (clause.statement.find(entry.id) != std::string::npos) PrintWrapped(io, "clause", clause.id);
  }
  return kExitOk;
}

// What the clause's edition has to do with the other one.
std::string EditionsText(const Clause& clause, Edition chosen) {
  if (!clause.edition) return "all, with the same text";
  std::string text(EditionName(*clause.edition));
  for (int i = 0; i < kEditionCount; ++i) {
    const auto other = static_cast<Edition>(i);
    if (other == chosen) continue;
    text += "; --edition " + std::string(EditionName(other)) +
            (Spec::Embedded(other).Find(clause.id) == nullptr ? " has no such clause"
                                                              : " has another text");
  }
  return text;
}

struct ExplainArguments {
  std::string id;
  std::optional<std::string> edition;
};

Result<int> Run(const ExplainArguments& arguments, const Io& io) {
  const Result<Edition> edition = ChooseEdition(arguments.edition);
  if (!edition.ok()) return edition.status();
  const Spec& spec = Spec::Embedded(*edition);
  const std::string& asked = arguments.id;
  const std::string id = Upper(asked);
  const Clause* clause = spec.Find(id);
  if (clause == nullptr) {
    std::vector<std::string> ids;
    for (const RegisteredDiscrepancy& entry : spec.discrepancies()) {
      if (entry.id == id) return ExplainDiscrepancy(spec, entry, io);
      ids.push_back(entry.id);
    }
    for (const Clause& known : spec.clauses()) ids.push_back(known.id);
    std::string near;
    for (const std::string& name : NearMatches(id, ids)) near += (near.empty() ? "" : ", ") + name;
    return InvalidArgument("explain: unknown clause '" + asked + "'" +
                           (near.empty() ? "; `poolproof list clauses` lists all of them"
                                         : "; did you mean " + near + "?"));
  }
  io.out << clause->id << "  " << StrengthName(clause->strength) << " " << KindText(*clause)
         << " clause of " << clause->operator_name << "\n";
  PrintWrapped(io, "statement", clause->statement);
  if (clause->expect) PrintWrapped(io, "expected", ExpectedText(*clause));
  PrintWrapped(io, "profiles", ProfilesText(*clause));
  PrintWrapped(io, "edition", EditionsText(*clause, *edition));
  PrintDocuments(io, spec, *clause);
  PrintDiscrepancies(io, spec, *clause);
  if (const auto forward = ForwardThatClauseNeeds(*clause)) {
    PrintWrapped(io, "needs",
                 "aclnn" + std::string(InfoOf(*forward).name) +
                     "; not applicable where it is absent and our own indices give "
                     "no evidence");
  }
  PrintTests(io, spec, *clause);
  return kExitOk;
}

}  // namespace

void DeclareExplain(const Command& app, Action& action) {
  const Command command = app.AddCommand("explain", "Explain a clause and how it is tested");
  const auto arguments = std::make_shared<ExplainArguments>();
  command
      .AddOption("clause", arguments->id,
                 "A clause id such as MP3-B02, or a discrepancy such as DD-05")
      .TypeName("")
      .Required();
  DeclareEdition(command, arguments->edition);
  command.SetGroup("Look closer");
  command.SetFooter(
      "Examples:\n"
      "  poolproof explain MP3-B02\n"
      "  poolproof explain DD-05\n"
      "  poolproof explain AMP3-S14 --edition seeds");
  command.OnChosen(
      [arguments, &action] { action = [arguments](const Io& io) { return Run(*arguments, io); }; });
}

}  // namespace poolproof
