// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/spawn.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <thread>

#include "core/sanitized.h"

namespace poolproof {
namespace {

// Above what a library that closes "all" descriptors (up to the soft limit) usually reaches.
constexpr int kFirstChildDescriptor = 4000;
constexpr unsigned kCloseRangeCloexec = 1U << 2;

Status SystemError(const char* what) {
  return Unavailable(std::string("worker: ") + what + ": " + std::strerror(errno));
}

// PR_SET_PDEATHSIG follows the thread that forked, not the process. So that callers may come from
// threads that end, all forks happen on one thread that lives as long as the process.
class ForkThread {
 public:
  static ForkThread& Get() {
    static auto* const instance = new ForkThread;  // never destroyed: its thread never ends
    return *instance;
  }

  pid_t Run(std::function<pid_t()> job) {
    std::packaged_task<pid_t()> task(std::move(job));
    std::future<pid_t> result = task.get_future();
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    ready_.notify_one();
    return result.get();
  }

 private:
  ForkThread() {
    std::thread([this] { Loop(); }).detach();
  }
  void Loop() {
    // Signals for this process are the other threads' business.
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
    for (;;) {
      std::unique_lock lock(mutex_);
      ready_.wait(lock, [this] { return !tasks_.empty(); });
      std::packaged_task<pid_t()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<std::packaged_task<pid_t()>> tasks_;
};

// All that the child needs, prepared before fork: between fork and exec nothing may allocate.
struct ChildPlan {
  const char* program;
  char* const* arguments;
  char* const* environment;
  int null_fd;
  int output_fd;
  int protocol_from;
  int protocol_to;
  int progress_from;
  int progress_to;
  rlimit descriptors;
  bool raise_limit;
  pid_t parent;
};

[[noreturn]] void RunChild(const ChildPlan& plan) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != plan.parent) ::_exit(126);

  // The caller's handlers and ignored signals are not the library's world.
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) ::sigaction(number, &action, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);

  ::syscall(SYS_close_range, 3U, ~0U, kCloseRangeCloexec);
  ::dup2(plan.null_fd, 0);
  ::dup2(plan.output_fd, 1);
  ::dup2(plan.output_fd, 2);
  if (plan.raise_limit) {
    rlimit raised = plan.descriptors;
    raised.rlim_cur = plan.descriptors.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &raised);
  }
  if (::dup2(plan.protocol_from, plan.protocol_to) < 0) ::_exit(125);
  if (::dup2(plan.progress_from, plan.progress_to) < 0) ::_exit(125);
  if (plan.raise_limit) ::setrlimit(RLIMIT_NOFILE, &plan.descriptors);

  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::execve(plan.program, plan.arguments, plan.environment);
  ::_exit(127);
}

// The child shares the parent's memory until it becomes the worker: copying the page tables of a
// runner that holds many cases would cost more than the rest of the start. The sanitizers' runtimes
// want a process of its own.
#if defined(POOLPROOF_SANITIZED)
#define POOLPROOF_FORK ::fork
#else
#define POOLPROOF_FORK ::vfork
#endif

// A caller that runs with stdin, stdout or stderr closed gets such numbers back from open.
UniqueFd AboveStandard(UniqueFd fd) {
  if (fd.get() > 2) return fd;
  return UniqueFd(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 3));
}

}  // namespace

Result<Spawned> Spawn(const SpawnRequest& request) {
  if (::access(request.program.c_str(), X_OK) != 0) {
    return Unavailable("worker program '" + request.program + "': " + std::strerror(errno));
  }
  std::array<int, 2> ends;
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return SystemError("pipe");
  UniqueFd output = AboveStandard(UniqueFd(ends[0]));
  const UniqueFd child_output = AboveStandard(UniqueFd(ends[1]));
  const UniqueFd null = AboveStandard(UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC)));
  if (!output.valid() || !child_output.valid() || !null.valid()) return SystemError("descriptors");
  ::fcntl(output.get(), F_SETFL, O_NONBLOCK);

  const UniqueFd protocol(::fcntl(request.protocol_fd, F_DUPFD_CLOEXEC, 3));
  const UniqueFd progress(::fcntl(request.progress_fd, F_DUPFD_CLOEXEC, 3));
  if (!protocol.valid() || !progress.valid()) return SystemError("descriptors");

  ChildPlan plan{};
  if (::getrlimit(RLIMIT_NOFILE, &plan.descriptors) != 0) return SystemError("getrlimit");
  int first = kFirstChildDescriptor;
  if (plan.descriptors.rlim_max < static_cast<rlim_t>(first) + 8) {
    first = static_cast<int>(plan.descriptors.rlim_max) - 8;
  }
  plan.raise_limit = plan.descriptors.rlim_cur < static_cast<rlim_t>(first) + 8;
  // Not onto one of the sources.
  const auto taken = [&](int fd) { return fd == protocol.get() || fd == progress.get(); };
  while (taken(first) || taken(first + 1)) ++first;
  plan.protocol_to = first;
  plan.progress_to = first + 1;
  plan.protocol_from = protocol.get();
  plan.progress_from = progress.get();
  plan.null_fd = null.get();
  plan.output_fd = child_output.get();
  plan.parent = ::getpid();

  std::vector<std::string> words = {request.program, std::to_string(plan.protocol_to),
                                    std::to_string(plan.progress_to)};
  if (!request.command.empty()) words.push_back(request.command);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::vector<std::string> variables = request.environment;
  std::vector<char*> environment;
  environment.reserve(variables.size() + 1);
  for (std::string& variable : variables) environment.push_back(variable.data());
  environment.push_back(nullptr);
  plan.program = request.program.c_str();
  plan.arguments = arguments.data();
  plan.environment = environment.data();

  int fork_error = 0;
  const pid_t pid = ForkThread::Get().Run([&] {
    const pid_t child = POOLPROOF_FORK();
    if (child == 0) RunChild(plan);
    fork_error = errno;
    return child;
  });
  if (pid < 0) {
    errno = fork_error;
    return SystemError("fork");
  }
  return Spawned{pid, std::move(output)};
}

}  // namespace poolproof
