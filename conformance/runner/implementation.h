// SPDX-License-Identifier: Apache-2.0
//
// Implementation: what --implementation names, resolved to files, environment and limits. Used by
// the session and the command line.
#ifndef POOLPROOF_CONFORMANCE_RUNNER_IMPLEMENTATION_H_
#define POOLPROOF_CONFORMANCE_RUNNER_IMPLEMENTATION_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/result/capabilities.h"
#include "conformance/result/probe.h"
#include "conformance/runner/library_search.h"
#include "conformance/spec/profile.h"
#include "conformance/wire/codec.h"
#include "core/status.h"

namespace poolproof {

struct Limits {
  double start_s = 30;           // from exec to the answer that the implementation is open
  std::optional<double> case_s;  // one invocation; nullopt: from its size
  std::int64_t memory_mib = 4096;
  std::optional<int> workers;  // at most so many at once
  double stop_s = 3;           // from the end of its work to the end of a process
  friend bool operator==(const Limits&, const Limits&) = default;
};

struct Implementation {
  std::string name;
  std::vector<std::string> libraries;  // absolute paths, or sonames; in look-up order
  std::vector<std::string> sources;    // files that a library of them interprets: absolute paths
  OpenMode open = OpenMode::kNowLocal;
  // Environment for every worker ("*") and for one profile (its name).
  std::map<std::string, std::map<std::string, std::string>> environment;
  Limits limits;
  std::vector<std::int32_t> devices = {0};
  DeclaredCapabilities capabilities;
  // Starts the workers elsewhere (ssh, docker, an emulator), by the shell; {worker} represents the
  // worker program and its argument. Empty: they are started here. Not a manifest's.
  std::string worker_command;
  friend bool operator==(const Implementation&, const Implementation&) = default;
};

// Where the libraries are, seen from here.
enum class Place : std::uint8_t {
  kHere,
  kElsewhere,  // a path that does not exist here is kept as it is written
};

// `text` is "reference", "optimized", a name of CannReleases, a library or several with commas
// between them, "python:" with a module, a Python file (*.py), or a manifest (*.json). The built-in
// libraries are looked for in ../lib beside the running program's folder, and in that folder.
// errors: kNotFound for a file that does not exist, kInvalidArgument for a manifest that is wrong.
Result<Implementation> ResolveImplementation(std::string_view text, Place place = Place::kHere);
// The same, with the folder of the program given.
Result<Implementation> ResolveImplementation(std::string_view text,
                                             const std::filesystem::path& program_folder,
                                             Place place = Place::kHere);

// Parses a manifest's text; `folder` is where relative paths start.
Result<Implementation> ParseManifest(std::string_view text, const std::filesystem::path& folder,
                                     std::string default_name);

// Where each library that `text` names is or was looked for, in order, found or not.
// errors: as ResolveImplementation's where `text` names no list of libraries.
Result<std::vector<LibraryLookUp>> LookUpLibraries(std::string_view text);

// What to do where a library of a built-in manifest, a name of CannReleases, is not found.
std::string RemedyForMissing(std::string_view name);

// The text of a manifest from which the same implementation is read, where that manifest lies in
// `folder`.
std::string ManifestText(const Implementation& implementation, const std::filesystem::path& folder);

// The folder of the running program.
std::filesystem::path ProgramFolder();

// The worker program beside the running program, or in ../bin. errors: kNotFound.
Result<std::string> FindWorkerProgram();

// File names and hashes. Libraries given by soname have no hash.
std::vector<LibraryIdentity> IdentifyLibraries(const Implementation& implementation);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_RUNNER_IMPLEMENTATION_H_
