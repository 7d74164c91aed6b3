// SPDX-License-Identifier: Apache-2.0
#include "conformance/wire/crash_note.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "conformance/wire/symbol_table.h"

namespace poolproof {
namespace {

constexpr std::size_t kMostSymbolChars = 160;
constexpr std::string_view kDeleted = " (deleted)";  // as the kernel marks files

// What is not printable would steer a terminal.
std::string Printable(std::string text) {
  for (char& c : text) {
    if (c < ' ' || c > '~') c = '?';
  }
  return text;
}

// Up to its end or the array's.
template <std::size_t kSize>
std::string TextOf(const std::array<char, kSize>& chars) {
  return Printable(std::string(chars.data(), ::strnlen(chars.data(), kSize)));
}

template <std::size_t kSize>
void Copy(const std::string& text, std::array<char, kSize>& chars) {
  const std::size_t size = std::min(text.size(), kSize - 1);
  std::memcpy(chars.data(), text.data(), size);
  chars[size] = '\0';
}

// "f" of "f(int) const [clone .cold]".
std::string WithoutParameters(std::string name) {
  name.resize(std::min(name.find(" [clone"), name.size()));
  const std::size_t close = name.rfind(')');
  if (close == std::string::npos || name.find_first_of(":(", close) != std::string::npos) {
    return name;
  }
  int depth = 0;
  for (std::size_t at = close + 1; at-- > 0;) {
    if (name[at] == ')') ++depth;
    if (name[at] == '(' && --depth == 0) {
      if (at > 0) name.resize(at);
      return name;
    }
  }
  return name;
}

std::string Demangled(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  std::string text = status == 0 && name != nullptr ? WithoutParameters(name.get()) : symbol;
  for (const char* const noise : {"(anonymous namespace)::", "[abi:cxx11]"}) {
    const std::size_t size = std::strlen(noise);
    for (std::size_t at = text.find(noise); at != std::string::npos; at = text.find(noise, at)) {
      text.erase(at, size);
    }
  }
  if (text.size() > kMostSymbolChars) text = text.substr(0, kMostSymbolChars - 3) + "...";
  return text;
}

}  // namespace

std::optional<CrashSite> CrashNote::Read(int signal) const {
  if (!finished() || signal_ != signal || facts_.cause > CrashCause::kInstruction ||
      facts_.access > Access::kWrite) {
    return std::nullopt;
  }
  CrashSite site;
  site.cause = facts_.cause;
  site.access = facts_.access;
  unsigned char executing = 0;
  std::memcpy(&executing, &facts_.executing, 1);  // a wild write may leave what is no bool
  site.executing = executing != 0;
  site.address = facts_.address;
  site.module = TextOf(facts_.module);
  site.offset = facts_.offset;
  site.symbol = TextOf(facts_.symbol);
  site.symbol_offset = facts_.symbol_offset;
  return site;
}

void CrashNote::Write(int signal, const CrashSite& site) {
  if (!Begin()) return;
  facts_.cause = site.cause;
  facts_.access = site.access;
  facts_.executing = site.executing;
  facts_.address = site.address;
  facts_.offset = site.offset;
  facts_.symbol_offset = site.symbol_offset;
  Copy(site.module, facts_.module);
  Copy(site.symbol, facts_.symbol);
  Finish(signal);
}

CrashSite WithSymbol(CrashSite site) {
  // What lies there now is another file.
  const std::size_t gone = site.module.rfind(kDeleted);
  const bool is_gone = gone != std::string::npos && gone + kDeleted.size() == site.module.size();
  if (is_gone) site.module.resize(gone);
  if (!is_gone && site.symbol.empty() && site.module.rfind('/', 0) == 0) {
    if (const std::optional<Symbol> symbol = FindSymbol(site.module, site.offset)) {
      site.symbol = Printable(Demangled(symbol->name));
      site.symbol_offset = symbol->offset;
    }
  }
  site.module.erase(0, site.module.rfind('/') + 1);
  return site;
}

}  // namespace poolproof
