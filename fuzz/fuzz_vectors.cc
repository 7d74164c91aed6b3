// SPDX-License-Identifier: Apache-2.0
//
// Vector files: their canonical form is one, and holds the same vectors.
#include "conformance/corpus/corpus.h"
#include "fuzz/expect.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace poolproof;  // NOLINT(google-build-using-namespace)
  const Result<std::vector<Vector>> vectors = ParseVectorFile(AsText(data, size), "vectors.json");
  const Result<std::string> canonical = FormatVectorFile(AsText(data, size), "vectors.json");
  Expect(vectors.ok() == canonical.ok(), "a file can be read or formatted, but not both",
         (vectors.ok() ? canonical.status() : vectors.status()).message());
  if (!vectors.ok()) {
    ExpectRefusal(vectors.status());
    return 0;
  }
  const Result<std::vector<Vector>> again = ParseVectorFile(*canonical, "vectors.json");
  Expect(again.ok(), "a canonical file is refused", again.ok() ? "" : again.status().message());
  Expect(*again == *vectors, "a canonical file holds other vectors", *canonical);
  const Result<std::string> twice = FormatVectorFile(*canonical, "vectors.json");
  Expect(twice.ok() && *twice == *canonical, "the canonical form is not canonical", *canonical);
  return 0;
}
