// SPDX-License-Identifier: Apache-2.0
#include "cli/live_progress.h"

#include <algorithm>

namespace poolproof {

std::string JudgingText(std::int64_t judged, std::int64_t resumed, std::int64_t planned,
                        std::chrono::milliseconds spent) {
  std::string text = std::to_string(judged) + " of " + std::to_string(planned) + " cases";
  if (planned > 0) text += " (" + std::to_string(judged * 100 / planned) + " %)";
  const std::int64_t own = judged - resumed;
  if (own <= 0 || spent.count() < 1000) return text;
  text += ", " + std::to_string(own * 1000 / spent.count()) + "/s";
  const std::int64_t left = (planned - judged) * spent.count() / own / 1000;
  return text + ", " + std::to_string(std::max<std::int64_t>(0, left)) + " s left";
}

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
  constexpr auto kPause = std::chrono::milliseconds(200);
  const std::int64_t pauses_a_line = io_.err_is_terminal ? 1 : 50;
  std::unique_lock lock(mutex_);
  for (std::int64_t pause = 1; !ended_.wait_for(lock, kPause, [this] { return end_; }); ++pause) {
    Tell();
    if (pause % pauses_a_line != 0) continue;
    if (io_.err_is_terminal) {
      io_.err << "\r\033[K" << Line() << std::flush;
    } else {
      io_.err << Line() << std::endl;
    }
  }
  Tell();
}

// What is said once.
void LiveProgress::Tell() {
  const std::string clear = io_.err_is_terminal ? "\r\033[K" : "";
  if (const std::int64_t resumed = progress_.resumed; resumed > 0 && !told_resumed_) {
    told_resumed_ = true;
    io_.err << clear << "poolproof: resumes: the journal holds " << resumed
            << " cases that were judged before" << std::endl;
  }
  if (io_.stop && !told_stop_) {
    told_stop_ = true;
    io_.err << clear
            << "poolproof: stopping: finishes the running cases and writes the report; Ctrl-C "
               "again stops at once"
            << std::endl;
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

// "3 failing" where a required clause fails; what breaches advisory ones alone is no alarm.
std::string LiveProgress::FailingText() const {
  const std::int64_t required = progress_.failed_required;
  const std::int64_t advisory = std::max<std::int64_t>(0, progress_.failed - required);
  return std::to_string(required) + " failing" +
         (advisory > 0 ? ", " + std::to_string(advisory) + " advisory" : "");
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
      line += JudgingText(progress_.judged, progress_.resumed, progress_.planned,
                          std::chrono::duration_cast<std::chrono::milliseconds>(
                              std::chrono::steady_clock::now() - begin_)) +
              ", " + FailingText();
      break;
    case SessionProgress::Stage::kInvestigating:
      line += std::to_string(progress_.judged) + " cases, investigating failure " +
              std::to_string(progress_.investigated) + " of " +
              std::to_string(progress_.investigations);
      break;
    case SessionProgress::Stage::kExplaining:
      line += std::to_string(progress_.judged) +
              " cases, searching for root causes: " + std::to_string(progress_.asked) +
              " new cases";
      break;
    case SessionProgress::Stage::kDone:
      line += "writing the report";
      break;
  }
  return line + ", " + std::to_string(seconds.count()) + " s";
}

}  // namespace poolproof
