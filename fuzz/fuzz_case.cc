// SPDX-License-Identifier: Apache-2.0
//
// A case as a line or as JSON: what is read is written, and read alike.
#include <nlohmann/json.hpp>

#include "conformance/case/case_json.h"
#include "conformance/case/case_text.h"
#include "conformance/json/strict_json.h"
#include "conformance/result/coverage.h"
#include "fuzz/expect.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace poolproof;  // NOLINT(google-build-using-namespace)
  const std::string_view text = AsText(data, size);
  const Result<nlohmann::ordered_json> object = ParseStrictJson<nlohmann::ordered_json>(text);
  const Result<Case> problem = object.ok() ? CaseFromJson(*object) : ParseCaseLine(text);
  if (!problem.ok()) {
    ExpectRefusal(problem.status());
    return 0;
  }
  const std::string line = CaseLine(*problem);
  const Result<Case> again = ParseCaseLine(line);
  Expect(again.ok(), "a line that was written is refused", line);
  Expect(*again == *problem, "a line that was written is read otherwise", line);
  const Result<Case> json = CaseFromJson(CaseToJson(*problem));
  Expect(json.ok() && *json == *problem, "JSON that was written is read otherwise", line);
  (void)CoverageOf(*problem);
  return 0;
}
