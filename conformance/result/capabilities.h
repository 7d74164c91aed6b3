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
#include "conformance/spec/operators.h"
#include "core/data_type.h"
#include "core/status.h"

namespace poolproof {

// What the manifest says the implementation can do; nullopt: not said, so everything is tried.
struct DeclaredCapabilities {
  std::optional<std::vector<Operator>> operators;
  std::optional<std::vector<DataType>> types;
  bool forward_indices_only = false;  // "indices": "forward": only indices that a forward makes
  friend bool operator==(const DeclaredCapabilities&, const DeclaredCapabilities&) = default;
};

// As pairs for the report: "operators" -> "A,B".
std::vector<std::pair<std::string, std::string>> DescribeCapabilities(
    const DeclaredCapabilities& capabilities);
// Back from the pairs of a report. errors: kInvalidArgument naming the pair.
Result<DeclaredCapabilities> ParseDeclaredCapabilities(
    const std::vector<std::pair<std::string, std::string>>& declared);

struct Capabilities {
  std::vector<Operator> operators;  // exported, and declared where the manifest says
  DeclaredCapabilities declared;
  [[nodiscard]] bool Has(Operator op) const;
  // Of the gradient types, those that the manifest leaves out.
  [[nodiscard]] std::vector<DataType> MissingGradientTypes() const;
};

Capabilities CapabilitiesOf(const std::vector<std::string>& exported,
                            DeclaredCapabilities declared);

// Why the case is outside the capabilities; nullopt where it is inside. The first looks at
// descriptors, the second at bytes.
std::optional<std::string> OutsideCapabilities(const Capabilities& capabilities,
                                               const Case& problem);
std::optional<std::string> IndicesOutsideCapabilities(const Capabilities& capabilities,
                                                      const Case& problem,
                                                      const Materialized& data);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_RESULT_CAPABILITIES_H_
