// SPDX-License-Identifier: Apache-2.0
//
// Guard cases: operands that end, or start, at pages without access rights. Sizes around those of
// vectors and tiles, so that tails are read by whatever the implementation has for them.
#include <utility>

#include "conformance/gen/case_bases.h"
#include "conformance/gen/sources.h"

namespace poolproof {
namespace {

// Windows along the last axis: apart, so that all operands have the same size, or overlapping.
enum class Windows : std::uint8_t { kApart, kOverlapping };

class GuardCollector {
 public:
  GuardCollector(const Spec& spec, Profile profile, CaseSet set)
      : rules_(spec, profile), set_(set) {}

  std::vector<NamedCase> Run() {
    for (const Operator op : BackwardOperators()) {
      if (!rules_.Covers(op)) continue;
      for (const DataType type : rules_.ValueTypes(op)) {
        for (const DataType index_type : rules_.IndexTypes(op)) {
          for (const Guard guard : {Guard::kAfter, Guard::kBefore}) {
            AddSizes(op, type, index_type, guard);
            AddLayouts(op, type, index_type, guard);
          }
        }
      }
    }
    return std::move(cases_);
  }

 private:
  [[nodiscard]] std::vector<std::int64_t> Sizes() const {
    switch (set_) {
      case CaseSet::kSmoke:
        return {1, 9, 33};
      case CaseSet::kCi:
        return {1, 2, 3, 5, 7, 8, 9, 12, 15, 16, 17, 24, 31, 33, 40, 63, 65, 127, 129, 255, 513};
      case CaseSet::kNightly:
        break;
    }
    std::vector<std::int64_t> sizes;
    for (std::int64_t size = 1; size <= 129; ++size) sizes.push_back(size);
    for (const std::int64_t tile : {256, 512, 1024, 2048, 4096, 65536}) {
      for (const std::int64_t size : {tile - 1, tile, tile + 1, tile + 8}) sizes.push_back(size);
    }
    return sizes;
  }

  static Call RowCall(Operator op, DataType type, DataType index_type, Dims leading,
                      std::int64_t size, Windows windows) {
    const auto spatial_rank = static_cast<std::size_t>(InfoOf(op).spatial_rank);
    Dims self = std::move(leading);
    self.insert(self.end(), spatial_rank - 1, 1);
    self.push_back(size);
    const std::int64_t kernel = windows == Windows::kApart ? 1 : 3;
    BaseGeometry geometry = {.self = std::move(self),
                             .kernel = Dims(spatial_rank, 1),
                             .stride = {1},
                             .padding = Dims(spatial_rank, 0),
                             .dilation = {1},
                             .output = Dims(spatial_rank, 1)};
    geometry.kernel.back() = kernel;
    geometry.padding.back() = kernel / 2;
    geometry.output.back() = windows == Windows::kApart ? size : size + size / 2 + 1;
    return MakeBackward(op, type, index_type, geometry);
  }

  void Add(std::string name, Call call, Guard guard) {
    const std::uint64_t seed = SeedOfName(name);
    if (seed % 2 == 0) GiveMagnitudes(call);
    SeedData(call, seed);
    CallPlan plan;
    plan.guard = guard;
    cases_.push_back({"guard", std::move(name), Case{{std::move(call)}, plan}, "SAF-07"});
  }

  static std::string Name(DataType type, DataType index_type, Guard guard) {
    return std::string("SAF-07/") + (guard == Guard::kAfter ? "after-" : "before-") +
           DataTypeName(type) + "-" + DataTypeName(index_type) + "-";
  }

  void AddSizes(Operator op, DataType type, DataType index_type, Guard guard) {
    // One plane, several, and several without a batch axis, in turn.
    const std::array<Dims, 3> leadings = {Dims{1, 1}, Dims{2, 3}, Dims{3}};
    std::size_t turn = 0;
    for (const std::int64_t size : Sizes()) {
      const Dims& leading = leadings[turn % leadings.size()];
      const Windows windows = turn % 2 == 0 ? Windows::kApart : Windows::kOverlapping;
      ++turn;
      Call call = RowCall(op, type, index_type, leading, size, windows);
      call.tensor(Role::kIndices).data.kind = DataKind::kWindow;
      Add(Name(type, index_type, guard) + "size-" + std::to_string(size), std::move(call), guard);
    }
  }

  // The storage of a view ends with its last element, in the middle of what would be a row.
  void AddLayouts(Operator op, DataType type, DataType index_type, Guard guard) {
    for (const Layout layout : kLayouts) {
      if (set_ == CaseSet::kSmoke && layout != Layout::kGaps) continue;
      for (const Role role : BackwardRoles()) {
        if (layout == Layout::kBroadcast && role == Role::kGradInput) continue;
        // Whether indices are taken that another clause allows is asked elsewhere.
        if (role == Role::kIndices && InfoOf(op).indices_view != Condition::kViews) continue;
        Call call = BaseCall(rules_, op, static_cast<int>(cases_.size()) % kBaseVariants);
        SetGradientType(call, type);
        call.tensor(Role::kIndices).type = index_type;
        ApplyLayout(call.tensor(role), layout, InfoOf(op).spatial_rank);
        Add(Name(type, index_type, guard) + std::string(RoleName(role)) + "-" +
                std::string(LayoutName(layout)),
            std::move(call), guard);
      }
    }
  }

  const ProfileRules rules_;
  const CaseSet set_;
  std::vector<NamedCase> cases_;
};

}  // namespace

std::vector<NamedCase> GuardCases(const Spec& spec, Profile profile, CaseSet set) {
  return GuardCollector(spec, profile, set).Run();
}

}  // namespace poolproof
