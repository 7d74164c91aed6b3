// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/edition_option.h"
#include "cli/options.h"
#include "conformance/cann/manifests.h"
#include "conformance/case/case_text.h"
#include "conformance/plan/standard_sources.h"
#include "conformance/plan/test_plan.h"
#include "conformance/runner/implementation.h"
#include "conformance/spec/spec.h"

namespace poolproof {
namespace {

constexpr std::array<std::string_view, 5> kSubjects = {"operators", "clauses", "cases", "profiles",
                                                       "implementations"};

struct ListArguments {
  std::string what;
  std::optional<std::string> profile;
  std::optional<std::string> edition;
  std::optional<std::string> set;
  std::optional<std::string> seed;
  std::optional<std::string> filter;
};

// Rows as columns two spaces apart; the last column is not padded.
void PrintColumns(const Io& io, const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      io.out << row[i];
      if (i + 1 < row.size()) io.out << std::string(widths[i] - row[i].size() + 2, ' ');
    }
    io.out << "\n";
  }
}

void ListOperators(const Io& io) {
  std::vector<std::vector<std::string>> rows;
  for (const OperatorInfo& info : AllOperators()) {
    const std::string rank = std::to_string(info.spatial_rank);
    rows.push_back({std::string(info.name), info.is_forward ? "forward" : "backward",
                    "rank " + std::to_string(info.spatial_rank + 1) + " or " +
                        std::to_string(info.spatial_rank + 2),
                    info.windows == WindowRule::kAdaptive ? "adaptive windows" : "fixed windows",
                    "clauses " + std::string(info.clause_prefix) + "-*"});
  }
  PrintColumns(io, rows);
}

void ListClauses(const Io& io, const Spec& spec, const std::optional<Profile>& profile) {
  std::vector<std::vector<std::string>> rows;
  for (const Clause& clause : spec.clauses()) {
    if (profile && !clause.AppliesTo(*profile)) continue;
    rows.push_back({clause.id, std::string(StrengthName(clause.strength)), KindText(clause),
                    clause.operator_name, DemandText(clause)});
  }
  PrintColumns(io, rows);
}

void ListProfiles(const Io& io) {
  std::vector<std::vector<std::string>> rows;
  for (const ProfileInfo& info : AllProfiles()) {
    rows.push_back({std::string(info.name), std::string(info.default_soc),
                    info.supported ? "supported by some operator" : "supported by no operator"});
  }
  PrintColumns(io, rows);
}

void ListImplementations(const Io& io) {
  std::vector<std::vector<std::string>> rows;
  for (const char* name : {"reference", "optimized"}) {
    const Result<Implementation> found = ResolveImplementation(name);
    rows.push_back({name, found.ok() ? "available" : found.status().message()});
  }
  for (const CannRelease& release : CannReleases()) {
    rows.push_back({std::string(release.name), std::string(release.meaning)});
  }
  rows.push_back({"PATH.so", "a shared library with the aclnn C ABI; several with commas"});
  rows.push_back({"PATH.json", "a manifest, schema poolproof-manifest/1"});
  PrintColumns(io, rows);
}

Result<int> ListCases(const ListArguments& arguments, const Spec& spec,
                      const std::optional<Profile>& profile, const Io& io) {
  const Result<CaseSet> set = ParseSetOption(arguments.set.value_or("ci"));
  if (!set.ok()) return set.status();
  const Result<std::uint64_t> seed = ParseSeed(arguments.seed.value_or("1"));
  if (!seed.ok()) return seed.status();
  const TestPlan plan(StandardSources(spec, profile.value_or(Profile::kAtlasA2), *set, *seed),
                      arguments.filter, std::nullopt);
  for (std::int64_t number = 0; number < plan.size() && io.out.good() && !io.stop; ++number) {
    const NamedCase named = plan.At(number);
    io.out << named.Path() << "  " << CaseLine(named.problem) << "\n";
  }
  return kExitOk;
}

Result<int> Run(const ListArguments& arguments, const Io& io) {
  const bool known =
      std::find(kSubjects.begin(), kSubjects.end(), arguments.what) != kSubjects.end();
  if (!known) {
    return InvalidArgument("list: '" + arguments.what + "' is unknown; expected " +
                           JoinNames(kSubjects));
  }
  if (arguments.what != "cases" && (arguments.set || arguments.seed || arguments.filter)) {
    return InvalidArgument("list " + arguments.what +
                           ": --set, --seed and --filter belong to `list cases`");
  }
  std::optional<Profile> profile;
  if (arguments.profile) {
    const Result<Profile> parsed = ParseProfileOption(*arguments.profile);
    if (!parsed.ok()) return parsed.status();
    profile = *parsed;
  }
  const Result<Edition> edition = ChooseEdition(arguments.edition);
  if (!edition.ok()) return edition.status();
  const Spec& spec = Spec::Embedded(*edition);
  if (arguments.what == "cases") return ListCases(arguments, spec, profile, io);
  if (arguments.what == "clauses") {
    ListClauses(io, spec, profile);
    return kExitOk;
  }
  if (arguments.profile || arguments.edition) {
    return InvalidArgument("list " + arguments.what +
                           ": --profile and --edition belong to `list cases` and `list clauses`");
  }
  if (arguments.what == "operators") ListOperators(io);
  if (arguments.what == "profiles") ListProfiles(io);
  if (arguments.what == "implementations") ListImplementations(io);
  return kExitOk;
}

}  // namespace

void DeclareList(const Command& app, Action& action) {
  const Command command = app.AddCommand("list", "List what the suite knows");
  const auto arguments = std::make_shared<ListArguments>();
  command
      .AddOption("what", arguments->what, "operators, clauses, cases, profiles or implementations")
      .TypeName("")
      .Required();
  command.AddOption("--profile", arguments->profile, "Cases or clauses of this product family")
      .TypeName("P");
  DeclareEdition(command, arguments->edition);
  command.AddOption("--set", arguments->set, "Cases of this set: smoke, ci or nightly; default ci")
      .TypeName("S");
  command.AddOption("--seed", arguments->seed, "Seed of the random cases; default 1").TypeName("N");
  command.AddOption("--filter", arguments->filter, "Cases whose operator/family/name matches")
      .TypeName("GLOB");
  command.SetGroup("Look closer");
  command.SetFooter(
      "Examples:\n"
      "  poolproof list clauses --profile ascend-950\n"
      "  poolproof list cases --set smoke --filter '*/status/*' ");
  command.OnChosen(
      [arguments, &action] { action = [arguments](const Io& io) { return Run(*arguments, io); }; });
}

}  // namespace poolproof
