// SPDX-License-Identifier: Apache-2.0
#include "optimized/thread_pool.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "optimized/float_environment.h"

namespace poolproof {
namespace {

// Checks of a flag before a thread goes to sleep: waking it costs more than a short job.
constexpr int kSpins = 2000;

void Pause() {
#if defined(__SSE2__)
  _mm_pause();
#endif
}

// Blocks what can wait while a thread is started, which inherits it: the host's handlers run on the
// host's threads.
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

struct Job {
  const std::function<void()>& work;
  int wanted;                   // helpers that may still join
  std::atomic<int> inside = 0;  // helpers at work
};

class Pool {
 public:
  Pool() : process_(getpid()) {}

  [[nodiscard]] pid_t process() const { return process_; }

  void Run(int helpers, const std::function<void()>& work) {
    Job job{work, helpers};
    std::list<Job*> entry{&job};
    const auto place = entry.begin();
    {
      const std::lock_guard lock(mutex_);
      if (!closed_) {
        StartThreads(helpers);
        jobs_.splice(jobs_.end(), entry);
        open_jobs_.fetch_add(1, std::memory_order_relaxed);
      }
    }
    const bool listed = entry.empty();
    if (listed) {
      if (helpers == 1) {
        work_.notify_one();
      } else {
        work_.notify_all();
      }
    }
    work();
    if (!listed) return;
    {
      const std::lock_guard lock(mutex_);
      if (job.wanted > 0) open_jobs_.fetch_sub(1, std::memory_order_relaxed);
      job.wanted = 0;
      entry.splice(entry.begin(), jobs_, place);
    }
    for (int i = 0; i < kSpins && job.inside.load(std::memory_order_acquire) > 0; ++i) Pause();
    std::unique_lock lock(mutex_);  // also: the last helper has let go of the job
    done_.wait(lock, [&job] { return job.inside.load(std::memory_order_relaxed) == 0; });
  }

  // Ends the threads when they have done what they are at.
  void Close() {
    std::vector<std::thread> threads;
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
      threads.swap(threads_);
    }
    work_.notify_all();
    for (std::thread& thread : threads) thread.join();
  }

 private:
  // Requires the lock.
  void StartThreads(int count) {
    try {
      const SignalsBlocked blocked;
      while (std::ssize(threads_) < count) threads_.emplace_back([this] { Serve(); });
    } catch (const std::exception&) {  // no more threads to be had: those we have do it
    }
  }

  void Serve() {
    const DefaultFloatEnvironment environment;
    std::unique_lock lock(mutex_);
    while (true) {
      Job* job = OpenJob();
      if (job != nullptr) {
        if (--job->wanted == 0) open_jobs_.fetch_sub(1, std::memory_order_relaxed);
        job->inside.fetch_add(1, std::memory_order_relaxed);
        lock.unlock();
        job->work();
        lock.lock();
        if (job->inside.fetch_sub(1, std::memory_order_release) == 1) done_.notify_all();
        continue;
      }
      if (closed_) return;
      lock.unlock();
      for (int i = 0; i < kSpins && open_jobs_.load(std::memory_order_relaxed) == 0; ++i) Pause();
      lock.lock();
      work_.wait(lock, [this] { return closed_ || OpenJob() != nullptr; });
    }
  }

  // Requires the lock.
  Job* OpenJob() {
    for (Job* job : jobs_) {
      if (job->wanted > 0) return job;
    }
    return nullptr;
  }

  const pid_t process_;
  std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable done_;
  std::list<Job*> jobs_;
  std::atomic<int> open_jobs_ = 0;
  std::vector<std::thread> threads_;
  bool closed_ = false;
};

// Never destroyed: threads of the host may still call in while the process ends.
union Immortal {
  Pool value;
  Immortal() { new (&value) Pool; }
  ~Immortal() {}  // NOLINT(modernize-use-equals-default)
};

std::atomic<Pool*> current_pool = nullptr;

Pool& FirstPool() {
  static Immortal first;
  return first.value;
}

Pool& CurrentPool() {
  Pool* current = current_pool.load(std::memory_order_acquire);
  Pool& pool = current == nullptr ? FirstPool() : *current;
  if (pool.process() == getpid()) return pool;
  // A child of fork: the parent's pool may have been copied in the middle of anything, so it is
  // left as it is.
  auto mine = std::make_unique<Pool>();
  if (current_pool.compare_exchange_strong(current, mine.get(), std::memory_order_acq_rel)) {
    return *mine.release();
  }
  return *current;
}

// Runs at exit and in dlclose: no thread of ours may be left when the code goes away.
__attribute__((destructor)) void Shutdown() {
  Pool* const current = current_pool.load(std::memory_order_acquire);
  Pool& pool = current == nullptr ? FirstPool() : *current;
  if (pool.process() == getpid()) pool.Close();
}

}  // namespace

void RunWithHelpers(int helpers, const std::function<void()>& work) {
  CurrentPool().Run(helpers, work);
}

}  // namespace poolproof
