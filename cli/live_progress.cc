// SPDX-License-Identifier: Apache-2.0
#include "cli/live_progress.h"

#include <algorithm>

namespace poolproof {

LiveProgress::LiveProgress(const Io& io, const SessionProgress& progress, bool campaign,
                           std::optional<std::chrono::milliseconds> time)
    : io_(io), progress_(progress), campaign_(campaign), time_(time), thread_([this] {
        Watch();
      }) {}

LiveProgress::~LiveProgress() {
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_all();
  thread_.join();
  if (io_.err_is_terminal) io_.err << "\r\033[K" << std::flush;
}

void LiveProgress::Watch() {
  const auto pause =
      io_.err_is_terminal ? std::chrono::milliseconds(200) : std::chrono::seconds(10);
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, pause, [this] { return end_; })) {
    if (io_.err_is_terminal) {
      io_.err << "\r\033[K" << Line() << std::flush;
    } else {
      io_.err << Line() << std::endl;
    }
  }
}

// "1234 cases, 410/s, 96 pairs and 512 triples of classes covered, 2 findings, 250 s left".
std::string LiveProgress::CampaignLine(std::chrono::seconds seconds) const {
  const std::int64_t judged = progress_.judged;
  std::string line = "poolproof: " + std::to_string(judged) + " cases, " +
                     std::to_string(judged / std::max<std::int64_t>(1, seconds.count())) + "/s, " +
                     std::to_string(progress_.pairs) + " pairs and " +
                     std::to_string(progress_.triples) + " triples of classes covered, ";
  if (progress_.edges > 0) line += std::to_string(progress_.edges) + " edges reached, ";
  line += std::to_string(progress_.findings) + " findings";
  if (!time_) return line + ", " + std::to_string(seconds.count()) + " s";
  const std::int64_t left =
      (time_->count() - progress_.spent_ms) / 1000 - static_cast<std::int64_t>(seconds.count());
  return line + ", " + std::to_string(std::max<std::int64_t>(0, left)) + " s left";
}

std::string LiveProgress::Line() const {
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begin_);
  if (campaign_ && progress_.stage == SessionProgress::Stage::kJudging) {
    return CampaignLine(seconds);
  }
  std::string line = "poolproof: ";
  switch (progress_.stage) {
    case SessionProgress::Stage::kStarting:
      line += "starting";
      break;
    case SessionProgress::Stage::kJudging:
      line += std::to_string(progress_.judged) + " of " + std::to_string(progress_.planned) +
              " cases, " + std::to_string(progress_.failed) + " failing";
      break;
    case SessionProgress::Stage::kInvestigating:
      line += std::to_string(progress_.judged) + " cases, looking into failure " +
              std::to_string(progress_.investigated) + " of " +
              std::to_string(progress_.investigations);
      break;
    case SessionProgress::Stage::kDone:
      line += "writing the report";
      break;
  }
  return line + ", " + std::to_string(seconds.count()) + " s";
}

}  // namespace poolproof
