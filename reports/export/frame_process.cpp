// SPDX-License-Identifier: Apache-2.0

// Rounding and flushing, seen by what they do, and the signals that are blocked.
std::vector<long> ThreadState() {
  const volatile float tiny = 1.17549435e-38F;
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  return {std::fegetround(), tiny / 2 == 0, *reinterpret_cast<long*>(&mask)};
}
// What the calls must leave as it is: the process.
struct Process {
  std::vector<bool> open;
  std::vector<std::pair<void (*)(int), int>> handlers;
  std::string folder;
  std::vector<long> thread = ThreadState();
  Process() {
    for (int file = 0; file < 256; ++file) open.push_back(fcntl(file, F_GETFD) >= 0);
    for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGABRT, SIGBUS, SIGFPE, SIGSEGV,
                             SIGPIPE, SIGALRM, SIGTERM, SIGCHLD, SIGUSR1}) {
      struct sigaction action = {};
      sigaction(number, nullptr, &action);
      constexpr int kRestorer = 0x04000000;  // the C library's own, once a handler was set
      handlers.emplace_back(action.sa_handler, action.sa_flags & ~kRestorer);
    }
    char path[PATH_MAX];
    if (getcwd(path, sizeof path) != nullptr) folder = path;
  }
  long OpenCount() const { return std::count(open.begin(), open.end(), true); }
};
long long ResidentBytes(pid_t process) {
  long long pages = 0;
  std::FILE* file = std::fopen(("/proc/" + std::to_string(process) + "/statm").c_str(), "r");
  if (file == nullptr) return 0;
  if (std::fscanf(file, "%*d %lld", &pages) != 1) pages = 0;
  std::fclose(file);
  return pages * sysconf(_SC_PAGESIZE);
}
#if deterministic
void SetDeterministic(int64_t value) {
  auto* const set =
      aclrtCtxSetSysParamOpt != nullptr ? aclrtCtxSetSysParamOpt : aclrtSetSysParamOpt;
  if (set != nullptr) set(ACL_OPT_DETERMINISTIC, value);
}
#endif
#if !plain
void RunThread(const std::vector<Call>& calls, Runner& runner, bool check) {
#if threads
  const auto before = ThreadState();
#endif
  for (int i = 0; i < kRepeat; ++i) runner.RunSequence(calls, check, i);
  runner.ReleaseHeld();
#if reuse
  runner.ReleaseKept();
#endif
#if threads
  if (ThreadState() != before) {
    WRONG("%s", "the calls changed floating-point environment or signal mask of their thread");
  }
#endif
}
void RunAll(const std::vector<Call>& calls, Runner& main_runner, bool check) {
#if !threads
  RunThread(calls, main_runner, check);
#else
  static_cast<void>(main_runner);
  std::atomic<int> waiting{kThreads};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      if (aclrtSetDevice != nullptr) Need(aclrtSetDevice(0) == 0, "aclrtSetDevice in a thread");
      Runner runner;
      --waiting;
      while (waiting.load() > 0) std::this_thread::yield();
      RunThread(calls, runner, check);
    });
  }
  for (std::thread& thread : threads) thread.join();
#endif
}
#endif

void CarryOut() {
  std::vector<size_t> mine;  // descriptors that are not the library's
  for (int i = 0; i < 5; ++i) {
    mine.push_back(i < 3 && fcntl(i, F_GETFD) >= 0 ? i : open("/dev/null", O_RDWR));
  }
  const auto ready = [](int status) {
    return status == 0 || status == ACL_ERROR_REPEAT_INITIALIZE;
  };
  if (aclInit != nullptr) Need(ready(aclInit(nullptr)), "aclInit");
  if (aclrtSetDevice != nullptr) Need(aclrtSetDevice(0) == 0, "aclrtSetDevice");
  if (aclnnInit != nullptr) Need(ready(aclnnInit(nullptr)), "aclnnInit");
#if plain
  const auto run = [](bool) { TheCase(); };
#else
  const std::vector<Call> calls = MakeCalls();
  Runner runner;
  const auto run = [&](bool check) { RunAll(calls, runner, check); };
#endif
  const Process before;
#if deterministic
  SetDeterministic(1);
#endif
  run(true);
#if growth
  const int warm_up = kGrowthCalls < 3 ? 1 : kGrowthCalls / 3;
  long long resident = 0;
  for (int i = 0; i < warm_up + kGrowthCalls; ++i) {
    malloc_trim(0);
    if (i == warm_up) resident = ResidentBytes(getpid());
    runner.RunSequence(calls, false, 0);
  }
  malloc_trim(0);
  const long long grown = ResidentBytes(getpid()) - resident;
  if (grown > (1LL << 20) + kGrowthCalls * (2LL << 10)) {
    WRONG("the process grew by %lld bytes over %d further calls", grown, kGrowthCalls);
  }
#endif
#if deterministic
  SetDeterministic(0);
#endif
  const Process after;
  for (const size_t file : mine) {
    if (!after.open[file]) WRONG("file descriptor %zu, not the library's, was closed", file);
  }
  if (after.OpenCount() > before.OpenCount()) {  // something may be opened once, on first use
    run(false);
    if (Process().OpenCount() > after.OpenCount()) {
      WRONG("%s", "each run leaves a file descriptor open");
    }
  }
#if !threads
  if (after.thread != before.thread) {
    WRONG("%s", "the calls changed floating-point environment or signal mask of their thread");
  }
#endif
  if (after.handlers != before.handlers) WRONG("%s", "the calls changed signal handlers");
  if (after.folder != before.folder) WRONG("%s", "the calls changed the working directory");
}

std::string SignalText(int signal) {
  const std::string number = "signal " + std::to_string(signal);
  const char* const name = signal == SIGSEGV ? "SIGSEGV" : signal == SIGABRT ? "SIGABRT" : nullptr;
  return name == nullptr ? number : name + (" (" + number + ")");
}

// Waits for the process that carries the calls out; a crash or a hang of it is an answer, too.
int Watch(pid_t child) {
  const std::time_t until = std::time(nullptr) + kDeadlineSeconds;
  std::string how;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    usleep(2000);
    if (std::time(nullptr) > until) how = "the deadline passed";
    if (ResidentBytes(child) > kMemoryLimit) how = "the memory limit was exceeded";
    if (!how.empty()) kill(child, SIGKILL);
  }
  if (how.empty() && g_place->ended && WIFEXITED(status)) return WEXITSTATUS(status);
  if (how.empty()) {
    how = WIFSIGNALED(status) ? "the process died of " + SignalText(WTERMSIG(status))
                              : "the process exited";
  }
#if !plain
  if (!MakeCalls()[static_cast<size_t>(g_place->call)].must_return) {
    End(0, "ok: %s, and no document judges that\n", how.c_str());
  }
#endif
  WRONG("%s in %s", how.c_str(), g_place->phase.load());
}

int Carry(bool here) {
  void* const page =
      mmap(nullptr, sizeof(Place), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return 3;
  g_place = new (page) Place{{0}, {"set-up"}, {false}};
  const pid_t child = here ? 0 : fork();
  if (child != 0) return child < 0 ? 3 : Watch(child);
  CarryOut();
  End(0, "ok: the documented behaviour was seen\n");
}

}  // namespace repro
