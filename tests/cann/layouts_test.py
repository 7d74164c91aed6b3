#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`--implementation cann` and `poolproof doctor` on machines as users have them: folders of files and links
that represent toolkit, driver and devices. Each machine that lacks something gets the right remedy."""

import copy
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import jsonschema

ROOT = pathlib.Path(sys.argv.pop())
RUNTIME_ALONE = pathlib.Path(sys.argv.pop())
STUBS = pathlib.Path(sys.argv.pop())
PROGRAM = pathlib.Path(sys.argv.pop())
LIBRARIES = PROGRAM.parents[1] / "lib"
REFERENCE = LIBRARIES / "libpoolproof_reference.so"
SCHEMA = json.loads((ROOT / "reports/schema/poolproof-doctor-1.schema.json").read_text())
# Of the caller's environment what says nothing of CANN: a sanitizer's options, say.
ENVIRONMENT = {name: value for name, value in os.environ.items()
               if not name.startswith(("ASCEND_", "LD_", "POOLPROOF_"))}

# What each release has in lib64; which of them `cann` takes, in their order.
LAYOUTS = {
    "8.1.RC1": (["libascendcl.so", "libnnopbase.so", "libopapi.so", "libaclnn_ops_train.so"],
                ["libascendcl.so", "libnnopbase.so", "libopapi.so"]),
    "8.0.RC3": (["libascendcl.so", "libnnopbase.so", "libaclnn_ops_infer.so", "libaclnn_ops_train.so"],
                ["libascendcl.so", "libnnopbase.so", "libaclnn_ops_infer.so", "libaclnn_ops_train.so"]),
    "8.5.0": (["libascendcl.so", "libnnopbase.so", "libopapi_math.so", "libopapi_nn.so", "libopapi.so"],
              ["libascendcl.so", "libnnopbase.so", "libopapi_math.so", "libopapi_nn.so"]),
    "9.1.0": (["libacl_rt.so", "libascendcl.so", "libnnopbase.so", "libopapi_math.so", "libopapi_nn.so"],
              ["libacl_rt.so", "libascendcl.so", "libnnopbase.so", "libopapi_math.so", "libopapi_nn.so"]),
}


class Machine:
    """A root folder; set_env() is what sourcing the script does."""

    def __init__(self, folder):
        self.root = pathlib.Path(folder).resolve()
        self.ascend = self.root / "usr/local/Ascend"
        self.toolkit = self.ascend / "cann"
        self.variables = ENVIRONMENT | {"HOME": str(self.root / "home"), "POOLPROOF_SYSTEM_ROOT": str(self.root)}
        for name in ["home", "dev", "etc"]:
            (self.root / name).mkdir(parents=True)

    def install_toolkit(self, release="8.5.0", target=REFERENCE):
        (self.toolkit / "lib64").mkdir(parents=True)
        (self.toolkit / "devlib").mkdir()
        (self.toolkit / "opp").mkdir()
        (self.toolkit / "set_env.sh").write_text("export ...\n")
        (self.toolkit / "version.info").write_text(f"Version={release}\n")
        for name in LAYOUTS[release][0]:
            (self.toolkit / "lib64" / name).symlink_to(target)

    def install_driver(self):
        folder = self.ascend / "driver"
        (folder / "lib64/driver").mkdir(parents=True)
        (folder / "version.info").write_text("Version=24.1.rc3\nascendhal_version=7.35\n")
        (folder / "lib64/driver/libascend_hal.so").symlink_to(STUBS / "hal/libascend_hal.so")
        (self.root / "etc/ascend_install.info").write_text("UserName=HwHiAiUser\n"
                                                          "Driver_Install_Path_Param=/usr/local/Ascend\n")

    def add_devices(self, count=1):
        for name in ["davinci_manager", "devmm_svm", "hisi_hdc", *(f"davinci{i}" for i in range(count))]:
            (self.root / "dev" / name).write_text("")

    def set_env(self, *further):
        self.variables |= {"ASCEND_HOME_PATH": str(self.toolkit), "ASCEND_OPP_PATH": str(self.toolkit / "opp"),
                           "LD_LIBRARY_PATH": ":".join(map(str, [self.toolkit / "lib64", *further]))}

    def call(self, *arguments, **options):
        return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=600,
                              stdin=subprocess.DEVNULL, env=self.variables, cwd=self.root / "home", **options)


class Layouts(unittest.TestCase):
    def machine(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        os.chmod(holder.name, 0o755)
        return Machine(holder.name)

    def healthy_machine(self, release="8.5.0"):
        machine = self.machine()
        machine.install_toolkit(release)
        machine.install_driver()
        machine.add_devices()
        machine.set_env(machine.ascend / "driver/lib64/driver")
        return machine

    def doctor(self, machine, *arguments, **options):
        """Exit status and the checks by name; of several of a name the first problem."""
        result = machine.call("doctor", "--json", "-", *arguments, **options)
        document = json.loads(result.stdout)
        jsonschema.validate(document, SCHEMA)
        self.assertEqual(document["healthy"], result.returncode == 0)
        checks = {}
        for check in document["checks"]:
            if check["name"] not in checks or checks[check["name"]]["state"] != "problem":
                checks[check["name"]] = check
        return result.returncode, checks, document["checks"]

    def expect_problem(self, check, found, remedy):
        self.assertEqual(check["state"], "problem", check)
        self.assertIn(found, check["found"])
        self.assertIn(remedy, check["remedy"])

    def expect_run_refused(self, machine, status, *words):
        """What `run` and `probe` say of it: one line that ends in the remedy."""
        for verb in ["run", "probe"]:
            result = machine.call(verb, "--implementation", "cann")
            self.assertEqual((result.returncode, result.stdout), (status, ""), result.stderr)
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
            for word in words:
                self.assertIn(word, result.stderr)

    def test_nothing_installed(self):
        machine = self.machine()
        status, checks, _ = self.doctor(machine)
        self.assertEqual(status, 3)
        wanted = "install the CANN toolkit, or start its container, and source its set_env.sh"
        self.expect_problem(checks["toolkit"], "ASCEND_HOME_PATH is not set", wanted)
        self.expect_problem(checks["driver"], "no driver", "install it; in a container, mount")
        self.expect_problem(checks["devices"], "no device file", "--device /dev/davinci0")
        self.expect_problem(checks["library"], "libacl_rt.so, or libascendcl.so: not found", wanted)
        self.assertEqual((checks["call"]["state"], checks["call"]["found"]),
                         ("skipped", "not tried: not all libraries are found"))
        self.expect_run_refused(machine, 2, "--implementation: cann: libraries: libacl_rt.so", "not found; looked in",
                                "ASCEND_HOME_PATH (not set)", "; remedy: " + wanted)

    def test_installed_and_not_sourced(self):
        machine = self.machine()
        machine.install_toolkit()
        machine.install_driver()
        machine.add_devices()
        source = f"source {machine.toolkit}/set_env.sh"
        status, checks, _ = self.doctor(machine)
        self.assertEqual(status, 3)
        self.expect_problem(checks["toolkit"], "ASCEND_HOME_PATH is not set", source)
        self.expect_problem(checks["library"], "not found", source)
        self.assertEqual((checks["driver"]["state"], checks["devices"]["state"]), ("ok", "ok"))
        self.expect_run_refused(machine, 2, "; remedy: " + source)

    def test_stub_only(self):
        # What set_env.sh does where it finds no driver: the stubs come last, and here alone have what is wanted.
        for stub, told in [("compiling", "aclInit returned 100039"),
                           ("quiet", "aclrtGetDeviceCount gave 0 devices")]:
            with self.subTest(stub=stub):
                machine = self.machine()
                machine.install_toolkit()
                for file in (machine.toolkit / "lib64").iterdir():
                    (machine.toolkit / "devlib" / file.name).symlink_to(STUBS / f"libstub_{stub}.so")
                    file.unlink()
                machine.set_env(machine.toolkit / "devlib")
                status, checks, _ = self.doctor(machine)
                self.assertEqual(status, 3)
                self.expect_problem(checks["library"], "devlib/libascendcl.so is a stub to link with",
                                    "there is no NPU driver")
                self.expect_problem(checks["open"], told, "is a stub to link with, from devlib: there is no NPU driver")
                self.expect_run_refused(machine, 3, told, "; remedy: ", "is a stub to link with")
                machine.install_driver()
                self.expect_problem(self.doctor(machine)[1]["open"], told,
                                    "take the folders devlib out of LD_LIBRARY_PATH")

    def test_driver_missing(self):
        # The runtime's own dependency.
        machine = self.machine()
        machine.install_toolkit(target=STUBS / "libstub_needs_hal.so")
        machine.add_devices()
        machine.set_env()
        status, checks, _ = self.doctor(machine)
        self.assertEqual(status, 3)
        self.assertEqual((checks["toolkit"]["state"], checks["library"]["state"]), ("ok", "ok"))
        self.expect_problem(checks["driver"], "no driver in", "install it; in a container, mount")
        self.expect_problem(checks["open"], "libascend_hal.so: cannot open shared object file",
                            f"there is no NPU driver at {machine.ascend}/driver: install it")
        self.expect_run_refused(machine, 3, "libascend_hal.so: cannot open", "; remedy: there is no NPU driver")
        # Installed, and not in the path.
        machine.install_driver()
        status, checks, _ = self.doctor(machine)
        self.assertEqual((status, checks["driver"]["state"]), (3, "ok"))
        self.assertEqual(checks["driver"]["found"], f"driver 24.1.rc3 in {machine.ascend}/driver")
        self.expect_problem(checks["open"], "libascend_hal.so: cannot open",
                            f"add {machine.ascend}/driver/lib64/driver to LD_LIBRARY_PATH")

    def test_runtime_without_a_driver_is_heard(self):
        machine = self.machine()
        machine.install_toolkit(target=STUBS / "libstub_no_driver.so")
        machine.set_env()
        log = machine.root / "home/ascend/log/debug/plog"
        log.mkdir(parents=True)
        words = ["aclrtGetDeviceCount returned 507899", "EL0001: the driver does not answer.",
                 "it said: [ERROR] DRV: drvGetDevNum failed", f"its log: {machine.root}/home/ascend/log",
                 "; remedy: there is no NPU driver"]
        self.expect_run_refused(machine, 3, *words)
        status, checks, _ = self.doctor(machine)
        self.assertEqual(status, 3)
        for word in words[:-1]:
            self.assertIn(word, checks["open"]["found"])
        self.expect_problem(checks["open"], "507899", "there is no NPU driver")
        self.assertEqual(checks["log"]["found"], f"CANN writes its log to {machine.root}/home/ascend/log")

    def test_devices_and_rights(self):
        machine = self.machine()
        machine.install_toolkit(target=STUBS / "libstub_no_driver.so")
        machine.install_driver()
        machine.set_env()
        self.expect_problem(self.doctor(machine)[1]["devices"], "no device file", "--device /dev/davinci0")
        machine.add_devices(2)
        _, checks, _ = self.doctor(machine)
        self.assertEqual(checks["devices"]["state"], "ok")
        self.expect_problem(checks["open"], "507899", "npu-smi info")
        machine.variables["ASCEND_RT_VISIBLE_DEVICES"] = "5"
        self.expect_problem(self.doctor(machine)[1]["open"], "507899", "ASCEND_RT_VISIBLE_DEVICES is 5")
        (machine.root / "dev/hisi_hdc").unlink()
        self.expect_problem(self.doctor(machine)[1]["devices"], "davinci1", "hisi_hdc is missing")

    def test_no_right_to_the_device(self):
        machine = self.machine()
        machine.install_toolkit(target=STUBS / "libstub_no_driver.so")
        machine.install_driver()
        machine.add_devices()
        machine.set_env()
        for file in (machine.root / "dev").iterdir():
            file.chmod(0)
        options = {}
        if os.geteuid() == 0:  # who may do all
            options = {"user": 65534, "group": 65534, "extra_groups": []}
            try:
                reached = machine.call("--version", **options).returncode == 0
            except OSError:
                reached = False
            if not reached:
                self.skipTest("another user cannot reach the program or the folder of temporary files")
        status, checks, _ = self.doctor(machine, **options)
        self.assertEqual(status, 3)
        self.expect_problem(checks["devices"], "davinci0", "may not use")

    def test_healthy_stand_in(self):
        machine = self.healthy_machine()
        status, checks, every = self.doctor(machine)
        self.assertEqual(status, 0, every)
        self.assertEqual([check["remedy"] for check in every], [None] * len(every))
        self.assertEqual({name: check["state"] for name, check in checks.items() if name != "library"},
                         {name: "ok" for name in ["toolkit", "driver", "devices", "open", "soc", "call"]})

    def test_what_works_lacks_nothing(self):
        # A simulator, or virtual devices.
        machine = self.machine()
        machine.install_toolkit()
        machine.set_env()
        status, checks, every = self.doctor(machine)
        self.assertEqual(status, 0, every)
        for name in ["driver", "devices"]:
            self.assertEqual((checks[name]["state"], checks[name]["remedy"]), ("note", None))
            self.assertIn("; the library still works", checks[name]["found"])

    def test_split_layout(self):
        # As of CANN 8.5: all of it is healthy, one half of the operators is not enough.
        machine = self.healthy_machine("8.5.0")
        self.assertEqual(self.doctor(machine)[0], 0)
        whole = f"the toolkit in {machine.toolkit} is not whole: install the rest of its release, the operators too"
        for name in ["libopapi_nn.so", "libopapi.so"]:
            (machine.toolkit / "lib64" / name).unlink()
        status, checks, _ = self.doctor(machine)
        self.assertEqual((status, checks["toolkit"]["state"]), (3, "ok"))
        self.expect_problem(checks["library"], "libopapi_math.so with libopapi_nn.so, or libopapi_nn.so, or", whole)
        self.expect_run_refused(machine, 2, "cann: libraries: libopapi_math.so with libopapi_nn.so", "; remedy: " + whole)

    def test_another_release_than_the_one_asked_for(self):
        remedy = "another release is installed: take --implementation cann"
        machine = self.healthy_machine("9.1.0")
        status, checks, _ = self.doctor(machine, "--implementation", "cann-8.1")
        self.assertEqual(status, 3)
        self.expect_problem(checks["library"], "libaclnn_ops_train.so: not found", remedy)
        machine = self.healthy_machine("8.1.RC1")
        self.expect_problem(self.doctor(machine, "--implementation", "cann-8.5")[1]["library"], "libopapi_nn.so", remedy)
        result = machine.call("run", "--implementation", "cann-9")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("cann-9: libraries: libacl_rt.so with libascendcl.so, or libacl_rt.so: not found", result.stderr)
        self.assertIn("; remedy: " + remedy, result.stderr)

    def test_releases(self):
        for release, (_, wanted) in LAYOUTS.items():
            with self.subTest(release=release):
                machine = self.healthy_machine(release)
                status, checks, every = self.doctor(machine)
                self.assertEqual(status, 0, every)
                self.assertEqual(checks["toolkit"]["found"], f"CANN {release} in {machine.toolkit}")
                self.assertEqual([pathlib.Path(check["found"]).name for check in every
                                  if check["name"] == "library" and check["state"] == "ok"], wanted)
                self.assertIn("none", [check for check in every if check["state"] == "skipped"][0]["found"])
                self.assertEqual(checks["soc"]["found"], "Ascend910B3, profile atlas-a2")
                self.assertIn("its numbers are right", checks["call"]["found"])

    def test_a_release_may_be_asked_for(self):
        machine = self.healthy_machine("8.5.0")
        _, _, every = self.doctor(machine, "--implementation", "cann-8.1")
        self.assertEqual([pathlib.Path(check["found"]).name for check in every if check["name"] == "library"
                          and check["state"] == "ok"], ["libascendcl.so", "libnnopbase.so", "libopapi.so"])

    def test_a_run_out_of_the_box(self):
        machine = self.healthy_machine()
        result = machine.call("run", "--implementation", "cann", "--set", "smoke", "--cases", "200", "--json", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        report = json.loads(result.stdout)
        self.assertEqual(report["implementation"]["name"], "cann")
        self.assertEqual([library["name"] for library in report["implementation"]["libraries"]], LAYOUTS["8.5.0"][1])
        self.assertNotIn(str(machine.root), result.stdout)

    def test_devices_are_checked_at_the_start(self):
        machine = self.healthy_machine()
        for device, words in [("1", ["has no device: device 1 was asked for, and aclrtGetDeviceCount gave 1"]),
                              ("0,3", ["has no device 3: it has 1, number 0; remedy: take other numbers with --device"])]:
            result = machine.call("run", "--implementation", "cann", "--device", device)
            self.assertEqual((result.returncode, result.stdout), (3, ""))
            for word in words:
                self.assertIn(word, result.stderr)
        self.expect_problem(self.doctor(machine, "--device", "0,3")[1]["open"], "has no device 3", "other numbers with --device")
        self.assertEqual(self.doctor(machine, "--device", "0")[0], 0)

    def test_custom_operators_stand_first(self):
        machine = self.healthy_machine()
        # The host libraries export operators themselves, and the first export is taken.
        for name in ["libascendcl.so", "libnnopbase.so"]:
            (machine.toolkit / "lib64" / name).unlink()
            (machine.toolkit / "lib64" / name).symlink_to(RUNTIME_ALONE)
        vendor = machine.root / "home/vendors/ours"
        (vendor / "op_api/lib").mkdir(parents=True)
        (vendor / "op_api/lib/libcust_opapi.so").symlink_to(STUBS / "libstub_operator.so")
        machine.variables["ASCEND_CUSTOM_OPP_PATH"] = f"{machine.root}/home/vendors/none:{vendor}"
        status, checks, every = self.doctor(machine)
        self.assertEqual(status, 3, every)
        # What is called is theirs, which has no kernel.
        self.expect_problem(checks["call"], "561112", "install the package of operators (kernels) for this SoC")
        self.assertEqual([pathlib.Path(check["found"]).name for check in every if check["name"] == "library"],
                         ["libascendcl.so", "libnnopbase.so", "libcust_opapi.so", "libopapi_math.so", "libopapi_nn.so"])

    def test_a_manifest_of_ones_own(self):
        machine = self.healthy_machine()
        manifest = machine.root / "home/mine.json"
        manifest.write_text(json.dumps({
            "schema": "poolproof-manifest/1", "folders": ["${NOT_SET}", "${ASCEND_HOME_PATH}/lib64"],
            "libraries": [["libnot_there.so", ["libascendcl.so", "libnnopbase.so"]], "${ASCEND_HOME_PATH}/lib64/libopapi_nn.so"]}))
        result = machine.call("probe", "--implementation", str(manifest))
        self.assertEqual(result.returncode, 0, result.stderr)
        for name in ["libascendcl.so", "libnnopbase.so", "libopapi_nn.so"]:
            self.assertIn(f"library           {name} sha256", result.stdout)

    def test_a_manifest_that_finds_nothing(self):
        machine = self.machine()
        manifest = machine.root / "home/mine.json"
        manifest.write_text(json.dumps({"schema": "poolproof-manifest/1", "libraries": [["libnot_there.so", []]]}))
        status, checks, _ = self.doctor(machine, "--implementation", str(manifest))
        self.assertEqual(status, 3)
        self.expect_problem(checks["library"], "none is found", "name the library by its path")

    def test_host_libraries_need_nothing_of_cann(self):
        machine = self.machine()
        for name in ["reference", str(REFERENCE)]:
            status, checks, every = self.doctor(machine, "--implementation", name)
            self.assertEqual(status, 0, every)
            self.assertEqual((checks["toolkit"]["state"], checks["driver"]["state"], checks["devices"]["state"]),
                             ("skipped",) * 3)
            self.assertIn("its numbers are right", checks["call"]["found"])

    def test_text_is_for_people(self):
        machine = self.healthy_machine()
        result = machine.call("doctor")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertTrue(result.stdout.endswith("healthy: poolproof run --implementation cann\n"), result.stdout)
        self.assertNotIn("->", result.stdout)
        broken = self.machine()
        result = broken.call("doctor")
        self.assertEqual((result.returncode, result.stderr), (3, ""))
        self.assertIn("\ntoolkit   PROBLEM  ASCEND_HOME_PATH is not set\n                   -> install the CANN toolkit",
                      "\n" + result.stdout)
        self.assertIn("not healthy: fix the first PROBLEM", result.stdout)
        for line in result.stdout.splitlines():
            self.assertLessEqual(len(line), 100, line)


class Schema(unittest.TestCase):
    DOCUMENT = {"schema": "poolproof-doctor/1", "implementation": "cann", "healthy": False,
                "checks": [{"name": "toolkit", "state": "problem", "found": "none", "remedy": "install it"}]}

    def test_is_closed(self):
        validator = jsonschema.Draft202012Validator(SCHEMA)
        validator.check_schema(SCHEMA)
        self.assertTrue(validator.is_valid(self.DOCUMENT))
        for place in [[], ["checks", 0]]:
            inner = changed = copy.deepcopy(self.DOCUMENT)
            for step in place:
                inner = inner[step]
            inner["unheard_of"] = 1
            self.assertFalse(validator.is_valid(changed), place)
            del inner["unheard_of"]
            for name in list(inner):
                value = inner.pop(name)
                self.assertFalse(validator.is_valid(changed), name)
                inner[name] = value


if __name__ == "__main__":
    unittest.main()
