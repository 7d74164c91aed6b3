// SPDX-License-Identifier: Apache-2.0
#include "conformance/corpus/case_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "conformance/case/case_text.h"

namespace poolproof {
namespace {

using ::testing::HasSubstr;

constexpr const char* kCaseLine = "pp1:AdaptiveMaxPool2dBackward:self=f32[1,5,5];go=[1,3,3]";

CaseFileEntry FoundInFile(const std::string& message) {
  return {*ParseCaseLine(kCaseLine),
          FindingNote{Profile::kAtlasA3, "lib", "op:wrong-sum:AMP2-B02", {"AMP2-B02"}, message}};
}

TEST(CaseFileEntries, WriteAndReadAreInverse) {
  const std::vector<CaseFileEntry> entries = {FoundInFile("a \"sum\""),
                                              {*ParseCaseLine(kCaseLine), {}, 7}};
  const std::string text = CaseFileText(entries);
  const Result<std::vector<CaseFileEntry>> read = ParseCaseFileEntries(text, "f.jsonl");
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(*read, entries);
  EXPECT_EQ(CaseFileText(*read), text);
  const Result<std::vector<NamedCase>> cases = ParseCaseFile(text, "f.jsonl");
  ASSERT_TRUE(cases.ok()) << cases.status().message();
  EXPECT_EQ(cases->size(), 2U) << "a finding is a case of its file";
}

TEST(CaseFileEntries, TextOfALibraryIsWrittenInAscii) {
  const std::string text = CaseFileText({FoundInFile("\xff\n\xc3\xa9")});
  for (const char c : text.substr(0, text.size() - 1)) EXPECT_TRUE(c >= ' ' && c <= '~');
  EXPECT_TRUE(ParseCaseFileEntries(text, "f.jsonl").ok());
}

TEST(CaseFileEntries, AFileMayBeEmpty) {
  const Result<std::vector<CaseFileEntry>> read = ParseCaseFileEntries("\n", "f.jsonl");
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(read->empty());
}

TEST(CaseFileEntries, NamesEveryPlaceThatIsNoCase) {
  const std::string line = kCaseLine;
  const std::string wrapped = R"({"schema":"poolproof-case/1","case":")" + line + R"(","finding":)";
  std::string many;
  for (int i = 0; i < 30; ++i) many += "pp1:x\n";
  const std::pair<std::string, std::string> files[] = {
      {many, ", line 20, line 21 and 9 more"},
      {line + "\npp1:x\n" + line + "\n{\n\npp1:y", "; unreadable too: line 4, line 6"},
      {"[\"" + line + "\",5,\"pp1:x\"]", "; unreadable too: element 2"},
      {wrapped + "{}}", "/finding: member \"implementation\" is missing"},
      {wrapped + R"({"implementation":"a","profile":"x"}})",
       "/finding/profile: \"x\" is not a profile"},
      {wrapped + R"({"more":1}})", "/finding/more: unknown member"},
      {R"({"schema":"poolproof-case/1","case":")" + line + R"(","edges":0})", "/edges: 0 is not"},
      {R"({"schema":"poolproof-case/1","case":")" + line + R"(","edges":1.5})",
       "/edges: 1.5 is not"},
  };
  for (const auto& [text, message] : files) {
    const Result<std::vector<CaseFileEntry>> read = ParseCaseFileEntries(text, "f.jsonl");
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_THAT(read.status().message(), HasSubstr("f.jsonl"));
    EXPECT_THAT(read.status().message(), HasSubstr(message));
  }
}

}  // namespace
}  // namespace poolproof
