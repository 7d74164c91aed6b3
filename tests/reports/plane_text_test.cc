// SPDX-License-Identifier: Apache-2.0
#include "reports/plane_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "conformance/case/case_text.h"

namespace poolproof {
namespace {

Case CaseOf(const std::string& line) {
  const Result<Case> parsed = ParseCaseLine(line);
  EXPECT_TRUE(parsed.ok()) << parsed.status().message();
  return *parsed;
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

TEST(PlaneText, ShowsRowsAndMarksWhatIsWrong) {
  const Case problem = CaseOf("pp1:AdaptiveMaxPool2dBackward:self=f32[1,2,3];go=[1,1,1]");
  const std::vector<std::string> lines =
      LinesOf(PlaneText(problem, {{4, "40800000", "40000000", 1, 0}}));
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(lines[0], "Plane 0 of 1 (counted over N and C), 1 x 2 x 3.");
  EXPECT_EQ(lines[1], ". no index names it; an element such as *4!2 is wrong: expected 4, got 2");
  EXPECT_EQ(lines[2].substr(0, 6), "     w");
  EXPECT_EQ(lines[4].substr(0, 6), "   h 1");
  EXPECT_NE(lines[4].find("   *4!2   "), std::string::npos) << lines[4];
  EXPECT_NE((lines[3] + lines[4]).find(" ."), std::string::npos);
}

TEST(PlaneText, SlicesOfDepthHaveNames) {
  const Case problem = CaseOf("pp1:AdaptiveMaxPool3dBackward:self=f32[1,2,2,2];go=[1,1,1,1]");
  const std::string text = PlaneText(problem, {{7, "40800000", "40000000", 1, 0}});
  EXPECT_NE(text.find("\n  d 0\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  d 1\n"), std::string::npos) << text;
}

TEST(PlaneText, LargePlanesAreCutToTheColumns) {
  const Case problem = CaseOf("pp1:AdaptiveMaxPool2dBackward:self=f32[1,40,400];go=[1,20,200]");
  const std::string text = PlaneText(problem, {{8399, "c2c80000", "7f800000", 1, 0}});
  EXPECT_NE(text.find("Only the part around the first wrong element is drawn."), std::string::npos);
  EXPECT_NE(text.find("*-100!inf"), std::string::npos) << text;
  EXPECT_NE(text.find(" 399\n"), std::string::npos) << text;
  for (const std::string& line : LinesOf(text)) EXPECT_LE(line.size(), 100U) << line;
}

TEST(PlaneText, NothingWrongIsNoPicture) {
  const Case problem = CaseOf("pp1:AdaptiveMaxPool2dBackward:self=f32[1,2,3];go=[1,1,1]");
  EXPECT_EQ(PlaneText(problem, {}), "");
}

}  // namespace
}  // namespace poolproof
