// SPDX-License-Identifier: Apache-2.0
#include "fuzz/subjects.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <span>
#include <utility>

#include "conformance/runner/implementation.h"
#include "conformance/runner/worker_process.h"
#include "optimized/tiers.h"

namespace poolproof {
namespace {

[[noreturn]] void Quit(const std::string& why) {
  std::fprintf(stderr, "fuzz: %s\n", why.c_str());
  std::exit(2);
}

Implementation Resolve(const std::string& name) {
  Result<Implementation> implementation = ResolveImplementation(name);
  if (!implementation.ok()) Quit(implementation.status().message());
  return std::move(implementation).value();
}

OpenRequest RequestFor(const Implementation& implementation) {
  return {implementation.libraries, implementation.open, implementation.devices.front()};
}

// A file of its own with the same contents: opened, it is a library of its own, which chooses a
// tier for itself. The descriptor stays open.
std::string CopyOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  const int copy = ::memfd_create("tier", MFD_CLOEXEC);
  std::span<const char> left(bytes);
  while (copy >= 0 && !left.empty()) {
    const ssize_t written = ::write(copy, left.data(), left.size());
    if (written <= 0) break;
    left = left.subspan(static_cast<std::size_t>(written));
  }
  if (bytes.empty() || !left.empty()) Quit("'" + path + "' cannot be copied");
  return "/proc/self/fd/" + std::to_string(copy);
}

std::vector<std::unique_ptr<Subject>> OpenTiers() {
  const Implementation implementation = Resolve("optimized");
  std::vector<std::unique_ptr<Subject>> subjects;
  for (const Tier* tier : Tiers()) {
    if ((tier->needs & ~CpuFeatures()) != 0) continue;
    OpenRequest request = RequestFor(implementation);
    if (!subjects.empty()) request.libraries = {CopyOf(implementation.libraries.front())};
    subjects.push_back(std::make_unique<Subject>("optimized", tier->name, request));
  }
  return subjects;
}

void OpenForeign(const char* name, Subjects& subjects) {
  const Implementation implementation = Resolve(name);
  // What a worker of its own would find.
  for (const std::string& entry : WorkerEnvironment(implementation, std::nullopt)) {
    const std::size_t equals = entry.find('=');
    ::setenv(entry.substr(0, equals).c_str(), entry.c_str() + equals + 1, /*overwrite=*/1);
  }
  subjects.foreign = std::make_unique<Subject>(implementation.name, "", RequestFor(implementation));
  subjects.foreign_profile =
      ProfileOfSoc(subjects.foreign->probe().soc).value_or(Profile::kAtlasA2);
}

Subjects Open() {
  Subjects subjects;
  subjects.reference = std::make_unique<Subject>("reference", "", RequestFor(Resolve("reference")));
  subjects.optimized = OpenTiers();
  const char* const foreign = std::getenv("POOLPROOF_FUZZ_IMPLEMENTATION");
  if (foreign != nullptr && *foreign != '\0') OpenForeign(foreign, subjects);
  return subjects;
}

}  // namespace

Subject::Subject(std::string name, std::string tier, const OpenRequest& request)
    : name_(std::move(name)), tier_(std::move(tier)), host_(request, progress_) {
  const OpenReply& reply = host_.reply();
  if (reply.error == OpenError::kNone) return;
  std::string why = reply.detail;
  for (const std::string& symbol : reply.probe.missing) why += " " + symbol;
  Quit("implementation '" + name_ + "' cannot be used: " + why);
}

std::string Subject::Title() const { return tier_.empty() ? name_ : name_ + ", tier " + tier_; }

Outcome Subject::Run(const Invocation& invocation) {
  // An engine may have set its signal handlers since the library was opened: they are not its
  // doing.
  if (!std::exchange(ran_, true)) static_cast<void>(host_.CarryOut({}));
  // Read when a library computes for the first time, and in this process by no other.
  if (!tier_.empty()) ::setenv("POOLPROOF_TIER", tier_.c_str(), /*overwrite=*/1);
  return host_.CarryOut(invocation);
}

const Subjects& OpenSubjects() {
  static const Subjects* const subjects = new Subjects(Open());
  return *subjects;
}

}  // namespace poolproof
