// SPDX-License-Identifier: Apache-2.0
#include "core/dates.h"

#include <gtest/gtest.h>

namespace poolproof {
namespace {

using std::chrono::seconds;

TEST(Dates, AreDaysOfTheCalendar) {
  EXPECT_EQ(ParseDate("1970-01-02")->time_since_epoch(), std::chrono::days(1));
  EXPECT_TRUE(ParseDate("2024-02-29"));
  EXPECT_TRUE(ParseDate("2000-02-29"));
  for (const char* bad : {"", "2026-02-29", "1900-02-29", "2026-13-01", "2026-00-01", "2026-01-32",
                          "2026-04-31", "2026-1-01", "2026-01-01 ", "+026-01-01", "2026/01/01"}) {
    EXPECT_FALSE(ParseDate(bad)) << bad;
  }
}

TEST(Dates, AreWrittenAsTheyAreRead) {
  for (const char* date : {"0000-01-01", "0987-06-05", "1970-01-01", "2024-02-29", "9999-12-31"}) {
    EXPECT_EQ(DateText(*ParseDate(date)), date);
  }
}

TEST(Times, AreSecondsOfUtc) {
  EXPECT_EQ(ParseTime("1970-01-01T00:00:00Z")->time_since_epoch(), seconds(0));
  EXPECT_EQ(ParseTime("2026-01-02T03:04:05Z")->time_since_epoch(), seconds(1767323045));
  EXPECT_EQ(ParseTime("1969-12-31T23:59:59Z")->time_since_epoch(), seconds(-1));
  for (const char* bad : {"", "2026-01-02", "2026-01-02T24:00:00Z", "2026-01-02T00:60:00Z",
                          "2026-01-02T00:00:60Z", "2026-02-30T00:00:00Z", "2026-01-02T03:04:05",
                          "2026-01-02 03:04:05Z", "2026-01-02T03:04:05+00:00"}) {
    EXPECT_FALSE(ParseTime(bad)) << bad;
  }
}

}  // namespace
}  // namespace poolproof
