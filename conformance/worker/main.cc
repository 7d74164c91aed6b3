// SPDX-License-Identifier: Apache-2.0
//
// poolproof-worker PROTOCOL_FD PROGRESS_FD: opens the implementation that the runner names and
// carries out what it sends, until the stream ends. Started by the runner only.
// poolproof-worker PROTOCOL_FD PROGRESS_FD COMMAND: represents the worker that COMMAND starts
// elsewhere, as poolproof-worker --elsewhere.
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/wire/codec.h"
#include "conformance/wire/elsewhere.h"
#include "conformance/wire/frame.h"
#include "conformance/wire/progress.h"
#include "conformance/worker/crash_handler.h"
#include "conformance/worker/library_host.h"
#include "conformance/worker/remote_worker.h"
#include "core/process_heap.h"

// Where the worker itself is built with a sanitizer, a crash of the implementation must stay a
// death by signal, and leaks at the end are the library's. Without one these are not called.
#define POOLPROOF_SANITIZER_OPTIONS(function, text)                               \
  extern "C" __attribute__((visibility("default"), used)) const char* function(); \
  extern "C" const char* function() { return text; }
#define POOLPROOF_LEAVE_SIGNALS \
  "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:handle_abort=0"
POOLPROOF_SANITIZER_OPTIONS(__asan_default_options, POOLPROOF_LEAVE_SIGNALS ":detect_leaks=0")
POOLPROOF_SANITIZER_OPTIONS(__tsan_default_options, POOLPROOF_LEAVE_SIGNALS)
POOLPROOF_SANITIZER_OPTIONS(__ubsan_default_options, POOLPROOF_LEAVE_SIGNALS)

namespace poolproof {
namespace {

enum ExitStatus : int { kEnded = 0, kUsage = 2, kNoProtocol = 3, kDescriptorLost = 4 };

int ParseDescriptor(const char* text) {
  constexpr long kMost = 1 << 20;
  char* end = nullptr;
  const bool is_number = *text >= '0' && *text <= '9';
  const long fd = is_number ? std::strtol(text, &end, 10) : -1;
  if (!is_number || *end != '\0' || fd > kMost) return -1;
  return ::fcntl(static_cast<int>(fd), F_GETFD) >= 0 ? static_cast<int>(fd) : -1;
}

// The runner's socket, twice: a library that closes one descriptor too many rarely hits both.
class Channel {
 public:
  explicit Channel(int fd) : fds_{fd, ::fcntl(fd, F_DUPFD_CLOEXEC, 200)} {}

  Result<std::vector<std::byte>> Receive() { return ReceiveFrame(*reader_, Usable(), kNoDeadline); }
  Status Send(std::span<const std::byte> payload) {
    return SendFrame(Usable(), payload, kNoDeadline);
  }
  // Until the runner is gone. Takes nothing of the heap, which may be damaged.
  void AwaitEnd() const {
    std::array<char, 4096> ignored;
    for (;;) {
      const int fd = Usable();
      pollfd entry{fd, POLLIN, 0};
      if (fd < 0 || (::poll(&entry, 1, -1) < 0 && errno != EINTR)) return;
      const ssize_t n = ::recv(fd, ignored.data(), ignored.size(), MSG_DONTWAIT);
      if (n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) return;
    }
  }

 private:
  [[nodiscard]] int Usable() const {
    for (const int fd : fds_) {
      int type = 0;
      socklen_t size = sizeof type;
      if (::getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0) return fd;
    }
    return -1;
  }

  std::array<int, 2> fds_;
  std::unique_ptr<FrameReader> reader_ = std::make_unique<FrameReader>(kMaxFrameBytes);
};

Outcome HarnessOutcome(std::string detail) {
  Outcome outcome;
  outcome.end = End::kHarness;
  outcome.detail = std::move(detail);
  return outcome;
}

Outcome Answer(LibraryHost& host, std::span<const std::byte> request) {
  try {
    const Result<Invocation> invocation = DecodeInvocation(request);
    if (!invocation.ok()) return HarnessOutcome(invocation.status().message());
    return host.CarryOut(invocation.value());
  } catch (const std::exception& error) {
    return HarnessOutcome(std::string("worker: ") + error.what());
  }
}

// Low descriptors that are not the library's: one that closes what it does not own closes these.
void PlantDescriptors() {
  for (int i = 0; i < 2; ++i) {
    [[maybe_unused]] const int planted = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  }
}

int Serve(int protocol_fd, int progress_fd) {
  Channel channel(protocol_fd);
  const Result<SharedProgress> progress = SharedProgress::Map(progress_fd);
  if (!progress.ok()) {
    std::fprintf(stderr, "poolproof-worker: %s\n", progress.status().message().c_str());
    return kNoProtocol;
  }
  ::close(progress_fd);
  Result<std::vector<std::byte>> frame = channel.Receive();
  if (!frame.ok()) return kNoProtocol;
  const Result<OpenRequest> request = DecodeOpenRequest(frame.value());
  if (!request.ok()) {
    std::fprintf(stderr, "poolproof-worker: %s\n", request.status().message().c_str());
    return kNoProtocol;
  }

  PlantDescriptors();
  const SignalStack stack;
  NoteCrashes(progress->page().crash());
  LibraryHost host(request.value(), progress->page());
  if (!channel.Send(Encode(host.reply())).ok()) return kDescriptorLost;
  if (host.reply().error != OpenError::kNone) return kEnded;

  for (;;) {
    frame = channel.Receive();
    if (!frame.ok()) break;
    std::span<const std::byte> asked = frame.value();
    const std::optional<std::uint64_t> number = TakeNumber(asked);
    if (!number) return kNoProtocol;
    const Outcome outcome = Answer(host, asked);
    // Whatever happens from here on happens before the next invocation.
    progress->page().Clear();
    frame = Status();
    std::vector<std::byte> answer = Encode(outcome);
    AppendNumber(*number, answer);
    if (!channel.Send(answer).ok()) {
      // No exit handlers: what is left of the process is not to be trusted.
      progress->page().MarkLost();
      ::_exit(kDescriptorLost);
    }
    // The runner has done with this process, or will have: it may leave before it has read this
    // answer. What it sent meanwhile is for another worker.
    if (EndsWorker(outcome)) {
      channel.AwaitEnd();
      ::_exit(kEnded);
    }
  }
  host.Finish();
  return kEnded;
}

int Main(int argc, char** argv) {
  KeepHeap();
  if (argc == 2 && std::string_view(argv[1]) == kElsewhereOption) return RunThere(Serve);
  const bool has_descriptors = argc == 3 || argc == 4;
  const int protocol_fd = has_descriptors ? ParseDescriptor(argv[1]) : -1;
  const int progress_fd = has_descriptors ? ParseDescriptor(argv[2]) : -1;
  if (protocol_fd < 0 || progress_fd < 0) {
    std::fprintf(stderr, "poolproof-worker is started by poolproof, not by hand\n");
    return kUsage;
  }
  // Children of the library must not keep the runner waiting for the end of the stream.
  ::fcntl(protocol_fd, F_SETFD, FD_CLOEXEC);
  if (argc == 4) return RunHere(protocol_fd, progress_fd, argv[3]);
  return Serve(protocol_fd, progress_fd);
}

}  // namespace
}  // namespace poolproof

int main(int argc, char** argv) { return poolproof::Main(argc, argv); }
