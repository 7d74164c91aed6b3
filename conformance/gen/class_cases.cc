// SPDX-License-Identifier: Apache-2.0
//
// Class cases: of each class of calls that a clause may be unproven for (a format, a view of one
// operand, a batch, a member of the plan), plain valid calls spread over types, ranks, strides,
// paddings and ceilMode. A fault that strikes some of a class leaves the others to speak for it.
// docs/classes.md counts what a set holds of each.
#include <algorithm>
#include <functional>
#include <utility>

#include "conformance/case/passed_axes.h"
#include "conformance/gen/acceptance_cases.h"
#include "conformance/gen/sources.h"

namespace poolproof {
namespace {

// A class: what makes a plain call one of it; false where the call cannot be.
struct CallClass {
  std::string name;
  std::function<bool(Case&)> apply;
};

class ClassCollector {
 public:
  ClassCollector(const Spec& spec, Profile profile, CaseSet set)
      : rules_(spec, profile), set_(set) {}

  std::vector<NamedCase> Run() {
    for (const Operator op : BackwardOperators()) {
      if (!rules_.Covers(op)) continue;
      for (const CallClass& kind : ClassesOf(op)) AddClass(op, kind);
    }
    return std::move(cases_);
  }

 private:
  // Places in the row that follows: the first of them lie apart in all attributes, and of each
  // class every set takes the first.
  static constexpr std::size_t kSpread = 14;
  [[nodiscard]] std::size_t Taken() const {
    return BySet<std::size_t>(set_, 3, kSpread, 4 * kSpread);
  }

  // Call `place` of the spread of an operator: windows apart and overlapping, unpadded and padded,
  // with ceilMode and without, in turn; another type, index type and rank each time that it comes
  // round and for each class.
  [[nodiscard]] Call SpreadCall(Operator op, std::size_t place, std::size_t turn) const {
    // Pages' geometries, which overlap and are padded, and windows of SpreadCases.
    constexpr std::array<int, kSpread> kFixed = {~0, 0,  ~8, 1, ~7, ~2, 3,
                                                 ~4, ~5, ~9, 2, ~6, ~1, ~3};
    constexpr std::array<int, kSpread> kAdaptive = {~0, 0,  ~3, 1, ~4, ~5, 3,
                                                    ~1, ~2, 0,  2, ~0, ~3, 1};
    const bool fixed = InfoOf(op).windows == WindowRule::kFixed;
    const int chosen = (fixed ? kFixed : kAdaptive)[place % kSpread];
    const std::vector<DataType> types = rules_.ValueTypes(op);
    const std::vector<DataType> index_types = rules_.IndexTypes(op);
    const std::size_t step = place + place / kSpread + turn;
    AcceptanceRow row = {.op = op,
                         .type = types[step % types.size()],
                         .index_type = index_types[(step / 2) % index_types.size()]};
    if (chosen >= 0) {
      row.geometry = chosen;
    } else {
      row.geometry = static_cast<int>((place / 2 + turn) % 2);
      row.windows = static_cast<std::size_t>(~chosen);
    }
    Call call = CallOf(rules_, row);
    // First and last cells of windows coincide seldom, others often: both are asked.
    constexpr std::array kIndexKinds = {DataKind::kFirst, DataKind::kArgmax, DataKind::kLast,
                                        DataKind::kWindow};
    call.tensor(Role::kIndices).data.kind = kIndexKinds[(place + turn) % kIndexKinds.size()];
    if (place % 3 == 1) GiveMagnitudes(call);
    return call;
  }

  void AddClass(Operator op, const CallClass& kind) {
    const std::size_t turn = turn_++;
    for (std::size_t place = 0, added = 0; added < Taken() && place < 2 * Taken(); ++place) {
      const std::string name = kind.name + "/" + std::to_string(place);
      Case problem;
      problem.calls.push_back(SpreadCall(op, place, turn));
      SeedData(problem.calls.front(), SeedOfName(name));
      if (!kind.apply(problem)) continue;
      ++added;
      cases_.push_back({"classes", name, std::move(problem)});
    }
  }

  // --- Classes of calls

  [[nodiscard]] std::vector<CallClass> ClassesOf(Operator op) const {
    std::vector<CallClass> classes;
    AddFormats(op, classes);
    AddViews(op, classes);
    classes.push_back({"several-batches", [](Case& problem) {
                         Call& call = problem.calls.front();
                         if (call.tensor(Role::kSelf).shape.size() <
                             static_cast<std::size_t>(InfoOf(call.op).spatial_rank) + 2) {
                           return false;
                         }
                         for (const Role role : BackwardRoles()) {
                           call.tensor(role).shape.front() = 3;
                         }
                         return true;
                       }});
    if (rules_.Applies(op, Condition::kDilationAboveOne)) {
      classes.push_back({"dilation", [](Case& problem) {
                           Call& call = problem.calls.front();
                           call.list(List::kDilation) = Dims{2};
                           return DeriveOutputs(call);
                         }});
    }
    AddPlans(op, classes);
    return classes;
  }

  void AddFormats(Operator op, std::vector<CallClass>& classes) const {
    for (const SupportedFormat& row : InfoOf(op).formats) {
      const bool first = row.format == InfoOf(op).formats.front().format;
      const bool known = std::any_of(classes.begin(), classes.end(), [&](const CallClass& one) {
        return one.name == "format-" + FormatName(row.format);
      });
      if (first || known) continue;
      classes.push_back({"format-" + FormatName(row.format), [=, this](Case& problem) {
                           Call& call = problem.calls.front();
                           const std::size_t rank = call.tensor(Role::kSelf).shape.size();
                           if (rules_.FormatRow(op, row.format, rank) == nullptr) {
                             // Of what it takes with a batch axis alone, no window is left out.
                             if (rules_.FormatRow(op, row.format, rank + 1) == nullptr)
                               return false;
                             for (const Role role : BackwardRoles()) {
                               Dims& shape = call.tensor(role).shape;
                               shape.insert(shape.begin(), 2);
                             }
                           }
                           SetFormats(call, row.format);
                           return true;
                         }});
    }
  }

  // Each operand alone as a view, in every layout in turn, and all of them.
  void AddViews(Operator op, std::vector<CallClass>& classes) const {
    const OperatorInfo& info = InfoOf(op);
    if (!rules_.Applies(op, Condition::kViews)) return;
    const auto add = [&](const std::string& name, const std::vector<Role>& roles) {
      classes.push_back({"view-" + name, [roles, turn = std::size_t{0}](Case& problem) mutable {
                           Call& call = problem.calls.front();
                           // Both ways in which an axis may be passed over, and others.
                           Layout layout = kLayouts[turn++ % kLayouts.size()];
                           if (layout == Layout::kBroadcast) layout = Layout::kPaddedRows;
                           for (const Role role : roles) {
                             ApplyLayout(call.tensor(role), layout, InfoOf(call.op).spatial_rank);
                           }
                           return std::any_of(roles.begin(), roles.end(), [&](Role role) {
                             return !IsContiguousView(call.tensor(role));
                           });
                         }});
    };
    std::vector<Role> all;
    for (const Role role : info.tensors) {
      // Whether indices are taken that another clause allows is asked elsewhere.
      const bool apart = role == Role::kIndices && info.indices_view != Condition::kViews;
      if (!apart) all.push_back(role);
      if (!apart || rules_.Applies(op, info.indices_view)) {
        add(std::string(RoleName(role)), {role});
      }
    }
    add("all", all);
  }

  // --- Classes of plans

  void AddPlans(Operator op, std::vector<CallClass>& classes) const {
    const auto plan = [&](const std::string& name, const std::function<void(CallPlan&)>& change) {
      classes.push_back({name, [change](Case& problem) {
                           change(problem.plan);
                           return true;
                         }});
    };
    // With a second call, of other contents and another number of planes.
    const auto sequence = [&](const std::string& name,
                              const std::function<void(CallPlan&)>& change) {
      classes.push_back({name, [change](Case& problem) {
                           Call other = problem.calls.front();
                           SeedData(other, other.tensor(Role::kGradOutput).data.seed + 1);
                           for (const Role role : BackwardRoles()) {
                             other.tensor(role).shape.front() += 1;
                           }
                           problem.calls.push_back(std::move(other));
                           problem.calls.push_back(problem.calls.front());
                           change(problem.plan);
                           return true;
                         }});
    };
    if (rules_.Of(op, Condition::kDeterministic) != nullptr) {
      plan("deterministic", [](CallPlan& p) {
        p.deterministic = true;
        p.repeat = 3;
      });
    }
    plan("threads", [](CallPlan& p) {
      p.threads = 2;
      p.repeat = 2;
    });
    plan("filled-late", [](CallPlan& p) { p.fill_late = true; });
    plan("contents-vary", [](CallPlan& p) {
      p.repeat = 4;
      p.vary_contents = true;
    });
    plan("addresses-vary", [](CallPlan& p) {
      p.repeat = 3;
      p.shift_bytes = 64;
    });
    plan("executor-again", [](CallPlan& p) {
      p.repeat = 3;
      p.reuse_executor = true;
    });
    plan("grows", [](CallPlan& p) { p.growth_calls = 120; });
    plan("guard-after", [](CallPlan& p) { p.guard = Guard::kAfter; });
    plan("guard-before", [](CallPlan& p) { p.guard = Guard::kBefore; });
    plan("poison-finite", [](CallPlan& p) { p.output = p.workspace = Poison::kFinite; });
    plan("poison-zero", [](CallPlan& p) { p.output = p.workspace = Poison::kZero; });
    plan("poison-mixed", [](CallPlan& p) { p.output = p.workspace = Poison::kMixed; });
    sequence("others-before", [](CallPlan&) {});
    sequence("fifo", [](CallPlan& p) { p.order = Order::kFifo; });
    sequence("lifo", [](CallPlan& p) { p.order = Order::kLifo; });
    sequence("streams", [](CallPlan& p) { p.streams = 2; });
    sequence("descriptors-again", [](CallPlan& p) { p.share_descriptors = true; });
  }

  const ProfileRules rules_;
  const CaseSet set_;
  std::size_t turn_ = 0;
  std::vector<NamedCase> cases_;
};

}  // namespace

std::vector<NamedCase> ClassCases(const Spec& spec, Profile profile, CaseSet set) {
  return ClassCollector(spec, profile, set).Run();
}

}  // namespace poolproof
