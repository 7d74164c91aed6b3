// SPDX-License-Identifier: Apache-2.0
#include "conformance/cann/remedy.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "core/text.h"

namespace poolproof {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCompilingStub = "100039";

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool StartsWith(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

std::string BaseName(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

// Libraries that come with the driver and not with the toolkit.
bool IsDriverLibrary(std::string_view name) {
  static constexpr std::array<std::string_view, 4> kPrefixes = {"libascend_hal.", "libdcmi.",
                                                                "libdrvdsmi", "libdevdrv"};
  return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](std::string_view prefix) { return StartsWith(name, prefix); });
}

// The file of a "NAME: cannot open shared object file: ..."; empty for other texts.
std::string MissingFile(std::string_view text) {
  const std::size_t at = text.find(": cannot open shared object file");
  if (at == std::string_view::npos) return {};
  const std::string_view before = text.substr(0, at);
  return std::string(before.substr(before.rfind(' ') + 1));
}

std::string AddToPath(const std::string& folder) {
  return "add " + folder + " to LD_LIBRARY_PATH, as set_env.sh does";
}

std::string CannotOpen(const StartTrouble& trouble, const CannSystem& system) {
  const std::string_view text = trouble.text;
  const bool is_cann = AreCannLibraries(trouble.libraries);
  if (Contains(text, "Permission denied")) return "give this user the right to read that file";
  if (const std::string file = BaseName(MissingFile(text)); !file.empty()) {
    if (IsDriverLibrary(file)) {
      if (system.hal.empty()) return InstallDriver(system);
      return AddToPath(fs::path(system.hal.front()).parent_path().string());
    }
    std::error_code error;
    if (system.home_exists && fs::exists(fs::path(system.home) / "lib64" / file, error)) {
      return SourceSetEnv(system) + ": " + file + " is in the toolkit and not in LD_LIBRARY_PATH";
    }
    if (is_cann && !system.home_exists) return SourceSetEnv(system);
    return "install what holds " + file + ", or add its folder to LD_LIBRARY_PATH";
  }
  if (Contains(text, "GLIBC") || Contains(text, "CXXABI")) {
    return "the system's C or C++ library is older than this library wants: take a newer system, "
           "or the container that belongs to it";
  }
  if (Contains(text, "undefined symbol")) {
    return is_cann ? "libraries of several releases are mixed: " + SourceSetEnv(system) +
                         " in a new shell, and let LD_LIBRARY_PATH name one toolkit"
                   : "name the library that has this symbol before it, separated by a comma";
  }
  if (Contains(text, "wrong ELF class") || Contains(text, "invalid ELF header") ||
      Contains(text, "file too short")) {
    return "this library is not for this machine: use the one that was built for it";
  }
  return {};
}

std::string MissingSymbols(const StartTrouble& trouble) {
  if (!AreCannLibraries(trouble.libraries)) return {};
  std::vector<std::string> add;
  const auto need = [&](std::string_view library) {
    if (std::find(add.begin(), add.end(), library) == add.end()) add.emplace_back(library);
  };
  for (const std::string& symbol : trouble.missing) {
    if (StartsWith(symbol, "aclrt")) {
      need("libascendcl.so (or libacl_rt.so)");
    } else if (StartsWith(symbol, "aclnn")) {
      need("libopapi_nn.so (before CANN 8.5: libopapi.so)");
    } else {
      need("libnnopbase.so");
    }
  }
  return "add " + Joined(add, " and ") +
         ", or take --implementation cann, which finds the libraries";
}

// The first of the libraries that is a stub; empty where none is.
std::string StubAmong(const std::vector<std::string>& libraries) {
  const auto found = std::find_if(libraries.begin(), libraries.end(),
                                  [](const std::string& path) { return IsStubLibrary(path); });
  return found == libraries.end() ? std::string() : *found;
}

std::string NotFound(const CannSystem& system) {
  if (!system.home_exists) return SourceSetEnv(system);
  return "the toolkit in " + system.home +
         " is not whole: install the rest of its release, the operators too, or source the "
         "set_env.sh of another one";
}

std::string NoDevice(const StartTrouble& trouble, const CannSystem& system) {
  if (Contains(trouble.text, "was asked for")) return TakeAnotherDevice();
  const std::string stub = StubAmong(trouble.libraries);
  if (!stub.empty() || Contains(trouble.text, kCompilingStub)) {
    const std::string which = stub.empty() ? "a library" : stub;
    std::string remedy = which + " is a stub to link with, from devlib: ";
    if (!system.driver) {
      return remedy + InstallDriver(system) + "; then " + SourceSetEnv(system) + " again";
    }
    return remedy + "take the folders devlib out of LD_LIBRARY_PATH (" + SourceSetEnv(system) +
           " in a new shell)";
  }
  if (!AreCannLibraries(trouble.libraries)) return {};
  if (!system.driver) return InstallDriver(system);
  if (std::string mend = MendDevices(system); !mend.empty()) return mend;
  if (!system.visible.empty()) {
    return "ASCEND_RT_VISIBLE_DEVICES is " + system.visible +
           ": devices are numbered from 0 among those that it names";
  }
  return "`npu-smi info` says whether the devices are healthy and who uses them";
}

}  // namespace

bool AreCannLibraries(const std::vector<std::string>& libraries) {
  static constexpr std::array<std::string_view, 6> kPrefixes = {
      "libascendcl.", "libacl_rt.", "libnnopbase.", "libopapi", "libaclnn_", "libcust_opapi"};
  return std::any_of(libraries.begin(), libraries.end(), [](const std::string& path) {
    const std::string name = BaseName(path);
    return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                       [&](std::string_view prefix) { return StartsWith(name, prefix); });
  });
}

std::string TakeAnotherDevice() {
  return "take other numbers with --device, or in `devices` of the manifest; they count from 0 "
         "among the devices that this process may see";
}

std::string SourceSetEnv(const CannSystem& system) {
  if (!system.set_env.empty()) return "source " + system.set_env.front();
  return "install the CANN toolkit, or start its container, and source its set_env.sh";
}

std::string InstallDriver(const CannSystem& system) {
  return "there is no NPU driver at " + system.driver_folder +
         ": install it; in a container, mount that folder and pass the devices /dev/davinci*";
}

std::string MendDevices(const CannSystem& system) {
  if (system.devices.empty()) {
    return "no device file /dev/davinci<N> is here: in a container, pass each with --device "
           "/dev/davinci0 ... /dev/davinci_manager /dev/devmm_svm /dev/hisi_hdc; on a host, "
           "`npu-smi info` says what the driver sees";
  }
  if (!system.no_services.empty()) {
    return Joined(system.no_services, " and ") +
           " is missing: in a container, pass it with --device";
  }
  std::vector<DeviceFile> all = system.services;
  all.insert(all.end(), system.devices.begin(), system.devices.end());
  // One device is enough, if the services can be used.
  const bool any = std::any_of(system.devices.begin(), system.devices.end(),
                               [](const DeviceFile& file) { return file.usable; });
  for (const DeviceFile& file : all) {
    const bool is_service =
        &file - all.data() < static_cast<std::ptrdiff_t>(system.services.size());
    if (file.usable || (any && !is_service)) continue;
    return "user " + system.user + " may not use " + file.path +
           (file.group.empty()
                ? ": ask for the right to read and write it"
                : ": `usermod -a -G " + file.group + " " + system.user + "`, and log in again");
  }
  return {};
}

std::string RemedyFor(const StartTrouble& trouble, const CannSystem& system) {
  switch (trouble.kind) {
    case StartTrouble::Kind::kNotFound:
      return NotFound(system);
    case StartTrouble::Kind::kOtherRelease:
      return "another release is installed: take --implementation cann, which takes what is there";
    case StartTrouble::Kind::kCannotOpen:
      return CannotOpen(trouble, system);
    case StartTrouble::Kind::kMissingSymbols:
      return MissingSymbols(trouble);
    case StartTrouble::Kind::kNoDevice:
      return NoDevice(trouble, system);
    case StartTrouble::Kind::kEnded:
      break;
  }
  if (!AreCannLibraries(trouble.libraries)) return {};
  if (!system.driver) return InstallDriver(system);
  return MendDevices(system);
}

std::string RemedyForStatus(std::int32_t status, const CannSystem& system) {
  switch (status) {
    case 561107:  // the folder of operators is not found
      return SourceSetEnv(system) + ": ASCEND_OPP_PATH must name the operators' folder";
    case 561003:  // no kernel for this call
    case 561112:  // no package of kernels
      return "install the package of operators (kernels) for this SoC, of the toolkit's release";
    case 507008:  // SoC version
      return "the toolkit's operators are for another SoC: install those for this one";
    default:
      return {};
  }
}

}  // namespace poolproof
