// SPDX-License-Identifier: Apache-2.0
//
// What is written of stray accesses is read back.
#include "conformance/result/stray_access.h"

#include <gtest/gtest.h>

namespace poolproof {
namespace {

using Place = StrayAccess::Place;

TEST(StrayAccess, IsReadBackFromWhatIsWritten) {
  int texts = 0;
  for (int i = 0; i < kRoleCount; ++i) {
    const auto role = static_cast<Role>(i);
    std::vector<StrayAccess> all = {{role, Place::kBetween, 12, Access::kWrite},
                                    {role, Place::kInput, 0, Access::kWrite}};
    for (const Place place : {Place::kBefore, Place::kAfter}) {
      all.push_back({role, place, std::nullopt, Access::kWrite});
      for (const Access access : {Access::kUnknown, Access::kRead, Access::kWrite}) {
        for (const int byte : {1, 17}) all.push_back({role, place, byte, access});
      }
    }
    for (const StrayAccess& stray : all) {
      for (const char* before : {"", "call 2: "}) {
        const std::string text = before + StrayAccessText(stray) + " (2 elements are wrong)";
        EXPECT_EQ(ReadStrayAccess(text), stray) << text;
        ++texts;
      }
    }
  }
  EXPECT_EQ(texts, kRoleCount * 2 * 16);
}

TEST(StrayAccess, SaysWhere) {
  EXPECT_EQ(StrayAccessText({Role::kSelf, Place::kBefore, 1, Access::kRead}),
            "memory 1 byte before the start of the storage of self was read");
  EXPECT_EQ(StrayAccessText({Role::kGradInput, Place::kAfter, std::nullopt, Access::kWrite}),
            "memory just after the storage of gradInput was overwritten");
  EXPECT_EQ(StrayAccessText({Role::kGradInput, Place::kBetween, 8, Access::kWrite}),
            "byte 8 of the storage of gradInput, between or outside its view's elements, was "
            "overwritten");
}

TEST(StrayAccess, OtherMessagesTellOfNone) {
  for (const char* text :
       {"", "memory", "byte 3", "memory just after the workspace of 16 bytes was overwritten",
        "phase one refused the call, yet byte 3 of gradInput changed",
        "byte -3 of the storage of self was changed", "byte 3 of the storage of nobody was changed",
        "memory 99999999999999999999 bytes past the end of the storage of self was read",
        "the process took 5 MiB of memory more"}) {
    EXPECT_EQ(ReadStrayAccess(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace poolproof
