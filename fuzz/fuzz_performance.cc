// SPDX-License-Identifier: Apache-2.0
//
// Measurements, as --performance takes them: what is read can be drawn.
#include "fuzz/expect.h"
#include "reports/performance.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace poolproof;  // NOLINT(google-build-using-namespace)
  const Result<Performance> performance = ParsePerformance(AsText(data, size));
  if (!performance.ok()) {
    ExpectRefusal(performance.status());
    return 0;
  }
  Expect(!performance->rows.empty(), "measurements without a row", "");
  for (const PerformanceChart& chart : DrawPerformance(*performance)) {
    Expect(chart.svg.starts_with("<svg") && chart.svg.ends_with("</svg>"), "no picture",
           chart.setting);
  }
  return 0;
}
