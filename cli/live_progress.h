// SPDX-License-Identifier: Apache-2.0
//
// Progress on stderr while a session runs: one live line on a terminal, a plain line now and then
// elsewhere.
#ifndef POOLPROOF_CLI_LIVE_PROGRESS_H_
#define POOLPROOF_CLI_LIVE_PROGRESS_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "cli/io.h"
#include "conformance/session/session.h"

namespace poolproof {

// Of cases that are being judged: "1234 of 5000 cases (24 %), 410/s, 9 s left". `resumed` of them
// were judged before; rate and rest are left out where nothing is known of them.
std::string JudgingText(std::int64_t judged, std::int64_t resumed, std::int64_t planned,
                        std::chrono::milliseconds spent);

class LiveProgress {
 public:
  // `campaign`: tells of coverage and findings, and of what is left of `time`.
  LiveProgress(const Io& io, const SessionProgress& progress, bool campaign = false,
               std::optional<std::chrono::milliseconds> time = std::nullopt);
  LiveProgress(const LiveProgress&) = delete;
  LiveProgress& operator=(const LiveProgress&) = delete;
  // Clears the live line.
  ~LiveProgress();

 private:
  void Watch();
  void Tell();
  [[nodiscard]] std::string Line() const;
  [[nodiscard]] std::string FailingText() const;
  [[nodiscard]] std::string CampaignLine(std::chrono::seconds seconds) const;

  const Io& io_;
  const SessionProgress& progress_;
  const bool campaign_;
  const std::optional<std::chrono::milliseconds> time_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  bool told_resumed_ = false;  // these two: of the watching thread
  bool told_stop_ = false;
  std::thread thread_;
};

}  // namespace poolproof

#endif  // POOLPROOF_CLI_LIVE_PROGRESS_H_
