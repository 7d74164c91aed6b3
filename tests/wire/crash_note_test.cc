// SPDX-License-Identifier: Apache-2.0
#include "conformance/wire/crash_note.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "conformance/wire/symbol_table.h"
#include "core/random.h"

namespace poolproof {
namespace {

CrashSite SomeSite() {
  return {CrashCause::kNullPointer, Access::kRead, false, 16, "/nowhere/lib.so", 0x1a3f, "Foo", 47};
}

TEST(CrashNote, IsReadAsItWasWritten) {
  const auto note = std::make_unique<CrashNote>();
  EXPECT_EQ(note->Read(SIGSEGV), std::nullopt);
  note->Write(SIGSEGV, SomeSite());
  EXPECT_EQ(note->Read(SIGSEGV), SomeSite());
  EXPECT_EQ(note->Read(SIGBUS), std::nullopt) << "the process died of something else";
  CrashSite other = SomeSite();
  other.module = "other.so";
  note->Write(SIGSEGV, other);
  EXPECT_EQ(note->Read(SIGSEGV), SomeSite()) << "the first counts";
}

TEST(CrashNote, OneThatIsNotFinishedIsNone) {
  const auto note = std::make_unique<CrashNote>();
  EXPECT_TRUE(note->Begin());
  EXPECT_FALSE(note->Begin());
  EXPECT_EQ(note->Read(0), std::nullopt);
}

TEST(CrashNote, TextsThatAreTooLongAreCut) {
  const auto note = std::make_unique<CrashNote>();
  CrashSite site = SomeSite();
  site.module.assign(5000, 'm');
  site.symbol.assign(5000, 's');
  note->Write(SIGSEGV, site);
  EXPECT_EQ(note->Read(SIGSEGV)->module, std::string(1023, 'm'));
  EXPECT_EQ(note->Read(SIGSEGV)->symbol, std::string(511, 's'));
}

// A wild write may leave anything.
TEST(CrashNote, NoBytesAreBelieved) {
  const auto note = std::make_unique<CrashNote>();
  RandomStream random(3);
  for (int round = 0; round < 2000; ++round) {
    note->~CrashNote();
    new (note.get()) CrashNote();
    note->Write(SIGSEGV, SomeSite());
    auto* const bytes = reinterpret_cast<unsigned char*>(note.get());
    for (int i = 0; i < 40; ++i) {
      // Mostly the small members in front.
      const std::size_t at = random.Below(random.OneIn(2) ? 64 : sizeof(CrashNote));
      if (at >= 8) bytes[at] = static_cast<unsigned char>(random.Next());
    }
    const std::optional<CrashSite> site = note->Read(SIGSEGV);
    if (!site) continue;
    EXPECT_LE(site->cause, CrashCause::kInstruction);
    EXPECT_LE(site->access, Access::kWrite);
    for (const char c : site->module + site->symbol) EXPECT_TRUE(c >= ' ' && c <= '~');
  }
}

TEST(CrashNote, OfPathsTheFileNameIsLeft) {
  EXPECT_EQ(WithSymbol(SomeSite()).module, "lib.so");
  CrashSite gone = SomeSite();
  gone.module += " (deleted)";
  EXPECT_EQ(WithSymbol(gone).module, "lib.so");
  CrashSite nameless = SomeSite();
  nameless.symbol.clear();
  EXPECT_EQ(WithSymbol(nameless).symbol, "") << "there is no such file";
}

struct OwnPlace {
  std::string path;
  std::uint64_t offset = 0;
};

OwnPlace PlaceOf(void* address) {
  Dl_info info{};
  EXPECT_NE(::dladdr(address, &info), 0);
  return {
      std::filesystem::read_symlink("/proc/self/exe").string(),
      reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(info.dli_fbase)};
}

TEST(SymbolTable, FindsTheFunctionOfAnAddress) {
  const OwnPlace place = PlaceOf(reinterpret_cast<void*>(&WithSymbol));
  const std::optional<Symbol> symbol = FindSymbol(place.path, place.offset + 5);
  ASSERT_TRUE(symbol.has_value());
  EXPECT_EQ(symbol->offset, 5U);
  EXPECT_NE(symbol->name.find("WithSymbol"), std::string::npos) << symbol->name;
  CrashSite site = SomeSite();
  site.symbol.clear();
  site.module = place.path;
  site.offset = place.offset + 5;
  EXPECT_EQ(WithSymbol(site).symbol, "poolproof::WithSymbol") << "names as people write them";
  EXPECT_EQ(FindSymbol(place.path, std::uint64_t{1} << 40), std::nullopt);
}

TEST(SymbolTable, WhatIsNoElfFileHasNoFunctions) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("poolproof_symbols_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::string path = (folder / "file").string();
  EXPECT_EQ(FindSymbol(folder.string(), 0), std::nullopt);
  EXPECT_EQ(FindSymbol(path, 0), std::nullopt);
  const std::string pipe = (folder / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(FindSymbol(pipe, 0), std::nullopt) << "and does not wait for a writer";

  const OwnPlace place = PlaceOf(reinterpret_cast<void*>(&FindSymbol));
  std::ifstream self(place.path, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(self)), std::istreambuf_iterator<char>());
  RandomStream random(5);
  for (int round = 0; round < 60; ++round) {
    std::string damaged =
        whole.substr(0, random.OneIn(2) ? random.Below(whole.size()) : whole.size());
    for (int i = 0; i < 8 && damaged.size() > 64; ++i) {
      // Of the header, where the tables are.
      damaged[4 + random.Below(60)] = static_cast<char>(random.Next());
    }
    std::ofstream(path, std::ios::binary) << damaged;
    static_cast<void>(FindSymbol(path, place.offset));
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace poolproof
