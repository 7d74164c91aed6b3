// SPDX-License-Identifier: Apache-2.0
//
// What an implementation offers, by its exports and by its manifest; cases outside of it are
// unsupported, which is no failure.
#ifndef POOLPROOF_CONFORMANCE_SESSION_SUPPORT_H_
#define POOLPROOF_CONFORMANCE_SESSION_SUPPORT_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/case/materialize.h"
#include "conformance/runner/implementation.h"
#include "conformance/spec/operators.h"
#include "core/data_type.h"

namespace poolproof {

struct Offer {
  std::vector<Operator> operators;  // exported, and declared where the manifest says
  Capabilities declared;
  [[nodiscard]] bool Has(Operator op) const;
  // Of the gradient types, those that the manifest leaves out.
  [[nodiscard]] std::vector<DataType> MissingGradientTypes() const;
};

Offer MakeOffer(const std::vector<std::string>& exported, Capabilities declared);

// Why the case is outside the offer; nullopt where it is inside. The first looks at descriptors,
// the second at bytes.
std::optional<std::string> OutsideOffer(const Offer& offer, const Case& problem);
std::optional<std::string> IndicesOutsideOffer(const Offer& offer, const Case& problem,
                                               const Materialized& data);

// True where an index of a backward that will be carried out lies outside the plane: the call may
// do damage, so it runs in a worker of its own.
bool MayDoDamage(const NamedCase& named, const Materialized& data);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_SESSION_SUPPORT_H_
