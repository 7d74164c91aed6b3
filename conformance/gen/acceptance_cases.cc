// SPDX-License-Identifier: Apache-2.0
#include "conformance/gen/acceptance_cases.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "conformance/case/passed_axes.h"

namespace poolproof {
namespace {

constexpr std::string_view kFamily = "accepted";

// nullopt: contiguous.
constexpr std::array<std::optional<Layout>, 3> kAcceptanceLayouts = {
    std::nullopt, Layout::kChannelsLast, Layout::kGaps};

// Windows over D, H and W, and planes; operators over planes of two axes leave D out.
struct FixedWindows {
  const char* name;
  std::array<std::int64_t, 2> leading;  // N and C; without a batch axis C alone
  std::array<std::int64_t, 3> plane;
  Dims kernel, stride, padding;  // of three values, of one or of none
  bool ceil_mode = false;
};

const std::vector<FixedWindows>& SpreadFixed() {
  static const std::vector<FixedWindows> rows = {
      {"tiles", {1, 1}, {1, 4, 8}, {1, 2, 2}, {1, 2, 2}, {0, 0, 0}},
      {"tiles-of-plane", {1, 3}, {2, 4, 8}, {2}, {2}, {0}},
      {"stride-left-out", {2, 2}, {2, 6, 9}, {2, 3, 3}, {}, {0, 0, 0}},
      {"cells", {1, 2}, {1, 3, 8}, {1}, {1}, {0}},
      {"overlap", {1, 2}, {1, 5, 8}, {1, 3, 3}, {1, 1, 1}, {0, 0, 0}},
      {"overlap-padded", {1, 1}, {3, 5, 7}, {3}, {2}, {1}},
      {"gaps", {1, 2}, {2, 6, 9}, {1, 1, 2}, {2, 2, 3}, {0, 0, 0}},
      {"tiles-padded", {1, 2}, {1, 6, 8}, {1, 2, 2}, {1, 2, 2}, {0, 1, 1}},
      {"tiles-ceil", {1, 2}, {1, 5, 7}, {1, 2, 2}, {1, 2, 2}, {0, 0, 0}, true},
      {"large", {1, 1}, {1, 32, 64}, {1, 4, 4}, {1, 4, 4}, {0, 0, 0}}};
  return rows;
}

struct AdaptiveWindows {
  const char* name;
  std::array<std::int64_t, 2> leading;
  std::array<std::int64_t, 3> plane;
  std::array<std::int64_t, 3> output;
};

constexpr std::array kSpreadAdaptive = {AdaptiveWindows{"tiles", {1, 1}, {1, 4, 8}, {1, 2, 4}},
                                        AdaptiveWindows{"one-window", {1, 3}, {2, 4, 8}, {1, 1, 1}},
                                        AdaptiveWindows{"cells", {2, 2}, {1, 3, 8}, {1, 3, 8}},
                                        AdaptiveWindows{"uneven", {1, 2}, {3, 5, 7}, {2, 3, 5}},
                                        AdaptiveWindows{"upwards", {1, 2}, {2, 3, 4}, {3, 5, 7}},
                                        AdaptiveWindows{"large", {1, 1}, {1, 32, 64}, {1, 8, 16}}};

std::size_t SpreadSize(Operator op) {
  return InfoOf(op).windows == WindowRule::kFixed ? SpreadFixed().size() : kSpreadAdaptive.size();
}

std::string SpreadName(Operator op, std::size_t windows) {
  return InfoOf(op).windows == WindowRule::kFixed ? SpreadFixed()[windows].name
                                                  : kSpreadAdaptive[windows].name;
}

BaseGeometry SpreadGeometry(Operator op, std::size_t windows, bool batched) {
  const auto axes = InfoOf(op).spatial_rank;
  const auto fitted = [&](Dims dims) {
    if (std::ssize(dims) > axes) dims.erase(dims.begin(), dims.end() - axes);
    return dims;
  };
  const auto self = [&](const std::array<std::int64_t, 2>& leading,
                        const std::array<std::int64_t, 3>& plane) {
    Dims shape(batched ? leading.begin() : leading.begin() + 1, leading.end());
    shape.insert(shape.end(), plane.end() - axes, plane.end());
    return shape;
  };
  if (InfoOf(op).windows == WindowRule::kAdaptive) {
    const AdaptiveWindows& row = kSpreadAdaptive[windows];
    return {.self = self(row.leading, row.plane),
            .output = fitted(Dims(row.output.begin(), row.output.end()))};
  }
  const FixedWindows& row = SpreadFixed()[windows];
  return {.self = self(row.leading, row.plane),
          .kernel = fitted(row.kernel),
          .stride = fitted(row.stride),
          .padding = fitted(row.padding),
          .dilation = Dims(row.kernel.size() == 1 ? 1 : static_cast<std::size_t>(axes), 1),
          .ceil_mode = row.ceil_mode};
}

// The formats that the page gives tensors of `rank` axes, in its order.
std::vector<Format> FormatsOf(const ProfileRules& rules, Operator op, std::size_t rank) {
  std::vector<Format> formats;
  for (const SupportedFormat& row : InfoOf(op).formats) {
    if (rules.FormatRow(op, row.format, rank) == nullptr) continue;
    if (std::find(formats.begin(), formats.end(), row.format) == formats.end()) {
      formats.push_back(row.format);
    }
  }
  return formats;
}

// "ncdhw", as in a name.
std::string LowerName(Format format) {
  std::string name(FormatName(format));
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

bool TakesViews(const ProfileRules& rules, Operator op) {
  const Operator backward = InfoOf(op).backward;
  return rules.Applies(backward, Condition::kViews) &&
         rules.Applies(backward, InfoOf(backward).indices_view);
}

std::size_t RankOf(Operator op, int geometry) {
  return static_cast<std::size_t>(InfoOf(op).spatial_rank) + (geometry % 2 == 0 ? 2 : 1);
}

void AddRows(const ProfileRules& rules, const AcceptanceRow& plain,
             std::vector<AcceptanceRow>& rows) {
  const std::vector<Format> formats = FormatsOf(rules, plain.op, RankOf(plain.op, plain.geometry));
  for (std::size_t i = 0; i < formats.size(); ++i) {
    for (const std::optional<Layout>& layout : kAcceptanceLayouts) {
      if (layout && !TakesViews(rules, plain.op)) continue;
      // In this format it is the contiguous one.
      if (formats[i] == Format::kNhwc && layout == Layout::kChannelsLast) continue;
      rows.push_back({.op = plain.op,
                      .type = plain.type,
                      .index_type = plain.index_type,
                      .geometry = plain.geometry,
                      .format = i > 0 ? std::optional(formats[i]) : std::nullopt,
                      .layout = layout});
    }
  }
}

std::string NameOf(const AcceptanceRow& row) {
  std::string name = DataTypeName(row.type) + "-" + DataTypeName(row.index_type) +
                     (row.geometry % 2 == 0 ? "-batched" : "-unbatched");
  if (row.at_plane_limit) return name + "-plane-limit-contiguous";
  if (row.geometry > 1) name += "-" + std::to_string(row.geometry);
  if (row.format) name += "-" + LowerName(*row.format);
  name += "-" + (row.layout ? std::string(LayoutName(*row.layout)) : "contiguous");
  return row.windows ? name + "-" + SpreadName(row.op, *row.windows) : name;
}

NamedCase CaseOf(const ProfileRules& rules, const AcceptanceRow& row) {
  std::string name = NameOf(row);
  Call call = CallOf(rules, row);
  SeedData(call, SeedOfName(name));
  return {std::string(kFamily), std::move(name),
          Case{{std::move(call)}, {.descriptors_only = row.at_plane_limit}}};
}

}  // namespace

std::vector<AcceptanceRow> AcceptanceRows(const ProfileRules& rules, Operator op) {
  std::vector<AcceptanceRow> rows;
  if (!rules.Covers(op)) return rows;
  for (const DataType type : rules.ValueTypes(op)) {
    for (const DataType index_type : rules.IndexTypes(op)) {
      for (const int geometry : {0, 1}) {
        AddRows(rules, {.op = op, .type = type, .index_type = index_type, .geometry = geometry},
                rows);
      }
      if (InfoOf(op).is_forward) continue;
      for (const int geometry : {2, 3}) {
        rows.push_back({.op = op, .type = type, .index_type = index_type, .geometry = geometry});
      }
      for (const int geometry : {0, 1}) {
        rows.push_back({.op = op,
                        .type = type,
                        .index_type = index_type,
                        .geometry = geometry,
                        .at_plane_limit = true});
      }
    }
  }
  return rows;
}

Call CallOf(const ProfileRules& rules, const AcceptanceRow& row) {
  const OperatorInfo& info = InfoOf(row.op);
  const bool batched = row.geometry % 2 == 0;
  if (row.at_plane_limit) {
    return PlaneCall(row.op, row.type, row.index_type, PlanesAtLimit(info.spatial_rank).front(),
                     batched);
  }
  const BaseGeometry base =
      row.windows ? SpreadGeometry(info.backward, *row.windows, batched)
                  : InfoOf(info.backward).bases[static_cast<std::size_t>(row.geometry)];
  Call call = MakeBackward(info.backward, row.type, row.index_type, base);
  if (info.is_forward) call = MakeForward(call);
  call.tensor(Role::kIndices).type = row.index_type;
  const std::vector<Format> formats = FormatsOf(rules, row.op, RankOf(row.op, row.geometry));
  if (!formats.empty()) SetFormats(call, row.format.value_or(formats.front()));
  for (const Role role : info.tensors) {
    if (row.layout) ApplyLayout(call.tensor(role), *row.layout, info.spatial_rank);
  }
  return call;
}

std::string PathOf(const AcceptanceRow& row) {
  return std::string(InfoOf(row.op).name) + "/" + std::string(kFamily) + "/" + NameOf(row);
}

std::vector<NamedCase> AcceptanceCases(const Spec& spec, Profile profile) {
  const ProfileRules rules(spec, profile);
  std::vector<NamedCase> cases;
  for (const OperatorInfo& info : AllOperators()) {
    for (const AcceptanceRow& row : AcceptanceRows(rules, info.op)) {
      cases.push_back(CaseOf(rules, row));
    }
  }
  return cases;
}

std::vector<NamedCase> SpreadCases(const Spec& spec, Profile profile) {
  const ProfileRules rules(spec, profile);
  std::vector<NamedCase> cases;
  for (const OperatorInfo& info : AllOperators()) {
    const std::vector<AcceptanceRow> rows = AcceptanceRows(rules, info.op);
    for (std::size_t windows = 0; windows < SpreadSize(info.op); ++windows) {
      for (AcceptanceRow row : rows) {
        if (row.at_plane_limit || row.geometry > 1) continue;
        row.windows = windows;
        // Of one channel alone, channels vary fastest and slowest.
        if (row.layout == Layout::kChannelsLast) row.layout = Layout::kTransposed;
        cases.push_back(CaseOf(rules, row));
      }
    }
  }
  return cases;
}

}  // namespace poolproof
