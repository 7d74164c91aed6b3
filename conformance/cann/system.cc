// SPDX-License-Identifier: Apache-2.0
#include "conformance/cann/system.h"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <optional>
#include <system_error>

extern "C" char** environ;

namespace poolproof {
namespace {

namespace fs = std::filesystem;

std::string Value(const Variables& variables, std::string_view name) {
  const auto found = variables.find(name);
  return found == variables.end() ? std::string() : found->second;
}

bool IsFolder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}
bool Exists(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

// The value of "<key>=..." in a file of such lines, the key in any case; empty where it has none.
std::string ValueIn(const fs::path& path, std::string_view key) {
  std::ifstream file(path);
  std::string line;
  // Some hundred lines are more than such a file has.
  for (int i = 0; i < 500 && std::getline(file, line); ++i) {
    const std::size_t equals = line.find('=');
    if (equals != key.size()) continue;
    const bool same = std::equal(key.begin(), key.end(), line.begin(), [](char a, char b) {
      return std::tolower(static_cast<unsigned char>(a)) ==
             std::tolower(static_cast<unsigned char>(b));
    });
    if (!same) continue;
    std::string value;
    for (const char c : line.substr(equals + 1)) {
      if (c > ' ' && c <= '~') value += c;
    }
    return value;
  }
  return {};
}

std::string ToolkitVersion(const fs::path& home) {
  for (const char* file :
       {"x86_64-linux/ascend_toolkit_install.info", "aarch64-linux/ascend_toolkit_install.info",
        "ascend_toolkit_install.info", "version.info", "runtime/version.info"}) {
    if (std::string version = ValueIn(home / file, "version"); !version.empty()) return version;
  }
  // Folders are named by the release, and `latest` leads there.
  std::error_code error;
  const std::string name = fs::canonical(home, error).filename().string();
  return !error && !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) != 0
             ? name
             : std::string();
}

std::vector<std::string> FindSetEnv(const CannSystem& system, const std::string& user_home,
                                    const fs::path& root) {
  std::vector<fs::path> candidates;
  if (system.home_exists) {
    candidates = {fs::path(system.home) / "set_env.sh", fs::path(system.home) / "../set_env.sh"};
  }
  std::vector<fs::path> bases = {root / "usr/local/Ascend"};
  if (!user_home.empty()) bases.push_back(fs::path(user_home) / "Ascend");
  for (const fs::path& base : bases) {
    candidates.push_back(base / "cann/set_env.sh");
    candidates.push_back(base / "ascend-toolkit/set_env.sh");
  }
  std::vector<std::string> found;
  for (const fs::path& path : candidates) {
    std::string name = path.lexically_normal().string();
    if (!Exists(name) || std::find(found.begin(), found.end(), name) != found.end()) continue;
    found.push_back(std::move(name));
  }
  return found;
}

void FindDriver(CannSystem& system, const fs::path& root) {
  std::string base = ValueIn(root / "etc/ascend_install.info", "Driver_Install_Path_Param");
  if (base.empty()) base = "/usr/local/Ascend";
  const fs::path folder = root / fs::path(base).relative_path() / "driver";
  system.driver_folder = folder.string();
  system.driver_version = ValueIn(folder / "version.info", "version");
  for (const char* place : {"lib64", "lib64/driver", "lib64/common"}) {
    const fs::path hal = folder / place / "libascend_hal.so";
    if (Exists(hal)) system.hal.push_back(hal.string());
  }
  system.driver = Exists(folder / "version.info") || !system.hal.empty();
}

DeviceFile Look(const fs::path& path) {
  DeviceFile file;
  file.path = path.string();
  file.usable = ::access(path.c_str(), R_OK | W_OK) == 0;
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return file;
  std::array<char, 4096> buffer;
  group entry{};
  group* found = nullptr;
  if (::getgrgid_r(status.st_gid, &entry, buffer.data(), buffer.size(), &found) == 0 &&
      found != nullptr) {
    file.group = found->gr_name;
  }
  return file;
}

std::string UserName() {
  std::array<char, 4096> buffer;
  passwd entry{};
  passwd* found = nullptr;
  const bool known = ::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found) == 0;
  return known && found != nullptr ? found->pw_name : std::to_string(::geteuid());
}

// The number of a name such as davinci3.
std::optional<int> DeviceNumber(std::string_view name) {
  constexpr std::string_view kPrefix = "davinci";
  if (name.substr(0, kPrefix.size()) != kPrefix) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  if (name.empty() || name.size() > 5) return std::nullopt;
  int number = 0;
  for (const char c : name) {
    if (c < '0' || c > '9') return std::nullopt;
    number = 10 * number + (c - '0');
  }
  return number;
}

void FindDevices(CannSystem& system, const fs::path& root) {
  const fs::path folder = root / "dev";
  std::map<int, fs::path> by_number;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const auto number = DeviceNumber(entry.path().filename().string());
    if (number) by_number[*number] = entry.path();
  }
  for (const auto& [number, path] : by_number) system.devices.push_back(Look(path));
  for (const char* name : {"davinci_manager", "devmm_svm", "hisi_hdc"}) {
    if (Exists(folder / name)) {
      system.services.push_back(Look(folder / name));
    } else {
      system.no_services.push_back((folder / name).string());
    }
  }
}

}  // namespace

Variables CallerVariables() {
  Variables variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string_view::npos) continue;
    variables.insert_or_assign(std::string(text.substr(0, equals)),
                               std::string(text.substr(equals + 1)));
  }
  return variables;
}

CannSystem SurveyCann(const Variables& variables, const fs::path& root) {
  const fs::path top = root.empty() ? fs::path("/") : root;
  CannSystem system;
  system.home = Value(variables, "ASCEND_HOME_PATH");
  if (system.home.empty()) system.home = Value(variables, "ASCEND_TOOLKIT_HOME");
  system.home_exists = !system.home.empty() && IsFolder(system.home);
  if (system.home_exists) system.version = ToolkitVersion(system.home);
  system.opp = Value(variables, "ASCEND_OPP_PATH");
  system.opp_exists = !system.opp.empty() && IsFolder(system.opp);
  const std::string user_home = Value(variables, "HOME");
  system.set_env = FindSetEnv(system, user_home, top);
  FindDriver(system, top);
  FindDevices(system, top);
  system.visible = Value(variables, "ASCEND_RT_VISIBLE_DEVICES");
  system.user = UserName();
  std::string log = Value(variables, "ASCEND_PROCESS_LOG_PATH");
  if (log.empty() && !user_home.empty()) log = (fs::path(user_home) / "ascend/log").string();
  if (!log.empty() && IsFolder(log)) system.log_folder = log;
  return system;
}

CannSystem SurveyCann() {
  const Variables variables = CallerVariables();
  return SurveyCann(variables, Value(variables, "POOLPROOF_SYSTEM_ROOT"));
}

std::string ProcessLog(const CannSystem& system, int pid) {
  if (system.log_folder.empty()) return {};
  const std::string start = "plog-" + std::to_string(pid) + "_";
  for (const char* part : {"debug/plog", "run/plog"}) {
    std::error_code error;
    for (const fs::directory_entry& entry :
         fs::directory_iterator(fs::path(system.log_folder) / part, error)) {
      const std::string name = entry.path().filename().string();
      if (name.substr(0, start.size()) == start) return entry.path().string();
    }
  }
  return system.log_folder;
}

bool IsStubLibrary(std::string_view path) {
  std::error_code error;
  const fs::path given(path);
  const fs::path real = fs::canonical(given, error);
  const auto in_devlib = [](const fs::path& file) {
    return std::any_of(file.begin(), file.end(),
                       [](const fs::path& part) { return part == "devlib"; });
  };
  return in_devlib(given) || (!error && in_devlib(real));
}

}  // namespace poolproof
