// SPDX-License-Identifier: Apache-2.0
#include "reports/diff.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "conformance/result/same_cause.h"
#include "reports/markdown.h"
#include "reports/phrases.h"
#include "reports/words.h"

namespace poolproof {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 5> kChanges = {"broken", "fixed", "new", "gone", "changed"};

std::string_view ChangeName(Change change) { return kChanges[static_cast<std::size_t>(change)]; }

bool Answered(ClauseVerdict verdict) {
  return verdict == ClauseVerdict::kPassed || verdict == ClauseVerdict::kFailed;
}

std::optional<Change> ChangeOf(ClauseVerdict before, ClauseVerdict after) {
  if (before == after) return std::nullopt;
  if (after == ClauseVerdict::kFailed) return Change::kBroken;
  if (before == ClauseVerdict::kFailed && after == ClauseVerdict::kPassed) return Change::kFixed;
  if (Answered(before)) return Change::kGone;
  if (Answered(after)) return Change::kNew;
  return std::nullopt;
}

void Sort(std::vector<DiffEntry>& entries) {
  std::stable_sort(entries.begin(), entries.end(), [](const DiffEntry& a, const DiffEntry& b) {
    return std::pair(a.change, a.advisory) < std::pair(b.change, b.advisory);
  });
}

struct Judged {
  std::string name;
  ClauseVerdict verdict;
  bool advisory;
};

std::vector<DiffEntry> Compare(const std::vector<Judged>& before,
                               const std::vector<Judged>& after) {
  std::map<std::string, ClauseVerdict> known;
  for (const Judged& entry : before) known.emplace(entry.name, entry.verdict);
  std::vector<DiffEntry> entries;
  const auto word = [](ClauseVerdict verdict) { return Spaced(ClauseVerdictName(verdict)); };
  for (const Judged& entry : after) {
    const auto place = known.find(entry.name);
    // What was not there had no answer.
    const auto change =
        ChangeOf(place == known.end() ? ClauseVerdict::kNotRun : place->second, entry.verdict);
    const std::string was = place == known.end() ? "absent" : word(place->second);
    if (place != known.end()) known.erase(place);
    if (change) {
      entries.push_back({*change, entry.advisory, entry.name, was, word(entry.verdict)});
    }
  }
  for (const Judged& entry : before) {
    if (!known.contains(entry.name) || !Answered(entry.verdict)) continue;
    entries.push_back({Change::kGone, entry.advisory, entry.name, word(entry.verdict), "absent"});
  }
  Sort(entries);
  return entries;
}

std::vector<Judged> ClausesOf(const Report& report) {
  std::vector<Judged> judged;
  for (const ClauseResult& clause : report.clauses) {
    judged.push_back({clause.id, clause.verdict, clause.strength == Strength::kAdvisory});
  }
  return judged;
}

// Properties decide nothing by themselves: the clauses that their failures breach do.
std::vector<Judged> PropertiesOf(const Report& report) {
  std::vector<Judged> judged;
  for (const PropertyResult& property : report.properties) {
    judged.push_back({std::string(RelationName(property.relation)), property.verdict, true});
  }
  return judged;
}

// Whether the report has an answer on every clause that the failures breach: only then do they tell
// anything by their absence.
bool Judges(const Report& report, const std::vector<std::string>& clauses) {
  return std::all_of(clauses.begin(), clauses.end(), [&](const std::string& id) {
    return std::any_of(report.clauses.begin(), report.clauses.end(),
                       [&](const ClauseResult& c) { return c.id == id && Answered(c.verdict); });
  });
}

std::vector<DiffEntry> CompareSignatures(const Report& before, const Report& after) {
  const std::vector<FailureKind> old_kinds = KindsOfFailure(before);
  const std::vector<FailureKind> new_kinds = KindsOfFailure(after);
  const auto knows = [](const std::vector<FailureKind>& kinds, const std::string& signature) {
    return std::any_of(kinds.begin(), kinds.end(), [&](const FailureKind& kind) {
      return kind.first().signature == signature;
    });
  };
  std::vector<DiffEntry> entries;
  for (const FailureKind& kind : new_kinds) {
    const Failure& failure = kind.first();
    if (knows(old_kinds, failure.signature)) continue;
    entries.push_back({Judges(before, failure.clauses) ? Change::kBroken : Change::kNew,
                       failure.advisory, failure.signature, "no case", CasesOfKind(after, kind),
                       ReplayCommand(ImplementationArgument(after), after, ShownCase(failure))});
  }
  for (const FailureKind& kind : old_kinds) {
    const Failure& failure = kind.first();
    if (knows(new_kinds, failure.signature)) continue;
    entries.push_back({Judges(after, failure.clauses) ? Change::kFixed : Change::kGone,
                       failure.advisory, failure.signature, CasesOfKind(before, kind), "no case"});
  }
  Sort(entries);
  return entries;
}

std::string CasesOf(const RootCause& cause) { return CountOf(cause.failing, "failing case"); }

std::vector<DiffEntry> CompareCauses(const Report& before, const Report& after) {
  std::vector<DiffEntry> entries;
  if (!KnowsCauses(before) || !KnowsCauses(after)) return entries;
  // Those with the same rule go together first: what is left may have moved its border.
  std::vector<const RootCause*> old_causes;
  for (const RootCause& cause : before.root_causes) old_causes.push_back(&cause);
  std::vector<const RootCause*> added;
  const auto take = [&](const auto& is_same) -> const RootCause* {
    const auto place = std::find_if(old_causes.begin(), old_causes.end(), is_same);
    if (place == old_causes.end()) return nullptr;
    const RootCause* const cause = *place;
    old_causes.erase(place);
    return cause;
  };
  for (const RootCause& cause : after.root_causes) {
    const auto is_same = [&](const RootCause* old) {
      return SameRule(*old, cause) && old->clauses == cause.clauses;
    };
    if (take(is_same) == nullptr) added.push_back(&cause);
  }
  for (const RootCause* cause : added) {
    const RootCause* const old =
        take([&](const RootCause* known) { return SameCause(*known, *cause); });
    DiffEntry entry = {Change::kChanged, cause->advisory, RuleSentence(*cause), "no case",
                       CasesOf(*cause)};
    if (old != nullptr) {
      entry.before = RuleSentence(*old) + " (" + CasesOf(*old) + ")";
    } else {
      entry.change = Judges(before, cause->clauses) ? Change::kBroken : Change::kNew;
      if (cause->smallest) {
        entry.detail = ReplayCommand(ImplementationArgument(after), after, *cause->smallest);
      }
    }
    entries.push_back(std::move(entry));
  }
  for (const RootCause* old : old_causes) {
    entries.push_back({Judges(after, old->clauses) ? Change::kFixed : Change::kGone, old->advisory,
                       RuleSentence(*old), CasesOf(*old), "no case"});
  }
  Sort(entries);
  return entries;
}

struct Part {
  std::string_view title;
  const std::vector<DiffEntry>* entries;
};

std::array<Part, 4> PartsOf(const ReportDiff& diff) {
  return {{{"clauses", &diff.clauses},
           {"properties", &diff.properties},
           {"root causes", &diff.causes},
           {"kinds of failure", &diff.signatures}}};
}

std::string Head(const ReportDiff& diff) {
  const std::string before(RunVerdictName(diff.before));
  const std::string after(RunVerdictName(diff.after));
  const std::size_t changes =
      diff.clauses.size() + diff.properties.size() + diff.signatures.size() + diff.causes.size();
  return (diff.Broke()   ? "broken"
          : changes == 0 ? "no change"
                         : "nothing broken") +
         (": " + before) + " before, " + after + " after";
}

std::string StatementOf(const Spec& spec, const std::string& id) {
  const Clause* clause = spec.Find(id);
  return clause == nullptr ? "" : clause->statement;
}

}  // namespace

bool ReportDiff::Broke() const {
  const auto broken = [](const std::vector<DiffEntry>& entries) {
    return std::any_of(entries.begin(), entries.end(), [](const DiffEntry& entry) {
      return entry.change == Change::kBroken && !entry.advisory;
    });
  };
  return broken(clauses) || broken(signatures);
}

ReportDiff DiffReports(const Report& before, const Report& after) {
  ReportDiff diff;
  diff.before = before.verdict;
  diff.after = after.verdict;
  const auto note = [&](std::string_view what, const std::string& a, const std::string& b) {
    if (a != b) diff.differing.push_back(std::string(what) + ": " + a + ", then " + b);
  };
  note("implementation", CleanText(before.implementation.name),
       CleanText(after.implementation.name));
  note("profile", ProfileName(before), ProfileName(after));
  note("edition", std::string(EditionName(before.edition)),
       std::string(EditionName(after.edition)));
  note("set", std::string(CaseSetName(before.run.set)), std::string(CaseSetName(after.run.set)));
  note("scope", std::string(RunScopeName(before.run.scope)),
       std::string(RunScopeName(after.run.scope)));
  note("seed", std::to_string(before.run.seed), std::to_string(after.run.seed));
  note("spec", before.spec_sha256.substr(0, 12), after.spec_sha256.substr(0, 12));
  note("plan", before.run.plan_sha256.substr(0, 12), after.run.plan_sha256.substr(0, 12));
  diff.clauses = Compare(ClausesOf(before), ClausesOf(after));
  diff.properties = Compare(PropertiesOf(before), PropertiesOf(after));
  diff.signatures = CompareSignatures(before, after);
  diff.causes = CompareCauses(before, after);
  return diff;
}

std::string DiffText(const ReportDiff& diff, const Spec& spec) {
  std::string text = Head(diff) + "\n";
  for (const std::string& line : diff.differing) text += "  other " + line + "\n";
  for (const auto& [title, entries] : PartsOf(diff)) {
    if (entries->empty()) continue;
    text += "\n" + std::string(title) + "\n";
    for (const DiffEntry& entry : *entries) {
      std::string change(ChangeName(entry.change));
      change.resize(std::max<std::size_t>(7, change.size() + 1), ' ');
      text += "  " + change + entry.name +
              (entry.advisory && title != "properties" ? " (advisory)" : "") + ": " + entry.before +
              ", then " + entry.after + "\n";
      const std::string statement = StatementOf(spec, entry.name);
      if (!statement.empty()) text += "         " + statement + "\n";
      if (!entry.detail.empty()) text += "         " + entry.detail + "\n";
    }
  }
  return text;
}

std::string DiffJsonText(const ReportDiff& diff) {
  const auto list = [](const std::vector<DiffEntry>& entries, const char* name, bool decides) {
    Json array = Json::array();
    for (const DiffEntry& entry : entries) {
      Json object = Json::object();
      object["change"] = ChangeName(entry.change);
      object[name] = entry.name;
      if (decides) object["advisory"] = entry.advisory;
      object["before"] = entry.before;
      object["after"] = entry.after;
      if (!entry.detail.empty()) object["replay"] = entry.detail;
      array.push_back(std::move(object));
    }
    return array;
  };
  Json object = Json::object();
  object["schema"] = "poolproof-diff/1";
  object["broke"] = diff.Broke();
  object["before"] = RunVerdictName(diff.before);
  object["after"] = RunVerdictName(diff.after);
  object["differing"] = diff.differing;
  object["clauses"] = list(diff.clauses, "id", true);
  object["properties"] = list(diff.properties, "name", false);
  object["signatures"] = list(diff.signatures, "signature", true);
  object["root_causes"] = list(diff.causes, "sentence", true);
  return object.dump(1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) + "\n";
}

std::string DiffMarkdown(const ReportDiff& diff, const Spec& spec) {
  std::string text = "## " + std::string(diff.Broke() ? ":x: " : ":white_check_mark: ") +
                     "Poolproof, " + Head(diff) + "\n\n";
  for (const std::string& line : diff.differing) text += "- other " + MarkdownText(line) + "\n";
  for (const auto& [title, entries] : PartsOf(diff)) {
    if (entries->empty()) continue;
    text += "\n### " + std::string(title) +
            "\n\n| change | | before | after | |\n|---|---|---|---|---|\n";
    for (const DiffEntry& entry : *entries) {
      text += "| " + std::string(ChangeName(entry.change)) + " | " + MarkdownText(entry.name) +
              " | " + entry.before + " | " + entry.after + " | " +
              MarkdownText(CutText(StatementOf(spec, entry.name), 300)) + " |\n";
    }
    for (const DiffEntry& entry : *entries) {
      if (!entry.detail.empty() && entry.detail.size() < 4096) {
        text += "\n```sh\n" + entry.detail + "\n```\n";
      }
    }
  }
  return text;
}

}  // namespace poolproof
