// SPDX-License-Identifier: Apache-2.0
#include "conformance/session/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "conformance/json/json_reader.h"
#include "conformance/json/strict_json.h"
#include "conformance/result/shard_record_json.h"
#include "core/text.h"

namespace poolproof {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSchema = "poolproof-journal/1";
constexpr std::size_t kChecksum = 8;  // hex digits, and a space behind them
// What a power cut may take.
constexpr std::chrono::seconds kSyncInterval{1};

// CRC-32 (ISO 3309), which finds every cut and every changed byte.
std::uint32_t Crc32(std::string_view text) {
  static const std::array<std::uint32_t, 256> table = [] {
    std::array<std::uint32_t, 256> made{};
    for (std::uint32_t i = 0; i < made.size(); ++i) {
      std::uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit) {
        value = (value >> 1U) ^ ((value & 1U) != 0 ? 0xedb88320U : 0U);
      }
      made[i] = value;
    }
    return made;
  }();
  std::uint32_t crc = ~0U;
  for (const char c : text) {
    crc = table[(crc ^ static_cast<unsigned char>(c)) & 0xffU] ^ (crc >> 8U);
  }
  return ~crc;
}

std::string Checksum(std::string_view text) { return HexText(Crc32(text), kChecksum); }

std::string LineOf(const Json& line) {
  return JournalLine(line.dump(-1, ' ', true, Json::error_handler_t::replace));
}

bool IsWhole(std::string_view line) {
  return line.size() > kChecksum + 1 && line[kChecksum] == ' ' &&
         line.substr(0, kChecksum) == Checksum(line.substr(kChecksum + 1));
}

Result<std::string> ReadAll(int file) {
  std::string text;
  std::array<char, 1 << 16> part{};
  for (;;) {
    const ssize_t count = read(file, part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Unavailable(std::strerror(errno));
    if (count == 0) return text;
    text.append(part.data(), static_cast<std::size_t>(count));
  }
}

Json HeaderLine(const JournalHeader& header) {
  Json line = {{"schema", kSchema}};
  for (const auto& [name, value] : header) line[name] = value;
  return line;
}

CaseResult ReadResult(const JsonReader& at, const std::vector<const CaseClass*>& classes) {
  at.NoOtherMembers(
      {"judged", "class", "worker", "ended", "unanswered", "sums", "failed", "edges"});
  CaseResult result;
  result.number = at.At("judged").Int64();
  const std::int64_t position =
      at.At("class").Int64(0, static_cast<std::int64_t>(classes.size()) - 1);
  if (!at.ok()) return result;
  result.kind = *classes[static_cast<std::size_t>(position)];
  if (const auto worker = at.Find("worker")) result.worker = worker->Int64();
  if (const auto ended = at.Find("ended")) result.ended_worker = ended->Bool();
  if (const auto unanswered = at.Find("unanswered")) {
    result.unanswered = ReadUnanswered(*unanswered);
  }
  if (const auto sums = at.Find("sums")) {
    for (const JsonReader& item : sums->Items()) result.sums.push_back(ReadSumFacts(item));
  }
  if (const auto failed = at.Find("failed")) result.failed = ReadFailedCase(*failed);
  if (const auto edges = at.Find("edges")) {
    for (const JsonReader& edge : edges->Items()) {
      result.edges.push_back(
          static_cast<std::uint32_t>(edge.Int64(0, std::numeric_limits<std::uint32_t>::max())));
    }
  }
  return result;
}

}  // namespace

std::string JournalLine(std::string_view text) {
  return Checksum(text) + " " + std::string(text) + "\n";
}

Status Journal::Failed(const std::string& why) const {
  return Unavailable("journal '" + path_ + "': " + why);
}

Journal::~Journal() { close(file_); }

Result<std::unique_ptr<Journal>> Journal::Open(const std::string& path,
                                               const JournalHeader& header) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND, 0666);
  if (file < 0) {
    return InvalidArgument("journal '" + path + "': " + std::strerror(errno));
  }
  std::unique_ptr<Journal> journal(new Journal(path, file));
  if (flock(file, LOCK_EX | LOCK_NB) != 0) {
    return InvalidArgument("journal '" + path + "': in use by another run");
  }
  if (Status status = journal->Load(header); !status.ok()) return status;
  return journal;
}

Status Journal::Load(const JournalHeader& header) {
  const Result<std::string> text = ReadAll(file_);
  if (!text.ok()) return Failed(text.status().message());
  std::string_view rest = *text;
  std::int64_t number = 0;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    ++number;
    const std::string where = "journal '" + path_ + "': line " + std::to_string(number);
    if (end == std::string_view::npos) break;
    if (!IsWhole(line)) {
      if (rest.size() == end + 1) break;
      return InvalidArgument(where + " is damaged");
    }
    const Result<Json> json = ParseStrictJson<Json>(line.substr(kChecksum + 1));
    if (!json.ok()) return json.status().Annotate(where);
    if (number == 1) {
      const Json wanted = HeaderLine(header);
      for (const auto& [name, value] : wanted.items()) {
        const auto found = json->find(name);
        if (found != json->end() && *found == value) continue;
        return InvalidArgument("journal '" + path_ + "': it is of another run: " + name + " is " +
                               (found == json->end() ? "missing" : found->dump()) + ", here " +
                               value.dump() + "; delete it, or name another file");
      }
    } else if (Status status = Take(*json); !status.ok()) {
      return status.Annotate(where);
    }
    rest.remove_prefix(end + 1);
    size_ += static_cast<std::int64_t>(end + 1);
  }
  // What was being written when the run ended.
  if (ftruncate(file_, size_) != 0) return Failed(std::strerror(errno));
  return size_ == 0 ? Write(HeaderLine(header)) : OkStatus();
}

// A line that was read back.
Status Journal::Take(const Json& line) {
  Status error;
  const JsonReader at(line, error);
  if (line.contains("class") && !line.contains("judged")) {
    at.NoOtherMembers({"class", "is"});
    const auto [place, added] = classes_.emplace(ReadCaseClass(at.At("is")), classes_.size());
    if (error.ok() && added) by_position_.push_back(&place->first);
  } else if (line.contains("judged")) {
    CaseResult result = ReadResult(at, by_position_);
    if (!error.ok()) return error;
    if (!judged_.emplace(result.number, Entry{result.worker, result.ended_worker}).second) {
      at.At("judged").Fail("was judged before");
    }
    contents_.results.push_back(std::move(result));
  } else if (line.contains("refined")) {
    at.NoOtherMembers({"refined", "is"});
    contents_.refined.emplace_back(at.At("refined").Int64(), ReadRefinement(at.At("is")));
  } else if (line.contains("spent_s")) {
    at.NoOtherMembers({"spent_s"});
    contents_.judged_s += at.At("spent_s").Seconds();
  } else {
    at.NoOtherMembers({"begin"});
    (void)at.At("begin").Int64();
  }
  return error;
}

const JudgedBefore::Entry* Journal::Find(std::int64_t number) const {
  const auto place = judged_.find(number);
  return place == judged_.end() ? nullptr : &place->second;
}

Status Journal::Write(const Json& line) {
  const std::lock_guard lock(mutex_);
  return WriteLocked(line);
}

Status Journal::WriteLocked(const Json& line) {
  const std::string text = LineOf(line);
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t count = write(file_, text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const std::string why = std::strerror(errno);
      // Cut the partial record off, so that the journal ends on a whole line.
      if (ftruncate(file_, size_) != 0) return Failed(why + "; its last line is cut");
      return Failed(why);
    }
    written += static_cast<std::size_t>(count);
  }
  size_ += static_cast<std::int64_t>(text.size());
  const auto now = std::chrono::steady_clock::now();
  if (now - synced_ >= kSyncInterval) {
    synced_ = now;
    // A file that cannot be synced (a pipe, some network file systems) still works.
    (void)fdatasync(file_);
  }
  return OkStatus();
}

Status Journal::Begin(std::int64_t number) { return Write({{"begin", number}}); }

Status Journal::Judged(const CaseResult& result) {
  const std::lock_guard lock(mutex_);
  const auto place = classes_.find(result.kind);
  std::int64_t position = 0;
  if (place != classes_.end()) {
    position = place->second;
  } else {
    position = static_cast<std::int64_t>(classes_.size());
    const Json line = {{"class", position}, {"is", CaseClassToJson(result.kind)}};
    if (Status status = WriteLocked(line); !status.ok()) return status;
    classes_.emplace(result.kind, position);
  }
  Json line = {{"judged", result.number}, {"class", position}};
  if (result.worker != 0) line["worker"] = result.worker;
  if (result.ended_worker) line["ended"] = true;
  if (result.unanswered) line["unanswered"] = UnansweredToJson(*result.unanswered);
  if (!result.sums.empty()) {
    line["sums"] = Json::array();
    for (const SumFacts& facts : result.sums) line["sums"].push_back(SumFactsToJson(facts));
  }
  if (result.failed) line["failed"] = FailedCaseToJson(*result.failed);
  if (!result.edges.empty()) line["edges"] = result.edges;
  return WriteLocked(line);
}

Status Journal::Refined(std::int64_t number, const Refinement& refinement) {
  return Write({{"refined", number}, {"is", RefinementToJson(refinement)}});
}

Status Journal::Spent(double judged_s) { return Write({{"spent_s", judged_s}}); }

}  // namespace poolproof
