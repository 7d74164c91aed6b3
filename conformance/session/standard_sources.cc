// SPDX-License-Identifier: Apache-2.0
#include "conformance/session/standard_sources.h"

#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "conformance/corpus/corpus.h"

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

}  // namespace

CaseSources StandardSources(const Spec& spec, Profile profile, CaseSet set, std::uint64_t seed) {
  CaseSources sources;
  Append(sources.fixed, StatusCases(spec, profile, set));
  Append(sources.fixed, ProtocolCases(spec, profile, set));
  Append(sources.fixed, CorpusCases(profile));
  Append(sources.fixed, TableCases(profile, set));
  for (const RandomFamily& family : RandomFamilies()) {
    sources.random.push_back({std::string(family.name), CountOf(family, set),
                              [&family, profile, seed](std::uint64_t index) {
                                return RandomCase(profile, family, seed, index);
                              }});
  }
  return sources;
}

}  // namespace poolproof
