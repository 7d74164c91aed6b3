// SPDX-License-Identifier: Apache-2.0

#include "selected_fault.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace mutants {
namespace {

bool SelectOne(std::string_view name, Selection& selection) {
  if (const Descriptor* row = FindDescriptor(name)) {
    selection.faults[static_cast<std::size_t>(row->fault)] = true;
  } else if (const Partial* partial = FindPartial(name)) {
    selection.partials.push_back(partial);
  } else if (const WildRow* wild = FindWild(name)) {
    selection.wild = wild->wild;
  } else {
    return false;
  }
  return true;
}

Selection Select() {
  Selection selection;
  const char* value = std::getenv("POOLPROOF_MUTANT");
  std::string_view names = value == nullptr ? "" : value;
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find(','));
    names.remove_prefix(name.size() < names.size() ? name.size() + 1 : names.size());
    if (name == "none" || SelectOne(name, selection)) continue;
    std::fprintf(stderr, "poolproof_mutants: unknown POOLPROOF_MUTANT '%s'\n", value);
    std::abort();
  }
  return selection;
}

}  // namespace

const Selection g_selection = Select();

}  // namespace mutants
