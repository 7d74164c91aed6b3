// SPDX-License-Identifier: Apache-2.0
#include "cli/write_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <iterator>
#include <string>

#include "cli/options.h"

namespace poolproof {
namespace {

class WriteFile : public testing::Test {
 protected:
  WriteFile() : folder_(std::filesystem::temp_directory_path() / "poolproof_write_XXXXXX") {
    std::string name = folder_.string();
    folder_ = mkdtemp(name.data());
  }
  ~WriteFile() override { std::filesystem::remove_all(folder_); }
  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  std::size_t Files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), {}));
  }
  std::filesystem::path folder_;
};

TEST_F(WriteFile, ReplacesAndLeavesNothingElse) {
  ASSERT_TRUE(WriteFileAtomically(Path("r.json"), "old").ok());
  ASSERT_TRUE(WriteFileAtomically(Path("r.json"), "new").ok());
  EXPECT_EQ(ReadFile("test", Path("r.json")).value(), "new");
  EXPECT_EQ(Files(), 1U);
}

TEST_F(WriteFile, CheckSaysWhatIsWrongAndLeavesNothing) {
  EXPECT_TRUE(CheckWritable(Path("r.json")).ok());
  EXPECT_EQ(CheckWritable(folder_.string()).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(CheckWritable(Path("none/r.json")).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(CheckWritable("").code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(CheckWritable("/dev/null").ok());
  EXPECT_EQ(Files(), 0U);
}

TEST_F(WriteFile, FailureLeavesNothing) {
  EXPECT_EQ(WriteFileAtomically(Path("none/r.json"), "text").code(), StatusCode::kUnavailable);
  EXPECT_EQ(Files(), 0U);
}

}  // namespace
}  // namespace poolproof
