// SPDX-License-Identifier: Apache-2.0
//
// poolproof-bench: measures contenders side by side. Those of one problem take turns on the same
// operands, round by round, and only after each has given the right answer; Google Benchmark then
// reports the rounds, one repetition each. Names read
// pass/shape/type/indices/threads/mode/contender.
#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "bench/contender.h"
#include "optimized/tiers.h"

namespace poolproof {
namespace {

struct Options {
  std::vector<std::string> passes = {"backward"};
  std::vector<std::string> shapes;  // prefixes; empty: all
  std::vector<std::string> types = {"f32"};
  std::vector<std::string> indices = {"i32"};
  std::vector<std::string> threads = {"1", "2"};
  std::vector<std::string> modes = {"warm"};
  std::vector<std::string> contenders;  // prefixes; empty: all
  int rounds = 7;
  double round_seconds = 0.02;
  bool cpu_clock = false;  // CPU time of the process instead of time that passes: for busy machines
};

constexpr std::int64_t kColdBytes = std::int64_t{2200} << 20;
constexpr int kColdSets = 8;

std::vector<std::string> Split(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    if (comma > from) parts.push_back(text.substr(from, comma - from));
    from = comma + 1;
  }
  return parts;
}

bool Selected(const std::vector<std::string>& prefixes, std::string_view name) {
  return prefixes.empty() ||
         std::any_of(prefixes.begin(), prefixes.end(),
                     [name](const std::string& prefix) { return name.starts_with(prefix); });
}

// What one name before the contender represents.
struct Group {
  const NetworkShape* shape;
  Pass pass;
  DataType type;
  DataType index_type;
  int threads;
  bool cold;
  std::map<std::string, std::vector<double>> seconds;  // rounds of each contender
  bool measured = false;
};

class Bench {
 public:
  explicit Bench(Options options) : options_(std::move(options)) {
    AddOurContenders(contenders_);
    AddRoofline(contenders_);
#if defined(POOLPROOF_BENCH_TORCH)
    AddTorch(contenders_);
#endif
#if defined(POOLPROOF_BENCH_ONEDNN)
    AddOneDnn(contenders_);
#endif
    std::erase_if(contenders_, [this](const ContenderEntry& entry) {
      return !Selected(options_.contenders, entry.name);
    });
  }

  void Register() {
    for (const std::string& pass : options_.passes) {
      for (const NetworkShape& shape : NetworkShapes()) {
        if (!Selected(options_.shapes, shape.name)) continue;
        for (const std::string& type : options_.types) {
          for (const std::string& index : options_.indices) {
            for (const std::string& threads : options_.threads) {
              for (const std::string& mode : options_.modes) {
                RegisterGroup({&shape,
                               pass == "forward" ? Pass::kForward : Pass::kBackward,
                               ParseDataType(type).value_or(DataType::kFloat),
                               ParseDataType(index).value_or(DataType::kInt32),
                               std::max(std::atoi(threads.c_str()), 1),
                               mode == "cold",
                               {}},
                              pass + "/" + std::string(shape.name) + "/" + type + "/" + index +
                                  "/" + threads + "/" + mode + (options_.cpu_clock ? "-cpu" : ""));
              }
            }
          }
        }
      }
    }
  }

 private:
  void RegisterGroup(const Group& made, const std::string& name) {
    groups_.push_back(std::make_unique<Group>(made));
    Group* const group = groups_.back().get();
    for (const ContenderEntry& entry : contenders_) {
      const auto report = [this, group, name, entry](benchmark::State& state) {
        Measure(*group, name);
        const auto found = group->seconds.find(entry.name);
        if (found == group->seconds.end()) {
          state.SkipWithError("not offered");
          return;
        }
        int& round = rounds_shown_[name + "/" + entry.name];
        const double seconds = found->second[static_cast<std::size_t>(round++ % options_.rounds)];
        for (auto _ : state) {
          static_cast<void>(_);
          state.SetIterationTime(seconds);
        }
        state.counters["bytes"] = static_cast<double>(
            group->shape->Traffic(StorageBytes(group->type), StorageBytes(group->index_type)));
      };
      benchmark::RegisterBenchmark((name + "/" + entry.name).c_str(), report)
          ->UseManualTime()
          ->Iterations(1)
          ->Repetitions(options_.rounds)
          ->Unit(benchmark::kMillisecond);
    }
  }

  void Measure(Group& group, const std::string& name) {
    if (group.measured) return;
    group.measured = true;
    const NetworkShape& shape = *group.shape;
    const std::int64_t traffic =
        shape.Traffic(StorageBytes(group.type), StorageBytes(group.index_type));
    const int sets =
        group.cold ? static_cast<int>(std::clamp<std::int64_t>(kColdBytes / traffic, 2, kColdSets))
                   : 1;
    const Problem& problem = TheProblem(group, sets);
    std::vector<std::pair<std::string, std::unique_ptr<Contender>>> offered;
    for (const ContenderEntry& entry : contenders_) {
      std::unique_ptr<Contender> contender = entry.make(problem, group.threads, entry.data);
      if (contender == nullptr) continue;
      problem.SpoilResult(0);
      contender->Run(0);
      if (!contender->IsRight()) {
        std::fprintf(stderr, "%s/%s: wrong result, not timed\n", name.c_str(), entry.name.c_str());
        wrong_ = true;
        continue;
      }
      offered.emplace_back(entry.name, std::move(contender));
    }
    for (int round = 0; round < options_.rounds; ++round) {
      for (const auto& [who, contender] : offered) {
        group.seconds[who].push_back(Time(*contender, problem.sets(), group.threads));
      }
    }
  }

  // Seconds per call. Threads of the contender before may still spin: this one runs until they are
  // asleep, since processors that idle meanwhile would have to wake up first.
  double Time(Contender& contender, int sets, int threads) const {
    constexpr auto kSpinning = std::chrono::milliseconds(20);
    const auto begin = std::chrono::steady_clock::now();
    do {
      contender.Run(0);
    } while (threads > 1 && std::chrono::steady_clock::now() - begin < kSpinning);
    std::int64_t calls = 0;
    std::int64_t batch = 1;
    const double start = Now();
    double seconds = 0;
    while (seconds < options_.round_seconds) {
      for (std::int64_t i = 0; i < batch; ++i) contender.Run(static_cast<int>(++calls % sets));
      seconds = Now() - start;
      if (seconds < options_.round_seconds / 100) batch *= 2;
    }
    return seconds / static_cast<double>(calls);
  }

  [[nodiscard]] double Now() const {
    timespec now{};
    clock_gettime(options_.cpu_clock ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
  }

  // Kept while groups ask for the same one: threads and contenders come last in the order.
  const Problem& TheProblem(const Group& group, int sets) {
    const auto key = std::make_tuple(group.shape, group.pass, group.type, group.index_type, sets);
    if (!problem_.has_value() || problem_key_ != key) {
      problem_.reset();
      problem_.emplace(*group.shape, group.pass, group.type, group.index_type, sets);
      problem_key_ = key;
    }
    return *problem_;
  }

 public:
  [[nodiscard]] bool wrong() const { return wrong_; }

 private:
  Options options_;
  std::vector<ContenderEntry> contenders_;
  std::vector<std::unique_ptr<Group>> groups_;
  std::map<std::string, int> rounds_shown_;
  std::optional<Problem> problem_;
  std::tuple<const NetworkShape*, Pass, DataType, DataType, int> problem_key_;
  bool wrong_ = false;
};

constexpr const char* kUsage =
    "usage: poolproof-bench [--passes=backward,forward] [--shapes=m03,...] [--types=f32,bf16,f16]\n"
    "         [--indices=i32,i64] [--threads=1,2] [--modes=warm,cold] "
    "[--contenders=optimized,...]\n"
    "         [--rounds=7] [--round_seconds=0.02] [--clock=wall|cpu]\n"
    "         [--benchmark_out=FILE.json] [--benchmark_...]\n";

// Takes our options out of the arguments; false where one is unknown.
bool TakeOptions(int* argc, char** argv, Options& options) {
  const std::map<std::string, std::vector<std::string>*> lists = {
      {"passes", &options.passes},        {"shapes", &options.shapes},   {"types", &options.types},
      {"indices", &options.indices},      {"threads", &options.threads}, {"modes", &options.modes},
      {"contenders", &options.contenders}};
  int kept = 1;
  for (int i = 1; i < *argc; ++i) {
    const std::string argument = argv[i];
    const std::size_t equals = argument.find('=');
    const std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
    const std::string name = argument.starts_with("--") ? argument.substr(2, equals - 2) : "";
    if (const auto list = lists.find(name); list != lists.end()) {
      *list->second = Split(value);
    } else if (name == "rounds") {
      options.rounds = std::max(std::atoi(value.c_str()), 1);
    } else if (name == "round_seconds") {
      options.round_seconds = std::atof(value.c_str());
    } else if (name == "clock" && (value == "cpu" || value == "wall")) {
      options.cpu_clock = value == "cpu";
    } else if (name.starts_with("benchmark_")) {
      argv[kept++] = argv[i];
    } else {
      return false;
    }
  }
  *argc = kept;
  return true;
}

}  // namespace
}  // namespace poolproof

int main(int argc, char** argv) {
  poolproof::Options options;
  if (!poolproof::TakeOptions(&argc, argv, options)) {
    std::fputs(poolproof::kUsage, stderr);
    return 2;
  }
  benchmark::Initialize(&argc, argv);
  benchmark::AddCustomContext("tier", poolproof::BestTier(poolproof::CpuFeatures()).name);
  poolproof::Bench bench(std::move(options));
  bench.Register();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return bench.wrong() ? 1 : 0;
}
