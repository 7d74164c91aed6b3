// SPDX-License-Identifier: Apache-2.0
//
// The index of a folder of problems: what is read is written, and read alike.
#include "conformance/exchange/problem_set.h"
#include "fuzz/expect.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace poolproof;  // NOLINT(google-build-using-namespace)
  const Result<ProblemSet> set = ParseProblemSet(AsText(data, size));
  if (!set.ok()) {
    ExpectRefusal(set.status());
    return 0;
  }
  const std::string text = ProblemSetText(*set);
  const Result<ProblemSet> again = ParseProblemSet(text);
  Expect(again.ok(), "an index that was written is refused",
         again.ok() ? "" : again.status().message());
  Expect(ProblemSetText(*again) == text, "an index that was written is read otherwise", text);
  return 0;
}
