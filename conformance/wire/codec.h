// SPDX-License-Identifier: Apache-2.0
//
// The messages between runner and worker, and their bytes. Decoding is strict: anything but the
// exact encoding of a value is refused, and no allocation exceeds a small multiple of the input,
// since the library under test may have scribbled over the sender.
#ifndef POOLPROOF_CONFORMANCE_WIRE_CODEC_H_
#define POOLPROOF_CONFORMANCE_WIRE_CODEC_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "conformance/result/invocation.h"
#include "conformance/result/outcome.h"
#include "conformance/result/probe.h"
#include "core/equality.h"
#include "core/status.h"

namespace poolproof {

enum class OpenMode : std::uint8_t {
  kNowLocal,    // RTLD_NOW | RTLD_LOCAL
  kLazyGlobal,  // RTLD_LAZY | RTLD_GLOBAL
};

// Runner to worker, once: what to open.
struct OpenRequest {
  std::vector<std::string> libraries;  // paths or sonames, in look-up order
  OpenMode mode = OpenMode::kNowLocal;
  std::int32_t device = 0;
  POOLPROOF_EQUALITY(OpenRequest);
};

enum class OpenError : std::uint8_t {
  kNone,
  kCannotOpen,      // detail: what the dynamic linker said
  kMissingSymbols,  // probe.missing
  kNoDevice,        // detail: what the implementation answered
  kDeviceRefused,   // the same: there is such a device, and it may be in use for a while
};

// Worker to runner, once.
struct OpenReply {
  OpenError error = OpenError::kNone;
  std::string detail;
  Probe probe;
  POOLPROOF_EQUALITY(OpenReply);
};

// What a worker elsewhere is started with; and how it ended.
struct WorkerStart {
  std::int64_t memory_bytes = 0;         // at most, beside what calls take
  std::vector<std::string> environment;  // "NAME=value", added to what is there
  POOLPROOF_EQUALITY(WorkerStart);
};
struct WorkerEnd {
  bool out_of_memory = false;
  std::int32_t wait_status = 0;  // as of waitpid(2)
  std::string output;            // the last of what it wrote
  std::optional<CrashSite> crash;
  POOLPROOF_EQUALITY(WorkerEnd);
};

std::vector<std::byte> Encode(const OpenRequest& message);
std::vector<std::byte> Encode(const OpenReply& message);
std::vector<std::byte> Encode(const Invocation& message);
std::vector<std::byte> Encode(const Outcome& message);
std::vector<std::byte> Encode(const WorkerStart& message);
std::vector<std::byte> Encode(const WorkerEnd& message);

// errors: kInvalidArgument for bytes that are not the encoding of such a message. A decoded
// invocation has for each call as many tensors and lists as its operator takes.
Result<OpenRequest> DecodeOpenRequest(std::span<const std::byte> bytes);
Result<OpenReply> DecodeOpenReply(std::span<const std::byte> bytes);
Result<Invocation> DecodeInvocation(std::span<const std::byte> bytes);
Result<Outcome> DecodeOutcome(std::span<const std::byte> bytes);
Result<WorkerStart> DecodeWorkerStart(std::span<const std::byte> bytes);
Result<WorkerEnd> DecodeWorkerEnd(std::span<const std::byte> bytes);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_WIRE_CODEC_H_
