// SPDX-License-Identifier: Apache-2.0
//
// SurveyCann: what this machine has of CANN: toolkit, driver, device files, rights. Looks at files
// and variables only, opens no library and no device. Used for remedies and by `doctor`.
#ifndef POOLPROOF_CONFORMANCE_CANN_SYSTEM_H_
#define POOLPROOF_CONFORMANCE_CANN_SYSTEM_H_

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace poolproof {

using Variables = std::map<std::string, std::string, std::less<>>;

// The environment of this process.
Variables CallerVariables();

struct DeviceFile {
  std::string path;
  bool usable = false;  // this user may read and write it
  std::string group;    // its owner group; empty: has no name
};

struct CannSystem {
  // Toolkit.
  std::string home;          // ASCEND_HOME_PATH, else ASCEND_TOOLKIT_HOME; empty: neither is set
  bool home_exists = false;  // as a folder
  std::string version;       // of the toolkit; empty: nothing there says so
  std::string opp;           // ASCEND_OPP_PATH; empty: not set
  bool opp_exists = false;
  std::vector<std::string> set_env;  // scripts that would set the variables, best first
  // Driver.
  std::string driver_folder;     // where it is, or would be
  bool driver = false;           // some of it is there
  std::string driver_version;    // empty: nothing there says so
  std::vector<std::string> hal;  // each libascend_hal.so of the driver
  // Devices.
  std::vector<DeviceFile> devices;       // /dev/davinci0 ..., by number
  std::vector<DeviceFile> services;      // device files that every process needs, those that exist
  std::vector<std::string> no_services;  // and those that do not
  std::string visible;                   // ASCEND_RT_VISIBLE_DEVICES; empty: not set
  std::string user;                      // name of the effective user
  // Folder to which a process of these variables writes its log; empty where there is none yet.
  std::string log_folder;
};

// `root` is before /dev, /etc and /usr/local, for tests.
CannSystem SurveyCann(const Variables& variables, const std::filesystem::path& root);
// Of this process; POOLPROOF_SYSTEM_ROOT, if set, is the root.
CannSystem SurveyCann();

// Where the process `pid` wrote its log: its file, else the folder; empty where there is none.
std::string ProcessLog(const CannSystem& system, int pid);

// True for the path or soname of a link-time stub, which a toolkit keeps in a folder devlib.
// Links are followed.
bool IsStubLibrary(std::string_view path);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_CANN_SYSTEM_H_
