// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/implementation.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>
#include <utility>

#include "conformance/cann/manifests.h"
#include "conformance/cann/remedy.h"
#include "conformance/json/json_reader.h"
#include "conformance/json/strict_json.h"
#include "core/sha256.h"

namespace poolproof {
namespace {

using Json = nlohmann::ordered_json;

namespace fs = std::filesystem;

constexpr std::string_view kManifestSchema = "poolproof-manifest/1";
constexpr std::uintmax_t kMaxManifestBytes = 1 << 20;

std::string InQuotes(std::string_view text) {
  std::string quoted(1, '\'');
  quoted += text;
  quoted += '\'';
  return quoted;
}

constexpr std::string_view kPythonPrefix = "python:";
constexpr std::string_view kPythonFile = ".py";
constexpr std::size_t kPythonProcesses = 64;
constexpr const char* kPythonModule = "POOLPROOF_PYTHON_MODULE";

Result<Implementation> ResolveBuiltIn(std::string_view name, const fs::path& program_folder) {
  const std::string file = "libpoolproof_" + std::string(name) + ".so";
  for (const fs::path& folder : {program_folder / ".." / "lib", program_folder}) {
    std::error_code error;
    const fs::path path = folder / file;
    if (!fs::is_regular_file(path, error)) continue;
    Implementation implementation;
    implementation.name = name;
    implementation.libraries = {fs::absolute(path).lexically_normal().string()};
    return implementation;
  }
  return NotFound("implementation " + InQuotes(name) + ": " + file +
                  " is neither in ../lib of this program nor in its folder");
}

bool NamesPython(std::string_view text) {
  return text.starts_with(kPythonPrefix) || text.ends_with(kPythonFile);
}

// Functions of a module, or of a file in or below `folder`, behind the library that calls them. It
// refuses nothing by itself.
Result<Implementation> ResolvePython(std::string_view text, const fs::path& folder,
                                     const fs::path& program_folder) {
  Result<Implementation> library = ResolveBuiltIn("python", program_folder);
  if (!library.ok()) return library;
  Implementation python = std::move(library).value();
  std::string module(text.substr(text.starts_with(kPythonPrefix) ? kPythonPrefix.size() : 0));
  if (module.empty()) {
    return InvalidArgument("implementation " + InQuotes(text) +
                           ": expected a module or a file behind 'python:'");
  }
  python.name = module;
  if (module.ends_with(kPythonFile)) {
    const fs::path file = folder / module;
    if (Status status = CheckReadableFile(file, "implementation " + InQuotes(text)); !status.ok()) {
      return status;
    }
    python.name = file.filename().string();
    module = fs::absolute(file).lexically_normal().string();
    python.sources.push_back(module);
  }
  python.environment["*"][kPythonModule] = module;
  // Memory that is not the host's makes a device, which here takes as many processes as there are.
  python.devices.assign(kPythonProcesses, 0);
  python.capabilities.refuses_nothing = true;
  return python;
}

Result<Implementation> ResolveLibraries(std::string_view text, Place place) {
  Implementation implementation;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string path(text.substr(at, end - at));
    at = end + 1;
    const std::string what = "implementation " + InQuotes(path);
    if (path.empty()) {
      return InvalidArgument(
          "implementation " + InQuotes(text) +
          ": a library's path is empty; expected reference, optimized, cann, library "
          "paths with commas between them, a Python file (*.py), or a manifest (*.json)");
    }
    Status status = CheckReadableFile(path, what);
    const bool elsewhere = place == Place::kElsewhere && status.code() == StatusCode::kNotFound &&
                           (path.find('/') != std::string::npos || path.ends_with(".so"));
    if (!status.ok() && !elsewhere) {
      const bool a_word = path.find('/') == std::string::npos && !path.ends_with(".so");
      if (status.code() != StatusCode::kNotFound || !a_word) return status;
      return NotFound(what + ": neither reference, optimized nor cann, and no such file");
    }
    if (!implementation.name.empty()) implementation.name += ",";
    implementation.name += fs::path(path).filename().string();
    implementation.libraries.push_back(elsewhere ? path
                                                 : fs::absolute(path).lexically_normal().string());
  }
  if (implementation.libraries.size() > 1) implementation.open = OpenMode::kLazyGlobal;
  return implementation;
}

// --- Manifest ------------------------------------------------------------------------------------

bool IsAnyText(std::string_view text) { return !text.empty(); }

double ReadSeconds(const JsonReader& at) {
  // A day is longer than any call; the bound keeps the conversion to milliseconds exact.
  constexpr double kMost = 86400;
  const double seconds = at.Number();
  if (at.ok() && !(seconds > 0 && seconds <= kMost)) at.Expected("seconds above 0 and up to 86400");
  return seconds;
}

std::vector<JsonReader> NonEmpty(const JsonReader& at, std::string_view wanted) {
  std::vector<JsonReader> items = at.Items();
  if (items.empty()) at.Expected(wanted);
  return items;
}

std::optional<OpenMode> ParseOpenMode(std::string_view name) {
  if (name == "now-local") return OpenMode::kNowLocal;
  if (name == "lazy-global") return OpenMode::kLazyGlobal;
  return std::nullopt;
}

void ReadVariables(const JsonReader& at, std::map<std::string, std::string>& into) {
  const auto is_text = [](std::string_view text) { return text.find('\0') == std::string::npos; };
  for (const auto& [name, value] : at.Members()) {
    const bool is_name = !name.empty() && name.find('=') == std::string::npos && is_text(name);
    if (!is_name) return at.Fail(InQuotes(name) + " names no variable");
    into[name] = value.String(is_text, "a text without a byte 0");
  }
}

void ReadEnvironment(const JsonReader& at, Implementation& into) {
  for (const auto& [scope, variables] : at.Members()) {
    if (scope != "*" && !ParseProfile(scope)) {
      return at.Fail("has a member " + InQuotes(scope) +
                     ", expected \"*\" or the name of a profile");
    }
    ReadVariables(variables, into.environment[scope]);
  }
}

void ReadLimits(const JsonReader& at, Limits& into) {
  at.NoOtherMembers({"start_s", "case_s", "memory_mib", "workers", "stop_s"});
  if (const auto start = at.Find("start_s")) into.start_s = ReadSeconds(*start);
  if (const auto one = at.Find("case_s")) into.case_s = ReadSeconds(*one);
  if (const auto memory = at.Find("memory_mib")) into.memory_mib = memory->Int64(16, 1 << 30);
  if (const auto workers = at.Find("workers")) {
    into.workers = static_cast<int>(workers->Int64(1, 4096));
  }
  if (const auto stop = at.Find("stop_s")) into.stop_s = ReadSeconds(*stop);
}

std::optional<DataType> ParseTypeName(std::string_view name) {
  if (std::optional<DataType> type = ParseDataType(name)) return type;
  for (const DataTypeInfo& info : AllDataTypes()) {
    if (info.abi_name == name) return info.type;
  }
  return std::nullopt;
}

// Those that the operators' pages list.
std::string TypeNames() {
  std::string names;
  std::vector<DataType> named;
  const auto add = [&](const std::vector<SupportedType>& rows) {
    for (const SupportedType& row : rows) {
      if (std::find(named.begin(), named.end(), row.type) != named.end()) continue;
      named.push_back(row.type);
      names += (names.empty() ? "" : ", ") + DataTypeName(row.type);
    }
  };
  for (const OperatorInfo& info : AllOperators()) add(info.value_types);
  for (const OperatorInfo& info : AllOperators()) add(info.index_types);
  return names;
}

// An empty list says nothing, like an absent one.
template <typename T, typename Parse>
void ReadNames(const std::optional<JsonReader>& at, const Parse& parse, std::string_view wanted,
               std::optional<std::vector<T>>& into) {
  if (!at) return;
  for (const JsonReader& item : at->Items()) {
    if (!into) into.emplace();
    into->push_back(item.Enum(parse, wanted));
  }
}

// "an operator's name, as X".
std::string OperatorNameWanted() {
  return "an operator's name, as " + std::string(AllOperators().front().name);
}

void ReadPredicate(const JsonReader& at, std::optional<Operator> op,
                   std::vector<AcceptRule>& into) {
  const std::string text = at.String();
  if (!at.ok()) return;
  Result<Predicate> predicate = Predicate::Parse(text);
  if (!predicate.ok()) return at.Fail(InQuotes(text) + ": " + predicate.status().message());
  into.push_back({op, text, std::move(predicate).value()});
}

// A predicate for all operators, or one for each that is named.
void ReadAccepts(const JsonReader& at, std::vector<AcceptRule>& into) {
  if (!at.json().is_object()) {
    if (!at.json().is_string()) return at.Expected("a predicate, or an object of operators");
    return ReadPredicate(at, std::nullopt, into);
  }
  for (const auto& [name, predicate] : at.Members()) {
    const std::optional<Operator> op = ParseOperator(name);
    if (!op)
      return at.Fail("has a member " + InQuotes(name) + ", expected " + OperatorNameWanted());
    ReadPredicate(predicate, op, into);
  }
}

void ReadCapabilities(const JsonReader& at, DeclaredCapabilities& into) {
  at.NoOtherMembers({"operators", "dtypes", "accepts", "indices", "refusals"});
  ReadNames(at.Find("operators"), ParseOperator, OperatorNameWanted(), into.operators);
  ReadNames(at.Find("dtypes"), ParseTypeName, "a data type's name: " + TypeNames(), into.types);
  if (const auto accepts = at.Find("accepts")) ReadAccepts(*accepts, into.accepts);
  if (const auto indices = at.Find("indices")) {
    const std::string which = indices->String();
    into.forward_indices_only = which == "forward";
    if (which != "any" && which != "forward") indices->Expected("\"any\" or \"forward\"");
  }
  if (const auto refusals = at.Find("refusals")) {
    const std::string which = refusals->String();
    into.refuses_nothing = which == "none";
    if (which != "all" && which != "none") refusals->Expected("\"all\" or \"none\"");
  }
}

// A path or soname, or an array of alternatives, each of which may be an array of several.
LibraryEntry ReadLibrary(const JsonReader& at) {
  constexpr std::string_view kWanted = "a path or soname";
  if (!at.json().is_array()) return {{{at.String(IsAnyText, kWanted)}}, /*leave_to_linker=*/true};
  LibraryEntry entry;
  for (const JsonReader& item : NonEmpty(at, "an array of at least one path or soname")) {
    std::vector<std::string>& alternative = entry.alternatives.emplace_back();
    if (!item.json().is_array()) {
      alternative.push_back(item.String(IsAnyText, kWanted));
      continue;
    }
    for (const JsonReader& name : item.Items()) {
      alternative.push_back(name.String(IsAnyText, kWanted));
    }
  }
  if (at.ok() && entry.alternatives.front().empty()) {
    at.Fail("the first alternative is empty; expected at least one path or soname");
  }
  return entry;
}

// A manifest as it is written: its libraries are yet to be found.
struct Manifest {
  Implementation implementation;
  std::vector<LibraryEntry> libraries;
  std::vector<std::string> folders;
  bool open_given = false;
};

Manifest ReadManifest(const JsonReader& at, std::string default_name) {
  at.NoOtherMembers({"schema", "name", "libraries", "folders", "open", "environment", "limits",
                     "devices", "capabilities"});
  at.At("schema").Equals(kManifestSchema);
  Manifest manifest;
  Implementation& read = manifest.implementation;
  read.name = std::move(default_name);
  if (const auto name = at.Find("name")) read.name = name->String(IsAnyText, "a text, not empty");
  for (const JsonReader& item :
       NonEmpty(at.At("libraries"), "an array of at least one path or soname")) {
    manifest.libraries.push_back(ReadLibrary(item));
  }
  if (const auto folders = at.Find("folders")) {
    for (const JsonReader& item : folders->Items()) {
      manifest.folders.push_back(item.String(IsAnyText, "a folder"));
    }
  }
  if (const auto open = at.Find("open")) {
    manifest.open_given = true;
    read.open = open->Enum(ParseOpenMode, "\"now-local\" or \"lazy-global\"");
  }
  if (const auto environment = at.Find("environment")) ReadEnvironment(*environment, read);
  if (const auto limits = at.Find("limits")) ReadLimits(*limits, read.limits);
  if (const auto devices = at.Find("devices")) {
    read.devices.clear();
    for (const JsonReader& item : NonEmpty(*devices, "an array of at least one device number")) {
      read.devices.push_back(static_cast<std::int32_t>(item.Int64(0, 65535)));
    }
  }
  if (const auto capabilities = at.Find("capabilities")) {
    ReadCapabilities(*capabilities, read.capabilities);
  }
  return manifest;
}

Result<Manifest> ParseText(std::string_view text, std::string default_name) {
  const auto json = ParseStrictJson<nlohmann::ordered_json>(text);
  if (!json.ok()) return json.status();
  Status error;
  Manifest manifest = ReadManifest(JsonReader(*json, error), std::move(default_name));
  if (!error.ok()) return error;
  return manifest;
}

// Where each library of a manifest in `folder` is, in its order.
std::vector<LibraryLookUp> LookUpAll(const Manifest& manifest, const fs::path& folder) {
  SearchPlaces places{folder, manifest.folders, CallerVariables()};
  const auto own = manifest.implementation.environment.find("*");
  if (own != manifest.implementation.environment.end()) {
    for (const auto& [name, value] : own->second) places.variables[name] = value;
  }
  std::vector<LibraryLookUp> look_ups;
  for (const LibraryEntry& entry : manifest.libraries) look_ups.push_back(LookUp(entry, places));
  return look_ups;
}

// Of a manifest whose one library is a Python module or file.
Result<Implementation> LocatedPython(Implementation read, const std::string& text,
                                     const fs::path& folder) {
  Result<Implementation> python = ResolvePython(text, folder, ProgramFolder());
  if (!python.ok()) return python;
  read.libraries = python->libraries;
  read.sources = python->sources;
  read.devices = python->devices;
  read.capabilities.refuses_nothing = true;
  for (const auto& [name, value] : python->environment.at("*")) read.environment["*"][name] = value;
  return read;
}

Result<Implementation> Located(Manifest manifest, const fs::path& folder) {
  Implementation& implementation = manifest.implementation;
  if (manifest.libraries.size() == 1) {
    const std::string& first = manifest.libraries.front().alternatives.front().front();
    if (NamesPython(first)) return LocatedPython(std::move(implementation), first, folder);
  }
  for (const LibraryLookUp& look_up : LookUpAll(manifest, folder)) {
    if (!look_up.status.ok()) return look_up.status;
    implementation.libraries.insert(implementation.libraries.end(), look_up.found.begin(),
                                    look_up.found.end());
  }
  if (implementation.libraries.empty()) {
    return NotFound("libraries: none of the alternatives was found");
  }
  if (!manifest.open_given && implementation.libraries.size() > 1) {
    implementation.open = OpenMode::kLazyGlobal;
  }
  return std::move(implementation);
}

Result<Implementation> ResolveCann(std::string_view name, std::string_view text) {
  Result<Manifest> manifest = ParseText(text, std::string(name));
  if (!manifest.ok()) return Internal(manifest.status().message());
  Result<Implementation> located = Located(std::move(manifest).value(), fs::path());
  if (located.ok() || located.status().code() != StatusCode::kNotFound) return located;
  return NotFound(std::string(name) + ": " + located.status().message() +
                  "; remedy: " + RemedyForMissing(name));
}

Result<std::string> ReadManifestFile(std::string_view text) {
  const fs::path path(text);
  const std::string what = "manifest " + InQuotes(text);
  if (Status status = CheckReadableFile(path, what); !status.ok()) return status;
  std::error_code error;
  if (fs::file_size(path, error) > kMaxManifestBytes) {
    return InvalidArgument(what + ": larger than 1 MiB");
  }
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  return content.str();
}

fs::path FolderOf(const fs::path& manifest) { return fs::absolute(manifest).parent_path(); }

Result<Implementation> ResolveManifest(std::string_view text) {
  const Result<std::string> content = ReadManifestFile(text);
  if (!content.ok()) return content.status();
  const fs::path path(text);
  Result<Implementation> parsed = ParseManifest(*content, FolderOf(path), path.stem().string());
  if (!parsed.ok()) return parsed.status().Annotate("manifest " + InQuotes(text));
  return parsed;
}

std::string HashOfFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  Sha256 hash;
  std::vector<char> piece(std::size_t{1} << 18);
  while (file.read(piece.data(), static_cast<std::streamsize>(piece.size())) || file.gcount() > 0) {
    hash.Update(std::string_view(piece.data(), static_cast<std::size_t>(file.gcount())));
  }
  return hash.Finish();
}

}  // namespace

Result<Implementation> ParseManifest(std::string_view text, const fs::path& folder,
                                     std::string default_name) {
  Result<Manifest> manifest = ParseText(text, std::move(default_name));
  if (!manifest.ok()) return manifest.status();
  return Located(std::move(manifest).value(), folder);
}

Result<Implementation> ResolveImplementation(std::string_view text, const fs::path& program_folder,
                                             Place place) {
  if (text == "reference" || text == "optimized") return ResolveBuiltIn(text, program_folder);
  if (const std::optional<std::string> manifest = CannManifest(text)) {
    return ResolveCann(text, *manifest);
  }
  if (NamesPython(text)) return ResolvePython(text, fs::path(), program_folder);
  if (text.ends_with(".json")) return ResolveManifest(text);
  return ResolveLibraries(text, place);
}

Result<std::vector<LibraryLookUp>> LookUpLibraries(std::string_view text) {
  std::optional<std::string> content = CannManifest(text);
  const bool is_cann = content.has_value();
  if (text.ends_with(".json")) {
    const Result<std::string> read = ReadManifestFile(text);
    if (!read.ok()) return read.status();
    content = *read;
  }
  if (content) {
    const Result<Manifest> manifest = ParseText(*content, "");
    if (!manifest.ok()) return manifest.status().Annotate("manifest " + InQuotes(text));
    return LookUpAll(*manifest, is_cann ? fs::path() : FolderOf(fs::path(text)));
  }
  const Result<Implementation> found = ResolveImplementation(text);
  if (!found.ok()) return found.status();
  std::vector<LibraryLookUp> look_ups;
  for (const std::string& path : found->libraries) {
    look_ups.push_back({fs::path(path).filename().string(), {path}, OkStatus()});
  }
  return look_ups;
}

std::string RemedyForMissing(std::string_view name) {
  StartTrouble trouble;
  trouble.kind = StartTrouble::Kind::kNotFound;
  const std::string any(CannReleases().front().name);
  if (name != any) {
    const Result<Manifest> manifest = ParseText(*CannManifest(any), any);
    if (manifest.ok() && Located(*manifest, fs::path()).ok()) {
      trouble.kind = StartTrouble::Kind::kOtherRelease;
    }
  }
  return RemedyFor(trouble, SurveyCann());
}

Result<Implementation> ResolveImplementation(std::string_view text, Place place) {
  return ResolveImplementation(text, ProgramFolder(), place);
}

std::string ManifestText(const Implementation& implementation, const fs::path& folder) {
  Json manifest = {{"schema", kManifestSchema}, {"name", implementation.name}};
  Json libraries = Json::array();
  // A Python module represents the library that calls it, which is the program's own.
  auto environment = implementation.environment;
  std::string module;
  if (const auto found = environment["*"].extract(kPythonModule)) module = found.mapped();
  if (environment["*"].empty()) environment.erase("*");
  std::vector<std::string> named = implementation.libraries;
  if (!module.empty()) named = {module};
  for (const std::string& library : named) {
    const fs::path path(library);
    // Beside the manifest, the two may be moved together.
    const bool beside = path.is_absolute() && path.parent_path() == folder.lexically_normal();
    libraries.push_back(beside ? path.filename().string() : library);
  }
  if (!module.empty() && !NamesPython(module)) libraries = {std::string(kPythonPrefix) + module};
  manifest["libraries"] = libraries;
  manifest["open"] = implementation.open == OpenMode::kNowLocal ? "now-local" : "lazy-global";
  if (!environment.empty()) manifest["environment"] = environment;
  const Limits& limits = implementation.limits;
  if (limits != Limits()) {
    Json& into = manifest["limits"];
    into = {{"start_s", limits.start_s}, {"memory_mib", limits.memory_mib}};
    if (limits.case_s) into["case_s"] = *limits.case_s;
    if (limits.workers) into["workers"] = *limits.workers;
    if (limits.stop_s != Limits().stop_s) into["stop_s"] = limits.stop_s;
  }
  if (module.empty()) manifest["devices"] = implementation.devices;
  const DeclaredCapabilities& declared = implementation.capabilities;
  Json capabilities = Json::object();
  if (declared.operators) {
    Json& operators = capabilities["operators"] = Json::array();
    for (const Operator op : *declared.operators) operators.push_back(InfoOf(op).name);
  }
  if (declared.types) {
    Json& types = capabilities["dtypes"] = Json::array();
    for (const DataType type : *declared.types) types.push_back(DataTypeName(type));
  }
  for (const AcceptRule& rule : declared.accepts) {
    Json& accepts = capabilities["accepts"];
    if (rule.op) {
      accepts[std::string(InfoOf(*rule.op).name)] = rule.text;
    } else {
      accepts = rule.text;
    }
  }
  if (declared.forward_indices_only) capabilities["indices"] = "forward";
  if (declared.refuses_nothing) capabilities["refusals"] = "none";
  if (!capabilities.empty()) manifest["capabilities"] = capabilities;
  return manifest.dump(2) + "\n";
}

fs::path ProgramFolder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

Result<std::string> FindWorkerProgram() {
  const fs::path folder = ProgramFolder();
  for (const fs::path& candidate :
       {folder / "poolproof-worker", folder / ".." / "bin" / "poolproof-worker"}) {
    std::error_code error;
    if (fs::is_regular_file(candidate, error)) return candidate.lexically_normal().string();
  }
  return NotFound("poolproof-worker is neither in the folder of this program nor in its ../bin");
}

std::vector<LibraryIdentity> IdentifyLibraries(const Implementation& implementation) {
  std::vector<LibraryIdentity> identities;
  for (const std::string& library : implementation.libraries) {
    const fs::path path(library);
    const bool is_file = library.find('/') != std::string::npos;
    identities.push_back({path.filename().string(), is_file ? HashOfFile(path) : std::string()});
  }
  for (const std::string& source : implementation.sources) {
    identities.push_back({fs::path(source).filename().string(), HashOfFile(source)});
  }
  return identities;
}

}  // namespace poolproof
