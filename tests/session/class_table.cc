// SPDX-License-Identifier: Apache-2.0
#include "tests/session/class_table.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "conformance/case/plan_members.h"
#include "conformance/judge/prepared_case.h"
#include "conformance/result/facets.h"

namespace poolproof {
namespace {

// What excludes one another.
enum class ClassGroup : std::uint8_t {
  kNone,
  kType,
  kRank,
  kPadding,
  kStride,
  kRounding,
  kDivision
};

struct TableColumn {
  std::string name;
  ClassGroup group = ClassGroup::kNone;
  std::function<bool(const Case&, Facets)> holds;
};

struct TableRow {
  std::string name;
  ClassGroup group = ClassGroup::kNone;
  std::function<bool(const Case&, Facets)> holds;
  // Ranks that calls of the class may have: with a batch axis, without.
  bool batched = true;
  bool unbatched = true;
};

std::function<bool(const Case&, Facets)> HasFacet(Facet facet) {
  return [facet](const Case&, Facets facets) { return (facets & BitOf(facet)) != 0; };
}

ClassGroup GroupOf(Facet facet) {
  switch (facet) {
    case Facet::kFloat:
    case Facet::kHalf:
    case Facet::kBfloat:
      return ClassGroup::kType;
    case Facet::kBatched:
    case Facet::kUnbatched:
      return ClassGroup::kRank;
    case Facet::kPadded:
    case Facet::kUnpadded:
      return ClassGroup::kPadding;
    case Facet::kFloor:
    case Facet::kCeil:
      return ClassGroup::kRounding;
    case Facet::kDivides:
    case Facet::kUneven:
      return ClassGroup::kDivision;
    default:
      return ClassGroup::kNone;
  }
}

bool AnyTiles(const Case& problem) {
  return std::any_of(problem.calls.begin(), problem.calls.end(), [](const Call& call) {
    const std::optional<WindowAttributes> windows = ExpandAttributes(call);
    return windows && windows->kernel == windows->stride;
  });
}

std::vector<TableColumn> ColumnsOf(const ProfileRules& rules, Operator op) {
  std::vector<TableColumn> columns;
  const auto add = [&](const std::string& name, Facet facet) {
    columns.push_back({name, GroupOf(facet), HasFacet(facet)});
  };
  for (const DataType type : rules.ValueTypes(op)) {
    add(DataTypeName(type), type == DataType::kFloat     ? Facet::kFloat
                            : type == DataType::kFloat16 ? Facet::kHalf
                                                         : Facet::kBfloat);
  }
  add("batched", Facet::kBatched);
  add("unbatched", Facet::kUnbatched);
  if (InfoOf(op).windows == WindowRule::kAdaptive) {
    add("divides", Facet::kDivides);
    add("uneven", Facet::kUneven);
    return columns;
  }
  add("unpadded", Facet::kUnpadded);
  add("padded", Facet::kPadded);
  columns.push_back({"stride = kernel", ClassGroup::kStride,
                     [](const Case& problem, Facets) { return AnyTiles(problem); }});
  columns.push_back({"other stride", ClassGroup::kStride,
                     [](const Case& problem, Facets) { return !AnyTiles(problem); }});
  add("floor", Facet::kFloor);
  add("ceil", Facet::kCeil);
  return columns;
}

// Whether calls of the operator can have the facet under the profile.
bool CanHave(const ProfileRules& rules, Operator op, Facet facet) {
  const OperatorInfo& info = InfoOf(op);
  const bool fixed = info.windows == WindowRule::kFixed;
  const bool views = rules.Applies(op, Condition::kViews);
  switch (facet) {
    case Facet::kHalf:
      return rules.TakesValues(op, DataType::kFloat16);
    case Facet::kBfloat:
      return rules.TakesValues(op, DataType::kBf16);
    case Facet::kInt64:
      return rules.TakesIndices(op, DataType::kInt64);
    case Facet::kView:
    case Facet::kViewGradOutput:
    case Facet::kViewSelf:
    case Facet::kViewGradInput:
      return views;
    case Facet::kViewIndices:
      return rules.Applies(op, info.indices_view);
    case Facet::kFloor:
    case Facet::kCeil:
    case Facet::kUnpadded:
    case Facet::kPadded:
      return fixed;
    case Facet::kDilated:
      return rules.Applies(op, Condition::kDilationAboveOne);
    case Facet::kDivides:
    case Facet::kUneven:
      return !fixed;
    default:
      return facet != Facet::kFormatNamed;  // formats have rows of their own
  }
}

void AddPlanRows(const ProfileRules& rules, Operator op, std::vector<TableRow>& rows) {
  for (const PlanMember& member : PlanMembers()) {
    // What leaves no valid call, what only makes a run longer, and properties, which are counted
    // elsewhere.
    if (!member.removable || member.json_name == "relation") continue;
    if (member.json_name == "deterministic" && !rules.Applies(op, Condition::kDeterministic)) {
      continue;
    }
    const std::string name(member.json_name);
    if (member.kind != PlanMember::Kind::kWord) {
      rows.push_back({"plan " + name, ClassGroup::kNone, [&member](const Case& problem, Facets) {
                        return !member.IsDefault(problem.plan);
                      }});
      continue;
    }
    for (int value = 0; value <= member.most; ++value) {
      if (value == member.Default()) continue;
      rows.push_back({"plan " + name + " " + member.ValueText(value), ClassGroup::kNone,
                      [&member, value](const Case& problem, Facets) {
                        return member.get(problem.plan) == value;
                      }});
    }
  }
  rows.push_back({"plan of several calls", ClassGroup::kNone,
                  [](const Case& problem, Facets) { return problem.calls.size() > 1; }});
}

std::vector<TableRow> RowsOf(const ProfileRules& rules, Operator op) {
  const OperatorInfo& info = InfoOf(op);
  std::vector<TableRow> rows;
  for (std::size_t i = 0; i <= static_cast<std::size_t>(Facet::kManyBatches); ++i) {
    const auto facet = static_cast<Facet>(i);
    if (!CanHave(rules, op, facet)) continue;
    rows.push_back({std::string(FacetName(facet)), GroupOf(facet), HasFacet(facet)});
    rows.back().unbatched = facet != Facet::kManyBatches;
  }
  std::set<Format> seen;
  const auto axes = static_cast<std::size_t>(info.spatial_rank);
  for (const SupportedFormat& row : info.formats) {
    if (row.format == Format::kNd || !seen.insert(row.format).second) continue;
    const bool batched = rules.FormatRow(op, row.format, axes + 2) != nullptr;
    const bool unbatched = rules.FormatRow(op, row.format, axes + 1) != nullptr;
    if (!batched && !unbatched) continue;
    rows.push_back({"format " + FormatName(row.format), ClassGroup::kNone,
                    [format = row.format](const Case& problem, Facets) {
                      return problem.calls.front().tensor(Role::kSelf).format == format;
                    },
                    batched, unbatched});
  }
  AddPlanRows(rules, op, rows);
  return rows;
}

// The one operator that the case calls, each time in a way that must succeed; indices lie in their
// windows.
std::optional<Operator> ValidOperator(const ProfileRules& rules, const Case& problem) {
  const Operator op = problem.calls.front().op;
  if (problem.plan.descriptors_only || InfoOf(op).is_forward) return std::nullopt;
  for (const Call& call : problem.calls) {
    const Data& indices = call.tensor(Role::kIndices).data;
    const bool chosen = indices.kind >= DataKind::kArgmax && indices.kind <= DataKind::kShared;
    if (call.op != op || !chosen || !indices.patches.empty()) return std::nullopt;
    if (!IsValid(rules, call, problem.plan)) return std::nullopt;
  }
  return op;
}

}  // namespace

std::vector<OperatorClasses> CountClasses(Profile profile, const std::vector<NamedCase>& cases) {
  const ProfileRules rules(Spec::Embedded(), profile);
  struct Counted {
    std::vector<TableRow> rows;
    std::vector<TableColumn> columns;
    std::vector<ClassCount> counts;
  };
  std::map<Operator, Counted> by_operator;
  for (const Operator op : rules.CoveredBackwards()) {
    Counted& counted = by_operator[op];
    counted.rows = RowsOf(rules, op);
    counted.columns = ColumnsOf(rules, op);
    for (const TableRow& row : counted.rows) {
      ClassCount& count = counted.counts.emplace_back();
      count.name = row.name;
      for (const TableColumn& column : counted.columns) {
        const bool same = row.group != ClassGroup::kNone && row.group == column.group;
        const bool rank = (column.name != "batched" || row.batched) &&
                          (column.name != "unbatched" || row.unbatched);
        count.cells.push_back({column.name, 0, !same && rank});
      }
    }
  }
  for (const NamedCase& named : cases) {
    const std::optional<Operator> op = ValidOperator(rules, named.problem);
    if (!op) continue;
    Counted& counted = by_operator.at(*op);
    const Facets facets = FacetsOf(named.problem);
    for (std::size_t r = 0; r < counted.rows.size(); ++r) {
      if (!counted.rows[r].holds(named.problem, facets)) continue;
      ClassCount& count = counted.counts[r];
      ++count.cases;
      for (std::size_t c = 0; c < counted.columns.size(); ++c) {
        if (counted.columns[c].holds(named.problem, facets)) ++count.cells[c].cases;
      }
    }
  }
  std::vector<OperatorClasses> result;
  for (auto& [op, counted] : by_operator) result.push_back({op, std::move(counted.counts)});
  return result;
}

std::string ClassesMarkdown(const std::vector<OperatorClasses>& counted) {
  std::string text;
  for (const OperatorClasses& of_operator : counted) {
    text += "\n### " + std::string(InfoOf(of_operator.op).name) + "\n\n| class | cases |";
    std::string line = "\n|---|---|";
    for (const ClassCell& cell : of_operator.classes.front().cells) {
      text += " " + cell.column + " |";
      line += "---|";
    }
    text += line + "\n";
    for (const ClassCount& count : of_operator.classes) {
      text += "| " + count.name + " | " + std::to_string(count.cases) + " |";
      for (const ClassCell& cell : count.cells) {
        text += " " + (cell.possible ? std::to_string(cell.cases) : std::string("-")) + " |";
      }
      text += "\n";
    }
  }
  return text;
}

}  // namespace poolproof
