// SPDX-License-Identifier: Apache-2.0
#include "cli/clause_choice.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "cli/options.h"
#include "conformance/corpus/corpus.h"
#include "conformance/judge/legality.h"
#include "conformance/spec/profile_rules.h"

namespace poolproof {
namespace {

// What is in order only because the pages have this clause: a type, a format, a layout.
class Support {
 public:
  Support(const Spec& spec, const Clause& clause, Profile profile)
      : with_(spec, profile), spec_(spec.Without(clause)), profile_(profile) {}

  [[nodiscard]] bool Decides(const Case& problem) const {
    const ProfileRules without(spec_, profile_);
    return std::any_of(problem.calls.begin(), problem.calls.end(), [&](const Call& call) {
      return Classify(with_, call, problem.plan).kind == LegalityKind::kValid &&
             Classify(without, call, problem.plan).kind != LegalityKind::kValid;
    });
  }

 private:
  ProfileRules with_;
  Spec spec_;
  Profile profile_;
};

bool AnyCallShows(const Clause& clause) {
  return clause.kind == ClauseKind::kValue || clause.kind == ClauseKind::kProtocol ||
         clause.kind == ClauseKind::kSafety || clause.kind == ClauseKind::kSupport;
}

class Choice {
 public:
  // `fixed`: of the run, by which it is known of which support a call tells.
  Choice(const Spec& spec, Profile profile, const std::set<std::string>& ids,
         const std::vector<NamedCase>& fixed)
      : ids_(ids) {
    for (const std::string& id : ids) {
      const Clause* clause = spec.Find(id);
      if (clause == nullptr || !AnyCallShows(*clause)) continue;
      if (clause->kind == ClauseKind::kSupport) {
        Support support(spec, *clause, profile);
        if (std::any_of(fixed.begin(), fixed.end(),
                        [&](const NamedCase& named) { return support.Decides(named.problem); })) {
          supports_.push_back(std::move(support));
          continue;
        }
      }
      if (!ParseOperator(clause->operator_name)) all_operators_ = true;
      operators_.insert(clause->operator_name);
    }
    for (const Vector& vector : Corpus()) {
      std::vector<std::string>& clauses = of_vectors_[vector.problem.Path()];
      clauses.insert(clauses.end(), vector.clauses.begin(), vector.clauses.end());
    }
  }

  [[nodiscard]] bool Takes(const NamedCase& named) const {
    if (ids_.contains(named.clause) || ids_.contains(named.name.substr(0, named.name.find('/')))) {
      return true;
    }
    const auto vector = of_vectors_.find(named.Path());
    if (vector != of_vectors_.end() &&
        std::any_of(vector->second.begin(), vector->second.end(),
                    [&](const std::string& id) { return ids_.contains(id); })) {
      return true;
    }
    if (std::any_of(supports_.begin(), supports_.end(),
                    [&](const Support& support) { return support.Decides(named.problem); })) {
      return true;
    }
    return all_operators_ ||
           std::any_of(named.problem.calls.begin(), named.problem.calls.end(),
                       [&](const Call& call) {
                         return operators_.contains(std::string(InfoOf(call.op).name));
                       });
  }

 private:
  const std::set<std::string>& ids_;
  std::vector<Support> supports_;
  std::set<std::string> operators_;  // all of whose calls are taken
  bool all_operators_ = false;
  std::map<std::string, std::vector<std::string>> of_vectors_;  // by path
};

Result<std::set<std::string>> ParseClauses(const Spec& spec, const std::string& text) {
  std::vector<std::string> known;
  for (const Clause& clause : spec.clauses()) known.push_back(clause.id);
  std::set<std::string> ids;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string part = text.substr(at, end - at);
    at = end + 1;
    bool matches = false;
    for (const std::string& id : known) {
      if (!MatchesGlob(Upper(part), id)) continue;
      matches = true;
      ids.insert(id);
    }
    if (matches) continue;
    const std::vector<std::string> near = NearMatches(part, known);
    return InvalidArgument("--clause: '" + part + "' matches no clause" +
                           (near.empty() ? "; `poolproof list clauses` lists all of them"
                                         : "; did you mean " + near.front() + "?"));
  }
  return ids;
}

CaseSources CasesOfClauses(const Spec& spec, Profile profile, const std::set<std::string>& ids,
                           CaseSources sources) {
  const Choice choice(spec, profile, ids, sources.fixed);
  std::erase_if(sources.fixed, [&](const NamedCase& named) { return !choice.Takes(named); });
  for (RandomSource& source : sources.random) {
    std::vector<std::uint64_t> kept;
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(source.count); ++i) {
      if (choice.Takes(source.make(i))) kept.push_back(i);
    }
    source.count = static_cast<std::int64_t>(kept.size());
    source.make = [make = std::move(source.make), kept = std::move(kept)](std::uint64_t index) {
      return make(kept[index]);
    };
  }
  return sources;
}

}  // namespace

Status ChooseClauses(const Spec& spec, const std::string& text, SessionParts& parts) {
  Result<std::set<std::string>> ids = ParseClauses(spec, text);
  if (!ids.ok()) return ids.status();
  parts.sources = [&spec, all = std::move(parts.sources), ids = std::move(ids).value()](
                      Profile profile) { return CasesOfClauses(spec, profile, ids, all(profile)); };
  return OkStatus();
}

}  // namespace poolproof
