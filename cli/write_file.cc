// SPDX-License-Identifier: Apache-2.0
#include "cli/write_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace poolproof {
namespace {

enum class Target { kAbsent, kRegular, kOther };

Target KindOf(const std::string& path) {
  struct stat info = {};
  if (stat(path.c_str(), &info) != 0) return Target::kAbsent;
  return S_ISREG(info.st_mode) ? Target::kRegular : Target::kOther;
}

std::string FolderOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string ErrnoText() { return std::strerror(errno); }

bool WriteAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// A file beside `path`, with the permissions that the umask gives to a new file.
int OpenBeside(const std::string& path, std::string& name) {
  name = path + ".XXXXXX";
  const int descriptor = mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0) return descriptor;
  const mode_t mask = umask(0);
  umask(mask);
  (void)fchmod(descriptor, 0666 & ~mask);
  return descriptor;
}

}  // namespace

Status CheckWritable(const std::string& path) {
  if (path.empty() || path.back() == '/') {
    return InvalidArgument("'" + path + "' is not the name of a file");
  }
  struct stat info = {};
  if (stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) {
    return InvalidArgument("'" + path + "' is a folder, expected a file name");
  }
  if (KindOf(path) == Target::kOther) {
    return access(path.c_str(), W_OK) == 0
               ? OkStatus()
               : InvalidArgument("'" + path + "' cannot be written: " + ErrnoText());
  }
  const std::string folder = FolderOf(path);
  if (stat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
    return InvalidArgument("'" + path + "' cannot be written: folder '" + folder +
                           "' does not exist");
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    return InvalidArgument("'" + path + "' cannot be written: folder '" + folder +
                           "': " + ErrnoText());
  }
  return OkStatus();
}

Status WriteFileAtomically(const std::string& path, std::string_view bytes) {
  const auto failure = [&](const char* step) {
    return Unavailable("'" + path + "' could not be written: " + step + ": " + ErrnoText());
  };
  if (KindOf(path) == Target::kOther) {
    const int descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return failure("open");
    const bool whole = WriteAll(descriptor, bytes);
    const Status status = whole ? OkStatus() : failure("write");
    (void)close(descriptor);
    return status;
  }
  std::string temporary;
  const int descriptor = OpenBeside(path, temporary);
  if (descriptor < 0) return failure("open");
  Status status;
  if (!WriteAll(descriptor, bytes)) status = failure("write");
  if (status.ok() && fsync(descriptor) != 0 && errno != EINVAL) status = failure("fsync");
  if (close(descriptor) != 0 && status.ok()) status = failure("close");
  if (status.ok() && std::rename(temporary.c_str(), path.c_str()) != 0) status = failure("rename");
  if (!status.ok()) (void)unlink(temporary.c_str());
  return status;
}

}  // namespace poolproof
