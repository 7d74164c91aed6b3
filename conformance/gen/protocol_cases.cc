// SPDX-License-Identifier: Apache-2.0
//
// Protocol cases: out-pointers, phase two alone, determinism, threads, histories, other poison,
// growth of memory, and indices that the documents do not mention. Names start with the clause
// that a case was made for, or with "open" where none decides.
#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "conformance/gen/acceptance_cases.h"
#include "conformance/gen/sources.h"
#include "conformance/gen/status_faults.h"

namespace poolproof {
namespace {

// A call in which many gradients meet: windows overlap on every axis.
Call OverlapCall(Operator op, DataType type, bool large) {
  const OperatorInfo& info = InfoOf(op);
  return MakeBackward(op, type, DataType::kInt32,
                      large ? info.overlapping_large : info.overlapping);
}

std::string Word(DataKind kind) {
  switch (kind) {
    case DataKind::kExact:
      return "exact";
    case DataKind::kWide:
      return "wide";
    case DataKind::kUniform:
      return "uniform";
    case DataKind::kShared:
      return "shared";
    case DataKind::kWindow:
      return "window";
    case DataKind::kFirst:
      return "first";
    case DataKind::kLast:
      return "last";
    default:
      return "other";
  }
}

class ProtocolCollector {
 public:
  ProtocolCollector(const Spec& spec, Profile profile, CaseSet set)
      : rules_(spec, profile), set_(set) {}

  std::vector<NamedCase> Run() {
    for (const Operator op : BackwardOperators()) {
      AddPhaseTwoAlone(op);
      if (!rules_.Covers(op)) continue;
      AddOutPointers(op);
      AddDeterminism(op);
      AddThreads(op);
      AddHistories(op);
      AddPoison(op);
      AddRejections(op);
      AddErrorTexts(op);
      AddLate(op);
      AddGrowth(op);
      AddOutsidePlane(op);
      AddOutsideWindow(op);
    }
    for (const Operator op : rules_.CoveredBackwards()) AddLargePlanes(op);
    return std::move(cases_);
  }

 private:
  // Each call gets a seed of its own; equal calls of a sequence stay equal.
  void Add(std::string name, Call call, CallPlan plan, Aim aim = Aim::kNone,
           std::string base = "") {
    SeedData(call, SeedOfName(name));
    std::string clause = ClauseOfName(rules_.spec(), name);
    cases_.push_back({"protocol", std::move(name), Case{{std::move(call)}, plan}, std::move(clause),
                      aim, std::move(base)});
  }
  void AddSequence(std::string name, std::vector<Call> calls, CallPlan plan = {}) {
    std::string clause = ClauseOfName(rules_.spec(), name);
    cases_.push_back(
        {"protocol", std::move(name), Case{std::move(calls), plan}, std::move(clause)});
  }
  // Refused for what its plan leaves out; its base is the same call as it should be made.
  void AddRefused(std::string name, Operator op, int variant, CallPlan plan) {
    const Call call = BaseCall(rules_, op, variant);
    const bool covered = rules_.Covers(op);
    const AcceptanceRow base = {.op = op,
                                .type = call.tensor(Role::kGradOutput).type,
                                .index_type = call.tensor(Role::kIndices).type,
                                .geometry = variant};
    Add(std::move(name), call, plan, covered ? Aim::kBreach : Aim::kAlone,
        covered ? PathOf(base) : "");
  }
  // Chooses by set: smoke, ci, nightly.
  [[nodiscard]] int Count(int smoke, int ci, int nightly) const {
    return BySet(set_, smoke, ci, nightly);
  }
  [[nodiscard]] std::vector<DataType> Types(Operator op) const {
    std::vector<DataType> types = rules_.ValueTypes(op);
    if (set_ == CaseSet::kSmoke) types.resize(1);
    return types;
  }

  // 2P-09.
  void AddPhaseTwoAlone(Operator op) {
    for (int variant = 0; variant < Count(1, 2, kBaseVariants); ++variant) {
      AddRefused("2P-09/null-executor-v" + std::to_string(variant), op, variant,
                 {.phase_two_alone = true});
    }
  }

  // 2P-05: each out-pointer alone, and both.
  void AddOutPointers(Operator op) {
    for (int variant = 0; variant < Count(1, 2, kBaseVariants); ++variant) {
      const std::string suffix = "-v" + std::to_string(variant);
      AddRefused("2P-05/null-workspace-size" + suffix, op, variant, {.null_workspace_size = true});
      AddRefused("2P-05/null-executor" + suffix, op, variant, {.null_executor_out = true});
      AddRefused("2P-05/both-null" + suffix, op, variant,
                 {.null_workspace_size = true, .null_executor_out = true});
    }
  }

  // MP3-B30, AMP2-B30: the page of AdaptiveMaxPool3dBackward does not mention determinism.
  void AddDeterminism(Operator op) {
    const std::string id = rules_.IdOf(op, Condition::kDeterministic);
    if (id.empty()) return;
    for (const DataType type : rules_.ValueTypes(op)) {
      for (const DataKind data : {DataKind::kExact, DataKind::kWide, DataKind::kUniform}) {
        for (const DataKind kind : {DataKind::kShared, DataKind::kWindow, DataKind::kFirst}) {
          for (const bool large : {false, true}) {
            if (set_ == CaseSet::kSmoke && large) continue;
            Call call = OverlapCall(op, type, large);
            call.tensor(Role::kGradOutput).data.kind = data;
            call.tensor(Role::kIndices).data.kind = kind;
            Add(id + "/" + DataTypeName(type) + "-" + Word(data) + "-" + Word(kind) +
                    (large ? "-large" : ""),
                std::move(call), CallPlan{.deterministic = true, .repeat = large ? 3 : 4});
          }
        }
      }
      AddManyDeterministic(id, op, type);
    }
  }

  void AddManyDeterministic(const std::string& id, Operator op, DataType type) {
    Call call = OverlapCall(op, type, false);
    // So many that the order shows in one of them.
    for (const Role role : BackwardRoles()) call.tensor(role).shape.front() = 8;
    call.tensor(Role::kGradOutput).data.kind = DataKind::kUniform;
    call.tensor(Role::kIndices).data.kind = DataKind::kShared;
    Add(id + "/" + DataTypeName(type) + "-threads", call,
        CallPlan{.deterministic = true, .repeat = 3, .threads = 4});
    for (const Role role : {Role::kGradOutput, Role::kGradInput}) {
      ApplyLayout(call.tensor(role), Layout::kChannelsLast, InfoOf(op).spatial_rank);
    }
    Add(id + "/" + DataTypeName(type) + "-views", std::move(call),
        CallPlan{.deterministic = true, .repeat = 3});
  }

  // 2P-06.
  void AddThreads(Operator op) {
    for (const DataType type : Types(op)) {
      for (int threads = 2; threads <= Count(2, 3, 4); ++threads) {
        for (const bool large : {false, true}) {
          if (large && set_ == CaseSet::kSmoke) continue;
          const std::string name = "2P-06/" + DataTypeName(type) + "-threads-" +
                                   std::to_string(threads) + (large ? "-large" : "");
          Call call = OverlapCall(op, type, large);
          call.tensor(Role::kIndices).data.kind = DataKind::kShared;
          Add(name, call, CallPlan{.repeat = 2, .threads = threads});
        }
      }
    }
    AddThreadsOfAllRanks(op);
    // Two operators in one sequence, so that different ones run at once.
    for (const Operator other : BackwardOperators()) {
      if (other == op || !rules_.Covers(other)) continue;
      AddSequence("2P-06/with-" + std::string(InfoOf(other).name),
                  {OverlapCall(op, NarrowType(rules_, op), false),
                   OverlapCall(other, DataType::kFloat, false)},
                  CallPlan{.repeat = 2, .threads = Count(2, 3, 4)});
    }
  }

  // Both ranks at once, forwards among them, and often: what calls share shows only while another
  // one is at the same place.
  void AddThreadsOfAllRanks(Operator op) {
    const CallPlan plan{.repeat = Count(16, 32, 64), .threads = Count(2, 4, 4)};
    const Operator forward = InfoOf(op).forward;
    const auto ranks = [&](Operator of, bool by_forward) {
      std::vector<Call> calls;
      for (int variant = 0; variant < 2; ++variant) {
        Call call = BaseCall(rules_, of, variant);
        SeedData(call, SeedOfName("threads-v" + std::to_string(variant)));
        call.tensor(Role::kIndices).data.kind = DataKind::kWindow;
        calls.push_back(by_forward ? MakeForward(call) : std::move(call));
      }
      return calls;
    };
    AddSequence("2P-06/ranks", ranks(op, false), plan);
    if (rules_.Covers(forward)) {
      AddSequence("2P-06/forward-ranks", ranks(op, true), plan);
      std::vector<Call> both = ranks(op, true);
      for (Call& call : ranks(op, false)) both.push_back(std::move(call));
      AddSequence("2P-06/forward-and-backward", std::move(both), plan);
    }
    if (op != rules_.CoveredBackwards().front()) return;
    std::vector<Call> all;
    for (const Operator other : rules_.CoveredBackwards()) {
      for (Call& call : ranks(other, false)) all.push_back(std::move(call));
    }
    AddSequence("2P-06/all-operators", std::move(all), plan);
  }

  // 2P-07: the same call before and after one that differs in a single property.
  void AddHistories(Operator op) {
    for (int variant = 0; variant < Count(1, 3, kBaseVariants); ++variant) {
      const std::string suffix = "-v" + std::to_string(variant);
      Call base = BaseCall(rules_, op, variant);
      SeedData(base, SeedOfName("history" + suffix));
      base.tensor(Role::kIndices).data.kind = DataKind::kWindow;
      const auto around = [&](const std::string& what, const std::function<void(Call&)>& change) {
        Call other = base;
        change(other);
        if (other == base) return;
        AddSequence("2P-07/" + what + suffix, {base, other, base});
        if (set_ != CaseSet::kSmoke) {
          AddSequence("2P-07/" + what + "-first" + suffix, {other, base, other});
        }
      };
      for (const DataType type : rules_.ValueTypes(op)) {
        around("type-" + DataTypeName(type), [=](Call& call) { SetGradientType(call, type); });
      }
      for (const DataType type : rules_.IndexTypes(op)) {
        around("indices-" + DataTypeName(type),
               [=](Call& call) { call.tensor(Role::kIndices).type = type; });
      }
      around("contents", [](Call& call) { SeedData(call, 4711); });
      around("index-choice",
             [](Call& call) { call.tensor(Role::kIndices).data.kind = DataKind::kShared; });
      around("planes", [](Call& call) {
        for (const Role role : BackwardRoles()) call.tensor(role).shape.front() += 3;
      });
      around("larger",
             [&](Call& call) { call = OverlapCall(op, call.tensor(Role::kSelf).type, true); });
      AddLayoutHistories(op, around);
      AddGeometryHistories(op, around);
    }
    AddOtherOperator(op);
  }

  template <typename Around>
  static void AddLayoutHistories(Operator op, const Around& around) {
    for (const Role role : BackwardRoles()) {
      // Where such indices are advisory, a refused second call would say nothing about the first.
      if (role == Role::kIndices && InfoOf(op).indices_view != Condition::kViews) continue;
      around("layout-" + std::string(RoleName(role)), [=](Call& call) {
        ApplyLayout(call.tensor(role), Layout::kChannelsLast, InfoOf(op).spatial_rank);
      });
    }
  }

  template <typename Around>
  static void AddGeometryHistories(Operator op, const Around& around) {
    if (InfoOf(op).windows == WindowRule::kAdaptive) {
      around("output-size", [](Call& call) {
        Dims shape = call.tensor(Role::kGradOutput).shape;
        shape.back() += 1;
        SetOutputShape(call, shape);
      });
      return;
    }
    // Lists are written for D, H and W; planes of two axes take the first two.
    const auto with = [&](const char* what, List list, Dims values) {
      values.resize(static_cast<std::size_t>(InfoOf(op).spatial_rank));
      around(what, [=](Call& call) {
        call.list(list) = values;
        DeriveOutputs(call);
      });
    };
    with("stride", List::kStride, {1, 2, 1});
    with("kernel", List::kKernelSize, {4, 4, 4});
    with("padding", List::kPadding, {1, 0, 1});
    around("ceil-mode", [](Call& call) {
      call.ceil_mode = !call.ceil_mode;
      DeriveOutputs(call);
    });
  }

  void AddOtherOperator(Operator op) {
    for (const Operator other : BackwardOperators()) {
      if (other == op || !rules_.Covers(other)) continue;
      const Call base = OverlapCall(op, NarrowType(rules_, op), false);
      AddSequence("2P-07/after-" + std::string(InfoOf(other).name),
                  {base, OverlapCall(other, NarrowType(rules_, other), true), base});
    }
  }

  // 2P-07: what output and workspace held before; the other sources leave the default.
  void AddPoison(Operator op) {
    struct Fill {
      const char* name;
      Poison output;
      Poison workspace;
    };
    constexpr std::array kFills = {Fill{"finite", Poison::kFinite, Poison::kFinite},
                                   Fill{"zero", Poison::kZero, Poison::kZero},
                                   Fill{"nan-finite", Poison::kNan, Poison::kFinite},
                                   Fill{"finite-nan", Poison::kFinite, Poison::kNan},
                                   Fill{"zero-finite", Poison::kZero, Poison::kFinite},
                                   Fill{"mixed", Poison::kMixed, Poison::kMixed}};
    for (const Fill& fill : kFills) {
      for (const DataType type : Types(op)) {
        Call call = OverlapCall(op, type, false);
        call.tensor(Role::kIndices).data.kind = DataKind::kShared;
        Add("2P-07/poison-" + std::string(fill.name) + "-" + DataTypeName(type), std::move(call),
            CallPlan{.output = fill.output, .workspace = fill.workspace});
        Add(
            "2P-07/poison-" + std::string(fill.name) + "-base-" + DataTypeName(type),
            [&] {
              Call base = BaseCall(rules_, op, static_cast<int>(cases_.size()) % kBaseVariants);
              SetGradientType(base, type);
              return base;
            }(),
            CallPlan{.output = fill.output, .workspace = fill.workspace});
      }
    }
  }

  struct Rejection {
    const char* name;
    std::function<void(Call&)> apply;
  };
  static std::vector<Rejection> Rejections(Operator op) {
    std::vector<Rejection> rejections = {
        {"null-self", [](Call& call) { call.tensor(Role::kSelf).null = true; }},
        {"null-indices", [](Call& call) { call.tensor(Role::kIndices).null = true; }},
        {"type", [](Call& call) { call.tensor(Role::kSelf).type = DataType::kInt8; }},
        {"index-type", [](Call& call) { call.tensor(Role::kIndices).type = DataType::kUint8; }},
        {"format", [](Call& call) { call.tensor(Role::kSelf).format = Format::kFractalNz; }},
        {"indices-shape", [](Call& call) { ++call.tensor(Role::kIndices).shape.back(); }},
        {"gradInput-shape", [](Call& call) { ++call.tensor(Role::kGradInput).shape.back(); }}};
    if (InfoOf(op).windows == WindowRule::kFixed) {
      rejections.push_back({"kernel-zero", [](Call& call) {
                              call.list(List::kKernelSize) = Dims{0};
                              call.list(List::kPadding) = Dims{0};
                            }});
      rejections.push_back({"stride-zero", [](Call& call) { call.list(List::kStride) = Dims{0}; }});
      rejections.push_back(
          {"padding-length", [](Call& call) { call.list(List::kPadding) = Dims(4, 0); }});
    }
    return rejections;
  }

  // 2P-04, SAF-03: a refused call leaves nothing behind, and valid ones after it work.
  void AddRejections(Operator op) {
    const std::vector<Rejection> rejections = Rejections(op);
    for (std::size_t i = 0; i < rejections.size(); ++i) {
      if (set_ == CaseSet::kSmoke && i % 3 != 0) continue;
      const Call valid = BaseCall(rules_, op, static_cast<int>(i) % kBaseVariants);
      Call rejected = valid;
      rejections[i].apply(rejected);
      rejected.tensor(Role::kIndices).data.kind = DataKind::kZero;
      const std::string name = rejections[i].name;
      AddSequence("2P-04/rejected-then-valid-" + name, {rejected, valid});
      AddSequence("2P-04/valid-rejected-valid-" + name, {valid, rejected, valid});
      AddSequence("SAF-03/rejected-often-" + name, {rejected, rejected, rejected, valid},
                  CallPlan{.repeat = 2});
    }
  }

  // 2P-10: the message of a refusal is about this call, not about the one before.
  void AddErrorTexts(Operator op) {
    const std::vector<Operator> others = rules_.CoveredBackwards();
    const auto place =
        static_cast<std::size_t>(std::find(others.begin(), others.end(), op) - others.begin());
    const Operator other = others[(place + 1) % others.size()];
    const std::vector<Rejection> rejections = Rejections(op);
    for (std::size_t i = 0; i < rejections.size(); ++i) {
      if (set_ == CaseSet::kSmoke && i % 4 != 0) continue;
      const Call valid = BaseCall(rules_, op, static_cast<int>(i) % kBaseVariants);
      const Call valid_other = BaseCall(rules_, other, static_cast<int>(i) % kBaseVariants);
      Call rejected = valid;
      rejections[i].apply(rejected);
      rejected.tensor(Role::kIndices).data.kind = DataKind::kZero;
      Call rejected_other = valid_other;
      rejected_other.tensor(Role::kSelf).null = true;
      rejected_other.tensor(Role::kIndices).data.kind = DataKind::kZero;
      AddSequence("2P-10/after-another-" + std::string(rejections[i].name),
                  {rejected_other, rejected, valid_other, valid});
    }
  }

  // 2P-03: enough work that an implementation which returns early is still at it.
  void AddLate(Operator op) {
    for (const DataType type : Types(op)) {
      Call call = OverlapCall(op, type, true);
      for (const Role role : BackwardRoles()) {
        call.tensor(role).shape.front() = Count(4, 16, 64);
      }
      call.tensor(Role::kIndices).data.kind = DataKind::kWindow;
      Add("2P-03/many-planes-" + DataTypeName(type), std::move(call), CallPlan{.repeat = 2});
    }
  }

  // SAF-06.
  void AddGrowth(Operator op) {
    const int calls = Count(200, 2000, 10000);
    for (int variant = 0; variant < Count(1, 1, kBaseVariants); ++variant) {
      Add("SAF-06/calls-" + std::to_string(calls) + "-v" + std::to_string(variant),
          BaseCall(rules_, op, variant), CallPlan{.growth_calls = calls});
    }
    // What is made for a view, a rank or a list may be kept where the rest is not; so may what was
    // made before a call was refused.
    const CallPlan plan{.growth_calls = Count(120, 240, 2000)};
    std::vector<Call> refused;
    for (const Rejection& rejection : Rejections(op)) {
      Call& call = refused.emplace_back(BaseCall(rules_, op, static_cast<int>(refused.size()) % 4));
      rejection.apply(call);
      call.tensor(Role::kIndices).data.kind = DataKind::kZero;
    }
    AddSequence("SAF-06/refused-calls", std::move(refused), plan);
    if (set_ == CaseSet::kSmoke) return;
    std::vector<Call> kinds;
    for (int variant = 0; variant < kBaseVariants; ++variant) {
      kinds.push_back(BaseCall(rules_, op, variant));
      Call& view = kinds.emplace_back(kinds.back());
      const Role role = GradientRoles()[static_cast<std::size_t>(variant) % 3];
      ApplyLayout(view.tensor(role), kLayouts[static_cast<std::size_t>(variant)],
                  InfoOf(op).spatial_rank);
    }
    AddSequence("SAF-06/kinds-of-calls", std::move(kinds), plan);
  }

  // SAF-04: the result is undocumented; memory outside gradInput must stay as it was. Windows of a
  // few cells are gathered, those of some hundred are scattered through memory.
  void AddOutsidePlane(Operator op) {
    AddOutsidePlaneOfLargeWindows(op);
    for (const DataType index_type : rules_.IndexTypes(op)) {
      for (int variant = 0; variant < Count(1, 2, kBaseVariants); ++variant) {
        Call base = BaseCall(rules_, op, variant);
        base.tensor(Role::kIndices).type = index_type;
        base.tensor(Role::kIndices).data.kind = DataKind::kWindow;
        const std::int64_t plane =
            PlaneElements(base.tensor(Role::kSelf).shape, InfoOf(op).spatial_rank).value();
        const std::int64_t count = CheckedNumel(base.tensor(Role::kIndices).shape).value();
        std::vector<std::pair<std::string, std::int64_t>> values = {
            {"minus-1", -1},
            {"minus-plane", -plane},
            {"plane", plane},
            {"plane-plus-1", plane + 1},
            {"int32-min", std::numeric_limits<std::int32_t>::min()},
            {"int32-max", std::numeric_limits<std::int32_t>::max()}};
        if (index_type == DataType::kInt64) {
          values.insert(values.end(), {{"two-to-32", std::int64_t{1} << 32},
                                       {"int64-min", std::numeric_limits<std::int64_t>::min()},
                                       {"int64-max", std::numeric_limits<std::int64_t>::max()}});
        }
        for (const auto& [word, value] : values) {
          const std::string suffix =
              word + "-" + DataTypeName(index_type) + "-v" + std::to_string(variant);
          const auto bits = static_cast<std::uint64_t>(value);
          const std::string neighbour = PathOf({.op = op,
                                                .type = base.tensor(Role::kSelf).type,
                                                .index_type = index_type,
                                                .geometry = variant});
          Call first = base;
          first.tensor(Role::kIndices).data.patches = {{0, bits}};
          Add("SAF-04/first-" + suffix, std::move(first), {}, Aim::kNone, neighbour);
          if (set_ == CaseSet::kSmoke) continue;
          Call last = base;
          last.tensor(Role::kIndices).data.patches = {{count - 1, bits}};
          Add("SAF-04/last-" + suffix, std::move(last), {}, Aim::kNone, neighbour);
          Call all = base;
          all.tensor(Role::kIndices).data.kind = DataKind::kConstant;
          all.tensor(Role::kIndices).data.literal = {bits};
          Add("SAF-04/every-" + suffix, std::move(all), {}, Aim::kNone, neighbour);
        }
      }
    }
  }

  void AddOutsidePlaneOfLargeWindows(Operator op) {
    struct Row {
      const char* name;
      std::array<std::int64_t, 3> window;
      std::array<std::int64_t, 3> outputs;
    };
    // Planes of two axes have the last two.
    constexpr std::array kRows = {Row{"windows-7", {7, 7, 13}, {1, 1, 2}},
                                  Row{"windows-16", {1, 16, 16}, {1, 2, 3}},
                                  Row{"windows-23", {5, 23, 23}, {1, 2, 2}}};
    const auto axes = static_cast<std::size_t>(InfoOf(op).spatial_rank);
    const std::vector<DataType> types = rules_.ValueTypes(op);
    const std::vector<DataType> index_types = rules_.IndexTypes(op);
    std::size_t turn = 0;
    for (int i = 0; i < Count(1, 3, 3); ++i) {
      const Row& row = kRows[static_cast<std::size_t>(i)];
      BaseGeometry geometry = {.self = {1, 2}, .padding = {0}, .dilation = {1}};
      for (std::size_t axis = 3 - axes; axis < 3; ++axis) {
        geometry.kernel.push_back(row.window[axis]);
        geometry.stride.push_back(row.window[axis]);
        geometry.output.push_back(row.outputs[axis]);
        geometry.self.push_back(row.window[axis] * row.outputs[axis]);
      }
      const DataType type = types[turn % types.size()];
      const DataType index_type = index_types[turn++ % index_types.size()];
      Call call = MakeBackward(op, type, index_type, geometry);
      call.tensor(Role::kIndices).data.kind = DataKind::kWindow;
      const std::int64_t plane = PlaneElements(geometry.self, InfoOf(op).spatial_rank).value();
      const std::string neighbour = PathOf({.op = op, .type = type, .index_type = index_type});
      for (const auto& [word, value] :
           {std::pair{"minus-1", std::int64_t{-1}}, std::pair{"minus-plane", -plane},
            std::pair{"plane", plane}, std::pair{"plane-twice", 2 * plane}}) {
        Call outside = call;
        outside.tensor(Role::kIndices).data.patches = {{0, static_cast<std::uint64_t>(value)}};
        Add("SAF-04/" + std::string(row.name) + "-" + word + "-" + DataTypeName(index_type),
            std::move(outside), {}, Aim::kNone, neighbour);
      }
    }
  }

  // Inside the plane, outside the window: recorded.
  void AddOutsideWindow(Operator op) {
    for (int variant = 0; variant < Count(1, 4, kBaseVariants); ++variant) {
      const std::string suffix = "-v" + std::to_string(variant);
      Call anywhere = BaseCall(rules_, op, variant);
      anywhere.tensor(Role::kIndices).data.kind = DataKind::kPlane;
      Add("open/indices-anywhere" + suffix, std::move(anywhere), {});
      Call one = BaseCall(rules_, op, variant);
      one.tensor(Role::kIndices).data.kind = DataKind::kConstant;
      one.tensor(Role::kIndices).data.literal = {1};
      Add("open/indices-all-1" + suffix, std::move(one), {});
    }
  }

  // AMP2-C02, AMP3-C02: right numbers above 2^24 elements. self is one element seen everywhere,
  // since its values play no part.
  void AddLargePlanes(Operator op) {
    const std::string id = rules_.IdOf(op, Condition::kDivisibleAboveLimit);
    if (id.empty()) return;
    struct Row {
      DataType type;
      DataType index_type;
      DataKind kind;
      Dims output;
    };
    // Each type before any comes twice, for implementations of one type. First the last elements of
    // windows: others hardly reach the indices above 2^24, of which every second is odd.
    const std::vector<Row> rows = {
        {DataType::kFloat16, DataType::kInt32, DataKind::kLast, {8, 8}},
        {DataType::kBf16, DataType::kInt64, DataKind::kLast, {16, 4}},
        {DataType::kFloat, DataType::kInt32, DataKind::kLast, {4096, 27}},
        {DataType::kFloat, DataType::kInt64, DataKind::kWindow, {2, 513}},
        {DataType::kFloat16, DataType::kInt64, DataKind::kWindow, {1, 1}},
        {DataType::kBf16, DataType::kInt32, DataKind::kWindow, {64, 108}}};
    for (int i = 0; i < Count(1, 3, 6); ++i) {
      Row row = rows[static_cast<std::size_t>(i)];
      if (!rules_.TakesIndices(op, row.index_type)) row.index_type = DataType::kInt32;
      Dims self = {1, 4096, 4104};
      if (InfoOf(op).spatial_rank == 3) {
        self = {1, 4, 1024, 4104};
        // As many slices, or a quarter of the rows, as the plane of two axes has.
        row.output.insert(row.output.begin(), row.output[0] > 1 ? 2 : 1);
        row.output[1] = std::min<std::int64_t>(row.output[1], 1024);
      }
      Call call = MakeAdaptiveBackward(op, row.type, row.index_type, self, row.output);
      call.tensor(Role::kSelf).strides = Dims(self.size(), 0);
      call.tensor(Role::kIndices).data.kind = row.kind;
      Add(id + "/" + DataTypeName(row.type) + "-" + DataTypeName(row.index_type) + "-" +
              Word(row.kind) + "-" + DimsWord(Dims(self.begin() + 1, self.end())) + "-to-" +
              DimsWord(row.output),
          std::move(call), {});
    }
  }

  const ProfileRules rules_;
  const CaseSet set_;
  std::vector<NamedCase> cases_;
};

}  // namespace

std::vector<NamedCase> ProtocolCases(const Spec& spec, Profile profile, CaseSet set) {
  return ProtocolCollector(spec, profile, set).Run();
}

}  // namespace poolproof
