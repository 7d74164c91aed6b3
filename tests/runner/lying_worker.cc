// SPDX-License-Identifier: Apache-2.0
//
// A worker that lies, as one whose heap the library has damaged may. POOLPROOF_LIE names the lie;
// those about calls are made where ceilMode is true, so that a fresh worker has something that it
// does well.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/wire/codec.h"
#include "conformance/wire/frame.h"
#include "conformance/wire/progress.h"
#include "conformance/worker/library_host.h"

namespace poolproof {
namespace {

using Bytes = std::vector<std::byte>;

constexpr auto kGradOutput = static_cast<std::size_t>(Role::kGradOutput);
constexpr auto kGradInput = static_cast<std::size_t>(Role::kGradInput);
constexpr auto kOut = static_cast<std::size_t>(Role::kOut);

Bytes& Gradients(Outcome& outcome) { return outcome.calls.at(0).outputs[kGradInput]; }
MemoryFacts& Memory(Outcome& outcome, std::size_t role) { return outcome.calls.at(0).memory[role]; }

// Phase one refused the call, in every member that says so.
void Refuse(Outcome& outcome) {
  CallOutcome& call = outcome.calls.at(0);
  call.phase_one = 161002;
  call.phase_two.reset();
  call.synchronise.reset();
}

// --- Lies in the members of an answer ------------------------------------------------------------

using CallLie = void (*)(CallOutcome&);
const std::map<std::string_view, CallLie> kCallLies = {
    {"no-phase-one", [](CallOutcome& call) { call.phase_one.reset(); }},
    {"no-phase-two", [](CallOutcome& call) { call.phase_two.reset(); }},
    {"no-synchronise", [](CallOutcome& call) { call.synchronise.reset(); }},
    {"refused-and-went-on", [](CallOutcome& call) { call.phase_one = 161002; }},
    {"not-done", [](CallOutcome& call) { call.reached = Phase::kPhaseTwo; }},
    {"size-not-set", [](CallOutcome& call) { call.workspace_size_set = false; }},
    {"executor-not-set", [](CallOutcome& call) { call.executor_set = false; }},
    {"executor-unasked", [](CallOutcome& call) { call.executor_set = true; }},
    {"size-unasked", [](CallOutcome& call) { call.workspace_size_set = true; }},
    {"size-of-nothing", [](CallOutcome& call) { call.workspace_size = 7; }},
    {"reused-at-once", [](CallOutcome& call) { call.executor_reused = true; }},
    {"wrote-to-nobody", [](CallOutcome& call) { call.phase_one_wrote = true; }},
    {"wrote-to-a-stranger",
     [](CallOutcome& call) {
       call.phase_one_wrote = true;
       call.phase_one_wrote_to = "out";
     }},
    {"wrote-and-did-not", [](CallOutcome& call) { call.phase_one_wrote_to = "self"; }},
    {"guarded-unasked", [](CallOutcome& call) { call.guarded = true; }},
    {"no-workspace-overrun", [](CallOutcome& call) { call.workspace.guard_after_intact = false; }},
    {"workspace-touched", [](CallOutcome& call) { call.workspace.guard_touch = GuardTouch(); }},
    {"message-of-nothing", [](CallOutcome& call) { call.message = "all is well"; }},
    {"message-too-long",
     [](CallOutcome& call) {
       call.phase_two = 561000;
       call.message.assign(5000, 'x');
     }},
};

using OutcomeLie = void (*)(Outcome&);
const std::map<std::string_view, OutcomeLie> kOutcomeLies = {
    {"no-result", [](Outcome& outcome) { Gradients(outcome).clear(); }},
    {"short-result", [](Outcome& outcome) { Gradients(outcome).pop_back(); }},
    {"long-result", [](Outcome& outcome) { Gradients(outcome).resize(1 << 10); }},
    {"input-read-back",
     [](Outcome& outcome) { outcome.calls.at(0).outputs[kGradOutput] = Gradients(outcome); }},
    {"no-calls", [](Outcome& outcome) { outcome.calls.clear(); }},
    {"more-calls", [](Outcome& outcome) { outcome.calls.push_back(outcome.calls.at(0)); }},
    {"memory-of-nobody",
     [](Outcome& outcome) { Memory(outcome, kOut).guard_before_intact = false; }},
    {"result-changed",
     [](Outcome& outcome) { Memory(outcome, kGradInput).first_changed_byte = 0; }},
    {"changed-in-front",
     [](Outcome& outcome) { Memory(outcome, kGradOutput).first_changed_byte = -1; }},
    {"changed-behind",
     [](Outcome& outcome) { Memory(outcome, kGradOutput).first_changed_byte = 16; }},
    {"damage-to-intact-guards",
     [](Outcome& outcome) { Memory(outcome, kGradInput).damage_contained = false; }},
    {"touch-unasked",
     [](Outcome& outcome) { Memory(outcome, kGradInput).guard_touch = GuardTouch(); }},
    {"touch-afar",
     [](Outcome& outcome) {
       Memory(outcome, kGradInput).guard_touch =
           GuardTouch{std::numeric_limits<std::int64_t>::min(), Access::kRead};
     }},
    {"signalled",
     [](Outcome& outcome) {
       outcome.end = End::kSignalled;
       outcome.signal = SIGSEGV;
     }},
    {"crash-site", [](Outcome& outcome) { outcome.crash = CrashSite(); }},
    {"timed-out", [](Outcome& outcome) { outcome.end = End::kTimedOut; }},
    {"corrupted", [](Outcome& outcome) { outcome.end = End::kCorrupted; }},
    {"exit-status", [](Outcome& outcome) { outcome.exit_code = 3; }},
    {"ended-and-did-not", [](Outcome& outcome) { outcome.ended_at_call = 1; }},
    {"threw-afar",
     [](Outcome& outcome) {
       outcome.end = End::kThrew;
       outcome.ended_at_call = std::numeric_limits<std::size_t>::max();
     }},
    {"threw-at-length",
     [](Outcome& outcome) {
       outcome.end = End::kThrew;
       outcome.detail.assign(100'000, 'x');
     }},
    {"detail-of-nothing", [](Outcome& outcome) { outcome.detail = "something"; }},
    {"output-of-the-living", [](Outcome& outcome) { outcome.output_tail = "something"; }},
    {"growth-unasked", [](Outcome& outcome) { outcome.process.device_gain[3] = 1; }},
    {"heap-gain-unasked", [](Outcome& outcome) { outcome.process.heap_gain[0] = 1; }},
    {"other-answers-unasked", [](Outcome& outcome) { outcome.process.runs_otherwise = 1; }},
    {"fewer-answers-than-none", [](Outcome& outcome) { outcome.process.runs_otherwise = -1; }},
    {"resident-gain-unasked", [](Outcome& outcome) { outcome.process.resident_gain[1] = -1; }},
    {"spent-for-nothing", [](Outcome& outcome) { outcome.process.spent = true; }},
    {"edges-descending",
     [](Outcome& outcome) {
       outcome.reached_edges = {4, 3};
     }},
    {"edges-twice",
     [](Outcome& outcome) {
       outcome.reached_edges = {4, 4};
     }},
    {"edge-too-far", [](Outcome& outcome) { outcome.reached_edges = {0xffffffff}; }},
    {"edges-too-many",
     [](Outcome& outcome) {
       for (std::uint32_t i = 0; i <= kMostReachedEdges; ++i) outcome.reached_edges.push_back(i);
     }},
    // Those that cannot be told from the truth.
    {"refused",
     [](Outcome& outcome) {
       Refuse(outcome);
       outcome.calls.at(0).message = "\xff\n\x01";
     }},
    {"wrong-numbers",
     [](Outcome& outcome) {
       std::fill(Gradients(outcome).begin(), Gradients(outcome).end(), Bytes(1)[0]);
     }},
    {"input-changed",
     [](Outcome& outcome) { Memory(outcome, kGradOutput).first_changed_byte = 15; }},
    {"threw", [](Outcome& outcome) { outcome.end = End::kThrew; }},
    {"harness", [](Outcome& outcome) { outcome.end = End::kHarness; }},
};

// --- Lies in the bytes of an answer --------------------------------------------------------------

constexpr std::size_t kEndAt = 1;         // behind the tag
constexpr std::size_t kCallCountAt = 19;  // behind end, signal, exit code, call and phase

using BytesLie = void (*)(Bytes&);
const std::map<std::string_view, BytesLie> kBytesLies = {
    {"empty", [](Bytes& answer) { answer.clear(); }},
    {"few-bytes", [](Bytes& answer) { answer.resize(3); }},
    {"other-number", [](Bytes& answer) { answer.end()[-8] ^= std::byte{1}; }},
    {"cut-off", [](Bytes& answer) { answer.erase(answer.begin() + 40, answer.end() - 8); }},
    {"bytes-behind", [](Bytes& answer) { answer.insert(answer.end() - 8, std::byte{0}); }},
    {"other-message", [](Bytes& answer) { answer.front() = std::byte{0x13}; }},
    {"unknown-end", [](Bytes& answer) { answer[kEndAt] = std::byte{99}; }},
    {"countless-calls",
     [](Bytes& answer) { std::fill_n(answer.begin() + kCallCountAt, 8, std::byte{0x7f}); }},
};

// --- Lies on the stream --------------------------------------------------------------------------

struct Stream {
  int socket = -1;
  int progress = -1;
  ProgressPage& page;

  void Send(std::span<const std::byte> payload) const {
    if (!SendFrame(socket, payload, kNoDeadline).ok()) ::_exit(4);
  }
  void SendBytes(std::string_view bytes) const {
    if (::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL) < 0) ::_exit(4);
  }
  void SendHeader(std::uint64_t length) const {
    std::array<char, 12> header = {'P', 'P', 'F', '1'};
    std::memcpy(header.data() + 4, &length, sizeof length);
    SendBytes({header.data(), header.size()});
  }
};

[[noreturn]] void Hang() {
  for (;;) ::pause();
}
[[noreturn]] void Die() {
  ::raise(SIGUSR1);  // no sanitizer takes it for its own
  Hang();
}

using StreamLie = void (*)(const Stream&, const Bytes& answer, const Bytes& previous);
const std::map<std::string_view, StreamLie> kStreamLies = {
    {"answer-before",
     [](const Stream& to, const Bytes&, const Bytes& previous) { to.Send(previous); }},
    {"twice",
     [](const Stream& to, const Bytes& answer, const Bytes&) {
       to.Send(answer);
       to.Send(answer);
     }},
    {"noise",
     [](const Stream& to, const Bytes&, const Bytes&) { to.SendBytes("noise on a line"); }},
    {"endless-noise",
     [](const Stream& to, const Bytes&, const Bytes&) {
       for (;;) to.SendBytes("noise on a line");
     }},
    {"endless-answers",
     [](const Stream& to, const Bytes&, const Bytes& previous) {
       for (;;) to.Send(previous);
     }},
    {"length-of-everything",
     [](const Stream& to, const Bytes&, const Bytes&) { to.SendHeader(~std::uint64_t{0}); }},
    {"length-beyond-the-request",
     [](const Stream& to, const Bytes&, const Bytes&) { to.SendHeader(std::uint64_t{1} << 24); }},
    {"part-and-exit",
     [](const Stream& to, const Bytes& answer, const Bytes&) {
       to.SendHeader(answer.size());
       to.SendBytes("x");
       ::_exit(5);
     }},
    {"part-and-no-more",
     [](const Stream& to, const Bytes& answer, const Bytes&) {
       to.SendHeader(answer.size());
       to.SendBytes("x");
       Hang();
     }},
    {"endless-output",
     [](const Stream&, const Bytes&, const Bytes&) {
       for (;;) std::puts("no answer, but much to say");
     }},
    {"closed-and-alive",
     [](const Stream& to, const Bytes&, const Bytes&) {
       ::shutdown(to.socket, SHUT_RDWR);
       Hang();
     }},
    {"nowhere-and-dead",
     [](const Stream& to, const Bytes&, const Bytes&) {
       to.page.Mark(std::size_t{1} << 40, static_cast<Phase>(200));
       Die();
     }},
    {"page-taken-away",
     [](const Stream& to, const Bytes&, const Bytes&) {
       if (::ftruncate(to.progress, 0) == 0) ::_exit(6);
       to.page.Mark(0, Phase::kPhaseTwo);
       Die();
     }},
};

// --- Lies while the library is opened ------------------------------------------------------------

using OpenLie = void (*)(OpenReply&, Bytes&);
const std::map<std::string_view, OpenLie> kOpenLies = {
    {"open-empty", [](OpenReply&, Bytes& bytes) { bytes.clear(); }},
    {"open-cut-off", [](OpenReply&, Bytes& bytes) { bytes.resize(bytes.size() / 2); }},
    {"open-noise", [](OpenReply&, Bytes& bytes) { bytes.assign(1000, std::byte{0x5a}); }},
    {"open-too-long", [](OpenReply&, Bytes& bytes) { bytes.resize(2 << 20); }},
    {"open-odd-names",
     [](OpenReply& reply, Bytes& bytes) {
       reply.probe.soc = "\xff\n\x01";
       reply.probe.devices = 0xffffffff;
       reply.probe.operators.emplace_back("\xff\xfe");
       reply.probe.optional_symbols = {"\xff", ""};
       bytes = Encode(reply);
     }},
    {"open-no-operators",
     [](OpenReply& reply, Bytes& bytes) {
       reply.probe.operators = {"\xff\xfe", ""};
       bytes = Encode(reply);
     }},
};

template <typename Lies>
const typename Lies::mapped_type* Find(const Lies& lies, std::string_view name) {
  const auto found = lies.find(name);
  return found == lies.end() ? nullptr : &found->second;
}

bool IsKnown(std::string_view lie) {
  return Find(kCallLies, lie) != nullptr || Find(kOutcomeLies, lie) != nullptr ||
         Find(kBytesLies, lie) != nullptr || Find(kStreamLies, lie) != nullptr ||
         Find(kOpenLies, lie) != nullptr;
}

int Serve(const Stream& stream, std::string_view lie) {
  FrameReader reader(kMaxFrameBytes);
  Result<Bytes> frame = ReceiveFrame(reader, stream.socket, kNoDeadline);
  if (!frame.ok()) return 3;
  const Result<OpenRequest> request = DecodeOpenRequest(frame.value());
  if (!request.ok()) return 3;
  LibraryHost host(request.value(), stream.page);
  OpenReply reply = host.reply();
  Bytes opened = Encode(reply);
  if (const OpenLie* const tell = Find(kOpenLies, lie)) (*tell)(reply, opened);
  stream.Send(opened);

  Bytes previous;
  for (;;) {
    frame = ReceiveFrame(reader, stream.socket, kNoDeadline);
    if (!frame.ok()) break;
    std::span<const std::byte> message = frame.value();
    const std::optional<std::uint64_t> number = TakeNumber(message);
    const Result<Invocation> invocation = DecodeInvocation(message);
    if (!number || !invocation.ok()) return 3;
    Outcome outcome = host.CarryOut(*invocation);
    const bool armed = invocation->calls.front().ceil_mode;
    if (const CallLie* const tell = armed ? Find(kCallLies, lie) : nullptr) {
      (*tell)(outcome.calls.at(0));
    }
    if (const OutcomeLie* const tell = armed ? Find(kOutcomeLies, lie) : nullptr) (*tell)(outcome);
    Bytes answer = Encode(outcome);
    AppendNumber(*number, answer);
    if (const BytesLie* const tell = armed ? Find(kBytesLies, lie) : nullptr) (*tell)(answer);
    if (const StreamLie* const tell = armed ? Find(kStreamLies, lie) : nullptr) {
      (*tell)(stream, answer, previous);
    } else {
      stream.Send(answer);
    }
    previous = std::move(answer);
  }
  host.Finish();
  return 0;
}

int Main(int argc, char** argv) {
  const char* const lie = std::getenv("POOLPROOF_LIE");
  if (argc != 3 || lie == nullptr || !IsKnown(lie)) return 2;
  const int progress_fd = std::atoi(argv[2]);
  const Result<SharedProgress> progress = SharedProgress::Map(progress_fd);
  if (!progress.ok()) return 2;
  return Serve({std::atoi(argv[1]), progress_fd, progress->page()}, lie);
}

}  // namespace
}  // namespace poolproof

int main(int argc, char** argv) { return poolproof::Main(argc, argv); }
