#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs on a stand-in for an accelerator (README.md): a healthy library stays conformant whatever the
device is like, one fault stays one failure, and trouble costs few workers."""

import ctypes
import os
import subprocess
import sys
import tempfile
import time
import unittest

import stand_in

PROGRAM, LIBRARY = sys.argv[1:3]
del sys.argv[1:3]


def adopt_orphans():
    """Whatever a run leaves behind becomes a child of this process, not of init."""
    subreaper = 36  # PR_SET_CHILD_SUBREAPER
    if ctypes.CDLL(None, use_errno=True).prctl(subreaper, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def children_left(patience=60.0):
    """Children of this process that do not end. One that is about to is waited for."""
    ends = time.monotonic() + patience
    while time.monotonic() < ends:
        try:
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                time.sleep(0.01)
        except ChildProcessError:
            return False
    return True


class Run(stand_in.Run):
    """A run whose orphans are waited for."""

    def __init__(self, traits, *arguments, **more):
        super().__init__(PROGRAM, LIBRARY, traits, *arguments, **more)
        self.left = children_left()


class DeviceTest(unittest.TestCase):
    def expect_orderly(self, run):
        self.assertEqual(run.counts["illegal"], 0, run.error)
        self.assertFalse(run.left, "a process is left over")

    def expect_conformant(self, run):
        self.assertEqual(run.exit, 0, run.error or run.failures[:3])
        self.assertEqual([f["message"] for f in run.failures], [])
        self.expect_orderly(run)


# Cases of every sort: tables, histories, several threads and streams, executors that are kept.
SOME = ["--filter", "AdaptiveMaxPool2d*"]


CAMPAIGN = ("fuzz", "--corpus", "{folder}/corpus", "--cases", "400")
GROWTH = "*/protocol/SAF-06/calls-*"

# A case of several calls, of two types.
SEVERAL = "MaxPool3dWithArgmaxBackward/protocol/2P-07/type-f16-v0"
# What a device may do after an exception. Each test has those of its own, and all of them where the environment says so.
STICKY = range(6)
ALL_WAYS = bool(os.environ.get("POOLPROOF_ALL_WAYS"))


def sticky(*some):
    return STICKY if ALL_WAYS else some



class Healthy(DeviceTest):
    def test_workspace_noise_and_threads(self):
        run = Run({"WORKSPACE": 1 << 21, "NOISE": 300, "THREADS": 8, "SIGNALS": 1}, *SOME)
        self.expect_conformant(run)

    def test_slow(self):
        run = Run({"INIT_US": 20000, "MALLOC_US": 20, "FREE_US": 10, "COPY_US": 5, "PHASE_ONE_US": 5,
                   "LAUNCH_US": 10, "FIRST_USE_US": 2000, "FINALIZE_US": 20000}, *SOME)
        self.expect_conformant(run)

    def test_what_comes_with_first_use(self):
        # Handlers and files that come once in a process, whatever loads them: no fault of a case.
        for traits in [{"SIGNALS": 2}, {"FILES": 1}]:
            with self.subTest(traits):
                self.expect_conformant(Run(traits, "--filter", "MaxPool3dWithArgmaxBackward/corpus/*"))

    def test_busy_now_and_then(self):
        run = Run({"BUSY_EVERY": 3, "BUSY_FOR": 2, "EXCLUSIVE": "{folder}"}, *SOME)
        self.expect_conformant(run)
        self.assertGreater(run.counts["refused_starts"], 0)

    def test_busy_at_first(self):
        run = Run({"BUSY_FIRST": 3}, *SOME)
        self.expect_conformant(run)
        self.assertEqual(run.counts["refused_starts"], 3)
        for_long = Run({"BUSY_FIRST": 1 << 40}, *SOME)
        self.assertEqual(for_long.exit, 3, for_long.error)
        self.assertIn("aclrtSetDevice", for_long.error)
        # What does not change in a moment is reported at once.
        none = Run({"DEVICES": 0}, *SOME)
        self.assertEqual((none.exit, none.counts["starts"]), (3, 1))

    def test_busy_for_long(self):
        # No worker after the first: what it was not to judge is left out, and judged when the run is taken up again.
        with tempfile.TemporaryDirectory() as folder:
            arguments = ["--journal", os.path.join(folder, "journal")]
            run = Run({"BUSY_EVERY": 2, "BUSY_FOR": 1 << 40, "IGNORES_INDICES": 1}, *arguments)
            self.assertEqual(run.exit, 4, run.error)
            self.assertEqual((run.report["verdict"], run.failures), ("incomplete", []))
            self.assertEqual(run.report["run"]["stopped_by"], "no-worker")
            self.assertIn("aclrtSetDevice", run.report["run"]["stopped_detail"])
            self.assertIn("a worker did not start, and its cases were left out", run.error)
            self.assertGreater(run.report["summary"]["not_run"], 0)
            self.assertGreater(run.report["summary"]["passed"], 0)
            self.expect_orderly(run)
            again = Run({"IGNORES_INDICES": 1}, *arguments)
            self.expect_conformant(again)
            self.assertEqual(again.report["summary"]["not_run"], 0)

    def test_what_a_run_costs(self):
        run = Run({"IGNORES_INDICES": 1})
        self.expect_conformant(run)
        counts = run.counts
        # One worker that is asked what there is and goes on with cases, and others for so many cases each.
        self.assertLessEqual(counts["starts"], 1 + run.report["summary"]["cases"] // 2048)
        kernels = {kernel for _, _, kernel in run.events("first_use")}
        self.assertLessEqual(counts["first_uses"], counts["starts"] * len(kernels))
        # Operands come from an arena, and together, except for those of several threads.
        of_threads = Run({"IGNORES_INDICES": 1}, "--filter", "*/protocol/2P-06*").counts
        self.assertLess(counts["allocations"] - of_threads["allocations"],
                        (counts["launches"] - of_threads["launches"]) // 2)
        self.assertLess(counts["copies_in"], 2 * counts["phase_ones"])
        self.assertLess(counts["copies_out"], 3 * counts["phase_ones"])

    def test_a_device_for_each_worker(self):
        # All of them in use at a time, and none by two: a second process would be refused. A whole set, in memory that the
        # host cannot touch.
        run = Run({"EXCLUSIVE": "{folder}", "INIT_US": 50000}, devices=2)
        self.expect_conformant(run)
        self.assertGreater(run.counts["launches"], 1000)
        self.assertGreater(run.report["summary"]["passed"], 1000)
        self.assertEqual(run.counts["refused_starts"], 0)
        self.assertEqual({number for _, _, number in run.events("device")}, {"0", "1"})

    def test_a_failing_library_has_a_device_for_each_worker(self):
        # Workers that are lost, and investigations.
        for command in [("run", "--set", "smoke", "--filter", "*_17"), CAMPAIGN]:
            with self.subTest(command):
                run = Run({"EXCLUSIVE": "{folder}", "EXCEPTION_WIDTH": 17, "STICKY": 1}, devices=2, command=command)
                self.assertEqual(run.exit, 1, run.error)
                self.assertEqual(run.counts["refused_starts"], 0)
                self.expect_orderly(run)


class Leaks(DeviceTest):
    def test_device_memory(self):
        self.expect_conformant(Run({}, "--filter", GROWTH))
        run = Run({"LEAK": 64 << 10}, "--filter", GROWTH)
        self.assertEqual(run.exit, 1, run.error)
        self.assertEqual(len(run.failures), run.report["summary"]["cases"])
        for failure in run.failures:
            self.assertEqual(failure["clauses"], ["SAF-06"])
            self.assertIn("the memory of the device, by aclrtGetMemInfo, goes on growing", failure["message"])
            self.assertIn("65536 bytes a call", failure["message"])
            self.assertNotIn("the memory of the process", failure["message"])
        self.expect_orderly(run)

    def test_a_pool_that_fills(self):
        # More than the first third of the further calls, and then no more.
        run = Run({"POOL": 1 << 20, "POOL_FOR": 150}, "--filter", "MaxPool3dWithArgmaxBackward/protocol/SAF-06/calls-*")
        self.expect_conformant(run)

    def test_files(self):
        # Most cases ask to leave them open, and few cost a worker.
        arguments = ["--filter", "MaxPool3dWithArgmaxBackward/corpus/*"]
        base = Run({}, *arguments)
        self.expect_conformant(base)
        run = Run({"FILES": 2}, *arguments)
        self.assertEqual({tuple(failure["clauses"]) for failure in run.failures}, {("SAF-08",)})
        cases = run.report["summary"]["cases"]
        self.assertGreater(run.report["summary"]["failed"], cases // 2)
        self.assertLess(run.counts["starts"], cases // 2)
        self.expect_orderly(run)


class Streams(DeviceTest):
    # A whole set of one operator; of all of them where the environment says so.
    OFFERED = None if ALL_WAYS else {"operators": ["AdaptiveMaxPool2dBackward"]}

    def expect_one_cause(self, run):
        self.assertEqual(run.exit, 1, run.error)
        failed = {clause["id"] for clause in run.report["clauses"] if clause["verdict"] == "failed"}
        self.assertEqual(failed, {"2P-03"})
        self.assertEqual({failure["signature"].split(":")[1] for failure in run.failures}, {"not-on-stream"})
        # When the work is seen comes and goes: there may be no rule.
        for cause in run.report["root_causes"]["causes"]:
            self.assertEqual(cause["clauses"], ["2P-03"])
        # What follows from it is charged to nobody, and hides nothing: the work is waited for. On a busy machine a case
        # may see too late where the work is done, and leaves open what went wrong there.
        late = any("elsewhere" in reason["reason"] for reason in run.report["summary"]["inconclusive_by"])
        self.assertTrue(late or all(clause["verdict"] not in ("inconclusive", "not_run") for clause in run.report["clauses"]
                                    if clause["strength"] == "required"))
        self.expect_orderly(run)

    def test_each_stream_is_held_up(self):
        run = Run({}, "--filter", "*/stream/*")
        self.expect_conformant(run)
        self.assertEqual(run.report["summary"]["inconclusive"], 0)
        self.assertGreater(run.report["summary"]["passed"], 8)

    def work_on(self, stream, **traits):
        self.expect_one_cause(Run({"WORK_ON": stream, **traits, "IGNORES_INDICES": 1}, capabilities=self.OFFERED))

    def test_work_on_the_default_stream_that_copies_wait_for(self):
        self.work_on(1, COPIES_WAIT=1)

    @unittest.skipUnless(ALL_WAYS, "one of each stream and of each way of copies does")
    def test_work_on_a_stream_of_its_own_that_copies_wait_for(self):
        self.work_on(2, COPIES_WAIT=1)

    def test_work_that_copies_do_not_wait_for(self):
        for stream in [1, 2] if ALL_WAYS else [2]:
            with self.subTest(stream=stream):
                self.work_on(stream)

    def test_a_case_alone_is_told_as_in_a_run(self):
        # Where copies do not wait, numbers are wrong and memory changes at any time: replayed, too, that is of no clause
        # but the one that mentions streams.
        listed = subprocess.run([PROGRAM, "list", "cases", "--set", "smoke", "--filter",
                                 "MaxPool3dWithArgmaxBackward/protocol/2P-03/many-planes-f32"],
                                capture_output=True, text=True, check=True).stdout
        line = listed.split(maxsplit=1)[1].strip()
        run = Run({"WORK_ON": 2}, line, command=["replay"])
        self.assertNotIn("breaches", run.output.replace("breaches 2P-03", ""))
        self.expect_orderly(run)


class SlowFirstUse(DeviceTest):
    def test_first_use_takes_seconds(self):
        # Two in one invocation, of two types, take longer than it may take otherwise.
        run = Run({"FIRST_USE_US": 2600000}, "--filter", SEVERAL,
                  capabilities={"operators": [SEVERAL.split("/", maxsplit=1)[0]]})
        self.expect_conformant(run)
        self.assertEqual(run.report["summary"]["passed"], 1)


class Trouble(DeviceTest):
    def expect_exception(self, failure):
        # One thread's call may meet the exception of another one's in phase two.
        where = "(synchronise|phase two)" if "threads=" in failure["case_line"] else "synchronise"
        self.assertRegex(failure["message"], where + " returned 507015")

    def expect_one(self, run, path, base, starts):
        self.assertEqual(run.exit, 1, run.error)
        self.assertEqual(run.paths(), [path] if path else run.paths()[:1])
        self.assertIn("synchronise returned 507015", run.failures[0]["message"])
        self.assertEqual(run.report["summary"]["inconclusive"], base.report["summary"]["inconclusive"])
        self.assertLessEqual(run.counts["starts"], base.counts["starts"] + starts)
        self.expect_orderly(run)

    def test_one_exception_fails_one_case(self):
        healthy = {"IGNORES_INDICES": 1}
        arguments = ["--filter", "MaxPool3dWithArgmaxBackward/random-s*"]
        base = Run(healthy, *arguments)
        self.expect_conformant(base)
        # In the last quarter only cases are asked, and no more what there is.
        at = base.counts["launches"] * 3 // 4
        for way in sticky(0, 2, 4):
            with self.subTest(sticky=way):
                run = Run({**healthy, "EXCEPTION_AT": at, "STICKY": way}, *arguments)
                self.expect_one(run, None, base, 3)

    def test_exception_in_one_of_many_further_calls(self):
        arguments = ["--filter", "MaxPool3dWithArgmaxBackward/protocol/SAF-06/*"]
        base = Run({}, *arguments)
        self.expect_conformant(base)
        for way in sticky(1, 5):
            with self.subTest(sticky=way):
                run = Run({"EXCEPTION_AT": base.counts["launches"] - 20, "STICKY": way}, *arguments)
                self.assertEqual(run.exit, 1, run.error)
                self.assertEqual(len(run.failures), 1)
                # The last one is asked for what the failure hides.
                self.assertLessEqual(run.counts["starts"], base.counts["starts"] + 7)
                self.expect_orderly(run)

    def line_of_several(self):
        listed = subprocess.run([PROGRAM, "list", "cases", "--set", "smoke", "--filter", SEVERAL],
                                capture_output=True, text=True, check=True).stdout
        return listed.split(maxsplit=1)[1].strip()

    def calls_of_several(self):
        calls = len([part for part in self.line_of_several().split("|") if "self=" in part])
        self.assertGreater(calls, 1)
        return calls

    def test_exception_in_the_first_of_several_calls(self):
        arguments = ["--filter", SEVERAL]
        calls = self.calls_of_several()
        base = Run({}, *arguments)
        self.expect_conformant(base)
        for way in sticky(0, 3):
            with self.subTest(sticky=way):
                run = Run({"EXCEPTION_AT": base.counts["launches"] - calls + 1, "STICKY": way}, *arguments)
                self.expect_one(run, SEVERAL, base, 3)

    def test_handlers_set_by_the_launch_that_fails(self):
        # Nobody can ask that device whether it sets them again: they are charged to no case. A replayed
        # case has a process of its own, whose first launch it makes.
        arguments = [self.line_of_several()]
        base = Run({"SIGNALS": 2}, *arguments, command=["replay"])
        self.assertEqual(base.exit, 0, base.error)
        # There the calls were made twice.
        at = base.counts["launches"] - 2 * self.calls_of_several() + 1
        for way in sticky(2, 5):
            with self.subTest(sticky=way):
                run = Run({"SIGNALS": 2, "EXCEPTION_AT": at, "STICKY": way}, *arguments, command=["replay"])
                self.assertEqual(run.exit, 1, run.error)
                self.assertIn("synchronise returned 507015", run.output)
                self.assertNotIn("SAF-08", run.output)
                self.expect_orderly(run)

    def test_a_width_that_raises_exceptions(self):
        for way in sticky(1, 3):
            with self.subTest(sticky=way):
                run = Run({"EXCEPTION_WIDTH": 17, "STICKY": way}, "--filter", "*width_17")
                self.assertEqual(run.paths(), ["AdaptiveMaxPool2dBackward/corpus/adaptive_width_17",
                                               "MaxPool3dWithArgmaxBackward/corpus/width_17"])
                self.assertEqual([f["clauses"] for f in run.failures], [["2P-02"], ["2P-02"]])
                self.expect_orderly(run)

    def test_what_a_width_that_raises_exceptions_costs(self):
        healthy = {"IGNORES_INDICES": 1}
        base = Run(healthy)
        self.expect_conformant(base)
        for way in sticky(1):
            with self.subTest(sticky=way):
                run = Run({**healthy, "EXCEPTION_WIDTH": 17, "STICKY": way})
                self.assertEqual({tuple(f["clauses"]) for f in run.failures}, {("2P-02",)})
                for failure in run.failures:
                    self.expect_exception(failure)
                    self.assertIn("[ERROR] RUNTIME: an exception of the device", failure["output"])
                # A case whose first call may fail, and whose second one the device then refuses, is not judged.
                raising = run.report["summary"]["failed"] + \
                    run.report["summary"]["inconclusive"] - base.report["summary"]["inconclusive"]
                self.assertGreater(raising, 5)
                self.assertLessEqual(run.counts["starts"], base.counts["starts"] + 3 * raising)
                self.assertEqual([(c["sentence"], c["state"]) for c in run.report["root_causes"]["causes"]],
                                 [("fails when W = 17", "suspected")])
                self.expect_orderly(run)

    def test_a_width_that_raises_exceptions_among_many_cases(self):
        width = [line.split()[0] for line in subprocess.run(
            [PROGRAM, "list", "cases", "--set", "smoke", "--filter", "*Backward/random-*"],
            capture_output=True, text=True, check=True).stdout.splitlines() if ",17]~" in line.split(";")[0]]
        self.assertGreater(len(width), 2)
        for way in sticky(4):
            with self.subTest(sticky=way):
                run = Run({"EXCEPTION_WIDTH": 17, "STICKY": way, "IGNORES_INDICES": 1},
                          "--filter", "*Backward/random-*")
                self.assertEqual(run.paths(), sorted(width))
                for failure in run.failures:
                    self.assertEqual(failure["clauses"], ["2P-02"], failure)
                    self.expect_exception(failure)
                self.expect_orderly(run)

    def test_all_traits_at_once(self):
        run = Run({"INIT_US": 20000, "MALLOC_US": 20, "FREE_US": 10, "COPY_US": 5, "PHASE_ONE_US": 5, "LAUNCH_US": 10,
                   "FIRST_USE_US": 2000, "FINALIZE_US": 20000, "WORKSPACE": 1 << 16, "NOISE": 200, "THREADS": 8,
                   "SIGNALS": 2, "FILES": 1, "EXCLUSIVE": "{folder}", "BUSY_EVERY": 5, "BUSY_FOR": 2,
                   "EXCEPTION_LATE": 1, "STICKY": 1}, *SOME, "--seed", "2")
        self.expect_conformant(run)
        self.assertGreater(run.counts["exceptions"], 0)

    def test_lawful_refusals_by_exception(self):
        for way in sticky(0, 4):
            with self.subTest(sticky=way):
                run = Run({"EXCEPTION_LATE": 1, "STICKY": way}, "--filter", "MaxPool*/status/*33*")
                self.expect_conformant(run)
                self.assertGreater(run.counts["exceptions"], 0)


if __name__ == "__main__":
    adopt_orphans()
    unittest.main()
