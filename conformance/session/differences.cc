// SPDX-License-Identifier: Apache-2.0
#include "conformance/session/differences.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <set>
#include <span>
#include <tuple>

#include "conformance/case/cost.h"
#include "conformance/judge/sum_rule.h"
#include "core/random.h"
#include "core/shape.h"

namespace poolproof {
namespace {

using Difference = std::pair<DifferenceKind, Operator>;

void Add(const TensorSpec& tensor, std::span<const std::byte> storage, bool is_index,
         std::array<std::uint64_t, 4>& parts) {
  const auto add = [](std::uint64_t word, std::uint64_t& part) {
    part = Scramble(part + word + 1);
  };
  const auto width = static_cast<std::size_t>(StorageBytes(tensor.type));
  ForEachOffset(tensor.shape, StridesOf(tensor), tensor.offset, [&](std::int64_t, std::int64_t at) {
    std::uint64_t word = 0;
    std::memcpy(&word, &storage[static_cast<std::size_t>(at) * width], width);
    if (is_index) return add(word, parts[0]);
    const auto bits = static_cast<std::uint32_t>(word);
    const std::uint64_t with_nan = IsNanBits(bits, tensor.type) ? ~std::uint64_t{0} : word;
    add(IsZeroBits(bits, tensor.type) ? 0 : with_nan, parts[1]);
    add(with_nan, parts[2]);
    add(word, parts[3]);
  });
}

bool Flushes(const Verdict& verdict) {
  return std::any_of(verdict.sums.begin(), verdict.sums.end(), [](const SumFacts& facts) {
    return std::any_of(facts.subnormals.begin(), facts.subnormals.end(),
                       [](const FlushCount& count) { return count.flushed > 0; });
  });
}

// Empty where no call has results.
std::vector<CallDigest> DigestsOf(const PreparedCase& prepared, const Attempt& attempt) {
  std::vector<CallDigest> digests;
  bool any = false;
  // What comes behind the outcomes of the calls are those of repetitions and other threads.
  for (std::size_t i = 0; i < prepared.calls.size() && i < attempt.outcome.calls.size(); ++i) {
    const Call& call = prepared.problem.calls[i];
    const CallOutcome& outcome = attempt.outcome.calls[i];
    CallDigest& digest = digests.emplace_back();
    digest.op = call.op;
    digest.flushed = Flushes(attempt.verdict);
    if (prepared.calls[i].legality.kind != LegalityKind::kValid ||
        !prepared.calls[i].facts.in_window || prepared.calls[i].undocumented_values ||
        prepared.problem.plan.descriptors_only || outcome.phase_one != 0 ||
        outcome.phase_two != 0 || outcome.synchronise != 0) {
      continue;
    }
    for (const Role role : {Role::kGradInput, Role::kOut, Role::kIndices}) {
      const std::vector<std::byte>& storage = outcome.outputs[static_cast<std::size_t>(role)];
      if (!IsOutput(InfoOf(call.op), role) || storage.empty()) continue;
      if (!digest.parts) digest.parts.emplace();
      Add(call.tensor(role), storage, role == Role::kIndices, *digest.parts);
      any = true;
    }
  }
  if (!any) digests.clear();
  return digests;
}

std::optional<Difference> DifferenceOf(const std::vector<CallDigest>& a,
                                       const std::vector<CallDigest>& b) {
  std::optional<Difference> first;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (!a[i].parts || !b[i].parts) continue;
    const auto differs = std::mismatch(a[i].parts->begin(), a[i].parts->end(), b[i].parts->begin());
    if (differs.first == a[i].parts->end()) continue;
    static constexpr std::array kKinds = {DifferenceKind::kIndices, DifferenceKind::kValues,
                                          DifferenceKind::kZeroSign, DifferenceKind::kNan};
    DifferenceKind kind = kKinds[static_cast<std::size_t>(differs.first - a[i].parts->begin())];
    if (kind == DifferenceKind::kValues && (a[i].flushed || b[i].flushed)) {
      kind = DifferenceKind::kSubnormals;
    }
    if (!first || kind < first->first) first.emplace(kind, a[i].op);
  }
  return first;
}

}  // namespace

void Differential::NoteIn(Answers& answers, SessionParts& parts) {
  parts.look = [this, &answers](std::int64_t number, const PreparedCase& prepared,
                                const Attempt& attempt) {
    std::optional<std::vector<CallDigest>> answer;
    if (attempt.verdict.kind != VerdictKind::kFailed) {
      if (attempt.verdict.kind == VerdictKind::kPassed) answer = DigestsOf(prepared, attempt);
      if (!answer || answer->empty()) return;
    }
    const std::lock_guard lock(mutex_);
    answers.insert_or_assign(number, std::move(answer));
  };
  // Some cases beyond the one that ended the run are judged, and which ones depends on the jobs.
  parts.observe = [&answers](const ShardRecord& record, const TestPlan&, const EdgeCoverage&) {
    std::set<std::int64_t> counted;
    for (const JudgedCase& judged : record.cases) counted.insert(judged.number);
    std::erase_if(answers, [&](const auto& entry) { return !counted.contains(entry.first); });
  };
}

SessionParts Differential::PartsOfJudged() {
  SessionParts parts = parts_;
  NoteIn(judged_, parts);
  return parts;
}

Result<LibraryDifferences> Differential::Compare(const Subject& other, Profile profile,
                                                 std::optional<std::chrono::milliseconds> left,
                                                 SessionProgress& progress,
                                                 const std::atomic<bool>& stop) {
  const TestPlan plan = MakeTestPlan(profile, options_, parts_);
  std::vector<std::int64_t> numbers;
  for (const auto& [number, digests] : judged_) {
    if (digests) numbers.push_back(number);
  }
  SessionOptions options;
  options.profile = profile;
  options.edition = options_.edition;
  options.deadline = left;
  options.jobs = options_.jobs;
  // Its failures are counted, and nothing more is asked about them.
  SessionParts parts;
  parts.stream_cases = parts_.stream_cases;
  parts.reason_not_exercised = parts_.reason_not_exercised;
  parts.judge = parts_.judge;
  parts.explain = nullptr;
  parts.prove = nullptr;
  parts.sources = [&](Profile) {
    CaseSources sources;
    sources.identity = "compared";
    sources.random.push_back({"compared", std::ssize(numbers),
                              [&](std::uint64_t index) { return plan.At(numbers[index]); }});
    return sources;
  };
  Answers answers;
  NoteIn(answers, parts);
  const Result<Report> report = RunSession(spec_, other, options, parts, progress, stop);
  if (!report.ok()) return report.status();
  if (report->verdict == RunVerdict::kError) return Unavailable(report->error);

  LibraryDifferences found;
  found.name = other.identity.name;
  found.cases = std::ssize(numbers);
  found.not_compared = found.cases - std::ssize(answers);
  std::map<Difference, DifferenceRow> rows;
  for (const auto& [index, digests] : answers) {
    const std::int64_t number = numbers[static_cast<std::size_t>(index)];
    Case problem = plan.At(number).problem;
    const std::optional<Difference> difference =
        digests ? DifferenceOf(*judged_.at(number), *digests)
                : Difference(DifferenceKind::kFails, problem.calls.front().op);
    if (!difference) {
      ++found.same;
      continue;
    }
    auto& [kind, op, cases, smallest] = rows[*difference];
    if (cases++ == 0 || CostOf(problem) < CostOf(smallest)) smallest = std::move(problem);
    std::tie(kind, op) = *difference;
  }
  for (auto& [difference, row] : rows) found.rows.push_back(std::move(row));
  return found;
}

}  // namespace poolproof
