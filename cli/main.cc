// SPDX-License-Identifier: Apache-2.0
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "cli/cancel.h"
#include "cli/io.h"
#include "cli/program.h"
#include "core/process_heap.h"

namespace {

std::size_t TerminalWidth() {
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 40) return 100;
  return size.ws_col;
}

bool WantsColour() {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return (no_colour == nullptr || *no_colour == '\0') &&
         (terminal == nullptr || std::string(terminal) != "dumb");
}

}  // namespace

int main(int argc, char** argv) {
  poolproof::KeepHeap();
  const bool out_is_terminal = isatty(STDOUT_FILENO) == 1;
  const poolproof::Io io = {
      .out = std::cout,
      .err = std::cerr,
      .out_is_terminal = out_is_terminal,
      .err_is_terminal = isatty(STDERR_FILENO) == 1,
      .colour = out_is_terminal && WantsColour(),
      .width = out_is_terminal ? TerminalWidth() : 0,
      .argv = std::vector<std::string>(argv, argv + argc),
      .program = argc > 0 ? argv[0] : "poolproof",
      .stop = poolproof::WatchForCancel(),
  };
  return poolproof::RunProgram(io);
}
