// SPDX-License-Identifier: Apache-2.0
#include "conformance/wire/progress.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <string>
#include <utility>

namespace poolproof {
namespace {

constexpr std::size_t kPageBytes = 4096;

Status SystemError(const char* what) {
  return Internal(std::string("progress page: ") + what + ": " + std::strerror(errno));
}

}  // namespace

ProgressMark ProgressPage::Read(std::size_t calls) const {
  const std::uint64_t mark = mark_.load(std::memory_order_relaxed);
  const std::uint64_t last = calls == 0 ? 0 : calls - 1;
  const std::uint64_t phase = std::min(mark & 0xffU, static_cast<std::uint64_t>(Phase::kDone));
  const std::uint64_t call = (mark >> kCallShift) & kMostCalls;
  return {static_cast<std::size_t>(std::min(call, last)), static_cast<Phase>(phase)};
}

Result<SharedProgress> SharedProgress::Create() {
  UniqueFd fd(::memfd_create("poolproof-progress", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd.valid()) return SystemError("memfd_create");
  if (::ftruncate(fd.get(), kPageBytes) != 0) return SystemError("ftruncate");
  // A page that the other side takes away would end one that reads it.
  if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL) != 0) return SystemError("seal");
  Result<SharedProgress> mapped = Map(fd.get());
  if (!mapped.ok()) return mapped;
  SharedProgress progress = std::move(mapped).value();
  new (progress.page_) ProgressPage();
  progress.fd_ = std::move(fd);
  return progress;
}

Result<SharedProgress> SharedProgress::Map(int fd) {
  void* const at = ::mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (at == MAP_FAILED) return SystemError("mmap");
  return SharedProgress(UniqueFd(), static_cast<ProgressPage*>(at));
}

SharedProgress::SharedProgress(SharedProgress&& other) noexcept
    : fd_(std::move(other.fd_)), page_(std::exchange(other.page_, nullptr)) {}

SharedProgress::~SharedProgress() {
  if (page_ != nullptr) ::munmap(page_, kPageBytes);
}

}  // namespace poolproof
