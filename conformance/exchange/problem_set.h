// SPDX-License-Identifier: Apache-2.0
//
// The index of a folder of problems (schema poolproof-problems/1, beside this file): which cases it
// holds, and what was left out of it.
#ifndef POOLPROOF_CONFORMANCE_EXCHANGE_PROBLEM_SET_H_
#define POOLPROOF_CONFORMANCE_EXCHANGE_PROBLEM_SET_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/case/case_set.h"
#include "conformance/spec/profile.h"
#include "conformance/spec/spec.h"
#include "core/status.h"

namespace poolproof {

inline constexpr std::string_view kProblemSetSchema = "poolproof-problems/1";
inline constexpr std::string_view kProblemSetFile = "problems.json";

// What a problem is asked for.
enum class Purpose : std::uint8_t {
  kProbe,       // how the implementation adds: decides no verdict by itself
  kAcceptance,  // a plain legal call beside which refusals of others prove something
  kCase,        // a case of the plan
};
std::string_view PurposeName(Purpose purpose);

struct Problem {
  Purpose purpose = Purpose::kCase;
  std::int64_t number = 0;  // kCase: in the plan of a run with the same options
  NamedCase named;
  std::string sha256;  // ProblemSha256
};

struct LeftOutCase {
  std::int64_t number = 0;
  std::string path;
  std::string reason;
};

struct ProblemSet {
  std::string tool_version;
  Profile profile = Profile::kAtlasA2;
  Edition edition = Edition::kNewest;
  CaseSet set = CaseSet::kCi;
  std::uint64_t seed = 1;
  std::vector<Problem> problems;  // in the order of their folders
  std::vector<LeftOutCase> left_out;
};

// "cases/000012", of problem 12. No name in a file says where files are.
std::string FolderOf(std::size_t position);

std::string ProblemSetText(const ProblemSet& set);
// Reads an index of this program's version of the clauses. Every case in it can be put as files.
// errors: kInvalidArgument in one line.
Result<ProblemSet> ParseProblemSet(std::string_view text);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_EXCHANGE_PROBLEM_SET_H_
