// SPDX-License-Identifier: Apache-2.0
//
// Plan files: what is read is written, and read alike.
#include "conformance/plan/plan_file.h"
#include "fuzz/expect.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace poolproof;  // NOLINT(google-build-using-namespace)
  const Result<PlanFile> plan = ParsePlanFile(AsText(data, size));
  if (!plan.ok()) {
    ExpectRefusal(plan.status());
    return 0;
  }
  const std::string text = PlanFileText(*plan);
  const Result<PlanFile> again = ParsePlanFile(text);
  Expect(again.ok(), "a plan that was written is refused",
         again.ok() ? "" : again.status().message());
  Expect(PlanFileText(*again) == text, "a plan that was written is read otherwise", text);
  return 0;
}
