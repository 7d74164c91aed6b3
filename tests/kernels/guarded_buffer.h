// SPDX-License-Identifier: Apache-2.0
//
// Memory that ends where reading and writing end: the next byte belongs to a page without rights,
// and so does the byte before the first page.
#ifndef POOLPROOF_TESTS_KERNELS_GUARDED_BUFFER_H_
#define POOLPROOF_TESTS_KERNELS_GUARDED_BUFFER_H_

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <new>

namespace poolproof {

class GuardedBuffer {
 public:
  explicit GuardedBuffer(std::size_t bytes) : bytes_(bytes) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t room = (bytes + page - 1) / page * page;
    mapped_ = room + 2 * page;
    base_ = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base_ == MAP_FAILED) throw std::bad_alloc();
    auto* first = static_cast<std::byte*>(base_) + page;
    if (room > 0 && mprotect(first, room, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    data_ = first + (room - bytes);
  }
  ~GuardedBuffer() { munmap(base_, mapped_); }
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_;
  std::size_t mapped_;
  void* base_;
  std::byte* data_;
};

}  // namespace poolproof

#endif  // POOLPROOF_TESTS_KERNELS_GUARDED_BUFFER_H_
