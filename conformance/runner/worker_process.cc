// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/worker_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <thread>
#include <utility>

#include "conformance/cann/remedy.h"
#include "conformance/cann/system.h"
#include "conformance/result/ending.h"
#include "conformance/result/outcome_check.h"
#include "conformance/result/storage_size.h"
#include "conformance/runner/cpu_wait.h"
#include "conformance/runner/spawn.h"
#include "conformance/wire/codec.h"
#include "conformance/wire/elsewhere.h"
#include "conformance/wire/frame.h"
#include "conformance/wire/process_watch.h"
#include "conformance/wire/progress.h"
#include "core/shell_text.h"
#include "core/text.h"

namespace poolproof {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kMemoryPollInterval{50};
constexpr milliseconds kDyingTime{2000};
// What a deadline may become on a busy machine.
constexpr int kTimesBusy = 8;
constexpr std::chrono::hours kMostPatience{4};
constexpr std::uint64_t kMaxReplyBytes = std::uint64_t{1} << 20;
// The last bytes that a dead worker wrote are at most what its pipe holds.
constexpr std::size_t kMaxFinalDrain = std::size_t{1} << 20;

// What is kept of an invocation that was handed over.
struct Request {
  milliseconds deadline;
  milliseconds step;  // what it may go on by, while it marks steps
  std::uint64_t number = 0;
  ExpectedAnswer expected;
  std::uint64_t max_answer = 0;
  std::int64_t own_bytes = 0;
  std::size_t bytes = 0;  // of the message
};

// Requests that may be under way at once: enough to keep a worker busy, and little enough that
// neither side waits for the other's buffer or keeps much memory.
constexpr std::size_t kMaxUnderWay = 32;
constexpr std::size_t kMaxBytesUnderWay = std::size_t{128} << 10;

// Bytes of the operands of a timed call, in all its sets.
std::int64_t TimedBytes(const Invocation& invocation) {
  std::int64_t bytes = 0;
  for (const CallArguments& call : invocation.calls) {
    for (const TensorArgument& tensor : call.tensors) bytes += StorageSize(tensor);
  }
  return bytes * invocation.timing.sets;
}

// Bytes that carrying out an invocation takes by itself: they are no sign of a leak.
std::int64_t OwnBytes(const Invocation& invocation) {
  std::int64_t bytes = 0;
  for (const CallArguments& call : invocation.calls) {
    for (const TensorArgument& tensor : call.tensors) {
      bytes += static_cast<std::int64_t>(tensor.bytes.size());
    }
  }
  // A timed call: frame, decoded copy, copy that is kept, outcome; and sets of whole operands.
  if (invocation.timing.rounds > 0) return bytes * 4 + TimedBytes(invocation);
  // Frame, decoded copy; per thread image, device block, outcome; per repetition an outcome.
  return bytes * (3 + 3 * std::max(invocation.plan.threads, 1) +
                  2 * std::max(invocation.plan.repeat, 1) * std::max(invocation.plan.threads, 1));
}

// The longest answer that an honest worker gives.
std::uint64_t MaxOutcomeBytes(const Invocation& invocation) {
  std::uint64_t once = 0;
  for (const CallArguments& call : invocation.calls) {
    once += 8192;
    for (const TensorArgument& tensor : call.tensors) {
      if (tensor.is_output) once += tensor.bytes.size();
    }
  }
  const auto runs = static_cast<std::uint64_t>(std::max(invocation.plan.repeat, 1)) *
                    static_cast<std::uint64_t>(std::max(invocation.plan.threads, 1));
  return once * runs + kMostReachedEdges * sizeof(std::uint32_t) +
         static_cast<std::uint64_t>(invocation.timing.rounds) * sizeof(TimedRound) + 65536;
}

std::string FirstLine(std::string_view text, std::size_t limit) {
  text = text.substr(0, text.find('\n'));
  std::string line(text.substr(0, limit));
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return line;
}

// Messages travel; folders of this machine stay here.
std::string WithoutFolders(std::string text, const Implementation& implementation) {
  for (const std::string& library : implementation.libraries) {
    const std::size_t slash = library.rfind('/');
    if (slash == std::string::npos) continue;
    const std::string folder = library.substr(0, slash + 1);
    for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder, at)) {
      text.erase(at, folder.size());
    }
  }
  return text;
}

// The variables that are ours: the manifest's for every worker, and with a profile those that
// belong to it.
std::map<std::string, std::string> OwnVariables(const Implementation& implementation,
                                                const std::optional<Profile>& profile) {
  std::map<std::string, std::string> variables;
  const auto add = [&](std::string_view scope) {
    const auto found = implementation.environment.find(std::string(scope));
    if (found == implementation.environment.end()) return;
    for (const auto& [name, value] : found->second) variables[name] = value;
  };
  if (profile) {
    const ProfileInfo& info = InfoOf(*profile);
    variables["POOLPROOF_SOC_NAME"] = info.default_soc;
    add("*");
    variables["POOLPROOF_PROFILE"] = info.name;
    add(info.name);
  } else {
    add("*");
  }
  return variables;
}

}  // namespace

std::vector<std::string> WorkerEnvironment(const Implementation& implementation,
                                           const std::optional<Profile>& profile) {
  Variables variables = CallerVariables();
  for (auto& [name, value] : OwnVariables(implementation, profile)) {
    variables.insert_or_assign(name, std::move(value));
  }
  std::vector<std::string> environment;
  environment.reserve(variables.size());
  for (const auto& [name, value] : variables) {
    std::string entry = name;
    entry += '=';
    entry += value;
    environment.push_back(std::move(entry));
  }
  return environment;
}

class WorkerProcess::Impl {
 public:
  Impl(const Implementation& implementation, SharedProgress progress, UniqueFd socket,
       Spawned process)
      : name_("implementation '" + implementation.name + "'"),
        memory_limit_(implementation.limits.memory_mib << 20),
        stop_limit_(std::chrono::duration_cast<WireClock::duration>(
            std::chrono::duration<double>(implementation.limits.stop_s))),
        progress_(std::move(progress)),
        socket_(std::move(socket)),
        pid_(process.pid),
        output_(std::move(process.output)),
        is_cann_(implementation.worker_command.empty() &&
                 AreCannLibraries(implementation.libraries)) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() { Stop(); }

  Status Open(const Implementation& implementation, const WorkerOptions& options) {
    const auto until =
        WireClock::now() + std::chrono::duration_cast<WireClock::duration>(
                               std::chrono::duration<double>(implementation.limits.start_s));
    const OpenRequest request{implementation.libraries, implementation.open, options.device};
    writer_.Queue(Encode(request));
    under_way_ = 1;
    const Exchange exchange = Await(kMaxReplyBytes, {until}, memory_limit_);
    under_way_ = 0;
    if (exchange.ended != Ended::kAnswered) {
      const std::string how = DescribeStartFailure(exchange, implementation);
      return Unavailable(name_ + ": " + WithoutFolders(how, implementation) +
                         RemedyText(StartTrouble::Kind::kEnded, {}, implementation));
    }
    const Result<OpenReply> reply = DecodeOpenReply(exchange.answer);
    if (!reply.ok()) return Unavailable(name_ + ": " + reply.status().message());
    probe_ = reply->probe;
    if (reply->error != OpenError::kNone) return StatusOf(*reply, implementation);
    return CheckDevices(implementation);
  }

  void Submit(const Invocation& invocation, milliseconds deadline, milliseconds step) {
    // What a timed call takes is held until another one comes.
    const bool timed = invocation.timing.rounds > 0;
    if (timed && !invocation.calls.empty()) timed_bytes_ = OwnBytes(invocation);
    const std::int64_t own_bytes = timed_bytes_ + (timed ? 0 : OwnBytes(invocation));
    std::vector<std::byte> message = Encode(invocation);
    AppendNumber(++submitted_, message);
    requests_.push_back({deadline, step, submitted_, ExpectedAnswer(invocation),
                         MaxOutcomeBytes(invocation), own_bytes, message.size()});
    messages_.push_back(std::move(message));
  }

  Outcome Collect() {
    if (!alive_) {
      requests_.pop_front();
      Outcome outcome;
      outcome.end = End::kHarness;
      outcome.detail = "the worker cannot be used again";
      return outcome;
    }
    // What a request that is under way made the library print may have been read already.
    if (under_way_ == 0) tail_.Clear();
    SendAhead();
    const Request request = std::move(requests_.front());
    const WireClock::time_point now = WireClock::now();
    const Exchange exchange =
        Await(request.max_answer, {now + request.deadline, request.step, now + kMostPatience},
              memory_limit_ + request.own_bytes);
    requests_.pop_front();
    --under_way_;
    bytes_under_way_ -= request.bytes;
    Outcome outcome = exchange.ended == Ended::kAnswered ? Understand(exchange, request)
                                                         : OutcomeOf(exchange, request);
    if (outcome.end != End::kReturned) {
      Kill();
      DrainFinally();
      outcome.output_tail = tail_.text() + LogText();
    } else if (EndsWorker(outcome)) {
      alive_ = false;
      DrainSome();
      outcome.output_tail = tail_.text() + LogText();
    }
    return outcome;
  }

  [[nodiscard]] const Probe& probe() const { return probe_; }
  [[nodiscard]] WireClock::time_point started() const { return started_; }
  [[nodiscard]] bool alive() const { return alive_; }
  std::string Said() {
    DrainSome();
    return tail_.text();
  }

 private:
  enum class Ended { kAnswered, kDied, kTimedOut, kOutOfMemory, kBroken };
  struct Exchange {
    Ended ended = Ended::kBroken;
    std::vector<std::byte> answer;  // kAnswered
    int wait_status = 0;            // kDied
    std::string detail;             // kBroken
  };

  // How long an answer is waited for: until a time, and while steps are marked until as long after
  // the last one, but never longer than to the last time, as the library may write to the page.
  struct Patience {
    WireClock::time_point until;
    milliseconds step{0};
    WireClock::time_point last = until;
  };

  // Hands on as many requests as may be under way.
  void SendAhead() {
    while (!messages_.empty() && (under_way_ == 0 || (under_way_ < kMaxUnderWay &&
                                                      bytes_under_way_ + messages_.front().size() <=
                                                          kMaxBytesUnderWay))) {
      ++under_way_;
      bytes_under_way_ += messages_.front().size();
      writer_.Queue(std::move(messages_.front()));
      messages_.pop_front();
    }
  }

  // Sends what is queued and waits for the next answer, the end of the worker, the deadline or too
  // much memory.
  Exchange Await(std::uint64_t max_answer, Patience patience, std::int64_t memory_limit) {
    reader_->SetLimit(max_answer);
    WireClock::time_point& until = patience.until;
    std::uint64_t step = progress_.page().Step();
    const auto begin = WireClock::now();
    auto next_look = begin + kMemoryPollInterval;
    std::optional<CpuWait> cpu_wait;
    std::chrono::nanoseconds waited{0};
    const auto latest = std::min(begin + kTimesBusy * (until - begin), patience.last);
    for (;;) {
      if (!writer_.empty() && !writer_.SendSome(socket_.get()).ok()) {
        // Answers that were given before the end can still be read.
        writer_ = FrameWriter();
        sending_failed_ = true;
      }
      // Without waiting: the answer may be here already.
      Result<FrameReader::State> state = reader_->ReadSome(socket_.get());
      if (!state.ok()) {
        if (state.status().code() == StatusCode::kUnavailable) {
          return AfterClosed(until, memory_limit);
        }
        return {Ended::kBroken, {}, 0, state.status().message()};
      }
      if (state.value() == FrameReader::State::kComplete) {
        std::vector<std::byte> answer = reader_->Take();
        if (under_way_ <= 1 && reader_->has_more()) {
          return {Ended::kBroken, {}, 0, "frame: bytes after its end"};
        }
        return {Ended::kAnswered, std::move(answer), 0, {}};
      }
      if (state.value() == FrameReader::State::kClosed || sending_failed_) {
        return AfterClosed(until, memory_limit);
      }
      const auto now = WireClock::now();
      if (now >= next_look) {
        // A child of the library may hold the stream open after the worker's death.
        if (Reap(WNOHANG)) return {Ended::kDied, {}, wait_status_, {}};
        if (const auto resident = ResidentBytesOf(pid_); resident && *resident > memory_limit) {
          return {Ended::kOutOfMemory, {}, 0, {}};
        }
        next_look = now + kMemoryPollInterval;
        if (!cpu_wait) cpu_wait.emplace(pid_);
        if (const std::uint64_t reached = progress_.page().Step(); reached != step) {
          step = reached;
          until = std::max(until, std::min(now + patience.step, patience.last));
        }
      }
      if (now >= until) {
        // What the machine kept it waiting is not the library's.
        const std::chrono::nanoseconds in_all =
            cpu_wait ? cpu_wait->Since() : std::chrono::nanoseconds(0);
        const auto later = std::min(until + (in_all - waited), latest);
        waited = in_all;
        if (later <= now) return {Ended::kTimedOut, {}, 0, {}};
        until = later;
      }
      const short wanted = writer_.empty() ? POLLIN : POLLIN | POLLOUT;
      std::array<pollfd, 2> entries = {pollfd{socket_.get(), wanted, 0},
                                       pollfd{output_.get(), POLLIN, 0}};
      ::poll(entries.data(), entries.size(), PollTimeout(std::min(until, next_look)));
      if (entries[1].revents != 0) DrainSome();
    }
  }

  // The stream has ended: nearly always the worker is dying; a library may also have closed it.
  Exchange AfterClosed(WireClock::time_point until, std::int64_t memory_limit) {
    const auto patience = std::max(until, WireClock::now() + kDyingTime);
    milliseconds pause{0};
    while (WireClock::now() < patience) {
      DrainSome();
      if (Reap(WNOHANG)) return {Ended::kDied, {}, wait_status_, {}};
      if (const auto resident = ResidentBytesOf(pid_); resident && *resident > memory_limit) {
        return {Ended::kOutOfMemory, {}, 0, {}};
      }
      if (pause.count() == 0) {
        std::this_thread::yield();
      } else {
        std::this_thread::sleep_for(pause);
      }
      pause = std::min(pause + milliseconds(1), milliseconds(20));
    }
    return {Ended::kTimedOut, {}, 0, {}};
  }

  // Which phase did the damage is not known; of plans without a second one it was the first.
  static Outcome Corrupted(const Request& request, Misfit misfit) {
    Outcome outcome;
    outcome.end = End::kCorrupted;
    outcome.ended_at_call = misfit.call;
    outcome.ended_in = request.expected.plan.descriptors_only ? Phase::kPhaseOne : Phase::kDone;
    outcome.detail = std::move(misfit.what);
    return outcome;
  }

  static Outcome Understand(const Exchange& exchange, const Request& request) {
    std::span<const std::byte> answer = exchange.answer;
    const std::optional<std::uint64_t> number = TakeNumber(answer);
    if (number != request.number) return Corrupted(request, {0, "not the number of the request"});
    Result<Outcome> decoded = DecodeOutcome(answer);
    if (!decoded.ok()) return Corrupted(request, {0, decoded.status().message()});
    std::optional<Misfit> misfit = FindMisfit(request.expected, *decoded);
    return misfit ? Corrupted(request, *std::move(misfit)) : std::move(decoded).value();
  }

  Outcome OutcomeOf(const Exchange& exchange, const Request& request) {
    const ProgressMark mark = progress_.page().Read(request.expected.calls.size());
    if (exchange.ended == Ended::kBroken) return Corrupted(request, {mark.call, exchange.detail});
    Outcome outcome;
    outcome.ended_at_call = mark.call;
    outcome.ended_in = mark.phase;
    switch (exchange.ended) {
      case Ended::kTimedOut:
        outcome.end = End::kTimedOut;
        break;
      case Ended::kOutOfMemory:
        outcome.end = End::kOutOfMemory;
        break;
      case Ended::kDied:
        // Of a worker elsewhere, its stand-in has died.
        if (progress_.page().disconnected()) {
          outcome.end = End::kHarness;
          outcome.detail = "the connection to the worker was lost";
          break;
        }
        if (progress_.page().out_of_memory()) {
          outcome.end = End::kOutOfMemory;
          break;
        }
        if (WIFSIGNALED(exchange.wait_status)) {
          outcome.end = End::kSignalled;
          outcome.signal = WTERMSIG(exchange.wait_status);
          outcome.crash = CrashOf(outcome.signal);
        } else {
          outcome.end = End::kExited;
          outcome.exit_code = WEXITSTATUS(exchange.wait_status);
        }
        if (progress_.page().lost()) {
          outcome.process.file_descriptors_changed = true;
          outcome.detail = "descriptors that the library does not own were closed";
        }
        break;
      case Ended::kAnswered:
      case Ended::kBroken:
        break;
    }
    return outcome;
  }

  // Where it was, as it noted itself.
  [[nodiscard]] std::optional<CrashSite> CrashOf(int signal) const {
    std::optional<CrashSite> site = progress_.page().crash().Read(signal);
    if (site) site = WithSymbol(*std::move(site));
    return site;
  }

  std::string DescribeStartFailure(const Exchange& exchange, const Implementation& implementation) {
    std::string text;
    switch (exchange.ended) {
      case Ended::kTimedOut: {
        std::array<char, 32> seconds;
        std::snprintf(seconds.data(), seconds.size(), "%g", implementation.limits.start_s);
        text = "was not open after " + std::string(seconds.data()) + " s (limits.start_s)";
        break;
      }
      case Ended::kOutOfMemory:
        text = "took more than " + std::to_string(implementation.limits.memory_mib) +
               " MiB while being opened (limits.memory_mib)";
        break;
      case Ended::kDied:
        if (progress_.page().disconnected()) {
          text = "--worker-command started no worker";
          break;
        }
        text = WIFSIGNALED(exchange.wait_status)
                   ? "died of " + SignalText(WTERMSIG(exchange.wait_status))
                   : "ended the process with status " +
                         std::to_string(WEXITSTATUS(exchange.wait_status));
        text += " while being opened";
        if (WIFSIGNALED(exchange.wait_status)) {
          text += CrashText(CrashOf(WTERMSIG(exchange.wait_status)));
        }
        break;
      case Ended::kAnswered:
      case Ended::kBroken:
        text = "answered with damaged bytes while being opened: " + exchange.detail;
        break;
    }
    Kill();
    DrainFinally();
    return text + SaidText(implementation);
  }

  // The last line that tells of an error, else the last.
  static std::string TellingLine(std::string_view text) {
    std::string last;
    std::string error;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      std::string line = FirstLine(text.substr(0, end), 200);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (line.find_first_not_of(' ') == std::string::npos) continue;
      if (line.find("ERROR") != std::string::npos) error = line;
      last = std::move(line);
    }
    return error.empty() ? last : error;
  }

  Status StatusOf(const OpenReply& reply, const Implementation& implementation) {
    // It ends by itself, and may print until then.
    Stop();
    DrainFinally();
    const std::string detail =
        FirstLine(WithoutFolders(reply.detail, implementation), OutputTail::kMostBytes);
    std::string text;
    StartTrouble::Kind kind = StartTrouble::Kind::kNoDevice;
    switch (reply.error) {
      case OpenError::kCannotOpen:
        text = " cannot be opened: " + detail;
        kind = StartTrouble::Kind::kCannotOpen;
        break;
      case OpenError::kMissingSymbols:
        text = " lacks required symbols: " + Joined(reply.probe.missing);
        kind = StartTrouble::Kind::kMissingSymbols;
        break;
      case OpenError::kNone:
      case OpenError::kNoDevice:
      case OpenError::kDeviceRefused:
        text = " has no device: " + detail;
        break;
    }
    text = name_ + text + SaidText(implementation) + RemedyText(kind, reply, implementation);
    return reply.error == OpenError::kDeviceRefused ? Busy(std::move(text))
                                                    : Unavailable(std::move(text));
  }

  std::string SaidText(const Implementation& implementation) const {
    const std::string said = TellingLine(WithoutFolders(tail_.text(), implementation));
    return said.empty() ? said : "; it said: " + said;
  }

  // Where the library's log is, behind what it printed.
  [[nodiscard]] std::string LogText() const {
    if (!is_cann_) return {};
    const std::string log = ProcessLog(SurveyCann(), started_pid_);
    return log.empty() ? log : "\nits log: " + log + "\n";
  }

  // The library's log, and what to do.
  std::string RemedyText(StartTrouble::Kind kind, const OpenReply& reply,
                         const Implementation& implementation) const {
    const CannSystem system = SurveyCann();
    std::string text;
    if (AreCannLibraries(implementation.libraries)) {
      if (const std::string log = ProcessLog(system, started_pid_); !log.empty()) {
        text = "; its log: " + log;
      }
    }
    const std::string remedy =
        RemedyFor({kind, reply.detail, reply.probe.missing, implementation.libraries}, system);
    return remedy.empty() ? text : text + "; remedy: " + remedy;
  }

  // Found when the first process starts, before anything is judged.
  Status CheckDevices(const Implementation& implementation) const {
    if (!probe_.devices) return OkStatus();
    for (const std::int32_t device : implementation.devices) {
      if (static_cast<std::uint32_t>(device) < *probe_.devices) continue;
      return Unavailable(name_ + " has no device " + std::to_string(device) + ": it has " +
                         std::to_string(*probe_.devices) +
                         (*probe_.devices == 1
                              ? ", number 0"
                              : ", numbers 0 to " + std::to_string(*probe_.devices - 1)) +
                         "; remedy: " + TakeAnotherDevice());
    }
    return OkStatus();
  }

  // True once the process has been waited for; its status is in wait_status_.
  bool Reap(int flags) {
    if (pid_ < 0) return true;
    // Looked at before it is collected: children that the library left behind are killed by the
    // group's number, which is the worker's until then.
    siginfo_t info{};
    int waited = 0;
    do {
      waited = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT | flags);
    } while (waited < 0 && errno == EINTR);
    if (waited == 0 && info.si_pid == 0) return false;
    ::kill(-pid_, SIGKILL);
    // Where the caller ignores SIGCHLD there is no status to be had.
    wait_status_ = 0;
    if (waited == 0) ::waitpid(pid_, &wait_status_, 0);
    pid_ = -1;
    alive_ = false;
    return true;
  }

  void Kill() {
    alive_ = false;
    if (pid_ < 0) return;
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);  // in case it is not yet, or no more, in a group of its own
    Reap(0);
  }

  void Stop() {
    if (pid_ >= 0 && alive_) {
      // The worker sees the end of the stream, closes its device and exits.
      ::shutdown(socket_.get(), SHUT_WR);
      const auto until = WireClock::now() + stop_limit_;
      while (!Reap(WNOHANG) && WireClock::now() < until) {
        std::array<pollfd, 2> entries = {pollfd{socket_.get(), POLLIN, 0},
                                         pollfd{output_.get(), POLLIN, 0}};
        ::poll(entries.data(), entries.size(), 10);
        DrainSome();
        if (entries[0].revents != 0) std::this_thread::sleep_for(milliseconds(1));
      }
    }
    Kill();
  }

  void DrainSome() {
    if (output_.valid() && !tail_.Drain(output_.get(), 64 * 1024)) output_.Reset();
  }
  void DrainFinally() {
    if (output_.valid()) tail_.Drain(output_.get(), kMaxFinalDrain);
    output_.Reset();
  }

  std::string name_;
  std::int64_t memory_limit_;
  WireClock::duration stop_limit_;
  SharedProgress progress_;
  UniqueFd socket_;
  pid_t pid_;
  pid_t started_pid_ = pid_;  // also when it has ended
  UniqueFd output_;
  bool is_cann_;
  OutputTail tail_;
  FrameWriter writer_;
  // On the heap: the reader carries a large buffer.
  std::unique_ptr<FrameReader> reader_ = std::make_unique<FrameReader>(kMaxReplyBytes);
  bool sending_failed_ = false;
  std::deque<Request> requests_;                 // handed over, their outcomes not collected
  std::deque<std::vector<std::byte>> messages_;  // of the last of them, not yet sent
  std::uint64_t submitted_ = 0;                  // requests, so far
  std::int64_t timed_bytes_ = 0;                 // that the timed call takes
  std::size_t under_way_ = 0;
  std::size_t bytes_under_way_ = 0;
  Probe probe_;
  int wait_status_ = 0;
  bool alive_ = true;
  WireClock::time_point started_ = WireClock::now();
};

WorkerProcess::WorkerProcess(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
WorkerProcess::~WorkerProcess() = default;

const Probe& WorkerProcess::probe() const { return impl_->probe(); }
std::chrono::steady_clock::time_point WorkerProcess::started() const { return impl_->started(); }
bool WorkerProcess::alive() const { return impl_->alive(); }
std::string WorkerProcess::Said() { return impl_->Said(); }
void WorkerProcess::Submit(const Invocation& invocation, milliseconds deadline, milliseconds step) {
  impl_->Submit(invocation, deadline, step);
}
Outcome WorkerProcess::Collect() { return impl_->Collect(); }
Outcome WorkerProcess::Run(const Invocation& invocation, milliseconds deadline, milliseconds step) {
  Submit(invocation, deadline, step);
  return Collect();
}

namespace {

// A worker elsewhere: the command that starts it, and of the environment what is not this
// machine's.
void AddCommand(const Implementation& implementation, const WorkerOptions& options,
                SpawnRequest& request) {
  constexpr std::string_view kWorker = "{worker}";
  std::string& command = request.command = implementation.worker_command;
  const std::string worker = ShellQuoted(options.program) + " " + kElsewhereOption;
  for (std::size_t at = command.find(kWorker); at != std::string::npos;
       at = command.find(kWorker, at + worker.size())) {
    command.replace(at, kWorker.size(), worker);
  }
  std::string names;
  for (const auto& [name, value] : OwnVariables(implementation, options.profile)) {
    names += (names.empty() ? "" : ",") + name;
  }
  request.environment.push_back(std::string(kRemoteVariables) + "=" + names);
  request.environment.push_back(std::string(kRemoteMemory) + "=" +
                                std::to_string(implementation.limits.memory_mib << 20));
}

}  // namespace

Result<std::unique_ptr<WorkerProcess>> WorkerProcess::Start(const Implementation& implementation,
                                                            const WorkerOptions& options) {
  Result<SharedProgress> progress = SharedProgress::Create();
  if (!progress.ok()) return progress.status();
  std::array<int, 2> ends;
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return Unavailable(std::string("worker: socketpair: ") + std::strerror(errno));
  }
  UniqueFd ours(ends[0]);
  const UniqueFd theirs(ends[1]);
  SpawnRequest request{options.program, WorkerEnvironment(implementation, options.profile),
                       theirs.get(), progress->fd()};
  if (!implementation.worker_command.empty()) AddCommand(implementation, options, request);
  Result<Spawned> spawned = Spawn(request);
  if (!spawned.ok()) return spawned.status();
  auto impl = std::make_unique<Impl>(implementation, std::move(progress).value(), std::move(ours),
                                     std::move(spawned).value());
  if (Status status = impl->Open(implementation, options); !status.ok()) return status;
  return std::unique_ptr<WorkerProcess>(new WorkerProcess(std::move(impl)));
}

}  // namespace poolproof
