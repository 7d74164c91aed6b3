// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/implementation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>
#include <system_error>

#include "conformance/json/strict_json.h"
#include "core/sha256.h"

namespace poolproof {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::string_view kManifestSchema = "poolproof-manifest/1";
constexpr std::uintmax_t kMaxManifestBytes = 1 << 20;

std::string Quoted(std::string_view text) {
  std::string quoted(1, '\'');
  quoted += text;
  quoted += '\'';
  return quoted;
}

Status CheckReadableFile(const fs::path& path, const std::string& what) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return NotFound(what + ": no such file");
  if (!fs::is_regular_file(status)) return InvalidArgument(what + ": not a file");
  if (!std::ifstream(path)) return InvalidArgument(what + ": cannot be read");
  return OkStatus();
}

fs::path ProgramFolder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

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
  return NotFound("implementation " + Quoted(name) + ": " + file +
                  " is neither in ../lib of this program nor beside it");
}

Result<Implementation> ResolveLibraries(std::string_view text) {
  Implementation implementation;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string path(text.substr(at, end - at));
    at = end + 1;
    const std::string what = "implementation " + Quoted(path);
    if (path.empty()) {
      return InvalidArgument("implementation " + Quoted(text) +
                             ": a library's path is empty; wanted reference, optimized, library "
                             "paths with commas between them, or a manifest (*.json)");
    }
    if (Status status = CheckReadableFile(path, what); !status.ok()) {
      const bool a_word = path.find('/') == std::string::npos && !path.ends_with(".so");
      if (status.code() != StatusCode::kNotFound || !a_word) return status;
      return NotFound(what + ": neither reference nor optimized, and no such file");
    }
    if (!implementation.name.empty()) implementation.name += ",";
    implementation.name += fs::path(path).filename().string();
    implementation.libraries.push_back(fs::absolute(path).lexically_normal().string());
  }
  if (implementation.libraries.size() > 1) implementation.open = OpenMode::kLazyGlobal;
  return implementation;
}

// --- Manifest ------------------------------------------------------------------------------------

std::string Shown(const Json& value) {
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}

Status Wrong(const std::string& member, const Json& value, std::string_view wanted) {
  return InvalidArgument(member + " is " + Shown(value) + ", wanted " + std::string(wanted));
}

Status CheckMembers(const std::string& where, const Json& object,
                    std::initializer_list<std::string_view> known) {
  if (!object.is_object()) return Wrong(where, object, "an object");
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    std::string wanted;
    for (const std::string_view name : known) {
      if (!wanted.empty()) wanted += ", ";
      wanted += name;
    }
    return InvalidArgument(where + " has an unknown member " + Quoted(key) + "; known are " +
                           wanted);
  }
  return OkStatus();
}

Status ReadText(const Json& object, const char* key, const std::string& where, std::string& into) {
  const auto found = object.find(key);
  if (found == object.end()) return OkStatus();
  if (!found->is_string() || found->get_ref<const std::string&>().empty()) {
    return Wrong(where + key, *found, "a text that is not empty");
  }
  into = found->get<std::string>();
  return OkStatus();
}

Status ReadSeconds(const Json& limits, const char* key, double& into, bool& present) {
  const auto found = limits.find(key);
  present = found != limits.end();
  if (!present) return OkStatus();
  // A day is longer than any call; the bound keeps the conversion to milliseconds exact.
  if (!found->is_number() || !(found->get<double>() > 0) || found->get<double>() > 86400) {
    return Wrong(std::string("limits.") + key, *found, "seconds above 0 and up to 86400");
  }
  into = found->get<double>();
  return OkStatus();
}

Result<std::int64_t> ReadInteger(const std::string& member, const Json& value, std::int64_t low,
                                 std::int64_t high) {
  const bool fits = value.is_number_integer() &&
                    (!value.is_number_unsigned() ||
                     value.get<std::uint64_t>() <=
                         static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
  if (!fits || value.get<std::int64_t>() < low || value.get<std::int64_t>() > high) {
    return Wrong(member, value,
                 "an integer from " + std::to_string(low) + " to " + std::to_string(high));
  }
  return value.get<std::int64_t>();
}

Status ReadLibraries(const Json& manifest, const fs::path& folder, Implementation& into) {
  const auto found = manifest.find("libraries");
  if (found == manifest.end()) return InvalidArgument("libraries is missing");
  if (!found->is_array() || found->empty()) {
    return Wrong("libraries", *found, "an array of at least one path or soname");
  }
  for (const Json& entry : *found) {
    if (!entry.is_string() || entry.get_ref<const std::string&>().empty()) {
      return Wrong("libraries", entry, "a path or soname");
    }
    const auto& name = entry.get_ref<const std::string&>();
    const fs::path path = folder / name;  // `name` itself where it is absolute
    Status status = CheckReadableFile(path, "libraries: " + Quoted(name));
    if (status.ok()) {
      into.libraries.push_back(fs::absolute(path).lexically_normal().string());
    } else if (status.code() == StatusCode::kNotFound && name.find('/') == std::string::npos) {
      into.libraries.push_back(name);  // a soname, for the dynamic linker to find
    } else {
      return status;
    }
  }
  return OkStatus();
}

Status ReadOpen(const Json& manifest, Implementation& into) {
  into.open = into.libraries.size() > 1 ? OpenMode::kLazyGlobal : OpenMode::kNowLocal;
  const auto found = manifest.find("open");
  if (found == manifest.end()) return OkStatus();
  if (*found == "now-local") {
    into.open = OpenMode::kNowLocal;
  } else if (*found == "lazy-global") {
    into.open = OpenMode::kLazyGlobal;
  } else {
    return Wrong("open", *found, "\"now-local\" or \"lazy-global\"");
  }
  return OkStatus();
}

Status ReadEnvironment(const Json& manifest, Implementation& into) {
  const auto found = manifest.find("environment");
  if (found == manifest.end()) return OkStatus();
  if (!found->is_object()) return Wrong("environment", *found, "an object");
  for (const auto& [scope, variables] : found->items()) {
    const std::string where = "environment." + scope;
    if (scope != "*" && !ParseProfile(scope)) {
      return InvalidArgument("environment has a member " + Quoted(scope) +
                             ", wanted \"*\" or the name of a profile");
    }
    if (!variables.is_object()) return Wrong(where, variables, "an object");
    for (const auto& [name, value] : variables.items()) {
      const bool name_ok = !name.empty() && name.find('=') == std::string::npos &&
                           name.find('\0') == std::string::npos;
      if (!name_ok) return InvalidArgument(where + ": " + Quoted(name) + " names no variable");
      if (!value.is_string() ||
          value.get_ref<const std::string&>().find('\0') != std::string::npos) {
        return Wrong(where + "." + name, value, "a text");
      }
      into.environment[scope][name] = value.get<std::string>();
    }
  }
  return OkStatus();
}

Status ReadLimits(const Json& manifest, Limits& into) {
  const auto found = manifest.find("limits");
  if (found == manifest.end()) return OkStatus();
  if (Status s = CheckMembers("limits", *found, {"start_s", "case_s", "memory_mib", "workers"});
      !s.ok()) {
    return s;
  }
  bool present = false;
  if (Status s = ReadSeconds(*found, "start_s", into.start_s, present); !s.ok()) return s;
  double case_s = 0;
  if (Status s = ReadSeconds(*found, "case_s", case_s, present); !s.ok()) return s;
  if (present) into.case_s = case_s;
  if (const auto memory = found->find("memory_mib"); memory != found->end()) {
    Result<std::int64_t> value = ReadInteger("limits.memory_mib", *memory, 16, 1 << 30);
    if (!value.ok()) return value.status();
    into.memory_mib = value.value();
  }
  if (const auto workers = found->find("workers"); workers != found->end()) {
    Result<std::int64_t> value = ReadInteger("limits.workers", *workers, 1, 4096);
    if (!value.ok()) return value.status();
    into.workers = static_cast<int>(value.value());
  }
  return OkStatus();
}

Status ReadDevices(const Json& manifest, Implementation& into) {
  const auto found = manifest.find("devices");
  if (found == manifest.end()) return OkStatus();
  if (!found->is_array() || found->empty()) {
    return Wrong("devices", *found, "an array of at least one device number");
  }
  into.devices.clear();
  for (const Json& entry : *found) {
    Result<std::int64_t> value = ReadInteger("devices", entry, 0, 65535);
    if (!value.ok()) return value.status();
    into.devices.push_back(static_cast<std::int32_t>(value.value()));
  }
  return OkStatus();
}

// An empty list says nothing, like an absent one.
template <typename T, typename Parse>
Status ReadNames(const Json& capabilities, const char* key, const char* wanted, Parse parse,
                 std::optional<std::vector<T>>& into) {
  const auto found = capabilities.find(key);
  const std::string member = std::string("capabilities.") + key;
  if (found == capabilities.end()) return OkStatus();
  if (!found->is_array()) return Wrong(member, *found, "an array of names");
  std::vector<T> values;
  for (const Json& entry : *found) {
    const std::optional<T> value =
        entry.is_string() ? parse(entry.get_ref<const std::string&>()) : std::nullopt;
    if (!value) return Wrong(member, entry, wanted);
    values.push_back(*value);
  }
  if (!values.empty()) into = std::move(values);
  return OkStatus();
}

std::optional<DataType> ParseTypeName(std::string_view name) {
  if (std::optional<DataType> type = ParseDataType(name)) return type;
  for (const DataTypeInfo& info : AllDataTypes()) {
    if (info.abi_name == name) return info.type;
  }
  return std::nullopt;
}

Status ReadCapabilities(const Json& manifest, Capabilities& into) {
  const auto found = manifest.find("capabilities");
  if (found == manifest.end()) return OkStatus();
  if (Status s = CheckMembers("capabilities", *found, {"operators", "dtypes", "indices"});
      !s.ok()) {
    return s;
  }
  if (Status s = ReadNames<Operator>(*found, "operators",
                                     "an operator's name, as MaxPool3dWithArgmaxBackward",
                                     ParseOperator, into.operators);
      !s.ok()) {
    return s;
  }
  if (Status s = ReadNames<DataType>(*found, "dtypes", "a data type's name, as f32", ParseTypeName,
                                     into.types);
      !s.ok()) {
    return s;
  }
  const auto indices = found->find("indices");
  if (indices == found->end() || *indices == "any") return OkStatus();
  if (*indices != "forward")
    return Wrong("capabilities.indices", *indices, "\"any\" or \"forward\"");
  into.forward_indices_only = true;
  return OkStatus();
}

Result<Implementation> ReadManifest(const Json& manifest, const fs::path& folder,
                                    std::string default_name) {
  if (Status s = CheckMembers("manifest", manifest,
                              {"schema", "name", "libraries", "open", "environment", "limits",
                               "devices", "capabilities"});
      !s.ok()) {
    return s;
  }
  if (!manifest.contains("schema")) {
    return InvalidArgument("schema is missing, wanted \"" + std::string(kManifestSchema) + "\"");
  }
  if (manifest["schema"] != kManifestSchema) {
    return Wrong("schema", manifest["schema"], "\"" + std::string(kManifestSchema) + "\"");
  }
  Implementation implementation;
  implementation.name = std::move(default_name);
  if (Status s = ReadText(manifest, "name", "", implementation.name); !s.ok()) return s;
  if (Status s = ReadLibraries(manifest, folder, implementation); !s.ok()) return s;
  if (Status s = ReadOpen(manifest, implementation); !s.ok()) return s;
  if (Status s = ReadEnvironment(manifest, implementation); !s.ok()) return s;
  if (Status s = ReadLimits(manifest, implementation.limits); !s.ok()) return s;
  if (Status s = ReadDevices(manifest, implementation); !s.ok()) return s;
  if (Status s = ReadCapabilities(manifest, implementation.capabilities); !s.ok()) return s;
  return implementation;
}

Result<Implementation> ResolveManifest(std::string_view text) {
  const fs::path path(text);
  const std::string what = "manifest " + Quoted(text);
  if (Status status = CheckReadableFile(path, what); !status.ok()) return status;
  std::error_code error;
  if (fs::file_size(path, error) > kMaxManifestBytes) {
    return InvalidArgument(what + ": larger than 1 MiB");
  }
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  Result<Implementation> parsed =
      ParseManifest(content.str(), fs::absolute(path).parent_path(), path.stem().string());
  if (!parsed.ok()) return parsed.status().Annotate(what);
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
  const Result<Json> json = ParseStrictJson<Json>(text);
  if (!json.ok()) return json.status();
  return ReadManifest(*json, folder, std::move(default_name));
}

Result<Implementation> ResolveImplementation(std::string_view text,
                                             const fs::path& program_folder) {
  if (text == "reference" || text == "optimized") return ResolveBuiltIn(text, program_folder);
  if (text.ends_with(".json")) return ResolveManifest(text);
  return ResolveLibraries(text);
}

Result<Implementation> ResolveImplementation(std::string_view text) {
  return ResolveImplementation(text, ProgramFolder());
}

Result<std::string> FindWorkerProgram() {
  const fs::path folder = ProgramFolder();
  for (const fs::path& candidate :
       {folder / "poolproof-worker", folder / ".." / "bin" / "poolproof-worker"}) {
    std::error_code error;
    if (fs::is_regular_file(candidate, error)) return candidate.lexically_normal().string();
  }
  return NotFound("poolproof-worker is neither beside this program nor in its ../bin");
}

std::vector<LibraryIdentity> IdentifyLibraries(const Implementation& implementation) {
  std::vector<LibraryIdentity> identities;
  for (const std::string& library : implementation.libraries) {
    const fs::path path(library);
    const bool is_file = library.find('/') != std::string::npos;
    identities.push_back({path.filename().string(), is_file ? HashOfFile(path) : std::string()});
  }
  return identities;
}

std::vector<std::pair<std::string, std::string>> DeclaredCapabilities(
    const Implementation& implementation) {
  const Capabilities& capabilities = implementation.capabilities;
  std::vector<std::pair<std::string, std::string>> declared;
  const auto add = [&](const char* key, const auto& values, const auto& name_of) {
    std::string text;
    for (const auto value : values) {
      if (!text.empty()) text += ",";
      text += name_of(value);
    }
    declared.emplace_back(key, text);
  };
  if (capabilities.operators) {
    add("operators", *capabilities.operators, [](Operator op) { return InfoOf(op).name; });
  }
  if (capabilities.types) {
    add("dtypes", *capabilities.types, [](DataType type) { return DataTypeName(type); });
  }
  if (capabilities.forward_indices_only) declared.emplace_back("indices", "forward");
  return declared;
}

Result<Capabilities> ParseDeclaredCapabilities(
    const std::vector<std::pair<std::string, std::string>>& declared) {
  Capabilities capabilities;
  for (const auto& [key, text] : declared) {
    const Status wrong = InvalidArgument("declared capability " + key + ": '" + text + "'");
    if (key == "indices" && text == "forward") {
      capabilities.forward_indices_only = true;
      continue;
    }
    if (key == "operators") capabilities.operators.emplace();
    if (key == "dtypes") capabilities.types.emplace();
    if (!capabilities.operators && !capabilities.types) return wrong;
    std::stringstream names(text);
    for (std::string name; std::getline(names, name, ',');) {
      const std::optional<Operator> op = ParseOperator(name);
      const std::optional<DataType> type = ParseDataType(name);
      if (key == "operators" && op) {
        capabilities.operators->push_back(*op);
      } else if (key == "dtypes" && type) {
        capabilities.types->push_back(*type);
      } else {
        return wrong;
      }
    }
  }
  return capabilities;
}

}  // namespace poolproof
