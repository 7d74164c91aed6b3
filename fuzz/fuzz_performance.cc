// SPDX-License-Identifier: Apache-2.0
//
// Measurements, as --performance takes them: what is read can be drawn.
#include "fuzz/expect.h"
#include "reports/charts/performance.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace poolproof;  // NOLINT(google-build-using-namespace)
  const Result<Performance> performance = ParsePerformance(AsText(data, size));
  if (!performance.ok()) {
    ExpectRefusal(performance.status());
    return 0;
  }
  Expect(!performance->rows.empty() || !performance->not_timed.empty() ||
             !performance->judging.empty(),
         "nothing was measured", "");
  Expect(!PerformanceHtml(*performance).empty(), "nothing is drawn", "");
  return 0;
}
