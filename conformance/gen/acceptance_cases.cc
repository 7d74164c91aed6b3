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
  return name + "-" + (row.layout ? std::string(LayoutName(*row.layout)) : "contiguous");
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
  const BaseGeometry& base = InfoOf(info.backward).bases[static_cast<std::size_t>(row.geometry)];
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
      std::string name = NameOf(row);
      Call call = CallOf(rules, row);
      SeedData(call, SeedOfName(name));
      cases.push_back({std::string(kFamily), std::move(name),
                       Case{{std::move(call)}, {.descriptors_only = row.at_plane_limit}}});
    }
  }
  return cases;
}

}  // namespace poolproof
