// SPDX-License-Identifier: Apache-2.0
#include "conformance/result/predicate.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>
#include <string>

namespace poolproof {
namespace {

Case Fixed() {
  Case problem;
  problem.calls.push_back(MakeFixedBackward(Operator::kMaxPool3dWithArgmaxBackward, DataType::kBf16,
                                            DataType::kInt32, {2, 3, 4, 5, 6}, {2, 3, 3}, {2, 1, 3},
                                            {0, 1, 0}, {1, 1, 1}, true));
  return problem;
}

Case Adaptive() {
  Case problem;
  problem.calls.push_back(MakeAdaptiveBackward(
      Operator::kAdaptiveMaxPool2dBackward, DataType::kFloat, DataType::kInt64, {7, 9, 9}, {3, 4}));
  return problem;
}

bool Holds(const std::string& text, const Case& problem) {
  const Result<Predicate> predicate = Predicate::Parse(text);
  EXPECT_TRUE(predicate.ok()) << text << ": " << predicate.status().message();
  return predicate.ok() && predicate->Holds(problem);
}

TEST(Predicate, ReadsTheParametersOfACase) {
  for (const char* text : {"operator == MaxPool3dWithArgmaxBackward",
                           "dtype == bf16",
                           "index_dtype == i32",
                           "layout == contiguous",
                           "format == ND",
                           "overlap == one-axis",
                           "padding == padded",
                           "rank == 5",
                           "planes == 6",
                           "in_d == 4",
                           "in_h == 5",
                           "in_w == 6",
                           "out_d == 2",
                           "out_h == 5",
                           "out_w == 2",
                           "kernel_h == 3",
                           "stride_w == 3",
                           "padding_h == 1",
                           "dilation_d == 1",
                           "ceil_mode == 1",
                           "calls == 1",
                           "threads == 1",
                           "repeat == 1",
                           "streams == 1",
                           "deterministic == 0",
                           "shiftBytes < 32",
                           "guard == none",
                           "order != lifo",
                           "tail == ragged",
                           "ceil != floor"}) {
    EXPECT_TRUE(Holds(text, Fixed())) << text;
    EXPECT_FALSE(Holds(std::string("not ") + text, Fixed())) << text;
  }
  EXPECT_TRUE(Holds("ceil == uneven and rank == 3 and planes == 7", Adaptive()));
}

TEST(Predicate, ComparesWithinACase) {
  EXPECT_TRUE(Holds("stride_h < kernel_h and stride_w >= kernel_w", Fixed()));
  EXPECT_FALSE(Holds("stride_h >= kernel_h or out_w > in_w", Fixed()));
  EXPECT_TRUE(Holds("in_w<=6 and in_w>=6 and in_w!=7 and not in_w>6", Fixed()));
}

TEST(Predicate, AndBindsTighterThanOr) {
  EXPECT_TRUE(Holds("rank == 5 or rank == 4 and dtype == f16", Fixed()));
  EXPECT_FALSE(Holds("(rank == 5 or rank == 4) and dtype == f16", Fixed()));
  EXPECT_TRUE(Holds("not (rank == 4 or dtype == f16)", Fixed()));
  EXPECT_TRUE(Holds("not rank == 4 and dtype == bf16", Fixed()));
}

TEST(Predicate, WhatACaseLacksComparesFalse) {
  for (const char* text : {"kernel_w == 3", "kernel_w != 3", "in_d > 0", "stride_w < in_w"}) {
    EXPECT_FALSE(Holds(text, Adaptive())) << text;
  }
}

TEST(Predicate, WhatIsNotToldMayBeAnything) {
  const auto may_hold = [](const std::string& text, const Case& problem, Told told) {
    return Predicate::Parse(text)->MayHold(problem.calls.front(), problem, told);
  };
  for (const char* text : {"kernel_w == 3", "not kernel_w == 3", "stride_w < in_w"}) {
    EXPECT_TRUE(may_hold(text, Adaptive(), Told::kPresent)) << text;
  }
  EXPECT_FALSE(may_hold("rank == 5 and kernel_w == 3", Adaptive(), Told::kPresent));
  EXPECT_FALSE(may_hold("rank == 5 or dtype == bf16", Adaptive(), Told::kPresent));
  EXPECT_TRUE(may_hold("rank == 9 and layout == broadcast", Adaptive(), Told::kTypes));
  EXPECT_FALSE(may_hold("rank == 9 and dtype == f16", Adaptive(), Told::kTypes));
  EXPECT_FALSE(may_hold("not (rank == 9 or dtype == f32)", Adaptive(), Told::kTypes));
  EXPECT_FALSE(may_hold("rank == 3 and threads == 2", Adaptive(), Told::kTypes));
}

TEST(Predicate, SaysWhereWhatAndWhatWasWanted) {
  const auto message = [](const std::string& text) {
    return Predicate::Parse(text).status().message();
  };
  EXPECT_EQ(message("dtype == f8"), "character 10: 'f8'; expected a data type such as f32 or bf16");
  EXPECT_EQ(message("dtype < f16"),
            "character 7: '< f16'; expected == or !=, since dtype is a word");
  EXPECT_EQ(message("rank = 4"), "character 6: '= 4'; expected ==, !=, <, <=, > or >=");
  EXPECT_EQ(message("rank == 4 dtype"), "character 11: 'dtype'; expected the end, `and` or `or`");
  EXPECT_EQ(message("(rank == 4"), "character 11: the end; expected `)`");
  EXPECT_EQ(
      message("rank == dtype"),
      "character 9: 'dtype'; expected a number or a parameter that is one, since rank is one");
  EXPECT_EQ(message("rank == 4.5"), "character 10: '.5'; expected the end, `and` or `or`");
  EXPECT_EQ(message("rank == 99999999999999999999"),
            "character 9: '99999999999999999999'; expected a whole number or a parameter that is "
            "one");
  EXPECT_EQ(message("guard == 3"), "character 10: '3'; expected none, after or before");
  EXPECT_NE(message("colour == 3").find("expected a parameter: operator, dtype"),
            std::string::npos);
  for (const char* text : {"", " ", "not", "and", "4 == rank", "rank ==", "()", "rank == 4 and"}) {
    EXPECT_FALSE(Predicate::Parse(text).ok()) << text;
  }
}

TEST(Predicate, NestingAndLengthAreBounded) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "(";
  EXPECT_NE(Predicate::Parse(text).status().message().find("32 levels"), std::string::npos);
  EXPECT_FALSE(Predicate::Parse(std::string(100000, ' ')).ok());
}

TEST(Predicate, NoiseIsReadOrRefused) {
  static constexpr std::string_view kParts[] = {"rank", "dtype", "==",   "<",   "4",
                                                "f16",  "and",   "or",   "not", "(",
                                                ")",    " ",     "\x01", "!=",  "layout"};
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (auto parts = random() % 12; parts > 0; --parts) {
      text += kParts[random() % std::size(kParts)];
      if (random() % 2 == 0) text += ' ';
    }
    const Result<Predicate> predicate = Predicate::Parse(text);
    if (predicate.ok()) (void)predicate->Holds(Fixed());
  }
}

TEST(Predicate, EveryParameterIsInTheDocument) {
  std::ifstream file(POOLPROOF_WAIVERS_DOCUMENT);
  std::ostringstream document;
  document << file.rdbuf();
  const std::string message = Predicate::Parse("x").status().message();
  std::istringstream names(message.substr(message.find("parameter: ") + 11));
  std::string name;
  int seen = 0;
  while (std::getline(names >> std::ws, name, ',')) {
    EXPECT_NE(document.str().find("`" + name + "`"), std::string::npos) << name;
    ++seen;
  }
  EXPECT_GT(seen, 30);
}

}  // namespace
}  // namespace poolproof
