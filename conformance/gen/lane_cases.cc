// SPDX-License-Identifier: Apache-2.0
//
// Lane cases: what vector code gets wrong, swept instead of drawn. Row lengths of every residue;
// one special value at every position of a row and its tail; two windows that share a cell at every
// distance that lanes, unroll factors, rows and tiles give. All special values in windows that
// tile. Planes in which a float no longer counts cells.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "conformance/gen/case_bases.h"
#include "conformance/gen/sources.h"
#include "core/float_bits.h"
#include "core/random.h"

namespace poolproof {
namespace {

constexpr std::uint64_t kLaneSeed = 0x6c616e6573ULL;

struct LaneBudget {
  std::int64_t longest_row;  // residues 1..
  std::int64_t special_row;  // positions of a row that specials are swept over
  int types;                 // types per position of a special value
  std::size_t distances;     // of kDistances
  std::int64_t large_planes;
};

LaneBudget LaneBudgetOf(CaseSet set) {
  switch (set) {
    case CaseSet::kSmoke:
      return {9, 5, 1, 4, 0};
    case CaseSet::kCi:
      return {70, 37, 1, 20, 1};
    case CaseSet::kNightly:
      break;
  }
  return {300, 131, 3, 26, 2};
}

// What lies apart in vectors, unrolled loops and tiles; the first are the most telling.
constexpr std::array<std::int64_t, 26> kDistances = {1,   2,   8,   16,  3,   4,   7,   9,   5,
                                                     6,   15,  17,  31,  32,  33,  63,  64,  65,
                                                     128, 256, 127, 129, 255, 257, 512, 1024};

class Lanes {
 public:
  Lanes(const Spec& spec, Profile profile, CaseSet set)
      : rules_(spec, profile), budget_(LaneBudgetOf(set)) {}

  std::vector<NamedCase> Run() {
    for (const Operator op : BackwardOperators()) {
      if (!rules_.Covers(op)) continue;
      AddRows(op);
      AddSpecials(op);
    }
    for (const Operator op : rules_.CoveredBackwards()) AddPairs(op);
    for (const Operator op : rules_.CoveredBackwards()) AddLargePlanes(op);
    for (const Operator op : rules_.CoveredBackwards()) AddSpecialsOfTilings(op);
    return std::move(cases_);
  }

 private:
  std::uint64_t Pick(std::uint64_t bound) { return RandomBelow(kLaneSeed, draws_++, bound); }

  DataType NextType(Operator op) {
    const std::vector<DataType> types = rules_.ValueTypes(op);
    return types[turn_++ % types.size()];
  }
  DataType NextIndexType(Operator op) {
    const std::vector<DataType> types = rules_.IndexTypes(op);
    return types[Pick(types.size())];
  }

  void Add(std::string name, Call call) {
    const std::uint64_t seed = SeedOfName(name);
    if (seed % 2 == 0) GiveMagnitudes(call);
    SeedData(call, seed);
    cases_.push_back({"lanes", std::move(name), Case{{std::move(call)}, CallPlan{}}});
  }

  // Two planes with a row of `width` cells, and as many windows: one cell each, or three that
  // overlap by two.
  Call RowCall(Operator op, DataType type, std::int64_t width, std::int64_t kernel,
               std::int64_t stride, std::int64_t padding) {
    const auto axes = static_cast<std::size_t>(InfoOf(op).spatial_rank);
    // Everything but the last axis has one element.
    const auto row = [&](std::int64_t other, std::int64_t last) {
      return axes == 3 ? Dims{other, other, last} : Dims{other, last};
    };
    // From windows of one cell each to windows of `kernel` cells, by the output's extent.
    const std::int64_t out = std::max<std::int64_t>(1, (width + stride - 1) / stride);
    BaseGeometry geometry = {.self = axes == 3 ? Dims{1, 2} : Dims{2},
                             .kernel = row(1, kernel),
                             .stride = row(1, stride),
                             .padding = row(0, padding),
                             .dilation = {1},
                             .output = row(1, kernel > stride ? out + 1 : out)};
    const Dims cells = row(1, width);
    geometry.self.insert(geometry.self.end(), cells.begin(), cells.end());
    return MakeBackward(op, type, NextIndexType(op), geometry);
  }

  void AddRows(Operator op) {
    struct RowWindows {
      const char* name;
      std::int64_t kernel;
      std::int64_t stride;
      std::int64_t padding;
    };
    constexpr std::array kWindows = {RowWindows{"single", 1, 1, 0}, RowWindows{"overlap", 3, 1, 1},
                                     RowWindows{"apart", 2, 2, 1}, RowWindows{"tiles", 2, 2, 0}};
    for (std::int64_t width = 1; width <= budget_.longest_row; ++width) {
      for (const RowWindows& windows : kWindows) {
        if (windows.padding == 0 && width < windows.kernel) continue;
        const DataType type = NextType(op);
        Call call = RowCall(op, type, width, windows.kernel, windows.stride, windows.padding);
        call.tensor(Role::kIndices).data.kind =
            width % 2 == 0 ? DataKind::kWindow : DataKind::kArgmax;
        call.tensor(Role::kGradOutput).data.kind =
            Pick(3) == 0 ? DataKind::kWide : DataKind::kExact;
        Add(std::string("row/") + windows.name + "-" + std::to_string(width) + "-" +
                DataTypeName(type),
            std::move(call));
      }
    }
  }

  // All special values in windows that tile: rows of windows two cells wide, and many planes of one
  // window each. Where no cell has two gradients, a kernel may store them without a sum.
  void AddSpecialsOfTilings(Operator op) {
    struct Tiling {
      const char* name;
      std::int64_t planes;
      std::array<std::int64_t, 2> plane;
      std::array<std::int64_t, 2> window;
      std::int64_t step;  // from one special value to the next
    };
    constexpr std::array kTilings = {Tiling{"tiles", 2, {2, 128}, {2, 2}, 11},
                                     Tiling{"planes", 16, {7, 7}, {7, 7}, 1}};
    const auto axes = [op](const std::array<std::int64_t, 2>& values) {
      Dims dims(values.begin(), values.end());
      if (InfoOf(op).spatial_rank == 3) dims.insert(dims.begin(), 1);
      return dims;
    };
    for (const Tiling& tiling : kTilings) {
      for (const DataType type : rules_.ValueTypes(op)) {
        BaseGeometry geometry = {
            .self = axes(tiling.plane),
            .kernel = axes(tiling.window),
            .stride = axes(tiling.window),
            .padding = Dims(static_cast<std::size_t>(InfoOf(op).spatial_rank), 0),
            .dilation = {1},
            .output =
                axes({tiling.plane[0] / tiling.window[0], tiling.plane[1] / tiling.window[1]})};
        geometry.self.insert(geometry.self.begin(), tiling.planes);
        Call call = MakeBackward(op, type, NextIndexType(op), geometry);
        call.tensor(Role::kIndices).data.kind = DataKind::kWindow;
        Data& values = call.tensor(Role::kGradOutput).data;
        const std::uint32_t infinity = EncodeFloat(HUGE_VAL, type);
        const std::uint32_t sign = EncodeFloat(-HUGE_VAL, type) ^ infinity;
        std::int64_t position = 0;
        for (const std::uint32_t bits :
             {infinity, infinity - 1, infinity + 1, EncodeFloat(NAN, type), 0U, 1U}) {
          for (const std::uint32_t signed_bits : {bits, bits | sign}) {
            values.patches.push_back({position, signed_bits});
            position += tiling.step;
          }
        }
        Add(std::string("special-") + tiling.name + "/" + DataTypeName(type), std::move(call));
      }
    }
  }

  // Two planes, so that the last positions are a tail behind whole vectors and the middle ones
  // straddle the border.
  void AddSpecials(Operator op) {
    struct Special {
      const char* name;
      double value;
    };
    constexpr std::array kSpecials = {Special{"nan", NAN}, Special{"inf", HUGE_VAL},
                                      Special{"minus-inf", -HUGE_VAL}, Special{"tiny", 0}};
    for (std::int64_t position = 0; position < 2 * budget_.special_row; ++position) {
      for (const Special& special : kSpecials) {
        for (int i = 0; i < budget_.types; ++i) {
          const DataType type = NextType(op);
          Call call = RowCall(op, type, budget_.special_row, 1, 1, 0);
          Data& values = call.tensor(Role::kGradOutput).data;
          const std::uint32_t bits =
              std::string_view(special.name) == "tiny" ? 1U : EncodeFloat(special.value, type);
          values.patches = {{position, bits}};
          Add(std::string("special/") + special.name + "-at-" + std::to_string(position) + "-" +
                  DataTypeName(type),
              std::move(call));
        }
      }
      turn_ += 1;  // so that a position meets another type with each special
    }
  }

  // All windows name their first cells, which differ, except for one that names the cell of the
  // window `distance` behind it.
  void AddPairs(Operator op) {
    if (InfoOf(op).windows != WindowRule::kFixed) return;
    const bool deep = InfoOf(op).spatial_rank == 3;
    const auto call = [&](DataType type, Dims plane, Dims kernel) {
      if (!deep) {
        plane.erase(plane.begin());
        kernel.erase(kernel.begin());
      }
      plane.insert(plane.begin(), {1, 1});
      Call made =
          MakeFixedBackward(op, type, NextIndexType(op), plane, kernel, {1}, {0}, {1}, false);
      made.tensor(Role::kIndices).data.kind = DataKind::kFirst;
      return made;
    };
    for (std::size_t i = 0; i < budget_.distances; ++i) {
      const std::int64_t distance = kDistances[i];
      for (const std::int64_t start : {std::int64_t{0}, std::int64_t{5}, distance}) {
        if (start != 0 && start == distance && distance <= 5) continue;
        const std::int64_t windows = start + distance + 3;
        const std::int64_t width = windows + distance;
        const DataType type = NextType(op);
        // Along the row.
        Call row = call(type, {1, 1, width}, {1, 1, distance + 1});
        row.tensor(Role::kIndices).data.patches = {
            {start, static_cast<std::uint64_t>(start + distance)}};
        Add("pair/row-" + std::to_string(distance) + "-from-" + std::to_string(start) + "-" +
                DataTypeName(type),
            std::move(row));
        if (start != 0 || distance > 300) continue;
        // Across rows and planes of depth: the row has as many windows as the distance says.
        const auto across = [&](const char* name, const Dims& plane, const Dims& kernel) {
          Call made = call(type, plane, kernel);
          made.tensor(Role::kIndices).data.patches = {{0, static_cast<std::uint64_t>(distance)}};
          Add(std::string("pair/") + name + "-" + std::to_string(distance) + "-" +
                  DataTypeName(type),
              std::move(made));
        };
        across("column", {1, 4, distance}, {1, 2, 1});
        if (deep) across("depth", {4, 1, distance}, {2, 1, 1});
      }
    }
  }

  // Above 2^24 cells a 32-bit float skips some; 128 MiB of operands at most. self is one element
  // seen everywhere, since its values play no part. (Operators with a limit there have cases of
  // their own, AMP2-C02, AMP3-C02.)
  void AddLargePlanes(Operator op) {
    if (rules_.Applies(op, Condition::kDivisibleAboveLimit)) return;
    const std::vector<DataType> types = rules_.ValueTypes(op);
    for (std::int64_t i = 0; i < budget_.large_planes; ++i) {
      const bool narrow = i % 2 == 0 && types.size() > 1;
      const DataType type = narrow ? DataType::kFloat16 : DataType::kFloat;
      BaseGeometry geometry = {
          .self = i % 2 == 0 ? Dims{1, 1, 4, 2048, 2051} : Dims{1, 1, 257, 257, 256},
          .kernel = {2, 32, 5},
          .stride = {2, 32, 4},
          .padding = {1, 0, 2},
          .dilation = {1},
          .ceil_mode = true,
          .output = {4, 6, 513}};
      if (InfoOf(op).spatial_rank == 2) {
        geometry.self = i % 2 == 0 ? Dims{1, 1, 8192, 2051} : Dims{1, 1, 257, 257 * 256};
        for (Dims* list : {&geometry.kernel, &geometry.stride, &geometry.padding}) {
          list->erase(list->begin());
        }
      }
      Call call = MakeBackward(op, type, NextIndexType(op), geometry);
      call.tensor(Role::kSelf).strides = Dims(geometry.self.size(), 0);
      call.tensor(Role::kIndices).data.kind = i % 2 == 0 ? DataKind::kWindow : DataKind::kLast;
      Add("plane/above-2^24-" + std::to_string(i) + "-" + DataTypeName(type), std::move(call));
    }
  }

  const ProfileRules rules_;
  const LaneBudget budget_;
  std::uint64_t draws_ = 0;
  std::size_t turn_ = 0;
  std::vector<NamedCase> cases_;
};

}  // namespace

std::vector<NamedCase> LaneCases(const Spec& spec, Profile profile, CaseSet set) {
  return Lanes(spec, profile, set).Run();
}

}  // namespace poolproof
