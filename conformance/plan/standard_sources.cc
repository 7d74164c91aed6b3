// SPDX-License-Identifier: Apache-2.0
#include "conformance/plan/standard_sources.h"

#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "conformance/case/cost.h"
#include "conformance/corpus/corpus.h"
#include "conformance/plan/property_source.h"
#include "conformance/spec/profile_rules.h"

namespace poolproof {
namespace {

int CountOf(const RandomFamily& family, CaseSet set) {
  switch (set) {
    case CaseSet::kSmoke:
      return family.smoke;
    case CaseSet::kCi:
      return family.ci;
    case CaseSet::kNightly:
      return family.nightly;
  }
  return 0;
}

void Append(std::vector<NamedCase>& cases, std::vector<NamedCase> more) {
  cases.insert(cases.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
}

// Operator, family and what the case was made for: its clause, or the part of its name before a
// slash or the first dash. Cases that take as long as thousands of others come after as many.
CaseSources::Order OrderOf(const NamedCase& named) {
  constexpr double kCostOfUnit = 4e6;
  const std::size_t slash = named.name.find('/');
  const std::size_t end = slash != std::string::npos ? slash : named.name.find('-');
  return {std::string(InfoOf(named.problem.calls.front().op).name) + "/" + named.family + "/" +
              (named.clause.empty() ? named.name.substr(0, end) : named.clause),
          CostOf(named.problem) / kCostOfUnit};
}

}  // namespace

CaseSources StandardSources(const Spec& spec, Profile profile, CaseSet set, std::uint64_t seed) {
  CaseSources sources;
  sources.order_of = &OrderOf;
  Append(sources.fixed, StatusCases(spec, profile, set));
  Append(sources.fixed, ProtocolCases(spec, profile, set));
  Append(sources.fixed, HistoryCases(spec, profile, set));
  Append(sources.fixed, StreamCases(spec, profile, set));
  Append(sources.fixed, GuardCases(spec, profile, set));
  Append(sources.fixed, ClassCases(spec, profile, set));
  Append(sources.fixed, CorpusCases(profile));
  Append(sources.fixed, TableCases(spec, profile, set));
  Append(sources.fixed, LaneCases(spec, profile, set));
  Append(sources.fixed, ForwardCases(spec, profile, set));
  Append(sources.fixed, BulkCases(spec, profile, set));
  Append(sources.fixed, CornerCases(spec, profile, set));
  // Where the profile supports no operator there is nothing to draw: refusals are cases of a table.
  const ProfileRules rules(spec, profile);
  if (rules.CoveredBackwards().empty()) return sources;
  for (const RandomFamily& family : RandomFamilies()) {
    sources.random.push_back({std::string(family.name), CountOf(family, set),
                              [&family, rules, seed](std::uint64_t index) {
                                return RandomCase(rules, family, seed, index);
                              }});
  }
  for (RandomSource& source : PropertySources(spec, profile, set, seed)) {
    sources.random.push_back(std::move(source));
  }
  return sources;
}

}  // namespace poolproof
