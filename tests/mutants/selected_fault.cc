// SPDX-License-Identifier: Apache-2.0

#include "selected_fault.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace mutants {
namespace {

Fault Select() {
  const char* name = std::getenv("POOLPROOF_MUTANT");
  if (name == nullptr || *name == '\0' || std::string_view(name) == "none") return Fault::kNone;
  const Descriptor* row = FindDescriptor(name);
  if (row == nullptr) {
    std::fprintf(stderr, "poolproof_mutants: unknown POOLPROOF_MUTANT '%s'\n", name);
    std::abort();
  }
  return row->fault;
}

}  // namespace

const Fault g_selected_fault = Select();

}  // namespace mutants
