// SPDX-License-Identifier: Apache-2.0
//
// CaseFeature: what of a case is not plain, as far as it can separate failures. Failing cases
// with the same findings and features have the same symptom.
#ifndef POOLPROOF_CONFORMANCE_RESULT_FEATURES_H_
#define POOLPROOF_CONFORMANCE_RESULT_FEATURES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/spec/condition.h"

namespace poolproof {

enum CaseFeature : std::uint32_t {
  kFeatureIndicesView = 1U << 0U,   // indices are not contiguous from storage offset 0
  kFeatureView = 1U << 1U,          // another operand is not
  kFeatureUnbatched = 1U << 2U,     // without the batch axis
  kFeatureInt64 = 1U << 3U,         // INT64 indices
  kFeatureHalf = 1U << 4U,          // FLOAT16
  kFeatureBfloat = 1U << 5U,        // BFLOAT16
  kFeatureOtherType = 1U << 6U,     // neither of them nor FLOAT
  kFeatureFormat = 1U << 7U,        // another format than ND
  kFeatureSpecial = 1U << 8U,       // NaN or infinities among the gradients
  kFeatureShortList = 1U << 9U,     // lists that represent longer ones
  kFeatureSeveral = 1U << 10U,      // several calls, or one repeated
  kFeaturePlan = 1U << 11U,         // another plan than one plain call after the other
  kFeatureDescriptors = 1U << 12U,  // phase one alone
};

// Of the first call and the plan.
std::uint32_t FeaturesOf(const Case& problem);

// "view+f16"; "plain" where there is none. And back; nullopt for another text.
std::string FeaturesText(std::uint32_t features);
std::optional<std::uint32_t> ParseFeatures(std::string_view text);

// The conditions of the clauses on views, types, ranks and formats that mention such features.
std::vector<Condition> ConditionsOf(Operator op, std::uint32_t features);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_RESULT_FEATURES_H_
