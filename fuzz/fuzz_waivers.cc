// SPDX-License-Identifier: Apache-2.0
//
// Waiver files; waivers that are read can be compared with a case.
#include "conformance/waiver/waiving.h"
#include "fuzz/expect.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace poolproof;  // NOLINT(google-build-using-namespace)
  const Result<std::vector<Waiver>> waivers = ParseWaivers(AsText(data, size), Spec::Embedded());
  if (!waivers.ok()) {
    ExpectRefusal(waivers.status());
    return 0;
  }
  Case problem;
  problem.calls.push_back(MakeFixedBackward(Operator{}, DataType::kBf16, DataType::kInt32,
                                            {2, 3, 4, 5, 6}, {2, 3, 3}, {2, 1, 3}, {0, 1, 0},
                                            {1, 1, 1}, true));
  Failure failure;
  failure.clauses = {"MP3-B02"};
  failure.signature = std::string(InfoOf(Operator{}).name) + ":wrong-sum:MP3-B02";
  ImplementationIdentity identity;
  identity.name = "libnpu.so";
  Waiving waiving(*waivers, "2026-06-30", identity, Profile::kAtlasA2);
  waiving.Failed(problem, failure, failure.clauses);
  waiving.Passed(problem, failure.clauses, /*fixed=*/true);
  Expect(waiving.Results(false).size() == waivers->size(), "a waiver is lost", "");
  return 0;
}
