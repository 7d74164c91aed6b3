// SPDX-License-Identifier: Apache-2.0
//
// corpus_tool fmt [--check] FILE...: puts vector files into canonical form, or says which are not.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/corpus/corpus.h"

namespace poolproof {
namespace {

constexpr int kExitOk = 0;
constexpr int kExitNotCanonical = 1;
constexpr int kExitUsage = 2;

Result<std::string> ReadFile(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) return NotFound(path + ": cannot be read");
  return text.str();
}

// Writes beside the file first: a full disk must not cost the file.
Status WriteFile(const std::string& path, const std::string& text) {
  const std::string temporary = path + ".new";
  std::ofstream stream(temporary, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream || std::rename(temporary.c_str(), path.c_str()) != 0) {
    return Unavailable(path + ": cannot be written");
  }
  return OkStatus();
}

int FormatFiles(const std::vector<std::string>& paths, bool check) {
  int exit_status = kExitOk;
  for (const std::string& path : paths) {
    const Result<std::string> text = ReadFile(path);
    const Result<std::string> formatted =
        text.ok() ? FormatVectorFile(*text, path) : Result<std::string>(text.status());
    Status status = formatted.ok() ? OkStatus() : formatted.status();
    if (status.ok() && *formatted != *text) {
      if (check) {
        std::cerr << path << ": not in canonical form\n";
        exit_status = kExitNotCanonical;
      } else {
        status = WriteFile(path, *formatted);
      }
    }
    if (!status.ok()) {
      std::cerr << "corpus_tool: " << status.message() << '\n';
      return kExitUsage;
    }
  }
  return exit_status;
}

}  // namespace
}  // namespace poolproof

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool check = arguments.size() > 1 && arguments[1] == "--check";
  if (arguments.size() < (check ? 3U : 2U) || arguments[0] != "fmt") {
    std::cerr << "usage: corpus_tool fmt [--check] FILE...\n";
    return poolproof::kExitUsage;
  }
  arguments.erase(arguments.begin(), arguments.begin() + (check ? 2 : 1));
  return poolproof::FormatFiles(arguments, check);
}
