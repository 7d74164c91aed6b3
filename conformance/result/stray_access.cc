// SPDX-License-Identifier: Apache-2.0
#include "conformance/result/stray_access.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

namespace poolproof {
namespace {

using Place = StrayAccess::Place;

constexpr std::string_view kStorage = " the storage of ";
constexpr std::string_view kOf = " of the storage of ";
constexpr std::string_view kBetweenElements = ", between or outside its view's elements,";
// By Access.
constexpr std::array<std::string_view, 3> kVerbs = {" was touched", " was read", " was written"};

// Cuts `head` off the text; false where it does not begin so.
bool Take(std::string_view& text, std::string_view head) {
  if (!text.starts_with(head)) return false;
  text.remove_prefix(head.size());
  return true;
}

std::optional<std::int64_t> TakeNumber(std::string_view& text) {
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return number;
}

std::optional<Role> TakeRole(std::string_view& text) {
  for (int i = 0; i < kRoleCount; ++i) {
    const auto role = static_cast<Role>(i);
    std::string_view rest = text;
    // No name is the head of another with a blank or a comma behind it.
    if (!Take(rest, RoleName(role)) || rest.empty() || (rest[0] != ' ' && rest[0] != ',')) continue;
    text = rest;
    return role;
  }
  return std::nullopt;
}

// "just after the storage of X was overwritten", "17 bytes past the end of the storage of X was
// read".
std::optional<StrayAccess> ReadOutside(std::string_view text) {
  StrayAccess stray;
  if (Take(text, "just ")) {
    const bool before = text.starts_with("before");
    if (!Take(text, before ? "before" : "after") || !Take(text, kStorage)) return std::nullopt;
    const std::optional<Role> role = TakeRole(text);
    if (!role || !text.starts_with(" was overwritten")) return std::nullopt;
    return StrayAccess{*role, before ? Place::kBefore : Place::kAfter, std::nullopt,
                       Access::kWrite};
  }
  stray.byte = TakeNumber(text);
  if (!stray.byte || !(Take(text, " bytes ") || Take(text, " byte "))) return std::nullopt;
  const bool before = text.starts_with("before");
  if (!Take(text, before ? "before the start" : "past the end") || !Take(text, kOf)) {
    return std::nullopt;
  }
  stray.place = before ? Place::kBefore : Place::kAfter;
  const std::optional<Role> role = TakeRole(text);
  const auto* const verb = std::find_if(kVerbs.begin(), kVerbs.end(), [&](std::string_view words) {
    return text.starts_with(words);
  });
  if (!role || verb == kVerbs.end()) return std::nullopt;
  stray.role = *role;
  stray.access = static_cast<Access>(verb - kVerbs.begin());
  return stray;
}

// "12 of the storage of X was changed".
std::optional<StrayAccess> ReadInside(std::string_view text) {
  StrayAccess stray;
  stray.byte = TakeNumber(text);
  if (!stray.byte || !Take(text, kOf)) return std::nullopt;
  const std::optional<Role> role = TakeRole(text);
  if (!role) return std::nullopt;
  stray.role = *role;
  stray.place = text.starts_with(kBetweenElements) ? Place::kBetween : Place::kInput;
  if (stray.place == Place::kInput && !text.starts_with(" was changed")) return std::nullopt;
  return stray;
}

template <typename Read>
std::optional<StrayAccess> Find(std::string_view message, std::string_view head, const Read& read) {
  for (std::size_t at = message.find(head); at != std::string_view::npos;
       at = message.find(head, at + 1)) {
    if (auto stray = read(message.substr(at + head.size()))) return stray;
  }
  return std::nullopt;
}

}  // namespace

std::string StrayAccessText(const StrayAccess& stray) {
  const std::string name(RoleName(stray.role));
  const std::string byte = std::to_string(stray.byte.value_or(0));
  const bool before = stray.place == Place::kBefore;
  switch (stray.place) {
    case Place::kBetween:
      return "byte " + byte + std::string(kOf) + name + std::string(kBetweenElements) +
             " was overwritten";
    case Place::kInput:
      return "byte " + byte + std::string(kOf) + name + " was changed";
    case Place::kBefore:
    case Place::kAfter:
      break;
  }
  if (!stray.byte) {
    return std::string("memory just ") + (before ? "before" : "after") + std::string(kStorage) +
           name + " was overwritten";
  }
  return "memory " + byte + (*stray.byte == 1 ? " byte " : " bytes ") +
         (before ? "before the start" : "past the end") + std::string(kOf) + name +
         std::string(kVerbs[static_cast<std::size_t>(stray.access)]);
}

std::optional<StrayAccess> ReadStrayAccess(std::string_view message) {
  if (const auto outside = Find(message, "memory ", &ReadOutside)) return outside;
  return Find(message, "byte ", &ReadInside);
}

}  // namespace poolproof
