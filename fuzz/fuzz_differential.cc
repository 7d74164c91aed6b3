// SPDX-License-Identifier: Apache-2.0
//
// Cases, given to the reference, to the optimized kernels of each tier and to the library that
// POOLPROOF_FUZZ_IMPLEMENTATION names: each passes the judge, and our own agree bit for bit except
// for the payloads of NaN. An input that starts with "pp1:" is a case line, any other is made a
// case.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/case/case_text.h"
#include "conformance/judge/judge.h"
#include "conformance/judge/legality.h"
#include "conformance/session/build_invocation.h"
#include "core/float_bits.h"
#include "fuzz/case_from_bytes.h"
#include "fuzz/expect.h"
#include "fuzz/subjects.h"

namespace poolproof {
namespace {

constexpr std::string_view kLineStart = "pp1:";

std::string Account(const FuzzCase& fuzz_case, const std::string& who) {
  return who + " (" + std::string(InfoOf(fuzz_case.profile).name) + ", " +
         std::to_string(fuzz_case.threads) + " threads): '" + CaseLine(fuzz_case.problem) + "'";
}

void ExpectPassed(const FuzzCase& fuzz_case, const PreparedCase& prepared, const Outcome& outcome,
                  const Subject& subject) {
  JudgeContext context;
  context.spec = &Spec::Embedded();
  context.profile = fuzz_case.profile;
  const Verdict verdict = Judge(context, prepared, outcome);
  std::string findings = verdict.note;
  for (const Finding& finding : verdict.findings) {
    findings += "\n  " + std::string(FindingKindName(finding.kind)) + ": " + finding.message;
  }
  // Not everywhere can pages be closed.
  const bool unguarded = verdict.kind == VerdictKind::kInconclusive &&
                         outcome.end == End::kReturned &&
                         fuzz_case.problem.plan.guard != Guard::kNone;
  const bool passed =
      verdict.kind == VerdictKind::kPassed || verdict.kind == VerdictKind::kRecorded || unguarded;
  Expect(passed, "a case fails", Account(fuzz_case, subject.Title()) + findings);
}

bool IsNan(DataType type, std::uint64_t bits) {
  return IsGradientType(type) && std::isnan(DecodeFloat(static_cast<std::uint32_t>(bits), type));
}

// The first element of an output in which the storages differ; -1: none.
std::int64_t FirstDifference(const TensorSpec& tensor, const std::vector<std::byte>& a,
                             const std::vector<std::byte>& b) {
  const auto width = static_cast<std::size_t>(StorageBytes(tensor.type));
  std::int64_t first = -1;
  ForEachOffset(tensor.shape, StridesOf(tensor), tensor.offset,
                [&](std::int64_t number, std::int64_t at) {
                  std::uint64_t x = 0;
                  std::uint64_t y = 0;
                  std::memcpy(&x, a.data() + static_cast<std::size_t>(at) * width, width);
                  std::memcpy(&y, b.data() + static_cast<std::size_t>(at) * width, width);
                  if (x == y || (IsNan(tensor.type, x) && IsNan(tensor.type, y))) return;
                  if (first < 0) first = number;
                });
  return first;
}

void ExpectAgreement(const FuzzCase& fuzz_case, const Outcome& reference, const Outcome& outcome,
                     const Subject& subject) {
  const std::vector<Call>& calls = fuzz_case.problem.calls;
  const std::string account = Account(fuzz_case, subject.Title());
  Expect(reference.end == outcome.end && reference.calls.size() == outcome.calls.size(),
         "the reference ends otherwise", account);
  for (std::size_t i = 0; i < outcome.calls.size(); ++i) {
    const CallOutcome& wanted = reference.calls[i];
    const CallOutcome& got = outcome.calls[i];
    Expect(wanted.phase_one == got.phase_one && wanted.phase_two == got.phase_two &&
               wanted.synchronise == got.synchronise,
           "the reference answers with another status", account);
    if (wanted.synchronise != 0) continue;
    const Call& call = calls[i % calls.size()];
    const OperatorInfo& info = InfoOf(call.op);
    for (const Role role : info.tensors) {
      if (!IsOutput(info, role) || call.tensor(role).null) continue;
      const auto number = static_cast<std::size_t>(role);
      Expect(wanted.outputs[number].size() == got.outputs[number].size(),
             "an output was not read back", account);
      if (wanted.outputs[number].empty()) continue;
      const std::int64_t element =
          FirstDifference(call.tensor(role), wanted.outputs[number], got.outputs[number]);
      Expect(element < 0, "the reference has other bits",
             account + ", call " + std::to_string(i) + ", element " + std::to_string(element) +
                 " of " + std::string(RoleName(role)));
    }
  }
}

bool Offers(const Subject& subject, const Case& problem) {
  const std::vector<std::string>& offered = subject.probe().operators;
  return std::all_of(problem.calls.begin(), problem.calls.end(), [&](const Call& call) {
    return std::find(offered.begin(), offered.end(), InfoOf(call.op).name) != offered.end();
  });
}

// An index that lies in no plane of its call.
bool NamesOutside(const Case& problem, const Materialized& data) {
  for (std::size_t i = 0; i < problem.calls.size(); ++i) {
    const Call& call = problem.calls[i];
    const std::int64_t plane =
        PlaneElements(call.tensor(Role::kSelf).shape, InfoOf(call.op).spatial_rank).value_or(0);
    for (const std::int64_t index : data.calls[i].indices) {
      if (index < 0 || index >= plane) return true;
    }
  }
  return false;
}

void Run(const FuzzCase& fuzz_case) {
  const Result<PreparedCase> prepared =
      Prepare({Spec::Embedded(), fuzz_case.profile}, fuzz_case.problem);
  if (!prepared.ok()) {
    ExpectRefusal(prepared.status());
    return;
  }
  // One call's refusal when it runs is met by one that waits for the stream first.
  if (fuzz_case.problem.plan.order != Order::kInTurn &&
      NamesOutside(fuzz_case.problem, prepared->data)) {
    return;
  }
  Invocation invocation = BuildInvocation(fuzz_case.problem, prepared->data);
  invocation.guard_bytes = fuzz_case.guard_bytes;
  const Subjects& subjects = OpenSubjects();
  ::setenv("POOLPROOF_SOC_NAME", std::string(InfoOf(fuzz_case.profile).default_soc).c_str(), 1);
  ::setenv("POOLPROOF_NUM_THREADS", std::to_string(fuzz_case.threads).c_str(), 1);

  const Outcome reference = subjects.reference->Run(invocation);
  ExpectPassed(fuzz_case, *prepared, reference, *subjects.reference);
  Subject& optimized =
      *subjects.optimized[static_cast<std::size_t>(fuzz_case.tier) % subjects.optimized.size()];
  const Outcome outcome = optimized.Run(invocation);
  ExpectPassed(fuzz_case, *prepared, outcome, optimized);
  ExpectAgreement(fuzz_case, reference, outcome, optimized);

  if (subjects.foreign != nullptr && subjects.foreign_profile == fuzz_case.profile &&
      Offers(*subjects.foreign, fuzz_case.problem)) {
    ExpectPassed(fuzz_case, *prepared, subjects.foreign->Run(invocation), *subjects.foreign);
  }
}

}  // namespace
}  // namespace poolproof

// Before an engine forks: the libraries stay open in its children.
extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  poolproof::OpenSubjects();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace poolproof;  // NOLINT(google-build-using-namespace)
  const std::string_view text = AsText(data, size);
  if (text.starts_with(kLineStart)) {
    const std::optional<FuzzCase> fuzz_case = CaseFromLine(text.substr(0, text.find('\n')));
    if (fuzz_case) Run(*fuzz_case);
    return 0;
  }
  const FuzzCase fuzz_case = CaseFromBytes(data, size);
  for (const Call& call : fuzz_case.problem.calls) {
    Expect(Classify({Spec::Embedded(), fuzz_case.profile}, call, fuzz_case.problem.plan).kind ==
               LegalityKind::kValid,
           "the case made is not legal", CaseLine(fuzz_case.problem));
  }
  Run(fuzz_case);
  return 0;
}
