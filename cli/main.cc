// SPDX-License-Identifier: Apache-2.0
#include <malloc.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "cli/cancel.h"
#include "cli/io.h"
#include "cli/program.h"

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

// Buffers of whole planes come and go with every case: pages that were given back to the system
// would be asked for and cleared again, which took a sixth of a run's time.
void KeepFreedMemory() {
#if defined(__GLIBC__)
  // glibc takes no more than this, and by itself the other setting would leave 128 KiB.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  KeepFreedMemory();
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
