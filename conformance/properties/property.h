// SPDX-License-Identifier: Apache-2.0
//
// Property: a metamorphic property as a value. It derives related calls from a base case and holds
// their results against one another; no expected result is needed, only the bounds that the law
// sets to rounding. One file per property; properties.h has the table.
#ifndef POOLPROOF_CONFORMANCE_PROPERTIES_PROPERTY_H_
#define POOLPROOF_CONFORMANCE_PROPERTIES_PROPERTY_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/case/materialize.h"
#include "conformance/result/verdict.h"
#include "conformance/spec/profile_rules.h"

namespace poolproof {

// One call of a case that was carried out.
struct CallResult {
  const Call& call;
  const MaterializedCall& data;
  std::span<const std::byte> grad_input;  // the output's storage
};

// What a relation makes of the results.
struct Comparison {
  RelationState state = RelationState::kHeld;
  std::string text;  // kBroken: what differs; kDiscarded: why nothing was compared
  std::optional<Mismatch> mismatch;
};

struct Property {
  Relation relation = Relation::kNone;
  std::string_view statement;  // "gradInput of a sum is the sum of the gradInputs"
  std::size_t calls = 2;       // of a related case
  // The related case: the base, changed as little as it takes to meet the precondition, and its
  // followers. Deriving again from its first call gives it again. nullopt: out of reach.
  std::optional<Case> (*derive)(const Case& base) = nullptr;
  // The precondition, on what was really given to the library: why the calls are not related so;
  // nullopt: they are. Requires `calls` results.
  std::optional<std::string> (*unrelated)(std::span<const CallResult> results) = nullptr;
  // Requires related, valid calls with indices inside their windows.
  Comparison (*compare)(std::span<const CallResult> results) = nullptr;
  // The clauses that say so; empty ids are of clauses that do not apply.
  std::vector<std::string> (*clauses)(const ProfileRules& rules, const Case& problem) = nullptr;
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_PROPERTIES_PROPERTY_H_
