// SPDX-License-Identifier: Apache-2.0
//
// The session on a fake worker, a fake judge and a fake investigation. What a case must do is
// written in its plan's settle_ms, which the fakes read and nothing else does.
#include "conformance/session/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "conformance/result/gate.h"

namespace poolproof {
namespace {

enum Behaviour : int {
  kPass,
  kFail,
  kFailAdvisory,
  kCrash,
  kHang,
  kHangInSetUp,
  kProcessChange,
  kNoAnswer,
  kHarnessFault,
  kSlow,
  kAccept,
  kWriteBeside,  // an operand's storage, in its guard zone
  kWriteBehind,  // the guard zone
};

// What the fake workers have seen: per worker, the behaviours in order.
struct Log {
  std::mutex mutex;
  std::vector<std::vector<int>> workers;
  int living = 0;
  int most_living = 0;       // at a time
  std::vector<int> hurried;  // the same, of all workers in a hurry together
};

class FakeWorker : public Worker {
 public:
  FakeWorker(Log& log, Probe probe) : log_(log), probe_(std::move(probe)) {
    const std::lock_guard lock(log_.mutex);
    id_ = log_.workers.size();
    log_.workers.emplace_back();
    log_.most_living = std::max(log_.most_living, ++log_.living);
  }
  ~FakeWorker() override {
    const std::lock_guard lock(log_.mutex);
    --log_.living;
  }
  [[nodiscard]] const Probe& probe() const override { return probe_; }
  Outcome Run(const Invocation& invocation) override {
    EXPECT_TRUE(alive_);
    const int behaviour = invocation.plan.settle_ms;
    {
      const std::lock_guard lock(log_.mutex);
      (hurries_ ? log_.hurried : log_.workers[id_]).push_back(behaviour);
    }
    Outcome outcome;
    if (behaviour == kCrash) {
      outcome.end = End::kSignalled;
      outcome.signal = 11;
    }
    if (behaviour == kHang || behaviour == kHangInSetUp) outcome.end = End::kTimedOut;
    if (behaviour == kHang) outcome.ended_in = Phase::kPhaseTwo;
    if (behaviour == kHarnessFault) outcome.end = End::kHarness;
    if (behaviour == kProcessChange) outcome.process.spent = true;
    if (behaviour == kAccept || behaviour == kWriteBeside || behaviour == kWriteBehind) {
      CallOutcome& call = outcome.calls.emplace_back();
      call.phase_two = 0;
      call.memory.front().guard_after_intact = behaviour == kWriteBeside;
      call.memory.front().damage_contained = behaviour != kWriteBehind;
    }
    if (behaviour == kSlow) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    alive_ = outcome.end == End::kReturned;
    return outcome;
  }
  void Hurry() override { hurries_ = true; }
  [[nodiscard]] bool alive() const override { return alive_; }

 private:
  Log& log_;
  Probe probe_;
  std::size_t id_ = 0;
  bool alive_ = true;
  bool hurries_ = false;
};

Verdict FakeJudge(const JudgeContext& context, const PreparedCase& prepared,
                  const Outcome& outcome) {
  const Case& problem = prepared.problem;
  Verdict verdict;
  const auto fail = [&](const char* clause, FindingKind kind) {
    verdict.kind = VerdictKind::kFailed;
    verdict.findings.push_back({{clause}, kind, "found in /some/folder/lib.so", std::nullopt});
  };
  if (outcome.end == End::kTimedOut) {
    fail("2P-02", FindingKind::kTimedOut);
  } else if (outcome.end != End::kReturned) {
    fail("2P-01", FindingKind::kCrashed);
  } else if (problem.plan.settle_ms == kFail) {
    fail("MP3-B02", FindingKind::kWrongSum);
  } else if (problem.plan.settle_ms == kAccept) {
    fail("MP3-S40", FindingKind::kAccepted);
  } else if (problem.plan.settle_ms == kWriteBeside || problem.plan.settle_ms == kWriteBehind) {
    fail("SAF-01", FindingKind::kWroteOutside);
  } else if (problem.plan.settle_ms == kFailAdvisory) {
    fail("SAF-08", FindingKind::kProcessChanged);
  } else if (problem.plan.settle_ms == kNoAnswer) {
    verdict.kind = VerdictKind::kInconclusive;
    verdict.note = "no answer";
  } else {
    for (const Clause& clause : context.spec->clauses()) verdict.evidence.push_back(clause.id);
  }
  return verdict;
}

Investigation FakeInvestigate(const JudgeContext&, const Case& problem, const Verdict& verdict,
                              const std::vector<EarlierCase>& before, const FreshAttempt&,
                              const InvestigationLimits& limits) {
  Investigation investigation;
  investigation.problem = problem;
  investigation.verdict = verdict;
  investigation.behind_others = !before.empty() && !limits.search_earlier;
  // Lets tests see how long the history was.
  investigation.verdict.findings.front().message += " after " + std::to_string(before.size());
  return investigation;
}

std::optional<SmallerCase> NothingSmaller(const JudgeContext&, const Case&, const Verdict&,
                                          const FreshAttempt&, const InvestigationLimits&) {
  return std::nullopt;
}

NamedCase Named(int number, int behaviour) {
  NamedCase named{"fake", std::to_string(number), {}};
  named.problem.calls.push_back(
      MakeFixedBackward(Operator::kMaxPool3dWithArgmaxBackward, DataType::kFloat, DataType::kInt32,
                        {1, 1, 1, 2, 2}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, false));
  named.problem.plan.settle_ms = behaviour;
  return named;
}

class SessionTest : public testing::Test {
 protected:
  SessionTest() {
    probe_.soc = "Ascend910B3";
    probe_.devices = 1;
    for (const OperatorInfo& info : AllOperators()) probe_.operators.emplace_back(info.name);
    probe_.host_memory = true;
    subject_.identity.name = "fake";
    subject_.start = [this](Profile, bool) -> Result<std::unique_ptr<Worker>> {
      const int start = starts_++;
      if (failing_starts_from_ && start >= *failing_starts_from_) {
        stop_ = stop_ || interrupted_when_starts_fail_;
        return Unavailable("no memory");
      }
      return std::unique_ptr<Worker>(std::make_unique<FakeWorker>(log_, probe_));
    };
    parts_.sources = [this](Profile) {
      CaseSources sources;
      for (int i = 0; i < count_; ++i) {
        const auto place = behaviours_.find(i);
        sources.fixed.push_back(Named(i, place == behaviours_.end() ? default_ : place->second));
      }
      return sources;
    };
    parts_.reason_not_exercised = [](std::string_view) { return std::nullopt; };
    parts_.judge = &FakeJudge;
    parts_.investigate = &FakeInvestigate;
    parts_.explain = nullptr;  // asks for cases by the thousand: only where a test is about it
    parts_.make_smaller = &NothingSmaller;
  }

  Result<Report> Run() {
    SessionProgress progress;
    return RunSession(Spec::Embedded(), subject_, options_, parts_, progress, stop_);
  }
  Report MustRun() {
    Result<Report> report = Run();
    EXPECT_TRUE(report.ok()) << report.status().message();
    return report.ok() ? std::move(report).value() : Report();
  }
  static const ClauseResult& ClauseOf(const Report& report, const std::string& id) {
    return *std::find_if(report.clauses.begin(), report.clauses.end(),
                         [&](const ClauseResult& clause) { return clause.id == id; });
  }
  static void ExpectSums(const Report& report, std::int64_t planned) {
    const Summary& s = report.summary;
    EXPECT_EQ(s.passed + s.failed + s.crashed + s.timed_out + s.inconclusive + s.unsupported,
              s.cases);
    EXPECT_EQ(s.cases + s.not_run, planned);
  }

  Log log_;
  Probe probe_;
  Subject subject_;
  SessionParts parts_;
  SessionOptions options_;
  std::atomic<bool> stop_{false};
  std::atomic<int> starts_{0};
  std::optional<int> failing_starts_from_;
  bool interrupted_when_starts_fail_ = false;
  int count_ = 300;
  int default_ = kPass;
  std::map<int, int> behaviours_;
};

TEST_F(SessionTest, AllPassingIsConformant) {
  const Report report = MustRun();
  EXPECT_EQ(report.verdict, RunVerdict::kConformant);
  EXPECT_EQ(ExitStatusOf(report), 0);
  EXPECT_EQ(report.summary.passed, 300);
  EXPECT_EQ(report.clauses.size(), Spec::Embedded().clauses().size());
  EXPECT_EQ(ClauseOf(report, "MP3-B01").cases, 300);
  EXPECT_EQ(ClauseOf(report, "MP3-B25").verdict, ClauseVerdict::kNotApplicable);
  EXPECT_EQ(report.run.scope, RunScope::kFull);
}

TEST_F(SessionTest, RequiredFailureIsNonconformant) {
  count_ = 15;  // of one slot: the plan's order is a worker's
  behaviours_[7] = kFail;
  const Report report = MustRun();
  EXPECT_EQ(ExitStatusOf(report), 1);
  ASSERT_EQ(report.failures.size(), 1U);
  EXPECT_EQ(report.failures[0].case_number, 7);
  EXPECT_EQ(report.failures[0].signature, "MaxPool3dWithArgmaxBackward:wrong-sum:MP3-B02");
  EXPECT_EQ(report.failures[0].message, "found in lib.so after 7");
  EXPECT_FALSE(report.failures[0].advisory);
  EXPECT_EQ(ClauseOf(report, "MP3-B02").verdict, ClauseVerdict::kFailed);
  EXPECT_EQ(ClauseOf(report, "MP3-B02").failures, 1);
  EXPECT_EQ(ClauseOf(report, "MP3-B02").cases, 15);
}

TEST_F(SessionTest, AdvisoryFailureIsConformant) {
  behaviours_[7] = kFailAdvisory;
  const Report report = MustRun();
  EXPECT_EQ(ExitStatusOf(report), 0);
  EXPECT_EQ(report.summary.advisory, 1);
  ASSERT_EQ(report.failures.size(), 1U);
  EXPECT_TRUE(report.failures[0].advisory);
  EXPECT_EQ(ClauseOf(report, "SAF-08").verdict, ClauseVerdict::kFailed);
}

// What replay would say of a case that was not investigated nobody knows.
TEST_F(SessionTest, CasesThatWereLookedIntoAreListedAndTheOthersCounted) {
  default_ = kFail;
  const Report report = MustRun();
  EXPECT_EQ(report.summary.failed, 300);
  EXPECT_EQ(report.summary.advisory, 0);
  ASSERT_EQ(report.failures.size(), 3U);
  ASSERT_EQ(report.also_failed.size(), 97U);  // 100 in all
  for (const AlsoFailed& failed : report.also_failed) {
    EXPECT_EQ(failed.signature, report.failures.front().signature);
    for (const Failure& failure : report.failures) {
      EXPECT_NE(failed.case_number, failure.case_number);
    }
  }
  for (const Failure& failure : report.failures) {
    EXPECT_EQ(failure.alike, 300);
    EXPECT_NE(failure.message.find(" after "), std::string::npos) << failure.message;
  }
}

TEST_F(SessionTest, OfFailuresThatAreFoundAlikeSomeAreLookedIntoAndListed) {
  count_ = 60;
  default_ = kFail;
  const Report report = MustRun();
  ASSERT_EQ(report.failures.size(), 3U);
  EXPECT_EQ(report.also_failed.size(), 57U);
  for (const Failure& failure : report.failures) {
    EXPECT_NE(failure.message.find(" after "), std::string::npos) << failure.message;
  }
}

TEST_F(SessionTest, WhereNothingCameOfLookingSomeAreListedAndAllCounted) {
  default_ = kFail;
  parts_.investigate = [](const JudgeContext&, const Case& problem, const Verdict& verdict,
                          const std::vector<EarlierCase>&, const FreshAttempt&,
                          const InvestigationLimits&) {
    return Investigation{problem, verdict, 1, /*complete=*/false};
  };
  const Report report = MustRun();
  ASSERT_EQ(report.failures.size(), 100U);
  for (const Failure& failure : report.failures) EXPECT_EQ(failure.alike, 300);
}

// What fails now and then has no root cause, and still hides other clauses.
TEST_F(SessionTest, WhatAFailureHidesIsAskedForThoughNoCauseIsFound) {
  parts_.sources = [](Profile) {
    CaseSources sources;
    for (int i = 0; i < 20; ++i) sources.fixed.push_back(Named(i, kPass));
    for (const Role role : {Role::kGradOutput, Role::kSelf, Role::kGradInput}) {
      sources.fixed.back().problem.calls.front().tensor(role).type = DataType::kBf16;
    }
    return sources;
  };
  parts_.judge = [](const JudgeContext& context, const PreparedCase& prepared,
                    const Outcome& outcome) {
    if (prepared.problem.calls.front().tensor(Role::kSelf).type != DataType::kBf16) {
      return FakeJudge(context, prepared, outcome);
    }
    Verdict verdict;
    verdict.kind = VerdictKind::kFailed;
    verdict.findings.push_back({{"MP3-B02"}, FindingKind::kWrongSum, "", std::nullopt});
    verdict.withheld = {"MP3-B01"};
    return verdict;
  };
  parts_.explain = [](const ProfileRules&, const MakeAsk&, int, const AskToQuit&, bool,
                      const Report&, const CauseEvidence&) {
    RootCauses none;
    none.asked = true;
    return none;
  };
  static std::vector<std::string> asked_for;
  asked_for.clear();
  parts_.prove = [](const ProfileRules&, const MakeAsk&, int, const AskToQuit&,
                    const std::vector<Rule>& causes, const std::vector<HiddenClause>& hidden) {
    if (causes.empty()) {
      for (const HiddenClause& one : hidden) asked_for.push_back(one.clause);
    }
    return std::vector<ProvenCase>();
  };
  MustRun();
  EXPECT_THAT(asked_for, testing::Contains("MP3-B01"));
}

// What one operator's call is of says nothing of the other's.
TEST_F(SessionTest, ACaseOfTwoOperatorsLeavesNeitherOpenForTheOthersTypes) {
  parts_.sources = [](Profile) {
    CaseSources sources;
    for (int i = 0; i < 20; ++i) sources.fixed.push_back(Named(i, kPass));
    NamedCase& both = sources.fixed.emplace_back(Named(20, kPass));
    both.problem.calls.push_back(MakeFixedBackward(Operator::kMaxPool2dWithIndicesBackward,
                                                   DataType::kFloat, DataType::kInt32, {1, 1, 2, 2},
                                                   {1, 1}, {1, 1}, {0, 0}, {1, 1}, false));
    for (const Role role : {Role::kGradOutput, Role::kSelf, Role::kGradInput}) {
      both.problem.calls.front().tensor(role).type = DataType::kBf16;
    }
    return sources;
  };
  parts_.judge = [](const JudgeContext& context, const PreparedCase& prepared,
                    const Outcome& outcome) {
    if (prepared.problem.calls.size() == 1) return FakeJudge(context, prepared, outcome);
    Verdict verdict;
    verdict.kind = VerdictKind::kFailed;
    verdict.findings.push_back({{"MP3-B02"}, FindingKind::kWrongSum, "", std::nullopt});
    verdict.withheld = {"MP2-B01", "MP3-B01"};
    return verdict;
  };
  const Report report = MustRun();
  EXPECT_EQ(report.summary.failed, 1);
  EXPECT_EQ(ClauseOf(report, "MP2-B01").verdict, ClauseVerdict::kPassed)
      << ClauseOf(report, "MP2-B01").reason;
}

std::atomic<double> longest_investigation{0};

TEST_F(SessionTest, ACampaignLooksIntoFailuresWithinItsTime) {
  options_.campaign = true;
  options_.time = std::chrono::seconds(5);
  behaviours_[7] = kFail;
  longest_investigation = 0;
  parts_.investigate = [](const JudgeContext& context, const Case& problem, const Verdict& verdict,
                          const std::vector<EarlierCase>& before, const FreshAttempt& attempt,
                          const InvestigationLimits& limits) {
    longest_investigation = std::max<double>(longest_investigation, limits.max_seconds);
    return FakeInvestigate(context, problem, verdict, before, attempt, limits);
  };
  EXPECT_EQ(MustRun().failures.size(), 1U);
  EXPECT_GT(longest_investigation, 0);
  EXPECT_LE(longest_investigation, 5);
}

// What was not investigated is read by a case like it; a history is then no part of its line.
TEST_F(SessionTest, CasesWhoseSequenceIsKnownAreListedAndTheOthersNot) {
  count_ = 80;
  default_ = kFail;
  parts_.investigate = [](const JudgeContext&, const Case& problem, const Verdict& verdict,
                          const std::vector<EarlierCase>&, const FreshAttempt&,
                          const InvestigationLimits&) {
    Investigation found;
    found.problem = problem;
    found.problem.calls.insert(found.problem.calls.begin(), problem.calls.front());
    found.verdict = verdict;
    found.verdict.findings.front().clauses = {"2P-07"};
    return found;
  };
  const Report report = MustRun();
  ASSERT_EQ(report.failures.size(), 3U);
  for (const Failure& failure : report.failures) {
    EXPECT_EQ(failure.clauses, std::vector<std::string>{"2P-07"});
    EXPECT_EQ(failure.problem.calls.size(), 2U);
    EXPECT_EQ(failure.alike, 80);
  }
}

// The earlier calls are looked for on behalf of two, and where that says that they are to blame,
// not of the others.
TEST_F(SessionTest, CasesThatAreReadAsNeedingAHistorySaySo) {
  count_ = 80;
  default_ = kFail;
  static std::atomic<int> searched;
  searched = 0;
  parts_.investigate = [](const JudgeContext&, const Case& problem, const Verdict& verdict,
                          const std::vector<EarlierCase>&, const FreshAttempt&,
                          const InvestigationLimits& limits) {
    Investigation found{problem, verdict};
    found.behind_others = true;
    if (!limits.search_earlier) return found;
    ++searched;
    found.verdict.findings.front().clauses = {"2P-07"};
    return found;
  };
  const Report report = MustRun();
  EXPECT_EQ(searched, 2);
  int in_vain = 0;
  for (const Failure& failure : report.failures) {
    EXPECT_EQ(failure.clauses, std::vector<std::string>{"2P-07"});
    if (failure.message.find("its line alone may pass") == std::string::npos) ++in_vain;
  }
  EXPECT_EQ(in_vain, 2);
}

// A person sees that the search for root causes goes on.
TEST_F(SessionTest, NewCasesAreCounted) {
  behaviours_ = {{7, kFail}};
  static SessionProgress progress;
  static SessionProgress::Stage stage;
  parts_.explain = [](const ProfileRules&, const MakeAsk& make_ask, int, const AskToQuit&, bool,
                      const Report&, const CauseEvidence&) {
    const FreshAttempt ask = make_ask();
    stage = progress.stage;
    for (int i = 0; i < 3; ++i) ask(Named(i, kPass).problem);
    return RootCauses();
  };
  ASSERT_TRUE(RunSession(Spec::Embedded(), subject_, options_, parts_, progress, stop_).ok());
  EXPECT_EQ(stage, SessionProgress::Stage::kExplaining);
  EXPECT_EQ(progress.asked, 3);
  EXPECT_EQ(progress.stage, SessionProgress::Stage::kDone);
}

// Where it says otherwise, nothing is said of a case for which nothing was looked for.
TEST_F(SessionTest, EarlierCallsAreLookedForWhereThoseOfOthersTellSomethingElse) {
  count_ = 60;
  default_ = kFail;
  static std::atomic<int> searched;
  searched = 0;
  parts_.investigate = [](const JudgeContext&, const Case& problem, const Verdict& verdict,
                          const std::vector<EarlierCase>&, const FreshAttempt&,
                          const InvestigationLimits& limits) {
    Investigation found{problem, verdict};
    found.behind_others = true;
    if (limits.search_earlier) ++searched;
    return found;
  };
  const Report report = MustRun();
  EXPECT_EQ(searched, 3) << "all that were investigated";
  EXPECT_EQ(ClauseOf(report, "MP3-B02").verdict, ClauseVerdict::kFailed);
  EXPECT_NE(ClauseOf(report, "2P-07").verdict, ClauseVerdict::kFailed);
}

TEST_F(SessionTest, CrashAndHangCostOneCaseEach) {
  count_ = 15;
  behaviours_ = {{3, kCrash}, {5, kHang}};
  const Report report = MustRun();
  EXPECT_EQ(report.summary.crashed, 1);
  EXPECT_EQ(report.summary.timed_out, 1);
  EXPECT_EQ(report.summary.passed, 13);
  EXPECT_EQ(ExitStatusOf(report), 1);
  ASSERT_EQ(report.failures.size(), 2U);
  EXPECT_EQ(report.failures[0].end, "signal 11");
  EXPECT_EQ(report.failures[1].end, "timed out");
  // The second failure's worker was started after the first one.
  EXPECT_EQ(report.failures[1].message, "found in lib.so after 1");
  for (const std::vector<int>& seen : log_.workers) {
    for (std::size_t i = 0; i + 1 < seen.size(); ++i) {
      EXPECT_NE(seen[i], kCrash);
      EXPECT_NE(seen[i], kHang);
    }
  }
  ExpectSums(report, 15);
}

TEST_F(SessionTest, ChangedProcessIsReplaced) {
  behaviours_ = {{3, kProcessChange}};
  EXPECT_EQ(MustRun().verdict, RunVerdict::kConformant);
  const auto ended = std::count_if(log_.workers.begin(), log_.workers.end(), [](const auto& seen) {
    return !seen.empty() && seen.back() == kProcessChange;
  });
  EXPECT_EQ(ended, 1);
}

// Where starts are slow: the worker that was asked what there is goes on with the cases.
TEST_F(SessionTest, ADeviceIsStartedOnceForARunInWhichNothingHappens) {
  probe_.host_memory = false;
  count_ = 600;
  EXPECT_EQ(MustRun().verdict, RunVerdict::kConformant);
  EXPECT_EQ(starts_, 1);
}

TEST_F(SessionTest, ADeviceHasOneWorkerAtATime) {
  probe_.host_memory = false;
  count_ = 600;
  options_.jobs = 4;
  behaviours_ = {
      {3, kCrash}, {40, kFail}, {41, kProcessChange}, {90, kHarnessFault}, {200, kAccept}};
  EXPECT_EQ(MustRun().verdict, RunVerdict::kNonconformant);
  EXPECT_EQ(log_.most_living, 1);
}

// Where starts are slow: what passes behind a forbidden call needs no other worker.
TEST_F(SessionTest, ADeviceIsStartedAgainOnlyWhereSomethingFailsBehindAForbiddenCall) {
  probe_.host_memory = false;
  count_ = 15;  // of one slot
  behaviours_ = {{3, kAccept}, {4, kAccept}, {6, kWriteBehind},
                 {7, kPass},   {9, kFail},   {12, kFail}};
  const Report report = MustRun();
  EXPECT_EQ(report.summary.failed, 5);
  bool goes_on = false;
  std::int64_t workers = 0;
  for (const std::vector<int>& seen : log_.workers) {
    const auto accepted = std::find(seen.begin(), seen.end(), kAccept);
    goes_on |= std::count(accepted, seen.end(), kPass) > 0;
    workers += seen.empty() ? 0 : 1;
  }
  EXPECT_TRUE(goes_on);
  EXPECT_EQ(workers, 2) << "the second for the first that writes outside or is wrong";
}

// What ends calls of one shape says nothing of those of another one.
TEST_F(SessionTest, CallsOfAnotherShapeAreAskedWhereThoseOfOneEndTheWorker) {
  count_ = 1;
  parts_.acceptance_table = [](Profile) {
    std::vector<NamedCase> table = {Named(1000, kCrash), Named(1001, kCrash), Named(1002, kCrash),
                                    Named(1003, kPass)};
    table.back().problem.calls.front() = MakeFixedBackward(
        Operator::kMaxPool3dWithArgmaxBackward, DataType::kFloat, DataType::kInt32, {1, 2, 1, 2, 2},
        {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, false);
    return table;
  };
  const Report report = MustRun();
  ASSERT_EQ(report.acceptance.size(), 4U);
  EXPECT_EQ(report.acceptance[1].answer, Answer::kEnded);
  EXPECT_EQ(report.acceptance[2].answer, Answer::kNotAsked);
  EXPECT_NE(report.acceptance[3].answer, Answer::kNotAsked);
}

TEST_F(SessionTest, AnOperatorOfADeviceThatLosesEachWorkerCostsFewStarts) {
  probe_.host_memory = false;
  count_ = 60;
  default_ = kCrash;
  parts_.acceptance_table = [](Profile) { return std::vector<NamedCase>(6, Named(1000, kCrash)); };
  const Report report = MustRun();
  EXPECT_EQ(report.summary.crashed, 8);
  EXPECT_EQ(report.summary.inconclusive, 52);
  EXPECT_LE(starts_, 4 + 8 + 10);
  EXPECT_EQ(report.verdict, RunVerdict::kNonconformant);
  const auto place =
      std::find_if(report.clauses.begin(), report.clauses.end(),
                   [](const ClauseResult& clause) { return clause.id == "MP3-B01"; });
  EXPECT_NE(place->verdict, ClauseVerdict::kPassed);
  // On the host each is asked.
  probe_.host_memory = true;
  EXPECT_EQ(MustRun().summary.crashed, 60);
}

// Where such a call wrote is anyone's guess; what stays in the guard zone beside an operand hit
// nothing.
TEST_F(SessionTest, NoCaseFollowsAForbiddenCallThatWasCarriedOut) {
  count_ = 15;  // of one slot
  behaviours_ = {{3, kAccept}, {4, kAccept}, {6, kWriteBeside}, {7, kWriteBehind}};
  MustRun();
  bool goes_on = false;
  for (const std::vector<int>& seen : log_.workers) {
    for (std::size_t i = 0; i + 1 < seen.size(); ++i) {
      EXPECT_NE(seen[i], kAccept);
      EXPECT_NE(seen[i], kWriteBehind);
      goes_on |= seen[i] == kWriteBeside;
    }
  }
  EXPECT_TRUE(goes_on);
}

TEST_F(SessionTest, WorkersSeeTheSameWhateverTheJobs) {
  count_ = 400;
  behaviours_ = {{10, kCrash}, {90, kFail}, {190, kHang}, {191, kFail}, {380, kFailAdvisory}};
  std::vector<std::vector<std::vector<int>>> seen;
  std::vector<Report> reports;
  for (const int jobs : {1, 5}) {
    options_.jobs = jobs;
    log_.workers.clear();
    Report report = MustRun();
    report.run.start.clear();
    report.run.duration_s = 0;
    reports.push_back(report);
    std::sort(log_.workers.begin(), log_.workers.end());
    seen.push_back(log_.workers);
  }
  EXPECT_EQ(seen[0], seen[1]);
  EXPECT_TRUE(reports[0] == reports[1]);
}

// Fails where rows are wider than 12.
Verdict WideRowsJudge(const JudgeContext& context, const PreparedCase& prepared,
                      const Outcome& outcome) {
  PreparedCase changed = prepared;
  const Dims& self = prepared.problem.calls.front().tensor(Role::kSelf).shape;
  changed.problem.plan.settle_ms = self.back() > 12 ? kFail : kPass;
  return FakeJudge(context, changed, outcome);
}

TEST_F(SessionTest, SaysWhenALibraryFailsAndTestsIt) {
  parts_.explain = &ExplainFailures;
  parts_.sources = [](Profile) {
    CaseSources sources;
    for (int i = 0; i < 600; ++i) {
      NamedCase named = Named(i, kPass);
      const std::int64_t width = 1 + i % 40 == 12 ? 41 : 1 + i % 40;  // 12 is never met
      named.problem.calls.front() = MakeFixedBackward(
          Operator::kMaxPool3dWithArgmaxBackward, DataType::kFloat, DataType::kInt32,
          {1, 1, 1, 1 + i % 7, width}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, false);
      sources.fixed.push_back(std::move(named));
    }
    return sources;
  };
  parts_.judge = &WideRowsJudge;
  std::vector<Report> reports;
  for (const int jobs : {1, 3}) {
    options_.jobs = jobs;
    Report report = MustRun();
    report.run.start.clear();
    report.run.duration_s = 0;
    reports.push_back(report);
  }
  EXPECT_TRUE(reports[0] == reports[1]);
  const Report& report = reports[0];
  ASSERT_EQ(report.root_causes.size(), 1U);
  const RootCause& cause = report.root_causes.front();
  ASSERT_EQ(cause.rule.size(), 1U);
  EXPECT_EQ(cause.rule.front().name, "in_w");
  EXPECT_EQ(cause.rule.front().comparison, "at-least");
  EXPECT_EQ(cause.failing, report.summary.failed);
  EXPECT_EQ(cause.passing, 0);
  EXPECT_EQ(cause.compared, report.summary.passed);
  EXPECT_EQ(cause.clauses, std::vector<std::string>{"MP3-B02"});
  EXPECT_EQ(report.unexplained, 0);
  EXPECT_GT(cause.tested, 4);
  ASSERT_TRUE(cause.smallest && cause.nearest);
  EXPECT_GT(cause.smallest->calls.front().tensor(Role::kSelf).shape.back(), 12);
  EXPECT_LE(cause.nearest->calls.front().tensor(Role::kSelf).shape.back(), 12);
}

// Where there is no batch axis it fails with something else, too, without it.
Investigation BlameUnbatched(const JudgeContext& context, const Case& problem,
                             const Verdict& verdict, const std::vector<EarlierCase>&,
                             const FreshAttempt&, const InvestigationLimits&) {
  const Call& call = problem.calls.front();
  Investigation investigation;
  investigation.problem = problem;
  investigation.verdict = verdict;
  if (call.tensor(Role::kSelf).shape.size() == 4) {
    investigation.verdict.findings.front().clauses = {
        context.rules().IdOf(call.op, Condition::kUnbatched)};
  }
  return investigation;
}

TEST_F(SessionTest, AFeatureThatCallsFailWithoutIsNotToBlame) {
  parts_.explain = &ExplainFailures;
  parts_.sources = [](Profile) {
    CaseSources sources;
    for (int i = 0; i < 600; ++i) {
      NamedCase named = Named(i, kPass);
      Dims self = {1, 1, 1, 1 + i % 7, 1 + i % 40};
      if (i % 5 == 0) self.erase(self.begin());
      named.problem.calls.front() = MakeFixedBackward(
          Operator::kMaxPool3dWithArgmaxBackward, DataType::kFloat, DataType::kInt32, self,
          {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, false);
      sources.fixed.push_back(std::move(named));
    }
    return sources;
  };
  parts_.judge = &WideRowsJudge;
  parts_.investigate = &BlameUnbatched;
  const Report report = MustRun();
  const Clause* unbatched =
      Spec::Embedded().Of(Operator::kMaxPool3dWithArgmaxBackward, Condition::kUnbatched);
  EXPECT_EQ(ClauseOf(report, "MP3-B02").failures, report.summary.failed);
  EXPECT_NE(ClauseOf(report, unbatched->id).verdict, ClauseVerdict::kFailed);
  ASSERT_EQ(report.root_causes.size(), 1U);
  EXPECT_EQ(report.root_causes.front().clauses, std::vector<std::string>{"MP3-B02"});
  EXPECT_EQ(report.root_causes.front().failing, report.summary.failed);
  for (const Failure& failure : report.failures) {
    EXPECT_EQ(failure.clauses, std::vector<std::string>{"MP3-B02"});
  }
}

TEST_F(SessionTest, StopAfterEndsAtTheSameCaseWhateverTheJobs) {
  count_ = 1000;
  for (int i = 200; i < count_; i += 50) behaviours_[i] = kFail;
  options_.stop_after = 3;
  std::vector<Report> reports;
  for (const int jobs : {1, 7}) {
    options_.jobs = jobs;
    Report report = MustRun();
    report.run.start.clear();
    report.run.duration_s = 0;
    EXPECT_EQ(report.summary.cases, 301);
    EXPECT_EQ(report.summary.failed, 3);
    EXPECT_EQ(report.run.stopped_by, StopReason::kStopAfter);
    ExpectSums(report, count_);
    reports.push_back(report);
  }
  EXPECT_TRUE(reports[0] == reports[1]);
}

TEST_F(SessionTest, StopAfterCountsFailuresOfRequiredClausesAlone) {
  count_ = 3000;
  for (int i = 5; i < 600; i += 10) behaviours_[i] = kFailAdvisory;
  options_.stop_after = 2;
  Report report = MustRun();
  EXPECT_EQ(report.summary.cases, 3000);
  EXPECT_EQ(report.run.stopped_by, StopReason::kNone);
  EXPECT_EQ(report.verdict, RunVerdict::kConformant);
  behaviours_[700] = behaviours_[900] = kFail;
  report = MustRun();
  EXPECT_EQ(report.summary.cases, 901);
  EXPECT_EQ(report.run.stopped_by, StopReason::kStopAfter);
  EXPECT_EQ(report.verdict, RunVerdict::kNonconformant);
}

TEST_F(SessionTest, ManyHangsEndTheRun) {
  default_ = kHang;
  const Report report = MustRun();
  EXPECT_EQ(report.summary.timed_out, kMaxTimeouts);
  EXPECT_EQ(report.run.stopped_by, StopReason::kTimeouts);
  EXPECT_EQ(ExitStatusOf(report), 1);
}

TEST_F(SessionTest, DeadlineLeavesTheRestNotRun) {
  count_ = 5000;
  default_ = kSlow;
  options_.deadline = std::chrono::seconds(2);
  const Report report = MustRun();
  EXPECT_GT(report.summary.not_run, 0);
  EXPECT_GT(report.summary.passed, 0);
  EXPECT_EQ(report.run.stopped_by, StopReason::kDeadline);
  ExpectSums(report, count_);
  // Every clause had its evidence before the end.
  EXPECT_EQ(report.verdict, RunVerdict::kConformant);
  options_.cases = 4000;
  EXPECT_EQ(MustRun().verdict, RunVerdict::kIncomplete);
}

TEST_F(SessionTest, PlanHashDependsOnThePlanAlone) {
  count_ = 1000;
  const std::string whole = MustRun().run.plan_sha256;
  options_.jobs = 3;
  options_.stop_after = 1;
  behaviours_.clear();
  EXPECT_EQ(MustRun().run.plan_sha256, whole);
  options_.seed = 2;
  EXPECT_NE(MustRun().run.plan_sha256, whole);
  options_.seed = 1;
  options_.cases = 999;
  EXPECT_NE(MustRun().run.plan_sha256, whole);
}

TEST_F(SessionTest, InterruptReportsWhatWasJudged) {
  stop_ = true;
  const Report report = MustRun();
  EXPECT_EQ(report.verdict, RunVerdict::kIncomplete);
  EXPECT_EQ(report.summary.cases, 0);
  EXPECT_EQ(report.run.stopped_by, StopReason::kInterrupt);
  EXPECT_EQ(ClauseOf(report, "MP3-B01").verdict, ClauseVerdict::kNotRun);
}

TEST_F(SessionTest, NothingJudgedIsIncomplete) {
  options_.filter = "nothing";
  const Report report = MustRun();
  EXPECT_EQ(ExitStatusOf(report), 4);
  EXPECT_EQ(report.run.scope, RunScope::kSelected);
}

TEST_F(SessionTest, InconclusiveIsNotAPass) {
  default_ = kNoAnswer;
  const Report report = MustRun();
  EXPECT_EQ(ExitStatusOf(report), 4);
  EXPECT_EQ(ClauseOf(report, "MP3-B01").verdict, ClauseVerdict::kInconclusive);
  std::int64_t cases = 0;
  for (const InconclusiveReason& entry : report.summary.inconclusive_by) {
    EXPECT_FALSE(entry.reason.empty());
    cases += entry.cases;
  }
  EXPECT_GT(cases, 0);
  EXPECT_EQ(cases, report.summary.inconclusive);
}

TEST_F(SessionTest, AbsentOperatorIsUnsupported) {
  std::erase(probe_.operators, "AdaptiveMaxPool2dBackward");
  EXPECT_EQ(ClauseOf(MustRun(), "AMP2-B01").verdict, ClauseVerdict::kUnsupported);
  std::erase(probe_.operators, "MaxPool3dWithArgmaxBackward");
  const Report report = MustRun();
  EXPECT_EQ(report.summary.unsupported, 300);
  EXPECT_EQ(ExitStatusOf(report), 4);
}

TEST_F(SessionTest, DeclaredTypesLimitWhatIsAsked) {
  subject_.declared.types = {DataType::kFloat16, DataType::kBf16};
  const Report report = MustRun();
  EXPECT_EQ(report.summary.unsupported, 300);
  EXPECT_EQ(ClauseOf(report, "MP3-B22").verdict, ClauseVerdict::kUnsupported);
}

TEST_F(SessionTest, DeclaredPredicatesLimitWhatIsAsked) {
  const auto declare = [&](const std::string& text) {
    subject_.declared.accepts = {{std::nullopt, text, Predicate::Parse(text).value()}};
    return MustRun();
  };
  const Report report = declare("dtype == f32 and index_dtype == i64");
  EXPECT_EQ(report.summary.unsupported, 300);
  // Its cases say what they would have proven.
  EXPECT_EQ(ClauseOf(report, "MP3-B01").verdict, ClauseVerdict::kUnsupported);
  EXPECT_EQ(ClauseOf(report, "MP3-S40").verdict, ClauseVerdict::kNotRun);
  EXPECT_EQ(ExitStatusOf(report), 4) << "nothing was judged";
  EXPECT_EQ(declare("dtype == f32 and index_dtype == i32").summary.unsupported, 0);
}

TEST_F(SessionTest, UnusableImplementationsAreErrors) {
  options_.profile = Profile::kAtlasA3;
  EXPECT_EQ(Run().status().code(), StatusCode::kUnavailable);  // the SoC is an A2
  options_.profile.reset();
  probe_.devices = 0;
  EXPECT_EQ(Run().status().code(), StatusCode::kUnavailable);
  probe_.devices = 1;
  probe_.operators.clear();
  EXPECT_EQ(Run().status().code(), StatusCode::kUnavailable);
  failing_starts_from_ = 0;
  EXPECT_EQ(Run().status().message(), "no memory");
}

TEST_F(SessionTest, AWorkerThatDoesNotStartCostsItsBatch) {
  // Of two lines of cases, that share a worker each.
  behaviours_[5] = kSlow;
  failing_starts_from_ = 2;
  const Report report = MustRun();
  EXPECT_EQ(report.error, "");
  EXPECT_EQ(report.verdict, RunVerdict::kIncomplete);
  EXPECT_EQ(ExitStatusOf(report), 4);
  EXPECT_EQ(report.run.stopped_by, StopReason::kNoWorker);
  EXPECT_EQ(report.run.stopped_detail, "no memory");
  EXPECT_GT(report.summary.not_run, 0);
  EXPECT_GT(report.summary.passed, 0);
  ExpectSums(report, 300);
}

TEST_F(SessionTest, WhatFailedBeforeAWorkerDidNotStartStillFails) {
  default_ = kCrash;
  failing_starts_from_ = 2;
  const Report report = MustRun();
  EXPECT_EQ(ExitStatusOf(report), 1);
  EXPECT_EQ(report.run.stopped_by, StopReason::kNoWorker);
  EXPECT_EQ(report.summary.crashed, 1);
  EXPECT_EQ(report.summary.not_run, 299);
}

TEST_F(SessionTest, WorkersThatStartNoMoreAreAHarnessError) {
  parts_.sources = [](Profile) {
    CaseSources sources;
    for (int i = 0; i < 300; ++i) {
      sources.fixed.push_back(Named(i, kPass));
      sources.fixed.back().problem.calls.front().tensor(Role::kSelf).data.seed =
          static_cast<std::uint64_t>(i);
    }
    return sources;
  };
  failing_starts_from_ = 3;
  const Report report = MustRun();
  EXPECT_EQ(ExitStatusOf(report), 3);
  EXPECT_NE(report.error.find("no memory"), std::string::npos);
  EXPECT_LT(starts_, 30) << "the batches behind are not waited for";
  ExpectSums(report, 300);
}

TEST_F(SessionTest, InterruptWhileWaitingForAWorkerIsNoError) {
  failing_starts_from_ = 1;
  interrupted_when_starts_fail_ = true;
  const Report report = MustRun();
  EXPECT_EQ(starts_, 2);
  EXPECT_EQ(report.run.stopped_by, StopReason::kInterrupt);
  EXPECT_EQ(report.error, "");
}

TEST_F(SessionTest, HarnessFaultIsTriedAgainAndIsNoVerdict) {
  behaviours_[9] = kHarnessFault;
  const Report report = MustRun();
  EXPECT_EQ(report.summary.inconclusive, 1);
  ASSERT_EQ(report.summary.inconclusive_by.size(), 1U);
  EXPECT_TRUE(report.summary.inconclusive_by[0].reason.starts_with("harness: "));
  EXPECT_EQ(report.summary.inconclusive_by[0].cases, 1);
  EXPECT_EQ(report.summary.passed, 299);
  std::int64_t tries = 0;
  for (const std::vector<int>& seen : log_.workers) {
    tries += std::count(seen.begin(), seen.end(), kHarnessFault);
  }
  EXPECT_EQ(tries, 2);
}

// The machine may have been slow before the call under test began.
TEST_F(SessionTest, ADeadlineInSetUpIsTriedAgain) {
  behaviours_ = {{9, kHangInSetUp}, {20, kHang}};
  const Report report = MustRun();
  EXPECT_EQ(report.summary.timed_out, 2);
  std::map<int, std::int64_t> tries;
  for (const std::vector<int>& seen : log_.workers) {
    for (const int behaviour : seen) ++tries[behaviour];
  }
  // And each was asked once more where it was investigated.
  EXPECT_EQ(tries[kHangInSetUp], 2 + 1);
  EXPECT_EQ(tries[kHang], 1 + 1);
}

// Those who search wait for short deadlines; what they find is asked in full.
TEST_F(SessionTest, HangsAreMadeSmallerInAHurry) {
  parts_.explain = &ExplainFailures;
  behaviours_ = {{9, kHang}};
  parts_.make_smaller = [](const JudgeContext&, const Case& problem, const Verdict& blamed,
                           const FreshAttempt& attempt,
                           const InvestigationLimits& limits) -> std::optional<SmallerCase> {
    EXPECT_EQ(limits.max_hangs, kShrinkHangs);
    SmallerCase smaller = {problem, blamed};
    smaller.problem.calls.front().tensor(Role::kSelf).data.seed = 7;
    EXPECT_TRUE(Hangs(attempt(smaller.problem)));
    return smaller;
  };
  const Report report = MustRun();
  ASSERT_EQ(report.failures.size(), 1U);
  ASSERT_TRUE(report.failures[0].shrunk.has_value());
  EXPECT_EQ(report.failures[0].shrunk->calls.front().tensor(Role::kSelf).data.seed, 7U);
  int hangs = 0;
  for (const std::vector<int>& seen : log_.workers) {
    hangs += static_cast<int>(std::count(seen.begin(), seen.end(), kHang));
  }
  EXPECT_EQ(hangs, 1 + 1 + 1);  // judged, asked again; the smaller one asked
  // One where it was made smaller, and a bounded number of new cases like it.
  EXPECT_GT(std::count(log_.hurried.begin(), log_.hurried.end(), kHang), 1);
  EXPECT_LE(std::count(log_.hurried.begin(), log_.hurried.end(), kHang), 1 + 32 + options_.jobs);
}

// What hangs in a hurry alone was slow.
TEST_F(SessionTest, ASmallerHangIsAskedInFull) {
  behaviours_ = {{9, kHang}};
  parts_.make_smaller = [](const JudgeContext&, const Case& problem, const Verdict& blamed,
                           const FreshAttempt&,
                           const InvestigationLimits&) -> std::optional<SmallerCase> {
    SmallerCase smaller = {problem, blamed};
    smaller.problem.plan.settle_ms = kPass;
    return smaller;
  };
  const Report report = MustRun();
  ASSERT_EQ(report.failures.size(), 1U);
  EXPECT_FALSE(report.failures[0].shrunk.has_value());
}

// Where starts are slow, a hang is asked again and not made smaller.
TEST_F(SessionTest, HangsOfADeviceAreNotMadeSmaller) {
  probe_.host_memory = false;
  behaviours_ = {{9, kHang}};
  parts_.make_smaller = [](const JudgeContext&, const Case& problem, const Verdict& blamed,
                           const FreshAttempt&,
                           const InvestigationLimits&) -> std::optional<SmallerCase> {
    return SmallerCase{problem, blamed};
  };
  const Report report = MustRun();
  ASSERT_EQ(report.failures.size(), 1U);
  EXPECT_FALSE(report.failures[0].shrunk.has_value());
  EXPECT_THAT(log_.hurried, testing::IsEmpty());
}

TEST_F(SessionTest, DangerousCallsHaveAWorkerOfTheirOwn) {
  parts_.sources = [](Profile) {
    CaseSources sources;
    for (int i = 0; i < 4; ++i) sources.fixed.push_back(Named(i, kPass));
    sources.fixed[1].problem.calls[0].tensor(Role::kIndices).data.patches = {{0, 1000}};
    sources.fixed[1].problem.plan.settle_ms = kSlow;
    return sources;
  };
  EXPECT_EQ(MustRun().summary.passed, 4);
  ASSERT_EQ(log_.workers.size(), 3U);  // the probes', the batch's, its own
  EXPECT_EQ(log_.workers[1], (std::vector<int>{kPass, kPass, kPass}));
  EXPECT_EQ(log_.workers[2], (std::vector<int>{kSlow}));
}

TEST_F(SessionTest, CaseFilesReplaceTheSources) {
  options_.case_file_cases = {Named(0, kPass), Named(1, kFail)};
  const Report report = MustRun();
  EXPECT_EQ(report.summary.cases, 2);
  EXPECT_EQ(report.run.scope, RunScope::kSelected);
  EXPECT_EQ(ExitStatusOf(report), 1);
}

}  // namespace
}  // namespace poolproof
