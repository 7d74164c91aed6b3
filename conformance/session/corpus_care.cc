// SPDX-License-Identifier: Apache-2.0
#include "conformance/session/corpus_care.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <queue>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "conformance/case/case_text.h"
#include "conformance/corpus/finding_vectors.h"
#include "conformance/result/coverage.h"
#include "conformance/session/fresh_judge.h"
#include "conformance/tally/root_causes.h"

namespace poolproof {
namespace {

// Elements of all operands.
std::int64_t ElementsOf(const Case& problem) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  std::int64_t elements = 0;
  for (const Call& call : problem.calls) {
    for (const Role role : InfoOf(call.op).tensors) {
      const TensorSpec& tensor = call.tensor(role);
      if (tensor.null) continue;
      const std::int64_t more = CheckedNumel(tensor.shape).value_or(kMost);
      elements = more > kMost - elements ? kMost : elements + more;
    }
  }
  return elements;
}

// Cases in the order of their sizes; the line decides between equals.
struct Size {
  explicit Size(const Case& problem)
      : line(CaseLine(problem)), calls(problem.calls.size()), elements(ElementsOf(problem)) {}
  std::string line;
  std::size_t calls;
  std::int64_t elements;
  friend bool operator<(const Size& a, const Size& b) {
    const auto key = [](const Size& size) {
      return std::make_tuple(size.calls, size.elements, size.line.size(), std::cref(size.line));
    };
    return key(a) < key(b);
  }
};

// A greedy cover: case i covers the combinations covers[i]. Those in `fixed` are chosen already.
class Cover {
 public:
  Cover(const std::vector<std::vector<std::uint64_t>>& covers, std::vector<std::size_t> fixed)
      : covers_(covers), fixed_(std::move(fixed)) {
    for (const std::size_t position : fixed_) Count(position);
  }

  // Positions of the chosen, ascending.
  std::vector<std::size_t> Choose() {
    // What a case adds only gets less, so that the first whose count still holds adds most.
    using Capabilities =
        std::pair<std::int64_t, std::size_t>;  // what it adds; the first ones are greatest
    std::priority_queue<Capabilities> offers;
    const auto capabilities = [&](std::size_t position) {
      const std::int64_t added = Added(position);
      if (added > 0) offers.emplace(added, covers_.size() - position);
    };
    for (std::size_t i = 0; i < covers_.size(); ++i) capabilities(i);
    std::vector<std::size_t> chosen;
    while (!offers.empty()) {
      const auto [added, key] = offers.top();
      offers.pop();
      const std::size_t position = covers_.size() - key;
      if (Added(position) != added) {
        capabilities(position);
        continue;
      }
      chosen.push_back(position);
      Count(position);
    }
    return WithoutNeedless(std::move(chosen));
  }

 private:
  void Count(std::size_t position) {
    for (const std::uint64_t item : covers_[position]) ++times_[item];
  }
  [[nodiscard]] std::int64_t Added(std::size_t position) const {
    return std::count_if(covers_[position].begin(), covers_[position].end(),
                         [&](std::uint64_t item) { return !times_.contains(item); });
  }

  // Drops those whose combinations others cover as well, the last chosen first.
  std::vector<std::size_t> WithoutNeedless(std::vector<std::size_t> chosen) {
    std::vector<std::size_t> needed = fixed_;
    for (auto position = chosen.rbegin(); position != chosen.rend(); ++position) {
      const std::vector<std::uint64_t>& items = covers_[*position];
      if (std::any_of(items.begin(), items.end(),
                      [&](std::uint64_t item) { return times_.at(item) == 1; })) {
        needed.push_back(*position);
        continue;
      }
      for (const std::uint64_t item : items) --times_.at(item);
    }
    std::sort(needed.begin(), needed.end());
    return needed;
  }

  const std::vector<std::vector<std::uint64_t>>& covers_;
  const std::vector<std::size_t> fixed_;
  std::unordered_map<std::uint64_t, std::int64_t> times_;  // covered by so many of the chosen
};

// Whether a finding still fails; nullopt where it could not be judged.
std::optional<bool> StillFails(const FreshJudge& judge, const Case& problem) {
  constexpr int kAttempts = 3;  // a fault that chance decides may hide
  bool passed = true;
  for (int i = 0; i < kAttempts; ++i) {
    const VerdictKind kind = judge.Attempt(problem).kind;
    if (kind == VerdictKind::kFailed) return true;
    if (kind == VerdictKind::kUnsupported) return std::nullopt;
    passed = passed && (kind == VerdictKind::kPassed || kind == VerdictKind::kRecorded);
  }
  return passed ? std::optional(false) : std::nullopt;
}

}  // namespace

std::string SubjectOf(const FindingNote& note) {
  if (note.root_cause.empty()) return note.signature;
  std::vector<Blame> blames;
  for (const FindingKind kind : KindsOf(note.signature)) blames.push_back({kind, note.clauses});
  return note.root_cause + "\n" + std::to_string(AspectsOf(blames)) + "\n" + note.implementation +
         "\n" + std::string(InfoOf(note.profile).name);
}

std::vector<CaseFileEntry> MergeEntries(std::vector<CaseFileEntry> entries) {
  using Place = std::pair<Size, FindingNote>;
  std::map<std::string, std::pair<Place, Case>> findings;  // by what they are findings of
  std::map<Size, CaseFileEntry> cases;
  for (CaseFileEntry& entry : entries) {
    Size size(entry.problem);
    if (!entry.finding) {
      const auto [known, added] = cases.try_emplace(std::move(size), entry);
      if (!added) known->second.edges = std::max(known->second.edges, entry.edges);
      continue;
    }
    const std::string subject = SubjectOf(*entry.finding);
    Place place(std::move(size), *std::move(entry.finding));
    const auto known = findings.find(subject);
    if (known == findings.end()) {
      findings.emplace(subject, std::pair(std::move(place), std::move(entry.problem)));
    } else if (place < known->second.first) {
      known->second = {std::move(place), std::move(entry.problem)};
    }
  }
  std::vector<CaseFileEntry> merged;
  for (auto& [subject, finding] : findings) {
    merged.push_back({std::move(finding.second), std::move(finding.first.second)});
  }
  for (auto& [size, entry] : cases) merged.push_back(std::move(entry));
  return merged;
}

MinimizedCorpus MinimizeEntries(std::vector<CaseFileEntry> entries) {
  MinimizedCorpus result;
  entries = MergeEntries(std::move(entries));
  Combinations all;
  std::vector<std::size_t> candidates;  // positions of cases that have a place
  std::vector<std::vector<std::uint64_t>> covers;
  std::vector<std::size_t> fixed;  // positions among them
  std::vector<bool> kept(entries.size(), false);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::optional<CoverageKey> place = CoverageOf(entries[i].problem);
    kept[i] = entries[i].finding || !place;
    if (entries[i].finding) continue;
    if (!place) {
      ++result.placeless;
      continue;
    }
    const std::vector<std::uint8_t> classes = ClassesOf(*place);
    all.Add(classes);
    candidates.push_back(i);
    covers.push_back(CombinationsOf(classes));
    if (entries[i].edges == 0) continue;
    ++result.edges;
    fixed.push_back(covers.size() - 1);
  }
  for (const std::size_t position : Cover(covers, fixed).Choose())
    kept[candidates[position]] = true;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (kept[i]) result.entries.push_back(std::move(entries[i]));
  }
  result.covered = all.total();
  return result;
}

Result<PrunedCorpus> PruneEntries(const Spec& spec, const Subject& subject,
                                  const std::optional<Profile>& profile,
                                  std::vector<CaseFileEntry> entries,
                                  const std::atomic<bool>& stop) {
  const Result<std::unique_ptr<FreshJudge>> judge = FreshJudge::Open(spec, subject, profile);
  if (!judge.ok()) return judge.status();
  PrunedCorpus result;
  for (CaseFileEntry& entry : entries) {
    if (stop) return Unavailable("interrupted; nothing was written");
    if (entry.finding && entry.finding->profile != (*judge)->profile()) {
      ++result.elsewhere;
    } else if (entry.finding) {
      const std::optional<bool> fails = StillFails(**judge, entry.problem);
      ++(!fails ? result.undecided : *fails ? result.failing : result.dropped);
      if (fails == false) continue;
    }
    result.entries.push_back(std::move(entry));
  }
  return result;
}

}  // namespace poolproof
