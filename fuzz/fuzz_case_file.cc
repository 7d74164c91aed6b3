// SPDX-License-Identifier: Apache-2.0
//
// Case files: a JSON array, or one case a line.
#include "conformance/case/case_text.h"
#include "conformance/corpus/case_file.h"
#include "fuzz/expect.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace poolproof;  // NOLINT(google-build-using-namespace)
  const Result<std::vector<NamedCase>> cases = ParseCaseFile(AsText(data, size), "cases.json");
  if (!cases.ok()) {
    ExpectRefusal(cases.status());
    return 0;
  }
  for (const NamedCase& named : *cases) {
    Expect(ParseCaseLine(CaseLine(named.problem)).ok(), "a case has no line", named.Path());
  }
  return 0;
}
