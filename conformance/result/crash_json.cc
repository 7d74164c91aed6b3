// SPDX-License-Identifier: Apache-2.0
#include "conformance/result/crash_json.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "conformance/result/ending.h"
#include "core/enum_names.h"
#include "core/text.h"

namespace poolproof {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 3> kAccesses = {"unknown", "read", "write"};
static_assert(kAccesses.size() == static_cast<std::size_t>(Access::kWrite) + 1);

std::optional<Access> ParseAccess(std::string_view name) {
  return ParseEnum<Access>(kAccesses, name);
}

std::optional<std::uint64_t> ParseHex(std::string_view text) {
  if (!text.starts_with("0x")) return std::nullopt;
  text.remove_prefix(2);
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, 16);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

std::uint64_t ReadHex(const JsonReader& at) {
  const auto is_hex = [](std::string_view text) { return ParseHex(text).has_value(); };
  return ParseHex(at.String(is_hex, "a number such as 0x1a3f")).value_or(0);
}

}  // namespace

nlohmann::ordered_json CrashToJson(const CrashSite& crash) {
  Json object = {{"cause", CrashCauseName(crash.cause)}};
  if (crash.access != Access::kUnknown) {
    object["access"] = kAccesses[static_cast<std::size_t>(crash.access)];
  }
  if (crash.cause == CrashCause::kNullPointer) object["address"] = HexNumber(crash.address);
  if (crash.executing) object["executing"] = true;
  if (!crash.module.empty()) {
    object["module"] = crash.module;
    object["offset"] = HexNumber(crash.offset);
  }
  if (!crash.symbol.empty()) {
    object["symbol"] = crash.symbol;
    object["symbol_offset"] = HexNumber(crash.symbol_offset);
  }
  return object;
}

CrashSite ReadCrash(const JsonReader& at) {
  at.NoOtherMembers(
      {"cause", "access", "address", "executing", "module", "offset", "symbol", "symbol_offset"});
  CrashSite crash;
  crash.cause = at.At("cause").Enum(ParseCrashCause, "what an instruction did");
  if (const auto access = at.Find("access")) crash.access = access->Enum(ParseAccess, "an access");
  if (const auto executing = at.Find("executing")) crash.executing = executing->Bool();
  if (crash.cause == CrashCause::kNullPointer) crash.address = ReadHex(at.At("address"));
  const auto module = at.Find("module");
  const auto symbol = at.Find("symbol");
  if (at.Find("offset").has_value() != module.has_value() ||
      at.Find("symbol_offset").has_value() != symbol.has_value()) {
    at.Fail("expected module and offset, symbol and symbol_offset, each with the other one");
    return crash;
  }
  if (module) {
    crash.module = module->String();
    crash.offset = ReadHex(at.At("offset"));
  }
  if (symbol) {
    crash.symbol = symbol->String();
    crash.symbol_offset = ReadHex(at.At("symbol_offset"));
  }
  return crash;
}

}  // namespace poolproof
