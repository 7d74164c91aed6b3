// SPDX-License-Identifier: Apache-2.0
//
// What an implementation answered to a problem, read from files. The program that wrote them may
// have done so badly: sizes are checked before anything is read, and no name in a file says where
// others are.
#ifndef POOLPROOF_CONFORMANCE_EXCHANGE_ANSWER_FILES_H_
#define POOLPROOF_CONFORMANCE_EXCHANGE_ANSWER_FILES_H_

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/result/invocation.h"
#include "conformance/result/outcome.h"
#include "core/status.h"

namespace poolproof {

inline constexpr std::string_view kAnswerSchema = "poolproof-answer/1";
// In the folder of all answers: who they are of. May be missing.
inline constexpr std::string_view kAnswererFile = "answers.json";
inline constexpr std::string_view kAnswererSchema = "poolproof-answers/1";

struct Answerer {
  std::string implementation = "answers";
  // Operators that it offers; nullopt: all that it is asked.
  std::optional<std::vector<std::string>> operators;
};

// errors: kInvalidArgument naming the file.
Result<Answerer> ReadAnswerer(const std::filesystem::path& folder);

struct FileAnswer {
  Outcome outcome;
  bool gave_inputs = true;   // what happened to every input
  bool gave_refused = true;  // and of every output of a call that was refused
};

// The answer in `folder`, a case's own; nullopt where there is none. What was not given is taken
// for unchanged, and a call that phase one accepted for one with executor and workspace size.
// errors: kInvalidArgument naming the file, for what cannot be the answer to the invocation.
Result<std::optional<FileAnswer>> ReadAnswer(const std::filesystem::path& folder,
                                             const Invocation& invocation);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_EXCHANGE_ANSWER_FILES_H_
