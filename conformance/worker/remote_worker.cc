// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/remote_worker.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "conformance/wire/codec.h"
#include "conformance/wire/elsewhere.h"
#include "conformance/wire/process_watch.h"
#include "conformance/wire/progress.h"
#include "conformance/wire/unique_fd.h"
#include "conformance/worker/link.h"

extern "C" char** environ;

namespace poolproof {
namespace {

using Clock = std::chrono::steady_clock;

enum RemoteExitStatus : int { kRemoteEnded = 0, kNoWorker = 3 };

constexpr std::size_t kPieceBytes = std::size_t{1} << 16;
constexpr int kLookMilliseconds = 50;
constexpr std::chrono::seconds kFarewell{3};

bool SendAll(int socket, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

// --- The end there

// Above what a library that closes descriptors it does not own usually reaches.
int HighCopy(int fd) {
  const int high = ::fcntl(fd, F_DUPFD, 900);
  return high >= 0 ? high : ::fcntl(fd, F_DUPFD, 200);
}

struct Child {
  pid_t pid = -1;
  UniqueFd output;  // what it writes to stdout and stderr
};

// Becomes the worker. Returns only where it has served by itself.
int BecomeWorker(const WorkerStart& start, int protocol_fd, int progress_fd,
                 const ServeFunction& serve) {
  for (const std::string& variable : start.environment) {
    const std::size_t equals = variable.find('=');
    if (equals == std::string::npos) continue;
    ::setenv(variable.substr(0, equals).c_str(), variable.c_str() + equals + 1, 1);
  }
  // Some of the environment counts only from the start of a program.
  std::array<char, PATH_MAX> path{};
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size() - 1);
  if (length > 0) {
    std::array<std::string, 2> numbers = {std::to_string(protocol_fd), std::to_string(progress_fd)};
    std::array<char*, 4> arguments = {path.data(), numbers[0].data(), numbers[1].data(), nullptr};
    ::execve(path.data(), arguments.data(), environ);
  }
  return serve(protocol_fd, progress_fd);
}

// How far the worker is, as it goes over the link.
std::array<std::byte, sizeof(ProgressWords)> BytesOf(const ProgressWords& words) {
  std::array<std::byte, sizeof words> bytes;
  std::memcpy(bytes.data(), &words, sizeof words);
  return bytes;
}

// The parent of the real worker.
class Keeper {
 public:
  Keeper(Child child, UniqueFd socket, SharedProgress progress, std::int64_t memory_bytes)
      : child_(std::move(child)),
        socket_(std::move(socket)),
        progress_(std::move(progress)),
        memory_bytes_(memory_bytes) {}

  int Run() {
    // What comes from here is handed on by another thread: neither direction waits for the other.
    std::thread(&Keeper::HandOn, this).detach();
    std::array<std::byte, kPieceBytes> piece;
    auto next_look = Clock::now();
    for (bool open = true; open;) {
      std::array<pollfd, 2> entries = {pollfd{socket_.get(), POLLIN, 0},
                                       pollfd{child_.output.get(), POLLIN, 0}};
      ::poll(entries.data(), entries.size(), kLookMilliseconds);
      if (entries[1].revents != 0) Drain();
      if (entries[0].revents != 0) {
        const ssize_t n = ::recv(socket_.get(), piece.data(), piece.size(), MSG_DONTWAIT);
        if (n > 0) {
          Write(PacketKind::kBytes, std::span(piece).first(static_cast<std::size_t>(n)));
        } else if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
          open = false;
        }
      }
      if (Clock::now() < next_look) continue;
      next_look = Clock::now() + std::chrono::milliseconds(kLookMilliseconds);
      TellProgress();
      open = open && !Dead() && !TooLarge() && !nobody_listens_;
    }
    return End();
  }

 private:
  void Write(PacketKind kind, std::span<const std::byte> bytes) {
    const std::lock_guard lock(writing_);
    if (!WritePacket(STDOUT_FILENO, kind, bytes).ok()) nobody_listens_ = true;
  }

  void HandOn() {
    for (;;) {
      const Result<Packet> packet = ReadPacket(STDIN_FILENO);
      if (!packet.ok() || packet->kind != PacketKind::kBytes) break;
      if (packet->bytes.empty()) {  // the runner has nothing more to send
        ::shutdown(socket_.get(), SHUT_WR);
        continue;
      }
      handed_on_ += static_cast<std::int64_t>(packet->bytes.size());
      if (!SendAll(socket_.get(), packet->bytes)) break;
    }
    // Nobody is there any more, or the worker is not.
    ::shutdown(socket_.get(), SHUT_WR);
    const auto until = Clock::now() + kFarewell;
    while (!ended_ && Clock::now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    if (!ended_) ::kill(-child_.pid, SIGKILL);
  }

  void TellProgress() {
    const ProgressWords words = progress_.page().Words();
    if (words == told_) return;
    told_ = words;
    Write(PacketKind::kProgress, BytesOf(words));
  }

  [[nodiscard]] bool Dead() const {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(child_.pid), &info, WEXITED | WNOWAIT | WNOHANG) ==
               0 &&
           info.si_pid != 0;
  }

  // Operands and results are the runner's: several copies of what it sent are no leak.
  bool TooLarge() {
    constexpr std::int64_t kCopies = 8;
    const std::int64_t now = ResidentBytesOf(child_.pid).value_or(0);
    out_of_memory_ = memory_bytes_ > 0 && now > memory_bytes_ + kCopies * handed_on_;
    if (out_of_memory_) ::kill(-child_.pid, SIGKILL);
    return out_of_memory_;
  }

  void Drain() {
    if (child_.output.valid() && !output_.Drain(child_.output.get(), kPieceBytes)) {
      child_.output.Reset();
    }
  }

  int End() {
    // What the worker sent before its end.
    std::array<std::byte, kPieceBytes> piece;
    for (;;) {
      const ssize_t n = ::recv(socket_.get(), piece.data(), piece.size(), MSG_DONTWAIT);
      if (n <= 0) break;
      Write(PacketKind::kBytes, std::span(piece).first(static_cast<std::size_t>(n)));
    }
    WorkerEnd end;
    end.out_of_memory = out_of_memory_;
    // One that closed its socket may live on: for as long as the runner waits.
    while (!nobody_listens_ && !Dead()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ::kill(-child_.pid, SIGKILL);
    ::waitpid(child_.pid, &end.wait_status, 0);
    ended_ = true;
    Drain();
    end.output = output_.text();
    if (WIFSIGNALED(end.wait_status)) {
      end.crash = progress_.page().crash().Read(WTERMSIG(end.wait_status));
      if (end.crash) end.crash = WithSymbol(*std::move(end.crash));
    }
    TellProgress();
    Write(PacketKind::kEnd, Encode(end));
    return kRemoteEnded;
  }

  Child child_;
  UniqueFd socket_;
  SharedProgress progress_;
  const std::int64_t memory_bytes_;
  std::mutex writing_;
  std::atomic<std::int64_t> handed_on_{0};
  std::atomic<bool> ended_{false};
  std::atomic<bool> nobody_listens_{false};
  ProgressWords told_;
  bool out_of_memory_ = false;
  OutputTail output_;
};

Status SystemError(const char* what) {
  return Unavailable(std::string(what) + ": " + std::strerror(errno));
}

int Complain(const Status& status) {
  std::fprintf(stderr, "poolproof-worker: %s\n", std::string(status.message()).c_str());
  return kNoWorker;
}

}  // namespace

int RunThere(const ServeFunction& serve) {
  ::signal(SIGPIPE, SIG_IGN);
  if (Status status = WritePacket(STDOUT_FILENO, PacketKind::kGreeting,
                                  std::as_bytes(std::span(kLinkGreeting)));
      !status.ok()) {
    return Complain(status);
  }
  const Result<Packet> packet = ReadPacket(STDIN_FILENO);
  // Who hung up has said why.
  if (!packet.ok()) return kNoWorker;
  const Result<WorkerStart> start = DecodeWorkerStart(packet->bytes);
  if (packet->kind != PacketKind::kStart || !start.ok()) {
    return Complain(InvalidArgument("the first packet does not start a worker"));
  }

  Result<SharedProgress> progress = SharedProgress::Create();
  if (!progress.ok()) return Complain(progress.status());
  std::array<int, 2> ends;
  std::array<int, 2> pipe;
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0 ||
      ::pipe2(pipe.data(), O_CLOEXEC) != 0) {
    return Complain(SystemError("socketpair"));
  }
  UniqueFd ours(ends[0]);
  UniqueFd theirs(ends[1]);
  UniqueFd output(pipe[0]);
  UniqueFd child_output(pipe[1]);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return Complain(SystemError("fork"));
  if (pid == 0) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(kNoWorker);
    ::signal(SIGPIPE, SIG_DFL);
    const UniqueFd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    ::dup2(null.get(), STDIN_FILENO);
    ::dup2(child_output.get(), STDOUT_FILENO);
    ::dup2(child_output.get(), STDERR_FILENO);
    const int protocol_fd = HighCopy(theirs.get());
    const int progress_fd = HighCopy(progress->fd());
    // A fork that serves by itself must not keep the runner's ends open.
    ours.Reset();
    theirs.Reset();
    output.Reset();
    child_output.Reset();
    return BecomeWorker(*start, protocol_fd, progress_fd, serve);
  }
  ::setpgid(pid, pid);
  theirs.Reset();
  child_output.Reset();
  ::fcntl(output.get(), F_SETFL, O_NONBLOCK);
  // Not destroyed: a thread of its own may still wait for the runner.
  auto* const keeper = new Keeper({pid, std::move(output)}, std::move(ours),
                                  std::move(progress).value(), start->memory_bytes);
  const int status = keeper->Run();
  std::fflush(nullptr);
  ::_exit(status);
}

// --- The end here

namespace {

struct Command {
  pid_t pid = -1;
  UniqueFd to;
  UniqueFd from;
};

Result<Command> RunCommand(const std::string& text) {
  std::array<int, 2> in;
  std::array<int, 2> out;
  if (::pipe2(in.data(), O_CLOEXEC) != 0 || ::pipe2(out.data(), O_CLOEXEC) != 0) {
    return SystemError("pipe");
  }
  UniqueFd child_in(in[0]);
  UniqueFd child_out(out[1]);
  Command command;
  command.to = UniqueFd(in[1]);
  command.from = UniqueFd(out[0]);
  command.pid = ::fork();
  if (command.pid < 0) return SystemError("fork");
  if (command.pid == 0) {
    ::signal(SIGPIPE, SIG_DFL);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::dup2(child_in.get(), STDIN_FILENO);
    ::dup2(child_out.get(), STDOUT_FILENO);
    ::execl("/bin/sh", "sh", "-c", text.c_str(), nullptr);
    ::_exit(127);
  }
  return command;
}

WorkerStart StartFromEnvironment() {
  WorkerStart start;
  if (const char* bytes = std::getenv(kRemoteMemory)) {
    start.memory_bytes = std::strtoll(bytes, nullptr, 10);
  }
  const char* const list = std::getenv(kRemoteVariables);
  std::string_view names = list == nullptr ? "" : list;
  while (!names.empty()) {
    const std::size_t comma = std::min(names.find(','), names.size());
    const std::string name(names.substr(0, comma));
    if (const char* value = std::getenv(name.c_str())) {
      start.environment.push_back(name + "=" + value);
    }
    names.remove_prefix(std::min(comma + 1, names.size()));
  }
  return start;
}

// As the worker ended, so does this process, to the eyes of the runner.
[[noreturn]] void EndAs(const WorkerEnd& end, ProgressPage& page) {
  if (end.out_of_memory) page.MarkOutOfMemory();
  for (std::span<const char> text(end.output); !text.empty();) {
    const ssize_t n = ::write(STDERR_FILENO, text.data(), text.size());
    if (n <= 0) break;
    text = text.subspan(static_cast<std::size_t>(n));
  }
  if (WIFSIGNALED(end.wait_status)) {
    const int number = WTERMSIG(end.wait_status);
    if (end.crash) page.crash().Write(number, *end.crash);
    ::signal(number, SIG_DFL);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::raise(number);
  }
  ::_exit(WIFEXITED(end.wait_status) ? WEXITSTATUS(end.wait_status) : kNoWorker);
}

// What the runner sends, on its way there.
void SendThere(int protocol_fd, int to) {
  std::array<std::byte, kPieceBytes> piece;
  for (;;) {
    const ssize_t n = ::recv(protocol_fd, piece.data(), piece.size(), 0);
    if (n < 0 && errno == EINTR) continue;
    const std::size_t taken = n > 0 ? static_cast<std::size_t>(n) : 0;
    // An empty packet says that nothing more comes.
    if (!WritePacket(to, PacketKind::kBytes, std::span(piece).first(taken)).ok() || taken == 0) {
      return;
    }
  }
}

}  // namespace

int RunHere(int protocol_fd, int progress_fd, const std::string& command_text) {
  ::signal(SIGPIPE, SIG_IGN);
  const Result<SharedProgress> progress = SharedProgress::Map(progress_fd);
  if (!progress.ok()) return Complain(progress.status());
  ProgressPage& page = progress->page();
  const Result<Command> command = RunCommand(command_text);
  if (!command.ok()) return Complain(command.status());
  const auto disconnected = [&](const Status& why) {
    page.MarkDisconnected();
    return Complain(Unavailable("worker elsewhere: " + std::string(why.message())));
  };

  const Result<Packet> greeting = ReadPacket(command->from.get());
  if (!greeting.ok()) return disconnected(greeting.status());
  const std::string_view said(reinterpret_cast<const char*>(greeting->bytes.data()),
                              greeting->bytes.size());
  if (greeting->kind != PacketKind::kGreeting || said != kLinkGreeting) {
    return disconnected(InvalidArgument("it is '" + std::string(said) + "', expected '" +
                                        std::string(kLinkGreeting) + "': another release"));
  }
  if (Status status =
          WritePacket(command->to.get(), PacketKind::kStart, Encode(StartFromEnvironment()));
      !status.ok()) {
    return disconnected(status);
  }
  std::thread(SendThere, protocol_fd, command->to.get()).detach();
  for (;;) {
    const Result<Packet> packet = ReadPacket(command->from.get());
    if (!packet.ok()) {
      // No destructors: the other thread goes on until the process ends.
      const int status = disconnected(packet.status());
      std::fflush(nullptr);
      ::_exit(status);
    }
    if (packet->kind == PacketKind::kBytes) {
      SendAll(protocol_fd, packet->bytes);
    } else if (packet->kind == PacketKind::kProgress &&
               packet->bytes.size() == sizeof(ProgressWords)) {
      ProgressWords words;
      std::memcpy(&words, packet->bytes.data(), sizeof words);
      page.Set(words);
    } else if (packet->kind == PacketKind::kEnd) {
      const Result<WorkerEnd> end = DecodeWorkerEnd(packet->bytes);
      EndAs(end.ok() ? *end : WorkerEnd(), page);
    }
  }
}

}  // namespace poolproof
