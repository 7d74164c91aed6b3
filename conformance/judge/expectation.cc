// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/expectation.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "conformance/case/windows.h"
#include "conformance/judge/legality.h"
#include "conformance/judge/membership.h"
#include "conformance/judge/sum_rule.h"
#include "conformance/judge/values.h"
#include "core/float_bits.h"

namespace poolproof {
namespace {

// Steps through the values of a type in ascending order, as an integer that counts them.
std::int64_t OrderOf(std::uint32_t bits, DataType type) {
  const std::uint32_t sign = 1U << (StorageBytes(type) * 8 - 1);
  return (bits & sign) != 0 ? -static_cast<std::int64_t>(bits & ~sign)
                            : static_cast<std::int64_t>(bits);
}
std::uint32_t BitsOf(std::int64_t order, DataType type) {
  const std::uint32_t sign = 1U << (StorageBytes(type) * 8 - 1);
  return order < 0 ? sign | static_cast<std::uint32_t>(-order) : static_cast<std::uint32_t>(order);
}

// The outermost bits that the rule accepts near `value`, an end of its interval, found by trying:
// the end was rounded when it was written as bits.
std::uint32_t LastAccepted(const SumRule& rule, double value, std::int64_t outward) {
  std::int64_t order = OrderOf(EncodeFloat(value, rule.type), rule.type);
  while (!rule.Accepts(BitsOf(order, rule.type))) order -= outward;
  while (rule.Accepts(BitsOf(order + outward, rule.type)) &&
         !IsInfinityBits(BitsOf(order + outward, rule.type), rule.type)) {
    order += outward;
  }
  return BitsOf(order, rule.type);
}

ExpectedCells CellsOf(const SumRule& rule) {
  ExpectedCells cells;
  cells.count = 1;
  switch (rule.kind) {
    case SumKind::kZero:
      break;
    case SumKind::kExact:
      cells.low = cells.high = EncodeFloat(rule.value, rule.type);
      if (!rule.may_flush) break;
      cells.or_zero = rule.MayBeZero();
      // One gradient is kept or zero; of several, some may have counted as zero.
      if (rule.contributions == 1) break;
      cells.low = EncodeFloat(rule.value - rule.flush_below, rule.type);
      cells.high = EncodeFloat(rule.value + rule.flush_above, rule.type);
      break;
    case SumKind::kInfinity:
      cells.low = cells.high = EncodeFloat(rule.value, rule.type);
      cells.or_nan = rule.allow_nan;
      break;
    case SumKind::kNan:
      cells.low = 1;
      cells.or_nan = true;
      break;
    case SumKind::kBounded:
    case SumKind::kFree: {
      const double limit = TraitsOf(rule.type).max_finite;
      cells.or_nan = cells.or_infinity = rule.kind == SumKind::kFree;
      // A sum beyond the type's range leaves no finite value.
      cells.low = 1;
      if (!rule.Accepts(EncodeFloat(std::clamp(rule.value, -limit, limit), rule.type))) break;
      cells.low = LastAccepted(
          rule, std::clamp(rule.value - rule.bound - rule.flush_below, -limit, limit), -1);
      cells.high = LastAccepted(
          rule, std::clamp(rule.value + rule.bound + rule.flush_above, -limit, limit), 1);
      break;
    }
  }
  return cells;
}

void Append(std::vector<ExpectedCells>& elements, ExpectedCells next) {
  if (!elements.empty()) {
    ExpectedCells same = elements.back();
    same.count = next.count;
    if (same == next) {
      elements.back().count += next.count;
      return;
    }
  }
  if (next.count > 0) elements.push_back(next);
}

std::vector<ExpectedCells> ExpectedElements(const PreparedCase& prepared, std::size_t number) {
  std::vector<ExpectedCells> elements;
  const Call& call = prepared.problem.calls[number];
  const MaterializedCall& data = prepared.data.calls[number];
  const std::optional<Membership>& membership = prepared.calls[number].membership;
  if (!membership.has_value()) return elements;
  const DataType type = call.tensor(Role::kGradInput).type;
  const std::int64_t plane_size = membership->geometry().PlaneSize();
  const auto outputs = static_cast<std::size_t>(membership->geometry().OutputSize());
  std::vector<std::pair<std::int64_t, std::uint32_t>> sorted(outputs);
  std::vector<std::uint32_t> own;
  for (std::int64_t plane = 0; plane < membership->geometry().planes; ++plane) {
    for (std::size_t i = 0; i < outputs; ++i) {
      const std::size_t element = static_cast<std::size_t>(plane) * outputs + i;
      sorted[i] = {data.indices[element], data.grad_output[element]};
    }
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::int64_t position = 0;
    for (std::size_t i = 0; i < outputs;) {
      const std::int64_t destination = sorted[i].first;
      own.clear();
      for (; i < outputs && sorted[i].first == destination; ++i) own.push_back(sorted[i].second);
      ExpectedCells zeros;
      zeros.count = destination - position;
      Append(elements, zeros);
      Append(elements, CellsOf(RuleFor(own, type)));
      position = destination + 1;
    }
    ExpectedCells zeros;
    zeros.count = plane_size - position;
    Append(elements, zeros);
  }
  return elements;
}

std::string ClauseText(const Clause& clause) { return clause.id + ": " + clause.statement; }

CallExpectation RefusalOf(const Legality& legality) {
  CallExpectation expectation;
  expectation.answer = CallExpectation::Answer::kRefusal;
  expectation.must_return = true;
  expectation.statuses = legality.also_allowed;
  for (const Clause* clause : legality.Governing()) {
    const ExpectedStatus status = ExpectationOf(*clause);
    if (status.any_error) {
      expectation.any_error = true;
    } else {
      expectation.statuses.push_back(status.status);
    }
    expectation.why += (expectation.why.empty() ? "" : "; ") + ClauseText(*clause);
  }
  std::sort(expectation.statuses.begin(), expectation.statuses.end());
  expectation.statuses.erase(std::unique(expectation.statuses.begin(), expectation.statuses.end()),
                             expectation.statuses.end());
  expectation.may_come_late = legality.AllowsLateRefusal();
  expectation.why = legality.ExpectedText() + " (" + expectation.why + ")";
  return expectation;
}

void DescribeForward(const Call& call, CallExpectation& expectation) {
  const std::optional<Windows> windows = WindowsOf(call);
  if (!windows.has_value()) return;
  expectation.plane = windows->input;
  // Of fixed windows the documents say no more than that an index lies in its plane.
  if (InfoOf(call.op).windows == WindowRule::kAdaptive) expectation.windows = windows->spans;
}

CallExpectation SuccessOf(const PreparedCase& prepared, std::size_t number) {
  CallExpectation expectation;
  const Call& call = prepared.problem.calls[number];
  const Legality& legality = prepared.calls[number].legality;
  const DataFacts& facts = prepared.calls[number].facts;
  const bool forward = InfoOf(call.op).is_forward;
  expectation.must_return = true;
  if (!facts.in_window) {
    expectation.why = facts.in_plane ? "an index lies outside its window, and no page mentions that"
                                     : "an index lies outside the plane, and no page mentions that";
    return expectation;
  }
  expectation.answer = CallExpectation::Answer::kSuccess;
  expectation.why = "the call is valid";
  for (const Clause* clause : legality.by_advice) {
    expectation.why += "; " + ClauseText(*clause) + " (advisory)";
  }
  if (prepared.problem.plan.descriptors_only) return expectation;
  if (forward) {
    DescribeForward(call, expectation);
  } else {
    expectation.elements = ExpectedElements(prepared, number);
  }
  return expectation;
}

}  // namespace

CaseExpectation ExpectationOf(const PreparedCase& prepared) {
  CaseExpectation expectations;
  for (std::size_t i = 0; i < prepared.calls.size(); ++i) {
    const Legality& legality = prepared.calls[i].legality;
    switch (legality.kind) {
      case LegalityKind::kValid:
        expectations.push_back(SuccessOf(prepared, i));
        break;
      case LegalityKind::kInvalid:
        expectations.push_back(RefusalOf(legality));
        break;
      case LegalityKind::kOpen: {
        CallExpectation open;
        open.why = legality.open_reason;
        open.must_return = !legality.left_open_by.empty();
        expectations.push_back(std::move(open));
        break;
      }
    }
  }
  return expectations;
}

}  // namespace poolproof
