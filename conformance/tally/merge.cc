// SPDX-License-Identifier: Apache-2.0
#include "conformance/tally/merge.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include "conformance/tally/assemble.h"

namespace poolproof {
namespace {

// A shard's result and the file that it was first met in.
struct Found {
  ShardInfo info;
  std::string file;
};

std::int64_t Planned(const Report& report) { return report.summary.cases + report.summary.not_run; }

bool HasRecords(const Report& report) {
  return std::all_of(report.run.shards.begin(), report.run.shards.end(),
                     [](const ShardInfo& shard) { return shard.record.has_value(); });
}

// What must be the same in all reports, in words; the first difference.
Status SamePlan(const NamedReport& a, const NamedReport& b) {
  const auto differ = [&](const std::string& what, const std::string& in_a,
                          const std::string& in_b) {
    if (in_a == in_b) return OkStatus();
    return InvalidArgument(b.name + ": " + what + " is '" + in_b + "', in " + a.name + " it is '" +
                           in_a + "': not shards of one plan");
  };
  const Report& x = a.report;
  const Report& y = b.report;
  const auto identity = [](const ImplementationIdentity& implementation) {
    std::string text = implementation.name;
    for (const LibraryIdentity& library : implementation.libraries) {
      text += ", " + library.name + " " + library.sha256;
    }
    return text;
  };
  const auto probed = [](const ImplementationIdentity& implementation) {
    std::string text = implementation.probe.soc;
    for (const std::string& name : implementation.probe.operators) text += ", " + name;
    for (const auto& [key, value] : implementation.declared) text += ", " + key + "=" + value;
    return text;
  };
  const std::tuple<std::string, std::string, std::string> rows[] = {
      {"the tool's version", x.tool_version, y.tool_version},
      {"the edition", std::string(EditionName(x.edition)), std::string(EditionName(y.edition))},
      {"the spec's hash", x.spec_sha256, y.spec_sha256},
      {"run.plan_sha256", x.run.plan_sha256, y.run.plan_sha256},
      {"run.seed", std::to_string(x.run.seed), std::to_string(y.run.seed)},
      {"run.set", std::string(CaseSetName(x.run.set)), std::string(CaseSetName(y.run.set))},
      {"run.scope", std::string(RunScopeName(x.run.scope)), std::string(RunScopeName(y.run.scope))},
      {"the number of shards", std::to_string(x.run.shards.front().of),
       std::to_string(y.run.shards.front().of)},
      {"the profile", std::string(InfoOf(x.profile).name), std::string(InfoOf(y.profile).name)},
      {"the implementation", identity(x.implementation), identity(y.implementation)},
      {"what the implementation offers", probed(x.implementation), probed(y.implementation)},
  };
  for (const auto& [what, in_a, in_b] : rows) {
    if (Status status = differ(what, in_a, in_b); !status.ok()) return status;
  }
  const auto stop_after = [](const Report& report) {
    const auto& count = report.run.shards.front().record->stop_after;
    return count ? std::to_string(*count) : std::string("none");
  };
  return differ("--stop-after", stop_after(x), stop_after(y));
}

// Two files that hold one shard: the same result counts once, and the earlier one is kept.
Status Join(Found& known, ShardInfo more, const std::string& file) {
  if (known.info.sha256 != more.sha256) {
    return InvalidArgument(file + ": shard " + std::to_string(more.index) +
                           " has another result there than in " + known.file);
  }
  // What an earlier merge left out of the one may be in the other.
  std::vector<FailedCase>& failures = known.info.record->failures;
  for (FailedCase& failed : more.record->failures) {
    if (FindFailed(*known.info.record, failed.number) != nullptr) continue;
    const auto place = std::lower_bound(
        failures.begin(), failures.end(), failed.number,
        [](const FailedCase& other, std::int64_t number) { return other.number < number; });
    failures.insert(place, std::move(failed));
  }
  const auto when = [](const ShardInfo& info) {
    return std::tie(info.start, info.duration_s, info.taken_from);
  };
  if (when(more) < when(known.info)) {
    known.info.start = more.start;
    known.info.duration_s = more.duration_s;
    known.info.taken_from = more.taken_from;
  }
  return OkStatus();
}

// Of each class of failing cases, as many are kept whole as one process would keep.
void DropUnlisted(std::map<int, Found>& shards) {
  std::map<CaseClass, std::vector<std::int64_t>> numbers;
  for (const auto& [index, found] : shards) {
    const ShardRecord& record = *found.info.record;
    for (const JudgedCase& judged : record.cases) {
      const CaseClass& kind = record.classes[judged.case_class];
      if (kind.state == CaseState::kFailed) numbers[kind].push_back(judged.number);
    }
  }
  std::vector<std::int64_t> kept;
  for (auto& [kind, all] : numbers) {
    std::sort(all.begin(), all.end());
    if (all.size() > kDetailedPerClass) all.resize(kDetailedPerClass);
    kept.insert(kept.end(), all.begin(), all.end());
  }
  std::sort(kept.begin(), kept.end());
  for (auto& [index, found] : shards) {
    std::erase_if(found.info.record->failures, [&](const FailedCase& failed) {
      return !std::binary_search(kept.begin(), kept.end(), failed.number);
    });
  }
}

Result<Report> Join(const Spec& spec, const ReasonNotExercisedFunction& reason_not_exercised,
                    std::map<int, Found> shards, Report report, std::int64_t planned,
                    MergeWaivers waivers) {
  const Result<DeclaredCapabilities> declared =
      ParseDeclaredCapabilities(report.implementation.declared);
  if (!declared.ok()) return declared.status();
  RunFrame frame = {spec,
                    report.profile,
                    CapabilitiesOf(report.implementation.probe.operators, *declared),
                    report.run.set,
                    planned,
                    reason_not_exercised};
  const int of = report.run.shards.front().of;
  report.run.shards.clear();
  report.run.duration_s = 0;
  std::vector<ShardPart> parts;
  for (const auto& [index, found] : shards) {
    parts.push_back({index, &*found.info.record});
    report.run.duration_s += found.info.duration_s;
    if (parts.size() == 1 || found.info.start < report.run.start) {
      report.run.start = found.info.start;
    }
  }
  frame.waivers = std::move(waivers.waivers);
  frame.today = waivers.today.empty() ? report.run.start.substr(0, 10) : std::move(waivers.today);
  frame.plan = waivers.plan;
  Result<Report> merged = AssembleReport(frame, parts, of, std::move(report));
  if (!merged.ok()) return merged;
  for (auto& [index, found] : shards) {
    merged.value().run.shards.push_back(std::move(found.info));
  }
  return merged;
}

}  // namespace

Result<Report> MergeReports(const Spec& spec,
                            const ReasonNotExercisedFunction& reason_not_exercised,
                            std::vector<NamedReport> reports, std::vector<std::string> argv,
                            MergeWaivers waivers) {
  for (const NamedReport& named : reports) {
    const Report& report = named.report;
    if (report.spec_sha256 != spec.sha256()) {
      return InvalidArgument(named.name + ": made by the clauses " + report.spec_sha256 +
                             ", and this program has " + spec.sha256());
    }
    if (!HasRecords(report)) {
      return InvalidArgument(
          named.name +
          ": holds no record of its cases; expected a report of `run --shard` or "
          "of `merge`");
    }
    if (Status status = SamePlan(reports.front(), named); !status.ok()) return status;
  }
  // What is known of the machine and of the library's ways is that of the first shard.
  std::stable_sort(reports.begin(), reports.end(), [](const NamedReport& a, const NamedReport& b) {
    const auto key = [](const Report& report) {
      const ShardInfo& first = report.run.shards.front();
      return std::tie(first.index, first.start, report.environment.cpu, report.environment.os,
                      report.environment.compiler, report.environment.cores);
    };
    return key(a.report) < key(b.report);
  });
  std::map<int, Found> shards;
  for (NamedReport& named : reports) {
    for (ShardInfo& info : named.report.run.shards) {
      const auto place = shards.find(info.index);
      if (place == shards.end()) {
        shards.emplace(info.index, Found{info, named.name});
      } else if (Status status = Join(place->second, info, named.name); !status.ok()) {
        return status;
      }
    }
  }
  DropUnlisted(shards);
  const Report& first = reports.front().report;
  Report report;
  report.tool_version = first.tool_version;
  report.spec_sha256 = first.spec_sha256;
  report.environment = first.environment;
  report.implementation = first.implementation;
  report.profile = first.profile;
  report.edition = first.edition;
  report.run.seed = first.run.seed;
  report.run.argv = std::move(argv);
  report.run.scope = first.run.scope;
  report.run.set = first.run.set;
  report.run.plan_sha256 = first.run.plan_sha256;
  report.run.shards.front().of = first.run.shards.front().of;
  // Reports of campaigns without a bound do not tell how many cases there are.
  std::int64_t planned = 0;
  for (const NamedReport& named : reports) {
    for (const ShardInfo& shard : named.report.run.shards) {
      const std::vector<JudgedCase>& cases = shard.record->cases;
      const bool open = shard.record->stopped_by == StopReason::kTime ||
                        (!cases.empty() && cases.back().number >= Planned(named.report));
      planned = std::max(planned, open ? kOpenPlan : Planned(named.report));
    }
  }
  return Join(spec, reason_not_exercised, std::move(shards), std::move(report), planned,
              std::move(waivers));
}

}  // namespace poolproof
