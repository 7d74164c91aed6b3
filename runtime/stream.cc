// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <utility>

#include "runtime/boundary.h"

namespace poolproof {
namespace {

// Blocks what can wait while a thread is started, which inherits it. Faults of the thread itself
// stay open: blocked ones end the process past every handler.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT}) {
      sigdelset(&all, fault);
    }
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

thread_local constinit void* queue_of_thread = nullptr;

// The device's queue behind the stream of this thread.
class OwnQueue {
 public:
  OwnQueue() {
    if (Device().open_queue != nullptr) queue_of_thread = Device().open_queue();
  }
  ~OwnQueue() {
    if (Device().close_queue != nullptr) Device().close_queue(queue_of_thread);
    queue_of_thread = nullptr;
  }
  OwnQueue(const OwnQueue&) = delete;
  OwnQueue& operator=(const OwnQueue&) = delete;
};

// What the task left to the device ends with it.
Objection FinishQueue() {
  const auto finish = Device().finish_queue;
  const char* const why = finish != nullptr ? finish(queue_of_thread) : nullptr;
  if (why == nullptr) return std::nullopt;
  return Refusal{ACL_ERROR_RT_AICORE_EXCEPTION, why};
}

std::optional<StreamFault> RunTask(const Task& task) noexcept {
  try {
    Objection no = Guarded(kStreamCodes, task.run);
    if (Objection late = FinishQueue(); !no.has_value()) no = std::move(late);
    if (!no.has_value()) return std::nullopt;
    return StreamFault{no->status, task.function, std::move(no->message)};
  } catch (...) {
    return StreamFault{kStreamCodes.out_of_memory, task.function, {}};
  }
}

}  // namespace

void* QueueOfThisThread() { return queue_of_thread; }

Stream::Stream() : process_(getpid()) {
  const SignalsBlocked blocked;
  thread_ = std::thread([this] { Run(); });
}

Stream::~Stream() { Close(Rest::kFinish); }

bool Stream::Enqueue(Task task) {
  {
    const std::lock_guard lock(mutex_);
    if (closing_) return false;
    queue_.push_back(std::move(task));
    ++queued_;
  }
  work_.notify_one();
  return true;
}

bool Stream::RunAtOnce(const Task& task) {
  // A device's queue is of the stream's own thread.
  if (Device().open_queue != nullptr) return false;
  {
    const std::lock_guard lock(mutex_);
    if (closing_ || done_ < queued_) return false;
    ++queued_;
    at_once_ = true;
  }
  std::optional<StreamFault> fault = RunTask(task);
  bool wanted = false;
  {
    const std::lock_guard lock(mutex_);
    at_once_ = false;
    wanted = closing_ || !queue_.empty();
    Finish(std::move(fault));
  }
  if (wanted) work_.notify_one();
  return true;
}

bool Stream::Wait(const Deadline& deadline) {
  std::unique_lock lock(mutex_);
  const std::uint64_t target = queued_;
  const auto reached = [this, target] { return done_ >= target; };
  if (deadline.has_value()) return ended_.wait_until(lock, *deadline, reached);
  ended_.wait(lock, reached);
  return true;
}

std::optional<StreamFault> Stream::TakeFault() {
  const std::lock_guard lock(mutex_);
  return std::exchange(fault_, std::nullopt);
}

void Stream::Close(Rest rest) {
  const std::lock_guard join_lock(join_mutex_);
  if (!thread_.joinable()) return;
  if (process_ != getpid()) {
    thread_.detach();
    return;
  }
  std::deque<Task> dropped;  // destroyed outside the lock
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    if (rest == Rest::kDrop) {
      dropped.swap(queue_);
      done_ += dropped.size();
    }
  }
  work_.notify_one();
  ended_.notify_all();
  thread_.join();
}

// Requires the lock.
void Stream::Finish(std::optional<StreamFault> fault) {
  if (fault.has_value() && !fault_.has_value()) fault_ = std::move(fault);
  ++done_;
  ended_.notify_all();
}

void Stream::Run() {
  const OwnQueue queue;
  std::unique_lock lock(mutex_);
  while (true) {
    work_.wait(lock, [this] { return !at_once_ && (closing_ || !queue_.empty()); });
    if (queue_.empty()) return;
    std::optional<StreamFault> fault;
    {
      const Task task = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      fault = RunTask(task);
    }  // what the task holds is gone before anyone who waits for it goes on
    lock.lock();
    Finish(std::move(fault));
  }
}

void Event::Queue() {
  const std::lock_guard lock(mutex_);
  ++pending_;
}

void Event::Pass(bool ran) {
  {
    const std::lock_guard lock(mutex_);
    --pending_;
    if (ran) passed_at_ = std::chrono::steady_clock::now();
  }
  changed_.notify_all();
}

void Event::Wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return pending_ == 0; });
}

std::optional<std::chrono::steady_clock::time_point> Event::PassedAt() {
  const std::lock_guard lock(mutex_);
  return pending_ == 0 ? passed_at_ : std::nullopt;
}

}  // namespace poolproof
