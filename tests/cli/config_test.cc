// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/config_file.h"
#include "cli/program.h"

namespace poolproof {
namespace {

using testing::ElementsAre;
using Words = std::vector<std::string>;

std::string ErrorOf(const std::string& text, const Words& words = {"run"}) {
  const Result<std::vector<ConfigEntry>> entries = ParseConfigFile(text, "p.toml");
  if (!entries.ok()) return entries.status().message();
  return WithConfiguration(words, ProgramCommands(), *entries, "p.toml").status().message();
}

Words Applied(const std::string& text, const Words& words) {
  const Result<std::vector<ConfigEntry>> entries = ParseConfigFile(text, "p.toml");
  EXPECT_TRUE(entries.ok()) << entries.status().message();
  if (!entries.ok()) return {};
  const Result<Words> all = WithConfiguration(words, ProgramCommands(), *entries, "p.toml");
  EXPECT_TRUE(all.ok()) << all.status().message();
  return all.ok() ? *all : Words();
}

TEST(ConfigFile, IsRead) {
  const auto entries = ParseConfigFile(
      "# ours\r\n\nimplementation = \"a \\\"b\\\".so\" # here\nseed=+7\n[run]\n"
      "case-file = [ 'a\\b', # one\n  \"c\", ]\n\t[ fuzz ]\ntime='5m'",
      "p.toml");
  ASSERT_TRUE(entries.ok()) << entries.status().message();
  ASSERT_EQ(entries->size(), 4U);
  EXPECT_EQ(std::get<std::string>((*entries)[0].value), "a \"b\".so");
  EXPECT_EQ((*entries)[0].line, 3);
  EXPECT_EQ(std::get<ConfigNumber>((*entries)[1].value).digits, "7");
  EXPECT_THAT(std::get<Words>((*entries)[2].value), ElementsAre("a\\b", "c"));
  EXPECT_EQ((*entries)[3].table, "fuzz");
  EXPECT_EQ((*entries)[3].line, 9);
  EXPECT_TRUE(ParseConfigFile("", "p.toml")->empty());
}

TEST(ConfigFile, WhatIsWrongIsNamedWithItsLine) {
  EXPECT_EQ(ErrorOf("\nimplmentation = 'x'"),
            "p.toml:2: unknown key 'implmentation'; did you mean implementation?");
  EXPECT_EQ(ErrorOf("[run]\njsn = 'x'"),
            "p.toml:2: unknown key 'jsn' in [run]; did you mean json?");
  EXPECT_EQ(ErrorOf("json = 'x'"), "p.toml:1: json belongs in a table such as [run]");
  EXPECT_EQ(ErrorOf("seed = 'x'"), "p.toml:1: seed: expected a whole number");
  EXPECT_EQ(ErrorOf("set = 3"), "p.toml:1: set: expected a text");
  EXPECT_EQ(ErrorOf("device = true"), "p.toml:1: device: expected a whole number or a text");
  EXPECT_EQ(ErrorOf("[run]\ncase-file = 1"),
            "p.toml:2: case-file: expected a text or a list of texts");
  EXPECT_EQ(ErrorOf("[replay]\nin-process = 'yes'"),
            "p.toml:2: in-process: expected true or false");
  EXPECT_EQ(ErrorOf("[rum]"),
            "p.toml:1: [rum] is unknown; expected run, fuzz, plan, replay, probe, doctor or merge; "
            "did you mean run?");
  EXPECT_EQ(ErrorOf("[run]\n[run]"), "p.toml:2: [run] is given twice");
  EXPECT_EQ(ErrorOf("seed = 1\nseed = 2"), "p.toml:2: seed is given twice");
  EXPECT_EQ(ErrorOf("seed"), "p.toml:1: seed: expected '=' after the key");
  EXPECT_EQ(ErrorOf("\"seed\" = 1"),
            "p.toml:1: '\"seed\" = 1'; expected a key of letters, digits, '-' and '_'");
  EXPECT_EQ(ErrorOf("set = 'ci"), "p.toml:1: set: the closing ' is missing");
  EXPECT_EQ(ErrorOf("set = ci"),
            "p.toml:1: set: 'ci' is not a value; expected \"text\", a whole number, true, false or "
            "[\"text\", ...]");
  EXPECT_EQ(ErrorOf("seed = 1.5").substr(0, 20), "p.toml:1: seed: '1.5");
  EXPECT_EQ(ErrorOf("seed = 1 2"), "p.toml:1: '2' after the value; expected the end of the line");
  EXPECT_EQ(ErrorOf("[run]\ncase-file = ['a' 'b']"),
            "p.toml:2: case-file: expected ',' or ']' in the list");
  EXPECT_EQ(ErrorOf("[run]\ncase-file = ['a',"),
            "p.toml:2: case-file: expected a text or ']' in the list");
  EXPECT_EQ(ErrorOf("[run]\nhelp = true"), "p.toml:2: unknown key 'help' in [run]");
}

TEST(ConfigFile, TheCommandLineOverrides) {
  const std::string text =
      "implementation = 'x.so'\nset = 'smoke'\nseed = 3\n[run]\nset = 'ci'\njson = 'r.json'\n";
  EXPECT_THAT(Applied(text, {"run"}),
              ElementsAre("run", "--implementation=x.so", "--seed=3", "--set=ci", "--json=r.json"));
  EXPECT_THAT(Applied(text, {"run", "--implementation", "y.so", "--seed=5", "--json=-"}),
              ElementsAre("run", "--set=ci", "--implementation", "y.so", "--seed=5", "--json=-"));
  EXPECT_THAT(Applied(text, {"replay", "pp1:x"}),
              ElementsAre("replay", "--implementation=x.so", "pp1:x"));
  EXPECT_THAT(Applied(text, {"merge", "a.json"}), ElementsAre("merge", "a.json"));
  EXPECT_THAT(Applied("[merge]\njson = 'm.json'", {"merge", "a.json"}),
              ElementsAre("merge", "--json=m.json", "a.json"));
  EXPECT_THAT(Applied("[run]\ncase-file = ['a', 'b']\n", {"run"}),
              ElementsAre("run", "--case-file=a", "--case-file=b"));
  EXPECT_THAT(Applied("[replay]\nin-process = true\n", {"replay", "c"}),
              ElementsAre("replay", "--in-process", "c"));
  EXPECT_THAT(Applied("[replay]\nin-process = false\n", {"replay", "c"}),
              ElementsAre("replay", "c"));
}

TEST(ConfigFile, WhatTheCommandLineContradictsIsLeftOut) {
  const std::string text =
      "set = 'smoke'\nprofile = 'atlas-a3'\ngate = 'new'\nbaseline = 'b.json'\n";
  EXPECT_THAT(Applied(text, {"run", "--plan", "p.json"}),
              ElementsAre("run", "--gate=new", "--baseline=b.json", "--plan", "p.json"));
  EXPECT_THAT(Applied(text, {"run", "--gate", "all"}),
              ElementsAre("run", "--set=smoke", "--profile=atlas-a3", "--gate", "all"));
  EXPECT_THAT(Applied("baseline = 'b.json'", {"run", "--gate=new"}),
              ElementsAre("run", "--baseline=b.json", "--gate=new"));
  EXPECT_THAT(Applied("baseline = 'b.json'", {"run"}), ElementsAre("run"));
  EXPECT_THAT(Applied("[run]\nclause = 'SAF-*'", {"run", "--failed", "r.json"}),
              ElementsAre("run", "--failed", "r.json"));
}

// Keys in front of the tables mean the same for every verb that takes them.
TEST(ConfigFile, EverySharedKeyIsAnOptionOfRun) {
  for (const char* key : {"implementation", "profile", "set", "seed", "jobs", "device", "gate",
                          "waivers", "baseline", "worker-command"}) {
    const bool number = std::string(key) == "seed" || std::string(key) == "jobs";
    EXPECT_EQ(ErrorOf(std::string(key) + (number ? " = 1" : " = 'x'")), "") << key;
  }
}

}  // namespace
}  // namespace poolproof
