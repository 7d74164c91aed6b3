// SPDX-License-Identifier: Apache-2.0
//
// History cases: calls whose phases lie between one another, on one stream or several; contents
// that come between the phases; repetitions at other addresses, with other contents and by an
// executor that is run again. What the documents do not allow (descriptors destroyed before phase
// two, an executor run twice without being made repeatable) does not occur.
#include <functional>
#include <initializer_list>
#include <utility>

#include "conformance/gen/case_bases.h"
#include "conformance/gen/sources.h"

namespace poolproof {
namespace {

class HistoryCollector {
 public:
  HistoryCollector(const Spec& spec, Profile profile, CaseSet set)
      : rules_(spec, profile), set_(set) {}

  std::vector<NamedCase> Run() {
    for (const Operator op : BackwardOperators()) {
      if (!rules_.Covers(op)) continue;
      AddQueued(op);
      for (int variant = 0; variant < Count(1, 3, kBaseVariants); ++variant) {
        AddAlive(op, variant);
        AddLate(op, variant);
        AddSizes(op, variant);
        AddShared(op, variant);
        for (const DataType type : rules_.ValueTypes(op)) AddRepetitions(op, variant, type);
      }
    }
    return std::move(cases_);
  }

 private:
  [[nodiscard]] int Count(int smoke, int ci, int nightly) const {
    return BySet(set_, smoke, ci, nightly);
  }

  void Add(std::string name, std::vector<Call> calls, CallPlan plan) {
    std::string clause = ClauseOfName(rules_.spec(), name);
    cases_.push_back({"history", std::move(name), Case{std::move(calls), plan}, std::move(clause)});
  }

  [[nodiscard]] Call Base(Operator op, int variant) const {
    Call call = BaseCall(rules_, op, variant);
    SeedData(call, SeedOfName("history-v" + std::to_string(variant)));
    call.tensor(Role::kIndices).data.kind = DataKind::kWindow;
    return call;
  }
  // As many gradients meet as can, in wide numbers: the order of summation shows.
  [[nodiscard]] Call Meeting(Operator op, int variant, DataType type) const {
    Call call = Base(op, variant);
    SetGradientType(call, type);
    call.tensor(Role::kIndices).data.kind = DataKind::kShared;
    call.tensor(Role::kGradOutput).data.kind = DataKind::kWide;
    return call;
  }
  static Call MorePlanes(Call call, std::int64_t planes) {
    for (const Role role : BackwardRoles()) call.tensor(role).shape.front() = planes;
    return call;
  }

  // 2P-07, 2P-06: executors that live at once, each with a workspace of its own.
  void AddAlive(Operator op, int variant) {
    const Call base = Base(op, variant);
    const std::string suffix = "-v" + std::to_string(variant);
    struct Companion {
      std::string name;
      Call call;
    };
    std::vector<Companion> companions;
    companions.push_back({"itself", base});
    companions.push_back({"contents", base});
    SeedData(companions.back().call, 4711);
    companions.push_back({"more-planes", MorePlanes(base, 7)});
    for (const DataType type : rules_.ValueTypes(op)) {
      if (type == base.tensor(Role::kSelf).type) continue;
      companions.push_back({"type-" + DataTypeName(type), base});
      SetGradientType(companions.back().call, type);
    }
    for (const Operator other : BackwardOperators()) {
      if (other == op || !rules_.Covers(other)) continue;
      companions.push_back({"other-" + std::string(InfoOf(other).name), Base(other, variant)});
    }
    for (const Companion& companion : companions) {
      for (const Order order : {Order::kFifo, Order::kLifo}) {
        const std::string what =
            (order == Order::kFifo ? "fifo-" : "lifo-") + companion.name + suffix;
        CallPlan plan;
        plan.order = order;
        Add("2P-07/alive-" + what, {base, companion.call}, plan);
        plan.streams = 2;
        Add("2P-06/streams-" + what, {base, companion.call}, plan);
        if (set_ == CaseSet::kSmoke) break;
        plan.streams = 3;
        plan.repeat = 2;
        Add("2P-06/three-streams-" + what, {base, companion.call, base, companion.call}, plan);
      }
    }
    CallPlan in_turn;
    in_turn.streams = 2;
    Add("2P-06/streams-in-turn" + suffix, {base, companions[1].call, base}, in_turn);
  }

  // 2P-07, 2P-06: many calls under way before anything is waited for, none like the one before.
  void AddQueued(Operator op) {
    for (const std::size_t count : std::initializer_list<std::size_t>{3, 5, 9, 17, 33, 65, 257}) {
      if (set_ == CaseSet::kSmoke && count != 9) continue;
      if (set_ != CaseSet::kNightly && count > 65) continue;
      std::vector<Call> calls;
      for (std::size_t i = 0; i < count; ++i) {
        calls.push_back(Base(op, static_cast<int>(i) % kBaseVariants));
        SeedData(calls.back(), i + 1);
      }
      CallPlan plan;
      for (const Order order : {Order::kFifo, Order::kLifo}) {
        plan.order = order;
        const std::string what =
            std::to_string(count) + (order == Order::kFifo ? "-fifo" : "-lifo");
        plan.streams = 1;
        Add("2P-07/queued-" + what, calls, plan);
        if (set_ == CaseSet::kSmoke) return;
        plan.streams = 2;
        Add("2P-06/queued-on-two-streams-" + what, calls, plan);
      }
    }
  }

  // 2P-07: the descriptors of one call in the next ones. What a call changes in them, the next one
  // meets: in the same place, with gradInput in the place of self, and by another operator.
  void AddShared(Operator op, int variant) {
    CallPlan plan;
    plan.share_descriptors = true;
    const auto add = [&](const std::string& what, std::vector<Call> calls) {
      Add("2P-07/shared-" + what + "-v" + std::to_string(variant), std::move(calls), plan);
    };
    Call again = Base(op, variant);
    SeedData(again, 4711);
    for (const Layout layout : kLayouts) {
      if (set_ == CaseSet::kSmoke && layout != Layout::kGaps) continue;
      if (layout == Layout::kBroadcast) continue;
      const std::string word(LayoutName(layout));
      const auto with = [&](Call call, std::initializer_list<Role> roles) {
        for (const Role role : roles) {
          if (role == Role::kIndices && InfoOf(call.op).indices_view != Condition::kViews) continue;
          ApplyLayout(call.tensor(role), layout, InfoOf(call.op).spatial_rank);
        }
        return call;
      };
      const std::initializer_list<Role> all = {Role::kGradOutput, Role::kSelf, Role::kIndices,
                                               Role::kGradInput};
      const Call first = with(Base(op, variant), all);
      const Call second = with(again, all);
      add(word, {first, second, first});
      // self alone is a view, and then what self was is gradInput.
      add("exchanged-" + word, {with(Base(op, variant), {Role::kSelf}),
                                with(again, {Role::kGradInput}), with(again, {Role::kSelf})});
      if (set_ == CaseSet::kSmoke) continue;
      AddSharedWithOthers(op, variant, layout, first, second);
    }
    // A refused call is no reason to change what it was given.
    Call refused = Base(op, variant);
    ApplyLayout(refused.tensor(Role::kSelf), Layout::kGaps, InfoOf(op).spatial_rank);
    const Call valid = refused;
    refused.tensor(Role::kIndices).null = true;
    add("refused", {refused, valid});
  }

  // By every operator over planes of as many axes, each on the operands of the call.
  void AddSharedWithOthers(Operator op, int variant, Layout layout, const Call& first,
                           const Call& second) {
    CallPlan plan;
    plan.share_descriptors = true;
    for (const Operator other : rules_.CoveredBackwards()) {
      const OperatorInfo& info = InfoOf(other);
      if (other == op || info.spatial_rank != InfoOf(op).spatial_rank) continue;
      // Adaptive windows give the output any shape; fixed ones would need attributes to match.
      if (info.windows != WindowRule::kAdaptive) continue;
      const DataType type = first.tensor(Role::kSelf).type;
      const DataType index_type = first.tensor(Role::kIndices).type;
      if (!rules_.TakesValues(other, type) || !rules_.TakesIndices(other, index_type)) continue;
      Call between = first;
      between.op = other;
      for (const List list : InfoOf(op).lists) between.list(list).reset();
      between.ceil_mode = false;
      // What is no view for this operator stays none.
      if (info.indices_view != Condition::kViews) {
        TensorSpec& indices = between.tensor(Role::kIndices);
        indices.strides.clear();
        indices.offset = 0;
        indices.storage.clear();
      }
      Add("2P-07/shared-with-" + std::string(info.name) + "-" + std::string(LayoutName(layout)) +
              "-v" + std::to_string(variant),
          {first, std::move(between), second}, plan);
    }
  }

  // 2P-01: phase one touches no data, so that they may come after it.
  void AddLate(Operator op, int variant) {
    CallPlan plan;
    plan.fill_late = true;
    for (const DataType type : rules_.ValueTypes(op)) {
      for (const DataType index_type : rules_.IndexTypes(op)) {
        Call call = Base(op, variant);
        SetGradientType(call, type);
        call.tensor(Role::kIndices).type = index_type;
        Call other = call;
        SeedData(other, 4711);
        const std::string name = "2P-01/late-" + DataTypeName(type) + "-" +
                                 DataTypeName(index_type) + "-v" + std::to_string(variant);
        Add(name, {call}, plan);
        if (set_ != CaseSet::kSmoke) Add(name + "-twice", {call, other, call}, plan);
      }
    }
  }

  // 2P-07: up and down again, so that what is kept of one size meets another.
  void AddSizes(Operator op, int variant) {
    const Call small = MorePlanes(Base(op, variant), 1);
    const Call middle = MorePlanes(small, 5);
    const Call large = MorePlanes(small, 33);
    const std::string suffix = "-v" + std::to_string(variant);
    Add("2P-07/sizes-down-and-up" + suffix, {large, small, middle, small, large}, {});
    Add("2P-07/sizes-up-and-down" + suffix, {small, large, small, middle, large, small}, {});
  }

  // 2P-07 and the operator's B30: other addresses, other contents, the executor that ran before.
  void AddRepetitions(Operator op, int variant, DataType type) {
    const std::string suffix = "-" + DataTypeName(type) + "-v" + std::to_string(variant);
    const Call call = Meeting(op, variant, type);
    Call rounded = MorePlanes(call, 8);  // of so many the order shows in one
    rounded.tensor(Role::kGradOutput).data.kind = DataKind::kUniform;
    for (const int shift : {64, 4160}) {
      CallPlan plan;
      plan.repeat = 4;
      plan.shift_bytes = shift;
      Add("2P-07/addresses-" + std::to_string(shift) + suffix, {call}, plan);
      const std::string id = rules_.IdOf(op, Condition::kDeterministic);
      if (id.empty()) continue;
      plan.deterministic = true;
      Add(id + "/addresses-" + std::to_string(shift) + suffix, {rounded}, plan);
    }
    CallPlan contents;
    contents.repeat = 4;
    contents.vary_contents = true;
    Add("2P-07/contents-vary" + suffix, {call}, contents);
    CallPlan again;
    again.repeat = 3;
    again.reuse_executor = true;
    Add("2P-07/executor-again" + suffix, {call}, again);
    Call other = call;
    SeedData(other, 4711);
    if (set_ != CaseSet::kSmoke) Add("2P-07/executors-again" + suffix, {call, other}, again);
  }

  const ProfileRules rules_;
  const CaseSet set_;
  std::vector<NamedCase> cases_;
};

}  // namespace

std::vector<NamedCase> HistoryCases(const Spec& spec, Profile profile, CaseSet set) {
  return HistoryCollector(spec, profile, set).Run();
}

}  // namespace poolproof
