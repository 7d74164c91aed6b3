// SPDX-License-Identifier: Apache-2.0
#include "conformance/session/emit_problems.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "conformance/case/case_text.h"
#include "conformance/exchange/problem_files.h"
#include "conformance/judge/prepared_case.h"
#include "conformance/result/capabilities.h"
#include "conformance/session/build_invocation.h"
#include "conformance/session/probes.h"
#include "conformance/session/worker.h"

namespace poolproof {
namespace {

class Emission {
 public:
  Emission(const Spec& spec, Profile profile, const WriteProblemFile& write,
           const std::atomic<bool>& stop)
      : rules_(spec, profile), write_(write), stop_(stop) {}

  Status Put(Purpose purpose, std::int64_t number, const NamedCase& named) {
    if (stop_) return Unavailable("interrupted; the folder is not complete");
    if (auto reason = WhyNotAsFiles(named.problem)) {
      return LeaveOut(purpose, number, named, *std::move(reason));
    }
    const Result<PreparedCase> prepared = Prepare(rules_, named.problem);
    if (!prepared.ok()) {
      return LeaveOut(purpose, number, named, prepared.status().message());
    }
    const Invocation invocation = BuildInvocation(prepared->problem, prepared->data);
    std::string sha256 = ProblemSha256(invocation);
    // What probes and the table ask, they may ask more than once.
    if (purpose != Purpose::kCase && !asked_.insert(sha256).second) return OkStatus();
    const std::string folder = FolderOf(result.set.problems.size()) + "/";
    const std::string text = ProblemText(invocation, named.Path(), CaseLine(named.problem));
    if (Status status = Write(folder + std::string(kProblemFile), std::as_bytes(std::span(text)));
        !status.ok()) {
      return status;
    }
    for (const OperandFile& file : OperandFiles(invocation)) {
      if (Status status = Write(folder + file.name(), ImageOf(invocation, file)); !status.ok()) {
        return status;
      }
    }
    result.set.problems.push_back({purpose, number, named, std::move(sha256)});
    return OkStatus();
  }

  EmittedProblems result;

 private:
  Status Write(const std::string& name, std::span<const std::byte> bytes) {
    result.bytes += static_cast<std::int64_t>(bytes.size());
    return write_(name, bytes);
  }

  Status LeaveOut(Purpose purpose, std::int64_t number, const NamedCase& named,
                  std::string reason) {
    if (purpose == Purpose::kCase) {
      result.set.left_out.push_back({number, named.Path(), std::move(reason)});
    }
    return OkStatus();
  }

  const ProfileRules rules_;
  const WriteProblemFile& write_;
  const std::atomic<bool>& stop_;
  std::set<std::string> asked_;
};

// The calls of the probes as cases. An implementation takes one of the index types that an
// operator's page lists: each is asked for.
std::vector<NamedCase> ProbeCases(const std::set<Operator>& operators) {
  std::vector<std::string> names;
  std::size_t most = 0;
  for (const Operator op : operators) {
    names.emplace_back(InfoOf(op).name);
    most = std::max(most, InfoOf(op).index_types.size());
  }
  const Capabilities capabilities = CapabilitiesOf(names, {});
  std::vector<NamedCase> cases;
  for (std::size_t taken = 0; taken < most; ++taken) {
    const AskProbe ask = [&](const Case& problem) {
      const Call& call = problem.calls.front();
      const std::vector<SupportedType>& types = InfoOf(call.op).index_types;
      Outcome outcome;
      CallOutcome& answer = outcome.calls.emplace_back();
      answer.phase_one = 1;
      if (taken >= types.size() || call.tensor(Role::kIndices).type != types[taken].type) {
        return outcome;
      }
      cases.push_back({"probe", std::to_string(cases.size()), problem});
      // Zeros everywhere: enough for the probe to go on.
      const TensorSpec& result = call.tensor(Role::kGradInput);
      answer.phase_one = 0;
      answer.phase_two = 0;
      answer.synchronise = 0;
      answer.outputs[static_cast<std::size_t>(Role::kGradInput)].resize(static_cast<std::size_t>(
          StorageElements(result).value_or(0) * StorageBytes(result.type)));
      return outcome;
    };
    ProbeArithmetic(capabilities, ask);
  }
  return cases;
}

}  // namespace

Result<EmittedProblems> EmitProblems(const Spec& spec, Profile profile, const PlanOptions& options,
                                     const SessionParts& parts, const std::string& tool_version,
                                     const WriteProblemFile& write, const std::atomic<bool>& stop) {
  const TestPlan plan = MakeTestPlan(profile, options, parts);
  std::set<std::string> bases;
  std::set<Operator> operators;
  for (std::int64_t number = 0; number < plan.size(); ++number) {
    const NamedCase named = plan.At(number);
    bases.insert(named.base);
    for (const Call& call : named.problem.calls) {
      if (!InfoOf(call.op).is_forward) operators.insert(call.op);
    }
  }
  Emission emission(spec, profile, write, stop);
  ProblemSet& set = emission.result.set;
  set.tool_version = tool_version;
  set.profile = profile;
  set.edition = options.edition;
  set.set = options.set;
  set.seed = options.seed;
  const auto put_all = [&](Purpose purpose, const std::vector<NamedCase>& cases) {
    for (const NamedCase& named : cases) {
      if (Status status = emission.Put(purpose, 0, named); !status.ok()) return status;
    }
    return OkStatus();
  };
  if (Status status = put_all(Purpose::kProbe, ProbeCases(operators)); !status.ok()) return status;
  std::vector<NamedCase> table;
  if (parts.acceptance_table) table = parts.acceptance_table(profile);
  std::erase_if(table, [&](const NamedCase& named) { return !bases.contains(named.Path()); });
  if (Status status = put_all(Purpose::kAcceptance, table); !status.ok()) return status;
  for (std::int64_t number = 0; number < plan.size(); ++number) {
    if (Status status = emission.Put(Purpose::kCase, number, plan.At(number)); !status.ok()) {
      return status;
    }
  }
  return std::move(emission.result);
}

}  // namespace poolproof
