// SPDX-License-Identifier: Apache-2.0
//
// Status and Result<T>: the error values that every fallible function of the project returns.
// Used everywhere; a message names the thing, its value and what was wanted.
#ifndef POOLPROOF_CORE_STATUS_H_
#define POOLPROOF_CORE_STATUS_H_

#include <optional>
#include <string>
#include <utility>

#include "core/equality.h"

namespace poolproof {

// What kind of thing went wrong. Programs map these to exit statuses.
enum class StatusCode {
  kOk,
  kInvalidArgument,  // the caller's input is wrong (usage, unknown name, malformed text)
  kNotFound,         // a file or name that does not exist
  kUnavailable,      // something that exists cannot be used (library, device, process)
  kBusy,             // something cannot be used now, and may be in a moment (a device)
  kInternal,         // a fault of our own
};

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string message) : code_(code), message_(std::move(message)) {}

  [[nodiscard]] bool ok() const { return code_ == StatusCode::kOk; }
  [[nodiscard]] StatusCode code() const { return code_; }
  [[nodiscard]] const std::string& message() const { return message_; }

  // The same error with `where` put in front of the message ("case 3: ...").
  [[nodiscard]] Status Annotate(const std::string& where) const {
    return ok() ? Status() : Status(code_, where + ": " + message_);
  }

  POOLPROOF_EQUALITY(Status);

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
};

inline Status OkStatus() { return {}; }
inline Status InvalidArgument(std::string message) {
  return {StatusCode::kInvalidArgument, std::move(message)};
}
inline Status NotFound(std::string message) { return {StatusCode::kNotFound, std::move(message)}; }
inline Status Unavailable(std::string message) {
  return {StatusCode::kUnavailable, std::move(message)};
}
inline Status Busy(std::string message) { return {StatusCode::kBusy, std::move(message)}; }
inline Status Internal(std::string message) { return {StatusCode::kInternal, std::move(message)}; }

// A value or the reason why there is none. Requires ok() before value() and !ok() for status().
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}          // NOLINT(google-explicit-constructor)
  Result(Status status) : status_(std::move(status)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return value_.has_value(); }
  [[nodiscard]] const Status& status() const { return status_; }
  [[nodiscard]] const T& value() const& { return *value_; }
  [[nodiscard]] T& value() & { return *value_; }
  [[nodiscard]] T&& value() && { return *std::move(value_); }
  const T* operator->() const { return &*value_; }
  const T& operator*() const& { return *value_; }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace poolproof

#endif  // POOLPROOF_CORE_STATUS_H_
