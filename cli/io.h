// SPDX-License-Identifier: Apache-2.0
//
// Io: the surroundings of a command, so that commands read no globals.
#ifndef POOLPROOF_CLI_IO_H_
#define POOLPROOF_CLI_IO_H_

#include <atomic>
#include <ostream>
#include <string>
#include <vector>

namespace poolproof {

struct Io {
  std::ostream& out;  // results
  std::ostream& err;  // talk and progress
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool colour = false;            // colours on `out`
  std::size_t width = 100;        // columns of the terminal
  std::vector<std::string> argv;  // as commands see it, without the folders of paths
  std::string program =
      "poolproof";                // as it was called, with its folder: for commands to be pasted
  const std::atomic<bool>& stop;  // set by Ctrl-C
};

// Exit statuses of the program (DESIGN section 2).
inline constexpr int kExitOk = 0;
inline constexpr int kExitNonconformant = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitHarness = 3;
inline constexpr int kExitIncomplete = 4;

}  // namespace poolproof

#endif  // POOLPROOF_CLI_IO_H_
