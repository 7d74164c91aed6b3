// SPDX-License-Identifier: Apache-2.0
//
// Table cases: every small geometry of one axis at a time, and axes of different geometry mixed.
// Types, index choices, list forms and ranks rotate through them.
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "conformance/case/materialize.h"
#include "conformance/gen/case_bases.h"
#include "conformance/gen/sources.h"
#include "core/float_bits.h"
#include "core/pool_geometry.h"
#include "core/random.h"

namespace poolproof {
namespace {

constexpr std::uint64_t kTableSeed = 0x7461626c65ULL;
constexpr std::array kIndexKinds = {DataKind::kArgmax, DataKind::kWindow, DataKind::kFirst,
                                    DataKind::kLast, DataKind::kShared};
constexpr std::array<char, 3> kAxisLetters = {'d', 'h', 'w'};

// Geometry of one axis of a fixed window. stride 0 represents an empty list: the kernel's.
struct FixedAxis {
  std::int64_t input;
  std::int64_t kernel;
  std::int64_t stride;
  std::int64_t padding;
};

std::vector<FixedAxis> FixedAxes(bool ceil_mode) {
  std::vector<FixedAxis> axes;
  for (std::int64_t input = 1; input <= 7; ++input) {
    for (std::int64_t kernel = 1; kernel <= 4; ++kernel) {
      for (std::int64_t stride = 0; stride <= 4; ++stride) {
        for (std::int64_t padding = 0; padding <= kernel / 2; ++padding) {
          const PoolAxis axis{kernel, stride == 0 ? kernel : stride, padding, 1};
          if (PooledExtent(input, axis, ceil_mode) >= 1) {
            axes.push_back({input, kernel, stride, padding});
          }
        }
      }
    }
  }
  return axes;
}

std::string AxisText(const FixedAxis& axis) {
  return "i" + std::to_string(axis.input) + "k" + std::to_string(axis.kernel) + "s" +
         (axis.stride == 0 ? std::string("k") : std::to_string(axis.stride)) + "p" +
         std::to_string(axis.padding);
}

// Whether each element of a plane gets the same sum, in each plane: gradients in wrong places would
// not show. Coded gradients are all the same where no two of them meet; subnormals may count as
// zero.
bool HidesPlaces(const Call& call) {
  const Result<MaterializedCall> data = MaterializeCall(call, CallPlan{});
  const int axes = InfoOf(call.op).spatial_rank;
  const TensorSpec& gradients = call.tensor(Role::kGradOutput);
  const std::int64_t plane = PlaneElements(call.tensor(Role::kSelf).shape, axes).value_or(0);
  const std::int64_t outputs = PlaneElements(gradients.shape, axes).value_or(0);
  if (!data.ok() || plane < 2 || outputs < 1) return false;
  const auto size = static_cast<std::size_t>(outputs);
  const double least_normal = std::ldexp(1.0, TraitsOf(gradients.type).min_exponent);
  std::vector<double> sums;
  for (std::size_t first = 0; first < data->indices.size(); first += size) {
    sums.assign(static_cast<std::size_t>(plane), 0.0);
    for (std::size_t i = first; i < first + size; ++i) {
      const double gradient = DecodeFloat(data->grad_output[i], gradients.type);
      if (std::fabs(gradient) < least_normal) continue;
      sums[static_cast<std::size_t>(data->indices[i])] += gradient;
    }
    const auto differs = [&](double sum) { return sum != sums.front(); };
    if (std::any_of(sums.begin(), sums.end(), differs)) return false;
  }
  return true;
}

// How many cases of each kind a set takes.
struct TableBudget {
  std::size_t fixed_single;  // one fixed axis at a time
  std::size_t fixed_mixed;   // three different ones
  std::size_t adaptive_single;
  std::size_t adaptive_mixed;
};

TableBudget TableBudgetOf(CaseSet set) {
  switch (set) {
    case CaseSet::kSmoke:
      return {80, 60, 60, 20};
    case CaseSet::kCi:
      return {1000000, 900, 1000000, 400};
    case CaseSet::kNightly:
      break;
  }
  return {1000000, 30000, 1000000, 15000};
}

class Table {
 public:
  Table(const Spec& spec, Profile profile, CaseSet set)
      : rules_(spec, profile), budget_(TableBudgetOf(set)) {}

  std::vector<NamedCase> Run() {
    for (const Operator op : BackwardOperators()) {
      if (!rules_.Covers(op)) continue;
      if (InfoOf(op).windows == WindowRule::kAdaptive) {
        AddAdaptive(op);
      } else {
        AddFixed(op);
      }
    }
    return std::move(cases_);
  }

 private:
  std::uint64_t Pick(std::uint64_t bound) { return RandomBelow(kTableSeed, draws_++, bound); }

  // Whether case `i` of `total` is among the `wanted` that are kept: evenly spread.
  static bool Keeps(std::size_t i, std::size_t total, std::size_t wanted) {
    if (wanted >= total) return true;
    return (i + 1) * wanted / total != i * wanted / total;
  }

  void Add(std::string name, Call call) {
    if (!names_.insert(std::string(InfoOf(call.op).name) + name).second) return;
    const std::vector<DataType> types = rules_.ValueTypes(call.op);
    const std::vector<DataType> index_types = rules_.IndexTypes(call.op);
    SetGradientType(call, types[Pick(types.size())]);
    call.tensor(Role::kIndices).type = index_types[Pick(index_types.size())];
    call.tensor(Role::kIndices).data.kind = kIndexKinds[Pick(kIndexKinds.size())];
    call.tensor(Role::kGradOutput).data.kind = Pick(2) == 0 ? DataKind::kExact : DataKind::kCoded;
    call.tensor(Role::kSelf).data.kind = Pick(3) == 0 ? DataKind::kTies : DataKind::kUniform;
    const std::uint64_t seed = SeedOfName(name);
    if (seed % 2 == 0) GiveMagnitudes(call);
    SeedData(call, seed);
    DataKind& gradients = call.tensor(Role::kGradOutput).data.kind;
    if (gradients != DataKind::kExact && HidesPlaces(call)) gradients = DataKind::kExact;
    cases_.push_back({"table", std::move(name), Case{{std::move(call)}, CallPlan{}}});
  }

  // Leading extents: one plane or a few, batched or not.
  Dims Leading() {
    switch (Pick(4)) {
      case 0:
        return {1, 1};
      case 1:
        return {2, 2};
      case 2:
        return {1, 3};
      default:
        return {2};
    }
  }

  void AddFixedCase(Operator op, const std::string& name, const std::vector<FixedAxis>& axes,
                    bool ceil_mode) {
    Dims self = Leading();
    Dims kernel;
    Dims stride;
    Dims padding;
    bool empty_stride = true;
    for (const FixedAxis& axis : axes) {
      self.push_back(axis.input);
      kernel.push_back(axis.kernel);
      stride.push_back(axis.stride == 0 ? axis.kernel : axis.stride);
      padding.push_back(axis.padding);
      empty_stride = empty_stride && axis.stride == 0;
    }
    if (empty_stride) stride.clear();
    for (Dims* list : {&kernel, &stride, &padding}) {
      const bool equal = std::all_of(list->begin(), list->end(),
                                     [&](std::int64_t value) { return value == list->front(); });
      if (!list->empty() && equal && Pick(2) == 0) list->resize(1);
    }
    Dims dilation(Pick(2) == 0 ? 1 : axes.size(), 1);
    Add(name, MakeFixedBackward(op, DataType::kFloat, DataType::kInt32, std::move(self),
                                std::move(kernel), std::move(stride), std::move(padding),
                                std::move(dilation), ceil_mode));
  }

  void AddFixed(Operator op) {
    const auto rank = static_cast<std::size_t>(InfoOf(op).spatial_rank);
    for (const bool ceil_mode : {false, true}) {
      const std::string mode = ceil_mode ? "ceil" : "floor";
      const std::vector<FixedAxis> axes = FixedAxes(ceil_mode);
      const std::size_t total = axes.size() * rank;
      for (std::size_t i = 0; i < total; ++i) {
        if (!Keeps(i, total, budget_.fixed_single / 2)) continue;
        // The varying axis changes fastest, so that thinning keeps all of them.
        const std::size_t varying = i % rank;
        const FixedAxis& axis = axes[i / rank];
        // An empty stride list is empty for every axis.
        std::vector<FixedAxis> all(rank, {2, 1, axis.stride == 0 ? 0 : 1, 0});
        all[(varying + 1) % rank].input = 3;
        all[varying] = axis;
        AddFixedCase(op,
                     std::string("axis-") + kAxisLetters[varying + 3 - rank] + "-" +
                         AxisText(axis) + "-" + mode,
                     all, ceil_mode);
      }
      for (std::size_t i = 0; i < budget_.fixed_mixed / 2; ++i) {
        std::vector<FixedAxis> all(rank);
        std::string name = "mixed";
        const bool same = Pick(4) == 0;  // cubes reach the short forms of the lists
        const bool empty_stride = Pick(4) == 0;
        for (std::size_t axis = 0; axis < rank; ++axis) {
          all[axis] = same && axis > 0 ? all[0] : axes[Pick(axes.size())];
          if (empty_stride || all[axis].stride == 0) {
            all[axis].stride = empty_stride ? 0 : all[axis].kernel;
          }
        }
        for (std::size_t axis = 0; axis < rank; ++axis) {
          // A stride of another length may leave no window.
          const FixedAxis& a = all[axis];
          const PoolAxis pool{a.kernel, a.stride == 0 ? a.kernel : a.stride, a.padding, 1};
          if (PooledExtent(a.input, pool, ceil_mode) < 1) name.clear();
          if (!name.empty()) name += "-" + AxisText(a);
        }
        if (!name.empty()) AddFixedCase(op, name + "-" + mode, all, ceil_mode);
      }
    }
  }

  void AddAdaptive(Operator op) {
    constexpr std::int64_t kLargest = 9;
    const auto spatial = static_cast<std::size_t>(InfoOf(op).spatial_rank);
    const std::size_t pairs = kLargest * kLargest;
    const std::size_t total = pairs * spatial * 2;
    const auto add = [&](const std::string& name, const Dims& inputs, const Dims& outputs) {
      Dims self = Leading();
      self.insert(self.end(), inputs.begin(), inputs.end());
      Add(name,
          MakeAdaptiveBackward(op, DataType::kFloat, DataType::kInt32, std::move(self), outputs));
    };
    for (std::size_t i = 0; i < total; ++i) {
      if (!Keeps(i, total, budget_.adaptive_single / 2)) continue;
      const std::size_t varying = i % spatial;
      const auto pair = static_cast<std::int64_t>(i / spatial % pairs);
      // The other axes keep every element, or are pooled to one.
      const bool pooled = i >= pairs * spatial;
      Dims inputs(spatial, 3);
      Dims outputs(spatial, pooled ? 1 : 3);
      inputs[varying] = pair / kLargest + 1;
      outputs[varying] = pair % kLargest + 1;
      add(std::string("axis-") + kAxisLetters[varying + 3 - spatial] + "-" +
              std::to_string(inputs[varying]) + "-to-" + std::to_string(outputs[varying]) +
              (pooled ? "-others-pooled" : ""),
          inputs, outputs);
    }
    for (std::size_t i = 0; i < budget_.adaptive_mixed; ++i) {
      Dims inputs;
      Dims outputs;
      std::string name = "mixed";
      for (std::size_t axis = 0; axis < spatial; ++axis) {
        inputs.push_back(1 + static_cast<std::int64_t>(Pick(kLargest)));
        outputs.push_back(1 + static_cast<std::int64_t>(Pick(kLargest)));
        name += "-" + std::to_string(inputs.back()) + "to" + std::to_string(outputs.back());
      }
      add(name, inputs, outputs);
    }
  }

  const ProfileRules rules_;
  const TableBudget budget_;
  std::uint64_t draws_ = 0;
  std::set<std::string> names_;
  std::vector<NamedCase> cases_;
};

}  // namespace

std::vector<NamedCase> TableCases(const Spec& spec, Profile profile, CaseSet set) {
  return Table(spec, profile, set).Run();
}

}  // namespace poolproof
