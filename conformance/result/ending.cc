// SPDX-License-Identifier: Apache-2.0
#include "conformance/result/ending.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstddef>

#include "core/enum_names.h"
#include "core/text.h"

namespace poolproof {
namespace {

struct EndWords {
  std::string_view name;
  std::string_view text;  // a number follows where it ends in a blank
};
constexpr std::array<EndWords, 8> kEnds = {{{"returned", "returned"},
                                            {"signalled", "signal "},
                                            {"exited", "exit "},
                                            {"timed-out", "timed out"},
                                            {"out-of-memory", "out of memory"},
                                            {"threw", "threw"},
                                            {"corrupted", "corrupted"},
                                            {"harness", "harness"}}};
static_assert(kEnds.size() == static_cast<std::size_t>(End::kHarness) + 1);

constexpr std::array<std::string_view, 6> kPhases = {
    "the set-up", "phase one", "phase two", "synchronise", "the reading of results", "the end"};
static_assert(kPhases.size() == static_cast<std::size_t>(Phase::kDone) + 1);

struct SignalName {
  int number;
  std::string_view name;
};
// Those that end a process.
constexpr std::array<SignalName, 17> kSignals = {{{SIGHUP, "SIGHUP"},
                                                  {SIGINT, "SIGINT"},
                                                  {SIGQUIT, "SIGQUIT"},
                                                  {SIGILL, "SIGILL"},
                                                  {SIGTRAP, "SIGTRAP"},
                                                  {SIGABRT, "SIGABRT"},
                                                  {SIGBUS, "SIGBUS"},
                                                  {SIGFPE, "SIGFPE"},
                                                  {SIGKILL, "SIGKILL"},
                                                  {SIGUSR1, "SIGUSR1"},
                                                  {SIGSEGV, "SIGSEGV"},
                                                  {SIGUSR2, "SIGUSR2"},
                                                  {SIGPIPE, "SIGPIPE"},
                                                  {SIGALRM, "SIGALRM"},
                                                  {SIGTERM, "SIGTERM"},
                                                  {SIGXCPU, "SIGXCPU"},
                                                  {SIGSYS, "SIGSYS"}}};

constexpr std::array<std::string_view, 10> kCauses = {
    "unknown",     "null-pointer", "no-memory", "forbidden",      "stack-overflow",
    "bad-address", "no-file",      "division",  "floating-point", "instruction"};
static_assert(kCauses.size() == static_cast<std::size_t>(CrashCause::kInstruction) + 1);

// What it did, of causes about memory.
std::string_view DoingText(const CrashSite& crash) {
  if (crash.executing) return "executing";
  switch (crash.access) {
    case Access::kRead:
      return "reading";
    case Access::kWrite:
      return "writing to";
    case Access::kUnknown:
      break;
  }
  return "using";
}

std::string CauseText(const CrashSite& crash) {
  const std::string doing(DoingText(crash));
  switch (crash.cause) {
    case CrashCause::kNullPointer:
      return doing + " address " + HexNumber(crash.address);
    case CrashCause::kNoMemory:
      return doing + " an address where there is no memory";
    case CrashCause::kForbidden:
      return doing + (crash.executing ? " what is not code" : " memory that does not allow it");
    case CrashCause::kStackOverflow:
      return doing + " memory behind the end of its stack";
    case CrashCause::kBadAddress:
      return "using an address that is invalid, or not aligned";
    case CrashCause::kNoFile:
      return doing + " mapped memory beyond the end of its file";
    case CrashCause::kDivision:
      return "dividing an integer by zero, or with overflow";
    case CrashCause::kFloatingPoint:
      return "raising a floating-point exception";
    case CrashCause::kInstruction:
      return "executing an illegal instruction or a trap";
    case CrashCause::kUnknown:
      break;
  }
  return crash.executing ? "executing what is not code" : "";
}

const EndWords& WordsOf(End end) { return kEnds[static_cast<std::size_t>(end)]; }

template <typename Fits>
std::optional<End> FindEnd(const Fits& fits) {
  for (std::size_t i = 0; i < kEnds.size(); ++i) {
    if (fits(kEnds[i])) return static_cast<End>(i);
  }
  return std::nullopt;
}

// Signals are no negative numbers; exit codes may be.
bool IsNumber(std::string_view text, bool may_be_negative) {
  int number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && stop == text.data() + text.size() &&
         (number >= 0 || may_be_negative);
}

}  // namespace

std::string_view EndName(End end) { return WordsOf(end).name; }

std::optional<End> ParseEnd(std::string_view name) {
  return FindEnd([&](const EndWords& words) { return words.name == name; });
}

std::string EndText(const Outcome& outcome) {
  std::string text(WordsOf(outcome.end).text);
  if (outcome.end == End::kSignalled) text += std::to_string(outcome.signal);
  if (outcome.end == End::kExited) text += std::to_string(outcome.exit_code);
  return text;
}

std::optional<End> EndOfText(std::string_view text) {
  return FindEnd([&](const EndWords& words) {
    if (!words.text.ends_with(' ')) return text == words.text;
    return text.starts_with(words.text) &&
           IsNumber(text.substr(words.text.size()), &words != &WordsOf(End::kSignalled));
  });
}

std::string SignalText(int signal) {
  const auto* const known =
      std::find_if(kSignals.begin(), kSignals.end(),
                   [&](const SignalName& entry) { return entry.number == signal; });
  const std::string number = "signal " + std::to_string(signal);
  return known == kSignals.end() ? number : std::string(known->name) + " (" + number + ")";
}

std::string ShownEnd(std::string_view end_text) {
  const std::string_view before = WordsOf(End::kSignalled).text;
  if (EndOfText(end_text) != End::kSignalled) return std::string(end_text);
  int signal = 0;
  std::from_chars(end_text.data() + before.size(), end_text.data() + end_text.size(), signal);
  return SignalText(signal);
}

std::string CrashText(const std::optional<CrashSite>& crash) {
  if (!crash) return {};
  std::string text = CauseText(*crash);
  if (!crash->module.empty()) {
    text += text.empty() ? "at " : crash->executing ? ", called at " : " at ";
    text += crash->module + "+" + HexNumber(crash->offset);
    if (!crash->symbol.empty()) {
      text += " (" + crash->symbol + "+" + HexNumber(crash->symbol_offset) + ")";
    }
  }
  return text.empty() ? text : ", " + text;
}

std::string_view CrashCauseName(CrashCause cause) {
  return kCauses[static_cast<std::size_t>(cause)];
}

std::optional<CrashCause> ParseCrashCause(std::string_view name) {
  return ParseEnum<CrashCause>(kCauses, name);
}

CrashSite KeptCrash(CrashSite crash) {
  if (crash.cause != CrashCause::kNullPointer) crash.address = 0;
  return crash;
}

std::string EndSentence(const Outcome& outcome) {
  switch (outcome.end) {
    case End::kSignalled:
      return "the process died of " + SignalText(outcome.signal);
    case End::kExited:
      return "the process exited with " + std::to_string(outcome.exit_code);
    case End::kTimedOut:
      return "the deadline passed";
    case End::kOutOfMemory:
      return "the memory limit was exceeded";
    case End::kThrew:
      return "an exception came out of a C function" +
             (outcome.detail.empty() ? "" : " (" + outcome.detail + ")");
    case End::kCorrupted:
      return "the worker's answer does not fit its request (" + outcome.detail +
             "): the process was damaged";
    case End::kReturned:
    case End::kHarness:
      break;
  }
  return "the call did not return";
}

std::string_view PhaseName(Phase phase) { return kPhases[static_cast<std::size_t>(phase)]; }

}  // namespace poolproof
