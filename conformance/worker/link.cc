// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/link.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace poolproof {
namespace {

// "PPL", then the kind; and the length.
constexpr std::array<char, 3> kMagic = {'P', 'P', 'L'};
constexpr std::size_t kHeaderBytes = 8;
constexpr std::uint32_t kMostBytes = std::uint32_t{1} << 24;

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the wire is little-endian");

Status WriteAll(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(n));
    } else if (n == 0 || errno != EINTR) {
      return Unavailable(std::string("write: ") + std::strerror(errno));
    }
  }
  return OkStatus();
}

// As many as there are until the end of the stream, at most bytes.size().
std::size_t ReadUpTo(int fd, std::span<std::byte> bytes) {
  std::size_t taken = 0;
  while (taken < bytes.size()) {
    const ssize_t n = ::read(fd, bytes.data() + taken, bytes.size() - taken);
    if (n > 0) {
      taken += static_cast<std::size_t>(n);
    } else if (n == 0 || errno != EINTR) {
      break;
    }
  }
  return taken;
}

std::string Printable(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) {
    const char c = static_cast<char>(byte);
    text += c >= 0x20 && c < 0x7f ? c : ' ';
  }
  return text;
}

}  // namespace

Status WritePacket(int fd, PacketKind kind, std::span<const std::byte> bytes) {
  do {
    const std::span<const std::byte> piece =
        bytes.first(std::min<std::size_t>(bytes.size(), kMostBytes));
    std::array<std::byte, kHeaderBytes> header;
    const auto length = static_cast<std::uint32_t>(piece.size());
    std::memcpy(header.data(), kMagic.data(), kMagic.size());
    header[3] = static_cast<std::byte>(kind);
    std::memcpy(header.data() + 4, &length, sizeof length);
    if (Status status = WriteAll(fd, header); !status.ok()) return status;
    if (Status status = WriteAll(fd, piece); !status.ok()) return status;
    bytes = bytes.subspan(piece.size());
  } while (!bytes.empty());
  return OkStatus();
}

Result<Packet> ReadPacket(int fd) {
  std::array<std::byte, kHeaderBytes> header;
  const std::size_t taken = ReadUpTo(fd, header);
  if (taken == 0) return Unavailable("the connection ended");
  std::uint32_t length = 0;
  std::memcpy(&length, header.data() + 4, sizeof length);
  const auto kind = std::to_integer<int>(header[3]);
  if (taken < kHeaderBytes || std::memcmp(header.data(), kMagic.data(), kMagic.size()) != 0 ||
      kind < static_cast<int>(PacketKind::kGreeting) || kind > static_cast<int>(PacketKind::kEnd) ||
      length > kMostBytes) {
    std::vector<std::byte> seen(header.begin(),
                                header.begin() + static_cast<std::ptrdiff_t>(taken));
    return InvalidArgument("'" + Printable(seen) + "...' is not a packet of a worker");
  }
  Packet packet{static_cast<PacketKind>(kind), std::vector<std::byte>(length)};
  if (ReadUpTo(fd, packet.bytes) < length) return Unavailable("the connection broke off");
  return packet;
}

}  // namespace poolproof
