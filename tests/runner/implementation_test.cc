// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/implementation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace poolproof {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Pair;
namespace fs = std::filesystem;

class ImplementationTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("poolproof_runner_" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "bin");
    fs::create_directories(folder_ / "lib");
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path Write(const fs::path& name, std::string_view text) {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  Result<Implementation> Manifest(std::string_view text) {
    return ParseManifest(text, folder_, "default");
  }
  void ExpectRefused(std::string_view text, std::string_view wanted) {
    const Result<Implementation> result = Manifest(text);
    ASSERT_FALSE(result.ok()) << text;
    EXPECT_EQ(result.status().code(), StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(result.status().message(), HasSubstr(std::string(wanted)));
    EXPECT_EQ(result.status().message().find('\n'), std::string::npos);
  }

  fs::path folder_;
};

TEST_F(ImplementationTest, PythonFilesAndModulesStandBehindTheLibraryThatCallsThem) {
  Write("lib/libpoolproof_python.so", "x");
  const fs::path file = Write("mine.py", "def f(): pass");
  const Result<Implementation> mine = ResolveImplementation(file.string(), folder_ / "bin");
  ASSERT_TRUE(mine.ok()) << mine.status().message();
  EXPECT_EQ(mine->name, "mine.py");
  EXPECT_THAT(mine->libraries, ElementsAre((folder_ / "lib/libpoolproof_python.so").string()));
  EXPECT_THAT(mine->environment.at("*"),
              ElementsAre(Pair("POOLPROOF_PYTHON_MODULE", file.string())));
  EXPECT_TRUE(mine->capabilities.refuses_nothing);
  // What is judged changes with the file: a journal notices.
  const auto before = IdentifyLibraries(*mine);
  ASSERT_EQ(before.size(), 2U);
  EXPECT_EQ(before[1].name, "mine.py");
  Write("mine.py", "def f(): return 1");
  EXPECT_NE(IdentifyLibraries(*mine)[1].sha256, before[1].sha256);
  EXPECT_THAT(ManifestText(*mine, folder_), HasSubstr("\"libraries\": [\n    \"mine.py\"\n  ]"));

  const Result<Implementation> module = ResolveImplementation("python:a.b", folder_ / "bin");
  ASSERT_TRUE(module.ok());
  EXPECT_EQ(module->name, "a.b");
  EXPECT_EQ(module->environment.at("*").at("POOLPROOF_PYTHON_MODULE"), "a.b");
  EXPECT_THAT(ManifestText(*module, folder_), HasSubstr("\"python:a.b\""));
  EXPECT_FALSE(ResolveImplementation("python:", folder_ / "bin").ok());
  EXPECT_EQ(ResolveImplementation("absent.py", folder_ / "bin").status().code(),
            StatusCode::kNotFound);
}

TEST_F(ImplementationTest, RefusalsAreAllOrNone) {
  Write("a.so", "x");
  const std::string start = R"({"schema": "poolproof-manifest/1", "libraries": ["a.so"],
                                "capabilities": {"refusals": )";
  EXPECT_TRUE(Manifest(start + R"("none"}})")->capabilities.refuses_nothing);
  EXPECT_FALSE(Manifest(start + R"("all"}})")->capabilities.refuses_nothing);
  ExpectRefused(start + R"("some"}})", "is not \"all\" or \"none\"");
}

TEST_F(ImplementationTest, BuiltInLibrariesAreFoundFromTheProgram) {
  Write("lib/libpoolproof_reference.so", "x");
  Write("bin/libpoolproof_optimized.so", "x");
  const Result<Implementation> reference = ResolveImplementation("reference", folder_ / "bin");
  ASSERT_TRUE(reference.ok());
  EXPECT_EQ(reference->name, "reference");
  EXPECT_THAT(reference->libraries,
              ElementsAre((folder_ / "lib/libpoolproof_reference.so").string()));
  EXPECT_EQ(reference->open, OpenMode::kNowLocal);
  EXPECT_TRUE(ResolveImplementation("optimized", folder_ / "bin").ok());
  EXPECT_EQ(ResolveImplementation("optimized", folder_ / "lib").status().code(),
            StatusCode::kNotFound);
}

TEST_F(ImplementationTest, LibrariesByPath) {
  const std::string a = Write("a.so", "alpha").string();
  const std::string b = Write("b.so", "beta").string();
  const Result<Implementation> one = ResolveImplementation(a);
  ASSERT_TRUE(one.ok());
  EXPECT_EQ(one->name, "a.so");
  EXPECT_EQ(one->open, OpenMode::kNowLocal);
  const Result<Implementation> two = ResolveImplementation(a + "," + b);
  ASSERT_TRUE(two.ok());
  EXPECT_EQ(two->name, "a.so,b.so");
  EXPECT_THAT(two->libraries, ElementsAre(a, b));
  EXPECT_EQ(two->open, OpenMode::kLazyGlobal);
  EXPECT_THAT(IdentifyLibraries(two.value()),
              ElementsAre(
                  LibraryIdentity{
                      "a.so", "8ed3f6ad685b959ead7022518e1af76cd816f8e8ec7ccdda1ed4018e8f2223f8"},
                  LibraryIdentity{
                      "b.so", "f44e64e75f3948e9f73f8dfa94721c4ce8cbb4f265c4790c702b2d41cfbf2753"}));
}

TEST_F(ImplementationTest, MissingFilesAreNotFound) {
  for (const std::string text : {"nothing.so", "nowhere", "x.json", "/nowhere/a.so,b.so"}) {
    const Result<Implementation> result = ResolveImplementation(text);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.status().code(), StatusCode::kNotFound) << text;
  }
  for (const std::string& text : {std::string(), std::string(","), folder_.string()}) {
    EXPECT_EQ(ResolveImplementation(text).status().code(), StatusCode::kInvalidArgument) << text;
  }
}

TEST_F(ImplementationTest, FullManifest) {
  Write("lib/a.so", "x");
  Write("beside.so", "x");
  const fs::path path = Write("vendor.json", R"({
    "schema": "poolproof-manifest/1", "name": "vendor",
    "libraries": ["lib/a.so", "libsystem.so", "beside.so"], "open": "now-local",
    "environment": {"*": {"A": "1"}, "ascend-950": {"B": ""}},
    "limits": {"start_s": 2.5, "case_s": 60, "memory_mib": 512, "workers": 3,
               "stop_s": 9.5},
    "devices": [1, 4],
    "capabilities": {"operators": ["AdaptiveMaxPool2dBackward"], "dtypes": ["f32", "ACL_BF16"],
                     "accepts": "rank == 4", "indices": "forward"}})");
  const Result<Implementation> result = ResolveImplementation(path.string());
  ASSERT_TRUE(result.ok()) << result.status().message();
  Implementation wanted;
  wanted.name = "vendor";
  wanted.libraries = {(folder_ / "lib/a.so").string(), "libsystem.so",
                      (folder_ / "beside.so").string()};
  wanted.environment = {{"*", {{"A", "1"}}}, {"ascend-950", {{"B", ""}}}};
  wanted.limits = {2.5, 60, 512, 3, 9.5};
  wanted.devices = {1, 4};
  wanted.capabilities = {std::vector{Operator::kAdaptiveMaxPool2dBackward},
                         std::vector{DataType::kFloat, DataType::kBf16},
                         {{std::nullopt, "rank == 4", Predicate::Parse("rank == 4").value()}},
                         true};
  EXPECT_EQ(result.value(), wanted);
  EXPECT_THAT(
      DescribeCapabilities(result->capabilities),
      ElementsAre(Pair("operators", "AdaptiveMaxPool2dBackward"), Pair("dtypes", "f32,bf16"),
                  Pair("accepts", "rank == 4"), Pair("indices", "forward")));
  EXPECT_EQ(IdentifyLibraries(result.value())[1], (LibraryIdentity{"libsystem.so", ""}));
}

TEST_F(ImplementationTest, AcceptedCallsOfEachOperator) {
  const fs::path path = Write("types.json", R"({
    "schema": "poolproof-manifest/1", "libraries": ["libx.so"],
    "capabilities": {"accepts": {"AdaptiveMaxPool2dBackward": "dtype == f32",
                                 "MaxPool3dWithArgmaxBackward": "dtype != bf16"}}})");
  const Result<Implementation> result = ResolveImplementation(path.string());
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_THAT(DescribeCapabilities(result->capabilities),
              ElementsAre(Pair("accepts.AdaptiveMaxPool2dBackward", "dtype == f32"),
                          Pair("accepts.MaxPool3dWithArgmaxBackward", "dtype != bf16")));
}

TEST_F(ImplementationTest, SmallestManifest) {
  const fs::path path =
      Write("small.json", R"({"schema": "poolproof-manifest/1", "libraries": ["libx.so"]})");
  const Result<Implementation> result = ResolveImplementation(path.string());
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->name, "small");
  EXPECT_EQ(result->open, OpenMode::kNowLocal);
  EXPECT_EQ(result->limits, Limits());
  EXPECT_EQ(result->capabilities, DeclaredCapabilities());
  EXPECT_THAT(DescribeCapabilities(result->capabilities), ElementsAre());
}

TEST_F(ImplementationTest, WrongManifestsAreRefusedByName) {
  const std::string head = R"({"schema": "poolproof-manifest/1", "libraries": ["l.so"], )";
  ExpectRefused("", "not JSON");
  ExpectRefused("{", "not JSON");
  ExpectRefused("[]", "an array is not an object");
  ExpectRefused("{}", "\"schema\" is missing");
  ExpectRefused(head + R"("name": "a", "name": "b"})", "\"name\" is given twice");
  ExpectRefused(R"({"schema": "poolproof-manifest/2"})", "poolproof-manifest/2");
  ExpectRefused(R"({"schema": "poolproof-manifest/1"})", "\"libraries\" is missing");
  ExpectRefused(R"({"schema": "poolproof-manifest/1", "libraries": []})", "at least one");
  ExpectRefused(R"({"schema": "poolproof-manifest/1", "libraries": [3]})",
                "/libraries/0: 3 is not");
  ExpectRefused(head + R"("colour": 1})",
                "/colour: unknown member; expected schema, name, libraries");
  ExpectRefused(head + R"("name": ""})", "/name: ");
  ExpectRefused(head + R"("open": "lazy"})", "\"now-local\" or \"lazy-global\"");
  ExpectRefused(head + R"("environment": {"atlas": {}}})", "'atlas'");
  ExpectRefused(head + R"("environment": {"*": {"A=B": "1"}}})", "names no variable");
  ExpectRefused(head + R"("environment": {"*": {"A": 1}}})", "/environment/*/A: 1 is not");
  ExpectRefused(head + R"("limits": {"case": 1}})", "/limits/case: unknown member");
  ExpectRefused(head + R"("limits": {"start_s": 0}})", "/limits/start_s: 0 is not seconds above 0");
  ExpectRefused(head + R"("limits": {"case_s": 1e300}})", "/limits/case_s: 1e+300");
  ExpectRefused(head + R"("limits": {"memory_mib": 1.5}})",
                "/limits/memory_mib: 1.5 is not a whole number");
  ExpectRefused(head + R"("limits": {"workers": -1}})",
                "/limits/workers: -1 is not a whole number from 1 to 4096");
  ExpectRefused(head + R"("limits": {"workers": 18446744073709551615}})", "/limits/workers: 1844");
  ExpectRefused(head + R"("limits": {"stop_s": 0}})", "/limits/stop_s: 0 is not seconds above 0");
  ExpectRefused(head + R"("folders": "lib"})", R"(/folders: "lib" is not an array)");
  ExpectRefused(head + R"("folders": [""]})", "/folders/0: ");
  ExpectRefused(head + R"("folders": ["${A"]})", "folders: '${A': expected ${NAME}");
  const std::string before = R"({"schema": "poolproof-manifest/1", "libraries": [)";
  ExpectRefused(before + "[]]}", "/libraries/0: an array is not an array of at least one");
  ExpectRefused(before + R"([[], "a"]]})", "/libraries/0: the first alternative is empty");
  ExpectRefused(before + R"(["a", [3]]]})", "/libraries/0/1/0: 3 is not");
  ExpectRefused(before + R"("${}/a"]})", "libraries: '${}/a': expected ${NAME}");
  ExpectRefused(head + R"("devices": []})", "/devices: an array is not");
  ExpectRefused(head + R"("devices": [-1]})", "/devices/0: -1 is not");
  ExpectRefused(head + R"("capabilities": {"operators": ["MaxPool"]}})", "MaxPool");
  ExpectRefused(
      head + R"("capabilities": {"dtypes": ["f128"]}})",
      "/capabilities/dtypes/0: \"f128\" is not a data type's name: f32, f16, bf16, i32, i64");
  ExpectRefused(head + R"("capabilities": {"accepts": 3}})",
                "/capabilities/accepts: 3 is not a predicate, or an object of operators");
  ExpectRefused(head + R"("capabilities": {"accepts": "dtype == f8"}})",
                "/capabilities/accepts: 'dtype == f8': character 10: 'f8'; expected a data type");
  ExpectRefused(head + R"("capabilities": {"accepts": {"MaxPool": "rank == 4"}}})",
                "/capabilities/accepts: has a member 'MaxPool', expected an operator's name");
  ExpectRefused(
      head + R"("capabilities": {"accepts": {"AdaptiveMaxPool2d": "rank"}}})",
      "/capabilities/accepts/AdaptiveMaxPool2d: 'rank': character 5: the end; expected ==");
  ExpectRefused(head + R"("capabilities": {"indices": "some"}})", "some");
}

// The libraries of a manifest with these members; names are cut to what lies below the folder.
class SearchTest : public ImplementationTest {
 protected:
  void SetUp() override {
    ImplementationTest::SetUp();
    for (const char* folder : {"one", "two"}) fs::create_directories(folder_ / folder);
    ::setenv("POOLPROOF_TEST_ONE", (folder_ / "one").c_str(), 1);
    ::setenv("POOLPROOF_TEST_BOTH",
             ((folder_ / "one").string() + "::" + (folder_ / "two").string()).c_str(), 1);
    ::unsetenv("POOLPROOF_TEST_NONE");
  }
  void TearDown() override {
    ::unsetenv("POOLPROOF_TEST_ONE");
    ::unsetenv("POOLPROOF_TEST_BOTH");
    ImplementationTest::TearDown();
  }

  std::string Found(const std::string& members) {
    const Result<Implementation> found =
        Manifest(R"({"schema": "poolproof-manifest/1", )" + members + "}");
    if (!found.ok()) return found.status().message();
    std::string text;
    for (const std::string& library : found->libraries) {
      const bool here = library.starts_with(folder_.string());
      text +=
          (text.empty() ? "" : " ") + (here ? library.substr(folder_.string().size()) : library);
    }
    return text;
  }
};

TEST_F(SearchTest, FirstAlternativeThatIsFoundWhole) {
  Write("lib/a.so", "x");
  Write("one/b.so", "x");
  Write("two/c.so", "x");
  const std::string folders = R"("folders": ["one", "${POOLPROOF_TEST_NONE}/x", "two"], )";
  EXPECT_EQ(Found(folders + R"("libraries": [["b.so", "c.so"]])"), "/one/b.so");
  EXPECT_EQ(Found(folders + R"("libraries": [["d.so", "c.so"]])"), "/two/c.so");
  EXPECT_EQ(Found(folders + R"("libraries": [[["b.so", "d.so"], ["c.so", "b.so"]]])"),
            "/two/c.so /one/b.so");
  EXPECT_EQ(Found(folders + R"("libraries": ["lib/a.so", ["d.so", []], "b.so"])"),
            "/lib/a.so /one/b.so");
  EXPECT_EQ(Found(R"("libraries": [["d.so", []]])"),
            "libraries: none of the alternatives was found");
  // In one line, and not endless.
  EXPECT_EQ(Found(R"("libraries": ["a\nb/c.so"])"), "libraries: 'a?b/c.so': no such file");
  EXPECT_LT(Found(R"("libraries": [["d.so", ")" + std::string(5000, 'x') + R"("]])").size(), 2000U);
  // What is alone is left to the dynamic linker.
  EXPECT_EQ(Found(folders + R"("libraries": ["d.so"])"), "d.so");
  EXPECT_EQ(Found(folders + R"("libraries": [[["b.so", "d.so"], "e.so"]])"),
            "libraries: b.so with d.so, or e.so: not found; looked in " + folder_.string() +
                "/one, POOLPROOF_TEST_NONE (not set), " + folder_.string() + "/two");
  EXPECT_EQ(Found(R"("libraries": [["e.so", "f.so"]])"), "libraries: e.so, or f.so: not found");
}

TEST_F(SearchTest, FoldersInTheirOrderTheManifestsFirst) {
  Write("two/a.so", "x");
  Write("one/a.so", "x");
  EXPECT_EQ(Found(R"("folders": ["two", "one"], "libraries": [["a.so"]])"), "/two/a.so");
  EXPECT_EQ(Found(R"("folders": ["${POOLPROOF_TEST_BOTH}"], "libraries": [["a.so"]])"),
            "/one/a.so");
  Write("a.so", "x");
  EXPECT_EQ(Found(R"("folders": ["one"], "libraries": [["a.so"]])"), "/a.so");
}

TEST_F(SearchTest, Variables) {
  Write("one/a.so", "x");
  Write("two/a.so", "x");
  EXPECT_EQ(Found(R"("libraries": ["${POOLPROOF_TEST_ONE}/a.so"])"), "/one/a.so");
  EXPECT_EQ(Found(R"("libraries": ["${POOLPROOF_TEST_BOTH}/a.so"])"), "/one/a.so /two/a.so");
  EXPECT_EQ(Found(R"("libraries": ["${POOLPROOF_TEST_NONE}/a.so"])"),
            "libraries: '${POOLPROOF_TEST_NONE}/a.so': POOLPROOF_TEST_NONE is not set");
  EXPECT_EQ(Found(R"("libraries": ["${POOLPROOF_TEST_ONE}/b.so"])"),
            "libraries: '${POOLPROOF_TEST_ONE}/b.so': no such file");
  // The manifest's own environment counts, too.
  EXPECT_EQ(Found(R"("environment": {"*": {"POOLPROOF_TEST_NONE": ")" + (folder_ / "two").string() +
                  R"("}}, "libraries": ["${POOLPROOF_TEST_NONE}/a.so"])"),
            "/two/a.so");
  // Not without bounds.
  std::string much;
  for (int i = 0; i < 30; ++i) much += "${POOLPROOF_TEST_BOTH}";
  EXPECT_THAT(Found(R"("libraries": [")" + much + R"("])"), HasSubstr("more than 1000 texts"));
  much.clear();
  for (int i = 0; i < 9; ++i) much += "${POOLPROOF_TEST_BOTH}";
  const std::string library = R"("libraries": ["a.so"])";
  EXPECT_THAT(Found(R"("folders": [")" + much + R"("], )" + library), HasSubstr("a.so"));
  EXPECT_EQ(Found(R"("folders": [")" + much + R"(", ")" + much + R"("], )" + library),
            "folders: more than 1000");
  EXPECT_EQ(Found(R"("environment": {"*": {"AB": "a.so:b.so"}}, "folders": [")" + much +
                  R"("], "libraries": ["${AB}"])"),
            "libraries: '${AB}': matches more than 1000 files");
}

TEST_F(ImplementationTest, MissingLibraryOfAManifestIsNotFound) {
  const fs::path path =
      Write("m.json", R"({"schema": "poolproof-manifest/1", "libraries": ["lib/none.so"]})");
  const Status status = ResolveImplementation(path.string()).status();
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_THAT(status.message(), EndsWith("libraries: 'lib/none.so': no such file"));
}

}  // namespace
}  // namespace poolproof
