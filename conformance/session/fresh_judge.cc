// SPDX-License-Identifier: Apache-2.0
#include "conformance/session/fresh_judge.h"

#include <utility>

#include "conformance/gen/sources.h"
#include "conformance/properties/properties.h"
#include "conformance/session/attempt.h"
#include "conformance/session/stream_probe.h"

namespace poolproof {

Result<std::unique_ptr<FreshJudge>> FreshJudge::Open(const Spec& spec, const Subject& subject,
                                                     const std::optional<Profile>& asked) {
  std::unique_ptr<FreshJudge> judge(new FreshJudge(subject, asked));
  const Result<std::unique_ptr<Worker>> worker =
      StartFirst([&] { return judge->Start(); }, &NeverQuit);
  if (!worker.ok()) return worker.status();
  const Probe& probe = (*worker)->probe();
  const Result<Profile> profile = ChooseProfile(asked, probe.soc);
  if (!profile.ok()) return profile.status();
  judge->capabilities_ = CapabilitiesOf(probe.operators, subject.declared);
  judge->context_.spec = &spec;
  judge->context_.profile = *profile;
  judge->check_.emplace(judge->context_.rules(), judge->capabilities_);
  judge->context_.keeps_to_stream =
      KeepsToStream(judge->context_, &JudgeWithProperties, *judge->check_,
                    StreamCases(spec, *profile, CaseSet::kSmoke), **worker);
  return judge;
}

Verdict FreshJudge::Attempt(const Case& problem) const {
  std::optional<std::string> outside = Outside(problem);
  if (!outside) {
    const Result<PreparedCase> prepared = Prepare(context_.rules(), problem);
    if (prepared.ok()) outside = IndicesOutsideCapabilities(capabilities_, problem, prepared->data);
  }
  if (outside) {
    Verdict verdict;
    verdict.kind = VerdictKind::kUnsupported;
    verdict.note = *outside;
    return verdict;
  }
  FreshWorker start = [this] { return Start(); };
  if (!context_.keeps_to_stream) start = AwaitingDevice(std::move(start));
  return MakeFreshAttempt(context_, &JudgeWithProperties, std::move(start), nullptr,
                          &NeverQuit)(problem);
}

}  // namespace poolproof
