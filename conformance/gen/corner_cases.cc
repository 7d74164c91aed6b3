// SPDX-License-Identifier: Apache-2.0
//
// Corner cases: what is legal, or must be refused, where narrow integers, floating-point quotients
// and tile sizes end. Lists whose lengths and values look legal when cut to fewer bits; windows and
// paddings of many hundreds up to 2^20; adaptive axes of several thousand; rows of tens of
// thousands beside closed pages; gradients that are one element seen many times, in every layout.
// Names start with what the case is for; of status clauses, with the clause.
#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <utility>

#include "conformance/gen/case_bases.h"
#include "conformance/gen/sources.h"
#include "conformance/gen/status_faults.h"

namespace poolproof {
namespace {

constexpr std::int64_t kTwo20 = std::int64_t{1} << 20;

class Corners {
 public:
  Corners(const Spec& spec, Profile profile, CaseSet set) : rules_(spec, profile), set_(set) {}

  std::vector<NamedCase> Run() {
    for (const Operator op : rules_.CoveredBackwards()) {
      if (InfoOf(op).windows == WindowRule::kFixed) {
        AddListLengths(op);
        AddListValues(op);
        AddLongWindows(op);
        AddHugeKernels(op);
      } else {
        AddQuotients(op);
      }
      AddTwoBadArguments(op);
      AddEmptyPlanesAboveLimit(op);
      AddLongRows(op);
      AddWideOutputs(op);
      AddExpanded(op);
    }
    return std::move(cases_);
  }

 private:
  void Add(std::string name, Call call, CallPlan plan = {}) {
    GiveMagnitudes(call);
    SeedData(call, SeedOfName(name));
    cases_.push_back({"corners", std::move(name), Case{{std::move(call)}, plan}});
  }
  // A call that breaches the operator's clause on the condition; none where it has none here.
  // Index 0 lies in every plane: one that carries the call out does no damage.
  void AddBreach(Operator op, Condition condition, const std::string& what, Call call,
                 CallPlan plan = {}) {
    const std::string id = rules_.IdOf(op, condition);
    if (id.empty()) return;
    call.tensor(Role::kIndices).data.kind = DataKind::kZero;
    Add(id + "/" + what, std::move(call), plan);
    cases_.back().clause = id;
    cases_.back().aim = Aim::kBreach;
  }

  [[nodiscard]] bool Skips(std::size_t turn, std::size_t smoke_takes_every) const {
    return set_ == CaseSet::kSmoke && turn % smoke_takes_every != 0;
  }
  [[nodiscard]] DataType NextType(Operator op) {
    const std::vector<DataType> types = rules_.ValueTypes(op);
    return types[turn_++ % types.size()];
  }
  [[nodiscard]] DataType NextIndexType(Operator op) {
    const std::vector<DataType> types = rules_.IndexTypes(op);
    return types[index_turn_++ % types.size()];
  }
  static std::size_t AxesOf(Operator op) {
    return static_cast<std::size_t>(InfoOf(op).spatial_rank);
  }
  // `value` on one axis of the plane, `other` on the rest.
  static Dims OnAxis(Operator op, std::int64_t other, std::size_t axis, std::int64_t value) {
    return ListWithValue(AxesOf(op), other, axis, value);
  }
  static Dims WithLeading(Dims leading, const Dims& plane) {
    leading.insert(leading.end(), plane.begin(), plane.end());
    return leading;
  }

  // --- Two bad arguments
  // ---------------------------------------------------------------------------

  // Each two arguments of a call, both null, or one null and the other wrong: one that finds one of
  // them must not look at the other as if it were right.
  void AddTwoBadArguments(Operator op) {
    const OperatorInfo& info = InfoOf(op);
    struct Argument {
      std::string name;
      bool required;  // that it is no null
      std::function<void(Call&)> remove;
      std::function<void(Call&)> spoil;
    };
    const auto is_required = [&](Condition condition) {
      const Clause* clause = rules_.Of(op, condition);
      return clause != nullptr && clause->strength == Strength::kRequired;
    };
    std::vector<Argument> arguments;
    for (const Role role : info.tensors) {
      arguments.push_back({std::string(RoleName(role)), is_required(NullCondition(role)),
                           [=](Call& call) { call.tensor(role).null = true; },
                           [=](Call& call) {
                             // Of another type, format and rank at once.
                             TensorSpec& tensor = call.tensor(role);
                             tensor.type = DataType::kInt8;
                             tensor.format = Format::kFractalNz;
                             tensor.shape = {3};
                           }});
    }
    for (const List list : info.lists) {
      arguments.push_back({std::string(ListName(list)), is_required(Condition::kNullList),
                           [=](Call& call) { call.list(list).reset(); },
                           [=](Call& call) { call.list(list) = Dims(5, -1); }});
    }
    std::size_t turn = 0;
    for (std::size_t a = 0; a < arguments.size(); ++a) {
      for (std::size_t b = 0; b < arguments.size(); ++b) {
        if (a == b) continue;
        const auto add = [&](const std::string& word, const std::function<void(Call&)>& change) {
          if (Skips(turn++, 23)) return;
          Call call = BaseCall(rules_, op, static_cast<int>(turn) % kBaseVariants);
          arguments[a].remove(call);
          change(call);
          call.tensor(Role::kIndices).data.kind = DataKind::kZero;
          Add("two-bad/null-" + arguments[a].name + "-and-" + word + arguments[b].name,
              std::move(call));
        };
        if (a < b) add("null-", arguments[b].remove);
        // (Where the null alone is an advisory matter, its status would be taken for a wrong one.)
        if (arguments[a].required) add("wrong-", arguments[b].spoil);
      }
      // Beside a null out-pointer, which no message must be written through.
      for (const bool size : {true, false}) {
        if (Skips(turn++, 23)) continue;
        Call call = BaseCall(rules_, op, static_cast<int>(turn) % kBaseVariants);
        arguments[a].remove(call);
        call.tensor(Role::kIndices).data.kind = DataKind::kZero;
        CallPlan plan;
        (size ? plan.null_workspace_size : plan.null_executor_out) = true;
        Add("two-bad/null-" + arguments[a].name + "-and-null-" +
                (size ? "workspaceSize" : "executor"),
            std::move(call), plan);
      }
    }
  }

  // --- Lists that are legal in fewer bits --------------------------------------------------------

  void AddListLengths(Operator op) {
    std::size_t turn = 0;
    for (const ListRule& rule : InfoOf(op).list_rules) {
      for (const std::int64_t border : {std::int64_t{256}, kTwo16}) {
        for (const std::size_t legal : rule.lengths) {
          // Of each list, every set has the length that is the number of axes in 16 bits.
          const bool plain = border == kTwo16 && legal == rule.lengths.back();
          if (Skips(turn++, 5) && !plain) continue;
          const std::size_t length = static_cast<std::size_t>(border) + legal;
          Call call = BaseCall(rules_, op, 2);
          // What the base has there, so that the first values alone make a legal call.
          const Dims& own = *call.list(rule.list);
          const std::int64_t value = own.empty() ? 2 : own.front();
          call.list(rule.list) = Dims(length, value);
          AddBreach(op, rule.wrong_length, "length-" + std::to_string(length), std::move(call));
        }
      }
    }
  }

  // One window on the axis, whether the value is taken whole or cut to fewer bits: nothing but the
  // value itself is wrong.
  void AddListValues(Operator op) {
    const std::size_t axes = AxesOf(op);
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const std::string word = AxisWord(axes, axis);
      const auto call = [&](std::int64_t extent, std::int64_t kernel, std::int64_t stride,
                            std::int64_t padding) {
        Call made = MakeFixedBackward(op, NextType(op), NextIndexType(op),
                                      WithLeading({1, 1}, OnAxis(op, 1, axis, extent)),
                                      OnAxis(op, 1, axis, kernel), OnAxis(op, 1, axis, stride),
                                      OnAxis(op, 0, axis, padding), {1}, false);
        SetOutputShape(made, Dims(axes + 2, 1));
        return made;
      };
      for (const std::int64_t stride :
           {1 - kTwo16, 2 - kTwo16, -kTwo16, 1 - kTwo32, 2 - kTwo32, -kTwo32}) {
        if (set_ == CaseSet::kSmoke && stride != 1 - kTwo32) continue;
        AddBreach(op, Condition::kStrideValue, word + "-one-window-" + ValueWord(stride),
                  call(2, 2, stride, 0));
      }
      // The first window fits, and the next would start far beyond it.
      for (const std::int64_t kernel : {1 - kTwo16, 2 - kTwo16, 1 - kTwo32, 2 - kTwo32}) {
        if (set_ == CaseSet::kSmoke) continue;
        AddBreach(op, Condition::kKernelValue, word + "-one-window-" + ValueWord(kernel),
                  call(2, kernel, kTwo32 * 4, 0));
      }
      for (const std::int64_t border : {std::int64_t{256}, kTwo16}) {
        // The padded axis is as long as the kernel.
        AddBreach(op, Condition::kPaddingNegative, word + "-one-window-" + ValueWord(-border),
                  call(2 * border + 2, 2, 1, -border));
        AddBreach(op,
                  rules_.Applies(op, Condition::kPaddingAboveKernel)
                      ? Condition::kPaddingAboveKernel
                      : Condition::kPaddingAboveHalf,
                  word + "-one-window-padding-" + ValueWord(border), call(2, 2, kTwo20, border));
      }
    }
  }

  // A plane above the limit of which there is none: no number of elements tells.
  void AddEmptyPlanesAboveLimit(Operator op) {
    const CallPlan descriptors{.descriptors_only = true};
    const std::size_t axes = AxesOf(op);
    const Dims plane(axes, 1);
    for (std::size_t axis = 0; axis < axes; ++axis) {
      for (const bool wraps : {false, true}) {
        if (wraps && axes == 2 && axis == 1) continue;  // the same as before
        for (const Dims& leading : std::vector<Dims>{{0, 1}, {1, 0}, {0}}) {
          if (set_ == CaseSet::kSmoke && !wraps) continue;
          Dims spatial = plane;
          // 2^31 elements; or 2^64, which are none in 64 bits.
          spatial[axis] = wraps ? kTwo32 : kTwo31;
          if (wraps) spatial[(axis + 1) % axes] = kTwo32;
          BaseGeometry geometry{.self = WithLeading(leading, spatial),
                                .kernel = {1},
                                .stride = spatial,
                                .padding = {0},
                                .dilation = {1},
                                .output = plane};
          AddBreach(
              op, Condition::kPlaneLimit,
              "none-of-" + DimsWord(geometry.self) + (leading.size() == 1 ? "-unbatched" : ""),
              MakeBackward(op, NextType(op), DataType::kInt32, geometry), descriptors);
        }
      }
    }
  }

  // --- Long windows ------------------------------------------------------------------------------

  void AddLongWindows(Operator op) {
    struct Row {
      std::int64_t input;
      std::int64_t kernel;
      std::int64_t stride;
      std::int64_t padding;
    };
    constexpr std::array kRows = {Row{2000, 600, 500, 300}, Row{900, 513, 256, 256},
                                  Row{1500, 777, 311, 388}, Row{3, 1024, 1, 512},
                                  Row{1100, 1025, 7, 512},  Row{2500, 1300, 1300, 650},
                                  Row{40, 2047, 3, 1023},   Row{5000, 4097, 450, 2048}};
    const std::size_t axes = AxesOf(op);
    for (std::size_t i = 0; i < kRows.size(); ++i) {
      for (std::size_t axis = 0; axis < axes; ++axis) {
        if (Skips(i * axes + axis, 7)) continue;
        const Row& row = kRows[i];
        const DataType type = NextType(op);
        Call call = MakeFixedBackward(
            op, type, NextIndexType(op), WithLeading({1, 2}, OnAxis(op, 2, axis, row.input)),
            OnAxis(op, 1, axis, row.kernel), OnAxis(op, 1, axis, row.stride),
            OnAxis(op, 0, axis, row.padding), {1}, i % 2 == 1);
        call.tensor(Role::kIndices).data.kind = DataKind::kWindow;
        call.tensor(Role::kGradOutput).data.kind = i % 3 == 0 ? DataKind::kCoded : DataKind::kExact;
        Add("long-window/" + AxisWord(axes, axis) + "-" + std::to_string(row.kernel) + "-padding-" +
                std::to_string(row.padding) + "-" + DataTypeName(type),
            std::move(call));
      }
    }
  }

  // Windows that reach beyond a small plane on all sides: sizes of tiles that are computed from the
  // kernel alone wrap.
  void AddHugeKernels(Operator op) {
    const std::size_t axes = AxesOf(op);
    std::size_t turn = 0;
    for (const std::int64_t kernel : {kTwo16, kTwo20 / 2, kTwo20, kTwo20 + 1}) {
      for (std::size_t axis = 0; axis <= axes; ++axis) {
        if (Skips(turn++, 7)) continue;
        const bool all = axis == axes;
        const auto list = [&](std::int64_t other, std::int64_t value) {
          return all ? Dims(axes, value) : OnAxis(op, other, axis, value);
        };
        const DataType type = NextType(op);
        Call call = MakeFixedBackward(
            op, type, NextIndexType(op), WithLeading({1, 2}, Dims(axes, 4)), list(2, kernel),
            list(2, turn % 2 == 0 ? 1 : 3), list(1, kernel / 2), {1}, false);
        call.tensor(Role::kIndices).data.kind = DataKind::kWindow;
        Add("huge-kernel/" + AxisWord(axes, axis) + "-" + std::to_string(kernel) + "-" +
                DataTypeName(type),
            std::move(call));
      }
    }
  }

  // --- Adaptive axes of several thousand ---------------------------------------------------------

  // Extents at which FLOAT quotients, products with a FLOAT ratio and with a FLOAT reciprocal put
  // the start of a window too high or its end too low. Indices are first and last positions: what a
  // window lacks loses its gradient.
  void AddQuotients(Operator op) {
    struct Pair {
      std::int64_t input;
      std::int64_t output;
    };
    constexpr std::array kPairs = {Pair{9076, 8763}, Pair{9888, 9547},  Pair{9643, 9268},
                                   Pair{9223, 8905}, Pair{8978, 8131},  Pair{8887, 7406},
                                   Pair{5923, 2961}, Pair{9832, 19227}, Pair{9923, 19604}};
    const std::size_t axes = AxesOf(op);
    for (std::size_t i = 0; i < kPairs.size(); ++i) {
      for (std::size_t axis = 0; axis < axes; ++axis) {
        // Each pair along one axis, and in the large set along all.
        if (set_ != CaseSet::kNightly && i % axes != axis) continue;
        for (const DataKind kind : {DataKind::kFirst, DataKind::kLast}) {
          if (Skips(i, 4)) continue;
          const DataType type = NextType(op);
          const auto& [input, output] = kPairs[i];
          Call call = MakeAdaptiveBackward(op, type, NextIndexType(op),
                                           WithLeading({1, 1}, OnAxis(op, 1, axis, input)),
                                           OnAxis(op, 1, axis, output));
          call.tensor(Role::kIndices).data.kind = kind;
          Add("quotient/" + AxisWord(axes, axis) + "-" + std::to_string(input) + "-to-" +
                  std::to_string(output) + (kind == DataKind::kFirst ? "-first-" : "-last-") +
                  DataTypeName(type),
              std::move(call));
        }
      }
    }
  }

  // --- Long rows beside closed pages -------------------------------------------------------------

  // Rows of outputs that kernels cut into pieces, of windows of several hundred elements: the last
  // piece is shorter than the others.
  void AddLongRows(Operator op) {
    const std::size_t axes = AxesOf(op);
    std::size_t turn = 0;
    for (const std::int64_t width : {24'544, 24'545, 24'601, 32'725, 32'726, 32'769, 49'100}) {
      for (const Guard guard : {Guard::kAfter, Guard::kBefore}) {
        if (guard == Guard::kBefore && set_ != CaseSet::kNightly && width != 32'769) continue;
        if (Skips(turn++, 9)) continue;
        const DataType type = NextType(op);
        Dims plane(axes, 1);
        Dims output(axes, 1);
        output.back() = width;
        BaseGeometry geometry{.dilation = {1}};
        if (InfoOf(op).windows == WindowRule::kFixed) {
          // 16 by 16 cells, most of them padding.
          plane.back() = width - 1;
          geometry.kernel = OnAxis(op, 1, axes - 1, 16);
          geometry.kernel[axes - 2] = 16;
          geometry.stride = {1};
          geometry.padding = OnAxis(op, 0, axes - 1, 8);
          geometry.padding[axes - 2] = 8;
        } else {
          // 250 cells above one another, and rows that are stretched.
          plane[axes - 2] = 250;
          plane.back() = 40;
        }
        geometry.self = WithLeading({1, 1}, plane);
        geometry.output = output;
        Call call = MakeBackward(op, type, NextIndexType(op), geometry);
        call.tensor(Role::kSelf).data.kind = DataKind::kZero;
        call.tensor(Role::kIndices).data.kind = DataKind::kWindow;
        CallPlan plan;
        plan.guard = guard;
        Add("long-row/" + std::to_string(width) + "-" + DataTypeName(type) +
                (guard == Guard::kBefore ? "-guard-before" : "-guard-after"),
            std::move(call), plan);
      }
    }
  }

  // Rows of outputs of more than 65,536 bytes, in every type: a row no longer fits where kernels
  // keep one.
  void AddWideOutputs(Operator op) {
    std::size_t turn = 0;
    for (const DataType type : rules_.ValueTypes(op)) {
      const std::int64_t width = kTwo16 / StorageBytes(type);
      for (const std::int64_t more : {1, 64}) {
        if (Skips(turn++, 5)) continue;
        Dims plane(AxesOf(op), 1);
        plane.back() = width + more;
        const bool tiles = more > 1;
        BaseGeometry geometry{.kernel = OnAxis(op, 1, AxesOf(op) - 1, tiles ? 1 : 2),
                              .stride = {1},
                              .padding = {0},
                              .dilation = {1},
                              .output = plane};
        if (!tiles) ++plane.back();
        geometry.self = WithLeading(tiles ? Dims{1} : Dims{1, 1}, plane);
        Call call = MakeBackward(op, type, NextIndexType(op), geometry);
        call.tensor(Role::kSelf).data.kind = DataKind::kZero;
        call.tensor(Role::kIndices).data.kind = DataKind::kWindow;
        Add("wide-output/" + std::to_string(width + more) + "-" + DataTypeName(type),
            std::move(call));
      }
    }
  }

  // --- Expanded gradients ------------------------------------------------------------------------

  // Every layout of gradOutput with one axis after the other that is one element seen many times,
  // and with all of them.
  void AddExpanded(Operator op) {
    std::size_t turn = 0;
    for (const Layout layout : kLayouts) {
      if (layout == Layout::kBroadcast) continue;
      for (int variant = 0; variant < (set_ == CaseSet::kNightly ? kBaseVariants : 2); ++variant) {
        const Call base = BaseCall(rules_, op, variant);
        const std::size_t rank = base.tensor(Role::kGradOutput).shape.size();
        for (std::size_t axis = 0; axis <= rank; ++axis) {
          const std::size_t number = turn++;
          if (Skips(number, 29)) continue;
          Call call = base;
          TensorSpec& gradients = call.tensor(Role::kGradOutput);
          // An axis of one element is expanded whatever its stride is.
          if (axis < rank && gradients.shape[axis] == 1) continue;
          ApplyLayout(gradients, layout, InfoOf(op).spatial_rank);
          if (gradients.strides.empty()) gradients.strides = ContiguousStrides(gradients.shape);
          if (axis == rank) {
            std::fill(gradients.strides.begin(), gradients.strides.end(), 0);
          } else {
            gradients.strides[axis] = 0;
          }
          gradients.data.kind = DataKind::kUniform;
          SetGradientType(call, NextType(op));
          // The result lies as the gradients do, every other time.
          if (number % 2 == 1) {
            ApplyLayout(call.tensor(Role::kGradInput), layout, InfoOf(op).spatial_rank);
          }
          Add("expanded/" + std::string(LayoutName(layout)) + "-" +
                  (axis == rank ? std::string("all") : "axis-" + std::to_string(axis)) + "-v" +
                  std::to_string(variant),
              std::move(call));
        }
      }
    }
  }

  const ProfileRules rules_;
  const CaseSet set_;
  std::size_t turn_ = 0;
  std::size_t index_turn_ = 0;
  std::vector<NamedCase> cases_;
};

}  // namespace

std::vector<NamedCase> CornerCases(const Spec& spec, Profile profile, CaseSet set) {
  return Corners(spec, profile, set).Run();
}

}  // namespace poolproof
