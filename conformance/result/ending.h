// SPDX-License-Identifier: Apache-2.0
//
// The words for how an attempt ended, and where.
#ifndef POOLPROOF_CONFORMANCE_RESULT_ENDING_H_
#define POOLPROOF_CONFORMANCE_RESULT_ENDING_H_

#include <optional>
#include <string>
#include <string_view>

#include "conformance/result/outcome.h"

namespace poolproof {

// The word for the class of an end in files: "returned", "signalled", "exited", "timed-out", ...
std::string_view EndName(End end);
std::optional<End> ParseEnd(std::string_view name);

// The end in full: "returned", "signal 11", "exit 3", "timed out", "out of memory", "threw",
// "corrupted", "harness".
std::string EndText(const Outcome& outcome);
// The end that such a text tells; nullopt for any other text.
std::optional<End> EndOfText(std::string_view text);

// "SIGSEGV (signal 11)"; a signal without a name is "signal 77".
std::string SignalText(int signal);
// Such a text as people read it: with the names of signals.
std::string ShownEnd(std::string_view end_text);

// What is written after it and the phase: ", reading address 0x10 at libfoo.so+0x1a3f (Foo+0x2f)";
// empty where nothing is known.
std::string CrashText(const std::optional<CrashSite>& crash);
// The word for a cause in files: "null-pointer", ...
std::string_view CrashCauseName(CrashCause cause);
std::optional<CrashCause> ParseCrashCause(std::string_view name);
// As reports keep it: without addresses that are others in another process.
CrashSite KeptCrash(CrashSite crash);

// "the process died of SIGSEGV (signal 11)", "the deadline passed", ...
std::string EndSentence(const Outcome& outcome);

// Behind "in": "the set-up", "phase one", ...
std::string_view PhaseName(Phase phase);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_RESULT_ENDING_H_
