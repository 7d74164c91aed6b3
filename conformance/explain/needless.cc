// SPDX-License-Identifier: Apache-2.0
#include "conformance/explain/needless.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "conformance/circumstance/hypothesis.h"
#include "conformance/circumstance/rule.h"
#include "conformance/tally/root_causes.h"

namespace poolproof {
namespace {

double BitsOfRule(const Rule& rule) {
  double bits = 0;
  for (const Literal& literal : rule) bits += BitsOf(literal);
  return bits;
}

}  // namespace

void DropNeedless(std::vector<FoundCause>& found) {
  std::vector<Rule> rules;
  rules.reserve(found.size());
  for (const FoundCause& one : found) rules.push_back(RuleOf(one.cause));
  std::vector<std::size_t> order(found.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return BitsOfRule(rules[a]) > BitsOfRule(rules[b]);
  });
  std::vector<bool> needless(found.size(), false);
  for (const std::size_t at : order) {
    const auto others_say = [&](const CircumstanceValues& values) {
      for (std::size_t i = 0; i < found.size(); ++i) {
        const bool alike = i != at && !needless[i] && !rules[i].empty() &&
                           found[i].way.refusal == found[at].way.refusal &&
                           (found[i].way.aspects & found[at].way.aspects) == found[at].way.aspects;
        if (alike && Holds(rules[i], values)) return true;
      }
      return false;
    };
    const std::vector<CircumstanceValues>& failing = found[at].failing;
    // What its own rule does not say is not lost with it.
    needless[at] =
        !rules[at].empty() &&
        std::all_of(failing.begin(), failing.end(), [&](const CircumstanceValues& values) {
          return !Holds(rules[at], values) || others_say(values);
        });
  }
  std::size_t at = 0;
  std::erase_if(found, [&](const FoundCause&) { return needless[at++]; });
}

}  // namespace poolproof
