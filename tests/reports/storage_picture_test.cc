// SPDX-License-Identifier: Apache-2.0
//
// Stray accesses as pictures of a storage.
#include "reports/storage_picture.h"

#include <gtest/gtest.h>

#include <string>

#include "conformance/case/case_text.h"
#include "reports/html_parts.h"

namespace poolproof {
namespace {

Case StorageCaseOf(const std::string& line) {
  const Result<Case> problem = ParseCaseLine(line);
  EXPECT_TRUE(problem.ok()) << problem.status().message();
  return *problem;
}

int StorageTimes(const std::string& text, const std::string& part) {
  int times = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++times;
  return times;
}

const char* const kPlain = "pp1:AdaptiveMaxPool2dBackward:self=f32[1,4,4];go=[1,2,2]";
// gradInput lies in every second element of 40.
const char* const kGaps =
    "pp1:AdaptiveMaxPool2dBackward:self=f32[1,4,4];go=[1,2,2];gi={32,8,2}+1<40>";

TEST(StoragePicture, AWriteBehindTheStorageIsDrawnThere) {
  const StoragePicture picture = DrawStorage(
      StorageCaseOf(kPlain), "memory just after the storage of gradInput was overwritten");
  EXPECT_EQ(StorageTimes(picture.svg, "class=\"cell named\""), 16);
  EXPECT_EQ(StorageTimes(picture.svg, "class=\"cell guard\""), 5);
  EXPECT_EQ(StorageTimes(picture.svg, "class=\"cell wrong\""), 1);
  // Behind three cells in front of the storage and its 16 elements.
  EXPECT_NE(picture.svg.find("cell wrong\" x=\"42\" y=\"46\""), std::string::npos) << picture.svg;
  EXPECT_FALSE(picture.has_gaps);
  EXPECT_EQ(picture.caption, "The storage of gradInput, 16 elements of f32.");
}

TEST(StoragePicture, AReadInFrontOfTheStorageIsDrawnThere) {
  const StoragePicture picture = DrawStorage(
      StorageCaseOf(kPlain), "memory 4 bytes before the start of the storage of indices was read");
  EXPECT_TRUE(picture.was_read);
  // The first byte in front lies in the cell beside the storage, and so does the fourth.
  EXPECT_NE(picture.svg.find("cell wrong\" x=\"82\" y=\"2\""), std::string::npos) << picture.svg;
}

TEST(StoragePicture, AWrittenGapIsToldFromTheElements) {
  const StoragePicture picture = DrawStorage(StorageCaseOf(kGaps),
                                             "byte 8 of the storage of gradInput, between or "
                                             "outside its view's elements, was overwritten");
  EXPECT_TRUE(picture.has_gaps);
  EXPECT_EQ(picture.caption,
            "The storage of gradInput, 40 elements of f32, of which the view has 16.");
  EXPECT_EQ(StorageTimes(picture.svg, "cell named"), 16);
  EXPECT_EQ(StorageTimes(picture.svg, "cell gap"), 40 - 16 - 1);
  EXPECT_NE(picture.svg.find(">2</text>"), std::string::npos);
}

TEST(StoragePicture, LargeStoragesAreCutAroundTheAccess) {
  const StoragePicture picture =
      DrawStorage(StorageCaseOf("pp1:AdaptiveMaxPool2dBackward:self=f32[1,100,100];go=[1,2,2]"),
                  "byte 20000 of the storage of self was changed");
  EXPECT_LE(StorageTimes(picture.svg, "<rect"), 60);
  EXPECT_NE(picture.svg.find(">5000</text>"), std::string::npos);
  EXPECT_NE(picture.caption.find("The part around the stray access"), std::string::npos);
}

TEST(StoragePicture, OfSeveralCallsTheOneThatTheMessageNames) {
  const Case problem = StorageCaseOf(std::string(kPlain) + "|" + (kGaps + 4));
  EXPECT_FALSE(
      DrawStorage(problem, "call 1: memory just after the storage of gradInput was overwritten")
          .has_gaps);
  EXPECT_TRUE(
      DrawStorage(problem, "call 2: memory just after the storage of gradInput was overwritten")
          .has_gaps);
}

TEST(StoragePicture, OtherFailuresHaveNone) {
  for (const char* message :
       {"", "the deadline passed in phase two", "gradInput[0,0,1]: expected 0, got 1",
        "memory just after the workspace of 12 bytes was overwritten",
        "call 9: memory just after the storage of gradInput was overwritten"}) {
    EXPECT_EQ(DrawStorage(StorageCaseOf(kPlain), message).svg, "") << message;
  }
  EXPECT_EQ(
      DrawStorage(StorageCaseOf("pp1:AdaptiveMaxPool2dBackward:self=f32[1,2000,2000];go=[1,2,2]"),
                  "byte 0 of the storage of self was changed")
          .svg,
      "");
}

TEST(Pictures, NothingWrongIsNoPicture) {
  Failure failure;
  failure.problem = StorageCaseOf(kPlain);
  failure.message = "the deadline passed in phase two of a valid call";
  EXPECT_EQ(PicturesHtml(failure), "");
  failure.message = "memory just before the storage of gradInput was overwritten";
  EXPECT_EQ(StorageTimes(PicturesHtml(failure), "<svg"), 1);
}

}  // namespace
}  // namespace poolproof
