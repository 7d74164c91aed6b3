// SPDX-License-Identifier: Apache-2.0
//
// How other libraries' results differ from those of the one that is judged, in cases that both
// answer rightly. Of each result digests are kept, which tell in what two of them differ. Of calls
// that are made several times, the first results count.
#ifndef POOLPROOF_CONFORMANCE_SESSION_DIFFERENCES_H_
#define POOLPROOF_CONFORMANCE_SESSION_DIFFERENCES_H_

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "conformance/result/report.h"
#include "conformance/session/session.h"

namespace poolproof {

// Of what one call wrote.
struct CallDigest {
  Operator op{};
  bool flushed = false;  // the judge saw subnormals count as zero in the case
  // Indices of a forward; values without signs of zeros and with all NaNs alike, with all NaNs
  // alike, as they are. nullopt: the call is refused, or no clause says what it has to write.
  std::optional<std::array<std::uint64_t, 4>> parts;
};

class Differential {
 public:
  // Of a run with these options and parts, which outlive the object, as the spec does.
  Differential(const Spec& spec, const SessionOptions& options, const SessionParts& parts)
      : spec_(spec), options_(options), parts_(parts) {}
  Differential(const Differential&) = delete;
  Differential& operator=(const Differential&) = delete;

  // The parts of that run: they note what the library under test answers rightly.
  SessionParts PartsOfJudged();
  // Judges another library on that, as far as the time that is left allows. errors: as
  // RunSession's.
  Result<LibraryDifferences> Compare(const Subject& other, Profile profile,
                                     std::optional<std::chrono::milliseconds> left,
                                     SessionProgress& progress, const std::atomic<bool>& stop);

 private:
  // By the case's number: digests of its calls; nullopt: the library fails it.
  using Answers = std::map<std::int64_t, std::optional<std::vector<CallDigest>>>;
  void NoteIn(Answers& answers, SessionParts& parts);

  const Spec& spec_;
  const SessionOptions& options_;
  const SessionParts& parts_;
  std::mutex mutex_;  // of answers while cases are judged
  Answers judged_;
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_SESSION_DIFFERENCES_H_
