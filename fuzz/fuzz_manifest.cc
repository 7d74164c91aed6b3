// SPDX-License-Identifier: Apache-2.0
//
// Manifests of implementations. Their libraries need not be there: only the text is read.
#include "conformance/runner/implementation.h"
#include "fuzz/expect.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace poolproof;  // NOLINT(google-build-using-namespace)
  const Result<Implementation> implementation =
      ParseManifest(AsText(data, size), "/nonexistent", "manifest");
  if (!implementation.ok()) {
    ExpectRefusal(implementation.status());
    return 0;
  }
  Expect(!implementation->libraries.empty(), "an implementation has no library", "");
  return 0;
}
