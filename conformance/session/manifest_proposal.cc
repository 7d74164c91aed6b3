// SPDX-License-Identifier: Apache-2.0
#include "conformance/session/manifest_proposal.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "conformance/session/table_classes.h"

namespace poolproof {
namespace {

using Values = std::set<std::string>;

// An operator's calls that were asked.
struct AskedCalls {
  std::size_t calls = 0;
  std::set<TableClasses> kinds;
  std::array<Values, kTableParameters.size()> asked;
  std::array<Values, kTableParameters.size()> taken;  // by a call that was not refused
};

// That a parameter has one of the values `in`, of `all`.
std::string OneOf(std::size_t parameter, const Values& in, const Values& all) {
  const std::string name(kTableParameters[parameter]);
  if (in.size() > 1 && in.size() + 1 == all.size()) {
    const auto out = std::find_if(all.begin(), all.end(),
                                  [&](const std::string& value) { return !in.contains(value); });
    return name + " != " + *out;
  }
  std::string text;
  for (const std::string& value : in) {
    text += (text.empty() ? "" : " or ") + name + " == " + value;
  }
  return text;
}

// A condition for each parameter that needs one; empty where all values are taken.
std::string AcceptsText(const AskedCalls& calls) {
  using Used = std::set<std::size_t>;
  Used used;
  for (std::size_t i = 0; i < kTableParameters.size(); ++i) {
    if (calls.taken[i] != calls.asked[i]) used.insert(i);
  }
  const auto holds = [&](const Used& conditions, const TableClasses& kind) {
    return std::all_of(conditions.begin(), conditions.end(),
                       [&](std::size_t i) { return calls.taken[i].contains(kind[i]); });
  };
  // Later parameters often follow from earlier ones.
  const Used all = used;
  for (std::size_t i = kTableParameters.size(); i-- > 0;) {
    Used fewer = used;
    fewer.erase(i);
    const bool same = std::all_of(calls.kinds.begin(), calls.kinds.end(), [&](const auto& kind) {
      return holds(fewer, kind) == holds(all, kind);
    });
    if (same) used = fewer;
  }
  std::string text;
  for (const std::size_t i : used) {
    const std::string one = OneOf(i, calls.taken[i], calls.asked[i]);
    const bool is_or = used.size() > 1 && one.find(" or ") != std::string::npos;
    text += (text.empty() ? "" : " and ") + (is_or ? "(" + one + ")" : one);
  }
  return text;
}

}  // namespace

ProposedCapabilities ProposeCapabilities(const std::vector<NamedCase>& cases,
                                         const std::vector<AcceptedCall>& answers) {
  std::map<std::string, Answer, std::less<>> by_path;
  for (const AcceptedCall& answer : answers) by_path[answer.path] = answer.answer;
  std::map<Operator, AskedCalls> by_operator;
  for (const NamedCase& named : cases) {
    const auto answer = by_path.find(named.Path());
    if (named.problem.plan.descriptors_only || answer == by_path.end()) continue;
    const Call& call = named.problem.calls.front();
    AskedCalls& calls = by_operator[call.op];
    const TableClasses kind = TableClassesOf(call);
    ++calls.calls;
    calls.kinds.insert(kind);
    for (std::size_t i = 0; i < kind.size(); ++i) {
      calls.asked[i].insert(kind[i]);
      if (answer->second != Answer::kRefused) calls.taken[i].insert(kind[i]);
    }
  }
  ProposedCapabilities proposed;
  std::vector<Operator> able;
  for (const auto& [op, calls] : by_operator) {
    if (calls.taken.front().empty()) {
      proposed.left_out.emplace(op, calls.calls);
      continue;
    }
    able.push_back(op);
    std::string text = AcceptsText(calls);
    if (text.empty()) continue;
    Result<Predicate> predicate = Predicate::Parse(text);
    if (predicate.ok()) {
      proposed.declared.accepts.push_back({op, std::move(text), std::move(predicate).value()});
    }
  }
  if (!proposed.left_out.empty()) proposed.declared.operators = std::move(able);
  return proposed;
}

}  // namespace poolproof
