// SPDX-License-Identifier: Apache-2.0
//
// agreement PROBLEMS RUN JUDGE: whether `judge` said of answers in files what `run` said of the
// library that gave them. Both reports hold their records: RUN is of `run --shard 0/1` with the
// options of `emit`. Exits with 0 where every emitted case ended alike in both.
#include <algorithm>
#include <cstdint>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "conformance/exchange/problem_files.h"
#include "conformance/exchange/problem_set.h"
#include "conformance/result/shard_record.h"
#include "conformance/spec/spec.h"
#include "reports/parse.h"

namespace poolproof {
namespace {

constexpr int kShown = 20;

std::string ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

Report ReadReport(const std::string& path) {
  Result<Report> report = ParseReport(ReadText(path));
  if (!report.ok()) throw std::runtime_error(path + ": " + report.status().message());
  if (!report->run.shards.front().record) throw std::runtime_error(path + ": it holds no record");
  return std::move(report).value();
}

std::map<std::int64_t, CaseClass> ClassesOf(const Report& report) {
  const ShardRecord& record = *report.run.shards.front().record;
  std::map<std::int64_t, CaseClass> classes;
  for (const JudgedCase& judged : record.cases) {
    classes.emplace(judged.number, record.classes[judged.case_class]);
  }
  return classes;
}

// What no file shows: facts of a process.
bool IsOutOfSight(FindingKind kind) {
  return kind == FindingKind::kWorkspaceOverrun || kind == FindingKind::kPhaseOneSideEffect ||
         kind == FindingKind::kGrowth || kind == FindingKind::kProcessChanged ||
         kind == FindingKind::kReadOutside || kind == FindingKind::kErrorText;
}

void DropOutOfSight(std::vector<std::string>& clauses) {
  std::erase_if(clauses, [](const std::string& id) {
    const Clause* clause = Spec::Embedded().Find(id);
    return clause != nullptr && WhyNotByFiles(*clause).has_value();
  });
}

// What `judge` is to say where `run` said this.
CaseClass Visible(CaseClass seen) {
  std::erase_if(seen.blames, [](const Blame& blame) { return IsOutOfSight(blame.kind); });
  for (std::vector<std::string>* clauses :
       {&seen.evidence, &seen.by_refusal, &seen.by_acceptance, &seen.withheld}) {
    DropOutOfSight(*clauses);
  }
  if (seen.by_refusal.empty() && seen.by_acceptance.empty()) seen.base.clear();
  if (seen.evidence.empty() && seen.withheld.empty()) seen.facets = 0;
  return seen;
}

std::string TextOf(const CaseClass& seen) {
  std::string text(CaseStateName(seen.state));
  for (const Blame& blame : seen.blames) {
    text += " " + std::string(FindingKindName(blame.kind)) + "(";
    for (const std::string& id : blame.clauses) text += (text.back() == '(' ? "" : " ") + id;
    text += ")";
  }
  text += " for";
  for (const std::string& id : seen.evidence) text += " " + id;
  return text;
}

int Compare(const std::string& problems, const std::string& run, const std::string& judge) {
  const Result<ProblemSet> set = ParseProblemSet(ReadText(problems));
  if (!set.ok()) throw std::runtime_error(problems + ": " + set.status().message());
  const std::map<std::int64_t, CaseClass> by_run = ClassesOf(ReadReport(run));
  const std::map<std::int64_t, CaseClass> by_judge = ClassesOf(ReadReport(judge));
  std::int64_t position = 0;
  std::int64_t failing = 0;
  std::int64_t different = 0;
  for (const Problem& problem : set->problems) {
    if (problem.purpose != Purpose::kCase) continue;
    const auto judged = by_judge.find(position++);
    const auto ran = by_run.find(problem.number);
    if (judged == by_judge.end() || ran == by_run.end()) {
      throw std::runtime_error(problem.named.Path() + ": a report lacks it");
    }
    const CaseClass wanted = Visible(ran->second);
    if (wanted.state == CaseState::kFailed) ++failing;
    // A failure that shows in a process alone, which keeps other evidence from being told.
    const bool unseen = wanted.state == CaseState::kFailed && wanted.blames.empty();
    if (unseen ? judged->second.state != CaseState::kFailed : judged->second == wanted) continue;
    if (++different > kShown) continue;
    std::cout << problem.named.Path() << "\n  run:   " << TextOf(wanted)
              << "\n  judge: " << TextOf(judged->second) << "\n";
  }
  std::cout << position << " cases, " << failing << " of them failing, " << different
            << " otherwise in files\n";
  return different == 0 && position > 0 ? 0 : 1;
}

}  // namespace
}  // namespace poolproof

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: agreement PROBLEMS RUN JUDGE\n";
    return 2;
  }
  try {
    return poolproof::Compare(argv[1], argv[2], argv[3]);
  } catch (const std::exception& error) {
    std::cerr << "agreement: " << error.what() << "\n";
    return 2;
  }
}
