// SPDX-License-Identifier: Apache-2.0
//
// Bulk cases: the ordinary shapes of networks, at their size. Kernels take other paths where a
// plane exceeds a cache, where a result is worth streaming, where rows hold many whole vectors;
// none of that shows on small planes. self is zero and indices are random positions of their
// windows, so that the calls cost little beside the memory that they move.
#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "conformance/gen/case_bases.h"
#include "conformance/gen/sources.h"

namespace poolproof {
namespace {

// Sizes of gradInput: below a core's first cache, in its second, beyond what is shared, and beyond
// any of them.
struct Size {
  const char* name;
  std::int64_t bytes;
};
constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr std::array kSizes = {Size{"0.03-MiB", kMiB * 3 / 100}, Size{"0.3-MiB", kMiB * 3 / 10},
                               Size{"5-MiB", 5 * kMiB}, Size{"20-MiB", 20 * kMiB}};
constexpr std::size_t kSizeSmall = 0;
constexpr std::size_t kSizeMiddle = 1;
constexpr std::size_t kSizeLarge = 2;
constexpr std::size_t kSizeHuge = 3;

// How large a row comes in the set ci, by the first operator that has it: large cases take longer
// than thousands of others. In the set nightly all rows have all sizes.
enum class Weight : std::uint8_t {
  kLight,     // below 1 MiB
  kOneLarge,  // 5 MiB, in FLOAT
  kTwoLarge,  // 5 MiB, in FLOAT and in another type
  kHuge,      // 20 MiB
};

// Windows over D, H and W; operators over planes of two axes take what has one element along D.
struct FixedRow {
  const char* name;
  std::array<std::int64_t, 3> plane;
  std::array<std::int64_t, 3> kernel;
  std::array<std::int64_t, 3> stride;
  std::array<std::int64_t, 3> padding = {0, 0, 0};
  bool ceil_mode = false;
  Weight weight = Weight::kLight;
};

constexpr std::array kFixedRows = {
    // Tilings: every element has one window.
    FixedRow{"tiles-2x2", {1, 96, 96}, {1, 2, 2}, {1, 2, 2}},
    FixedRow{"tiles-1x2", {1, 96, 96}, {1, 1, 2}, {1, 1, 2}},
    FixedRow{"tiles-3x3", {1, 96, 99}, {1, 3, 3}, {1, 3, 3}},
    FixedRow{"tiles-2x2x2", {8, 32, 64}, {2, 2, 2}, {2, 2, 2}},
    FixedRow{"tiles-3x3x3", {6, 33, 96}, {3, 3, 3}, {3, 3, 3}},
    FixedRow{.name = "tiles-2x2-of-100",
             .plane = {1, 100, 100},
             .kernel = {1, 2, 2},
             .stride = {1, 2, 2},
             .weight = Weight::kOneLarge},
    FixedRow{.name = "tiles-14x14",
             .plane = {1, 112, 112},
             .kernel = {1, 14, 14},
             .stride = {1, 14, 14},
             .weight = Weight::kHuge},
    // Layers of networks.
    FixedRow{.name = "stem-224",
             .plane = {1, 224, 224},
             .kernel = {1, 3, 3},
             .stride = {1, 2, 2},
             .padding = {0, 1, 1},
             .weight = Weight::kTwoLarge},
    FixedRow{"stem-112", {1, 112, 112}, {1, 3, 3}, {1, 2, 2}, {0, 1, 1}},
    FixedRow{"layer-56-ceil", {1, 56, 56}, {1, 3, 3}, {1, 2, 2}, {0, 0, 0}, true},
    FixedRow{"layer-28-same", {1, 28, 28}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}},
    FixedRow{"layer-13-spp", {1, 13, 13}, {1, 13, 13}, {1, 1, 1}, {0, 6, 6}},
    FixedRow{"video-16x56", {16, 56, 56}, {1, 3, 3}, {1, 2, 2}, {0, 1, 1}},
    FixedRow{"video-8x28", {8, 28, 28}, {3, 3, 3}, {2, 2, 2}, {1, 1, 1}},
    FixedRow{"lines-3-by-2", {1, 40, 257}, {1, 3, 3}, {1, 2, 2}, {0, 1, 1}},
};

struct AdaptiveRow {
  const char* name;
  std::array<std::int64_t, 3> plane;
  std::array<std::int64_t, 3> output;
  Weight weight = Weight::kLight;
};

constexpr std::array kAdaptiveRows = {
    AdaptiveRow{"global-7x7", {1, 7, 7}, {1, 1, 1}},
    AdaptiveRow{"global-112", {1, 112, 112}, {1, 1, 1}, Weight::kOneLarge},
    AdaptiveRow{"to-7x7-of-56", {1, 56, 56}, {1, 7, 7}},
    AdaptiveRow{"to-7x7-of-224", {1, 224, 224}, {1, 7, 7}, Weight::kTwoLarge},
    AdaptiveRow{"halves-96", {1, 96, 96}, {1, 48, 48}},
    AdaptiveRow{"thirds-99", {1, 96, 99}, {1, 32, 33}},
    AdaptiveRow{"halves-8x32x64", {8, 32, 64}, {4, 16, 32}},
    AdaptiveRow{"video-to-1x7x7", {8, 28, 28}, {1, 7, 7}},
    // What does not divide, down and up.
    AdaptiveRow{"uneven-13-to-6", {1, 13, 13}, {1, 6, 6}},
    AdaptiveRow{"uneven-60-to-7x32", {1, 45, 80}, {1, 7, 32}},
    AdaptiveRow{"uneven-100-to-64", {1, 40, 100}, {1, 17, 64}},
    AdaptiveRow{"uneven-deep", {7, 20, 70}, {3, 9, 33}},
    AdaptiveRow{"upwards", {1, 24, 40}, {1, 37, 100}},
};

// Widths of a row of outputs, with whole 64-byte lines in one type or more, and without. Of the
// longest, offsets within two rows of what pairs tile have no room in 15 or 16 bits, or have the
// greatest remainder that these hold, to which what has no room may be saturated.
constexpr std::array<std::int64_t, 18> kWidths = {
    32, 33, 47, 48, 64, 100, 112, 127, 128, 200, 250, 512, 1056, 1100, 10000, 32767, 49151, 65535};
constexpr std::int64_t kLongRow = 10000;

class Bulk {
 public:
  Bulk(const Spec& spec, Profile profile, CaseSet set) : rules_(spec, profile), set_(set) {}

  std::vector<NamedCase> Run() {
    for (const Operator op : rules_.CoveredBackwards()) {
      if (InfoOf(op).windows == WindowRule::kFixed) {
        for (const FixedRow& row : kFixedRows) AddFixed(op, row);
      } else {
        for (const AdaptiveRow& row : kAdaptiveRows) AddAdaptive(op, row);
      }
      AddWidths(op);
      AddUnequalTiles(op);
      AddWindowsAbovePlanes(op);
    }
    for (const Operator op : rules_.CoveredBackwards()) AddWindowsOfPlanes(op);
    AddManyOutputs();
    return std::move(cases_);
  }

 private:
  struct Geometry {
    BaseGeometry windows;  // `self` is the plane alone
    std::int64_t plane_elements = 0;
  };

  // The trailing axes of the operator's planes.
  static Dims Axes(Operator op, const std::array<std::int64_t, 3>& values) {
    return {values.end() - InfoOf(op).spatial_rank, values.end()};
  }
  static bool Fits(Operator op, const std::array<std::int64_t, 3>& plane) {
    return InfoOf(op).spatial_rank == 3 || plane[0] == 1;
  }
  static Geometry Of(Operator op, const FixedRow& row) {
    return {{.self = Axes(op, row.plane),
             .kernel = Axes(op, row.kernel),
             .stride = Axes(op, row.stride),
             .padding = Axes(op, row.padding),
             .dilation = {1},
             .ceil_mode = row.ceil_mode},
            row.plane[0] * row.plane[1] * row.plane[2]};
  }
  static Geometry Of(Operator op, const AdaptiveRow& row) {
    return {{.self = Axes(op, row.plane), .output = Axes(op, row.output)},
            row.plane[0] * row.plane[1] * row.plane[2]};
  }

  // `output` windows that tile a plane.
  static Geometry Tiling(Operator op, const std::array<std::int64_t, 3>& tile,
                         const std::array<std::int64_t, 3>& output) {
    const std::array<std::int64_t, 3> plane = {tile[0] * output[0], tile[1] * output[1],
                                               tile[2] * output[2]};
    return InfoOf(op).windows == WindowRule::kFixed
               ? Of(op, FixedRow{.name = "", .plane = plane, .kernel = tile, .stride = tile})
               : Of(op, AdaptiveRow{.name = "", .plane = plane, .output = output});
  }

  [[nodiscard]] DataType TypeOf(Operator op, std::size_t turn) const {
    const std::vector<DataType> types = rules_.ValueTypes(op);
    return types[turn % types.size()];
  }
  [[nodiscard]] DataType NextIndexType(Operator op) {
    const std::vector<DataType> types = rules_.IndexTypes(op);
    return types[index_turn_++ % types.size()];
  }

  // Planes by channels, by batch and channels, and without a batch axis, in turn.
  Dims Leading(std::int64_t planes) {
    switch (leading_turn_++ % 3) {
      case 0:
        return {1, planes};
      case 1:
        return planes % 2 == 0 ? Dims{2, planes / 2} : Dims{planes, 1};
      default:
        return {planes};
    }
  }

  // One case in four has a view on one operand, which changes from one to the next.
  std::string GiveView(Call& call) {
    if (view_turn_++ % 4 != 3) return "";
    const OperatorInfo& info = InfoOf(call.op);
    const std::size_t turn = view_turn_ / 4;
    const Role role = BackwardRoles()[turn % BackwardRoles().size()];
    // Whether indices are taken that another clause allows is asked elsewhere.
    if (role == Role::kIndices && info.indices_view != Condition::kViews) return "";
    Layout layout = kLayouts[turn % kLayouts.size()];
    // A result that is written twice, or of which that is not known; indices beside their windows.
    const bool no_result = layout == Layout::kBroadcast || layout == Layout::kInterleaved;
    if ((role == Role::kGradInput && no_result) ||
        (role == Role::kIndices && layout == Layout::kBroadcast)) {
      layout = Layout::kPaddedRows;
    }
    ApplyLayout(call.tensor(role), layout, info.spatial_rank);
    return "-" + std::string(RoleName(role)) + "-" + std::string(LayoutName(layout));
  }

  void Add(std::string name, Call call) {
    call.tensor(Role::kSelf).data.kind = DataKind::kZero;
    call.tensor(Role::kIndices).data.kind = DataKind::kWindow;
    GiveMagnitudes(call);
    SeedData(call, SeedOfName(name));
    cases_.push_back({"bulk", std::move(name), Case{{std::move(call)}, CallPlan{}}});
  }

  void AddSized(Operator op, const std::string& row, Geometry geometry, std::size_t size,
                DataType type) {
    const std::int64_t plane_bytes = geometry.plane_elements * StorageBytes(type);
    const std::int64_t planes = std::max<std::int64_t>(1, kSizes[size].bytes / plane_bytes);
    Dims self = Leading(planes);
    self.insert(self.end(), geometry.windows.self.begin(), geometry.windows.self.end());
    geometry.windows.self = std::move(self);
    Call call = MakeBackward(op, type, NextIndexType(op), geometry.windows);
    // Whether windows must divide from there on is asked elsewhere.
    const std::optional<std::int64_t> limit = InfoOf(op).divisible_limit;
    if (limit && rules_.Applies(op, Condition::kNotDivisible) &&
        CheckedNumel(call.tensor(Role::kGradOutput).shape).value() > *limit)
      return;
    std::string view;
    if (size < kSizeLarge || set_ == CaseSet::kNightly) {
      view = GiveView(call);
    } else if (size == kSizeHuge) {
      // Its values play no part: as one element seen everywhere it takes no time.
      call.tensor(Role::kSelf).strides.assign(call.tensor(Role::kSelf).shape.size(), 0);
    }
    Add(row + "/" + kSizes[size].name + "-" + DataTypeName(type) + view, std::move(call));
  }

  void AddSizes(Operator op, const std::string& row, const Geometry& geometry, Weight weight) {
    const std::size_t turn = row_turn_++;
    if (set_ == CaseSet::kNightly) {
      for (std::size_t size = 0; size < kSizes.size(); ++size) {
        for (const DataType type : rules_.ValueTypes(op)) {
          AddSized(op, row, geometry, size, type);
        }
      }
      return;
    }
    if (set_ == CaseSet::kSmoke) {
      if (turn % 4 == 0) AddSized(op, row, geometry, kSizeSmall, TypeOf(op, turn / 4 + 1));
      return;
    }
    AddSized(op, row, geometry, kSizeSmall, TypeOf(op, turn));
    if (turn % 2 == 0) AddSized(op, row, geometry, kSizeMiddle, TypeOf(op, turn + 1));
    if (weight == Weight::kLight || !large_rows_.insert(row).second) return;
    const std::size_t size = weight == Weight::kHuge ? kSizeHuge : kSizeLarge;
    AddSized(op, row, geometry, size, DataType::kFloat);
    if (weight == Weight::kTwoLarge) AddSized(op, row, geometry, size, TypeOf(op, 2));
  }

  void AddFixed(Operator op, const FixedRow& row) {
    if (Fits(op, row.plane)) AddSizes(op, row.name, Of(op, row), row.weight);
  }
  void AddAdaptive(Operator op, const AdaptiveRow& row) {
    if (Fits(op, row.plane)) AddSizes(op, row.name, Of(op, row), row.weight);
  }

  // Rows of each width that windows tile: of one row, of two, of three cells each way, and of two
  // with depth.
  void AddWidths(Operator op) {
    constexpr std::array<std::array<std::int64_t, 3>, 4> kTiles = {
        {{1, 2, 2}, {1, 1, 2}, {1, 3, 3}, {2, 2, 2}}};
    const std::size_t shapes = InfoOf(op).spatial_rank == 3 ? 4 : 3;
    for (std::size_t i = 0; i < kWidths.size(); ++i) {
      const bool is_long = kWidths[i] >= kLongRow;
      if (set_ == CaseSet::kSmoke && (is_long || i % 7 != 3)) continue;
      for (std::size_t k = 0; k < shapes; ++k) {
        // Of the longest both of two rows and of one.
        const bool in_turn = !is_long || k > 1;
        if (set_ != CaseSet::kNightly && in_turn && k != (i + i / shapes) % shapes) continue;
        const std::array<std::int64_t, 3>& tile = kTiles[k];
        const std::string name =
            "width-" + std::to_string(kWidths[i]) + "-by-" + std::to_string(tile[2]);
        AddSized(op,
                 name + (tile[0] > 1    ? "-deep"
                         : tile[1] == 1 ? "-flat"
                                        : ""),
                 Tiling(op, tile, {tile[0], 4, kWidths[i]}), kSizeSmall,
                 is_long ? NarrowType(rules_, op) : TypeOf(op, i + k));
      }
    }
  }

  // Tilings with another number of cells along each axis: loops over the rows of a window that take
  // two at a time have one left over. Rows of whole lines and others.
  void AddUnequalTiles(Operator op) {
    if (set_ == CaseSet::kSmoke) return;
    constexpr std::array<std::array<std::int64_t, 3>, 6> kTiles = {
        {{1, 3, 2}, {1, 5, 2}, {1, 4, 2}, {1, 2, 3}, {3, 3, 2}, {2, 1, 2}}};
    std::size_t turn = 0;
    for (const std::array<std::int64_t, 3>& tile : kTiles) {
      if (tile[0] > 1 && InfoOf(op).spatial_rank < 3) continue;
      for (const std::int64_t width : {32, 50, 96}) {
        // Deep planes are deeper than high, others the other way round.
        const Geometry geometry = Tiling(op, tile, {tile[0] > 1 ? 8 : 1, 4, width});
        const std::string name = "tiles-" + std::to_string(tile[0]) + "x" +
                                 std::to_string(tile[1]) + "x" + std::to_string(tile[2]) +
                                 "-wide-" + std::to_string(width);
        // Of one large enough to be streamed.
        const bool is_large = tile[1] == 3 && width == 96 && large_rows_.insert(name).second;
        AddSized(op, name, geometry, kSizeSmall, TypeOf(op, turn++));
        if (is_large) AddSized(op, name, geometry, kSizeLarge, DataType::kFloat);
      }
    }
  }

  // One window over 2^20 elements and more, which no cache holds: several planes, several windows
  // along D, and operands as views.
  void AddWindowsAbovePlanes(Operator op) {
    if (set_ == CaseSet::kSmoke) return;
    const DataType type = NarrowType(rules_, op);
    const bool deep = InfoOf(op).spatial_rank == 3;
    const std::int64_t depth = deep ? 2 : 1;
    const auto add = [&](const std::string& name, std::int64_t planes, auto&& change) {
      BaseGeometry windows = Tiling(op, {1, 1024, 1100}, {depth, 1, 1}).windows;
      windows.self.insert(windows.self.begin(), planes);
      Call call = MakeBackward(op, type, NextIndexType(op), windows);
      change(call);
      Add("window-above-2^20/" + name, std::move(call));
    };
    const auto view = [&](Role role, Layout layout) {
      add(std::string(RoleName(role)) + "-" + std::string(LayoutName(layout)), deep ? 1 : 2,
          [&](Call& call) { ApplyLayout(call.tensor(role), layout, InfoOf(op).spatial_rank); });
    };
    // In the set ci several planes for planes of two axes, views for deeper ones.
    const bool all = set_ == CaseSet::kNightly;
    if (all || !deep) add("planes", 2, [](Call&) {});
    if (all || deep) view(Role::kGradInput, Layout::kPaddedRows);
    if (all || deep) view(Role::kGradOutput, Layout::kGaps);
    if (set_ != CaseSet::kNightly) return;
    view(Role::kGradInput, Layout::kReversed);
    view(Role::kSelf, Layout::kTransposed);
    if (InfoOf(op).indices_view == Condition::kViews) view(Role::kIndices, Layout::kOffset);
  }

  // One window over almost 2^19 and 2^20 elements, which sums kept apart may fill to the last:
  // three planes of odd extents, so that each starts at another place of a line.
  void AddWindowsOfPlanes(Operator op) {
    if (set_ == CaseSet::kSmoke) return;
    const DataType type = NarrowType(rules_, op);
    for (const auto& [name, height, width] :
         {std::tuple{"window-below-2^19", 701, 739}, std::tuple{"window-below-2^20", 1001, 1023}}) {
      Geometry geometry = Tiling(op, {1, height, width}, {1, 1, 1});
      geometry.windows.self.insert(geometry.windows.self.begin(), 3);
      Add(std::string(name) + "/planes",
          MakeBackward(op, type, NextIndexType(op), geometry.windows));
    }
  }

  // More than 2^20 outputs of one plane.
  void AddManyOutputs() {
    if (set_ == CaseSet::kSmoke) return;
    for (const Operator op : rules_.CoveredBackwards()) {
      Geometry geometry = Tiling(op, {1, 2, 2}, {1, 1025, 1024});
      geometry.windows.self.insert(geometry.windows.self.begin(), 1);
      const DataType type = NarrowType(rules_, op);
      Add("outputs-above-2^20/" + DataTypeName(type),
          MakeBackward(op, type, NextIndexType(op), geometry.windows));
    }
  }

  const ProfileRules rules_;
  const CaseSet set_;
  std::size_t index_turn_ = 0;
  std::size_t leading_turn_ = 0;
  std::size_t row_turn_ = 0;
  std::size_t view_turn_ = 0;
  std::set<std::string> large_rows_;
  std::vector<NamedCase> cases_;
};

}  // namespace

std::vector<NamedCase> BulkCases(const Spec& spec, Profile profile, CaseSet set) {
  return Bulk(spec, profile, set).Run();
}

}  // namespace poolproof
