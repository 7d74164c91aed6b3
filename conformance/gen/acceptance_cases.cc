// SPDX-License-Identifier: Apache-2.0
#include "conformance/gen/acceptance_cases.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string>
#include <utility>

#include "conformance/gen/case_bases.h"
#include "conformance/spec/profile_rules.h"

namespace poolproof {
namespace {

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

void AddCases(const ProfileRules& rules, Operator op, std::vector<NamedCase>& into) {
  const OperatorInfo& info = InfoOf(op);
  const std::vector<BaseGeometry>& bases = InfoOf(info.backward).bases;
  for (const DataType type : rules.ValueTypes(op)) {
    for (const DataType index_type : rules.IndexTypes(op)) {
      for (const bool batched : {true, false}) {
        Call call = MakeBackward(info.backward, type, index_type, bases[batched ? 0 : 1]);
        if (info.is_forward) call = MakeForward(call);
        call.tensor(Role::kIndices).type = index_type;
        const std::vector<Format> formats =
            FormatsOf(rules, op, call.tensor(Role::kSelf).shape.size());
        for (const Format format : formats) {
          for (const std::optional<Layout>& layout : kAcceptanceLayouts) {
            if (layout && !TakesViews(rules, op)) continue;
            std::string name = DataTypeName(type) + "-" + DataTypeName(index_type) +
                               (batched ? "-batched" : "-unbatched") +
                               (format == formats.front() ? "" : "-" + LowerName(format)) + "-" +
                               (layout ? std::string(LayoutName(*layout)) : "contiguous");
            Call laid_out = call;
            for (const Role role : info.tensors) {
              laid_out.tensor(role).format = format;
              if (layout) ApplyLayout(laid_out.tensor(role), *layout, info.spatial_rank);
            }
            SeedData(laid_out, SeedOfName(name));
            into.push_back({"accepted", std::move(name), Case{{std::move(laid_out)}, CallPlan{}}});
          }
        }
      }
    }
  }
}

}  // namespace

std::vector<NamedCase> AcceptanceCases(const Spec& spec, Profile profile) {
  const ProfileRules rules(spec, profile);
  std::vector<NamedCase> cases;
  for (const OperatorInfo& info : AllOperators()) {
    if (rules.Covers(info.op)) AddCases(rules, info.op, cases);
  }
  return cases;
}

}  // namespace poolproof
