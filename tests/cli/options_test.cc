// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/live_progress.h"
#include "reports/formats.h"

namespace poolproof {
namespace {

using std::chrono::milliseconds;

TEST(Options, DurationsHaveUnits) {
  EXPECT_EQ(ParseDuration("--deadline", "500ms").value(), milliseconds(500));
  EXPECT_EQ(ParseDuration("--deadline", "60s").value(), milliseconds(60000));
  EXPECT_EQ(ParseDuration("--deadline", "5m").value(), milliseconds(300000));
  EXPECT_EQ(ParseDuration("--deadline", "1.5s").value(), milliseconds(1500));
  for (const char* bad : {"", "60", "s", "0s", "-1s", "1e3s", "60 s", "5d", "nans", "infs", "0.1ms",
                          "99999999999h", "5ms5"}) {
    const auto parsed = ParseDuration("--deadline", bad);
    ASSERT_FALSE(parsed.ok()) << bad;
    EXPECT_EQ(parsed.status().code(), StatusCode::kInvalidArgument);
    EXPECT_TRUE(parsed.status().message().starts_with("--deadline: '"));
  }
}

TEST(Options, CountsAreWholeAndLargeEnough) {
  EXPECT_EQ(ParseCount("--cases", "12", 1).value(), 12);
  for (const char* bad : {"", "0", "-1", "1.5", "1x", "99999999999999999999", "+1", " 1"}) {
    EXPECT_FALSE(ParseCount("--cases", bad, 1).ok()) << bad;
  }
  EXPECT_EQ(ParseCount("--cases", "-1", 1).status().message(),
            "--cases: '-1' is not a whole number of at least 1");
}

TEST(Options, DevicesAreNumbers) {
  EXPECT_EQ(ParseDevices("0").value(), std::vector<std::int32_t>({0}));
  EXPECT_EQ(ParseDevices("3,0,12").value(), std::vector<std::int32_t>({3, 0, 12}));
  for (const char* bad : {"", ",", "0,", ",1", "a", "-1", "0;1", "65536", "1.0", "0 ,1"}) {
    const auto parsed = ParseDevices(bad);
    ASSERT_FALSE(parsed.ok()) << bad;
    EXPECT_EQ(
        parsed.status().message(),
        "--device: '" + std::string(bad) + "' is not one or more device numbers, such as 0 or 0,2");
  }
  EXPECT_EQ(ParseDevices("1,0,1").status().message(), "--device: '1,0,1' names device 1 twice");
}

TEST(Options, SeedsAreUnsigned) {
  EXPECT_EQ(ParseSeed("18446744073709551615").value(), ~std::uint64_t{0});
  EXPECT_FALSE(ParseSeed("-1").ok());
  EXPECT_FALSE(ParseSeed("18446744073709551616").ok());
}

TEST(Options, NamesAreListedWhereOneIsWrong) {
  EXPECT_EQ(ParseProfileOption("ascend-950").value(), Profile::kAscend950);
  EXPECT_NE(ParseProfileOption("a2").status().message().find("atlas-a2"), std::string::npos);
  EXPECT_EQ(ParseSetOption("fast").status().message(),
            "--set: 'fast' is not a set; expected smoke, ci or nightly");
}

TEST(Options, NearMatches) {
  const std::vector<std::string> ids = {"MP3-B01", "MP3-B02", "AMP3-B01", "SAF-01"};
  EXPECT_EQ(NearMatches("mp3-b02", ids).front(), "MP3-B02");
  EXPECT_TRUE(NearMatches("completely-else", ids).empty());
}

class CommandLineOfTheProgram : public testing::Test {
 protected:
  CommandLineOfTheProgram() : line_("", "poolproof") { DeclareVerbs(line_.root(), action_); }
  Action action_;
  CommandLine line_;
};

TEST_F(CommandLineOfTheProgram, PathsAreCutToBaseNames) {
  EXPECT_EQ(line_.WithoutFolders({"/opt/bin/poolproof", "run", "--implementation", "/a/b.so,c/d.so",
                                  "--json=/x,/y.json", "--filter", "*/status/*", "--shard=0/2"}),
            (std::vector<std::string>{"poolproof", "run", "--implementation", "b.so,d.so",
                                      "--json=y.json", "--filter", "*/status/*", "--shard=0/2"}));
}

// An option that is added takes a path until its type says otherwise.
TEST_F(CommandLineOfTheProgram, NoOptionLeaksAFolder) {
  std::set<std::string> seen;
  std::set<std::string> kept_whole;
  for (const DeclaredOption& option : line_.Options()) {
    for (const std::string& name : option.names) {
      seen.insert(name);
      for (const std::vector<std::string>& words :
           {std::vector<std::string>{name, "/home/somebody/f"}, {name + "=/home/somebody/f"}}) {
        for (const std::string& word : line_.WithoutFolders(words)) {
          if (word.find("somebody") != std::string::npos) kept_whole.insert(name);
        }
      }
    }
  }
  EXPECT_EQ(kept_whole, (std::set<std::string>{"--filter", "--shard"}));
  for (const ReportFormat& format : kReportFormats) {
    EXPECT_TRUE(seen.contains(std::string(format.option))) << format.option;
  }
  for (const char* name : {"--implementation", "--case-file", "--waivers", "--performance",
                           "--plan", "--journal", "--corpus", "-o", "--output"}) {
    EXPECT_TRUE(seen.contains(name)) << name;
  }
}

TEST(Progress, TellsShareRateAndRest) {
  EXPECT_EQ(JudgingText(0, 0, 5000, milliseconds(200)), "0 of 5000 cases (0 %)");
  EXPECT_EQ(JudgingText(1250, 0, 5000, milliseconds(2500)),
            "1250 of 5000 cases (25 %), 500/s, 7 s left");
  // What a journal held says nothing of the speed.
  EXPECT_EQ(JudgingText(4000, 4000, 5000, milliseconds(2500)), "4000 of 5000 cases (80 %)");
  EXPECT_EQ(JudgingText(4100, 4000, 5000, milliseconds(1000)),
            "4100 of 5000 cases (82 %), 100/s, 9 s left");
  EXPECT_EQ(JudgingText(0, 0, 0, milliseconds(9000)), "0 of 0 cases");
  EXPECT_EQ(JudgingText(5000, 0, 5000, milliseconds(9999)),
            "5000 of 5000 cases (100 %), 500/s, 0 s left");
}

}  // namespace
}  // namespace poolproof
