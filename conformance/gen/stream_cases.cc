// SPDX-License-Identifier: Apache-2.0
//
// Stream cases: whether the work of a call is done on the stream that phase two is given. Copies
// hold the stream up, and outputs must not change before it gets to the call; many calls are under
// way when it is synchronised, and outputs must not change after that.
#include <utility>

#include "conformance/gen/case_bases.h"
#include "conformance/gen/sources.h"

namespace poolproof {
namespace {

constexpr int kCallsUnderWay = 8;
constexpr int kStreamSettleMilliseconds = 40;

class StreamCaseCollector {
 public:
  StreamCaseCollector(const Spec& spec, Profile profile, CaseSet set)
      : rules_(spec, profile), set_(set) {}

  std::vector<NamedCase> Run() {
    for (const Operator op : rules_.CoveredBackwards()) {
      AddHeld(op, false);
      AddAfter(op);
    }
    for (const Operator op : rules_.CoveredBackwards()) {
      if (rules_.Covers(InfoOf(op).forward)) AddHeld(op, true);
    }
    return std::move(cases_);
  }

 private:
  // Chooses by set: smoke, ci, nightly.
  [[nodiscard]] int Count(int smoke, int ci, int nightly) const {
    return BySet(set_, smoke, ci, nightly);
  }
  void Add(std::string name, std::vector<Call> calls, CallPlan plan) {
    for (Call& call : calls) SeedData(call, SeedOfName(name));
    std::string clause = ClauseOfName(rules_.spec(), name);
    cases_.push_back({"stream", std::move(name), Case{std::move(calls), plan}, std::move(clause)});
  }

  // Again where a busy machine looked too late. Both ranks, and each type, for which a
  // library may have paths of their own.
  void AddHeld(Operator op, bool forward) {
    constexpr int kAttempts = 4;
    std::vector<DataType> types = rules_.ValueTypes(op);
    if (set_ == CaseSet::kSmoke) types.resize(1);
    for (int variant = 0; variant < Count(1, 2, kBaseVariants); ++variant) {
      for (const DataType type : types) {
        Call call = BaseCall(rules_, op, variant);
        SetGradientType(call, type);
        call.tensor(Role::kIndices).data.kind = DataKind::kWindow;
        if (forward) call = MakeForward(call);
        Add("2P-03/" + std::string(forward ? "forward-" : "") + "held-" + DataTypeName(type) +
                "-v" + std::to_string(variant),
            {std::move(call)}, CallPlan{.repeat = kAttempts, .look = Look::kHeld});
      }
    }
  }

  void AddAfter(Operator op) {
    Call call = MakeBackward(op, DataType::kFloat, DataType::kInt32, InfoOf(op).overlapping_large);
    for (const Role role : BackwardRoles()) call.tensor(role).shape.front() = Count(4, 16, 64);
    call.tensor(Role::kIndices).data.kind = DataKind::kWindow;
    Add("2P-03/after", std::vector<Call>(kCallsUnderWay, call),
        CallPlan{
            .settle_ms = kStreamSettleMilliseconds, .order = Order::kFifo, .look = Look::kAfter});
  }

  const ProfileRules rules_;
  const CaseSet set_;
  std::vector<NamedCase> cases_;
};

}  // namespace

std::vector<NamedCase> StreamCases(const Spec& spec, Profile profile, CaseSet set) {
  return StreamCaseCollector(spec, profile, set).Run();
}

}  // namespace poolproof
