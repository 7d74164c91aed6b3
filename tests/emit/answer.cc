// SPDX-License-Identifier: Apache-2.0
//
// answer LIBRARY PROBLEMS ANSWERS: answers the problems of `poolproof emit` with a library of the
// aclnn C ABI. An example for people who write one for a simulator, and what the tests compare
// `run` with. Made of the C headers and a JSON parser alone: docs/simulators.md is all that it
// follows.
#include <acl/acl.h>
#include <aclnn/acl_meta.h>
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Bytes = std::vector<char>;

constexpr unsigned kSecondsPerProblem = 60;

Bytes ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void WriteFile(const fs::path& path, const char* bytes, std::size_t size) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes, static_cast<std::streamsize>(size));
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

Json ReadJson(const fs::path& path) {
  const Bytes text = ReadFile(path);
  return Json::parse(text.begin(), text.end());
}

void WriteJson(const fs::path& path, const Json& json) {
  const std::string text = json.dump(1) + "\n";
  WriteFile(path, text.data(), text.size());
}

void Check(aclError status, const char* what) {
  if (status != ACL_SUCCESS) {
    throw std::runtime_error(std::string(what) + " returned " + std::to_string(status));
  }
}

// Where the child process is, for the parent that may survive it.
struct Progress {
  std::atomic<std::size_t> problem;
  std::atomic<std::size_t> call;
  std::atomic<const char*> phase;  // points into the program's text
};

class Library {
 public:
  explicit Library(const std::string& path) : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) throw std::runtime_error(dlerror());
  }
  [[nodiscard]] bool Has(const std::string& name) const {
    return dlsym(handle_, name.c_str()) != nullptr;
  }
  template <typename Function>
  Function Get(const std::string& name) const {
    void* const symbol = dlsym(handle_, name.c_str());
    if (symbol == nullptr) throw std::runtime_error("the library lacks " + name);
    return reinterpret_cast<Function>(symbol);
  }

 private:
  void* handle_;
};
#define ABI_FUNCTION(library, name) (library).Get<decltype(&(name))>(#name)

using Tensor = const aclTensor*;
using List = const aclIntArray*;
using PhaseTwo = aclnnStatus (*)(void*, std::uint64_t, aclOpExecutor*, aclrtStream);

// An operand on the device: the whole file, so that its guard zones lie around the storage.
struct Operand {
  Json description;
  Bytes file;
  void* block = nullptr;
  aclTensor* tensor = nullptr;
};

class Caller {
 public:
  Caller(const Library& library, Progress& progress) : library_(library), progress_(progress) {
    if (library.Has("aclInit")) ABI_FUNCTION(library, aclInit)(nullptr);
    if (library.Has("aclrtSetDevice"))
      Check(ABI_FUNCTION(library, aclrtSetDevice)(0), "aclrtSetDevice");
    NewStream();
  }

  // The answer to one problem; writes its operands.
  Json Answer(const fs::path& problem_folder, const fs::path& answer_folder) {
    const Json problem = ReadJson(problem_folder / "problem.json");
    const bool both = problem.at("phases") == "both";
    SetDeterministic(problem.at("deterministic").get<bool>());
    Json answer = {{"schema", "poolproof-answer/1"}, {"calls", Json::array()}};
    progress_.call = 0;
    for (const Json& call : problem.at("calls")) {
      answer["calls"].push_back(Call(call, both, problem_folder, answer_folder));
      ++progress_.call;
    }
    return answer;
  }

 private:
  void NewStream() {
    Check(ABI_FUNCTION(library_, aclrtCreateStream)(&stream_), "aclrtCreateStream");
  }

  void SetDeterministic(bool on) {
    if (library_.Has("aclrtCtxSetSysParamOpt")) {
      ABI_FUNCTION(library_, aclrtCtxSetSysParamOpt)(ACL_OPT_DETERMINISTIC, on ? 1 : 0);
    }
  }

  Operand SetUp(const Json& description, bool both, const fs::path& folder) {
    Operand operand{description, {}};
    if (description.at("is_null").get<bool>()) return operand;
    std::size_t at = 0;
    if (both) {
      operand.file = ReadFile(folder / description.at("file").get<std::string>());
      at = description.at("storage_at").get<std::size_t>();
    }
    Check(ABI_FUNCTION(library_, aclrtMalloc)(&operand.block, operand.file.size() + 64,
                                              ACL_MEM_MALLOC_HUGE_FIRST),
          "aclrtMalloc");
    Check(
        ABI_FUNCTION(library_, aclrtMemcpy)(operand.block, operand.file.size(), operand.file.data(),
                                            operand.file.size(), ACL_MEMCPY_HOST_TO_DEVICE),
        "aclrtMemcpy");
    const auto shape = description.at("shape").get<std::vector<std::int64_t>>();
    const auto strides = description.at("strides").get<std::vector<std::int64_t>>();
    const auto storage = description.at("storage_shape").get<std::vector<std::int64_t>>();
    operand.tensor = ABI_FUNCTION(library_, aclCreateTensor)(
        shape.data(), shape.size(),
        static_cast<aclDataType>(description.at("acl_dtype").get<std::int32_t>()),
        strides.empty() ? nullptr : strides.data(), description.at("offset").get<std::int64_t>(),
        static_cast<aclFormat>(description.at("acl_format").get<std::int32_t>()), storage.data(),
        storage.size(), static_cast<char*>(operand.block) + at);
    return operand;
  }

  void GiveBack(Operand& operand, const fs::path& folder) {
    if (operand.tensor != nullptr) ABI_FUNCTION(library_, aclDestroyTensor)(operand.tensor);
    if (operand.block == nullptr) return;
    if (!operand.file.empty()) {
      Check(ABI_FUNCTION(library_, aclrtMemcpy)(operand.file.data(), operand.file.size(),
                                                operand.block, operand.file.size(),
                                                ACL_MEMCPY_DEVICE_TO_HOST),
            "aclrtMemcpy");
      WriteFile(folder / operand.description.at("answer_file").get<std::string>(),
                operand.file.data(), operand.file.size());
    }
    ABI_FUNCTION(library_, aclrtFree)(operand.block);
  }

  // Through the prototype that the problem's list of arguments describes.
  aclnnStatus PhaseOne(const std::string& function, const std::vector<aclTensor*>& tensors,
                       const std::vector<aclIntArray*>& lists, bool ceil_mode, bool is_forward,
                       std::uint64_t* size, aclOpExecutor** executor) {
    const auto& t = tensors;
    const auto& l = lists;
    if (is_forward && l.size() == 4) {
      return library_.Get<aclnnStatus (*)(Tensor, List, List, List, List, bool, aclTensor*,
                                          aclTensor*, std::uint64_t*, aclOpExecutor**)>(function)(
          t[0], l[0], l[1], l[2], l[3], ceil_mode, t[1], t[2], size, executor);
    }
    if (is_forward) {
      return library_.Get<aclnnStatus (*)(Tensor, List, aclTensor*, aclTensor*, std::uint64_t*,
                                          aclOpExecutor**)>(function)(t[0], l.at(0), t[1], t[2],
                                                                      size, executor);
    }
    if (l.size() == 4) {
      return library_.Get<aclnnStatus (*)(Tensor, Tensor, Tensor, List, List, List, List, bool,
                                          aclTensor*, std::uint64_t*, aclOpExecutor**)>(function)(
          t[0], t[1], t[2], l[0], l[1], l[2], l[3], ceil_mode, t[3], size, executor);
    }
    return library_
        .Get<aclnnStatus (*)(Tensor, Tensor, Tensor, aclTensor*, std::uint64_t*, aclOpExecutor**)>(
            function)(t[0], t[1], t[2], t.at(3), size, executor);
  }

  Json Call(const Json& call, bool both, const fs::path& problem_folder,
            const fs::path& answer_folder) {
    progress_.phase = "set-up";
    std::map<std::string, Operand> operands;
    for (const Json& tensor : call.at("tensors")) {
      operands.emplace(tensor.at("name").get<std::string>(), SetUp(tensor, both, problem_folder));
    }
    std::vector<aclTensor*> tensors;
    std::vector<aclIntArray*> lists;
    for (const Json& argument : call.at("arguments")) {
      const auto name = argument.at("name").get<std::string>();
      if (argument.at("kind") == "tensor") tensors.push_back(operands.at(name).tensor);
      if (argument.at("kind") != "list") continue;
      const Json& list = call.at("lists").at(name);
      lists.push_back(nullptr);
      if (list.is_null()) continue;
      auto values = list.get<std::vector<std::int64_t>>();
      values.reserve(1);
      lists.back() = ABI_FUNCTION(library_, aclCreateIntArray)(values.data(), values.size());
    }

    Json answer = Json::object();
    const std::string name = "aclnn" + call.at("operator").get<std::string>();
    constexpr std::uint64_t kUnset = 0xdeadbeefdeadbeef;
    std::uint64_t size = kUnset;
    aclOpExecutor* executor = nullptr;
    progress_.phase = "phase-one";
    const aclnnStatus phase_one =
        PhaseOne(name + "GetWorkspaceSize", tensors, lists, call.at("ceilMode").get<bool>(),
                 operands.count("gradInput") == 0, &size, &executor);
    answer["phase_one"] = phase_one;
    answer["workspace_size"] = size == kUnset ? Json(nullptr) : Json(size);
    answer["executor"] = executor != nullptr;
    if (both && phase_one == 0 && executor != nullptr && size != kUnset) {
      progress_.phase = "set-up";
      void* workspace = nullptr;
      if (size > 0) {
        Check(ABI_FUNCTION(library_, aclrtMalloc)(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST),
              "aclrtMalloc of the workspace");
      }
      progress_.phase = "phase-two";
      answer["phase_two"] = library_.Get<PhaseTwo>(name)(workspace, size, executor, stream_);
      progress_.phase = "synchronise";
      answer["synchronise"] = ABI_FUNCTION(library_, aclrtSynchronizeStream)(stream_);
      progress_.phase = "read-back";
      if (workspace != nullptr) ABI_FUNCTION(library_, aclrtFree)(workspace);
      // A stream on which something failed may stay faulty.
      if (answer["synchronise"] != 0) NewStream();
    }
    progress_.phase = "read-back";
    for (aclIntArray* list : lists) {
      if (list != nullptr) ABI_FUNCTION(library_, aclDestroyIntArray)(list);
    }
    for (auto& [role, operand] : operands) GiveBack(operand, answer_folder);
    return answer;
  }

  const Library& library_;
  Progress& progress_;
  aclrtStream stream_ = nullptr;
};

// What the parent says of a child that did not come back.
Json EndedAnswer(int status, const Progress& progress) {
  Json ended = Json::object();
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
    ended["how"] = "timed-out";
  } else if (WIFSIGNALED(status)) {
    ended["how"] = "signalled";
    ended["number"] = WTERMSIG(status);
  } else {
    ended["how"] = "exited";
    ended["number"] = WEXITSTATUS(status);
  }
  ended["call"] = progress.call.load();
  ended["phase"] = progress.phase.load();
  return {{"schema", "poolproof-answer/1"}, {"ended", ended}};
}

constexpr int kOwnFault = 97;

// Answers from `first` on; does not return.
[[noreturn]] void Child(const std::string& path, const std::vector<std::string>& folders,
                        std::size_t first, const fs::path& problems, const fs::path& answers,
                        Progress& progress) {
  try {
    const Library library(path);
    Caller caller(library, progress);
    for (std::size_t i = first; i < folders.size(); ++i) {
      progress.problem = i;
      alarm(kSecondsPerProblem);
      WriteJson(answers / folders[i] / "answer.json",
                caller.Answer(problems / folders[i], answers / folders[i]));
    }
    _exit(0);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "answer: %s\n", error.what());
    _exit(kOwnFault);
  }
}

// Without the operators that the library lacks.
std::vector<std::string> Folders(const Library& library, const Json& index, Json& operators) {
  std::vector<std::string> folders;
  std::map<std::string, bool> offered;
  for (const Json& problem : index.at("problems")) {
    const auto line = problem.at("case_line").get<std::string>();  // "pp1:<operator>:..."
    const std::string name = line.substr(4, line.find(':', 4) - 4);
    const auto [place, added] = offered.emplace(name, library.Has("aclnn" + name));
    if (added && place->second) operators.push_back(name);
    if (place->second) folders.push_back(problem.at("folder").get<std::string>());
  }
  return folders;
}

int Run(const std::string& path, const fs::path& problems, const fs::path& answers) {
  Json operators = Json::array();
  std::vector<std::string> folders;
  {
    const Library library(path);
    folders = Folders(library, ReadJson(problems / "problems.json"), operators);
  }
  for (const std::string& folder : folders) fs::create_directories(answers / folder);
  WriteJson(answers / "answers.json", {{"schema", "poolproof-answers/1"},
                                       {"implementation", fs::path(path).filename().string()},
                                       {"operators", operators}});
  void* const shared =
      mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw std::runtime_error("mmap failed");
  auto* const progress = new (shared) Progress();
  for (std::size_t next = 0; next < folders.size();) {
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("fork failed");
    if (child == 0) Child(path, folders, next, problems, answers, *progress);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == kOwnFault) return 1;
    WriteJson(answers / folders[progress->problem] / "answer.json", EndedAnswer(status, *progress));
    next = progress->problem + 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: answer LIBRARY PROBLEMS ANSWERS\n");
    return 2;
  }
  try {
    return Run(argv[1], argv[2], argv[3]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "answer: %s\n", error.what());
    return 1;
  }
}
