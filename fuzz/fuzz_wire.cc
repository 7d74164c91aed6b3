// SPDX-License-Identifier: Apache-2.0
//
// The messages between runner and worker. The library under test may have scribbled over the
// sender: what is decoded has the same bytes again, and little more memory than they need.
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "conformance/wire/codec.h"
#include "fuzz/allocation_watch.h"
#include "fuzz/expect.h"

namespace poolproof {
namespace {

// A list that is absent has one byte in a message, and 32 in memory.
constexpr std::size_t kGrowth = 40;
constexpr std::size_t kSlack = 4096;

template <typename T, typename Decode>
void Check(std::span<const std::byte> bytes, const char* name, Decode decode) {
  std::size_t largest = 0;
  const Result<T> message = [&] {
    const AllocationWatch watch;
    Result<T> decoded = decode(bytes);
    largest = AllocationWatch::Largest();
    return decoded;
  }();
  Expect(largest <= kGrowth * bytes.size() + kSlack, "a decoder asks for too much memory",
         std::string(name) + ", " + std::to_string(largest) + " bytes at once for a message of " +
             std::to_string(bytes.size()));
  if (!message.ok()) {
    ExpectRefusal(message.status());
    return;
  }
  const std::vector<std::byte> again = Encode(message.value());
  Expect(again.size() == bytes.size() && std::memcmp(again.data(), bytes.data(), again.size()) == 0,
         "what was decoded is encoded otherwise", name);
}

}  // namespace
}  // namespace poolproof

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace poolproof;  // NOLINT(google-build-using-namespace)
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  Check<OpenRequest>(bytes, "open request", DecodeOpenRequest);
  Check<OpenReply>(bytes, "open reply", DecodeOpenReply);
  Check<Invocation>(bytes, "invocation", DecodeInvocation);
  Check<Outcome>(bytes, "outcome", DecodeOutcome);
  return 0;
}
