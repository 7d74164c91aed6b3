// SPDX-License-Identifier: Apache-2.0
//
// A case as plain files, for implementations that no process of ours can open: simulators, RTL,
// remote rigs. What the files hold is in docs/simulators.md.
#ifndef POOLPROOF_CONFORMANCE_EXCHANGE_PROBLEM_FILES_H_
#define POOLPROOF_CONFORMANCE_EXCHANGE_PROBLEM_FILES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/result/invocation.h"
#include "conformance/spec/spec.h"
#include "core/status.h"

namespace poolproof {

inline constexpr std::string_view kProblemSchema = "poolproof-problem/1";
// In a case's folder.
inline constexpr std::string_view kProblemFile = "problem.json";
inline constexpr std::string_view kAnswerFile = "answer.json";

// Bytes of guard zone before and after every storage in its file.
inline constexpr std::size_t kFileGuardBytes = 256;
// Bytes of the files of one case, at most.
inline constexpr std::int64_t kMostProblemBytes = std::int64_t{256} << 20;

// Calls of one case, repetitions counted, at most.
inline constexpr std::size_t kMostProblemCalls = 4096;

// Why the case cannot be put as files; nullopt where it can. Looks at descriptors alone.
std::optional<std::string> WhyNotAsFiles(const Case& problem);

// Why answers in files cannot show the clause, whatever they hold; nullopt where they can.
std::optional<std::string> WhyNotByFiles(const Clause& clause);

// One operand of one call. Calls are those of the first repetition, then those of the next one:
// number = repetition * calls + call.
struct OperandFile {
  std::size_t number = 0;
  const TensorArgument* argument = nullptr;
  [[nodiscard]] std::string name() const;         // "0.self.bin"
  [[nodiscard]] std::string answer_name() const;  // "0.gradInput.answer.bin"
  [[nodiscard]] std::size_t bytes() const { return argument->bytes.size() + 2 * kFileGuardBytes; }
};

// Those with bytes: no null tensors, and none where descriptors alone are asked for. The result
// points into the invocation.
std::vector<OperandFile> OperandFiles(const Invocation& invocation);

// What the file holds: guard zone, storage, guard zone.
std::vector<std::byte> ImageOf(const Invocation& invocation, const OperandFile& file);

// The problem file's text. `path` and `line` are for people: the case's name and its case line.
std::string ProblemText(const Invocation& invocation, std::string_view path, std::string_view line);

// Of everything that the files ask, without the case's name.
std::string ProblemSha256(const Invocation& invocation);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_EXCHANGE_PROBLEM_FILES_H_
