// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/subject.h"
#include "conformance/cann/manifests.h"
#include "conformance/cann/remedy.h"
#include "conformance/cann/system.h"
#include "conformance/case/case_text.h"
#include "conformance/gen/acceptance_cases.h"
#include "conformance/properties/properties.h"
#include "conformance/result/ending.h"
#include "conformance/runner/implementation.h"
#include "conformance/session/attempt.h"
#include "conformance/session/session.h"
#include "core/text.h"
#include "reports/phrases.h"

namespace poolproof {
namespace {

constexpr std::size_t kNameColumns = 10;
constexpr std::size_t kStateColumns = 9;
constexpr std::string_view kRemedyMark = "; remedy: ";

class Examination {
 public:
  explicit Examination(const DoctorRequest& request) : request_(request), system_(SurveyCann()) {}

  // errors: as LookUpLibraries'.
  Result<std::vector<Check>> Run() {
    const Result<std::vector<LibraryLookUp>> look_ups = LookUpLibraries(request_.implementation);
    if (!look_ups.ok()) return look_ups.status().Annotate("--implementation");
    is_cann_ = CannManifest(request_.implementation).has_value();
    for (const LibraryLookUp& look_up : *look_ups) {
      is_cann_ = is_cann_ || AreCannLibraries(look_up.found);
    }
    Toolkit();
    Driver();
    Devices();
    const std::size_t before = checks_.size();
    for (const LibraryLookUp& look_up : *look_ups) Library(look_up);
    Open();
    if (works_) TakeBack(before);
    return std::move(checks_);
  }

 private:
  // Of a library that works nothing is missing: simulators have no driver, virtual devices have
  // files of other names.
  void TakeBack(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      Check& check = checks_[i];
      if (check.state != CheckState::kProblem) continue;
      check.state = CheckState::kNote;
      check.found += "; the library still works";
      check.remedy.clear();
    }
  }

  void Add(std::string_view name, CheckState state, std::string_view found,
           std::string_view remedy = {}) {
    checks_.push_back({std::string(name), state, CleanText(found), CleanText(remedy)});
  }
  void Problem(std::string_view name, std::string_view found, std::string_view remedy) {
    Add(name, CheckState::kProblem, found, remedy);
  }
  void Skip(std::string_view name, std::string_view why) { Add(name, CheckState::kSkipped, why); }

  void Toolkit() {
    if (!is_cann_) return Skip("toolkit", "not needed: none of the libraries is CANN's");
    if (system_.home.empty()) {
      return Problem("toolkit", "ASCEND_HOME_PATH is not set", SourceSetEnv(system_));
    }
    if (!system_.home_exists) {
      return Problem("toolkit", "ASCEND_HOME_PATH is " + system_.home + ", which is not a folder",
                     SourceSetEnv(system_));
    }
    const std::string where = "CANN " +
                              (system_.version.empty() ? "of unknown release" : system_.version) +
                              " in " + system_.home;
    if (system_.opp.empty()) {
      return Problem("toolkit", where + "; ASCEND_OPP_PATH is not set", SourceSetEnv(system_));
    }
    if (!system_.opp_exists) {
      return Problem("toolkit",
                     where + "; ASCEND_OPP_PATH is " + system_.opp + ", which is not a folder",
                     "install the package of operators, then " + SourceSetEnv(system_));
    }
    Add("toolkit", CheckState::kOk, where);
  }

  void Driver() {
    if (!is_cann_) return Skip("driver", "not needed");
    if (!system_.driver) {
      return Problem("driver", "no driver in " + system_.driver_folder, InstallDriver(system_));
    }
    const std::string which =
        "driver " +
        (system_.driver_version.empty() ? "of unknown release" : system_.driver_version) + " in " +
        system_.driver_folder;
    if (system_.hal.empty()) {
      return Problem("driver", which + ", without libascend_hal.so",
                     "install the driver again; in a container, mount the whole folder");
    }
    Add("driver", CheckState::kOk, which);
  }

  void Devices() {
    if (!is_cann_) return Skip("devices", "not needed");
    std::vector<std::string> names;
    for (const DeviceFile& file : system_.devices) names.push_back(file.path);
    std::string found = names.empty() ? "no device file /dev/davinci<N>" : Joined(names, " ");
    if (!system_.visible.empty()) found += ", ASCEND_RT_VISIBLE_DEVICES is " + system_.visible;
    if (const std::string mend = MendDevices(system_); !mend.empty()) {
      return Problem("devices", found, mend);
    }
    const auto denied = std::count_if(system_.devices.begin(), system_.devices.end(),
                                      [](const DeviceFile& file) { return !file.usable; });
    if (denied > 0) {
      return Add(
          "devices", CheckState::kNote,
          found + "; user " + system_.user + " may not use " + std::to_string(denied) + " of them");
    }
    Add("devices", CheckState::kOk, found);
  }

  void Library(const LibraryLookUp& look_up) {
    if (!look_up.status.ok()) {
      constexpr std::string_view kPlace = "libraries: ";
      std::string found = look_up.status.message();
      if (found.starts_with(kPlace)) found.erase(0, kPlace.size());
      return Problem("library", found, RemedyWhereMissing());
    }
    if (look_up.found.empty()) return Skip("library", look_up.wanted + ": none");
    for (const std::string& path : look_up.found) {
      if (!IsStubLibrary(path)) {
        const bool by_name = path.find('/') == std::string::npos;
        Add("library", CheckState::kOk, path + (by_name ? ", left to the dynamic linker" : ""));
        continue;
      }
      Problem("library", path + " is a stub to link with",
              RemedyFor({StartTrouble::Kind::kNoDevice, "", {}, {path}}, system_));
    }
  }

  std::string RemedyWhereMissing() const {
    if (CannManifest(request_.implementation)) return RemedyForMissing(request_.implementation);
    if (is_cann_ && !system_.home_exists) return SourceSetEnv(system_);
    return "name the library by its path, or its folder in `folders`";
  }

  // Opens the implementation as a run does and makes one call.
  void Open() {
    const Result<Subject> subject = FindSubject(request_.implementation, {request_.device, {}});
    if (!subject.ok()) {
      // Told above, library by library, but where each may be absent.
      if (subject.status().code() == StatusCode::kNotFound) {
        if (IsHealthy(checks_)) Problem("library", "none is found", RemedyWhereMissing());
        return NotReached("not all libraries are found");
      }
      Problem("open", subject.status().message(), "");
      return NotReached("it cannot be opened");
    }
    const bool is_explicit = request_.profile.has_value();
    const Result<std::unique_ptr<Worker>> worker =
        subject->start(request_.profile.value_or(Profile::kAtlasA2), is_explicit);
    if (!worker.ok()) {
      std::string message = worker.status().message();
      std::string remedy;
      if (const std::size_t at = message.rfind(kRemedyMark); at != std::string::npos) {
        remedy = message.substr(at + kRemedyMark.size());
        message.resize(at);
      }
      Problem("open", message, remedy);
      return NotReached("it cannot be opened");
    }
    const Probe probe = (*worker)->probe();
    Add("open", CheckState::kOk,
        "opened and initialised" + (probe.devices
                                        ? ", " + std::to_string(*probe.devices) +
                                              (*probe.devices == 1 ? " device" : " devices")
                                        : std::string()));
    if (const std::string said = (*worker)->Said(); !said.empty()) {
      Add("printed", CheckState::kNote, said);
    }
    const Result<Profile> profile = ChooseProfile(request_.profile, probe.soc);
    if (!profile.ok()) {
      Problem("soc", profile.status().message(), "take another --profile, or none");
      return Skip("call", "not tried: the profile is not known");
    }
    Soc(probe, *profile);
    Log();
    Call(*subject, probe, *profile, **worker);
  }

  void NotReached(const std::string& why) {
    Skip("soc", "not reached: " + why);
    Skip("call", "not tried: " + why);
    Log();
  }

  void Soc(const Probe& probe, Profile profile) {
    const ProfileInfo& info = InfoOf(profile);
    const std::string soc = probe.soc.empty() ? "no SoC name" : probe.soc;
    const std::string found = soc + ", profile " + std::string(info.name);
    if (info.supported) return Add("soc", CheckState::kOk, found);
    Add("soc", CheckState::kNote, found + ": by the documents it supports none of the operators");
  }

  void Log() {
    if (!is_cann_ || system_.log_folder.empty()) return;
    Add("log", CheckState::kNote, "CANN writes its log to " + system_.log_folder);
  }

  void Call(const Subject& subject, const Probe& probe, Profile profile, Worker& worker) {
    JudgeContext context;
    context.spec = &Spec::Embedded();
    context.profile = profile;
    const Capabilities capabilities = CapabilitiesOf(probe.operators, subject.declared);
    for (const NamedCase& named : AcceptanceCases(*context.spec, profile)) {
      const OperatorInfo& info = InfoOf(named.problem.calls.front().op);
      if (info.is_forward || named.problem.plan.descriptors_only || !capabilities.Has(info.op) ||
          OutsideCapabilities(capabilities, named.problem)) {
        continue;
      }
      const Result<PreparedCase> prepared = Prepare(context.rules(), named.problem);
      if (!prepared.ok()) return Problem("call", prepared.status().message(), "");
      return Judged(named, AttemptCase(context, &JudgeWithProperties, *prepared, worker));
    }
    Skip("call",
         "not tried: profile " + std::string(InfoOf(profile).name) + " has no call that it offers");
  }

  void Judged(const NamedCase& named, const Attempt& attempt) {
    const std::string name = "aclnn" + std::string(InfoOf(named.problem.calls.front().op).name);
    if (attempt.verdict.kind == VerdictKind::kPassed) {
      works_ = true;
      return Add("call", CheckState::kOk, name + ": called, and its numbers are right");
    }
    const Outcome& outcome = attempt.outcome;
    std::string found = name + ": ";
    std::int32_t status = 0;
    if (outcome.end != End::kReturned) {
      found += ShownEnd(EndText(outcome)) + (outcome.detail.empty() ? "" : ", " + outcome.detail);
    } else {
      found += attempt.verdict.findings.empty() ? attempt.verdict.note
                                                : attempt.verdict.findings.front().message;
      for (const CallOutcome& call : outcome.calls) {
        for (const auto& one : {call.phase_one, call.phase_two, call.synchronise}) {
          if (status == 0 && one) status = *one;
        }
      }
    }
    std::string remedy = RemedyForStatus(status, system_);
    const bool is_set_up = !remedy.empty();
    if (!is_set_up) {
      remedy = "poolproof replay --implementation " + request_.implementation + " '" +
               CaseLine(named.problem) + "' prints the details";
    }
    // Wrong numbers and arguments that the operator refuses (161...) are a matter for `run`:
    // everything that it needs is there.
    works_ = outcome.end == End::kReturned && (status == 0 || status / 1000 == 161);
    Add("call", works_ ? CheckState::kNote : CheckState::kProblem, found, remedy);
    if (!outcome.output_tail.empty()) Add("printed", CheckState::kNote, outcome.output_tail);
  }

  const DoctorRequest& request_;
  const CannSystem system_;
  bool is_cann_ = false;
  bool works_ = false;  // the call was carried out
  std::vector<Check> checks_;
};

// `words` in lines of at most `columns`, the second and later ones behind `margin` blanks.
std::string Wrapped(std::string_view words, std::size_t margin, std::size_t columns) {
  std::string text;
  std::size_t used = margin;
  bool first = true;
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    const std::string_view word = words.substr(0, end);
    words.remove_prefix(std::min(end + 1, words.size()));
    if (word.empty()) continue;
    if (!first && used + 1 + word.size() > columns) {
      text += "\n" + std::string(margin, ' ');
      used = margin;
      first = true;
    }
    if (!first) {
      text += ' ';
      ++used;
    }
    text += word;
    used += word.size();
    first = false;
  }
  return text;
}

std::string Column(std::string_view words, std::size_t columns) {
  return std::string(words) + std::string(columns > words.size() ? columns - words.size() : 1, ' ');
}

}  // namespace

std::string_view CheckStateName(CheckState state) {
  switch (state) {
    case CheckState::kOk:
      return "ok";
    case CheckState::kNote:
      return "note";
    case CheckState::kProblem:
      return "PROBLEM";
    case CheckState::kSkipped:
      return "-";
  }
  return "";
}

Result<std::vector<Check>> Examine(const DoctorRequest& request) {
  return Examination(request).Run();
}

bool IsHealthy(const std::vector<Check>& checks) {
  return std::none_of(checks.begin(), checks.end(),
                      [](const Check& check) { return check.state == CheckState::kProblem; });
}

std::string DoctorText(const std::vector<Check>& checks, std::size_t width) {
  constexpr std::string_view kArrow = "-> ";
  const std::size_t columns = std::clamp<std::size_t>(width == 0 ? 100 : width, 40, 100);
  const std::size_t margin = kNameColumns + kStateColumns;
  std::string text;
  for (const Check& check : checks) {
    text += Column(check.name, kNameColumns) + Column(CheckStateName(check.state), kStateColumns) +
            Wrapped(check.found, margin, columns) + "\n";
    if (check.remedy.empty()) continue;
    text += std::string(margin, ' ') + std::string(kArrow) +
            Wrapped(check.remedy, margin + kArrow.size(), columns) + "\n";
  }
  return text;
}

std::string DoctorJson(const DoctorRequest& request, const std::vector<Check>& checks) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const Check& check : checks) {
    const bool skipped = check.state == CheckState::kSkipped;
    const bool problem = check.state == CheckState::kProblem;
    list.push_back({{"name", check.name},
                    {"state", skipped   ? "skipped"
                              : problem ? "problem"
                                        : std::string(CheckStateName(check.state))},
                    {"found", check.found},
                    {"remedy", check.remedy.empty() ? Json() : Json(check.remedy)}});
  }
  const Json document = {{"schema", "poolproof-doctor/1"},
                         {"implementation", request.implementation},
                         {"healthy", IsHealthy(checks)},
                         {"checks", list}};
  return document.dump(1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) + "\n";
}

}  // namespace poolproof
