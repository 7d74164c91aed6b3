// SPDX-License-Identifier: Apache-2.0
#include "conformance/gen/acceptance_cases.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "tests/gen/case_sets_testonly.h"

namespace poolproof {
namespace {

TEST(AcceptanceCases, AreLegalAndUnique) {
  for (const Profile profile : {Profile::kAtlasA2, Profile::kAtlasA3, Profile::kAscend950}) {
    std::set<std::string> paths;
    for (const NamedCase& named : AcceptanceCases(Spec::Embedded(), profile)) {
      EXPECT_EQ(named.family, "accepted");
      EXPECT_TRUE(paths.insert(named.Path()).second) << named.Path();
      EXPECT_EQ(LegalityOf(named, profile).kind, LegalityKind::kValid) << named.Path();
      const bool at_limit = named.name.find("plane-limit") != std::string::npos;
      EXPECT_EQ(named.problem.plan, CallPlan{.descriptors_only = at_limit}) << named.Path();
    }
    EXPECT_FALSE(paths.empty());
  }
}

// Whatever an attribute or an extent is refused for, some call of each type, rank, format and
// layout is free of it.
TEST(AcceptanceCases, SpreadOverAttributes) {
  for (const Profile profile : {Profile::kAtlasA2, Profile::kAscend950}) {
    std::set<std::string> paths;
    std::map<std::string, std::set<std::string>> seen;  // by operator, types, rank, format, layout
    for (const NamedCase& named : SpreadCases(Spec::Embedded(), profile)) {
      EXPECT_TRUE(paths.insert(named.Path()).second) << named.Path();
      EXPECT_EQ(LegalityOf(named, profile).kind, LegalityKind::kValid) << named.Path();
      const Call& call = named.problem.calls.front();
      const TensorSpec& self = call.tensor(Role::kSelf);
      std::string kind(InfoOf(call.op).name);
      for (const Role role : InfoOf(call.op).tensors) {
        kind += " " + DataTypeName(call.tensor(role).type) + FormatName(call.tensor(role).format);
      }
      kind += std::to_string(self.shape.size());
      // The layout is the name's last word but those of the windows.
      for (const std::string word : {"-contiguous-", "-transposed-", "-gaps-"}) {
        if (named.name.find(word) != std::string::npos) kind += word;
      }
      const auto note = [&](bool holds, const std::string& what) {
        seen[kind].insert((holds ? "" : "not ") + what);
      };
      note(CheckedNumel(self.shape).value() > 256, "many elements");
      note(self.shape.front() > 1, "several planes");
      note(self.shape.back() % 8 == 0, "whole rows");
      if (const std::optional<WindowAttributes> windows = ExpandAttributes(call)) {
        note(windows->kernel == windows->stride, "tiles");
        note(windows->stride[2] > windows->kernel[2], "gaps");
        note(windows->stride[2] < windows->kernel[2], "overlap");
        note(windows->padding[2] > 0, "padding");
        note(windows->kernel[1] == windows->kernel[2], "square");
        note(call.ceil_mode, "ceilMode");
        note(call.list(List::kStride)->empty(), "stride left out");
        note(call.list(List::kKernelSize)->size() == 1, "short lists");
      }
    }
    for (const auto& [kind, notes] : seen) {
      const bool fixed = kind.find("MaxPool3dWith") == 0 || kind.find("MaxPool2dWith") == 0;
      EXPECT_EQ(notes.size(), fixed ? 22U : 6U) << kind << ": " << *notes.begin();
    }
    EXPECT_FALSE(seen.empty());
  }
}

TEST(AcceptanceCases, HoldEachCombinationThatThePageTakes) {
  for (const Profile profile : {Profile::kAtlasA2, Profile::kAscend950}) {
    const ProfileRules rules(Spec::Embedded(), profile);
    std::map<Operator, std::set<std::string>> names;
    for (const NamedCase& named : AcceptanceCases(Spec::Embedded(), profile)) {
      names[named.problem.calls.front().op].insert(named.name);
    }
    for (const OperatorInfo& info : AllOperators()) {
      EXPECT_EQ(names.contains(info.op), rules.Covers(info.op)) << info.name;
      if (!rules.Covers(info.op)) continue;
      for (const DataType type : rules.ValueTypes(info.op)) {
        for (const DataType index_type : rules.IndexTypes(info.op)) {
          for (const std::string rank : {"batched", "unbatched"}) {
            const std::string name =
                DataTypeName(type) + "-" + DataTypeName(index_type) + "-" + rank;
            EXPECT_TRUE(names[info.op].contains(name + "-contiguous")) << info.name << " " << name;
            EXPECT_TRUE(names[info.op].contains(name + "-channels-last")) << info.name;
            EXPECT_TRUE(names[info.op].contains(name + "-gaps")) << info.name;
          }
        }
      }
    }
  }
}

TEST(AcceptanceCases, LayoutsAndFormatsAreThoseOfTheName) {
  for (const NamedCase& named : AcceptanceCases(Spec::Embedded(), Profile::kAscend950)) {
    const Call& call = named.problem.calls.front();
    const bool contiguous = named.name.ends_with("-contiguous");
    for (const Role role : InfoOf(call.op).tensors) {
      EXPECT_EQ(IsPacked(call.tensor(role)), contiguous) << named.Path();
      EXPECT_EQ(call.tensor(role).format, call.tensor(Role::kSelf).format) << named.Path();
    }
    if (named.name.find("-ncdhw-") != std::string::npos) {
      EXPECT_EQ(call.tensor(Role::kSelf).format, Format::kNcdhw);
    }
  }
}

TEST(AcceptanceCases, AreNoneWhereNothingIsCovered) {
  EXPECT_TRUE(AcceptanceCases(Spec::Embedded(), Profile::kAtlasTraining).empty());
  EXPECT_TRUE(SpreadCases(Spec::Embedded(), Profile::kAtlasTraining).empty());
}

}  // namespace
}  // namespace poolproof
