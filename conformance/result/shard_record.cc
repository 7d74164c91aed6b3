// SPDX-License-Identifier: Apache-2.0
#include "conformance/result/shard_record.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "conformance/result/side_effect.h"
#include "core/enum_names.h"

namespace poolproof {
namespace {

constexpr std::array<std::string_view, 5> kStateNames = {"passed", "recorded", "inconclusive",
                                                         "unsupported", "failed"};
static_assert(kStateNames.size() == static_cast<std::size_t>(CaseState::kFailed) + 1);
constexpr std::array<std::string_view, 4> kRelationStateNames = {"none", "held", "broken",
                                                                 "discarded"};
static_assert(kRelationStateNames.size() ==
              static_cast<std::size_t>(RelationState::kDiscarded) + 1);

}  // namespace

std::string WithoutPaths(const std::string& text) {
  std::string result;
  std::size_t i = 0;
  while (i < text.size()) {
    const bool starts =
        text[i] == '/' &&
        (i == 0 || std::string_view(" '\"(=:,").find(text[i - 1]) != std::string_view::npos);
    if (!starts) {
      result += text[i++];
      continue;
    }
    const std::size_t end = std::min(text.find_first_of(" '\"),:;\n", i), text.size());
    const std::string path = text.substr(i, end - i);
    result += path.substr(path.rfind('/') + 1);
    i = end;
  }
  return result;
}

std::string KeptOutput(std::string_view printed) {
  constexpr std::size_t kMostBytes = 1024;
  constexpr std::size_t kMostLines = 12;
  std::string text;
  for (const char c : printed) {
    // Carriage returns end lines; other control characters would steer a terminal.
    if (c == '\r' || c == '\n') {
      if (!text.empty() && text.back() != '\n') text += '\n';
    } else if (c == '\t') {
      text += ' ';
    } else {
      text += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
    }
  }
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  text = WithoutPaths(text);
  std::size_t begin = text.size();
  for (std::size_t lines = 0; begin > 0 && lines < kMostLines; ++lines) {
    const std::size_t end = begin == text.size() ? begin : begin - 1;
    const std::size_t line = end == 0 ? 0 : text.rfind('\n', end - 1) + 1;
    if (text.size() - line > kMostBytes) break;
    begin = line;
  }
  // Of a single line that is too long, its end.
  if (begin == text.size() && !text.empty()) begin = text.size() - kMostBytes;
  return text.substr(begin);
}

Refinement BehindOthers(const FailedCase& failed) {
  Refinement refinement{failed.problem, failed.verdict, {}, {}, /*behind_others=*/true};
  Reblame(refinement.verdict, &IsOfOthers, {std::string(kOthersClause)},
          std::string(kBehindOthers));
  return refinement;
}

bool PassesAlone(const FailedCase& failed, const Refinement& refined) {
  return refined.behind_others && refined.problem == failed.problem;
}

std::string KeptReason(const std::string& note) {
  if (note.empty()) return "nothing says why";
  const std::string text = WithoutPaths(note);
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::string reason;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_digit(text[end])) ++end;
    const bool is_size = end > at && text.compare(end, 6, " bytes") == 0;
    if (is_size) {
      reason += "some";
    } else {
      end = std::max(end, at + 1);
      reason.append(text, at, end - at);
    }
    at = end;
  }
  return reason;
}

Verdict KeptVerdict(Verdict verdict) {
  for (Finding& finding : verdict.findings) finding.message = WithoutPaths(finding.message);
  verdict.note = WithoutPaths(verdict.note);
  verdict.traits = 0;
  verdict.by_refusal.clear();
  verdict.by_acceptance.clear();
  verdict.withheld.clear();
  verdict.sums.clear();
  verdict.relation = RelationState::kNone;
  verdict.relation_note.clear();
  return verdict;
}

std::optional<UnansweredCase> UnansweredOf(std::int64_t number, const std::string& clause,
                                           const std::string& note) {
  if (clause.empty()) return std::nullopt;
  return UnansweredCase{number, clause, WithoutPaths(note)};
}

const FailedCase* FindFailed(const ShardRecord& record, std::int64_t number) {
  const auto place = std::lower_bound(
      record.failures.begin(), record.failures.end(), number,
      [](const FailedCase& failed, std::int64_t wanted) { return failed.number < wanted; });
  return place != record.failures.end() && place->number == number ? &*place : nullptr;
}

void AddSums(const std::vector<SumFacts>& facts,
             std::map<std::pair<Operator, DataType>, SumFacts>& totals) {
  for (const SumFacts& more : facts) {
    SumFacts& total = totals[{more.op, more.type}];
    total.op = more.op;
    total.type = more.type;
    total.sums += more.sums;
    total.misrounded += more.misrounded;
    total.beyond_acc32 += more.beyond_acc32;
    total.out_of_bound += more.out_of_bound;
    total.results += more.results;
    total.ecosystem += more.ecosystem;
    for (std::size_t i = 0; i < kSubnormalPlaceCount; ++i) {
      total.subnormals[i].kept += more.subnormals[i].kept;
      total.subnormals[i].flushed += more.subnormals[i].flushed;
    }
    total.both += more.both;
  }
}

std::string_view CaseStateName(CaseState state) {
  return kStateNames[static_cast<std::size_t>(state)];
}
std::optional<CaseState> ParseCaseState(std::string_view name) {
  return ParseEnum<CaseState>(kStateNames, name);
}

std::string_view RelationStateName(RelationState state) {
  return kRelationStateNames[static_cast<std::size_t>(state)];
}
std::optional<RelationState> ParseRelationState(std::string_view name) {
  return ParseEnum<RelationState>(kRelationStateNames, name);
}

}  // namespace poolproof
