// SPDX-License-Identifier: Apache-2.0
//
// Forward cases: what forwards get wrong, swept instead of drawn. Planes in which a narrow type no
// longer counts cells, with maxima late in the plane; rows of every width that vectors and tiles
// have; axes so long that products of extents leave 32 bits and quotients of floats are off by one;
// NaN and infinities, lowest values beside padding; views of self and of the outputs; pages that
// nobody may touch.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "conformance/case/passed_axes.h"
#include "conformance/gen/case_bases.h"
#include "conformance/gen/sources.h"
#include "core/float_bits.h"
#include "core/random.h"

namespace poolproof {
namespace {

struct ForwardBudget {
  std::size_t widths;     // of kForwardWidths
  std::size_t borders;    // of kBorders
  std::size_t all_types;  // of the borders, those that every type meets
  std::size_t long_axes;  // of kLongAxes
  bool all_positions;     // long axes in every position, layouts for every type
  int above_float;        // adaptive operators that meet planes above 2^24 elements
  bool lowest_padded;     // windows that reach into padding hold nothing but lowest values
};

ForwardBudget ForwardBudgetOf(CaseSet set) {
  switch (set) {
    case CaseSet::kSmoke:
      return {3, 1, 1, 0, false, 0, false};
    case CaseSet::kCi:
      return {11, 3, 2, 2, false, 1, true};
    case CaseSet::kNightly:
      break;
  }
  return {18, 3, 3, 4, true, 2, true};
}

// The most telling first.
constexpr std::array<std::int64_t, 18> kForwardWidths = {16, 33, 70, 17, 64, 31, 20, 32, 65,
                                                         48, 63, 15, 19, 24, 40, 47, 49, 129};
// Cells that bf16, f16 and uint16 count.
constexpr std::array<std::int64_t, 3> kBorders = {256, 2048, 65536};

struct LongAxis {
  std::int64_t input;
  std::int64_t output;
};
constexpr std::array<LongAxis, 4> kLongAxes = {
    {{70000, 40000}, {5003, 3001}, {65537, 9973}, {8191, 4099}}};

class Forwards {
 public:
  Forwards(const Spec& spec, Profile profile, CaseSet set)
      : rules_(spec, profile), budget_(ForwardBudgetOf(set)) {}

  std::vector<NamedCase> Run() {
    int large = budget_.above_float;
    for (const Operator backward : BackwardOperators()) {
      const Operator op = InfoOf(backward).forward;
      if (!rules_.Covers(backward) || !rules_.Covers(op)) continue;
      AddPlain(backward);
      AddBorders(backward);
      AddWidths(backward);
      AddSpecials(backward);
      AddLowestPadded(backward);
      AddLongAxes(backward);
      AddLayouts(backward);
      AddFormats(backward);
      AddGuards(backward);
      if (large > 0 && InfoOf(op).windows == WindowRule::kAdaptive) {
        AddAboveFloat(backward);
        --large;
      }
    }
    return std::move(cases_);
  }

 private:
  // Windows over a plane: `cells` wide, and as far apart, along each axis.
  struct Tiling {
    Dims plane;  // of the operator's axes
    Dims cells;
    bool overlapping = false;
  };

  DataType NextType(Operator op) {
    const std::vector<DataType> types = rules_.ValueTypes(op);
    return types[turn_++ % types.size()];
  }

  static Dims Fitted(const Dims& dims, Operator op) {
    return Dims(dims.end() - InfoOf(op).spatial_rank, dims.end());
  }

  // `leading` N and C, or C alone. Planes and cells are given for three axes.
  [[nodiscard]] Call Make(Operator backward, DataType type, Dims leading,
                          const Tiling& tiling) const {
    const Dims plane = Fitted(tiling.plane, backward);
    const Dims cells = Fitted(tiling.cells, backward);
    BaseGeometry geometry = {.self = std::move(leading),
                             .kernel = cells,
                             .stride = cells,
                             .padding = {0},
                             .dilation = {1}};
    geometry.self.insert(geometry.self.end(), plane.begin(), plane.end());
    for (std::size_t axis = 0; axis < plane.size(); ++axis) {
      const std::int64_t windows = std::max<std::int64_t>(plane[axis] / cells[axis], 1);
      geometry.output.push_back(windows + (tiling.overlapping && plane[axis] > windows ? 1 : 0));
      if (tiling.overlapping) {
        geometry.stride[axis] = std::max<std::int64_t>(cells[axis] - 1, 1);
      }
    }
    const DataType index_type = rules_.IndexTypes(InfoOf(backward).forward).back();
    Call call = MakeForward(MakeBackward(backward, type, index_type, geometry));
    call.tensor(Role::kSelf).data.kind = DataKind::kUniform;
    return call;
  }

  void Add(Operator backward, Condition made_for, std::string name, Call call, CallPlan plan = {}) {
    SeedData(call, SeedOfName(name));
    NamedCase named{"forward", std::move(name), Case{{std::move(call)}, plan}};
    named.clause = rules_.IdOf(backward, made_for);
    cases_.push_back(std::move(named));
  }

  // Normal numbers whose differences are subnormal, of both signs.
  static Data LeastNormals(const TensorSpec& tensor) {
    Data data{DataKind::kLiteral, 0, {}, {}};
    const int stored = TraitsOf(tensor.type).precision - 1;
    const std::uint64_t least = std::uint64_t{1} << stored;
    const auto numel = static_cast<std::uint64_t>(CheckedNumel(tensor.shape).value_or(0));
    for (std::uint64_t i = 0; i < numel; ++i) {
      const std::uint64_t sign =
          i % 3 == 0 ? least << (StorageBytes(tensor.type) * 8 - 1 - stored) : 0;
      data.literal.push_back(sign | least | RandomBelow(numel, i, least));
    }
    return data;
  }

  // Overlapping windows, ties, short lists, the smallest numbers.
  void AddPlain(Operator backward) {
    for (const DataType type : rules_.ValueTypes(InfoOf(backward).forward)) {
      const std::string suffix = "-" + DataTypeName(type);
      const Tiling tiling = {{3, 5, 7}, {2, 2, 3}, true};
      Add(backward, Condition::kForwardAnswers, "plain/batched" + suffix,
          Make(backward, type, {2, 3}, tiling));
      Add(backward, Condition::kForwardAnswers, "plain/unbatched" + suffix,
          Make(backward, type, {3}, tiling));
      Call ties = Make(backward, type, {2, 2}, tiling);
      ties.tensor(Role::kSelf).data.kind = DataKind::kTies;
      Add(backward, Condition::kForwardArgmax, "plain/ties" + suffix, std::move(ties));
      Call least = Make(backward, type, {1, 2}, tiling);
      least.tensor(Role::kSelf).data = LeastNormals(least.tensor(Role::kSelf));
      Add(backward, Condition::kForwardArgmax, "plain/least-normals" + suffix, std::move(least));
      if (InfoOf(backward).windows != WindowRule::kFixed) continue;
      Call lists = Make(backward, type, {2, 2}, {{4, 6, 8}, {2, 2, 2}});
      lists.list(List::kKernelSize) = Dims{2};
      lists.list(List::kStride) = Dims{};
      Add(backward, Condition::kForwardAnswers, "plain/short-lists" + suffix, std::move(lists));
      Call padded = Make(backward, type, {2, 2}, {{4, 6, 7}, {3, 3, 3}});
      padded.list(List::kKernelSize) = Dims{3};
      padded.list(List::kStride) = Dims{2};
      padded.list(List::kPadding) = Dims{1};
      padded.ceil_mode = true;
      DeriveOutputs(padded);
      Add(backward, Condition::kPaddingNeverWins, "plain/padded-ceil" + suffix, std::move(padded));
    }
  }

  // Just above what a type counts: windows of one cell and of two over the whole plane, and one
  // window whose maximum is the plane's last cell but one.
  void AddBorders(Operator backward) {
    const std::vector<DataType> types = rules_.ValueTypes(InfoOf(backward).forward);
    for (std::size_t i = 0; i < budget_.borders; ++i) {
      const std::int64_t width = kBorders[i] / 8 + 3;
      const Dims plane = InfoOf(backward).spatial_rank == 3 ? Dims{2, 4, width} : Dims{1, 8, width};
      const std::int64_t numel = 8 * width;
      for (std::size_t k = 0; k < (i < budget_.all_types ? types.size() : 1); ++k) {
        const DataType type = i < budget_.all_types ? types[k] : NextType(InfoOf(backward).forward);
        const std::string suffix =
            "-above-" + std::to_string(kBorders[i]) + "-" + DataTypeName(type);
        Add(backward, Condition::kForwardArgmax, "border/cells" + suffix,
            Make(backward, type, {1, 1}, {plane, {1, 1, 1}}));
        Add(backward, Condition::kForwardArgmax, "border/pairs" + suffix,
            Make(backward, type, {1, 2}, {plane, {1, 1, 2}}));
        Call late = Make(backward, type, {1, 1}, {plane, plane});
        late.tensor(Role::kSelf).data.patches = {{numel - 2, EncodeFloat(2.0, type)}};
        Add(backward, Condition::kForwardArgmax, "border/late" + suffix, std::move(late));
      }
    }
  }

  void AddWidths(Operator backward) {
    for (std::size_t i = 0; i < budget_.widths; ++i) {
      const std::int64_t width = kForwardWidths[i];
      const DataType type = NextType(InfoOf(backward).forward);
      const std::string suffix = std::to_string(width) + "-" + DataTypeName(type);
      Add(backward, Condition::kForwardMaximum, "row/wide-" + suffix,
          Make(backward, type, {2, 2},
               {{2, 5, width}, {1, 2, std::max<std::int64_t>(width / 2, 1)}}));
      Add(backward, Condition::kForwardMaximum, "row/narrow-" + suffix,
          Make(backward, type, {3}, {{2, 3, width}, {2, 2, 3}, true}));
    }
  }

  // One NaN, one infinity of each sign, a plane of minus infinity and one of minus zero.
  void AddSpecials(Operator backward) {
    const Operator op = InfoOf(backward).forward;
    for (const DataType type : rules_.ValueTypes(op)) {
      const std::uint32_t infinity = EncodeFloat(HUGE_VAL, type);
      const std::uint32_t minus = EncodeFloat(-HUGE_VAL, type);
      const std::uint32_t nan = EncodeFloat(NAN, type);
      const Tiling rows = {{2, 3, 37}, {2, 2, 4}, true};
      const std::string suffix = "-" + DataTypeName(type);
      const auto patched = [&](const char* name, std::vector<Patch> patches, const Tiling& tiling) {
        Call call = Make(backward, type, {1, 2}, tiling);
        call.tensor(Role::kSelf).data.patches = std::move(patches);
        Add(backward, Condition::kForwardMaximum, std::string("special/") + name + suffix,
            std::move(call));
      };
      patched("infinity", {{20, infinity}, {111, minus}, {38, infinity}}, rows);
      patched("nan", {{5, nan}, {36, nan}, {80, nan | 1U}}, rows);
      // Rows as they are: windows of one cell each.
      patched("nan-in-wide-rows", {{5, nan}, {130, nan}, {131, infinity}},
              {{1, 4, 67}, {1, 2, 1}, false});
      Call all = Make(backward, type, {1, 2}, rows);
      all.tensor(Role::kSelf).data.kind = DataKind::kConstant;
      all.tensor(Role::kSelf).data.literal = {minus};
      Add(backward, Condition::kForwardMaximum, "special/all-minus-infinity" + suffix, all);
      all.tensor(Role::kSelf).data.literal = {EncodeFloat(-0.0, type)};
      Add(backward, Condition::kForwardMaximum, "special/all-minus-zero" + suffix, std::move(all));
    }
  }

  // Where no element exceeds what padding is taken for: minus infinity, and the lowest finite
  // value.
  void AddLowestPadded(Operator backward) {
    if (!budget_.lowest_padded || InfoOf(backward).windows != WindowRule::kFixed) return;
    for (const DataType type : rules_.ValueTypes(InfoOf(backward).forward)) {
      const std::uint32_t minus = EncodeFloat(-HUGE_VAL, type);
      // One below infinity in the order of bits.
      for (const auto& [name, bits] :
           {std::pair{"minus-infinity", minus}, std::pair{"lowest", minus - 1}}) {
        for (const std::int64_t stride : {1, 2, 3}) {
          Call call = Make(backward, type, {1, 2}, {{3, 5, 37}, {3, 3, 3}});
          call.list(List::kStride) = Dims{stride};
          call.list(List::kPadding) = Dims{1};
          call.ceil_mode = stride == 2;
          DeriveOutputs(call);
          call.tensor(Role::kSelf).data.kind = DataKind::kConstant;
          call.tensor(Role::kSelf).data.literal = {bits};
          Add(backward, Condition::kPaddingNeverWins,
              std::string("special/padded-") + name + "-stride-" + std::to_string(stride) + "-" +
                  DataTypeName(type),
              std::move(call));
        }
      }
    }
  }

  void AddLongAxes(Operator backward) {
    const Operator op = InfoOf(backward).forward;
    const auto axes = static_cast<std::size_t>(InfoOf(op).spatial_rank);
    for (std::size_t i = 0; i < budget_.long_axes; ++i) {
      for (std::size_t axis = 3 - axes; axis < 3; ++axis) {
        if (!budget_.all_positions && axis != 2 && (i + axis) % 2 == 0) continue;
        Dims plane = {1, 1, 1};
        plane[axis] = kLongAxes[i].input;
        Tiling tiling = {plane, {1, 1, 1}};
        if (InfoOf(op).windows == WindowRule::kFixed) tiling.cells[axis] = 2;
        const DataType type = NextType(op);
        Call call = Make(backward, type, {1}, tiling);
        if (InfoOf(op).windows == WindowRule::kAdaptive) {
          (*call.list(List::kOutputSize))[axis - (3 - axes)] = kLongAxes[i].output;
          DeriveOutputs(call);
        }
        Add(backward, Condition::kForwardArgmax,
            "long/" + std::to_string(plane[axis]) + "-on-axis-" + std::to_string(axis) + "-" +
                DataTypeName(type),
            std::move(call));
      }
    }
  }

  // Each operand by itself, and all at once.
  void AddLayouts(Operator backward) {
    const Operator op = InfoOf(backward).forward;
    const std::vector<DataType> types = rules_.ValueTypes(op);
    const Tiling tiling = {{3, 5, 7}, {2, 2, 3}, true};
    for (const Layout layout : kLayouts) {
      for (std::size_t k = 0; k < (budget_.all_positions ? types.size() : 1); ++k) {
        const DataType type = budget_.all_positions ? types[k] : NextType(op);
        const auto add = [&](const std::string& what, const std::vector<Role>& roles) {
          Call call = Make(backward, type, {2, 3}, tiling);
          for (const Role role : roles) {
            const bool shared = layout == Layout::kBroadcast && IsOutput(InfoOf(op), role);
            if (!shared) ApplyLayout(call.tensor(role), layout, InfoOf(op).spatial_rank);
          }
          Add(backward, Condition::kForwardViews,
              "view/" + what + "-" + std::string(LayoutName(layout)) + "-" + DataTypeName(type),
              std::move(call));
        };
        add("self", {Role::kSelf});
        if (layout == Layout::kBroadcast) continue;
        add("out", {Role::kOut});
        add("indices", {Role::kIndices});
        add("all", InfoOf(op).tensors);
      }
    }
  }

  // Formats that a clause of their own mentions.
  void AddFormats(Operator backward) {
    const Operator op = InfoOf(backward).forward;
    for (const SupportedFormat& row : InfoOf(op).formats) {
      if (!row.by || !rules_.Applies(op, *row.by)) continue;
      const bool unbatched = row.rank == SupportedFormat::Rank::kUnbatched;
      for (const DataType type : rules_.ValueTypes(op)) {
        Call call =
            Make(backward, type, unbatched ? Dims{3} : Dims{2, 3}, {{3, 5, 7}, {2, 2, 3}, true});
        SetFormats(call, row.format);
        Add(backward, *row.by,
            "format/" + std::string(FormatName(row.format)) + "-" + DataTypeName(type),
            std::move(call));
      }
    }
  }

  void AddGuards(Operator backward) {
    const Operator op = InfoOf(backward).forward;
    for (const Guard guard : {Guard::kAfter, Guard::kBefore}) {
      for (const std::int64_t width : {9, 33}) {
        const DataType type = NextType(op);
        CallPlan plan;
        plan.guard = guard;
        Call call = Make(backward, type, {1, 3}, {{1, 3, width}, {1, 2, 3}, true});
        if (width == 33)
          ApplyLayout(call.tensor(Role::kSelf), Layout::kGaps, InfoOf(op).spatial_rank);
        Add(backward, Condition::kForwardAnswers,
            std::string("guard/") + (guard == Guard::kAfter ? "after-" : "before-") +
                std::to_string(width) + "-" + DataTypeName(type),
            std::move(call), plan);
      }
    }
  }

  // Above 2^24 elements a float skips every other index. All else is zero: two maxima at odd
  // places of windows near the plane's end.
  void AddAboveFloat(Operator backward) {
    const Operator op = InfoOf(backward).forward;
    const std::vector<DataType> types = rules_.ValueTypes(op);
    const DataType type = types.size() > 1 ? types[1] : types[0];
    const Dims plane = InfoOf(op).spatial_rank == 3 ? Dims{4, 2048, 2052} : Dims{1, 4100, 4100};
    Call call = Make(backward, type, {1, 1}, {plane, {plane[0], plane[1] / 2, plane[2] / 2}});
    Data& data = call.tensor(Role::kSelf).data;
    data.kind = DataKind::kZero;
    const std::int64_t numel = plane[0] * plane[1] * plane[2];
    const std::int64_t late = (std::int64_t{1} << 24) + 1;
    data.patches = {{late, EncodeFloat(1.0, type)}, {numel - 1, EncodeFloat(2.0, type)}};
    Add(backward, Condition::kForwardArgmax, "border/late-above-2^24-" + DataTypeName(type),
        std::move(call));
  }

  const ProfileRules rules_;
  const ForwardBudget budget_;
  std::size_t turn_ = 0;
  std::vector<NamedCase> cases_;
};

}  // namespace

std::vector<NamedCase> ForwardCases(const Spec& spec, Profile profile, CaseSet set) {
  return Forwards(spec, profile, set).Run();
}

}  // namespace poolproof
