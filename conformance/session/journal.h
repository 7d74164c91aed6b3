// SPDX-License-Identifier: Apache-2.0
//
// Journal: a file to which a run adds a line before each case and another behind it, so that a run
// that ends at any moment, by whatever means, is taken up again: nothing lost, nothing judged
// twice. Each line holds the checksum of what follows; a last line that was cut is as good as none.
#ifndef POOLPROOF_CONFORMANCE_SESSION_JOURNAL_H_
#define POOLPROOF_CONFORMANCE_SESSION_JOURNAL_H_

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "conformance/session/judging.h"
#include "conformance/session/recorder.h"
#include "core/status.h"

namespace poolproof {

// What a journal is of; a run by another description does not take it up. Names and values, in
// order.
using JournalHeader = std::vector<std::pair<std::string, std::string>>;

// A line of the file: checksum, text, newline. For those who make journals by hand.
std::string JournalLine(std::string_view text);

// What a journal held when it was opened.
struct JournalContents {
  std::vector<CaseResult> results;  // in the order in which they were judged
  // A later one of the same case takes the place of an earlier one.
  std::vector<std::pair<std::int64_t, Refinement>> refined;
  double judged_s = 0;  // that earlier runs spent, as far as they came to say
};

class Journal : public JudgedBefore {
 public:
  // Creates the file, or takes up what it holds; no other run may have it open. errors:
  // kInvalidArgument where it is of something else, is damaged or in use, kUnavailable where it
  // cannot be written.
  static Result<std::unique_ptr<Journal>> Open(const std::string& path,
                                               const JournalHeader& header);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  ~Journal() override;

  // Taken once, by the run.
  [[nodiscard]] JournalContents TakeContents() { return std::move(contents_); }
  [[nodiscard]] const Entry* Find(std::int64_t number) const override;

  // From several threads. errors: kUnavailable; the file then ends with its last whole line.
  Status Begin(std::int64_t number);
  Status Judged(const CaseResult& result);
  Status Refined(std::int64_t number, const Refinement& refinement);
  Status Spent(double judged_s);

 private:
  Journal(std::string path, int file) : path_(std::move(path)), file_(file) {}
  Status Load(const JournalHeader& header);
  Status Take(const nlohmann::ordered_json& line);
  Status Write(const nlohmann::ordered_json& line);
  Status WriteLocked(const nlohmann::ordered_json& line);
  [[nodiscard]] Status Failed(const std::string& why) const;

  const std::string path_;
  const int file_;
  JournalContents contents_;
  std::unordered_map<std::int64_t, Entry> judged_;  // before this run

  std::mutex mutex_;  // of the following
  std::int64_t size_ = 0;
  std::chrono::steady_clock::time_point synced_ = std::chrono::steady_clock::now();
  std::map<CaseClass, std::int64_t> classes_;
  std::vector<const CaseClass*> by_position_;
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_SESSION_JOURNAL_H_
