// SPDX-License-Identifier: Apache-2.0
//
// The link to a worker elsewhere: packets over the standard input and output of the command that
// starts it (ssh, docker exec, srun, qemu), of which nothing is wanted but that it carries bytes.
// Between the end here, which is a worker process to the runner, and the end there, which is the
// parent of the real one; see remote_worker.h.
#ifndef POOLPROOF_CONFORMANCE_WORKER_LINK_H_
#define POOLPROOF_CONFORMANCE_WORKER_LINK_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/status.h"

namespace poolproof {

// Raised with every change of what goes over the wire: both ends must be of one kind.
inline constexpr std::string_view kLinkGreeting = "poolproof-worker/4";

enum class PacketKind : std::uint8_t {
  kGreeting = 1,  // there to here: kLinkGreeting
  kStart,         // here to there: a WorkerStart
  kBytes,         // either way: of the runner's protocol, cut anywhere
  kProgress,      // there to here: how far the worker is
  kEnd,           // there to here: a WorkerEnd; the last packet
};

struct Packet {
  PacketKind kind = PacketKind::kEnd;
  std::vector<std::byte> bytes;
};

// The whole packet. Wants SIGPIPE ignored. errors: kUnavailable where the other end is gone.
Status WritePacket(int fd, PacketKind kind, std::span<const std::byte> bytes);
// Waits for one. errors: kUnavailable where the other end is gone, kInvalidArgument with what came
// instead for bytes that are no packet.
Result<Packet> ReadPacket(int fd);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_WORKER_LINK_H_
