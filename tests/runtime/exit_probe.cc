// SPDX-License-Identifier: Apache-2.0
//
// Ends in one of several untidy ways, with a library open and streams alive. Exit status 0 says
// that nothing went wrong on the way out.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <thread>

#include "tests/runtime/support/abi_library.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  static auto* library = new poolproof::AbiLibrary(argv[1]);
  constexpr std::size_t kSize = std::size_t{1} << 24;
  void* memory = nullptr;  // never freed: the device's, not the program's
  aclrtStream stream = nullptr;
  if (library->aclrtMalloc(&memory, kSize, ACL_MEM_MALLOC_HUGE_FIRST) != 0) return 1;
  if (library->aclrtCreateStream(&stream) != 0) return 1;
  for (int i = 0; i < 30; ++i) {
    if (library->aclrtMemsetAsync(memory, kSize, i, kSize, stream) != 0) return 1;
  }
  const char* way = argv[2];
  if (std::strcmp(way, "return") == 0) return 0;
  if (std::strcmp(way, "exit-in-thread") == 0) {
    std::thread([] { std::exit(0); }).join();
  }
  if (std::strcmp(way, "call-at-exit") == 0) {
    // Registered after the library was opened, so it runs before the library goes.
    std::atexit([] {
      void* block = nullptr;
      if (library->aclrtMalloc(&block, 8, ACL_MEM_MALLOC_HUGE_FIRST) != 0) _exit(1);
      if (library->aclrtFree(block) != 0) _exit(1);
    });
    return 0;
  }
  if (std::strcmp(way, "fork") == 0) {
    const pid_t child = fork();
    if (child == 0) std::exit(0);  // none of the parent's threads exists here
    int status = 1;
    // A child that hangs is killed by the test's time limit.
    return waitpid(child, &status, 0) == child && status == 0 ? 0 : 1;
  }
  return 2;
}
