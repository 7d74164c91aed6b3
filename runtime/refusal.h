// SPDX-License-Identifier: Apache-2.0
//
// Why a call of the C ABI is refused: a status code and a message. Used by every entry point.
#ifndef POOLPROOF_RUNTIME_REFUSAL_H_
#define POOLPROOF_RUNTIME_REFUSAL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace poolproof {

struct Refusal {
  std::int32_t status;
  std::string message;  // the argument, its value and what was expected
};

// Nothing to object to is nullopt: `if (auto no = Check(...)) return no;`
using Objection = std::optional<Refusal>;

// "<thing> is <value>, expected <wanted>[ [<clause>]]".
std::string Complaint(std::string_view thing, std::string_view value, std::string_view wanted,
                      const char* clause = nullptr);

// Leaves the message on this thread for aclGetRecentErrMsg, and on stdout where
// ASCEND_SLOG_PRINT_TO_STDOUT=1. Never throws; long messages are cut.
void LeaveMessage(std::string_view where, std::string_view message) noexcept;

// The newest message, handed out once; null where there is none. Valid until the next call on the
// same thread.
const char* TakeMessage() noexcept;

}  // namespace poolproof

#endif  // POOLPROOF_RUNTIME_REFUSAL_H_
