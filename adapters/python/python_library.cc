// SPDX-License-Identifier: Apache-2.0
//
// lib/libpoolproof_python.so: the operators that a Python module has as functions. A python3
// process runs them. Device memory is a file in memory that this process alone maps, so that its
// arrays are the operands themselves; here addresses represent places in the file, and only copies
// reach it. What the functions do to their process (end it, hang it, fill its memory) ends there.
#include <dlfcn.h>
#include <fcntl.h>
#include <poolproof/kit.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/kit/each_operator.h"

namespace {

constexpr std::size_t kMessageBytes = 4096;
constexpr int kFault = 507015;  // ACL_ERROR_RT_AICORE_EXCEPTION

const char* FromEnvironment(const char* name, const char* otherwise) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

// --- Memory --------------------------------------------------------------------------------------

// A file in memory, of which only what is touched takes room, and addresses that represent it.
class FileMemory {
 public:
  [[nodiscard]] int file() const { return file_; }
  [[nodiscard]] std::size_t size() const { return size_; }

  // False where the system gives none.
  bool Open() {
    file_ = ::memfd_create("poolproof-operands", MFD_CLOEXEC);
    for (size_ = kMost; file_ >= 0 && size_ >= kLeast; size_ /= 2) {
      if (::ftruncate(file_, static_cast<off_t>(size_)) != 0) continue;
      void* const all =
          ::mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (all == MAP_FAILED) continue;
      start_ = static_cast<std::byte*>(all);
      free_ = {{0, size_}};
      return true;
    }
    return false;
  }

  void* Take(std::size_t bytes) {
    const std::size_t wanted = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    const std::lock_guard lock(mutex_);
    for (auto place = free_.begin(); place != free_.end(); ++place) {
      const auto [at, room] = *place;
      if (room < wanted) continue;
      free_.erase(place);
      if (room > wanted) free_[at + wanted] = room - wanted;
      taken_[at] = wanted;
      return start_ + at;
    }
    return nullptr;
  }

  void GiveBack(void* memory) {
    const std::lock_guard lock(mutex_);
    const auto found = taken_.find(OffsetOf(memory));
    if (found == taken_.end()) return;
    auto [at, room] = *found;
    taken_.erase(found);
    // Joined with what is free on both sides.
    auto next = free_.lower_bound(at);
    if (next != free_.end() && next->first == at + room) {
      room += next->second;
      next = free_.erase(next);
    }
    if (next != free_.begin()) {
      const auto before = std::prev(next);
      if (before->first + before->second == at) {
        before->second += room;
        return;
      }
    }
    free_[at] = room;
  }

  // Null, or what went wrong. Either side may be here or on the host.
  const char* Copy(void* to, const void* from, std::size_t bytes) {
    if (!Holds(to) && !Holds(from)) {
      std::memmove(to, from, bytes);
      return nullptr;
    }
    if (Holds(to) && Holds(from)) {
      std::vector<std::byte> through(bytes);
      const char* const why = Copy(through.data(), from, bytes);
      return why != nullptr ? why : Copy(to, through.data(), bytes);
    }
    auto* const target = static_cast<std::byte*>(to);
    const auto* const source = static_cast<const std::byte*>(from);
    for (std::size_t done = 0; done < bytes;) {
      const ssize_t moved =
          Holds(to) ? ::pwrite(file_, source + done, bytes - done, FilePlace(target + done))
                    : ::pread(file_, target + done, bytes - done, FilePlace(source + done));
      if (moved < 0 && errno == EINTR) continue;
      if (moved <= 0) return "the memory of the operands cannot be reached";
      done += static_cast<std::size_t>(moved);
    }
    return nullptr;
  }

  [[nodiscard]] bool Holds(const void* memory) const { return OffsetOf(memory) < size_; }
  // Larger than the size where it is not inside.
  [[nodiscard]] std::size_t OffsetOf(const void* memory) const {
    return reinterpret_cast<std::uintptr_t>(memory) - reinterpret_cast<std::uintptr_t>(start_);
  }

 private:
  [[nodiscard]] off_t FilePlace(const void* memory) const {
    return static_cast<off_t>(OffsetOf(memory));
  }

  static constexpr std::size_t kMost = std::size_t{1} << 36;
  static constexpr std::size_t kLeast = std::size_t{1} << 28;
  static constexpr std::size_t kAlignment = 64;

  int file_ = -1;
  std::size_t size_ = 0;
  std::byte* start_ = nullptr;
  std::mutex mutex_;
  std::map<std::size_t, std::size_t> free_;   // offset to size
  std::map<std::size_t, std::size_t> taken_;  // the same
};

// --- The process ---------------------------------------------------------------------------------

// Where poolproof/host.py is: behind the folder of this library.
std::string HostScript() {
  Dl_info info = {};
  if (::dladdr(reinterpret_cast<const void*>(&HostScript), &info) == 0) return {};
  const std::string library = info.dli_fname;
  return library.substr(0, library.rfind('/') + 1) + "poolproof/python/poolproof/host.py";
}

// In the child, between fork and exec: nothing but system calls.
[[noreturn]] void BecomePython(char* const* words, int socket, int memory, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  // Both away from 3 and 4 first, where one of them may be.
  const int socket_copy = ::fcntl(socket, F_DUPFD, 16);
  const int memory_copy = ::fcntl(memory, F_DUPFD, 16);
  ::dup2(socket_copy, 3);
  ::dup2(memory_copy, 4);
  // The rest is the worker's.
  if (::syscall(SYS_close_range, 5U, ~0U, 0U) != 0) {
    for (int other = 5; other < 1024; ++other) ::close(other);
  }
  ::execvp(words[0], words);
  constexpr std::string_view kWhy = "cannot be started; is it installed?";
  static_cast<void>(::send(3, kWhy.data(), kWhy.size(), MSG_NOSIGNAL));
  ::_exit(127);
}

class PythonProcess {
 public:
  // Empty: it runs. Else why not, whenever it is asked.
  const std::string& Start() {
    const std::lock_guard lock(mutex_);
    if (!started_) {
      started_ = true;
      trouble_ = TryStart();
    }
    return trouble_;
  }

  // Where it does not run, all operators: the first call of the library says why.
  bool Offers(std::string_view function) {
    if (!Start().empty()) return true;
    return functions_.find(" " + std::string(function) + " ") != std::string::npos;
  }

  FileMemory& memory() { return memory_; }

  // Null, or what poolproof_fail gave.
  const char* Ask(const std::string& message) {
    if (const std::string& why = Start(); !why.empty()) return poolproof_fail(kFault, why.c_str());
    const std::lock_guard lock(mutex_);
    const std::string answer = Exchange(message);
    if (!trouble_.empty()) return poolproof_fail(kFault, trouble_.c_str());
    // "0", or a status and a text.
    const std::size_t behind = answer.find(' ');
    if (behind == std::string::npos) return nullptr;
    return poolproof_fail(std::atoi(answer.c_str()), answer.c_str() + behind + 1);
  }

 private:
  std::string TryStart() {
    interpreter_ = FromEnvironment("POOLPROOF_PYTHON", "python3");
    const char* const module = FromEnvironment("POOLPROOF_PYTHON_MODULE", "");
    if (*module == '\0') return "POOLPROOF_PYTHON_MODULE names no module";
    std::array<int, 2> ends = {};
    if (!memory_.Open() ||
        ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
      return std::string("no shared memory or socket: ") + std::strerror(errno);
    }
    std::vector<std::string> words = {interpreter_, "-u", HostScript(), module,
                                      std::to_string(memory_.size())};
#define POOLPROOF_FUNCTION_NAME(name, snake) words.emplace_back(#snake);
    POOLPROOF_EACH_OPERATOR(POOLPROOF_FUNCTION_NAME)
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    const pid_t parent = ::getpid();
    process_ = ::fork();
    if (process_ == 0) BecomePython(pointers.data(), ends[1], memory_.file(), parent);
    ::close(ends[1]);
    socket_ = ends[0];
    if (process_ < 0) return std::string("fork: ") + std::strerror(errno);
    // "ok" and what the module has, or what is wrong.
    const std::string answer = Receive();
    if (!trouble_.empty()) return trouble_;
    if (answer.rfind("ok ", 0) != 0) return interpreter_ + " " + answer;
    functions_ = answer.substr(2) + " ";
    return {};
  }

  std::string Exchange(const std::string& message) {
    if (!trouble_.empty()) return {};
    static_cast<void>(::send(socket_, message.data(), message.size(), MSG_NOSIGNAL));
    return Receive();
  }

  std::string Receive() {
    std::array<char, kMessageBytes> text = {};
    ssize_t got = 0;
    do {
      got = ::recv(socket_, text.data(), text.size(), 0);
    } while (got < 0 && errno == EINTR);
    if (got <= 0) {
      trouble_ = HowItEnded();
      return {};
    }
    return {text.data(), static_cast<std::size_t>(got)};
  }

  std::string HowItEnded() {
    int state = 0;
    if (::waitpid(process_, &state, 0) != process_) return interpreter_ + " is gone";
    if (WIFSIGNALED(state)) {
      return interpreter_ + " was ended by signal " + std::to_string(WTERMSIG(state));
    }
    return interpreter_ + " ended with exit status " + std::to_string(WEXITSTATUS(state));
  }

  std::mutex mutex_;
  bool started_ = false;
  std::string trouble_;
  std::string interpreter_;
  std::string functions_;  // " a b c "
  FileMemory memory_;
  pid_t process_ = -1;
  int socket_ = -1;
};

// Never destroyed: the process ends when its parent does.
PythonProcess& Python() {
  static auto* const process = new PythonProcess;
  return *process;
}

// --- Calls ---------------------------------------------------------------------------------------

// A call as JSON.
class Message {
 public:
  explicit Message(const char* function) {
    text_ = std::string(R"({"function": ")") + function + '"';
  }

  // False where the memory is not shared.
  bool Add(const char* name, const PoolproofTensor& tensor) {
    if (tensor.data == nullptr) return true;
    if (!Python().memory().Holds(tensor.data)) return false;
    Name(name);
    text_ += "[" + std::to_string(Python().memory().OffsetOf(tensor.data)) + ", " +
             std::to_string(static_cast<int>(tensor.type)) + ", ";
    Numbers(tensor.shape, 5);
    text_ += ", ";
    Numbers(tensor.strides, 5);
    text_ += "]";
    return true;
  }
  void Add(const char* name, const std::int64_t (&numbers)[3]) {
    Name(name);
    Numbers(numbers, 3);
  }
  void Add(const char* name, int flag) {
    Name(name);
    text_ += flag != 0 ? "true" : "false";
  }
  [[nodiscard]] std::string Text() const { return text_ + "}"; }

 private:
  void Name(const char* name) { text_.append(", \"").append(name).append("\": "); }
  void Numbers(const std::int64_t* numbers, int count) {
    text_ += "[";
    for (int i = 0; i < count; ++i) text_ += (i > 0 ? "," : "") + std::to_string(numbers[i]);
    text_ += "]";
  }

  std::string text_;
};

const char* Call(const char* function, const PoolproofCall& call) {
  Message message(function);
  const bool shared = message.Add("grad_output", call.grad_output) &&
                      message.Add("self", call.self) && message.Add("indices", call.indices) &&
                      message.Add("grad_input", call.grad_input) && message.Add("out", call.out);
  if (!shared) return poolproof_fail(kFault, "operands have to lie in memory of aclrtMalloc");
  message.Add("kernel_size", call.kernel);
  message.Add("stride", call.stride);
  message.Add("padding", call.padding);
  message.Add("dilation", call.dilation);
  message.Add("ceil_mode", call.ceil_mode);
  message.Add("deterministic", call.deterministic);
  return Python().Ask(message.Text());
}

const char* OpenPython() {
  const std::string& why = Python().Start();
  return why.empty() ? nullptr : why.c_str();
}
void* TakeShared(std::size_t bytes) {
  return OpenPython() == nullptr ? Python().memory().Take(bytes) : nullptr;
}
void GiveBackShared(void* memory) { Python().memory().GiveBack(memory); }
const char* CopyShared(void* to, const void* from, std::size_t bytes) {
  return Python().memory().Copy(to, from, bytes);
}

}  // namespace

POOLPROOF_DEVICE(OpenPython, TakeShared, GiveBackShared, CopyShared, nullptr, nullptr, nullptr)

#define POOLPROOF_OFFER_PYTHON(name, snake)                                                \
  static const char* Call##name(const PoolproofCall* call) { return Call(#snake, *call); } \
  POOLPROOF_OFFER(name, Call##name)
POOLPROOF_EACH_OPERATOR(POOLPROOF_OFFER_PYTHON)

// Asked by the worker: an operator that is exported and not offered counts as absent.
// NOLINTBEGIN(readability-identifier-naming): as the ABI's own names are
extern "C" __attribute__((visibility("default"))) int poolproofOffers(const char* operator_name);
extern "C" int poolproofOffers(const char* operator_name) {
  // NOLINTEND(readability-identifier-naming)
#define POOLPROOF_ASK_FOR(name, snake) \
  if (std::string_view(operator_name) == #name) return Python().Offers(#snake) ? 1 : 0;
  POOLPROOF_EACH_OPERATOR(POOLPROOF_ASK_FOR)
  return 0;
}
