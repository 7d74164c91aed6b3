// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/adapter_templates.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/write_file.h"
#include "conformance/runner/implementation.h"

namespace poolproof {
namespace {

namespace fs = std::filesystem;

struct AdapterArguments {
  std::string name;
  std::optional<std::string> language;
};

// A file of the folder and the template that it is made of. {name} represents the adapter's.
struct AdapterFile {
  std::string_view file;
  std::string_view from;
};

struct AdapterLanguage {
  std::string_view name;
  std::string_view extension;     // of the source
  std::string_view capabilities;  // of the manifest; empty: there is none
  std::vector<AdapterFile> files;
};

std::vector<AdapterLanguage> AdapterLanguages() {
  constexpr std::string_view kNoRefusals = R"("refusals": "none")";
  constexpr std::string_view kFloatAlone = R"("refusals": "none", "dtypes": ["f32"])";
  const auto library = [](std::string_view source, std::string_view cmake) {
    return std::vector<AdapterFile>{{"", source},
                                    {"CMakeLists.txt", cmake},
                                    {".json", "manifest.in"},
                                    {"README.md", "library.readme.in"}};
  };
  return {{"c++", "cpp", kNoRefusals, library("cpp.source.in", "cpp.cmake.in")},
          {"cuda", "cu", kFloatAlone, library("cuda.source.in", "cuda.cmake.in")},
          {"opencl", "cpp", kFloatAlone, library("opencl.source.in", "opencl.cmake.in")},
          {"python", "py", "", {{"", "python.source.in"}, {"README.md", "python.readme.in"}}}};
}

// As CMake, C++ and Python can have it for a name.
bool IsAdapterName(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
  return !name.empty() && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

std::string TemplateText(std::string_view name) {
  std::string text;
  for (const EmbeddedFile& file : AdapterTemplates()) {
    if (file.name != name) continue;
    for (const std::string_view chunk : file.chunks) text += chunk;
  }
  return text;
}

std::string Filled(std::string text,
                   const std::vector<std::pair<std::string, std::string>>& values) {
  for (const auto& [mark, value] : values) {
    for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += value.size()) {
      text.replace(at, mark.size(), value);
    }
  }
  return text;
}

// Where the package PoolproofKit is found: above the running program. errors: kNotFound.
Result<std::string> KitPrefix() {
  const fs::path prefix = ProgramFolder().parent_path();
  std::error_code error;
  if (fs::is_regular_file(prefix / "lib/cmake/PoolproofKit/PoolproofKitConfig.cmake", error)) {
    return prefix.string();
  }
  return NotFound("the adapter kit is not installed with this program: cannot find " +
                  (prefix / "lib/cmake/PoolproofKit").string());
}

Status MakeAdapterFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    return InvalidArgument("adapter new: cannot make '" + folder.string() +
                           "': " + error.message());
  if (!fs::is_empty(folder, error) || error) {
    return InvalidArgument("adapter new: '" + folder.string() + "' is not empty");
  }
  return OkStatus();
}

Result<int> WriteAdapter(const AdapterArguments& arguments, const Io& io) {
  const fs::path folder(arguments.name);
  const std::string name = folder.filename().string();
  if (!IsAdapterName(name)) {
    return InvalidArgument("adapter new: the name is '" + name +
                           "', expected small letters, digits and _, a letter first");
  }
  const std::vector<AdapterLanguage> languages = AdapterLanguages();
  const std::string wanted = arguments.language.value_or(std::string(languages.front().name));
  const auto language =
      std::find_if(languages.begin(), languages.end(),
                   [&](const AdapterLanguage& known) { return known.name == wanted; });
  if (language == languages.end()) {
    std::vector<std::string_view> names;
    names.reserve(languages.size());
    for (const AdapterLanguage& known : languages) names.push_back(known.name);
    return InvalidArgument("--language: '" + wanted + "' is not one of " + JoinNames(names) +
                           DidYouMean(wanted, names));
  }
  std::string prefix;
  if (!language->capabilities.empty()) {
    const Result<std::string> found = KitPrefix();
    if (!found.ok()) return found.status();
    prefix = *found;
  }
  if (Status status = MakeAdapterFolder(folder); !status.ok()) return status;

  const std::string source = name + "." + std::string(language->extension);
  for (const AdapterFile& file : language->files) {
    std::string target(file.file);
    if (target.empty()) target = source;
    if (target.front() == '.') target.insert(0, name);
    const std::string text =
        Filled(TemplateText(file.from), {{"@NAME@", name},
                                         {"@EXTENSION@", std::string(language->extension)},
                                         {"@CAPABILITIES@", std::string(language->capabilities)},
                                         {"@PREFIX@", prefix}});
    if (Status status = WriteFileAtomically((folder / target).string(), text); !status.ok()) {
      return status;
    }
  }
  io.out << "Written: " << (folder / source).string() << ", where the kernel goes. "
         << (folder / "README.md").string() << " says how it is built and judged.\n";
  return kExitOk;
}

}  // namespace

void DeclareAdapter(const Command& app, Action& action) {
  const Command adapter =
      app.AddCommand("adapter", "Create the project of a library around your own functions");
  adapter.SetGroup("Judge");
  adapter.RequireCommand();
  const Command command =
      adapter.AddCommand("new", "Create a folder to fill in; it builds and runs as it is");
  const auto arguments = std::make_shared<AdapterArguments>();
  command.AddOption("name", arguments->name, "The folder, new or empty; its name is the library's")
      .TypeName("NAME")
      .Required();
  command.AddOption("--language", arguments->language, "c++ (default), cuda, opencl or python")
      .TypeName("L");
  command.SetFooter(
      "Examples:\n"
      "  poolproof adapter new mine\n"
      "  poolproof adapter new mine --language python\n"
      "\n"
      "docs/adapters.md is a tutorial.");
  command.OnChosen([arguments, &action] {
    action = [arguments](const Io& io) { return WriteAdapter(*arguments, io); };
  });
}

}  // namespace poolproof
