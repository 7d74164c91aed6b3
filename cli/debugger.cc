// SPDX-License-Identifier: Apache-2.0
#include "cli/debugger.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace poolproof {

Status BecomeGdb(const std::vector<std::string>& arguments,
                 const std::vector<std::string>& functions) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return Unavailable("--gdb: the path of poolproof cannot be read: " + error.message());
  // The library is not open yet.
  std::vector<std::string> words = {"gdb", "-q", "-iex", "set breakpoint pending on"};
  for (const std::string& function : functions) {
    words.insert(words.end(), {"-ex", "tbreak " + function});
  }
  words.insert(words.end(), {"-ex", "run", "--args", self.string()});
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execvp("gdb", pointers.data());
  return Unavailable(std::string("--gdb: gdb cannot be started: ") + std::strerror(errno));
}

}  // namespace poolproof
