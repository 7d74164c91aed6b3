// SPDX-License-Identifier: Apache-2.0
//
// Prints mutants.json (schema poolproof-mutants/1) from the tables that the library itself obeys.

#include <array>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conflicts.h"
#include "fault_table.h"
#include "partial.h"
#include "triggers.h"
#include "wild.h"

namespace mutants {
namespace {

// Splits groups of ids at blanks; keeps the order, drops repeats and what `except` holds.
std::vector<std::string_view> Ids(std::span<const std::string_view> groups,
                                  const std::vector<std::string_view>& except) {
  std::vector<std::string_view> ids;
  const auto contains = [](const std::vector<std::string_view>& list, std::string_view id) {
    for (const std::string_view known : list) {
      if (known == id) return true;
    }
    return false;
  };
  for (std::string_view group : groups) {
    while (!group.empty()) {
      const std::size_t blank = group.find(' ');
      const std::string_view id = group.substr(0, blank);
      group.remove_prefix(blank == std::string_view::npos ? group.size() : blank + 1);
      if (!id.empty() && !contains(ids, id) && !contains(except, id)) ids.push_back(id);
    }
  }
  return ids;
}

void WriteList(std::ostream& out, std::string_view key, const std::vector<std::string_view>& ids) {
  out << ",\"" << key << "\":[";
  for (std::size_t i = 0; i < ids.size(); ++i) out << (i == 0 ? "\"" : ",\"") << ids[i] << '"';
  out << ']';
}

// No text of the table needs escapes; anything that would is a mistake in it.
bool IsPlain(std::string_view text) {
  for (const char c : text) {
    if (c < ' ' || c > '~' || c == '"' || c == '\\') return false;
  }
  return !text.empty();
}

bool WriteRow(std::ostream& out, const Descriptor& row, bool first) {
  if (!IsPlain(row.name) || !IsPlain(row.category) || !IsPlain(row.description)) return false;
  const std::vector<std::string_view> clauses = Ids(row.clauses, {});
  if (clauses.empty() != (row.category == kCategoryLegal)) return false;
  out << (first ? "\n    {" : ",\n    {") << "\"name\":\"" << row.name << "\",\"category\":\""
      << row.category << "\",\"description\":\"" << row.description << "\",\"library\":\""
      << row.library << "\",\"profile\":\"" << row.profile << '"';
  WriteList(out, "clauses", clauses);
  WriteList(out, "may_also", Ids(row.may_also, clauses));
  if (const std::string_view trigger = TriggerOf(row.fault); !trigger.empty()) {
    if (!IsPlain(trigger)) return false;
    out << ",\"trigger\":\"" << trigger << '"';
  }
  out << '}';
  return true;
}

bool WriteRows(std::ostream& out, bool legal) {
  bool first = true;
  for (const Descriptor& row : Table()) {
    if ((row.category == kCategoryLegal) != legal) continue;
    if (!WriteRow(out, row, first)) {
      std::cerr << "mutants_table: bad row " << row.name << '\n';
      return false;
    }
    first = false;
  }
  return true;
}

bool WritePartials(std::ostream& out) {
  bool first = true;
  for (const Partial& row : Partials()) {
    if (!IsPlain(row.name) || !IsPlain(row.description)) return false;
    out << (first ? "\n    {" : ",\n    {") << "\"name\":\"" << row.name << "\",\"description\":\""
        << row.description << "\",\"profile\":\"" << row.profile << '"';
    WriteList(out, "clauses", Ids(std::array{row.clauses}, {}));
    out << '}';
    first = false;
  }
  return true;
}

bool WriteWild(std::ostream& out) {
  bool first = true;
  for (const WildRow& row : WildRows()) {
    if (!IsPlain(row.name) || !IsPlain(row.description)) return false;
    out << (first ? "\n    {" : ",\n    {") << "\"name\":\"" << row.name << "\",\"description\":\""
        << row.description << "\"}";
    first = false;
  }
  return true;
}

std::vector<std::string_view> Names(std::span<const Fault> faults) {
  std::vector<std::string_view> names;
  for (const Fault fault : faults) {
    if (fault != Fault::kNone) names.push_back(Table()[static_cast<std::size_t>(fault) - 1].name);
  }
  return names;
}

bool WriteConflicts(std::ostream& out) {
  bool first = true;
  for (const Conflict& row : Conflicts()) {
    if (!IsPlain(row.why)) return false;
    out << (first ? "\n    {" : ",\n    {") << "\"why\":\"" << row.why << '"';
    WriteList(out, "left", Names(row.left));
    WriteList(out, "right", Names(row.right));
    out << '}';
    first = false;
  }
  return true;
}

bool WriteTogether(std::ostream& out) {
  bool first = true;
  for (const Together& row : AllTogether()) {
    if (!IsPlain(row.why)) return false;
    out << (first ? "\n    {" : ",\n    {") << "\"why\":\"" << row.why << '"';
    WriteList(out, "left", Names(row.left));
    WriteList(out, "right", Names(row.right));
    WriteList(out, "clauses", Ids(std::array{row.clauses}, {}));
    out << '}';
    first = false;
  }
  return true;
}

bool Write(std::ostream& out) {
  out << "{\n  \"schema\":\"poolproof-mutants/1\",\n  \"mutants\":[";
  if (!WriteRows(out, false)) return false;
  out << "\n  ],\n  \"variants\":[";
  if (!WriteRows(out, true)) return false;
  out << "\n  ],\n  \"partials\":[";
  if (!WritePartials(out)) return false;
  out << "\n  ],\n  \"wild\":[";
  if (!WriteWild(out)) return false;
  out << "\n  ],\n  \"conflicts\":[";
  if (!WriteConflicts(out)) return false;
  out << "\n  ],\n  \"together\":[";
  if (!WriteTogether(out)) return false;
  out << "\n  ]\n}\n";
  return true;
}

}  // namespace
}  // namespace mutants

int main(int argc, char** argv) {
  if (argc > 2) {
    std::fputs("usage: mutants_table [FILE]\n", stderr);
    return 2;
  }
  if (argc == 1) return mutants::Write(std::cout) && std::cout.flush() ? 0 : 1;
  std::ofstream file(argv[1]);
  if (!file) {
    std::fputs("mutants_table: the file cannot be written\n", stderr);
    return 1;
  }
  return mutants::Write(file) && file.flush() ? 0 : 1;
}
