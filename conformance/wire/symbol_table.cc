// SPDX-License-Identifier: Apache-2.0
#include "conformance/wire/symbol_table.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "conformance/wire/unique_fd.h"

namespace poolproof {
namespace {

constexpr std::size_t kMostHeaders = 4096;
constexpr std::uint64_t kMostTableBytes = std::uint64_t{64} << 20;
constexpr std::size_t kMostNameBytes = 1024;

// Reads a file of which nothing is known to be true.
class ElfFile {
 public:
  explicit ElfFile(const std::string& path)
      : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    struct stat facts {};
    const bool is_file = ::fstat(fd_.get(), &facts) == 0 && S_ISREG(facts.st_mode);
    constexpr unsigned char kOrder =
        __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
    works_ = is_file && Read(0, &header_, 1) &&
             std::memcmp(header_.e_ident, ELFMAG, SELFMAG) == 0 &&
             header_.e_ident[EI_CLASS] == ELFCLASS64 && header_.e_ident[EI_DATA] == kOrder;
  }

  [[nodiscard]] bool works() const { return works_; }

  // Where the file begins in memory, as its own addresses count.
  [[nodiscard]] std::optional<std::uint64_t> FirstAddress() const {
    constexpr std::uint64_t kPage = 0x1000;
    const std::vector<Elf64_Phdr> segments = Table<Elf64_Phdr>(header_.e_phoff, header_.e_phnum);
    for (const Elf64_Phdr& segment : segments) {
      if (segment.p_type == PT_LOAD) return segment.p_vaddr - segment.p_vaddr % kPage;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Symbol> Find(std::uint64_t address) const {
    const std::vector<Elf64_Shdr> sections = Table<Elf64_Shdr>(header_.e_shoff, header_.e_shnum);
    // What linkers and debuggers read, or else what is left where it was stripped.
    for (const std::uint32_t type : {std::uint32_t{SHT_SYMTAB}, std::uint32_t{SHT_DYNSYM}}) {
      for (const Elf64_Shdr& section : sections) {
        if (section.sh_type != type || section.sh_link >= sections.size()) continue;
        if (auto found = FindIn(section, sections[section.sh_link], address)) return found;
      }
    }
    return std::nullopt;
  }

 private:
  template <typename T>
  bool Read(std::uint64_t at, T* into, std::size_t count) const {
    const std::size_t size = count * sizeof(T);
    return ::pread(fd_.get(), into, size, static_cast<off_t>(at)) == static_cast<ssize_t>(size);
  }

  // Empty where it is not all there.
  template <typename T>
  [[nodiscard]] std::vector<T> Table(std::uint64_t at, std::size_t count) const {
    std::vector<T> entries(count <= kMostHeaders ? count : 0);
    if (!Read(at, entries.data(), entries.size())) entries.clear();
    return entries;
  }

  [[nodiscard]] std::optional<Symbol> FindIn(const Elf64_Shdr& table, const Elf64_Shdr& names,
                                             std::uint64_t address) const {
    constexpr std::size_t kAtOnce = 2048;
    std::vector<Elf64_Sym> some(kAtOnce);
    const std::uint64_t count = std::min(table.sh_size, kMostTableBytes) / sizeof(Elf64_Sym);
    for (std::uint64_t from = 0; from < count; from += kAtOnce) {
      const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(kAtOnce, count - from));
      if (!Read(table.sh_offset + from * sizeof(Elf64_Sym), some.data(), size)) return std::nullopt;
      for (std::size_t i = 0; i < size; ++i) {
        const Elf64_Sym& symbol = some[i];
        const bool holds = ELF64_ST_TYPE(symbol.st_info) == STT_FUNC &&
                           symbol.st_shndx != SHN_UNDEF && address >= symbol.st_value &&
                           address - symbol.st_value < symbol.st_size;
        if (!holds || symbol.st_name >= names.sh_size) continue;
        std::array<char, kMostNameBytes> name{};
        const ssize_t read = ::pread(fd_.get(), name.data(), name.size() - 1,
                                     static_cast<off_t>(names.sh_offset + symbol.st_name));
        if (read <= 0 || name[0] == '\0') continue;
        return Symbol{name.data(), address - symbol.st_value};
      }
    }
    return std::nullopt;
  }

  UniqueFd fd_;
  Elf64_Ehdr header_{};
  bool works_ = false;
};

}  // namespace

std::optional<Symbol> FindSymbol(const std::string& path, std::uint64_t offset) {
  const ElfFile file(path);
  if (!file.works()) return std::nullopt;
  const std::optional<std::uint64_t> first = file.FirstAddress();
  return first ? file.Find(*first + offset) : std::nullopt;
}

}  // namespace poolproof
