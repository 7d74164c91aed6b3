// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <sstream>
#include <system_error>
#include <utility>

namespace poolproof {
namespace {

Status Wrong(const std::string& option, const std::string& text, const std::string& wanted) {
  return InvalidArgument(option + ": '" + text + "' is not " + wanted);
}

template <typename T>
std::optional<T> ParseWhole(const std::string& text) {
  T value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

}  // namespace

Result<std::int64_t> ParseCount(const std::string& option, const std::string& text,
                                std::int64_t least) {
  const std::optional<std::int64_t> value = ParseWhole<std::int64_t>(text);
  if (!value || *value < least) {
    return Wrong(option, text, "a whole number of at least " + std::to_string(least));
  }
  return *value;
}

Result<std::uint64_t> ParseSeed(const std::string& text) {
  const std::optional<std::uint64_t> value = ParseWhole<std::uint64_t>(text);
  if (!value) return Wrong("--seed", text, "a whole number from 0 to 2^64-1");
  return *value;
}

Result<std::chrono::milliseconds> ParseDuration(const std::string& option,
                                                const std::string& text) {
  static constexpr std::array<std::pair<std::string_view, double>, 4> kUnits = {
      {{"ms", 1.0}, {"s", 1000.0}, {"m", 60000.0}, {"h", 3600000.0}}};
  static constexpr double kYear = 366.0 * 24 * 3600 * 1000;
  const std::string wanted = "a duration such as 500ms, 60s, 5m or 2h";
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  const std::string_view unit(stop, static_cast<std::size_t>(end - stop));
  if (error != std::errc()) return Wrong(option, text, wanted);
  for (const auto& [name, factor] : kUnits) {
    if (unit != name) continue;
    const double milliseconds = number * factor;
    if (!(milliseconds >= 1) || milliseconds > kYear) break;
    return std::chrono::milliseconds(static_cast<std::int64_t>(milliseconds));
  }
  return Wrong(option, text, wanted);
}

Result<std::vector<std::int32_t>> ParseDevices(const std::string& text) {
  constexpr std::int32_t kMost = 65535;
  std::vector<std::int32_t> devices;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::optional<std::int32_t> device = ParseWhole<std::int32_t>(text.substr(at, end - at));
    at = end + 1;
    if (!device || *device < 0 || *device > kMost) {
      return Wrong("--device", text, "one or more device numbers, such as 0 or 0,2");
    }
    if (std::find(devices.begin(), devices.end(), *device) != devices.end()) {
      return InvalidArgument("--device: '" + text + "' names device " + std::to_string(*device) +
                             " twice");
    }
    devices.push_back(*device);
  }
  return devices;
}

Result<Profile> ParseProfileOption(const std::string& text) {
  if (const std::optional<Profile> profile = ParseProfile(text)) return *profile;
  std::vector<std::string_view> names;
  for (const ProfileInfo& info : AllProfiles()) names.push_back(info.name);
  std::string meant = DidYouMean(text, names);
  if (const std::optional<Profile> profile = ProfileOfSoc(text); profile && meant.empty()) {
    meant = "; the SoC " + text + " is of profile " + std::string(InfoOf(*profile).name);
  }
  return Wrong("--profile", text, "a profile; expected " + JoinNames(names) + meant);
}

Result<CaseSet> ParseSetOption(const std::string& text) {
  if (const std::optional<CaseSet> set = ParseCaseSet(text)) return *set;
  return Wrong("--set", text,
               "a set; expected " + JoinNames(kCaseSetNames) + DidYouMean(text, kCaseSetNames));
}

Result<std::string> ReadFile(const std::string& option, const std::string& path) {
  if (path == "-") {
    return std::string(std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>());
  }
  if (std::error_code ignored; std::filesystem::is_directory(path, ignored)) {
    return NotFound(option + ": cannot read '" + path + "': it is a folder");
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file || file.bad()) {
    const std::string why = errno != 0 ? std::strerror(errno) : "not a readable file";
    return NotFound(option + ": cannot read '" + path + "': " + why);
  }
  return text.str();
}

std::string Upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string JoinNames(std::span<const std::string_view> names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

}  // namespace poolproof
