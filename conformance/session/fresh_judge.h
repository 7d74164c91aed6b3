// SPDX-License-Identifier: Apache-2.0
//
// FreshJudge: an implementation that single cases are put to, each in a worker process of its own.
// Used to judge again what a report or a corpus holds.
#ifndef POOLPROOF_CONFORMANCE_SESSION_FRESH_JUDGE_H_
#define POOLPROOF_CONFORMANCE_SESSION_FRESH_JUDGE_H_

#include <memory>
#include <optional>
#include <string>

#include "conformance/case/case.h"
#include "conformance/judge/judge.h"
#include "conformance/result/capabilities.h"
#include "conformance/result/verdict.h"
#include "conformance/session/capability_check.h"
#include "conformance/session/session.h"
#include "conformance/spec/profile.h"
#include "conformance/spec/spec.h"
#include "core/status.h"

namespace poolproof {

class FreshJudge {
 public:
  // Requires `spec` and `subject` to outlive the judge. errors: as RunSession's.
  static Result<std::unique_ptr<FreshJudge>> Open(const Spec& spec, const Subject& subject,
                                                  const std::optional<Profile>& asked);
  FreshJudge(const FreshJudge&) = delete;
  FreshJudge& operator=(const FreshJudge&) = delete;

  [[nodiscard]] Profile profile() const { return context_.profile; }
  [[nodiscard]] const Capabilities& capabilities() const { return capabilities_; }
  // kUnsupported where the case is outside the capabilities; kInconclusive where it cannot be run.
  [[nodiscard]] Verdict Attempt(const Case& problem) const;
  // Why the case is outside the capabilities, by its descriptors; nullopt where it is inside.
  [[nodiscard]] std::optional<std::string> Outside(const Case& problem) const {
    return check_->Outside(problem);
  }

 private:
  FreshJudge(const Subject& subject, const std::optional<Profile>& asked)
      : subject_(subject), asked_(asked) {}
  [[nodiscard]] Result<std::unique_ptr<Worker>> Start() const {
    return subject_.start(asked_.value_or(Profile::kAtlasA2), asked_.has_value());
  }

  const Subject& subject_;
  const std::optional<Profile> asked_;
  Capabilities capabilities_;
  std::optional<CapabilityCheck> check_;
  JudgeContext context_;
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_SESSION_FRESH_JUDGE_H_
