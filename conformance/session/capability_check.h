// SPDX-License-Identifier: Apache-2.0
//
// CapabilityCheck: which cases an implementation is not asked, by what it exports and declares.
#ifndef POOLPROOF_CONFORMANCE_SESSION_CAPABILITY_CHECK_H_
#define POOLPROOF_CONFORMANCE_SESSION_CAPABILITY_CHECK_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "conformance/case/case.h"
#include "conformance/result/capabilities.h"
#include "conformance/spec/profile_rules.h"

namespace poolproof {

class CapabilityCheck {
 public:
  // Requires the spec of the rules and the capabilities to outlive it.
  CapabilityCheck(const ProfileRules& rules, const Capabilities& capabilities);

  // Why the case is outside the capabilities, by its descriptors; nullopt where it is inside. A
  // call that breaches something is charged to them by the case of the acceptance table that it
  // was made of, `base`; where that is not known, by its data types.
  [[nodiscard]] std::optional<std::string> Outside(const Case& problem,
                                                   std::string_view base = {}) const;
  // The same by its bytes.
  [[nodiscard]] std::optional<std::string> Outside(const Case& problem,
                                                   const Materialized& data) const {
    return IndicesOutsideCapabilities(capabilities_, problem, data);
  }

 private:
  const ProfileRules rules_;
  const Capabilities& capabilities_;
  std::map<std::string, Call, std::less<>> bases_;  // by path; empty where all is accepted
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_SESSION_CAPABILITY_CHECK_H_
