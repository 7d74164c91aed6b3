// SPDX-License-Identifier: Apache-2.0
//
// random_faults LIBRARY draw SET SEED COUNT        faults of the seed that are worth a run
// random_faults LIBRARY simulate SET [FAULT...]    each judged in this process, and measured
// random_faults LIBRARY rules SET [FAULT...]       the same, of the rules that are learnt alone
// random_faults LIBRARY measure SET RIGHT [FAULT REPORT]...    what runs of the program said
//
// Faults are texts (tests/mutants/random_fault/fault.h), `simulate` and `measure` take two in one.
// LIBRARY is libpoolproof_random_fault.so. `simulate` and `rules` without faults read them from
// standard input, one a line. Prints a line of JSON for each fault; `draw` for each that is left
// out, too, with the reason.
#include <atomic>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "reports/parse.h"
#include "tests/random_fault/bench.h"
#include "tests/random_fault/measure.h"
#include "tests/random_fault/sandbox.h"

namespace poolproof {
namespace {

using random_fault::RandomFault;
using random_fault::RandomFaults;

double CpuSeconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

[[noreturn]] void Fail(const std::string& why) {
  std::cerr << "random_faults: " << why << '\n';
  std::exit(2);
}

RandomFaults FaultsOf(const std::string& text) {
  std::string problem;
  RandomFaults faults = random_fault::ParseFaults(text, problem);
  if (faults.empty()) Fail(text + ": " + problem);
  if (faults.size() > 2) Fail(text + ": more than two faults are not measured");
  return faults;
}

Report ReadReport(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) Fail("cannot read " + path);
  Result<Report> report = ParseReport(text.str());
  if (!report.ok()) Fail(path + ": " + report.status().message());
  return std::move(report).value();
}

void Print(const Json& row) { std::cout << row.dump() << std::endl; }

int Draw(Sandbox& sandbox, CaseSet set, std::uint64_t seed, std::int64_t count) {
  // So many are drawn for each that is wanted, at most.
  constexpr std::int64_t kPatience = 100;
  const Bench bench(sandbox, set);
  std::int64_t found = 0;
  for (std::int64_t i = 0; i < kPatience * count && found < count; ++i) {
    const std::uint64_t number = seed * 1000003U + static_cast<std::uint64_t>(i);
    const RandomFault fault = random_fault::DrawFault(number);
    const Bench::Reach reach = bench.ReachOf(fault);
    const std::string dull =
        bench.WhyDull(fault, reach, reach.fails > 0 ? bench.SampleOf(fault) : Sample());
    Json row = {{"number", number}, {"fault", TextOf(fault)}, {"share", reach.share}};
    if (!dull.empty()) row["dull"] = dull;
    if (dull.empty()) ++found;
    Print(row);
  }
  return found == count ? 0 : 1;
}

struct Run {
  Report report;
  double cpu_s = 0;
  std::int64_t cases = 0;  // carried out, attempts among them
};

Run RunOn(Sandbox& sandbox, CaseSet set, const RandomFaults& faults) {
  sandbox.Select(faults);
  SessionOptions options;
  options.profile = Profile::kAtlasA2;
  options.set = set;
  options.today = "2026-01-01";
  SessionProgress progress;
  const std::atomic<bool> stop{false};
  const double before = CpuSeconds();
  const std::int64_t carried_out = sandbox.carried_out();
  Result<Report> report = RunSession(Spec::Embedded(), sandbox.MakeSubject(), options,
                                     StandardParts(Spec::Embedded(), set, 1), progress, stop);
  if (!report.ok()) Fail(report.status().message());
  return {std::move(report).value(), CpuSeconds() - before, sandbox.carried_out() - carried_out};
}

Json MeasureFaults(const Bench& bench, const RandomFaults& faults, const Report& report,
                   const std::set<std::string>& right) {
  std::vector<Held> held;
  for (const RandomFault& fault : faults) {
    held.push_back({fault, bench.ReachOf(fault), bench.SampleOf(fault)});
  }
  if (held.size() == 2) return MeasurePair(held[0], held[1], report, right);
  return Measure(bench, held[0].fault, held[0].reach, held[0].sample, report, right);
}

// Calls `measure` with each, or with those on standard input.
template <typename MeasureText>
void ForEachFault(const std::vector<std::string>& faults, const MeasureText& measure) {
  for (const std::string& text : faults) measure(text);
  std::string line;
  while (faults.empty() && std::getline(std::cin, line)) measure(line);
}

int LearnAll(Sandbox& sandbox, CaseSet set, const std::vector<std::string>& faults) {
  Bench bench(sandbox, set);
  bench.LookIntoRun();
  ForEachFault(faults, [&](const std::string& text) {
    const RandomFault fault = FaultsOf(text).front();
    const double before = CpuSeconds();
    const std::int64_t carried_out = sandbox.carried_out();
    const Report report = bench.LearnRules(fault);
    const double cpu_s = CpuSeconds() - before;
    const std::int64_t cases = sandbox.carried_out() - carried_out;
    Json row = MeasureFaults(bench, {fault}, report, {});
    row["found"] = true;
    row["cpu_s"] = cpu_s;
    row["cases"] = cases;
    Print(row);
  });
  return 0;
}

int Simulate(Sandbox& sandbox, CaseSet set, const std::vector<std::string>& faults) {
  const Bench bench(sandbox, set);
  const Run right = RunOn(sandbox, set, {});
  const std::set<std::string> passed = PassedOf(right.report);
  ForEachFault(faults, [&](const std::string& text) {
    const RandomFaults both = FaultsOf(text);
    const Run run = RunOn(sandbox, set, both);
    Json row = MeasureFaults(bench, both, run.report, passed);
    row["cpu_s"] = run.cpu_s;
    row["cpu_over_right"] = run.cpu_s / right.cpu_s;
    row["cases"] = run.cases;
    row["cases_over_right"] = static_cast<double>(run.cases) / static_cast<double>(right.cases);
    Print(row);
  });
  return 0;
}

int MeasureAll(Sandbox& sandbox, CaseSet set, const std::string& right,
               const std::vector<std::string>& pairs) {
  const std::set<std::string> passed = PassedOf(ReadReport(right));
  const Bench bench(sandbox, set);
  for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
    Print(MeasureFaults(bench, FaultsOf(pairs[i]), ReadReport(pairs[i + 1]), passed));
  }
  return 0;
}

int Main(const std::vector<std::string>& arguments) {
  if (arguments.size() < 3) Fail("see the head of its source");
  const std::string& mode = arguments[1];
  const CaseSet set = arguments[2] == "smoke" ? CaseSet::kSmoke : CaseSet::kCi;
  Sandbox sandbox(std::filesystem::absolute(arguments[0]).string());
  const std::vector<std::string> rest(arguments.begin() + 3, arguments.end());
  if (mode == "draw" && rest.size() == 2) {
    return Draw(sandbox, set, std::stoull(rest[0]), std::stoll(rest[1]));
  }
  if (mode == "simulate") return Simulate(sandbox, set, rest);
  if (mode == "rules") return LearnAll(sandbox, set, rest);
  if (mode == "measure" && rest.size() % 2 == 1) {
    return MeasureAll(sandbox, set, rest[0], {rest.begin() + 1, rest.end()});
  }
  Fail("see the head of its source");
}

}  // namespace
}  // namespace poolproof

int main(int argc, char** argv) {
  return poolproof::Main(std::vector<std::string>(argv + 1, argv + argc));
}
