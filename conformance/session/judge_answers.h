// SPDX-License-Identifier: Apache-2.0
//
// JudgeAnswers: judges what an implementation answered to problems in files, case by case as a run
// does. Nobody can be asked again: no failure is investigated, and clauses that need a process have
// no answer.
#ifndef POOLPROOF_CONFORMANCE_SESSION_JUDGE_ANSWERS_H_
#define POOLPROOF_CONFORMANCE_SESSION_JUDGE_ANSWERS_H_

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "conformance/exchange/problem_set.h"
#include "conformance/result/report.h"
#include "conformance/spec/spec.h"
#include "conformance/waiver/waiver.h"
#include "core/status.h"

namespace poolproof {

struct JudgeAnswersOptions {
  std::filesystem::path answers;  // the folder that holds them
  std::vector<Waiver> waivers;
  std::string today;              // a date, by which waivers expire; empty: the clock's, UTC
  std::vector<std::string> argv;  // for the report; paths already cut
  std::string tool_version;
};

struct JudgedAnswers {
  Report report;
  std::vector<std::string> unanswered;  // folders of cases and of what is asked before them
};

// A case without an answer is not judged, and the run is then incomplete. errors: kInvalidArgument
// naming the file, for an answer that cannot be one, and for problems that this program would put
// otherwise.
Result<JudgedAnswers> JudgeAnswers(const Spec& spec, const ProblemSet& set,
                                   const JudgeAnswersOptions& options,
                                   const std::atomic<bool>& stop);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_SESSION_JUDGE_ANSWERS_H_
