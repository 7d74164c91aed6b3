// SPDX-License-Identifier: Apache-2.0
#include "runtime/refusal.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace poolproof {
namespace {

// No destructors: a thread may outlive the library (dlclose).
struct ThreadMessages {
  std::array<char, 2048> newest;  // empty: none
  std::array<char, 2048> returned;
};
thread_local constinit ThreadMessages thread_messages = {};

void Append(std::array<char, 2048>& text, std::size_t& size, std::string_view part) noexcept {
  const std::size_t count = std::min(part.size(), text.size() - 1 - size);
  std::memcpy(text.data() + size, part.data(), count);
  size += count;
  text[size] = '\0';
}

bool PrintsToStdout() noexcept {
  const char* value = std::getenv("ASCEND_SLOG_PRINT_TO_STDOUT");
  return value != nullptr && std::string_view(value) == "1";
}

}  // namespace

std::string Complaint(std::string_view thing, std::string_view value, std::string_view wanted,
                      const char* clause) {
  std::string text;
  text.append(thing).append(" is ").append(value).append(", expected ").append(wanted);
  if (clause != nullptr) text.append(" [").append(clause).append("]");
  return text;
}

void LeaveMessage(std::string_view where, std::string_view message) noexcept {
  std::size_t size = 0;
  Append(thread_messages.newest, size, where);
  Append(thread_messages.newest, size, ": ");
  Append(thread_messages.newest, size, message);
  if (PrintsToStdout()) {
    std::fprintf(stdout, "[ERROR] poolproof: %s\n", thread_messages.newest.data());
    std::fflush(stdout);
  }
}

const char* TakeMessage() noexcept {
  if (thread_messages.newest[0] == '\0') return nullptr;
  thread_messages.returned = thread_messages.newest;
  thread_messages.newest[0] = '\0';
  return thread_messages.returned.data();
}

}  // namespace poolproof
