// SPDX-License-Identifier: Apache-2.0
//
// What happens to the cases and findings of campaigns: united, made fewer, judged again. Used by
// `poolproof corpus`.
#ifndef POOLPROOF_CONFORMANCE_SESSION_CORPUS_CARE_H_
#define POOLPROOF_CONFORMANCE_SESSION_CORPUS_CARE_H_

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "conformance/corpus/case_file.h"
#include "conformance/plan/explore.h"
#include "conformance/session/session.h"
#include "conformance/spec/profile.h"
#include "conformance/spec/spec.h"
#include "core/status.h"

namespace poolproof {

// What a finding is one of: its root cause and what goes wrong, as a refusal that a rule on wrong
// results happens to hold of may have another one; or the signature where there is none.
std::string SubjectOf(const FindingNote& note);

// Of each such subject the smallest finding, then every other case once, the smallest first: the
// same for any order of the entries.
std::vector<CaseFileEntry> MergeEntries(std::vector<CaseFileEntry> entries);

struct MinimizedCorpus {
  std::vector<CaseFileEntry> entries;
  Combinations::Count covered;  // by the cases, before and after
  std::int64_t placeless = 0;   // cases without a place in the parameter space, which are kept
  std::int64_t edges = 0;       // cases that reached edges, the same
};

// Few of the cases that cover every pair and triple of classes which all of them cover: in turn the
// one that adds most, then without those that became needless. Findings are kept, and cases that
// reached edges: which others reach them, only the library can tell. The same for any order of the
// entries; what is minimal stays as it is.
MinimizedCorpus MinimizeEntries(std::vector<CaseFileEntry> entries);

struct PrunedCorpus {
  std::vector<CaseFileEntry> entries;
  std::int64_t failing = 0;
  std::int64_t dropped = 0;    // findings that passed each time
  std::int64_t undecided = 0;  // kept: could not be judged
  std::int64_t elsewhere = 0;  // kept: findings of another profile
};

// Puts every finding to the implementation again, up to three times, each in a fresh worker.
// errors: as RunSession's; kUnavailable where `stop` became true.
Result<PrunedCorpus> PruneEntries(const Spec& spec, const Subject& subject,
                                  const std::optional<Profile>& profile,
                                  std::vector<CaseFileEntry> entries,
                                  const std::atomic<bool>& stop);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_SESSION_CORPUS_CARE_H_
