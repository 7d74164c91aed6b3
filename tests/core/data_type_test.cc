// SPDX-License-Identifier: Apache-2.0
#include "core/data_type.h"

#include <gtest/gtest.h>

#include <set>

namespace poolproof {
namespace {

TEST(DataType, NamesAreUniqueAndParseBack) {
  std::set<std::string> names;
  for (const DataTypeInfo& info : AllDataTypes()) {
    EXPECT_TRUE(names.insert(DataTypeName(info.type)).second) << info.name;
    EXPECT_EQ(ParseDataType(info.name), info.type);
  }
}

TEST(DataType, UnknownValuesHaveNumberedNames) {
  const auto unknown = static_cast<DataType>(1234);
  EXPECT_EQ(DataTypeName(unknown), "t1234");
  EXPECT_EQ(ParseDataType("t1234"), unknown);
  EXPECT_EQ(ParseDataType("t-7"), static_cast<DataType>(-7));
  for (const char* text : {"", "t", "t1x", "float", "t99999999999"}) {
    EXPECT_FALSE(ParseDataType(text).has_value()) << text;
  }
}

TEST(DataType, StorageIsNeverZeroBytes) {
  EXPECT_EQ(StorageBytes(DataType::kFloat), 4);
  EXPECT_EQ(StorageBytes(DataType::kBf16), 2);
  EXPECT_EQ(StorageBytes(DataType::kInt64), 8);
  EXPECT_EQ(StorageBytes(DataType::kInt4), 1);
  EXPECT_EQ(StorageBytes(static_cast<DataType>(99)), 1);
}

TEST(Format, NamesAreUniqueAndParseBack) {
  std::set<std::string> names;
  for (const FormatInfo& info : AllFormats()) {
    EXPECT_TRUE(names.insert(FormatName(info.format)).second) << info.name;
    EXPECT_EQ(ParseFormat(info.name), info.format);
  }
  EXPECT_EQ(FormatName(static_cast<Format>(77)), "f77");
  EXPECT_EQ(ParseFormat("f77"), static_cast<Format>(77));
  EXPECT_FALSE(ParseFormat("f").has_value());
}

TEST(Format, PrivateOnesAreTheBlockedLayouts) {
  for (const Format format : {Format::kNc1hwc0, Format::kFractalZ, Format::kNc1hwc0C04,
                              Format::kFractalNz, Format::kNdc1hwc0, Format::kFractalZ3d}) {
    EXPECT_TRUE(IsPrivateFormat(format)) << FormatName(format);
  }
  for (const Format format : {Format::kNd, Format::kNchw, Format::kNcdhw, Format::kNcl}) {
    EXPECT_FALSE(IsPrivateFormat(format)) << FormatName(format);
  }
}

}  // namespace
}  // namespace poolproof
