// SPDX-License-Identifier: Apache-2.0
//
// How the libraries of a manifest are found: alternatives, variables, folders. Used by
// implementation.cc and by `doctor`.
#ifndef POOLPROOF_CONFORMANCE_RUNNER_LIBRARY_SEARCH_H_
#define POOLPROOF_CONFORMANCE_RUNNER_LIBRARY_SEARCH_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/cann/system.h"
#include "core/status.h"

namespace poolproof {

// One place in a manifest's list of libraries.
struct LibraryEntry {
  // The first alternative all of whose libraries are found is taken. Paths or sonames, with
  // variables. An empty alternative is always found: the entry may be absent.
  std::vector<std::vector<std::string>> alternatives;
  // A single name that is in none of the folders is left to the dynamic linker.
  bool leave_to_linker = false;
};

struct SearchPlaces {
  // Relative paths start here, and names are looked for here first; empty: there is none.
  std::filesystem::path manifest_folder;
  std::vector<std::string> folders;  // searched for names without a slash; with variables
  Variables variables;
};

struct LibraryLookUp {
  std::string wanted;              // "libacl_rt.so or libascendcl.so"
  std::vector<std::string> found;  // absolute paths, or a name for the dynamic linker
  // kNotFound: none is there, and where it was looked for; kInvalidArgument: it is no file, or a
  // text cannot be expanded.
  Status status;
};

// kOk: a file that can be read. `what` begins the message. errors: kNotFound, kInvalidArgument.
Status CheckReadableFile(const std::filesystem::path& path, const std::string& what);

LibraryLookUp LookUp(const LibraryEntry& entry, const SearchPlaces& places);

// `text` with each ${NAME} replaced. A variable that holds several folders with colons between them
// gives one text each; empty parts are left out.
struct Expansion {
  std::vector<std::string> texts;
  std::string unset;  // a variable that is not set or empty; then there are no texts
};
// errors: kInvalidArgument for "${" without "}" or without a name, and for too many texts.
Result<Expansion> Expand(std::string_view text, const Variables& variables);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_RUNNER_LIBRARY_SEARCH_H_
