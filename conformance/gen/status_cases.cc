// SPDX-License-Identifier: Apache-2.0
//
// Status cases: for each status, constraint and support clause, calls that breach it and nothing
// else, beside their nearest legal neighbours. Calls that breach a clause are made of rows of the
// acceptance table, in turn, so that the clause is tested by whatever the implementation
// accepts. The part of a name after the clause id says what the case is for: "legal-..." must
// succeed, "open-..." has no documented answer, "pair-...-with-..." breaches two clauses; a support
// clause's cases must succeed, all others must be refused.
#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "conformance/gen/acceptance_cases.h"
#include "conformance/gen/case_bases.h"
#include "conformance/gen/sources.h"
#include "conformance/gen/status_faults.h"
#include "core/random.h"

namespace poolproof {
namespace {

constexpr std::int64_t kTwo62 = std::int64_t{1} << 62;

// --- Planes above the limit
// -----------------------------------------------------------------------

std::vector<Dims> PlanesAboveLimit(int spatial_rank) {
  if (spatial_rank == 2) {
    return {{kTwo31, 1},
            {1, kTwo31},
            {kTwo32, 1},
            {1, kTwo32},
            {kTwo32 + 2, 1},
            {1, kTwo32 + 2},
            {65536, 32768},
            {32768, 65536},
            {46341, 46341},
            {65536, 65536},
            {65537, 65537},
            {2, 1 << 30},
            {65535, 65537},
            {kTwo32, kTwo32},
            {kTwo31, kTwo31},
            {4, kTwo62},
            {kTwo62, 4},
            {kTwo62, 2},
            {kInt64Max, 1},
            {1, kInt64Max},
            {kTwo31 - 1, 2},
            {2, kTwo31 - 1},
            {kTwo32 + 1, kTwo32 + 1}};
  }
  return {{kTwo31, 1, 1},
          {1, kTwo31, 1},
          {1, 1, kTwo31},
          {kTwo32, 1, 1},
          {1, kTwo32, 1},
          {1, 1, kTwo32},
          {kTwo32 + 2, 1, 1},
          {1, kTwo32 + 2, 1},
          {1, 1, kTwo32 + 2},
          {65536, 32768, 1},
          {1, 65536, 32768},
          {32768, 1, 65536},
          {46341, 46341, 1},
          {1291, 1291, 1291},
          {65536, 65536, 1},
          {65537, 65537, 1},
          {1, 65537, 65537},
          {3, 5, 286331153},  // 2^32 - 1
          {2, 1, 1 << 30},
          {2, 32768, 32768},
          {65536, 65536, 65536},
          {kTwo32, kTwo32, 1},
          {kTwo32, 1, kTwo32},
          {1, kTwo32, kTwo32},
          {kTwo31, kTwo31, kTwo31},
          {1, 4, kTwo62},
          {kTwo62, 4, 1},
          {2, 1, kTwo62},
          {1 << 21, 1 << 21, 1 << 21},
          {kInt64Max, 1, 1},
          {1, kInt64Max, 1},
          {1, 1, kInt64Max},
          {kTwo31 - 1, 2, 1},
          {1, 2, kTwo31 - 1},
          {kTwo32 + 1, kTwo32 + 1, kTwo32 + 1}};
}

// --- The collection ------------------------------------------------------------------------------

class StatusCollector {
 public:
  StatusCollector(const Spec& spec, Profile profile, CaseSet set)
      : rules_(spec, profile), set_(set) {}

  std::vector<NamedCase> Run() {
    for (const Operator op : BackwardOperators()) {
      if (rules_.Covers(op)) {
        AddFaultCases(op);
        AddPairs(op);
        AddPlanes(op);
        AddOpenCases(op);
        AddLegalNeighbours(op);
        AddSupport(op);
      } else {
        AddPlatform(op);
      }
    }
    return Thin();
  }

 private:
  // Adds a case to the clause's group, unless the profile excludes the clause or a case of that
  // name is there already; whether it was added. Contents depend on the name.
  bool Add(Operator op, Condition condition, const std::string& what, Call call, CallPlan plan = {},
           Aim aim = Aim::kNone, const AcceptanceRow* base = nullptr) {
    const Clause* clause = rules_.Of(op, condition);
    if (clause == nullptr) return false;
    std::string name = clause->id + "/" + what;
    if (!names_.insert(name).second) return false;
    std::string neighbour;
    origins_.emplace_back();
    if (base != nullptr) {
      neighbour = PathOf(*base);
      origins_.back().types = std::pair(base->type, base->index_type);
    } else if (plan.descriptors_only && rules_.Covers(op)) {
      // That descriptors are accepted says something where the numbers of such calls are right.
      const TensorSpec& self = call.tensor(Role::kSelf);
      const bool batched =
          self.shape.size() > static_cast<std::size_t>(InfoOf(op).spatial_rank) + 1;
      neighbour = PathOf(PlainRow(op, self.type, call.tensor(Role::kIndices).type, batched));
    }
    SeedData(call, SeedOfName(name));
    cases_.push_back({"status", std::move(name), Case{{std::move(call)}, plan}, clause->id, aim,
                      std::move(neighbour)});
    return true;
  }
  void AddLegal(Operator op, Condition condition, const std::string& what, Call call,
                CallPlan plan = {}) {
    Add(op, condition, "legal-" + what, std::move(call), plan, Aim::kLegal);
  }
  void AddOpen(Operator op, Condition condition, const std::string& what, Call call,
               CallPlan plan = {}) {
    Add(op, condition, "open-" + what, std::move(call), plan, Aim::kOpen);
  }
  // The row without layout, format or a plane of its own.
  static AcceptanceRow PlainRow(Operator op, DataType type, DataType index_type, bool batched) {
    return {.op = op, .type = type, .index_type = index_type, .geometry = batched ? 0 : 1};
  }

  // Index 0 lies in every plane: an implementation that carries the call out does no damage.
  static void MakeHarmless(Call& call) { call.tensor(Role::kIndices).data.kind = DataKind::kZero; }

  // "S40" of "MP3-S40".
  [[nodiscard]] std::string NumberOf(Operator op, Condition condition) const {
    return rules_.IdOf(op, condition).substr(InfoOf(op).clause_prefix.size() + 1);
  }

  static std::string VariantWord(int variant) { return "-v" + std::to_string(variant); }

  [[nodiscard]] int FaultVariants() const { return set_ == CaseSet::kNightly ? kBaseVariants : 2; }

  // What calls that breach a clause are made of: each type, index type and rank, some views, and
  // every geometry once.
  [[nodiscard]] std::vector<AcceptanceRow> FaultBases(Operator op) const {
    const std::vector<DataType> types = rules_.ValueTypes(op);
    const std::vector<BaseGeometry>& geometries = InfoOf(op).bases;
    std::vector<AcceptanceRow> bases;
    for (const AcceptanceRow& row : AcceptanceRows(rules_, op)) {
      if (row.format || row.at_plane_limit) continue;
      if (row.geometry > 1) {
        const DataType own = geometries[static_cast<std::size_t>(row.geometry)].type;
        if (row.type != (rules_.TakesValues(op, own) ? own : DataType::kFloat)) continue;
      }
      if (row.layout && set_ != CaseSet::kNightly) {
        const auto turn = std::find(types.begin(), types.end(), row.type) - types.begin();
        const bool gaps = *row.layout == Layout::kGaps;
        if (turn % 2 != row.geometry || gaps != (row.index_type == DataType::kInt64)) continue;
      }
      bases.push_back(row);
    }
    return bases;
  }

  // The call of the row with the fault in it; nullopt where the fault needs an axis or an extent
  // that the row lacks.
  [[nodiscard]] std::optional<Call> Breach(const AcceptanceRow& row, const Fault& fault) const {
    AcceptanceRow plain = row;
    plain.layout.reset();
    const Call legal = CallOf(rules_, plain);
    Call call = legal;
    fault.apply(call);
    if (call == legal) return std::nullopt;
    if (row.layout) {
      // What the fault left as it was is laid out; strides must fit shapes.
      for (const Role role : InfoOf(row.op).tensors) {
        TensorSpec& tensor = call.tensor(role);
        if (tensor.null || tensor.shape != legal.tensor(role).shape) continue;
        ApplyLayout(tensor, *row.layout, InfoOf(row.op).spatial_rank);
      }
    }
    MakeHarmless(call);
    return call;
  }

  // What of a call is wrong, and on which side: "w-minus" of "w-minus-1", "indices" of
  // "indices-f32".
  static std::string PlaceOf(const Fault& fault) {
    const bool is_null = fault.what.compare(0, 5, "null-") == 0;
    // Each rank of all tensors is looked at by itself: of one tensor alone, shapes disagree as
    // well.
    const bool is_rank = fault.what.compare(0, 9, "all-rank-") == 0;
    // So is each type that a library computes in elsewhere: it may take it here, too.
    const bool is_float =
        fault.what == "all-f16" || fault.what == "all-bf16" || fault.what == "all-f64";
    return is_null || is_rank || is_float ? fault.what
                                          : fault.what.substr(0, fault.what.rfind('-'));
  }

  // Each fault of a clause with some bases, each base with some fault.
  void AddFaultCases(Operator op) {
    std::map<Condition, std::vector<Fault>> by_condition;
    for (Fault& fault : AllFaults(rules_, op)) {
      by_condition[fault.condition].push_back(std::move(fault));
    }
    const std::vector<AcceptanceRow> bases = FaultBases(op);
    const auto add = [&](const Fault& fault, const AcceptanceRow& base) {
      std::optional<Call> call = Breach(base, fault);
      if (!call) return false;
      const std::string path = PathOf(base);
      const std::string what = fault.what + "-" + path.substr(path.rfind('/') + 1);
      if (Add(op, fault.condition, what, *std::move(call), {}, Aim::kBreach, &base)) {
        origins_.back().place = PlaceOf(fault);
        origins_.back().member = fault.member;
      }
      return true;
    };
    for (const auto& [condition, faults] : by_condition) {
      const std::size_t n = faults.size();
      const std::size_t m = bases.size();
      const std::size_t turns = std::max(n * static_cast<std::size_t>(FaultVariants()), m);
      for (std::size_t turn = 0; turn < turns; ++turn) {
        const Fault& fault = faults[turn % n];
        const std::size_t first = turn + (n % m == 0 ? turn / n : 0);
        for (std::size_t next = 0; next < m; ++next) {
          if (add(fault, bases[(first + next) % m])) break;
        }
      }
      // Faults of lists beside other lists in other lengths.
      for (const Fault& fault : faults) {
        for (const AcceptanceRow& base : bases) {
          if (fault.IsOfLists() && base.geometry > 1) add(fault, base);
        }
      }
    }
    AddOneElementFaults(op);
  }

  // Shapes of one element each that differ in rank: equal where only elements are counted.
  void AddOneElementFaults(Operator op) {
    const OperatorInfo& info = InfoOf(op);
    const auto high = static_cast<std::size_t>(info.spatial_rank) + 2;
    const Dims ones(static_cast<std::size_t>(info.spatial_rank), 1);
    for (const DataType index_type : rules_.IndexTypes(op)) {
      const AcceptanceRow base = PlainRow(op, DataType::kFloat, index_type, true);
      const std::string what = "one-element-other-rank-" + DataTypeName(index_type);
      Call call = PlaneCall(op, DataType::kFloat, index_type, ones, true);
      MakeHarmless(call);
      Call indices = call;
      indices.tensor(Role::kIndices).shape = Dims(high - 1, 1);
      Add(op, Condition::kOutputShapes, what, std::move(indices), {}, Aim::kBreach, &base);
      Call grad_input = call;
      grad_input.tensor(Role::kGradInput).shape = Dims(high - 1, 1);
      Add(op, Condition::kInputShapes, what, std::move(grad_input), {}, Aim::kBreach, &base);
    }
  }

  // Two required clauses at once.
  void AddPairs(Operator op) {
    std::map<std::string, std::vector<Fault>> by_clause;  // in the order of ids
    for (Fault& fault : AllFaults(rules_, op)) {
      const Clause* clause = rules_.Of(op, fault.condition);
      if (clause == nullptr || clause->strength != Strength::kRequired) continue;
      by_clause[clause->id].push_back(std::move(fault));
    }
    const std::size_t of_each = set_ == CaseSet::kNightly ? 6 : 2;
    std::vector<Fault> faults;
    for (auto& [id, list] : by_clause) {
      for (std::size_t i = 0; i < std::min(of_each, list.size()); ++i) {
        faults.push_back(list[i * list.size() / of_each]);
      }
    }
    const Call base = BaseCall(rules_, op, 0);
    std::uint64_t count = 0;
    for (std::size_t a = 0; a < faults.size(); ++a) {
      for (std::size_t b = a + 1; b < faults.size(); ++b) {
        if (faults[a].condition == faults[b].condition) continue;
        if ((faults[a].parts & faults[b].parts) != 0) continue;
        if (set_ != CaseSet::kNightly && RandomBelow(1, count++, 2) != 0) continue;
        Call first = base;
        faults[a].apply(first);
        Call second = base;
        faults[b].apply(second);
        if (first == base || second == base) continue;
        faults[b].apply(first);
        MakeHarmless(first);
        Add(op, faults[a].condition,
            "pair-" + faults[a].what + "-with-" + NumberOf(op, faults[b].condition) + "-" +
                faults[b].what,
            std::move(first), {}, Aim::kPair);
      }
    }
  }

  void AddPlanes(Operator op) {
    const OperatorInfo& info = InfoOf(op);
    const std::vector<DataType> types = rules_.ValueTypes(op);
    const CallPlan descriptors{.descriptors_only = true};
    for (const DataType index_type : rules_.IndexTypes(op)) {
      const std::string suffix = index_type == DataType::kInt64 ? "-i64" : "";
      std::size_t turn = 0;
      for (const Dims& plane : PlanesAboveLimit(info.spatial_rank)) {
        const DataType type = types[turn++ % types.size()];
        for (const bool high_rank : {true, false}) {
          const std::string what = DimsWord(plane) + suffix + (high_rank ? "-batched" : "");
          AcceptanceRow base = PlainRow(op, type, index_type, high_rank);
          base.at_plane_limit = true;
          Add(op, Condition::kPlaneLimit, what, PlaneCall(op, type, index_type, plane, high_rank),
              descriptors, Aim::kBreach, &base);
          // MP3-B25: not a limit on Ascend 950. Views that int64 cannot count stay out.
          if (index_type == DataType::kInt64 && CheckedNumel(plane).has_value()) {
            Add(op, Condition::kPlaneAboveLimit, what,
                PlaneCall(op, type, index_type, plane, high_rank), descriptors);
          }
        }
      }
      for (const Dims& plane : PlanesAtLimit(info.spatial_rank)) {
        const DataType type = types[turn++ % types.size()];
        for (const bool high_rank : {true, false}) {
          const std::string what = DimsWord(plane) + suffix + (high_rank ? "-batched" : "");
          AddLegal(op, Condition::kPlaneLimit, what,
                   PlaneCall(op, type, index_type, plane, high_rank), descriptors);
          Add(op, Condition::kDivisibleAboveLimit, what,
              PlaneCall(op, type, index_type, plane, high_rank), descriptors);
          if (index_type == DataType::kInt64) {
            Add(op, Condition::kPlaneAboveLimit, what,
                PlaneCall(op, type, index_type, plane, high_rank), descriptors);
          }
        }
      }
      AddManyPlanes(op, index_type, suffix);
    }
    AddNotDivisible(op);
  }

  // The limit is one plane's: more elements in all, or as many windows as elements, are legal.
  void AddManyPlanes(Operator op, DataType index_type, const std::string& suffix) {
    const OperatorInfo& info = InfoOf(op);
    const CallPlan descriptors{.descriptors_only = true};
    const Dims ones(static_cast<std::size_t>(info.spatial_rank), 1);
    for (const Dims& leading : std::vector<Dims>{{65536, 65536}, {kTwo32, 1}, {3, kTwo31}}) {
      Dims self = leading;
      self.insert(self.end(), ones.begin(), ones.end());
      AddLegal(op, Condition::kPlaneLimit, "planes-" + DimsWord(leading) + suffix,
               MakeBackward(op, NarrowType(rules_, op), index_type,
                            {.self = self,
                             .kernel = {1},
                             .stride = {1},
                             .padding = {0},
                             .dilation = {1},
                             .output = ones}),
               descriptors);
    }
    if (info.windows == WindowRule::kAdaptive) return;
    Dims row = ones;
    row.back() = kTwo31 - 1;
    Dims self = {1, 1};
    self.insert(self.end(), row.begin(), row.end());
    for (const bool one_window : {false, true}) {
      AddLegal(op, Condition::kPlaneLimit,
               (one_window ? "kernel-2147483647" : "windows-2147483647") + suffix,
               MakeFixedBackward(op, DataType::kFloat, index_type, self, one_window ? row : Dims{1},
                                 {1}, {0}, {1}, false),
               descriptors);
    }
  }

  // AMP2-C01 has no code, so whatever happens is recorded; up to 2^24 the call is legal in every
  // reading.
  void AddNotDivisible(Operator op) {
    if (!rules_.Applies(op, Condition::kNotDivisible)) return;
    const CallPlan descriptors{.descriptors_only = true};
    // Of planes with three axes the first has one element.
    const auto call_of = [&](DataType type, DataType index_type, Dims self, Dims output) {
      if (InfoOf(op).spatial_rank == 3) {
        self.insert(self.end() - 2, 1);
        output.insert(output.begin(), 1);
      }
      return MakeAdaptiveBackward(op, type, index_type, std::move(self), output);
    };
    struct Row {
      Dims self;
      Dims output;
    };
    const std::vector<Row> above = {
        {{1, 1, 4097, 4097}, {3, 2}},       {{1, 1, (1 << 24) + 1, 1}, {2, 1}},
        {{1, 1, (1 << 24) + 1, 4}, {1, 3}}, {{1, 1, 3, 5}, {4099, 4099}},
        {{64, 64, 65, 65}, {2, 3}},         {{1, 8192, 4099}, {4096, 2}}};
    for (const Row& row : above) {
      AddOpen(op, Condition::kNotDivisible, DimsWord(row.self) + "-to-" + DimsWord(row.output),
              call_of(DataType::kFloat16, DataType::kInt32, row.self, row.output), descriptors);
    }
    const std::vector<Row> at_limit = {{{1, 1, 4096, 4096}, {3, 5}},
                                       {{1, 1, 1 << 24, 1}, {3, 1}},
                                       {{1, 1 << 12, 1 << 12}, {3, 4096}},
                                       {{64, 64, 64, 64}, {3, 7}}};
    for (const Row& row : at_limit) {
      AddLegal(op, Condition::kNotDivisible, DimsWord(row.self) + "-to-" + DimsWord(row.output),
               call_of(DataType::kFloat16, DataType::kInt32, row.self, row.output), descriptors);
    }
    AddLegal(op, Condition::kNotDivisible, "divisible",
             call_of(DataType::kFloat, rules_.IndexTypes(op).back(), {1, 1, 8192, 4096}, {512, 4}),
             descriptors);
  }

  // Calls to which the documents give no answer: recorded, and watched for memory alone.
  void AddOpenCases(Operator op) {
    for (int variant = 0; variant < FaultVariants(); ++variant) {
      std::vector<Format> formats = PublicFormats();
      formats.push_back(Format::kUndefined);
      formats.push_back(static_cast<Format>(99));
      for (const Format format : formats) {
        if (format == Format::kNd) continue;
        Call call = BaseCall(rules_, op, variant);
        SetAllFormats(call, format);
        const std::string what = "all-" + FormatName(format) + VariantWord(variant);
        const SupportedFormat* row =
            rules_.FormatRow(op, format, call.tensor(Role::kSelf).shape.size());
        if (row != nullptr && row->by) {
          Add(op, *row->by, what, std::move(call));
        } else {
          AddOpen(op, Condition::kPrivateFormat, what, std::move(call));
        }
      }
      AddEmpty(op, variant);
    }
  }

  // MP3-S51.
  void AddEmpty(Operator op, int variant) {
    const Call base = BaseCall(rules_, op, variant);
    const std::size_t rank = base.tensor(Role::kSelf).shape.size();
    for (std::size_t back = 1; back <= rank; ++back) {
      const std::string axis = "axis-" + std::to_string(back) + "-from-last" + VariantWord(variant);
      Call both = base;
      MakeHarmless(both);
      for (const Role role : BackwardRoles()) {
        Dims& shape = both.tensor(role).shape;
        shape[shape.size() - back] = 0;
      }
      Call output = base;
      MakeHarmless(output);
      Dims shape = output.tensor(Role::kGradOutput).shape;
      shape[shape.size() - back] = 0;
      SetOutputShape(output, shape);
      AddOpen(op, Condition::kEmpty, "all-" + axis, std::move(both));
      AddOpen(op, Condition::kEmpty, "output-" + axis, std::move(output));
    }
    const std::vector<DataType> types = rules_.ValueTypes(op);
    AddLegal(
        op, Condition::kEmpty, "one-element" + VariantWord(variant),
        PlaneCall(op, types[static_cast<std::size_t>(variant) % types.size()], DataType::kInt32,
                  Dims(static_cast<std::size_t>(InfoOf(op).spatial_rank), 1), variant % 2 == 0));
  }

  // A platform that the product table marks as unsupported: the calls are right in all else.
  void AddPlatform(Operator op) {
    for (int variant = 0; variant < kBaseVariants; ++variant) {
      for (const SupportedType& row : InfoOf(op).value_types) {
        Call call = BaseCall(rules_, op, variant);
        SetGradientType(call, row.type);
        MakeHarmless(call);
        Add(op, Condition::kPlatform, DataTypeName(row.type) + VariantWord(variant),
            std::move(call), {}, Aim::kAlone);
      }
    }
    const Clause* clause = rules_.Of(op, Condition::kPlatform);
    // An any-error may come after phase one.
    if (clause == nullptr || clause->expect->any_error) return;
    Add(op, Condition::kPlatform, "descriptors",
        PlaneCall(op, DataType::kFloat16, DataType::kInt32,
                  Dims(static_cast<std::size_t>(InfoOf(op).spatial_rank), 64), true),
        CallPlan{.descriptors_only = true}, Aim::kAlone);
  }

  // --- Legal neighbours --------------------------------------------------------------------------

  void AddLegalNeighbours(Operator op) {
    const auto add = [&](std::initializer_list<Condition> conditions, const std::string& what,
                         const Call& call) {
      for (const Condition condition : conditions) AddLegal(op, condition, what, call);
    };
    for (int variant = 0; variant < kBaseVariants; ++variant) {
      const Call base = BaseCall(rules_, op, variant);
      const std::string suffix = VariantWord(variant);
      add({Condition::kNullSelf, Condition::kNullIndices, Condition::kNullGradOutput,
           Condition::kNullGradInput, Condition::kNullList},
          "all-present" + suffix, base);
      for (const DataType type : rules_.ValueTypes(op)) {
        Call call = base;
        SetGradientType(call, type);
        add({Condition::kGradientType, Condition::kDoubleType, Condition::kEqualTypes,
             Condition::kGradInputType},
            "all-" + DataTypeName(type) + suffix, call);
      }
      for (const DataType index_type : rules_.IndexTypes(op)) {
        Call call = base;
        call.tensor(Role::kIndices).type = index_type;
        add({Condition::kIndexType, Condition::kIndexTypeInt64},
            "indices-" + DataTypeName(index_type) + suffix, call);
      }
      add({Condition::kPrivateFormat, Condition::kEqualFormats, Condition::kEqualIndicesFormat},
          "all-ND" + suffix, base);
      add({Condition::kOutputShapes, Condition::kInputShapes, Condition::kRank,
           Condition::kDerivedShape},
          "shapes" + suffix, base);
    }
    if (InfoOf(op).windows == WindowRule::kFixed) AddLegalLists(op);
  }

  // What is written for D, H and W, for the axes that the operator's planes have: the last ones.
  static Dims Axes(Operator op, Dims values) {
    const auto axes = static_cast<std::size_t>(InfoOf(op).spatial_rank);
    if (values.size() > axes && values.size() == 3) values.erase(values.begin());
    return values;
  }
  // The same of a shape with a batch axis or without.
  static Dims Shape(Operator op, Dims shape) {
    if (InfoOf(op).spatial_rank == 2) shape.erase(shape.end() - 3);
    return shape;
  }

  [[nodiscard]] Call Fixed(Operator op, const Dims& self, const Dims& kernel, const Dims& stride,
                           const Dims& padding, const Dims& dilation, bool ceil_mode,
                           std::size_t turn) const {
    const std::vector<DataType> types = rules_.ValueTypes(op);
    return MakeFixedBackward(op, types[turn % types.size()], DataType::kInt32, Shape(op, self),
                             Axes(op, kernel), Axes(op, stride), Axes(op, padding),
                             Axes(op, dilation), ceil_mode);
  }

  void AddLegalLists(Operator op) {
    const Dims self = {2, 2, 6, 7, 5};
    std::size_t turn = 0;
    for (const bool ceil : {false, true}) {
      const std::string mode = ceil ? "-ceil" : "-floor";
      const auto add = [&](Condition condition, const std::string& what, const Dims& kernel,
                           const Dims& stride, const Dims& padding, const Dims& dilation) {
        AddLegal(op, condition, what + mode,
                 Fixed(op, self, kernel, stride, padding, dilation, ceil, ++turn));
      };
      const std::string full = "length-" + std::to_string(InfoOf(op).spatial_rank);
      add(Condition::kKernelLength, "length-1", {2}, {1}, {1}, {1});
      add(Condition::kKernelLength, full, {2, 3, 1}, {1}, {0}, {1});
      add(Condition::kStrideLength, "length-0", {2, 3, 1}, {}, {0}, {1});
      add(Condition::kStrideLength, "length-1", {2}, {2}, {0}, {1});
      add(Condition::kStrideLength, full, {2}, {2, 1, 3}, {0}, {1});
      add(Condition::kPaddingLength, "length-1", {2}, {1}, {1}, {1});
      add(Condition::kPaddingLength, full, {2}, {1}, {1, 0, 1}, {1});
      add(Condition::kPaddingNegative, "zero", {2}, {1}, {0}, {1});
      add(Condition::kPaddingNegative, "zeros", {2}, {1}, {0, 0, 0}, {1});
      add(Condition::kDilationLength, "length-1", {2}, {1}, {0}, {1});
      add(Condition::kDilationLength, full, {2}, {1}, {0}, {1, 1, 1});
      for (const Condition condition : {Condition::kDilationNotOne, Condition::kDilationValue}) {
        add(condition, "one", {3}, {2}, {1}, {1});
        add(condition, "ones", {3}, {2}, {1}, {1, 1, 1});
      }
      // Floor and ceil give different shapes.
      const auto add_shape = [&](const std::string& what, const Dims& shape, const Dims& kernel,
                                 const Dims& stride, const Dims& padding) {
        AddLegal(op, Condition::kDerivedShape, what + mode,
                 Fixed(op, shape, kernel, stride, padding, {1}, ceil, ++turn));
      };
      add_shape("rounding", {1, 2, 6, 6, 6}, {3}, {2}, {0});
      add_shape("dropped-window", {1, 2, 5, 5, 5}, {2}, {2}, {1});
      add_shape("kernel-equals-input", self, {6, 7, 5}, {1}, {0});
      add_shape("kernel-equals-padded-input", {1, 2, 4, 4, 4}, {8, 8, 8}, {3}, {2});
    }
    const auto add = [&](Condition condition, const std::string& what, const Dims& kernel,
                         const Dims& stride, const Dims& padding, bool ceil = false) {
      AddLegal(op, condition, what, Fixed(op, self, kernel, stride, padding, {1}, ceil, ++turn));
    };
    const auto axes = static_cast<std::size_t>(InfoOf(op).spatial_rank);
    for (std::size_t axis = 0; axis <= axes; ++axis) {
      const std::string word = AxisWord(axes, axis);
      const auto list = [&](std::int64_t other, std::int64_t value) {
        return ListWithValue(axes, other, axis, value);
      };
      add(Condition::kKernelValue, word + "-1", list(2, 1), {1}, {0});
      add(Condition::kStrideValue, word + "-1", {2}, list(2, 1), {0});
      // One window on an axis, where the next would start. Devices count in 32 bits, and no page
      // says up to where a stride is legal: nothing beyond is asked of anyone.
      for (const std::int64_t stride : {std::int64_t{100}, kTwo31 - 1}) {
        add(Condition::kStrideValue, word + "-" + ValueWord(stride), {2}, list(2, stride), {0});
      }
      for (std::int64_t k = 1; k <= 6; ++k) {
        for (const Condition condition :
             {Condition::kPaddingAboveHalf, Condition::kPaddingAboveKernel}) {
          add(condition, word + "-kernel-" + std::to_string(k) + "-padding-half", list(2, k), {2},
              list(0, k / 2));
        }
      }
    }
    add(Condition::kPaddingAboveHalf, "one-padding-at-last-axes", {4, 2, 2}, {2}, {1});
    add(Condition::kPaddingAboveHalf, "one-padding-at-first-axis", {2, 4, 4}, {2}, {1});
    add(Condition::kPaddingAboveHalf, "each-at-its-half", {2, 3, 5}, {2}, {1, 1, 2}, true);
  }

  // --- Support clauses ---------------------------------------------------------------------------

  void AddSupport(Operator op) {
    constexpr std::array kIndexKinds = {DataKind::kArgmax, DataKind::kWindow, DataKind::kLast,
                                        DataKind::kShared};
    for (int variant = 0; variant < kBaseVariants; ++variant) {
      const Call base = BaseCall(rules_, op, variant);
      std::size_t turn = static_cast<std::size_t>(variant);
      for (const SupportedType& row : InfoOf(op).value_types) {
        if (!rules_.TakesValues(op, row.type)) continue;
        for (const DataKind kind : kIndexKinds) {
          Call call = base;
          SetGradientType(call, row.type);
          call.tensor(Role::kIndices).data.kind = kind;
          const std::string what =
              DataTypeName(row.type) + "-" + std::to_string(turn++) + VariantWord(variant);
          for (const Condition condition :
               {Condition::kUnbatched, *row.by, Condition::kInt32Indices, Condition::kFormatNd}) {
            Add(op, condition, what, call);
          }
          call.tensor(Role::kIndices).type = DataType::kInt64;
          Add(op, Condition::kInt64Indices, what, call);
        }
        AddLayouts(op, variant, row.type);
      }
    }
    if (InfoOf(op).windows == WindowRule::kFixed) AddAttributeForms(op);
  }

  // Each operand alone in each layout, and all together.
  void AddLayouts(Operator op, int variant, DataType type) {
    const OperatorInfo& info = InfoOf(op);
    // The page names indices among the non-contiguous ones, or another clause mentions them.
    const bool indices_apart = info.indices_view != Condition::kViews;
    for (const Layout layout : kLayouts) {
      const std::string suffix =
          "-" + std::string(LayoutName(layout)) + "-" + DataTypeName(type) + VariantWord(variant);
      Call all = BaseCall(rules_, op, variant);
      SetGradientType(all, type);
      all.tensor(Role::kIndices).data.kind = DataKind::kWindow;
      const Call base = all;
      for (const Role role : BackwardRoles()) {
        // A broadcast gradInput is written more than once, broadcast indices leave their windows.
        if (layout == Layout::kBroadcast && (role == Role::kGradInput || role == Role::kIndices)) {
          continue;
        }
        Call one = base;
        ApplyLayout(one.tensor(role), layout, info.spatial_rank);
        if (layout == Layout::kBroadcast) one.tensor(role).data.kind = DataKind::kUniform;
        const bool apart = indices_apart && role == Role::kIndices;
        if (!apart) all.tensor(role) = one.tensor(role);
        Add(op, apart ? info.indices_view : Condition::kViews, std::string(RoleName(role)) + suffix,
            std::move(one));
      }
      Add(op, Condition::kViews, "together" + suffix, all);
      if (indices_apart && layout != Layout::kBroadcast) {
        ApplyLayout(all.tensor(Role::kIndices), layout, info.spatial_rank);
        Add(op, info.indices_view, "together" + suffix, std::move(all));
      }
    }
    AddMixedLayouts(op, variant, type);
  }

  // Another layout for every operand: none may be read through the strides of its neighbour.
  void AddMixedLayouts(Operator op, int variant, DataType type) {
    constexpr std::array kMixed = {Layout::kChannelsLast, Layout::kGaps, Layout::kReversed,
                                   Layout::kOffset};
    const OperatorInfo& info = InfoOf(op);
    for (std::size_t shift = 0; shift < kMixed.size(); ++shift) {
      Call call = BaseCall(rules_, op, variant);
      SetGradientType(call, type);
      call.tensor(Role::kIndices).data.kind = DataKind::kWindow;
      for (std::size_t i = 0; i < info.tensors.size(); ++i) {
        if (info.tensors[i] == Role::kIndices && info.indices_view != Condition::kViews) continue;
        ApplyLayout(call.tensor(info.tensors[i]), kMixed[(i + shift) % kMixed.size()],
                    info.spatial_rank);
      }
      GiveMagnitudes(call);
      Add(op, Condition::kViews,
          "mixed-" + std::to_string(shift) + "-" + DataTypeName(type) + VariantWord(variant),
          std::move(call));
    }
  }

  void AddAttributeForms(Operator op) {
    std::size_t turn = 0;
    const auto axes = static_cast<std::size_t>(InfoOf(op).spatial_rank);
    for (const Dims& self : std::vector<Dims>{{1, 2, 6, 7, 5}, {3, 5, 8, 6}}) {
      for (const bool ceil : {false, true}) {
        const std::string suffix =
            (ceil ? std::string("-ceil") : std::string("-floor")) + "-" + DimsWord(Shape(op, self));
        const auto add = [&](Condition condition, const std::string& what, const Dims& kernel,
                             const Dims& stride, const Dims& padding, const Dims& dilation) {
          Add(op, condition, what + suffix,
              Fixed(op, self, kernel, stride, padding, dilation, ceil, ++turn));
        };
        for (std::int64_t k = 1; k <= 4; ++k) {
          const std::string kernel = "kernel-" + std::to_string(k);
          // One kernel for all axes, whatever the form of the stride.
          add(Condition::kKernelForAllAxes, kernel + "-stride-none", {k}, {}, {0}, {1});
          add(Condition::kKernelForAllAxes, kernel + "-stride-one", {k}, {2}, {0}, {1});
          add(Condition::kKernelForAllAxes, kernel + "-stride-three", {k}, {2, 1, 3}, {k / 2}, {1});
          for (std::size_t axis = 0; axis < axes; ++axis) {
            const Dims kernels = ListWithValue(axes, 2, axis, k);
            const std::string word = AxisWord(axes, axis) + "-" + kernel;
            add(Condition::kStrideFromKernel, word, kernels, {}, {0}, {1});
            add(Condition::kStrideForAllAxes, word, kernels, {1 + k % 3}, {0}, {1});
            for (std::int64_t p = 0; p <= k / 2; ++p) {
              add(Condition::kPaddingUpToHalf, word + "-padding-" + std::to_string(p), kernels, {2},
                  ListWithValue(axes, 0, axis, p), {1});
            }
            if (k > 1 && k < 4) {
              add(Condition::kDilationAboveOne, word, kernels, {1}, {0},
                  ListWithValue(axes, 1, axis, 2));
            }
          }
          for (std::int64_t p = 0; p <= k / 2; ++p) {
            add(Condition::kPaddingUpToHalf, "all-" + kernel + "-padding-" + std::to_string(p), {k},
                {1}, {p}, {1});
          }
          add(Condition::kDilationOne, "one-" + kernel, {k}, {2}, {k / 2}, {1});
          add(Condition::kDilationOne, "three-" + kernel, {k}, {2}, {k / 2}, {1, 1, 1});
          if (k < 4) add(Condition::kDilationAboveOne, "all-" + kernel, {k}, {2}, {k / 2}, {2});
        }
      }
    }
  }

  // --- Thinning ----------------------------------------------------------------------------------

  // Of each operator, clause and aim every set keeps some cases, and of those that breach a clause
  // one for each pair of types of their bases, for each place where a call can be wrong and for
  // each value that is forbidden there: a check of one axis, or of 0, says nothing about another or
  // about what is negative, and a type that is refused says nothing about the next.
  std::vector<NamedCase> Thin() {
    if (set_ != CaseSet::kSmoke) return std::move(cases_);
    using Group = std::tuple<Operator, std::string, Aim>;
    const auto group_of = [](const NamedCase& named) {
      return Group(named.problem.calls.front().op, named.clause, named.aim);
    };
    std::map<Group, std::size_t> sizes;
    for (const NamedCase& named : cases_) ++sizes[group_of(named)];
    std::map<Group, std::size_t> seen;
    std::set<std::pair<Group, BaseTypes>> seen_types;
    std::set<std::pair<Group, std::string>> seen_places;
    std::set<std::pair<Group, std::string>> seen_members;
    std::vector<NamedCase> kept;
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      const Group group = group_of(cases_[i]);
      const std::size_t position = seen[group]++;
      const auto& [types, place, member] = origins_[i];
      const bool other_types = types && seen_types.insert({group, *types}).second;
      const bool other_place = !place.empty() && seen_places.insert({group, place}).second;
      const bool other_member = !member.empty() && seen_members.insert({group, member}).second;
      if (other_types || other_place || other_member || position == 0 ||
          position == sizes[group] / 2 || position % 24 == 5) {
        kept.push_back(std::move(cases_[i]));
      }
    }
    return kept;
  }

  using BaseTypes = std::pair<DataType, DataType>;  // of values and of indices
  struct Origin {
    std::optional<BaseTypes> types;  // of its base
    std::string place;               // of its fault
    std::string member;              // what is forbidden in it
  };

  const ProfileRules rules_;
  const CaseSet set_;
  std::set<std::string> names_;
  std::vector<NamedCase> cases_;
  std::vector<Origin> origins_;  // of each case
};

}  // namespace

std::vector<NamedCase> StatusCases(const Spec& spec, Profile profile, CaseSet set) {
  return StatusCollector(spec, profile, set).Run();
}

}  // namespace poolproof
