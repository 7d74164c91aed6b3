// SPDX-License-Identifier: Apache-2.0
//
// Runs a command and writes what it cost, with all processes that it waited for, as a line behind the file that
// POOLPROOF_COST_LOG names: user and system seconds, wall seconds, label. Without the variable it is the command.
//
//   cost_launcher <label | -> <command> [argument...]      "-": the label is the argument behind -o, else the
//                                                      command, or the script that a Python runs
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char* Label(char** argv) {
  if (strcmp(argv[1], "-") != 0) return argv[1];
  for (char** word = argv + 2; *word != NULL; ++word) {
    if (strcmp(*word, "-o") == 0 && word[1] != NULL) return word[1];
  }
  // A script is what its interpreter runs.
  const char* slash = strrchr(argv[2], '/');
  const char* name = slash == NULL ? argv[2] : slash + 1;
  if (strncmp(name, "python", 6) != 0) return argv[2];
  char** script = argv + 3;
  while (*script != NULL && **script == '-') ++script;
  return *script == NULL ? argv[2] : *script;
}

static double Seconds(struct timeval time) {
  return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: cost_launcher <label | -> <command> [argument...]\n");
    return 2;
  }
  const char* log = getenv("POOLPROOF_COST_LOG");
  if (log == NULL || *log == '\0') {
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    return 127;
  }
  struct timespec began;
  struct timespec ended;
  clock_gettime(CLOCK_MONOTONIC, &began);
  const pid_t child = fork();
  if (child == 0) {
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    _exit(127);
  }
  if (child < 0) {
    perror("fork");
    return 127;
  }
  int status = 0;
  struct rusage usage;
  if (wait4(child, &status, 0, &usage) < 0) {
    perror("wait4");
    return 127;
  }
  clock_gettime(CLOCK_MONOTONIC, &ended);
  // A line goes out in one write, so that lines of many processes do not mix.
  char line[4096];
  const int length =
      snprintf(line, sizeof(line), "%.3f %.3f %.3f %s\n", Seconds(usage.ru_utime), Seconds(usage.ru_stime),
               (double)(ended.tv_sec - began.tv_sec) + (double)(ended.tv_nsec - began.tv_nsec) / 1e9, Label(argv));
  const int file = open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (file >= 0 && length > 0 && (size_t)length < sizeof(line)) {
    if (write(file, line, (size_t)length) < 0) perror(log);
    close(file);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
