// SPDX-License-Identifier: Apache-2.0
//
// That no class of calls is thin: where one fault fails all calls of a class, no clause is shown
// there, and the clauses of a class of a few calls hang on what else these have in common.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "conformance/plan/standard_sources.h"
#include "tests/session/class_table.h"

namespace poolproof {
namespace {

constexpr std::int64_t kLeastOfClass = 12;
constexpr std::int64_t kLeastOfCell = 3;

std::vector<OperatorClasses> ClassesOfSet(Profile profile, CaseSet set) {
  return CountClasses(profile, StandardSources(Spec::Embedded(), profile, set, 1).fixed);
}

TEST(Classes, NoneIsThinInCi) {
  for (const Profile profile : {Profile::kAtlasA2, Profile::kAtlasA3, Profile::kAscend950}) {
    for (const OperatorClasses& of_operator : ClassesOfSet(profile, CaseSet::kCi)) {
      for (const ClassCount& count : of_operator.classes) {
        const std::string where = std::string(InfoOf(profile).name) + ", " +
                                  std::string(InfoOf(of_operator.op).name) + ", " + count.name;
        EXPECT_GE(count.cases, kLeastOfClass) << where;
        for (const ClassCell& cell : count.cells) {
          const bool enough = cell.cases >= kLeastOfCell || !cell.possible;
          EXPECT_TRUE(enough) << where << ", " << cell.column << ": " << cell.cases;
        }
      }
    }
  }
}

TEST(Classes, NoneIsMissingInSmoke) {
  for (const OperatorClasses& of_operator : ClassesOfSet(Profile::kAtlasA2, CaseSet::kSmoke)) {
    for (const ClassCount& count : of_operator.classes) {
      EXPECT_GE(count.cases, 3) << InfoOf(of_operator.op).name << ", " << count.name;
    }
  }
}

// POOLPROOF_UPDATE_GOLDEN writes it.
TEST(Classes, TableIsUpToDate) {
  std::string text =
      "# How many calls of each class a set holds\n\nValid backward calls of the set `ci`, those "
      "of "
      "every seed, by the classes that a clause can be unproven for, and how these spread. A test\n"
      "counts them, and that no class has fewer than " +
      std::to_string(kLeastOfClass) + " calls and no place in it fewer than " +
      std::to_string(kLeastOfCell) + ".\n";
  for (const Profile profile : {Profile::kAtlasA2, Profile::kAscend950}) {
    text += "\n## " + std::string(InfoOf(profile).name) + "\n" +
            ClassesMarkdown(ClassesOfSet(profile, CaseSet::kCi));
  }
  const std::string path = std::string(POOLPROOF_SOURCE_FOLDER) + "/docs/classes.md";
  if (std::getenv("POOLPROOF_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
  }
  std::ostringstream found;
  found << std::ifstream(path, std::ios::binary).rdbuf();
  EXPECT_EQ(found.str(), text) << "written anew by ./check golden";
}

}  // namespace
}  // namespace poolproof
