// SPDX-License-Identifier: Apache-2.0
#include "conformance/result/acceptance.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>

#include "conformance/result/ending.h"
#include "core/enum_names.h"

namespace poolproof {
namespace {

constexpr std::array<std::string_view, 5> kAnswerNames = {"right", "accepted", "refused", "ended",
                                                          "not-asked"};

// "is refused with 161002", "is refused with 3 different codes or ends with signal 11".
std::string HowText(const std::set<std::string>& refusals, const std::set<std::string>& ends,
                    bool not_asked) {
  constexpr std::size_t kNamed = 3;
  std::string text;
  const auto add = [&](std::string_view verb, std::string_view kinds,
                       const std::set<std::string>& details) {
    if (details.empty()) return;
    if (!text.empty()) text += " or ";
    text += verb;
    if (details.size() > kNamed) {
      text += std::to_string(details.size()) + " different " + std::string(kinds);
      return;
    }
    std::string separator;
    for (const std::string& detail : details) {
      text += separator + detail;
      separator = " or ";
    }
  };
  add("is refused with ", "codes", refusals);
  add("ends with ", "ends", ends);
  if (not_asked) text += text.empty() ? "was not asked" : " or was not asked";
  return text;
}

// The calls of one operator.
class OperatorTable {
 public:
  void Add(const AcceptedCall& call) { calls_.push_back(&call); }

  [[nodiscard]] std::string Describe(std::string_view name) const {
    const auto accepted = std::count_if(calls_.begin(), calls_.end(), [](const AcceptedCall* call) {
      return IsAccepted(call->answer);
    });
    if (accepted == std::ssize(calls_)) return "";
    std::string text = std::string(name) + ": " + std::to_string(accepted) + " of " +
                       std::to_string(calls_.size()) + " accepted";
    std::set<const AcceptedCall*> explained;
    std::set<std::vector<const AcceptedCall*>> told;
    if (accepted == 0) {
      text += "; every call " + How(calls_);
      return text;
    }
    for (std::size_t i = 0; i < kFacetCount; ++i) {
      const auto facet = static_cast<Facet>(i);
      std::vector<const AcceptedCall*> with;
      for (const AcceptedCall* call : calls_) {
        if ((call->facets & BitOf(facet)) != 0) with.push_back(call);
      }
      const bool none = !with.empty() && std::none_of(with.begin(), with.end(), [](const auto* c) {
        return IsAccepted(c->answer);
      });
      // Some facets come together: the first says it.
      if (!none || !told.insert(with).second) continue;
      text += "; every call with " + std::string(FacetName(facet)) + " " + How(with);
      explained.insert(with.begin(), with.end());
    }
    std::vector<const AcceptedCall*> rest;
    for (const AcceptedCall* call : calls_) {
      if (!IsAccepted(call->answer) && !explained.contains(call)) rest.push_back(call);
    }
    if (rest.empty()) return text;
    const std::string path = rest.front()->path.substr(rest.front()->path.rfind('/') + 1);
    // What happened to them first: lines are cut.
    text += rest.size() > 1 ? "; each of " + std::to_string(rest.size()) + " calls " + How(rest) +
                                  ", such as " + path
                            : "; " + path + " " + How(rest);
    return text;
  }

 private:
  static std::string How(const std::vector<const AcceptedCall*>& calls) {
    std::set<std::string> refusals;
    std::set<std::string> ends;
    bool not_asked = false;
    for (const AcceptedCall* call : calls) {
      not_asked = not_asked || call->answer == Answer::kNotAsked;
      if (call->answer == Answer::kRefused) refusals.insert(call->detail);
      if (call->answer == Answer::kEnded) ends.insert(ShownEnd(call->detail));
    }
    return HowText(refusals, ends, not_asked);
  }

  std::vector<const AcceptedCall*> calls_;
};

}  // namespace

std::string_view AnswerName(Answer answer) {
  return kAnswerNames[static_cast<std::size_t>(answer)];
}
std::optional<Answer> ParseAnswer(std::string_view name) {
  return ParseEnum<Answer>(kAnswerNames, name);
}

std::vector<std::string> DescribeAcceptance(std::span<const AcceptedCall> calls) {
  std::map<Operator, OperatorTable> tables;
  for (const AcceptedCall& call : calls) tables[call.op].Add(call);
  std::vector<std::string> lines;
  for (const auto& [op, table] : tables) {
    std::string line = table.Describe(InfoOf(op).name);
    if (!line.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace poolproof
