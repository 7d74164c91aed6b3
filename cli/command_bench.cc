// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/outputs.h"
#include "cli/program.h"
#include "cli/subject.h"
#include "conformance/runner/implementation.h"
#include "conformance/session/environment.h"
#include "conformance/session/process_worker.h"
#include "conformance/session/session.h"
#include "conformance/spec/spec.h"
#include "conformance/timing/time_libraries.h"
#include "reports/charts/performance.h"

namespace poolproof {
namespace {

struct BenchArguments {
  std::string implementation;
  std::vector<std::string> against;
  std::optional<std::string> device;
  std::optional<std::string> profile;
  std::optional<std::string> shapes;
  std::string passes = "backward";
  std::string types = "f32";
  std::string indices = "i32";
  std::optional<std::string> threads;
  std::string modes = "warm,cold";
  std::string clock = "wall";
  std::string narrow = "5";
  std::string visits = "12";
  std::string round_time = "5ms";
  std::optional<std::string> json;
  std::optional<std::string> markdown;
  std::optional<std::string> html;
};

// The parts between commas. errors: kInvalidArgument where there is an empty one.
Result<std::vector<std::string>> ListOf(const std::string& option, const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    parts.push_back(text.substr(from, comma - from));
    if (parts.back().empty()) {
      return InvalidArgument(option + " '" + text + "' has an empty entry");
    }
    from = comma + 1;
  }
  return parts;
}

// Each part by its place among `names`.
Result<std::vector<std::size_t>> ChoiceOf(const std::string& option, const std::string& text,
                                          const std::vector<std::string_view>& names) {
  const Result<std::vector<std::string>> parts = ListOf(option, text);
  if (!parts.ok()) return parts.status();
  std::vector<std::size_t> chosen;
  for (const std::string& part : *parts) {
    const auto found = std::find(names.begin(), names.end(), part);
    if (found == names.end()) {
      return InvalidArgument(option + ": unknown '" + part + "'; expected " + JoinNames(names));
    }
    const auto place = static_cast<std::size_t>(found - names.begin());
    if (std::find(chosen.begin(), chosen.end(), place) == chosen.end()) chosen.push_back(place);
  }
  return chosen;
}

Result<std::vector<const NetworkShape*>> ShapesOf(const std::optional<std::string>& text) {
  std::vector<const NetworkShape*> shapes;
  std::vector<std::string_view> names;
  for (const NetworkShape& shape : NetworkShapes()) {
    names.push_back(shape.name);
    if (!text) shapes.push_back(&shape);
  }
  if (!text) return shapes;
  const Result<std::vector<std::string>> parts = ListOf("--shapes", *text);
  if (!parts.ok()) return parts.status();
  for (const NetworkShape& shape : NetworkShapes()) {
    if (std::any_of(parts->begin(), parts->end(),
                    [&](const std::string& part) { return shape.name.starts_with(part); })) {
      shapes.push_back(&shape);
    }
  }
  for (const std::string& part : *parts) {
    if (std::none_of(names.begin(), names.end(),
                     [&](std::string_view name) { return name.starts_with(part); })) {
      return InvalidArgument("--shapes: no shape begins with '" + part + "'; they are " +
                             JoinNames(names));
    }
  }
  return shapes;
}

Result<std::vector<int>> ThreadsOf(const std::optional<std::string>& text) {
  const int all = AvailableProcessors();
  if (!text) return all == 1 ? std::vector<int>{1} : std::vector<int>{1, all};
  const Result<std::vector<std::string>> parts = ListOf("--threads", *text);
  if (!parts.ok()) return parts.status();
  std::vector<int> threads;
  for (const std::string& part : *parts) {
    const Result<std::int64_t> count = ParseCount("--threads", part, 1);
    if (!count.ok()) return count.status();
    if (*count > 1024) return InvalidArgument("--threads '" + part + "' is more than 1024");
    threads.push_back(static_cast<int>(*count));
  }
  return threads;
}

Result<TimingOptions> OptionsOf(const BenchArguments& arguments) {
  TimingOptions options;
  const Result<std::vector<const NetworkShape*>> shapes = ShapesOf(arguments.shapes);
  if (!shapes.ok()) return shapes.status();
  options.shapes = *shapes;
  const auto passes = ChoiceOf("--passes", arguments.passes, {"backward", "forward"});
  if (!passes.ok()) return passes.status();
  for (const std::size_t pass : *passes) options.forwards.push_back(pass == 1);
  constexpr std::array kTypes = {DataType::kFloat, DataType::kFloat16, DataType::kBf16};
  const auto types = ChoiceOf("--types", arguments.types, {"f32", "f16", "bf16"});
  if (!types.ok()) return types.status();
  for (const std::size_t type : *types) options.types.push_back(kTypes[type]);
  constexpr std::array kIndexTypes = {DataType::kInt32, DataType::kInt64};
  const auto indices = ChoiceOf("--indices", arguments.indices, {"i32", "i64"});
  if (!indices.ok()) return indices.status();
  for (const std::size_t type : *indices) options.index_types.push_back(kIndexTypes[type]);
  const Result<std::vector<int>> threads = ThreadsOf(arguments.threads);
  if (!threads.ok()) return threads.status();
  options.threads = *threads;
  const auto modes = ChoiceOf("--modes", arguments.modes, {"warm", "cold"});
  if (!modes.ok()) return modes.status();
  for (const std::size_t mode : *modes) options.colds.push_back(mode == 1);
  const auto clock = ChoiceOf("--clock", arguments.clock, {"wall", "cpu"});
  if (!clock.ok()) return clock.status();
  options.cpu_clock = clock->front() == 1;
  const Result<std::int64_t> narrow = ParseCount("--narrow", arguments.narrow, 1);
  if (!narrow.ok()) return narrow.status();
  options.narrow = static_cast<double>(*narrow) / 100;
  const Result<std::int64_t> visits = ParseCount("--visits", arguments.visits, 1);
  if (!visits.ok()) return visits.status();
  options.most_visits = static_cast<int>(std::min<std::int64_t>(*visits, 1000));
  const auto round_time = ParseDuration("--round-time", arguments.round_time);
  if (!round_time.ok()) return round_time.status();
  options.round_ns = std::chrono::nanoseconds(*round_time).count();
  return options;
}

// Threads of those that wait do not disturb the one that is timed.
TimedLibrary LibraryOf(const Implementation& implementation, const std::string& worker_program,
                       const std::optional<Profile>& asked) {
  return {implementation.name, implementation.capabilities, [=](int threads) {
            Implementation one = implementation;
            auto& variables = one.environment["*"];
            variables.emplace("OMP_WAIT_POLICY", "passive");
            if (threads > 0) {
              for (const char* name : {"POOLPROOF_NUM_THREADS", "OMP_NUM_THREADS"}) {
                variables[name] = std::to_string(threads);
              }
            }
            return MakeSubject(one, worker_program)
                .start(asked.value_or(Profile::kAtlasA2), asked.has_value());
          }};
}

// The implementation first, then `optimized` and what else is named.
Result<std::vector<Implementation>> Contenders(const BenchArguments& arguments) {
  std::vector<std::string> names = {arguments.implementation};
  if (std::find(arguments.against.begin(), arguments.against.end(), "optimized") ==
      arguments.against.end()) {
    names.emplace_back("optimized");
  }
  names.insert(names.end(), arguments.against.begin(), arguments.against.end());
  std::vector<Implementation> found;
  for (std::size_t i = 0; i < names.size(); ++i) {
    Result<Implementation> one = FindImplementation(names[i], {arguments.device, {}});
    if (!one.ok()) return one.status();
    const auto named = [&](const Implementation& other) { return other.name == one->name; };
    if (std::any_of(found.begin(), found.end(), named)) {
      if (names[i] == "optimized") continue;
      one.value().name += " (" + std::to_string(i + 1) + ")";
    }
    found.push_back(std::move(one).value());
  }
  return found;
}

Result<int> Run(const BenchArguments& arguments, const Io& io) {
  const Result<TimingOptions> options = OptionsOf(arguments);
  if (!options.ok()) return options.status();
  std::optional<Profile> asked;
  if (arguments.profile) {
    const Result<Profile> profile = ParseProfileOption(*arguments.profile);
    if (!profile.ok()) return profile.status();
    asked = *profile;
  }
  Performance performance;
  const std::vector<Output> outputs = {
      {"--json", arguments.json, [&] { return PerformanceJson(performance); }},
      {"--markdown", arguments.markdown, [&] { return PerformanceMarkdown(performance); }},
      {"--html", arguments.html, [&] { return PerformancePage(performance, ToolVersion()); }}};
  if (Status status = CheckOutputs(outputs); !status.ok()) return status;
  const Result<std::vector<Implementation>> contenders = Contenders(arguments);
  if (!contenders.ok()) return contenders.status();
  const Result<std::string> worker_program = FindWorkerProgram();
  if (!worker_program.ok()) return Unavailable(worker_program.status().message());
  const Result<Profile> profile =
      ProfileOf(MakeSubject(contenders->front(), *worker_program), asked);
  if (!profile.ok()) return profile.status();

  JudgeContext context;
  context.spec = &Spec::Embedded();
  context.profile = *profile;
  std::vector<TimedLibrary> libraries;
  for (const Implementation& one : *contenders) {
    libraries.push_back(LibraryOf(one, *worker_program, asked));
  }
  Result<Performance> timed = TimeLibraries(
      context, *options, libraries,
      [&io](const std::string& line) { io.err << "poolproof bench: " << line << std::endl; },
      io.stop);
  if (!timed.ok()) return timed.status();
  performance = std::move(timed).value();
  const std::string& name = performance.implementation;
  const bool any = !performance.rows.empty() || !performance.not_timed.empty();
  if (!any) return io.stop ? kExitIncomplete : kExitHarness;
  std::ostream& talk = TakesStdout(outputs) ? io.err : io.out;
  talk << PerformanceText(performance) << std::flush;
  if (Status status = WriteOutputs(io, outputs); !status.ok()) return status;
  if (std::any_of(performance.not_timed.begin(), performance.not_timed.end(),
                  [&](const NotTimed& entry) { return entry.fault && entry.who == name; })) {
    return kExitNonconformant;
  }
  if (io.stop) return kExitIncomplete;
  if (performance.rows.empty()) {
    return Unavailable("nothing of implementation '" + name + "' could be timed");
  }
  return kExitOk;
}

}  // namespace

void DeclareBench(const Command& app, Action& action) {
  const Command command =
      app.AddCommand("bench", "Time an implementation, others, and what the machine allows");
  const auto arguments = std::make_shared<BenchArguments>();
  DeclareImplementation(command, arguments->implementation);
  command
      .AddOption("--against", arguments->against,
                 "Time this one too, as `optimized` always is (may be repeated)")
      .TypeName("Y")
      .OneValueEach();
  command.AddOption("--shapes", arguments->shapes, "Shapes by how they begin; default: all")
      .TypeName("M,..");
  command.AddOption("--passes", arguments->passes, "backward, forward; default: backward")
      .TypeName("P,..");
  command.AddOption("--types", arguments->types, "f32, f16, bf16; default: f32").TypeName("T,..");
  command.AddOption("--indices", arguments->indices, "i32, i64; default: i32").TypeName("T,..");
  command
      .AddOption("--threads", arguments->threads,
                 "Threads on the host (OMP_NUM_THREADS); default: 1 and all CPUs")
      .TypeName("N,..");
  command
      .AddOption("--modes", arguments->modes,
                 "warm: operands are in caches, cold: they are not; default: both")
      .TypeName("M,..");
  command
      .AddOption("--clock", arguments->clock,
                 "wall, or cpu: time of CPUs, for busy machines; default: wall")
      .TypeName("C");
  command
      .AddOption("--narrow", arguments->narrow,
                 "Repeat until the median is known to N per cent; default: 5")
      .TypeName("N");
  command.AddOption("--visits", arguments->visits, "Repeat at most N times; default: 12")
      .TypeName("N");
  command.AddOption("--round-time", arguments->round_time, "Length of a round; default: 5ms")
      .TypeName("D");
  command.AddOption("--profile", arguments->profile, "Product family to run it as").TypeName("P");
  DeclareDevice(command, arguments->device);
  command.AddOption("--json", arguments->json, "Write the times here; - is stdout").TypeName("F");
  command.AddOption("--markdown", arguments->markdown, "Write tables here; - is stdout")
      .TypeName("F");
  command.AddOption("--html", arguments->html, "Write a page with charts here; - is stdout")
      .TypeName("F");
  command.SetGroup("Judge");
  command.SetFooter(
      "Examples:\n"
      "  poolproof bench --implementation ./libyours.so\n"
      "  poolproof bench --implementation ./libyours.so --shapes m03,a21 --json t.json\n"
      "\n"
      "Exit status: 0 timed, 1 some of it ended badly or gave a wrong answer, 2 usage,\n"
      "3 nothing could be timed, 4 stopped.");
  command.OnChosen(
      [arguments, &action] { action = [arguments](const Io& io) { return Run(*arguments, io); }; });
}

}  // namespace poolproof
