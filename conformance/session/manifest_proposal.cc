// SPDX-License-Identifier: Apache-2.0
#include "conformance/session/manifest_proposal.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "conformance/result/coverage.h"

namespace poolproof {
namespace {

// The parameters by which calls are told apart, as predicates name them.
constexpr std::array<std::string_view, 5> kParameters = {"dtype", "index_dtype", "rank", "format",
                                                         "layout"};
using Values = std::array<std::string, kParameters.size()>;
// Whether the calls with these values are accepted.
using Answers = std::map<Values, bool>;

Values ValuesOf(const Call& call) {
  const OperatorInfo& info = InfoOf(call.op);
  const TensorSpec& self = call.tensor(Role::kSelf);
  return {DataTypeName(call.tensor(info.is_forward ? Role::kOut : Role::kGradOutput).type),
          DataTypeName(call.tensor(Role::kIndices).type), std::to_string(self.shape.size()),
          FormatName(self.format),
          std::string(CoverageClasses(CoverageAxis::kLayout)[LayoutClassOf(call).value_or(0)])};
}

// A predicate's text; `is_or`: to be put in parentheses beside an `and`.
struct ProposalText {
  std::string text;
  bool is_or = false;
  [[nodiscard]] std::string Beside() const { return is_or ? "(" + text + ")" : text; }
};

bool IsAll(const Answers& answers, bool accepted) {
  return std::all_of(answers.begin(), answers.end(),
                     [&](const auto& entry) { return entry.second == accepted; });
}

std::set<std::string> ValuesAt(const Answers& answers, std::size_t parameter) {
  std::set<std::string> values;
  for (const auto& entry : answers) values.insert(entry.first[parameter]);
  return values;
}

// That a parameter has one of the values `in`, of `all`.
ProposalText OneOf(std::size_t parameter, const std::set<std::string>& in,
                   const std::set<std::string>& all) {
  const std::string name(kParameters[parameter]);
  if (in.size() > 1 && in.size() + 1 == all.size()) {
    const auto out = std::find_if(all.begin(), all.end(),
                                  [&](const std::string& value) { return !in.contains(value); });
    return {name + " != " + *out};
  }
  ProposalText text{"", in.size() > 1};
  for (const std::string& value : in) {
    text.text += (text.text.empty() ? "" : " or ") + name + " == " + value;
  }
  return text;
}

// One condition for each parameter that needs one; nullopt where that cannot tell the calls apart.
std::optional<ProposalText> Conjunction(const Answers& answers) {
  std::array<std::set<std::string>, kParameters.size()> in;
  for (const auto& [values, accepted] : answers) {
    for (std::size_t i = 0; accepted && i < values.size(); ++i) in[i].insert(values[i]);
  }
  std::set<std::size_t> used;
  for (std::size_t i = 0; i < kParameters.size(); ++i) used.insert(i);
  const auto tells = [&] {
    return std::all_of(answers.begin(), answers.end(), [&](const auto& entry) {
      const bool holds = std::all_of(used.begin(), used.end(),
                                     [&](std::size_t i) { return in[i].contains(entry.first[i]); });
      return holds == entry.second;
    });
  };
  if (!tells()) return std::nullopt;
  // Later parameters often follow from earlier ones.
  for (std::size_t i = kParameters.size(); i-- > 0;) {
    used.erase(i);
    if (!tells()) used.insert(i);
  }
  ProposalText text;
  for (const std::size_t i : used) {
    const ProposalText one = OneOf(i, in[i], ValuesAt(answers, i));
    if (used.size() == 1) return one;
    text.text += (text.text.empty() ? "" : " and ") + one.Beside();
  }
  return text;
}

// Requires accepted and refused calls.
ProposalText Express(const Answers& answers);

// By what the values of one parameter accept of the others; nullopt where it has one value.
std::optional<ProposalText> Split(const Answers& answers, std::size_t parameter) {
  const std::set<std::string> all = ValuesAt(answers, parameter);
  if (all.size() < 2) return std::nullopt;
  std::map<std::string, Answers> by_value;
  for (const auto& [values, accepted] : answers) {
    Values rest = values;
    rest[parameter].clear();
    by_value[values[parameter]].emplace(std::move(rest), accepted);
  }
  std::map<Answers, std::set<std::string>> groups;
  for (auto& [value, rest] : by_value) groups[std::move(rest)].insert(value);
  std::vector<std::string> parts;
  bool single_is_or = false;
  for (const auto& [rest, values] : groups) {
    if (IsAll(rest, false)) continue;
    const bool any_value = values.size() == all.size();
    const ProposalText one = OneOf(parameter, values, all);
    if (any_value) return std::nullopt;  // the parameter tells nothing
    if (IsAll(rest, true)) {
      single_is_or = one.is_or;
      parts.push_back(one.text);
    } else {
      single_is_or = false;
      parts.push_back(one.Beside() + " and " + Express(rest).Beside());
    }
  }
  ProposalText text{"", parts.size() > 1 || single_is_or};
  for (const std::string& part : parts) text.text += (text.text.empty() ? "" : " or ") + part;
  return text;
}

ProposalText Express(const Answers& answers) {
  std::optional<ProposalText> best = Conjunction(answers);
  const auto offer = [&](std::optional<ProposalText> other) {
    if (other && (!best || other->text.size() < best->text.size())) best = std::move(other);
  };
  Answers opposite = answers;
  for (auto& entry : opposite) entry.second = !entry.second;
  if (const std::optional<ProposalText> refused = Conjunction(opposite)) {
    offer(ProposalText{"not (" + refused->text + ")"});
  }
  if (!best) {
    for (std::size_t i = 0; i < kParameters.size(); ++i) offer(Split(answers, i));
  }
  return best.value_or(ProposalText{});
}

}  // namespace

DeclaredCapabilities ProposeCapabilities(const std::vector<NamedCase>& table,
                                         const std::vector<AcceptedCall>& answers) {
  std::map<std::string, bool, std::less<>> accepted;
  for (const AcceptedCall& answer : answers) accepted[answer.path] = IsAccepted(answer.answer);
  std::map<Operator, Answers> by_operator;
  for (const NamedCase& named : table) {
    if (named.problem.plan.descriptors_only) continue;
    const Call& call = named.problem.calls.front();
    const auto answer = accepted.find(named.Path());
    const bool is_accepted = answer != accepted.end() && answer->second;
    const auto [place, added] = by_operator[call.op].emplace(ValuesOf(call), is_accepted);
    if (!added) place->second = place->second && is_accepted;
  }
  DeclaredCapabilities proposed;
  std::vector<Operator> able;
  for (const auto& [op, of_operator] : by_operator) {
    if (IsAll(of_operator, false)) continue;
    able.push_back(op);
    if (IsAll(of_operator, true)) continue;
    std::string text = Express(of_operator).text;
    Result<Predicate> predicate = Predicate::Parse(text);
    if (predicate.ok()) {
      proposed.accepts.push_back({op, std::move(text), std::move(predicate).value()});
    }
  }
  if (able.size() < by_operator.size()) proposed.operators = std::move(able);
  return proposed;
}

}  // namespace poolproof
