// SPDX-License-Identifier: Apache-2.0
//
// What an implementation offers, by its exports and by its manifest; cases outside of it are
// unsupported, which is no failure.
#ifndef POOLPROOF_CONFORMANCE_RESULT_CAPABILITIES_H_
#define POOLPROOF_CONFORMANCE_RESULT_CAPABILITIES_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/case/materialize.h"
#include "conformance/result/predicate.h"
#include "conformance/spec/operators.h"
#include "core/data_type.h"
#include "core/status.h"

namespace poolproof {

// What a manifest says of the calls that are accepted: "index_dtype == i64 and dtype == f32".
struct AcceptRule {
  std::optional<Operator> op;  // nullopt: of all operators
  std::string text;            // as it was written
  Predicate predicate;
  friend bool operator==(const AcceptRule& a, const AcceptRule& b) {
    return a.op == b.op && a.text == b.text;
  }
};

// What the manifest says the implementation can do; nullopt: not said, so everything is tried.
struct DeclaredCapabilities {
  std::optional<std::vector<Operator>> operators;
  std::optional<std::vector<DataType>> types;
  std::vector<AcceptRule> accepts;    // all that mention a call must hold for it
  bool forward_indices_only = false;  // "indices": "forward": only indices that a forward makes
  bool refuses_nothing = false;       // "refusals": "none": calls that must be refused are not made
  friend bool operator==(const DeclaredCapabilities&, const DeclaredCapabilities&) = default;
};

// As pairs for the report: "operators" -> "A,B".
std::vector<std::pair<std::string, std::string>> DescribeCapabilities(
    const DeclaredCapabilities& capabilities);
// Back from the pairs of a report. errors: kInvalidArgument naming the pair.
Result<DeclaredCapabilities> ParseDeclaredCapabilities(
    const std::vector<std::pair<std::string, std::string>>& declared);

struct Capabilities {
  std::vector<Operator> exported;
  std::vector<Operator> operators;  // of them, those that are declared where the manifest says
  std::vector<AcceptRule> accepts;  // as declared, `types` among it
  DeclaredCapabilities declared;
  [[nodiscard]] bool Has(Operator op) const;
  [[nodiscard]] bool Exports(const Case& problem) const;  // all operators of its calls
  // Of the types that the operator's page lists, those of which no small plain call is accepted.
  // None where no type has one: then what is declared is not about types.
  [[nodiscard]] std::vector<DataType> MissingTypes(Operator op) const;
};

Capabilities CapabilitiesOf(const std::vector<std::string>& exported,
                            DeclaredCapabilities declared);

// What of a case is compared with the capabilities.
struct CaseFacts {
  Told told = Told::kAll;
  const Call* base = nullptr;  // the legal call that each of the case's was made of
};

// Why the case is outside the capabilities; nullopt where it is inside. The first looks at
// descriptors, the second at bytes. A call that breaches something is where its legal base is; each
// data type in it that the operator's page lists must be accepted there.
std::optional<std::string> OutsideCapabilities(const Capabilities& capabilities,
                                               const Case& problem, const CaseFacts& facts = {});
std::optional<std::string> IndicesOutsideCapabilities(const Capabilities& capabilities,
                                                      const Case& problem,
                                                      const Materialized& data);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_RESULT_CAPABILITIES_H_
