// SPDX-License-Identifier: Apache-2.0
//
// A stream: a queue of tasks that a thread of its own runs in order. And events, which mark points
// in a queue.
#ifndef POOLPROOF_RUNTIME_STREAM_H_
#define POOLPROOF_RUNTIME_STREAM_H_

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "runtime/refusal.h"

namespace poolproof {

// A fault met by a task, with the ABI function that queued it.
struct StreamFault {
  std::int32_t status;
  const char* function;
  std::string message;
};

struct Task {
  const char* function;  // a literal
  std::function<Objection()> run;
};

// Safe to use from any thread. Threads started here take no signals that can wait, so that the
// host program's handlers run on its own threads.
class Stream {
 public:
  using Deadline = std::optional<std::chrono::steady_clock::time_point>;
  enum class Rest { kFinish, kDrop };

  Stream();
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // False once the stream is closed.
  [[nodiscard]] bool Enqueue(Task task);

  // Runs the task in the calling thread, in its turn like any other: what is queued meanwhile waits
  // for it, and its fault is the stream's. False, and nothing is run, where the stream has work
  // that this would have to wait for, or is closed.
  [[nodiscard]] bool RunAtOnce(const Task& task);

  // Waits for what was queued before the call; false where the deadline came first.
  [[nodiscard]] bool Wait(const Deadline& deadline = std::nullopt);

  // The first fault since the last call.
  [[nodiscard]] std::optional<StreamFault> TakeFault();

  // Finishes or drops what is queued and ends the thread. Idempotent.
  void Close(Rest rest);

 private:
  void Run();

  void Finish(std::optional<StreamFault> fault);

  std::mutex mutex_;
  std::condition_variable work_;  // for the thread
  std::condition_variable ended_;
  std::deque<Task> queue_;
  std::uint64_t queued_ = 0;
  std::uint64_t done_ = 0;
  std::optional<StreamFault> fault_;
  bool closing_ = false;
  bool at_once_ = false;  // a calling thread runs a task
  pid_t process_;         // a child of fork has no such thread
  std::mutex join_mutex_;
  std::thread thread_;
};

class Event {
 public:
  // A point that has been queued and not yet passed, or dropped.
  void Queue();
  void Pass(bool ran);
  void Wait();
  // When the newest point was passed; nullopt before.
  [[nodiscard]] std::optional<std::chrono::steady_clock::time_point> PassedAt();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int pending_ = 0;
  std::optional<std::chrono::steady_clock::time_point> passed_at_;
};

}  // namespace poolproof

#endif  // POOLPROOF_RUNTIME_STREAM_H_
