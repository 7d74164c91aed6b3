// SPDX-License-Identifier: Apache-2.0
//
// rule_agreement MUTANTS_JSON simulate SET [NAME...]
// rule_agreement MUTANTS_JSON reports FOLDER [NAME...]
//
// Holds what a run says of faulty libraries against the triggers of their faults, on new cases:
// calls that no run judged, of another seed. `reports` reads FOLDER/NAME.json. `simulate` judges
// nothing: a case of the set fails where the trigger holds, so that it tells in seconds what the
// learner alone makes of a perfect witness. Prints one line of JSON for each mutant.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "conformance/case/case_text.h"
#include "conformance/explain/explain.h"
#include "conformance/judge/legality.h"
#include "conformance/judge/prepared_case.h"
#include "conformance/plan/standard_sources.h"
#include "conformance/tally/root_causes.h"
#include "reports/parse.h"
#include "tests/circumstance/trigger.h"

namespace poolproof {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kFreshCases = 10000;
constexpr std::uint64_t kFreshSeed = 20260601;

// A case with what can be said of its calls.
struct Known {
  std::int64_t number = 0;
  bool legal = false;
  std::size_t elements = 0;
  std::vector<CircumstanceValues> calls;
};

struct Mutant {
  std::string name;
  std::string profile;
  std::vector<std::string> clauses;
  bool forwards = false;
  bool of_answers = false;  // strikes calls that are not legal
  std::optional<Trigger> trigger;
  std::string trigger_text;
};

bool IsForward(const Case& problem) {
  return std::any_of(problem.calls.begin(), problem.calls.end(),
                     [](const Call& call) { return InfoOf(call.op).is_forward; });
}

template <typename Condition>
bool HoldsOfAny(const Condition& holds, const Known& known) {
  return std::any_of(known.calls.begin(), known.calls.end(), holds);
}

Known KnownOf(const ProfileRules& rules, const Case& problem, std::int64_t number) {
  Known known;
  known.number = number;
  known.legal = true;
  for (std::size_t call = 0; call < problem.calls.size(); ++call) {
    known.calls.push_back(CircumstancesOf(problem, call));
    known.legal = known.legal && IsValid(rules, problem.calls[call], problem.plan);
    for (const TensorSpec& tensor : problem.calls[call].tensors) {
      if (!tensor.null)
        known.elements += static_cast<std::size_t>(
            std::max<std::int64_t>(0, CheckedNumel(tensor.shape).value_or(std::int64_t{1} << 40)));
    }
  }
  // Where an index lies outside its plane nothing is promised.
  static const std::size_t outside = CircumstanceOf("index_outside_plane");
  known.legal =
      known.legal && !problem.plan.descriptors_only &&
      !HoldsOfAny([](const CircumstanceValues& values) { return values[outside] == 1; }, known);
  return known;
}

bool Strikes(const Mutant& mutant, const Known& known) {
  return HoldsOfAny([&](const CircumstanceValues& values) { return mutant.trigger->Holds(values); },
                    known);
}

// Whether it strikes calls, but none that is legal.
bool StrikesRefusedAlone(const Mutant& mutant, const std::vector<Known>& cases) {
  const auto strikes = [&](const Known& known) { return Strikes(mutant, known); };
  return std::any_of(cases.begin(), cases.end(), strikes) &&
         std::none_of(cases.begin(), cases.end(),
                      [&](const Known& known) { return known.legal && strikes(known); });
}

class Bench {
 public:
  Bench(Profile profile, bool forwards)
      : profile_(profile), forwards_(forwards), rules_(Spec::Embedded(), profile) {
    const TestPlan ci(StandardSources(Spec::Embedded(), profile, CaseSet::kCi, 1), {}, {});
    std::set<std::string> judged;
    for (std::int64_t i = 0; i < ci.size(); ++i) judged.insert(CaseLine(ci.At(i).problem));
    const TestPlan plan(StandardSources(Spec::Embedded(), profile, CaseSet::kNightly, kFreshSeed),
                        {}, {});
    // In an order of their own, so that all kinds of cases are among them.
    const std::int64_t step = 7919;
    std::int64_t at = 0;
    for (std::int64_t i = 0; i < plan.size(); ++i) {
      if (legal_.size() >= kFreshCases && any_.size() >= kFreshCases) break;
      at = (at + step) % plan.size();
      const Case problem = plan.At(at).problem;
      if (IsForward(problem) != forwards_ || judged.contains(CaseLine(problem))) continue;
      Known known = KnownOf(rules_, problem, at);
      if (known.legal && legal_.size() < kFreshCases) legal_.push_back(known);
      if (any_.size() < kFreshCases) any_.push_back(std::move(known));
    }
  }
  [[nodiscard]] const std::vector<Known>& Fresh(const Mutant& mutant) const {
    return mutant.of_answers ? any_ : legal_;
  }
  [[nodiscard]] bool StrikesRefused(const Mutant& mutant) const {
    return StrikesRefusedAlone(mutant, any_) &&
           std::none_of(legal_.begin(), legal_.end(),
                        [&](const Known& known) { return Strikes(mutant, known); });
  }
  [[nodiscard]] Profile profile() const { return profile_; }
  [[nodiscard]] const ProfileRules& rules() const { return rules_; }

 private:
  Profile profile_;
  bool forwards_;
  ProfileRules rules_;
  std::vector<Known> legal_;
  std::vector<Known> any_;
};

// How far the rules of root causes and the trigger say the same of new cases.
Json Compare(const Mutant& mutant, const std::vector<RootCause>& causes, const Bench& bench) {
  std::vector<Rule> rules;
  Json texts = Json::array();
  for (const RootCause& cause : causes) {
    rules.push_back(RuleOf(cause));
    texts.push_back(RuleText(rules.back()) + " [" + std::to_string(cause.failing) + "; " +
                    std::to_string(cause.agreed) + "/" + std::to_string(cause.tested) + "]");
  }
  std::int64_t compared = 0;
  std::int64_t same = 0;
  std::int64_t same_together = 0;
  std::int64_t both = 0;
  std::int64_t by_trigger = 0;
  std::int64_t by_rule = 0;
  const std::vector<Known>& fresh = bench.Fresh(mutant);
  for (const Known& known : fresh) {
    const bool fails = HoldsOfAny(
        [&](const CircumstanceValues& values) { return mutant.trigger->Holds(values); }, known);
    const auto says = [&](const Rule& rule) {
      return HoldsOfAny([&](const CircumstanceValues& values) { return Holds(rule, values); },
                        known);
    };
    // Of the data of a large call nobody knows whether the rule holds.
    const auto unknown = [&](const CircumstanceValues& values) {
      return std::any_of(rules.begin(), rules.end(), [&](const Rule& rule) {
        return MayHold(rule, values) != Holds(rule, values);
      });
    };
    if (HoldsOfAny(unknown, known)) continue;
    ++compared;
    const bool leading = !rules.empty() && says(rules.front());
    const bool together = std::any_of(rules.begin(), rules.end(), says);
    same += leading == fails ? 1 : 0;
    same_together += together == fails ? 1 : 0;
    both += leading && fails ? 1 : 0;
    by_trigger += fails ? 1 : 0;
    by_rule += leading ? 1 : 0;
  }
  return {{"name", mutant.name},
          {"trigger", mutant.trigger_text},
          {"root_causes", causes.size()},
          {"fresh", compared},
          {"same", same},
          {"same_together", same_together},
          {"by_trigger", by_trigger},
          {"by_rule", by_rule},
          {"by_both", both},
          {"rules", texts}};
}

// What a run would find if cases failed where the trigger holds.
class Simulation {
 public:
  Simulation(const Bench& bench, CaseSet set, bool forwards)
      : bench_(bench), plan_(StandardSources(Spec::Embedded(), bench.profile(), set, 1), {}, {}) {
    for (std::int64_t i = 0; i < plan_.size(); ++i) {
      const Case problem = plan_.At(i).problem;
      if (IsForward(problem) != forwards) continue;
      places_.emplace(i, known_.size());
      known_.push_back(KnownOf(bench.rules(), problem, i));
    }
  }

  [[nodiscard]] bool StrikesRefused(const Mutant& mutant) const {
    return StrikesRefusedAlone(mutant, known_);
  }
  Report Run(const Mutant& mutant) const {
    const std::vector<std::string> elsewhere = {"2P-01"};
    std::vector<CauseCase> failing;
    std::vector<CauseCase> passing;
    const Known* smallest = nullptr;
    for (const Known& known : known_) {
      const bool near = known.legal != mutant.of_answers;
      if (Fails(mutant, known)) {
        failing.push_back({known.number, &mutant.clauses, mutant.of_answers});
        if (known.calls.size() == 1 &&
            (smallest == nullptr || known.elements < smallest->elements)) {
          smallest = &known;
        }
      } else {
        passing.push_back({known.number, near ? &mutant.clauses : &elsewhere, !known.legal});
      }
    }
    Report report;
    if (smallest != nullptr) {
      Failure failure;
      failure.problem = plan_.At(smallest->number).problem;
      report.failures.push_back(failure);
    }
    for (std::size_t i = 0; i < failing.size() && i < 100; ++i) {
      Failure failure;
      failure.problem = plan_.At(failing[i].number).problem;
      report.failures.push_back(failure);
    }
    CauseEvidence evidence(
        [&](std::int64_t number, bool) { return known_[places_.at(number)].calls; }, failing,
        passing);
    std::int64_t judged = 0;
    RootCauses found = ExplainFailures(
        bench_.rules(),
        [&]() -> FreshAttempt {
          return [&](const Case& problem) {
            ++judged;
            return Judge(mutant, problem);
          };
        },
        1, [] { return false; }, /*few_failures=*/false, report, evidence);
    evidence.FindRest(found);
    evidence.Close(found);
    report.root_causes = std::move(found.causes);
    report.unexplained = found.unexplained;
    report.summary.passed = judged;
    return report;
  }

 private:
  static bool Fails(const Mutant& mutant, const Known& known) {
    return known.legal != mutant.of_answers &&
           HoldsOfAny(
               [&](const CircumstanceValues& values) { return mutant.trigger->Holds(values); },
               known);
  }
  Verdict Judge(const Mutant& mutant, const Case& problem) const {
    Verdict verdict;
    const Known known = KnownOf(bench_.rules(), problem, 0);
    if (Fails(mutant, known)) {
      verdict.kind = VerdictKind::kFailed;
      Finding finding;
      finding.clauses = mutant.clauses;
      verdict.findings.push_back(finding);
    } else if (known.legal != mutant.of_answers) {
      verdict.evidence = mutant.clauses;
    } else {
      verdict.evidence = {"2P-01"};
    }
    return verdict;
  }

  const Bench& bench_;
  const TestPlan plan_;
  std::vector<Known> known_;
  std::map<std::int64_t, std::size_t> places_;  // in known_, by number
};

std::optional<std::string> ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<Mutant> ReadMutants(const std::filesystem::path& path,
                                const std::set<std::string>& names) {
  std::vector<Mutant> mutants;
  const std::optional<std::string> text = ReadFile(path);
  if (!text) return mutants;
  const Json table = Json::parse(*text);
  for (const Json& row : table["mutants"]) {
    Mutant mutant;
    mutant.name = row["name"];
    mutant.profile = row["profile"];
    mutant.forwards = row["library"] == "poolproof_mutants_forwards";
    if (!names.empty() && !names.contains(mutant.name)) continue;
    for (const std::string id : row["clauses"]) mutant.clauses.push_back(id);
    std::sort(mutant.clauses.begin(), mutant.clauses.end());
    mutant.of_answers = mutant.clauses.front().find("-S") != std::string::npos;
    mutant.trigger_text = row.value("trigger", "");
    if (!mutant.trigger_text.empty()) {
      Result<Trigger> trigger = Trigger::Parse(mutant.trigger_text);
      if (!trigger.ok()) {
        std::cerr << mutant.name << ": " << trigger.status().message() << '\n';
        std::exit(2);
      }
      mutant.trigger = std::move(trigger).value();
    }
    mutants.push_back(std::move(mutant));
  }
  return mutants;
}

int Main(const std::vector<std::string>& arguments) {
  if (arguments.size() < 3) return 2;
  std::vector<Mutant> mutants =
      ReadMutants(arguments[0], std::set<std::string>(arguments.begin() + 3, arguments.end()));
  const bool simulates = arguments[1] == "simulate";
  const CaseSet set = arguments[2] == "smoke" ? CaseSet::kSmoke : CaseSet::kCi;
  std::set<std::pair<std::string, bool>> kinds;
  for (const Mutant& mutant : mutants) kinds.emplace(mutant.profile, mutant.forwards);
  for (const auto& [profile_name, forwards] : kinds) {
    const std::optional<Profile> profile = ParseProfile(profile_name);
    if (!profile) return 2;
    const Bench bench(*profile, forwards);
    std::optional<Simulation> simulation;
    if (simulates) simulation.emplace(bench, set, forwards);
    for (Mutant& mutant : mutants) {
      if (mutant.profile != profile_name || mutant.forwards != forwards) continue;
      if (mutant.trigger && !mutant.of_answers) {
        mutant.of_answers =
            bench.StrikesRefused(mutant) || (simulation && simulation->StrikesRefused(mutant));
      }
      Report report;
      if (simulates) {
        if (!mutant.trigger) continue;
        report = simulation->Run(mutant);
      } else {
        const std::optional<std::string> text =
            ReadFile(std::filesystem::path(arguments[2]) / (mutant.name + ".json"));
        if (!text) continue;
        Result<Report> read = ParseReport(*text);
        if (!read.ok()) {
          std::cerr << mutant.name << ": " << read.status().message() << '\n';
          return 2;
        }
        report = std::move(read).value();
      }
      Json row;
      if (mutant.trigger) {
        row = Compare(mutant, report.root_causes, bench);
      } else {
        row = {{"name", mutant.name},
               {"root_causes", report.root_causes.size()},
               {"rules", Json::array()}};
        for (const RootCause& cause : report.root_causes) {
          row["rules"].push_back(RuleText(RuleOf(cause)));
        }
      }
      row["unexplained"] = report.unexplained;
      if (simulates) row["judged"] = report.summary.passed;
      std::cout << row.dump() << std::endl;
    }
  }
  return 0;
}

}  // namespace
}  // namespace poolproof

int main(int argc, char** argv) {
  return poolproof::Main(std::vector<std::string>(argv + 1, argv + argc));
}
